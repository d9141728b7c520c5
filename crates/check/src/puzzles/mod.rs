//! Puzzles: a small system and something to reach in it by picking events, in as few steps as possible.
//!
//! `par` is the fewest steps that do it; a test finds it again by exhaustive search. A solution is a run, and so a link: whoever has the link can check it.

mod table;

use crate::report::by_hand;
use crate::{Check, prepare};
use lockstep_kernel::explore::{self, Bounds, SearchGoal};
use lockstep_kernel::history::Player;
use lockstep_kernel::{Entry, Event, Setup};
use lockstep_scenario::link::Link;
use serde::Serialize;

/// How hard it is.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Level {
    /// A few steps, straight ahead.
    Easy,
    /// One thing has to be understood.
    Medium,
    /// Several have to come together.
    Hard,
}

/// A puzzle.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct Puzzle {
    /// Its name for scripts and links.
    pub id: &'static str,
    /// The number of its text, or `beyond`.
    pub text: &'static str,
    /// How hard it is.
    pub level: Level,
    /// Its name for people.
    pub title: &'static str,
    /// What is to be reached, in a sentence or two.
    pub task: &'static str,
    /// Something that helps.
    pub hint: &'static str,
    /// The system, and what may happen in it.
    pub check: Check,
    /// What is to be reached, exactly.
    pub goal: SearchGoal,
    /// The fewest steps that reach it.
    pub par: usize,
}

/// All puzzles, text by text, from easy to hard.
pub fn puzzles() -> Vec<Puzzle> {
    table::all()
}

/// The puzzle of that id, or a sentence that lists what there is.
pub fn find(id: &str) -> Result<Puzzle, String> {
    let all = puzzles();
    let ids: Vec<&str> = all.iter().map(|p| p.id).collect();
    let given: String = id.escape_default().take(60).collect();
    let missing = format!("There is no puzzle `{given}`; there are {}.", ids.join(", "));
    all.into_iter().find(|p| p.id == id).ok_or(missing)
}

impl Puzzle {
    /// The algorithm, its system, and the bounds of what may happen.
    pub fn system(&self) -> Result<(&'static Entry, Setup, Bounds), Vec<String>> {
        let mut prepared = prepare(&self.check)?;
        Ok((prepared.entry, prepared.setups.swap_remove(0), prepared.bounds))
    }

    /// The beginning, as a link.
    pub fn link(&self) -> Option<String> {
        let (entry, setup, _) = self.system().ok()?;
        Link::from_events(entry, &setup, &by_hand(), &[]).ok().map(|link| link.encode())
    }

    /// The steps, up to the player's cursor, after which the goal was reached for the first time. `None` if it was not, if the player's is another
    /// system, or if something happened that the puzzle does not allow.
    pub fn solved(&self, player: &dyn Player) -> Option<usize> {
        let (entry, setup, bounds) = self.system().ok()?;
        let system = (entry.drive.system)(setup);
        if system.setup != *player.setup() {
            return None;
        }
        explore::follow(&system, &bounds, &self.goal, &events(player))
    }

    /// What the puzzle allows to happen next.
    pub fn possible(&self, player: &dyn Player) -> Vec<Event> {
        let Ok((entry, setup, bounds)) = self.system() else { return Vec::new() };
        let system = (entry.drive.system)(setup);
        if system.setup != *player.setup() {
            return Vec::new();
        }
        explore::possible(&system, &bounds, &events(player))
    }
}

/// What happened up to the cursor.
fn events(player: &dyn Player) -> Vec<Event> {
    let line = player.timeline();
    let cursor = line.iter().position(|past| past.id == player.cursor()).unwrap_or(0);
    line[..=cursor].iter().filter_map(|past| past.event).collect()
}
