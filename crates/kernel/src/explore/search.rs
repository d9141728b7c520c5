//! Search for the shortest path to a goal and for the worst case of one request: breadth first over
//! states together with a memory of the path. Compiled once, over boxed nodes and messages, because
//! the systems are small.

use super::goal::{ObservedEvent, PathMemory, SearchGoal};
use super::graph::Graph;
use super::{Bounds, Progress, first, redundant};
use crate::erased::Dyn;
use crate::world::{System, World};
use crate::{Effects, Event};
use std::collections::VecDeque;

/// A shortest path to the goal.
#[derive(Clone, PartialEq, Debug)]
pub struct SearchPath {
    /// The largest value of the measure; 0 if the goal is not a measure.
    pub value: u32,
    /// The events.
    pub events: Vec<Event>,
    /// In words.
    pub steps: Vec<String>,
}

/// How a search ended.
#[derive(Clone, PartialEq, Debug)]
pub struct SearchEnd {
    /// A shortest path there; with [`SearchGoal::Most`] to the largest value found.
    pub found: Option<SearchPath>,
    /// Whether the answer is final: all states were visited, or the goal was reached.
    pub complete: bool,
}

/// A search in progress.
pub struct Search {
    system: System<Dyn>,
    bounds: Bounds,
    goal: SearchGoal,
    /// The value of a measure from which on it counts as unbounded.
    enough: u32,
    graph: Graph,
    queue: VecDeque<(World<Dyn>, PathMemory)>,
    expanded: u32,
    best: Option<(u32, u32)>,
    reached: Option<u32>,
    /// The largest number of states that one state led to.
    widest: usize,
}

impl Search {
    /// At the beginning. With [`SearchGoal::Most`] it stops at the value `enough`.
    pub fn new(system: System<Dyn>, bounds: &Bounds, goal: SearchGoal, enough: u32) -> Self {
        let start = first(&system, bounds);
        let mut graph = Graph::new(false);
        graph.add_root(PathMemory::NONE.digest(&start), start.is_done());
        let reached = PathMemory::NONE.reaches(&goal, &system, &start).then_some(0);
        let queue = VecDeque::from([(start, PathMemory::NONE)]);
        Search { system, bounds: *bounds, goal, enough, graph, queue, expanded: 0, best: None, reached, widest: 1 }
    }

    /// Expands this many more states. Returns the end if the search is over or has reached the
    /// bound.
    pub fn advance(&mut self, states: usize) -> Option<SearchEnd> {
        for _ in 0..states {
            if self.reached.is_some() {
                return Some(self.ended(true));
            }
            if self.graph.len() >= self.bounds.max_states {
                return Some(self.ended(false));
            }
            let Some((world, memory)) = self.queue.pop_front() else { return Some(self.ended(true)) };
            self.expand(&world, memory);
        }
        None
    }

    /// To the end without pauses.
    pub fn finish(&mut self) -> SearchEnd {
        loop {
            if let Some(ended) = self.advance(usize::MAX) {
                return ended;
            }
        }
    }

    /// The result so far, if the search is stopped.
    pub fn stop(&self) -> SearchEnd {
        self.ended(false)
    }

    /// Its progress.
    pub fn progress(&self) -> Progress {
        Progress {
            states: self.graph.len(),
            frontier: self.queue.len(),
            bytes: self.graph.bytes(),
            frontier_bytes: self.queue.len() * self.queue.back().map_or(0, |(world, _)| super::size(world)),
            ..Progress::default()
        }
    }

    /// The memory that it may take at most, in bytes, while it expands so many more states.
    pub fn bytes_with(&self, states: usize) -> usize {
        let each = self.queue.front().into_iter().chain(self.queue.back()).map(|(world, _)| super::size(world)).max();
        let added = states * self.widest;
        let list = 2 * self.queue.capacity() * size_of::<(World<Dyn>, PathMemory)>();
        self.graph.bytes_with(added, 0) + (self.queue.len() + added) * each.unwrap_or(0) + list
    }

    fn expand(&mut self, world: &World<Dyn>, memory: PathMemory) {
        let state = self.expanded;
        self.expanded += 1;
        if memory.is_over() {
            return;
        }
        let (mut enabled, mut memories) = (Vec::new(), Vec::new());
        let mut effects = Effects::new(self.system.setup.without);
        world.enabled(&self.system, &mut enabled);
        let before = self.graph.len();
        for (choice, event) in enabled.iter().enumerate() {
            if redundant(world, &enabled, choice) && !concerns(*event, memory) {
                continue;
            }
            let mut then = world.clone();
            let happened = then.apply(&self.system, *event, &mut effects);
            let arrived = if let Event::Deliver(id) = event { world.flight(*id).map(|f| &f.msg) } else { None };
            let seen = ObservedEvent { event: *event, arrived, after: &then, effects: &effects, happened: &happened };
            memories.clear();
            memory.step(&self.goal, &seen, &mut memories);
            for memory in &memories {
                let (target, fresh) = self.graph.reach(memory.digest(&then));
                if !fresh {
                    continue;
                }
                self.graph.add_state(state, choice as u16, &then);
                self.note(target, &then, *memory);
                if self.reached.is_some() {
                    return;
                }
                self.queue.push_back((then.clone(), *memory));
            }
        }
        self.widest = self.widest.max(self.graph.len() - before);
    }

    fn note(&mut self, state: u32, world: &World<Dyn>, memory: PathMemory) {
        if let SearchGoal::Most(measure) = &self.goal {
            if let Some(value) = memory.value(*measure)
                && self.best.is_none_or(|(best, _)| value > best)
            {
                self.best = Some((value, state));
                self.reached = (value >= self.enough).then_some(state);
            }
        } else if memory.reaches(&self.goal, &self.system, world) {
            self.reached = Some(state);
        }
    }

    fn ended(&self, complete: bool) -> SearchEnd {
        let at = self.reached.map(|state| (self.best.map_or(0, |(value, _)| value), state)).or(self.best);
        let found = at.map(|(value, state)| {
            let path = self.graph.path(state);
            let (events, steps) = super::replay(&self.system, &self.bounds, &path).into_iter().unzip();
            SearchPath { value, events, steps }
        });
        SearchEnd { found, complete }
    }
}

/// Whether an event moves the watched message, which then differs from equal messages.
fn concerns(event: Event, memory: PathMemory) -> bool {
    matches!(event, Event::Deliver(id) | Event::Drop(id) | Event::Duplicate(id) if memory.flight() == Some(id))
}

/// The number of these events after which the goal is reached for the first time. `None` if it is
/// not, or if an event is not possible within the bounds.
pub fn follow(system: &System<Dyn>, bounds: &Bounds, goal: &SearchGoal, events: &[Event]) -> Option<usize> {
    let mut world = first(system, bounds);
    let mut effects = Effects::new(system.setup.without);
    let (mut enabled, mut memories, mut next) = (Vec::new(), vec![PathMemory::NONE], Vec::new());
    let reached = |memories: &[PathMemory], world: &World<Dyn>| memories.iter().any(|m| m.reaches(goal, system, world));
    for (step, event) in events.iter().enumerate() {
        if reached(&memories, &world) {
            return Some(step);
        }
        world.enabled(system, &mut enabled);
        if !enabled.contains(event) {
            return None;
        }
        let arrived = if let Event::Deliver(id) = event { world.flight(*id).map(|f| f.msg.clone()) } else { None };
        let happened = world.apply(system, *event, &mut effects);
        let seen = ObservedEvent {
            event: *event,
            arrived: arrived.as_ref(),
            after: &world,
            effects: &effects,
            happened: &happened,
        };
        next.clear();
        for memory in memories.iter().filter(|m| !m.is_over()) {
            memory.step(goal, &seen, &mut next);
        }
        std::mem::swap(&mut memories, &mut next);
    }
    reached(&memories, &world).then_some(events.len())
}

/// The events enabled within the bounds after these events; empty if one of them is not enabled.
pub fn possible(system: &System<Dyn>, bounds: &Bounds, events: &[Event]) -> Vec<Event> {
    let mut world = first(system, bounds);
    let mut effects = Effects::new(system.setup.without);
    let mut enabled = Vec::new();
    world.enabled(system, &mut enabled);
    for event in events {
        if !enabled.contains(event) {
            return Vec::new();
        }
        world.apply(system, *event, &mut effects);
        world.enabled(system, &mut enabled);
    }
    enabled
}

/// A random walk within the bounds: `pick` chooses among so many events, `visit` is shown the
/// digest of every state. Of the idle threads of a node the first requests, as in an exploration.
pub fn walk(
    system: &System<Dyn>,
    bounds: &Bounds,
    steps: usize,
    pick: &mut dyn FnMut(u32) -> u32,
    visit: &mut dyn FnMut(u64),
) {
    let mut world = first(system, bounds);
    let mut effects = Effects::new(system.setup.without);
    let mut enabled = Vec::new();
    for _ in 0..steps {
        visit(world.fingerprint());
        world.enabled(system, &mut enabled);
        let able = |c: &usize| enabled[*c].asks().is_none() || !redundant(&world, &enabled, *c);
        let able: Vec<usize> = (0..enabled.len()).filter(able).collect();
        if able.is_empty() {
            return;
        }
        let event = enabled[able[pick(able.len() as u32) as usize]];
        world.apply(system, event, &mut effects);
    }
    visit(world.fingerprint());
}
