//! Polling: a lock without waiting; a process tries again and again.
//!
//! *Source.* The naive transformation of a compare-and-swap lock to a network, which H. Jung and H.
//! Y. Yeom, "A Practical Single-Register Wait-Free Mutual Exclusion Algorithm on Asynchronous
//! Networks", Euro-Par 2006, set out to improve (`wdme`).
//!
//! # The idea
//!
//! One register on a separate node names the thread that is inside, or none. Every try is a message
//! to it, and every answer is a message back: `ok` or `fail`. A thread that fails continues with
//! other work and may try again at any time; a thread that leaves sends one more message. An entry
//! costs three messages if no other thread is inside, plus two for every failed try, and the number
//! of failed tries is unbounded.
//!
//! # Where we depart from the paper
//!
//! The paper only mentions it. To the register each thread is a separate process, so no host keeps
//! any state: the most naive version. A try may overtake the thread's previous exit and fail
//! against its own lock, which does no harm.

use lockstep_kernel::algorithm::{Call, MessageKind, Role};
use lockstep_kernel::entry::{Drive, Line, Needs, SampleSystem, essential, line};
use lockstep_kernel::invariant::{Invariant, mutual_exclusion};
use lockstep_kernel::view::{Cause, ObservedStep};
use lockstep_kernel::{Algorithm, Entry, Message, NodeId, NodeView, Out, Setup, ThreadId, Var, lines};

/// The register's node and the names of the threads, known to every node.
pub struct Polling {
    register: NodeId,
}

/// The messages between hosts and register, each for one thread.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Msg {
    /// The thread tries.
    Try(ThreadId),
    /// The try succeeded.
    Ok(ThreadId),
    /// The try failed: another thread has the register.
    Fail(ThreadId),
    /// The thread leaves.
    Exit(ThreadId),
}

impl Msg {
    fn thread(&self) -> ThreadId {
        match self {
            Msg::Try(thread) | Msg::Ok(thread) | Msg::Fail(thread) | Msg::Exit(thread) => *thread,
        }
    }
}

impl Message for Msg {
    const KINDS: &'static [MessageKind] = &[
        MessageKind { name: "try", role: Role::Request },
        MessageKind { name: "ok", role: Role::Token },
        MessageKind { name: "fail", role: Role::Reply },
        MessageKind { name: "exit", role: Role::Token },
    ];

    #[inline]
    fn kind(&self) -> usize {
        match self {
            Msg::Try(_) => 0,
            Msg::Ok(_) => 1,
            Msg::Fail(_) => 2,
            Msg::Exit(_) => 3,
        }
    }

    fn tag(&self, _: &Setup) -> String {
        ["T", "OK", "F", "X"][self.kind()].into()
    }

    fn label(&self, setup: &Setup) -> String {
        format!("{}({})", ["TRY", "OK", "FAIL", "EXIT"][self.kind()], setup.thread_name(self.thread()))
    }
}

/// One node.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum Node {
    /// A host, which keeps no state.
    Host,
    /// The register.
    Register {
        /// The thread that has it.
        turn: Option<ThreadId>,
    },
}

lines! {
    TRY, ENTER, TURNED_AWAY, EXIT, TAKE, OK, FAIL, FREE,
}

impl Algorithm for Polling {
    type Node = Node;
    type Msg = Msg;

    fn arrange(setup: &mut Setup) {
        setup.add_node("register", 0);
    }

    fn new(setup: &Setup) -> Self {
        Polling { register: NodeId(setup.hosts() as u32) }
    }

    fn start(&self, me: NodeId, _: &Setup) -> Node {
        if me == self.register { Node::Register { turn: None } } else { Node::Host }
    }

    #[inline]
    fn anonymous(&self) -> bool {
        true
    }

    fn on_call(&self, n: &mut Node, call: Call, out: &mut impl Out<Msg>) {
        match (n, call) {
            // a thread can be moved to the register by hand
            (Node::Register { .. }, Call::Request(thread)) => out.refuse(thread),
            (Node::Register { .. }, Call::Release(_)) => {}
            (Node::Host, Call::Request(thread)) => {
                if out.line(TRY) {
                    out.send(self.register, Msg::Try(thread));
                }
            }
            (Node::Host, Call::Release(thread)) => {
                if out.line(EXIT) {
                    out.send(self.register, Msg::Exit(thread));
                }
            }
        }
    }

    #[inline]
    fn on_message(&self, n: &mut Node, from: NodeId, msg: Msg, out: &mut impl Out<Msg>) {
        match (n, msg) {
            (Node::Register { turn }, Msg::Try(thread)) => {
                if turn.is_none() {
                    if out.line(TAKE) {
                        *turn = Some(thread);
                    }
                    if out.line(OK) {
                        out.send(from, Msg::Ok(thread));
                    }
                } else if out.line(FAIL) {
                    out.send(from, Msg::Fail(thread));
                }
            }
            (Node::Register { turn }, Msg::Exit(thread)) if *turn != Some(thread) => {
                out.impossible("a thread left that did not have the register");
            }
            (Node::Register { turn }, Msg::Exit(_)) => {
                if out.line(FREE) {
                    *turn = None;
                }
            }
            (Node::Host, Msg::Ok(thread)) => {
                out.line(ENTER);
                out.grant(thread);
            }
            (Node::Host, Msg::Fail(thread)) => {
                out.line(TURNED_AWAY);
                out.refuse(thread);
            }
            _ => out.impossible("an answer reached the register, or a try a host"),
        }
    }

    fn view(&self, n: &Node, setup: &Setup) -> NodeView {
        match n {
            Node::Host => NodeView::default(),
            Node::Register { turn } => NodeView {
                token: turn.is_none(),
                vars: vec![Var::new("turn", turn.map_or_else(|| "none".into(), |t| setup.thread_name(t)))],
                badges: vec!["register".into()],
                ..NodeView::default()
            },
        }
    }

    fn invariants() -> Vec<Invariant<Self>> {
        vec![mutual_exclusion(), the_register_names_the_holder()]
    }

    fn narrate(&self, step: &ObservedStep<'_, Self>) -> String {
        let me = step.name(step.me);
        let name = |thread: ThreadId| step.setup.thread_name(thread);
        match step.cause {
            Cause::Asked(thread) if step.ran(TRY) => {
                format!("{} tries: {me} sends the try to the register, as it does every time.", name(thread))
            }
            Cause::Asked(thread) => format!("{} fails: the register has no user threads.", name(thread)),
            Cause::Left(thread) => {
                format!("{} leaves, and {me} tells the register. No other node is told.", name(thread))
            }
            Cause::Received(_, msg) => match (*msg, step.before) {
                (Msg::Try(thread), Node::Register { turn: None }) => {
                    format!("The register is free: {} takes it.", name(thread))
                }
                (Msg::Try(thread), Node::Register { turn: Some(holder) }) if thread == *holder => {
                    format!(
                        "The try of {0} has overtaken its own exit: the register still names {0}, so it fails.",
                        name(thread)
                    )
                }
                (Msg::Try(thread), Node::Register { turn: Some(holder) }) => {
                    format!("The register names {}, so the try of {} fails.", name(*holder), name(thread))
                }
                (Msg::Exit(thread), _) => {
                    format!("{} gives the register back: it is free, and the next try gets it.", name(thread))
                }
                (Msg::Ok(thread), _) => format!("The try has succeeded: {} enters.", name(thread)),
                (Msg::Fail(thread), _) => {
                    format!(
                        "The try has failed, and {} continues without the lock. It can only try again.",
                        name(thread)
                    )
                }
                _ => format!("{me} receives a message that it did not expect."),
            },
        }
    }
}

/// Only the thread that the register names has it: its success is in flight, or it is inside, or
/// its exit is in flight.
fn the_register_names_the_holder() -> Invariant<Polling> {
    Invariant {
        name: "the register names the holder",
        check: Box::new(|system, world| {
            let Some(Node::Register { turn }) = world.nodes.get(system.algorithm.register.index()) else {
                return Ok(());
            };
            let moving = world.flights.iter().filter_map(|f| match f.msg {
                Msg::Ok(thread) | Msg::Exit(thread) => Some(thread),
                _ => None,
            });
            let holders: Vec<ThreadId> = moving.chain(world.inside()).collect();
            if holders.iter().eq(turn.iter()) {
                return Ok(());
            }
            let name = |t: &ThreadId| system.setup.thread_name(*t);
            let names: Vec<String> = holders.iter().map(name).collect();
            let named = turn.as_ref().map_or("no thread".into(), name);
            Err(format!(
                "the register names {named}, but {} has it",
                if names.is_empty() { "no thread".into() } else { names.join(" and ") }
            ))
        }),
    }
}

/// The listing, in our own words.
const LISTING: &[(&str, &[Line])] = &[
    ("a thread tries", &[essential(TRY, "send TRY to the register")]),
    ("OK arrives", &[line(ENTER, "the thread enters")]),
    ("FAIL arrives", &[line(TURNED_AWAY, "the thread's try has failed")]),
    ("the thread leaves", &[essential(EXIT, "send EXIT to the register")]),
    (
        "TRY of a thread arrives at the register",
        &[
            essential(TAKE, "turn = none: turn := the thread"),
            essential(OK, "  send it OK"),
            essential(FAIL, "else send it FAIL"),
        ],
    ),
    ("EXIT of a thread arrives at the register", &[essential(FREE, "turn := none")]),
];

/// The entry in the table of algorithms.
pub const ENTRY: Entry = Entry {
    id: "polling",
    title: "Wait-free by polling",
    year: 2006,
    source: "the naive transformation that Jung and Yeom, A Practical Single-Register Wait-Free Mutual Exclusion Algorithm on Asynchronous Networks, Euro-Par 2006, improve on",
    printed: false,
    params: &[],
    needs: Needs { fifo: false, fifo_with: None, tree: false },
    claims: &["mutual exclusion", "no waiting: a try succeeds or fails", "the number of messages is unbounded"],
    tree_link: "",
    listing: LISTING,
    sample: SampleSystem::CHAIN,
    drive: Drive::of::<Polling>(),
};
