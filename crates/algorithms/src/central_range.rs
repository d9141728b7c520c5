//! A central manager of ranges of cells.
//!
//! *Source.* M. Quinson and F. Vernier, "Byte-Range Asynchronous Locking in Distributed Settings",
//! PDP 2009, §5: the centralised scheme with which split waiting queues are compared.
//!
//! # The idea
//!
//! The manager is a node without user threads and has the resource. A client sends it the range
//! that it wants to lock; the grant carries the data of the range, and the release carries them
//! back. Locks on disjoint ranges are held at the same time. A lock takes three messages, but all
//! data pass through one node, twice.
//!
//! As in `swq`, locks are asynchronous: `lockCreate` only declares, `lockTest` is true from the
//! grant on, `doLock` waits for it, and `unlock` gives the range back or cancels the lock. Whether
//! the application blocks in the meantime is not modelled.
//!
//! # Where we depart from the paper
//!
//! The paper measures this scheme but does not print it. We fill the gaps as follows:
//!
//! * *Overlapping requests are served first come, first served* (`order=fifo`), as §2 of the paper
//!   requires: a request waits for earlier ones that it overlaps, even for those that are still
//!   waiting themselves. `greedy` grants every free range: more locks are held at a time, and a
//!   wide range may starve between narrow ones.
//! * *A cancelled lock is released as soon as its grant arrives*; the client's next lock waits for
//!   that.
//! * *One lock at a time per client*, as in the paper. Further threads wait at their client in
//!   order.

use lockstep_kernel::algorithm::{Call, Lock, MessageKind, Role};
use lockstep_kernel::cells::{Runs, listed};
use lockstep_kernel::entry::{Drive, Line, Needs, Param, SampleSystem, essential, line};
use lockstep_kernel::invariant::{Invariant, mutual_exclusion};
use lockstep_kernel::view::{Cause, CellView, ObservedStep, Waiter};
use lockstep_kernel::{Algorithm, Cells, Effect, Entry, Message, NodeId, NodeView, Out, Setup, ThreadId, Var, lines};
use std::collections::VecDeque;

/// The manager, its order of service and the number of cells, known to every node.
pub struct CentralRange {
    manager: NodeId,
    greedy: bool,
    cells: u16,
}

/// The messages between clients and manager.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Msg {
    /// The client requests these cells.
    Request(Cells),
    /// The client gets them, with their data.
    Grant(Cells),
    /// The client gives them back, with their data.
    Release(Cells),
}

impl Message for Msg {
    const KINDS: &'static [MessageKind] = &[
        MessageKind { name: "request", role: Role::Request },
        MessageKind { name: "grant", role: Role::Token },
        MessageKind { name: "release", role: Role::Token },
    ];
    const CARRIES_CELLS: bool = true;

    #[inline]
    fn kind(&self) -> usize {
        match self {
            Msg::Request(_) => 0,
            Msg::Grant(_) => 1,
            Msg::Release(_) => 2,
        }
    }

    fn tag(&self, _: &Setup) -> String {
        ["R", "G", "X"][self.kind()].into()
    }

    fn label(&self, _: &Setup) -> String {
        let (Msg::Request(range) | Msg::Grant(range) | Msg::Release(range)) = self;
        format!("{}{range}", ["request", "grant", "release"][self.kind()])
    }

    #[inline]
    fn cells(&self) -> u32 {
        match self {
            Msg::Request(_) => 0,
            Msg::Grant(range) | Msg::Release(range) => range.len().into(),
        }
    }
}

/// The phase of a client's lock.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Phase {
    /// There is no lock.
    Idle,
    /// It waits for its grant.
    Waiting(ThreadId),
    /// It is held.
    Held(ThreadId),
    /// It was cancelled while it waited.
    Cancelled,
}

/// One node.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum Node {
    /// A client.
    Client {
        /// The phase of its lock,
        phase: Phase,
        /// and its cells.
        range: Cells,
        /// Locks that wait for the previous one.
        deferred: VecDeque<(ThreadId, Cells)>,
    },
    /// The manager.
    Manager {
        /// The granted ranges and their clients.
        granted: Vec<(NodeId, Cells)>,
        /// The waiting requests, in order of arrival.
        queue: Vec<(NodeId, Cells)>,
    },
}

const NONE: Cells = Cells { lo: 0, hi: 0 };

lines! {
    DEFER, ASK, HELD, UNLOCK, CANCEL, RETURN, TURN, JOIN, FREE, BUSY, EARLIER, GONE,
}

impl CentralRange {
    /// The client's lock is finished: it gives the cells back and starts its next lock.
    fn give_back(&self, n: &mut Node, out: &mut impl Out<Msg>) {
        let Node::Client { phase, range, deferred } = n else { return };
        if out.line(RETURN) {
            out.send(self.manager, Msg::Release(*range));
        }
        (*phase, *range) = (Phase::Idle, NONE);
        if let Some((thread, next)) = deferred.pop_front()
            && out.line(TURN)
        {
            (*phase, *range) = (Phase::Waiting(thread), next);
            out.send(self.manager, Msg::Request(next));
        }
    }

    /// The manager grants every request that it can, in order of arrival.
    fn serve(&self, granted: &mut Vec<(NodeId, Cells)>, queue: &mut Vec<(NodeId, Cells)>, out: &mut impl Out<Msg>) {
        let mut i = 0;
        while i < queue.len() {
            let (client, range) = queue[i];
            let busy = granted.iter().any(|(_, other)| other.overlaps(range)) && out.line(BUSY);
            let waits = !self.greedy && queue[..i].iter().any(|(_, other)| other.overlaps(range));
            if busy || (waits && out.line(EARLIER)) {
                i += 1;
            } else {
                queue.remove(i);
                granted.push((client, range));
                if out.line(FREE) {
                    out.send(client, Msg::Grant(range));
                }
            }
        }
    }
}

impl Algorithm for CentralRange {
    type Node = Node;
    type Msg = Msg;
    const RANGES: bool = true;
    const CANCELS: bool = true;

    fn arrange(setup: &mut Setup) {
        setup.add_node("manager", 0);
    }

    fn new(setup: &Setup) -> Self {
        CentralRange {
            manager: NodeId(setup.hosts() as u32),
            greedy: setup.params.get("order") == "greedy",
            cells: setup.cells.max(1),
        }
    }

    fn start(&self, me: NodeId, _: &Setup) -> Node {
        if me == self.manager {
            Node::Manager { granted: Vec::new(), queue: Vec::new() }
        } else {
            Node::Client { phase: Phase::Idle, range: NONE, deferred: VecDeque::new() }
        }
    }

    fn anonymous(&self) -> bool {
        true
    }

    fn on_call(&self, n: &mut Node, call: Call, out: &mut impl Out<Msg>) {
        match call {
            Call::Request(thread) => self.on_lock(n, Lock::Create(thread, Cells::WHOLE), out),
            Call::Release(_) => {
                out.line(UNLOCK);
                self.give_back(n, out);
            }
        }
    }

    fn on_lock(&self, n: &mut Node, lock: Lock, out: &mut impl Out<Msg>) {
        match (n, lock) {
            (Node::Client { phase, range, deferred }, Lock::Create(thread, wanted)) => {
                let wanted = Cells { hi: wanted.hi.min(self.cells), ..wanted };
                if wanted.is_empty() {
                    out.refuse(thread);
                } else if *phase != Phase::Idle {
                    out.line(DEFER);
                    deferred.push_back((thread, wanted));
                } else if out.line(ASK) {
                    (*phase, *range) = (Phase::Waiting(thread), wanted);
                    out.send(self.manager, Msg::Request(wanted));
                }
            }
            (Node::Client { phase, deferred, .. }, Lock::Cancel(thread)) => {
                deferred.retain(|(other, _)| *other != thread);
                if *phase == Phase::Waiting(thread) {
                    out.line(CANCEL);
                    *phase = Phase::Cancelled;
                }
            }
            // a thread can be moved here by hand
            (Node::Manager { .. }, Lock::Create(thread, _)) => out.refuse(thread),
            (Node::Manager { .. }, Lock::Cancel(_)) => {}
        }
    }

    fn on_message(&self, n: &mut Node, from: NodeId, msg: Msg, out: &mut impl Out<Msg>) {
        match (n, msg) {
            (Node::Manager { granted, queue }, Msg::Request(range)) => {
                if out.line(JOIN) {
                    queue.push((from, range));
                }
                self.serve(granted, queue, out);
            }
            (Node::Manager { granted, queue }, Msg::Release(range)) => {
                let Some(i) = granted.iter().position(|g| *g == (from, range)) else {
                    return out.impossible("a client released what it did not have");
                };
                if out.line(GONE) {
                    granted.remove(i);
                }
                self.serve(granted, queue, out);
            }
            (n @ Node::Client { phase: Phase::Cancelled, .. }, Msg::Grant(_)) => self.give_back(n, out),
            (Node::Client { phase: phase @ Phase::Waiting(_), range, .. }, Msg::Grant(got)) if got == *range => {
                if let Phase::Waiting(thread) = *phase {
                    out.line(HELD);
                    *phase = Phase::Held(thread);
                    out.grant(thread);
                }
            }
            _ => out.impossible("a node received a message that it did not expect"),
        }
    }

    fn view(&self, n: &Node, setup: &Setup) -> NodeView {
        let who = |list: &[(NodeId, Cells)]| {
            let words: Vec<String> = list.iter().map(|(c, r)| format!("{}: {r}", setup.name(*c))).collect();
            if words.is_empty() { "none".into() } else { words.join(", ") }
        };
        match n {
            Node::Client { phase, range, deferred } => {
                let waits = if let Phase::Waiting(thread) = phase { Some(*thread) } else { None };
                NodeView {
                    token: matches!(phase, Phase::Held(_)),
                    queue: waits.into_iter().chain(deferred.iter().map(|d| d.0)).map(Waiter::User).collect(),
                    vars: vec![Var::new("lock", listed(Some(*range).filter(|r| !r.is_empty())))],
                    badges: match phase {
                        Phase::Idle => Vec::new(),
                        Phase::Waiting(_) => vec!["waiting".into()],
                        Phase::Held(_) => vec!["lock held".into()],
                        Phase::Cancelled => vec!["cancelled".into()],
                    },
                    ..NodeView::default()
                }
            }
            Node::Manager { granted, queue } => NodeView {
                token: granted.is_empty(),
                queue: queue.iter().map(|(client, _)| Waiter::Remote(*client)).collect(),
                vars: vec![Var::new("granted", who(granted)), Var::new("queue", who(queue))],
                badges: vec!["manager".into()],
                ..NodeView::default()
            },
        }
    }

    fn cells(&self, n: &Node, setup: &Setup) -> Runs<CellView> {
        if setup.cells <= 1 {
            return Runs::default();
        }
        let at_manager = matches!(n, Node::Manager { .. });
        let mut cells = Runs::filled(setup.cells, CellView { held: at_manager, owner: self.manager, next: None });
        match n {
            Node::Client { phase: Phase::Held(_), range, .. } => cells.update(*range, |c| c.held = true),
            Node::Client { .. } => {}
            Node::Manager { granted, queue } => {
                granted.iter().for_each(|(_, range)| cells.update(*range, |c| c.held = false));
                // the first of the queue comes last and stays
                queue.iter().rev().for_each(|(client, range)| cells.update(*range, |c| c.next = Some(*client)));
            }
        }
        cells
    }

    fn invariants() -> Vec<Invariant<Self>> {
        vec![mutual_exclusion(), granted_apart()]
    }

    fn narrate(&self, step: &ObservedStep<'_, Self>) -> String {
        let me = step.name(step.me);
        let mut text = match step.cause {
            Cause::Asked(thread) => {
                let user = step.setup.thread_name(thread);
                match step.after {
                    Node::Client { deferred, .. } if step.ran(DEFER) => {
                        let range = deferred.back().map_or(NONE, |d| d.1);
                        format!("{user} declares a lock on {range}, which waits: {me} has one lock at a time.")
                    }
                    Node::Client { range, .. } => {
                        format!("{user} declares a lock on {range}: {me} sends a request to the manager.")
                    }
                    Node::Manager { .. } => format!("{user} is refused: the manager has no user threads."),
                }
            }
            Cause::Left(thread) => {
                let user = step.setup.thread_name(thread);
                match (step.ran(UNLOCK), step.ran(CANCEL)) {
                    (true, _) => format!("{user} unlocks, and the data return to the manager."),
                    (_, true) => format!("{user} cancels. {me} will send the grant back when it comes."),
                    _ => format!("{user} cancels before its turn."),
                }
            }
            Cause::Received(from, Msg::Request(range)) => format!("{} requests {range}.", step.name(from)),
            Cause::Received(from, Msg::Release(range)) => format!("{range} comes back from {}.", step.name(from)),
            Cause::Received(_, Msg::Grant(range)) => match step.granted() {
                Some(t) => format!("{range} and its data reach {me}: {} has its lock.", step.setup.thread_name(t)),
                None => format!("{range} arrives for a cancelled lock, so {me} sends it back at once."),
            },
        };
        if step.ran(TURN) {
            text += &format!(" {me} requests its next lock.");
        }
        let grants = step.effects.list.iter().filter_map(|e| match e {
            Effect::Send(to, Msg::Grant(range)) => Some(format!("{range} to {}", step.name(*to))),
            _ => None,
        });
        let grants: Vec<String> = grants.collect();
        if !grants.is_empty() {
            text += &format!(" The manager grants {}.", grants.join(", then "));
        } else if matches!(step.cause, Cause::Received(_, Msg::Request(_))) {
            text += match step.ran(BUSY) {
                true => " A part of that range is granted, so the request waits.",
                false => " An earlier request for a part of that range is waiting, so this one waits behind it.",
            };
        }
        text
    }
}

/// The ranges that the manager has granted do not overlap.
fn granted_apart() -> Invariant<CentralRange> {
    Invariant {
        name: "granted ranges are apart",
        check: Box::new(|system, world| {
            for n in &world.nodes {
                let Node::Manager { granted, .. } = n else { continue };
                for (i, (a, mine)) in granted.iter().enumerate() {
                    if let Some((b, _)) = granted[i + 1..].iter().find(|(_, other)| other.overlaps(*mine)) {
                        let name = |c: &NodeId| system.setup.name(*c);
                        return Err(format!("{} and {} were granted the same cell", name(a), name(b)));
                    }
                }
            }
            Ok(())
        }),
    }
}

/// The listing, in our own words.
const LISTING: &[(&str, &[Line])] = &[
    (
        "lockCreate(range), at a client",
        &[
            line(DEFER, "a lock of this client is not finished: wait for it"),
            essential(ASK, "else request(range) to the manager"),
        ],
    ),
    ("lockTest; doLock waits for it", &[line(HELD, "the grant is here: the lock is held")]),
    (
        "unlock",
        &[
            line(UNLOCK, "held: give the range back"),
            line(CANCEL, "not yet granted: give it back when it comes"),
            essential(RETURN, "  release(range) to the manager, with the data"),
            essential(TURN, "  then request the next lock of this client"),
        ],
    ),
    (
        "the manager, on a request or a release",
        &[
            essential(JOIN, "request: it joins the queue"),
            essential(GONE, "release: the range is free"),
            essential(FREE, "grant what can be granted, in order, with the data"),
            essential(BUSY, "  not what overlaps a granted range"),
            line(EARLIER, "  fifo: nor what overlaps an earlier request"),
        ],
    ),
];

/// The entry in the table of algorithms.
pub const ENTRY: Entry = Entry {
    id: "central-range",
    title: "Central range manager",
    year: 2009,
    source: "Quinson and Vernier, Byte-Range Asynchronous Locking in Distributed Settings, PDP 2009, §5",
    printed: false,
    params: &[Param {
        name: "order",
        about: "fifo: overlapping requests are served in order of arrival; greedy: every free range is granted",
        values: &["fifo", "greedy"],
    }],
    needs: Needs { fifo: false, fifo_with: None, tree: false },
    claims: &[
        "three messages per lock",
        "faster than Naimi–Tréhel on partial locks, slower when every node locks the whole resource",
        "always faster than split waiting queues for a resource of 64 kb",
        "the manager is the bottleneck for large resources",
    ],
    tree_link: "",
    listing: LISTING,
    sample: SampleSystem { rate: 3.0, ..SampleSystem::CELLS },
    drive: Drive::of::<CentralRange>(),
};
