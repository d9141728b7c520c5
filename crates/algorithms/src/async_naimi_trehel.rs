//! Naimi and Tréhel's algorithm with asynchronous locks.
//!
//! *Source.* M. Quinson and F. Vernier, "Byte-Range Asynchronous Locking in Distributed Settings",
//! PDP 2009, §2 and §3.
//!
//! # The idea
//!
//! The path reversal of `naimi-trehel`, for an application that does not block. `lockCreate`
//! declares a lock and returns. The node's *servant* joins the queue and collects the token while
//! the application computes. `lockTest` says whether the lock is held, `doLock` waits until it is,
//! and `unlock` releases it or, before it is held, cancels it. The token carries the data of the
//! whole resource, so fetching it early hides the transfer. In this model a request is
//! `lockCreate`, and an entry is the moment from which `lockTest` is true; whether the application
//! blocks is not modelled.
//!
//! It always locks the whole resource: the baseline for the ranged locks `swq` and `central-range`.
//!
//! # Where we depart from the paper
//!
//! As printed, requests are lost in three ways (`naimi-trehel-async-printed` plays them).
//!
//! * *The tail takes the next request*, whether or not it has the token yet. The paper tests for
//!   the token instead, so a holder overwrites its `next`, and a tail that still waits sends the
//!   request to itself.
//! * *A cancelled lock keeps its place*: `pending` says that the token is still to come for a place
//!   in the queue. It passes through, or stays if no node follows. A `lockCreate` in the meantime
//!   takes the place back without a message, ahead of all requests that came in between; a new
//!   request would put the node into the queue twice, with one `next` for two places.
//! * *One lock at a time per node*, as in the paper. Further threads wait at their node in order.

use lockstep_kernel::algorithm::{Call, Lock, MessageKind, Role};
use lockstep_kernel::entry::{Drive, Line, Needs, SampleSystem, essential, line};
use lockstep_kernel::invariant::{Invariant, mutual_exclusion, one_token, owners_lead_to_a_tail};
use lockstep_kernel::view::{Cause, ObservedStep, Waiter};
use lockstep_kernel::{Algorithm, Entry, Message, NodeId, NodeView, Out, PointerView, Setup, ThreadId, Var, lines};
use std::collections::VecDeque;

/// The number of cells whose data the token carries, known to every node.
pub struct AsyncNaimiTrehel {
    cells: u16,
}

/// The messages between nodes.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Msg {
    /// This node wants the token.
    Request(NodeId),
    /// The token, with the data of this many cells.
    Token(u16),
}

impl Message for Msg {
    const KINDS: &'static [MessageKind] =
        &[MessageKind { name: "request", role: Role::Request }, MessageKind { name: "token", role: Role::Token }];
    const CARRIES_CELLS: bool = true;

    #[inline]
    fn kind(&self) -> usize {
        usize::from(matches!(self, Msg::Token(_)))
    }

    fn tag(&self, setup: &Setup) -> String {
        match self {
            Msg::Request(node) => format!("R{}", setup.name(*node).trim_start_matches('p')),
            Msg::Token(_) => "T".into(),
        }
    }

    fn label(&self, setup: &Setup) -> String {
        match self {
            Msg::Request(node) => format!("forwardRequest({})", setup.name(*node)),
            Msg::Token(_) => "GiveToken".into(),
        }
    }

    #[inline]
    fn cells(&self) -> u32 {
        if let Msg::Token(cells) = self { u32::from(*cells) } else { 0 }
    }
}

/// One node.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Node {
    me: NodeId,
    /// Where the tail is believed to be; none: it is here.
    owner: Option<NodeId>,
    next: Option<NodeId>,
    /// The thread whose lock is declared or held.
    request: Option<ThreadId>,
    /// The token is still to come for our place in the queue.
    pending: bool,
    token: bool,
    /// Threads whose locks wait for the previous one.
    more: VecDeque<ThreadId>,
}

lines! {
    CREATE, BACK, ASK, BECOME_TAIL, HELD, UNLOCK, CANCEL, TURN, AFTER, FORWARD, REVERSE,
    ARRIVED, RELEASE,
}

impl AsyncNaimiTrehel {
    #[inline]
    fn create(&self, n: &mut Node, thread: ThreadId, out: &mut impl Out<Msg>) {
        out.line(CREATE);
        n.request = Some(thread);
        if n.pending && out.line(BACK) {
            return;
        }
        if let Some(owner) = n.owner
            && out.line(ASK)
        {
            out.send(owner, Msg::Request(n.me));
            n.pending = true;
            if out.line(BECOME_TAIL) {
                n.owner = None;
            }
        }
        self.test(n, out);
    }

    #[inline]
    fn test(&self, n: &mut Node, out: &mut impl Out<Msg>) {
        if let Some(thread) = n.request
            && n.token
        {
            out.line(HELD);
            out.grant(thread);
        }
    }

    #[inline]
    fn release(&self, n: &mut Node, out: &mut impl Out<Msg>) {
        if let Some(next) = n.next
            && n.token
            && n.request.is_none()
            && out.line(RELEASE)
        {
            (n.token, n.next) = (false, None);
            out.send(next, Msg::Token(self.cells));
        }
    }

    /// The lock of this node is finished: the token may go, and the next thread's lock is declared.
    #[inline]
    fn finish(&self, n: &mut Node, out: &mut impl Out<Msg>) {
        n.request = None;
        self.release(n, out);
        if let Some(thread) = n.more.pop_front() {
            out.line(TURN);
            self.create(n, thread, out);
        }
    }
}

impl Algorithm for AsyncNaimiTrehel {
    type Node = Node;
    type Msg = Msg;
    const CANCELS: bool = true;

    fn new(setup: &Setup) -> Self {
        AsyncNaimiTrehel { cells: setup.cells }
    }

    fn start(&self, me: NodeId, setup: &Setup) -> Node {
        let owner = Some(setup.parents[me.index()]).filter(|p| *p != me);
        let token = owner.is_none();
        Node { me, owner, next: None, request: None, pending: false, token, more: VecDeque::new() }
    }

    #[inline]
    fn anonymous(&self) -> bool {
        true
    }

    fn on_call(&self, n: &mut Node, call: Call, out: &mut impl Out<Msg>) {
        match call {
            Call::Request(thread) if n.request.is_some() => n.more.push_back(thread),
            Call::Request(thread) => self.create(n, thread, out),
            Call::Release(_) => {
                out.line(UNLOCK);
                self.finish(n, out);
            }
        }
    }

    fn on_lock(&self, n: &mut Node, lock: Lock, out: &mut impl Out<Msg>) {
        match lock {
            Lock::Create(thread, _) => self.on_call(n, Call::Request(thread), out),
            Lock::Cancel(thread) if n.request == Some(thread) => {
                out.line(CANCEL);
                self.finish(n, out);
            }
            Lock::Cancel(thread) => n.more.retain(|other| *other != thread),
        }
    }

    #[inline]
    fn on_message(&self, n: &mut Node, _: NodeId, msg: Msg, out: &mut impl Out<Msg>) {
        match msg {
            Msg::Request(who) if who == n.me => out.impossible("a request came back to its own node"),
            Msg::Request(who) => {
                match n.owner {
                    None => {
                        out.line(AFTER);
                        n.next = Some(who);
                    }
                    Some(owner) => {
                        out.line(FORWARD);
                        out.send(owner, Msg::Request(who));
                    }
                }
                if out.line(REVERSE) {
                    n.owner = Some(who);
                }
                self.release(n, out);
            }
            Msg::Token(_) if n.token || !n.pending => {
                out.impossible("the token came to a node that did not request it")
            }
            Msg::Token(_) => {
                out.line(ARRIVED);
                (n.token, n.pending) = (true, false);
                self.test(n, out);
                self.release(n, out);
            }
        }
    }

    fn view(&self, n: &Node, _: &Setup) -> NodeView {
        let link = |kind: &str, to: Option<NodeId>| to.map(|to| PointerView { kind: kind.into(), to });
        let asking = n.request.filter(|_| !n.token).map(Waiter::User);
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
                Var::new("request", n.request.is_some()),
                Var::new("token", n.token),
                Var::new("pending", n.pending),
            ],
            badges: match (n.pending, n.request) {
                (true, None) => vec!["cancelled".into()],
                _ if n.owner.is_none() => vec!["tail".into()],
                _ => Vec::new(),
            },
        }
    }

    fn invariants() -> Vec<Invariant<Self>> {
        vec![
            mutual_exclusion(),
            one_token(|n: &Node| n.token, |m| matches!(m, Msg::Token(_))),
            owners_lead_to_a_tail(|n: &Node| n.owner),
        ]
    }

    fn narrate(&self, step: &ObservedStep<'_, Self>) -> String {
        let (me, before) = (step.name(step.me), step.before);
        let owner = before.owner.map_or(me, |owner| step.name(owner));
        let mut text = match step.cause {
            Cause::Asked(thread) => {
                let user = step.setup.thread_name(thread);
                match step.ran(CREATE) {
                    true => format!("{user} declares its lock."),
                    false => format!("{user} declares its lock, which waits for the previous one at {me}."),
                }
            }
            Cause::Left(thread) => {
                let user = step.setup.thread_name(thread);
                match (step.ran(UNLOCK), step.ran(CANCEL)) {
                    (true, _) => format!("{user} unlocks."),
                    (_, true) => format!("{user} cancels. {me} keeps its place in the queue: the token will come."),
                    _ => format!("{user} cancels before its turn."),
                }
            }
            Cause::Received(_, Msg::Request(who)) => {
                let who = step.name(*who);
                if step.ran(FORWARD) {
                    format!("{me} is not the tail: it forwards the request to {owner} and points at {who} from now on.")
                } else {
                    format!("{me} is the tail: {who} is now its next and its owner.")
                }
            }
            Cause::Received(_, Msg::Token(_)) => format!("The token and its data reach {me}."),
        };
        if step.ran(BACK) {
            text +=
                &format!(" The place of a cancelled lock is still queued, so {me} takes it back without a message.");
        }
        if step.ran(ASK) {
            text += &format!(" {me} sends a request to its owner, {owner}, and is now the tail itself.");
        }
        if let Some(thread) = step.granted() {
            text += &format!(" {} has its lock.", step.setup.thread_name(thread));
        }
        if step.ran(RELEASE) {
            let to = step.effects.list.iter().find_map(|e| match e {
                lockstep_kernel::Effect::Send(to, Msg::Token(_)) => Some(*to),
                _ => None,
            });
            text += &format!(
                " No lock of {me} needs the token, so it goes to the next, {}.",
                step.name(to.unwrap_or(step.me))
            );
        } else if step.after.token && step.after.request.is_none() {
            text += &format!(" There is no next, so the token stays at {me}.");
        }
        text
    }
}

/// The listing, in our own words.
const LISTING: &[(&str, &[Line])] = &[
    (
        "lockCreate",
        &[
            line(CREATE, "request := true"),
            line(BACK, "place of a cancelled lock still queued: take it back"),
            essential(ASK, "else send a request to owner, if it is another node"),
            essential(BECOME_TAIL, "  owner := this node, the tail"),
        ],
    ),
    ("lockTest; doLock waits for it", &[line(HELD, "token and request: the lock is held")]),
    (
        "unlock",
        &[
            line(UNLOCK, "held: request := false; releaseToken"),
            line(CANCEL, "not yet held: the same, the place stays queued"),
            line(TURN, "the next lock of this node is created"),
        ],
    ),
    (
        "forwardRequest(requester)",
        &[
            line(AFTER, "tail: next := requester"),
            line(FORWARD, "else forward it to owner"),
            essential(REVERSE, "owner := requester; releaseToken"),
        ],
    ),
    ("GiveToken", &[line(ARRIVED, "token := true; lockTest; releaseToken")]),
    ("releaseToken", &[essential(RELEASE, "token, no request, next known: give it the token")]),
];

/// The entry in the table of algorithms.
pub const ENTRY: Entry = Entry {
    id: "naimi-trehel-async",
    title: "Asynchronous Naimi–Tréhel",
    year: 2009,
    source: "Quinson and Vernier, Byte-Range Asynchronous Locking in Distributed Settings, PDP 2009, §3 (repaired)",
    printed: false,
    params: &[],
    needs: Needs { fifo: false, fifo_with: None, tree: true },
    claims: &[
        "asynchronous locks overlap communication and computation",
        "faster than a central manager when every node locks the whole resource",
        "slower than a central manager on partial locks",
    ],
    tree_link: "owner",
    listing: LISTING,
    sample: SampleSystem::CHAIN,
    drive: Drive::of::<AsyncNaimiTrehel>(),
};
