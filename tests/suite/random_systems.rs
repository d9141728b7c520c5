//! Larger systems than exploration can reach: for every algorithm, random trees, clusters, ranges,
//! orders, delays and loads keep every invariant, and every request is served in the end.

use crate::helpers::systems::parameters;
use lockstep_algorithms::ALL;
use lockstep_kernel::random::{Purpose, Stream};
use lockstep_kernel::run::BatchJob;
use lockstep_kernel::timing::{Delays, Duration, Load, RangeTiming, Timing};
use lockstep_kernel::view::ThreadState;
use lockstep_kernel::{Entry, Event, Network, NodeId, Setup, Topology};
use proptest::prelude::*;

fn repaired() -> Vec<&'static Entry> {
    ALL.iter().filter(|e| !e.printed).collect()
}

/// Any tree of 2 to 9 nodes with 1 to 3 threads each, in up to 3 clusters, with up to 6 cells, each
/// held by any node.
#[derive(Clone, Debug)]
struct Any {
    setup: Setup,
    cells: u16,
    holders: Vec<prop::sample::Index>,
    unordered: bool,
    params: prop::sample::Index,
}

impl Any {
    /// The system for one algorithm, without the features that it does not support.
    fn of(&self, entry: &Entry) -> Setup {
        let mut setup = self.setup.clone();
        let all = parameters(entry);
        setup.params = all[self.params.index(all.len())].clone();
        if self.unordered && !entry.needs_fifo(&setup.params) {
            setup.network = Network::Unordered;
        }
        if entry.drive.ranges {
            setup.cells = self.cells;
            setup.placement = self.holders.iter().map(|h| NodeId(h.index(setup.nodes()) as u32)).collect();
            setup.placement.truncate(self.cells as usize);
        }
        setup
    }
}

fn systems() -> impl Strategy<Value = Any> {
    let parents = prop::collection::vec(any::<prop::sample::Index>(), 1..9);
    let holders = prop::collection::vec(any::<prop::sample::Index>(), 6);
    let rest = (1u32..4, 1u32..4, 1u16..7, any::<bool>(), any::<prop::sample::Index>());
    (parents, holders, rest).prop_map(|(parents, holders, (threads, clusters, cells, unordered, params))| {
        let mut setup = Setup::new(parents.len() + 1, threads, Topology::Star);
        for (i, parent) in parents.iter().enumerate() {
            setup.parents[i + 1] = NodeId(parent.index(i + 1) as u32);
        }
        let clusters = clusters.min(setup.nodes() as u32);
        setup.clusters = (0..setup.nodes() as u32).map(|i| i % clusters).collect();
        Any { setup, cells, holders, unordered, params }
    })
}

/// A random walk with this number of requests, until no event is enabled. It takes no faults.
fn walk(entry: &Entry, setup: &Setup, requests: u32, seed: u64) {
    let timing = Timing { load: Load::ByHand, ..Timing::paper(1.0, seed) };
    let mut player = (entry.drive.boot)(setup.clone(), &timing);
    let mut stream = Stream::new(seed, Purpose::Pick, 0);
    let mut left = requests;
    for _ in 0..20_000 {
        let asks = |e: Event| e.asks().is_some();
        let picks = player.enabled();
        let quiet = |e: Event| e.is_fault() || matches!(e, Event::Cancel(_));
        let able: Vec<Event> =
            picks.iter().map(|p| p.event).filter(|e| !quiet(*e) && (left > 0 || !asks(*e))).collect();
        let frame = player.frame();
        let busy = frame.nodes.iter().flat_map(|n| &n.threads).any(|t| t.doing != ThreadState::Idle);
        // a ring's token never stops
        if able.is_empty() || (left == 0 && !busy) {
            assert!(!busy, "{}: every request was served", entry.id);
            return;
        }
        let event = able[stream.below(able.len() as u32) as usize];
        left -= u32::from(asks(event));
        player.pick(event).expect("it was enabled");
        let broken = player.frame().invariants.into_iter().find(|i| i.broken.is_some());
        assert_eq!(broken, None, "{} {:?}", entry.id, setup.params);
    }
    panic!("{}: the walk does not end", entry.id);
}

fn durations() -> impl Strategy<Value = Duration> {
    prop_oneof![
        (0.001..0.2f64).prop_map(Duration::Const),
        (0.0..0.1f64, 0.1..0.3f64).prop_map(|(a, b)| Duration::Uniform(a, b)),
        (0.001..0.3f64).prop_map(Duration::Exp),
    ]
}

fn timings() -> impl Strategy<Value = Timing> {
    let load = prop_oneof![
        (0.01..50.0f64).prop_map(Load::Poisson),
        (durations(), 1u32..40).prop_map(|(think, requests)| Load::closed(think, requests)),
    ];
    let ranged = (0.1..=1.0f64, any::<bool>(), 0.0..0.05f64, any::<bool>())
        .prop_map(|(share, aligned, per_cell, blocking)| RangeTiming { share, aligned, per_cell, blocking });
    (load, durations(), durations(), durations(), any::<u64>(), ranged).prop_map(
        |(load, section, local, global, seed, ranged)| Timing {
            load,
            section,
            delays: Delays { local, global },
            seed,
            ranged,
        },
    )
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 24, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn random_orders_keep_the_invariants(system in systems(), requests in 1u32..12, seed: u64) {
        for entry in repaired() {
            walk(entry, &system.of(entry), requests, seed);
        }
    }

    #[test]
    fn random_loads_and_delays_serve_everybody(system in systems(), timing in timings()) {
        for entry in repaired() {
            let setup = system.of(entry);
            let all = match timing.load {
                Load::Closed { requests, .. } => u64::from(requests) * setup.all_threads() as u64,
                _ => 400,
            };
            let measured = entry.measure(&BatchJob::new(setup.clone(), timing.clone(), all.min(400)));
            prop_assert_eq!(measured.violations, 0, "{}", entry.id);
            // the run ends with a release, while threads that lock other ranges may be inside
            let together = if entry.drive.ranges { setup.all_threads() as u64 } else { 1 };
            let all = all.min(400)..all.min(400) + together;
            prop_assert!(all.contains(&measured.entries), "{}: {} entries", entry.id, measured.entries);
        }
    }
}
