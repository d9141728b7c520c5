//! A batch run allocates nothing per event: twice as many entries need no more allocations.

use lockstep_algorithms::find;
use lockstep_kernel::run::BatchJob;
use lockstep_kernel::timing::Timing;
use lockstep_kernel::{Setup, Topology};
use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;

thread_local! {
    static COUNT: Cell<u64> = const { Cell::new(0) };
}

struct Counting;

fn count() {
    // a thread that is ending no longer has a counter
    let _ = COUNT.try_with(|c| c.set(c.get() + 1));
}

#[expect(unsafe_code, reason = "an allocator cannot be written without; it only counts and passes on")]
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        count();
        unsafe { System.alloc(layout) }
    }
    unsafe fn dealloc(&self, ptr: *mut u8, layout: Layout) {
        unsafe { System.dealloc(ptr, layout) }
    }
    unsafe fn realloc(&self, ptr: *mut u8, layout: Layout, new_size: usize) -> *mut u8 {
        count();
        unsafe { System.realloc(ptr, layout, new_size) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

fn allocations(id: &str, rate: f64, entries: u64) -> u64 {
    let setup =
        Setup::new(31, 5, Topology::BinaryTree).with("variant", "v2").with("piggyback", "true").with("reading", "a");
    let job = BatchJob { bypass: true, ..BatchJob::new(setup, Timing::paper(rate, 1), entries) };
    let entry = find(id).unwrap();
    let before = COUNT.get();
    entry.measure(&job);
    COUNT.get() - before
}

#[test]
fn nothing_is_allocated_per_event() {
    for id in ["alien", "mueller", "raymond", "naimi-trehel"] {
        for rate in [0.1, 0.5, 10.0] {
            allocations(id, rate, 1_000); // tables that are made once
            let (short, long) = (allocations(id, rate, 50_000), allocations(id, rate, 100_000));
            assert!(short > 10, "the counter counts");
            assert_eq!(short, long, "{id} at rate {rate}");
        }
    }
}
