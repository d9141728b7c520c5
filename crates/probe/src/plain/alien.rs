//! Hand-written loops for Figures 3, 4 and 5 of Meza, Pérez and Eterovic 2005: both versions of
//! alien threads, and Mueller's path reversal.
//!
//! They follow the descriptions in `crates/algorithms`, with plain arrays and without the kernel:
//! 31 nodes in a binary tree, several threads each, critical-section time 0.01, message delays
//! 0.1·U(0,1), FIFO network. A request to return the token travels with the token.

use super::{NONE, PlainEvent, PlainEventKind, PlainLoop, PlainResult, PlainTally, parents};
use std::collections::VecDeque;

const NODES: usize = 31;
const SECTION: f64 = 0.01;
/// A queue entry is a thread or, with this bit, the alien thread of a node.
const ALIEN: u32 = 1 << 31;

/// The algorithm of a loop.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Scheme {
    /// Alien threads that forward a request in the name of their host.
    AlienV1,
    /// Alien threads that pass a request on if no thread waits at their host.
    AlienV2,
    /// Path reversal with a queue entry for each request.
    Mueller,
}

/// Runs a loop with `threads` threads at each node and a request rate.
pub fn run(scheme: Scheme, threads: u32, rate: f64, entries: u64, seed: u64) -> PlainResult {
    match scheme {
        Scheme::AlienV1 => alien(false, threads, rate, entries, seed),
        Scheme::AlienV2 => alien(true, threads, rate, entries, seed),
        Scheme::Mueller => mueller(threads, rate, entries, seed),
    }
}

/// The load: requests arrive while a thread of the node is idle, and a random idle thread requests.
struct PlainUsers {
    rate: f64,
    idle: Vec<Vec<u32>>,
    since: Vec<f64>,
}

impl PlainUsers {
    fn new(threads: u32, rate: f64, sim: &mut PlainLoop) -> PlainUsers {
        for node in 0..NODES as u32 {
            let time = sim.exponential(rate);
            sim.schedule(time, PlainEventKind::Arrival, node, 0);
        }
        let idle = (0..NODES as u32).map(|node| (node * threads..(node + 1) * threads).collect()).collect();
        PlainUsers { rate, idle, since: vec![0.0; NODES * threads as usize] }
    }

    fn request(&mut self, node: u32, sim: &mut PlainLoop) -> u32 {
        let idle = &mut self.idle[node as usize];
        let pick = if idle.len() > 1 { (sim.uniform() * idle.len() as f64) as usize } else { 0 };
        let thread = idle.swap_remove(pick);
        self.since[thread as usize] = sim.now;
        if !idle.is_empty() {
            let time = sim.now + sim.exponential(self.rate);
            sim.schedule(time, PlainEventKind::Arrival, node, 0);
        }
        thread
    }

    fn leave(&mut self, node: u32, thread: u32, sim: &mut PlainLoop) {
        let idle = &mut self.idle[node as usize];
        idle.push(thread);
        if idle.len() == 1 {
            let time = sim.now + sim.exponential(self.rate);
            sim.schedule(time, PlainEventKind::Arrival, node, 0);
        }
    }
}

/// A node of the alien-threads algorithm; it holds the token if it has no owner.
struct AlienHost {
    owner: u32,
    requested: bool,
    inside: bool,
    queue: VecDeque<u32>,
}

fn alien(forwarding: bool, threads: u32, rate: f64, entries: u64, seed: u64) -> PlainResult {
    let host = |owner| AlienHost { owner, requested: false, inside: false, queue: VecDeque::with_capacity(64) };
    let mut hosts: Vec<AlienHost> = parents(NODES).into_iter().map(host).collect();
    let mut sim = PlainLoop::new(NODES, seed);
    let mut users = PlainUsers::new(threads, rate, &mut sim);
    let mut tally = PlainTally::default();
    while tally.entries < entries {
        let Some(PlainEvent { time, node, who, kind, .. }) = sim.heap.pop() else { break };
        sim.now = time;
        tally.events += 1;
        let host = &mut hosts[node as usize];
        let mut free = false; // whether the head of the queue gets the token
        match kind {
            PlainEventKind::Arrival => {
                let thread = users.request(node, &mut sim);
                free = wait(host, node, thread, &mut sim);
            }
            PlainEventKind::Leave => {
                tally.entries += 1;
                host.inside = false;
                free = true;
                users.leave(node, who, &mut sim);
            }
            PlainEventKind::Request => {
                if forwarding && host.owner != NONE && host.queue.is_empty() {
                    sim.send(node, host.owner, PlainEventKind::Request, who);
                } else {
                    free = wait(host, node, who | ALIEN, &mut sim);
                }
            }
            PlainEventKind::Token => {
                host.owner = NONE;
                host.requested = false;
                if who != NONE {
                    host.queue.push_back(who | ALIEN);
                }
                free = true;
            }
        }
        if free && let Some(first) = host.queue.pop_front() {
            if first & ALIEN == 0 {
                host.inside = true;
                tally.entered(time - users.since[first as usize]);
                sim.schedule(time + SECTION, PlainEventKind::Leave, node, first);
            } else {
                host.owner = first & !ALIEN;
                host.requested = !host.queue.is_empty();
                sim.send(node, host.owner, PlainEventKind::Token, if host.requested { node } else { NONE });
            }
        }
    }
    tally.finish(sim.messages)
}

/// Adds an entry to the queue of a node and requests the token if necessary. Returns whether the
/// token is here and free.
fn wait(host: &mut AlienHost, node: u32, who: u32, sim: &mut PlainLoop) -> bool {
    host.queue.push_back(who);
    if host.owner != NONE && !host.requested {
        host.requested = true;
        sim.send(node, host.owner, PlainEventKind::Request, node);
    }
    host.owner == NONE && !host.inside && host.queue.len() == 1
}

/// A node of Mueller's algorithm: its waiting threads, and its runs of the distributed queue, each
/// with its successor.
struct MuellerPeer {
    owner: u32,
    token: bool,
    inside: bool,
    waiting: VecDeque<u32>,
    runs: VecDeque<(u32, u32)>,
}

fn mueller(threads: u32, rate: f64, entries: u64, seed: u64) -> PlainResult {
    let peer = |owner| MuellerPeer {
        owner,
        token: owner == NONE,
        inside: false,
        waiting: VecDeque::with_capacity(16),
        runs: VecDeque::with_capacity(16),
    };
    let mut peers: Vec<MuellerPeer> = parents(NODES).into_iter().map(peer).collect();
    let mut sim = PlainLoop::new(NODES, seed);
    let mut users = PlainUsers::new(threads, rate, &mut sim);
    let mut tally = PlainTally::default();
    while tally.entries < entries {
        let Some(PlainEvent { time, node, who, kind, .. }) = sim.heap.pop() else { break };
        sim.now = time;
        tally.events += 1;
        let peer = &mut peers[node as usize];
        match kind {
            PlainEventKind::Arrival => {
                let thread = users.request(node, &mut sim);
                peer.waiting.push_back(thread);
                match peer.runs.back_mut() {
                    Some((count, _)) if peer.owner == NONE => *count += 1,
                    _ => {
                        if peer.owner != NONE {
                            sim.send(node, peer.owner, PlainEventKind::Request, node);
                            peer.owner = NONE;
                        }
                        peer.runs.push_back((1, NONE));
                    }
                }
            }
            PlainEventKind::Leave => {
                tally.entries += 1;
                peer.inside = false;
                peer.runs[0].0 -= 1;
                if let (0, next) = peer.runs[0] {
                    peer.runs.pop_front();
                    if next != NONE {
                        peer.token = false;
                        sim.send(node, next, PlainEventKind::Token, 0);
                    }
                }
                users.leave(node, who, &mut sim);
            }
            PlainEventKind::Request => {
                if peer.owner != NONE {
                    sim.send(node, peer.owner, PlainEventKind::Request, who);
                } else if let Some((_, next)) = peer.runs.back_mut() {
                    *next = who;
                } else {
                    peer.token = false;
                    sim.send(node, who, PlainEventKind::Token, 0);
                }
                peer.owner = who;
            }
            PlainEventKind::Token => peer.token = true,
        }
        if peer.token
            && !peer.inside
            && let Some(thread) = peer.waiting.pop_front()
        {
            peer.inside = true;
            tally.entered(time - users.since[thread as usize]);
            sim.schedule(time + SECTION, PlainEventKind::Leave, node, thread);
        }
    }
    tally.finish(sim.messages)
}
