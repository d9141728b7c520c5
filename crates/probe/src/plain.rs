//! The baseline of the simulator's benchmarks: a hand-written loop of Naimi–Tréhel path reversal
//! with one thread at each node.
//!
//! It is what a competent programmer writes in an afternoon: floating-point time, the standard
//! library's heap of 24-byte events, one PCG generator, plain arrays, nothing generic. It measures
//! the same quantities in the same model, so that each can verify the other. [`alien`] has the
//! loops of another study on the same heap.

pub mod alien;

use rand::{Rng, SeedableRng};
use rand_pcg::Pcg32;
use std::cmp::Ordering;
use std::collections::{BinaryHeap, HashMap};

const NONE: u32 = u32::MAX;

#[derive(Clone, Copy, PartialEq, Eq)]
enum PlainEventKind {
    Arrival,
    Leave,
    Request,
    Token,
}

#[derive(Clone, Copy)]
struct PlainEvent {
    time: f64,
    seq: u32,
    node: u32,
    who: u32,
    kind: PlainEventKind,
}

impl PartialEq for PlainEvent {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}
impl Eq for PlainEvent {}
impl PartialOrd for PlainEvent {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}
impl Ord for PlainEvent {
    // the heap pops the greatest event, which must be the earliest
    fn cmp(&self, other: &Self) -> Ordering {
        other.time.total_cmp(&self.time).then(other.seq.cmp(&self.seq))
    }
}

/// The time of the last delivery on each channel.
enum PlainChannels {
    Dense(Vec<f64>),
    Sparse(HashMap<(u32, u32), f64>),
}

/// The measures of a hand-written loop.
#[derive(Clone, Copy, Debug)]
pub struct PlainResult {
    /// Messages per entry.
    pub messages_per_entry: f64,
    /// Mean waiting time.
    pub waiting: f64,
    /// Its standard deviation.
    pub waiting_sd: f64,
    /// Requests, releases and deliveries.
    pub events: u64,
}

/// Sums over entries.
#[derive(Default)]
struct PlainTally {
    entries: u64,
    waited: f64,
    squares: f64,
    events: u64,
}

impl PlainTally {
    fn entered(&mut self, waited: f64) {
        self.waited += waited;
        self.squares += waited * waited;
    }

    fn finish(self, messages: u64) -> PlainResult {
        let n = self.entries as f64;
        let mean = self.waited / n;
        PlainResult {
            messages_per_entry: messages as f64 / n,
            waiting: mean,
            waiting_sd: (self.squares / n - mean * mean).max(0.0).sqrt(),
            events: self.events,
        }
    }
}

struct PlainLoop {
    n: usize,
    now: f64,
    seq: u32,
    heap: BinaryHeap<PlainEvent>,
    rng: Pcg32,
    channels: PlainChannels,
    messages: u64,
}

// Inlined into every loop, as if each were a separate program.
impl PlainLoop {
    fn new(n: usize, seed: u64) -> PlainLoop {
        PlainLoop {
            n,
            now: 0.0,
            seq: 0,
            heap: BinaryHeap::with_capacity(2 * n),
            rng: Pcg32::seed_from_u64(seed),
            channels: if n <= 2048 {
                PlainChannels::Dense(vec![0.0; n * n])
            } else {
                PlainChannels::Sparse(HashMap::new())
            },
            messages: 0,
        }
    }

    #[inline(always)]
    fn uniform(&mut self) -> f64 {
        f64::from(self.rng.next_u32()) / 4_294_967_296.0
    }

    #[inline(always)]
    #[expect(clippy::disallowed_methods, reason = "what one writes by hand; its bits need not be portable")]
    fn exponential(&mut self, rate: f64) -> f64 {
        -(1.0 - self.uniform()).ln() / rate
    }

    #[inline(always)]
    fn schedule(&mut self, time: f64, kind: PlainEventKind, node: u32, who: u32) {
        self.seq += 1;
        self.heap.push(PlainEvent { time, seq: self.seq, node, who, kind });
    }

    #[inline(always)]
    fn send(&mut self, from: u32, to: u32, kind: PlainEventKind, who: u32) {
        let mut due = self.now + 0.1 * self.uniform();
        let last = match &mut self.channels {
            PlainChannels::Dense(last) => &mut last[from as usize * self.n + to as usize],
            PlainChannels::Sparse(last) => last.entry((from, to)).or_insert(0.0),
        };
        due = due.max(*last);
        *last = due;
        self.messages += 1;
        self.schedule(due, kind, to, who);
    }
}

/// Runs the loop: `n` nodes in a binary tree, request rate 0.5, critical-section time 0.01, message
/// delays 0.1·U(0,1), FIFO network.
pub fn run(n: usize, entries: u64, seed: u64) -> PlainResult {
    let (rate, section) = (0.5, 0.01);
    let mut owner = parents(n);
    let mut next = vec![NONE; n];
    let mut requesting = vec![false; n];
    let mut since = vec![0.0; n];
    let mut sim = PlainLoop::new(n, seed);
    for node in 0..n as u32 {
        let time = sim.exponential(rate);
        sim.schedule(time, PlainEventKind::Arrival, node, 0);
    }
    let mut tally = PlainTally::default();
    while tally.entries < entries {
        let Some(PlainEvent { time, node, who, kind, .. }) = sim.heap.pop() else { break };
        sim.now = time;
        tally.events += 1;
        let i = node as usize;
        match kind {
            PlainEventKind::Arrival => {
                requesting[i] = true;
                since[i] = time;
                if owner[i] == NONE {
                    sim.schedule(time + section, PlainEventKind::Leave, node, 0);
                } else {
                    sim.send(node, owner[i], PlainEventKind::Request, node);
                    owner[i] = NONE;
                }
            }
            PlainEventKind::Leave => {
                requesting[i] = false;
                if next[i] != NONE {
                    sim.send(node, next[i], PlainEventKind::Token, 0);
                    next[i] = NONE;
                }
                let time = time + sim.exponential(rate);
                sim.schedule(time, PlainEventKind::Arrival, node, 0);
                tally.entries += 1;
            }
            PlainEventKind::Request => {
                if owner[i] != NONE {
                    sim.send(node, owner[i], PlainEventKind::Request, who);
                } else if requesting[i] {
                    next[i] = who;
                } else {
                    sim.send(node, who, PlainEventKind::Token, 0);
                }
                owner[i] = who;
            }
            PlainEventKind::Token => {
                tally.entered(time - since[i]);
                sim.schedule(time + section, PlainEventKind::Leave, node, 0);
            }
        }
    }
    tally.finish(sim.messages)
}

/// The parents of a binary tree; the root has none.
fn parents(n: usize) -> Vec<u32> {
    (0..n).map(|i| if i == 0 { NONE } else { ((i - 1) / 2) as u32 }).collect()
}
