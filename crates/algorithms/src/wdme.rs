//! WDME: a lock without waiting, at the cost of telling every process when it is free.
//!
//! *Source.* H. Jung and H. Y. Yeom, "A Practical Single-Register Wait-Free Mutual Exclusion
//! Algorithm on Asynchronous Networks", Euro-Par 2006.
//!
//! # The idea
//!
//! One register on a separate node names the process that is inside, or none. A process does not
//! wait for it: a *try* either succeeds or fails, and after a fail the process continues with other
//! work and tries again later. If each try is sent to the register, their number is unbounded
//! (`polling` does that). So every process has a *front end* at its own node that stores a fail and
//! answers further tries itself, without any message, until a *reset* says that the register has
//! been released. A process sends at most one try to the register while the same holder has it.
//!
//! The paper does not count the resets: every exit sends one to all n front ends. An entry costs at
//! least n + 3 messages, and the algorithm pays off only where the critical section is long
//! compared with the delay to the register, or tries are frequent.
//!
//! # Where we depart from the paper
//!
//! As printed, it lets two processes in, and the bound on tries, its Theorem 1, does not hold
//! (`wdme-printed` plays both). The repair:
//!
//! * *Releases are numbered.* The register counts them, and every answer and every reset carries
//!   the number. The front end keeps two numbers: `bar`, the release at which its last try was
//!   judged, and `known`, the latest release that a reset reported. It sends a try if and only if
//!   `known > bar`, or if it never tried. The paper has two flags instead, one of which is never
//!   cleared, and no flag can distinguish a reset of this release from a late one of an older
//!   release.
//! * *An exit is not acknowledged with the answer to a try.* The paper sends `ok` for both, and a
//!   late `ok` lets its process in a second time. Here the winner's own reset is the
//!   acknowledgement: n messages per exit instead of n + 1. Until it arrives, the winner is barred
//!   like every other process (`ok` sets `bar` too), so that its next try cannot overtake its exit
//!   and fail against its own lock.
//! * *Resets for those who tried* (`resets`, our addition). Only a process whose try was judged
//!   under this holder is barred by it, and the register knows which processes these are; no other
//!   process needs a reset. An uncontended entry then costs 4 messages instead of n + 3, and no
//!   reset can come late any more. The default is the paper's: resets to all.
//! * *Several threads per process.* While one of them is inside, or its try is in flight, a try of
//!   another fails at once: a queue would make it wait, which the paper wants to avoid, and a
//!   second try under the same holder could only fail.
//!
//! Theorem 1 can be read in several ways: "a process is inside between two tries of one process" is
//! true of polling as well; "a process enters (or leaves) between them" is false here too (10
//! steps). What holds, and is checked, is: *between two tries of one process the register is
//! released*. For this check the register stores which processes tried since the last release; if
//! all processes get resets, only the check reads it.

use lockstep_kernel::algorithm::{Call, MessageKind, Role};
use lockstep_kernel::entry::{Drive, Line, Needs, Param, SampleSystem, essential, line};
use lockstep_kernel::invariant::{Invariant, mutual_exclusion};
use lockstep_kernel::view::{Cause, ObservedStep};
use lockstep_kernel::{Algorithm, Entry, Message, NodeId, NodeView, Out, Setup, ThreadId, Var, lines};

/// The register's node (the front ends are the nodes before it) and the receivers of resets, known
/// to every node.
pub struct Wdme {
    register: NodeId,
    only_tried: bool,
}

/// The messages between front ends and register; every number counts releases.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Msg {
    /// A thread of the sender tries.
    Try,
    /// The try succeeded.
    Ok(u32),
    /// The try failed: another process has the register.
    Fail(u32),
    /// The holder leaves.
    Exit,
    /// The register has been released this many times.
    Reset(u32),
}

impl Message for Msg {
    const KINDS: &'static [MessageKind] = &[
        MessageKind { name: "try", role: Role::Request },
        MessageKind { name: "ok", role: Role::Token },
        MessageKind { name: "fail", role: Role::Reply },
        MessageKind { name: "exit", role: Role::Token },
        MessageKind { name: "reset", role: Role::Reply },
    ];

    #[inline]
    fn kind(&self) -> usize {
        match self {
            Msg::Try => 0,
            Msg::Ok(_) => 1,
            Msg::Fail(_) => 2,
            Msg::Exit => 3,
            Msg::Reset(_) => 4,
        }
    }

    fn tag(&self, _: &Setup) -> String {
        match self {
            Msg::Try => "T".into(),
            Msg::Ok(_) => "OK".into(),
            Msg::Fail(_) => "F".into(),
            Msg::Exit => "X".into(),
            Msg::Reset(releases) => format!("R{releases}"),
        }
    }

    fn label(&self, _: &Setup) -> String {
        match self {
            Msg::Try => "TRY".into(),
            Msg::Ok(releases) => format!("OK({releases})"),
            Msg::Fail(releases) => format!("FAIL({releases})"),
            Msg::Exit => "EXIT".into(),
            Msg::Reset(releases) => format!("RESET({releases})"),
        }
    }
}

/// One node.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum Node {
    /// The front end of a process.
    Front {
        /// The thread whose try is in flight.
        trying: Option<ThreadId>,
        /// Whether one of its threads is inside.
        inside: bool,
        /// The number of releases at which its last try was judged.
        bar: Option<u32>,
        /// The latest release that a reset reported.
        known: u32,
    },
    /// The register.
    Register {
        /// The process that has it.
        turn: Option<NodeId>,
        /// The number of its releases.
        releases: u32,
        /// The processes that tried since the last release.
        tried: Vec<bool>,
    },
}

lines! {
    BUSY, BARRED, TRY, ENTER, BAR_WINNER, TURNED_AWAY, BAR, KNOWN, EXIT, TAKE, OK, FAIL, FREE,
    COUNT, RESET,
}

impl Wdme {
    fn judge(&self, n: &mut Node, from: NodeId, msg: Msg, out: &mut impl Out<Msg>) {
        let Node::Register { turn, releases, tried } = n else { return };
        match msg {
            Msg::Try => {
                tried[from.index()] = true;
                if turn.is_none() {
                    if out.line(TAKE) {
                        *turn = Some(from);
                    }
                    if out.line(OK) {
                        out.send(from, Msg::Ok(*releases));
                    }
                } else if out.line(FAIL) {
                    out.send(from, Msg::Fail(*releases));
                }
            }
            Msg::Exit if *turn != Some(from) => out.impossible("a process left that did not have the register"),
            Msg::Exit => {
                if out.line(FREE) {
                    *turn = None;
                }
                if out.line(COUNT) {
                    *releases += 1;
                }
                if out.line(RESET) {
                    for front in (0..self.register.0).map(NodeId).filter(|f| !self.only_tried || tried[f.index()]) {
                        out.send(front, Msg::Reset(*releases));
                    }
                }
                tried.fill(false);
            }
            Msg::Ok(_) | Msg::Fail(_) | Msg::Reset(_) => out.impossible("the register received an answer"),
        }
    }
}

impl Algorithm for Wdme {
    type Node = Node;
    type Msg = Msg;

    fn arrange(setup: &mut Setup) {
        setup.add_node("register", 0);
    }

    fn new(setup: &Setup) -> Self {
        Wdme { register: NodeId(setup.hosts() as u32), only_tried: setup.params.get("resets") == "tried" }
    }

    fn start(&self, me: NodeId, setup: &Setup) -> Node {
        if me == self.register {
            Node::Register { turn: None, releases: 0, tried: vec![false; setup.hosts()] }
        } else {
            Node::Front { trying: None, inside: false, bar: None, known: 0 }
        }
    }

    #[inline]
    fn on_call(&self, n: &mut Node, call: Call, out: &mut impl Out<Msg>) {
        match (n, call) {
            // a thread can be moved to the register by hand
            (Node::Register { .. }, Call::Request(thread)) => out.refuse(thread),
            (Node::Register { .. }, Call::Release(_)) => {}
            (Node::Front { trying, inside, bar, known }, Call::Request(thread)) => {
                let busy = (trying.is_some() || *inside) && out.line(BUSY);
                if busy || (Some(*known) <= *bar && out.line(BARRED)) {
                    out.refuse(thread);
                } else if out.line(TRY) {
                    *trying = Some(thread);
                    out.send(self.register, Msg::Try);
                }
            }
            (Node::Front { inside, .. }, Call::Release(_)) => {
                *inside = false;
                if out.line(EXIT) {
                    out.send(self.register, Msg::Exit);
                }
            }
        }
    }

    #[inline]
    fn on_message(&self, n: &mut Node, from: NodeId, msg: Msg, out: &mut impl Out<Msg>) {
        let Node::Front { trying, inside, bar, known } = n else { return self.judge(n, from, msg, out) };
        match (msg, *trying) {
            (Msg::Ok(releases), Some(thread)) => {
                if out.line(BAR_WINNER) {
                    *bar = Some(releases);
                }
                out.line(ENTER);
                (*trying, *inside) = (None, true);
                out.grant(thread);
            }
            (Msg::Fail(releases), Some(thread)) => {
                if out.line(BAR) {
                    *bar = Some(releases);
                }
                out.line(TURNED_AWAY);
                *trying = None;
                out.refuse(thread);
            }
            (Msg::Ok(_) | Msg::Fail(_), None) => out.impossible("an answer reached a process that had not tried"),
            (Msg::Reset(releases), _) => {
                if out.line(KNOWN) {
                    *known = releases.max(*known);
                }
            }
            (Msg::Try | Msg::Exit, _) => out.impossible("a front end received a message for the register"),
        }
    }

    fn view(&self, n: &Node, _: &Setup) -> NodeView {
        match n {
            Node::Front { trying, inside, bar, known } => NodeView {
                token: *inside,
                vars: vec![
                    Var::new("try under way", trying.is_some()),
                    Var::new("bar", bar.map_or_else(|| "none".into(), |b| b.to_string())),
                    Var::new("known", known),
                ],
                badges: if Some(*known) <= *bar && !inside { vec!["barred".into()] } else { Vec::new() },
                ..NodeView::default()
            },
            Node::Register { turn, releases, .. } => NodeView {
                token: turn.is_none(),
                vars: vec![Var::maybe_node("turn", *turn), Var::new("releases", releases)],
                badges: vec!["register".into()],
                ..NodeView::default()
            },
        }
    }

    fn invariants() -> Vec<Invariant<Self>> {
        vec![mutual_exclusion(), the_register_names_the_holder(), one_try_for_each_tenure()]
    }

    fn narrate(&self, step: &ObservedStep<'_, Self>) -> String {
        let me = step.name(step.me);
        let numbers = |n: &Node| match n {
            Node::Front { bar, known, .. } => (*bar, *known),
            Node::Register { releases, .. } => (None, *releases),
        };
        match step.cause {
            Cause::Asked(thread) => {
                let user = step.setup.thread_name(thread);
                match (step.before, numbers(step.before)) {
                    (Node::Register { .. }, _) => format!("{user} fails: the register has no user threads."),
                    _ if step.ran(BUSY) => {
                        format!("{user} fails at once: another thread of {me} has the register or is trying.")
                    }
                    (_, (Some(bar), known)) if step.ran(BARRED) => format!(
                        "{user} fails at once and no message is sent: the last try of {me} was judged {}, and {me} knows of {}.",
                        when(bar),
                        if known == bar { "no later one".into() } else { format!("release {known} at most") }
                    ),
                    (_, (Some(bar), known)) => format!(
                        "{user} tries: {me} knows of release {known}, later than its last try (bar {bar}), so it sends the try."
                    ),
                    (_, (None, _)) => format!("{user} tries: {me} is not barred, so it sends the try to the register."),
                }
            }
            Cause::Left(thread) => {
                let user = step.setup.thread_name(thread);
                format!("{user} leaves, and {me} tells the register. {me} is barred, too, until its own reset arrives.")
            }
            Cause::Received(from, msg) => match (*msg, step.before) {
                (Msg::Try, Node::Register { turn, releases, .. }) => {
                    let from = step.name(from);
                    match turn {
                        None => format!("The register is free: {from} takes it, {}.", when(*releases)),
                        Some(holder) => format!(
                            "The register names {}, so the try of {from} fails; the answer says that it was judged {}.",
                            if step.name(*holder) == from { "the same process still" } else { step.name(*holder) },
                            when(*releases)
                        ),
                    }
                }
                (Msg::Exit, Node::Register { .. }) => {
                    let (from, resets) = (step.name(from), step.effects.list.len());
                    let receivers = match (self.only_tried, resets) {
                        (false, _) => format!("A reset goes to every front end ({resets}), including that of {from}."),
                        (true, 1) => {
                            format!("No other process has tried since the last release, so only {from} gets a reset.")
                        }
                        (true, _) => {
                            format!(
                                "The {resets} processes that have tried since the last release get a reset, including {from}."
                            )
                        }
                    };
                    format!("{from} gives the register back: release {}. {receivers}", numbers(step.after).1)
                }
                (Msg::Ok(_), _) => match step.granted() {
                    Some(thread) => format!("The try has succeeded: {} enters.", step.setup.thread_name(thread)),
                    None => format!("A success reaches {me}, which has no try in flight."),
                },
                (Msg::Fail(releases), Node::Front { trying: Some(thread), known, .. }) => {
                    let user = step.setup.thread_name(*thread);
                    let then = if *known > releases {
                        format!("{me} already knows of release {known}, so the next try may be sent.")
                    } else {
                        format!("Further tries fail at {me} itself until it knows of a later release.")
                    };
                    format!("The try has failed, and {user} continues without the lock. {then}")
                }
                (Msg::Reset(releases), Node::Front { bar, known, .. }) => {
                    if releases <= *known {
                        format!("{me} learns of release {releases} late: it already knows of release {known}.")
                    } else if Some(*known) <= *bar && Some(releases) > *bar {
                        format!("{me} learns of release {releases}, later than its last try: its next try may be sent.")
                    } else if Some(releases) <= *bar {
                        format!(
                            "{me} learns of release {releases}, but its last try was judged after that: it is still barred."
                        )
                    } else {
                        format!("{me} learns of release {releases}; it was not barred.")
                    }
                }
                _ => format!("{me} receives a message that it did not expect."),
            },
        }
    }
}

fn when(releases: u32) -> String {
    match releases {
        0 => "before the first release".into(),
        n => format!("after release {n}"),
    }
}

/// Only the process that the register names has it: its success is in flight, or it is inside, or
/// its exit is in flight.
fn the_register_names_the_holder() -> Invariant<Wdme> {
    Invariant {
        name: "the register names the holder",
        check: Box::new(|system, world| {
            let Some(Node::Register { turn, .. }) = world.nodes.get(system.algorithm.register.index()) else {
                return Ok(());
            };
            let moving = world.flights.iter().filter_map(|f| match f.msg {
                Msg::Ok(_) => Some(f.to),
                Msg::Exit => Some(f.from),
                _ => None,
            });
            let inside = world.inside().map(|thread| world.threads[thread.index()].at);
            let holders: Vec<NodeId> = moving.chain(inside).collect();
            if holders.iter().eq(turn.iter()) {
                return Ok(());
            }
            let name = |n: &NodeId| system.setup.name(*n).to_owned();
            let names: Vec<String> = holders.iter().map(name).collect();
            let named = turn.as_ref().map_or("no process".into(), name);
            Err(format!(
                "the register names {named}, but {} has it",
                if names.is_empty() { "no process".into() } else { names.join(" and ") }
            ))
        }),
    }
}

/// The part of Theorem 1 that holds: between two tries of one process the register is released.
fn one_try_for_each_tenure() -> Invariant<Wdme> {
    Invariant {
        name: "one try for each tenure",
        check: Box::new(|system, world| {
            let Some(Node::Register { tried, .. }) = world.nodes.get(system.algorithm.register.index()) else {
                return Ok(());
            };
            let second = |f: &&lockstep_kernel::world::Flight<Msg>| f.msg == Msg::Try && tried[f.from.index()];
            let again = world.flights.iter().find(second);
            again.map_or(Ok(()), |f| {
                let name = system.setup.name(f.from);
                Err(format!("{name} has sent a second try and the register was not released since its first"))
            })
        }),
    }
}

/// The listing, in our own words.
const LISTING: &[(&str, &[Line])] = &[
    (
        "a thread tries",
        &[
            line(BUSY, "another thread of mine tries or is in: fail"),
            essential(BARRED, "bar is set and known ≤ bar: fail, no message"),
            essential(TRY, "else send TRY to the register"),
        ],
    ),
    ("OK(r) arrives", &[essential(BAR_WINNER, "bar := r"), line(ENTER, "the thread enters")]),
    ("FAIL(r) arrives", &[essential(BAR, "bar := r"), line(TURNED_AWAY, "the thread's try has failed")]),
    ("RESET(r) arrives", &[essential(KNOWN, "known := the larger of known and r")]),
    ("the thread leaves", &[essential(EXIT, "send EXIT to the register")]),
    (
        "TRY of i arrives at the register",
        &[
            essential(TAKE, "turn = none: turn := i"),
            essential(OK, "  send OK(releases) to i"),
            essential(FAIL, "else send FAIL(releases) to i"),
        ],
    ),
    (
        "EXIT of i arrives at the register",
        &[
            essential(FREE, "turn := none"),
            essential(COUNT, "releases := releases + 1"),
            essential(RESET, "send RESET(releases) to all (or: all that tried)"),
        ],
    ),
];

/// The entry in the table of algorithms.
pub const ENTRY: Entry = Entry {
    id: "wdme",
    title: "Wait-free with resets (WDME)",
    year: 2006,
    source: "Jung and Yeom, A Practical Single-Register Wait-Free Mutual Exclusion Algorithm on Asynchronous Networks, Euro-Par 2006 (repaired)",
    printed: false,
    params: &[Param {
        name: "resets",
        about: "all: every process gets a reset; tried: only those that tried since the last release",
        values: &["all", "tried"],
    }],
    needs: Needs { fifo: false, fifo_with: None, tree: false },
    claims: &[
        "mutual exclusion",
        "no waiting: a try succeeds or fails",
        "a process sends at most one try while the same holder has the register",
    ],
    tree_link: "",
    listing: LISTING,
    sample: SampleSystem::CHAIN,
    drive: Drive::of::<Wdme>(),
};
