//! From which step on could a violation no longer be avoided?

use super::{Bounds, first, judge, redundant};
use crate::erased::Dyn;
use crate::world::{System, UNLIMITED, World};
use crate::{Effects, Event};
use std::collections::BTreeSet;

/// The step of a counterexample (counted from 1) after which no continuation serves everybody and breaks nothing on the way; 0 if there was none from
/// the beginning. `None` if that takes more than `most_states` to find out, or if requests never end.
///
/// Asked backwards, from the last state but one: what cannot be reached from a late state need not be looked for again from an earlier one.
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

/// Whether some continuation ends with everybody served and outside, and breaks nothing.
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
