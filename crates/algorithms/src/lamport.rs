//! Lamport's algorithm, in a version that tolerates messages out of order.
//!
//! *Source.* R. E. Bryant, notes on distributed mutual exclusion, Carnegie Mellon University
//! 15-440, 2012; after L. Lamport, "Time, clocks, and the ordering of events in a distributed
//! system", CACM 21(7), 1978.
//!
//! # The idea
//!
//! Every node keeps its own copy of one queue `Q` of requests, ordered by Lamport time (equal
//! times: the lower node number first). A node broadcasts its request. It enters when every other
//! node has replied and its request is at the front of its `Q`, and broadcasts a release when it
//! leaves: 3(n − 1) messages per entry.
//!
//! A reply guarantees that its sender has no older request, or that the receiver has that request
//! in its `Q` already. On FIFO links this holds without further effort, because an older request
//! was sent first. Where messages may overtake each other, the reply is *deferred*: a node with an
//! older request delays it until a reply from the other node shows that the request has arrived.
//! `D` is the set of nodes to which a reply is deferred, `R` the set of nodes that have replied.
//!
//! # Which request a release removes
//!
//! A release does not name a request; the receiver removes the front of its `Q`. When the release
//! of a later holder overtakes that of an earlier one, the receiver removes the wrong entry, and
//! this is harmless. Entries happen in the order of their times, and every node that entered had
//! this node's reply. So when the r-th release arrives, from any node, the r oldest requests are
//! all in `Q`, and r removals take exactly these.
//!
//! # Where we depart from the notes
//!
//! * *Several threads per node* queue there; the node requests for the first, and again for the
//!   next when that one has left.
//! * *A single node* enters at once. As printed it never would, because a process examines its
//!   queue only when a message arrives.
//! * A node handles one message in one step. `R`, `D` and `Tr` are cleared at the release, not at
//!   the next request.
//!
//! Everything else is as printed, and correct. Only requests carry a time and advance the clocks.

use lockstep_kernel::algorithm::{Call, MessageKind, Role};
use lockstep_kernel::entry::{Drive, Line, Needs, SampleSystem, essential, line};
use lockstep_kernel::invariant::{Invariant, mutual_exclusion};
use lockstep_kernel::view::{Cause, ObservedStep, Waiter};
use lockstep_kernel::{Algorithm, Entry, Message, NodeId, NodeView, Out, Setup, ThreadId, Var, lines};
use std::collections::VecDeque;
use std::fmt::{self, Display};

/// Nothing is agreed on beforehand.
pub struct Lamport;

/// The time of a request. Equal counts are ordered by the nodes' numbers.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Stamp {
    /// The count of the clock.
    pub count: u32,
    /// The node whose request it is.
    pub node: NodeId,
}

impl Stamp {
    fn text(self, setup: &Setup) -> String {
        self.shown(setup).to_string()
    }

    fn shown(self, setup: &Setup) -> impl Display {
        fmt::from_fn(move |f| write!(f, "{}@{}", self.count, setup.name(self.node)))
    }
}

/// The messages between nodes.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Msg {
    /// The sender requests, with this time.
    Request(Stamp),
    /// The sender has no older request, or the receiver has it.
    Reply,
    /// The sender has left.
    Release,
}

impl Message for Msg {
    const KINDS: &'static [MessageKind] = &[
        MessageKind { name: "request", role: Role::Request },
        MessageKind { name: "reply", role: Role::Reply },
        MessageKind { name: "release", role: Role::Reply },
    ];

    #[inline]
    fn kind(&self) -> usize {
        match self {
            Msg::Request(_) => 0,
            Msg::Reply => 1,
            Msg::Release => 2,
        }
    }

    fn tag(&self, _: &Setup) -> String {
        match self {
            Msg::Request(stamp) => format!("R{}", stamp.count),
            Msg::Reply => "ok".into(),
            Msg::Release => "X".into(),
        }
    }

    fn label(&self, setup: &Setup) -> String {
        match self {
            Msg::Request(stamp) => format!("REQUEST({})", stamp.shown(setup)),
            Msg::Reply => "REPLY".into(),
            Msg::Release => "RELEASE".into(),
        }
    }
}

/// What a node knows about another node.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
struct Other {
    /// It is in `R`.
    replied: bool,
    /// It is in `D`.
    deferred: bool,
}

/// One node.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Node {
    me: NodeId,
    count: u32,
    /// The time of the node's own request, from request to release.
    tr: Option<Stamp>,
    inside: bool,
    /// The copy of the queue, oldest first.
    queue: Vec<Stamp>,
    /// `R` and `D`.
    others: Vec<Other>,
    /// The size of `R`.
    replies: u32,
    /// Waiting threads, in order.
    threads: VecDeque<ThreadId>,
}

impl Node {
    fn members(&self, which: fn(&Other) -> bool) -> impl Iterator<Item = NodeId> + '_ {
        self.others.iter().zip(0..).filter(move |(other, _)| which(other)).map(|(_, i)| NodeId(i))
    }

    fn insert(&mut self, stamp: Stamp, out: &mut impl Out<Msg>) {
        let place = self.queue.partition_point(|other| !older(stamp, *other, out));
        self.queue.insert(place, stamp);
    }

    fn pop(&mut self) {
        if !self.queue.is_empty() {
            self.queue.remove(0);
        }
    }
}

lines! {
    STAMP, ASK, JOIN, UPDATE, ADD, DEFER, TIE, REPLY, COLLECT, LATE, POP, ALL_REPLIED, FRONT,
    ENTER, LEAVE, POP_OWN, AGAIN,
}

/// Whether the first time is before the second.
#[inline]
fn older(a: Stamp, b: Stamp, out: &mut impl Out<Msg>) -> bool {
    a.count < b.count || (a.count == b.count && out.line(TIE) && a.node < b.node)
}

impl Lamport {
    fn broadcast(n: &Node, msg: Msg, out: &mut impl Out<Msg>) {
        for other in (0..n.others.len() as u32).map(NodeId).filter(|other| *other != n.me) {
            out.send(other, msg);
        }
    }

    #[inline]
    fn request(&self, n: &mut Node, out: &mut impl Out<Msg>) {
        out.line(STAMP);
        n.count += 1;
        let stamp = Stamp { count: n.count, node: n.me };
        n.tr = Some(stamp);
        if out.line(ASK) {
            Self::broadcast(n, Msg::Request(stamp), out);
        }
        if out.line(JOIN) {
            n.insert(stamp, out);
        }
        self.check(n, out);
    }

    /// Enters if every other node has replied and the node's own request is at the front.
    #[inline]
    fn check(&self, n: &mut Node, out: &mut impl Out<Msg>) {
        let Some(tr) = n.tr else { return };
        let all_replied = n.replies as usize + 1 == n.others.len() || !out.line(ALL_REPLIED);
        if n.inside || !all_replied || (n.queue.first() != Some(&tr) && out.line(FRONT)) {
            return;
        }
        if let Some(thread) = n.threads.pop_front() {
            out.line(ENTER);
            n.inside = true;
            out.grant(thread);
        }
    }

    /// Whether this node waits with an older request and `from` has not replied to it.
    #[inline]
    fn must_defer(&self, n: &Node, stamp: Stamp, out: &mut impl Out<Msg>) -> bool {
        let Some(tr) = n.tr else { return false };
        !n.inside && !n.others[stamp.node.index()].replied && older(tr, stamp, out) && out.line(DEFER)
    }
}

impl Algorithm for Lamport {
    type Node = Node;
    type Msg = Msg;

    fn new(_: &Setup) -> Self {
        Lamport
    }

    fn start(&self, me: NodeId, setup: &Setup) -> Node {
        Node {
            me,
            count: 0,
            tr: None,
            inside: false,
            // the request of each node, and for each a next one that overtook the release
            queue: Vec::with_capacity(2 * setup.nodes()),
            others: vec![Other::default(); setup.nodes()],
            replies: 0,
            threads: VecDeque::with_capacity(setup.threads[me.index()] as usize),
        }
    }

    #[inline]
    fn on_call(&self, n: &mut Node, call: Call, out: &mut impl Out<Msg>) {
        match call {
            Call::Request(thread) => {
                n.threads.push_back(thread);
                if n.tr.is_none() {
                    self.request(n, out);
                }
            }
            Call::Release(_) => {
                n.inside = false;
                n.tr = None;
                n.others.fill(Other::default());
                n.replies = 0;
                if out.line(LEAVE) {
                    Self::broadcast(n, Msg::Release, out);
                }
                if out.line(POP_OWN) {
                    n.pop();
                }
                if !n.threads.is_empty() && out.line(AGAIN) {
                    self.request(n, out);
                }
            }
        }
    }

    #[inline]
    fn on_message(&self, n: &mut Node, from: NodeId, msg: Msg, out: &mut impl Out<Msg>) {
        match msg {
            Msg::Request(stamp) => {
                if out.line(UPDATE) {
                    n.count = n.count.max(stamp.count);
                }
                if out.line(ADD) {
                    n.insert(stamp, out);
                }
                if self.must_defer(n, stamp, out) {
                    n.others[from.index()].deferred = true;
                } else if out.line(REPLY) {
                    out.send(from, Msg::Reply);
                }
            }
            Msg::Reply if n.tr.is_none() || n.inside || n.others[from.index()].replied => {
                out.impossible("a reply came for a finished request, or a second one came");
            }
            Msg::Reply => {
                if out.line(COLLECT) {
                    n.others[from.index()].replied = true;
                    n.replies += 1;
                }
                if n.others[from.index()].deferred && out.line(LATE) {
                    n.others[from.index()].deferred = false;
                    out.send(from, Msg::Reply);
                }
                self.check(n, out);
            }
            Msg::Release => {
                if out.line(POP) {
                    n.pop();
                }
                self.check(n, out);
            }
        }
    }

    fn set_clock(&self, n: &mut Node, next: u32) {
        n.count = next.saturating_sub(1);
    }

    fn view(&self, n: &Node, setup: &Setup) -> NodeView {
        let set = |name: &str, which: fn(&Other) -> bool| {
            Var::list(name, ["{", ", ", "}"], n.members(which).map(|other| setup.name(other)))
        };
        let mut threads = n.threads.iter().map(|t| Waiter::User(*t));
        let mut waiters: Vec<Waiter> = Vec::new();
        for stamp in &n.queue {
            if stamp.node != n.me {
                waiters.push(Waiter::Remote(stamp.node));
            } else if !n.inside {
                waiters.extend(threads.next());
            }
        }
        NodeView {
            token: false,
            links: Vec::new(),
            queue: waiters.into_iter().chain(threads).collect(),
            vars: vec![
                Var::new("T", n.count),
                Var::new("Tr", n.tr.map_or("none".into(), |tr| tr.text(setup))),
                Var::new("waiting", n.tr.is_some() && !n.inside),
                Var::list("Q", ["[", ", ", "]"], n.queue.iter().map(|stamp| stamp.shown(setup))),
                set("R", |o| o.replied),
                set("D", |o| o.deferred),
            ],
            badges: Vec::new(),
        }
    }

    fn invariants() -> Vec<Invariant<Self>> {
        vec![mutual_exclusion(), one_answer(), who_waits_has_asked()]
    }

    fn narrate(&self, step: &ObservedStep<'_, Self>) -> String {
        let me = step.name(step.me);
        match step.cause {
            Cause::Asked(thread) => format!("{} {}", step.setup.thread_name(thread), self.narrate_request(step)),
            Cause::Left(thread) => {
                let user = step.setup.thread_name(thread);
                let next = step.before.threads.front().map(|t| step.setup.thread_name(*t));
                let again = next.map_or(String::new(), |next| format!(" {next} {}", self.narrate_request(step)));
                format!(
                    "{user} leaves; {me} removes its request from Q and tells every other node to remove the oldest.{again}"
                )
            }
            Cause::Received(from, Msg::Request(stamp)) => {
                let (from, theirs) = (step.name(from), stamp.text(step.setup));
                let mine = step.before.tr.map_or(String::new(), |tr| tr.text(step.setup));
                let then = if step.ran(DEFER) {
                    format!("Its own {mine} is older, and {from} may not have it, so {me} defers its reply.")
                } else if step.before.tr.is_none() {
                    format!("{me} has no request of its own and replies at once.")
                } else if step.before.inside || step.before.others[stamp.node.index()].replied {
                    format!("{from} has {me}'s own {mine}, so {me} replies at once.")
                } else if step.before.tr.is_some_and(|tr| tr < *stamp) {
                    // only without the line that defers, or the one that breaks ties
                    format!("{me} replies at once, although its own {mine} is older and {from} may not have it.")
                } else {
                    format!("It is older than {me}'s own {mine}, so {me} replies at once.")
                };
                format!("{me} puts {theirs} into its Q. {then}")
            }
            Cause::Received(from, Msg::Reply) => {
                let from = step.name(from);
                let late = if step.ran(LATE) {
                    format!(" So {from} has {me}'s request, and {me} sends the deferred reply to {from}.")
                } else {
                    String::new()
                };
                format!("{from} has replied.{late} {}", self.narrate_check(step))
            }
            Cause::Received(from, Msg::Release) => {
                let (name, removed) = (step.name(from), step.before.queue.first());
                let what = removed.map_or("nothing".into(), |stamp| stamp.text(step.setup));
                let wrong = match removed {
                    Some(stamp) if stamp.node != from => format!(
                        " That is not {name}'s request but an older one, whose own release is still in flight and will remove the other."
                    ),
                    _ => String::new(),
                };
                let then =
                    if step.after.tr.is_some() { format!(" {}", self.narrate_check(step)) } else { String::new() };
                format!("{name} has left: {me} removes the front of its Q, {what}.{wrong}{then}")
            }
        }
    }
}

impl Lamport {
    fn narrate_request(&self, step: &ObservedStep<'_, Self>) -> String {
        let me = step.name(step.me);
        if !step.ran(STAMP) {
            format!("joins the queue of {me}, which requests for one thread at a time.")
        } else if step.granted().is_some() {
            "enters at once: there is no other node.".into()
        } else {
            let tr = step.after.tr.map_or(String::new(), |tr| tr.text(step.setup));
            format!("waits: {me} puts {tr} into its Q and broadcasts it.")
        }
    }

    /// Why this node enters now, or does not.
    fn narrate_check(&self, step: &ObservedStep<'_, Self>) -> String {
        let (me, after) = (step.name(step.me), step.after);
        let missing = after.others.len() as u32 - 1 - after.replies;
        if let Some(thread) = step.granted() {
            let user = step.setup.thread_name(thread);
            format!("Every other node has replied and {me}'s request is at the front of its Q: {user} enters.")
        } else if missing > 0 {
            let replies = if missing == 1 { "reply" } else { "replies" };
            format!("{me} needs {missing} more {replies} before it may enter.")
        } else {
            let front = after.queue.first().map_or("no request".into(), |stamp| stamp.text(step.setup));
            format!("Every other node has replied, but {front} is before {me}'s request in its Q.")
        }
    }
}

/// At each other node a request is in exactly one of these states: in flight, deferred, answered by
/// a reply in flight, or answered. Nothing is left of earlier rounds.
fn one_answer() -> Invariant<Lamport> {
    Invariant {
        name: "one answer to each request",
        check: Box::new(|system, world| {
            let n = world.nodes.len();
            let mut found = vec![0u8; n * n];
            for flight in &world.flights {
                match flight.msg {
                    Msg::Request(_) => found[flight.from.index() * n + flight.to.index()] += 1,
                    Msg::Reply => found[flight.to.index() * n + flight.from.index()] += 1,
                    Msg::Release => {}
                }
            }
            for node in &world.nodes {
                for (other, i) in node.others.iter().zip(0..) {
                    found[node.me.index() * n + i] += u8::from(other.replied);
                    found[i * n + node.me.index()] += u8::from(other.deferred);
                }
            }
            for asker in &world.nodes {
                for other in world.nodes.iter().filter(|other| other.me != asker.me) {
                    if found[asker.me.index() * n + other.me.index()] != u8::from(asker.tr.is_some()) {
                        let (asker, other) = (system.setup.name(asker.me), system.setup.name(other.me));
                        return Err(format!("between {asker} and {other} a request or a reply is lost or left over"));
                    }
                }
            }
            Ok(())
        }),
    }
}

/// A thread waits only at a node that has a request, or a thread inside.
fn who_waits_has_asked() -> Invariant<Lamport> {
    Invariant {
        name: "who waits has asked",
        check: Box::new(|system, world| match world.nodes.iter().find(|n| !n.threads.is_empty() && n.tr.is_none()) {
            Some(n) => Err(format!("a thread waits at {}, which has no request", system.setup.name(n.me))),
            None => Ok(()),
        }),
    }
}

/// The basis of the correctness argument: a node that has replied has no older request, or the node
/// it replied to has that request.
///
/// A fault violates this before it does harm. It is not among the invariants, so that a
/// counterexample shows the harm.
pub fn a_reply_vouches() -> Invariant<Lamport> {
    Invariant {
        name: "a reply vouches for older requests",
        check: Box::new(|system, world| {
            for x in &world.nodes {
                for y in x.members(|o| o.replied) {
                    if let (Some(tx), Some(ty)) = (x.tr, world.nodes[y.index()].tr)
                        && ty < tx
                        && !x.queue.contains(&ty)
                    {
                        let (x, y) = (system.setup.name(x.me), system.setup.name(y));
                        return Err(format!("{y} has replied to {x}, which does not have {y}'s older request"));
                    }
                }
            }
            Ok(())
        }),
    }
}

const LISTING: &[(&str, &[Line])] = &[
    (
        "a thread requests, and its node has no request",
        &[
            line(STAMP, "count the clock; Tr := its time; R := {}; D := {}"),
            essential(ASK, "send REQUEST(Tr) to every other node"),
            essential(JOIN, "put Tr into Q"),
        ],
    ),
    (
        "REQUEST(T) of j arrives",
        &[
            essential(UPDATE, "the clock takes T if that is later"),
            essential(ADD, "put T into Q"),
            essential(TIE, "  equal counts: the lower number is older"),
            line(DEFER, "waiting, j has not replied, Tr < T: add j to D"),
            essential(REPLY, "else send REPLY to j"),
        ],
    ),
    (
        "REPLY of j arrives",
        &[
            essential(COLLECT, "add j to R"),
            essential(LATE, "j is in D: remove it, send REPLY to j"),
            line(ENTER, "then enter, if"),
            essential(ALL_REPLIED, "  R is every other node"),
            essential(FRONT, "  and Tr is at the front of Q"),
        ],
    ),
    ("RELEASE of j arrives", &[essential(POP, "remove the front of Q; then enter, if as above")]),
    (
        "a thread leaves",
        &[
            essential(LEAVE, "send RELEASE to every other node"),
            essential(POP_OWN, "remove the front of Q"),
            essential(AGAIN, "another thread waits here: request for it"),
        ],
    ),
];

/// The entry in the table of algorithms.
pub const ENTRY: Entry = Entry {
    id: "lamport",
    title: "Lamport's queue",
    year: 1978,
    source: "Bryant, notes on distributed mutual exclusion, CMU 15-440, 2012; after Lamport, CACM 21(7), 1978",
    printed: false,
    params: &[],
    needs: Needs { fifo: false, fifo_with: None, tree: false },
    claims: &[
        "3(n − 1) messages per entry",
        "messages may arrive out of order",
        "a node that has all replies knows every older request",
    ],
    tree_link: "",
    listing: LISTING,
    sample: SampleSystem::CHAIN,
    drive: Drive::of::<Lamport>(),
};
