//! A link, a saved scenario and a tree of choices lead back to the same states.

use lockstep_algorithms::{ALL, find};
use lockstep_kernel::history::Player;
use lockstep_kernel::timing::{Delays, Duration, Load, RangeTiming, Timing};
use lockstep_kernel::{Entry, Network, NodeId, Setup, ThreadId, Topology};
use lockstep_scenario::link::{Link, tree};
use lockstep_scenario::{MOST_BYTES, parse, save};
use proptest::prelude::*;

fn by_hand() -> Timing {
    Timing { load: Load::ByHand, ..Timing::paper(1.0, 3) }
}

fn boot(entry: &'static Entry, mut setup: Setup, timing: &Timing) -> Box<dyn Player> {
    setup.params = entry.complete(&setup.params).unwrap();
    (entry.drive.boot)(setup, timing)
}

fn run(player: &mut dyn Player, steps: usize) {
    for _ in 0..steps {
        let Some(event) = player.next() else { break };
        player.pick(event).unwrap();
    }
}

/// The same states at the cursor and at the end, and time brings the same afterwards.
fn assert_same(what: &str, player: &mut dyn Player, other: &mut dyn Player) {
    let cursor = player.cursor();
    for end in [false, true] {
        if end {
            player.seek(player.timeline().last().unwrap().id);
            other.seek(other.timeline().last().unwrap().id);
        }
        assert_eq!(other.frame(), player.frame(), "{what}");
        assert_eq!(other.fingerprint(), player.fingerprint(), "{what}");
    }
    assert_eq!(other.next(), player.next(), "{what}");
    player.seek(cursor);
}

/// Saves a run as a link and as a scenario, and plays both. Returns the system that each describes.
fn assert_survives(entry: &'static Entry, player: &mut dyn Player, timing: &Timing) -> [Setup; 2] {
    let link = Link::of(entry, player, timing).encode();
    let read = Link::decode(&link).unwrap_or_else(|problems| panic!("{problems:#?}\n{link}"));
    assert!(link.bytes().all(|b| b.is_ascii_graphic()) && !link.contains(['#', '?', '"', '<']), "{link}");
    assert_same(&link, player, &mut *read.open().unwrap());
    assert_eq!((read.encode(), &read.timing), (link, timing));
    let text = save("a run", entry, player, timing).unwrap();
    let scenario = parse("saved", &text).unwrap_or_else(|p| panic!("{}: {p:#?}\n{text}", entry.id));
    let mut played = scenario.play();
    assert!(played.failures.is_empty(), "{}: {:#?}\n{text}", entry.id, played.failures);
    assert_same(&text, player, &mut *played.player);
    assert_eq!(&scenario.timing, timing, "{text}");
    [read.model.setup, scenario.model.setup]
}

#[test]
fn everything_of_a_system_survives() {
    let entry = find("swq").unwrap();
    let mut setup = Setup::new(4, 1, Topology::Star).on(Network::Unordered).divided(4);
    setup.params = entry.complete(&setup.params).unwrap();
    setup.names = ["a", "b", "ß", "u1"].map(String::from).to_vec();
    setup.threads = vec![1, 0, 2, 64];
    setup.parents = [3, 0, 0, 3].map(NodeId).to_vec();
    setup.clusters = vec![2, 0, 0, 2];
    setup.placement = [0, 0, 3].map(NodeId).to_vec();
    setup.without = entry.lines().next().map(|l| l.id);
    let loads = [
        Load::ByHand,
        Load::Poisson(2.5),
        Load::closed(Duration::Uniform(0.0, 2.5), 7),
        Load::Closed { first: Duration::Const(0.0), think: Duration::Uniform(0.0, 2.5), requests: 7 },
        Load::Script(vec![(0.5, ThreadId(1)), (0.25, ThreadId(66))]),
    ];
    for load in loads {
        let delays = Delays { local: Duration::Exp(0.125), global: Duration::Const(3.0) };
        let ranged = RangeTiming { share: 0.5, aligned: true, per_cell: 0.001, blocking: true };
        let timing = Timing { load, section: Duration::Const(0.25), delays, seed: i64::MAX as u64, ranged };
        let mut player = boot(entry, setup.clone(), &timing);
        run(&mut *player, 30);
        assert_eq!(assert_survives(entry, &mut *player, &timing), [setup.clone(), setup.clone()]);
    }
}

#[test]
fn what_a_file_cannot_hold_is_said() {
    let entry = find("alien").unwrap();
    let save = |title, seed, steps| {
        let timing = Timing::paper(1.0, seed);
        let mut player = boot(entry, Setup::new(3, 1, Topology::Chain), &timing);
        run(&mut *player, steps);
        save(title, entry, &*player, &timing)
    };
    let title = "a \"title\"\\ with\nlines,\ttabs and \u{1}";
    assert_eq!(parse("x", &save(title, 1, 5).unwrap()).unwrap().title, title);
    let most = format!("expected a file of at most {} KB.", MOST_BYTES / 1024);
    assert_eq!(save("x", 1, 16_000), Err(format!("A run of 16000 steps is too long for a scenario; {most}")));
    assert!(save("x", 1 << 63, 1).unwrap_err().contains("seed: 9223372036854775808"));
}

#[test]
fn a_link_ends_before_a_range_that_is_not_listed() {
    for entry in ALL.iter().filter(|entry| entry.drive.ranges) {
        let ranged = RangeTiming { share: 0.3, ..RangeTiming::default() };
        let timing = Timing { ranged, ..Timing::paper(1.0, 5) };
        let mut player = boot(entry, Setup::new(4, 2, Topology::Chain).divided(40), &timing);
        run(&mut *player, 40);
        let kept = player.timeline().iter().skip(1).take_while(|step| step.choice.is_some()).count();
        assert!(kept + 1 < player.len(), "{}: a range that is not listed", entry.id);
        let link = Link::of(entry, &*player, &timing);
        assert_eq!((link.choices.len(), link.at), (kept, kept), "{}", entry.id);
        assert_eq!(link.open().unwrap().timeline(), player.timeline()[..=kept], "{}", entry.id);
        assert_eq!(tree::write(&*player).split(['.', '@']).filter(|text| !text.is_empty()).count(), kept + 2);
    }
}

#[test]
fn no_parameter_is_named_like_a_field() {
    for param in ALL.iter().flat_map(|e| e.params) {
        assert!(lockstep_spec::Field::find(param.name).is_none(), "{}", param.name);
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 160, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_walk_of_any_algorithm_survives(
        which in 0usize..ALL.len(),
        turns in proptest::collection::vec((0usize..10_000, 0u32..200), 0..70),
        at in 0usize..70,
        nodes in 2usize..5,
        cells in 1u16..4,
        unordered: bool,
    ) {
        let entry = &ALL[which];
        let network = if unordered { Network::Unordered } else { Network::Fifo };
        let mut setup = Setup::new(nodes, 2, Topology::BinaryTree).on(network).divided(cells);
        setup.clusters = (0..nodes as u32).map(|i| i / 2).collect();
        let mut player = boot(entry, setup.clone(), &by_hand());
        for (pick, from) in turns {
            if from % 16 == 0 {
                player.seek(from % player.len() as u32);
            }
            let events = player.enabled();
            player.pick(events[pick % events.len()].event);
        }
        let line = player.timeline();
        player.seek(line[at % line.len()].id);
        let text = tree::write(&*player);
        let mut again = boot(entry, setup, &by_hand());
        tree::regrow(&mut *again, &text);
        prop_assert_eq!((again.len(), again.timeline(), again.frame()), (player.len(), player.timeline(), player.frame()));
        prop_assert_eq!(tree::write(&*again), text);
        assert_survives(entry, &mut *player, &by_hand());
    }

    #[test]
    fn any_text_grows_something(text in "[0-9.:@x]{0,80}") {
        let mut player = boot(find("alien").unwrap(), Setup::new(3, 1, Topology::Chain), &by_hand());
        tree::regrow(&mut *player, &text);
        prop_assert!(player.timeline().iter().any(|past| past.id == player.cursor()));
    }
}

#[test]
fn both_words_of_an_event_mean_the_same() {
    let played = |network: &str, script: &[&str]| {
        let text = format!(
            "title = 'a'\nabout = 'b'\nalgorithm = 'alien'\nnodes = 2\nnetwork = '{network}'\n\
             [[stop]]\nname = 'c'\ntitle = 'd'\nsay = 'e'\nscript = {script:?}\n"
        );
        let scenario = parse("x", &text).unwrap_or_else(|problems| panic!("{problems:#?}\n{text}"));
        let played = scenario.play();
        assert!(played.failures.is_empty(), "{:#?}\n{text}", played.failures);
        played.player.timeline().into_iter().filter_map(|past| past.event).collect::<Vec<_>>()
    };
    for (network, old, new) in [
        ("fifo", ["p2 asks", "hold p2→p1", "let go p2→p1"], ["p2 requests", "delay p2→p1", "resume p2→p1"]),
        ("lossy", ["p2 asks", "lose p2→p1", "p1 asks"], ["p2 requests", "drop p2→p1", "p1 requests"]),
        ("duplicating", ["p2 asks", "double p2→p1", "p1 asks"], ["p2 requests", "duplicate p2→p1", "p1 requests"]),
    ] {
        let events = played(network, &old);
        assert_eq!(events.len(), old.len(), "{network}");
        assert_eq!(events, played(network, &new), "{network}");
    }
}
