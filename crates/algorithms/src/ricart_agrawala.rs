//! Ricart and Agrawala's algorithm.
//!
//! *Source.* R. E. Bryant, notes on distributed mutual exclusion, Carnegie Mellon University 15-440, 2012; after G. Ricart and
//! A. K. Agrawala, "An optimal algorithm for mutual exclusion in computer networks", CACM 24(1), 1981.
//!
//! # The idea
//!
//! Whoever wants to enter sends a request with the time of its Lamport clock to everybody else and enters when everybody has replied. A
//! node replies at once, unless its own request is older: then it *defers* the reply until it has left. Of two requests one is older,
//! so one of the two waits for the other, and nobody waits in a circle. n − 1 requests and n − 1 replies: 2(n − 1) messages for each entry.
//!
//! `R` is the set of nodes whose reply has come, `D` the set of those whose reply is deferred, `Tr` the time of the node's own request.
//! The remarks in the notes' example use `R` for the replies still missing; here, as in their code, it is those received.
//!
//! # Clocks
//!
//! A time is 10·L + the number of the process (100·L, 1000·L in larger systems), so that no two are equal. There are two ways to count:
//!
//! * `ricart-agrawala`: only requests carry a time, as in the printed formats, and only requests are counted, like the original's
//!   `Highest_Sequence_Number`. A node may be overtaken twice by the same other.
//! * `ricart-agrawala-printed`: everything counts, as in the notes' example: asking, each reply sent, each message received (which first
//!   takes the maximum with the sender's time) and entering; leaving does not. That needs a time in the replies too. A node is overtaken
//!   once at most, which is what the notes' argument against starvation is about. With `clocks=notes` the first three nodes begin at 421,
//!   112 and 143; a test replays the example, all 24 rows of it. Each interleaving has its own clocks then, so few systems can be explored.
//!
//! # Where we depart from the text
//!
//! * *Several threads for each node* queue there; the node requests for the first, and again for the next when that one has left.
//! * *A single node* enters at once. As printed it never would: the last reply is what lets a process in.
//! * What happens at a node on one message (receive, reply, enter) is one step.
//!
//! Everything else is as printed in both, and right. `D` is emptied by the next request, not when its replies are sent; nobody reads it
//! between.

use lockstep_kernel::algorithm::{Call, MessageKind, Role};
use lockstep_kernel::entry::{Drive, Line, Needs, Param, essential, line};
use lockstep_kernel::invariant::{Invariant, mutual_exclusion};
use lockstep_kernel::view::{Cause, ObservedStep, Waiter};
use lockstep_kernel::{Algorithm, Entry, Message, NodeId, NodeView, Out, Setup, ThreadId, Var, lines};
use std::collections::VecDeque;

/// What all nodes agree on: how clocks begin. `EVERY` event counts, or only requests do.
pub struct RicartAgrawala<const EVERY: bool> {
    notes: bool,
}

/// The time of a node's Lamport clock. Equal counts are ordered by the nodes' numbers.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Stamp {
    /// Its count.
    pub count: u32,
    /// Whose clock.
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

/// What nodes send each other.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Msg {
    /// The sender wants to enter, since this time.
    Request(Stamp),
    /// The sender lets the receiver in; with the time of sending if all messages are stamped.
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

/// What a node remembers of another.
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
    /// Threads that wait, in order.
    threads: VecDeque<ThreadId>,
}

impl Node {
    fn now(&self) -> Stamp {
        Stamp { count: self.count, node: self.me }
    }

    fn tr(&self) -> Stamp {
        Stamp { count: self.requested, node: self.me }
    }

    /// From the request to the release.
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
    /// An event of this node, if every one counts.
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

    /// Everybody has replied: enter.
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
                out.impossible("a reply came to a request that is over, or a second one");
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

    fn narrate(&self, told: &ObservedStep<'_, Self>) -> String {
        let me = told.name(told.me);
        let sentence = match told.cause {
            Cause::Asked(thread) => format!("{} {}", told.setup.thread_name(thread), self.tell_request(told)),
            Cause::Left(thread) => {
                let user = told.setup.thread_name(thread);
                let deferred: Vec<&str> = told.before.members(|o| o.deferred).map(|o| told.name(o)).collect();
                let replies = if deferred.is_empty() {
                    format!("{me} has deferred no reply, so it sends none")
                } else {
                    format!("{me} sends the deferred replies to {}", deferred.join(", "))
                };
                let next = told.before.threads.front().map(|t| told.setup.thread_name(*t));
                let again = next.map_or(String::new(), |next| format!(" {next} {}", self.tell_request(told)));
                format!("{user} leaves; {replies}.{again}")
            }
            Cause::Received(from, Msg::Request(stamp)) => {
                let (from, theirs) = (told.name(from), stamp.text(told.setup));
                let mine = told.before.tr().text(told.setup);
                if told.ran(DEFER) && told.before.inside {
                    format!("{me} is inside, so it defers its reply to {from}'s request of {theirs} until it has left.")
                } else if told.ran(DEFER) {
                    format!(
                        "{me}'s own request of {mine} is older than {from}'s of {theirs}, so {me} defers its reply until it has left."
                    )
                } else if told.before.should_defer {
                    format!("{from}'s request of {theirs} comes before {me}'s own of {mine}, so {me} replies at once.")
                } else {
                    format!("{me} wants nothing itself, so it replies to {from}'s request at once.")
                }
            }
            Cause::Received(from, Msg::Reply(_)) => {
                let (from, missing) = (told.name(from), told.after.others.len() as u32 - 1 - told.after.replies);
                match told.granted() {
                    Some(thread) => {
                        let user = told.setup.thread_name(thread);
                        format!("{from} has replied, and that was the last reply missing: {user} enters.")
                    }
                    None => format!("{from} has replied; {missing} more must reply before {me} may enter."),
                }
            }
        };
        sentence + &self.tell_clock(told)
    }
}

impl<const EVERY: bool> RicartAgrawala<EVERY> {
    fn tell_request(&self, told: &ObservedStep<'_, Self>) -> String {
        let me = told.name(told.me);
        if !told.ran(STAMP) {
            format!("joins the queue of {me}, which requests for one thread at a time.")
        } else if told.granted().is_some() {
            "enters at once: there is nobody to ask.".into()
        } else {
            let tr = told.after.tr().text(told.setup);
            format!("waits: {me} sends everybody a request of time {tr} and needs every reply.")
        }
    }

    /// The times of this step's events.
    fn tell_clock(&self, told: &ObservedStep<'_, Self>) -> String {
        let (before, after) = (told.before.count, told.after.count);
        let taken = match told.cause {
            Cause::Received(_, Msg::Request(stamp) | Msg::Reply(Some(stamp))) if told.ran(UPDATE) => {
                before.max(stamp.count)
            }
            _ => before,
        };
        let first = if EVERY { taken + 1 } else { after.max(before + 1) };
        let times = (first..=after).map(|count| Stamp { count, node: told.me }.text(told.setup));
        let times: Vec<String> = times.collect();
        if times.is_empty() {
            String::new()
        } else {
            format!(" Clock of {}: {}.", told.name(told.me), times.join(", "))
        }
    }
}

/// Each request is, at each other node, under way, deferred, answered by a reply under way, or answered: exactly one of these. Nothing is
/// left of earlier rounds.
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

/// A thread waits only at a node that has a request, or one inside.
fn who_waits_has_asked<const EVERY: bool>() -> Invariant<RicartAgrawala<EVERY>> {
    Invariant {
        name: "who waits has asked",
        check: Box::new(|system, world| match world.nodes.iter().find(|n| !n.threads.is_empty() && !n.busy()) {
            Some(n) => Err(format!("a thread waits at {}, which has no request", system.setup.name(n.me))),
            None => Ok(()),
        }),
    }
}

/// What the argument rests on: inside, `should_defer` and `Tr` are still enough to judge by, because no older request is on its way.
///
/// A fault breaks this before it does harm; it is not among the invariants, so that a counterexample shows the harm.
pub fn no_older_request_arrives_inside<const EVERY: bool>() -> Invariant<RicartAgrawala<EVERY>> {
    Invariant {
        name: "no older request arrives inside",
        check: Box::new(|system, world| {
            let older = world.flights.iter().find(|f| {
                let n = &world.nodes[f.to.index()];
                n.inside && matches!(f.msg, Msg::Request(stamp) if stamp < n.tr())
            });
            older.map_or(Ok(()), |f| Err(format!("an older request is on its way to {}", system.setup.name(f.to))))
        }),
    }
}

const LISTING: &[(&str, &[Line])] = &[
    (
        "a thread asks, and its node has no request",
        &[
            line(STAMP, "count the clock; Tr := its time"),
            essential(FORGET, "R := {}; D := {}; should_defer := true"),
            essential(ASK, "send REQUEST(Tr) to everybody else"),
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
            line(ENTER, "R is everybody else: enter"),
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

/// The row of the table.
pub const ENTRY: Entry = Entry {
    id: "ricart-agrawala",
    title: "Ricart–Agrawala",
    year: 1981,
    source: "Bryant, notes on distributed mutual exclusion, CMU 15-440, 2012; after Ricart and Agrawala, CACM 24(1), 1981",
    printed: false,
    params: &[],
    needs: Needs { fifo: false, fifo_with: None, tree: false },
    claims: &[
        "2(n − 1) messages for each entry",
        "replies never come late: none is under way when its receiver has no request",
        "no deadlock: a circle of deferred replies would need a circle of times",
        "no request starves",
    ],
    tree_link: "",
    listing: LISTING,
    drive: Drive::of::<RicartAgrawala<false>>(),
};

/// The same with the clocks of the notes' example.
pub const PRINTED: Entry = Entry {
    id: "ricart-agrawala-printed",
    title: "Ricart–Agrawala, as printed",
    year: 2012,
    source: "Bryant, notes on distributed mutual exclusion, CMU 15-440, 2012, with the clocks of its example",
    printed: true,
    params: &[Param {
        name: "clocks",
        about: "the clocks begin as in the notes' example, or at zero",
        values: &["notes", "zero"],
    }],
    drive: Drive::of::<RicartAgrawala<true>>(),
    ..ENTRY
};
