//! Scenario files (TOML) and links (URL): prepared runs, and runs that people share.
//!
//! A scenario is a system, the events that lead through it, and named stops with a narration, the
//! state expected there and perhaps a question. Every file of the [`LIBRARY`] is also a test:
//! [`Scenario::play`] says which expectations do not hold.
//!
//! * [`parse`] reads a file and collects all of its problems, each with its place and what is
//!   expected.
//! * [`script`] reads one event as people write it; [`expect`] one expected state.
//! * [`library`] lists the prepared scenarios with what a gallery says of them; [`save`] makes one
//!   from a run.
//! * [`prepared`] is a scenario played ahead of time, for programs without a reader of files.
//! * `schema` (a feature) describes the files to editors.
//! * [`trace`] writes a run for other programs; [`given`] tells what somebody hands over.
//! * [`link`] writes a run as a short text and opens it again.
//! * [`replay`] repeats scripts and links in slices, and bounds what they cost.
//!
//! This crate deliberately knows no file, no browser and no clock: it takes strings and returns
//! plain data.

pub mod expect;
pub mod given;
pub mod library;
pub mod link;
mod parse;
mod play;
pub mod prepared;
mod reader;
pub mod replay;
mod save;
pub mod schema;
pub mod script;
mod stops;
pub mod trace;

pub use expect::Expect;
pub use given::Given;
pub use library::{Card, IDS, Item, LIBRARY};
pub use parse::{MOST_BYTES, parse};
pub use play::{Played, ScriptReplay};
pub use prepared::Prepared;
pub use save::{expectations, save};

pub use lockstep_spec::toml::Place;

use lockstep_spec::Model;
use serde::{Deserialize, Serialize};
use std::fmt;
use std::ops::Deref;

/// A prepared run.
#[derive(Clone)]
pub struct Scenario {
    /// Its name for scripts and links.
    pub id: String,
    /// Its name for people.
    pub title: String,
    /// What it shows, in a few sentences.
    pub about: String,
    /// What a gallery says of it.
    pub card: Card,
    /// The system. An algorithm may add nodes of its own when it begins: see the player's.
    pub model: Model,
    /// The named steps, in the order in which they are reached.
    pub stops: Vec<Stop>,
    /// The stop at which the page opens; the beginning if none.
    pub opens_at: Option<usize>,
}

impl Deref for Scenario {
    type Target = Model;

    fn deref(&self) -> &Model {
        &self.model
    }
}

/// A named step of a scenario.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Stop {
    /// Its name: `1a`.
    pub name: String,
    /// What one sees here, in a few words.
    pub title: String,
    /// What happened on the way here and why.
    pub say: String,
    /// The events that lead here from the stop before, as [`script`] reads them.
    pub script: Vec<String>,
    /// The state that must be reached here.
    #[serde(skip)]
    pub expect: Expect,
    /// Something to think about before going on.
    pub question: Option<Question>,
    /// Where each event of the script stands in the file.
    #[serde(skip)]
    pub(crate) places: Vec<Place>,
}

/// A question with answers to choose from.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Question {
    /// The question.
    pub text: String,
    /// The answers; one is right.
    pub answers: Vec<QuizAnswer>,
}

/// An answer to choose.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct QuizAnswer {
    /// The answer.
    pub text: String,
    /// Whether it is right.
    pub right: bool,
    /// Why it is right or wrong.
    pub because: String,
}

/// Something wrong with a file, where it is, and what is expected.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct LocatedProblem {
    /// Where it is.
    pub place: Place,
    /// One sentence.
    pub message: String,
}

impl fmt::Display for LocatedProblem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.place, self.message)
    }
}

impl std::error::Error for LocatedProblem {}

/// Foreign text between backticks, printable and short.
pub(crate) fn quoted(text: &str) -> String {
    format!("`{}`", lockstep_spec::quoted(text))
}
