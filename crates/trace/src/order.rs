//! Happens-before: the order of the lines of each node, and of messages that are certain.

use crate::knowledge::Knowledge;
use crate::log::Log;
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// An arrow from one event to another, by their positions in the log.
pub type Edge = (u32, u32);

/// The lines of each node in their order.
#[derive(Clone, Debug, Default)]
pub struct LocalOrder {
    /// For each node its events, in order.
    pub of_node: Vec<Vec<u32>>,
    /// For each event its node.
    pub node: Vec<u32>,
    /// For each event its place among those of its node, counted from 1.
    pub place: Vec<u32>,
}

impl LocalOrder {
    /// The order of the lines of each node.
    pub fn of(log: &Log) -> LocalOrder {
        let mut of_node = vec![Vec::new(); log.nodes.len()];
        let mut place = Vec::with_capacity(log.events.len());
        for (at, event) in log.events.iter().enumerate() {
            let list: &mut Vec<u32> = &mut of_node[event.node as usize];
            list.push(at as u32);
            place.push(list.len() as u32);
        }
        LocalOrder { of_node, node: log.events.iter().map(|event| event.node).collect(), place }
    }

    /// The event before this one at its node.
    pub fn previous(&self, event: u32) -> Option<u32> {
        let place = self.place[event as usize] as usize;
        place.checked_sub(2).map(|at| self.of_node[self.node[event as usize] as usize][at])
    }

    /// The event after this one at its node.
    pub fn next(&self, event: u32) -> Option<u32> {
        self.of_node[self.node[event as usize] as usize].get(self.place[event as usize] as usize).copied()
    }
}

/// Happens-before between all events, as far as it is certain.
#[derive(Clone, Debug, Default)]
pub struct CausalOrder {
    /// The lines of each node.
    pub local: LocalOrder,
    /// Certain messages.
    pub edges: Vec<Edge>,
    /// Messages that contradict the order of the lines.
    pub contradictory: Vec<Edge>,
    /// The groups of events that come before each other.
    pub cycles: Vec<Vec<u32>>,
    /// For each event its place in an order that agrees with happens-before.
    pub rank: Vec<u32>,
    /// The events in that order.
    pub ranked: Vec<u32>,
    /// For each event how many events of each other node are before it.
    knowledge: Knowledge,
}

impl CausalOrder {
    /// The order of the lines of each node alone.
    pub fn new(log: &Log) -> CausalOrder {
        CausalOrder { local: LocalOrder::of(log), ..CausalOrder::default() }
    }

    /// Whether the first event happens before the second one.
    #[inline]
    pub fn before(&self, first: u32, second: u32) -> bool {
        first != second && self.knows(second, self.local.node[first as usize]) >= self.local.place[first as usize]
    }

    /// How many events of a node are at or before an event.
    #[inline]
    pub fn knows(&self, event: u32, node: u32) -> u32 {
        let at = event as usize;
        if self.local.node[at] == node { self.local.place[at] } else { self.knowledge.of(event, node) }
    }

    /// How much memory the order takes, in blocks of 64 bytes.
    pub fn blocks(&self) -> usize {
        self.knowledge.blocks()
    }

    /// How many events of `node`, in their order, do not come after `event`.
    pub fn not_after(&self, event: u32, node: u32) -> usize {
        self.local.of_node[node as usize].partition_point(|other| !self.before(event, *other))
    }

    /// Computes happens-before from the edges; messages that contradict the lines are set aside. An
    /// error says that the nodes know too much of each other.
    pub fn close(&mut self, log: &Log) -> Result<(), String> {
        let ranked = match self.sort(log) {
            Ok(ranked) => ranked,
            Err(left) => {
                self.break_cycles(&left);
                self.sort(log).unwrap_or_default()
            }
        };
        let (events, nodes) = (log.events.len(), log.nodes.len());
        self.rank = vec![0; events];
        for (rank, event) in ranked.iter().enumerate() {
            self.rank[*event as usize] = rank as u32;
        }
        self.ranked = ranked;
        let incoming = Adjacency::of(events, self.edges.iter().map(|(from, to)| (*to, *from)));
        self.knowledge = Knowledge::new(events, nodes);
        let local = &self.local;
        for event in &self.ranked {
            let sends = incoming.of_vertex(*event).iter();
            let sends = sends.map(|send| (*send, local.node[*send as usize], local.place[*send as usize]));
            if !self.knowledge.learn(*event, local.previous(*event), sends) {
                return Err(format!(
                    "The log has {events} events of {nodes} nodes that know too much of each other; expected fewer \
                     messages between so many nodes. Judge fewer nodes, or a shorter run."
                ));
            }
        }
        Ok(())
    }

    /// The events in an order that agrees with all edges, as close to their times and lines as
    /// possible; or those that are left because of cycles.
    fn sort(&self, log: &Log) -> Result<Vec<u32>, Vec<u32>> {
        let events = log.events.len();
        let outgoing = Adjacency::of(events, self.edges.iter().copied());
        let mut waits: Vec<u32> = self.local.place.iter().map(|place| u32::from(*place > 1)).collect();
        for (_, to) in &self.edges {
            waits[*to as usize] += 1;
        }
        let timed = log.files.len() > 1 && log.events.iter().all(|event| event.time.is_some());
        let key = |event: u32| {
            let time = if timed { log.events[event as usize].time.unwrap_or(0.0) } else { 0.0 };
            // positive floating-point numbers compare like their bits
            Reverse((time.max(0.0).to_bits(), event))
        };
        let mut free: BinaryHeap<_> = (0..events as u32).filter(|e| waits[*e as usize] == 0).map(key).collect();
        let mut ranked = Vec::with_capacity(events);
        while let Some(Reverse((_, event))) = free.pop() {
            ranked.push(event);
            let next = self.local.next(event).into_iter();
            for to in next.chain(outgoing.of_vertex(event).iter().copied()) {
                waits[to as usize] -= 1;
                if waits[to as usize] == 0 {
                    free.push(key(to));
                }
            }
        }
        if ranked.len() == events {
            return Ok(ranked);
        }
        Err((0..events as u32).filter(|event| waits[*event as usize] > 0).collect())
    }

    /// Sets the messages inside each cycle aside.
    fn break_cycles(&mut self, left: &[u32]) {
        let events = self.local.node.len();
        let outgoing = Adjacency::of(events, self.edges.iter().copied());
        let component = components(events, left, &outgoing, &self.local);
        let mut members: hashbrown::HashMap<u32, Vec<u32>> = hashbrown::HashMap::new();
        for event in left {
            members.entry(component[*event as usize]).or_default().push(*event);
        }
        let mut cycles: Vec<Vec<u32>> = members.into_values().filter(|list| list.len() > 1).collect();
        cycles.sort_by_key(|list| list[0]);
        self.cycles.extend(cycles);
        let inside = |(from, to): &Edge| {
            component[*from as usize] != u32::MAX && component[*from as usize] == component[*to as usize]
        };
        let aside = self.edges.iter().copied().filter(inside);
        self.contradictory.extend(aside);
        self.edges.retain(|edge| !inside(edge));
    }
}

/// Outgoing arrows of each vertex.
#[derive(Clone, Debug, Default)]
pub(crate) struct Adjacency {
    starts: Vec<u32>,
    targets: Vec<u32>,
}

impl Adjacency {
    pub(crate) fn of(vertices: usize, edges: impl Iterator<Item = Edge> + Clone) -> Adjacency {
        let mut starts = vec![0u32; vertices + 1];
        for (from, _) in edges.clone() {
            starts[from as usize + 1] += 1;
        }
        for at in 0..vertices {
            starts[at + 1] += starts[at];
        }
        let mut next = starts.clone();
        let mut targets = vec![0; starts[vertices] as usize];
        for (from, to) in edges {
            targets[next[from as usize] as usize] = to;
            next[from as usize] += 1;
        }
        Adjacency { starts, targets }
    }

    /// How many arrows there are.
    pub(crate) fn len(&self) -> usize {
        self.targets.len()
    }

    pub(crate) fn of_vertex(&self, vertex: u32) -> &[u32] {
        &self.targets[self.starts[vertex as usize] as usize..self.starts[vertex as usize + 1] as usize]
    }
}

/// Strongly connected components of the events that are left (Tarjan, without recursion): for each
/// event the number of its component, or `u32::MAX`.
fn components(events: usize, left: &[u32], outgoing: &Adjacency, local: &LocalOrder) -> Vec<u32> {
    const NONE: u32 = u32::MAX;
    let mut inside = vec![false; events];
    left.iter().for_each(|event| inside[*event as usize] = true);
    let (mut index, mut low) = (vec![NONE; events], vec![0; events]);
    let (mut on_stack, mut component) = (vec![false; events], vec![NONE; events]);
    let (mut stack, mut work): (Vec<u32>, Vec<(u32, usize)>) = (Vec::new(), Vec::new());
    let (mut counter, mut found) = (0, 0);
    for root in left {
        if index[*root as usize] != NONE {
            continue;
        }
        work.push((*root, 0));
        while let Some((event, child)) = work.pop() {
            let at = event as usize;
            if child == 0 {
                (index[at], low[at]) = (counter, counter);
                counter += 1;
                stack.push(event);
                on_stack[at] = true;
            }
            let arrows = outgoing.of_vertex(event);
            let next = match child {
                0 => local.next(event),
                child => arrows.get(child - 1).copied(),
            };
            if child <= arrows.len() {
                work.push((event, child + 1));
                if let Some(next) = next.filter(|next| inside[*next as usize]) {
                    if index[next as usize] == NONE {
                        work.push((next, 0));
                    } else if on_stack[next as usize] {
                        low[at] = low[at].min(index[next as usize]);
                    }
                }
                continue;
            }
            if low[at] == index[at] {
                while let Some(member) = stack.pop() {
                    on_stack[member as usize] = false;
                    component[member as usize] = found;
                    if member == event {
                        break;
                    }
                }
                found += 1;
            }
            if let Some((parent, _)) = work.last() {
                low[*parent as usize] = low[*parent as usize].min(low[at]);
            }
        }
    }
    component
}
