//! Requests that can no longer be served: the scenarios that show one are marked at their end, and
//! a marked request is never served, whatever follows.

use crate::helpers::systems::parameters;
use lockstep_algorithms::ALL;
use lockstep_kernel::history::Player;
use lockstep_kernel::random::{Purpose, Stream};
use lockstep_kernel::served::NO_STUCK_REQUEST;
use lockstep_kernel::timing::{Load, Timing};
use lockstep_kernel::view::ThreadState;
use lockstep_kernel::{Entry, Event, Frame, NodeId, Setup, ThreadId, Topology};
use lockstep_scenario::LIBRARY;
use proptest::prelude::*;

/// The frames of a whole scenario, judged.
fn frames(id: &str) -> Vec<Frame> {
    let (_, text) = LIBRARY.iter().find(|(i, _)| *i == id).unwrap();
    let mut player = lockstep_scenario::parse(id, text).unwrap().play().player;
    let line = player.timeline();
    let mut frames: Vec<Frame> = Vec::new();
    for step in line {
        player.seek(step.id);
        frames.push(player.judged_frame(frames.last()));
    }
    frames
}

fn stuck(frame: &Frame) -> Vec<(String, bool, u32)> {
    let threads = || frame.nodes.iter().flat_map(|n| &n.threads);
    let name = |s: &lockstep_kernel::served::StuckRequest| threads().find(|t| t.id == s.thread).unwrap().name.clone();
    frame.stuck.iter().map(|s| (name(s), s.never, s.since)).collect()
}

#[test]
fn a_deadlock_is_marked_at_its_end_with_since_when() {
    for (id, expected) in [
        ("ranges-deadlock", vec![("p1.1", true, 2), ("p2.1", true, 2)]),
        ("maekawa-deadlock", vec![("p1.1", true, 3), ("p2.1", true, 3), ("p3.1", true, 3)]),
        ("hierarchical-printed-f-waits", vec![("F.1", false, 16)]),
    ] {
        let frames = frames(id);
        let last = frames.last().unwrap();
        let expected: Vec<(String, bool, u32)> = expected.into_iter().map(|(n, e, s)| (n.into(), e, s)).collect();
        assert_eq!(stuck(last), expected, "{id}");
        let line = last.invariants.iter().find(|i| i.name == NO_STUCK_REQUEST).unwrap();
        assert!(line.broken.as_ref().is_some_and(|why| why.contains(&expected[0].0)), "{id}: {:?}", line.broken);
    }
}

/// One of the events that may follow, with or without new requests.
fn following(player: &dyn Player, requests: bool, draw: &mut Stream) -> Option<Event> {
    let restores = |e: Event| matches!(e, Event::Resume(_) | Event::Restart(_));
    let mut events: Vec<Event> = player.usual().iter().map(|e| e.event).collect();
    events.extend(player.faults(&mut |e| restores(e)).iter().map(|e| e.event));
    events.retain(|e| !matches!(e, Event::Cancel(_)) && (requests || e.asks().is_none()));
    (!events.is_empty()).then(|| events[draw.below(events.len() as u32) as usize])
}

fn waits(frame: &Frame, thread: ThreadId) -> bool {
    let mut threads = frame.nodes.iter().flat_map(|n| &n.threads);
    threads.any(|t| t.id == thread && t.doing == ThreadState::Waiting)
}

/// Random steps with now and then a fault. From every state with a marked request the run goes on
/// in several random ways; returns how many requests were marked.
fn never_served(entry: &'static Entry, setup: &Setup, seed: u64) -> Result<usize, TestCaseError> {
    let timing = Timing { load: Load::ByHand, ..Timing::paper(1.0, seed) };
    let mut player = (entry.drive.boot)(setup.clone(), &timing);
    let mut draw = Stream::new(seed, Purpose::Pick, 0);
    let (mut before, mut marked): (Option<Frame>, usize) = (None, 0);
    for _ in 0..40 {
        let fault = draw.below(8) == 0;
        let faults = player.faults(&mut |e| matches!(e, Event::Drop(_) | Event::Hold(_) | Event::Crash(_)));
        let event = match faults.len() as u32 {
            some if fault && some > 0 => Some(faults[draw.below(some) as usize].event),
            _ => following(&*player, true, &mut draw),
        };
        let Some(event) = event else { break };
        player.pick(event);
        let frame = player.judged_frame(before.as_ref());
        marked += frame.stuck.len();
        let here = player.cursor();
        for (requests, _) in [(false, 0), (false, 1), (true, 0), (true, 1)] {
            let certain: Vec<ThreadId> =
                frame.stuck.iter().filter(|s| s.never || !requests).map(|s| s.thread).collect();
            for _ in 0..if certain.is_empty() { 0 } else { 30 } {
                let Some(event) = following(&*player, requests, &mut draw) else { break };
                player.pick(event);
                let frame = player.frame();
                for thread in &certain {
                    prop_assert!(waits(&frame, *thread), "{}: {thread:?} was served after {event:?}", entry.id);
                }
            }
            player.seek(here);
        }
        before = Some(frame);
    }
    Ok(marked)
}

fn small(entry: &'static Entry, nodes: usize, threads: u32, pick: usize) -> Setup {
    let mut setup = Setup::new(nodes, threads, Topology::Chain);
    let all = parameters(entry);
    setup.params = all[pick % all.len()].clone();
    setup.clusters = (0..nodes as u32).map(|i| i % 2).collect();
    if entry.drive.ranges {
        setup.cells = 2;
        setup.placement = (0..2).map(|i| NodeId(i % nodes as u32)).collect();
    }
    setup
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 6, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn a_marked_request_is_never_served(nodes in 2usize..5, threads in 1u32..3, pick in 0usize..9, seed in any::<u64>()) {
        let mut marked = 0;
        for entry in ALL.iter() {
            marked += never_served(entry, &small(entry, nodes, threads, pick), seed)?;
        }
        prop_assert!(marked > 0, "faults in {} algorithms leave no request unserved", ALL.len());
    }
}

/// A request whose only message is lost is marked as soon as it is lost.
#[test]
fn a_request_that_is_dropped_is_marked_at_once() {
    for id in ["naimi-trehel", "raymond", "alien", "central-server", "ricart-agrawala"] {
        let entry = lockstep_algorithms::find(id).unwrap();
        let mut setup = Setup::new(3, 1, Topology::Star);
        setup.params = entry.complete(&Default::default()).unwrap();
        let timing = Timing { load: Load::ByHand, ..Timing::paper(1.0, 1) };
        let mut player = (entry.drive.boot)(setup, &timing);
        player.pick(Event::Request(ThreadId(1))).unwrap();
        let before = player.judged_frame(None);
        assert_eq!(stuck(&before), [], "{id}");
        player.pick(Event::Drop(before.flights[0].id)).unwrap();
        let frame = player.judged_frame(Some(&before));
        assert_eq!(stuck(&frame), [("p2.1".into(), true, 2)], "{id}");
    }
}
