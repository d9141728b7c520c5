//! The event loop of the batch simulator.

use super::BatchJob;
use super::agenda::{Agenda, MOST_WHATS, NEVER, key, time, what};
use super::channels::ChannelOrder;
use super::observer::Observer;
use crate::ids::ticks;
use crate::random::{Purpose, Stream};
use crate::timing::{Arrivals, CellRequests, Sampler};
use crate::{Algorithm, Call, Cells, LineId, Lock, Message, NodeId, Out, Role, ThreadId, Time};
use std::collections::VecDeque;

/// How a run ended.
#[derive(Clone, Copy, Debug)]
pub struct End {
    /// Virtual time from the end of the start-up to the last event.
    pub measured: Time,
    /// Requests, releases and deliveries.
    pub events: u64,
}

/// Names of near events: a thread's release has this bit,
const LEAVES: u32 = MOST_WHATS / 2;
/// the end of a node's sending has this one, and a message's slot has neither.
const WAKES: u32 = MOST_WHATS / 4;
/// The most threads or messages in flight that a run can name.
pub const MOST: usize = WAKES as usize;

/// After this many events time must have passed or a thread must have entered.
const LOOK: u64 = 1 << 22;
/// After this many such checks with a waiting thread and no entry the run ends.
const PATIENCE: u32 = 64;

/// The next event of the loop.
#[derive(Clone, Copy)]
enum DueEvent {
    /// A release or a delivery, by its name.
    Near(u32),
    /// A request, by its node or thread; `ahead` if it is still the first of the far agenda.
    Arrival { who: u32, ahead: bool },
}

/// Runs a job until its last entry is over (the effects of its release are not part of the run), no
/// event is left, or the events no longer lead to an entry.
pub fn simulate<A: Algorithm, O: Observer<A::Msg>>(job: &BatchJob, observer: O) -> (End, O) {
    let job = &job.arranged::<A>();
    let algorithm = A::new(&job.setup);
    let ranges = A::RANGES;
    let mut nodes: Vec<A::Node> = job.setup.ids().map(|i| algorithm.start(i, &job.setup)).collect();
    let mut wire = Wire::new(job, observer, ranges);
    for node in job.setup.ids() {
        wire.begin(node, 0);
        algorithm.begin(&mut nodes[node.index()], &mut wire);
    }
    // an algorithm whose token never rests would otherwise run forever after the last request
    let all = job.warmup.saturating_add(job.entries);
    let mut left = wire.arrivals.most_entries().map_or(all, |most| most.min(all));
    let warm_at = if job.warmup > 0 { job.entries } else { u64::MAX };
    wire.first_arrivals(job);
    let (mut start, mut events) = (0, 0);
    let (mut last, mut quiet) = ((Time::MAX, 0), 0);
    while left > 0 {
        let (near_first, far_first) = (wire.near.first(), wire.far.first());
        let mut step = if near_first < far_first {
            wire.now = time(near_first);
            wire.near.pop();
            DueEvent::Near(what(near_first))
        } else {
            if far_first == NEVER {
                break;
            }
            wire.now = time(far_first);
            DueEvent::Arrival { who: what(far_first), ahead: true }
        };
        if wire.busy.is_some() {
            match wire.admit(step) {
                Some(admitted) => step = admitted,
                None => continue,
            }
        }
        events += 1;
        if events % LOOK == 0 {
            // messages without delay can circulate forever at one instant, and an algorithm as
            // printed can refuse every request forever
            let seen = (wire.now, left);
            let waited = wire.threads.iter().any(|t| matches!(t.state, UserState::Waiting | UserState::TurnedAway));
            quiet = if waited && left == last.1 { quiet + 1 } else { 0 };
            if seen == last || quiet == PATIENCE {
                break;
            }
            last = seen;
        }
        match step {
            DueEvent::Near(what) if what & LEAVES != 0 => {
                let thread = ThreadId(what & !LEAVES);
                let node = wire.leave(thread);
                left -= 1;
                if left == 0 {
                    break;
                }
                if left == warm_at {
                    wire.observer.warm(wire.now);
                    (start, events) = (wire.now, 0);
                }
                algorithm.on_call(&mut nodes[node.index()], Call::Release(thread), &mut wire);
                wire.resume(node, thread);
            }
            DueEvent::Near(slot) => {
                let (from, to, hops, msg) = wire.take(slot);
                wire.begin(to, if msg.role() == Role::Request { hops } else { 0 });
                algorithm.on_message(&mut nodes[to.index()], from, msg, &mut wire);
                wire.end_of_path();
            }
            DueEvent::Arrival { who, ahead } => {
                let (node, thread) = wire.arrive(who, ahead);
                if ranges {
                    let cells = wire.want(thread);
                    algorithm.on_lock(&mut nodes[node.index()], Lock::Create(thread, cells), &mut wire);
                } else {
                    algorithm.on_call(&mut nodes[node.index()], Call::Request(thread), &mut wire);
                }
                let turned_away = std::mem::take(&mut wire.turned_away_at_once);
                let quiet = !wire.spoke && !turned_away;
                wire.observer.requested(wire.now, node, thread, quiet);
                if turned_away {
                    wire.observer.refused(wire.now, node, thread);
                }
                if let Some(waited) = wire.entered_at_once.take() {
                    wire.observer.granted(wire.now, node, thread, waited);
                }
            }
        }
    }
    (End { measured: wire.now - start, events }, wire.observer)
}

struct Parcel<M> {
    from: NodeId,
    to: NodeId,
    hops: u32,
    msg: M,
}

struct UserThread {
    since: Time,
    at: NodeId,
    state: UserState,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum UserState {
    Idle,
    /// Idle after a refusal; its wait continues.
    TurnedAway,
    Waiting,
    Inside,
}

/// The workload of a node.
struct NodeUsers {
    first: u32,
    count: u32,
    idle: u32,
    pick: Stream,
}

/// The state of a run apart from the nodes: the handlers' [`Out`].
struct Wire<M, O> {
    observer: O,
    now: Time,
    rank: u64,
    near: Agenda,
    far: Agenda,
    parcels: Vec<Option<Parcel<M>>>,
    free: Vec<u32>,
    // the current step
    me: NodeId,
    hops: u32,
    forwarded: bool,
    spoke: bool,
    asking: Option<ThreadId>,
    entered_at_once: Option<Time>,
    turned_away_at_once: bool,
    inside: u32,
    // users
    threads: Vec<UserThread>,
    users: Vec<NodeUsers>,
    arrivals: Arrivals,
    // durations
    delay: Stream,
    section: Stream,
    section_draw: Sampler,
    local: Sampler,
    global: Sampler,
    clusters: Option<Vec<u32>>,
    channels: ChannelOrder,
    per_cell: Time,
    /// If the resource is divided: the requested cells, and which threads are inside with which
    /// cells.
    ranges: Option<Box<Ranges>>,
    /// If sends block their node: until when each is busy, and its inbox.
    busy: Option<Vec<NodeInbox>>,
}

struct Ranges {
    wants: CellRequests,
    inside: Vec<(ThreadId, Cells)>,
    asked: Vec<Cells>,
}

#[derive(Clone, Default)]
struct NodeInbox {
    until: Time,
    inbox: VecDeque<DueEvent>,
}

impl<M: Message, O: Observer<M>> Wire<M, O> {
    fn new(job: &BatchJob, observer: O, ranges: bool) -> Self {
        let (setup, timing) = (&job.setup, &job.timing);
        assert!(setup.all_threads() < MOST, "inputs are validated: fewer than {MOST} threads");
        let mut first = 0;
        let mut users = Vec::with_capacity(setup.nodes());
        let mut threads = Vec::with_capacity(setup.all_threads());
        for node in setup.ids() {
            let count = setup.threads[node.index()];
            users.push(NodeUsers { first, count, idle: count, pick: Stream::new(timing.seed, Purpose::Pick, node.0) });
            threads.extend((0..count).map(|_| UserThread { since: 0, at: node, state: UserState::Idle }));
            first += count;
        }
        let one_cluster = setup.clusters.iter().all(|c| *c == setup.clusters[0]);
        Wire {
            observer,
            now: 0,
            rank: 0,
            near: Agenda::with_capacity(4 * setup.nodes()),
            far: Agenda::with_capacity(threads.len().max(users.len())),
            parcels: Vec::with_capacity(4 * setup.nodes()),
            free: Vec::with_capacity(4 * setup.nodes()),
            me: NodeId(0),
            hops: 0,
            forwarded: false,
            spoke: false,
            asking: None,
            entered_at_once: None,
            turned_away_at_once: false,
            inside: 0,
            threads,
            users,
            arrivals: Arrivals::new(timing, setup),
            delay: Stream::new(timing.seed, Purpose::Delay, 0),
            section: Stream::new(timing.seed, Purpose::Section, 0),
            section_draw: timing.section.into(),
            local: timing.delays.local.into(),
            global: timing.delays.global.into(),
            clusters: (!one_cluster).then(|| setup.clusters.clone()),
            channels: ChannelOrder::new(setup),
            per_cell: ticks(timing.ranged.per_cell),
            ranges: ranges.then(|| {
                let wants = CellRequests::new(timing, setup);
                Box::new(Ranges { wants, inside: Vec::new(), asked: vec![Cells::WHOLE; setup.all_threads()] })
            }),
            busy: timing.ranged.blocking.then(|| vec![NodeInbox::default(); setup.nodes()]),
        }
    }

    #[inline]
    fn rank(&mut self) -> u64 {
        self.rank += 1;
        self.rank
    }

    /// An arrival is named by its node if arrivals are per node, otherwise by its thread.
    fn first_arrivals(&mut self, job: &BatchJob) {
        for node in job.setup.ids() {
            if self.users[node.index()].idle > 0
                && let Some(time) = self.arrivals.at_node(node, 0)
            {
                let rank = self.rank();
                self.far.push(key(time, rank, node.0));
            }
        }
        for thread in 0..self.threads.len() as u32 {
            if let Some(time) = self.arrivals.of_thread(ThreadId(thread), 0) {
                let rank = self.rank();
                self.far.push(key(time, rank, thread));
            }
        }
    }

    #[inline]
    fn begin(&mut self, me: NodeId, hops: u32) {
        self.me = me;
        self.hops = hops;
        self.forwarded = false;
        self.spoke = false;
    }

    #[inline]
    fn end_of_path(&mut self) {
        if self.hops > 0 && !self.forwarded {
            self.observer.arrived(self.hops);
        }
    }

    /// The arrival at the head of the agenda: picks the requesting thread and schedules the next
    /// arrival.
    #[inline]
    fn arrive(&mut self, who: u32, ahead: bool) -> (NodeId, ThreadId) {
        let (node, thread);
        if self.arrivals.per_node() {
            node = NodeId(who);
            thread = self.pick(node);
            let users = &mut self.users[node.index()];
            users.idle -= 1;
            let more = users.idle > 0;
            if more && let Some(time) = self.arrivals.at_node(node, self.now) {
                let rank = self.rank();
                if ahead {
                    self.far.replace_first(key(time, rank, node.0));
                } else {
                    self.far.push(key(time, rank, node.0));
                }
            } else if ahead {
                self.far.pop();
            }
        } else {
            thread = ThreadId(who);
            node = self.threads[thread.index()].at;
            self.users[node.index()].idle -= 1;
            if ahead {
                self.far.pop();
            }
        }
        let user = &mut self.threads[thread.index()];
        if user.state == UserState::Idle {
            user.since = self.now;
        }
        user.state = UserState::Waiting;
        self.begin(node, 0);
        self.asking = Some(thread);
        (node, thread)
    }

    #[inline]
    fn pick(&mut self, node: NodeId) -> ThreadId {
        let users = &mut self.users[node.index()];
        if users.count == 1 {
            return ThreadId(users.first);
        }
        let mut skip = if users.idle > 1 { users.pick.below(users.idle) } else { 0 };
        for thread in users.first..users.first + users.count {
            if matches!(self.threads[thread as usize].state, UserState::Idle | UserState::TurnedAway) {
                if skip == 0 {
                    return ThreadId(thread);
                }
                skip -= 1;
            }
        }
        unreachable!("an arrival is only ahead while a thread is idle")
    }

    #[inline]
    fn leave(&mut self, thread: ThreadId) -> NodeId {
        let user = &mut self.threads[thread.index()];
        user.state = UserState::Idle;
        let node = user.at;
        self.inside -= 1;
        if let Some(ranges) = &mut self.ranges {
            ranges.inside.retain(|(t, _)| *t != thread);
        }
        self.users[node.index()].idle += 1;
        self.begin(node, 0);
        self.asking = None;
        self.observer.released(self.now, node, thread);
        node
    }

    /// After a release: a paused arrival process resumes, a thread begins to think.
    #[inline]
    fn resume(&mut self, node: NodeId, thread: ThreadId) {
        if self.arrivals.per_node() {
            if self.users[node.index()].idle == 1
                && let Some(time) = self.arrivals.at_node(node, self.now)
            {
                let rank = self.rank();
                self.far.push(key(time, rank, node.0));
            }
        } else if let Some(time) = self.arrivals.of_thread(thread, self.now) {
            let rank = self.rank();
            self.far.push(key(time, rank, thread.0));
        }
    }

    fn want(&mut self, thread: ThreadId) -> Cells {
        let Some(ranges) = &mut self.ranges else { return Cells::WHOLE };
        let cells = ranges.wants.next(thread);
        ranges.wants.advance(thread);
        ranges.asked[thread.index()] = cells;
        cells
    }

    /// If sends block their node: an event at a busy node joins its inbox and is handled when the
    /// node is free again.
    #[cold]
    fn admit(&mut self, step: DueEvent) -> Option<DueEvent> {
        let node = match step {
            DueEvent::Near(what) if what & LEAVES != 0 => self.threads[(what & !LEAVES) as usize].at,
            DueEvent::Near(what) if what & WAKES != 0 => return self.wake(what & !WAKES),
            DueEvent::Near(slot) => self.parcels[slot as usize].as_ref().map_or(NodeId(0), |p| p.to),
            DueEvent::Arrival { who, .. } if self.arrivals.per_node() => NodeId(who),
            DueEvent::Arrival { who, .. } => self.threads[who as usize].at,
        };
        let busy = &mut self.busy.as_mut()?[node.index()];
        if busy.until <= self.now && busy.inbox.is_empty() {
            return Some(step);
        }
        let (first, until) = (busy.inbox.is_empty(), busy.until);
        busy.inbox.push_back(match step {
            DueEvent::Arrival { who, .. } => DueEvent::Arrival { who, ahead: false },
            near => near,
        });
        if let DueEvent::Arrival { ahead: true, .. } = step {
            self.far.pop();
        }
        if first {
            let rank = self.rank();
            self.near.push(key(until, rank, WAKES | node.0));
        }
        None
    }

    /// A node's sending is over: returns the first event of its inbox, unless it is busy again.
    fn wake(&mut self, node: u32) -> Option<DueEvent> {
        let now = self.now;
        let busy = &mut self.busy.as_mut()?[node as usize];
        let step = if busy.until <= now { busy.inbox.pop_front() } else { None };
        if !busy.inbox.is_empty() {
            // after the current step, which may make the node busy again: then the inbox waits on
            let until = busy.until.max(now);
            let rank = self.rank();
            self.near.push(key(until, rank, WAKES | node));
        }
        step
    }

    #[inline]
    fn take(&mut self, slot: u32) -> (NodeId, NodeId, u32, M) {
        self.free.push(slot);
        let Some(parcel) = self.parcels[slot as usize].take() else { unreachable!("a key names a filled slot") };
        self.asking = None;
        (parcel.from, parcel.to, parcel.hops, parcel.msg)
    }

    #[inline]
    fn post(&mut self, due: Time, parcel: Parcel<M>) {
        let slot = match self.free.pop() {
            Some(slot) => {
                self.parcels[slot as usize] = Some(parcel);
                slot
            }
            None => {
                self.parcels.push(Some(parcel));
                self.parcels.len() as u32 - 1
            }
        };
        assert!(slot < WAKES, "fewer than {WAKES} messages are in flight");
        let rank = self.rank();
        self.near.push(key(due, rank, slot));
    }
}

impl<M: Message, O: Observer<M>> Out<M> for Wire<M, O> {
    #[inline(always)]
    fn send(&mut self, to: NodeId, msg: M) {
        let from = self.me;
        let near = self.clusters.as_ref().is_none_or(|c| c[from.index()] == c[to.index()]);
        let draw = if near { self.local } else { self.global };
        let leaves = self.busy.as_ref().map_or(self.now, |b| b[from.index()].until.max(self.now));
        let due = leaves + draw.next(&mut self.delay) + self.per_cell * u64::from(msg.cells());
        let due = self.channels.in_order(from, to, self.now, due);
        if let Some(busy) = &mut self.busy {
            busy[from.index()].until = due;
        }
        self.spoke = true;
        let mut hops = 1;
        if self.hops > 0 && msg.role() == Role::Request {
            self.forwarded = true;
            hops = self.hops + 1;
        }
        self.observer.sent(self.now, from, to, &msg, near);
        self.post(due, Parcel { from, to, hops, msg });
    }

    #[inline]
    fn later(&mut self, step: M) {
        self.post(self.now, Parcel { from: self.me, to: self.me, hops: 0, msg: step });
    }

    #[inline(always)]
    fn grant(&mut self, thread: ThreadId) {
        let user = &mut self.threads[thread.index()];
        if user.state != UserState::Waiting || user.at != self.me {
            self.observer.violated(self.now);
            return;
        }
        user.state = UserState::Inside;
        let waited = self.now - user.since;
        self.inside += 1;
        let shared = match &mut self.ranges {
            None => self.inside > 1,
            Some(ranges) => ranges.enter(thread),
        };
        if shared {
            self.observer.violated(self.now);
        }
        let end = self.now + self.section_draw.next(&mut self.section);
        let rank = self.rank();
        self.near.push(key(end, rank, LEAVES | thread.0));
        // a thread that enters in the step of its request is reported after the request
        if self.asking == Some(thread) {
            self.entered_at_once = Some(waited);
        } else {
            self.observer.granted(self.now, self.me, thread, waited);
        }
    }

    fn refuse(&mut self, thread: ThreadId) {
        let user = &mut self.threads[thread.index()];
        if user.state != UserState::Waiting || user.at != self.me {
            self.observer.violated(self.now);
            return;
        }
        user.state = UserState::TurnedAway;
        let node = self.me;
        // reported after its request, too
        if self.asking == Some(thread) {
            self.turned_away_at_once = true;
        } else {
            self.observer.refused(self.now, node, thread);
        }
        self.users[node.index()].idle += 1;
        let next = if self.arrivals.per_node() {
            // the node's arrivals were paused only if no other thread was idle
            let paused = self.users[node.index()].idle == 1;
            if paused { self.arrivals.at_node(node, self.now).map(|t| (t, node.0)) } else { None }
        } else {
            self.arrivals.again(thread, self.now).map(|t| (t, thread.0))
        };
        if let Some((time, who)) = next {
            let rank = self.rank();
            self.far.push(key(time, rank, who));
        }
    }

    #[inline]
    fn line(&mut self, _: LineId) -> bool {
        true
    }

    #[cold]
    fn impossible(&mut self, _: &'static str) {
        self.observer.violated(self.now);
    }
}

impl Ranges {
    /// A thread enters; returns whether another is inside with one of its cells.
    fn enter(&mut self, thread: ThreadId) -> bool {
        let mine = self.asked[thread.index()];
        let shared = self.inside.iter().any(|(_, other)| mine.overlaps(*other));
        self.inside.push((thread, mine));
        shared
    }
}
