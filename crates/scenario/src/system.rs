//! A system from words: sizes, topology by name, clusters; with the limits of what is played step by step.

use crate::quoted;
use lockstep_kernel::timing::Duration;
use lockstep_kernel::{NodeId, Setup, Topology};

/// The most nodes of a system that is played step by step.
pub const MOST_NODES: usize = 1_023;
/// The most user threads of one node that is played step by step.
pub const MOST_THREADS: u32 = 64;
/// The most pairs of a thread and a node: every thread may migrate to every node, and all of that is listed at every step.
pub const MOST_PAIRS: usize = 2_000_000;

/// The longest duration, in time units: a run of any length that people make then stays far from the end of time.
pub const LONGEST: f64 = 10_000.0;
/// The rates at which requests may arrive at a node.
pub const RATES: std::ops::RangeInclusive<f64> = 0.001..=1e6;

/// Reads a duration of a system that is played step by step.
pub fn duration(text: &str) -> Result<Duration, String> {
    let duration: Duration = text.parse().map_err(|why| format!("{why}."))?;
    let (Duration::Const(most) | Duration::Uniform(_, most) | Duration::Exp(most)) = duration;
    if most > LONGEST {
        return Err(format!("{} is too long to play; right would be at most {LONGEST} time units.", quoted(text)));
    }
    Ok(duration)
}

/// Reads the part of a resource that a request asks for: `1/16` or `0.0625`.
pub fn share(text: &str) -> Result<f64, String> {
    let share = match text.split_once('/') {
        Some((part, whole)) => {
            part.trim().parse::<f64>().ok().zip(whole.trim().parse::<f64>().ok()).map(|(p, w)| p / w)
        }
        None => text.trim().parse().ok(),
    };
    let right = |share: &f64| *share > 0.0 && *share <= 1.0;
    share.filter(right).ok_or_else(|| {
        format!("{} is no part of the resource; right would be 1/16, or a number above 0 and up to 1.", quoted(text))
    })
}

/// The initial pointers and the clusters of a system.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Arrangement {
    /// One cluster.
    Plain(Topology),
    /// A star in clusters of equal size: `clusters:3x3` is three clusters of three nodes each.
    Clusters {
        /// How many clusters.
        count: usize,
        /// Nodes of each.
        size: usize,
    },
}

impl Arrangement {
    /// The arrangement of that name, or a sentence that says what there is.
    pub fn named(name: &str) -> Result<Self, String> {
        if let Some(topology) = Topology::named(name) {
            return Ok(Arrangement::Plain(topology));
        }
        let clusters = name.strip_prefix("clusters:").and_then(|c| c.split_once('x'));
        match clusters.map(|(count, size)| (count.parse(), size.parse())) {
            Some((Ok(count @ 1..=100_000), Ok(size @ 1..=100_000))) if count * size <= 1_000_000 => {
                Ok(Arrangement::Clusters { count, size })
            }
            _ => {
                let names: Vec<&str> = Topology::ALL.iter().map(|(n, _)| *n).collect();
                Err(format!("There is no topology {}; there are {} and clusters:3x3.", quoted(name), names.join(", ")))
            }
        }
    }

    /// The number of nodes, where the arrangement says it.
    pub fn nodes(self) -> Option<usize> {
        match self {
            Arrangement::Plain(_) => None,
            Arrangement::Clusters { count, size } => Some(count * size),
        }
    }

    /// The system of that many nodes (ignored where the arrangement says it) and threads.
    pub fn setup(self, nodes: usize, threads: u32) -> Setup {
        match self {
            Arrangement::Plain(topology) => Setup::new(nodes, threads, topology),
            Arrangement::Clusters { count, size } => {
                let mut setup = Setup::new(count * size, threads, Topology::Star);
                setup.clusters = (0..count * size).map(|i| (i / size) as u32).collect();
                setup
            }
        }
    }
}

/// What is wrong with the sizes of a system that is to be played step by step.
pub fn check_sizes(setup: &Setup) -> Result<(), String> {
    let nodes = setup.nodes();
    if !(1..=MOST_NODES).contains(&nodes) {
        return Err(format!("{nodes} nodes cannot be played; right would be 1 to {MOST_NODES}."));
    }
    if let Some(most) = setup.threads.iter().find(|t| **t > MOST_THREADS) {
        return Err(format!("{most} threads at one node cannot be played; right would be at most {MOST_THREADS}."));
    }
    if setup.all_threads() == 0 {
        return Err("Nobody is there to ask; right would be at least one thread.".into());
    }
    if setup.all_threads() * nodes > MOST_PAIRS {
        let most = MOST_PAIRS / nodes;
        return Err(format!(
            "That is too large to play step by step; right would be at most {most} threads at {nodes} nodes."
        ));
    }
    Ok(())
}

/// What is wrong with initial pointers: they must form one tree whose root points at itself.
pub fn check_parents(setup: &Setup) -> Result<(), String> {
    let parents = &setup.parents;
    let roots: Vec<&str> = setup.ids().filter(|i| parents[i.index()] == *i).map(|i| setup.name(i)).collect();
    match roots.len() {
        1 => {}
        0 => {
            return Err(
                "Every node points at another one; right would be one node without a parent, which holds the token."
                    .into(),
            );
        }
        _ => {
            let some = roots[..roots.len().min(5)].join(", ");
            return Err(format!("{some} have no parent; right would be exactly one such node, which holds the token."));
        }
    }
    for start in setup.ids() {
        let mut at = start;
        for _ in 0..setup.nodes() {
            at = parents[at.index()];
        }
        if parents[at.index()] != at {
            let name = setup.name(start);
            return Err(format!(
                "The pointers from {name} go round in a circle; right would be a way to the node with the token."
            ));
        }
    }
    Ok(())
}

/// What is wrong with a node's name.
pub fn check_name(name: &str) -> Result<(), String> {
    let fine = |c: char| c.is_alphanumeric() || c == '_';
    if name.is_empty() || name.chars().count() > 24 || !name.chars().all(fine) {
        return Err(format!("{} cannot name a node; right would be 1 to 24 letters and digits.", quoted(name)));
    }
    Ok(())
}

/// A node that a text names, or a sentence that says which nodes there are.
pub fn node(setup: &Setup, name: &str) -> Result<NodeId, String> {
    setup.named(name).ok_or_else(|| {
        let names = &setup.names[..setup.nodes().min(8)];
        let more = if setup.nodes() > 8 { ", …" } else { "" };
        format!("There is no node {}; there are {}{more}.", quoted(name), names.join(", "))
    })
}
