//! An exploration keeps its bound of memory, as an allocator measures it, and says so.

use lockstep_check::{Check, CheckVerdict, StopReason, prepare, words, worst_of};
use lockstep_kernel::explore::RequestMeasure;
use lockstep_spec::Spec;
use std::alloc::{GlobalAlloc, Layout, System};
use std::sync::atomic::{AtomicUsize, Ordering};

static NOW: AtomicUsize = AtomicUsize::new(0);
static PEAK: AtomicUsize = AtomicUsize::new(0);

struct Measuring;

fn add(bytes: usize) {
    PEAK.fetch_max(NOW.fetch_add(bytes, Ordering::Relaxed) + bytes, Ordering::Relaxed);
}

#[expect(unsafe_code, reason = "an allocator cannot be written without; it only counts and passes on")]
unsafe impl GlobalAlloc for Measuring {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        add(layout.size());
        unsafe { System.alloc(layout) }
    }
    unsafe fn dealloc(&self, ptr: *mut u8, layout: Layout) {
        NOW.fetch_sub(layout.size(), Ordering::Relaxed);
        unsafe { System.dealloc(ptr, layout) }
    }
    unsafe fn realloc(&self, ptr: *mut u8, layout: Layout, new_size: usize) -> *mut u8 {
        // as in wasm, where a list that grows is copied
        add(new_size);
        let new = unsafe { System.realloc(ptr, layout, new_size) };
        NOW.fetch_sub(layout.size(), Ordering::Relaxed);
        new
    }
}

#[global_allocator]
static ALLOCATOR: Measuring = Measuring;

/// What `work` returns, and the most bytes that were allocated meanwhile beyond those before.
fn measured<T>(work: impl FnOnce() -> T) -> (T, usize) {
    let before = NOW.load(Ordering::Relaxed);
    PEAK.store(before, Ordering::Relaxed);
    let made = work();
    (made, PEAK.load(Ordering::Relaxed) - before)
}

/// One test, because the allocator counts for the whole program.
#[test]
fn explorations_end_with_a_verdict_before_their_memory_does() {
    const MEGABYTES: usize = 40;
    let large: &[(&str, &str, &str)] = &[
        ("alien", "4", "3"),
        ("raymond", "5", "3"),
        ("lamport", "4", "3"),
        ("ricart-agrawala", "4", "3"),
        ("maekawa", "5", "3"),
        ("suzuki-kasami", "4", "3"),
        ("swq", "4", "3"),
        ("naimi-trehel", "5", "3"),
        ("alien", "4", "unlimited"),
        ("wdme", "5", "3"),
        ("central-server", "6", "3"),
    ];
    let mut bounded = 0;
    for (id, nodes, requests) in large {
        let spec = Spec { requests: Some((*requests).into()), ..Spec::of(id).max_megabytes(MEGABYTES) };
        let check = Check::from(Spec { nodes: Some((*nodes).into()), network: Some("unordered".into()), ..spec });
        let mut ready = prepare(&check).unwrap_or_else(|why| panic!("{id}: {why:?}"));
        ready.bounds.max_states = usize::MAX;
        let (report, peak) = measured(|| ready.start().finish());
        assert!(peak <= MEGABYTES * 1_000_000, "{id}, {nodes} nodes: {peak} bytes for {} states", report.states);
        if report.verdict == CheckVerdict::Bound {
            bounded += 1;
            assert_eq!(report.stopped, Some(StopReason::Memory), "{id}");
            assert!(words(&report).contains("the memory limit is reached"), "{}", words(&report));
            assert!(report.states > 10_000, "{id}: {} states use {peak} bytes", report.states);
        }
        println!("{id}: {} states, {:.1} MB of {MEGABYTES}", report.states, peak as f64 / 1e6);
    }
    assert!(bounded >= 6, "{bounded} of the systems are too large");
    let spec = Spec::of("alien").nodes(5).max_megabytes(MEGABYTES);
    let (worst, peak) = measured(|| worst_of(prepare(&Check::from(spec)).unwrap(), RequestMeasure::Steps).finish());
    assert!(peak <= MEGABYTES * 1_000_000, "{peak} bytes for {} states", worst.states);
    assert!(!worst.exact && worst.words().contains("the memory limit is reached"), "{}", worst.words());
}
