//! What summaries do not show: single runs watched message by message.

use crate::{Job, prepare};
use lockstep_algorithms::alien::{Alien, Msg};
use lockstep_kernel::run::{Observer, simulate};
use lockstep_kernel::{NodeId, Time};
use std::collections::BTreeMap;

/// Which way tokens and requests went, and through whom.
struct Ways {
    parents: Vec<NodeId>,
    /// Tokens, and those that left the initial tree.
    tokens: [u64; 2],
    /// Requests, and those that left the initial tree.
    requests: [u64; 2],
    /// Tokens that ask to come back.
    with_return: u64,
    /// Messages that each node received.
    received: Vec<u64>,
}

impl Observer<Msg> for Ways {
    fn sent(&mut self, _: Time, from: NodeId, to: NodeId, msg: &Msg, _: bool) {
        let edge = self.parents[from.index()] == to || self.parents[to.index()] == from;
        let count = match msg {
            Msg::Token { back } => {
                self.with_return += u64::from(*back);
                &mut self.tokens
            }
            Msg::Request(_) => &mut self.requests,
        };
        count[0] += 1;
        count[1] += u64::from(!edge);
        self.received[to.index()] += 1;
    }
}

/// Watches one run of the alien threads: tokens and requests, those off the initial tree, the part of tokens that ask to come back, and
/// the part of all messages that the busiest node receives. Names begin with `prefix`.
pub fn alien(job: &Job, prefix: &str, into: &mut BTreeMap<String, f64>) {
    let Ok(prepared) = prepare(job) else { return };
    let setup = &prepared.job.setup;
    let ways = Ways {
        parents: setup.parents.clone(),
        tokens: [0; 2],
        requests: [0; 2],
        with_return: 0,
        received: vec![0; setup.nodes()],
    };
    let (_, ways) = simulate::<Alien, _>(&prepared.job, ways);
    let all: u64 = ways.received.iter().sum();
    let most = ways.received.iter().copied().max().unwrap_or(0);
    let mut note = |name: &str, value: f64| into.insert(format!("{prefix} {name}"), value);
    note("tokens", ways.tokens[0] as f64);
    note("tokens off the tree", ways.tokens[1] as f64);
    note("requests", ways.requests[0] as f64);
    note("requests off the tree", ways.requests[1] as f64);
    note("tokens that return", ways.with_return as f64 / ways.tokens[0].max(1) as f64);
    note("busiest node", most as f64 / all.max(1) as f64);
}
