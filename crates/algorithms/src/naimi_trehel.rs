//! Naimi and Tréhel's path reversal and, with proxies, its first extension to clusters.
//!
//! *Source.* M. Naimi and M. Tréhel, "An improvement of the log(n) distributed algorithm for mutual
//! exclusion", 1987, as printed in M. Bertier, L. Arantes and P. Sens, "Hierarchical token based
//! mutual exclusion algorithms", INRIA RR-5177, 2004.
//!
//! # The idea
//!
//! Two pointers build two structures. `owner` leads to the last requester, the tail of a
//! distributed queue; none: this node is the tail. `next` names the node that gets the token after
//! this one. A request follows the `owner` pointers, and every node that it passes points at the
//! requester from then on: the path reverses, and trees stay flat (H(n−1) messages for an isolated
//! entry, counting the token).
//!
//! *Proxy*, the first extension of Bertier, Arantes and Sens, changes only the initial tree: node 0
//! has the token, its cluster points at it, every other node at the proxy of its own cluster, and
//! the proxies at node 0. The first request of a cluster goes through its proxy, which can then
//! redirect the next one within the cluster. Path reversal gradually removes the two levels: each
//! node uses its proxy only until it has requested once.
//!
//! # Where we depart from the paper
//!
//! * As printed, an idle holder that gives the token away keeps `owner` = none and can later enter
//!   without the token (two nodes inside after 4 steps). Here `owner := requester` in all three
//!   cases.
//! * The paper has one thread per node. Here further threads wait at their node, which requests
//!   again when a thread has left.
//! * Its prose lets a node send a request to its proxy again whenever it believes the token to be
//!   far away; its figure does not. Added to the figure, that rule deadlocks (after 10 steps a node
//!   receives its own request), so we follow the figure.
//! * The paper elects the proxy among the hosts and draws it as a separate node: parameter
//!   `proxies`.

use lockstep_kernel::algorithm::{Call, MessageKind, Role};
use lockstep_kernel::entry::{Drive, Line, Needs, Param, SampleSystem, essential, line};
use lockstep_kernel::invariant::{Invariant, mutual_exclusion, one_token, owners_lead_to_a_tail};
use lockstep_kernel::view::{Cause, ObservedStep, Waiter};
use lockstep_kernel::{Algorithm, Entry, Message, NodeId, NodeView, Out, PointerView, Setup, ThreadId, Var, lines};
use std::collections::{BTreeMap, VecDeque};

/// The algorithm has no state of its own. With `PROXIES` it starts with a tree of two levels,
/// otherwise with the topology of the setup.
pub struct NaimiTrehel<const PROXIES: bool = false>;

/// Naimi–Tréhel with a proxy per cluster.
pub type Proxy = NaimiTrehel<true>;

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
    /// Further threads of this node; boxed because most nodes never have any.
    #[expect(clippy::box_collection, reason = "one word instead of four in a node that batch runs have 100,000 of")]
    more: Option<Box<VecDeque<ThreadId>>>,
}

lines! {
    ENTER, ASK, BECOME_TAIL, PASS, FORWARD, AFTER, GIVE, REVERSE, TOKEN,
}

impl<const PROXIES: bool> NaimiTrehel<PROXIES> {
    #[inline]
    fn acquire(&self, n: &mut Node, thread: ThreadId, out: &mut impl Out<Msg>) {
        n.requesting = Some(thread);
        match n.owner {
            None => {
                out.line(ENTER);
                out.grant(thread);
            }
            Some(owner) => {
                if out.line(ASK) {
                    out.send(owner, Msg::Request(n.me));
                }
                if out.line(BECOME_TAIL) {
                    n.owner = None;
                }
            }
        }
    }
}

impl<const PROXIES: bool> Algorithm for NaimiTrehel<PROXIES> {
    type Node = Node;
    type Msg = Msg;

    fn arrange(setup: &mut Setup) {
        if PROXIES {
            two_levels(setup);
        }
    }

    fn new(_: &Setup) -> Self {
        NaimiTrehel
    }

    fn start(&self, me: NodeId, setup: &Setup) -> Node {
        let owner = Some(setup.parents[me.index()]).filter(|p| *p != me);
        Node { me, token: owner.is_none(), owner, next: None, requesting: None, more: None }
    }

    #[inline]
    fn anonymous(&self) -> bool {
        !PROXIES
    }

    fn on_call(&self, n: &mut Node, call: Call, out: &mut impl Out<Msg>) {
        match call {
            Call::Request(thread) if n.requesting.is_some() => n.more.get_or_insert_default().push_back(thread),
            Call::Request(thread) => self.acquire(n, thread, out),
            Call::Release(_) => {
                n.requesting = None;
                if let Some(next) = n.next
                    && out.line(PASS)
                {
                    n.next = None;
                    n.token = false;
                    out.send(next, Msg::Token);
                }
                if let Some(more) = &mut n.more
                    && let Some(thread) = more.pop_front()
                {
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
                } else if n.requesting.is_some() {
                    out.line(AFTER);
                    n.next = Some(who);
                } else {
                    out.line(GIVE);
                    n.token = false;
                    out.send(who, Msg::Token);
                }
                if out.line(REVERSE) {
                    n.owner = Some(who);
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
        let more = n.more.iter().flat_map(|m| m.iter()).copied().map(Waiter::User);
        NodeView {
            token: n.token,
            links: link("owner", n.owner).into_iter().chain(link("next", n.next)).collect(),
            queue: asking.into_iter().chain(n.next.map(Waiter::Remote)).chain(more).collect(),
            vars: vec![
                Var::maybe_node("owner", n.owner),
                Var::maybe_node("next", n.next),
                Var::new("token", n.token),
                Var::new("requesting", n.requesting.is_some()),
            ],
            badges: if n.owner.is_none() { vec!["tail".into()] } else { Vec::new() },
        }
    }

    fn invariants() -> Vec<Invariant<Self>> {
        vec![
            mutual_exclusion(),
            one_token(|n: &Node| n.token, |m| *m == Msg::Token),
            owners_lead_to_a_tail(|n: &Node| n.owner),
        ]
    }

    fn narrate(&self, step: &ObservedStep<'_, Self>) -> String {
        let me = step.name(step.me);
        let owner = || step.before.owner.map_or("no node", |o| step.name(o));
        match step.cause {
            Cause::Asked(thread) => {
                let user = step.setup.thread_name(thread);
                if step.ran(ENTER) {
                    format!("{user} enters at once: {me} has the token and is the tail of the queue.")
                } else if step.ran(ASK) {
                    format!("{user} waits. {me} sends a request to its owner, {}, and is now the tail itself.", owner())
                } else {
                    format!("{user} waits for another thread of {me}.")
                }
            }
            Cause::Left(thread) => {
                let user = step.setup.thread_name(thread);
                if step.ran(PASS) {
                    let next = step.before.next.map_or("no node", |o| step.name(o));
                    format!("{user} leaves, and {me} sends the token to its next, {next}.")
                } else {
                    format!("{user} leaves. {me} has no next, so the token stays.")
                }
            }
            Cause::Received(_, Msg::Request(who)) => {
                let who = step.name(*who);
                if step.ran(FORWARD) {
                    format!(
                        "{me} is not the tail: it forwards the request to {} and points at {who} from now on.",
                        owner()
                    )
                } else if step.ran(GIVE) {
                    format!("{me} has the token and is idle: it sends the token to {who} and points there.")
                } else {
                    format!("{me} is the tail: {who} is now its next and its owner.")
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

const LISTING: &[(&str, &[Line])] = &[
    (
        "a thread requests",
        &[
            line(ENTER, "we are the tail, so the token is here: enter"),
            essential(ASK, "else send a request to owner"),
            essential(BECOME_TAIL, "  owner := none, we are the tail now"),
        ],
    ),
    ("a thread leaves", &[essential(PASS, "next known: send it the token")]),
    (
        "a request arrives",
        &[
            line(FORWARD, "not the tail: forward it to owner"),
            line(AFTER, "tail and requesting: next := requester"),
            line(GIVE, "tail and idle: send the token to the requester"),
            essential(REVERSE, "owner := requester, in all three cases"),
        ],
    ),
    ("the token arrives", &[line(TOKEN, "our thread enters")]),
];

/// The entry in the table of algorithms.
pub const ENTRY: Entry = Entry {
    id: "naimi-trehel",
    title: "Naimi–Tréhel",
    year: 1987,
    source: "Naimi and Tréhel 1987, as printed in Bertier, Arantes and Sens, INRIA RR-5177, 2004 (repaired)",
    printed: false,
    params: &[],
    needs: Needs { fifo: false, fifo_with: None, tree: true },
    claims: &["an isolated entry takes H(n−1) messages on average, the token included"],
    tree_link: "owner",
    listing: LISTING,
    sample: SampleSystem::CHAIN,
    drive: Drive::of::<NaimiTrehel>(),
};

/// The entry of the variant with proxies.
pub const PROXY: Entry = Entry {
    id: "proxy",
    title: "Naimi–Tréhel with proxies",
    year: 2004,
    source: "Bertier, Arantes and Sens, Hierarchical token based mutual exclusion algorithms, INRIA RR-5177, 2004, §3.1 (repaired)",
    params: &[Param {
        name: "proxies",
        about: "host: the proxy of a cluster is its first host; extra: a separate node",
        values: &["host", "extra"],
    }],
    needs: Needs { fifo: false, fifo_with: None, tree: false },
    claims: &[
        "fewer messages between clusters than Naimi–Tréhel, because a proxy redirects requests within its cluster",
    ],
    sample: SampleSystem::CLUSTERS,
    drive: Drive::of::<Proxy>(),
    ..ENTRY
};
