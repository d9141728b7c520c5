//! Ricart and Agrawala's algorithm.
//!
//! *Source.* R. E. Bryant, notes on distributed mutual exclusion, Carnegie Mellon University
//! 15-440, 2012; after G. Ricart and A. K. Agrawala, "An optimal algorithm for mutual exclusion in
//! computer networks", CACM 24(1), 1981.
//!
//! # The idea
//!
//! A node sends a request with its Lamport time to every other node and enters when all of them
//! have replied. A node replies at once, unless its own request is older: then it *defers* the
//! reply until it has left. Of two requests one is older, so one of the two nodes waits for the
//! other, and no cycle of waiting nodes is possible. An entry takes n − 1 requests and n − 1
//! replies: 2(n − 1) messages.
//!
//! `R` is the set of nodes that have replied, `D` the set of nodes to which a reply is deferred,
//! `Tr` the time of the node's own request. The remarks in the notes' example use `R` for the
//! missing replies; here, as in their code, `R` holds the received ones.
//!
//! # Clocks
//!
//! A time is 10·L + the number of the process (100·L, 1000·L in larger systems), so that no two are
//! equal. There are two ways to count:
//!
//! * `ricart-agrawala`: only requests carry a time, as in the printed formats, and only requests
//!   advance the clock, like the original's `Highest_Sequence_Number`. The same node may overtake
//!   another twice.
//! * `ricart-agrawala-printed`: every event advances the clock, as in the notes' example:
//!   requesting, each reply sent, each message received (which first takes the maximum with the
//!   sender's time) and entering; leaving does not. That needs a time in the replies too. A node is
//!   overtaken once at most, which is what the notes' argument against starvation is about. With
//!   `clocks=notes` the first three nodes start at 421, 112 and 143; a test replays the example,
//!   all 24 rows of it. Each interleaving then has its own clocks, so only small systems can be
//!   explored.
//!
//! # Where we depart from the notes
//!
//! * *Several threads per node* queue there; the node requests for the first, and again for the
//!   next when that one has left.
//! * *A single node* enters at once. As printed it never would, because a process enters on its
//!   last reply.
//! * A node handles one message (receive, reply, enter) in one step.
//!
//! Everything else is as printed in both, and correct. `D` is cleared by the next request, not when
//! its replies are sent; no code reads it in between.

use lockstep_kernel::algorithm::{Call, MessageKind, Role};
use lockstep_kernel::entry::{Drive, Line, Needs, Param, SampleSystem, essential, line};
use lockstep_kernel::invariant::{Invariant, mutual_exclusion};
use lockstep_kernel::view::{Cause, ObservedStep, Waiter};
use lockstep_kernel::{Algorithm, Entry, Message, NodeId, NodeView, Out, Setup, ThreadId, Var, lines};
use std::collections::VecDeque;

/// The initial clocks and the names of the nodes. `EVERY` event advances the clock, or only
/// requests do.
pub struct RicartAgrawala<const EVERY: bool> {
    notes: bool,
}

/// The time of a node's Lamport clock. Equal counts are ordered by the nodes' numbers.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Stamp {
    /// Its count.
    pub count: u32,
    /// The node whose clock it is.
    pub node: NodeId,
}

impl Stamp {
    /// As the notes write it: 153 is the count 15 of the third process.
    fn text(self, setup: &Setup) -> String {
        let mut scale = 10;
        while scale <= setup.nodes() as u64 {
            scale *= 10;
        }
        (scale * u64::from(self.count) + u64::from(self.node.0) + 1).to_string()
    }
}

/// The messages between nodes.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Msg {
    /// The sender requests, with this time.
    Request(Stamp),
    /// The sender's permission, with the time of sending if all messages are stamped.
    Reply(Option<Stamp>),
}

impl Message for Msg {
    const KINDS: &'static [MessageKind] =
        &[MessageKind { name: "request", role: Role::Request }, MessageKind { name: "reply", role: Role::Reply }];

    #[inline]
    fn kind(&self) -> usize {
        usize::from(matches!(self, Msg::Reply(_)))
    }

    fn tag(&self, setup: &Setup) -> String {
        match self {
            Msg::Request(stamp) => stamp.text(setup),
            Msg::Reply(_) => "ok".into(),
        }
    }

    fn label(&self, setup: &Setup) -> String {
        match self {
            Msg::Request(stamp) => format!("REQUEST({})", stamp.text(setup)),
            Msg::Reply(Some(stamp)) => format!("REPLY({})", stamp.text(setup)),
            Msg::Reply(None) => "REPLY".into(),
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
    /// The count of `Tr`.
    requested: u32,
    should_defer: bool,
    inside: bool,
    /// `R` and `D`.
    others: Vec<Other>,
    /// The size of `R`.
    replies: u32,
    /// Waiting threads, in order.
    threads: VecDeque<ThreadId>,
}

impl Node {
    fn now(&self) -> Stamp {
        Stamp { count: self.count, node: self.me }
    }

    fn tr(&self) -> Stamp {
        Stamp { count: self.requested, node: self.me }
    }

    /// Whether the node has a request, from request to release.
    fn busy(&self) -> bool {
        self.should_defer || self.inside
    }

    fn members(&self, which: fn(&Other) -> bool) -> impl Iterator<Item = NodeId> + '_ {
        self.others.iter().zip(0..).filter(move |(other, _)| which(other)).map(|(_, i)| NodeId(i))
    }
}

lines! {
    STAMP, FORGET, ASK, LEAVE, AGAIN, UPDATE, DEFER, TIE, REPLY, COLLECT, ENTER, KEEP,
}

impl<const EVERY: bool> RicartAgrawala<EVERY> {
    /// Advances the clock by one event, if every event counts.
    #[inline]
    fn tick(&self, n: &mut Node) {
        n.count += u32::from(EVERY);
    }

    #[inline]
    fn request(&self, n: &mut Node, out: &mut impl Out<Msg>) {
        out.line(STAMP);
        n.count += 1;
        n.requested = n.count;
        if out.line(FORGET) {
            n.others.fill(Other::default());
            n.replies = 0;
        }
        n.should_defer = true;
        if out.line(ASK) {
            for other in (0..n.others.len() as u32).map(NodeId).filter(|other| *other != n.me) {
                out.send(other, Msg::Request(n.tr()));
            }
        }
        self.check(n, out);
    }

    /// Enters if every other node has replied.
    #[inline]
    fn check(&self, n: &mut Node, out: &mut impl Out<Msg>) {
        if n.replies as usize + 1 != n.others.len() {
            return;
        }
        if let Some(thread) = n.threads.pop_front() {
            out.line(ENTER);
            self.tick(n);
            n.inside = true;
            n.should_defer = out.line(KEEP);
            out.grant(thread);
        }
    }

    #[inline]
    fn reply(&self, n: &mut Node, to: NodeId, out: &mut impl Out<Msg>) {
        self.tick(n);
        out.send(to, Msg::Reply(EVERY.then_some(n.now())));
    }

    /// Whether this node's own request is older.
    #[inline]
    fn older(&self, n: &Node, stamp: Stamp, out: &mut impl Out<Msg>) -> bool {
        n.requested < stamp.count || (n.requested == stamp.count && out.line(TIE) && n.me < stamp.node)
    }
}

impl<const EVERY: bool> Algorithm for RicartAgrawala<EVERY> {
    type Node = Node;
    type Msg = Msg;

    fn new(setup: &Setup) -> Self {
        RicartAgrawala { notes: setup.params.get("clocks") == "notes" }
    }

    fn start(&self, me: NodeId, setup: &Setup) -> Node {
        let initial = [42, 11, 14].get(me.index()).filter(|_| self.notes);
        Node {
            me,
            count: initial.copied().unwrap_or(0),
            requested: 0,
            should_defer: false,
            inside: false,
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
                if !n.busy() {
                    self.request(n, out);
                }
            }
            Call::Release(_) => {
                n.inside = false;
                n.should_defer = false;
                if out.line(LEAVE) {
                    for other in 0..n.others.len() {
                        if n.others[other].deferred {
                            self.reply(n, NodeId(other as u32), out);
                        }
                    }
                }
                if !n.threads.is_empty() && out.line(AGAIN) {
                    self.request(n, out);
                }
            }
        }
    }

    #[inline]
    fn on_message(&self, n: &mut Node, from: NodeId, msg: Msg, out: &mut impl Out<Msg>) {
        if let Msg::Request(stamp) | Msg::Reply(Some(stamp)) = msg {
            if out.line(UPDATE) {
                n.count = n.count.max(stamp.count);
            }
            self.tick(n);
        }
        match msg {
            Msg::Request(stamp) => {
                if n.should_defer && self.older(n, stamp, out) && out.line(DEFER) {
                    n.others[from.index()].deferred = true;
                } else if out.line(REPLY) {
                    self.reply(n, from, out);
                }
            }
            Msg::Reply(_) if !n.should_defer || n.inside || n.others[from.index()].replied => {
                out.impossible("a reply came for a finished request, or a second one came");
            }
            Msg::Reply(_) => {
                if out.line(COLLECT) {
                    n.others[from.index()].replied = true;
                    n.replies += 1;
                }
                self.check(n, out);
            }
        }
    }

    fn set_clock(&self, n: &mut Node, next: u32) {
        n.count = next.saturating_sub(1);
    }

    fn view(&self, n: &Node, setup: &Setup) -> NodeView {
        let set = |which: fn(&Other) -> bool| {
            let names: Vec<&str> = n.members(which).map(|other| setup.name(other)).collect();
            format!("{{{}}}", names.join(", "))
        };
        let waiting = n.threads.iter().map(|t| Waiter::User(*t));
        let deferred = n.members(|o| o.deferred).filter(|_| n.should_defer).map(Waiter::Remote);
        NodeView {
            token: false,
            links: Vec::new(),
            queue: waiting.chain(deferred).collect(),
            vars: vec![
                Var::new("T", n.now().text(setup)),
                Var::new("Tr", if n.busy() { n.tr().text(setup) } else { "none".into() }),
                Var::new("should_defer", n.should_defer),
                Var::new("R", set(|o| o.replied)),
                Var::new("D", set(|o| o.deferred)),
            ],
            badges: Vec::new(),
        }
    }

    fn invariants() -> Vec<Invariant<Self>> {
        vec![mutual_exclusion(), one_answer(), who_waits_has_asked()]
    }

    fn narrate(&self, step: &ObservedStep<'_, Self>) -> String {
        let me = step.name(step.me);
        let sentence = match step.cause {
            Cause::Asked(thread) => format!("{} {}", step.setup.thread_name(thread), self.narrate_request(step)),
            Cause::Left(thread) => {
                let user = step.setup.thread_name(thread);
                let deferred: Vec<&str> = step.before.members(|o| o.deferred).map(|o| step.name(o)).collect();
                let replies = if deferred.is_empty() {
                    format!("{me} has deferred no reply, so it sends none")
                } else {
                    format!("{me} sends the deferred replies to {}", deferred.join(", "))
                };
                let next = step.before.threads.front().map(|t| step.setup.thread_name(*t));
                let again = next.map_or(String::new(), |next| format!(" {next} {}", self.narrate_request(step)));
                format!("{user} leaves; {replies}.{again}")
            }
            Cause::Received(from, Msg::Request(stamp)) => {
                let (from, theirs) = (step.name(from), stamp.text(step.setup));
                let mine = step.before.tr().text(step.setup);
                if step.ran(DEFER) && step.before.inside {
                    format!("{me} is inside, so it defers its reply to {from}'s request of {theirs} until it has left.")
                } else if step.ran(DEFER) {
                    format!(
                        "{me}'s own request of {mine} is older than {from}'s of {theirs}, so {me} defers its reply until it has left."
                    )
                } else if step.before.inside {
                    // only without the line that defers
                    format!("{me} replies to {from}'s request of {theirs} at once, although it is inside.")
                } else if step.before.should_defer && step.before.tr() < *stamp {
                    format!(
                        "{me} replies to {from}'s request of {theirs} at once, although its own of {mine} is older."
                    )
                } else if step.before.should_defer {
                    format!("{from}'s request of {theirs} comes before {me}'s own of {mine}, so {me} replies at once.")
                } else {
                    format!("{me} has no request of its own, so it replies to {from}'s request at once.")
                }
            }
            Cause::Received(from, Msg::Reply(_)) => {
                let (from, missing) = (step.name(from), step.after.others.len() as u32 - 1 - step.after.replies);
                match step.granted() {
                    Some(thread) => {
                        let user = step.setup.thread_name(thread);
                        format!("{from} has replied, and that was the last missing reply: {user} enters.")
                    }
                    None => {
                        let replies = if missing == 1 { "reply" } else { "replies" };
                        format!("{from} has replied; {me} needs {missing} more {replies} before it may enter.")
                    }
                }
            }
        };
        sentence + &self.narrate_clock(step)
    }
}

impl<const EVERY: bool> RicartAgrawala<EVERY> {
    fn narrate_request(&self, step: &ObservedStep<'_, Self>) -> String {
        let me = step.name(step.me);
        if !step.ran(STAMP) {
            format!("joins the queue of {me}, which requests for one thread at a time.")
        } else if step.granted().is_some() {
            "enters at once: there is no other node.".into()
        } else {
            let tr = step.after.tr().text(step.setup);
            format!("waits: {me} sends a request with time {tr} to every other node and needs every reply.")
        }
    }

    /// The times of this step's events.
    fn narrate_clock(&self, step: &ObservedStep<'_, Self>) -> String {
        let (before, after) = (step.before.count, step.after.count);
        let taken = match step.cause {
            Cause::Received(_, Msg::Request(stamp) | Msg::Reply(Some(stamp))) if step.ran(UPDATE) => {
                before.max(stamp.count)
            }
            _ => before,
        };
        let first = if EVERY { taken + 1 } else { after.max(before + 1) };
        let times = (first..=after).map(|count| Stamp { count, node: step.me }.text(step.setup));
        let times: Vec<String> = times.collect();
        if times.is_empty() {
            String::new()
        } else {
            format!(" Clock of {}: {}.", step.name(step.me), times.join(", "))
        }
    }
}

/// At each other node a request is in exactly one of these states: in flight, deferred, answered by
/// a reply in flight, or answered. Nothing is left of earlier rounds.
fn one_answer<const EVERY: bool>() -> Invariant<RicartAgrawala<EVERY>> {
    Invariant {
        name: "one answer to each request",
        check: Box::new(|system, world| {
            let n = world.nodes.len();
            let mut found = vec![0u8; n * n];
            for flight in &world.flights {
                match flight.msg {
                    Msg::Request(_) => found[flight.from.index() * n + flight.to.index()] += 1,
                    Msg::Reply(_) => found[flight.to.index() * n + flight.from.index()] += 1,
                }
            }
            for node in world.nodes.iter().filter(|node| node.busy()) {
                for (other, i) in node.others.iter().zip(0..) {
                    found[node.me.index() * n + i] += u8::from(other.replied);
                    found[i * n + node.me.index()] += u8::from(other.deferred);
                }
            }
            for asker in &world.nodes {
                for other in world.nodes.iter().filter(|other| other.me != asker.me) {
                    if found[asker.me.index() * n + other.me.index()] != u8::from(asker.busy()) {
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
fn who_waits_has_asked<const EVERY: bool>() -> Invariant<RicartAgrawala<EVERY>> {
    Invariant {
        name: "who waits has asked",
        check: Box::new(|system, world| match world.nodes.iter().find(|n| !n.threads.is_empty() && !n.busy()) {
            Some(n) => Err(format!("a thread waits at {}, which has no request", system.setup.name(n.me))),
            None => Ok(()),
        }),
    }
}

/// The basis of the correctness argument: inside, `should_defer` and `Tr` still give the right
/// answer, because no older request is in flight.
///
/// A fault violates this before it does harm. It is not among the invariants, so that a
/// counterexample shows the harm.
pub fn no_older_request_arrives_inside<const EVERY: bool>() -> Invariant<RicartAgrawala<EVERY>> {
    Invariant {
        name: "no older request arrives inside",
        check: Box::new(|system, world| {
            let older = world.flights.iter().find(|f| {
                let n = &world.nodes[f.to.index()];
                n.inside && matches!(f.msg, Msg::Request(stamp) if stamp < n.tr())
            });
            older.map_or(Ok(()), |f| Err(format!("an older request is in flight to {}", system.setup.name(f.to))))
        }),
    }
}

const LISTING: &[(&str, &[Line])] = &[
    (
        "a thread requests, and its node has no request",
        &[
            line(STAMP, "count the clock; Tr := its time"),
            essential(FORGET, "R := {}; D := {}; should_defer := true"),
            essential(ASK, "send REQUEST(Tr) to every other node"),
        ],
    ),
    (
        "REQUEST(T) of j arrives",
        &[
            essential(UPDATE, "the clock takes T if that is later (at replies too)"),
            essential(DEFER, "should_defer and Tr < T: add j to D"),
            essential(TIE, "  equal counts: the lower number is older"),
            essential(REPLY, "else send REPLY to j"),
        ],
    ),
    (
        "REPLY of j arrives",
        &[
            essential(COLLECT, "add j to R"),
            line(ENTER, "R is every other node: enter"),
            essential(KEEP, "  should_defer stays true inside"),
        ],
    ),
    (
        "a thread leaves",
        &[
            essential(LEAVE, "should_defer := false; send REPLY to each of D"),
            essential(AGAIN, "another thread waits here: request for it"),
        ],
    ),
];

/// The entry in the table of algorithms.
pub const ENTRY: Entry = Entry {
    id: "ricart-agrawala",
    title: "Ricart–Agrawala",
    year: 1981,
    source: "Bryant, notes on distributed mutual exclusion, CMU 15-440, 2012; after Ricart and Agrawala, CACM 24(1), 1981",
    printed: false,
    params: &[],
    needs: Needs { fifo: false, fifo_with: None, tree: false },
    claims: &[
        "2(n − 1) messages per entry",
        "replies never come late: none is in flight when its receiver has no request",
        "no deadlock: a cycle of deferred replies would need a cycle of times",
        "no request starves",
    ],
    tree_link: "",
    listing: LISTING,
    sample: SampleSystem::CHAIN,
    drive: Drive::of::<RicartAgrawala<false>>(),
};

/// The same with the clocks of the notes' example.
pub const PRINTED: Entry = Entry {
    id: "ricart-agrawala-printed",
    title: "Ricart–Agrawala, with the printed clocks",
    year: 2012,
    source: "Bryant, notes on distributed mutual exclusion, CMU 15-440, 2012, with the clocks of its example",
    printed: true,
    params: &[Param {
        name: "clocks",
        about: "notes: the clocks start as in the notes' example; zero: they start at 0",
        values: &["notes", "zero"],
    }],
    drive: Drive::of::<RicartAgrawala<true>>(),
    ..ENTRY
};
