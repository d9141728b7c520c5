//! Preemption and aggregation: Naimi and Tréhel's path reversal for clusters.
//!
//! *Source.* M. Bertier, L. Arantes and P. Sens, "Hierarchical token based mutual exclusion
//! algorithms", INRIA RR-5177, 2004, §3.2.
//!
//! # The idea
//!
//! Messages between clusters are expensive, so a request should stay in its cluster, and the token
//! should serve a cluster while it is there. As in Naimi–Tréhel, `owner` leads to the last
//! requester and `next` names the node that gets the token after this one; but here only *near*
//! requests (of the node's own cluster) reverse `owner`. So each cluster with waiting nodes has one
//! *local root*, the last near node to be served, and all far requests come to it. It takes the
//! first as its `next`. Then:
//!
//! * *Aggregation.* Further far requests queue in its `R_Queue` instead of travelling on; the queue
//!   leaves with the token.
//! * *Preemption.* A near request overtakes them: it becomes `next` and the new root, and the far
//!   requests that the old root had accepted follow in a Queue message. `nb_preempt` counts these
//!   preemptions; at the threshold the near request queues like a far one.
//!
//! *Preempt* is the same without aggregation: a request that would join `R_Queue` is forwarded to
//! `next`. It shares this file; the listing marks the lines that differ.
//!
//! # Where we depart from the paper
//!
//! As printed, the algorithm lets two nodes in and loses requests in three ways
//! (`preempt-aggregation-printed` plays it). We repair:
//!
//! * *D1. An idle holder that gives the token away points at the requester*, as in Naimi–Tréhel.
//!   Otherwise it believes that it still has the token.
//! * *D2. `nb_preempt` starts at 0.* The paper does not say so.
//! * *D3. `nb_preempt` returns to 0 at a request and at a release without successor, and no message
//!   ever lowers it*: the larger count wins. As printed, every Queue overwrites it with an old
//!   value, and local nodes overtake a far one without bound.
//! * *D4. When the token leaves the cluster, only the root gets a new owner*, the last node that
//!   the token will serve. A node that points at a near one keeps doing so. As printed, its pointer
//!   leaves its own cluster, and together with D7 that lets two nodes in.
//! * *D5. `R_Queue` is emptied when it leaves.* A copy that stays behind would be served twice.
//! * *D6. A gateway, a node that points at another cluster, points at every requester whose request
//!   it forwards there.* In the paper only near requests reverse the pointer; a far one may then be
//!   forwarded back and forth as long as messages can overtake each other.
//! * *D7. Of the requesters that join `R_Queue`, only a near one becomes owner* (the paper: any).
//!   Figure 7 requires this.
//! * *D8. A Queue that arrives is put in front of the node's own*, like one that comes with the
//!   token. The paper uses its head and loses the rest.
//! * *D9. A Queue may arrive too late*, after the token. A node that no longer waits serves it if
//!   it has the token and otherwise forwards it. In the paper the node keeps it forever.
//! * *D10. A Queue that arrives also goes in front of a far `next`*: its requests are older. This
//!   concerns fairness only.
//! * *D11. An empty queue is not sent.* This only saves messages.
//!
//! The paper's proxy is one of the hosts in its experiment and a separate node in its figures:
//! parameter `proxies`. The paper has one thread per node; here further threads wait at their node,
//! which requests again when a thread has left. For Preempt the paper has one sentence (aggregation
//! is disabled); `owner = as-measured` is its printed line, in which a far requester whose request
//! is forwarded becomes owner too, and this reading comes close to its measurements.

mod listing;
mod narration;

pub use listing::{ENTRY, PREEMPT};

use lockstep_kernel::algorithm::{Call, MessageKind, Role};
use lockstep_kernel::invariant::{Invariant, mutual_exclusion, one_token, owners_lead_to_a_tail};
use lockstep_kernel::view::{ObservedStep, Waiter};
use lockstep_kernel::{Algorithm, Message, NodeId, NodeView, Out, PointerView, Setup, ThreadId, Var, lines};
use std::collections::{BTreeMap, VecDeque};

/// The clusters and the parameters, known to every node.
pub struct Preempt<const AGGREGATES: bool = false> {
    clusters: Vec<u32>,
    threshold: u32,
    as_measured: bool,
}

/// With aggregation.
pub type PreemptAggregation = Preempt<true>;

/// The messages between nodes.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Msg {
    /// This node requests the token.
    Request(NodeId),
    /// The token, with the far requests that it must serve and the count of preemptions.
    Token(Vec<NodeId>, u32),
    /// The far requests that an old root had accepted, for the new root, and the count of
    /// preemptions.
    Queue(Vec<NodeId>, u32),
}

impl Message for Msg {
    const KINDS: &'static [MessageKind] = &[
        MessageKind { name: "request", role: Role::Request },
        MessageKind { name: "token", role: Role::Token },
        MessageKind { name: "queue", role: Role::Request },
    ];

    #[inline]
    fn kind(&self) -> usize {
        match self {
            Msg::Request(_) => 0,
            Msg::Token(..) => 1,
            Msg::Queue(..) => 2,
        }
    }

    fn tag(&self, setup: &Setup) -> String {
        match self {
            Msg::Request(node) => format!("R{}", setup.name(*node).trim_start_matches('p')),
            Msg::Token(queue, _) if queue.is_empty() => "T".into(),
            Msg::Token(..) => "T+".into(),
            Msg::Queue(..) => "Q".into(),
        }
    }

    fn label(&self, setup: &Setup) -> String {
        match self {
            Msg::Request(node) => format!("Request({})", setup.name(*node)),
            Msg::Token(queue, count) => format!("Token({},{count})", names(queue, setup)),
            Msg::Queue(queue, count) => format!("Queue({},{count})", names(queue, setup)),
        }
    }
}

/// A queue as the paper writes it: `[D,F]`.
fn names(queue: &[NodeId], setup: &Setup) -> String {
    let names: Vec<&str> = queue.iter().map(|node| setup.name(*node)).collect();
    format!("[{}]", names.join(","))
}

/// One node.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Node {
    me: NodeId,
    owner: Option<NodeId>,
    next: Option<NodeId>,
    token: bool,
    /// The thread that this node requests for, or that is inside.
    requesting: Option<ThreadId>,
    /// The nodes that the token must serve after `next`. In Preempt it is empty between two steps.
    r_queue: Vec<NodeId>,
    nb_preempt: u32,
    /// Further threads of this node.
    more: VecDeque<ThreadId>,
}

lines! {
    ENTER, ASK, BECOME_ROOT, COUNT_ANEW, KEEP, HAND_OVER, FORWARD, REVERSE, GIVE, POINT,
    AFTER, NEAR_AFTER, OVERTAKE, PROMISED, COUNT, APPEND, NEAR_LAST, TOKEN, LARGER, IN_FRONT,
    OLDER, TAKE_NEXT, SEND_ON, LATE_HOLDER, LATE, LATE_POINT, LEAVES, LAST_OWNER, PASS, SPREAD,
}

impl<const AGGREGATES: bool> Preempt<AGGREGATES> {
    #[inline]
    fn far(&self, n: &Node, other: NodeId) -> bool {
        self.clusters[n.me.index()] != self.clusters[other.index()]
    }

    #[inline]
    fn near(&self, n: &Node, other: NodeId) -> bool {
        !self.far(n, other)
    }

    #[inline]
    fn acquire(&self, n: &mut Node, thread: ThreadId, out: &mut impl Out<Msg>) {
        n.requesting = Some(thread);
        let Some(owner) = n.owner else {
            out.line(ENTER);
            out.grant(thread);
            return;
        };
        if out.line(ASK) {
            out.send(owner, Msg::Request(n.me));
        }
        if out.line(BECOME_ROOT) {
            n.owner = None;
        }
        if out.line(COUNT_ANEW) {
            n.nb_preempt = 0;
        }
    }

    /// Sends the token and the queue to `to`.
    #[inline]
    fn hand_over(&self, n: &mut Node, to: NodeId, out: &mut impl Out<Msg>) {
        if self.far(n, to) {
            if out.line(LEAVES) {
                n.nb_preempt = 0;
            }
            if n.owner.is_none() && out.line(LAST_OWNER) {
                n.owner = Some(*n.r_queue.last().unwrap_or(&to));
            }
        }
        if out.line(PASS) {
            n.next = None;
            n.token = false;
            out.send(to, Msg::Token(std::mem::take(&mut n.r_queue), n.nb_preempt));
        }
    }

    #[inline]
    fn request(&self, n: &mut Node, who: NodeId, out: &mut impl Out<Msg>) {
        let near = self.near(n, who);
        if let Some(owner) = n.owner {
            out.line(FORWARD);
            out.send(owner, Msg::Request(who));
            if (near || self.far(n, owner)) && out.line(REVERSE) {
                n.owner = Some(who);
            }
        } else if n.requesting.is_none() {
            out.line(GIVE);
            if !near {
                n.nb_preempt = 0;
            }
            n.token = false;
            out.send(who, Msg::Token(Vec::new(), n.nb_preempt));
            if out.line(POINT) {
                n.owner = Some(who);
            }
        } else if let Some(next) = n.next {
            if near && n.nb_preempt < self.threshold {
                out.line(OVERTAKE);
                if out.line(COUNT) {
                    n.nb_preempt += 1;
                }
                n.r_queue.insert(0, next);
                let promised = std::mem::take(&mut n.r_queue);
                if out.line(PROMISED) {
                    out.send(who, Msg::Queue(promised, n.nb_preempt));
                }
                n.next = Some(who);
                n.owner = Some(who);
            } else {
                if out.line(APPEND) {
                    if AGGREGATES {
                        n.r_queue.push(who);
                    } else {
                        out.send(next, Msg::Request(who));
                    }
                }
                if (near || self.as_measured) && out.line(NEAR_LAST) {
                    n.owner = Some(who);
                }
            }
        } else {
            out.line(AFTER);
            n.next = Some(who);
            if near && out.line(NEAR_AFTER) {
                n.owner = Some(who);
            }
        }
    }

    /// Takes a queue of older requests: it goes in front of ours, and its head becomes next.
    #[inline]
    fn absorb(&self, n: &mut Node, mut queue: Vec<NodeId>, out: &mut impl Out<Msg>) {
        if !queue.is_empty() && out.line(IN_FRONT) {
            if let Some(next) = n.next.filter(|next| self.far(n, *next))
                && out.line(OLDER)
            {
                queue.push(next);
                n.next = None;
            }
            queue.append(&mut n.r_queue);
            n.r_queue = queue;
        }
        if n.r_queue.is_empty() {
            return;
        }
        match n.next {
            None => {
                out.line(TAKE_NEXT);
                n.next = Some(n.r_queue.remove(0));
            }
            Some(next) if self.near(n, next) => match n.owner {
                Some(owner) => {
                    if out.line(SEND_ON) {
                        out.send(owner, Msg::Queue(std::mem::take(&mut n.r_queue), n.nb_preempt));
                    }
                }
                None => out.impossible("a local root has a near successor"),
            },
            Some(_) => {}
        }
        if let Some(next) = n.next {
            self.spread(n, next, out);
        }
    }

    /// Preempt keeps no queue: the remaining requests are forwarded to next.
    #[inline]
    fn spread(&self, n: &mut Node, next: NodeId, out: &mut impl Out<Msg>) {
        if !AGGREGATES && !n.r_queue.is_empty() && out.line(SPREAD) {
            for who in n.r_queue.drain(..) {
                out.send(next, Msg::Request(who));
            }
        }
    }

    /// A queue reaches a node that no longer waits.
    #[inline]
    fn late(&self, n: &mut Node, mut queue: Vec<NodeId>, count: u32, out: &mut impl Out<Msg>) {
        let Some(last) = queue.last().copied() else {
            return out.impossible("an empty queue was sent");
        };
        if n.token {
            if out.line(LATE_HOLDER) {
                let first = queue.remove(0);
                n.r_queue = queue;
                self.spread(n, first, out);
                self.hand_over(n, first, out);
            }
        } else if let Some(owner) = n.owner {
            let far = self.far(n, owner);
            if out.line(LATE) {
                if far && !AGGREGATES {
                    for who in queue {
                        out.send(owner, Msg::Request(who));
                    }
                } else {
                    out.send(owner, Msg::Queue(queue, count));
                }
            }
            if far && out.line(LATE_POINT) {
                n.owner = Some(last);
            }
        } else {
            out.impossible("a queue reached a root that neither waits nor has the token");
        }
    }
}

impl<const AGGREGATES: bool> Algorithm for Preempt<AGGREGATES> {
    type Node = Node;
    type Msg = Msg;

    /// The tree of two levels: every cluster except that of node 0 has a proxy, its first host or a
    /// separate node.
    fn arrange(setup: &mut Setup) {
        let cluster = |node: NodeId, setup: &Setup| setup.clusters[node.index()];
        let mut proxies = BTreeMap::new();
        for node in setup.ids().filter(|node| cluster(*node, setup) != setup.clusters[0]) {
            proxies.entry(cluster(node, setup)).or_insert(node);
        }
        if setup.params.get("proxies") == "extra" {
            for (cluster, proxy) in &mut proxies {
                *proxy = setup.add_node(&format!("P{cluster}"), *cluster);
            }
        }
        for node in setup.ids() {
            let proxy = proxies.get(&cluster(node, setup)).filter(|proxy| **proxy != node);
            setup.parents[node.index()] = proxy.copied().unwrap_or(NodeId(0));
        }
    }

    fn new(setup: &Setup) -> Self {
        Preempt {
            clusters: setup.clusters.clone(),
            threshold: setup.params.get("threshold").parse().unwrap_or(0),
            as_measured: setup.params.get("owner") == "as-measured",
        }
    }

    fn start(&self, me: NodeId, setup: &Setup) -> Node {
        let owner = Some(setup.parents[me.index()]).filter(|p| *p != me);
        Node {
            me,
            token: owner.is_none(),
            owner,
            next: None,
            requesting: None,
            r_queue: Vec::new(),
            nb_preempt: 0,
            more: VecDeque::new(),
        }
    }

    #[inline]
    fn on_call(&self, n: &mut Node, call: Call, out: &mut impl Out<Msg>) {
        match call {
            Call::Request(thread) if n.requesting.is_some() => n.more.push_back(thread),
            Call::Request(thread) => self.acquire(n, thread, out),
            Call::Release(_) => {
                n.requesting = None;
                match n.next {
                    None => {
                        if out.line(KEEP) {
                            n.nb_preempt = 0;
                        }
                    }
                    Some(next) => {
                        out.line(HAND_OVER);
                        self.hand_over(n, next, out);
                    }
                }
                if let Some(thread) = n.more.pop_front() {
                    self.acquire(n, thread, out);
                }
            }
        }
    }

    #[inline]
    fn on_message(&self, n: &mut Node, from: NodeId, msg: Msg, out: &mut impl Out<Msg>) {
        match msg {
            Msg::Request(who) if who == n.me => out.impossible("a request came back to its own node"),
            Msg::Request(who) => self.request(n, who, out),
            Msg::Token(queue, count) => match n.requesting {
                Some(thread) if !n.token => {
                    n.token = true;
                    if self.near(n, from) && out.line(LARGER) {
                        n.nb_preempt = n.nb_preempt.max(count);
                    }
                    self.absorb(n, queue, out);
                    out.line(TOKEN);
                    out.grant(thread);
                }
                _ => out.impossible("the token came to a node that did not request it"),
            },
            Msg::Queue(queue, count) if n.requesting.is_some() => {
                if out.line(LARGER) {
                    n.nb_preempt = n.nb_preempt.max(count);
                }
                self.absorb(n, queue, out);
            }
            Msg::Queue(queue, count) => self.late(n, queue, count, out),
        }
    }

    fn view(&self, n: &Node, setup: &Setup) -> NodeView {
        let link = |kind: &str, to: Option<NodeId>| to.map(|to| PointerView { kind: kind.into(), to });
        let asking = n.requesting.filter(|_| !n.token).map(Waiter::User);
        let remote = n.next.iter().chain(&n.r_queue).copied().map(Waiter::Remote);
        let mut vars = vec![
            Var::maybe_node("owner", n.owner),
            Var::maybe_node("next", n.next),
            Var::new("token", n.token),
            Var::new("requesting", n.requesting.is_some()),
            Var::new("nb_preempt", n.nb_preempt),
        ];
        if AGGREGATES {
            vars.push(Var::new("R_Queue", names(&n.r_queue, setup)));
        }
        NodeView {
            token: n.token,
            links: link("owner", n.owner).into_iter().chain(link("next", n.next)).collect(),
            queue: asking.into_iter().chain(remote).chain(n.more.iter().copied().map(Waiter::User)).collect(),
            vars,
            badges: match n.owner {
                None => vec!["local root".into()],
                Some(owner) if self.far(n, owner) => vec!["gateway".into()],
                Some(_) => Vec::new(),
            },
        }
    }

    fn invariants() -> Vec<Invariant<Self>> {
        vec![
            mutual_exclusion(),
            one_token(|n: &Node| n.token, |m| matches!(m, Msg::Token(..))),
            owners_lead_to_a_tail(|n: &Node| n.owner),
            recorded_once(),
            of_each_node("roots wait or have the token", |_, n| n.owner.is_some() || n.requesting.is_some() || n.token),
            of_each_node("only who waits has successors", |_, n| {
                (n.requesting.is_some() || n.next.is_none()) && (n.next.is_some() || n.r_queue.is_empty())
            }),
            of_each_node("without aggregation no queue is kept", |_, n| AGGREGATES || n.r_queue.is_empty()),
            of_each_node("a near node is last in its queue", |a, n| {
                let near = n.r_queue.iter().position(|x| a.near(n, *x));
                near.is_none_or(|i| i + 1 == n.r_queue.len() && n.owner.is_some())
            }),
            of_each_node("owners of those who wait are near", |a, n| {
                a.as_measured
                    || (n.requesting.is_none() || n.owner.is_none_or(|o| a.near(n, o)))
                        && (n.next.is_none_or(|next| a.far(n, next)) || n.owner.is_some())
            }),
        ]
    }

    fn narrate(&self, step: &ObservedStep<'_, Self>) -> String {
        self.narrate_step(step)
    }
}

/// Every waiting node is recorded in exactly one place, and no other node is.
fn recorded_once<const AGGREGATES: bool>() -> Invariant<Preempt<AGGREGATES>> {
    Invariant {
        name: "each request is known once",
        check: Box::new(|system, world| {
            let mut known = vec![0; world.nodes.len()];
            let mut note = |node: &NodeId| known[node.index()] += 1;
            for n in &world.nodes {
                n.next.iter().chain(&n.r_queue).for_each(&mut note);
            }
            for flight in &world.flights {
                match &flight.msg {
                    Msg::Request(who) => note(who),
                    Msg::Queue(queue, _) => queue.iter().for_each(&mut note),
                    Msg::Token(queue, _) => queue.iter().chain([&flight.to]).for_each(&mut note),
                }
            }
            for (n, known) in world.nodes.iter().zip(known) {
                if known != u32::from(n.requesting.is_some() && !n.token) {
                    let name = system.setup.name(n.me);
                    return Err(format!("the request of {name} is recorded in {known} places"));
                }
            }
            Ok(())
        }),
    }
}

fn of_each_node<const AGGREGATES: bool>(
    name: &'static str,
    holds: fn(&Preempt<AGGREGATES>, &Node) -> bool,
) -> Invariant<Preempt<AGGREGATES>> {
    Invariant {
        name,
        check: Box::new(move |system, world| match world.nodes.iter().find(|n| !holds(&system.algorithm, n)) {
            Some(n) => Err(format!("violated at {}", system.setup.name(n.me))),
            None => Ok(()),
        }),
    }
}
