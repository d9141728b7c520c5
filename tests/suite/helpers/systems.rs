//! Small systems to explore, and every combination of an algorithm's parameters.

use lockstep_kernel::explore::{Bounds, ExplorationResult, Outcome};
use lockstep_kernel::world::UNLIMITED;
use lockstep_kernel::{Entry, Network, Params, Setup, Topology};

/// A small system to explore.
#[derive(Clone, Copy, Debug)]
pub struct Small {
    pub nodes: usize,
    pub threads: u32,
    pub requests: u32,
    pub topology: Topology,
    /// The cluster of each node; empty for one cluster.
    pub clusters: &'static [u32],
    /// Cells of the resource, for those that lock ranges.
    pub cells: u16,
}

pub const fn small(nodes: usize, threads: u32, requests: u32, topology: Topology) -> Small {
    Small { nodes, threads, requests, topology, clusters: &[], cells: 1 }
}

/// A small star with one thread at each node and a divided resource.
pub const fn divided(nodes: usize, cells: u16, requests: u32) -> Small {
    Small { nodes, threads: 1, requests, topology: Topology::Star, clusters: &[], cells }
}

/// A small star in clusters, with one thread at each node.
pub const fn clustered(clusters: &'static [u32], requests: u32) -> Small {
    Small { nodes: clusters.len(), threads: 1, requests, topology: Topology::Star, clusters, cells: 1 }
}

/// Every combination of an algorithm's parameters.
pub fn parameters(entry: &Entry) -> Vec<Params> {
    let mut all = vec![Params::default()];
    for param in entry.params {
        all = all.into_iter().flat_map(|p| param.values.iter().map(move |v| p.clone().with(param.name, v))).collect();
    }
    all
}

/// The parameters as one word.
pub fn word(params: &Params) -> String {
    let words: Vec<String> = params.0.iter().map(|(k, v)| format!("{k}={v}")).collect();
    if words.is_empty() { "–".into() } else { words.join(" ") }
}

impl Small {
    pub fn setup(self, params: &Params, network: Network) -> Setup {
        let mut setup = Setup::new(self.nodes, self.threads, self.topology).divided(self.cells).on(network);
        setup.params = params.clone();
        if !self.clusters.is_empty() {
            setup.clusters = self.clusters.to_vec();
        }
        setup
    }

    pub fn explore(self, entry: &Entry, setup: &Setup) -> ExplorationResult {
        self.explore_up_to(30_000_000, entry, setup)
    }

    pub fn explore_up_to(self, max_states: usize, entry: &Entry, setup: &Setup) -> ExplorationResult {
        entry.explore(setup, &Bounds { requests: self.requests, max_states, ..Bounds::default() })
    }

    pub fn name(self) -> String {
        let requests = if self.requests == UNLIMITED { "∞".into() } else { self.requests.to_string() };
        format!("{} nodes × {} threads, {requests} requests, {}", self.nodes, self.threads, self.topology.name())
    }
}

/// A verdict as one word.
pub fn outcome(verdict: &ExplorationResult) -> String {
    match &verdict.outcome {
        Outcome::Ok => "ok".into(),
        Outcome::Bound => "bound".into(),
        Outcome::Violation(v) => format!("{} after {} steps", v.invariant, v.steps.len()),
    }
}

pub fn deep() -> bool {
    std::env::var_os("LOCKSTEP_DEEP").is_some()
}
