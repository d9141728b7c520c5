//! Alien threads as printed: threads, two conditions, and signals that wake no thread.
//!
//! *Source.* F. Meza, J. Pérez and Y. Eterovic, "Distributed Mutual Exclusion Algorithms for
//! multithreaded systems", ISSADS 2005, §2.3–2.4. The module `alien` explains the algorithm and its
//! repair.
//!
//! # How we read the paper
//!
//! The paper gives one procedure for taking the token, one for releasing it and a loop for the
//! alien threads, and leaves the monitor around them to the reader. We put it where it does least
//! harm: everything that a thread does up to its next wait is one step. Waking is another step: a
//! signalled thread leaves its condition at once but must re-enter the monitor (Mesa semantics),
//! and other threads may come first. Hence:
//!
//! * a request that arrives signals the alien (one step); the alien re-enters and acts (another);
//! * a token that arrives signals a waiting thread (one step); that thread re-enters and has it
//!   (another);
//! * a return request that travels with the token signals its alien in the token's own step.
//!
//! A signal without a waiting thread is lost, as on any condition variable, and no wait rechecks
//! its condition: both are printed so.
//!
//! A thread can wait in two places. The *first wait* is for the thread that requested the token;
//! after it, and only after it, `probOwner` and `tokenRequested` are corrected. The *second wait*
//! is for all other threads. The paper does not say which of them a signal reaches:
//!
//! * `strict` follows the names of the conditions: the token's arrival wakes the first wait only, a
//!   release the second only;
//! * `lenient`: the node has one queue, and either signal wakes its head, in either wait. The
//!   thread then continues from *its* wait.
//!
//! The token itself is not a variable of the paper. A ghost variable `token` follows it. It decides
//! nothing and serves the invariants: it arrives with a token's signal that wakes a thread, and is
//! lost with one that wakes none.
//!
//! # What goes wrong
//!
//! Shortest counterexamples, one thread per node (steps with the return request piggybacked / sent
//! on its own):
//!
//! * *strict*, 2 nodes, 2 requests each: the token is lost, 12 / 13. When an alien takes the token
//!   away while others wait, it requests it back on their behalf, but they are all in the second
//!   wait, and the returning token signals the first. The paper's own Figure 1 stops this way, at
//!   (e).
//! * *lenient*, v1, 3-node star, 2 requests each: two users inside, 18 / 19. A thread that wakes
//!   from the second wait leaves `tokenRequested` true. When the token has left and no thread
//!   waits, the next thread believes that it is alone with the token and enters: at 16 / 17, while
//!   the token is in flight. That alone violates none of our invariants; the second user, which has
//!   the token, enters two steps later.
//! * *lenient*, v1, 2 nodes: two users inside, 20 / 21, and only with 3 requests each: the first
//!   node's second request makes its flag stale, the other node's second takes the token away, and
//!   a third request trusts the stale flag.
//! * *lenient*, v1, 3-node chain: one request each suffices, 19 / 20; a 4-node chain needs no fewer
//!   steps.
//! * *lenient*, v2, 2 nodes, 2 requests each: 18 / 19. The holder's `probOwner` is stale too, so it
//!   forwards a request to the node that made it, where no alien acts for the node itself. We
//!   report that as impossible; as a lost signal it is a deadlock in the same step.
//! * 2 nodes with one request each: no violation, in either reading and variant, piggybacked or
//!   not, one thread or two, FIFO or unordered.

use lockstep_kernel::algorithm::{Call, MessageKind, Role};
use lockstep_kernel::entry::{Drive, Line, Needs, Param, SampleSystem, line};
use lockstep_kernel::invariant::{Invariant, mutual_exclusion, one_token};
use lockstep_kernel::view::{Cause, ObservedStep, Waiter};
use lockstep_kernel::{
    Algorithm, Effect, Entry, Message, NodeId, NodeView, Out, PointerView, Setup, ThreadId, Var, lines,
};
use std::collections::{BTreeSet, VecDeque};

/// The parameters and the names of threads, known to every node.
pub struct Printed {
    strict: bool,
    forwarding: bool,
    piggyback: bool,
}

/// A thread at a node.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Thread {
    /// A user thread of this node.
    User(ThreadId),
    /// The alien thread that acts for this home.
    Alien(NodeId),
}

impl Thread {
    fn name(self, setup: &Setup) -> String {
        match self {
            Thread::User(thread) => setup.thread_name(thread),
            Thread::Alien(home) => format!("the alien of {}", setup.name(home)),
        }
    }
}

/// Where a thread waits: its program counter.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Wait {
    /// An alien at the top of its loop: waits for a request of its home.
    Idle,
    /// The thread that requested: waits for the token.
    First,
    /// Every other thread: waits for a local thread.
    Second,
}

/// The messages between nodes, and the step of a signalled thread.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Msg {
    /// A signal for the alien that acts for this node.
    Request(NodeId),
    /// The token: a signal for a waiting thread, possibly with one for the sender's alien.
    Token {
        /// Whether the sender requests it back.
        back: bool,
    },
    /// Not a message: a signalled thread re-enters the monitor.
    Resume(Thread, Wait),
}

impl Message for Msg {
    const KINDS: &'static [MessageKind] = &[
        MessageKind { name: "request", role: Role::Request },
        MessageKind { name: "token", role: Role::Token },
        MessageKind { name: "resume", role: Role::Local },
    ];

    #[inline]
    fn kind(&self) -> usize {
        match self {
            Msg::Request(_) => 0,
            Msg::Token { .. } => 1,
            Msg::Resume(..) => 2,
        }
    }

    fn tag(&self, setup: &Setup) -> String {
        match self {
            Msg::Request(home) => format!("R{}", setup.name(*home).trim_start_matches('p')),
            Msg::Token { back: false } => "T".into(),
            Msg::Token { back: true } => "T+".into(),
            Msg::Resume(Thread::User(_), _) => "u".into(),
            Msg::Resume(Thread::Alien(_), _) => "a".into(),
        }
    }

    fn label(&self, setup: &Setup) -> String {
        match self {
            Msg::Request(home) => format!("REQ({})", setup.name(*home)),
            Msg::Token { back: false } => "TOKEN".into(),
            Msg::Token { back: true } => "TOKEN+REQ".into(),
            Msg::Resume(thread, _) => format!("{} re-enters", thread.name(setup)),
        }
    }
}

/// One node.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Node {
    me: NodeId,
    prob_owner: NodeId,
    token_requested: bool,
    num_local: u32,
    /// The threads that wait for the token, and where; signalled threads have left.
    queue: VecDeque<(Thread, Wait)>,
    /// Aliens that were signalled and are not back at the top of their loop.
    awake: BTreeSet<NodeId>,
    /// Ghost variable: whether the token is really here.
    token: bool,
}

lines! {
    COUNT, ASK, FIRST, OWNER, SECOND, ALONE, LEAVE, FORWARD, ACQUIRE, STEAL, RETURN,
    WAKE_ALIEN, WAKE, LOST,
}

impl Printed {
    /// A thread takes the token, up to its wait.
    #[inline]
    fn acquire(&self, n: &mut Node, who: Thread, out: &mut impl Out<Msg>) {
        out.line(COUNT);
        n.num_local += 1;
        if n.prob_owner != n.me && !n.token_requested {
            out.line(ASK);
            out.send(n.prob_owner, Msg::Request(n.me));
            n.token_requested = true;
            out.line(FIRST);
            n.queue.push_back((who, Wait::First));
        } else if n.num_local > 1 {
            out.line(SECOND);
            n.queue.push_back((who, Wait::Second));
        } else {
            out.line(ALONE);
            self.acquired(n, who, out);
        }
    }

    /// A thread continues past its waits: a user enters, an alien sends the token home and sleeps.
    #[inline]
    fn acquired(&self, n: &mut Node, who: Thread, out: &mut impl Out<Msg>) {
        match who {
            Thread::User(thread) => out.grant(thread),
            Thread::Alien(home) => {
                out.line(STEAL);
                n.token = false;
                n.prob_owner = home;
                n.num_local -= 1;
                let back = n.num_local > 0;
                if back {
                    out.line(RETURN);
                    n.token_requested = true;
                }
                out.send(home, Msg::Token { back: back && self.piggyback });
                if back && !self.piggyback {
                    out.send(home, Msg::Request(n.me));
                }
                n.awake.remove(&home);
            }
        }
    }

    /// Signals a thread that waits for the token and returns whether there was one. The strict
    /// reading examines one wait only.
    #[inline]
    fn signal(&self, n: &mut Node, wait: Wait, out: &mut impl Out<Msg>) -> bool {
        let found = n.queue.iter().position(|(_, at)| !self.strict || *at == wait);
        match found.and_then(|i| n.queue.remove(i)) {
            Some((thread, at)) => {
                out.line(WAKE);
                out.later(Msg::Resume(thread, at));
                true
            }
            None => {
                out.line(LOST);
                false
            }
        }
    }

    /// Signals the alien that acts here for that home.
    #[inline]
    fn signal_alien(&self, n: &mut Node, home: NodeId, out: &mut impl Out<Msg>) {
        if home == n.me {
            out.impossible("a request reached its own home, where no alien acts for it");
        } else if n.awake.insert(home) {
            out.line(WAKE_ALIEN);
            out.later(Msg::Resume(Thread::Alien(home), Wait::Idle));
        } else {
            out.line(LOST);
        }
    }
}

impl Algorithm for Printed {
    type Node = Node;
    type Msg = Msg;

    fn new(setup: &Setup) -> Self {
        Printed {
            strict: setup.params.get("reading") != "lenient",
            forwarding: setup.params.get("variant") == "v2",
            piggyback: setup.params.is("piggyback"),
        }
    }

    fn start(&self, me: NodeId, setup: &Setup) -> Node {
        let prob_owner = setup.parents[me.index()];
        Node {
            me,
            prob_owner,
            token_requested: false,
            num_local: 0,
            queue: VecDeque::new(),
            awake: BTreeSet::new(),
            token: prob_owner == me,
        }
    }

    #[inline]
    fn on_call(&self, n: &mut Node, call: Call, out: &mut impl Out<Msg>) {
        match call {
            Call::Request(thread) => self.acquire(n, Thread::User(thread), out),
            Call::Release(_) => {
                out.line(LEAVE);
                n.num_local -= 1;
                self.signal(n, Wait::Second, out);
            }
        }
    }

    #[inline]
    fn on_message(&self, n: &mut Node, from: NodeId, msg: Msg, out: &mut impl Out<Msg>) {
        match msg {
            Msg::Request(home) => self.signal_alien(n, home, out),
            Msg::Token { back } => {
                n.token |= self.signal(n, Wait::First, out);
                if back {
                    self.signal_alien(n, from, out);
                }
            }
            Msg::Resume(Thread::Alien(home), Wait::Idle) => {
                if self.forwarding && n.prob_owner != n.me && n.num_local == 0 {
                    out.line(FORWARD);
                    out.send(n.prob_owner, Msg::Request(home));
                    n.awake.remove(&home);
                } else {
                    out.line(ACQUIRE);
                    self.acquire(n, Thread::Alien(home), out);
                }
            }
            Msg::Resume(thread, wait) => {
                if wait == Wait::First {
                    out.line(OWNER);
                    n.prob_owner = n.me;
                    n.token_requested = false;
                }
                self.acquired(n, thread, out);
            }
        }
    }

    fn view(&self, n: &Node, setup: &Setup) -> NodeView {
        let waiter = |(thread, _): &(Thread, Wait)| match thread {
            Thread::User(thread) => Waiter::User(*thread),
            Thread::Alien(home) => Waiter::Alien(*home),
        };
        NodeView {
            token: n.token,
            links: vec![PointerView { kind: "probOwner".into(), to: n.prob_owner }],
            queue: n.queue.iter().map(waiter).collect(),
            vars: vec![
                Var::node("probOwner", n.prob_owner),
                Var::new("tokenRequested", n.token_requested),
                Var::new("numLocal", n.num_local),
                Var::new("first wait", Self::waiting(n, Wait::First, setup)),
                Var::new("second wait", Self::waiting(n, Wait::Second, setup)),
            ],
            badges: Vec::new(),
        }
    }

    fn invariants() -> Vec<Invariant<Self>> {
        vec![mutual_exclusion(), one_token(|n: &Node| n.token, |m| matches!(m, Msg::Token { .. }))]
    }

    fn narrate(&self, step: &ObservedStep<'_, Self>) -> String {
        let (me, before) = (step.name(step.me), step.before);
        match step.cause {
            Cause::Asked(thread) => self.narrate_acquire(step, Thread::User(thread)),
            Cause::Left(thread) => {
                let user = step.setup.thread_name(thread);
                match woken(step) {
                    Some(next) => format!("{user} leaves and signals {next}, which must re-enter the monitor."),
                    None => format!("{user} leaves. Its signal finds no waiting thread at {me} and is lost."),
                }
            }
            Cause::Received(_, Msg::Request(home)) => self.narrate_alien(step, *home),
            Cause::Received(from, Msg::Token { back }) => {
                let woken = woken(step).map(|next| format!("wakes {next}, which must re-enter the monitor."));
                let lost = || {
                    let second = Self::waiting(before, Wait::Second, step.setup);
                    format!(
                        "finds no thread in the first wait, {second} in the second: the signal and the token are lost."
                    )
                };
                let alien = if *back { format!(" {}", self.narrate_alien(step, from)) } else { String::new() };
                format!("The token reaches {me} and {}{alien}", woken.unwrap_or_else(lost))
            }
            Cause::Received(_, Msg::Resume(Thread::Alien(home), Wait::Idle)) if step.ran(FORWARD) => {
                let (home, owner) = (step.name(*home), step.name(before.prob_owner));
                let wrong = if before.token { ", although the token is here" } else { "" };
                format!("The alien of {home} reads numLocal = 0 at {me} and forwards the request to {owner}{wrong}.")
            }
            Cause::Received(_, Msg::Resume(thread, Wait::Idle)) => self.narrate_acquire(step, *thread),
            Cause::Received(_, Msg::Resume(thread, wait)) => {
                let how = match wait {
                    Wait::First => "the first wait and corrects probOwner and tokenRequested",
                    _ if before.token_requested => "the second wait, which does not correct tokenRequested",
                    _ => "the second wait",
                };
                let name = capital(&thread.name(step.setup));
                format!("{name} re-enters from {how}. {}", self.narrate_through(step, *thread))
            }
        }
    }
}

impl Printed {
    /// The threads in a wait, in order of arrival.
    fn waiting(n: &Node, wait: Wait, setup: &Setup) -> String {
        let there = n.queue.iter().filter(|(_, at)| *at == wait);
        let names: Vec<String> = there.map(|(thread, _)| thread.name(setup)).collect();
        if names.is_empty() { "nobody".into() } else { names.join(", ") }
    }

    fn narrate_alien(&self, step: &ObservedStep<'_, Self>, home: NodeId) -> String {
        let (me, name) = (step.name(step.me), step.name(home));
        if home == step.me {
            format!("The request is for the alien of {name} at {name} itself. There is no such thread.")
        } else if step.before.awake.contains(&home) {
            format!("The alien of {name} at {me} is busy and does not wait for this signal, so it is lost.")
        } else {
            format!("The alien of {name} at {me} is signalled and must re-enter the monitor.")
        }
    }

    fn narrate_acquire(&self, step: &ObservedStep<'_, Self>, thread: Thread) -> String {
        let (me, owner) = (step.name(step.me), step.name(step.before.prob_owner));
        let name = capital(&thread.name(step.setup));
        let why = if owner == me { "has the token" } else { "has requested the token" };
        if step.ran(ASK) {
            format!("{name} finds no token at {me}, signals the alien of {me} at {owner} and goes to the first wait.")
        } else if step.ran(SECOND) {
            format!("{name} reads that {me} {why} and that numLocal counts others: it goes to the second wait.")
        } else {
            let then = self.narrate_through(step, thread);
            format!("{name} reads that {me} {why} and that numLocal counts no other thread: it continues. {then}")
        }
    }

    /// The actions of a thread that believes that it has the token.
    fn narrate_through(&self, step: &ObservedStep<'_, Self>, thread: Thread) -> String {
        let (me, here) = (step.name(step.me), step.before.token);
        let Thread::Alien(home) = thread else {
            let how = if here { "with the token" } else { "WITHOUT the token, which is not here" };
            return format!("It enters the critical section {how}.");
        };
        let (home, what) = (step.name(home), if here { "the token" } else { "a token that is not here" });
        let back = match (step.ran(RETURN), self.piggyback) {
            (true, true) => " numLocal counts others, so the token carries a request to have it back.",
            (true, false) => " numLocal counts others, so a request to have it back follows.",
            (false, _) if step.after.token_requested => " No thread is left, yet tokenRequested stays true.",
            (false, _) => "",
        };
        format!("It sends {what} to {home}, now the probable owner of {me}.{back}")
    }
}

/// The thread that this step woke from one of the two waits.
fn woken(step: &ObservedStep<'_, Printed>) -> Option<String> {
    step.effects.list.iter().find_map(|e| match e {
        Effect::Later(Msg::Resume(thread, Wait::First | Wait::Second)) => Some(thread.name(step.setup)),
        _ => None,
    })
}

fn capital(name: &str) -> String {
    name.strip_prefix("the ").map_or_else(|| name.into(), |rest| format!("The {rest}"))
}

/// The listing, in our own words.
const LISTING: &[(&str, &[Line])] = &[
    (
        "a user thread or an alien takes the token",
        &[
            line(COUNT, "count me in numLocal"),
            line(ASK, "not owner, not requested: signal my alien at probOwner"),
            line(FIRST, "  tokenRequested := true; first wait"),
            line(OWNER, "  woken: this node is owner, tokenRequested := false"),
            line(SECOND, "else others are counted: second wait"),
            line(ALONE, "else go on at once"),
        ],
    ),
    ("a user thread leaves", &[line(LEAVE, "count me out; signal a waiting thread")]),
    (
        "the alien of a home, in a loop, on its signal",
        &[
            line(FORWARD, "v2: not owner, none counted: forward the signal"),
            line(ACQUIRE, "else take the token as a user does"),
            line(STEAL, "  signal the home; it is probOwner; count me out"),
            line(RETURN, "  others counted: request it back, tokenRequested := true"),
        ],
    ),
    (
        "a signal",
        &[
            line(WAKE_ALIEN, "for a sleeping alien: it wakes"),
            line(WAKE, "for a waiting thread (strict: in that wait): it wakes"),
            line(LOST, "no waiting thread: the signal is lost"),
        ],
    ),
];

/// The entry in the table of algorithms.
pub const ENTRY: Entry = Entry {
    id: "alien-printed",
    title: "Alien threads, as printed",
    year: 2005,
    source: "Meza, Pérez and Eterovic, Distributed Mutual Exclusion Algorithms for multithreaded systems, ISSADS 2005, §2.3–2.4",
    printed: true,
    params: &[
        Param {
            name: "reading",
            about: "strict: a signal wakes one wait only; lenient: it wakes the head of one queue",
            values: &["strict", "lenient"],
        },
        Param {
            name: "variant",
            about: "v1: an alien waits and its host sends a request; v2: an idle host forwards the request",
            values: &["v1", "v2"],
        },
        Param { name: "piggyback", about: "the token carries the request to have it back", values: &["true", "false"] },
    ],
    needs: Needs { fifo: false, fifo_with: None, tree: true },
    claims: &["mutual exclusion", "a deadlock cannot occur", "no request starves"],
    tree_link: "probOwner",
    listing: LISTING,
    sample: SampleSystem { nodes: 4, rate: 3.0, ..SampleSystem::CHAIN },
    drive: Drive::of::<Printed>(),
};
