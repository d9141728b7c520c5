//! The system that a log speaks of: which node of the log is which node of the algorithm.

use hashbrown::HashMap;
use lockstep_kernel::erased::Dyn;
use lockstep_kernel::timing::Timing;
use lockstep_kernel::world::System;
use lockstep_kernel::{Cells, Entry, NodeId, Params, Setup, ThreadId, Topology};
use lockstep_scenario::link::Link;
use lockstep_trace::event::{EventKind, LogEvent};
use lockstep_trace::{Judgement, Log};

/// The most nodes of a log that is followed, as on the stage: a node may keep something about
/// every other one.
const MOST_NODES: usize = 1_023;
/// The most threads.
const MOST_THREADS: usize = 10_000;

/// A system of the algorithm, with the names of the log.
pub struct FollowedSystem {
    /// The algorithm on its setup.
    pub system: System<Dyn>,
    /// The setup without nodes that the algorithm adds.
    pub setup: Setup,
    /// Delays and load of the exported run, if the log is one.
    pub timing: Option<Timing>,
    /// Whether the log was exported by this program.
    pub exported: bool,
    /// Whether threads lock ranges.
    pub ranges: bool,
    /// Whether threads may cancel.
    pub cancels: bool,
    /// For each node of the log the node of the system.
    nodes: Vec<Option<NodeId>>,
    /// Threads that the log names, by node and name.
    threads: HashMap<(u32, u32), ThreadId>,
}

/// The nodes of a log that request the lock or enter, in the order of their rank.
pub fn hosts(log: &Log) -> Vec<u32> {
    let mut acts = vec![false; log.nodes.len()];
    for event in &log.events {
        if matches!(event.kind, EventKind::Request | EventKind::Enter | EventKind::Exit | EventKind::Cancel) {
            acts[event.node as usize] = true;
        }
    }
    let mut hosts: Vec<u32> = (0..log.nodes.len() as u32).filter(|node| acts[*node as usize]).collect();
    if !log.header.ranked {
        hosts.sort_by_key(|node| rank(log.node_name(*node)));
    }
    hosts
}

/// Names with numbers are ordered by their numbers: `n2` before `n10`.
fn rank(name: &str) -> (String, u64, String) {
    let digits: String = name.chars().rev().take_while(char::is_ascii_digit).collect();
    let stem = name[..name.len() - digits.len()].to_owned();
    let number = digits.chars().rev().collect::<String>().parse().unwrap_or(0);
    (stem, number, name.to_owned())
}

impl FollowedSystem {
    /// The system of a log, or why it cannot be told.
    pub fn of(judgement: &Judgement, entry: &'static Entry) -> Result<FollowedSystem, String> {
        let log = &judgement.log;
        if log.nodes.len() > MOST_NODES {
            let nodes = log.nodes.len();
            return Err(format!("The log has {nodes} nodes; expected at most {MOST_NODES} to follow an algorithm."));
        }
        let exported = log.header.link.as_ref().and_then(|link| Link::decode(link).ok());
        let exported = exported.filter(|link| link.model.algorithm.id == entry.id);
        let (setup, timing, given) = match exported {
            Some(link) => (link.model.setup.clone(), Some(link.model.timing.clone()), true),
            None => (guess(judgement, entry)?, None, false),
        };
        let mut setup = setup;
        setup.without = None;
        // a link is a few bytes, whatever the system is that it speaks of
        if setup.nodes() > log.nodes.len() {
            let (link, named) = (setup.nodes(), log.nodes.len());
            return Err(format!("link: a system of {link} nodes is not allowed; expected the {named} of the log."));
        }
        if setup.all_threads() > MOST_THREADS {
            let threads = setup.all_threads();
            return Err(format!("The system has {threads} threads; expected at most {MOST_THREADS} to follow."));
        }
        let system = (entry.drive.system)(setup.clone());
        let mut nodes: Vec<Option<NodeId>> =
            log.nodes.iter().map(|word| system.setup.named(log.words.word(*word))).collect();
        let taken: Vec<NodeId> = nodes.iter().flatten().copied().collect();
        let mut free = system.setup.ids().filter(|id| !taken.contains(id));
        for node in nodes.iter_mut().filter(|node| node.is_none()) {
            *node = free.next();
        }
        let missing = system.setup.nodes() > log.nodes.len();
        if missing && !given {
            return Err(format!(
                "{} needs {} nodes, and the log has {}.",
                entry.title,
                system.setup.nodes(),
                log.nodes.len()
            ));
        }
        let mut followed = FollowedSystem {
            setup,
            timing,
            exported: given,
            ranges: entry.drive.ranges,
            cancels: entry.drive.cancels,
            nodes,
            threads: HashMap::new(),
            system,
        };
        followed.name_threads(log);
        Ok(followed)
    }

    fn name_threads(&mut self, log: &Log) {
        let mut next: HashMap<u32, u32> = HashMap::new();
        for event in &log.events {
            let (Some(thread), Some(node)) = (event.thread, self.node(event.node)) else { continue };
            if self.threads.contains_key(&(event.node, thread)) {
                continue;
            }
            let setup = &self.system.setup;
            let word = log.words.word(thread);
            let all = setup.all_threads() as u32;
            let named = (0..all).map(ThreadId).find(|t| setup.thread_name(*t) == word);
            let number = next.entry(event.node).or_default();
            let in_turn = ThreadId(setup.first_thread(node).0 + *number);
            *number += 1;
            self.threads.insert((event.node, thread), named.unwrap_or(in_turn));
        }
    }

    /// The node of the system that a node of the log is.
    pub fn node(&self, node: u32) -> Option<NodeId> {
        self.nodes.get(node as usize).copied().flatten()
    }

    /// Nodes of the log that the stage calls by another name: a link counts its nodes.
    pub fn renamed(&self, log: &Log) -> Vec<(String, String)> {
        let stage = stage_names(&self.setup);
        let pair = |at: usize| {
            let name = stage.get(self.nodes[at]?.index())?;
            let own = log.node_name(at as u32);
            (own != name).then(|| (own.to_owned(), name.clone()))
        };
        (0..log.nodes.len()).filter_map(pair).collect()
    }

    /// The thread that the log names.
    pub fn thread(&self, node: u32, thread: Option<u32>, _: &Log) -> Option<ThreadId> {
        self.threads.get(&(node, thread?)).copied()
    }

    /// The cells that a request is for.
    pub fn cells(&self, event: &LogEvent) -> Option<Cells> {
        if !self.ranges {
            return None;
        }
        let bound = |number: i64| number.clamp(0, i64::from(u16::MAX)) as u16;
        Some(
            event.range.map_or(Cells { lo: 0, hi: self.system.setup.cells }, |(lo, hi)| Cells {
                lo: bound(lo),
                hi: bound(hi),
            }),
        )
    }
}

/// The names of the nodes on the stage.
pub fn stage_names(setup: &Setup) -> Vec<String> {
    Setup::new(setup.nodes(), 1, Topology::Star).names
}

/// A system that fits a log which does not say its own.
fn guess(judgement: &Judgement, entry: &'static Entry) -> Result<Setup, String> {
    let log = &judgement.log;
    let params = entry.complete(&Params::default()).map_err(|problems| problems.join(" "))?;
    let acting = hosts(log);
    // nodes that the algorithm adds, such as a server, do not request
    let mut probe = Setup::new(acting.len().max(1), 1, Topology::Star);
    probe.params = params.clone();
    let added = (entry.drive.system)(probe).setup.added;
    let mut hosts: Vec<u32> = if added > 0 { acting } else { (0..log.nodes.len() as u32).collect() };
    if added == 0 && !log.header.ranked {
        hosts.sort_by_key(|node| rank(log.node_name(*node)));
    }
    if hosts.is_empty() {
        return Err("No node requests or enters, so there is nothing to follow.".to_owned());
    }
    let mut setup = Setup::new(hosts.len(), 1, Topology::Star);
    setup.params = params;
    setup.names = hosts.iter().map(|node| log.node_name(*node).to_owned()).collect();
    for (at, host) in hosts.iter().enumerate() {
        let mut threads: Vec<u32> = log.events.iter().filter(|e| e.node == *host).filter_map(|e| e.thread).collect();
        threads.sort_unstable();
        threads.dedup();
        setup.threads[at] = threads.len().max(1) as u32;
    }
    if entry.drive.ranges {
        let most = log.events.iter().filter_map(|event| event.range).map(|(_, hi)| hi).max().unwrap_or(1);
        setup.cells = most.clamp(1, i64::from(u16::MAX)) as u16;
    }
    let root = first_holder(judgement, &hosts);
    setup.parents = vec![NodeId(root); hosts.len()];
    Ok(setup)
}

/// The node that holds the token at the beginning: the first that enters without having received
/// anything, else the first one.
fn first_holder(judgement: &Judgement, hosts: &[u32]) -> u32 {
    let (log, order) = (&judgement.log, &judgement.order);
    let mut received = vec![false; log.nodes.len()];
    for event in &order.ranked {
        let of = &log.events[*event as usize];
        match of.kind {
            EventKind::Recv => received[of.node as usize] = true,
            EventKind::Enter if !received[of.node as usize] => {
                return hosts.iter().position(|host| *host == of.node).unwrap_or(0) as u32;
            }
            _ => {}
        }
    }
    0
}
