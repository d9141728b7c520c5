//! Exploration of every order of events of a small system.
//!
//! Breadth first, so the first violation found is a shortest counterexample. Two properties are
//! checked on the whole graph: whether every request can still be served (`served`) and, if
//! requests never end, whether one may starve under a fair schedule (`starvation`).
//!
//! Two reductions are always on and lose nothing: idle threads of one node are interchangeable, so
//! only the first of them requests; equal messages on one unordered channel are interchangeable, so
//! only the first of them is delivered.
//!
//! A third can be switched on ([`Bounds::symmetry`]): interchangeable nodes ([`symmetry`]). It is
//! off by default, because state counts can then not be compared with those of other explorers, and
//! because pointers, clusters and placements distinguish the nodes of most systems. There is no
//! partial-order reduction: it would lose shortest counterexamples.
//!
//! A [`Search`] finds the shortest path to a [`SearchGoal`] and the largest value of a
//! [`RequestMeasure`], over all orders of events.

mod avoid;
mod goal;
mod graph;
mod search;
mod served;
mod starvation;
pub mod symmetry;

pub use avoid::unavoidable;
pub use goal::{RequestMeasure, SearchGoal};
pub use search::{Search, SearchEnd, SearchPath, follow, possible, walk};

use crate::fingerprint::Fingerprint;
use crate::view::ThreadState;
use crate::world::{Faults, NO_IMPOSSIBLE_MESSAGE, System, UNLIMITED, World};
use crate::{Algorithm, Effects, Event, Network, Setup};
use graph::Graph;
use serde::{Deserialize, Serialize};

/// How far to explore.
#[derive(Clone, Copy, Debug)]
pub struct Bounds {
    /// Requests of the threads of each node together, or [`UNLIMITED`]: then starvation is looked
    /// for.
    pub requests: u32,
    /// How often a waiting thread may cancel, if the algorithm supports it.
    pub cancels: u8,
    /// How many nodes may crash; a crashed node may restart, in its initial state.
    pub crashes: u8,
    /// Stop at this many states.
    pub max_states: usize,
    /// Whether states that differ only by the names of interchangeable nodes count as one; not if
    /// requests never end.
    pub symmetry: bool,
}

impl Default for Bounds {
    fn default() -> Self {
        Bounds { requests: 2, cancels: 0, crashes: 0, max_states: 20_000_000, symmetry: false }
    }
}

/// The result of an exploration. "No violation in these states" is not a proof for larger systems.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct ExplorationResult {
    /// Different states seen.
    pub states: usize,
    /// Steps between them.
    pub transitions: usize,
    /// Depth of the farthest state.
    pub depth: usize,
    /// States without an enabled event.
    pub terminal: usize,
    /// The invariants checked.
    pub invariants: Vec<&'static str>,
    /// How it ended.
    pub outcome: Outcome,
}

/// How an exploration ended.
#[derive(Clone, PartialEq, Debug, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Outcome {
    /// All states were explored and no invariant is violated.
    Ok,
    /// Stopped at the bound without a violation so far.
    Bound,
    /// A shortest counterexample.
    Violation(Counterexample),
}

/// A shortest counterexample.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct Counterexample {
    /// The invariant that is violated.
    pub invariant: &'static str,
    /// The reason, in its last state.
    pub why: String,
    /// The events as text.
    pub steps: Vec<String>,
    /// The events themselves: a [`crate::history::Player`] on the same setup can pick them one
    /// after the other.
    pub events: Vec<Event>,
    /// For starvation: the number of steps at the end of `steps` that can repeat forever.
    pub cycle: usize,
}

/// The invariant of terminal states and of the whole graph.
pub const SERVED: &str = "every request can still be served";
/// The invariant of runs without end.
pub const NO_STARVATION: &str = "no request starves";

/// The progress of an exploration.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct Progress {
    /// Different states seen.
    pub states: usize,
    /// Steps between them.
    pub transitions: usize,
    /// Steps to the states that are being looked at.
    pub depth: usize,
    /// States seen whose successors are not known yet.
    pub frontier: usize,
    /// PathMemory for what is known of all states, in bytes; the states of the frontier themselves
    /// come on top.
    pub bytes: usize,
    /// Roughly the memory of the states of the frontier, in bytes: as if each were as large as the
    /// last.
    pub frontier_bytes: usize,
}

/// An exploration of any algorithm: it advances in slices and continues after a bound.
pub trait Explorer {
    /// Expands this many more states. Returns the result if the exploration is over or has reached
    /// the bound.
    fn advance(&mut self, states: usize) -> Option<ExplorationResult>;
    /// Its progress.
    fn progress(&self) -> Progress;
    /// Continues up to a larger bound.
    fn widen(&mut self, max_states: usize);
    /// The memory that it may take at most, in bytes, while it expands so many more states and
    /// judges the whole graph if it is complete then.
    fn bytes_with(&self, states: usize) -> usize;
    /// Whether it has reached the state with this digest.
    fn saw(&self, fingerprint: u64) -> bool;
}

/// Explores every order of events.
pub fn explore<A: Algorithm>(setup: &Setup, bounds: &Bounds) -> ExplorationResult {
    to_the_end(&mut Exploration::<A>::new(setup, bounds))
}

/// Explores to the end, without pauses.
pub fn to_the_end(explorer: &mut dyn Explorer) -> ExplorationResult {
    loop {
        if let Some(verdict) = explorer.advance(usize::MAX) {
            return verdict;
        }
    }
}

/// A counterexample as choice numbers.
struct ViolationPath {
    invariant: &'static str,
    why: String,
    path: Vec<u32>,
    cycle: usize,
}

/// A breadth-first exploration, layer by layer.
pub struct Exploration<A: Algorithm> {
    system: System<A>,
    bounds: Bounds,
    graph: Graph,
    depth: usize,
    terminal: usize,
    /// The states of this depth that are not expanded, the last one first, and their successors.
    layer: Vec<World<A>>,
    next: Vec<World<A>>,
    /// The gravest violation of this layer: rank, state, reason.
    worst: Option<(usize, u32, String)>,
    scratch: Scratch<A>,
    /// The names that nodes may exchange, where symmetry is used.
    renamings: Vec<symmetry::Renaming>,
    /// The largest number of events that were enabled in one state, and the largest state, in
    /// bytes.
    widest: usize,
    largest: usize,
}

/// PathMemory that is used again and again.
struct Scratch<A: Algorithm> {
    then: World<A>,
    enabled: Vec<Event>,
    later: Vec<Event>,
    effects: Effects<A::Msg>,
}

impl<A: Algorithm> Exploration<A> {
    /// At the beginning.
    pub fn new(setup: &Setup, bounds: &Bounds) -> Self {
        Self::of(System::new(setup.clone()), bounds)
    }

    /// At the beginning of a system.
    pub fn of(system: System<A>, bounds: &Bounds) -> Self {
        let start = first(&system, bounds);
        let used = bounds.symmetry && bounds.requests != UNLIMITED;
        let renamings = if used { symmetry::renamings(&system, &start) } else { Vec::new() };
        let mut graph = Graph::new(bounds.requests == UNLIMITED);
        graph.add_root(symmetry::canonical(system.setup.network, &start, &renamings), start.is_done());
        let mut scratch = Scratch {
            then: start.clone(),
            enabled: Vec::new(),
            later: Vec::new(),
            effects: Effects::new(system.setup.without),
        };
        let worst = judge(&system, &start, &mut scratch.later).map(|(rank, why)| (rank, 0, why));
        let largest = size(&start);
        let next = vec![start];
        let (bounds, layer) = (*bounds, Vec::new());
        let (depth, terminal, widest) = (0, 0, 1);
        Exploration { system, bounds, graph, depth, terminal, layer, next, worst, scratch, renamings, widest, largest }
    }

    /// Finds the successors of one state.
    fn expand(&mut self, world: &World<A>) {
        let Exploration { system, graph, terminal, next, worst, scratch, renamings, widest, largest, .. } = self;
        let Scratch { then, enabled, later, effects } = scratch;
        let state = graph.expand();
        world.enabled(system, enabled);
        *terminal += usize::from(enabled.is_empty());
        *widest = enabled.len().max(*widest);
        for (choice, event) in enabled.iter().enumerate() {
            if redundant(world, enabled, choice) {
                continue;
            }
            then.clone_from(world);
            then.apply(system, *event, effects);
            let action = if graph.labelled { action(system, world, *event) } else { 0 };
            let (target, fresh) = graph.reach(symmetry::canonical(system.setup.network, then, renamings));
            graph.add_edge(target, choice as u16, action);
            if !fresh {
                continue;
            }
            graph.add_state(state, choice as u16, then);
            if let Some((rank, why)) = judge(system, then, later)
                && worst.as_ref().is_none_or(|(r, ..)| rank < *r)
            {
                *worst = Some((rank, target, why));
            }
            *largest = size(then).max(*largest);
            graph::push(next, then.clone());
        }
    }

    fn verdict(&self, found: Option<ViolationPath>, bounded: bool) -> ExplorationResult {
        let invariants = invariants(&self.system, &self.bounds);
        let outcome = match found {
            Some(found) => {
                let (events, steps) = replay(&self.system, &self.bounds, &found.path).into_iter().unzip();
                let ViolationPath { invariant, why, cycle, .. } = found;
                Outcome::Violation(Counterexample { invariant, why, steps, events, cycle })
            }
            None if bounded => Outcome::Bound,
            None => Outcome::Ok,
        };
        ExplorationResult {
            states: self.graph.len(),
            transitions: self.graph.transitions(),
            depth: self.depth,
            terminal: self.terminal,
            invariants,
            outcome,
        }
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

impl<A: Algorithm> Explorer for Exploration<A> {
    fn advance(&mut self, states: usize) -> Option<ExplorationResult> {
        for _ in 0..states {
            let Some(world) = self.layer.pop() else {
                // A violation is reported at the end of its layer: among the shortest, the gravest.
                if let Some((rank, state, why)) = &self.worst {
                    let path = self.graph.path(*state);
                    let found = ViolationPath { invariant: self.name(*rank), why: why.clone(), path, cycle: 0 };
                    self.depth = found.path.len();
                    return Some(self.verdict(Some(found), false));
                }
                if self.next.is_empty() {
                    return Some(self.verdict(whole_graph(&self.graph, &self.system.setup), false));
                }
                std::mem::swap(&mut self.layer, &mut self.next);
                // states are expanded in the order of their discovery
                self.layer.reverse();
                self.depth += usize::from(self.graph.len() > 1);
                continue;
            };
            self.expand(&world);
            if self.graph.len() >= self.bounds.max_states && self.worst.is_none() {
                return Some(self.verdict(None, true));
            }
        }
        None
    }

    fn progress(&self) -> Progress {
        Progress {
            states: self.graph.len(),
            transitions: self.graph.transitions(),
            depth: self.depth,
            frontier: self.layer.len() + self.next.len(),
            bytes: self.graph.bytes(),
            frontier_bytes: self.next.last().or(self.layer.last()).map_or(0, size)
                * (self.layer.len() + self.next.len()),
        }
    }

    fn widen(&mut self, max_states: usize) {
        self.bounds.max_states = max_states;
    }

    fn bytes_with(&self, states: usize) -> usize {
        let edges = states * self.widest;
        let frontier = self.layer.len() + self.next.len();
        // the lists of the frontier may be longer than what is in them, and a list that grows
        // exists twice for a moment
        let unused = self.layer.capacity() + 2 * self.next.capacity() - self.layer.len();
        let lists = (unused + edges) * size_of::<World<A>>();
        let growing = self.graph.bytes_with(edges, edges) + (frontier + edges) * self.largest + lists;
        growing.max(self.graph.bytes() + self.graph.closing_bytes())
    }

    fn saw(&self, fingerprint: u64) -> bool {
        self.graph.has(fingerprint)
    }
}

/// The invariants that an exploration checks: in every state, and on the whole graph.
pub fn invariants<A: Algorithm>(system: &System<A>, bounds: &Bounds) -> Vec<&'static str> {
    let starving = (bounds.requests == UNLIMITED).then_some(NO_STARVATION);
    let in_states = system.invariants.iter().map(|i| i.name);
    in_states.chain([NO_IMPOSSIBLE_MESSAGE, SERVED]).chain(starving).collect()
}

/// The gravest violation in a state, by its rank.
fn judge<A: Algorithm>(system: &System<A>, world: &World<A>, enabled: &mut Vec<Event>) -> Option<(usize, String)> {
    let count = system.invariants.len();
    if let Some(broken) = system.algorithm.broken(system, world) {
        return Some(broken);
    }
    if let Some(why) = world.broken {
        return Some((count, why.into()));
    }
    if world.waiting().next().is_some() {
        world.enabled(system, enabled);
        if enabled.is_empty() {
            let names: Vec<String> = world.waiting().map(|t| system.setup.thread_name(t)).collect();
            return Some((count + 1, format!("no event is enabled and {} still waits", names.join(", "))));
        }
    }
    None
}

/// Violations that only the whole graph shows.
fn whole_graph(graph: &Graph, setup: &Setup) -> Option<ViolationPath> {
    if let Some(state) = served::doomed(graph) {
        let why = "whatever happens next, a thread waits forever".into();
        return Some(ViolationPath { invariant: SERVED, why, path: graph.path(state), cycle: 0 });
    }
    if graph.labelled { starvation::fair_cycle(graph, setup) } else { None }
}

/// The state in which an exploration begins.
pub fn first<A: Algorithm>(system: &System<A>, bounds: &Bounds) -> World<A> {
    let faults = Faults { cancels: bounds.cancels, crashes: bounds.crashes, ..Faults::of(system.setup.network) };
    World::start(system, bounds.requests, faults)
}

/// Roughly the memory of a state; heap memory of nodes and messages is assumed to be as large
/// again.
fn size<A: Algorithm>(world: &World<A>) -> usize {
    let nodes = world.nodes.len() * (2 * size_of::<A::Node>() + size_of::<u32>() + 1);
    let flights = world.flights.capacity() * 2 * size_of::<crate::world::Flight<A::Msg>>();
    size_of::<World<A>>() + nodes + flights + size_of_val(world.threads.as_slice())
}

/// Whether an enabled event leads to the same state, up to names, as one before it in the list.
fn redundant<A: Algorithm>(world: &World<A>, enabled: &[Event], choice: usize) -> bool {
    if let Some(asks) = enabled[choice].asks() {
        let at = world.threads[asks.index()].at;
        return world.threads[..asks.index()].iter().any(|t| t.at == at && t.doing == ThreadState::Idle);
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

/// The action of an event, for fairness: an event that cannot be postponed forever has the same
/// action in every state; others have 0.
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
