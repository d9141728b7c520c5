//! All branches of a run as a string: `0.3.3.2:1.0@3.5`. A link holds one timeline; this holds
//! every branch, so that a reload restores all of them.
//!
//! It lists the choice of every step, in the order in which the steps were first taken; before a
//! choice stands the step that it follows, unless that is the one before. Then come the cursor and
//! the end of its timeline.

use crate::replay::{Allowance, Replay, go_to, refusal};
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
    // only a tree that was made up takes too long; the rest of it is left out
    let _ = TreeReplay::of(text, Allowance::REPLAY).finish(player);
}

/// A tree that is taken again, one step after the other.
pub struct TreeReplay {
    steps: Vec<String>,
    cursor: String,
    moments: Vec<StepId>,
    allowance: Allowance,
}

impl TreeReplay {
    /// The replay of a tree.
    pub fn of(text: &str, allowance: Allowance) -> TreeReplay {
        let (text, cursor) = text.split_once('@').unwrap_or((text, ""));
        let steps = text.split('.').filter(|step| !step.is_empty()).map(str::to_owned).collect();
        TreeReplay { steps, cursor: cursor.into(), moments: vec![0], allowance }
    }

    fn step(&self, player: &mut dyn Player) -> Option<StepId> {
        let step = self.steps.get(self.moments.len() - 1)?;
        let (parent, choice) = match step.split_once(':') {
            Some((parent, choice)) => (parent.parse().ok(), choice.parse().ok()),
            None => (Some(self.moments.len() - 1), step.parse().ok()),
        };
        let (parent, choice) = parent.and_then(|parent: usize| self.moments.get(parent).copied()).zip(choice)?;
        go_to(player, parent);
        player.choose(choice)
    }

    fn seek(&self, player: &mut dyn Player) {
        let places = self.cursor.split_once('.');
        let places = places.and_then(|(cursor, end)| Some((cursor.parse().ok()?, end.parse().ok()?)));
        let Some((cursor, end)): Option<(usize, usize)> = places else { return };
        // seeking the end first makes it the timeline of the cursor
        [end, cursor].iter().filter_map(|at| self.moments.get(*at)).for_each(|moment| player.seek(*moment));
    }
}

impl Replay for TreeReplay {
    fn once(&mut self, player: &mut dyn Player) -> Result<bool, String> {
        if !self.allowance.has_room(player) {
            self.seek(player);
            return Err(refusal("The run", &format!("{} of its {} steps", self.moments.len() - 1, self.steps.len())));
        }
        let step = self.step(player);
        match step {
            Some(moment) => self.moments.push(moment),
            None => self.seek(player),
        }
        Ok(step.is_none())
    }

    fn progress(&self) -> f64 {
        (self.moments.len() - 1) as f64 / self.steps.len().max(1) as f64
    }
}
