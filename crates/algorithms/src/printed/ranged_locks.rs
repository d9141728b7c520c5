//! Split waiting queues as printed, one reading at a time.
//!
//! *Source.* M. Quinson and F. Vernier, "Byte-Range Asynchronous Locking in Distributed Settings",
//! PDP 2009, Algorithm 3. The module `swq` explains the algorithm and its repair. Each reading
//! follows the paper literally in one place and is repaired in all others, so that it shows one
//! error only.
//!
//! # How we read the paper, and what goes wrong
//!
//! Steps of shortest counterexamples with 2 cells. Either 2 nodes start with one cell each and
//! request once, or they use the paper's initial state, in which the first node has both cells,
//! with two requests each (the second number). Where one number is given, three nodes use that
//! initial state with one request each.
//!
//! * `s1`, 16 (three nodes): no guard at all. Two requests are in opposite orders in the queues of
//!   two cells.
//! * `s2`, 4 / 9: a request is parked where the part that it would find overlaps the node's own
//!   unfinished request, claimed or not. Each node parks the other.
//! * `s3`, 4 / 9: it is parked where its range overlaps that of the node's own unfinished request:
//!   the same result.
//! * `s4`, 6 / 11: only a thread inside uses its cells. A received part is sent on,
//!   `requestReceived` still counts it, and a thread enters without it; two steps later a second
//!   thread, which has it, is inside too.
//! * `s5`, 9 / 14: the same, but entering requires `owned`. The part that was sent on never comes
//!   back.
//! * `s6`, 13 (three nodes): parked requests continue only when a `foundPart` arrives. A node that
//!   finds its last part itself forgets them.
//! * `s7`, 16 (three nodes): a request is satisfied when its node is the tail of all its cells.
//!   Idle cells open the guard before they are claimed.
//! * `s8`, 4 / 9: a request is satisfied when its node has received all tokens, with the guard of
//!   `s2`.
//!
//! Cancelling as printed fails even with one cell: `naimi-trehel-async-printed`, reading `n4`.
//! These readings do not support cancelling.

use lockstep_kernel::algorithm::{Call, Lock, MessageKind, Role};
use lockstep_kernel::cells::{Runs, held_with_its_tokens, listed, one_for_each_cell};
use lockstep_kernel::entry::{Drive, Line, Needs, Param, SampleSystem, line};
use lockstep_kernel::invariant::{Invariant, mutual_exclusion};
use lockstep_kernel::view::{Cause, CellView, ObservedStep, Waiter};
use lockstep_kernel::{
    Algorithm, Cells, Effect, Entry, Message, NodeId, NodeView, Out, PointerView, Setup, ThreadId, Var, lines,
};
use std::collections::VecDeque;

fn reading(setup: &Setup) -> u8 {
    setup.params.get("reading").get(1..).and_then(|number| number.parse().ok()).unwrap_or(1)
}

/// What all nodes agree on: the reading.
pub struct Printed {
    reading: u8,
}

/// A request that searches for its cells.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Request {
    who: NodeId,
    range: Cells,
    pos: u16,
}

/// The messages between nodes.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Msg {
    /// A request continues its search.
    Request(Request),
    /// The receiver is now the tail of these queues.
    Found(Cells),
    /// The sub-tokens of these cells, with their data.
    Token(Cells),
}

impl Message for Msg {
    const KINDS: &'static [MessageKind] = &[
        MessageKind { name: "request", role: Role::Request },
        MessageKind { name: "found-part", role: Role::Reply },
        MessageKind { name: "token", role: Role::Token },
    ];
    const CARRIES_CELLS: bool = true;

    fn kind(&self) -> usize {
        match self {
            Msg::Request(_) => 0,
            Msg::Found(_) => 1,
            Msg::Token(_) => 2,
        }
    }

    fn tag(&self, setup: &Setup) -> String {
        match self {
            Msg::Request(m) => format!("R{}", setup.name(m.who).trim_start_matches('p')),
            Msg::Found(_) => "F".into(),
            Msg::Token(_) => "T".into(),
        }
    }

    fn label(&self, setup: &Setup) -> String {
        match self {
            Msg::Request(m) => format!("requestToken({}, {} from {})", setup.name(m.who), m.range, m.pos),
            Msg::Found(part) => format!("foundPart{part}"),
            Msg::Token(part) => format!("exchangeToken{part}"),
        }
    }

    fn cells(&self) -> u32 {
        if let Msg::Token(part) = self { u32::from(part.len()) } else { 0 }
    }
}

/// What a node knows about one cell.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Cell {
    owner: NodeId,
    next: Option<NodeId>,
    owned: bool,
    found: bool,
    received: bool,
}

/// One node.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Node {
    me: NodeId,
    cells: Runs<Cell>,
    lock: Option<(ThreadId, Cells)>,
    inside: bool,
    parked: Vec<Request>,
    deferred: VecDeque<(ThreadId, Cells)>,
}

impl Node {
    fn all(&self, holds: impl Fn(Cell) -> bool) -> bool {
        self.lock.is_none_or(|(_, range)| self.cells.all(range, holds))
    }

    fn ranges(&self, which: impl Fn(Cell) -> bool) -> String {
        listed(self.cells.ranges(|c| which(c).then_some(())).into_iter().map(|(range, ())| range))
    }
}

lines! {
    CREATE, UNLOCK, SEARCH, PARK, MINE, FOUND, TAIL, REPLAY, HAVE, SEND, PROCEED,
}

impl Printed {
    fn satisfied(&self, n: &Node) -> bool {
        n.all(|c| match self.reading {
            1 => true,
            7 => c.owner == n.me,
            8 => c.received,
            _ => c.found,
        })
    }

    /// Whether the part that a request would find conflicts with our own request.
    fn conflict(&self, n: &Node, m: Request, part: Cells) -> bool {
        let Some((_, mine)) = n.lock.filter(|_| m.who != n.me && !self.satisfied(n)) else { return false };
        match self.reading {
            2 | 8 => part.overlaps(mine),
            3 => m.range.overlaps(mine),
            _ => n.cells.get(part.lo).found,
        }
    }

    fn route(&self, n: &mut Node, mut m: Request, out: &mut impl Out<Msg>) {
        let me = n.me;
        while m.pos < m.range.hi {
            let rest = Cells { lo: m.pos, hi: m.range.hi };
            let claimed = m.who != me && !self.satisfied(n) && !matches!(self.reading, 2 | 3 | 8);
            let first = n.cells.get(m.pos);
            if first.owner != me {
                out.line(SEARCH);
                return out.send(first.owner, Msg::Request(m));
            }
            let hi = n.cells.end(rest, |c| c.owner == me && !(claimed && c.found));
            let part = Cells { hi, ..rest };
            if self.conflict(n, m, part) {
                out.line(PARK);
                return n.parked.push(m);
            }
            m.pos = hi;
            if m.who == me {
                out.line(MINE);
                n.cells.update(part, |c| c.found = true);
            } else {
                out.line(FOUND);
                n.cells.update(part, |c| (c.next, c.owner) = (Some(m.who), m.who));
                out.send(m.who, Msg::Found(part));
            }
        }
    }

    fn replay(&self, n: &mut Node, out: &mut impl Out<Msg>) {
        if !n.parked.is_empty() && self.satisfied(n) {
            out.line(REPLAY);
            for m in std::mem::take(&mut n.parked) {
                self.route(n, m, out);
            }
        }
    }

    fn create(&self, n: &mut Node, thread: ThreadId, range: Cells, out: &mut impl Out<Msg>) {
        out.line(CREATE);
        n.lock = Some((thread, range));
        self.route(n, Request { who: n.me, range, pos: range.lo }, out);
    }

    fn settle(&self, n: &mut Node, out: &mut impl Out<Msg>) {
        loop {
            if let Some((thread, range)) = n.lock {
                n.cells.update(range, |c| c.received |= c.found && c.owned);
                if !n.inside && n.all(|c| if self.reading == 4 { c.received } else { c.found && c.owned }) {
                    out.line(PROCEED);
                    n.inside = true;
                    out.grant(thread);
                }
            }
            if self.reading != 6 {
                self.replay(n, out);
            }
            let uses = n.inside || (n.lock.is_some() && !matches!(self.reading, 4 | 5));
            for (part, next) in n.cells.ranges(|c| c.next.filter(|_| c.owned && !(uses && c.found))) {
                out.line(SEND);
                n.cells.update(part, |c| (c.owned, c.next) = (false, None));
                out.send(next, Msg::Token(part));
            }
            match n.deferred.front().copied() {
                Some((thread, range)) if n.lock.is_none() => {
                    n.deferred.pop_front();
                    self.create(n, thread, range, out);
                }
                _ => return,
            }
        }
    }
}

impl Algorithm for Printed {
    type Node = Node;
    type Msg = Msg;
    const RANGES: bool = true;

    fn new(setup: &Setup) -> Self {
        Printed { reading: reading(setup) }
    }

    fn start(&self, me: NodeId, setup: &Setup) -> Node {
        let cells = Runs::at_start(setup, |holder, placed| {
            let owner = if placed || holder == me { holder } else { setup.parents[me.index()] };
            Cell { owner, next: None, owned: holder == me, found: false, received: false }
        });
        Node { me, cells, lock: None, inside: false, parked: Vec::new(), deferred: VecDeque::new() }
    }

    fn on_call(&self, n: &mut Node, call: Call, out: &mut impl Out<Msg>) {
        match (call, n.lock) {
            (Call::Request(thread), _) => self.on_lock(n, Lock::Create(thread, Cells::WHOLE), out),
            (Call::Release(_), Some((_, range))) => {
                out.line(UNLOCK);
                n.cells.update(range, |c| (c.found, c.received) = (false, false));
                (n.lock, n.inside) = (None, false);
                self.settle(n, out);
            }
            (Call::Release(_), None) => out.impossible("a lock was unlocked that does not exist"),
        }
    }

    fn on_lock(&self, n: &mut Node, lock: Lock, out: &mut impl Out<Msg>) {
        match lock {
            Lock::Create(thread, range) if range.lo >= n.cells.cells() || range.is_empty() => out.refuse(thread),
            Lock::Create(thread, range) => {
                n.deferred.push_back((thread, Cells { hi: range.hi.min(n.cells.cells()), ..range }));
                self.settle(n, out);
            }
            Lock::Cancel(_) => out.impossible("these readings do not support cancelling"),
        }
    }

    fn on_message(&self, n: &mut Node, _: NodeId, msg: Msg, out: &mut impl Out<Msg>) {
        match msg {
            Msg::Request(m) => self.route(n, m, out),
            Msg::Found(part) => {
                out.line(TAIL);
                let me = n.me;
                n.cells.update(part, |c| (c.owner, c.found) = (me, true));
                if self.reading == 6 {
                    self.replay(n, out);
                }
            }
            Msg::Token(part) => {
                out.line(HAVE);
                n.cells.update(part, |c| c.owned = true);
            }
        }
        self.settle(n, out);
    }

    fn view(&self, n: &Node, setup: &Setup) -> NodeView {
        let name = |node: NodeId| if node == n.me { "self" } else { setup.name(node) };
        let text = |words: Vec<String>| if words.is_empty() { "none".into() } else { words.join(", ") };
        let pointers = |of: &dyn Fn(Cell) -> Option<NodeId>| {
            text(n.cells.ranges(of).iter().map(|(range, to)| format!("{range}: {}", name(*to))).collect())
        };
        let owners = n.cells.ranges(|c| Some(c.owner).filter(|owner| *owner != n.me));
        let parked = n.parked.iter().map(|m| format!("{}: {} from {}", name(m.who), m.range, m.pos)).collect();
        NodeView {
            token: n.cells.iter().any(|(_, c)| c.owned),
            links: owners.into_iter().map(|(_, to)| PointerView { kind: "owner".into(), to }).collect(),
            queue: n.parked.iter().map(|m| Waiter::Remote(m.who)).collect(),
            vars: vec![
                Var::new("owners", pointers(&|c| Some(c.owner))),
                Var::new("nexts", pointers(&|c| c.next)),
                Var::new("owned", n.ranges(|c| c.owned)),
                Var::new("request", listed(n.lock.map(|(_, range)| range))),
                Var::new("requestReceived", n.ranges(|c| c.received)),
                Var::new("waitingRequest", text(parked)),
            ],
            badges: Vec::new(),
        }
    }

    fn cells(&self, n: &Node, setup: &Setup) -> Runs<CellView> {
        let view = |c: Cell| CellView { held: c.owned, owner: c.owner, next: c.next };
        if setup.cells > 1 { n.cells.map(view) } else { Runs::default() }
    }

    fn invariants() -> Vec<Invariant<Self>> {
        let has = |n: &Node, see: &mut dyn FnMut(Cells)| n.cells.visit(|c| c.owned, see);
        let carries = |m: &Msg| if let Msg::Token(part) = m { Some(*part) } else { None };
        vec![
            mutual_exclusion(),
            one_for_each_cell("one token for each cell", "the token", has, carries),
            held_with_its_tokens(|n: &Node| n.inside && !n.all(|c| c.owned)),
        ]
    }

    fn narrate(&self, step: &ObservedStep<'_, Self>) -> String {
        let (me, after) = (step.name(step.me), step.after);
        let request = |m: &Request| format!("The request of {} for {}", step.name(m.who), m.range);
        let mut text = match step.cause {
            Cause::Asked(t) => format!("{} declares a lock.", step.setup.thread_name(t)),
            Cause::Left(t) => format!("{} unlocks.", step.setup.thread_name(t)),
            Cause::Received(_, Msg::Request(m)) => {
                format!("{} reaches {me}, searching for cell {}.", request(m), m.pos)
            }
            Cause::Received(_, Msg::Found(part)) => format!("{me} is now the tail of {part}."),
            Cause::Received(_, Msg::Token(part)) => format!("The token of {part} reaches {me}."),
        };
        if step.ran(MINE) {
            text += &format!(" {me} is the tail itself: it finds {}.", after.ranges(|c| c.found));
        }
        for effect in &step.effects.list {
            text += &match effect {
                Effect::Send(to, Msg::Request(m)) => {
                    format!(" {} goes to {}, searching for cell {}.", request(m), step.name(*to), m.pos)
                }
                Effect::Send(to, Msg::Found(part)) => format!(" {} comes next in {part}.", step.name(*to)),
                Effect::Send(to, Msg::Token(part)) if after.cells.get(part.lo).found => {
                    format!(" {part} goes to {}, although {me} needs it and waits for the other cells.", step.name(*to))
                }
                Effect::Send(to, Msg::Token(part)) => format!(" {part} goes to {}.", step.name(*to)),
                Effect::Grant(t) if !after.all(|c| c.owned) => {
                    format!(" {} enters WITHOUT all of its tokens.", step.setup.thread_name(*t))
                }
                Effect::Grant(t) => format!(" {} has its lock.", step.setup.thread_name(*t)),
                Effect::Refuse(_) | Effect::Later(_) => String::new(),
            };
        }
        if step.ran(PARK)
            && let Some(m) = after.parked.last()
        {
            let mine = after.lock.map_or(Cells::WHOLE, |(_, range)| range);
            text += &format!(" {} is parked: it overlaps the unfinished request of {me} for {mine}.", request(m));
        }
        if !after.parked.is_empty() && !step.ran(PARK) && self.satisfied(after) {
            text += " The parked requests are forgotten.";
        }
        text
    }
}

const LISTING: &[(&str, &[Line])] = &[
    ("lockCreate(range)", &[line(CREATE, "search for the first part, and for the rest with a message")]),
    ("unlock", &[line(UNLOCK, "forget the request")]),
    (
        "requestToken",
        &[
            line(SEARCH, "next cell has another owner: forward it there"),
            line(PARK, "conflict and not satisfied: park the request"),
            line(MINE, "own request: a part is found"),
            line(FOUND, "else nexts, owners := requester; foundPart to it"),
        ],
    ),
    ("foundPart", &[line(TAIL, "I am the owner of the part")]),
    ("conflict resolved", &[line(REPLAY, "satisfied (s6: in foundPart): route parked requests")]),
    ("exchangeToken", &[line(HAVE, "add to owned and to requestReceived")]),
    ("sendTokens", &[line(SEND, "owned, not in use, with a next: send it there")]),
    ("lockTest; doLock waits for it", &[line(PROCEED, "all owned (s4: received)")]),
];

/// The entry in the table of algorithms.
pub const ENTRY: Entry = Entry {
    id: "swq-printed",
    title: "Split waiting queues, as printed",
    year: 2009,
    source: "Quinson and Vernier, Byte-Range Asynchronous Locking in Distributed Settings, PDP 2009, Algorithm 3",
    printed: true,
    params: &[Param {
        name: "reading",
        about: "s1–s3, s7, s8: what counts as a conflict; s4, s5: what a node uses; s6: when parked requests continue",
        values: &["s2", "s1", "s3", "s4", "s5", "s6", "s7", "s8"],
    }],
    needs: Needs { fifo: true, fifo_with: None, tree: true },
    claims: &["mutual exclusion", "searching for one part after another avoids deadlocks"],
    tree_link: "owner",
    listing: LISTING,
    sample: SampleSystem::CELLS,
    drive: Drive::of::<Printed>(),
};
