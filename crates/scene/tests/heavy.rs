//! What frames and pictures of heavy systems cost, in bytes and allocations: as much as their
//! ranges, nodes and drawn messages, whatever the number of cells.

use lockstep_algorithms::find;
use lockstep_kernel::history::Player;
use lockstep_kernel::timing::Timing;
use lockstep_kernel::view::{CellView, FlightFrame};
use lockstep_kernel::{Cells, Frame, Role, Setup, Topology};
use lockstep_scene::stage::cells::{CellRun, runs};
use lockstep_scene::{Painter, Room, Scene, StageInput};
use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;

thread_local! {
    static COUNT: Cell<(usize, usize)> = const { Cell::new((0, 0)) };
}

struct CostCounter;

fn count(bytes: usize) {
    // a thread that is ending no longer has a counter
    let _ = COUNT.try_with(|c| c.set((c.get().0 + 1, c.get().1 + bytes)));
}

#[expect(unsafe_code, reason = "an allocator cannot be written without; it only counts and passes on")]
unsafe impl GlobalAlloc for CostCounter {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        count(layout.size());
        unsafe { System.alloc(layout) }
    }
    unsafe fn dealloc(&self, ptr: *mut u8, layout: Layout) {
        unsafe { System.dealloc(ptr, layout) }
    }
    unsafe fn realloc(&self, ptr: *mut u8, layout: Layout, new_size: usize) -> *mut u8 {
        count(new_size);
        unsafe { System.realloc(ptr, layout, new_size) }
    }
}

#[global_allocator]
static ALLOCATOR: CostCounter = CostCounter;

/// The allocations and the bytes of some work.
fn cost<T>(work: impl FnOnce() -> T) -> (usize, usize) {
    let before = COUNT.get();
    drop(work());
    let after = COUNT.get();
    (after.0 - before.0, after.1 - before.1)
}

fn player(id: &str, setup: Setup) -> Box<dyn Player> {
    let entry = find(id).unwrap();
    let setup = Setup { params: entry.complete(&setup.params).unwrap(), ..setup };
    let mut timing = Timing::paper(3.0, 7);
    timing.ranged.share = 0.3;
    (entry.drive.boot)(setup, &timing)
}

fn advance(player: &mut dyn Player, steps: usize) {
    for _ in 0..steps {
        if let Some(event) = player.next() {
            player.pick(event).unwrap();
        }
    }
}

fn picture(frame: &Frame, setup: &Setup) -> Scene {
    let room = Room { width: 758.0, height: 460.0 };
    Painter::new().draw_stage(&StageInput::new(frame, setup, "", room)).scene
}

/// With a view for each cell, each of these would be some 12 bytes for each node and cell.
#[test]
fn more_cells_cost_no_more() {
    const CELLS: u16 = 65_535;
    for id in ["swq", "swq-pr", "swq-printed", "central-range"] {
        for steps in [0, 30] {
            let bytes = |cells: u16| {
                let mut player = player(id, Setup::new(16, 2, Topology::Star).divided(cells));
                advance(&mut *player, steps);
                let (frame, setup) = (player.frame(), player.setup().clone());
                [cost(|| player.frame()).1, cost(|| picture(&frame, &setup)).1, cost(|| runs(&frame, cells)).1]
            };
            let (few, many) = (bytes(100), bytes(CELLS));
            for (few, many) in few.into_iter().zip(many) {
                // invariants count what there is of each cell in a byte
                let more = 8 * usize::from(CELLS) + 4 * few;
                assert!(few > 0 && many < more, "{id} after {steps} steps: {few} bytes, with {CELLS} cells {many}");
            }
        }
    }
}

/// What `runs` finds, one cell after the other.
fn runs_by_cell(frame: &Frame, cells: u16) -> Vec<CellRun> {
    let mut runs: Vec<CellRun> = Vec::new();
    for cell in 0..cells {
        let known = |n: &lockstep_kernel::view::NodeFrame| -> Option<CellView> {
            n.cells.iter().find(|(range, _)| (range.lo..range.hi).contains(&cell)).map(|(_, c)| c)
        };
        let holders: Vec<_> = frame.nodes.iter().filter(|n| known(n).is_some_and(|c| c.held)).collect();
        let next = holders.first().and_then(|n| known(n)).and_then(|c| c.next);
        let tail = frame.nodes.iter().find(|n| known(n).is_some_and(|c| c.owner == n.id)).map(|n| n.id);
        let holders: Vec<_> = holders.into_iter().map(|n| n.id).collect();
        match runs.last_mut() {
            Some(run) if run.holders == holders && run.tail == tail => {
                run.cells.hi = cell + 1;
                run.next.extend(next.filter(|n| !run.next.contains(n)));
            }
            _ => {
                let next = next.into_iter().collect();
                runs.push(CellRun { cells: Cells { lo: cell, hi: cell + 1 }, holders, next, tail });
            }
        }
    }
    runs
}

#[test]
fn runs_of_cells_are_those_that_a_look_at_each_cell_finds() {
    let mut several = 0;
    for id in ["swq", "swq-pr", "central-range", "swq-printed", "naimi-trehel-async"] {
        for cells in [2, 13, 64] {
            let mut player = player(id, Setup::new(5, 2, Topology::Star).divided(cells));
            for step in 0..120 {
                let frame = player.frame();
                let found = runs(&frame, cells);
                assert_eq!(found, runs_by_cell(&frame, cells), "{id}, {cells} cells, step {step}");
                several += usize::from(found.iter().any(|run| run.next.len() > 1));
                advance(&mut *player, 1);
            }
        }
    }
    assert!(several > 0, "cells of one holder go to several nodes at times");
}

/// With a string for each number, twice as many nodes would need four times as many.
#[test]
fn a_list_of_all_nodes_is_one_string() {
    let strings = |nodes| {
        let player = player("suzuki-kasami", Setup::new(nodes, 1, Topology::Full));
        cost(|| player.frame()).0
    };
    let (few, many) = (strings(64), strings(128));
    assert!(few > 64 && many < 5 * few / 2, "{few} allocations with 64 nodes, {many} with 128");
}

#[test]
fn a_crowd_shows_the_messages_that_arrive_first() {
    let player = player("lamport", Setup::new(255, 1, Topology::Full));
    let (mut frame, setup) = (player.frame(), player.setup().clone());
    let pairs = setup.ids().flat_map(|from| setup.ids().filter(move |to| *to != from).map(move |to| (from, to)));
    let flight = |(id, (from, to))| {
        let role = if id == 60_000 { Role::Token } else { Role::Request };
        let due = 1_000_000 - u64::from(id);
        FlightFrame { id, from, to, tag: "R1".into(), label: "REQUEST".into(), role, sent: 0, due, held: false }
    };
    frame.flights = (0..).zip(pairs).map(flight).collect();
    assert_eq!(frame.flights.len(), 64_770);
    let scene = picture(&frame, &setup);
    let shown: Vec<u32> =
        scene.having("data-flight-id").iter().map(|s| s.datum("data-flight-id").unwrap().parse().unwrap()).collect();
    let last: Vec<u32> = std::iter::once(60_000).chain(64_770 - 999..64_770).collect();
    assert_eq!(shown, last, "the token, and those that are due first");
    let text = lockstep_scene::to_svg(&scene);
    assert!(text.contains("and 63770 messages that arrive later"), "it says how many are not drawn");
    // a picture with all of them would need some ten allocations for each
    assert!(cost(|| picture(&frame, &setup)).0 < frame.flights.len());
    frame.flights.truncate(1_000);
    assert!(!lockstep_scene::to_svg(&picture(&frame, &setup)).contains("arrive later"));
}
