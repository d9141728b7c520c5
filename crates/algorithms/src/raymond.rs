//! Raymond's tree algorithm.
//!
//! *Source.* K. Raymond, "A tree-based algorithm for distributed mutual exclusion", ACM TOCS 7(1),
//! 1989.
//!
//! # The idea
//!
//! The nodes form a fixed tree, and `HOLDER` of each node is its neighbour towards the privilege. A
//! node sends one request to its holder, however many requests wait behind it; `REQUEST_Q` stores
//! the requesting neighbours (or the node itself), in order. The privilege moves one edge at a time
//! and reverses the edge; if the queue is not empty, a request follows it at once.
//!
//! # Where we depart from the paper
//!
//! The paper has one process per node. Here several threads may wait at a node; the node queues
//! itself once per visit of the privilege, and again when a thread has left and others wait. With
//! one thread per node the algorithm is the original, message for message, and so is version 1 of
//! [`crate::alien`] without piggybacking (a test compares the traces); it is written separately for
//! that reason.

use lockstep_kernel::algorithm::{Call, MessageKind, Role};
use lockstep_kernel::entry::{Drive, Line, Needs, SampleSystem, essential, line};
use lockstep_kernel::invariant::{Invariant, mutual_exclusion, one_token, owner_chains};
use lockstep_kernel::view::{Cause, ObservedStep, Waiter};
use lockstep_kernel::{Algorithm, Entry, Message, NodeId, NodeView, Out, PointerView, Setup, ThreadId, Var, lines};
use std::collections::VecDeque;

/// No parameters.
pub struct Raymond;

/// The messages between neighbours.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Msg {
    /// The sender requests the privilege.
    Request,
    /// The privilege.
    Privilege,
}

impl Message for Msg {
    const KINDS: &'static [MessageKind] =
        &[MessageKind { name: "request", role: Role::Request }, MessageKind { name: "token", role: Role::Token }];

    #[inline]
    fn kind(&self) -> usize {
        usize::from(*self == Msg::Privilege)
    }

    fn tag(&self, _: &Setup) -> String {
        if *self == Msg::Request { "R".into() } else { "P".into() }
    }

    fn label(&self, _: &Setup) -> String {
        if *self == Msg::Request { "REQUEST".into() } else { "PRIVILEGE".into() }
    }
}

/// One node.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Node {
    me: NodeId,
    holder: NodeId,
    using: bool,
    asked: bool,
    /// Requesting neighbours; the node itself for its own threads.
    request_q: VecDeque<NodeId>,
    /// Waiting threads of this node.
    threads: VecDeque<ThreadId>,
}

impl Node {
    fn has_privilege(&self) -> bool {
        self.holder == self.me
    }
}

lines! {
    ENQUEUE, ENTER, TURN, ASSIGN, CLEAR, ASK, ASK_ONCE, ARRIVE,
}

impl Raymond {
    /// The privilege is here and unused: the head of the queue gets it.
    fn assign_privilege(&self, n: &mut Node, out: &mut impl Out<Msg>) {
        if !n.has_privilege() || n.using {
            return;
        }
        let Some(head) = n.request_q.pop_front() else { return };
        if head != n.me {
            if out.line(TURN) {
                n.holder = head;
            }
            if out.line(CLEAR) {
                n.asked = false;
            }
            out.line(ASSIGN);
            out.send(head, Msg::Privilege);
        } else if let Some(thread) = n.threads.pop_front() {
            out.line(ENTER);
            n.using = true;
            out.grant(thread);
        }
    }

    /// Sends a request if the privilege is elsewhere, the queue is not empty and no request was
    /// sent.
    fn make_request(&self, n: &mut Node, out: &mut impl Out<Msg>) {
        if !n.has_privilege() && !n.request_q.is_empty() && !n.asked && out.line(ASK) {
            out.send(n.holder, Msg::Request);
            n.asked = out.line(ASK_ONCE);
        }
    }

    fn turn(&self, n: &mut Node, out: &mut impl Out<Msg>) {
        self.assign_privilege(n, out);
        self.make_request(n, out);
    }

    /// The node's own threads count as one entry of the queue.
    fn enqueue_self(&self, n: &mut Node) {
        if !n.threads.is_empty() && !n.request_q.contains(&n.me) {
            n.request_q.push_back(n.me);
        }
    }
}

impl Algorithm for Raymond {
    type Node = Node;
    type Msg = Msg;

    fn new(_: &Setup) -> Self {
        Raymond
    }

    fn start(&self, me: NodeId, setup: &Setup) -> Node {
        Node {
            me,
            holder: setup.parents[me.index()],
            using: false,
            asked: false,
            request_q: VecDeque::with_capacity(setup.nodes().min(32)),
            threads: VecDeque::with_capacity(setup.threads[me.index()] as usize),
        }
    }

    fn anonymous(&self) -> bool {
        true
    }

    fn on_call(&self, n: &mut Node, call: Call, out: &mut impl Out<Msg>) {
        match call {
            Call::Request(thread) => {
                out.line(ENQUEUE);
                n.threads.push_back(thread);
                self.enqueue_self(n);
            }
            Call::Release(_) => {
                n.using = false;
                self.enqueue_self(n);
            }
        }
        self.turn(n, out);
    }

    fn on_message(&self, n: &mut Node, from: NodeId, msg: Msg, out: &mut impl Out<Msg>) {
        match msg {
            Msg::Request => {
                out.line(ENQUEUE);
                n.request_q.push_back(from);
            }
            Msg::Privilege if n.has_privilege() => {
                return out.impossible("the privilege reached a node that already had it");
            }
            Msg::Privilege => {
                if out.line(ARRIVE) {
                    n.holder = n.me;
                }
            }
        }
        self.turn(n, out);
    }

    fn view(&self, n: &Node, _: &Setup) -> NodeView {
        let mut queue: Vec<Waiter> = Vec::new();
        let mut threads = n.threads.iter().copied();
        for who in &n.request_q {
            if *who == n.me { queue.extend(threads.next().map(Waiter::User)) } else { queue.push(Waiter::Remote(*who)) }
        }
        queue.extend(threads.map(Waiter::User));
        NodeView {
            token: n.has_privilege(),
            links: vec![PointerView { kind: "HOLDER".into(), to: n.holder }],
            queue,
            vars: vec![Var::node("HOLDER", n.holder), Var::new("USING", n.using), Var::new("ASKED", n.asked)],
            badges: Vec::new(),
        }
    }

    fn invariants() -> Vec<Invariant<Self>> {
        let carries = |m: &Msg| *m == Msg::Privilege;
        vec![
            mutual_exclusion(),
            one_token(Node::has_privilege, carries),
            owner_chains(|n: &Node| n.holder, Node::has_privilege, carries),
            one_request_for_each_neighbour(),
        ]
    }

    fn narrate(&self, step: &ObservedStep<'_, Self>) -> String {
        let me = step.name(step.me);
        let cause = match step.cause {
            Cause::Asked(thread) => format!("{} requests.", step.setup.thread_name(thread)),
            Cause::Left(thread) => format!("{} leaves.", step.setup.thread_name(thread)),
            Cause::Received(from, Msg::Request) => {
                format!("{} requests the privilege and joins the queue of {me}.", step.name(from))
            }
            Cause::Received(_, Msg::Privilege) => format!("The privilege reaches {me}."),
        };
        let holder = step.name(step.after.holder);
        let mut then = String::new();
        if let Some(thread) = step.granted() {
            then = format!(" {} is at the head of the queue and enters.", step.setup.thread_name(thread));
        } else if step.ran(ASSIGN) {
            then = format!(" The head of the queue is {holder}: {me} sends the privilege there and sets HOLDER to it.");
        }
        if step.ran(ASK) {
            then += &format!(" The queue of {me} is not empty, so {me} sends a request to {holder}.");
        }
        if then.is_empty() {
            then = if !step.after.has_privilege() {
                format!(" {me} has already sent a request.")
            } else if step.after.using {
                " The privilege is here, but in use.".into()
            } else {
                format!(" The queue is empty, so the privilege stays at {me}.")
            };
        }
        cause + &then
    }
}

/// Each neighbour sends at most one request before it is served, so it is in the queue at most
/// once.
fn one_request_for_each_neighbour() -> Invariant<Raymond> {
    Invariant {
        name: "one request for each neighbour",
        check: Box::new(|system, world| {
            for n in &world.nodes {
                for (i, who) in n.request_q.iter().enumerate() {
                    if n.request_q.iter().skip(i + 1).any(|w| w == who) {
                        let (host, who) = (system.setup.name(n.me), system.setup.name(*who));
                        return Err(format!("{who} is twice in the queue of {host}"));
                    }
                }
            }
            Ok(())
        }),
    }
}

const LISTING: &[(&str, &[Line])] = &[
    ("a thread requests, or a neighbour's REQUEST arrives", &[line(ENQUEUE, "put it at the end of REQUEST_Q")]),
    ("the PRIVILEGE arrives", &[essential(ARRIVE, "HOLDER := self")]),
    (
        "assign the privilege (after every event)",
        &[
            line(ENTER, "here, unused, head is self: enter"),
            essential(TURN, "here, unused, head is a neighbour: HOLDER := head"),
            line(ASSIGN, "  send it the PRIVILEGE"),
            essential(CLEAR, "  ASKED := false"),
        ],
    ),
    (
        "make a request (after every event)",
        &[essential(ASK, "elsewhere, queue not empty, not ASKED: ask HOLDER"), essential(ASK_ONCE, "  ASKED := true")],
    ),
];

/// The entry in the table of algorithms.
pub const ENTRY: Entry = Entry {
    id: "raymond",
    title: "Raymond's tree",
    year: 1989,
    source: "Raymond, A tree-based algorithm for distributed mutual exclusion, ACM TOCS 7(1), 1989",
    printed: false,
    params: &[],
    needs: Needs { fifo: false, fifo_with: None, tree: true },
    claims: &["an isolated entry takes twice the distance to the privilege", "about four messages under saturation"],
    tree_link: "HOLDER",
    listing: LISTING,
    sample: SampleSystem::CHAIN,
    drive: Drive::of::<Raymond>(),
};
