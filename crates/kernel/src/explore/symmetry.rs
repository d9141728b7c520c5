//! Symmetry: states that differ only by the names of interchangeable nodes are explored once.
//!
//! An algorithm is *anonymous* where it compares names of nodes and threads for equality and does
//! nothing else with them: it orders nothing by them and keeps nothing in lists indexed by them.
//! Then every renaming that leaves the initial state as it is leaves the set of all states as it
//! is, and whatever holds in a state holds in the renamed one. The leaves of a star, or the clients
//! of a server, are such nodes; five of them make 120 states one.
//!
//! Renamed states are never built: [`NodeId`] and [`ThreadId`] say to the hasher what they are, and
//! a hasher that renames them digests the renamed state. A state's digest is then the least one
//! over all renamings. The states that are kept are real ones, so a counterexample is a real run.
//!
//! Starvation concerns one thread, and a renaming may turn it into another, so symmetry is not used
//! if requests never end.

use crate::fingerprint::Fingerprint;
use crate::world::{System, World};
use crate::{Algorithm, Network, NodeId, Setup, ThreadId};
use std::hash::{Hash, Hasher};

/// Above this many nodes there are too many renamings to try them all in every state.
const MOST_NODES: usize = 7;

/// New names for nodes and, with them, for their threads.
pub struct Renaming {
    nodes: Vec<u32>,
    threads: Vec<u32>,
    /// The node that gets each name, in the order of the names.
    node_named: Vec<usize>,
    thread_named: Vec<usize>,
}

impl Renaming {
    fn of(nodes: &[usize], setup: &Setup) -> Renaming {
        let first = |node: usize| setup.threads[..node].iter().sum::<u32>();
        let own = |node: usize| 0..setup.threads[node];
        let threads: Vec<u32> = (0..nodes.len())
            .flat_map(|old| own(old).map(move |k| (old, k)))
            .map(|(old, k)| first(nodes[old]) + k)
            .collect();
        let named = |names: &[u32]| {
            let mut who = vec![0; names.len()];
            names.iter().enumerate().for_each(|(old, new)| who[*new as usize] = old);
            who
        };
        let nodes: Vec<u32> = nodes.iter().map(|n| *n as u32).collect();
        Renaming { node_named: named(&nodes), thread_named: named(&threads), nodes, threads }
    }
}

/// A hasher that digests a state as if its nodes were renamed.
struct RenamingHasher<'a>(Fingerprint, &'a Renaming);

impl Hasher for RenamingHasher<'_> {
    fn write_i32(&mut self, node: i32) {
        self.0.write_u32(self.1.nodes.get(node as usize).copied().unwrap_or(node as u32));
    }
    fn write_i64(&mut self, thread: i64) {
        self.0.write_u32(self.1.threads.get(thread as usize).copied().unwrap_or(thread as u32));
    }
    fn write_u8(&mut self, i: u8) {
        self.0.write_u8(i);
    }
    fn write_u16(&mut self, i: u16) {
        self.0.write_u16(i);
    }
    fn write_u32(&mut self, i: u32) {
        self.0.write_u32(i);
    }
    fn write_u64(&mut self, i: u64) {
        self.0.write_u64(i);
    }
    fn write_usize(&mut self, i: usize) {
        self.0.write_usize(i);
    }
    fn write_isize(&mut self, i: isize) {
        self.0.write_isize(i);
    }
    fn write(&mut self, bytes: &[u8]) {
        self.0.write(bytes);
    }
    fn finish(&self) -> u64 {
        self.0.finish()
    }
}

/// The renamings that keep the initial state, the identity among them; none if the algorithm is not
/// anonymous.
pub fn renamings<A: Algorithm>(system: &System<A>, start: &World<A>) -> Vec<Renaming> {
    let nodes = system.setup.nodes();
    if !system.algorithm.anonymous() || nodes > MOST_NODES {
        return Vec::new();
    }
    all_renamings(system, start)
}

/// The same, without asking the algorithm.
pub fn all_renamings<A: Algorithm>(system: &System<A>, start: &World<A>) -> Vec<Renaming> {
    let setup = &system.setup;
    let mut orders = vec![Vec::new()];
    for node in 0..setup.nodes() {
        let alike = |other: &usize| setup.threads[*other] == setup.threads[node];
        let longer = |order: &Vec<usize>| {
            let free = (0..setup.nodes()).filter(|n| alike(n) && !order.contains(n));
            free.map(|n| [order.as_slice(), &[n]].concat()).collect::<Vec<_>>()
        };
        orders = orders.iter().flat_map(longer).collect();
    }
    let all: Vec<Renaming> = orders.iter().map(|order| Renaming::of(order, setup)).collect();
    // the first order is that of the names as they are
    let same = all.first().map(|plain| digest(setup.network, start, plain));
    all.into_iter().filter(|r| Some(digest(setup.network, start, r)) == same).collect()
}

/// One digest for all states that differ only by such renamings.
pub fn canonical<A: Algorithm>(network: Network, world: &World<A>, renamings: &[Renaming]) -> u64 {
    renamings.iter().map(|r| digest(network, world, r)).min().unwrap_or_else(|| world.fingerprint())
}

/// The digest of the renamed state.
pub fn digest<A: Algorithm>(network: Network, world: &World<A>, names: &Renaming) -> u64 {
    let fresh = || RenamingHasher(Fingerprint::default(), names);
    let mut hasher = fresh();
    for old in &names.node_named {
        world.nodes[*old].hash(&mut hasher);
        (world.left[*old], world.crashed[*old]).hash(&mut hasher);
    }
    for old in &names.thread_named {
        let thread = &world.threads[*old];
        (thread.at, thread.doing as u8, thread.cells).hash(&mut hasher);
    }
    (world.faults, world.broken.is_some()).hash(&mut hasher);
    // the canonical order of messages goes by names: what counts is the order in a channel that
    // keeps it, and nothing else
    let messages = world.flights.iter().enumerate().map(|(i, flight)| {
        let channel = (flight.from, flight.to);
        let ordered = network == Network::Fifo && !flight.is_local();
        let before = world.flights[..i].iter().filter(|f| ordered && (f.from, f.to) == channel).count();
        let mut hasher = fresh();
        (channel, before, flight.held, &flight.msg).hash(&mut hasher);
        hasher.finish()
    });
    hasher.write_u64(messages.fold(0, u64::wrapping_add));
    hasher.finish()
}

// The two integer types by which names reach a hasher; nothing else in a state uses them.

impl Hash for NodeId {
    #[inline]
    fn hash<H: Hasher>(&self, state: &mut H) {
        state.write_i32(self.0 as i32);
    }
}

impl Hash for ThreadId {
    #[inline]
    fn hash<H: Hasher>(&self, state: &mut H) {
        state.write_i64(i64::from(self.0));
    }
}
