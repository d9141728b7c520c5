//! Puzzles: a small system and a goal to reach by picking events, in as few steps as possible.
//!
//! `par` is the smallest number of steps; a test computes it by exhaustive search. A solution is a
//! run, so a link proves it.

mod table;

use crate::report::by_hand;
use crate::{Check, prepare};
use lockstep_kernel::explore::{self, Bounds, SearchGoal};
use lockstep_kernel::history::Player;
use lockstep_kernel::{Entry, Event, Setup};
use lockstep_scenario::library::Group;
use lockstep_scenario::link::Link;
use serde::{Serialize, Serializer};

/// How hard a puzzle is.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum PuzzleLevel {
    /// A few steps in an obvious order.
    Easy,
    /// One idea is needed.
    Medium,
    /// Several ideas are needed.
    Hard,
}

/// A puzzle: a system and a goal.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct Puzzle {
    /// Its name for scripts and links.
    pub id: &'static str,
    /// The paper that it is about. Documents name it by number, in the field `text`.
    #[serde(rename = "text", serialize_with = "number_of_paper")]
    pub group: Group,
    /// How hard it is.
    pub level: PuzzleLevel,
    /// Its name for people.
    pub title: &'static str,
    /// The goal in one or two sentences.
    pub task: &'static str,
    /// A hint.
    pub hint: &'static str,
    /// The system, and which events are allowed.
    pub check: Check,
    /// The goal, as the search tests it.
    pub goal: SearchGoal,
    /// The smallest number of steps that reaches the goal.
    pub par: usize,
}

/// Writes the number of the paper, as documents have always had it.
fn number_of_paper<S: Serializer>(group: &Group, to: S) -> Result<S::Ok, S::Error> {
    to.serialize_str(group.text)
}

/// All puzzles, paper by paper, from easy to hard.
pub fn puzzles() -> Vec<Puzzle> {
    table::all()
}

/// The puzzle of that id, or an error that lists all ids.
pub fn find(id: &str) -> Result<Puzzle, String> {
    let all = puzzles();
    let ids: Vec<&str> = all.iter().map(|p| p.id).collect();
    let given: String = id.escape_default().take(60).collect();
    let missing = format!("There is no puzzle `{given}`; there are {}.", ids.join(", "));
    all.into_iter().find(|p| p.id == id).ok_or(missing)
}

impl Puzzle {
    /// The algorithm, its system, and the limits on requests and faults.
    pub fn system(&self) -> Result<(&'static Entry, Setup, Bounds), Vec<String>> {
        let mut prepared = prepare(&self.check)?;
        Ok((prepared.entry, prepared.setups.swap_remove(0), prepared.bounds))
    }

    /// The initial state, as a link.
    pub fn link(&self) -> Option<String> {
        let (entry, setup, _) = self.system().ok()?;
        Link::from_events(entry, &setup, &by_hand(), &[]).ok().map(|link| link.encode())
    }

    /// The number of steps, up to the cursor, after which the goal was first reached. `None` if it
    /// was not reached, if the run is of another system, or if it has an event that is not allowed.
    pub fn solved(&self, player: &dyn Player) -> Option<usize> {
        let (entry, setup, bounds) = self.system().ok()?;
        let system = (entry.drive.system)(setup);
        if system.setup != *player.setup() {
            return None;
        }
        explore::follow(&system, &bounds, &self.goal, &events(player))
    }

    /// The events that the puzzle allows next.
    pub fn possible(&self, player: &dyn Player) -> Vec<Event> {
        let Ok((entry, setup, bounds)) = self.system() else { return Vec::new() };
        let system = (entry.drive.system)(setup);
        if system.setup != *player.setup() {
            return Vec::new();
        }
        explore::possible(&system, &bounds, &events(player))
    }
}

/// The events up to the cursor.
fn events(player: &dyn Player) -> Vec<Event> {
    let line = player.timeline();
    let cursor = line.iter().position(|past| past.id == player.cursor()).unwrap_or(0);
    line[..=cursor].iter().filter_map(|past| past.event).collect()
}
