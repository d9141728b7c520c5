//! A whole system at one instant, and the steps that it can take.
//!
//! A [`World`] has no clock: [`World::enabled`] lists every event that may happen next in a
//! canonical order, and [`World::apply`] makes one happen by calling the algorithm's handler. A
//! user, a scenario, the clock and the explorer differ only in which event they pick.

use crate::view::ThreadState;
use crate::{
    Algorithm, Call, Cells, Effect, Effects, Invariant, Lock, Message, Network, NodeId, Role, Setup, ThreadId,
};
use serde::{Deserialize, Serialize};
use std::cmp::Ordering;
use std::hash::{Hash, Hasher};

/// An algorithm on a setup: everything that does not change while it runs.
pub struct System<A: Algorithm> {
    /// The algorithm with its parameters.
    pub algorithm: A,
    /// Nodes, threads, network.
    pub setup: Setup,
    /// What must hold in every state.
    pub invariants: Vec<Invariant<A>>,
}

impl<A: Algorithm> System<A> {
    /// An algorithm on a setup.
    pub fn new(setup: Setup) -> Self {
        let setup = setup.arranged::<A>();
        System { algorithm: A::new(&setup), invariants: A::invariants(), setup }
    }
}

/// How often each kind of fault may still happen; `u8::MAX` means without limit.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub struct Faults {
    /// Messages that may be dropped.
    pub drops: u8,
    /// Messages that may be duplicated.
    pub duplicates: u8,
    /// Waiting threads that may cancel, if the algorithm supports it.
    pub cancels: u8,
    /// Nodes that may crash; a crashed node may always restart.
    pub crashes: u8,
    /// Whether messages may be delayed and threads may migrate (a user's choices; an exploration
    /// does not use them).
    pub by_hand: bool,
}

impl Faults {
    /// The faults of a network: at most one dropped or one duplicated message.
    pub fn of(network: Network) -> Self {
        match network {
            Network::Fifo | Network::Unordered => Faults::default(),
            Network::Lossy => Faults { drops: 1, ..Faults::default() },
            Network::Duplicating => Faults { duplicates: 1, ..Faults::default() },
        }
    }

    /// Everything that a user may do.
    pub fn any() -> Self {
        Faults { drops: u8::MAX, duplicates: u8::MAX, cancels: u8::MAX, crashes: u8::MAX, by_hand: true }
    }
}

/// A user thread.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Thread {
    /// Its current node.
    pub at: NodeId,
    /// Its state.
    pub doing: ThreadState,
    /// The cells that it waits for or holds; the whole resource while it is idle.
    pub cells: Cells,
}

/// A message in flight.
#[derive(Clone, Debug)]
pub struct Flight<M> {
    /// Sender.
    pub from: NodeId,
    /// Receiver.
    pub to: NodeId,
    /// The message.
    pub msg: M,
    /// Delayed by the user.
    pub held: bool,
    /// Sending order; not part of the state.
    pub id: u32,
}

impl<M> Flight<M> {
    /// Whether this is a local step.
    pub fn is_local(&self) -> bool {
        self.from == self.to
    }
}

/// Something that can happen next.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Event {
    /// A thread requests the critical section.
    Request(ThreadId),
    /// A thread requests a range of cells.
    Lock(ThreadId, Cells),
    /// A waiting thread cancels its request.
    Cancel(ThreadId),
    /// A thread leaves the critical section.
    Release(ThreadId),
    /// A message is delivered (by its id).
    Deliver(u32),
    /// A message is dropped.
    Drop(u32),
    /// A message is duplicated.
    Duplicate(u32),
    /// A message is delayed.
    Hold(u32),
    /// A delayed message continues.
    Resume(u32),
    /// A node stops; messages that reach it are dropped.
    Crash(NodeId),
    /// A crashed node begins again in its initial state.
    Restart(NodeId),
    /// An idle thread moves to another node.
    Migrate(ThreadId, NodeId),
}

impl Event {
    /// Whether this is a fault or another intervention.
    pub fn is_fault(self) -> bool {
        !matches!(self, Event::Request(_) | Event::Lock(..) | Event::Cancel(_) | Event::Release(_) | Event::Deliver(_))
    }

    /// The requesting thread, if this is a request.
    pub fn asks(self) -> Option<ThreadId> {
        match self {
            Event::Request(thread) | Event::Lock(thread, _) => Some(thread),
            _ => None,
        }
    }
}

/// The report of [`World::apply`] beside the effects.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct AppliedEvent {
    /// The node whose handler ran, or that the event concerns.
    pub node: NodeId,
    /// Messages sent, in the order of the effects.
    pub sent: Vec<u32>,
}

/// Requests that a node may still make, when there is no limit.
pub const UNLIMITED: u32 = u32::MAX;

/// A whole system at one instant.
pub struct World<A: Algorithm> {
    /// The nodes.
    pub nodes: Vec<A::Node>,
    /// The user threads.
    pub threads: Vec<Thread>,
    /// Requests that the threads of each node may still make, or [`UNLIMITED`].
    pub left: Vec<u32>,
    /// Messages in flight, in canonical order.
    pub flights: Vec<Flight<A::Msg>>,
    /// Nodes that are down.
    pub crashed: Vec<bool>,
    /// Faults that may still happen.
    pub faults: Faults,
    /// The first impossible message, if one occurred.
    pub broken: Option<&'static str>,
    pub(crate) next_id: u32,
}

impl<A: Algorithm> Clone for World<A> {
    fn clone(&self) -> Self {
        World {
            nodes: self.nodes.clone(),
            threads: self.threads.clone(),
            left: self.left.clone(),
            flights: self.flights.clone(),
            crashed: self.crashed.clone(),
            faults: self.faults,
            broken: self.broken,
            next_id: self.next_id,
        }
    }

    /// Keeps the memory that it has: exploration tries more successors than it keeps.
    fn clone_from(&mut self, other: &Self) {
        self.nodes.clone_from(&other.nodes);
        self.threads.clone_from(&other.threads);
        self.left.clone_from(&other.left);
        self.flights.clone_from(&other.flights);
        self.crashed.clone_from(&other.crashed);
        self.faults = other.faults;
        self.broken = other.broken;
        self.next_id = other.next_id;
    }
}

impl<A: Algorithm> Hash for World<A> {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.nodes.hash(state);
        for thread in &self.threads {
            state.write_u32(thread.at.0 << 2 | thread.doing as u32);
            state.write_u32(u32::from(thread.cells.lo) << 16 | u32::from(thread.cells.hi));
        }
        self.left.hash(state);
        self.faults.hash(state);
        self.crashed.hash(state);
        self.broken.is_some().hash(state);
        for flight in &self.flights {
            state.write_u32(flight.from.0);
            state.write_u32(flight.to.0 << 1 | u32::from(flight.held));
            flight.msg.hash(state);
        }
    }
}

impl<A: Algorithm> World<A> {
    /// The initial state: every thread idle, `requests` for the threads of each node together; the
    /// nodes have begun.
    pub fn start(system: &System<A>, requests: u32, faults: Faults) -> Self {
        let mut world = World::before(system, requests, faults);
        for node in system.setup.ids() {
            let mut effects = Effects::new(system.setup.without);
            world.begin(system, node, &mut effects);
        }
        world
    }

    /// Lets one node begin.
    pub fn begin(&mut self, system: &System<A>, node: NodeId, effects: &mut Effects<A::Msg>) -> AppliedEvent {
        effects.clear();
        let mut happened = AppliedEvent { node, sent: Vec::new() };
        system.algorithm.begin(&mut self.nodes[node.index()], effects);
        self.carry_out(system, effects, &mut happened);
        happened
    }

    /// Before any node has begun.
    pub fn before(system: &System<A>, requests: u32, faults: Faults) -> Self {
        let setup = &system.setup;
        World {
            nodes: setup.ids().map(|i| system.algorithm.start(i, setup)).collect(),
            threads: setup
                .ids()
                .flat_map(|at| {
                    (0..setup.threads[at.index()]).map(move |_| Thread {
                        at,
                        doing: ThreadState::Idle,
                        cells: Cells::WHOLE,
                    })
                })
                .collect(),
            left: vec![requests; setup.nodes()],
            flights: Vec::new(),
            crashed: vec![false; setup.nodes()],
            faults,
            broken: None,
            next_id: 0,
        }
    }

    /// The message of that id.
    pub fn flight(&self, id: u32) -> Option<&Flight<A::Msg>> {
        self.flights.iter().find(|f| f.id == id)
    }

    /// Whether every request has been served and, if the number of requests is limited, has been
    /// made.
    pub fn is_done(&self) -> bool {
        self.waiting().next().is_none()
            && self.left.iter().zip(0..).all(|(left, node)| {
                *left == UNLIMITED || *left == 0 || !self.threads.iter().any(|t| t.at == NodeId(node))
            })
    }

    /// Threads in the critical section.
    pub fn inside(&self) -> impl Iterator<Item = ThreadId> + '_ {
        self.doing(ThreadState::Inside)
    }

    /// Threads that wait.
    pub fn waiting(&self) -> impl Iterator<Item = ThreadId> + '_ {
        self.doing(ThreadState::Waiting)
    }

    fn doing(&self, what: ThreadState) -> impl Iterator<Item = ThreadId> + '_ {
        self.threads.iter().enumerate().filter(move |(_, t)| t.doing == what).map(|(i, _)| ThreadId(i as u32))
    }

    /// Every event that may happen next: requests, releases, deliveries, then faults, each in the
    /// order of threads, messages, nodes. The position in this list is a *choice*: it means the
    /// same in every run that reached the same state.
    pub fn enabled(&self, system: &System<A>, into: &mut Vec<Event>) {
        self.usual(system, into);
        // a crashed node may restart when no further fault is allowed
        if self.faults != Faults::default() || self.crashed.contains(&true) {
            self.faults_enabled(system.setup.hosts() as u32, into);
        }
    }

    /// The beginning of that list, without the faults: in a large system the faults are a long
    /// list.
    pub fn usual(&self, system: &System<A>, into: &mut Vec<Event>) {
        into.clear();
        let up = |t: &Thread| !self.crashed[t.at.index()];
        for (i, thread) in self.threads.iter().enumerate() {
            if thread.doing == ThreadState::Idle && self.may_request(thread) {
                ask(system.algorithm.ranges(), ThreadId(i as u32), system.setup.cells, into);
            }
        }
        if system.algorithm.cancels() && self.faults.cancels > 0 {
            into.extend(self.waiting().map(Event::Cancel));
        }
        for (i, thread) in self.threads.iter().enumerate() {
            if thread.doing == ThreadState::Inside && up(thread) {
                into.push(Event::Release(ThreadId(i as u32)));
            }
        }
        let fifo = system.setup.network == Network::Fifo;
        for (i, flight) in self.flights.iter().enumerate() {
            let behind = fifo
                && !flight.is_local()
                && i > 0
                && (self.flights[i - 1].from, self.flights[i - 1].to) == (flight.from, flight.to);
            if !flight.held && !behind {
                into.push(Event::Deliver(flight.id));
            }
        }
    }

    /// Whether an idle thread may request.
    pub(crate) fn may_request(&self, thread: &Thread) -> bool {
        self.left[thread.at.index()] > 0 && !self.crashed[thread.at.index()]
    }

    /// Whether an event of a thread that may happen is in the list: of a large resource not every
    /// range is.
    pub(crate) fn is_listed(&self, system: &System<A>, event: Event) -> bool {
        let all = system.setup.cells;
        !matches!(event, Event::Lock(_, cells) if all > PICKABLE_CELLS && cells != Cells { lo: 0, hi: all })
    }

    /// The message before this one on its channel, where channels keep their order.
    pub(crate) fn ahead_on_fifo(&self, from: NodeId, to: NodeId, id: u32) -> Option<u32> {
        let place = self.flights.partition_point(|f| (f.from, f.to, f.id) < (from, to, id));
        let ahead = place.checked_sub(1).map(|i| &self.flights[i])?;
        ((ahead.from, ahead.to) == (from, to)).then_some(ahead.id)
    }

    fn faults_enabled(&self, hosts: u32, into: &mut Vec<Event>) {
        for flight in self.flights.iter().filter(|f| !f.is_local()) {
            if self.faults.drops > 0 {
                into.push(Event::Drop(flight.id));
            }
            if self.faults.duplicates > 0 {
                into.push(Event::Duplicate(flight.id));
            }
            if self.faults.by_hand {
                into.push(if flight.held { Event::Resume(flight.id) } else { Event::Hold(flight.id) });
            }
        }
        for (i, down) in self.crashed.iter().enumerate() {
            let node = NodeId(i as u32);
            if *down {
                into.push(Event::Restart(node));
            } else if self.faults.crashes > 0 {
                into.push(Event::Crash(node));
            }
        }
        if self.faults.by_hand {
            for (i, thread) in self.threads.iter().enumerate().filter(|(_, t)| t.doing == ThreadState::Idle) {
                for to in (0..hosts).map(NodeId) {
                    if to != thread.at && !self.crashed[to.index()] && !self.crashed[thread.at.index()] {
                        into.push(Event::Migrate(ThreadId(i as u32), to));
                    }
                }
            }
        }
    }

    /// Applies an enabled event. `effects` is cleared first and then holds what the handler did.
    pub fn apply(&mut self, system: &System<A>, event: Event, effects: &mut Effects<A::Msg>) -> AppliedEvent {
        effects.clear();
        let mut happened = AppliedEvent::default();
        match event {
            Event::Request(thread) => {
                let at = self.threads[thread.index()].at;
                self.threads[thread.index()].doing = ThreadState::Waiting;
                if self.left[at.index()] != UNLIMITED {
                    self.left[at.index()] -= 1;
                }
                happened.node = at;
                system.algorithm.on_call(&mut self.nodes[at.index()], Call::Request(thread), effects);
            }
            Event::Lock(thread, cells) => {
                let at = self.threads[thread.index()].at;
                self.threads[thread.index()].doing = ThreadState::Waiting;
                self.threads[thread.index()].cells = cells;
                if self.left[at.index()] != UNLIMITED {
                    self.left[at.index()] -= 1;
                }
                happened.node = at;
                system.algorithm.on_lock(&mut self.nodes[at.index()], Lock::Create(thread, cells), effects);
            }
            Event::Cancel(thread) => {
                let at = self.threads[thread.index()].at;
                self.idle(thread);
                spend(&mut self.faults.cancels);
                happened.node = at;
                system.algorithm.on_lock(&mut self.nodes[at.index()], Lock::Cancel(thread), effects);
            }
            Event::Release(thread) => {
                let at = self.threads[thread.index()].at;
                self.idle(thread);
                happened.node = at;
                system.algorithm.on_call(&mut self.nodes[at.index()], Call::Release(thread), effects);
            }
            Event::Deliver(id) => {
                let Some(position) = self.position(id) else { return happened };
                let flight = self.flights.remove(position);
                happened.node = flight.to;
                if !self.crashed[flight.to.index()] {
                    system.algorithm.on_message(&mut self.nodes[flight.to.index()], flight.from, flight.msg, effects);
                }
            }
            Event::Drop(id) => {
                let Some(position) = self.position(id) else { return happened };
                happened.node = self.flights.remove(position).to;
                spend(&mut self.faults.drops);
            }
            Event::Duplicate(id) => {
                let Some(position) = self.position(id) else { return happened };
                let copy = self.flights[position].clone();
                happened.node = copy.to;
                happened.sent.push(self.put(system, copy.from, copy.to, copy.msg));
                spend(&mut self.faults.duplicates);
            }
            Event::Hold(id) | Event::Resume(id) => {
                let Some(position) = self.position(id) else { return happened };
                self.flights[position].held = matches!(event, Event::Hold(_));
                happened.node = self.flights[position].to;
            }
            Event::Crash(node) => {
                self.crashed[node.index()] = true;
                for thread in self.threads.iter_mut().filter(|t| t.at == node) {
                    (thread.doing, thread.cells) = (ThreadState::Idle, Cells::WHOLE);
                }
                self.flights.retain(|f| !(f.is_local() && f.to == node));
                spend(&mut self.faults.crashes);
                happened.node = node;
            }
            Event::Restart(node) => {
                self.crashed[node.index()] = false;
                self.nodes[node.index()] = system.algorithm.start(node, &system.setup);
                happened.node = node;
                system.algorithm.begin(&mut self.nodes[node.index()], effects);
            }
            Event::Migrate(thread, to) => {
                self.threads[thread.index()].at = to;
                happened.node = to;
            }
        }
        self.carry_out(system, effects, &mut happened);
        happened
    }

    fn carry_out(&mut self, system: &System<A>, effects: &mut Effects<A::Msg>, happened: &mut AppliedEvent) {
        let me = happened.node;
        // many messages are put among the others at once: one by one each would move all the others
        let rest = if effects.list.len() > MANY { std::mem::take(&mut self.flights) } else { Vec::new() };
        for effect in &effects.list {
            match effect {
                Effect::Send(to, _) if *to == me || to.index() >= self.nodes.len() => {
                    effects
                        .impossible
                        .get_or_insert("a message was sent to its own sender or to a node that does not exist");
                }
                Effect::Send(to, msg) => happened.sent.push(self.put(system, me, *to, msg.clone())),
                Effect::Later(step) => happened.sent.push(self.put(system, me, me, step.clone())),
                Effect::Grant(thread) => match self.threads.get_mut(thread.index()) {
                    Some(t) if t.at == me && t.doing == ThreadState::Waiting => t.doing = ThreadState::Inside,
                    _ => {
                        effects.impossible.get_or_insert("a thread was granted entry that does not wait at this node");
                    }
                },
                Effect::Refuse(thread) => match self.threads.get_mut(thread.index()) {
                    Some(t) if t.at == me && t.doing == ThreadState::Waiting => {
                        (t.doing, t.cells) = (ThreadState::Idle, Cells::WHOLE);
                        if self.left[me.index()] != UNLIMITED {
                            self.left[me.index()] += 1;
                        }
                    }
                    _ => {
                        effects.impossible.get_or_insert("a thread was refused that does not wait at this node");
                    }
                },
            }
        }
        if !rest.is_empty() {
            self.merge(system, rest);
        }
        if self.broken.is_none() {
            self.broken = effects.impossible;
        }
    }

    /// Puts earlier messages back among those of this step.
    fn merge(&mut self, system: &System<A>, rest: Vec<Flight<A::Msg>>) {
        let mut merged = Vec::with_capacity(rest.len() + self.flights.len());
        let mut fresh = std::mem::take(&mut self.flights).into_iter().peekable();
        for old in rest {
            while let Some(new) = fresh.next_if(|new| !is_before(system, &old, (new.from, new.to, &new.msg))) {
                merged.push(new);
            }
            merged.push(old);
        }
        merged.extend(fresh);
        self.flights = merged;
    }

    fn idle(&mut self, thread: ThreadId) {
        let thread = &mut self.threads[thread.index()];
        (thread.doing, thread.cells) = (ThreadState::Idle, Cells::WHOLE);
    }

    fn position(&self, id: u32) -> Option<usize> {
        self.flights.iter().position(|f| f.id == id)
    }

    /// Puts a message in flight and keeps the canonical order: by channel, then by sending order in
    /// FIFO channels and by content in others.
    fn put(&mut self, system: &System<A>, from: NodeId, to: NodeId, msg: A::Msg) -> u32 {
        let id = self.next_id;
        self.next_id += 1;
        debug_assert!(from != to || msg.role() == Role::Local, "only local steps go to oneself");
        let position = self.flights.partition_point(|f| is_before(system, f, (from, to, &msg)));
        self.flights.insert(position, Flight { from, to, msg, held: false, id });
        id
    }

    /// The first invariant that does not hold, in their order, with the reason; an impossible
    /// message comes first.
    pub fn violation(&self, system: &System<A>) -> Option<(&'static str, String)> {
        if let Some(why) = self.broken {
            return Some((NO_IMPOSSIBLE_MESSAGE, why.into()));
        }
        system.invariants.iter().find_map(|i| (i.check)(system, self).err().map(|why| (i.name, why)))
    }

    /// A digest of the state, the same on every machine.
    pub fn fingerprint(&self) -> u64 {
        let mut hasher = crate::fingerprint::Fingerprint::default();
        self.hash(&mut hasher);
        hasher.finish()
    }
}

/// The invariant of every algorithm: no message arrives that its paper excludes.
pub const NO_IMPOSSIBLE_MESSAGE: &str = "no impossible message";

/// With more effects than this, messages are put in flight together.
const MANY: usize = 16;

/// Whether a message stands before one that is sent later.
fn is_before<A: Algorithm>(
    system: &System<A>,
    flight: &Flight<A::Msg>,
    (from, to, msg): (NodeId, NodeId, &A::Msg),
) -> bool {
    let by_content = system.setup.network != Network::Fifo || from == to;
    let content = || if by_content { flight.msg.cmp(msg) } else { Ordering::Less };
    (flight.from, flight.to).cmp(&(from, to)).then_with(content).is_le()
}

/// Every range of a resource of at most this many cells is listed; of a larger one only the whole.
const PICKABLE_CELLS: u16 = 16;

fn ask(ranges: bool, thread: ThreadId, cells: u16, into: &mut Vec<Event>) {
    if !ranges {
        into.push(Event::Request(thread));
    } else if cells > PICKABLE_CELLS {
        into.push(Event::Lock(thread, Cells { lo: 0, hi: cells }));
    } else {
        for lo in 0..cells {
            into.extend((lo + 1..=cells).map(|hi| Event::Lock(thread, Cells { lo, hi })));
        }
    }
}

fn spend(budget: &mut u8) {
    if *budget != u8::MAX {
        *budget = budget.saturating_sub(1);
    }
}
