//! The system that an algorithm runs on: nodes, threads, topology, network.

use crate::{NodeId, ThreadId};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// The initial tree of probable owners; the first node holds the token.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Topology {
    /// Each node points at its predecessor.
    Chain,
    /// All point at node 0.
    Star,
    /// Heap numbering: node *i* points at (*i* − 1) / 2.
    BinaryTree,
    /// As a chain; for algorithms that circulate.
    Ring,
    /// As a star; for algorithms that broadcast.
    Full,
}

impl Topology {
    /// Every topology with its name.
    pub const ALL: [(&'static str, Topology); 5] = [
        ("chain", Topology::Chain),
        ("star", Topology::Star),
        ("binary-tree", Topology::BinaryTree),
        ("ring", Topology::Ring),
        ("full", Topology::Full),
    ];

    /// The topology of that name.
    pub fn named(name: &str) -> Option<Topology> {
        Self::ALL.iter().find(|(n, _)| *n == name).map(|(_, t)| *t)
    }

    /// Its name.
    pub fn name(self) -> &'static str {
        Self::ALL.iter().find(|(_, t)| *t == self).map_or("chain", |(n, _)| n)
    }

    fn parent(self, node: usize) -> usize {
        match self {
            Topology::Chain | Topology::Ring => node.saturating_sub(1),
            Topology::Star | Topology::Full => 0,
            Topology::BinaryTree => node.saturating_sub(1) / 2,
        }
    }
}

/// What a network may do to messages.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Network {
    /// Messages of one sender to one receiver arrive in the order sent.
    Fifo,
    /// Any message in flight may arrive next.
    Unordered,
    /// Unordered, and one message may be lost.
    Lossy,
    /// Unordered, and one message may arrive twice.
    Duplicating,
}

impl Network {
    /// Every network with its name.
    pub const ALL: [(&'static str, Network); 4] = [
        ("fifo", Network::Fifo),
        ("unordered", Network::Unordered),
        ("lossy", Network::Lossy),
        ("duplicating", Network::Duplicating),
    ];

    /// The network of that name.
    pub fn named(name: &str) -> Option<Network> {
        Self::ALL.iter().find(|(n, _)| *n == name).map(|(_, t)| *t)
    }

    /// Its name.
    pub fn name(self) -> &'static str {
        Self::ALL.iter().find(|(_, t)| *t == self).map_or("fifo", |(n, _)| n)
    }
}

/// Parameters of an algorithm, by name; the defaults are filled in before a run.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Params(pub BTreeMap<String, String>);

impl Params {
    /// The value of a parameter, empty when it is not set.
    pub fn get(&self, name: &str) -> &str {
        self.0.get(name).map_or("", String::as_str)
    }

    /// Whether a parameter is `true`.
    pub fn is(&self, name: &str) -> bool {
        self.get(name) == "true"
    }

    /// The same with one parameter set.
    pub fn with(mut self, name: &str, value: &str) -> Self {
        self.0.insert(name.into(), value.into());
        self
    }
}

/// The system that an algorithm runs on. Build one with [`Setup::new`]; every field may be changed
/// before a run.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Setup {
    /// The names of the nodes; their number is the system's size.
    pub names: Vec<String>,
    /// User threads of each node.
    pub threads: Vec<u32>,
    /// Initial probable owner of each node; the holder of the token points at itself.
    pub parents: Vec<NodeId>,
    /// The cluster of each node.
    pub clusters: Vec<u32>,
    /// What the network may do.
    pub network: Network,
    /// Parameters of the algorithm.
    pub params: Params,
    /// Cells of the resource; 1 for algorithms that know no ranges.
    pub cells: u16,
    /// The node that holds each cell at the beginning; the holder of the token where this says
    /// nothing.
    pub placement: Vec<NodeId>,
    /// Nodes beyond the hosts that the algorithm added; they come last and have no user threads.
    pub added: usize,
    /// Run without this line of the algorithm's listing.
    pub without: Option<crate::LineId>,
}

impl Setup {
    /// `nodes` nodes named p1, p2, … with `threads` user threads each.
    pub fn new(nodes: usize, threads: u32, topology: Topology) -> Self {
        Setup {
            names: (1..=nodes).map(|i| format!("p{i}")).collect(),
            threads: vec![threads; nodes],
            parents: (0..nodes).map(|i| NodeId(topology.parent(i) as u32)).collect(),
            clusters: vec![0; nodes],
            network: Network::Fifo,
            params: Params::default(),
            cells: 1,
            placement: Vec::new(),
            added: 0,
            without: None,
        }
    }

    /// The same with a resource of this many cells.
    pub fn divided(mut self, cells: u16) -> Self {
        self.cells = cells;
        self
    }

    /// The node that holds a cell at the beginning.
    pub fn holder(&self, cell: u16) -> NodeId {
        let root = || self.ids().find(|i| self.parents[i.index()] == *i).unwrap_or_default();
        self.placement.get(cell as usize).copied().unwrap_or_else(root)
    }

    /// Adds a node without user threads, for [`crate::Algorithm::arrange`]. Its pointer leads to
    /// node 0.
    pub fn add_node(&mut self, name: &str, cluster: u32) -> NodeId {
        let id = NodeId(self.names.len() as u32);
        self.names.push(name.into());
        self.threads.push(0);
        self.parents.push(NodeId(0));
        self.clusters.push(cluster);
        self.added += 1;
        id
    }

    /// The setup with the nodes that an algorithm adds.
    pub fn arranged<A: crate::Algorithm>(mut self) -> Self {
        if self.added == 0 {
            A::arrange(&mut self);
        }
        self
    }

    /// The number of nodes that have user threads.
    pub fn hosts(&self) -> usize {
        self.names.len() - self.added
    }

    /// The same on another network.
    pub fn on(mut self, network: Network) -> Self {
        self.network = network;
        self
    }

    /// The same with a parameter set.
    pub fn with(mut self, name: &str, value: &str) -> Self {
        self.params = self.params.with(name, value);
        self
    }

    /// Number of nodes.
    pub fn nodes(&self) -> usize {
        self.names.len()
    }

    /// Every node.
    pub fn ids(&self) -> impl Iterator<Item = NodeId> + use<> {
        (0..self.names.len() as u32).map(NodeId)
    }

    /// A node's name.
    pub fn name(&self, node: NodeId) -> &str {
        self.names.get(node.index()).map_or("?", String::as_str)
    }

    /// The node of that name.
    pub fn named(&self, name: &str) -> Option<NodeId> {
        self.names.iter().position(|n| n == name).map(|i| NodeId(i as u32))
    }

    /// Number of user threads of the whole system.
    pub fn all_threads(&self) -> usize {
        self.threads.iter().map(|t| *t as usize).sum()
    }

    /// The node at which a thread starts.
    pub fn home(&self, thread: ThreadId) -> NodeId {
        self.seat(thread).0
    }

    /// The node at which a thread starts, and how many threads of that node come before it.
    fn seat(&self, thread: ThreadId) -> (NodeId, u32) {
        let mut left = thread.0;
        for (i, count) in self.threads.iter().enumerate() {
            if left < *count {
                return (NodeId(i as u32), left);
            }
            left -= count;
        }
        (NodeId(0), thread.0)
    }

    /// The first thread of a node.
    pub fn first_thread(&self, node: NodeId) -> ThreadId {
        ThreadId(self.threads[..node.index()].iter().sum())
    }

    /// A thread's number within its first node, counted from 1.
    pub fn thread_number(&self, thread: ThreadId) -> u32 {
        self.seat(thread).1 + 1
    }

    /// A thread's name: `p2.1`, the first user thread of p2.
    pub fn thread_name(&self, thread: ThreadId) -> String {
        let (home, before) = self.seat(thread);
        format!("{}.{}", self.name(home), before + 1)
    }
}
