//! The central server as printed: a queue that no request ever joins.
//!
//! *Source.* R. E. Bryant, notes on distributed mutual exclusion, Carnegie Mellon University
//! 15-440, 2012, scheme 1. The module `central_server` explains the algorithm and its repair.
//!
//! # How we read the notes
//!
//! `Q` holds the requests that have not been granted. The server grants a request at once if and
//! only if `Q` is empty, and otherwise adds it to `Q`; on a release it takes one from `Q`, if there
//! is one, and grants that. The order of service, left open, is the order of arrival. Several
//! threads of a client queue at the client, as in the repaired version; that is our addition and
//! plays no part in what follows.
//!
//! # What goes wrong
//!
//! A grant leaves no trace at the server. `Q` starts empty, and only a non-empty `Q` is ever added
//! to: so it stays empty, and every request is granted at once. Two clients are inside after 6
//! steps (request, its delivery, delivery of the grant; twice), which is the shortest
//! counterexample. The notes say that the safety of the algorithm needs no argument.

use lockstep_kernel::algorithm::{Call, MessageKind, Role};
use lockstep_kernel::entry::{Drive, Line, Needs, SampleSystem, line};
use lockstep_kernel::invariant::{Invariant, mutual_exclusion};
use lockstep_kernel::view::{Cause, ObservedStep, Waiter};
use lockstep_kernel::{Algorithm, Entry, Message, NodeId, NodeView, Out, Setup, ThreadId, lines};
use std::collections::VecDeque;

/// The server, known to every node.
pub struct Printed {
    server: NodeId,
}

/// The messages between clients and server.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Msg {
    /// The client requests the lock.
    Request,
    /// The client believes that it has the lock.
    Grant,
    /// The client has left.
    Release,
}

impl Message for Msg {
    const KINDS: &'static [MessageKind] = &[
        MessageKind { name: "request", role: Role::Request },
        MessageKind { name: "grant", role: Role::Token },
        MessageKind { name: "release", role: Role::Token },
    ];

    #[inline]
    fn kind(&self) -> usize {
        *self as usize
    }

    fn tag(&self, _: &Setup) -> String {
        ["R", "G", "X"][*self as usize].into()
    }

    fn label(&self, _: &Setup) -> String {
        ["REQUEST", "GRANT", "RELEASE"][*self as usize].into()
    }
}

/// One node.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum Node {
    /// A client.
    Client {
        /// Its waiting threads, in order; the client has requested for the first, unless one is
        /// inside.
        threads: VecDeque<ThreadId>,
        /// Whether one of its threads is inside.
        inside: bool,
    },
    /// The server.
    Server {
        /// Requests that have not been granted.
        queue: VecDeque<NodeId>,
    },
}

lines! {
    ASK, ENTER, LEAVE, FREE, JOIN, NEXT,
}

impl Algorithm for Printed {
    type Node = Node;
    type Msg = Msg;

    fn arrange(setup: &mut Setup) {
        setup.add_node("server", 0);
    }

    fn new(setup: &Setup) -> Self {
        Printed { server: NodeId(setup.hosts() as u32) }
    }

    fn start(&self, me: NodeId, _: &Setup) -> Node {
        if me == self.server {
            Node::Server { queue: VecDeque::new() }
        } else {
            Node::Client { threads: VecDeque::new(), inside: false }
        }
    }

    #[inline]
    fn on_call(&self, n: &mut Node, call: Call, out: &mut impl Out<Msg>) {
        let Node::Client { threads, inside } = n else {
            if let Call::Request(thread) = call {
                out.refuse(thread); // a thread can be moved here by hand
            }
            return;
        };
        match call {
            Call::Request(thread) => {
                threads.push_back(thread);
                if threads.len() == 1 && !*inside && out.line(ASK) {
                    out.send(self.server, Msg::Request);
                }
            }
            Call::Release(_) => {
                *inside = false;
                if out.line(LEAVE) {
                    out.send(self.server, Msg::Release);
                }
                if !threads.is_empty() && out.line(ASK) {
                    out.send(self.server, Msg::Request);
                }
            }
        }
    }

    #[inline]
    fn on_message(&self, n: &mut Node, from: NodeId, msg: Msg, out: &mut impl Out<Msg>) {
        match (n, msg) {
            (Node::Server { queue }, Msg::Request) if queue.is_empty() => {
                out.line(FREE);
                out.send(from, Msg::Grant);
            }
            (Node::Server { queue }, Msg::Request) => {
                out.line(JOIN);
                queue.push_back(from);
            }
            (Node::Server { queue }, Msg::Release) => {
                if let Some(next) = queue.pop_front() {
                    out.line(NEXT);
                    out.send(next, Msg::Grant);
                }
            }
            (Node::Client { threads, inside: inside @ false }, Msg::Grant) => match threads.pop_front() {
                Some(thread) => {
                    out.line(ENTER);
                    *inside = true;
                    out.grant(thread);
                }
                None => out.impossible("a grant reached a client without a waiting thread"),
            },
            (Node::Client { .. }, _) => out.impossible("a client received a message that it did not expect"),
            (Node::Server { .. }, Msg::Grant) => out.impossible("the server was granted its own lock"),
        }
    }

    fn view(&self, n: &Node, _: &Setup) -> NodeView {
        match n {
            Node::Client { threads, .. } => {
                NodeView { queue: threads.iter().map(|t| Waiter::User(*t)).collect(), ..NodeView::default() }
            }
            Node::Server { queue } => NodeView {
                queue: queue.iter().map(|client| Waiter::Remote(*client)).collect(),
                badges: vec!["server".into()],
                ..NodeView::default()
            },
        }
    }

    fn invariants() -> Vec<Invariant<Self>> {
        vec![mutual_exclusion()]
    }

    fn narrate(&self, step: &ObservedStep<'_, Self>) -> String {
        let me = step.name(step.me);
        let empty = matches!(step.before, Node::Server { queue } if queue.is_empty());
        match step.cause {
            Cause::Asked(thread) => {
                let user = step.setup.thread_name(thread);
                if step.ran(ASK) {
                    format!("{user} waits. {me} sends a request to the server.")
                } else {
                    format!("{user} only joins the queue of {me}, which requests for one thread at a time.")
                }
            }
            Cause::Left(thread) => {
                let user = step.setup.thread_name(thread);
                let then = if step.ran(ASK) { " Another thread waits here, so a new request follows." } else { "" };
                format!("{user} leaves, and {me} gives the lock back to the server.{then}")
            }
            Cause::Received(_, Msg::Grant) => match step.granted() {
                Some(thread) => format!("The grant reaches {me}: {} enters.", step.setup.thread_name(thread)),
                None => format!("A grant reaches {me}, which has no waiting thread."),
            },
            Cause::Received(from, Msg::Request) => {
                let from = step.name(from);
                if empty {
                    format!(
                        "Q is empty, so the server takes the lock to be free: {from} gets the grant. The server does not record it."
                    )
                } else {
                    format!("Others wait in Q: {from} joins them.")
                }
            }
            Cause::Received(from, Msg::Release) => {
                let from = step.name(from);
                let then =
                    if empty { "Q is empty, as always: nothing happens." } else { "The head of Q gets the grant." };
                format!("{from} gives the lock back. {then}")
            }
        }
    }
}

/// The listing, in our own words.
const LISTING: &[(&str, &[Line])] = &[
    (
        "a client requests the lock",
        &[line(ASK, "send REQUEST to the server and wait"), line(ENTER, "GRANT arrives: enter")],
    ),
    ("a client leaves", &[line(LEAVE, "send RELEASE to the server")]),
    (
        "the server, in a loop",
        &[
            line(FREE, "REQUEST and Q is empty: send GRANT"),
            line(JOIN, "REQUEST and Q is not empty: add the client to Q"),
            line(NEXT, "RELEASE and Q is not empty: send GRANT to one of Q"),
        ],
    ),
];

/// The entry in the table of algorithms.
pub const ENTRY: Entry = Entry {
    id: "central-server-printed",
    title: "Central server, as printed",
    year: 2012,
    source: "Bryant, notes on distributed mutual exclusion, CMU 15-440, 2012, scheme 1",
    printed: true,
    params: &[],
    needs: Needs { fifo: false, fifo_with: None, tree: false },
    claims: &[
        "mutual exclusion",
        "three messages per entry",
        "in order of arrival, a request is served within n entries",
    ],
    tree_link: "",
    listing: LISTING,
    sample: SampleSystem::CHAIN,
    drive: Drive::of::<Printed>(),
};
