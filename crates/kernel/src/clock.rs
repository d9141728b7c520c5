//! A world on virtual time.
//!
//! Every message in flight and every thread inside has a time at which its event is due. By default
//! the earliest due event happens next, and the run is, event by event, the batch run of the same
//! seed (tested). A user may pick another event: time then moves to its due time if that lies
//! ahead, and events that were due earlier are late.

use crate::ids::ticks;
use crate::random::{Purpose, Stream};
use crate::timing::{Arrivals, CellRequests, Sampler, Timing};
use crate::view::{
    Cause, Counters, FlightFrame, Frame, InvariantStatus, NodeFrame, ObservedStep, StepFrame, ThreadFrame, ThreadState,
};
use crate::world::{Faults, Flight, NO_IMPOSSIBLE_MESSAGE, System, UNLIMITED, World};
use crate::{Algorithm, AppliedEvent, Effect, Effects, Event, Message, Network, NodeId, ThreadId, Time, sort};
use std::collections::BTreeSet;

/// When something is due, and its rank among equals.
type Due = (Time, u64);

/// A message in flight, or a step that a node scheduled for itself.
#[derive(Clone, Debug)]
struct Travel {
    id: u32,
    from: NodeId,
    to: NodeId,
    held: bool,
    sent: Time,
    due: Due,
}

#[derive(Clone, Copy, Debug)]
struct ThreadClock {
    /// When its state began.
    since: Time,
    /// When it first requested what it waits for: a refusal does not end the wait.
    asked: Time,
    refused: bool,
    /// The end of its critical section, or its next request if threads request by themselves.
    due: Option<Due>,
}

/// A world with a clock.
pub struct TimedWorld<A: Algorithm> {
    /// The state.
    pub world: World<A>,
    /// Virtual time.
    pub now: Time,
    /// Messages, entries and waiting so far.
    pub counters: Counters,
    rank: u64,
    /// By id: messages are sent in this order.
    travels: Vec<Travel>,
    threads: Vec<ThreadClock>,
    arrivals_due: Vec<Option<Due>>,
    arrivals: Arrivals,
    picks: Vec<Stream>,
    wants: CellRequests,
    delay: Stream,
    section: Stream,
    draws: Samplers,
    /// If sends block their node: until when each node is busy.
    busy: Vec<Time>,
}

#[derive(Clone, Copy)]
struct Samplers {
    local: Sampler,
    global: Sampler,
    section: Sampler,
    per_cell: Time,
    blocking: bool,
}

impl<A: Algorithm> Clone for TimedWorld<A> {
    fn clone(&self) -> Self {
        TimedWorld {
            world: self.world.clone(),
            now: self.now,
            counters: self.counters,
            rank: self.rank,
            travels: self.travels.clone(),
            threads: self.threads.clone(),
            arrivals_due: self.arrivals_due.clone(),
            arrivals: self.arrivals.clone(),
            picks: self.picks.clone(),
            delay: self.delay.clone(),
            section: self.section.clone(),
            draws: self.draws,
            wants: self.wants.clone(),
            busy: self.busy.clone(),
        }
    }
}

/// One step and its effects.
pub struct TimedStep<M> {
    /// Where, and what was sent.
    pub happened: AppliedEvent,
    /// What the handler did.
    pub effects: Effects<M>,
    /// The event as text.
    pub title: String,
    /// What happened and why.
    pub sentence: String,
}

impl<A: Algorithm> TimedWorld<A> {
    /// The beginning of a run.
    pub fn start(system: &System<A>, timing: &Timing, faults: Faults) -> Self {
        let setup = &system.setup;
        let mut timed = TimedWorld {
            world: World::before(system, UNLIMITED, faults),
            now: 0,
            counters: Counters::default(),
            rank: 0,
            travels: Vec::new(),
            threads: vec![ThreadClock { since: 0, asked: 0, refused: false, due: None }; setup.all_threads()],
            arrivals_due: vec![None; setup.nodes()],
            arrivals: Arrivals::new(timing, setup),
            picks: setup.ids().map(|i| Stream::new(timing.seed, Purpose::Pick, i.0)).collect(),
            delay: Stream::new(timing.seed, Purpose::Delay, 0),
            section: Stream::new(timing.seed, Purpose::Section, 0),
            draws: Samplers {
                local: timing.delays.local.into(),
                global: timing.delays.global.into(),
                section: timing.section.into(),
                per_cell: ticks(timing.ranged.per_cell),
                blocking: timing.ranged.blocking,
            },
            wants: CellRequests::new(timing, setup),
            busy: vec![0; setup.nodes()],
        };
        let mut effects = Effects::new(setup.without);
        for node in setup.ids() {
            let happened = timed.world.begin(system, node, &mut effects);
            timed.carry_out(system, &happened, &effects);
        }
        timed.arrange_nodes();
        for thread in 0..setup.all_threads() {
            timed.arrange_thread(ThreadId(thread as u32));
        }
        timed
    }

    fn rank(&mut self) -> u64 {
        self.rank += 1;
        self.rank
    }

    fn arrange_node(&mut self, node: NodeId) {
        let idle = self.idle(node).next().is_some();
        self.arrange_arrival(node, idle);
    }

    fn arrange_nodes(&mut self) {
        let mut idle = vec![false; self.world.nodes.len()];
        self.world.threads.iter().for_each(|t| idle[t.at.index()] |= t.doing == ThreadState::Idle);
        idle.into_iter().zip(0..).for_each(|(idle, node)| self.arrange_arrival(NodeId(node), idle));
    }

    /// A node has a pending arrival exactly while one of its threads is idle.
    fn arrange_arrival(&mut self, node: NodeId, idle: bool) {
        let slot = node.index();
        if !idle {
            self.arrivals_due[slot] = None;
        } else if self.arrivals_due[slot].is_none()
            && let Some(time) = self.arrivals.at_node(node, self.now)
        {
            self.arrivals_due[slot] = Some((time, self.rank()));
        }
    }

    fn arrange_thread(&mut self, thread: ThreadId) {
        if let Some(time) = self.arrivals.of_thread(thread, self.now) {
            self.threads[thread.index()].due = Some((time, self.rank()));
        }
    }

    fn idle(&self, node: NodeId) -> impl Iterator<Item = ThreadId> + '_ {
        let threads = self.world.threads.iter().enumerate();
        threads.filter(move |(_, t)| t.at == node && t.doing == ThreadState::Idle).map(|(i, _)| ThreadId(i as u32))
    }

    /// When an enabled event is due; `None` if only a user can make it happen.
    pub fn due(&self, event: Event) -> Option<Time> {
        let due = match event {
            Event::Request(t) | Event::Release(t) => self.threads[t.index()].due,
            Event::Lock(t, cells) if cells == self.wants.next(t) => self.threads[t.index()].due,
            Event::Deliver(id) => self.travel(id).map(|t| t.due),
            _ => None,
        };
        due.map(|due| due.0)
    }

    /// When a node handles an event that is due: a busy node later, in the order of arrival.
    fn seen(&self, node: NodeId, due: Due) -> (Time, bool, Due) {
        let free = self.busy[node.index()];
        (due.0.max(free), due.0 < free, due)
    }

    fn place(&self, event: Event) -> NodeId {
        match event {
            Event::Request(t) | Event::Lock(t, _) | Event::Cancel(t) | Event::Release(t) => {
                self.world.threads[t.index()].at
            }
            Event::Deliver(id) => self.travel(id).map_or(NodeId(0), |t| t.to),
            _ => NodeId(0),
        }
    }

    fn travel_place(&self, id: u32) -> Option<usize> {
        self.travels.binary_search_by_key(&id, |t| t.id).ok()
    }

    fn travel(&self, id: u32) -> Option<&Travel> {
        self.travel_place(id).map(|i| &self.travels[i])
    }

    /// The request event of a thread.
    fn request(&self, system: &System<A>, thread: ThreadId) -> Event {
        if system.algorithm.ranges() { Event::Lock(thread, self.wants.next(thread)) } else { Event::Request(thread) }
    }

    /// The event that is due next.
    pub fn next(&self, system: &System<A>) -> Option<Event> {
        // no fault is ever due
        let threads = self.world.threads.iter().zip(&self.threads).enumerate();
        let of_threads = threads.filter_map(|(i, (thread, clock))| {
            let due = clock.due?;
            let id = ThreadId(i as u32);
            let event = match thread.doing {
                ThreadState::Idle if self.world.may_request(thread) => self.request(system, id),
                ThreadState::Inside if !self.world.crashed[thread.at.index()] => Event::Release(id),
                _ => return None,
            };
            self.world.is_listed(system, event).then(|| (self.seen(thread.at, due), event))
        });
        let dues = of_threads.chain(self.arriving(system)).min_by_key(|(due, _)| *due);
        let arrival = (self.arrivals_due.iter().enumerate())
            .filter(|(i, _)| !self.world.crashed[*i])
            .filter_map(|(i, due)| Some((self.seen(NodeId(i as u32), (*due)?), NodeId(i as u32))))
            .min_by_key(|(due, _)| *due);
        match (dues, arrival) {
            (Some((due, event)), Some((at, _))) if due < at => Some(event),
            (_, Some((_, node))) => {
                let idle: Vec<ThreadId> = self.idle(node).collect();
                let pick = if idle.len() > 1 { self.picks[node.index()].clone().below(idle.len() as u32) } else { 0 };
                idle.get(pick as usize).map(|t| self.request(system, *t))
            }
            (dues, None) => dues.map(|(_, event)| event),
        }
    }

    /// The messages that may be delivered, and others that are due after one of these: on a FIFO
    /// channel a later message is due later.
    fn arriving(&self, system: &System<A>) -> impl Iterator<Item = ((Time, bool, Due), Event)> + '_ {
        let fifo = system.setup.network == Network::Fifo;
        // a message that is held holds back those behind it
        let mut closed = BTreeSet::new();
        self.travels.iter().filter_map(move |t| {
            let channel = (t.from, t.to);
            if t.held && fifo {
                closed.insert(channel);
            }
            let waits = t.held || (!closed.is_empty() && closed.contains(&channel));
            (!waits).then(|| (self.seen(t.to, t.due), Event::Deliver(t.id)))
        })
    }

    /// Whether this request is the pending arrival of its node, which is then consumed.
    fn is_arrival(&self, node: NodeId, system: &System<A>, event: Event) -> bool {
        self.arrivals_due[node.index()].is_some() && self.next(system) == Some(event)
    }

    /// Makes an enabled event happen.
    pub fn step(&mut self, system: &System<A>, event: Event) -> TimedStep<A::Msg> {
        let title = self.world.title(system, event);
        let mut due = self.due(event);
        if let Some(thread) = event.asks() {
            let node = self.world.threads[thread.index()].at;
            if self.arrivals.per_node() && self.is_arrival(node, system, event) {
                due = self.arrivals_due[node.index()].take().map(|d| d.0);
                if self.idle(node).nth(1).is_some() {
                    self.picks[node.index()].bits();
                }
            }
        }
        if due.is_some() {
            due = due.max(Some(self.busy[self.place(event).index()]));
        }
        self.now = self.now.max(due.unwrap_or(self.now));
        let cause = self.cause(event);
        let before = cause.as_ref().map(|(node, _)| self.world.nodes[node.index()].clone());
        if let Event::Lock(thread, _) = event {
            self.wants.advance(thread);
        }
        if let Event::Request(thread) | Event::Lock(thread, _) | Event::Cancel(thread) | Event::Release(thread) = event
        {
            let clock = &mut self.threads[thread.index()];
            let asked = if clock.refused { clock.asked } else { self.now };
            *clock = ThreadClock { since: self.now, asked, due: None, refused: false };
        }

        let mut effects = Effects::new(system.setup.without);
        let happened = self.world.apply(system, event, &mut effects);
        match event {
            Event::Request(_) | Event::Lock(..) => self.arrange_node(happened.node),
            Event::Migrate(..) => self.arrange_nodes(),
            Event::Crash(node) => {
                self.stop(node);
                self.travels.retain(|t| t.from != t.to || t.to != node);
            }
            Event::Restart(node) => self.resume(node),
            Event::Deliver(id) | Event::Drop(id) => {
                if let Some(place) = self.travel_place(id) {
                    self.travels.remove(place);
                }
            }
            Event::Hold(id) | Event::Resume(id) => {
                let held = matches!(event, Event::Hold(_));
                if let Some(place) = self.travel_place(id) {
                    self.travels[place].held = held;
                }
            }
            _ => {}
        }
        self.carry_out(system, &happened, &effects);
        if let Event::Release(thread) | Event::Cancel(thread) = event {
            self.arrange_node(happened.node);
            self.arrange_thread(thread);
        }

        let sentence = match (cause, before) {
            (Some((me, cause)), Some(before)) if !self.world.crashed[me.index()] => {
                let cause = match &cause {
                    OwnedCause::Asked(t) => Cause::Asked(*t),
                    OwnedCause::Left(t) => Cause::Left(*t),
                    OwnedCause::Received(from, msg) => Cause::Received(*from, msg),
                };
                let after = &self.world.nodes[me.index()];
                let step = ObservedStep { setup: &system.setup, me, cause, before: &before, after, effects: &effects };
                system.algorithm.narrate(&step)
            }
            _ => self.narrate_fault(system, event),
        };
        TimedStep { happened, effects, title, sentence }
    }

    /// Stops the threads of a crashed node.
    fn stop(&mut self, node: NodeId) {
        self.arrivals_due[node.index()] = None;
        for (clock, thread) in self.threads.iter_mut().zip(&self.world.threads) {
            if thread.at == node {
                *clock = ThreadClock { since: self.now, asked: self.now, refused: false, due: None };
            }
        }
    }

    fn resume(&mut self, node: NodeId) {
        self.arrange_node(node);
        for thread in self.idle(node).collect::<Vec<_>>() {
            self.arrange_thread(thread);
        }
    }

    fn carry_out(&mut self, system: &System<A>, happened: &AppliedEvent, effects: &Effects<A::Msg>) {
        let me = happened.node;
        let mut ids = happened.sent.iter();
        for effect in &effects.list {
            match effect {
                Effect::Grant(thread) => {
                    let since = self.threads[thread.index()].asked;
                    self.counters.entries += 1;
                    self.counters.longest_wait = self.counters.longest_wait.max(self.now - since);
                    let end = self.now + self.draws.section.next(&mut self.section);
                    let due = Some((end, self.rank()));
                    self.threads[thread.index()] =
                        ThreadClock { since: self.now, asked: self.now, due, refused: false };
                }
                Effect::Refuse(thread) => {
                    let clock = &mut self.threads[thread.index()];
                    *clock = ThreadClock { since: self.now, due: None, refused: true, ..*clock };
                    self.arrange_node(me);
                    if let Some(time) = self.arrivals.again(*thread, self.now) {
                        self.threads[thread.index()].due = Some((time, self.rank()));
                    }
                }
                // an impossible message, which the world did not send
                Effect::Send(to, _) if *to == me || to.index() >= self.world.nodes.len() => {}
                Effect::Send(to, msg) => {
                    let Some(id) = ids.next() else { continue };
                    self.counters.messages += 1;
                    self.send(system, *id, (me, *to), msg.cells());
                }
                Effect::Later(_) => {
                    let Some(id) = ids.next() else { continue };
                    self.set_out(*id, (me, me), self.now);
                }
            }
        }
        // a duplicate gets its own delay
        for id in ids {
            if let Some(Flight { from, to, msg, .. }) = self.world.flight(*id) {
                let (from, to, cells) = (*from, *to, msg.cells());
                self.send(system, *id, (from, to), cells);
            }
        }
    }

    fn send(&mut self, system: &System<A>, id: u32, (from, to): (NodeId, NodeId), cells: u32) {
        let clusters = &system.setup.clusters;
        let near = clusters[from.index()] == clusters[to.index()];
        let draw = if near { self.draws.local } else { self.draws.global };
        let leaves = if self.draws.blocking { self.now.max(self.busy[from.index()]) } else { self.now };
        let mut time = leaves + draw.next(&mut self.delay) + self.draws.per_cell * u64::from(cells);
        if system.setup.network == Network::Fifo {
            let ahead = self.world.ahead_on_fifo(from, to, id).and_then(|ahead| self.travel(ahead));
            time = time.max(ahead.map_or(0, |t| t.due.0));
        }
        if self.draws.blocking {
            self.busy[from.index()] = time;
        }
        self.set_out(id, (from, to), time);
    }

    fn set_out(&mut self, id: u32, (from, to): (NodeId, NodeId), time: Time) {
        let due = (time, self.rank());
        self.travels.push(Travel { id, from, to, held: false, sent: self.now, due });
    }

    fn cause(&self, event: Event) -> Option<(NodeId, OwnedCause<A::Msg>)> {
        match event {
            Event::Request(t) | Event::Lock(t, _) => Some((self.world.threads[t.index()].at, OwnedCause::Asked(t))),
            Event::Release(t) | Event::Cancel(t) => Some((self.world.threads[t.index()].at, OwnedCause::Left(t))),
            Event::Deliver(id) => self.world.flight(id).map(|f| (f.to, OwnedCause::Received(f.from, f.msg.clone()))),
            _ => None,
        }
    }

    fn narrate_fault(&self, system: &System<A>, event: Event) -> String {
        let name = |n: NodeId| system.setup.name(n);
        match event {
            Event::Drop(_) => "The network drops the message: it is never delivered.".into(),
            Event::Duplicate(_) => "The network duplicates the message: it will be delivered twice.".into(),
            Event::Hold(_) => "The message is delayed until you resume it.".into(),
            Event::Resume(_) => "The delayed message continues.".into(),
            Event::Crash(n) => {
                format!("{} crashes: it loses its state, and messages that reach it are dropped.", name(n))
            }
            Event::Restart(n) => format!("{} restarts in its initial state.", name(n)),
            Event::Migrate(t, to) => {
                format!("The idle thread {} moves to {}.", system.setup.thread_name(t), name(to))
            }
            Event::Deliver(_) => "The message reaches a crashed node and is dropped.".into(),
            Event::Request(_) | Event::Lock(..) | Event::Cancel(_) | Event::Release(_) => String::new(),
        }
    }

    /// The state as a frame.
    pub fn frame(&self, system: &System<A>, step: u32, last: Option<StepFrame>) -> Frame {
        let setup = &system.setup;
        let mut threads = self.threads_by_node(system);
        let nodes = setup.ids().map(|id| NodeFrame {
            id,
            name: setup.name(id).into(),
            cluster: setup.clusters[id.index()],
            crashed: self.world.crashed[id.index()],
            view: system.algorithm.view(&self.world.nodes[id.index()], setup),
            cells: system.algorithm.cells(&self.world.nodes[id.index()], setup),
            threads: std::mem::take(&mut threads[id.index()]),
        });
        let nodes = nodes.map(std::rc::Rc::new);
        let mut flights: Vec<FlightFrame> = (self.world.flights.iter())
            .map(|f| {
                let travel = self.travel(f.id);
                FlightFrame {
                    id: f.id,
                    from: f.from,
                    to: f.to,
                    tag: f.msg.tag(setup),
                    label: f.msg.label(setup),
                    role: f.msg.role(),
                    sent: travel.map_or(self.now, |t| t.sent),
                    due: travel.map_or(self.now, |t| t.due.0),
                    held: f.held,
                }
            })
            .collect();
        sort::by_key(&mut flights, |f| f.id);
        let broken =
            InvariantStatus { name: NO_IMPOSSIBLE_MESSAGE.into(), broken: self.world.broken.map(str::to_owned) };
        let reasons = system.algorithm.judge(system, &self.world);
        let invariants = (system.invariants.iter().zip(reasons))
            .map(|(invariant, broken)| InvariantStatus { name: invariant.name.into(), broken });
        Frame {
            step,
            now: self.now,
            nodes: nodes.collect(),
            flights,
            invariants: invariants.chain([broken]).collect(),
            counters: self.counters,
            last,
            stuck: Vec::new(),
        }
    }

    fn threads_by_node(&self, system: &System<A>) -> Vec<Vec<ThreadFrame>> {
        let mut of_nodes = vec![Vec::new(); self.world.nodes.len()];
        for (i, (thread, clock)) in self.world.threads.iter().zip(&self.threads).enumerate() {
            let id = ThreadId(i as u32);
            of_nodes[thread.at.index()].push(ThreadFrame {
                id,
                name: system.setup.thread_name(id),
                number: system.setup.thread_number(id),
                doing: thread.doing,
                cells: (system.algorithm.ranges() && thread.doing != ThreadState::Idle).then_some(thread.cells),
                since: clock.since,
            });
        }
        of_nodes
    }
}

enum OwnedCause<M> {
    Asked(ThreadId),
    Left(ThreadId),
    Received(NodeId, M),
}
