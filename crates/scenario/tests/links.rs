//! A link leads back to the same state.

use lockstep_algorithms::{ALL, find};
use lockstep_kernel::timing::{Delays, Duration, Load, RangeTiming, Timing};
use lockstep_kernel::{Event, Network, NodeId, Setup, ThreadId, Topology};
use lockstep_scenario::link::{Link, tree};
use lockstep_scenario::{LIBRARY, parse};
use proptest::prelude::*;

#[test]
fn every_scenario_survives_the_way_through_a_link() {
    for (id, text) in LIBRARY {
        let scenario = parse(id, text).unwrap();
        let mut player = scenario.play().player;
        for _ in 0..100 {
            let Some(event) = player.next() else { break };
            player.pick(event);
        }
        let middle = player.timeline()[player.timeline().len() / 2].id;
        player.seek(middle);
        let link = Link::of(scenario.algorithm, &*player, &scenario.timing);
        let text = link.encode();
        assert!(text.bytes().all(|b| b.is_ascii_graphic()) && !text.contains(['#', '?', '"', '<']), "{text}");
        let mut opened = Link::decode(&text).unwrap().open().unwrap();
        assert_eq!(opened.frame(), player.frame(), "{id}: {text}");
        assert_eq!(opened.fingerprint(), player.fingerprint());
        assert_eq!(opened.timeline().len(), player.timeline().len());
        // and time brings the same afterwards
        opened.seek(opened.timeline().last().unwrap().id);
        player.seek(player.timeline().last().unwrap().id);
        assert_eq!(opened.next(), player.next());
        assert_eq!(Link::decode(&text).unwrap().encode(), text);
    }
}

#[test]
fn a_run_of_any_algorithm_survives_too() {
    for entry in ALL {
        let mut setup = Setup::new(4, 2, Topology::Star);
        setup.params = entry.complete(&setup.params).unwrap();
        let timing = Timing::paper(1.0, 7);
        let mut player = (entry.drive.boot)(setup, &timing);
        for _ in 0..60 {
            let Some(event) = player.next() else { break };
            player.pick(event);
        }
        let link = Link::of(entry, &*player, &timing);
        let opened = Link::decode(&link.encode()).unwrap().open().unwrap();
        assert_eq!(opened.frame(), player.frame(), "{}", entry.id);
        assert_eq!(opened.next(), player.next(), "{}", entry.id);
    }
}

#[test]
fn a_link_can_be_read() {
    let scenario = parse("x", LIBRARY[0].1).unwrap();
    let played = scenario.play();
    let link = Link::of(scenario.algorithm, &*played.player, &scenario.timing).encode();
    let head = "v=1&a=alien&piggyback=true&variant=v1&n=3&t=4.2.2&top=chain&net=fifo&load=by-hand&section=const:0.5&delay=const:0.1&seed=1&c=0*3.";
    assert!(link.starts_with(head) && link.ends_with("&at=7"), "{link}");
    assert!(link.len() < 250, "{}", link.len());
    assert!(Link::decode(&format!("https://example.org/stage#{link}")).is_ok());
}

#[test]
fn everything_of_a_system_is_in_its_link() {
    let alien = find("alien").unwrap();
    let mut setup = Setup::new(4, 1, Topology::Star).on(Network::Unordered);
    setup.params = alien.complete(&setup.params).unwrap();
    setup.names = ["a", "b", "ß", "d_1"].map(String::from).to_vec();
    setup.threads = vec![1, 0, 2, 64];
    setup.parents = [3, 0, 0, 3].map(NodeId).to_vec();
    setup.clusters = vec![0, 0, 1, 1];
    setup.cells = 4;
    setup.placement = [0, 0, 3].map(NodeId).to_vec();
    setup.without = alien.lines().next().map(|l| l.id);
    let loads = [
        Load::ByHand,
        Load::Poisson(0.1),
        Load::closed(Duration::Uniform(0.0, 2.5), 7),
        Load::Closed { first: Duration::Const(0.0), think: Duration::Uniform(0.0, 2.5), requests: 7 },
        Load::Script(vec![(0.5, ThreadId(1)), (0.25, ThreadId(66))]),
    ];
    for load in loads {
        let delays = Delays { local: Duration::Exp(0.125), global: Duration::Const(3.0) };
        let ranged = RangeTiming { share: 0.25, aligned: true, per_cell: 0.001, blocking: true };
        let timing = Timing { load, section: Duration::Const(0.0), delays, seed: u64::MAX, ranged };
        let link = Link::from_events(alien, &setup, &timing, &[Event::Request(ThreadId(1))]).unwrap();
        let back = Link::decode(&link.encode()).unwrap_or_else(|p| panic!("{}: {p:?}", link.encode()));
        assert_eq!((&back.setup, &back.timing, &back.choices, back.at), (&setup, &timing, &link.choices, 1));
    }
}

#[test]
fn no_parameter_is_named_like_a_field() {
    for param in ALL.iter().flat_map(|e| e.params) {
        assert!(lockstep_spec::Field::find(param.name).is_none(), "{}", param.name);
    }
}

#[test]
fn bad_links_are_answered_with_sentences() {
    let cases = [
        ("", "is not a link"),
        ("v=2&a=alien&n=3", "v: 2 is not allowed"),
        ("v=1&a=nobody&n=3", "algorithm: nobody is not allowed; expected one of alien"),
        ("v=1&a=alien", "nodes: missing; expected 1 to 1,023"),
        ("v=1&a=alien&n=1024", "expected 1 to 1,023"),
        ("v=1&a=alien&n=3&t=65", "expected 1 to 64"),
        ("v=1&a=alien&n=3&t=1.2", "one for each of 3 nodes, not 2"),
        ("v=1&a=alien&n=3&top=1.3.2", "is a cycle"),
        ("v=1&a=alien&n=3&top=ring-road", "topology: ring-road is not allowed"),
        ("v=1&a=alien&n=3&variant=v9", "variant: v9 is not allowed; expected v1, v2"),
        ("v=1&a=alien&n=3&shape=round", "shape: `alien` has no such parameter"),
        ("v=1&a=alien&n=3&load=rate:NaN", "rate: NaN is not allowed; expected a number from 0.001 to 1,000,000"),
        ("v=1&a=alien&n=3&section=const:-1", "section: const:-1 is not allowed"),
        ("v=1&a=alien&n=3&c=0*100001", "too many steps"),
        ("v=1&a=alien&n=3&c=0*99999.0*2", "too many steps"),
        ("v=1&a=alien&n=3&c=0&at=2", "expected 0 to 1"),
        ("v=1&a=alien&n=3&n=3", "n: given twice"),
        ("v=1&a=alien&n=3&names=a%2", "damaged"),
    ];
    for (text, says) in cases {
        let problems = Link::decode(text).err().unwrap_or_else(|| panic!("{text} is accepted"));
        assert!(problems.len() == 1 && problems[0].contains(says), "{text}: {problems:?}");
    }
    let impossible = Link::decode("v=1&a=alien&n=3&c=0.0.zz").unwrap().open().err().unwrap();
    assert!(impossible.starts_with("Step 3 of the link chooses event 1295"), "{impossible}");
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 40, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_walk_survives(picks in proptest::collection::vec(0usize..1000, 0..60), at in 0usize..60) {
        let scenario = parse("x", LIBRARY[1].1).unwrap();
        let mut player = scenario.boot();
        for pick in picks {
            let events = player.enabled();
            player.pick(events[pick % events.len()].event);
        }
        let line = player.timeline();
        player.seek(line[at % line.len()].id);
        let link = Link::of(scenario.algorithm, &*player, &scenario.timing);
        let opened = Link::decode(&link.encode()).unwrap().open().unwrap();
        prop_assert_eq!(opened.frame(), player.frame());
        prop_assert_eq!(opened.fingerprint(), player.fingerprint());
    }

    #[test]
    fn any_tree_survives(turns in proptest::collection::vec((0usize..1000, 0u32..200), 0..60)) {
        let scenario = parse("x", LIBRARY[1].1).unwrap();
        let mut player = scenario.boot();
        for (pick, from) in turns {
            if from % 4 == 0 {
                player.seek(from % player.len() as u32);
            }
            let events = player.enabled();
            player.pick(events[pick % events.len()].event);
        }
        let text = tree::write(&*player);
        let mut again = scenario.boot();
        tree::regrow(&mut *again, &text);
        prop_assert_eq!(again.len(), player.len());
        prop_assert_eq!(again.timeline(), player.timeline());
        prop_assert_eq!((again.cursor(), again.frame()), (player.cursor(), player.frame()));
        prop_assert_eq!(tree::write(&*again), text);
    }

    #[test]
    fn any_text_grows_something(text in "[0-9.:@x]{0,80}") {
        let mut player = parse("x", LIBRARY[1].1).unwrap().boot();
        tree::regrow(&mut *player, &text);
        prop_assert!(player.timeline().iter().any(|past| past.id == player.cursor()));
    }
}
