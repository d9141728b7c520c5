//! A run that was saved as a scenario file replays to the same states.

use lockstep_algorithms::{ALL, find};
use lockstep_kernel::history::Player;
use lockstep_kernel::timing::{Delays, Duration, Load, RangeTiming, Timing};
use lockstep_kernel::{Entry, Network, NodeId, Setup, ThreadId, Topology};
use lockstep_scenario::{LIBRARY, MOST_BYTES, parse, save};
use proptest::prelude::*;

fn by_hand() -> Timing {
    Timing { load: Load::ByHand, ..Timing::paper(1.0, 3) }
}

/// Saves the run and plays the file: the same frames at the cursor and at the end.
fn survives(entry: &'static Entry, player: &mut dyn Player, timing: &Timing) {
    let text = save("a run", entry, player, timing).unwrap();
    let scenario = parse("saved", &text).unwrap_or_else(|p| panic!("{}: {p:#?}\n{text}", entry.id));
    let mut played = scenario.play();
    assert!(played.failures.is_empty(), "{}: {:#?}\n{text}", entry.id, played.failures);
    assert_eq!(&scenario.timing, timing, "{text}");
    assert_eq!(played.player.frame(), player.frame(), "{}: where the cursor is\n{text}", entry.id);
    assert_eq!(played.player.fingerprint(), player.fingerprint());
    played.player.seek(played.player.timeline().last().unwrap().id);
    player.seek(player.timeline().last().unwrap().id);
    assert_eq!(played.player.frame(), player.frame(), "{}: at the end\n{text}", entry.id);
    assert_eq!(played.player.fingerprint(), player.fingerprint());
    assert_eq!(played.player.next(), player.next(), "and time brings the same");
}

fn boot(entry: &'static Entry, mut setup: Setup, timing: &Timing) -> Box<dyn Player> {
    setup.params = entry.complete(&setup.params).unwrap();
    (entry.drive.boot)(setup, timing)
}

fn walk(player: &mut dyn Player, picks: &[usize]) {
    for pick in picks {
        let events = player.enabled();
        if let Some(pick) = events.get(pick % events.len().max(1)) {
            player.pick(pick.event);
        }
    }
}

#[test]
fn every_scenario_of_the_library_survives() {
    for (id, text) in LIBRARY {
        let scenario = parse(id, text).unwrap();
        let mut player = scenario.play().player;
        survives(scenario.algorithm, &mut *player, &scenario.timing);
    }
}

#[test]
fn everything_of_a_system_is_saved() {
    let entry = find("swq").unwrap();
    let mut setup = Setup::new(4, 1, Topology::Star).on(Network::Unordered).divided(4);
    setup.names = ["a", "b", "ß", "u1"].map(String::from).to_vec();
    setup.threads = vec![1, 0, 2, 3];
    setup.parents = [3, 0, 0, 3].map(NodeId).to_vec();
    setup.clusters = vec![2, 0, 0, 2];
    setup.placement = [0, 0, 3].map(NodeId).to_vec();
    setup.without = entry.lines().next().map(|l| l.id);
    let loads = [
        Load::ByHand,
        Load::Poisson(2.5),
        Load::closed(Duration::Uniform(0.0, 2.5), 7),
        Load::Closed { first: Duration::Const(0.0), think: Duration::Uniform(0.0, 2.5), requests: 7 },
        Load::Script(vec![(0.5, ThreadId(1)), (0.25, ThreadId(5))]),
    ];
    for load in loads {
        let delays = Delays { local: Duration::Exp(0.125), global: Duration::Const(3.0) };
        let ranged = RangeTiming { share: 0.5, aligned: true, per_cell: 0.001, blocking: true };
        let timing = Timing { load, section: Duration::Const(0.25), delays, seed: 99, ranged };
        let mut player = boot(entry, setup.clone(), &timing);
        for _ in 0..30 {
            let Some(event) = player.next() else { break };
            player.pick(event);
        }
        survives(entry, &mut *player, &timing);
        let text = save("x", entry, &*player, &timing).unwrap();
        let saved = parse("x", &text).unwrap().model.setup;
        assert_eq!(saved, Setup { params: entry.complete(&setup.params).unwrap(), ..setup.clone() }, "{text}");
    }
}

#[test]
fn a_run_that_is_too_long_is_refused() {
    let timing = Timing::paper(1.0, 1);
    let entry = find("alien").unwrap();
    let mut player = boot(entry, Setup::new(3, 1, Topology::Chain), &timing);
    for _ in 0..16_000 {
        let event = player.next().unwrap();
        player.pick(event);
    }
    let Err(why) = save("long", entry, &*player, &timing) else { panic!("16000 steps are saved") };
    assert!(why.contains("16000 steps is too long") && why.contains(&format!("{} KB", MOST_BYTES / 1024)), "{why}");
}

#[test]
fn a_title_may_be_anything() {
    let entry = find("alien").unwrap();
    let player = boot(entry, Setup::new(2, 1, Topology::Chain), &by_hand());
    let title = "a \"title\"\\ with\nlines,\ttabs and \u{1}";
    let text = save(title, entry, &*player, &by_hand()).unwrap();
    assert_eq!(parse("x", &text).unwrap().title, title);
}

#[test]
fn a_seed_that_a_file_cannot_hold_is_said() {
    let entry = find("alien").unwrap();
    let player = |seed| boot(entry, Setup::new(2, 1, Topology::Chain), &Timing { seed, ..by_hand() });
    let save = |seed| save("x", entry, &*player(seed), &Timing { seed, ..by_hand() });
    assert!(parse("x", &save((1 << 63) - 1).unwrap()).is_ok());
    assert!(save(1 << 63).unwrap_err().contains("seed: 9223372036854775808"));
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 120, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_walk_of_any_algorithm_survives(
        which in 0usize..ALL.len(),
        picks in proptest::collection::vec(0usize..10_000, 0..70),
        at in 0usize..70,
        nodes in 2usize..5,
        cells in 1u16..4,
        unordered: bool,
    ) {
        let entry = &ALL[which];
        let network = if unordered { Network::Unordered } else { Network::Fifo };
        let mut setup = Setup::new(nodes, 2, Topology::BinaryTree).on(network).divided(cells);
        setup.clusters = (0..nodes as u32).map(|i| i / 2).collect();
        let mut player = boot(entry, setup, &by_hand());
        walk(&mut *player, &picks);
        let line = player.timeline();
        player.seek(line[at % line.len()].id);
        survives(entry, &mut *player, &by_hand());
    }
}
