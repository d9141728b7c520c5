//! What could happen before what: every order that agrees with the log is allowed for.

use crate::log::Log;
use crate::messages::{MOST_POSSIBLE, Messages, PossibleEdge};
use crate::order::{Adjacency, CausalOrder};

/// The possible order. Each node is a row of slots: a gap, its first event, a gap, its second event
/// and so on; what has no line happens in a gap.
#[derive(Clone, Debug)]
pub struct PossibleOrder {
    /// Where the slots of each node begin.
    base: Vec<u32>,
    arrows: Adjacency,
    /// Whether nothing is possible beyond what is certain.
    pub exact: bool,
    /// Whether there is too much to search: then everything is possible.
    pub unlimited: bool,
}

impl PossibleOrder {
    /// The possible order of a log.
    pub fn of(log: &Log, order: &CausalOrder, messages: &Messages) -> PossibleOrder {
        let mut base = Vec::with_capacity(log.nodes.len() + 1);
        let mut slots = 0u32;
        for events in &order.local.of_node {
            base.push(slots);
            slots += 2 * events.len() as u32 + 1;
        }
        base.push(slots);
        let nodes = log.nodes.len();
        let anywhere = messages.possible.iter().filter(|edge| matches!(edge, PossibleEdge::SentByAny(_))).count();
        if messages.unlimited || messages.possible.len() + anywhere * nodes > MOST_POSSIBLE {
            return PossibleOrder { base, arrows: Adjacency::default(), exact: false, unlimited: true };
        }
        let slot =
            |event: u32| base[order.local.node[event as usize] as usize] + 2 * order.local.place[event as usize] - 1;
        // the gap after the last event of a node that does not come after this receive
        let sent = |node: u32, receive: u32| base[node as usize] + 2 * order.not_after(receive, node) as u32;
        let mut edges: Vec<(u32, u32)> = order.edges.iter().map(|(from, to)| (slot(*from), slot(*to))).collect();
        for possible in &messages.possible {
            match possible {
                PossibleEdge::Message((from, to)) => edges.push((slot(*from), slot(*to))),
                PossibleEdge::Arrives(send, node) => {
                    // the gap before the first event that does not come before the send
                    let known = order.knows(*send, *node);
                    edges.push((slot(*send), base[*node as usize] + 2 * known));
                }
                PossibleEdge::Sent(node, receive) => edges.push((sent(*node, *receive), slot(*receive))),
                PossibleEdge::SentByAny(receive) => {
                    let me = order.local.node[*receive as usize];
                    let others = (0..nodes as u32).filter(|node| *node != me);
                    edges.extend(others.map(|node| (sent(node, *receive), slot(*receive))));
                }
            }
        }
        let arrows = Adjacency::of(slots as usize, edges.iter().copied());
        PossibleOrder { base, arrows, exact: messages.possible.is_empty(), unlimited: false }
    }

    /// How many steps a search takes at most.
    pub(crate) fn steps(&self) -> usize {
        self.base.last().map_or(0, |slots| *slots as usize) + self.arrows.len()
    }

    /// Whether an event is among those that could come after another one, by the answer of
    /// [`PossibleOrder::reach`].
    pub(crate) fn reaches(reach: &[u32], order: &CausalOrder, event: u32) -> bool {
        order.local.place[event as usize] >= reach[order.local.node[event as usize] as usize]
    }

    /// For each node the first of its events that could come after this one, as its place counted
    /// from 1, or `u32::MAX`.
    pub fn reach(&self, order: &CausalOrder, event: u32) -> Vec<u32> {
        let nodes = self.base.len() - 1;
        if self.unlimited {
            return vec![0; nodes];
        }
        let width = |node: usize| self.base[node + 1] - self.base[node];
        // for each node the first slot that is reached
        let mut first: Vec<u32> = (0..nodes).map(width).collect();
        let node = order.local.node[event as usize] as usize;
        let mut work = vec![(node, 2 * order.local.place[event as usize] - 1)];
        while let Some((node, slot)) = work.pop() {
            let end = first[node];
            if slot >= end {
                continue;
            }
            first[node] = slot;
            for from in slot..end {
                for to in self.arrows.of_vertex(self.base[node] + from) {
                    let target = self.base.partition_point(|base| base <= to) - 1;
                    work.push((target, to - self.base[target]));
                }
            }
        }
        // slot 2p − 1 is event p; a gap leads to the event after it
        (0..nodes).map(|node| if first[node] >= width(node) { u32::MAX } else { first[node] / 2 + 1 }).collect()
    }
}
