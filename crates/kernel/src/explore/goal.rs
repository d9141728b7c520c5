//! Goals of a search, and the memory of the path that they need.
//!
//! Some goals are visible in a state (two threads inside), others only on the path to it (a request
//! was forwarded three times). For the latter a search watches one request and keeps a count; two
//! states with different memories are then different.

use super::judge;
use crate::erased::{Dyn, DynMsg};
use crate::fingerprint::Fingerprint;
use crate::view::ThreadState;
use crate::world::{System, World};
use crate::{Algorithm, AppliedEvent, Effect, Effects, Event, Message, NodeId, Role, ThreadId};
use serde::{Deserialize, Serialize};
use std::hash::{Hash, Hasher};

/// A measure of one request.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum RequestMeasure {
    /// How often one request is forwarded: a request arrives, and in the same step a request is
    /// sent.
    Forwards,
    /// Messages sent by any node from the step in which a thread requests up to the step in which
    /// it enters; the messages of that last step do not count.
    Messages,
    /// Steps of the whole system from the request to the entry.
    Steps,
    /// Entries of other threads while one waits.
    Bypass,
}

impl RequestMeasure {
    /// Every measure with its name.
    pub const ALL: [(&'static str, RequestMeasure); 4] = [
        ("forwards", RequestMeasure::Forwards),
        ("messages", RequestMeasure::Messages),
        ("steps", RequestMeasure::Steps),
        ("bypass", RequestMeasure::Bypass),
    ];

    /// The measure of that name.
    pub fn named(name: &str) -> Option<RequestMeasure> {
        Self::ALL.iter().find(|(n, _)| *n == name).map(|(_, m)| *m)
    }
}

/// What a search looks for.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum SearchGoal {
    /// The largest value of a measure.
    Most(RequestMeasure),
    /// At least this value of a measure.
    AtLeast(RequestMeasure, u32),
    /// This many threads are inside at once.
    Inside(usize),
    /// This many threads wait at once.
    Waiting(usize),
    /// The invariant of this name does not hold.
    Broken(String),
    /// No event is enabled, and a thread waits.
    Stuck,
    /// This many entries have been made, every thread is idle, no message is in flight, and the
    /// token is at this node.
    Rests {
        /// Where the token is.
        at: NodeId,
        /// Entries, at least.
        entries: u32,
    },
    /// This many entries with at most so many messages.
    Thrifty {
        /// Entries, at least.
        entries: u32,
        /// Messages, at most.
        messages: u32,
    },
    /// The first entries are made by these threads, in this order.
    Order(Vec<ThreadId>),
    /// A node shows a variable with this value.
    Shows {
        /// Where.
        node: NodeId,
        /// The variable.
        name: String,
        /// Its value as text.
        value: String,
    },
}

/// The request that is watched.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum WatchedRequest {
    /// None yet.
    Nobody,
    /// The request of a thread.
    Thread(ThreadId),
    /// A message.
    Flight(u32),
    /// It has ended; nothing that comes later matters.
    Over,
}

/// The memory of the path to a state.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct PathMemory {
    watched: WatchedRequest,
    count: u32,
    messages: u32,
}

/// A step, as the memory observes it.
pub struct ObservedEvent<'a> {
    pub event: Event,
    /// The message that arrived.
    pub arrived: Option<&'a DynMsg>,
    pub after: &'a World<Dyn>,
    pub effects: &'a Effects<DynMsg>,
    pub happened: &'a AppliedEvent,
}

impl ObservedEvent<'_> {
    fn granted(&self) -> impl Iterator<Item = ThreadId> + '_ {
        self.effects.list.iter().filter_map(|e| if let Effect::Grant(t) = e { Some(*t) } else { None })
    }

    fn sent(&self) -> impl Iterator<Item = (u32, Role)> + '_ {
        let role = |id: &u32| self.after.flight(*id).map(|f| (*id, f.msg.role()));
        self.happened.sent.iter().filter_map(role).filter(|(_, role)| *role != Role::Local)
    }
}

impl PathMemory {
    /// At the beginning.
    pub const NONE: PathMemory = PathMemory { watched: WatchedRequest::Nobody, count: 0, messages: 0 };

    /// Whether nothing that comes later matters.
    pub fn is_over(self) -> bool {
        self.watched == WatchedRequest::Over
    }

    /// The message that is watched.
    pub fn flight(self) -> Option<u32> {
        if let WatchedRequest::Flight(id) = self.watched { Some(id) } else { None }
    }

    /// The digest of a state together with this memory. It names messages by position, not by id.
    pub fn digest(self, world: &World<Dyn>) -> u64 {
        let mut hasher = Fingerprint::default();
        world.hash(&mut hasher);
        match self.watched {
            WatchedRequest::Nobody => hasher.write_u32(0),
            WatchedRequest::Thread(thread) => hasher.write_u32(2 + 2 * thread.0),
            WatchedRequest::Flight(id) => {
                let place = world.flights.iter().position(|f| f.id == id).unwrap_or(world.flights.len());
                hasher.write_u32(3 + 2 * place as u32);
            }
            WatchedRequest::Over => hasher.write_u32(1),
        }
        hasher.write_u32(self.count);
        hasher.write_u32(self.messages);
        hasher.finish()
    }

    /// The memories that a step may lead to: the search may watch a request that was just made, or
    /// not.
    pub fn step(self, goal: &SearchGoal, seen: &ObservedEvent<'_>, into: &mut Vec<PathMemory>) {
        match goal {
            SearchGoal::Most(measure) | SearchGoal::AtLeast(measure, _) => self.measure(*measure, seen, into),
            SearchGoal::Rests { entries, .. } => {
                into.push(PathMemory { count: (self.count + seen.granted().count() as u32).min(*entries), ..self });
            }
            SearchGoal::Thrifty { entries, messages } => {
                let count = (self.count + seen.granted().count() as u32).min(*entries);
                let sent = self.messages + seen.sent().count() as u32;
                let watched = if sent > *messages { WatchedRequest::Over } else { self.watched };
                into.push(PathMemory { count, messages: sent, watched });
            }
            SearchGoal::Order(order) => {
                let mut then = self;
                for thread in seen.granted() {
                    match order.get(then.count as usize) {
                        Some(next) if *next == thread => then.count += 1,
                        Some(_) => then.watched = WatchedRequest::Over,
                        None => {}
                    }
                }
                into.push(then);
            }
            SearchGoal::Inside(_)
            | SearchGoal::Waiting(_)
            | SearchGoal::Broken(_)
            | SearchGoal::Stuck
            | SearchGoal::Shows { .. } => into.push(self),
        }
    }

    fn measure(self, measure: RequestMeasure, seen: &ObservedEvent<'_>, into: &mut Vec<PathMemory>) {
        match self.watched {
            WatchedRequest::Over => {}
            WatchedRequest::Nobody => {
                into.push(self);
                self.begin(measure, seen, into);
            }
            WatchedRequest::Thread(thread) => self.wait(measure, thread, seen, into),
            WatchedRequest::Flight(id) => match seen.event {
                Event::Deliver(arrived) if arrived == id => {
                    let on = seen.sent().find(|(_, role)| *role == Role::Request);
                    let count = self.count + u32::from(on.is_some());
                    let watched = on.map_or(WatchedRequest::Over, |(id, _)| WatchedRequest::Flight(id));
                    into.push(PathMemory { watched, count, ..self });
                }
                Event::Drop(lost) if lost == id => into.push(PathMemory { watched: WatchedRequest::Over, ..self }),
                _ => into.push(self),
            },
        }
    }

    /// Begins to watch a new request.
    fn begin(self, measure: RequestMeasure, seen: &ObservedEvent<'_>, into: &mut Vec<PathMemory>) {
        if measure == RequestMeasure::Forwards {
            // a node that reacts to a request by sending a request forwards it; this is no new
            // request
            if seen.arrived.is_none_or(|msg| msg.role() != Role::Request) {
                let requests = seen.sent().filter(|(_, role)| *role == Role::Request);
                into.extend(requests.map(|(id, _)| PathMemory { watched: WatchedRequest::Flight(id), ..self }));
            }
            return;
        }
        let Some(thread) = seen.event.asks() else { return };
        if seen.after.threads[thread.index()].doing == ThreadState::Waiting {
            let count = if measure == RequestMeasure::Messages { seen.sent().count() as u32 } else { 0 };
            into.push(PathMemory { watched: WatchedRequest::Thread(thread), count, ..self });
        } else if measure == RequestMeasure::Steps {
            into.push(PathMemory { watched: WatchedRequest::Over, count: 0, ..self });
        }
    }

    /// A thread goes on waiting, or enters, or waits no longer.
    fn wait(self, measure: RequestMeasure, thread: ThreadId, seen: &ObservedEvent<'_>, into: &mut Vec<PathMemory>) {
        let enters = seen.granted().any(|t| t == thread);
        let waits = seen.after.threads[thread.index()].doing == ThreadState::Waiting;
        let more = match measure {
            RequestMeasure::Steps => 1,
            RequestMeasure::Messages if enters => 0,
            RequestMeasure::Messages => seen.sent().count() as u32,
            RequestMeasure::Bypass | RequestMeasure::Forwards => seen.granted().filter(|t| *t != thread).count() as u32,
        };
        // a refused or cancelled request was not served, so it does not count
        if enters || waits {
            let watched = if enters { WatchedRequest::Over } else { self.watched };
            into.push(PathMemory { watched, count: self.count + more, ..self });
        }
    }

    /// The value of a measure in a state; messages and steps count only once the thread is inside.
    pub fn value(self, measure: RequestMeasure) -> Option<u32> {
        match (measure, self.watched) {
            (_, WatchedRequest::Nobody) => None,
            (RequestMeasure::Messages | RequestMeasure::Steps, WatchedRequest::Thread(_)) => None,
            _ => Some(self.count),
        }
    }

    /// Whether a state reaches the goal.
    pub fn reaches(self, goal: &SearchGoal, system: &System<Dyn>, world: &World<Dyn>) -> bool {
        match goal {
            SearchGoal::Most(_) => false,
            SearchGoal::AtLeast(measure, enough) => self.value(*measure).is_some_and(|value| value >= *enough),
            SearchGoal::Inside(count) => world.inside().count() >= *count,
            SearchGoal::Waiting(count) => world.waiting().count() >= *count,
            SearchGoal::Broken(name) => broken(system, world, name),
            SearchGoal::Stuck => {
                judge(system, world, &mut Vec::new()).is_some_and(|(r, _)| r > system.invariants.len())
            }
            SearchGoal::Rests { at, entries } => {
                let quiet = world.flights.is_empty() && world.threads.iter().all(|t| t.doing == ThreadState::Idle);
                self.count >= *entries && quiet && system.algorithm.view(&world.nodes[at.index()], &system.setup).token
            }
            SearchGoal::Thrifty { entries, .. } => self.count >= *entries && !self.is_over(),
            SearchGoal::Order(order) => self.count as usize >= order.len() && !self.is_over(),
            SearchGoal::Shows { node, name, value } => {
                let view = system.algorithm.view(&world.nodes[node.index()], &system.setup);
                let named = |n: NodeId| system.setup.name(n).to_owned();
                view.vars.iter().any(|v| v.name == *name && v.value.text(named) == *value)
            }
        }
    }
}

fn broken(system: &System<Dyn>, world: &World<Dyn>, name: &str) -> bool {
    if name == crate::world::NO_IMPOSSIBLE_MESSAGE {
        return world.broken.is_some();
    }
    let invariant = system.invariants.iter().find(|i| i.name == name);
    invariant.is_some_and(|i| (i.check)(system, world).is_err())
}
