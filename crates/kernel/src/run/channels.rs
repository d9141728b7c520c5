//! FIFO channels: when the next message of each may arrive.

use crate::{Network, NodeId, Setup, Time};

/// The latest due time on each channel of a FIFO network.
pub enum ChannelOrder {
    Unordered,
    /// Every ordered pair of a small system.
    Dense(usize, Vec<Time>),
    /// The messages in flight of each node of a large system.
    Sparse(Vec<Outbox>),
}

/// The largest system whose channels fit a second-level cache.
const DENSE_NODES: usize = 128;

impl ChannelOrder {
    pub fn new(setup: &Setup) -> Self {
        match (setup.network, setup.nodes()) {
            (Network::Fifo, n) if n <= DENSE_NODES => ChannelOrder::Dense(n, vec![0; n * n]),
            (Network::Fifo, n) => ChannelOrder::Sparse((0..n).map(|_| Outbox::default()).collect()),
            _ => ChannelOrder::Unordered,
        }
    }

    /// The time at which a message may arrive without overtaking an earlier one on its channel.
    #[inline]
    pub fn in_order(&mut self, from: NodeId, to: NodeId, now: Time, due: Time) -> Time {
        match self {
            ChannelOrder::Unordered => due,
            ChannelOrder::Dense(n, last) => {
                let last = &mut last[from.index() * *n + to.index()];
                *last = due.max(*last);
                *last
            }
            ChannelOrder::Sparse(outboxes) => outboxes[from.index()].in_order(to, now, due),
        }
    }
}

/// The latest due times of a node's outgoing channels while they lie ahead: a cache line for each
/// node.
pub struct Outbox {
    to: [NodeId; 3],
    last: [Time; 3],
    more: Vec<(NodeId, Time)>,
}

impl Default for Outbox {
    fn default() -> Self {
        Outbox { to: [NodeId(u32::MAX); 3], last: [0; 3], more: Vec::new() }
    }
}

impl Outbox {
    fn in_order(&mut self, to: NodeId, now: Time, due: Time) -> Time {
        let mut spare = None;
        for i in 0..3 {
            if self.to[i] == to {
                let due = due.max(self.last[i]);
                self.last[i] = due;
                return due;
            }
            if self.last[i] <= now {
                spare = Some(i);
            }
        }
        if !self.more.is_empty() {
            if let Some(channel) = self.more.iter_mut().find(|c| c.0 == to) {
                channel.1 = channel.1.max(due);
                return channel.1;
            }
            if spare.is_none() {
                self.more.retain(|c| c.1 > now);
            }
        }
        match spare {
            Some(i) => {
                self.to[i] = to;
                self.last[i] = due;
            }
            None => self.more.push((to, due)),
        }
        due
    }
}
