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

    /// The memory that this may take at most while so many more states with so many more edges
    /// come, in bytes: a list that grows exists twice for a moment.
    pub fn bytes_with(&self, states: usize, edges: usize) -> usize {
        let (mut more, mut twice) = (0, 0);
        let mut grow = |capacity: usize, len: usize, adds: usize, size: usize| {
            if len + adds > capacity {
                more += (grown(capacity).max(len + adds) - capacity) * size;
                twice = twice.max(capacity * size);
            }
        };
        grow(self.digests.capacity(), self.digests.len(), states, 8);
        grow(self.parents.capacity(), self.parents.len(), states, 4);
        grow(self.parent_choices.capacity(), self.parent_choices.len(), states, 2);
        grow(self.first_edge.capacity(), self.first_edge.len(), states, 4);
        grow(self.done.capacity(), self.done.len(), states, 1);
        grow(self.targets.capacity(), self.targets.len(), edges, 4);
        if self.labelled {
            grow(self.waiting.capacity(), self.waiting.len(), states, 8);
            grow(self.choices.capacity(), self.choices.len(), edges, 2);
            grow(self.actions.capacity(), self.actions.len(), edges, 8);
        }
        let index = self.index.allocation_size();
        let index = if self.index.len() + states > self.index.capacity() { 2 * index.max(1 << 12) } else { 0 };
        self.bytes() + more + twice.max(index) + if twice < index { twice } else { 0 }
    }

    /// The memory that judging the whole graph takes on top, in bytes: see `served` and
    /// `starvation`.
    pub fn closing_bytes(&self) -> usize {
        let each = if self.labelled { 48 } else { 26 };
        each * self.len() + size_of::<u32>() * self.transitions()
    }

    /// The state with that digest, and whether it is new: then [`Self::add_state`] has to follow.
    pub fn reach(&mut self, digest: u64) -> (u32, bool) {
        let fresh = self.digests.len() as u32;
        let digests = &self.digests;
        let entry = self.index.entry(digest, |i| digests[*i as usize] == digest, |i| digests[*i as usize]);
        let state = *entry.or_insert(fresh).get();
        if state == fresh {
            push(&mut self.digests, digest);
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
        push(&mut self.parents, parent);
        push(&mut self.parent_choices, choice);
        push(&mut self.done, world.is_done());
        if self.labelled {
            let waiting = world.waiting().filter(|t| t.0 < 64).fold(0, |bits, t| bits | 1 << t.0);
            push(&mut self.waiting, waiting);
        }
    }

    /// The next state to expand.
    pub fn expand(&mut self) -> u32 {
        push(&mut self.first_edge, self.targets.len() as u32);
        self.first_edge.len() as u32 - 1
    }

    pub fn add_edge(&mut self, target: u32, choice: u16, action: u64) {
        push(&mut self.targets, target);
        if self.labelled {
            push(&mut self.choices, choice);
            push(&mut self.actions, action);
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

/// The capacity that a full list of this capacity grows to. A large one grows by a quarter, not to
/// twice its size: memory is what ends an exploration.
fn grown(capacity: usize) -> usize {
    if capacity < 1 << 16 { (2 * capacity).max(8) } else { capacity + capacity / 4 }
}

/// Adds an item to a list that may become very long.
pub fn push<T>(list: &mut Vec<T>, item: T) {
    if list.len() == list.capacity() {
        list.reserve_exact(grown(list.capacity()) - list.len());
    }
    list.push(item);
}
