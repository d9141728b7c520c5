//! Neilsen and Mizuno's algorithm on a directed acyclic graph.
//!
//! *Source.* M. L. Neilsen and M. Mizuno, "A DAG-based algorithm for distributed mutual exclusion",
//! ICDCS 1991.
//!
//! # The idea
//!
//! The nodes form a fixed tree without a root. `LAST` of a node is its neighbour towards the last
//! requester; a node without `LAST` is that requester itself, the *sink*. A request travels along
//! the edges to the sink and reverses each of them, so the requester becomes the next sink. The old
//! sink stores the requester in one variable, `FOLLOW`: the queue of all requests is the chain of
//! these variables. The token does not use the edges of the tree but goes directly to the node that
//! `FOLLOW` names. `HOLDING` is true where the token is idle.
//!
//! On a star an entry takes at most three messages. Compare Naimi–Tréhel, where a request redirects
//! the pointers it passes to the *requester* (the tree changes), and Raymond, where the token
//! travels back edge by edge.
//!
//! # Where we depart from the paper
//!
//! The paper has one process per node. Here further threads wait at their node; when a thread has
//! left, the next enters at once if the token stays, otherwise the node requests again. The initial
//! pointers and the first holder are those of the setup.

use lockstep_kernel::algorithm::{Call, MessageKind, Role};
use lockstep_kernel::entry::{Drive, Line, Needs, SampleSystem, essential, line};
use lockstep_kernel::invariant::{Invariant, mutual_exclusion, one_token, owners_lead_to_a_tail};
use lockstep_kernel::view::{Cause, ObservedStep, Waiter};
use lockstep_kernel::{Algorithm, Entry, Message, NodeId, NodeView, Out, PointerView, Setup, ThreadId, Var, lines};
use std::collections::VecDeque;

/// No parameters.
pub struct NeilsenMizuno;

/// The messages between nodes.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Msg {
    /// This node requests the token; the sender is the neighbour that forwarded the request.
    Request(NodeId),
    /// The token.
    Privilege,
}

impl Message for Msg {
    const KINDS: &'static [MessageKind] =
        &[MessageKind { name: "request", role: Role::Request }, MessageKind { name: "token", role: Role::Token }];

    #[inline]
    fn kind(&self) -> usize {
        usize::from(*self == Msg::Privilege)
    }

    fn tag(&self, setup: &Setup) -> String {
        match self {
            Msg::Request(node) => format!("R{}", setup.name(*node).trim_start_matches('p')),
            Msg::Privilege => "P".into(),
        }
    }

    fn label(&self, setup: &Setup) -> String {
        match self {
            Msg::Request(node) => format!("REQUEST({})", setup.name(*node)),
            Msg::Privilege => "PRIVILEGE".into(),
        }
    }
}

/// One node.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Node {
    me: NodeId,
    last: Option<NodeId>,
    follow: Option<NodeId>,
    holding: bool,
    inside: bool,
    /// The thread that this node requests for, or that is inside.
    requesting: Option<ThreadId>,
    /// Further threads of this node.
    more: VecDeque<ThreadId>,
}

impl Node {
    fn has_token(&self) -> bool {
        self.holding || self.inside
    }
}

lines! {
    ENTER, USE, ASK, SINK, FORWARD, GIVE, GIVEN, FOLLOW, TURN, ARRIVE, PASS, PASSED, HOLD,
    AGAIN,
}

impl NeilsenMizuno {
    #[inline]
    fn acquire(&self, n: &mut Node, thread: ThreadId, out: &mut impl Out<Msg>) {
        n.requesting = Some(thread);
        if n.holding {
            out.line(ENTER);
            if out.line(USE) {
                n.holding = false;
            }
            n.inside = true;
            return out.grant(thread);
        }
        let Some(last) = n.last else {
            return out.impossible("a sink without the token has no node to send a request to");
        };
        if out.line(ASK) {
            out.send(last, Msg::Request(n.me));
        }
        if out.line(SINK) {
            n.last = None;
        }
    }

    #[inline]
    fn leave(&self, n: &mut Node, out: &mut impl Out<Msg>) {
        n.requesting = None;
        n.inside = false;
        if let Some(follow) = n.follow
            && out.line(PASS)
        {
            out.send(follow, Msg::Privilege);
            if out.line(PASSED) {
                n.follow = None;
            }
        } else if out.line(HOLD) {
            n.holding = true;
        }
        if let Some(thread) = n.more.pop_front() {
            out.line(AGAIN);
            self.acquire(n, thread, out);
        }
    }
}

impl Algorithm for NeilsenMizuno {
    type Node = Node;
    type Msg = Msg;

    fn new(_: &Setup) -> Self {
        NeilsenMizuno
    }

    fn start(&self, me: NodeId, setup: &Setup) -> Node {
        let last = Some(setup.parents[me.index()]).filter(|p| *p != me);
        let more = VecDeque::with_capacity(setup.threads[me.index()] as usize);
        Node { me, last, follow: None, holding: last.is_none(), inside: false, requesting: None, more }
    }

    #[inline]
    fn anonymous(&self) -> bool {
        true
    }

    fn on_call(&self, n: &mut Node, call: Call, out: &mut impl Out<Msg>) {
        match call {
            Call::Request(thread) if n.requesting.is_some() => n.more.push_back(thread),
            Call::Request(thread) => self.acquire(n, thread, out),
            Call::Release(_) => self.leave(n, out),
        }
    }

    #[inline]
    fn on_message(&self, n: &mut Node, from: NodeId, msg: Msg, out: &mut impl Out<Msg>) {
        match msg {
            Msg::Request(who) if who == n.me => out.impossible("a request came back to its own node"),
            Msg::Request(who) => {
                if let Some(last) = n.last {
                    out.line(FORWARD);
                    out.send(last, Msg::Request(who));
                } else if n.holding {
                    out.line(GIVE);
                    out.send(who, Msg::Privilege);
                    if out.line(GIVEN) {
                        n.holding = false;
                    }
                } else if out.line(FOLLOW) {
                    n.follow = Some(who);
                }
                if out.line(TURN) {
                    n.last = Some(from);
                }
            }
            Msg::Privilege => match n.requesting {
                Some(thread) if !n.has_token() => {
                    out.line(ARRIVE);
                    n.inside = true;
                    out.grant(thread);
                }
                _ => out.impossible("the token came to a node that did not request it"),
            },
        }
    }

    fn view(&self, n: &Node, _: &Setup) -> NodeView {
        let link = |kind: &str, to: Option<NodeId>| to.map(|to| PointerView { kind: kind.into(), to });
        let asking = n.requesting.filter(|_| !n.inside).map(Waiter::User);
        let more = n.more.iter().copied().map(Waiter::User);
        NodeView {
            token: n.has_token(),
            links: link("LAST", n.last).into_iter().chain(link("FOLLOW", n.follow)).collect(),
            queue: asking.into_iter().chain(n.follow.map(Waiter::Remote)).chain(more).collect(),
            vars: vec![
                Var::maybe_node("LAST", n.last),
                Var::maybe_node("FOLLOW", n.follow),
                Var::new("HOLDING", n.holding),
            ],
            badges: if n.last.is_none() { vec!["sink".into()] } else { Vec::new() },
        }
    }

    fn invariants() -> Vec<Invariant<Self>> {
        vec![
            mutual_exclusion(),
            one_token(Node::has_token, |m| *m == Msg::Privilege),
            owners_lead_to_a_tail(|n: &Node| n.last),
            every_edge_has_one_direction(),
        ]
    }

    fn narrate(&self, step: &ObservedStep<'_, Self>) -> String {
        let (me, before) = (step.name(step.me), step.before);
        let node = |node: Option<NodeId>| node.map_or("no node", |n| step.name(n));
        match step.cause {
            Cause::Asked(thread) => {
                let user = step.setup.thread_name(thread);
                if step.ran(ENTER) {
                    format!("{user} enters at once: {me} is HOLDING the token.")
                } else if step.ran(ASK) {
                    format!(
                        "{user} waits. {me} sends a request to {}, its neighbour towards the last requester, and becomes a sink.",
                        node(before.last)
                    )
                } else {
                    format!("{user} waits for another thread of {me}.")
                }
            }
            Cause::Left(thread) => {
                let mut text = format!("{} leaves. ", step.setup.thread_name(thread));
                text += &if step.ran(PASS) {
                    format!("{me} sends the token directly to its FOLLOW, {}.", node(before.follow))
                } else {
                    format!("{me} has no FOLLOW, so it keeps the token: HOLDING.")
                };
                if let Some(next) = step.granted() {
                    text += &format!(" {} waited at {me} and enters.", step.setup.thread_name(next));
                } else if step.ran(ASK) {
                    text += &format!(" Another thread waits at {me}, which sends a request to {}.", node(before.last));
                }
                text
            }
            Cause::Received(from, Msg::Request(who)) => {
                let (who, from) = (step.name(*who), step.name(from));
                let turned = format!("The edge to {from} is reversed.");
                if step.ran(FORWARD) {
                    format!("{me} is not a sink: it forwards the request of {who} to {}. {turned}", node(before.last))
                } else if step.ran(GIVE) {
                    format!("{me} is HOLDING the token: it sends it directly to {who}. {turned}")
                } else {
                    format!("{me} is the sink: {who} comes after it (FOLLOW). {turned}")
                }
            }
            Cause::Received(_, Msg::Privilege) => {
                let user = step.granted().map_or("no thread".into(), |t| step.setup.thread_name(t));
                format!("The token reaches {me}, and {user} enters.")
            }
        }
    }
}

/// The edges of the tree never change: `LAST` of one of the two ends names the other, or a request
/// is in flight between them.
fn every_edge_has_one_direction() -> Invariant<NeilsenMizuno> {
    Invariant {
        name: "every edge has one direction",
        check: Box::new(|system, world| {
            for n in &world.nodes {
                let parent = system.setup.parents[n.me.index()];
                if parent == n.me {
                    continue;
                }
                let points = |a: NodeId, b: NodeId| usize::from(world.nodes[a.index()].last == Some(b));
                let between = |a, b| (a, b) == (n.me, parent) || (b, a) == (n.me, parent);
                let moving = world.flights.iter().filter(|f| f.msg != Msg::Privilege && between(f.from, f.to)).count();
                if points(n.me, parent) + points(parent, n.me) + moving != 1 {
                    let (a, b) = (system.setup.name(parent), system.setup.name(n.me));
                    return Err(format!("the edge between {a} and {b} does not have one direction"));
                }
            }
            Ok(())
        }),
    }
}

const LISTING: &[(&str, &[Line])] = &[
    (
        "a thread requests",
        &[
            line(ENTER, "HOLDING: enter"),
            essential(USE, "  HOLDING := false"),
            essential(ASK, "else send REQUEST(self) to LAST"),
            essential(SINK, "  LAST := none, we are a sink now"),
        ],
    ),
    (
        "REQUEST(who) of a neighbour arrives",
        &[
            line(FORWARD, "no sink: forward it to LAST"),
            line(GIVE, "sink and HOLDING: send the PRIVILEGE to who"),
            essential(GIVEN, "  HOLDING := false"),
            essential(FOLLOW, "sink, not HOLDING: FOLLOW := who"),
            essential(TURN, "LAST := the neighbour, in all three cases"),
        ],
    ),
    ("the PRIVILEGE arrives", &[line(ARRIVE, "enter")]),
    (
        "a thread leaves",
        &[
            essential(PASS, "FOLLOW known: send it the PRIVILEGE"),
            essential(PASSED, "  FOLLOW := none"),
            essential(HOLD, "else HOLDING := true"),
            line(AGAIN, "another thread waits here: it requests"),
        ],
    ),
];

/// The entry in the table of algorithms.
pub const ENTRY: Entry = Entry {
    id: "neilsen-mizuno",
    title: "Neilsen–Mizuno",
    year: 1991,
    source: "Neilsen and Mizuno, A DAG-based algorithm for distributed mutual exclusion, ICDCS 1991",
    printed: false,
    params: &[],
    needs: Needs { fifo: false, fifo_with: None, tree: true },
    claims: &[
        "an entry takes at most D + 1 messages, D the longest path of the tree: three on a star",
        "on a star an isolated entry takes 3 − 5/n + 2/n² messages on average",
        "one variable per node stores the whole queue",
    ],
    tree_link: "LAST",
    listing: LISTING,
    sample: SampleSystem::CHAIN,
    drive: Drive::of::<NeilsenMizuno>(),
};
