//! A token that circulates on a ring.
//!
//! *Source.* R. E. Bryant, notes on distributed mutual exclusion, Carnegie Mellon University
//! 15-440, 2012, "token ring"; the idea is older (G. Le Lann, IFIP Congress 1977).
//!
//! # The idea
//!
//! The nodes form a ring, and one token circulates on it forever. A node that receives the token
//! and has a waiting thread keeps it for one critical section; any other node passes it on at once.
//! No request is ever sent: a thread waits until the token comes by, after at most one round in
//! which every other node enters once. The cost shows under low load: the token circulates even
//! when no thread waits, so the number of messages per entry grows without bound as the load falls,
//! and is 1 when every node always has a waiting thread. The message kind `idle` counts the
//! messages of nodes that passed the token on unused; exactly one other message, `token`, follows
//! each entry.
//!
//! # Where we depart from the notes
//!
//! As printed, the algorithm lets two nodes in at the start and can get stuck (`token-ring-printed`
//! plays it). Here:
//!
//! * *A thread that enters is no longer waiting*: the notes never clear the flag, and then a node
//!   that does not need the token keeps it.
//! * *The start is the first node's first step*: it passes the token on before any thread can
//!   request.
//! * *Several threads per node* queue there, and each visit of the token serves one of them.
//! * *On a ring of one node* the token stays, since there is no other node.
//!
//! The claim "between 0 and n − 1 messages" is true of the token's distance when a thread requests,
//! not of the messages per entry.

use lockstep_kernel::algorithm::{Call, MessageKind, Role};
use lockstep_kernel::entry::{Drive, Line, Needs, SampleSystem, essential, line};
use lockstep_kernel::invariant::{Invariant, mutual_exclusion, one_token};
use lockstep_kernel::view::{Cause, ObservedStep, Waiter};
use lockstep_kernel::{Algorithm, Entry, Message, NodeId, NodeView, Out, PointerView, Setup, ThreadId, Var, lines};
use std::collections::VecDeque;

/// The length of the ring.
pub struct TokenRing {
    nodes: u32,
}

/// The token, by what its sender did with it.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Msg {
    /// The sender has used it.
    Used,
    /// The sender did not use it.
    Idle,
}

impl Message for Msg {
    const KINDS: &'static [MessageKind] =
        &[MessageKind { name: "token", role: Role::Token }, MessageKind { name: "idle", role: Role::Token }];

    #[inline]
    fn kind(&self) -> usize {
        *self as usize
    }

    fn tag(&self, _: &Setup) -> String {
        ["T", "t"][*self as usize].into()
    }

    fn label(&self, _: &Setup) -> String {
        ["OK", "OK (unused)"][*self as usize].into()
    }
}

/// One node.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Node {
    me: NodeId,
    has_token: bool,
    inside: bool,
    /// Waiting threads, in order.
    threads: VecDeque<ThreadId>,
}

lines! {
    START, WAIT, HERE, LEAVE, TAKE, CLEAR, PASS,
}

impl TokenRing {
    fn next(&self, n: &Node) -> NodeId {
        NodeId((n.me.0 + 1) % self.nodes)
    }

    fn pass(&self, n: &mut Node, token: Msg, out: &mut impl Out<Msg>) {
        n.has_token = false;
        out.send(self.next(n), token);
    }

    /// Lets the first waiting thread in.
    fn enter(&self, n: &mut Node, out: &mut impl Out<Msg>) {
        if let Some(thread) = n.threads.front().copied() {
            if out.line(CLEAR) {
                n.threads.pop_front();
            }
            n.inside = true;
            out.grant(thread);
        }
    }
}

impl Algorithm for TokenRing {
    type Node = Node;
    type Msg = Msg;

    fn new(setup: &Setup) -> Self {
        TokenRing { nodes: setup.nodes() as u32 }
    }

    fn start(&self, me: NodeId, setup: &Setup) -> Node {
        let threads = VecDeque::with_capacity(setup.threads[me.index()] as usize);
        Node { me, has_token: me == NodeId(0), inside: false, threads }
    }

    fn begin(&self, n: &mut Node, out: &mut impl Out<Msg>) {
        if n.has_token && self.nodes > 1 && out.line(START) {
            self.pass(n, Msg::Idle, out);
        }
    }

    #[inline]
    fn on_call(&self, n: &mut Node, call: Call, out: &mut impl Out<Msg>) {
        match call {
            Call::Request(thread) => {
                out.line(WAIT);
                n.threads.push_back(thread);
                if n.has_token && !n.inside && out.line(HERE) {
                    self.enter(n, out);
                }
            }
            Call::Release(_) => {
                n.inside = false;
                if self.nodes == 1 {
                    self.enter(n, out);
                } else if out.line(LEAVE) {
                    self.pass(n, Msg::Used, out);
                }
            }
        }
    }

    #[inline]
    fn on_message(&self, n: &mut Node, _: NodeId, _: Msg, out: &mut impl Out<Msg>) {
        if n.has_token {
            return out.impossible("the token reached a node that already had it");
        }
        n.has_token = true;
        if !n.threads.is_empty() && out.line(TAKE) {
            self.enter(n, out);
        } else if out.line(PASS) {
            self.pass(n, Msg::Idle, out);
        }
    }

    fn view(&self, n: &Node, _: &Setup) -> NodeView {
        NodeView {
            token: n.has_token,
            links: vec![PointerView { kind: "next".into(), to: self.next(n) }],
            queue: n.threads.iter().map(|t| Waiter::User(*t)).collect(),
            vars: vec![Var::new("havetoken", n.has_token), Var::new("waiting", !n.threads.is_empty())],
            badges: Vec::new(),
        }
    }

    fn invariants() -> Vec<Invariant<Self>> {
        vec![mutual_exclusion(), one_token(|n: &Node| n.has_token, |_| true), a_token_never_rests()]
    }

    fn narrate(&self, step: &ObservedStep<'_, Self>) -> String {
        let (me, next) = (step.name(step.me), step.name(self.next(step.after)));
        let enters = step.granted().map(|thread| format!("{} enters", step.setup.thread_name(thread)));
        match step.cause {
            Cause::Asked(thread) => {
                let user = step.setup.thread_name(thread);
                match enters {
                    Some(_) => format!("{user} enters at once: the token is at {me}."),
                    None if step.after.has_token => format!("{user} waits: the token is at {me}, but in use."),
                    None => format!("{user} waits until the token comes by. No message is sent."),
                }
            }
            Cause::Left(thread) => {
                let user = step.setup.thread_name(thread);
                let others = !step.after.threads.is_empty();
                match enters {
                    Some(enters) => format!("{user} leaves and {enters}."),
                    None if !step.ran(LEAVE) => format!("{user} leaves. The token stays at {me}."),
                    None if others => {
                        format!(
                            "{user} leaves and {me} passes the token to {next}; the threads that wait at {me} wait for its next visit."
                        )
                    }
                    None => format!("{user} leaves and {me} passes the token to {next}."),
                }
            }
            Cause::Received(..) => match enters {
                Some(enters) => {
                    format!("The token reaches {me}, which has a waiting thread: {me} keeps it and {enters}.")
                }
                None => format!("The token reaches {me}. No thread waits there, so {me} passes it on to {next}."),
            },
        }
    }
}

/// A node keeps the token only while a thread is inside; on a ring of one it has no choice.
fn a_token_never_rests() -> Invariant<TokenRing> {
    Invariant {
        name: "the token is in use or under way",
        check: Box::new(|system, world| {
            match world.nodes.iter().find(|n| n.has_token && !n.inside && world.nodes.len() > 1) {
                Some(n) => Err(format!("the token stays at {}, where no thread is inside", system.setup.name(n.me))),
                None => Ok(()),
            }
        }),
    }
}

const LISTING: &[(&str, &[Line])] = &[
    ("the first node, at the start", &[essential(START, "send OK to next")]),
    (
        "a thread requests",
        &[line(WAIT, "waiting := true; no message"), line(HERE, "ring of one node: enter, the token is here")],
    ),
    ("a thread leaves", &[essential(LEAVE, "send OK to next, even if other threads wait here")]),
    (
        "OK arrives",
        &[
            essential(TAKE, "waiting: keep the token and enter"),
            essential(CLEAR, "  waiting := false, unless others wait too"),
            essential(PASS, "else send OK to next"),
        ],
    ),
];

/// The entry in the table of algorithms.
pub const ENTRY: Entry = Entry {
    id: "token-ring",
    title: "Token ring",
    year: 2012,
    source: "Bryant, notes on distributed mutual exclusion, CMU 15-440, 2012 (repaired)",
    printed: false,
    params: &[],
    needs: Needs { fifo: false, fifo_with: None, tree: false },
    claims: &[
        "a request waits for one round of the token at most",
        "the token is 0 to n − 1 messages away",
        "no fairness assumption is needed: no thread waits forever in any infinite run",
    ],
    tree_link: "next",
    listing: LISTING,
    sample: SampleSystem::CHAIN,
    drive: Drive::of::<TokenRing>(),
};
