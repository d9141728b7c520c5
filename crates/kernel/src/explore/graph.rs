//! The graph of all states reached: a digest and about twenty bytes for each state, four to sixteen
//! for each transition; not the states themselves.

use crate::world::World;
use crate::{Algorithm, ThreadId};
use hashbrown::HashTable;

/// States by number in the order of discovery, which is also the order in which they are expanded.
pub struct Graph {
    /// Whether edges carry actions (for fairness).
    pub labelled: bool,
    digests: Vec<u64>,
    /// The states by digest.
    index: HashTable<u32>,
    parents: Vec<u32>,
    parent_choices: Vec<u16>,
    first_edge: Vec<u32>,
    targets: Vec<u32>,
    choices: Vec<u16>,
    actions: Vec<u64>,
    /// Whether everything is served in a state.
    done: Vec<bool>,
    /// The threads that wait in a state, as bits (only where edges are labelled).
    waiting: Vec<u64>,
}

impl Graph {
    pub fn new(labelled: bool) -> Self {
        Graph {
            labelled,
            digests: Vec::new(),
            index: HashTable::new(),
            parents: Vec::new(),
            parent_choices: Vec::new(),
            first_edge: Vec::new(),
            targets: Vec::new(),
            choices: Vec::new(),
            actions: Vec::new(),
            done: Vec::new(),
            waiting: Vec::new(),
        }
    }

    pub fn len(&self) -> usize {
        self.digests.len()
    }

    /// The memory that this takes, in bytes.
    pub fn bytes(&self) -> usize {
        fn of<T>(list: &Vec<T>) -> usize {
            list.capacity() * size_of::<T>()
        }
        of(&self.digests)
            + self.index.allocation_size()
            + of(&self.parents)
            + of(&self.parent_choices)
            + of(&self.first_edge)
            + of(&self.targets)
            + of(&self.choices)
            + of(&self.actions)
            + of(&self.done)
            + of(&self.waiting)
    }

    /// The state with that digest, and whether it is new: then [`Self::add_state`] has to follow.
    pub fn reach(&mut self, digest: u64) -> (u32, bool) {
        let fresh = self.digests.len() as u32;
        let digests = &self.digests;
        let entry = self.index.entry(digest, |i| digests[*i as usize] == digest, |i| digests[*i as usize]);
        let state = *entry.or_insert(fresh).get();
        if state == fresh {
            self.digests.push(digest);
        }
        (state, state == fresh)
    }

    /// Whether a state has that digest.
    pub fn has(&self, digest: u64) -> bool {
        self.index.find(digest, |i| self.digests[*i as usize] == digest).is_some()
    }

    pub fn transitions(&self) -> usize {
        self.targets.len()
    }

    pub fn add_root(&mut self, digest: u64, done: bool) {
        self.reach(digest);
        self.parents.push(0);
        self.parent_choices.push(0);
        self.done.push(done);
        self.waiting.push(0);
    }

    pub fn add_state<A: Algorithm>(&mut self, parent: u32, choice: u16, world: &World<A>) {
        self.parents.push(parent);
        self.parent_choices.push(choice);
        self.done.push(world.is_done());
        if self.labelled {
            self.waiting.push(world.waiting().filter(|t| t.0 < 64).fold(0, |bits, t| bits | 1 << t.0));
        }
    }

    /// The next state to expand.
    pub fn expand(&mut self) -> u32 {
        self.first_edge.push(self.targets.len() as u32);
        self.first_edge.len() as u32 - 1
    }

    pub fn add_edge(&mut self, target: u32, choice: u16, action: u64) {
        self.targets.push(target);
        if self.labelled {
            self.choices.push(choice);
            self.actions.push(action);
        }
    }

    fn range(&self, state: u32) -> std::ops::Range<usize> {
        let from = self.first_edge.get(state as usize).map_or(self.targets.len(), |i| *i as usize);
        let to = self.first_edge.get(state as usize + 1).map_or(self.targets.len(), |i| *i as usize);
        from..to
    }

    /// The states that a state leads to.
    pub fn successors(&self, state: u32) -> &[u32] {
        &self.targets[self.range(state)]
    }

    /// The steps out of a state: target, choice, action.
    pub fn steps(&self, state: u32) -> impl Iterator<Item = (u32, u16, u64)> + '_ {
        self.range(state).map(|i| (self.targets[i], self.choices[i], self.actions[i]))
    }

    pub fn is_done(&self, state: u32) -> bool {
        self.done[state as usize]
    }

    pub fn waits(&self, state: u32, thread: ThreadId) -> bool {
        self.waiting[state as usize] >> thread.0 & 1 == 1
    }

    /// The choices that lead from the beginning to a state, the fewest.
    pub fn path(&self, mut state: u32) -> Vec<u32> {
        let mut path = Vec::new();
        while state != 0 {
            path.push(u32::from(self.parent_choices[state as usize]));
            state = self.parents[state as usize];
        }
        path.reverse();
        path
    }
}
