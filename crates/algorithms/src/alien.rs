//! Alien threads: mutual exclusion for nodes with several threads.
//!
//! *Source.* F. Meza, J. Pérez and Y. Eterovic, "Distributed Mutual Exclusion Algorithms for
//! multithreaded systems", ISSADS 2005.
//!
//! This file is written as a tutorial: every other algorithm has the same parts in the same order.
//!
//! # The idea
//!
//! There is one token, and each node has several user threads. Every node has one queue and a guess
//! where the token is, `probOwner`; the guesses form a tree whose root has the token. A node that
//! needs the token wakes its *alien thread* at its probable owner. The alien queues there like any
//! user thread; at the head of the queue it sends the token to its own node instead of entering. An
//! alien that finds no token sends a request on behalf of the node where it waits. When the token
//! leaves a node whose queue is not empty, the node requests it back at once, with a separate
//! message or *piggybacked* on the token.
//!
//! Version 2 changes one thing: an alien that finds neither the token nor a queue does not wait. It
//! forwards the request on behalf of its own node, and the token later takes the short route.
//!
//! # Where we depart from the paper
//!
//! As printed, the algorithm deadlocks, loses the token and lets two users in (`alien-printed`
//! plays it). We keep its ideas and repair the following:
//!
//! * *One FIFO queue per node.* The paper has two kinds of wait and does not say which one a signal
//!   wakes; an arriving token can find no thread in the wait that it signals. Here both kinds of
//!   signal serve the head of one queue, which the argument against starvation needs too.
//! * *Every arrival of the token* sets `probOwner` to the node itself and clears `tokenRequested`,
//!   whichever thread is served then. The paper does this on only one of two paths; the stale flag
//!   lets a later thread in without the token.
//! * When the token leaves, *`tokenRequested` is set to whether the queue is not empty*; the paper
//!   only ever sets it to true.
//! * *Each operation is one atomic step* of its node. The paper omits the monitor; without it
//!   wake-ups get lost.
//! * The paper does not say whether a piggybacked request is queued before or after the token is
//!   passed on; its Figure 1d shows before.
//! * `numLocal` is the length of the queue plus the user inside, so it is shown but not stored.

use lockstep_kernel::algorithm::{Call, MessageKind, Role};
use lockstep_kernel::entry::{Drive, Line, Needs, Param, SampleSystem, essential, line};
use lockstep_kernel::invariant::{Invariant, mutual_exclusion, one_token, owner_chains};
use lockstep_kernel::view::{Cause, ObservedStep, Waiter};
use lockstep_kernel::{Algorithm, Entry, Message, NodeId, NodeView, Out, PointerView, Setup, ThreadId, Var, lines};
use std::collections::VecDeque;

/// The algorithm's parameters, the same at every node.
pub struct Alien {
    forwarding: bool,
    piggyback: bool,
}

/// The messages between nodes.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Msg {
    /// Wake the alien that acts for this node.
    Request(NodeId),
    /// The token, possibly with the sender's request to have it back.
    Token {
        /// Whether the sender wants it back.
        back: bool,
    },
}

impl Message for Msg {
    const KINDS: &'static [MessageKind] =
        &[MessageKind { name: "request", role: Role::Request }, MessageKind { name: "token", role: Role::Token }];

    #[inline]
    fn kind(&self) -> usize {
        match self {
            Msg::Request(_) => 0,
            Msg::Token { .. } => 1,
        }
    }

    fn tag(&self, setup: &Setup) -> String {
        match self {
            Msg::Request(home) => format!("R{}", setup.name(*home).trim_start_matches('p')),
            Msg::Token { back: false } => "T".into(),
            Msg::Token { back: true } => "T+".into(),
        }
    }

    fn label(&self, setup: &Setup) -> String {
        match self {
            Msg::Request(home) => format!("REQ({})", setup.name(*home)),
            Msg::Token { back: false } => "TOKEN".into(),
            Msg::Token { back: true } => "TOKEN+REQ".into(),
        }
    }
}

/// An entry of a node's queue.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum QueueEntry {
    /// A user thread of this node.
    User(ThreadId),
    /// The alien thread that acts for this home.
    Alien(NodeId),
}

/// One node. The token is here if and only if `prob_owner` is the node itself.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Node {
    me: NodeId,
    prob_owner: NodeId,
    asked: bool,
    inside: bool,
    queue: VecDeque<QueueEntry>,
}

impl Node {
    fn has_token(&self) -> bool {
        self.prob_owner == self.me
    }
}

lines! {
    JOIN, ASK, ASK_ONCE, FREE, LEAVE, FORWARD, WAKE, OWNER, ANSWERED, QUEUE_RETURN, ENTER,
    POINT, HAND, RETURN, RETURN_ONCE, QUIET, ARRIVED,
}

impl Alien {
    /// A user thread or an alien joins the queue.
    #[inline]
    fn acquire(&self, n: &mut Node, who: QueueEntry, out: &mut impl Out<Msg>) {
        out.line(JOIN);
        n.queue.push_back(who);
        if !n.has_token() {
            if !n.asked && out.line(ASK) {
                out.send(n.prob_owner, Msg::Request(n.me));
                n.asked = out.line(ASK_ONCE);
            }
        } else if !n.inside && n.queue.len() == 1 && out.line(FREE) {
            self.serve(n, out);
        }
    }

    /// The token is here and free: the head of the queue gets it.
    #[inline]
    fn serve(&self, n: &mut Node, out: &mut impl Out<Msg>) {
        match n.queue.pop_front() {
            None => {}
            Some(QueueEntry::User(thread)) => {
                out.line(ENTER);
                n.inside = true;
                out.grant(thread);
            }
            Some(QueueEntry::Alien(home)) => {
                if out.line(POINT) {
                    n.prob_owner = home;
                }
                out.line(HAND);
                let back = !n.queue.is_empty() && out.line(RETURN);
                n.asked = back && out.line(RETURN_ONCE);
                out.send(home, Msg::Token { back: back && self.piggyback });
                if back && !self.piggyback {
                    out.send(home, Msg::Request(n.me));
                }
            }
        }
    }
}

impl Algorithm for Alien {
    type Node = Node;
    type Msg = Msg;

    fn new(setup: &Setup) -> Self {
        Alien { forwarding: setup.params.get("variant") == "v2", piggyback: setup.params.is("piggyback") }
    }

    fn start(&self, me: NodeId, setup: &Setup) -> Node {
        // room for every thread and alien that can wait here, in systems of ordinary size
        let room = setup.threads[me.index()] as usize + setup.nodes().min(32);
        let queue = VecDeque::with_capacity(room);
        Node { me, prob_owner: setup.parents[me.index()], asked: false, inside: false, queue }
    }

    #[inline]
    fn anonymous(&self) -> bool {
        true
    }

    fn on_call(&self, n: &mut Node, call: Call, out: &mut impl Out<Msg>) {
        match call {
            Call::Request(thread) => self.acquire(n, QueueEntry::User(thread), out),
            Call::Release(_) => {
                n.inside = false;
                if out.line(LEAVE) {
                    self.serve(n, out);
                }
            }
        }
    }

    #[inline]
    fn on_message(&self, n: &mut Node, from: NodeId, msg: Msg, out: &mut impl Out<Msg>) {
        match msg {
            Msg::Request(home) if home == n.me => out.impossible("a request came back to its own node"),
            Msg::Request(home) => {
                if self.forwarding && !n.has_token() && (n.queue.is_empty() || !out.line(QUIET)) {
                    out.line(FORWARD);
                    out.send(n.prob_owner, Msg::Request(home));
                } else {
                    out.line(WAKE);
                    self.acquire(n, QueueEntry::Alien(home), out);
                }
            }
            Msg::Token { .. } if n.has_token() => out.impossible("the token reached a node that already had it"),
            Msg::Token { back } => {
                if out.line(OWNER) {
                    n.prob_owner = n.me;
                }
                if out.line(ANSWERED) {
                    n.asked = false;
                }
                if back && out.line(QUEUE_RETURN) {
                    n.queue.push_back(QueueEntry::Alien(from));
                }
                out.line(ARRIVED);
                self.serve(n, out);
            }
        }
    }

    fn view(&self, n: &Node, _: &Setup) -> NodeView {
        let waiter = |w: &QueueEntry| match w {
            QueueEntry::User(thread) => Waiter::User(*thread),
            QueueEntry::Alien(home) => Waiter::Alien(*home),
        };
        NodeView {
            token: n.has_token(),
            links: vec![PointerView { kind: "probOwner".into(), to: n.prob_owner }],
            queue: n.queue.iter().map(waiter).collect(),
            vars: vec![
                Var::node("probOwner", n.prob_owner),
                Var::new("tokenRequested", n.asked),
                Var::new("numLocal", n.queue.len() + usize::from(n.inside)),
            ],
            badges: Vec::new(),
        }
    }

    fn invariants() -> Vec<Invariant<Self>> {
        let carries = |m: &Msg| matches!(m, Msg::Token { .. });
        vec![
            mutual_exclusion(),
            one_token(Node::has_token, carries),
            owner_chains(|n: &Node| n.prob_owner, Node::has_token, carries),
            one_alien_for_each_home(),
        ]
    }

    fn narrate(&self, step: &ObservedStep<'_, Self>) -> String {
        let (me, after) = (step.name(step.me), step.after);
        match step.cause {
            Cause::Asked(thread) => {
                let user = step.setup.thread_name(thread);
                if step.granted() == Some(thread) {
                    format!("{user} enters at once: {me} has the token and its queue is empty.")
                } else if step.ran(ASK) {
                    let owner = step.name(after.prob_owner);
                    format!(
                        "{user} waits. The token is not at {me}, so {me} wakes its alien at {owner}, its probable owner."
                    )
                } else if after.has_token() {
                    format!("{user} joins the queue of {me}: the token is here, but in use.")
                } else {
                    format!("{user} only joins the queue: {me} has already requested the token.")
                }
            }
            Cause::Left(thread) => {
                let user = step.setup.thread_name(thread);
                format!("{user} leaves. {}", self.narrate_service(step))
            }
            Cause::Received(_, Msg::Request(home)) => {
                let (home, owner) = (step.name(*home), step.name(step.before.prob_owner));
                if step.ran(FORWARD) {
                    format!(
                        "The alien of {home} at {me} finds neither the token nor a queue there, so it forwards the request to {owner}, still for {home}."
                    )
                } else if step.ran(ASK) {
                    format!(
                        "The alien of {home} finds no token at {me}, so it sends a request to {owner} on behalf of {me} and waits in the queue of {me}."
                    )
                } else if step.ran(HAND) {
                    format!(
                        "The alien of {home} wakes at {me} and finds the token free. {}",
                        self.narrate_service(step)
                    )
                } else if after.has_token() {
                    format!("The alien of {home} wakes at {me} and joins its queue, like any other thread.")
                } else {
                    format!(
                        "The alien of {home} wakes at {me} and only joins its queue: {me} has already requested the token."
                    )
                }
            }
            Cause::Received(from, Msg::Token { back }) => {
                let came = if *back {
                    format!(" with a request to come back, so the alien of {} joins the queue", step.name(from))
                } else {
                    String::new()
                };
                format!("The token reaches {me}{came}. {}", self.narrate_service(step))
            }
        }
    }
}

impl Alien {
    /// What happens to the token in this step, and why.
    fn narrate_service(&self, step: &ObservedStep<'_, Self>) -> String {
        let me = step.name(step.me);
        if let Some(thread) = step.granted() {
            return format!("{} is at the head of the queue and enters.", step.setup.thread_name(thread));
        }
        if !step.ran(HAND) {
            return format!("The queue is empty, so the token stays at {me}.");
        }
        let home = step.name(step.after.prob_owner);
        let back = match (step.ran(RETURN), self.piggyback) {
            (false, _) => String::new(),
            (true, true) => format!(" The queue of {me} is not empty, so the token carries a request to have it back."),
            (true, false) => format!(" The queue of {me} is not empty, so a request to have it back follows."),
        };
        format!(
            "The alien of {home} is at the head: it sends the token to {home}, now the probable owner of {me}.{back}"
        )
    }
}

/// A node sends at most one request before the token comes, so no node has two aliens in one queue.
fn one_alien_for_each_home() -> Invariant<Alien> {
    Invariant {
        name: "one alien for each home",
        check: Box::new(|system, world| {
            for n in &world.nodes {
                for (i, waits) in n.queue.iter().enumerate() {
                    if let QueueEntry::Alien(home) = waits
                        && n.queue.iter().skip(i + 1).any(|w| w == waits)
                    {
                        let (host, home) = (system.setup.name(n.me), system.setup.name(*home));
                        return Err(format!("two aliens of {home} wait at {host}"));
                    }
                }
            }
            Ok(())
        }),
    }
}

/// The listing, in our own words.
const LISTING: &[(&str, &[Line])] = &[
    (
        "a user thread or an alien requests the token",
        &[
            line(JOIN, "join the queue of this node"),
            essential(ASK, "token elsewhere, not requested: wake my alien there"),
            essential(ASK_ONCE, "  tokenRequested := true"),
            essential(FREE, "token here and free: serve the queue"),
        ],
    ),
    ("a user thread leaves", &[essential(LEAVE, "serve the queue")]),
    (
        "the alien of a home is woken",
        &[
            line(FORWARD, "v2: token elsewhere: forward the request"),
            essential(QUIET, "  but not while the queue is not empty"),
            line(WAKE, "else request the token, like a user thread"),
        ],
    ),
    (
        "the token arrives",
        &[
            essential(OWNER, "probOwner := this node"),
            line(ANSWERED, "tokenRequested := false"),
            essential(QUEUE_RETURN, "sender wants it back: its alien joins the queue"),
            line(ARRIVED, "serve the queue"),
        ],
    ),
    (
        "serve the queue",
        &[
            line(ENTER, "head is a user: it enters"),
            essential(POINT, "head is an alien: probOwner := its home"),
            line(HAND, "  send the token home"),
            essential(RETURN, "  queue not empty: request the token back"),
            essential(RETURN_ONCE, "    tokenRequested := true"),
        ],
    ),
];

/// The entry in the table of algorithms.
pub const ENTRY: Entry = Entry {
    id: "alien",
    title: "Alien threads",
    year: 2005,
    source: "Meza, Pérez and Eterovic, Distributed Mutual Exclusion Algorithms for multithreaded systems, ISSADS 2005 (repaired)",
    printed: false,
    params: &[
        Param {
            name: "variant",
            about: "v1: an alien waits and its host sends a request; v2: an idle host forwards the request",
            values: &["v1", "v2"],
        },
        Param { name: "piggyback", about: "the token carries the request to have it back", values: &["true", "false"] },
    ],
    needs: Needs { fifo: false, fifo_with: None, tree: true },
    claims: &[
        "v1: the token takes the route of the request",
        "v1 with one thread per node behaves like Raymond's algorithm",
        "light load: v2 needs fewer messages than v1",
        "high load: very few messages, almost the same for v1 and v2",
        "v2 forwards a request at most n − 2 times on FIFO links; on unordered links a request may starve",
    ],
    tree_link: "probOwner",
    listing: LISTING,
    sample: SampleSystem::CHAIN,
    drive: Drive::of::<Alien>(),
};
