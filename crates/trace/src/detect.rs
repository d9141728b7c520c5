//! Finds out how a log is written, by its content, and reads it.

use crate::event::EventKind;
use crate::guess::{GuessedRule, guess_rules};
use crate::log::{Log, LogFormat};
use crate::rules::RuleSet;
use crate::shape::shapes;
use crate::text::{LogInput, LogText, MOST_BYTES};
use crate::{free, native, shiviz};

/// How a log is read.
#[derive(Clone, Debug, Default)]
pub struct ReadOptions {
    /// Rules for free text.
    pub rules: Option<RuleSet>,
    /// Of several runs the one with this number, counted from 1; 0 is the first.
    pub session: usize,
    /// Every clock is within this many seconds of true time; it overrides what the log says.
    pub skew: Option<f64>,
}

/// A rule set that comes with the program: its name, what its lines contain, and its rules. Only a
/// log in which most of the first lines contain it is read by the rules, which are slow.
pub const PRESETS: &[(&str, &str, &str)] = &[(
    "Jepsen history",
    ":process",
    "request: /:process (?<node>\\d+), :type :invoke, :f :(?:acquire|lock)/\n\
     enter: /:process (?<node>\\d+), :type :ok, :f :(?:acquire|lock)/\n\
     cancel: /:process (?<node>\\d+), :type :fail, :f :(?:acquire|lock)/\n\
     exit: /:process (?<node>\\d+), :type :invoke, :f :(?:release|unlock)/\n\
     ignore: /:f :(?:release|unlock)/\n\
     request: /:type :invoke, :f :(?:acquire|lock).*:process (?<node>\\d+)/\n\
     enter: /:type :ok, :f :(?:acquire|lock).*:process (?<node>\\d+)/\n\
     cancel: /:type :fail, :f :(?:acquire|lock).*:process (?<node>\\d+)/\n\
     exit: /:type :invoke, :f :(?:release|unlock).*:process (?<node>\\d+)/\n\
     option order=observed\n",
)];

/// Reads a log. It is never refused: what cannot be read is a problem of the log.
pub fn read(inputs: Vec<LogInput>, options: &ReadOptions) -> Log {
    let bytes: usize = inputs.iter().map(|input| input.bytes.len()).sum();
    if bytes > MOST_BYTES {
        let names = inputs.into_iter().map(|input| LogInput::new(input.name, "")).map(LogText::of).collect();
        let mut log = Log::new(LogFormat::Unknown, names);
        let (given, most) = (bytes >> 20, MOST_BYTES >> 20);
        log.report(0, 0, true, format!("The log has {given} MB; expected at most {most} MB. Split it by runs."));
        return log;
    }
    let mut files: Vec<LogText> = inputs.into_iter().map(LogText::of).collect();
    files.iter_mut().for_each(|file| file.name = file.name.replace(['\n', '\r'], " "));
    let binary: Vec<usize> = (0..files.len()).filter(|at| is_binary(&files[*at])).collect();
    let session = options.session.max(1);
    let mut log = match options.rules.as_ref() {
        // native lines need no rules
        Some(rules) if !is_shiviz(&files) && !says_native(&files) => {
            free::read(files, rules, session, LogFormat::Rules)
        }
        rules if is_shiviz(&files) => shiviz::read(files, rules),
        _ if is_native(&files) => native::read(files),
        _ => by_presets(files, session),
    };
    for file in binary {
        let message = "This is no text: it has zero bytes. Expected lines of text.";
        log.report(file as u32, 0, false, message);
    }
    log.header.skew = options.skew.or(log.header.skew);
    if session > log.sessions {
        let message = format!("session: {session} does not exist; expected 1 to {}.", log.sessions);
        log.report(0, 0, true, message);
    }
    shiviz::check_vectors(&mut log);
    log
}

fn is_binary(file: &LogText) -> bool {
    let head: String = file.text.chars().take(4_000).collect();
    head.contains('\0')
}

/// The share of lines, among the first thousand of each file, for which something holds.
fn share(files: &[LogText], holds: impl Fn(&str) -> bool) -> f64 {
    let lines = files.iter().flat_map(|file| file.lines().take(1_000)).filter(|(_, line)| !line.trim().is_empty());
    let (all, good) = lines.fold((0, 0), |(all, good), (_, line)| (all + 1, good + usize::from(holds(line))));
    if all == 0 { 0.0 } else { f64::from(good as u32) / f64::from(all) }
}

fn is_native(files: &[LogText]) -> bool {
    has_header(files) || share(files, native::is_native) > 0.5
}

fn has_header(files: &[LogText]) -> bool {
    let mut lines = files.iter().flat_map(|file| file.lines().take(1_000));
    lines.any(|(_, line)| line.trim_start().starts_with('{') && line.contains("\"lockstep\""))
}

/// Whether the files are native logs whatever rules were taught: they say so, or most of their
/// lines are events of the format. Objects of another format may have a node and an event, too.
fn says_native(files: &[LogText]) -> bool {
    has_header(files) || share(files, native::is_event) > 0.5
}

fn is_shiviz(files: &[LogText]) -> bool {
    let first =
        |file: &LogText| file.lines().find(|(_, line)| !line.trim().is_empty()).map(|(_, line)| line.to_owned());
    files.iter().filter_map(first).any(|line| shiviz::is_expression(&line)) || share(files, shiviz::is_clock) >= 0.3
}

/// The share of lines that were understood, if at least two nodes enter and leave.
fn score(log: &Log) -> Option<f64> {
    let nodes = |kind| {
        let mut nodes: Vec<u32> = log.events.iter().filter(|e| e.kind == kind).map(|e| e.node).collect();
        nodes.sort_unstable();
        nodes.dedup();
        nodes.len()
    };
    let lines: usize =
        log.files.iter().map(|file| file.lines().filter(|(_, line)| !line.trim().is_empty()).count()).sum();
    let understood = lines.saturating_sub(log.lines_not_understood) as f64 / lines.max(1) as f64;
    (nodes(EventKind::Enter) >= 2 && nodes(EventKind::Exit) >= 1).then_some(understood)
}

fn by_presets(files: Vec<LogText>, session: usize) -> Log {
    for (_, sign, rules) in PRESETS {
        if share(&files, |line| line.contains(sign)) < 0.5 {
            continue;
        }
        let Ok(set) = RuleSet::parse(rules) else { continue };
        let log = free::read(files.clone(), &set, session, LogFormat::Preset);
        if score(&log).is_some_and(|score| score > 0.5) {
            return log;
        }
    }
    let set = guessed_set(&files);
    let mut log = free::read(files, &set, session, LogFormat::Guessed);
    if log.events.is_empty() {
        log.format = LogFormat::Unknown;
    }
    log
}

/// The rules that the words of these files suggest.
pub fn guessed_set(files: &[LogText]) -> RuleSet {
    let shapes = shapes(files, None);
    // beyond some hundred shapes a guess is worth nothing
    let listed = &shapes.list[..shapes.list.len().min(200)];
    let mut set = RuleSet::default();
    for GuessedRule { rule, .. } in guess_rules(files, listed) {
        let _ = set.add(&rule);
    }
    set
}
