//! Split waiting queues: asynchronous locks on ranges of a divided resource.
//!
//! *Source.* M. Quinson and F. Vernier, "Byte-Range Asynchronous Locking in Distributed Settings", PDP 2009, §2 and §4.
//!
//! # The idea
//!
//! Naimi and Tréhel's two pointers for each cell of an array: `owners` leads to the tail of the cell's queue, `nexts` says who gets the
//! cell after us. A cell's sub-token carries the cell's data. Neighbouring cells with equal pointers are one run, so the token splits when
//! a part of it is asked for and merges when it comes together again, and locks on disjoint ranges are held at the same time.
//!
//! A request looks for its parts *one after the other, from the left*. It travels to the tail of the queues of its first cells, is queued
//! there (`foundPart` tells its node, which is the tail now), and goes on to the next cell. A node whose own request is still looking parks
//! requests for what it has claimed, so that two requests never stand in opposite orders in two queues.
//!
//! Locks are asynchronous: `lockCreate` only declares a range, and the node's servant collects the cells while the application computes.
//! `lockTest` says whether the lock is held, `doLock` waits for that, `unlock` gives it back or cancels it. What the kernel calls asking
//! is `lockCreate`, entering is the moment from which `lockTest` is true; whether the application blocks is its own affair.
//!
//! # Where we depart from the text
//!
//! Its callbacks leave open what `conflict`, "satisfied" and "use" mean, and most readings deadlock (`swq-printed` plays eight). Ours:
//!
//! * *`requestFound` is added*: the cells in whose queues we stand. Complete is a request that stands in all of its queues.
//! * *A conflict is a cell that our unfinished request has claimed already.* Cells that we are the tail of, want, but have not reached yet
//!   are yielded. The prose parks on these too, and two nodes with one cell each block each other in four steps.
//! * *Satisfied is "all parts found"*, as in the prose (parameter `guard`, `prose`); the variable's name suggests "all tokens received"
//!   (`strict`), which is as safe and much slower when everybody wants everything.
//! * *A part that came is kept* until the whole lock has been used, and a lock is held when all of its cells are found *and* here.
//! * *Parked requests move on whenever the guard opens*: on `foundPart`, on an own part, on `unlock`, at the end of a cancelled lock.
//! * *Tokens are sent after every event*, each run that may go in one message.
//! * *A cancelled lock drains*: its places stay queued, tokens pass through, and the next lock of this node waits for the end. Forgetting
//!   it, as printed, puts a node that asks again twice in one queue. Our own message is never parked at home.
//! * *One lock at a time for each node*, as in the text. Further threads wait at their node in the order of their `lockCreate`.
//!
//! # Why it works
//!
//! A request in search of cell p is parked only where p is claimed by a request that searches further right: no circle of parked
//! requests. Somebody is queued behind a request only when that one stands in all of its queues; so every wait for a token goes to a
//! request that was complete earlier: no circle of waiting tokens. Both rest on one contiguous range for each node at a time.
//!
//! A request may starve (`NO_STARVATION` fails with 3 nodes and 1 cell): forwarders do not reverse the path, so a request can run behind the
//! token for ever. `swq-pr` brings the path reversal back, one cell at a time.

use lockstep_kernel::algorithm::{Call, Lock, MessageKind, Role};
use lockstep_kernel::cells::{Runs, held_with_its_tokens, listed, one_for_each_cell};
use lockstep_kernel::entry::{Drive, Line, Needs, Param, essential, line};
use lockstep_kernel::invariant::{Invariant, mutual_exclusion};
use lockstep_kernel::view::{Cause, CellView, ObservedStep, Waiter};
use lockstep_kernel::{
    Algorithm, Cells, Effect, Entry, Message, NodeId, NodeView, Out, PointerView, Setup, ThreadId, Var, lines,
};
use std::collections::{BTreeSet, VecDeque};

/// What all nodes agree on: the guard.
pub struct Swq {
    strict: bool,
}

/// A request in search of its cells.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Request {
    who: NodeId,
    range: Cells,
    /// The first cell that is not found yet.
    pos: u16,
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
            Msg::Request(m) => format!("requestToken({}, {} from {})", setup.name(m.who), m.range, m.pos),
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
    /// Requests parked here.
    parked: Vec<Request>,
    /// Locks that wait for the one before.
    deferred: VecDeque<(ThreadId, Cells)>,
}

const NONE: Cells = Cells { lo: 0, hi: 0 };

impl Node {
    fn complete(&self) -> bool {
        self.cells.all(self.request, |c| c.found)
    }

    fn ranges(&self, which: impl Fn(Cell) -> bool) -> Vec<Cells> {
        self.cells.ranges(|c| which(c).then_some(())).into_iter().map(|(range, ())| range).collect()
    }

    fn is_over(&mut self) {
        self.cells.update(self.request, |c| (c.found, c.received) = (false, false));
        (self.request, self.phase) = (NONE, Phase::Idle);
    }
}

lines! {
    DEFER, START, HOLD, UNLOCK, CANCEL, SEARCH, PARK, MINE, NEXT, OWNER, TELL, TAIL, COUNT,
    HAVE, DRAINED, REPLAY, SEND, KEEP, TURN,
}

impl Swq {
    /// Whether requests for claimed cells must wait.
    fn closed(&self, n: &Node) -> bool {
        n.phase != Phase::Idle && !n.cells.all(n.request, |c| if self.strict { c.received } else { c.found })
    }

    fn create(&self, n: &mut Node, thread: ThreadId, range: Cells, out: &mut impl Out<Msg>) {
        out.line(START);
        (n.request, n.phase) = (range, Phase::Waiting(thread));
        self.route(n, Request { who: n.me, range, pos: range.lo }, out);
    }

    /// Takes a request as far as this node can.
    fn route(&self, n: &mut Node, mut m: Request, out: &mut impl Out<Msg>) {
        let (me, own) = (n.me, m.who == n.me);
        let mut guarded = !own && self.closed(n);
        while m.pos < m.range.hi {
            let first = n.cells.get(m.pos);
            if first.owner != me {
                if out.line(SEARCH) {
                    out.send(first.owner, Msg::Request(m));
                }
                return;
            }
            if guarded && first.found {
                guarded = out.line(PARK);
                if guarded {
                    n.parked.push(m);
                    return;
                }
            }
            let rest = Cells { lo: m.pos, hi: m.range.hi };
            let part = Cells { hi: n.cells.end(rest, |c| c.owner == me && !(guarded && c.found)), ..rest };
            m.pos = part.hi;
            if own {
                out.line(MINE);
                n.cells.update(part, |c| c.found = true);
                continue;
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
            if !n.parked.is_empty() && !self.closed(n) && out.line(REPLAY) {
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

impl Algorithm for Swq {
    type Node = Node;
    type Msg = Msg;
    const RANGES: bool = true;
    const CANCELS: bool = true;

    fn new(setup: &Setup) -> Self {
        Swq { strict: setup.params.get("guard") == "strict" }
    }

    fn start(&self, me: NodeId, setup: &Setup) -> Node {
        let cell = |i: u16| {
            let holder = setup.holder(i);
            let placed = usize::from(i) < setup.placement.len();
            let owner = if placed || holder == me { holder } else { setup.parents[me.index()] };
            Cell { owner, next: None, owned: holder == me, found: false, received: false }
        };
        let cells = Runs::of((0..setup.cells.max(1)).map(cell));
        Node { me, cells, phase: Phase::Idle, request: NONE, parked: Vec::new(), deferred: VecDeque::new() }
    }

    fn anonymous(&self) -> bool {
        true
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
            Msg::Request(m) if m.who == n.me && (m.range != n.request || n.complete()) => {
                out.impossible("a node met a request of its own that it no longer looks for");
            }
            Msg::Request(m) => self.route(n, m, out),
            Msg::Found(part) if !n.cells.all(part, |c| c.owner != n.me && !c.found) => {
                out.impossible("a part was found that was found already");
            }
            Msg::Found(part) => {
                if out.line(TAIL) {
                    let me = n.me;
                    n.cells.update(part, |c| c.owner = me);
                }
                if out.line(COUNT) {
                    n.cells.update(part, |c| c.found = true);
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
        let owners: BTreeSet<NodeId> = n.cells.iter().map(|(_, c)| c.owner).collect();
        let nexts: BTreeSet<NodeId> = n.cells.iter().filter_map(|(_, c)| c.next).collect();
        let link = |kind: &'static str| move |to: NodeId| PointerView { kind: kind.into(), to };
        let waits = if let Phase::Waiting(thread) = n.phase { Some(Waiter::User(thread)) } else { None };
        let parked = n.parked.iter().map(|m| format!("{}: {} from {}", name(m.who), m.range, m.pos)).collect();
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
            one_for_each_cell(
                "one tail for each cell",
                "the tail",
                |n: &Node, see| n.cells.visit(|c| c.owner == n.me, see),
                |m| if let Msg::Found(part) = m { Some(*part) } else { None },
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
                let how = if m.who == told.me { "comes back to" } else { "reaches" };
                format!("The request of {} for {} {how} {me} in search of cell {}.", told.name(m.who), m.range, m.pos)
            }
            Cause::Received(_, Msg::Found(part)) => {
                let all = if after.complete() { ", and stands in every queue of its lock now" } else { "" };
                format!("{me} is the tail of {part}{all}.")
            }
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
            let why = if self.strict { "All tokens of its lock have come" } else { "Its own lock no longer searches" };
            text += &format!(" {why}, so parked requests move on.");
        }
        for effect in &told.effects.list {
            text += &self.tell_effect(told, effect);
        }
        if told.ran(PARK)
            && let Some(m) = after.parked.last()
        {
            let what = if self.strict { "waits" } else { "still searches" };
            let (who, pos) = (told.name(m.who), m.pos);
            text += &format!(" A lock of {me} that {what} has claimed cell {pos}, so the request of {who} is parked.");
        }
        if told.ran(KEEP) && told.granted().is_none() {
            text += &format!(" What has come for the lock of {me} stays until it is unlocked.");
        }
        text
    }
}

impl Swq {
    fn tell_effect(&self, told: &ObservedStep<'_, Self>, effect: &Effect<Msg>) -> String {
        let me = told.name(told.me);
        match effect {
            Effect::Send(to, Msg::Request(m)) => {
                let (to, who) = (told.name(*to), told.name(m.who));
                let request = if m.who == told.me { "Its request".into() } else { format!("The request of {who}") };
                format!(" {request} goes to {to}, where {me} believes the tail of cell {} to be.", m.pos)
            }
            Effect::Send(to, Msg::Found(part)) => {
                let to = told.name(*to);
                format!(" {me} is the tail of {part}: {to} comes next there, is the tail now and is told so.")
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
            line(START, "request := range; route it from its first cell"),
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
        "requestToken: route a request from cell pos",
        &[
            essential(SEARCH, "owners[pos] is another node: pass it on there"),
            essential(PARK, "pos claimed by my unfinished lock: park it"),
            line(MINE, "my own request: requestFound += the run I am tail of"),
            essential(NEXT, "another's: nexts[run] := requester"),
            essential(OWNER, "  owners[run] := requester"),
            essential(TELL, "  foundPart(run) to the requester"),
            essential(REPLAY, "guard open again: route the parked requests"),
        ],
    ),
    ("foundPart(run)", &[essential(TAIL, "owners[run] := this node"), essential(COUNT, "requestFound += run")]),
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
    id: "swq",
    title: "Split waiting queues",
    year: 2009,
    source: "Quinson and Vernier, Byte-Range Asynchronous Locking in Distributed Settings, PDP 2009, §4 (repaired)",
    printed: false,
    params: &[Param {
        name: "guard",
        about: "parked requests wait until our lock's parts are all found, or until all its tokens have come",
        values: &["prose", "strict"],
    }],
    needs: Needs { fifo: false, fifo_with: None, tree: true },
    claims: &[
        "locks on disjoint ranges are held at the same time",
        "overlapping requests are served first come, first served",
        "looking for one part after the other avoids deadlocks",
        "always slower than Naimi–Tréhel when everybody locks everything",
        "faster than Naimi–Tréhel on partial locks",
        "faster than a central manager for large resources",
    ],
    tree_link: "owner",
    listing: LISTING,
    drive: Drive::of::<Swq>(),
};
