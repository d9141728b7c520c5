//! Hand-written loops for Figures 3, 4 and 5 of the alien-threads paper: alien threads in both versions, and Mueller's path reversal.
//!
//! Written from what `crates/algorithms` says of them, with plain arrays and nothing of the kernel: 31 nodes in a binary tree, several
//! threads each, section 0.01, delays 0.1·U(0,1), FIFO channels, the request to have the token back travels with it.

use super::{Event, Kind, Loop, NONE, Plain, Tally, parents};
use std::collections::VecDeque;

const NODES: usize = 31;
const SECTION: f64 = 0.01;
/// Who waits at a node is a thread, or with this bit the alien of a node.
const ALIEN: u32 = 1 << 31;

/// Which loop.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Scheme {
    /// Alien threads that ask on in the name of the node where they sit.
    AlienV1,
    /// Alien threads that pass requests on where nobody waits.
    AlienV2,
    /// Path reversal, each request in the queue by itself.
    Mueller,
}

/// Runs a loop with so many threads at each node, and requests at this rate.
pub fn run(scheme: Scheme, threads: u32, rate: f64, entries: u64, seed: u64) -> Plain {
    match scheme {
        Scheme::AlienV1 => alien(false, threads, rate, entries, seed),
        Scheme::AlienV2 => alien(true, threads, rate, entries, seed),
        Scheme::Mueller => mueller(threads, rate, entries, seed),
    }
}

/// Requests arrive while a thread of the node is idle, and a random idle one asks.
struct Users {
    rate: f64,
    idle: Vec<Vec<u32>>,
    since: Vec<f64>,
}

impl Users {
    fn new(threads: u32, rate: f64, sim: &mut Loop) -> Users {
        for node in 0..NODES as u32 {
            let time = sim.exponential(rate);
            sim.schedule(time, Kind::Arrival, node, 0);
        }
        let idle = (0..NODES as u32).map(|node| (node * threads..(node + 1) * threads).collect()).collect();
        Users { rate, idle, since: vec![0.0; NODES * threads as usize] }
    }

    fn ask(&mut self, node: u32, sim: &mut Loop) -> u32 {
        let idle = &mut self.idle[node as usize];
        let pick = if idle.len() > 1 { (sim.uniform() * idle.len() as f64) as usize } else { 0 };
        let thread = idle.swap_remove(pick);
        self.since[thread as usize] = sim.now;
        if !idle.is_empty() {
            let time = sim.now + sim.exponential(self.rate);
            sim.schedule(time, Kind::Arrival, node, 0);
        }
        thread
    }

    fn leave(&mut self, node: u32, thread: u32, sim: &mut Loop) {
        let idle = &mut self.idle[node as usize];
        idle.push(thread);
        if idle.len() == 1 {
            let time = sim.now + sim.exponential(self.rate);
            sim.schedule(time, Kind::Arrival, node, 0);
        }
    }
}

/// A node of the alien-threads algorithm; it has the token if it has no owner.
struct Host {
    owner: u32,
    asked: bool,
    inside: bool,
    queue: VecDeque<u32>,
}

fn alien(forwarding: bool, threads: u32, rate: f64, entries: u64, seed: u64) -> Plain {
    let host = |owner| Host { owner, asked: false, inside: false, queue: VecDeque::with_capacity(64) };
    let mut hosts: Vec<Host> = parents(NODES).into_iter().map(host).collect();
    let mut sim = Loop::new(NODES, seed);
    let mut users = Users::new(threads, rate, &mut sim);
    let mut tally = Tally::default();
    while tally.entries < entries {
        let Some(Event { time, node, who, kind, .. }) = sim.heap.pop() else { break };
        sim.now = time;
        tally.events += 1;
        let host = &mut hosts[node as usize];
        let mut free = false; // whether the head of the queue gets the token
        match kind {
            Kind::Arrival => {
                let thread = users.ask(node, &mut sim);
                free = wait(host, node, thread, &mut sim);
            }
            Kind::Leave => {
                tally.entries += 1;
                host.inside = false;
                free = true;
                users.leave(node, who, &mut sim);
            }
            Kind::Request => {
                if forwarding && host.owner != NONE && host.queue.is_empty() {
                    sim.send(node, host.owner, Kind::Request, who);
                } else {
                    free = wait(host, node, who | ALIEN, &mut sim);
                }
            }
            Kind::Token => {
                host.owner = NONE;
                host.asked = false;
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
                sim.schedule(time + SECTION, Kind::Leave, node, first);
            } else {
                host.owner = first & !ALIEN;
                host.asked = !host.queue.is_empty();
                sim.send(node, host.owner, Kind::Token, if host.asked { node } else { NONE });
            }
        }
    }
    tally.finish(sim.messages)
}

/// Somebody waits at a node; asks for the token where that has to be done, and says whether it is here and free.
fn wait(host: &mut Host, node: u32, who: u32, sim: &mut Loop) -> bool {
    host.queue.push_back(who);
    if host.owner != NONE && !host.asked {
        host.asked = true;
        sim.send(node, host.owner, Kind::Request, node);
    }
    host.owner == NONE && !host.inside && host.queue.len() == 1
}

/// A node of Mueller's algorithm: its waiting threads, and its stretches of the distributed queue, each with who comes after it.
struct Peer {
    owner: u32,
    token: bool,
    inside: bool,
    waiting: VecDeque<u32>,
    runs: VecDeque<(u32, u32)>,
}

fn mueller(threads: u32, rate: f64, entries: u64, seed: u64) -> Plain {
    let peer = |owner| Peer {
        owner,
        token: owner == NONE,
        inside: false,
        waiting: VecDeque::with_capacity(16),
        runs: VecDeque::with_capacity(16),
    };
    let mut peers: Vec<Peer> = parents(NODES).into_iter().map(peer).collect();
    let mut sim = Loop::new(NODES, seed);
    let mut users = Users::new(threads, rate, &mut sim);
    let mut tally = Tally::default();
    while tally.entries < entries {
        let Some(Event { time, node, who, kind, .. }) = sim.heap.pop() else { break };
        sim.now = time;
        tally.events += 1;
        let peer = &mut peers[node as usize];
        match kind {
            Kind::Arrival => {
                let thread = users.ask(node, &mut sim);
                peer.waiting.push_back(thread);
                match peer.runs.back_mut() {
                    Some((count, _)) if peer.owner == NONE => *count += 1,
                    _ => {
                        if peer.owner != NONE {
                            sim.send(node, peer.owner, Kind::Request, node);
                            peer.owner = NONE;
                        }
                        peer.runs.push_back((1, NONE));
                    }
                }
            }
            Kind::Leave => {
                tally.entries += 1;
                peer.inside = false;
                peer.runs[0].0 -= 1;
                if let (0, next) = peer.runs[0] {
                    peer.runs.pop_front();
                    if next != NONE {
                        peer.token = false;
                        sim.send(node, next, Kind::Token, 0);
                    }
                }
                users.leave(node, who, &mut sim);
            }
            Kind::Request => {
                if peer.owner != NONE {
                    sim.send(node, peer.owner, Kind::Request, who);
                } else if let Some((_, next)) = peer.runs.back_mut() {
                    *next = who;
                } else {
                    peer.token = false;
                    sim.send(node, who, Kind::Token, 0);
                }
                peer.owner = who;
            }
            Kind::Token => peer.token = true,
        }
        if peer.token
            && !peer.inside
            && let Some(thread) = peer.waiting.pop_front()
        {
            peer.inside = true;
            tally.entered(time - users.since[thread as usize]);
            sim.schedule(time + SECTION, Kind::Leave, node, thread);
        }
    }
    tally.finish(sim.messages)
}
