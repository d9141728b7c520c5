//! Starvation: finds a cycle that a *weakly fair* schedule may follow forever while one thread
//! waits all the time. Every delivery and release that is enabled all around the cycle also happens
//! in it.

use super::graph::Graph;
use super::{NO_STARVATION, ViolationPath};
use crate::{Setup, ThreadId};
use std::collections::{BTreeMap, BTreeSet, VecDeque};

/// A fair cycle in which some thread waits, with the shortest path to it.
pub fn fair_cycle(graph: &Graph, setup: &Setup) -> Option<ViolationPath> {
    let threads = setup.all_threads().min(64) as u32;
    for victim in (0..threads).map(ThreadId) {
        if let Some(state) = abandoned(graph, victim) {
            let name = setup.thread_name(victim);
            let why = format!("{name} waits, and no event has to happen unless another thread requests");
            return Some(ViolationPath { invariant: NO_STARVATION, why, path: graph.path(state), cycle: 0 });
        }
        for component in components(graph, victim) {
            if let Some(needs) = fair(graph, &component) {
                let cycle = tour(graph, &component, &needs);
                let mut path = graph.path(component[0]);
                path.extend(cycle.iter().map(|c| u32::from(*c)));
                let name = setup.thread_name(victim);
                let why = format!(
                    "the last {} steps can repeat forever under a fair schedule while {name} waits",
                    cycle.len()
                );
                return Some(ViolationPath { invariant: NO_STARVATION, why, path, cycle: cycle.len() });
            }
        }
    }
    None
}

/// A state in which the victim waits and no message or critical section is pending: no thread has
/// to request again.
fn abandoned(graph: &Graph, victim: ThreadId) -> Option<u32> {
    let idle = |s: &u32| graph.waits(*s, victim) && graph.steps(*s).all(|(_, _, action)| action == 0);
    (0..graph.len() as u32).find(idle)
}

/// Strongly connected components, with at least one step inside, of the states in which the victim
/// waits (Tarjan, without recursion); each in ascending order.
fn components(graph: &Graph, victim: ThreadId) -> Vec<Vec<u32>> {
    const NEW: u32 = u32::MAX;
    let n = graph.len();
    let (mut index, mut low) = (vec![NEW; n], vec![0u32; n]);
    let mut on_stack = vec![false; n];
    let (mut stack, mut found, mut count) = (Vec::new(), Vec::new(), 0u32);
    for root in (0..n as u32).filter(|s| graph.waits(*s, victim)) {
        if index[root as usize] != NEW {
            continue;
        }
        let mut calls = vec![(root, 0usize)];
        while let Some((state, edge)) = calls.last_mut() {
            let s = *state as usize;
            if *edge == 0 {
                index[s] = count;
                low[s] = count;
                count += 1;
                stack.push(*state);
                on_stack[s] = true;
            }
            let mut child = None;
            let successors = graph.successors(*state);
            while *edge < successors.len() {
                let target = successors[*edge];
                *edge += 1;
                if !graph.waits(target, victim) {
                    continue;
                }
                if index[target as usize] == NEW {
                    child = Some(target);
                    break;
                } else if on_stack[target as usize] {
                    low[s] = low[s].min(index[target as usize]);
                }
            }
            if let Some(child) = child {
                calls.push((child, 0));
                continue;
            }
            let state = *state;
            calls.pop();
            if let Some((parent, _)) = calls.last() {
                low[*parent as usize] = low[*parent as usize].min(low[s]);
            }
            if low[s] == index[s] {
                let mut component = Vec::new();
                while let Some(member) = stack.pop() {
                    on_stack[member as usize] = false;
                    component.push(member);
                    if member == state {
                        break;
                    }
                }
                component.sort_unstable();
                if component.len() > 1 || graph.successors(state).contains(&state) {
                    found.push(component);
                }
            }
        }
    }
    found
}

/// What a tour of the component has to do to be fair.
enum Need {
    /// Take a step of this action.
    Take(u64),
    /// Pass a state in which this action is not enabled.
    Miss(u64),
}

/// The needs of a fair tour, or `None` if an action that is enabled all around never happens.
fn fair(graph: &Graph, component: &[u32]) -> Option<Vec<Need>> {
    let mut enabled_in: BTreeMap<u64, usize> = BTreeMap::new();
    let mut taken = BTreeSet::new();
    for state in component {
        let mut here = BTreeSet::new();
        for (target, _, action) in graph.steps(*state).filter(|s| s.2 != 0) {
            here.insert(action);
            if component.binary_search(&target).is_ok() {
                taken.insert(action);
            }
        }
        for action in here {
            *enabled_in.entry(action).or_default() += 1;
        }
    }
    enabled_in
        .into_iter()
        .map(|(action, count)| match (count == component.len(), taken.contains(&action)) {
            (false, _) => Some(Need::Miss(action)),
            (true, true) => Some(Need::Take(action)),
            (true, false) => None,
        })
        .collect()
}

/// A closed walk from the component's first state that meets every need.
fn tour(graph: &Graph, component: &[u32], needs: &[Need]) -> Vec<u16> {
    let mut walk = Vec::new();
    let mut met = vec![false; needs.len()];
    let mut at = component[0];
    let note = |state: u32, action: u64, met: &mut Vec<bool>| {
        let possible: BTreeSet<u64> = graph.steps(state).map(|s| s.2).collect();
        for (done, need) in met.iter_mut().zip(needs) {
            *done |= match need {
                Need::Take(a) => action == *a,
                Need::Miss(a) => !possible.contains(a),
            };
        }
    };
    note(at, 0, &mut met);
    while let Some(goal) = met.iter().position(|m| !m) {
        let leg = match &needs[goal] {
            Need::Take(a) => walk_to(graph, component, at, |_, action| action == *a),
            Need::Miss(a) => walk_to(graph, component, at, |state, _| !graph.steps(state).any(|s| s.2 == *a)),
        };
        for (state, choice, action) in leg {
            walk.push(choice);
            at = state;
            note(at, action, &mut met);
        }
        met[goal] = true;
    }
    if walk.is_empty() || at != component[0] {
        walk.extend(walk_to(graph, component, at, |state, _| state == component[0]).into_iter().map(|s| s.1));
    }
    walk
}

/// The shortest walk inside the component whose last step satisfies `done(state, action)`.
fn walk_to(graph: &Graph, component: &[u32], from: u32, done: impl Fn(u32, u64) -> bool) -> Vec<(u32, u16, u64)> {
    let mut came: BTreeMap<u32, (u32, u16, u64)> = BTreeMap::new();
    let mut queue = VecDeque::from([from]);
    while let Some(state) = queue.pop_front() {
        for (target, choice, action) in graph.steps(state) {
            if component.binary_search(&target).is_err() {
                continue;
            }
            if done(target, action) {
                let mut leg = vec![(target, choice, action)];
                let mut at = state;
                while at != from {
                    let (before, choice, action) = came[&at];
                    leg.push((at, choice, action));
                    at = before;
                }
                leg.reverse();
                return leg;
            }
            if target != from && !came.contains_key(&target) {
                came.insert(target, (state, choice, action));
                queue.push_back(target);
            }
        }
    }
    Vec::new()
}
