//! A log that has been read: its events, its header, and what could not be read.

use crate::event::{Destinations, EventKind, LogEvent, WordId, Words};
use crate::text::LogText;

/// The most problems that are kept with their lines; further ones are only counted.
pub const MOST_PROBLEMS: usize = 1_000;
/// The most message ends that are matched: a broadcast counts once for each receiver.
pub const MOST_ENDS: usize = 20_000_000;

/// How a log was written.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum LogFormat {
    /// Native JSON lines.
    Native,
    /// Vector clocks as ShiViz and GoVec write them.
    Shiviz,
    /// Free text, read by given rules.
    Rules,
    /// Free text, read by a rule set that comes with the program.
    Preset,
    /// Free text, read by rules that were guessed from its words.
    Guessed,
    /// Nothing was understood.
    #[default]
    Unknown,
}

impl LogFormat {
    /// Its name.
    pub fn name(self) -> &'static str {
        match self {
            LogFormat::Native => "native",
            LogFormat::Shiviz => "shiviz",
            LogFormat::Rules => "rules",
            LogFormat::Preset => "preset",
            LogFormat::Guessed => "guessed rules",
            LogFormat::Unknown => "unknown",
        }
    }
}

/// What a log says about itself.
#[derive(Clone, PartialEq, Debug)]
pub struct LogHeader {
    /// Whether messages of one kind between two nodes keep their order.
    pub fifo: bool,
    /// Whether one observer wrote all lines in the order of what happened.
    pub observed: bool,
    /// Whether every send and receive has its line, if the log says so.
    pub complete: Option<bool>,
    /// Every clock is within this many seconds of true time.
    pub skew: Option<f64>,
    /// The algorithm that the log claims to show.
    pub algorithm: Option<String>,
    /// The system and run that were exported, as a link.
    pub link: Option<String>,
    /// Whether the header listed the nodes: their order is then their rank.
    pub ranked: bool,
}

impl Default for LogHeader {
    fn default() -> Self {
        LogHeader {
            fifo: true,
            observed: false,
            complete: None,
            skew: None,
            algorithm: None,
            link: None,
            ranked: false,
        }
    }
}

/// Something wrong with a line.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct LogProblem {
    /// The file, by its position.
    pub file: u32,
    /// The line, counted from 1; 0 concerns the whole file.
    pub line: u32,
    /// What is wrong and what is expected.
    pub message: String,
    /// Whether it makes the log inconsistent.
    pub serious: bool,
}

/// How a line was read.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum LineStatus {
    /// Nothing on it matters: empty, a comment, a header, or a rule ignores it.
    #[default]
    Skipped,
    /// It gave events, or a rule took note of it.
    Understood,
    /// No rule matches it.
    NotUnderstood,
    /// It is wrong.
    Wrong,
}

/// A log that has been read.
#[derive(Clone, Debug, Default)]
pub struct Log {
    /// How it was written.
    pub format: LogFormat,
    /// The files.
    pub files: Vec<LogText>,
    /// What the log says about itself.
    pub header: LogHeader,
    /// Every word of the events.
    pub words: Words,
    /// The nodes, as words.
    pub nodes: Vec<WordId>,
    /// The events, file by file and line by line.
    pub events: Vec<LogEvent>,
    /// The lines that are wrong, at most [`MOST_PROBLEMS`] of them.
    pub problems: Vec<LogProblem>,
    /// How many problems there are in all.
    pub problem_count: usize,
    /// How many lines no rule understands.
    pub lines_not_understood: usize,
    /// How each line of each file was read.
    pub lines: Vec<Vec<LineStatus>>,
    /// How many runs the log contains; the events are of one of them.
    pub sessions: usize,
    /// Whether every event has a vector clock.
    pub vectors: bool,
    /// Receives whose send is only said by a vector clock: the receive and the send, by position.
    pub vector_arrows: Vec<(u32, u32)>,
    /// Whether the vector clocks are wrong in some place.
    pub vectors_broken: bool,
    /// For each node word the position of the node.
    node_of: hashbrown::HashMap<WordId, u32>,
}

impl Log {
    /// An empty log of these files.
    pub(crate) fn new(format: LogFormat, files: Vec<LogText>) -> Log {
        let lines = files.iter().map(|file| vec![LineStatus::Skipped; file.len()]).collect();
        Log { format, files, lines, sessions: 1, ..Log::default() }
    }

    /// The position of the node with this name; a new one comes last.
    pub(crate) fn node(&mut self, name: &str) -> u32 {
        let word = self.words.id(name);
        let next = self.nodes.len() as u32;
        let node = *self.node_of.entry(word).or_insert(next);
        if node == next {
            self.nodes.push(word);
        }
        node
    }

    /// The position of the node with this name, if there is one.
    pub fn node_named(&self, name: &str) -> Option<u32> {
        self.node_of.get(&self.words.find(name)?).copied()
    }

    /// The name of a node.
    pub fn node_name(&self, node: u32) -> &str {
        self.nodes.get(node as usize).map_or("?", |word| self.words.word(*word))
    }

    /// `file:line` of an event.
    pub fn place(&self, event: &LogEvent) -> String {
        self.place_of(event.file, event.line)
    }

    /// `file:line`.
    pub fn place_of(&self, file: u32, line: u32) -> String {
        let name = self.files.get(file as usize).map_or("?", |file| &file.name);
        if line == 0 { name.to_owned() } else { format!("{name}:{line}") }
    }

    /// The line of an event as it was written.
    pub fn text(&self, event: &LogEvent) -> &str {
        self.files.get(event.file as usize).map_or("", |file| file.line(event.line.saturating_sub(1) as usize))
    }

    /// Records that a line is wrong.
    pub(crate) fn complain(&mut self, file: u32, line: u32, message: impl Into<String>) {
        self.mark(file, line, LineStatus::Wrong);
        self.report(file, line, true, message);
    }

    /// Records a problem without marking its line.
    pub(crate) fn report(&mut self, file: u32, line: u32, serious: bool, message: impl Into<String>) {
        self.problem_count += 1;
        if self.problems.len() < MOST_PROBLEMS {
            self.problems.push(LogProblem { file, line, message: message.into(), serious });
        }
    }

    /// Records how a line was read.
    pub(crate) fn mark(&mut self, file: u32, line: u32, status: LineStatus) {
        let lines = self.lines.get_mut(file as usize);
        if let Some(place) = lines.and_then(|lines| lines.get_mut(line.saturating_sub(1) as usize)) {
            *place = status;
        }
    }

    /// A message kind as it is compared: in lower case.
    pub(crate) fn message_kind(&mut self, kind: &str) -> WordId {
        if kind.chars().any(char::is_uppercase) { self.words.id(&kind.to_lowercase()) } else { self.words.id(kind) }
    }

    /// An event in a few words: `1 send reply to 2`.
    pub fn phrase(&self, event: &LogEvent) -> String {
        let mut phrase = match event.client {
            Some(client) => format!("{} {} {}", self.node_name(event.node), event.kind.name(), self.words.word(client)),
            None => format!("{} {}", self.node_name(event.node), event.kind.name()),
        };
        if let Some(kind) = event.message {
            phrase += &format!(" {}", self.words.word(kind));
        }
        match &event.to {
            Destinations::None => {}
            Destinations::One(node) => phrase += &format!(" to {}", self.node_name(*node)),
            Destinations::Many(list) => {
                let names: Vec<&str> = list.iter().take(8).map(|node| self.node_name(*node)).collect();
                phrase += &format!(" to {}{}", names.join(", "), if list.len() > 8 { ", …" } else { "" });
            }
            Destinations::All => phrase += " to *",
        }
        if let (EventKind::Recv, Some(from)) = (event.kind, event.from) {
            phrase += &format!(" from {}", self.node_name(from));
        }
        phrase
    }
}
