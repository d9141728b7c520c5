//! What the page asks its worker about logs, and what the worker answers: plain data.

use crate::sketch::LogSketch;
use crate::view::{LogView, PairView, ShapesView};
use serde::{Deserialize, Serialize};

/// How logs are read and judged.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct JudgeOptions {
    /// Rules for free text; empty: none.
    pub rules: String,
    /// The algorithm to compare with.
    pub algorithm: Option<String>,
    /// Every clock is within this many seconds of true time.
    pub skew: Option<f64>,
    /// Of several runs the one with this number; 0 is the first.
    pub session: usize,
    /// Whether every file is a log of its own; else files beside each other are one. By default the
    /// files themselves decide.
    pub each: Option<bool>,
}

/// How the files that were given are logs.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct FileChoice {
    /// How many logs they are if files beside each other are one.
    pub together: usize,
    /// How many logs they are if every file is one.
    pub apart: usize,
    /// Whether every file is one.
    pub each: bool,
}

/// What the worker is asked to do.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum JudgeTask {
    /// Take what was pasted, with names, and the files that come with the task.
    Read {
        /// Names and contents: what was pasted, or an example.
        pasted: Vec<(String, String)>,
        /// How to read them.
        options: JudgeOptions,
    },
    /// Read and judge the open log again.
    Again(JudgeOptions),
    /// Make the table of all logs again.
    Table(JudgeOptions),
    /// Make logs of the same files in another way.
    Regroup(JudgeOptions),
    /// Show this log of several.
    Open(usize, JudgeOptions),
    /// Explain two sections.
    Explain(usize, usize),
    /// Lines of a file: the file, the first line counted from 0, how many.
    Lines(usize, usize, usize),
    /// Lines that contain this text.
    Search(String),
    /// The shapes of the lines.
    Shapes,
}

/// One log in the table of several.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
pub struct ClassRow {
    /// The cells, in the order of [`lockstep_trace::report::COLUMNS`].
    pub cells: Vec<String>,
    /// Whether the log can be opened: else the verdict says why not.
    pub judged: bool,
}

/// A line of a file.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
pub struct LogLine {
    /// The text, shortened.
    pub text: String,
    /// `understood`, `skipped`, `not-understood`, `wrong`.
    pub status: String,
    /// The first event of the line.
    pub event: Option<u32>,
}

/// A line that was found.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct LineHit {
    /// The file.
    pub file: usize,
    /// The line, counted from 0.
    pub line: usize,
    /// The first event of the line.
    pub event: Option<u32>,
}

/// What the worker answers.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum JudgeAnswer {
    /// The files that were given are there; how they are logs, and what became of them.
    Taken(FileChoice, Box<JudgeAnswer>),
    /// Several logs: one row each, and files that could not be read.
    Class(Vec<ClassRow>, Vec<String>),
    /// One log, and its diagram.
    Log(Box<LogView>, Box<LogSketch>),
    /// No line was understood: why, and the shapes of the lines.
    NotUnderstood(String, ShapesView),
    /// The log cannot be judged: why.
    Refused(String),
    /// Two sections; none if they may overlap.
    Pair(usize, usize, Option<Box<PairView>>),
    /// Lines of a file: the file, the first of them counted from 0.
    Lines(usize, usize, Vec<LogLine>),
    /// Lines that contain a text, at most [`MOST_HITS`], and how many there are.
    Hits(String, Vec<LineHit>, usize),
    /// The shapes of the lines.
    Shapes(ShapesView),
}

impl JudgeTask {
    /// The JSON text that the worker reads.
    pub fn text(&self) -> String {
        serde_json::to_string(self).unwrap_or_default()
    }

    /// Reads a task.
    pub fn read(text: &str) -> Result<JudgeTask, String> {
        serde_json::from_str(text).map_err(|why| format!("The task cannot be read: {why}."))
    }
}

impl JudgeAnswer {
    /// The JSON text that the page reads.
    pub fn text(&self) -> String {
        serde_json::to_string(self).unwrap_or_default()
    }

    /// Reads an answer.
    pub fn read(text: &str) -> Result<JudgeAnswer, String> {
        serde_json::from_str(text).map_err(|why| format!("The answer of a worker cannot be read: {why}."))
    }
}

/// The most lines that a search lists.
pub const MOST_HITS: usize = 1_000;
