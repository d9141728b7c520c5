//! Every algorithm of the table: explored exhaustively under every network it claims to tolerate,
//! with exact state counts; and a violation where an essential line or an assumption is missing.

use crate::helpers::systems::{clustered, deep, divided, outcome, parameters, small, word};
use lockstep_algorithms::{ALL, alien, find};
use lockstep_kernel::explore::{NO_STARVATION, Outcome, SERVED};
use lockstep_kernel::world::UNLIMITED;
use lockstep_kernel::{Entry, Network, Params, Setup, Topology::*};
use lockstep_tests::documents::assert_current;
use std::fmt::Write;

fn repaired() -> impl Iterator<Item = &'static Entry> {
    ALL.iter().filter(|e| !e.printed)
}

fn networks(entry: &Entry, params: &Params) -> &'static [Network] {
    if entry.needs_fifo(params) { &[Network::Fifo] } else { &[Network::Fifo, Network::Unordered] }
}

#[test]
fn all_orders_of_small_systems_keep_every_invariant() {
    let mut systems = vec![
        small(3, 1, 1, Chain),
        small(2, 2, 3, Chain),
        small(3, 1, 2, Chain),
        small(3, 1, 2, Star),
        small(3, 2, 2, Chain),
        small(4, 1, 1, BinaryTree),
    ];
    if deep() {
        systems.extend([
            small(3, 2, 4, Chain),
            small(4, 1, 3, Chain),
            small(4, 2, 2, Star),
            small(5, 1, 2, BinaryTree),
        ]);
    }
    // larger systems are explored by the tests of each family and by --deep
    let most = if deep() { 20_000_000 } else { 50_000 };
    let mut table = String::new();
    for entry in repaired() {
        for params in parameters(entry) {
            for network in networks(entry, &params) {
                let mut whole = 0;
                for system in &systems {
                    let setup = system.setup(&params, *network);
                    let verdict = system.explore_up_to(most, entry, &setup);
                    let name = format!("{} | {} | {} | {}", entry.id, word(&params), network.name(), system.name());
                    let count = match &verdict.outcome {
                        Outcome::Ok => format!("{} | {} | ok", verdict.states, verdict.transitions),
                        Outcome::Bound => format!("> {most} | | nothing found so far"),
                        Outcome::Violation(v) => panic!("{name}: {v:?}"),
                    };
                    whole += usize::from(verdict.outcome == Outcome::Ok);
                    writeln!(table, "| {name} | {count} |").unwrap();
                }
                assert!(whole >= 2, "{}: too large to be explored at all", entry.id);
            }
        }
    }
    if !deep() {
        assert_current("docs/verified.md", &format!("{}{table}", include_str!("verified.head.md")));
    }
}

#[test]
fn state_counts_equal_those_of_an_independent_explorer() {
    for (variant, piggyback, counts) in [
        ("v1", "false", (860, 1719)),
        ("v1", "true", (919, 1804)),
        ("v2", "false", (1730, 3277)),
        ("v2", "true", (1636, 3067)),
    ] {
        let setup = Setup::new(3, 1, Chain).with("variant", variant).with("piggyback", piggyback);
        let verdict = small(3, 1, 2, Chain).explore(&alien::ENTRY, &setup);
        assert_eq!((verdict.states, verdict.transitions), counts, "{variant} piggyback={piggyback}");
    }
}

#[test]
fn four_nodes_with_two_threads_on_an_unordered_network() {
    for params in parameters(&alien::ENTRY) {
        let system = small(4, 2, 2, Chain);
        let verdict = system.explore(&alien::ENTRY, &system.setup(&params, Network::Unordered));
        assert_eq!(verdict.outcome, Outcome::Ok, "{}", word(&params));
    }
}

/// Every line marked essential is necessary: some small system shows a violation without it.
#[test]
fn every_essential_line_is_needed() {
    let systems = [
        small(3, 1, 2, Chain),
        divided(3, 2, 1),
        clustered(&[0, 0, 1], 2),
        small(3, 2, 3, Chain),
        small(3, 1, UNLIMITED, Chain),
    ];
    for entry in repaired() {
        for line in entry.lines().filter(|l| l.essential) {
            let caught = systems.iter().any(|system| {
                parameters(entry).iter().any(|params| {
                    let on = if system.clusters.is_empty() { &[Network::Fifo] } else { networks(entry, params) };
                    on.iter().any(|network| {
                        let mut setup = system.setup(params, *network);
                        setup.without = Some(line.id);
                        matches!(system.explore(entry, &setup).outcome, Outcome::Violation(_))
                    })
                })
            });
            assert!(caught, "{}: no violation without \"{}\"", entry.id, line.text.trim());
        }
    }
}

#[test]
fn every_line_has_its_own_number() {
    for entry in ALL {
        let mut ids: Vec<u8> = entry.lines().map(|l| l.id.0).collect();
        ids.sort_unstable();
        let count = ids.len();
        ids.dedup();
        assert_eq!(ids.len(), count, "{}: two lines of the listing have the same number", entry.id);
    }
}

#[test]
fn seeded_faults_of_the_alien_threads() {
    let fault = |text: &str, variant: &str| {
        let line = alien::ENTRY.lines().find(|l| l.text.trim() == text).expect(text);
        let mut setup = Setup::new(3, 1, Chain).with("variant", variant).with("piggyback", "true");
        setup.without = Some(line.id);
        outcome(&small(3, 1, 2, Chain).explore(&alien::ENTRY, &setup))
    };
    assert_eq!(
        fault("queue not empty: request the token back", "v1"),
        "every request can still be served after 13 steps"
    );
    assert_eq!(fault("head is an alien: probOwner := its home", "v1"), "one token after 2 steps");
    assert_eq!(fault("probOwner := this node", "v2"), "one token after 3 steps");
}

/// Which algorithms let a thread starve when requests never end: a fair cycle in which a thread
/// always waits is found, or shown to be absent.
#[test]
fn starvation_is_found_where_theory_says_so_and_only_there() {
    let starves = |id: &str, params: &[(&str, &str)], threads, network| {
        let entry = find(id).unwrap();
        let mut setup = Setup::new(3, threads, Chain).on(network);
        for (name, value) in params {
            setup = setup.with(name, value);
        }
        match small(3, threads, UNLIMITED, Chain).explore(entry, &setup).outcome {
            Outcome::Ok => false,
            Outcome::Violation(v) => {
                assert_eq!(v.invariant, NO_STARVATION, "{id}");
                assert!(v.cycle >= 2 && v.cycle <= v.steps.len());
                true
            }
            Outcome::Bound => panic!("{id} is too large"),
        }
    };
    use Network::{Fifo, Unordered};
    for piggyback in ["true", "false"] {
        let with = |v| [("variant", v), ("piggyback", piggyback)];
        assert!(!starves("alien", &with("v1"), 1, Fifo));
        assert!(!starves("alien", &with("v1"), 2, Unordered));
        assert!(!starves("alien", &with("v2"), 1, Fifo));
        assert!(!starves("alien", &with("v2"), 2, Fifo));
        assert!(starves("alien", &with("v2"), 1, Unordered), "v2 without FIFO: a request chases the token in a cycle");
    }
    for (reading, expected) in [("a", false), ("b", true), ("c", false)] {
        assert_eq!(starves("mueller", &[("reading", reading)], 2, Fifo), expected, "Mueller, reading {reading}");
        assert!(!starves("mueller", &[("reading", reading)], 1, Fifo));
    }
    assert!(!starves("raymond", &[], 2, Unordered));
    assert!(!starves("naimi-trehel", &[], 1, Unordered));
}

/// Requests without end: every algorithm, every parameter, every network that it tolerates. The
/// snapshot lists every unfair case with its shortest cycle, and every case with infinitely many
/// states because requests are numbered; every other case was explored completely without
/// starvation.
#[test]
fn who_starves_when_requests_never_end() {
    let mut table = String::new();
    for entry in repaired() {
        for params in parameters(entry) {
            for network in networks(entry, &params) {
                for system in [small(3, 1, UNLIMITED, Chain), small(2, 2, UNLIMITED, Chain)] {
                    let verdict = system.explore_up_to(100_000, entry, &system.setup(&params, *network));
                    if verdict.outcome != Outcome::Ok {
                        let name = format!("{} {} {} {}", entry.id, word(&params), network.name(), system.name());
                        writeln!(table, "{name}: {}", outcome(&verdict)).unwrap();
                    }
                }
            }
        }
    }
    insta::assert_snapshot!(table);
}

/// None of these algorithms tolerates a dropped message, and none a duplicated one.
#[test]
fn dropped_and_duplicated_messages_cause_violations() {
    for entry in repaired() {
        for params in parameters(entry) {
            for network in [Network::Lossy, Network::Duplicating] {
                let system = small(3, 1, 1, Chain);
                let verdict = system.explore(entry, &system.setup(&params, network));
                assert!(
                    matches!(verdict.outcome, Outcome::Violation(_)),
                    "{} {} on a {network:?} network",
                    entry.id,
                    word(&params)
                );
            }
        }
    }
}

#[test]
fn a_deadlock_is_told_from_a_finished_run() {
    let ask = alien::ENTRY.lines().find(|l| l.text.contains("wake my alien")).unwrap();
    let mut setup = Setup::new(2, 1, Chain).with("piggyback", "true");
    setup.without = Some(ask.id);
    match small(2, 1, 1, Chain).explore(&alien::ENTRY, &setup).outcome {
        Outcome::Violation(v) => {
            assert_eq!(v.invariant, SERVED);
            assert_eq!(v.steps, ["p1.1 asks", "p2.1 asks", "p1.1 leaves"]);
        }
        other => panic!("{other:?}"),
    }
}
