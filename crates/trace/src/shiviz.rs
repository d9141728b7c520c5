//! The reader of ShiViz and GoVec logs: events with vector clocks, and the checks of the clocks.

use crate::event::LogEvent;
use crate::event::{Destinations, EventKind};
use crate::guess;
use crate::log::{LineStatus, Log, LogFormat};
use crate::native::vector_of;
use crate::pattern;
use crate::rules::RuleSet;
use crate::text::LogText;

/// The regular expression that GoVec logs are read with.
pub const GOVEC: &str = r"(?<host>\S*) (?<clock>{.*})\n(?<event>.*)";

/// A host, its clock and what happened, with the first line.
struct ClockLine<'a> {
    line: u32,
    lines: u32,
    host: &'a str,
    clock: &'a str,
    text: &'a str,
}

/// Whether a line is the regular expression of a ShiViz log.
pub(crate) fn is_expression(line: &str) -> bool {
    line.contains("(?<host>") || line.contains("(?P<host>")
}

/// Whether a line is a host and its clock.
pub(crate) fn is_clock(line: &str) -> bool {
    split(line).is_some()
}

fn split(line: &str) -> Option<(&str, &str)> {
    let (host, clock) = line.trim_end().split_once(' ')?;
    let clock = clock.trim_start();
    (!host.is_empty() && clock.starts_with("{\"") && clock.ends_with('}')).then_some((host, clock))
}

/// Reads ShiViz logs; the words of the events are read by the rules, or guessed.
pub(crate) fn read(files: Vec<LogText>, rules: Option<&RuleSet>) -> Log {
    let mut log = Log::new(LogFormat::Shiviz, Vec::new());
    log.lines = files.iter().map(|file| vec![LineStatus::Skipped; file.len()]).collect();
    for (number, file) in files.iter().enumerate() {
        let first = file.lines().find(|(_, line)| !line.trim().is_empty());
        let expression = first.filter(|(_, line)| is_expression(line));
        match expression {
            Some((at, line)) if line.trim() != GOVEC => by_expression(&mut log, number as u32, file, at, line, rules),
            _ => by_lines(&mut log, number as u32, file, expression.map(|(at, _)| at), rules),
        }
    }
    log.files = files;
    log
}

fn by_lines(log: &mut Log, file: u32, text: &LogText, skip: Option<usize>, rules: Option<&RuleSet>) {
    let mut number = 0;
    while number < text.len() {
        let line = text.line(number);
        if let Some((host, clock)) = split(line).filter(|_| skip != Some(number)) {
            let found = ClockLine { line: number as u32 + 1, lines: 2, host, clock, text: text.line(number + 1) };
            add(log, file, &found, rules);
            number += 2;
            continue;
        }
        if !line.trim().is_empty() && skip != Some(number) {
            log.lines_not_understood += 1;
            log.mark(file, number as u32 + 1, LineStatus::NotUnderstood);
        }
        number += 1;
    }
}

fn by_expression(log: &mut Log, file: u32, text: &LogText, at: usize, line: &str, rules: Option<&RuleSet>) {
    let regex = match pattern::regex(line.trim()) {
        Ok(regex) => regex,
        Err(why) => return log.complain(file, at as u32 + 1, why),
    };
    // after the expression comes a line that separates runs, often an empty one
    let begin = text.lines().take(at + 1).map(|(_, line)| line.len() + 1).sum::<usize>().min(text.text.len());
    let body = text.text.get(begin..).unwrap_or_default();
    let (mut counted, mut number) = (0, at as u32 + 1);
    for captures in regex.captures_iter(body) {
        let Some(whole) = captures.get(0) else { continue };
        number += body[counted..whole.start()].matches('\n').count() as u32;
        counted = whole.start();
        let group = |name| captures.name(name).map_or("", |found| found.as_str());
        let lines = whole.as_str().trim_end().matches('\n').count() as u32 + 1;
        let skipped = whole.as_str().bytes().take_while(|byte| *byte == b'\n').count() as u32;
        let line = number + 1 + skipped;
        add(
            log,
            file,
            &ClockLine { line, lines, host: group("host"), clock: group("clock"), text: group("event") },
            rules,
        );
    }
}

fn add(log: &mut Log, file: u32, found: &ClockLine<'_>, rules: Option<&RuleSet>) {
    let Some(vector) = vector_of(found.clock) else {
        let message = format!("clock: `{}` is not a vector clock; expected an object.", found.clock);
        return log.complain(file, found.line, message);
    };
    for line in 0..found.lines {
        log.mark(file, found.line + line, LineStatus::Understood);
    }
    let node = log.node(found.host);
    let vector: Box<[(u32, u64)]> = vector.iter().map(|(name, count)| (log.node(name), *count)).collect();
    let taught = rules.and_then(|set| guess::by_rules(set, found.text));
    let said = taught.or_else(|| guess::classify(found.text)).unwrap_or_default();
    let mut event = LogEvent::new(said.kind.unwrap_or(EventKind::Note), node, file, found.line);
    event.message = said.message.map(|kind| log.message_kind(&kind));
    event.lock = said.lock.map(|lock| log.words.id(&lock));
    if let Some(peer) = said.peer.map(|peer| log.node(&peer)) {
        match event.kind {
            EventKind::Send => event.to = Destinations::One(peer),
            EventKind::Recv => event.from = Some(peer),
            _ => {}
        }
    }
    if event.kind == EventKind::Send && event.to == Destinations::None {
        event.kind = EventKind::Note; // the clocks order it; only the picture misses its receiver
    }
    event.vector = Some(vector);
    log.events.push(event);
}

/// Checks vector clocks and finds the arrows between nodes that they say.
pub(crate) fn check_vectors(log: &mut Log) {
    log.vectors = !log.events.is_empty() && log.events.iter().all(|event| event.vector.is_some());
    if !log.events.iter().any(|event| event.vector.is_some()) {
        return;
    }
    let nodes = log.nodes.len();
    // for each node its events with their own count
    let mut own: Vec<Vec<(u64, u32)>> = vec![Vec::new(); nodes];
    for (at, event) in log.events.iter().enumerate() {
        let count = event.vector.as_ref().and_then(|v| v.iter().find(|(node, _)| *node == event.node));
        if let Some((_, count)) = count {
            own[event.node as usize].push((*count, at as u32));
        }
    }
    let mut problems: Vec<(u32, String)> = Vec::new();
    let mut arrows = Vec::new();
    let mut known: Vec<hashbrown::HashMap<u32, u64>> = vec![hashbrown::HashMap::new(); nodes];
    for (at, event) in log.events.iter().enumerate() {
        let Some(vector) = &event.vector else { continue };
        let before = &mut known[event.node as usize];
        let name = |node: u32| log.node_name(node);
        for (node, count) in vector {
            let last = before.insert(*node, *count).unwrap_or(0);
            if *node == event.node {
                if last.checked_add(1) != Some(*count) {
                    let message = format!(
                        "{}: its own clock goes from {last} to {count}; expected {}: an event is missing.",
                        name(*node),
                        last.saturating_add(1)
                    );
                    problems.push((at as u32, message));
                }
            } else if *count < last {
                let message =
                    format!("{} forgets event {last} of {}: a clock goes back.", name(event.node), name(*node));
                problems.push((at as u32, message));
            } else if *count > last {
                let events = &own[*node as usize];
                let newest = events.partition_point(|(own, _)| own <= count);
                match newest.checked_sub(1).map(|at| events[at]) {
                    Some((own, source)) => {
                        arrows.push((at as u32, source));
                        if own < *count {
                            let message = format!(
                                "{} knows event {count} of {}, which is not in the log.",
                                name(event.node),
                                name(*node)
                            );
                            problems.push((at as u32, message));
                        }
                    }
                    None => {
                        let message = format!(
                            "{} knows event {count} of {}, which is not in the log.",
                            name(event.node),
                            name(*node)
                        );
                        problems.push((at as u32, message));
                    }
                }
            }
        }
    }
    log.vector_arrows = arrows;
    log.vectors_broken = !problems.is_empty();
    for (at, message) in problems {
        let (file, line) = (log.events[at as usize].file, log.events[at as usize].line);
        log.report(file, line, true, message);
    }
}
