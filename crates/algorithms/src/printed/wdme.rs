//! WDME as printed: an acknowledgement lets its process in, and a flag is never cleared.
//!
//! *Source.* H. Jung and H. Y. Yeom, "A Practical Single-Register Wait-Free Mutual Exclusion
//! Algorithm on Asynchronous Networks", Euro-Par 2006. The module `wdme` explains the algorithm and
//! its repair.
//!
//! # How we read the paper
//!
//! Process i has an automaton A at its own node, with the flags `state` (initially yes) and `turn`
//! (initially no), and an automaton B beside the register. A thread that tries while another of its
//! node is inside or trying fails at once; that is our addition and plays no part in what follows.
//!
//! The paper leaves open how to understand the acknowledgement of an exit, which is again an `ok`
//! (`reading`):
//!
//! * `literal`: a process need not wait for it, and A takes every `ok` for the answer to a try. Two
//!   processes get in: an exit's `ok` that arrives when the process tries again lets it in (11
//!   steps; 12 on FIFO links).
//! * `awaited`: the process does nothing before it has arrived.
//! * `own-kind`: it is another message kind. Both of these are safe.
//!
//! # What else goes wrong
//!
//! Theorem 1 says that some process executes the critical section between two tries of one process.
//! In every reading a process sends a second useless try under a holder under which its try has
//! already failed (12 steps with three processes, 13 with two): after the first reset `turn` stays
//! yes, and every try is sent. The flag can be treated differently (`turn`), which helps only in
//! part:
//!
//! * `kept`: as printed.
//! * `cleared`: cleared when a try is sent. Then a late reset of an older release still permits a
//!   second try.
//! * `dropped`: there is no such flag. On FIFO links that is correct. On unordered links, a reset
//!   that overtakes the fail is lost, and its process may never try again.
//!
//! The register stores which processes have failed under the present holder; that is not in the
//! paper, and only the check of the theorem reads it. A process that tries again while its own exit
//! is in flight does not count as a violation: it was inside itself in between.

use lockstep_kernel::algorithm::{Call, MessageKind, Role};
use lockstep_kernel::entry::{Drive, Line, Needs, Param, SampleSystem, line};
use lockstep_kernel::invariant::{Invariant, mutual_exclusion};
use lockstep_kernel::view::{Cause, ObservedStep};
use lockstep_kernel::world::Flight;
use lockstep_kernel::{Algorithm, Entry, Message, NodeId, NodeView, Out, Setup, ThreadId, Var, lines};

/// The reading of the acknowledgement of an exit.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Reading {
    Literal,
    Awaited,
    OwnKind,
}

/// The treatment of the flag `turn`.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Turn {
    Kept,
    Cleared,
    Dropped,
}

/// The reading of the paper and the register's node, known to every node.
pub struct Printed {
    reading: Reading,
    turn: Turn,
    register: NodeId,
}

/// The messages between the automata.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Msg {
    /// A thread of the sender tries.
    Try,
    /// The try succeeded; or the exit is acknowledged, unless that has its own message kind.
    Ok,
    /// The try failed: another process has the register.
    Fail,
    /// The holder leaves.
    Exit,
    /// The register is free.
    Reset,
    /// The exit is acknowledged (reading `own-kind`).
    Done,
}

impl Message for Msg {
    const KINDS: &'static [MessageKind] = &[
        MessageKind { name: "try", role: Role::Request },
        MessageKind { name: "ok", role: Role::Token },
        MessageKind { name: "fail", role: Role::Reply },
        MessageKind { name: "exit", role: Role::Token },
        MessageKind { name: "reset", role: Role::Reply },
        MessageKind { name: "done", role: Role::Reply },
    ];

    #[inline]
    fn kind(&self) -> usize {
        *self as usize
    }

    fn tag(&self, _: &Setup) -> String {
        ["T", "OK", "F", "X", "R", "D"][*self as usize].into()
    }

    fn label(&self, _: &Setup) -> String {
        ["TRY", "OK", "FAIL", "EXIT", "RESET", "DONE"][*self as usize].into()
    }
}

/// One node.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum Node {
    /// A process with its automaton A.
    Front {
        /// Whether tries may be sent.
        state: bool,
        /// Whether a reset has arrived.
        turn: bool,
        /// The thread whose try is in flight.
        trying: Option<ThreadId>,
        /// Whether one of its threads is inside.
        inside: bool,
        /// Whether an exit waits for its acknowledgement (reading `awaited`).
        leaving: bool,
    },
    /// The register with the automata B.
    Register {
        /// The process that has it.
        turn: Option<NodeId>,
        /// The processes that failed under the present holder; only the invariant reads it.
        failed: Vec<bool>,
    },
}

lines! {
    BUSY, TRY, CLEAR, LOCAL, EXIT, OK_STATE, ENTER, FAIL_STATE, TURNED_AWAY, RESET_TURN,
    RESET_STATE, TAKE, FAIL, FREE, RESET, ACKNOWLEDGE,
}

impl Printed {
    fn judge(&self, n: &mut Node, from: NodeId, msg: Msg, out: &mut impl Out<Msg>) {
        let Node::Register { turn, failed } = n else { return };
        match msg {
            Msg::Try if turn.is_none() => {
                out.line(TAKE);
                *turn = Some(from);
                out.send(from, Msg::Ok);
            }
            Msg::Try => {
                out.line(FAIL);
                failed[from.index()] = true;
                out.send(from, Msg::Fail);
            }
            Msg::Exit => {
                out.line(FREE);
                *turn = None;
                failed.fill(false);
                out.line(RESET);
                for front in (0..self.register.0).map(NodeId) {
                    out.send(front, Msg::Reset);
                }
                out.line(ACKNOWLEDGE);
                out.send(from, if self.reading == Reading::OwnKind { Msg::Done } else { Msg::Ok });
            }
            Msg::Ok | Msg::Fail | Msg::Reset | Msg::Done => out.impossible("the register received an answer"),
        }
    }
}

impl Algorithm for Printed {
    type Node = Node;
    type Msg = Msg;

    fn arrange(setup: &mut Setup) {
        setup.add_node("register", 0);
    }

    fn new(setup: &Setup) -> Self {
        Printed {
            reading: match setup.params.get("reading") {
                "awaited" => Reading::Awaited,
                "own-kind" => Reading::OwnKind,
                _ => Reading::Literal,
            },
            turn: match setup.params.get("turn") {
                "cleared" => Turn::Cleared,
                "dropped" => Turn::Dropped,
                _ => Turn::Kept,
            },
            register: NodeId(setup.hosts() as u32),
        }
    }

    fn start(&self, me: NodeId, setup: &Setup) -> Node {
        if me == self.register {
            Node::Register { turn: None, failed: vec![false; setup.hosts()] }
        } else {
            Node::Front { state: true, turn: false, trying: None, inside: false, leaving: false }
        }
    }

    #[inline]
    fn on_call(&self, n: &mut Node, call: Call, out: &mut impl Out<Msg>) {
        match (n, call) {
            // a thread can be moved to the register by hand
            (Node::Register { .. }, Call::Request(thread)) => out.refuse(thread),
            (Node::Register { .. }, Call::Release(_)) => {}
            (Node::Front { state, turn, trying, inside, leaving }, Call::Request(thread)) => {
                if trying.is_some() || *inside || *leaving {
                    out.line(BUSY);
                    out.refuse(thread);
                } else if *state || *turn {
                    out.line(TRY);
                    *trying = Some(thread);
                    out.send(self.register, Msg::Try);
                    if self.turn == Turn::Cleared {
                        out.line(CLEAR);
                        *turn = false;
                    }
                } else {
                    out.line(LOCAL);
                    out.refuse(thread);
                }
            }
            (Node::Front { state, inside, leaving, .. }, Call::Release(_)) => {
                out.line(EXIT);
                (*state, *inside, *leaving) = (false, false, self.reading == Reading::Awaited);
                out.send(self.register, Msg::Exit);
            }
        }
    }

    #[inline]
    fn on_message(&self, n: &mut Node, from: NodeId, msg: Msg, out: &mut impl Out<Msg>) {
        let Node::Front { state, turn, trying, inside, leaving } = n else { return self.judge(n, from, msg, out) };
        match msg {
            Msg::Ok | Msg::Done => {
                out.line(OK_STATE);
                *state = true;
                let acknowledged = std::mem::take(leaving) || msg == Msg::Done;
                if !acknowledged && let Some(thread) = trying.take() {
                    out.line(ENTER);
                    *inside = true;
                    out.grant(thread);
                }
            }
            Msg::Fail => {
                out.line(FAIL_STATE);
                *state = *turn;
                if let Some(thread) = trying.take() {
                    out.line(TURNED_AWAY);
                    out.refuse(thread);
                }
            }
            Msg::Reset => {
                if self.turn != Turn::Dropped {
                    out.line(RESET_TURN);
                    *turn = true;
                }
                out.line(RESET_STATE);
                *state = true;
            }
            Msg::Try | Msg::Exit => out.impossible("a process received a message for the register"),
        }
    }

    fn view(&self, n: &Node, _: &Setup) -> NodeView {
        let yes = |flag: bool| if flag { "yes" } else { "no" };
        match n {
            Node::Front { state, turn, trying, inside, leaving } => {
                let mut vars = vec![Var::new("state", yes(*state))];
                if self.turn != Turn::Dropped {
                    vars.push(Var::new("turn", yes(*turn)));
                }
                vars.push(Var::new("try under way", trying.is_some()));
                let badges = if *leaving { vec!["leaving".into()] } else { Vec::new() };
                NodeView { token: *inside, vars, badges, ..NodeView::default() }
            }
            Node::Register { turn, failed } => {
                let count = failed.iter().filter(|f| **f).count();
                NodeView {
                    token: turn.is_none(),
                    vars: vec![Var::maybe_node("turn", *turn), Var::new("failed by this holder", count)],
                    badges: vec!["register".into()],
                    ..NodeView::default()
                }
            }
        }
    }

    fn invariants() -> Vec<Invariant<Self>> {
        vec![mutual_exclusion(), no_second_try_under_one_holder()]
    }

    fn narrate(&self, step: &ObservedStep<'_, Self>) -> String {
        let me = step.name(step.me);
        match step.cause {
            Cause::Asked(thread) => self.narrate_try(step, thread),
            Cause::Left(thread) => {
                let user = step.setup.thread_name(thread);
                let then = match self.reading {
                    Reading::Awaited => " and waits for the acknowledgement before its next action",
                    Reading::Literal | Reading::OwnKind => ", and need not wait for the acknowledgement",
                };
                format!("{user} leaves: {me} sets its state to no, tells the register{then}.")
            }
            Cause::Received(from, msg) => {
                let from = step.name(from);
                match (*msg, step.before) {
                    (Msg::Try, Node::Register { turn: None, .. }) => {
                        format!("The register is free: {from} takes it and is told ok.")
                    }
                    (Msg::Try, Node::Register { turn: Some(holder), failed }) => {
                        let again = if step.setup.named(from).is_some_and(|f| failed[f.index()]) {
                            ", as it did before: a useless message"
                        } else {
                            ""
                        };
                        let holder = step.name(*holder);
                        let holder = if holder == from { "the same process still" } else { holder };
                        format!("The register names {holder}, so the try of {from} fails{again}.")
                    }
                    (Msg::Exit, Node::Register { turn, .. }) => {
                        let wrong = match turn {
                            Some(holder) if step.name(*holder) != from => {
                                format!(" It belonged to {}, which is not told.", step.name(*holder))
                            }
                            _ => String::new(),
                        };
                        let kind = if self.reading == Reading::OwnKind { "a message of another kind" } else { "an ok" };
                        format!(
                            "{from} gives the register back. All {} processes get a reset, and {from} gets {kind} in addition.{wrong}",
                            self.register.0
                        )
                    }
                    (Msg::Ok | Msg::Done, Node::Front { .. }) => self.narrate_ok(step),
                    (Msg::Fail, Node::Front { turn, inside, .. }) => {
                        let next = match (turn, self.turn) {
                            (true, Turn::Kept) => {
                                "turn is yes since a reset and is never cleared: every further try will be sent"
                            }
                            (true, _) => {
                                "turn is yes since a reset that came in the meantime, so the next try will be sent"
                            }
                            (false, _) => "state is now no, and further tries fail here until a reset arrives",
                        };
                        let what =
                            if *inside { "A fail arrives at a process that is INSIDE" } else { "The try has failed" };
                        format!("{what}; {next}.")
                    }
                    (Msg::Reset, Node::Front { state, trying, .. }) => {
                        let flags = if self.turn == Turn::Dropped { "state is" } else { "state and turn are" };
                        let note = match (self.turn, trying, state) {
                            (Turn::Dropped, Some(_), _) => " A try is in flight: if it fails, this reset is lost.",
                            (_, Some(_), _) => " A try is in flight: if it fails, the next one will still be sent.",
                            (_, None, false) => " The next try will be sent.",
                            (_, None, true) => "",
                        };
                        format!("A reset reaches {me}: {flags} yes. The reset does not name its release.{note}")
                    }
                    _ => format!("{me} receives a message that it did not expect."),
                }
            }
        }
    }
}

impl Printed {
    fn narrate_try(&self, step: &ObservedStep<'_, Self>, thread: ThreadId) -> String {
        let (me, user) = (step.name(step.me), step.setup.thread_name(thread));
        let Node::Front { state, leaving, .. } = step.before else {
            return format!("{user} fails: the register has no user threads.");
        };
        if step.ran(BUSY) {
            let why = if *leaving {
                "the last exit is not acknowledged yet"
            } else {
                "another thread has the register or is trying"
            };
            format!("{user} fails at once: at {me} {why}.")
        } else if step.ran(LOCAL) {
            format!("{user} fails at once and no message is sent: at {me} neither state nor turn is yes.")
        } else if *state {
            format!("{user} tries: state is yes at {me}, so it sends the try to the register.")
        } else {
            format!("{user} tries: state is no at {me}, but turn is yes, so it still sends the try to the register.")
        }
    }

    fn narrate_ok(&self, step: &ObservedStep<'_, Self>) -> String {
        let me = step.name(step.me);
        let Some(thread) = step.granted() else {
            return format!("The exit of {me} is acknowledged: its state is yes.");
        };
        let user = step.setup.thread_name(thread);
        if self.reading == Reading::Literal {
            format!(
                "An ok reaches {me}, which takes every ok for the answer to a try, even that of an exit: {user} enters."
            )
        } else {
            format!("The try has succeeded: {user} enters.")
        }
    }
}

/// The checkable part of Theorem 1: a process that has failed under the present holder does not try
/// again before the register is released.
fn no_second_try_under_one_holder() -> Invariant<Printed> {
    Invariant {
        name: "no second try under one holder",
        check: Box::new(|system, world| {
            let Some(Node::Register { turn, failed }) = world.nodes.get(system.algorithm.register.index()) else {
                return Ok(());
            };
            let second = |f: &&Flight<Msg>| f.msg == Msg::Try && failed[f.from.index()];
            world.flights.iter().find(second).map_or(Ok(()), |f| {
                let name = system.setup.name(f.from);
                let holder = turn.map_or("no process", |h| system.setup.name(h));
                Err(format!("{name} retries although its last try failed and {holder} is still inside"))
            })
        }),
    }
}

/// The listing, in our own words.
const LISTING: &[(&str, &[Line])] = &[
    (
        "a thread tries",
        &[
            line(BUSY, "(another thread of mine tries or is in: fail)"),
            line(TRY, "state or turn is yes: send TRY to the register"),
            line(CLEAR, "  cleared: turn := no"),
            line(LOCAL, "else fail, no message"),
        ],
    ),
    ("a thread leaves", &[line(EXIT, "state := no; send EXIT to the register")]),
    ("OK arrives", &[line(OK_STATE, "state := yes"), line(ENTER, "the thread that tries here has succeeded")]),
    ("FAIL arrives", &[line(FAIL_STATE, "state := turn"), line(TURNED_AWAY, "the try has failed")]),
    ("RESET arrives", &[line(RESET_TURN, "turn := yes (dropped: omitted)"), line(RESET_STATE, "state := yes")]),
    (
        "TRY of i arrives at the register",
        &[line(TAKE, "turn = none: turn := i, send OK to i"), line(FAIL, "else send FAIL to i")],
    ),
    (
        "EXIT of i arrives at the register",
        &[
            line(FREE, "turn := none, without a check"),
            line(RESET, "send RESET to every process, including i"),
            line(ACKNOWLEDGE, "send OK to i (own-kind: DONE)"),
        ],
    ),
];

/// The entry in the table of algorithms.
pub const ENTRY: Entry = Entry {
    id: "wdme-printed",
    title: "Wait-free with resets (WDME), as printed",
    year: 2006,
    source: "Jung and Yeom, A Practical Single-Register Wait-Free Mutual Exclusion Algorithm on Asynchronous Networks, Euro-Par 2006, Automata 3.1 and 3.2",
    printed: true,
    params: &[
        Param {
            name: "reading",
            about: "literal: an exit's ok counts as a try's; awaited: the process waits for it; own-kind: it has another message kind",
            values: &["literal", "awaited", "own-kind"],
        },
        Param {
            name: "turn",
            about: "kept: the flag stays set, as printed; cleared: it is cleared when a try is sent; dropped: it does not exist",
            values: &["kept", "cleared", "dropped"],
        },
    ],
    needs: Needs { fifo: false, fifo_with: None, tree: false },
    claims: &[
        "mutual exclusion",
        "some process executes the critical section between two tries of one process",
        "less than one message per process between two critical sections",
    ],
    tree_link: "",
    listing: LISTING,
    sample: SampleSystem::CHAIN,
    drive: Drive::of::<Printed>(),
};
