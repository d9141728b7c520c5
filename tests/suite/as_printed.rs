//! The algorithms as printed: their shortest counterexamples, of the kind and length that an
//! independent explorer found, and their figures.

use lockstep_algorithms::printed::alien::ENTRY;
use lockstep_kernel::explore::{Bounds, Counterexample, Outcome};
use lockstep_kernel::history::Player;
use lockstep_kernel::timing::{Load, Timing};
use lockstep_kernel::{Network, Setup, Topology, Var};

fn setup(nodes: usize, topology: Topology, [reading, variant, piggyback]: [&str; 3]) -> Setup {
    Setup::new(nodes, 1, topology).with("reading", reading).with("variant", variant).with("piggyback", piggyback)
}

fn explore(setup: &Setup, requests: u32) -> Option<Counterexample> {
    match ENTRY.explore(setup, &Bounds { requests, ..Bounds::default() }).outcome {
        Outcome::Ok => None,
        Outcome::Violation(violation) => Some(violation),
        Outcome::Bound => panic!("a bound was reached"),
    }
}

fn boot(setup: Setup) -> Box<dyn Player> {
    (ENTRY.drive.boot)(setup, &Timing { load: Load::ByHand, ..Timing::paper(1.0, 1) })
}

#[test]
fn shortest_counterexamples() {
    use Topology::{Chain, Star};
    let (both, token, alien) = ("mutual exclusion", "one token", "no impossible message");
    for (nodes, topology, reading, variant, requests, expected) in [
        (2, Chain, "strict", "v1", 2, Some((token, 12))),
        (2, Chain, "strict", "v2", 2, Some((token, 12))),
        (3, Star, "lenient", "v1", 2, Some((both, 18))),
        (3, Star, "lenient", "v2", 2, Some((both, 18))),
        (2, Chain, "lenient", "v1", 2, None),
        (2, Chain, "lenient", "v1", 3, Some((both, 20))),
        (3, Star, "lenient", "v1", 1, None),
        (3, Chain, "lenient", "v1", 1, Some((both, 19))),
        (4, Chain, "lenient", "v1", 1, Some((both, 19))),
        (2, Chain, "lenient", "v2", 2, Some((alien, 18))),
    ] {
        for (piggyback, more) in [("true", 0), ("false", 1)] {
            let found = explore(&setup(nodes, topology, [reading, variant, piggyback]), requests);
            let found = found.map(|v| (v.invariant, v.steps.len()));
            let expected = expected.map(|(name, steps)| (name, steps + more));
            assert_eq!(found, expected, "{nodes} {topology:?} {reading} {variant} {piggyback}, {requests} requests");
        }
    }
}

#[test]
fn two_nodes_with_one_request_each_have_no_violation() {
    for i in 0..32usize {
        let bit = |b: usize| i >> b & 1;
        let params = [["strict", "lenient"][bit(0)], ["v1", "v2"][bit(1)], ["true", "false"][bit(2)]];
        let mut setup = setup(2, Topology::Chain, params).on([Network::Fifo, Network::Unordered][bit(3)]);
        setup.threads = vec![1 + bit(4) as u32; 2];
        assert_eq!(explore(&setup, 1), None, "{setup:?}");
    }
}

/// Plays a counterexample and returns the narration of its steps.
fn told(setup: Setup, requests: u32) -> Vec<String> {
    let violation = explore(&setup, requests).expect("a violation");
    let mut player = boot(setup);
    let mut sentence = |event| player.pick(event).and_then(|_| player.frame().last).expect("a step").sentence;
    violation.events.iter().map(|e| sentence(*e)).collect()
}

#[test]
fn narrations_of_alien_printed_name_the_fault() {
    let lost = told(setup(2, Topology::Chain, ["strict", "v1", "true"]), 2);
    assert!(lost[11].contains("p1.1 in the second: the signal and the token are lost"), "{lost:#?}");
    let without = told(setup(3, Topology::Star, ["lenient", "v1", "true"]), 2);
    assert!(without[14].contains("tokenRequested stays true"), "{without:#?}");
    assert!(without[15].contains("WITHOUT the token"), "{without:#?}");
    let nobody = told(setup(2, Topology::Chain, ["lenient", "v2", "true"]), 2);
    assert!(nobody[16].contains("although the token is here"), "{nobody:#?}");
    assert!(nobody[17].contains("no such thread"), "{nobody:#?}");
}

/// Figure 1 of the paper up to the token's return from p3 to p2, in (e).
const FIGURE_1: &str = "p1.1 asks; p1.2 asks; p1.3 asks;
    p3.1 asks; p3.2 asks; deliver REQ(p3) p3→p2; p2: the alien of p3 re-enters; deliver REQ(p2) p2→p1; p1: the alien of p2 re-enters;
    p1.4 asks; p2.1 asks; p2.2 asks;
    p1.1 leaves; p1: p1.2 re-enters; p1.2 leaves; p1: p1.3 re-enters; p1.3 leaves; p1: the alien of p2 re-enters;
    deliver TOKEN+REQ p1→p2; p2: the alien of p1 re-enters; p2: the alien of p3 re-enters;
    deliver TOKEN+REQ p2→p3; p3: the alien of p2 re-enters; p3: p3.1 re-enters;
    p3.1 leaves; p3: p3.2 re-enters; p3.2 leaves; p3: the alien of p2 re-enters; deliver TOKEN p3→p2";

fn play(player: &mut dyn Player, script: &str) {
    for title in script.split(';').map(str::trim) {
        let picks = player.enabled();
        let pick = picks.iter().find(|p| p.title == title);
        let event = pick.unwrap_or_else(|| panic!("{title} is not among {picks:#?}")).event;
        player.pick(event);
    }
}

fn figure_1(reading: &str) -> Box<dyn Player> {
    let mut setup = setup(3, Topology::Chain, [reading, "v1", "true"]);
    setup.threads = vec![4, 2, 2];
    let mut player = boot(setup);
    play(&mut *player, FIGURE_1);
    player
}

#[test]
fn figure_1_read_strictly_stops_at_e() {
    let player = figure_1("strict");
    let frame = player.frame();
    let vars = &frame.nodes[1].view.vars;
    assert!(vars.contains(&Var::new("first wait", "nobody")), "{vars:?}");
    assert!(vars.contains(&Var::new("second wait", "p2.1, p2.2, the alien of p1")), "{vars:?}");
    assert!(frame.flights.is_empty() && player.next().is_none(), "no message is in flight");
    assert!(frame.nodes.iter().all(|n| !n.view.token), "the token is nowhere");
    assert_eq!(frame.invariants.iter().find(|i| i.broken.is_some()).map(|i| i.name.as_str()), Some("one token"));
    assert_eq!((frame.counters.entries, frame.counters.messages), (5, 5), "of 8 entries and 6 messages");
}

#[test]
fn figure_1_read_leniently_ends_but_a_later_request_enters_without_the_token() {
    let mut player = figure_1("lenient");
    play(
        &mut *player,
        "p2: p2.1 re-enters; p2.1 leaves; p2: p2.2 re-enters; p2.2 leaves; p2: the alien of p1 re-enters",
    );
    play(&mut *player, "deliver TOKEN p2→p1; p1: p1.4 re-enters; p1.4 leaves");
    let frame = player.frame();
    assert_eq!((frame.counters.entries, frame.counters.messages), (8, 6));
    assert!(frame.invariants.iter().all(|i| i.broken.is_none()));
    play(&mut *player, "p2.1 asks");
    let step = player.frame().last.expect("a step");
    assert!(step.sentence.contains("WITHOUT the token") && step.granted.len() == 1, "{}", step.sentence);
}
