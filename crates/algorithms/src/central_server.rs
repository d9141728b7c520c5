//! A central server.
//!
//! *Source.* R. E. Bryant, notes on distributed mutual exclusion, Carnegie Mellon University
//! 15-440, 2012, scheme 1.
//!
//! # The idea
//!
//! The server is a node without user threads and keeps a queue `Q`. A client sends it a request,
//! enters when the grant arrives and sends a release when it leaves: three messages per entry,
//! whatever the number of clients. The server is the bottleneck, and the lock is idle for a whole
//! round trip between two entries.
//!
//! # Where we depart from the notes
//!
//! * *The holder stays at the head of `Q` until its release.* In the notes a grant leaves no trace,
//!   and every client is let in (`central-server-printed` plays it).
//! * *Several threads per client.* They queue at their own client, which requests for one of them
//!   at a time. A message then needs no thread name, and `Q` holds a client at most twice: its next
//!   request may overtake its last release.
//! * *The order of service* is left open by the notes, which warn against serving the lowest number
//!   first. Both are available: `fifo` serves every client; with `id`, other clients may starve
//!   between two busy clients with lower numbers.

use lockstep_kernel::algorithm::{Call, MessageKind, Role};
use lockstep_kernel::entry::{Drive, Line, Needs, Param, SampleSystem, essential, line};
use lockstep_kernel::invariant::{Invariant, mutual_exclusion};
use lockstep_kernel::view::{Cause, ObservedStep, Waiter};
use lockstep_kernel::{Algorithm, Effect, Entry, Message, NodeId, NodeView, Out, Setup, ThreadId, Var, lines};
use std::collections::VecDeque;

/// The server and its order of service, known to every node.
pub struct CentralServer {
    server: NodeId,
    by_id: bool,
}

/// The messages between clients and server.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Msg {
    /// The client requests the lock.
    Request,
    /// The client gets the lock.
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
        /// The client that has the lock, then the waiting clients.
        queue: VecDeque<NodeId>,
    },
}

lines! {
    ASK, ENTER, LEAVE, AGAIN, JOIN, FREE, POP, NEXT,
}

impl CentralServer {
    /// A client joins `Q`: at the end, or before those with higher numbers; the holder stays at the
    /// head.
    fn place(&self, queue: &VecDeque<NodeId>, client: NodeId) -> usize {
        let later = queue.iter().skip(1).position(|other| *other > client);
        if self.by_id { later.map_or(queue.len(), |i| i + 1) } else { queue.len() }
    }

    fn serve(&self, queue: &mut VecDeque<NodeId>, from: NodeId, msg: Msg, out: &mut impl Out<Msg>) {
        match msg {
            Msg::Request => {
                let free = queue.is_empty();
                if out.line(JOIN) {
                    queue.insert(self.place(queue, from), from);
                }
                if free && out.line(FREE) {
                    out.send(from, Msg::Grant);
                }
            }
            Msg::Release if queue.front() != Some(&from) => {
                out.impossible("a client released a lock that it did not have");
            }
            Msg::Release => {
                if out.line(POP) {
                    queue.pop_front();
                }
                if let Some(next) = queue.front()
                    && out.line(NEXT)
                {
                    out.send(*next, Msg::Grant);
                }
            }
            Msg::Grant => out.impossible("the server was granted its own lock"),
        }
    }
}

impl Algorithm for CentralServer {
    type Node = Node;
    type Msg = Msg;

    fn arrange(setup: &mut Setup) {
        setup.add_node("server", 0);
    }

    fn new(setup: &Setup) -> Self {
        CentralServer { server: NodeId(setup.hosts() as u32), by_id: setup.params.get("order") == "id" }
    }

    fn start(&self, me: NodeId, setup: &Setup) -> Node {
        if me == self.server {
            // a client is in it twice at most
            Node::Server { queue: VecDeque::with_capacity(2 * setup.hosts()) }
        } else {
            let threads = VecDeque::with_capacity(setup.threads[me.index()] as usize);
            Node::Client { threads, inside: false }
        }
    }

    #[inline]
    fn anonymous(&self) -> bool {
        !self.by_id
    }

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
                if !threads.is_empty() && out.line(AGAIN) {
                    out.send(self.server, Msg::Request);
                }
            }
        }
    }

    #[inline]
    fn on_message(&self, n: &mut Node, from: NodeId, msg: Msg, out: &mut impl Out<Msg>) {
        match n {
            Node::Server { queue } => self.serve(queue, from, msg, out),
            Node::Client { threads, inside: inside @ false } if msg == Msg::Grant => match threads.pop_front() {
                Some(thread) => {
                    out.line(ENTER);
                    *inside = true;
                    out.grant(thread);
                }
                None => out.impossible("a grant reached a client without a waiting thread"),
            },
            Node::Client { .. } => out.impossible("a client received a message that it did not expect"),
        }
    }

    fn view(&self, n: &Node, _: &Setup) -> NodeView {
        match n {
            Node::Client { threads, inside } => NodeView {
                token: *inside,
                queue: threads.iter().map(|t| Waiter::User(*t)).collect(),
                vars: vec![Var::new("asked", !threads.is_empty() && !inside)],
                ..NodeView::default()
            },
            Node::Server { queue } => NodeView {
                token: queue.is_empty(),
                queue: queue.iter().map(|client| Waiter::Remote(*client)).collect(),
                vars: vec![Var::maybe_node("head of Q", queue.front().copied())],
                badges: vec!["server".into()],
                ..NodeView::default()
            },
        }
    }

    fn invariants() -> Vec<Invariant<Self>> {
        vec![mutual_exclusion(), one_grant()]
    }

    fn narrate(&self, step: &ObservedStep<'_, Self>) -> String {
        let me = step.name(step.me);
        match step.cause {
            Cause::Asked(thread) => {
                let user = step.setup.thread_name(thread);
                if step.ran(ASK) {
                    format!("{user} waits. {me} sends a request to the server.")
                } else if step.effects.list.contains(&Effect::Refuse(thread)) {
                    format!("{user} is refused: the server has no user threads.")
                } else {
                    format!("{user} only joins the queue of {me}, which requests for one thread at a time.")
                }
            }
            Cause::Left(thread) => {
                let user = step.setup.thread_name(thread);
                let then = if step.ran(AGAIN) { " Another thread waits here, so a new request follows." } else { "" };
                format!("{user} leaves, and {me} gives the lock back to the server.{then}")
            }
            Cause::Received(_, Msg::Grant) => match step.granted() {
                Some(thread) => format!("The grant reaches {me}: {} enters.", step.setup.thread_name(thread)),
                None => format!("A grant reaches {me}, which has no waiting thread."),
            },
            Cause::Received(from, Msg::Request) => {
                let from = step.name(from);
                let Node::Server { queue } = step.before else {
                    return format!("A request of {from} reaches {me}, which is not the server.");
                };
                match queue.front() {
                    None => {
                        format!("Q is empty, so the lock is free: {from} becomes the head of Q and gets the grant.")
                    }
                    Some(holder) => {
                        let holder = step.name(*holder);
                        let how = if self.by_id { "by its number" } else { "at the end" };
                        format!("The head of Q, {holder}, has the lock: {from} joins Q {how} and waits.")
                    }
                }
            }
            Cause::Received(from, Msg::Release) => {
                let from = step.name(from);
                match step.after {
                    Node::Server { queue } if !queue.is_empty() => {
                        let next = step.name(queue[0]);
                        format!(
                            "{from} gives the lock back and leaves Q. The next in Q is {next}, which gets the grant."
                        )
                    }
                    _ => format!("{from} gives the lock back and leaves Q, which is empty now: the lock is free."),
                }
            }
        }
    }
}

/// Only the head of `Q` has the lock: its grant is in flight, or it is inside, or its release is in
/// flight.
fn one_grant() -> Invariant<CentralServer> {
    Invariant {
        name: "the head of Q has the lock",
        check: Box::new(|system, world| {
            let server = system.algorithm.server;
            let Some(Node::Server { queue }) = world.nodes.get(server.index()) else { return Ok(()) };
            let moving = world.flights.iter().filter_map(|f| match f.msg {
                Msg::Grant => Some(f.to),
                Msg::Release => Some(f.from),
                Msg::Request => None,
            });
            let inside = world.inside().map(|thread| world.threads[thread.index()].at);
            let mut holders = moving.chain(inside);
            let (first, second) = (holders.next(), holders.next());
            if first == queue.front().copied() && second.is_none() {
                return Ok(());
            }
            let name = |n: Option<NodeId>| n.map_or("no client", |n| system.setup.name(n)).to_owned();
            Err(match second {
                Some(_) => format!("{} and {} both have the lock", name(first), name(second)),
                None => format!("{} has the lock and {} is the head of Q", name(first), name(queue.front().copied())),
            })
        }),
    }
}

const LISTING: &[(&str, &[Line])] = &[
    ("a thread of a client requests", &[essential(ASK, "first here: send REQUEST to the server")]),
    ("GRANT arrives at a client", &[line(ENTER, "the first waiting thread enters")]),
    (
        "a thread of a client leaves",
        &[
            essential(LEAVE, "send RELEASE to the server"),
            essential(AGAIN, "another thread waits: send REQUEST for it"),
        ],
    ),
    (
        "REQUEST of a client arrives at the server",
        &[
            essential(JOIN, "put the client into Q, even if Q is empty"),
            essential(FREE, "Q was empty: send it GRANT; it stays at the head"),
        ],
    ),
    (
        "RELEASE of a client arrives at the server",
        &[essential(POP, "remove it, the head of Q"), essential(NEXT, "Q is not empty: send GRANT to the new head")],
    ),
];

/// The entry in the table of algorithms.
pub const ENTRY: Entry = Entry {
    id: "central-server",
    title: "Central server",
    year: 2012,
    source: "Bryant, notes on distributed mutual exclusion, CMU 15-440, 2012, scheme 1 (repaired)",
    printed: false,
    params: &[Param {
        name: "order",
        about: "fifo: serve in order of arrival; id: serve the lowest number first",
        values: &["fifo", "id"],
    }],
    needs: Needs { fifo: false, fifo_with: None, tree: false },
    claims: &[
        "three messages per entry",
        "the server is a bottleneck",
        "in order of arrival, a request is served within n entries; lowest number first, it may starve",
    ],
    tree_link: "",
    listing: LISTING,
    sample: SampleSystem::CHAIN,
    drive: Drive::of::<CentralServer>(),
};
