//! The algorithms of the lecture notes (Bryant 2012): exact state counts, counterexamples of exact
//! length where theory says so, messages for each entry, and the notes' worked example, row by row.

use crate::helpers::systems::{deep, outcome, small};
use lockstep_algorithms::lamport::{self, Lamport};
use lockstep_algorithms::ricart_agrawala::{self, RicartAgrawala};
use lockstep_algorithms::{central_server, printed, token_ring};
use lockstep_kernel::explore::{NO_STARVATION, Outcome, SERVED};
use lockstep_kernel::history::Player;
use lockstep_kernel::run::{BatchJob, RunMeasures};
use lockstep_kernel::timing::{Duration, Load, Timing};
use lockstep_kernel::view::{Frame, VarValue};
use lockstep_kernel::world::{Faults, System, UNLIMITED};
use lockstep_kernel::{Algorithm, Effects, Entry, Invariant, Network, Setup, ThreadId, Topology, World};
use std::collections::BTreeSet;

const BOTH: [Network; 2] = [Network::Fifo, Network::Unordered];

fn setup(nodes: usize, params: &[(&str, &str)], network: Network) -> Setup {
    let start = Setup::new(nodes, 1, Topology::Full).on(network);
    params.iter().fold(start, |setup, (name, value)| setup.with(name, value))
}

/// Nodes, requests of each, states on a FIFO network, states on an unordered one (0: too many for
/// each run of the tests).
type Sizes = &'static [(usize, u32, usize, usize)];

fn explored(entry: &Entry, params: &[(&str, &str)], sizes: Sizes) {
    for (nodes, requests, fifo, unordered) in sizes {
        for (network, expected) in BOTH.into_iter().zip([*fifo, *unordered]) {
            if expected > 0 && (deep() || expected < 100_000) {
                let verdict =
                    small(*nodes, 1, *requests, Topology::Full).explore(entry, &setup(*nodes, params, network));
                let name = format!("{} {nodes} nodes, {requests} requests, {}", entry.id, network.name());
                assert_eq!((verdict.outcome, verdict.states), (Outcome::Ok, expected), "{name}");
            }
        }
    }
}

#[test]
fn every_state_of_the_server_and_of_the_ring() {
    explored(&central_server::ENTRY, &[("order", "fifo")], CENTRAL_FIFO);
    explored(&central_server::ENTRY, &[("order", "id")], CENTRAL_ID);
    explored(&token_ring::ENTRY, &[], RING);
}

/// The counts for three nodes equal those of two independent explorers, one of them stateright.
#[test]
fn every_state_of_ricart_and_agrawala() {
    explored(&ricart_agrawala::ENTRY, &[], RICART_AGRAWALA);
    explored(&ricart_agrawala::PRINTED, &[("clocks", "zero")], EVERY_STAMP);
}

#[test]
fn every_state_of_lamports_queue() {
    explored(&lamport::ENTRY, &[], LAMPORT);
}

const CENTRAL_FIFO: Sizes =
    &[(2, 3, 269, 321), (3, 1, 180, 180), (3, 2, 1_238, 1_505), (3, 3, 3_940, 5_062), (4, 2, 13_029, 16_937)];
const CENTRAL_ID: Sizes =
    &[(2, 3, 269, 309), (3, 1, 171, 171), (3, 2, 1_154, 1_301), (3, 3, 3_643, 4_243), (4, 2, 10_229, 11_601)];
const RING: Sizes =
    &[(2, 3, 210, 210), (3, 1, 135, 135), (3, 2, 750, 750), (3, 3, 2_205, 2_205), (4, 3, 20_580, 20_580)];
const RICART_AGRAWALA: Sizes =
    &[(2, 3, 652, 785), (3, 1, 3_151, 4_622), (3, 2, 62_986, 93_096), (3, 3, 423_265, 607_047), (4, 1, 0, 3_700_999)];
const EVERY_STAMP: Sizes = &[(2, 3, 1_035, 3_249), (3, 1, 19_245, 52_133)];
const LAMPORT: Sizes = &[(2, 3, 697, 1_428), (3, 1, 6_612, 7_565), (3, 2, 214_230, 891_383)];

/// Visits every state and judges it by a rule that is not among the algorithm's invariants.
fn holds_everywhere<A: Algorithm>(setup: Setup, requests: u32, rule: Invariant<A>) -> usize {
    let system = System::<A>::new(setup);
    let mut effects = Effects::new(None);
    let mut enabled = Vec::new();
    let start = World::start(&system, requests, Faults::default());
    let mut seen = BTreeSet::from([start.fingerprint()]);
    let mut stack = vec![start];
    while let Some(world) = stack.pop() {
        assert_eq!((rule.check)(&system, &world), Ok(()));
        world.enabled(&system, &mut enabled);
        for event in &enabled {
            let mut then = world.clone();
            then.apply(&system, *event, &mut effects);
            if seen.insert(then.fingerprint()) {
                stack.push(then);
            }
        }
    }
    seen.len()
}

#[test]
fn assumptions_of_the_correctness_arguments_hold() {
    let requests = if deep() { 2 } else { 1 };
    for network in BOTH {
        let older = ricart_agrawala::no_older_request_arrives_inside();
        assert!(holds_everywhere::<RicartAgrawala<false>>(setup(3, &[], network), 2, older) > 60_000);
        let older = ricart_agrawala::no_older_request_arrives_inside();
        holds_everywhere::<RicartAgrawala<true>>(setup(2, &[("clocks", "zero")], network), 3, older);
        holds_everywhere::<Lamport>(setup(3, &[], network), requests, lamport::a_reply_vouches());
        holds_everywhere::<Lamport>(setup(2, &[], network), 3, lamport::a_reply_vouches());
    }
}

/// The violation without a line.
fn without(entry: &Entry, text: &str, clocks: &str, requests: u32, network: Network) -> String {
    let line = entry.lines().find(|l| l.text.trim().starts_with(text)).expect(text);
    let mut setup = setup(2, &[("clocks", clocks)], network);
    setup.without = Some(line.id);
    outcome(&small(2, 1, requests, Topology::Full).explore(entry, &setup))
}

#[test]
fn two_threads_are_inside_without_an_essential_line() {
    let both = "mutual exclusion after 6 steps";
    for network in BOTH {
        // clocks that begin equal and count every event hide a missing update; the notes' clocks do
        // not
        for (entry, clocks) in [(&ricart_agrawala::ENTRY, "zero"), (&ricart_agrawala::PRINTED, "notes")] {
            assert_eq!(without(entry, "the clock takes T", clocks, 1, network), both, "{}", entry.id);
            assert_eq!(without(entry, "equal counts", "zero", 1, network), both, "{}", entry.id);
            assert_eq!(without(entry, "should_defer stays true", "zero", 1, network), both, "{}", entry.id);
        }
        assert_eq!(without(&lamport::ENTRY, "the clock takes T", "", 1, network), both);
        assert_eq!(without(&lamport::ENTRY, "equal counts", "", 1, network), both);
    }
}

/// On a FIFO network Lamport's replies need not be deferred; otherwise a reply may overtake an
/// older request, which it must not.
#[test]
fn lamports_deferral_is_for_unordered_networks() {
    let defer = "waiting, j has not replied";
    assert_eq!(without(&lamport::ENTRY, defer, "", 1, Network::Unordered), "mutual exclusion after 6 steps");
    assert_eq!(without(&lamport::ENTRY, defer, "", 3, Network::Fifo), "ok");
}

fn counterexample(entry: &Entry, params: &[(&str, &str)], network: Network) -> (&'static str, Vec<String>) {
    match small(2, 1, 1, Topology::Full).explore(entry, &setup(2, params, network)).outcome {
        Outcome::Violation(violation) => (violation.invariant, violation.steps),
        other => panic!("{}: {other:?}", entry.id),
    }
}

#[test]
fn shortest_counterexamples_of_the_algorithms_as_printed() {
    for network in BOTH {
        let (invariant, steps) = counterexample(&printed::central_server::ENTRY, &[], network);
        assert_eq!((invariant, steps.len()), ("mutual exclusion", 6));
        let (invariant, steps) = counterexample(&printed::token_ring::ENTRY, &[("start", "literal")], network);
        assert_eq!((invariant, steps.len()), ("mutual exclusion", 4));
        assert!(steps.iter().any(|s| s == "p1: the network thread starts up"), "{steps:?}");
        let (invariant, steps) = counterexample(&printed::token_ring::ENTRY, &[("start", "guarded")], network);
        assert_eq!((invariant, steps.len()), (SERVED, 7));
    }
}

#[test]
fn which_algorithms_of_the_notes_starve() {
    let starves = |entry: &Entry, params: &[(&str, &str)], network| match small(3, 1, UNLIMITED, Topology::Full)
        .explore(entry, &setup(3, params, network))
        .outcome
    {
        Outcome::Ok => false,
        Outcome::Violation(v) => v.invariant == NO_STARVATION,
        Outcome::Bound => panic!("{} is too large", entry.id),
    };
    for network in BOTH {
        assert!(!starves(&central_server::ENTRY, &[("order", "fifo")], network));
        assert!(starves(&central_server::ENTRY, &[("order", "id")], network), "two busy clients keep the third out");
        assert!(!starves(&token_ring::ENTRY, &[], network));
    }
}

fn measure(entry: &Entry, nodes: usize, threads: u32, timing: Timing, entries: u64) -> RunMeasures {
    let setup = Setup::new(nodes, threads, Topology::Full).with("order", "fifo").with("clocks", "zero");
    let measured = entry.measure(&BatchJob::new(setup, timing, entries));
    assert_eq!((measured.entries, measured.violations), (entries, 0), "{}", entry.id);
    measured
}

/// Every request of a finite load is served, so the messages can be counted exactly; those of the
/// last release are not part of a run.
#[test]
fn messages_for_each_entry() {
    for (nodes, threads) in [(1u64, 3u64), (2, 2), (5, 1), (31, 2)] {
        for think in [Duration::Exp(0.2), Duration::Exp(500.0)] {
            let timing = Timing { load: Load::closed(think, 20), ..Timing::paper(1.0, 3) };
            let entries = nodes * threads * 20;
            let messages = |entry| measure(entry, nodes as usize, threads as u32, timing.clone(), entries).messages();
            assert_eq!(messages(&central_server::ENTRY), 3 * entries - 1);
            assert_eq!(messages(&ricart_agrawala::ENTRY), 2 * (nodes - 1) * entries);
            assert_eq!(messages(&ricart_agrawala::PRINTED), 2 * (nodes - 1) * entries);
            assert_eq!(messages(&lamport::ENTRY), 3 * (nodes - 1) * entries - (nodes - 1));
        }
    }
}

/// 1/p messages for each entry, where p is the probability that the token finds a waiting thread.
#[test]
fn messages_of_the_ring_follow_the_load() {
    for (rate, expected, entries) in [(0.01, 64.83, 10_000), (0.1, 6.791, 20_000), (1.0, 1.2012, 20_000)] {
        let measured = measure(&token_ring::ENTRY, 31, 1, Timing::paper(rate, 1), entries);
        let per_entry = measured.messages_per_entry();
        assert!((per_entry / expected - 1.0).abs() < 0.02, "rate {rate}: {per_entry} instead of {expected}");
        let kinds: Vec<&str> = measured.messages_by_kind.iter().map(|(name, _)| name.as_str()).collect();
        assert_eq!(kinds, ["token", "idle"]);
        assert_eq!(measured.messages_by_kind[0].1, entries - 1, "one token for each entry, but the last");
    }
}

fn boot(entry: &Entry, setup: Setup) -> Box<dyn Player> {
    (entry.drive.boot)(setup, &Timing { load: Load::ByHand, ..Timing::paper(1.0, 1) })
}

fn play(player: &mut dyn Player, title: &str) -> Frame {
    let picks = player.enabled();
    let pick = picks.iter().find(|p| p.title == title);
    let event = pick.unwrap_or_else(|| panic!("{title} is not among {picks:#?}")).event;
    player.pick(event);
    player.frame()
}

fn var(frame: &Frame, node: usize, name: &str) -> String {
    match frame.nodes[node].view.vars.iter().find(|v| v.name == name).map(|v| &v.value) {
        Some(VarValue::Text(text)) => text.clone(),
        other => panic!("{name} is {other:?}"),
    }
}

#[test]
fn a_single_node_enters_at_once() {
    for entry in [
        &ricart_agrawala::ENTRY,
        &ricart_agrawala::PRINTED,
        &lamport::ENTRY,
        &token_ring::ENTRY,
        &printed::token_ring::ENTRY,
    ] {
        let mut player = boot(entry, Setup::new(1, 2, Topology::Full));
        assert_eq!(play(&mut *player, "p1.1 asks").counters.entries, 1, "{}", entry.id);
        play(&mut *player, "p1.2 asks");
        let frame = play(&mut *player, "p1.1 leaves");
        assert_eq!((frame.counters.entries, frame.counters.messages), (2, 0), "{}", entry.id);
        assert!(frame.invariants.iter().all(|i| i.broken.is_none()), "{}: {:?}", entry.id, frame.invariants);
    }
    for entry in [&central_server::ENTRY, &printed::central_server::ENTRY] {
        let mut player = boot(entry, Setup::new(1, 2, Topology::Full));
        for title in ["p1.1 asks", "p1.2 asks", "deliver REQUEST p1→server", "deliver GRANT server→p1", "p1.1 leaves"]
        {
            play(&mut *player, title);
        }
        assert_eq!(player.frame().counters.messages, 4, "{}", entry.id);
    }
}

/// Scenario 1: requests are served in the order of their delivery to the server; the holder stays
/// at the head of Q.
#[test]
fn the_server_serves_in_the_order_of_delivery() {
    let mut player = boot(&central_server::ENTRY, setup(3, &[("order", "fifo")], Network::Fifo));
    let queue = |frame: &Frame| frame.nodes[3].view.queue.len();
    for title in ["p1.1 asks", "p2.1 asks", "p3.1 asks"] {
        play(&mut *player, title);
    }
    assert_eq!(queue(&play(&mut *player, "deliver REQUEST p2→server")), 1);
    assert_eq!(queue(&play(&mut *player, "deliver REQUEST p1→server")), 2);
    assert_eq!(queue(&play(&mut *player, "deliver REQUEST p3→server")), 3);
    for client in ["p2", "p1", "p3"] {
        let frame = play(&mut *player, &format!("deliver GRANT server→{client}"));
        assert_eq!(
            frame.last.and_then(|l| l.granted.first().copied()),
            client[1..].parse().ok().map(|n: u32| ThreadId(n - 1))
        );
        play(&mut *player, &format!("{client}.1 leaves"));
        play(&mut *player, &format!("deliver RELEASE {client}→server"));
    }
    assert_eq!(player.frame().counters.messages, 9);
}

/// Scenario 3c: the release of p2 overtakes that of p1 at p3, so p3 removes p1's request for it,
/// and p2's for the other.
#[test]
fn lamports_wrong_removal_is_harmless() {
    let mut player = boot(&lamport::ENTRY, setup(3, &[], Network::Fifo));
    let script =
        "p1.1 asks; deliver REQUEST(1@p1) p1→p2; deliver REQUEST(1@p1) p1→p3; deliver REPLY p2→p1; deliver REPLY p3→p1;
        p2.1 asks; deliver REQUEST(2@p2) p2→p1; deliver REPLY p1→p2; deliver REQUEST(2@p2) p2→p3; deliver REPLY p3→p2;
        p1.1 leaves; deliver RELEASE p1→p2; p2.1 leaves";
    for title in script.split(';') {
        play(&mut *player, title.trim());
    }
    assert_eq!(var(&player.frame(), 2, "Q"), "[1@p1, 2@p2]");
    let frame = play(&mut *player, "deliver RELEASE p2→p3");
    assert_eq!(var(&frame, 2, "Q"), "[2@p2]");
    assert!(frame.last.unwrap().sentence.contains("That is not p2's request"));
    assert_eq!(var(&play(&mut *player, "deliver RELEASE p1→p3"), 2, "Q"), "[]");
}

/// Scenario 3b: with equal counts p1 is first; its deferred reply is sent in the step that delivers
/// p2's.
#[test]
fn lamports_deferred_reply() {
    let mut player = boot(&lamport::ENTRY, setup(2, &[], Network::Unordered));
    for title in ["p1.1 asks", "p2.1 asks"] {
        play(&mut *player, title);
    }
    assert_eq!(var(&play(&mut *player, "deliver REQUEST(1@p2) p2→p1"), 0, "D"), "{p2}");
    play(&mut *player, "deliver REQUEST(1@p1) p1→p2");
    let last = play(&mut *player, "deliver REPLY p2→p1").last.unwrap();
    assert_eq!((last.granted.len(), last.sent.len()), (1, 1), "{}", last.sentence);
    for title in ["deliver REPLY p1→p2", "p1.1 leaves", "deliver RELEASE p1→p2", "p2.1 leaves"] {
        play(&mut *player, title);
    }
    let counters = player.frame().counters;
    assert_eq!((counters.entries, counters.messages), (2, 6));
}

/// The notes' example: each of our steps with the process, the clock after each of its events, R
/// and D. Two rows of the notes (receive and reply, receive and enter) are one step here; the rows
/// of one process keep their order.
const EXAMPLE: &[(&str, usize, &[u32], &str, &str)] = &[
    ("p3.1 asks", 3, &[153], "{}", "{}"),
    ("deliver REQUEST(153) p3→p2", 2, &[162, 172], "{}", "{}"),
    ("deliver REQUEST(153) p3→p1", 1, &[431, 441], "{}", "{}"),
    ("deliver REPLY(441) p1→p3", 3, &[453], "{p1}", "{}"),
    ("deliver REPLY(172) p2→p3", 3, &[463, 473], "{p1, p2}", "{}"),
    ("p1.1 asks", 1, &[451], "{}", "{}"),
    ("p2.1 asks", 2, &[182], "{}", "{}"),
    ("deliver REQUEST(451) p1→p3", 3, &[483], "{p1, p2}", "{p1}"),
    ("deliver REQUEST(182) p2→p3", 3, &[493], "{p1, p2}", "{p1, p2}"),
    ("deliver REQUEST(182) p2→p1", 1, &[461, 471], "{}", "{}"),
    ("deliver REQUEST(451) p1→p2", 2, &[462], "{}", "{p1}"),
    ("deliver REPLY(471) p1→p2", 2, &[482], "{p1}", "{p1}"),
    ("p3.1 leaves", 3, &[503, 513], "{p1, p2}", "{p1, p2}"),
    ("deliver REPLY(503) p3→p1", 1, &[511], "{p3}", "{}"),
    ("deliver REPLY(513) p3→p2", 2, &[522, 532], "{p1, p3}", "{p1}"),
    ("p2.1 leaves", 2, &[542], "{p1, p3}", "{p1}"),
    ("deliver REPLY(542) p2→p1", 1, &[551, 561], "{p2, p3}", "{}"),
];

#[test]
fn the_example_of_the_notes_replays_row_by_row() {
    let mut player = boot(&ricart_agrawala::PRINTED, setup(3, &[("clocks", "notes")], Network::Fifo));
    let start = player.frame();
    assert_eq!([0, 1, 2].map(|i| var(&start, i, "T")), ["421", "112", "143"]);
    let (mut rows, mut order) = (0, Vec::new());
    for (title, process, clocks, r, d) in EXAMPLE {
        let frame = play(&mut *player, title);
        let step = frame.last.as_ref().unwrap();
        let told: Vec<String> = clocks.iter().map(u32::to_string).collect();
        let sentence = &step.sentence;
        assert!(sentence.ends_with(&format!("Clock of p{process}: {}.", told.join(", "))), "{title}: {sentence}");
        assert_eq!(Some(&var(&frame, process - 1, "T")), told.last(), "{title}");
        assert_eq!([var(&frame, process - 1, "R"), var(&frame, process - 1, "D")], [*r, *d], "{title}");
        rows += clocks.len();
        order.extend(step.granted.iter().map(|thread| thread.0 + 1));
    }
    assert_eq!((rows, player.frame().counters.messages, order), (24, 12, vec![3, 2, 1]));
}
