//! Requests that can no longer be served, in one state of a run: after a deadlock, a lost message
//! or a lost token.
//!
//! A request is reported only if an exploration of everything that may follow has come to an end
//! without serving it, so the report is certain. The reverse does not hold: where the exploration
//! would be too large, nothing is reported.

use crate::view::{Frame, InvariantStatus, ThreadState};
use crate::world::{System, World};
use crate::{Algorithm, Effects, Event, ThreadId};
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;

/// The name of the property in the list of invariants.
pub const NO_STUCK_REQUEST: &str = "no request is stuck";

/// A request that can no longer be served.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct StuckRequest {
    /// Who waits.
    pub thread: ThreadId,
    /// Whether even further requests of other threads cannot change that. Otherwise only deliveries
    /// and releases are known not to.
    pub never: bool,
    /// The step since which it is certain.
    pub since: u32,
}

/// Nodes copied in one exploration. It bounds the time that a step of a damaged run takes.
const WORK: usize = 6_000;
/// The most events of one drain of a small system.
const DRAINED: usize = 400;

/// The waiting threads that can no longer be served by deliveries and releases, each with whether
/// further requests cannot change that either. Messages that are held may continue and crashed
/// nodes may restart; other faults, cancelling and migration are not considered. Further requests
/// are only explored if the search is `thorough`.
pub fn find_stuck<A: Algorithm>(system: &System<A>, world: &World<A>, thorough: bool) -> Vec<(ThreadId, bool)> {
    let mut open: Vec<ThreadId> = world.waiting().collect();
    if open.is_empty() {
        return Vec::new();
    }
    let states = (WORK / world.nodes.len().max(1)).max(8);
    // usually everyone is served one after another, and the search ends here
    if !drain(system, world, &mut open, states.clamp(64, DRAINED)) || open.is_empty() {
        return Vec::new();
    }
    if !explore(system, world, &mut open, states, false) {
        return Vec::new();
    }
    let mut never = open.clone();
    let complete = thorough && !open.is_empty() && explore(system, world, &mut never, states, true);
    open.into_iter().map(|thread| (thread, complete && never.contains(&thread))).collect()
}

/// The events that may follow, with or without new requests.
fn following<A: Algorithm>(system: &System<A>, world: &World<A>, requests: bool, into: &mut Vec<Event>) {
    world.usual(system, into);
    into.retain(|e| !matches!(e, Event::Cancel(_)) && (requests || e.asks().is_none()));
    into.extend(world.flights.iter().filter(|f| f.held).map(|f| Event::Resume(f.id)));
    let down = world.crashed.iter().zip(0..).filter(|(down, _)| **down);
    into.extend(down.map(|(_, node)| Event::Restart(crate::NodeId(node))));
}

/// Delivers and releases until nothing is left to do, and removes the threads that were served.
/// `false` if that takes too many events.
fn drain<A: Algorithm>(system: &System<A>, world: &World<A>, open: &mut Vec<ThreadId>, most: usize) -> bool {
    let (mut world, mut events, mut effects) = (world.clone(), Vec::new(), Effects::new(system.setup.without));
    for _ in 0..most {
        following(system, &world, false, &mut events);
        // messages in the order of sending, before threads that leave
        let first = |event: &&Event| if let Event::Deliver(id) = event { (0, *id) } else { (1, 0) };
        let Some(event) = events.iter().min_by_key(first) else { return true };
        world.apply(system, *event, &mut effects);
        remove_served(&world, open);
        if open.is_empty() {
            return true;
        }
    }
    false
}

/// Visits every state that may follow and removes the threads that are served in any of them.
/// `false` if there are too many states.
fn explore<A: Algorithm>(
    system: &System<A>,
    world: &World<A>,
    open: &mut Vec<ThreadId>,
    most: usize,
    requests: bool,
) -> bool {
    let mut seen = BTreeSet::from([world.fingerprint()]);
    let (mut frontier, mut events, mut effects) = (vec![world.clone()], Vec::new(), Effects::new(system.setup.without));
    let mut next = world.clone();
    while let Some(state) = frontier.pop() {
        following(system, &state, requests, &mut events);
        for event in &events {
            next.clone_from(&state);
            next.apply(system, *event, &mut effects);
            remove_served(&next, open);
            if open.is_empty() {
                return true;
            }
            if seen.insert(next.fingerprint()) {
                if seen.len() > most {
                    return false;
                }
                frontier.push(next.clone());
            }
        }
    }
    true
}

/// A request that was refused has an answer as well.
fn remove_served<A: Algorithm>(world: &World<A>, open: &mut Vec<ThreadId>) {
    open.retain(|t| world.threads[t.index()].doing == ThreadState::Waiting);
}

impl Frame {
    /// Adds the requests that can no longer be served, and their line in the list of invariants.
    /// `before` is the frame one step before, if this one follows it, and `find` is
    /// [`crate::history::Player::find_stuck`].
    pub fn add_stuck(&mut self, before: Option<&Frame>, find: impl FnOnce(bool) -> Vec<(ThreadId, bool)>) {
        let before = before.map_or(&[][..], |b| &b.stuck);
        let by_fault = self.last.as_ref().is_none_or(|l| l.event.is_fault() || matches!(l.event, Event::Cancel(_)));
        let waiting = |t: ThreadId| {
            let mut threads = self.nodes.iter().flat_map(|n| &n.threads);
            threads.any(|other| other.id == t && other.doing == ThreadState::Waiting)
        };
        // no delivery, release or request can serve a request that nothing could serve a step ago
        let kept = before.iter().filter(|s| s.never && !by_fault).copied();
        let mut stuck: Vec<StuckRequest> = kept.collect();
        let all = self.nodes.iter().flat_map(|n| &n.threads).filter(|t| t.doing == ThreadState::Waiting).count();
        if stuck.len() < all {
            // in a damaged run a search that was too large is not repeated at every step
            let thorough = by_fault || before.is_empty() || self.flights.is_empty() || self.step.is_multiple_of(8);
            for (thread, never) in find(thorough) {
                if !stuck.iter().any(|s| s.thread == thread) {
                    let since = before.iter().find(|s| s.thread == thread).map_or(self.step, |s| s.since);
                    stuck.push(StuckRequest { thread, never, since });
                }
            }
        }
        stuck.retain(|s| waiting(s.thread));
        self.invariants.push(InvariantStatus { name: NO_STUCK_REQUEST.into(), broken: self.stuck_reason(&stuck) });
        self.stuck = stuck;
    }

    fn stuck_reason(&self, stuck: &[StuckRequest]) -> Option<String> {
        let threads = || self.nodes.iter().flat_map(|n| &n.threads);
        let named = |never: bool| {
            let names = threads().filter(|t| stuck.iter().any(|s| s.thread == t.id && s.never == never));
            names.map(|t| t.name.clone()).collect::<Vec<_>>()
        };
        let parts = [(named(true), "can never enter"), (named(false), "cannot enter by any delivery or release")];
        let parts = parts.into_iter().filter(|(names, _)| !names.is_empty());
        let parts: Vec<String> = parts.map(|(names, how)| format!("{} {how}", list(&names))).collect();
        (!parts.is_empty()).then(|| parts.join("; "))
    }

    /// The request of a thread that can no longer be served.
    pub fn stuck(&self, thread: ThreadId) -> Option<&StuckRequest> {
        self.stuck.iter().find(|s| s.thread == thread)
    }
}

fn list(names: &[String]) -> String {
    match names {
        [most @ .., last] if !most.is_empty() => format!("{} and {last}", most.join(", ")),
        _ => names.concat(),
    }
}
