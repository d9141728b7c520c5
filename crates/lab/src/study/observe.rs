//! Measures that summaries do not have: single runs, observed message by message.

use crate::{Job, prepare};
use lockstep_algorithms::alien::{Alien, Msg};
use lockstep_kernel::run::{Observer, simulate};
use lockstep_kernel::{NodeId, Time};
use std::collections::BTreeMap;

/// The routes of tokens and requests.
struct RouteObserver {
    parents: Vec<NodeId>,
    /// Tokens, and those that left the initial tree.
    tokens: [u64; 2],
    /// Requests, and those that left the initial tree.
    requests: [u64; 2],
    /// Tokens that carry a request to return.
    with_return: u64,
    /// Messages that each node received.
    received: Vec<u64>,
}

impl Observer<Msg> for RouteObserver {
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

/// Observes one run of the alien threads: tokens and requests, those off the initial tree, the
/// share of tokens that carry a request to return, and the share of all messages that the busiest
/// node receives. Names begin with `prefix`.
pub fn alien(job: &Job, prefix: &str, into: &mut BTreeMap<String, f64>) {
    let Ok(prepared) = prepare(job) else { return };
    let setup = &prepared.job.setup;
    let routes = RouteObserver {
        parents: setup.parents.clone(),
        tokens: [0; 2],
        requests: [0; 2],
        with_return: 0,
        received: vec![0; setup.nodes()],
    };
    let (_, routes) = simulate::<Alien, _>(&prepared.job, routes);
    let all: u64 = routes.received.iter().sum();
    let most = routes.received.iter().copied().max().unwrap_or(0);
    let mut note = |name: &str, value: f64| into.insert(format!("{prefix} {name}"), value);
    note("tokens", routes.tokens[0] as f64);
    note("tokens off the tree", routes.tokens[1] as f64);
    note("requests", routes.requests[0] as f64);
    note("requests off the tree", routes.requests[1] as f64);
    note("tokens that return", routes.with_return as f64 / routes.tokens[0].max(1) as f64);
    note("busiest node", most as f64 / all.max(1) as f64);
}
