//! The token ring as printed: a start-up that checks nothing, and a flag that is never cleared.
//!
//! *Source.* R. E. Bryant, notes on distributed mutual exclusion, Carnegie Mellon University
//! 15-440, 2012, "token ring". The module `token_ring` explains the algorithm and its repair.
//!
//! # How we read the notes
//!
//! Each node has an application thread and a network thread, and the flags `havetoken`, initially
//! true at the first node, and `waiting`. Each of their operations is one step. The first node's
//! network thread starts up by sending the token away; that is a step like any other, so the
//! application may come first. A notification while the application is not waiting does nothing;
//! the application finds `havetoken` later. Several threads of a node take turns as its
//! application, one request at a time; on a ring of one node no message is sent. Both are our
//! additions.
//!
//! `start` selects the reading of the start-up: `literal`, or `guarded`, which keeps the token
//! while the application is inside. The second error becomes visible only when the first is
//! repaired.
//!
//! # What goes wrong
//!
//! * *literal*: the first application requests, finds `havetoken` and enters; its network thread
//!   starts up and sends the token to the next node, which has requested, gets it and enters. Two
//!   inside after 4 steps. (If instead the first one leaves, it sends a second token.)
//! * *guarded*: no code ever clears `waiting`. A node that has entered once catches the token at
//!   its next visit although it has no request, sets `havetoken` and keeps it: no other node enters
//!   until that node happens to request again. 7 steps with one request each, where it never does.

use lockstep_kernel::algorithm::{Call, MessageKind, Role};
use lockstep_kernel::entry::{Drive, Line, Needs, Param, SampleSystem, line};
use lockstep_kernel::invariant::{Invariant, mutual_exclusion};
use lockstep_kernel::view::{Cause, ObservedStep, Waiter};
use lockstep_kernel::{Algorithm, Entry, Message, NodeId, NodeView, Out, PointerView, Setup, ThreadId, Var, lines};
use std::collections::VecDeque;

/// The length of the ring, and the reading of the start-up.
pub struct Printed {
    nodes: u32,
    guarded: bool,
}

/// The token, and the first node's start-up.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Msg {
    /// The token.
    Ok,
    /// The network thread of the first node starts up.
    StartUp,
}

impl Message for Msg {
    const KINDS: &'static [MessageKind] =
        &[MessageKind { name: "token", role: Role::Token }, MessageKind { name: "start-up", role: Role::Local }];

    #[inline]
    fn kind(&self) -> usize {
        *self as usize
    }

    fn tag(&self, _: &Setup) -> String {
        ["T", "S"][*self as usize].into()
    }

    fn label(&self, _: &Setup) -> String {
        ["OK", "the network thread starts up"][*self as usize].into()
    }
}

/// One node.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Node {
    me: NodeId,
    have_token: bool,
    waiting: bool,
    inside: bool,
    /// Waiting threads, in order; the first of them is the application unless one is inside.
    threads: VecDeque<ThreadId>,
}

lines! {
    HERE, WAIT, LEAVE, START, TAKE, NOTIFY, PASS,
}

impl Printed {
    fn next(&self, n: &Node) -> NodeId {
        NodeId((n.me.0 + 1) % self.nodes)
    }

    /// The application requests.
    fn request(&self, n: &mut Node, out: &mut impl Out<Msg>) {
        if n.have_token {
            out.line(HERE);
            self.notify(n, out);
        } else {
            out.line(WAIT);
            n.waiting = true;
        }
    }

    fn notify(&self, n: &mut Node, out: &mut impl Out<Msg>) {
        if let Some(thread) = n.threads.pop_front() {
            n.inside = true;
            out.grant(thread);
        }
    }

    fn pass(&self, n: &mut Node, out: &mut impl Out<Msg>) {
        n.have_token = false;
        out.send(self.next(n), Msg::Ok);
    }
}

impl Algorithm for Printed {
    type Node = Node;
    type Msg = Msg;

    fn new(setup: &Setup) -> Self {
        Printed { nodes: setup.nodes() as u32, guarded: setup.params.get("start") == "guarded" }
    }

    fn start(&self, me: NodeId, _: &Setup) -> Node {
        Node { me, have_token: me == NodeId(0), waiting: false, inside: false, threads: VecDeque::new() }
    }

    fn begin(&self, n: &mut Node, out: &mut impl Out<Msg>) {
        if n.have_token && self.nodes > 1 {
            out.later(Msg::StartUp);
        }
    }

    #[inline]
    fn on_call(&self, n: &mut Node, call: Call, out: &mut impl Out<Msg>) {
        match call {
            Call::Request(thread) => {
                n.threads.push_back(thread);
                if !n.inside && n.threads.len() == 1 {
                    self.request(n, out);
                }
            }
            Call::Release(_) => {
                n.inside = false;
                if self.nodes > 1 {
                    out.line(LEAVE);
                    self.pass(n, out);
                }
                if !n.threads.is_empty() {
                    self.request(n, out);
                }
            }
        }
    }

    #[inline]
    fn on_message(&self, n: &mut Node, _: NodeId, msg: Msg, out: &mut impl Out<Msg>) {
        match msg {
            Msg::StartUp => {
                if n.have_token && !(self.guarded && n.inside) {
                    out.line(START);
                    self.pass(n, out);
                }
            }
            Msg::Ok if n.waiting => {
                out.line(TAKE);
                n.have_token = true;
                if !n.inside {
                    out.line(NOTIFY);
                    self.notify(n, out);
                }
            }
            Msg::Ok => {
                out.line(PASS);
                self.pass(n, out);
            }
        }
    }

    fn view(&self, n: &Node, _: &Setup) -> NodeView {
        NodeView {
            token: n.have_token,
            links: vec![PointerView { kind: "next".into(), to: self.next(n) }],
            queue: n.threads.iter().map(|t| Waiter::User(*t)).collect(),
            vars: vec![Var::new("havetoken", n.have_token), Var::new("waiting", n.waiting)],
            badges: Vec::new(),
        }
    }

    fn invariants() -> Vec<Invariant<Self>> {
        vec![mutual_exclusion()]
    }

    fn narrate(&self, step: &ObservedStep<'_, Self>) -> String {
        let (me, next) = (step.name(step.me), step.name(self.next(step.after)));
        match step.cause {
            Cause::Asked(thread) => {
                let user = step.setup.thread_name(thread);
                if step.granted() == Some(thread) {
                    format!("{user} reads that {me} has the token and enters at once.")
                } else if step.ran(WAIT) {
                    format!("{user} waits until the token comes by: waiting is true from now on and is never cleared.")
                } else {
                    format!("{user} joins the queue of {me}: another thread is its application now.")
                }
            }
            Cause::Left(thread) => {
                let user = step.setup.thread_name(thread);
                let had = if step.before.have_token { "the token" } else { "a token that it did not have" };
                let then =
                    if step.ran(LEAVE) { format!("{me} sends {had} to {next}") } else { "the token stays".into() };
                let wait = if step.ran(WAIT) { " Another thread waits here now." } else { "" };
                format!("{user} leaves and {then}.{wait}")
            }
            Cause::Received(_, Msg::StartUp) if step.ran(START) => {
                let inside = if step.before.inside {
                    " It does not check whether its application is inside, and it is."
                } else {
                    ""
                };
                format!("The network thread of {me} starts up and sends the token to {next}.{inside}")
            }
            Cause::Received(_, Msg::StartUp) if step.before.inside => {
                format!("The network thread of {me} starts up. Its application is inside and will pass the token on.")
            }
            Cause::Received(_, Msg::StartUp) => {
                format!("The network thread of {me} starts up. The token is already gone, so it does nothing.")
            }
            Cause::Received(_, Msg::Ok) => match step.granted() {
                Some(thread) => {
                    let user = step.setup.thread_name(thread);
                    format!("The token reaches {me}, which is waiting: {me} keeps it, and {user} enters.")
                }
                None if step.ran(TAKE) => {
                    format!(
                        "The token reaches {me}. waiting is still true from an earlier request: {me} keeps the token, although no thread there needs it."
                    )
                }
                None => format!("The token reaches {me}, which is not waiting and passes it on to {next}."),
            },
        }
    }
}

/// The listing, in our own words.
const LISTING: &[(&str, &[Line])] = &[
    ("the application requests", &[line(HERE, "havetoken: enter"), line(WAIT, "else waiting := true")]),
    ("the application leaves", &[line(LEAVE, "havetoken := false; send OK to next")]),
    ("the network thread starts up", &[line(START, "havetoken: send OK to next; havetoken := false")]),
    (
        "the network thread receives OK",
        &[
            line(TAKE, "waiting: havetoken := true"),
            line(NOTIFY, "  notify the application"),
            line(PASS, "else send OK to next"),
        ],
    ),
];

/// The entry in the table of algorithms.
pub const ENTRY: Entry = Entry {
    id: "token-ring-printed",
    title: "Token ring, as printed",
    year: 2012,
    source: "Bryant, notes on distributed mutual exclusion, CMU 15-440, 2012",
    printed: true,
    params: &[Param {
        name: "start",
        about: "literal: the start-up checks nothing; guarded: it checks whether the application is inside",
        values: &["literal", "guarded"],
    }],
    needs: Needs { fifo: false, fifo_with: None, tree: false },
    claims: &["mutual exclusion", "a request waits for one round of the token at most"],
    tree_link: "next",
    listing: LISTING,
    sample: SampleSystem::CHAIN,
    drive: Drive::of::<Printed>(),
};
