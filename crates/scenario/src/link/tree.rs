//! All branches of a run as a string: `0.3.3.2:1.0@3.5`. A link holds one timeline; this holds
//! every branch, so that a reload restores all of them.
//!
//! It lists the choice of every step, in the order in which the steps were first taken; before a
//! choice stands the step that it follows, unless that is the one before. Then come the cursor and
//! the end of its timeline.

use lockstep_kernel::history::{Player, StepId};
use std::fmt::Write;

/// The tree of a player: the history keeps each choice, so nothing is replayed.
pub fn write(player: &dyn Player) -> String {
    let mut text = String::new();
    for id in 1..player.len() as StepId {
        let Some((parent, choice)) = player.step_info(id).and_then(|step| Some((step.parent, step.choice?))) else {
            break;
        };
        let _ = match parent + 1 == id {
            true => write!(text, "{choice}."),
            false => write!(text, "{parent}:{choice}."),
        };
    }
    text.pop();
    let _ = write!(text, "@{}.{}", player.cursor(), end(player));
    text
}

/// The last step of the timeline through the cursor.
fn end(player: &dyn Player) -> StepId {
    player.timeline().last().map_or(0, |past| past.id)
}

/// Takes all steps again in a run of the same system, which keeps its own branches, and moves to
/// the cursor. Stops at the first step that is not possible.
pub fn regrow(player: &mut dyn Player, text: &str) {
    let (text, cursor) = text.split_once('@').unwrap_or((text, ""));
    let mut steps: Vec<StepId> = vec![0];
    for written in text.split('.').filter(|written| !written.is_empty()) {
        let (parent, choice) = match written.split_once(':') {
            Some((parent, choice)) => (parent.parse().ok(), choice.parse().ok()),
            None => (steps.len().checked_sub(1), written.parse().ok()),
        };
        let Some((parent, choice)) = parent.and_then(|parent: usize| steps.get(parent).copied()).zip(choice) else {
            break;
        };
        if player.cursor() != parent {
            player.seek(parent);
        }
        let Some(step) = player.event_at(choice).and_then(|event| player.pick(event)) else { break };
        steps.push(step);
    }
    let places = cursor.split_once('.').and_then(|(cursor, end)| Some((cursor.parse().ok()?, end.parse().ok()?)));
    if let Some((cursor, end)) = places.map(|(cursor, end): (usize, usize)| (steps.get(cursor), steps.get(end))) {
        // seeking the end first makes it the timeline of the cursor
        end.into_iter().chain(cursor).for_each(|step| player.seek(*step));
    }
}
