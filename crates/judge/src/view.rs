//! What the page shows of a judgement, as plain data: sentences, rows and numbers.

use crate::submission::JudgedLog;
use lockstep_trace::explain::{ChainLink, explain};
use lockstep_trace::guess::suggest;
use lockstep_trace::report::problems;
use lockstep_trace::shape::shapes;
use lockstep_trace::{Judgement, Log, LogFormat, LogText, PairOrder, RuleSet};
use serde::{Deserialize, Serialize};

/// The most pairs, problems and missing lines that the page can list; it counts the others.
const MOST_ROWS: usize = 2_000;
/// The most shapes that the page lists.
const MOST_SHAPE_ROWS: usize = 200;
/// The longest line that the page shows, in characters.
pub const LONGEST_SHOWN: usize = 600;

/// A line as far as the page shows it.
pub fn shown(line: &str) -> String {
    match line.char_indices().nth(LONGEST_SHOWN) {
        Some((end, _)) => format!("{}…", &line[..end]),
        None => line.to_owned(),
    }
}

/// Two sections, by their positions, with a sentence about them.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct PairRow {
    /// One.
    pub first: usize,
    /// The other.
    pub second: usize,
    /// What the log proves: [`PairOrder::name`].
    pub order: String,
    /// Both with their lines.
    pub text: String,
}

/// A line that the log lacks.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct MissingRow {
    /// Why it matters.
    pub reason: String,
    /// The line to print.
    pub print: String,
    /// The statement that prints it: languages and statements.
    pub statements: Vec<(String, String)>,
    /// The pairs that it would decide, at most 20.
    pub decides: Vec<PairRow>,
    /// How many pairs that are in all.
    pub pairs: usize,
}

/// A section.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct SectionRow {
    /// Who is inside.
    pub name: String,
    /// The line of the entry.
    pub enter: String,
    /// The line of the end, or why there is none.
    pub end: String,
}

/// How a log compares with an algorithm.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct ConformanceView {
    /// The algorithm.
    pub algorithm: String,
    /// The answer as a sentence.
    pub sentence: String,
    /// Whether it conforms, if that can be said.
    pub ok: Option<bool>,
    /// The first event that is not allowed.
    pub event: Option<u32>,
    /// What would have been allowed.
    pub allowed: Vec<String>,
    /// What is owed when the log ends.
    pub owed: Vec<String>,
    /// A link that opens the state before it on the stage.
    pub link: Option<String>,
    /// Who is who on the stage, or why there is no link.
    pub stage: Option<String>,
}

/// What wall clocks decide.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
pub struct SkewView {
    /// Whether the reader is asked for it: only clocks can decide some pair.
    pub asked: bool,
    /// The skew that the verdict uses.
    pub given: Option<f64>,
    /// Sentences: at which skew the verdict changes.
    pub sentences: Vec<String>,
}

/// A log that was judged.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
pub struct LogView {
    /// Its name.
    pub name: String,
    /// The verdict: [`lockstep_trace::LogVerdict::name`].
    pub verdict: String,
    /// One sentence with the verdict and its reason.
    pub sentence: String,
    /// Whether the lines fit together.
    pub consistent: bool,
    /// How it was read: [`LogFormat::name`].
    pub format: String,
    /// Whether it is free text, so that rules can be taught.
    pub teachable: bool,
    /// The rules in use: given or guessed.
    pub rules: String,
    /// How many runs it contains.
    pub sessions: usize,
    /// Names and numbers beside the sentence.
    pub facts: Vec<(String, String)>,
    /// How many pairs there are of each kind.
    pub counts: Vec<(String, usize)>,
    /// Pairs that are not ordered, the worst first, at most 2,000.
    pub pairs: Vec<PairRow>,
    /// Sections.
    pub sections: Vec<SectionRow>,
    /// What is missing.
    pub missing: Vec<MissingRow>,
    /// Whether it follows an algorithm.
    pub conformance: Option<ConformanceView>,
    /// What clocks decide.
    pub skew: SkewView,
    /// What is wrong with its lines.
    pub problems: Vec<String>,
    /// How many lines no rule understands.
    pub not_understood: usize,
    /// Its files and how many lines they have.
    pub files: Vec<(String, usize)>,
    /// Ambiguous receives: the event, its phrase, its candidates with their lines; at most 2,000.
    pub ambiguous: Vec<(u32, String, Vec<String>)>,
    /// How many there are.
    pub ambiguous_count: usize,
}

fn count(number: usize, one: &str, several: &str) -> String {
    if number == 1 { format!("1 {one}") } else { format!("{number} {several}") }
}

impl LogView {
    /// What the page shows of a log.
    pub fn of(judged: &JudgedLog, rules: &str) -> LogView {
        let judgement = &judged.judgement;
        let log = &judgement.log;
        let place = |event: u32| log.place(&log.events[event as usize]);
        let pair = |first: usize, second: usize, order: PairOrder| PairRow {
            first,
            second,
            order: order.name().to_owned(),
            text: judgement.pair_phrase(first, second),
        };
        let sections = judgement.sections.list.iter().map(|section| SectionRow {
            name: judgement.section_name(section),
            enter: place(section.enter),
            end: section.end.event().map_or_else(|| "no line".to_owned(), place),
        });
        let lacks = judgement.missing.iter().take(MOST_ROWS).map(|line| {
            let row = |at: &usize| {
                let found = judgement.pairs[*at];
                pair(found.first, found.second, found.order)
            };
            MissingRow {
                decides: line.pairs.iter().take(20).map(row).collect(),
                pairs: line.pairs.len(),
                reason: line.reason.clone(),
                print: line.print.clone(),
                statements: line.statements.iter().map(|(name, text)| ((*name).to_owned(), text.clone())).collect(),
            }
        });
        let candidates = |(receive, sends): &(u32, Vec<u32>)| {
            let places = sends.iter().map(|send| place(*send)).collect();
            (*receive, format!("{} ({})", log.phrase(&log.events[*receive as usize]), place(*receive)), places)
        };
        let mut wrong: Vec<String> = judged.problems.clone();
        wrong.extend(problems(log).into_iter().take(MOST_ROWS));
        LogView {
            name: judged.name.clone(),
            verdict: judgement.verdict.name().to_owned(),
            sentence: judgement.sentence(),
            consistent: judgement.consistent(),
            format: log.format.name().to_owned(),
            teachable: !matches!(log.format, LogFormat::Native),
            rules: if log.format == LogFormat::Guessed { guessed(&log.files) } else { rules.to_owned() },
            sessions: log.sessions,
            facts: facts(judged),
            counts: PairOrder::ALL
                .into_iter()
                .map(|order| (order.name().to_owned(), judgement.counts[order as usize]))
                .filter(|(_, count)| *count > 0)
                .collect(),
            pairs: judgement.pairs.iter().take(MOST_ROWS).map(|p| pair(p.first, p.second, p.order)).collect(),
            sections: sections.collect(),
            missing: lacks.collect(),
            conformance: conformance(judged),
            skew: skew(judgement),
            problems: wrong,
            not_understood: log.lines_not_understood,
            files: log.files.iter().map(|file| (file.name.clone(), file.len())).collect(),
            ambiguous: judgement.messages.ambiguous.iter().take(MOST_ROWS).map(candidates).collect(),
            ambiguous_count: judgement.messages.ambiguous.len(),
        }
    }
}

/// The rules that were guessed, as text.
fn guessed(files: &[LogText]) -> String {
    lockstep_trace::guessed_set(files).to_string()
}

fn facts(judged: &JudgedLog) -> Vec<(String, String)> {
    let judgement = &judged.judgement;
    let theory = judged.conformance.as_ref().and_then(|c| c.theory.as_ref());
    let mut facts = Vec::new();
    let mut fact = |name: &str, value: String| facts.push((name.to_owned(), value));
    fact("events", judgement.log.events.len().to_string());
    if let Some(number) = judgement.messages_per_entry() {
        let beside = theory.map(|theory| format!(" (theory: {theory})")).unwrap_or_default();
        fact("messages per entry", format!("{number}{beside}"));
    }
    let waiting = judgement.waiting();
    if !waiting.is_empty() {
        let more = if waiting.len() > 8 { ", …" } else { "" };
        let names: Vec<String> = waiting.into_iter().take(8).collect();
        fact("waiting when the log ends", format!("{}{more}", names.join(", ")));
    }
    if judgement.overtaken_at_most > 0 {
        fact("a request was overtaken", count(judgement.overtaken_at_most, "time", "times"));
    }
    let messages = &judgement.messages;
    let mut some = |name: &str, number: usize| {
        if number > 0 {
            fact(name, number.to_string());
        }
    };
    some("receives with several candidates", messages.ambiguous.len());
    some("receives without a send", messages.receives_without_send);
    some("sends without a receive", messages.sends_without_receive);
    some("messages against the order of lines", judgement.order.contradictory.len());
    some("lines not understood", judgement.log.lines_not_understood);
    facts
}

fn conformance(judged: &JudgedLog) -> Option<ConformanceView> {
    let found = judged.conformance.as_ref()?;
    let sentence = match (found.ok, &found.first, &found.unknown) {
        (Some(true), ..) => format!("Every event is allowed by {}.", found.algorithm),
        (_, Some(first), _) => format!("Not allowed by {}: {first}.", found.algorithm),
        (.., Some(why)) => format!("Whether it follows the algorithm cannot be said: {why}"),
        _ => String::new(),
    };
    Some(ConformanceView {
        algorithm: found.algorithm.clone(),
        sentence,
        ok: found.ok,
        event: found.event,
        allowed: found.allowed.iter().take(MOST_ROWS).cloned().collect(),
        owed: found.owed.iter().take(MOST_ROWS).cloned().collect(),
        link: found.link.clone(),
        stage: found.stage(),
    })
}

fn skew(judgement: &Judgement) -> SkewView {
    let answer = &judgement.skew;
    let asked = answer.apart_up_to.is_some() || answer.overlap_up_to.is_some();
    SkewView { asked, given: judgement.log.header.skew, sentences: answer.sentences() }
}

/// A step of a chain of messages.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct ChainRow {
    /// The event.
    pub event: u32,
    /// Its line, `file:line`.
    pub place: String,
    /// What happens.
    pub phrase: String,
    /// Whether a message leads here; else the same node, or the start.
    pub message: bool,
}

/// Why two sections are ordered or not.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
pub struct PairView {
    /// The section that comes first, if they are ordered.
    pub first: usize,
    /// The other one.
    pub second: usize,
    /// What the log proves: [`PairOrder::name`].
    pub order: String,
    /// The same as a sentence.
    pub sentence: String,
    /// From the exit of the first to the entry of the second, if they are ordered.
    pub chain: Vec<ChainRow>,
    /// For each node, how many of its events come before the first entry.
    pub past_of_first: Vec<u32>,
    /// The same for the second.
    pub past_of_second: Vec<u32>,
    /// For each event its place in another order that agrees with the log, in which both are
    /// inside.
    pub other_rank: Option<Vec<u32>>,
    /// In that order, both are inside after this many events.
    pub both_inside_after: usize,
}

impl PairView {
    /// The explanation of two sections; none if they may overlap.
    pub fn of(judgement: &Judgement, a: usize, b: usize) -> Option<PairView> {
        let list = &judgement.sections.list;
        if a >= list.len() || b >= list.len() || a == b {
            return None;
        }
        let found = explain(judgement, a, b)?;
        let log = &judgement.log;
        let chain = found.chain.iter().map(|step| {
            let event = &log.events[step.event as usize];
            ChainRow {
                event: step.event,
                place: log.place(event),
                phrase: log.phrase(event),
                message: step.link == ChainLink::Message,
            }
        });
        let names = judgement.pair_phrase(found.first, found.second);
        let sentence = match found.order {
            PairOrder::Ordered => format!("Ordered by messages: {names}."),
            PairOrder::Overlap => format!("Both are inside at once in every order that agrees with the log: {names}."),
            PairOrder::OverlapObserved => format!("Both were inside at once as they were observed: {names}."),
            PairOrder::Luck => {
                format!("Nothing leads from one to the other: {names}. Under other delays both would be inside.")
            }
            PairOrder::Unproven => format!("The log does not say enough to order them: {names}."),
            PairOrder::ByClock => format!("Only clocks keep them apart: {names}."),
        };
        let other_rank = found.other_order.map(|order| {
            let mut rank = vec![0; order.len()];
            order.iter().enumerate().for_each(|(place, event)| rank[*event as usize] = place as u32);
            rank
        });
        Some(PairView {
            first: found.first,
            second: found.second,
            order: found.order.name().to_owned(),
            sentence,
            chain: chain.collect(),
            past_of_first: found.past_of_first,
            past_of_second: found.past_of_second,
            other_rank,
            both_inside_after: found.both_inside_after,
        })
    }
}

/// Lines of one shape.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct ShapeRow {
    /// The shape, shortened.
    pub text: String,
    /// How many lines have it.
    pub count: usize,
    /// How many of them no rule understands.
    pub not_understood: usize,
    /// The first such line; empty if it is too long to be taught.
    pub line: String,
    /// Where that line is.
    pub place: String,
    /// Roles of its words, as a guess: positions of words, and names of roles.
    pub roles: Vec<(usize, String)>,
    /// The events, as a guess.
    pub events: String,
    /// The rule that matches the line now.
    pub rule: String,
}

/// The shapes of the lines of a log.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct ShapesView {
    /// The most frequent ones.
    pub rows: Vec<ShapeRow>,
    /// How many shapes are not listed.
    pub more: usize,
    /// The rules in use, given or guessed.
    pub rules: String,
    /// The names of the files.
    pub files: Vec<String>,
    /// The names of the nodes, as far as the lines were understood; at most 200.
    pub nodes: Vec<String>,
}

impl ShapesView {
    /// The shapes of a log, as far as it was read.
    pub fn of(log: &Log, rules: &str) -> ShapesView {
        let found = shapes(&log.files, Some(log));
        let several = log.files.len() > 1;
        let rules = if rules.trim().is_empty() { guessed(&log.files) } else { rules.to_owned() };
        let set = RuleSet::parse(&rules).unwrap_or_default();
        let row = |shape: &lockstep_trace::shape::LineShape| {
            let line = log.files[shape.file as usize].line(shape.line as usize - 1);
            let short = line.len() <= 2_000;
            let guess = if short { suggest(line, several) } else { None };
            let lower = line.to_ascii_lowercase();
            let rule = set.rules.iter().filter(|_| short).find(|rule| rule.pattern.find(line, &lower).is_some());
            let (roles, events) = guess.unwrap_or_default();
            ShapeRow {
                text: shown(&shape.text),
                count: shape.count,
                not_understood: shape.not_understood,
                line: if short { line.to_owned() } else { String::new() },
                place: log.place_of(shape.file, shape.line),
                roles: roles.into_iter().map(|(at, role)| (at, role.name().to_owned())).collect(),
                events,
                rule: rule.map(ToString::to_string).unwrap_or_default(),
            }
        };
        ShapesView {
            rows: found.list.iter().take(MOST_SHAPE_ROWS).map(row).collect(),
            more: found.list.len().saturating_sub(MOST_SHAPE_ROWS) + found.others,
            files: log.files.iter().map(|file| file.name.clone()).collect(),
            nodes: (0..log.nodes.len().min(MOST_SHAPE_ROWS) as u32)
                .map(|node| log.node_name(node).to_owned())
                .collect(),
            rules,
        }
    }
}
