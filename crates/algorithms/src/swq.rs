//! Split waiting queues: asynchronous locks on ranges of a divided resource.
//!
//! *Source.* M. Quinson and F. Vernier, "Byte-Range Asynchronous Locking in Distributed Settings",
//! PDP 2009, §2 and §4.
//!
//! # The idea
//!
//! Each cell of an array has Naimi and Tréhel's two pointers: `owners` leads to the tail of the
//! cell's queue, `nexts` names the node that gets the cell after this one. The sub-token of a cell
//! carries the cell's data. Neighbouring cells with equal pointers form one run, so the token
//! splits when a part of it is requested and merges when its parts meet again, and locks on
//! disjoint ranges are held at the same time.
//!
//! A request searches for its parts *one after another, from the left*. It travels to the tail of
//! the queues of its first cells, is queued there (`foundPart` tells its node, which is now the
//! tail), and continues with the next cell. A node whose own request is still searching parks
//! requests for cells that it has claimed, so that two requests are never in opposite orders in two
//! queues.
//!
//! Locks are asynchronous: `lockCreate` only declares a range, and the node's servant collects the
//! cells while the application computes. `lockTest` says whether the lock is held, `doLock` waits
//! until it is, `unlock` releases or cancels it. In this model a request is `lockCreate`, and an
//! entry is the moment from which `lockTest` is true; whether the application blocks is not
//! modelled.
//!
//! # Where we depart from the paper
//!
//! The paper's callbacks leave open what `conflict`, "satisfied" and "use" mean, and most readings
//! deadlock (`swq-printed` plays eight). Ours:
//!
//! * *`requestFound` is added*: the cells in whose queues our request is. A request is complete
//!   when it is in all of its queues.
//! * *A conflict is a cell that our unfinished request has already claimed.* A node yields cells of
//!   which it is the tail and which it needs, but which its search has not reached. The prose parks
//!   on these too, and two nodes with one cell each block each other in four steps.
//! * *Satisfied means "all parts found"*, as in the prose (parameter `guard`, `prose`); the
//!   variable's name suggests "all tokens received" (`strict`), which is equally safe and much
//!   slower when every node locks the whole resource.
//! * *A received part is kept* until the whole lock has been used, and a lock is held when all of
//!   its cells are found *and* here.
//! * *Parked requests continue whenever the guard opens*: on `foundPart`, on a part found at the
//!   node itself, on `unlock`, at the end of a cancelled lock.
//! * *Tokens are sent after every event*, each run that may go in one message.
//! * *A cancelled lock drains*: its places stay queued, tokens pass through, and the next lock of
//!   this node waits for the end. Forgetting it, as printed, puts a node that requests again twice
//!   into one queue. A node never parks its own request.
//! * *One lock at a time per node*, as in the paper. Further threads wait at their node in the
//!   order of their `lockCreate`.
//!
//! # Why it works
//!
//! A request that searches for cell p is parked only where p is claimed by a request that searches
//! further right, so parked requests form no cycle. A request is queued behind another only when
//! that one is in all of its queues, so every wait for a token leads to a request that was complete
//! earlier, and waiting tokens form no cycle. Both arguments rely on one contiguous range per node
//! at a time.
//!
//! A request may starve (`NO_STARVATION` fails with 3 nodes and 1 cell): forwarding nodes do not
//! reverse the path, so a request can follow the token forever. `swq-pr` restores the path
//! reversal, one cell at a time.
//!
//! # With path reversal (`swq-pr`)
//!
//! Our repair of that weakness; the path reversal is that of Naimi and Tréhel (`naimi-trehel`).
//!
//! In `swq` a node that forwards a request keeps its pointer, because the requester is not the tail
//! before its request has arrived. So a request can follow forever a token that two other nodes
//! exchange. Here the requester drives the search: it requests *one cell at a time* and is the tail
//! of that cell from that moment on, so every node that the request passes may point at it. The
//! path reverses, and a request is overtaken by finitely many others.
//!
//! * The requester claims its cells from the left. A cell of which it is the tail costs no message.
//!   For any other cell it sends a request to where it believes the tail to be, sets its own
//!   pointer to itself and continues when `foundPart` arrives.
//! * A node that is not the tail forwards the request and points at the requester, for that cell
//!   only. The tail gives the cell to the requester, or parks the request while its own unfinished
//!   lock has claimed that cell or searches for it. A node yields the cells further right that it
//!   needs.
//! * Keeping, sending, holding and cancelling work as in `swq`, and so do `lockCreate`, `lockTest`,
//!   `doLock` and `unlock`: a request is `lockCreate`, an entry is the moment from which `lockTest`
//!   is true, and whether the application blocks is not modelled.
//! * The paper gives up path reversal, because a node that becomes the tail of a whole range at
//!   once deadlocks. With a single cell it does not.
//! * The price is one search per cell instead of one per part: for ranges of many cells this is far
//!   slower than `swq`.
//! * With `bundling` the tail also gives away the following cells that it can. This needs FIFO
//!   links (otherwise token and request may overtake the `foundPart` that they follow: 2 nodes and
//!   2 cells block in 8 steps), and starvation is possible again, for a node that needs a later
//!   cell than the others. With one cell it changes nothing.

mod listing;
mod narration;

pub use listing::{ENTRY, PATH_REVERSAL};

use lockstep_kernel::algorithm::{Call, Lock, MessageKind, Role};
use lockstep_kernel::cells::{Runs, held_with_its_tokens, one_for_each_cell};
use lockstep_kernel::invariant::{Invariant, mutual_exclusion};
use lockstep_kernel::view::{CellView, ObservedStep};
use lockstep_kernel::{Algorithm, Cells, LineId, Message, NodeId, NodeView, Out, Setup, ThreadId, lines};
use std::collections::VecDeque;
use std::hash::{Hash, Hasher};

/// The parameters, known to every node. `REVERSES` the path of a request, one cell at a time.
pub struct Swq<const REVERSES: bool = false> {
    /// Parked requests wait until all tokens of our lock have arrived.
    strict: bool,
    /// With path reversal: the tail also gives away following cells.
    bundling: bool,
}

/// Split waiting queues with path reversal.
pub type SwqPr = Swq<true>;

/// A request that searches for its cells; with path reversal for one of them.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Request<const REVERSES: bool> {
    who: NodeId,
    /// The requester's range; with path reversal from the cell `pos` on.
    range: Cells,
    /// The first cell that has not been found.
    pos: u16,
}

// with path reversal `pos` is where `range` begins, so it is no part of the state
impl<const REVERSES: bool> Hash for Request<REVERSES> {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.who.hash(state);
        self.range.hash(state);
        if !REVERSES {
            self.pos.hash(state);
        }
    }
}

/// The messages between nodes.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Msg<const REVERSES: bool> {
    /// A request continues its search.
    Request(Request<REVERSES>),
    /// The receiver is now the tail of these queues.
    Found(Cells),
    /// The sub-tokens of these cells, with their data.
    Token(Cells),
}

impl<const REVERSES: bool> Message for Msg<REVERSES> {
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
            Msg::Request(m) if REVERSES => format!("requestToken({}, {})", setup.name(m.who), m.pos),
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

/// What a node knows about one cell.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Cell {
    /// The tail of its queue, as far as we know.
    owner: NodeId,
    /// The node that gets it after us.
    next: Option<NodeId>,
    /// Its sub-token is here.
    owned: bool,
    /// Our request is in its queue.
    found: bool,
    /// Found, and the sub-token has been here since.
    received: bool,
}

/// The phase of a node's lock.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Phase {
    /// There is no lock.
    Idle,
    /// It waits.
    Waiting(ThreadId),
    /// It is held.
    Held(ThreadId),
    /// It was cancelled while it waited.
    Draining,
}

/// One node.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Node<const REVERSES: bool> {
    me: NodeId,
    cells: Runs<Cell>,
    phase: Phase,
    /// The range of the lock; empty while there is none.
    request: Cells,
    /// With path reversal: the first cell of it that has not been found, for which we search.
    pos: u16,
    /// Requests parked here.
    parked: Vec<Request<REVERSES>>,
    /// Locks that wait for the previous one.
    deferred: VecDeque<(ThreadId, Cells)>,
}

const NONE: Cells = Cells { lo: 0, hi: 0 };

fn one(cell: u16) -> Cells {
    Cells { lo: cell, hi: cell + 1 }
}

// without path reversal `pos` is always 0, so it is no part of the state
impl<const REVERSES: bool> Hash for Node<REVERSES> {
    fn hash<H: Hasher>(&self, state: &mut H) {
        (self.me, &self.cells, self.phase, self.request).hash(state);
        if REVERSES {
            self.pos.hash(state);
        }
        (&self.parked, &self.deferred).hash(state);
    }
}

impl<const REVERSES: bool> Node<REVERSES> {
    fn complete(&self) -> bool {
        if REVERSES { self.pos >= self.request.hi } else { self.cells.all(self.request, |c| c.found) }
    }

    /// Whether our unfinished lock has claimed a cell or searches for it.
    fn claims(&self, cell: u16) -> bool {
        !self.complete() && (self.request.lo..=self.pos).contains(&cell)
    }

    fn ranges(&self, which: impl Fn(Cell) -> bool) -> Vec<Cells> {
        self.cells.ranges(|c| which(c).then_some(())).into_iter().map(|(range, ())| range).collect()
    }

    fn finish(&mut self) {
        self.cells.update(self.request, |c| (c.found, c.received) = (false, false));
        (self.request, self.pos, self.phase) = (NONE, 0, Phase::Idle);
    }
}

lines! {
    DEFER, START, HOLD, UNLOCK, CANCEL, SEARCH, PARK, MINE, NEXT, OWNER, TELL, TAIL, COUNT,
    HAVE, DRAINED, REPLAY, SEND, KEEP, TURN, AT_ONCE, PASS,
}
/// With path reversal these two numbers belong to other lines.
const ASK: LineId = SEARCH;
const REVERSE: LineId = TAIL;

impl<const REVERSES: bool> Swq<REVERSES> {
    /// Whether requests for claimed cells must wait.
    fn closed(&self, n: &Node<REVERSES>) -> bool {
        if REVERSES {
            return !n.complete();
        }
        n.phase != Phase::Idle && !n.cells.all(n.request, |c| if self.strict { c.received } else { c.found })
    }

    fn create(&self, n: &mut Node<REVERSES>, thread: ThreadId, range: Cells, out: &mut impl Out<Msg<REVERSES>>) {
        out.line(START);
        (n.request, n.phase) = (range, Phase::Waiting(thread));
        if REVERSES {
            n.pos = range.lo;
            self.claim(n, out);
        } else {
            self.route(n, Request { who: n.me, range, pos: range.lo }, out);
        }
    }

    /// Routes a request as far as this node can.
    fn route(&self, n: &mut Node<REVERSES>, m: Request<REVERSES>, out: &mut impl Out<Msg<REVERSES>>) {
        if REVERSES {
            self.route_cell(n, m, out);
        } else {
            self.route_range(n, m, out);
        }
    }

    /// Without path reversal: queues a request for all of its cells of which this node is the tail.
    fn route_range(&self, n: &mut Node<REVERSES>, mut m: Request<REVERSES>, out: &mut impl Out<Msg<REVERSES>>) {
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
            } else {
                self.append(n, part, m.who, out);
            }
        }
    }

    /// With path reversal: forwards a request for one cell, parks it or queues it here.
    fn route_cell(&self, n: &mut Node<REVERSES>, m: Request<REVERSES>, out: &mut impl Out<Msg<REVERSES>>) {
        let (me, cell) = (n.me, m.pos);
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
            let run = n.cells.end(m.range, |c| c.owner == me);
            part.hi = (cell + 1..run).find(|i| n.claims(*i)).unwrap_or(run);
        }
        self.append(n, part, m.who, out);
    }

    /// Puts a requester behind this node, the tail.
    fn append(&self, n: &mut Node<REVERSES>, part: Cells, who: NodeId, out: &mut impl Out<Msg<REVERSES>>) {
        if out.line(NEXT) {
            n.cells.update(part, |c| c.next = Some(who));
        }
        if out.line(OWNER) {
            n.cells.update(part, |c| c.owner = who);
        }
        if out.line(TELL) {
            out.send(who, Msg::Found(part));
        }
    }

    /// With path reversal: claims the cells of which we are the tail, and requests the next one.
    fn claim(&self, n: &mut Node<REVERSES>, out: &mut impl Out<Msg<REVERSES>>) {
        let (me, rest) = (n.me, Cells { lo: n.pos, ..n.request });
        n.pos = n.cells.end(rest, |c| c.owner == me);
        if n.pos > rest.lo {
            out.line(MINE);
            n.cells.update(Cells { hi: n.pos, ..rest }, |c| c.found = true);
        }
        if !n.complete() && out.line(ASK) {
            let range = Cells { lo: n.pos, ..n.request };
            out.send(n.cells.get(n.pos).owner, Msg::Request(Request { who: me, range, pos: n.pos }));
            if out.line(AT_ONCE) {
                n.cells.update(one(n.pos), |c| c.owner = me);
            }
        }
    }

    /// Whether a part may be found now.
    fn expects(n: &Node<REVERSES>, part: Cells) -> Result<(), &'static str> {
        if REVERSES {
            let expected = !n.complete() && part.lo == n.pos && part.hi <= n.request.hi;
            return if expected { Ok(()) } else { Err("a part was found that the node does not search for") };
        }
        let expected = n.cells.all(part, |c| c.owner != n.me && !c.found);
        if expected { Ok(()) } else { Err("a part was found twice") }
    }

    /// Our request is in the queues of a part, and this node is their tail.
    fn found(&self, n: &mut Node<REVERSES>, part: Cells, out: &mut impl Out<Msg<REVERSES>>) {
        let me = n.me;
        if REVERSES {
            out.line(COUNT);
            n.cells.update(part, |c| (c.owner, c.found) = (me, true));
            n.pos = part.hi;
            return self.claim(n, out);
        }
        if out.line(TAIL) {
            n.cells.update(part, |c| c.owner = me);
        }
        if out.line(COUNT) {
            n.cells.update(part, |c| c.found = true);
        }
    }

    /// Does everything that an event may have made possible.
    fn settle(&self, n: &mut Node<REVERSES>, out: &mut impl Out<Msg<REVERSES>>) {
        loop {
            n.cells.update(n.request, |c| c.received |= c.found && c.owned);
            match n.phase {
                Phase::Waiting(thread) if n.cells.all(n.request, |c| c.found && c.owned) && out.line(HOLD) => {
                    n.phase = Phase::Held(thread);
                    out.grant(thread);
                }
                Phase::Draining if n.cells.all(n.request, |c| c.received) && out.line(DRAINED) => n.finish(),
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

    fn send_tokens(&self, n: &mut Node<REVERSES>, out: &mut impl Out<Msg<REVERSES>>) {
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

impl<const REVERSES: bool> Algorithm for Swq<REVERSES> {
    type Node = Node<REVERSES>;
    type Msg = Msg<REVERSES>;
    const RANGES: bool = true;
    const CANCELS: bool = true;

    fn new(setup: &Setup) -> Self {
        Swq { strict: setup.params.get("guard") == "strict", bundling: setup.params.is("bundling") }
    }

    fn start(&self, me: NodeId, setup: &Setup) -> Node<REVERSES> {
        let cells = Runs::at_start(setup, |holder, placed| {
            let owner = if placed || holder == me { holder } else { setup.parents[me.index()] };
            Cell { owner, next: None, owned: holder == me, found: false, received: false }
        });
        Node { me, cells, phase: Phase::Idle, request: NONE, pos: 0, parked: Vec::new(), deferred: VecDeque::new() }
    }

    fn anonymous(&self) -> bool {
        !REVERSES
    }

    fn on_call(&self, n: &mut Node<REVERSES>, call: Call, out: &mut impl Out<Msg<REVERSES>>) {
        match call {
            Call::Request(thread) => self.on_lock(n, Lock::Create(thread, Cells::WHOLE), out),
            Call::Release(_) => {
                out.line(UNLOCK);
                n.finish();
                self.settle(n, out);
            }
        }
    }

    fn on_lock(&self, n: &mut Node<REVERSES>, lock: Lock, out: &mut impl Out<Msg<REVERSES>>) {
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

    fn on_message(&self, n: &mut Node<REVERSES>, _: NodeId, msg: Msg<REVERSES>, out: &mut impl Out<Msg<REVERSES>>) {
        match msg {
            Msg::Request(m) if !REVERSES && m.who == n.me && (m.range != n.request || n.complete()) => {
                out.impossible("a node received a request of its own that it no longer searches for");
            }
            Msg::Request(m) => self.route(n, m, out),
            Msg::Found(part) => match Self::expects(n, part) {
                Ok(()) => self.found(n, part, out),
                Err(why) => out.impossible(why),
            },
            Msg::Token(part) => {
                out.line(HAVE);
                n.cells.update(part, |c| c.owned = true);
            }
        }
        self.settle(n, out);
    }

    fn view(&self, n: &Node<REVERSES>, setup: &Setup) -> NodeView {
        self.show(n, setup)
    }

    fn cells(&self, n: &Node<REVERSES>, setup: &Setup) -> Runs<CellView> {
        let view = |c: Cell| CellView { held: c.owned, owner: c.owner, next: c.next };
        if setup.cells > 1 { n.cells.map(view) } else { Runs::default() }
    }

    fn invariants() -> Vec<Invariant<Self>> {
        let mut invariants = vec![
            mutual_exclusion(),
            held_with_its_tokens(|n: &Node<REVERSES>| {
                matches!(n.phase, Phase::Held(_)) && !n.cells.all(n.request, |c| c.owned)
            }),
            one_for_each_cell(
                "one token for each cell",
                "the token",
                |n: &Node<REVERSES>, see| n.cells.visit(|c| c.owned, see),
                |m| if let Msg::Token(part) = m { Some(*part) } else { None },
            ),
        ];
        // with path reversal a requester is the tail before the previous one knows it
        if !REVERSES {
            invariants.push(one_for_each_cell(
                "one tail for each cell",
                "the tail",
                |n: &Node<REVERSES>, see| n.cells.visit(|c| c.owner == n.me, see),
                |m| if let Msg::Found(part) = m { Some(*part) } else { None },
            ));
        }
        invariants
    }

    fn narrate(&self, step: &ObservedStep<'_, Self>) -> String {
        self.narrate_step(step)
    }
}
