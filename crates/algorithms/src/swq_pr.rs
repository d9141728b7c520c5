//! Split waiting queues with path reversal: ranged locks that starve nobody.
//!
//! *Source.* Our answer to a weakness of M. Quinson and F. Vernier, "Byte-Range Asynchronous Locking in Distributed Settings", PDP 2009
//! (`swq` tells what split waiting queues are); the path reversal is that of Naimi and Tréhel (`naimi-trehel`).
//!
//! # The idea
//!
//! In `swq` a node that passes a request on keeps its pointer, because the requester is not the tail before its request has arrived. So a
//! request can run behind a token for ever that two other nodes hand to and fro. Here the requester drives: it asks for *one cell at a
//! time* and is the tail of that cell from that moment on, so every node that the request passes may point at it. The path reverses, and
//! a request is overtaken by finitely many others.
//!
//! * The requester claims its cells from the left. A cell whose tail it is costs nothing; for any other one it sends a request to where
//!   it believes the tail to be, sets its own pointer to itself and goes on when `foundPart` comes.
//! * Whoever is not the tail passes the request on and points at the requester, for that cell only. The tail hands the cell over, or
//!   parks the request while its own unfinished lock has claimed that cell or is looking for it. Wanted cells further right are yielded.
//! * Keeping, sending, holding, cancelling are those of `swq`, and so are `lockCreate`, `lockTest`, `doLock` and `unlock`: asking is
//!   `lockCreate`, entering is the moment from which `lockTest` is true, and whether the application blocks is its own affair.
//!
//! # Where we depart from the text
//!
//! * It gives up path reversal, because a node that becomes the tail of a whole range at once deadlocks. For a single cell it does not.
//! * The price is one search for each cell instead of each part: for ranges of many cells far slower than `swq`.
//! * `bundling` makes the tail hand over the following cells too that it can. It needs FIFO links (otherwise token and request may
//!   overtake the `foundPart` that they follow from: 2 nodes and 2 cells block in 8 steps), and starvation is possible again, for who
//!   wants a later cell than the others. With one cell it changes nothing.
//! * One lock at a time for each node, further threads wait at their node in order, as in `swq`.

use lockstep_kernel::algorithm::{Call, Lock, MessageKind, Role};
use lockstep_kernel::cells::{Runs, held_with_its_tokens, listed, one_for_each_cell};
use lockstep_kernel::entry::{Drive, Line, Needs, Param, essential, line};
use lockstep_kernel::invariant::{Invariant, mutual_exclusion};
use lockstep_kernel::view::{Cause, CellView, ObservedStep, Waiter};
use lockstep_kernel::{
    Algorithm, Cells, Effect, Entry, Message, NodeId, NodeView, Out, PointerView, Setup, ThreadId, Var, lines,
};
use std::collections::{BTreeSet, VecDeque};

/// What all nodes agree on: bundling.
pub struct SwqPr {
    bundling: bool,
}

/// A request in search of one cell.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Request {
    who: NodeId,
    /// The cell, and the end of the requester's range.
    rest: Cells,
}

/// What nodes send each other.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Msg {
    /// A request goes on.
    Request(Request),
    /// You are the tail of these queues now.
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

    #[inline]
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
            Msg::Request(m) => format!("requestToken({}, {})", setup.name(m.who), m.rest.lo),
            Msg::Found(part) => format!("foundPart{part}"),
            Msg::Token(part) => format!("exchangeToken{part}"),
        }
    }

    #[inline]
    fn cells(&self) -> u32 {
        match self {
            Msg::Token(part) => part.len().into(),
            _ => 0,
        }
    }
}

/// What a node knows of one cell.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Cell {
    /// The tail of its queue, as far as we know.
    owner: NodeId,
    /// Who gets it after us.
    next: Option<NodeId>,
    /// Its sub-token is here.
    owned: bool,
    /// Our request stands in its queue.
    found: bool,
    /// Found, and the sub-token has been here since.
    received: bool,
}

/// What a node's lock is doing.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Phase {
    /// There is none.
    Idle,
    /// It waits.
    Waiting(ThreadId),
    /// It is held.
    Held(ThreadId),
    /// It was cancelled while it waited.
    Draining,
}

/// One node.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Node {
    me: NodeId,
    cells: Runs<Cell>,
    phase: Phase,
    /// The range of the lock; empty while there is none.
    request: Cells,
    /// The first cell of it that is not found yet: the one that we search.
    pos: u16,
    /// Requests parked here.
    parked: Vec<Request>,
    /// Locks that wait for the one before.
    deferred: VecDeque<(ThreadId, Cells)>,
}

const NONE: Cells = Cells { lo: 0, hi: 0 };

fn one(cell: u16) -> Cells {
    Cells { lo: cell, hi: cell + 1 }
}

impl Node {
    fn complete(&self) -> bool {
        self.pos >= self.request.hi
    }

    /// Whether our unfinished lock has claimed a cell or looks for it.
    fn claims(&self, cell: u16) -> bool {
        !self.complete() && (self.request.lo..=self.pos).contains(&cell)
    }

    fn ranges(&self, which: impl Fn(Cell) -> bool) -> Vec<Cells> {
        self.cells.ranges(|c| which(c).then_some(())).into_iter().map(|(range, ())| range).collect()
    }

    fn is_over(&mut self) {
        self.cells.update(self.request, |c| (c.found, c.received) = (false, false));
        (self.request, self.pos, self.phase) = (NONE, 0, Phase::Idle);
    }
}

lines! {
    DEFER, START, HOLD, UNLOCK, CANCEL, ASK, PARK, MINE, NEXT, OWNER, TELL, REVERSE, COUNT,
    HAVE, DRAINED, REPLAY, SEND, KEEP, TURN, AT_ONCE, PASS,
}

impl SwqPr {
    fn create(&self, n: &mut Node, thread: ThreadId, range: Cells, out: &mut impl Out<Msg>) {
        out.line(START);
        (n.request, n.pos, n.phase) = (range, range.lo, Phase::Waiting(thread));
        self.search(n, out);
    }

    /// Claims what we are the tail of, and asks for the next cell.
    fn search(&self, n: &mut Node, out: &mut impl Out<Msg>) {
        let (me, rest) = (n.me, Cells { lo: n.pos, ..n.request });
        n.pos = n.cells.end(rest, |c| c.owner == me);
        if n.pos > rest.lo {
            out.line(MINE);
            n.cells.update(Cells { hi: n.pos, ..rest }, |c| c.found = true);
        }
        if !n.complete() && out.line(ASK) {
            let rest = Cells { lo: n.pos, ..n.request };
            out.send(n.cells.get(n.pos).owner, Msg::Request(Request { who: me, rest }));
            if out.line(AT_ONCE) {
                n.cells.update(one(n.pos), |c| c.owner = me);
            }
        }
    }

    fn route(&self, n: &mut Node, m: Request, out: &mut impl Out<Msg>) {
        let (me, cell) = (n.me, m.rest.lo);
        let owner = n.cells.get(cell).owner;
        if owner != me {
            out.line(PASS);
            out.send(owner, Msg::Request(m));
            if out.line(REVERSE) {
                n.cells.update(one(cell), |c| c.owner = m.who);
            }
            return;
        }
        if n.claims(cell) && out.line(PARK) {
            n.parked.push(m);
            return;
        }
        let mut part = one(cell);
        if self.bundling {
            let run = n.cells.end(m.rest, |c| c.owner == me);
            part.hi = (cell + 1..run).find(|i| n.claims(*i)).unwrap_or(run);
        }
        if out.line(NEXT) {
            n.cells.update(part, |c| c.next = Some(m.who));
        }
        if out.line(OWNER) {
            n.cells.update(part, |c| c.owner = m.who);
        }
        if out.line(TELL) {
            out.send(m.who, Msg::Found(part));
        }
    }

    /// What every event may have made possible.
    fn settle(&self, n: &mut Node, out: &mut impl Out<Msg>) {
        loop {
            n.cells.update(n.request, |c| c.received |= c.found && c.owned);
            match n.phase {
                Phase::Waiting(thread) if n.cells.all(n.request, |c| c.found && c.owned) && out.line(HOLD) => {
                    n.phase = Phase::Held(thread);
                    out.grant(thread);
                }
                Phase::Draining if n.cells.all(n.request, |c| c.received) && out.line(DRAINED) => n.is_over(),
                _ => {}
            }
            if !n.parked.is_empty() && n.complete() && out.line(REPLAY) {
                for m in std::mem::take(&mut n.parked) {
                    self.route(n, m, out);
                }
            }
            self.send_tokens(n, out);
            if n.phase == Phase::Idle
                && let Some((thread, range)) = n.deferred.pop_front()
            {
                out.line(TURN);
                self.create(n, thread, range, out);
            } else {
                return;
            }
        }
    }

    fn send_tokens(&self, n: &mut Node, out: &mut impl Out<Msg>) {
        let uses = matches!(n.phase, Phase::Waiting(_) | Phase::Held(_));
        let wanted = |c: Cell| c.owned && c.found && c.next.is_some();
        let keeps = uses && n.cells.iter().any(|(_, c)| wanted(c)) && out.line(KEEP);
        for (part, next) in n.cells.ranges(|c| c.next.filter(|_| c.owned && !(keeps && c.found))) {
            if out.line(SEND) {
                n.cells.update(part, |c| (c.owned, c.next) = (false, None));
                out.send(next, Msg::Token(part));
            }
        }
    }
}

impl Algorithm for SwqPr {
    type Node = Node;
    type Msg = Msg;
    const RANGES: bool = true;
    const CANCELS: bool = true;

    fn new(setup: &Setup) -> Self {
        SwqPr { bundling: setup.params.is("bundling") }
    }

    fn start(&self, me: NodeId, setup: &Setup) -> Node {
        let cell = |i: u16| {
            let holder = setup.holder(i);
            let placed = usize::from(i) < setup.placement.len();
            let owner = if placed || holder == me { holder } else { setup.parents[me.index()] };
            Cell { owner, next: None, owned: holder == me, found: false, received: false }
        };
        let cells = Runs::of((0..setup.cells.max(1)).map(cell));
        Node { me, cells, phase: Phase::Idle, request: NONE, pos: 0, parked: Vec::new(), deferred: VecDeque::new() }
    }

    fn on_call(&self, n: &mut Node, call: Call, out: &mut impl Out<Msg>) {
        match call {
            Call::Request(thread) => self.on_lock(n, Lock::Create(thread, Cells::WHOLE), out),
            Call::Release(_) => {
                out.line(UNLOCK);
                n.is_over();
                self.settle(n, out);
            }
        }
    }

    fn on_lock(&self, n: &mut Node, lock: Lock, out: &mut impl Out<Msg>) {
        match lock {
            Lock::Create(thread, range) => {
                let range = Cells { hi: range.hi.min(n.cells.cells()), ..range };
                if range.is_empty() {
                    out.refuse(thread);
                } else if n.phase != Phase::Idle {
                    out.line(DEFER);
                    n.deferred.push_back((thread, range));
                } else {
                    self.create(n, thread, range, out);
                    self.settle(n, out);
                }
            }
            Lock::Cancel(thread) => {
                n.deferred.retain(|(other, _)| *other != thread);
                if n.phase == Phase::Waiting(thread) {
                    out.line(CANCEL);
                    n.phase = Phase::Draining;
                    self.settle(n, out);
                }
            }
        }
    }

    fn on_message(&self, n: &mut Node, _: NodeId, msg: Msg, out: &mut impl Out<Msg>) {
        match msg {
            Msg::Request(m) => self.route(n, m, out),
            Msg::Found(part) if n.complete() || part.lo != n.pos || part.hi > n.request.hi => {
                out.impossible("a part was found that is not looked for");
            }
            Msg::Found(part) => {
                out.line(COUNT);
                let me = n.me;
                n.cells.update(part, |c| (c.owner, c.found) = (me, true));
                n.pos = part.hi;
                self.search(n, out);
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
        let owners: BTreeSet<NodeId> = n.cells.iter().map(|(_, c)| c.owner).collect();
        let nexts: BTreeSet<NodeId> = n.cells.iter().filter_map(|(_, c)| c.next).collect();
        let link = |kind: &'static str| move |to: NodeId| PointerView { kind: kind.into(), to };
        let waits = if let Phase::Waiting(thread) = n.phase { Some(Waiter::User(thread)) } else { None };
        let parked = n.parked.iter().map(|m| format!("{}: {}", name(m.who), m.rest.lo)).collect();
        NodeView {
            token: n.cells.iter().any(|(_, c)| c.owned),
            links: owners.into_iter().map(link("owner")).chain(nexts.into_iter().map(link("next"))).collect(),
            queue: (waits.into_iter())
                .chain(n.parked.iter().map(|m| Waiter::Remote(m.who)))
                .chain(n.deferred.iter().map(|(thread, _)| Waiter::User(*thread)))
                .collect(),
            vars: vec![
                Var::new("owners", pointers(&|c| Some(c.owner))),
                Var::new("nexts", pointers(&|c| c.next)),
                Var::new("owned", listed(n.ranges(|c| c.owned))),
                Var::new("request", listed(Some(n.request).filter(|r| !r.is_empty()))),
                Var::new("requestFound", listed(n.ranges(|c| c.found))),
                Var::new("requestReceived", listed(n.ranges(|c| c.received))),
                Var::new("waitingRequest", text(parked)),
            ],
            badges: match n.phase {
                Phase::Idle => Vec::new(),
                Phase::Waiting(_) => vec!["waiting".into()],
                Phase::Held(_) => vec!["lock held".into()],
                Phase::Draining => vec!["cancelled".into()],
            },
        }
    }

    fn cells(&self, n: &Node, setup: &Setup) -> Vec<CellView> {
        let view = |(range, c): (Cells, Cell)| {
            (range.lo..range.hi).map(move |_| CellView { held: c.owned, owner: c.owner, next: c.next })
        };
        if setup.cells > 1 { n.cells.iter().flat_map(view).collect() } else { Vec::new() }
    }

    fn invariants() -> Vec<Invariant<Self>> {
        vec![
            mutual_exclusion(),
            held_with_its_tokens(|n: &Node| matches!(n.phase, Phase::Held(_)) && !n.cells.all(n.request, |c| c.owned)),
            one_for_each_cell(
                "one token for each cell",
                "the token",
                |n: &Node, see| n.cells.visit(|c| c.owned, see),
                |m| if let Msg::Token(part) = m { Some(*part) } else { None },
            ),
        ]
    }

    fn narrate(&self, told: &ObservedStep<'_, Self>) -> String {
        let (me, before, after) = (told.name(told.me), told.before, told.after);
        let mut text = match told.cause {
            Cause::Asked(thread) => {
                let user = told.setup.thread_name(thread);
                match after.deferred.back().filter(|_| told.ran(DEFER)) {
                    Some((_, range)) => {
                        format!("{user} declares a lock on {range}, which waits: {me} sees to one at a time.")
                    }
                    None => format!("{user} declares a lock on {}.", after.request),
                }
            }
            Cause::Left(thread) => {
                let user = told.setup.thread_name(thread);
                let range = before.request;
                match (told.ran(UNLOCK), told.ran(CANCEL)) {
                    (true, _) => format!("{user} unlocks {range}."),
                    (_, true) => {
                        format!("{user} gives up {range}. Its places stay queued, the tokens will pass through.")
                    }
                    _ => format!("{user} gives up before its turn came."),
                }
            }
            Cause::Received(_, Msg::Request(m)) => {
                format!("The request of {} for cell {} reaches {me}.", told.name(m.who), m.rest.lo)
            }
            Cause::Received(_, Msg::Found(part)) => format!("{me} stands in the queue of {part}."),
            Cause::Received(from, Msg::Token(part)) => {
                format!("The token of {part} and its data come to {me} from {}.", told.name(from))
            }
        };
        if told.ran(MINE) {
            let mine = after.ranges(|c| c.found);
            text += &format!(" {me} itself is the tail there: found are {}.", listed(mine));
        }
        if told.ran(DRAINED) {
            text += " Every token of the cancelled lock has been here, so it is over.";
        }
        if told.ran(REPLAY) {
            text += " Its own lock no longer searches, so parked requests move on.";
        }
        for effect in &told.effects.list {
            text += &self.tell_effect(told, effect);
        }
        if told.ran(PARK)
            && let Some(m) = after.parked.last()
        {
            let (who, cell) = (told.name(m.who), m.rest.lo);
            text += &format!(" The unfinished lock of {me} claims cell {cell} too, so the request of {who} is parked.");
        }
        if told.ran(KEEP) && told.granted().is_none() {
            text += &format!(" What has come for the lock of {me} stays until it is unlocked.");
        }
        text
    }
}

impl SwqPr {
    fn tell_effect(&self, told: &ObservedStep<'_, Self>, effect: &Effect<Msg>) -> String {
        let me = told.name(told.me);
        match effect {
            Effect::Send(to, Msg::Request(m)) => {
                let (to, who, cell) = (told.name(*to), told.name(m.who), m.rest.lo);
                if m.who == told.me {
                    format!(" {me} asks {to} for cell {cell} and is the tail of its queue from now on.")
                } else {
                    format!(
                        " {me} is not the tail there: it passes the request on to {to} and points at {who} from now on."
                    )
                }
            }
            Effect::Send(to, Msg::Found(part)) => {
                let to = told.name(*to);
                format!(" {me} is the tail of {part}: {to} comes next there and is told so.")
            }
            Effect::Send(to, Msg::Token(part)) => {
                format!(" {part} is free and goes to its next, {}.", told.name(*to))
            }
            Effect::Grant(thread) => {
                let user = told.setup.thread_name(*thread);
                format!(" All of {} is found and here: {user} has its lock.", told.after.request)
            }
            Effect::Refuse(_) => " There are no such cells.".into(),
            Effect::Later(_) => String::new(),
        }
    }
}

/// The listing, in our own words.
const LISTING: &[(&str, &[Line])] = &[
    (
        "lockCreate(range)",
        &[
            line(DEFER, "a lock of this node is not over: wait for it"),
            line(START, "request := range; claim its first cell"),
        ],
    ),
    ("lockTest; doLock waits for it", &[essential(HOLD, "whole range found and owned: the lock is held")]),
    (
        "unlock",
        &[
            line(UNLOCK, "held: forget the request"),
            line(CANCEL, "still waiting: cancelled, but stay in the queues"),
            line(DRAINED, "cancelled, every token was here: forget it"),
            line(TURN, "then the next lock of this node is created"),
        ],
    ),
    (
        "claim the next cell, pos",
        &[
            line(MINE, "tail of pos: it is found, and so on"),
            essential(ASK, "else requestToken(pos) to owners[pos]"),
            essential(AT_ONCE, "  owners[pos] := this node, at once"),
        ],
    ),
    (
        "requestToken(cell)",
        &[
            line(PASS, "not the tail: pass it on to owners[cell]"),
            line(REVERSE, "  owners[cell] := requester"),
            essential(PARK, "tail, my unfinished lock claims or seeks it: park"),
            essential(NEXT, "tail: nexts[cell] := requester"),
            essential(OWNER, "  owners[cell] := requester"),
            essential(TELL, "  foundPart(cell) to the requester"),
            essential(REPLAY, "my lock complete or over: take parked requests"),
        ],
    ),
    ("foundPart(run)", &[line(COUNT, "requestFound += run; claim the next cell")]),
    ("exchangeToken(run)", &[line(HAVE, "owned += run")]),
    (
        "sendTokens, after every event",
        &[
            essential(SEND, "owned with a next: send it the run"),
            essential(KEEP, "  but not what my lock uses or waits for"),
        ],
    ),
];

/// The row of the table.
pub const ENTRY: Entry = Entry {
    id: "swq-pr",
    title: "Split waiting queues with path reversal",
    year: 2009,
    source: "After Quinson and Vernier, Byte-Range Asynchronous Locking in Distributed Settings, PDP 2009 (our variant)",
    printed: false,
    params: &[Param {
        name: "bundling",
        about: "the tail hands over following cells too; needs FIFO links and may starve a request",
        values: &["false", "true"],
    }],
    needs: Needs { fifo: false, fifo_with: Some(("bundling", "true")), tree: true },
    claims: &["locks on disjoint ranges are held at the same time", "no request starves", "one search for each cell"],
    tree_link: "owner",
    listing: LISTING,
    drive: Drive::of::<SwqPr>(),
};
