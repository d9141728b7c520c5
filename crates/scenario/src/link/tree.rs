//! Everything that was tried in a run as a text: `0.3.3.2:1.0@3.5`. A link holds one line of steps; this holds the branches too, for whoever comes back to
//! the run itself.
//!
//! It is the choice of every moment, in the order in which they were first reached, and before it the moment at which it was made, where that is not the
//! moment before; then the cursor, and the end of the line that it is on.

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

/// The last moment of the line through the cursor.
fn end(player: &dyn Player) -> StepId {
    player.timeline().last().map_or(0, |past| past.id)
}

/// Tries all of it again in a run of the same system, which keeps what it has tried already, and goes where the cursor was. Stops where something is not
/// possible.
pub fn regrow(player: &mut dyn Player, text: &str) {
    let (text, cursor) = text.split_once('@').unwrap_or((text, ""));
    let mut moments: Vec<StepId> = vec![0];
    for step in text.split('.').filter(|step| !step.is_empty()) {
        let (parent, choice) = match step.split_once(':') {
            Some((parent, choice)) => (parent.parse().ok(), choice.parse().ok()),
            None => (moments.len().checked_sub(1), step.parse().ok()),
        };
        let Some((parent, choice)) = parent.and_then(|parent: usize| moments.get(parent).copied()).zip(choice) else {
            break;
        };
        if player.cursor() != parent {
            player.seek(parent);
        }
        let Some(moment) = player.event_at(choice).and_then(|event| player.pick(event)) else { break };
        moments.push(moment);
    }
    let places = cursor.split_once('.').and_then(|(cursor, end)| Some((cursor.parse().ok()?, end.parse().ok()?)));
    if let Some((cursor, end)) = places.map(|(cursor, end): (usize, usize)| (moments.get(cursor), moments.get(end))) {
        end.into_iter().chain(cursor).for_each(|moment| player.seek(*moment)); // whoever goes somewhere follows that line
    }
}
