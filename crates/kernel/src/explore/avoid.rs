//! The step of a counterexample from which on the violation is unavoidable.

use super::{Bounds, first, judge, redundant};
use crate::erased::Dyn;
use crate::world::{System, UNLIMITED, World};
use crate::{Effects, Event};
use std::collections::BTreeSet;

/// The step of a counterexample (counted from 1) after which no continuation serves every request
/// without a violation; 0 if there is none from the initial state. `None` if finding out takes more
/// than `most_states`, or if requests never end.
///
/// Searched backwards from the last state but one: states that are unreachable from a late state
/// are not searched again from an earlier one.
pub fn unavoidable(system: &System<Dyn>, bounds: &Bounds, events: &[Event], most_states: usize) -> Option<usize> {
    if bounds.requests == UNLIMITED || events.is_empty() {
        return None;
    }
    let mut effects = Effects::new(system.setup.without);
    let mut path = vec![first(system, bounds)];
    for event in events {
        let mut then = path.last()?.clone();
        then.apply(system, *event, &mut effects);
        path.push(then);
    }
    let mut seen = BTreeSet::new();
    for (step, world) in path.iter().enumerate().rev().skip(1) {
        if good_end(system, world, &mut seen, most_states)? {
            return Some(step + 1);
        }
    }
    Some(0)
}

/// Whether some continuation serves every request without a violation.
fn good_end(system: &System<Dyn>, from: &World<Dyn>, seen: &mut BTreeSet<u64>, most: usize) -> Option<bool> {
    let (mut enabled, mut scratch) = (Vec::new(), Vec::new());
    let mut effects = Effects::new(system.setup.without);
    let mut stack = vec![from.clone()];
    seen.insert(from.fingerprint());
    while let Some(world) = stack.pop() {
        if judge(system, &world, &mut scratch).is_some() {
            continue;
        }
        if world.is_done() && world.inside().next().is_none() {
            return Some(true);
        }
        if seen.len() > most {
            return None;
        }
        world.enabled(system, &mut enabled);
        // the last one pushed is the first one tried: deliveries and releases before faults
        for choice in (0..enabled.len()).rev().filter(|c| !redundant(&world, &enabled, *c)) {
            let mut then = world.clone();
            then.apply(system, enabled[choice], &mut effects);
            if seen.insert(then.fingerprint()) {
                stack.push(then);
            }
        }
    }
    Some(false)
}
