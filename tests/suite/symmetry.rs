//! Symmetry of the explorer: states that it counts as one differ only by the names of
//! interchangeable nodes, and no state is lost.

use lockstep_algorithms::{ALL, central_server, find};
use lockstep_kernel::erased::Dyn;
use lockstep_kernel::explore::symmetry::{Renaming, all_renamings, canonical, digest, renamings};
use lockstep_kernel::explore::{Bounds, Outcome};
use lockstep_kernel::world::{Faults, System, World};
use lockstep_kernel::{Effects, Entry, Network, Params, Setup, Topology};
use std::collections::HashSet;

fn start(system: &System<Dyn>, requests: u32) -> World<Dyn> {
    World::start(system, requests, Faults::of(system.setup.network))
}

/// Every state, by walking.
fn states(system: &System<Dyn>, requests: u32) -> Vec<World<Dyn>> {
    let mut seen = HashSet::new();
    let mut all = vec![start(system, requests)];
    seen.insert(all[0].fingerprint());
    let (mut enabled, mut effects) = (Vec::new(), Effects::new(system.setup.without));
    for next in 0.. {
        let Some(world) = all.get(next).cloned() else { break };
        world.enabled(system, &mut enabled);
        for event in enabled.clone() {
            let mut then = world.clone();
            then.apply(system, event, &mut effects);
            if seen.insert(then.fingerprint()) {
                all.push(then);
            }
        }
    }
    all
}

/// Whether the renamed states are states too.
fn closed(system: &System<Dyn>, all: &[World<Dyn>], names: &[Renaming]) -> bool {
    let network = system.setup.network;
    let plain: HashSet<u64> = all.iter().map(|w| digest(network, w, &names[0])).collect();
    all.iter().all(|w| names.iter().all(|r| plain.contains(&digest(network, w, r))))
}

fn setup(entry: &Entry, nodes: usize, network: Network) -> Setup {
    let mut setup = Setup::new(nodes, 1, Topology::Star).on(network);
    setup.params = entry.complete(&Params::default()).unwrap();
    setup.cells = if entry.drive.ranges { 2 } else { 1 };
    setup
}

#[test]
fn states_that_differ_by_names_are_explored_once_and_none_is_lost() {
    let mut anonymous = Vec::new();
    for entry in ALL {
        for network in [Network::Fifo, Network::Unordered] {
            // few requests where ranges make many states
            let (nodes, requests) = if entry.drive.ranges { (3, 1) } else { (4, 1) };
            let system = (entry.drive.system)(setup(entry, nodes, network));
            let names = renamings(&system, &start(&system, requests));
            if names.is_empty() {
                continue;
            }
            anonymous.push(entry.id);
            let all = states(&system, requests);
            assert!(closed(&system, &all, &names), "{}: a renamed state is no state", entry.id);
            let classes: HashSet<u64> = all.iter().map(|w| canonical(network, w, &names)).collect();
            let bounds = Bounds { requests, symmetry: true, ..Bounds::default() };
            let (reduced, whole) = (
                entry.explore(&system.setup, &bounds),
                entry.explore(&system.setup, &Bounds { symmetry: false, ..bounds }),
            );
            assert_eq!(reduced.states, classes.len(), "{}: each class is seen once", entry.id);
            assert!(reduced.states * names.len() >= whole.states, "{}: no class is larger than that", entry.id);
            assert!(reduced.states < whole.states, "{}: it pays", entry.id);
            assert_eq!((reduced.outcome, reduced.depth), (whole.outcome, whole.depth), "{}", entry.id);
        }
    }
    anonymous.dedup();
    let expected = [
        "alien",
        "mueller",
        "raymond",
        "central-server",
        "naimi-trehel",
        "naimi-trehel-async",
        "swq",
        "central-range",
        "polling",
        "neilsen-mizuno",
    ];
    assert_eq!(anonymous, expected);
}

#[test]
fn an_order_by_names_would_be_caught() {
    let entry = &central_server::ENTRY;
    let by_id = setup(entry, 3, Network::Fifo).with("order", "id");
    let system = (entry.drive.system)(by_id);
    assert!(renamings(&system, &start(&system, 1)).is_empty(), "it says so itself");
    let names = all_renamings(&system, &start(&system, 1));
    assert!(names.len() > 1 && !closed(&system, &states(&system, 1), &names));
}

#[test]
fn a_counterexample_stays_a_shortest_one_and_a_real_run() {
    // the token is not given to those who wait at other nodes: line by line the same violation
    for entry in ["alien", "raymond", "naimi-trehel"].map(|id| find(id).unwrap()) {
        for line in entry.lines().filter(|l| l.essential) {
            let mut setup = setup(entry, 4, Network::Fifo);
            setup.without = Some(line.id);
            let bounds = Bounds { requests: 1, symmetry: true, max_states: 200_000, ..Bounds::default() };
            let reduced = entry.explore(&setup, &bounds).outcome;
            let whole = entry.explore(&setup, &Bounds { symmetry: false, ..bounds }).outcome;
            let shown = |o: &Outcome| match o {
                Outcome::Violation(v) => Some((v.invariant, v.steps.len())),
                _ => None,
            };
            assert_eq!(shown(&reduced), shown(&whole), "{} without line {:?}", entry.id, line.id);
        }
    }
}
