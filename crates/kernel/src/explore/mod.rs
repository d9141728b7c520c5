//! Every order of events of a small system.
//!
//! Breadth first, so the first violation found is a shortest one. Two things that no single state shows are judged on the whole graph:
//! whether every request can still be served (`served`), and, where requests never end, whether one may starve under a fair schedule
//! (`starvation`).
//!
//! Two reductions are always on and lose nothing: idle threads of one node are interchangeable, so only the first of them asks; equal
//! messages on one unordered channel are interchangeable, so only the first of them moves.

mod graph;
mod served;
mod starvation;

use crate::fingerprint::{DigestMap, Fingerprint};
use crate::view::Doing;
use crate::world::{Faults, NO_IMPOSSIBLE_MESSAGE, System, UNLIMITED, World};
use crate::{Algorithm, Effects, Event, Network, Setup};
use graph::Graph;
use serde::Serialize;

/// How far to explore.
#[derive(Clone, Copy, Debug)]
pub struct Bounds {
    /// Requests of the threads of each node together, or [`UNLIMITED`]: then starvation is looked for.
    pub requests: u32,
    /// How often a waiting thread may give up, where the algorithm lets it.
    pub cancels: u8,
    /// Give up beyond this many states.
    pub max_states: usize,
}

impl Default for Bounds {
    fn default() -> Self {
        Bounds { requests: 2, cancels: 0, max_states: 20_000_000 }
    }
}

/// What exploration found. "No violation in these states" is not a proof for larger systems.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct Verdict {
    /// Different states seen.
    pub states: usize,
    /// Steps between them.
    pub transitions: usize,
    /// Steps to the farthest state.
    pub depth: usize,
    /// States in which nothing can happen any more.
    pub terminal: usize,
    /// What was checked.
    pub invariants: Vec<&'static str>,
    /// How it ended.
    pub outcome: Outcome,
}

/// How an exploration ended.
#[derive(Clone, PartialEq, Debug, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Outcome {
    /// All states were seen and nothing is violated.
    Ok,
    /// Stopped at the bound; nothing found so far.
    Bound,
    /// A shortest counterexample.
    Violation(Violation),
}

/// A shortest counterexample.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct Violation {
    /// What does not hold.
    pub invariant: &'static str,
    /// Why, in its last state.
    pub why: String,
    /// The events in words.
    pub steps: Vec<String>,
    /// The events themselves: a [`crate::history::Player`] on the same setup can pick them one after the other.
    pub events: Vec<Event>,
    /// For a starving request: the steps at the end of `steps` that can repeat for ever.
    pub cycle: usize,
}

/// The invariant that terminal states and the whole graph are judged by.
pub const SERVED: &str = "every request can still be served";
/// The invariant of runs without end.
pub const NO_STARVATION: &str = "no request starves";

/// Explores every order of events.
pub fn explore<A: Algorithm>(setup: &Setup, bounds: &Bounds) -> Verdict {
    let system = System::<A>::new(setup.clone());
    let mut search = Search::new(&system, bounds);
    let found = search.run();
    let graph = &search.graph;
    let found = match found {
        Some(found) => Some(found),
        None if search.bounded => None,
        None => served::doomed(graph).map(|state| Found {
            invariant: SERVED,
            why: "whatever happens from here on, a thread waits for ever".into(),
            path: graph.path(state),
            cycle: 0,
        }),
    };
    let found = match found {
        None if bounds.requests == UNLIMITED && !search.bounded => starvation::fair_cycle(graph, &system),
        found => found,
    };
    let mut invariants: Vec<&'static str> = system.invariants.iter().map(|i| i.name).collect();
    invariants.extend([NO_IMPOSSIBLE_MESSAGE, SERVED]);
    if bounds.requests == UNLIMITED {
        invariants.push(NO_STARVATION);
    }
    let outcome = match found {
        Some(found) => {
            let (events, steps) = replay(&system, bounds, &found.path).into_iter().unzip();
            let Found { invariant, why, cycle, .. } = found;
            Outcome::Violation(Violation { invariant, why, steps, events, cycle })
        }
        None if search.bounded => Outcome::Bound,
        None => Outcome::Ok,
    };
    Verdict {
        states: graph.len(),
        transitions: graph.transitions(),
        depth: search.depth,
        terminal: search.terminal,
        invariants,
        outcome,
    }
}

/// A counterexample as choices.
struct Found {
    invariant: &'static str,
    why: String,
    path: Vec<u32>,
    cycle: usize,
}

struct Search<'a, A: Algorithm> {
    system: &'a System<A>,
    bounds: &'a Bounds,
    graph: Graph,
    depth: usize,
    terminal: usize,
    bounded: bool,
}

impl<'a, A: Algorithm> Search<'a, A> {
    fn new(system: &'a System<A>, bounds: &'a Bounds) -> Self {
        let graph = Graph::new(bounds.requests == UNLIMITED);
        Search { system, bounds, graph, depth: 0, terminal: 0, bounded: false }
    }

    /// Layer by layer. A violation is reported at the end of its layer: among the shortest, the gravest.
    fn run(&mut self) -> Option<Found> {
        let start = first(self.system, self.bounds);
        let mut seen = DigestMap::<u32>::default();
        seen.insert(start.fingerprint(), 0);
        self.graph.add_root(start.is_done());
        let mut then = start.clone();
        let (mut layer, mut next) = (vec![start], Vec::new());
        let (mut enabled, mut later) = (Vec::new(), Vec::new());
        let mut effects = Effects::new(self.system.setup.without);
        let mut worst: Option<(usize, u32, String)> = None;
        while !layer.is_empty() {
            for world in layer.drain(..) {
                let state = self.graph.expand();
                world.enabled(self.system, &mut enabled);
                if enabled.is_empty() {
                    self.terminal += 1;
                }
                for (choice, event) in enabled.iter().enumerate() {
                    if redundant(&world, &enabled, choice) {
                        continue;
                    }
                    then.clone_from(&world);
                    then.apply(self.system, *event, &mut effects);
                    let fresh = self.graph.len() as u32;
                    let target = *seen.entry(then.fingerprint()).or_insert(fresh);
                    let action = if self.graph.labelled { action(self.system, &world, *event) } else { 0 };
                    self.graph.add_edge(target, choice as u16, action);
                    if target != fresh {
                        continue;
                    }
                    self.graph.add_state(state, choice as u16, &then);
                    if let Some((rank, why)) = self.judge(&then, &mut later)
                        && worst.as_ref().is_none_or(|(r, ..)| rank < *r)
                    {
                        worst = Some((rank, target, why));
                    }
                    next.push(then.clone());
                }
            }
            if let Some((rank, state, why)) = worst {
                self.depth += 1;
                return Some(Found { invariant: self.name(rank), why, path: self.graph.path(state), cycle: 0 });
            }
            if self.graph.len() > self.bounds.max_states {
                self.bounded = !next.is_empty();
                return None;
            }
            std::mem::swap(&mut layer, &mut next);
            self.depth += usize::from(!layer.is_empty());
        }
        None
    }

    /// The gravest thing wrong with a state, by its rank.
    fn judge(&self, world: &World<A>, enabled: &mut Vec<Event>) -> Option<(usize, String)> {
        let count = self.system.invariants.len();
        for (rank, invariant) in self.system.invariants.iter().enumerate() {
            if let Err(why) = (invariant.check)(self.system, world) {
                return Some((rank, why));
            }
        }
        if let Some(why) = world.broken {
            return Some((count, why.into()));
        }
        if world.waiting().next().is_some() {
            world.enabled(self.system, enabled);
            if enabled.is_empty() {
                let names: Vec<String> = world.waiting().map(|t| self.system.setup.thread_name(t)).collect();
                return Some((count + 1, format!("nothing can happen any more and {} still waits", names.join(", "))));
            }
        }
        None
    }

    fn name(&self, rank: usize) -> &'static str {
        let count = self.system.invariants.len();
        match rank {
            r if r < count => self.system.invariants[r].name,
            r if r == count => NO_IMPOSSIBLE_MESSAGE,
            _ => SERVED,
        }
    }
}

fn first<A: Algorithm>(system: &System<A>, bounds: &Bounds) -> World<A> {
    let faults = Faults { cancels: bounds.cancels, ..Faults::of(system.setup.network) };
    World::start(system, bounds.requests, faults)
}

/// Whether an enabled event leads to the same state, up to names, as one before it in the list.
fn redundant<A: Algorithm>(world: &World<A>, enabled: &[Event], choice: usize) -> bool {
    if let Some(asks) = enabled[choice].asks() {
        let at = world.threads[asks.index()].at;
        return world.threads[..asks.index()].iter().any(|t| t.at == at && t.doing == Doing::Idle);
    }
    let Some(previous) = choice.checked_sub(1).map(|i| enabled[i]) else { return false };
    let same = |a: u32, b: u32| match (world.flight(a), world.flight(b)) {
        (Some(a), Some(b)) => (a.from, a.to, &a.msg) == (b.from, b.to, &b.msg),
        _ => false,
    };
    match (previous, enabled[choice]) {
        (Event::Deliver(a), Event::Deliver(b))
        | (Event::Drop(a), Event::Drop(b))
        | (Event::Duplicate(a), Event::Duplicate(b)) => same(a, b),
        _ => false,
    }
}

/// What fairness speaks of: an event that may not be put off for ever has a name that is the same in every state; others have 0.
fn action<A: Algorithm>(system: &System<A>, world: &World<A>, event: Event) -> u64 {
    use std::hash::{Hash, Hasher};
    let mut hasher = Fingerprint::default();
    match event {
        Event::Release(thread) => (1u8, thread).hash(&mut hasher),
        Event::Deliver(id) => {
            let Some(flight) = world.flight(id) else { return 0 };
            (2u8, flight.from, flight.to).hash(&mut hasher);
            if system.setup.network != Network::Fifo || flight.is_local() {
                flight.msg.hash(&mut hasher);
            }
        }
        _ => return 0,
    }
    hasher.finish() | 1
}

/// The events that choices stand for, with their words.
fn replay<A: Algorithm>(system: &System<A>, bounds: &Bounds, path: &[u32]) -> Vec<(Event, String)> {
    let mut world = first(system, bounds);
    let mut effects = Effects::new(system.setup.without);
    let mut enabled = Vec::new();
    let step = |choice: &u32| {
        world.enabled(system, &mut enabled);
        let event = enabled[*choice as usize];
        let title = world.title(system, event);
        world.apply(system, event, &mut effects);
        (event, title)
    };
    path.iter().map(step).collect()
}
