//! Everything that was tried in a run as a text: `0.3.3.2:1.0@3.5`. A link holds one line of steps; this holds the branches too, for whoever comes back to
//! the run itself.
//!
//! It is the choice of every moment, in the order in which they were first reached, and before it the moment at which it was made, where that is not the
//! moment before; then the cursor, and the end of the line that it is on.

use super::hosts;
use lockstep_kernel::Entry;
use lockstep_kernel::history::{Player, StepId};
use lockstep_kernel::timing::Timing;
use std::fmt::Write;

/// The tree of a player. The algorithm must be the player's.
pub fn write(algorithm: &Entry, player: &dyn Player, timing: &Timing) -> String {
    let mut again = (algorithm.drive.boot)(hosts(player.setup()), timing);
    let mut text = String::new();
    for moment in 1..player.len() as StepId {
        let Some((parent, event)) = player.step_info(moment).and_then(|known| Some((known.parent, known.event?)))
        else {
            break;
        };
        if again.cursor() != parent {
            again.seek(parent);
        }
        let Some(choice) = again.choice_of(event) else { break };
        if again.pick(event).is_none() {
            break;
        }
        let _ = match parent + 1 == moment {
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
