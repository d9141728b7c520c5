//! Neilsen and Mizuno's directed acyclic graph.
//!
//! *Source.* M. L. Neilsen and M. Mizuno, "A DAG-based algorithm for distributed mutual exclusion", ICDCS 1991.
//!
//! # The idea
//!
//! The nodes form a fixed tree without a root. `LAST` of each node is the neighbour on the way to the last node that asked; whoever has no
//! `LAST` is that node itself, the *sink*. A request runs to the sink along the edges and turns each of them around, so the requester is
//! the next sink. There it is remembered in one variable, `FOLLOW`: the queue of all requests is the chain of these. The token then takes no
//! edges of the tree but goes straight to the node that `FOLLOW` names. `HOLDING` is true where the token is and nobody uses it.
//!
//! On a star this needs three messages at most. Compare Naimi–Tréhel, where a request turns the pointers it passes to the *requester* (the
//! tree changes), and Raymond, where the token goes back edge by edge.
//!
//! # Where we depart from the text
//!
//! The text has one process for each node. Here further threads wait at their node; when one has left, the next enters at once if the token
//! stays, and else the node asks again. The initial pointers and the first holder are those of the setup.

use lockstep_kernel::algorithm::{Call, MessageKind, Role};
use lockstep_kernel::entry::{Drive, Line, Needs, essential, line};
use lockstep_kernel::invariant::{Invariant, mutual_exclusion, one_token, owners_lead_to_a_tail};
use lockstep_kernel::view::{Cause, ObservedStep, Waiter};
use lockstep_kernel::{Algorithm, Entry, Message, NodeId, NodeView, Out, PointerView, Setup, ThreadId, Var, lines};
use std::collections::VecDeque;

/// No parameters.
pub struct NeilsenMizuno;

/// What nodes send each other.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Msg {
    /// This node wants the token; the sender is the neighbour that passed the request on.
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
    /// The thread for which this node is asking, or that is inside.
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
    fn want(&self, n: &mut Node, thread: ThreadId, out: &mut impl Out<Msg>) {
        n.requesting = Some(thread);
        if n.holding {
            out.line(ENTER);
            if out.line(USE) {
                n.holding = false;
            }
            n.inside = true;
            return out.grant(thread);
        }
        let Some(last) = n.last else { return out.impossible("a sink without the token wants to ask") };
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
            self.want(n, thread, out);
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
            Call::Request(thread) => self.want(n, thread, out),
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
                _ => out.impossible("the token came to a node that did not ask for it"),
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

    fn narrate(&self, told: &ObservedStep<'_, Self>) -> String {
        let (me, before) = (told.name(told.me), told.before);
        let node = |node: Option<NodeId>| node.map_or("nobody", |n| told.name(n));
        match told.cause {
            Cause::Asked(thread) => {
                let user = told.setup.thread_name(thread);
                if told.ran(ENTER) {
                    format!("{user} enters at once: {me} is HOLDING the token.")
                } else if told.ran(ASK) {
                    format!(
                        "{user} waits. {me} asks {}, the neighbour towards the last node that asked, and is a sink itself from now on.",
                        node(before.last)
                    )
                } else {
                    format!("{user} waits for the other thread of {me}.")
                }
            }
            Cause::Left(thread) => {
                let mut text = format!("{} leaves. ", told.setup.thread_name(thread));
                text += &if told.ran(PASS) {
                    format!("{me} sends the token straight to its FOLLOW, {}.", node(before.follow))
                } else {
                    format!("Nobody follows {me}, so it keeps the token: HOLDING.")
                };
                if let Some(next) = told.granted() {
                    text += &format!(" {} waited at {me} and enters.", told.setup.thread_name(next));
                } else if told.ran(ASK) {
                    text += &format!(" Another thread waits at {me}, which asks {}.", node(before.last));
                }
                text
            }
            Cause::Received(from, Msg::Request(who)) => {
                let (who, from) = (told.name(*who), told.name(from));
                let turned = format!("The edge to {from} turns around.");
                if told.ran(FORWARD) {
                    format!("{me} is no sink: it passes the request of {who} on to {}. {turned}", node(before.last))
                } else if told.ran(GIVE) {
                    format!("{me} is HOLDING the token: it sends it straight to {who}. {turned}")
                } else {
                    format!("{me} is the sink: {who} comes after it (FOLLOW). {turned}")
                }
            }
            Cause::Received(_, Msg::Privilege) => {
                let user = told.granted().map_or("nobody".into(), |t| told.setup.thread_name(t));
                format!("The token reaches {me}, and {user} enters.")
            }
        }
    }
}

/// The edges of the tree never change: `LAST` of one of the two ends names the other, or a request is under way between them.
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
        "a thread wants to enter",
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
            line(FORWARD, "no sink: pass it on to LAST"),
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
            line(AGAIN, "another thread waits here: it wants to enter"),
        ],
    ),
];

/// The row of the table.
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
        "one variable for each node is the whole queue",
    ],
    tree_link: "LAST",
    listing: LISTING,
    drive: Drive::of::<NeilsenMizuno>(),
};
