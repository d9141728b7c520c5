//! Naimi–Tréhel with asynchronous locks, as printed: requests are overwritten, sent to the node
//! itself, or queued twice.
//!
//! *Source.* M. Quinson and F. Vernier, "Byte-Range Asynchronous Locking in Distributed Settings",
//! PDP 2009, Algorithm 2. The module `async_naimi_trehel` explains the algorithm and its repair.
//!
//! # How we read the paper, and what goes wrong
//!
//! Shortest counterexamples, 3 nodes in a star, one request each:
//!
//! * `n1`, 8 steps: the token holder stores every request in `next`. The second overwrites the
//!   first, so the first is never served.
//! * `n2`, 5 steps: the same code. A node without the token forwards a request to its `owner`, even
//!   if that is the node itself: it sends a message to itself. (In `n1` and `n3` such a message
//!   arrives, as a step of the node, and circulates forever.)
//! * `n3`, 5 steps: only a tail with the token takes a request as its `next`. A tail that waits for
//!   the token still sends the request to itself and points at the requester: the request returns
//!   and circulates there. Steps remain possible, yet no node can ever serve it.
//! * `n4`, 17 steps with one cancel: every tail takes the request; cancelling only deletes the
//!   request. The node keeps its place in the queue, requests again and is there twice with one
//!   `next`: a request that came in between is lost.

use lockstep_kernel::algorithm::{Call, Lock, MessageKind, Role};
use lockstep_kernel::entry::{Drive, Line, Needs, Param, SampleSystem, line};
use lockstep_kernel::invariant::{Invariant, mutual_exclusion, one_token};
use lockstep_kernel::view::{Cause, ObservedStep, Waiter};
use lockstep_kernel::{Algorithm, Entry, Message, NodeId, NodeView, Out, PointerView, Setup, ThreadId, Var, lines};
use std::collections::VecDeque;

/// The parameters, known to every node.
pub struct Printed {
    reading: u8,
    cells: u16,
}

/// The messages between nodes.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Msg {
    /// This node wants the token.
    Forward(NodeId),
    /// The token, with the data of this many cells.
    Give(u16),
    /// A request that a node sent to itself.
    ToItself(NodeId),
}

impl Message for Msg {
    const KINDS: &'static [MessageKind] = &[
        MessageKind { name: "request", role: Role::Request },
        MessageKind { name: "token", role: Role::Token },
        MessageKind { name: "to-itself", role: Role::Local },
    ];
    const CARRIES_CELLS: bool = true;

    fn kind(&self) -> usize {
        match self {
            Msg::Forward(_) => 0,
            Msg::Give(_) => 1,
            Msg::ToItself(_) => 2,
        }
    }

    fn tag(&self, setup: &Setup) -> String {
        match self {
            Msg::Forward(who) | Msg::ToItself(who) => {
                format!("R{}", setup.name(*who).trim_start_matches('p'))
            }
            Msg::Give(_) => "T".into(),
        }
    }

    fn label(&self, setup: &Setup) -> String {
        match self {
            Msg::Forward(who) => format!("forwardRequest({})", setup.name(*who)),
            Msg::Give(_) => "GiveToken".into(),
            Msg::ToItself(who) => format!("forwardRequest({}) to itself", setup.name(*who)),
        }
    }

    fn cells(&self) -> u32 {
        if let Msg::Give(cells) = self { u32::from(*cells) } else { 0 }
    }
}

/// One node.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Node {
    me: NodeId,
    owner: NodeId,
    next: Option<NodeId>,
    request: Option<ThreadId>,
    inside: bool,
    token: bool,
    more: VecDeque<ThreadId>,
}

lines! {
    CREATE, ASK, NEXT, PASS, REVERSE, TOKEN, FORGET, RELEASE, PROCEED,
}

impl Printed {
    fn create(&self, n: &mut Node, thread: ThreadId, out: &mut impl Out<Msg>) {
        out.line(CREATE);
        n.request = Some(thread);
        if n.owner != n.me {
            out.line(ASK);
            out.send(n.owner, Msg::Forward(n.me));
            n.owner = n.me;
        }
        self.proceed(n, out);
    }

    fn proceed(&self, n: &mut Node, out: &mut impl Out<Msg>) {
        if let Some(thread) = n.request
            && n.token
            && !n.inside
        {
            out.line(PROCEED);
            n.inside = true;
            out.grant(thread);
        }
    }

    fn release(&self, n: &mut Node, out: &mut impl Out<Msg>) {
        if let Some(next) = n.next
            && n.token
            && n.request.is_none()
        {
            out.line(RELEASE);
            out.send(next, Msg::Give(self.cells));
            (n.token, n.next) = (false, None);
        }
    }

    fn forget(&self, n: &mut Node, out: &mut impl Out<Msg>) {
        out.line(FORGET);
        (n.request, n.inside) = (None, false);
        self.release(n, out);
        if let Some(thread) = n.more.pop_front() {
            self.create(n, thread, out);
        }
    }
}

impl Algorithm for Printed {
    type Node = Node;
    type Msg = Msg;
    const CANCELS: bool = true;

    fn new(setup: &Setup) -> Self {
        Printed {
            reading: setup.params.get("reading").get(1..).and_then(|number| number.parse().ok()).unwrap_or(1),
            cells: setup.cells,
        }
    }

    fn start(&self, me: NodeId, setup: &Setup) -> Node {
        let owner = setup.parents[me.index()];
        let token = owner == me;
        Node { me, owner, next: None, request: None, inside: false, token, more: VecDeque::new() }
    }

    fn on_call(&self, n: &mut Node, call: Call, out: &mut impl Out<Msg>) {
        match call {
            Call::Request(thread) if n.request.is_some() => n.more.push_back(thread),
            Call::Request(thread) => self.create(n, thread, out),
            Call::Release(_) => self.forget(n, out),
        }
    }

    fn on_lock(&self, n: &mut Node, lock: Lock, out: &mut impl Out<Msg>) {
        match lock {
            Lock::Create(thread, _) => self.on_call(n, Call::Request(thread), out),
            Lock::Cancel(thread) if n.request == Some(thread) => self.forget(n, out),
            Lock::Cancel(thread) => n.more.retain(|other| *other != thread),
        }
    }

    fn on_message(&self, n: &mut Node, _: NodeId, msg: Msg, out: &mut impl Out<Msg>) {
        match msg {
            Msg::Forward(who) | Msg::ToItself(who) => {
                let tail = n.owner == n.me;
                if [n.token, n.token, n.token && tail, tail][usize::from(self.reading.clamp(1, 4)) - 1] {
                    out.line(NEXT);
                    n.next = Some(who);
                } else {
                    out.line(PASS);
                    match tail {
                        false => out.send(n.owner, Msg::Forward(who)),
                        true if self.reading == 2 => out.impossible("a node sent a request to itself"),
                        true => out.later(Msg::ToItself(who)),
                    }
                }
                out.line(REVERSE);
                n.owner = who;
                self.release(n, out);
            }
            Msg::Give(_) => {
                out.line(TOKEN);
                n.token = true;
                self.proceed(n, out);
                self.release(n, out);
            }
        }
    }

    fn view(&self, n: &Node, _: &Setup) -> NodeView {
        let next = n.next.map(|to| PointerView { kind: "next".into(), to });
        NodeView {
            token: n.token,
            links: [PointerView { kind: "owner".into(), to: n.owner }].into_iter().chain(next).collect(),
            queue: (n.request.filter(|_| !n.inside).into_iter().map(Waiter::User))
                .chain(n.next.map(Waiter::Remote))
                .chain(n.more.iter().copied().map(Waiter::User))
                .collect(),
            vars: vec![
                Var::node("owner", n.owner),
                Var::maybe_node("next", n.next),
                Var::new("request", n.request.is_some()),
                Var::new("token", n.token),
            ],
            badges: Vec::new(),
        }
    }

    fn invariants() -> Vec<Invariant<Self>> {
        vec![mutual_exclusion(), one_token(|n: &Node| n.token, |m| matches!(m, Msg::Give(_)))]
    }

    fn narrate(&self, step: &ObservedStep<'_, Self>) -> String {
        let (me, before) = (step.name(step.me), step.before);
        let mut text = match step.cause {
            Cause::Asked(thread) => format!("{} declares its lock.", step.setup.thread_name(thread)),
            Cause::Left(thread) => {
                let how = if before.inside { "unlocks" } else { "cancels, and its node deletes the request at once" };
                format!("{} {how}.", step.setup.thread_name(thread))
            }
            Cause::Received(_, Msg::Give(_)) => format!("The token reaches {me}."),
            Cause::Received(_, Msg::Forward(who) | Msg::ToItself(who)) => {
                let who = step.name(*who);
                let lost = before.next.map(|next| format!(" Its next was {}, which is lost.", step.name(next)));
                match (step.ran(NEXT), before.owner == step.me) {
                    (true, _) => format!("{me} takes {who} as its next.{}", lost.unwrap_or_default()),
                    (false, true) => format!(
                        "{me} has no token and forwards the request of {who} to its owner, which is {me} itself."
                    ),
                    _ => format!("{me} forwards the request of {who} to {}.", step.name(before.owner)),
                }
            }
        };
        if step.ran(ASK) {
            text += &format!(" {me} sends a request to {} and is now the tail.", step.name(before.owner));
        }
        if step.ran(REVERSE) {
            text += &format!(" It points at {} from now on.", step.name(step.after.owner));
        }
        if step.ran(RELEASE) {
            let next = step.after.next.or(before.next).unwrap_or(step.after.owner);
            text += &format!(" No thread here needs the token, so it goes to {}.", step.name(next));
        }
        if let Some(thread) = step.granted() {
            text += &format!(" {} has its lock.", step.setup.thread_name(thread));
        }
        text
    }
}

const LISTING: &[(&str, &[Line])] = &[
    (
        "lockCreate",
        &[line(CREATE, "request := true"), line(ASK, "owner is another node: request it there; owner := this node")],
    ),
    (
        "forwardRequest(requester)",
        &[
            line(NEXT, "token here (n3: and tail; n4: tail): next := requester"),
            line(PASS, "else forward it to owner"),
            line(REVERSE, "owner := requester; releaseToken"),
        ],
    ),
    ("GiveToken", &[line(TOKEN, "token := true; unblock; releaseToken")]),
    ("unlock", &[line(FORGET, "request := false; releaseToken")]),
    ("releaseToken", &[line(RELEASE, "token, no request, next known: give it the token")]),
    ("lockTest; doLock waits for it", &[line(PROCEED, "token and request")]),
];

/// The entry in the table of algorithms.
pub const ENTRY: Entry = Entry {
    id: "naimi-trehel-async-printed",
    title: "Asynchronous Naimi–Tréhel, as printed",
    year: 2009,
    source: "Quinson and Vernier, Byte-Range Asynchronous Locking in Distributed Settings, PDP 2009, Algorithm 2",
    printed: true,
    params: &[Param {
        name: "reading",
        about: "n1, n2: the token holder takes every request; n3: a tail with the token does; n4: every tail does, and cancelling deletes the request",
        values: &["n1", "n2", "n3", "n4"],
    }],
    needs: Needs { fifo: true, fifo_with: None, tree: true },
    claims: &["mutual exclusion", "a lock that is not held yet can be cancelled"],
    tree_link: "owner",
    listing: LISTING,
    sample: SampleSystem { clusters: 2, rate: 3.0, ..SampleSystem::CLUSTERS },
    drive: Drive::of::<Printed>(),
};
