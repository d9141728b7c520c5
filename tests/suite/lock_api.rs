//! The asynchronous lock interface of Quinson and Vernier 2009, over every algorithm that offers
//! it: test before, during and after; cancel before and after the grant; afterwards no request is
//! left.

use lockstep_algorithms::{async_naimi_trehel, central_range, naimi_trehel, swq};
use lockstep_kernel::history::Player;
use lockstep_kernel::locks::Locks;
use lockstep_kernel::timing::{Load, Timing};
use lockstep_kernel::view::ThreadState;
use lockstep_kernel::{Cells, Entry, NodeId, Params, Setup, Topology};

const OFFERED_BY: [&Entry; 4] = [&async_naimi_trehel::ENTRY, &swq::ENTRY, &swq::PATH_REVERSAL, &central_range::ENTRY];

/// Three nodes; four cells where the algorithm divides the resource.
fn boot(entry: &Entry) -> Box<dyn Player> {
    let mut setup = Setup::new(3, 1, Topology::Star).divided(if entry.drive.ranges { 4 } else { 1 });
    setup.params = entry.complete(&Params::default()).unwrap();
    (entry.drive.boot)(setup, &Timing { load: Load::ByHand, ..Timing::paper(1.0, 1) })
}

/// No thread waits or is inside, no message is in flight, every queue is empty, and every thread
/// can be served again.
fn nothing_leaks(entry: &Entry, player: &mut dyn Player) {
    while Locks(player).deliver() {}
    let frame = player.frame();
    assert!(frame.flights.is_empty());
    for node in &frame.nodes {
        assert!(node.threads.iter().all(|t| t.doing == ThreadState::Idle), "{}", entry.id);
        assert!(node.view.queue.is_empty(), "{}: {:?} waits at {}", entry.id, node.view.queue, node.name);
    }
    assert!(frame.invariants.iter().all(|i| i.broken.is_none()), "{}", entry.id);
    for node in (0..3).map(NodeId) {
        let mut locks = Locks(player);
        let lock = locks.create(node, Cells::WHOLE).expect("a thread is idle");
        assert!(locks.wait(&lock), "{}: the next lock is granted", entry.id);
        assert!(locks.unlock(lock));
    }
}

#[test]
fn a_lock_is_requested_tested_and_released() {
    for entry in OFFERED_BY {
        let mut player = boot(entry);
        let mut locks = Locks(&mut *player);
        let first = locks.create(NodeId(1), Cells::WHOLE).unwrap();
        assert!(!locks.test(&first), "{}: not before its messages have travelled", entry.id);
        assert!(locks.create(NodeId(1), Cells::WHOLE).is_none(), "the node's only thread has a lock");
        assert!(locks.wait(&first) && locks.test(&first));
        let second = locks.create(NodeId(2), Cells::WHOLE).unwrap();
        assert!(!locks.wait(&second), "{}: messages alone do not bring it", entry.id);
        assert!(locks.test(&first) && !locks.test(&second));
        assert!(locks.unlock(first));
        assert!(locks.wait(&second), "{}: it comes after the unlock", entry.id);
        assert!(locks.unlock(second));
        nothing_leaks(entry, &mut *player);
    }
}

#[test]
fn a_lock_is_cancelled_before_its_request_arrives_while_it_waits_and_after_the_grant() {
    for entry in OFFERED_BY {
        let mut player = boot(entry);
        let mut locks = Locks(&mut *player);
        let early = locks.create(NodeId(1), Cells::WHOLE).unwrap();
        assert!(locks.unlock(early), "{}: before anything arrived", entry.id);
        nothing_leaks(entry, &mut *player);

        let mut locks = Locks(&mut *player);
        let held = locks.create(NodeId(0), Cells::WHOLE).unwrap();
        assert!(locks.wait(&held));
        let waiting = locks.create(NodeId(1), Cells::WHOLE).unwrap();
        assert!(!locks.wait(&waiting));
        assert!(locks.unlock(waiting), "{}: in the queue", entry.id);
        let behind = locks.create(NodeId(2), Cells::WHOLE).unwrap();
        assert!(locks.unlock(held));
        assert!(locks.wait(&behind), "{}: the next request is served", entry.id);
        assert!(locks.unlock(behind), "and after the grant it is an unlock");
        nothing_leaks(entry, &mut *player);
    }
}

#[test]
fn ranges_that_do_not_overlap_are_held_together() {
    for entry in [&swq::ENTRY, &swq::PATH_REVERSAL, &central_range::ENTRY] {
        let mut player = boot(entry);
        let mut locks = Locks(&mut *player);
        let low = locks.create(NodeId(1), Cells { lo: 0, hi: 2 }).unwrap();
        let high = locks.create(NodeId(2), Cells { lo: 2, hi: 4 }).unwrap();
        assert!(locks.wait(&low) && locks.wait(&high), "{}", entry.id);
        let all = locks.create(NodeId(0), Cells::WHOLE).unwrap();
        assert!(!locks.wait(&all));
        assert!(locks.unlock(high) && !locks.wait(&all), "{}: half of it is not enough", entry.id);
        assert!(locks.unlock(low) && locks.wait(&all));
        assert!(locks.unlock(all));
        nothing_leaks(entry, &mut *player);
    }
}

/// The interface needs only requests and releases, which every algorithm has; only cancelling is
/// optional.
#[test]
fn without_cancelling_a_waiting_request_stays() {
    let mut player = boot(&naimi_trehel::ENTRY);
    let mut locks = Locks(&mut *player);
    let lock = locks.create(NodeId(1), Cells::WHOLE).unwrap();
    assert!(locks.create(NodeId(2), Cells { lo: 0, hi: 1 }).is_none(), "there are no ranges");
    assert!(!locks.unlock(lock), "it cannot be cancelled");
}
