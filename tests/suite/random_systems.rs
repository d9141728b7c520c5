//! Larger systems than exploration can reach: random trees, orders and loads keep every invariant, and everybody is served in the end.

use lockstep_algorithms::alien::Alien;
use lockstep_algorithms::mueller::Mueller;
use lockstep_algorithms::naimi_trehel::NaimiTrehel;
use lockstep_algorithms::raymond::Raymond;
use lockstep_kernel::random::{Purpose, Stream};
use lockstep_kernel::world::{Faults, System, World};
use lockstep_kernel::{Algorithm, Effects, Network, NodeId, Setup, Topology};
use proptest::prelude::*;

/// A random walk through a system until nothing can happen any more.
fn walk<A: Algorithm>(setup: Setup, requests: u32, seed: u64) {
    let system = System::<A>::new(setup);
    let mut world = World::start(&system, requests, Faults::default());
    let mut effects = Effects::new(None);
    let mut enabled = Vec::new();
    let mut stream = Stream::new(seed, Purpose::Pick, 0);
    for _ in 0..1_000_000 {
        world.enabled(&system, &mut enabled);
        if enabled.is_empty() {
            break;
        }
        let event = enabled[stream.below(enabled.len() as u32) as usize];
        world.apply(&system, event, &mut effects);
        assert_eq!(world.violation(&system), None);
    }
    assert!(enabled.is_empty(), "the walk ends");
    assert_eq!(world.waiting().count(), 0, "everybody was served");
}

/// Any tree of 2 to 13 nodes with 1 to 3 threads each.
fn systems() -> impl Strategy<Value = Setup> {
    let parents = prop::collection::vec(any::<prop::sample::Index>(), 1..13);
    (parents, 1u32..4, any::<bool>()).prop_map(|(parents, threads, fifo)| {
        let network = if fifo { Network::Fifo } else { Network::Unordered };
        let mut setup = Setup::new(parents.len() + 1, threads, Topology::Star).on(network);
        for (i, parent) in parents.iter().enumerate() {
            setup.parents[i + 1] = NodeId(parent.index(i + 1) as u32);
        }
        setup
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 40, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn random_walks_keep_the_invariants(setup in systems(), requests in 1u32..4, seed: u64, v2: bool, piggyback: bool, reading in 0usize..3) {
        let alien = setup.clone()
            .with("variant", if v2 { "v2" } else { "v1" })
            .with("piggyback", if piggyback { "true" } else { "false" });
        walk::<Alien>(alien, requests, seed);
        walk::<Mueller>(setup.clone().with("reading", ["a", "b", "c"][reading]), requests, seed);
        walk::<Raymond>(setup.clone(), requests, seed);
        walk::<NaimiTrehel>(setup, requests, seed);
    }
}
