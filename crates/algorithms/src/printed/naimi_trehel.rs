//! Naimi–Tréhel and its proxies as printed: an idle holder gives the token away and does not record
//! it.
//!
//! *Source.* M. Bertier, L. Arantes and P. Sens, "Hierarchical token based mutual exclusion
//! algorithms", INRIA RR-5177, 2004, Figures 1 and 3. The module `naimi_trehel` explains the
//! algorithm and its repair.
//!
//! # How we read the paper
//!
//! The paper lost its indentation; its comments say to which `if` each `else` belongs. A terminal
//! node (`owner` = none) that is requesting takes the requester as its owner, and as its next if it
//! has none. A terminal node that is not requesting only sends the token. Any other node forwards
//! the request and points at the requester. The proxies change only the initial pointers.
//!
//! # What goes wrong
//!
//! * The idle holder keeps `owner` = none, which means "the token is here or will come". When its
//!   own thread requests, it enters without the token: two nodes inside after 4 steps, with two
//!   nodes and one request each.
//! * Likewise, it answers a second request with a second token: two tokens after 4 steps, with
//!   three nodes.
//!
//! Figures 2 and 4 contain no idle holder, so they work as drawn.

use lockstep_kernel::algorithm::{Call, MessageKind, Role};
use lockstep_kernel::entry::{Drive, Line, Needs, Param, SampleSystem, line};
use lockstep_kernel::invariant::{Invariant, mutual_exclusion, one_token};
use lockstep_kernel::view::{Cause, ObservedStep, Waiter};
use lockstep_kernel::{Algorithm, Entry, Message, NodeId, NodeView, Out, PointerView, Setup, ThreadId, Var, lines};
use std::collections::{BTreeMap, VecDeque};

/// The algorithm has no state of its own. With `PROXIES` it starts with a tree of two levels,
/// otherwise with the topology of the setup.
pub struct Printed<const PROXIES: bool = false>;

/// The messages between nodes.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Msg {
    /// This node requests the token.
    Request(NodeId),
    /// The token.
    Token,
}

impl Message for Msg {
    const KINDS: &'static [MessageKind] =
        &[MessageKind { name: "request", role: Role::Request }, MessageKind { name: "token", role: Role::Token }];

    #[inline]
    fn kind(&self) -> usize {
        usize::from(*self == Msg::Token)
    }

    fn tag(&self, setup: &Setup) -> String {
        match self {
            Msg::Request(node) => format!("R{}", setup.name(*node).trim_start_matches('p')),
            Msg::Token => "T".into(),
        }
    }

    fn label(&self, setup: &Setup) -> String {
        match self {
            Msg::Request(node) => format!("Request({})", setup.name(*node)),
            Msg::Token => "Token".into(),
        }
    }
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
    /// Further threads of this node.
    more: VecDeque<ThreadId>,
}

lines! {
    ENTER, ASK, PASS, OWNER, AFTER, GIVE, FORWARD, TOKEN,
}

impl<const PROXIES: bool> Printed<PROXIES> {
    #[inline]
    fn acquire(&self, n: &mut Node, thread: ThreadId, out: &mut impl Out<Msg>) {
        n.requesting = Some(thread);
        if let Some(owner) = n.owner {
            out.line(ASK);
            out.send(owner, Msg::Request(n.me));
            n.owner = None;
        } else {
            out.line(ENTER);
            out.grant(thread);
        }
    }
}

impl<const PROXIES: bool> Algorithm for Printed<PROXIES> {
    type Node = Node;
    type Msg = Msg;

    fn arrange(setup: &mut Setup) {
        if PROXIES {
            two_levels(setup);
        }
    }

    fn new(_: &Setup) -> Self {
        Printed
    }

    fn start(&self, me: NodeId, setup: &Setup) -> Node {
        let owner = Some(setup.parents[me.index()]).filter(|p| *p != me);
        Node { me, token: owner.is_none(), owner, next: None, requesting: None, more: VecDeque::new() }
    }

    #[inline]
    fn on_call(&self, n: &mut Node, call: Call, out: &mut impl Out<Msg>) {
        match call {
            Call::Request(thread) if n.requesting.is_some() => n.more.push_back(thread),
            Call::Request(thread) => self.acquire(n, thread, out),
            Call::Release(_) => {
                n.requesting = None;
                if let Some(next) = n.next.take() {
                    out.line(PASS);
                    n.token = false;
                    out.send(next, Msg::Token);
                }
                if let Some(thread) = n.more.pop_front() {
                    self.acquire(n, thread, out);
                }
            }
        }
    }

    #[inline]
    fn on_message(&self, n: &mut Node, _: NodeId, msg: Msg, out: &mut impl Out<Msg>) {
        match msg {
            Msg::Request(who) if who == n.me => out.impossible("a request came back to its own node"),
            Msg::Request(who) => {
                if let Some(owner) = n.owner {
                    out.line(FORWARD);
                    out.send(owner, Msg::Request(who));
                    n.owner = Some(who);
                } else if n.requesting.is_some() {
                    out.line(OWNER);
                    n.owner = Some(who);
                    if n.next.is_none() {
                        out.line(AFTER);
                        n.next = Some(who);
                    }
                } else {
                    out.line(GIVE);
                    n.token = false;
                    out.send(who, Msg::Token);
                }
            }
            Msg::Token => match n.requesting {
                Some(thread) if !n.token => {
                    out.line(TOKEN);
                    n.token = true;
                    out.grant(thread);
                }
                _ => out.impossible("the token came to a node that did not request it"),
            },
        }
    }

    fn view(&self, n: &Node, _: &Setup) -> NodeView {
        let link = |kind: &str, to: Option<NodeId>| to.map(|to| PointerView { kind: kind.into(), to });
        let asking = n.requesting.filter(|_| !n.token).map(Waiter::User);
        NodeView {
            token: n.token,
            links: link("owner", n.owner).into_iter().chain(link("next", n.next)).collect(),
            queue: (asking.into_iter())
                .chain(n.next.map(Waiter::Remote))
                .chain(n.more.iter().copied().map(Waiter::User))
                .collect(),
            vars: vec![
                Var::maybe_node("owner", n.owner),
                Var::maybe_node("next", n.next),
                Var::new("token", n.token),
                Var::new("requesting", n.requesting.is_some()),
            ],
            badges: if n.owner.is_none() { vec!["terminal".into()] } else { Vec::new() },
        }
    }

    fn invariants() -> Vec<Invariant<Self>> {
        vec![mutual_exclusion(), one_token(|n: &Node| n.token, |m| *m == Msg::Token)]
    }

    fn narrate(&self, step: &ObservedStep<'_, Self>) -> String {
        let (me, before) = (step.name(step.me), step.before);
        let name = |node: Option<NodeId>| node.map_or("no node", |n| step.name(n));
        let enters = match step.after.token {
            true => format!("owner of {me} is none, so {me} believes that it has the token, and it does."),
            false => {
                format!("owner of {me} is none, so {me} believes that it has the token. It enters WITHOUT the token.")
            }
        };
        match step.cause {
            Cause::Asked(thread) => {
                let user = step.setup.thread_name(thread);
                if step.ran(ENTER) {
                    format!("{user} enters: {enters}")
                } else if step.ran(ASK) {
                    format!(
                        "{user} waits. {me} sends a request to {}; its owner is now none: {me} is terminal.",
                        name(before.owner)
                    )
                } else {
                    format!("{user} waits for another thread of {me}.")
                }
            }
            Cause::Left(thread) => {
                let user = step.setup.thread_name(thread);
                let then = if step.ran(ENTER) { format!(" The next thread enters: {enters}") } else { String::new() };
                if step.ran(PASS) {
                    format!("{user} leaves, and {me} sends the token to its next, {}.{then}", name(before.next))
                } else {
                    format!("{user} leaves. {me} has no next.{then}")
                }
            }
            Cause::Received(_, Msg::Request(who)) => {
                let who = step.name(*who);
                if step.ran(FORWARD) {
                    format!("{me} forwards the request to {} and points at {who}.", name(before.owner))
                } else if step.ran(GIVE) {
                    let what = if before.token { "the token" } else { "a token that it does NOT have" };
                    format!("{me} is terminal and idle: it sends {what} to {who} and keeps owner = none.")
                } else {
                    format!("{me} is terminal and requesting: {who} is now its next and its owner.")
                }
            }
            Cause::Received(_, Msg::Token) => format!("The token reaches {me}, and its thread enters."),
        }
    }
}

/// The tree of two levels: every cluster except that of node 0 has a proxy, its first host or a
/// separate node.
fn two_levels(setup: &mut Setup) {
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

/// The listing, in our own words.
const LISTING: &[(&str, &[Line])] = &[
    (
        "a thread requests",
        &[line(ASK, "owner known: send it a request; owner := none; wait for the token"), line(ENTER, "else enter")],
    ),
    ("a thread leaves", &[line(PASS, "next known: send it the token; next := none")]),
    (
        "a request arrives",
        &[
            line(OWNER, "terminal and requesting: owner := requester"),
            line(AFTER, "  no next: next := requester"),
            line(GIVE, "terminal, not requesting: send the token"),
            line(FORWARD, "not terminal: forward it to owner; owner := requester"),
        ],
    ),
    ("the token arrives", &[line(TOKEN, "our thread enters")]),
];

/// The entry in the table of algorithms.
pub const ENTRY: Entry = Entry {
    id: "naimi-trehel-printed",
    title: "Naimi–Tréhel, as printed",
    year: 2004,
    source: "Naimi and Tréhel 1987, as printed in Bertier, Arantes and Sens, INRIA RR-5177, 2004, Figure 1",
    printed: true,
    params: &[],
    needs: Needs { fifo: false, fifo_with: None, tree: true },
    claims: &["mutual exclusion"],
    tree_link: "owner",
    listing: LISTING,
    sample: SampleSystem::CHAIN,
    drive: Drive::of::<Printed>(),
};

/// The entry of the variant with proxies.
pub const PROXY: Entry = Entry {
    id: "proxy-printed",
    title: "Naimi–Tréhel with proxies, as printed",
    source: "Bertier, Arantes and Sens, Hierarchical token based mutual exclusion algorithms, INRIA RR-5177, 2004, Figure 3",
    params: &[Param {
        name: "proxies",
        about: "host: the proxy of a cluster is its first host; extra: a separate node",
        values: &["host", "extra"],
    }],
    needs: Needs { fifo: false, fifo_with: None, tree: false },
    sample: SampleSystem::CLUSTERS,
    drive: Drive::of::<Printed<true>>(),
    ..ENTRY
};
