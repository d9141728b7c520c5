//! Naimi–Tréhel and its proxies as printed: a holder that does not know that it gave the token away.
//!
//! *Source.* M. Bertier, L. Arantes and P. Sens, "Hierarchical token based mutual exclusion algorithms", INRIA RR-5177, 2004, Figures 1
//! and 3. What the algorithm is about, and how it is repaired, is told in `naimi_trehel`.
//!
//! # How we read the text
//!
//! The text lost its indentation; its comments say to which `if` each `else` belongs. A terminal node (`owner` = none) that is requesting
//! takes the requester as its owner, and as its next if it has none. A terminal node that is not sends the token, and that is all. Any
//! other node passes the request on and points at the requester. The proxies change only the pointers at the beginning.
//!
//! # What goes wrong
//!
//! * The idle holder keeps `owner` = none, which means "the token is here or will come". When its own thread asks, it enters without the
//!   token: two nodes inside after 4 steps, with two nodes and one request each.
//! * Equally, a second request that reaches it is answered with a second token: two tokens after 4 steps, with three nodes.
//!
//! Figures 2 and 4 never meet an idle holder and come out right.

use lockstep_kernel::algorithm::{Call, MessageKind, Role};
use lockstep_kernel::entry::{Drive, Line, Needs, Param, line};
use lockstep_kernel::invariant::{Invariant, mutual_exclusion, one_token};
use lockstep_kernel::view::{Cause, ObservedStep, Waiter};
use lockstep_kernel::{Algorithm, Entry, Message, NodeId, NodeView, Out, PointerView, Setup, ThreadId, Var, lines};
use std::collections::{BTreeMap, VecDeque};

/// Nothing that all nodes know. With `PROXIES` it begins with a tree of two levels, else with the pointers of the setup.
pub struct Printed<const PROXIES: bool = false>;

/// What nodes send each other.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Msg {
    /// This node wants the token.
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
    /// The thread for which this node is asking, or that is inside.
    requesting: Option<ThreadId>,
    /// Further threads of this node.
    more: VecDeque<ThreadId>,
}

lines! {
    ENTER, ASK, PASS, OWNER, AFTER, GIVE, FORWARD, TOKEN,
}

impl<const PROXIES: bool> Printed<PROXIES> {
    #[inline]
    fn want(&self, n: &mut Node, thread: ThreadId, out: &mut impl Out<Msg>) {
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
            Call::Request(thread) => self.want(n, thread, out),
            Call::Release(_) => {
                n.requesting = None;
                if let Some(next) = n.next.take() {
                    out.line(PASS);
                    n.token = false;
                    out.send(next, Msg::Token);
                }
                if let Some(thread) = n.more.pop_front() {
                    self.want(n, thread, out);
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
                _ => out.impossible("the token came to a node that did not ask for it"),
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

    fn narrate(&self, told: &ObservedStep<'_, Self>) -> String {
        let (me, before) = (told.name(told.me), told.before);
        let name = |node: Option<NodeId>| node.map_or("nobody", |n| told.name(n));
        let enters = match told.after.token {
            true => format!("{me} points nowhere, so it takes itself for the holder, and it is."),
            false => {
                format!("{me} points nowhere, so it takes itself for the holder and lets it in WITHOUT the token.")
            }
        };
        match told.cause {
            Cause::Asked(thread) => {
                let user = told.setup.thread_name(thread);
                if told.ran(ENTER) {
                    format!("{user} enters: {enters}")
                } else if told.ran(ASK) {
                    format!("{user} waits. {me} asks {} and points nowhere: it is terminal now.", name(before.owner))
                } else {
                    format!("{user} waits for the other thread of {me}.")
                }
            }
            Cause::Left(thread) => {
                let user = told.setup.thread_name(thread);
                let then = if told.ran(ENTER) { format!(" The next thread enters: {enters}") } else { String::new() };
                if told.ran(PASS) {
                    format!("{user} leaves, and {me} sends the token to its next, {}.{then}", name(before.next))
                } else {
                    format!("{user} leaves. {me} knows no successor.{then}")
                }
            }
            Cause::Received(_, Msg::Request(who)) => {
                let who = told.name(*who);
                if told.ran(FORWARD) {
                    format!("{me} passes the request on to {} and points at {who}.", name(before.owner))
                } else if told.ran(GIVE) {
                    let what = if before.token { "the token" } else { "a token that it does NOT have" };
                    format!("{me} is terminal and idle: it sends {what} to {who}, and still points nowhere.")
                } else {
                    format!("{me} is terminal and requesting: {who} is its next and its owner now.")
                }
            }
            Cause::Received(_, Msg::Token) => format!("The token reaches {me}, and its thread enters."),
        }
    }
}

/// The tree of two levels: every cluster but that of node 0 has a proxy, its first host or a node of its own.
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
        "a thread wants to enter",
        &[line(ASK, "owner known: ask it; owner := none; wait for the token"), line(ENTER, "else enter")],
    ),
    ("a thread leaves", &[line(PASS, "next known: send it the token; next := none")]),
    (
        "a request arrives",
        &[
            line(OWNER, "terminal and requesting: owner := requester"),
            line(AFTER, "  no next: next := requester"),
            line(GIVE, "terminal, not requesting: send the token"),
            line(FORWARD, "not terminal: pass it on to owner; owner := requester"),
        ],
    ),
    ("the token arrives", &[line(TOKEN, "our thread enters")]),
];

/// The row of the table.
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
    drive: Drive::of::<Printed>(),
};

/// The row of the proxies.
pub const PROXY: Entry = Entry {
    id: "proxy-printed",
    title: "Naimi–Tréhel with proxies, as printed",
    source: "Bertier, Arantes and Sens, Hierarchical token based mutual exclusion algorithms, INRIA RR-5177, 2004, Figure 3",
    params: &[Param {
        name: "proxies",
        about: "the proxy of a cluster is its first host, or a node of its own",
        values: &["host", "extra"],
    }],
    needs: Needs { fifo: false, fifo_with: None, tree: false },
    drive: Drive::of::<Printed<true>>(),
    ..ENTRY
};
