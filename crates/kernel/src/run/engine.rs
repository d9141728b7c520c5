//! The event loop.

use super::Job;
use super::agenda::{Agenda, MOST_WHATS, NEVER, key, time, what};
use crate::random::{Purpose, Stream};
use crate::timing::{Arrivals, Draw};
use crate::{Algorithm, Call, LineId, Message, Network, NodeId, Out, Role, Setup, ThreadId, Time};

/// Watches a run. Every method has an empty default, so an observer pays only for what it looks at.
pub trait Observer<M> {
    /// A thread asked; `quiet` if that sent no message.
    fn requested(&mut self, _now: Time, _node: NodeId, _thread: ThreadId, _quiet: bool) {}
    /// A thread was let in after waiting.
    fn granted(&mut self, _now: Time, _node: NodeId, _thread: ThreadId, _waited: Time) {}
    /// A thread left.
    fn released(&mut self, _now: Time, _node: NodeId, _thread: ThreadId) {}
    /// A thread was turned away.
    fn refused(&mut self, _now: Time, _node: NodeId, _thread: ThreadId) {}
    /// A message was sent, within a cluster or not.
    fn sent(&mut self, _now: Time, _from: NodeId, _to: NodeId, _msg: &M, _near: bool) {}
    /// A request stopped travelling.
    fn arrived(&mut self, _hops: u32) {}
    /// Two threads inside, or an impossible message.
    fn violated(&mut self, _now: Time) {}
}

impl<M, A: Observer<M>, B: Observer<M>> Observer<M> for (A, B) {
    fn requested(&mut self, now: Time, node: NodeId, thread: ThreadId, quiet: bool) {
        self.0.requested(now, node, thread, quiet);
        self.1.requested(now, node, thread, quiet);
    }
    fn granted(&mut self, now: Time, node: NodeId, thread: ThreadId, waited: Time) {
        self.0.granted(now, node, thread, waited);
        self.1.granted(now, node, thread, waited);
    }
    fn released(&mut self, now: Time, node: NodeId, thread: ThreadId) {
        self.0.released(now, node, thread);
        self.1.released(now, node, thread);
    }
    fn refused(&mut self, now: Time, node: NodeId, thread: ThreadId) {
        self.0.refused(now, node, thread);
        self.1.refused(now, node, thread);
    }
    fn sent(&mut self, now: Time, from: NodeId, to: NodeId, msg: &M, near: bool) {
        self.0.sent(now, from, to, msg, near);
        self.1.sent(now, from, to, msg, near);
    }
    fn arrived(&mut self, hops: u32) {
        self.0.arrived(hops);
        self.1.arrived(hops);
    }
    fn violated(&mut self, now: Time) {
        self.0.violated(now);
        self.1.violated(now);
    }
}

/// How a run ended.
#[derive(Clone, Copy, Debug)]
pub struct End {
    /// Virtual time of the last event.
    pub now: Time,
    /// Requests, releases and deliveries.
    pub events: u64,
}

/// Names of near events: a thread's release has this bit, a message's slot has not.
const LEAVES: u32 = MOST_WHATS / 2;
/// The most threads or messages in flight that a run can name.
pub const MOST: usize = LEAVES as usize;

/// Runs a job until its last entry is over (what that one's release would bring is not part of the run) or nothing more can happen.
pub fn simulate<A: Algorithm, O: Observer<A::Msg>>(job: &Job, observer: O) -> (End, O) {
    let arranged;
    let job = if job.setup.added == 0 {
        arranged = Job { setup: job.setup.clone().arranged::<A>(), ..job.clone() };
        &arranged
    } else {
        job
    };
    let algorithm = A::new(&job.setup);
    let mut nodes: Vec<A::Node> = job.setup.ids().map(|i| algorithm.start(i, &job.setup)).collect();
    let mut wire = Wire::new(job, observer);
    for node in job.setup.ids() {
        wire.begin(node, 0);
        algorithm.begin(&mut nodes[node.index()], &mut wire);
    }
    // an algorithm whose token never rests would run on for ever after the last request
    let mut left = wire.arrivals.most_entries().map_or(job.entries, |most| most.min(job.entries));
    wire.first_arrivals(job);
    let mut events = 0;
    while left > 0 {
        events += 1;
        let (near_first, far_first) = (wire.near.first(), wire.far.first());
        if near_first < far_first {
            wire.now = time(near_first);
            wire.near.pop();
            let what = what(near_first);
            if what & LEAVES != 0 {
                let thread = ThreadId(what & !LEAVES);
                let node = wire.leave(thread);
                left -= 1;
                if left == 0 {
                    break;
                }
                algorithm.on_call(&mut nodes[node.index()], Call::Release(thread), &mut wire);
                wire.resume(node, thread);
            } else {
                let (from, to, hops, msg) = wire.take(what);
                wire.begin(to, if msg.role() == Role::Request { hops } else { 0 });
                algorithm.on_message(&mut nodes[to.index()], from, msg, &mut wire);
                wire.end_of_path();
            }
        } else {
            if far_first == NEVER {
                break;
            }
            wire.now = time(far_first);
            let (node, thread) = wire.arrive(what(far_first));
            algorithm.on_call(&mut nodes[node.index()], Call::Request(thread), &mut wire);
            let quiet = !wire.spoke;
            wire.observer.requested(wire.now, node, thread, quiet);
            if let Some(waited) = wire.entered_at_once.take() {
                wire.observer.granted(wire.now, node, thread, waited);
            }
        }
    }
    (End { now: wire.now, events }, wire.observer)
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
    state: State,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum State {
    Idle,
    /// Idle, but still waiting for what it was refused.
    TurnedAway,
    Waiting,
    Inside,
}

/// What a node keeps of the workload.
struct Users {
    first: u32,
    count: u32,
    idle: u32,
    pick: Stream,
}

/// Everything of a run but the nodes: the handlers' [`Out`].
struct Wire<M, O> {
    observer: O,
    now: Time,
    rank: u64,
    near: Agenda,
    far: Agenda,
    parcels: Vec<Option<Parcel<M>>>,
    free: Vec<u32>,
    // the step under way
    me: NodeId,
    hops: u32,
    forwarded: bool,
    spoke: bool,
    asking: Option<ThreadId>,
    entered_at_once: Option<Time>,
    inside: u32,
    // users
    threads: Vec<UserThread>,
    users: Vec<Users>,
    arrivals: Arrivals,
    // durations
    delay: Stream,
    section: Stream,
    section_draw: Draw,
    local: Draw,
    global: Draw,
    clusters: Option<Vec<u32>>,
    channels: Channels,
}

impl<M: Message, O: Observer<M>> Wire<M, O> {
    fn new(job: &Job, observer: O) -> Self {
        let (setup, timing) = (&job.setup, &job.timing);
        assert!(setup.all_threads() < MOST, "inputs are validated: fewer than {MOST} threads");
        let mut first = 0;
        let mut users = Vec::with_capacity(setup.nodes());
        let mut threads = Vec::with_capacity(setup.all_threads());
        for node in setup.ids() {
            let count = setup.threads[node.index()];
            users.push(Users { first, count, idle: count, pick: Stream::new(timing.seed, Purpose::Pick, node.0) });
            threads.extend((0..count).map(|_| UserThread { since: 0, at: node, state: State::Idle }));
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
            channels: Channels::new(setup),
        }
    }

    #[inline]
    fn rank(&mut self) -> u64 {
        self.rank += 1;
        self.rank
    }

    /// Arrivals are named by their node where nodes have them, else by their thread.
    fn first_arrivals(&mut self, job: &Job) {
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

    /// The arrival at the head of the agenda: picks the thread that asks and puts the next arrival in its place.
    #[inline]
    fn arrive(&mut self, who: u32) -> (NodeId, ThreadId) {
        let (node, thread);
        if self.arrivals.per_node() {
            node = NodeId(who);
            thread = self.pick(node);
            let users = &mut self.users[node.index()];
            users.idle -= 1;
            let more = users.idle > 0;
            if more && let Some(time) = self.arrivals.at_node(node, self.now) {
                let rank = self.rank();
                self.far.replace_first(key(time, rank, node.0));
            } else {
                self.far.pop();
            }
        } else {
            thread = ThreadId(who);
            node = self.threads[thread.index()].at;
            self.users[node.index()].idle -= 1;
            self.far.pop();
        }
        let user = &mut self.threads[thread.index()];
        if user.state == State::Idle {
            user.since = self.now;
        }
        user.state = State::Waiting;
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
            if matches!(self.threads[thread as usize].state, State::Idle | State::TurnedAway) {
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
        user.state = State::Idle;
        let node = user.at;
        self.inside -= 1;
        self.users[node.index()].idle += 1;
        self.begin(node, 0);
        self.asking = None;
        self.observer.released(self.now, node, thread);
        node
    }

    /// After a release: a paused arrival process goes on, a thread begins to think.
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
        assert!(slot < LEAVES, "fewer than {LEAVES} messages are in flight");
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
        let due = self.now + draw.next(&mut self.delay);
        let due = self.channels.in_order(from, to, self.now, due);
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
        if user.state != State::Waiting || user.at != self.me {
            self.observer.violated(self.now);
            return;
        }
        user.state = State::Inside;
        let waited = self.now - user.since;
        self.inside += 1;
        if self.inside > 1 {
            self.observer.violated(self.now);
        }
        let end = self.now + self.section_draw.next(&mut self.section);
        let rank = self.rank();
        self.near.push(key(end, rank, LEAVES | thread.0));
        // a thread that enters in the very step in which it asks is reported after its request
        if self.asking == Some(thread) {
            self.entered_at_once = Some(waited);
        } else {
            self.observer.granted(self.now, self.me, thread, waited);
        }
    }

    fn refuse(&mut self, thread: ThreadId) {
        let user = &mut self.threads[thread.index()];
        if user.state != State::Waiting || user.at != self.me {
            self.observer.violated(self.now);
            return;
        }
        user.state = State::TurnedAway;
        let node = self.me;
        self.observer.refused(self.now, node, thread);
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

/// The latest due time on each channel, where links keep the order of messages.
enum Channels {
    Unordered,
    /// Every ordered pair of a small system.
    Dense(usize, Vec<Time>),
    /// What each node of a large system has under way.
    Sparse(Vec<Outbox>),
}

/// The largest system whose channels fit a second-level cache.
const DENSE_NODES: usize = 128;

impl Channels {
    fn new(setup: &Setup) -> Self {
        match (setup.network, setup.nodes()) {
            (Network::Fifo, n) if n <= DENSE_NODES => Channels::Dense(n, vec![0; n * n]),
            (Network::Fifo, n) => Channels::Sparse((0..n).map(|_| Outbox::default()).collect()),
            _ => Channels::Unordered,
        }
    }

    /// The time at which a message may arrive without overtaking an earlier one on its channel.
    #[inline]
    fn in_order(&mut self, from: NodeId, to: NodeId, now: Time, due: Time) -> Time {
        match self {
            Channels::Unordered => due,
            Channels::Dense(n, last) => {
                let last = &mut last[from.index() * *n + to.index()];
                *last = due.max(*last);
                *last
            }
            Channels::Sparse(outboxes) => outboxes[from.index()].in_order(to, now, due),
        }
    }
}

/// The latest due times of a node's outgoing channels, as long as they lie ahead: a cache line for each node.
struct Outbox {
    to: [NodeId; 3],
    last: [Time; 3],
    more: Vec<(NodeId, Time)>,
}

impl Default for Outbox {
    fn default() -> Self {
        Outbox { to: [NodeId(u32::MAX); 3], last: [0; 3], more: Vec::new() }
    }
}

impl Outbox {
    fn in_order(&mut self, to: NodeId, now: Time, due: Time) -> Time {
        let mut spare = None;
        for i in 0..3 {
            if self.to[i] == to {
                let due = due.max(self.last[i]);
                self.last[i] = due;
                return due;
            }
            if self.last[i] <= now {
                spare = Some(i);
            }
        }
        if !self.more.is_empty() {
            if let Some(channel) = self.more.iter_mut().find(|c| c.0 == to) {
                channel.1 = channel.1.max(due);
                return channel.1;
            }
            if spare.is_none() {
                self.more.retain(|c| c.1 > now);
            }
        }
        match spare {
            Some(i) => {
                self.to[i] = to;
                self.last[i] = due;
            }
            None => self.more.push((to, due)),
        }
        due
    }
}
