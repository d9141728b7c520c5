//! The result of judging a log: one document for scripts, one sentence for people, one row of a
//! table.

use crate::event::WordId;
use crate::judge::{Judgement, LogVerdict, PairOrder, SkewAnswer};
use crate::log::Log;
use crate::server::StaleAccess;
use serde_json::{Value, json};

/// Whether a run follows an algorithm, as `lockstep-follow` found it.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Conformance {
    /// The algorithm.
    pub algorithm: String,
    /// Whether every event is allowed; none if that cannot be said.
    pub ok: Option<bool>,
    /// The first event in happens-before that is not allowed, with the reason.
    pub first: Option<String>,
    /// That event, by its position in the log.
    pub event: Option<u32>,
    /// What the algorithm would have allowed there.
    pub allowed: Vec<String>,
    /// What the algorithm still has to do when the log ends.
    pub owed: Vec<String>,
    /// Why it cannot be said.
    pub unknown: Option<String>,
    /// A link that opens the state before that event on the stage.
    pub link: Option<String>,
    /// Why there is no such link.
    pub no_link: Option<String>,
    /// Nodes that the stage calls by another name: their names in the log and there.
    pub names: Vec<(String, String)>,
    /// Messages per entry by theory, as `2(N − 1) = 4`.
    pub theory: Option<String>,
}

impl Conformance {
    /// One sentence about the stage: who is who there, or why it cannot show what should have
    /// happened.
    pub fn stage(&self) -> Option<String> {
        if let Some(why) = &self.no_link {
            return Some(format!("The stage cannot show what should have happened: {why}"));
        }
        let names: Vec<String> = self.names.iter().take(20).map(|(log, stage)| format!("{log} is {stage}")).collect();
        let more = if self.names.len() > 20 { ", …" } else { "" };
        (self.link.is_some() && !names.is_empty()).then(|| format!("On the stage, {}{more}.", names.join(", ")))
    }

    /// As a document.
    pub fn document(&self) -> Value {
        json!({
            "algorithm": self.algorithm,
            "ok": self.ok,
            "first": self.first,
            "allowed": self.allowed,
            "owed": self.owed,
            "unknown": self.unknown,
            "link": self.link,
            "no_link": self.no_link,
            "names": self.names,
            "theory": self.theory,
        })
    }
}

/// `1 thread`, `2 threads`, `3 entries`.
fn count(number: usize, thing: &str) -> String {
    match thing.strip_suffix('y') {
        _ if number == 1 => format!("1 {thing}"),
        Some(stem) => format!("{number} {stem}ies"),
        None => format!("{number} {thing}s"),
    }
}

fn round(number: f64) -> f64 {
    (number * 1_000.0 + 0.5) as i64 as f64 / 1_000.0
}

impl Judgement {
    /// Messages per entry.
    pub fn messages_per_entry(&self) -> Option<f64> {
        let entries = self.sections.list.len();
        (entries > 0).then(|| round(self.messages.sends as f64 / entries as f64))
    }

    /// Who waits when the log ends.
    pub fn waiting(&self) -> Vec<String> {
        self.sections.waiting.iter().map(|w| self.user_name(w.node, w.thread, w.client)).collect()
    }

    /// Who is inside when the log ends.
    pub fn inside(&self) -> Vec<String> {
        self.sections.list.iter().filter(|section| Judgement::is_open(section)).map(|s| self.section_name(s)).collect()
    }

    /// Two sections in words: `a (file:3) and b (file:7)`.
    pub fn pair_phrase(&self, first: usize, second: usize) -> String {
        let one = |at: usize| {
            let section = &self.sections.list[at];
            format!("{} ({})", self.section_name(section), self.log.place(&self.log.events[section.enter as usize]))
        };
        format!("{} and {}", one(first), one(second))
    }

    /// An access with a stale token in words.
    fn stale_phrase(&self, stale: &StaleAccess) -> String {
        let event = |at: u32| &self.log.events[at as usize];
        let one = |at: u32| format!("{} ({})", event(at).token.unwrap_or_default(), self.log.place(event(at)));
        format!("{} after {}", one(stale.event), one(stale.after))
    }

    /// One sentence: the verdict and its reason.
    pub fn sentence(&self) -> String {
        let first = |order: PairOrder| {
            let pair = self.pairs.iter().find(|pair| pair.order == order);
            pair.map(|pair| self.pair_phrase(pair.first, pair.second)).unwrap_or_default()
        };
        let number = |order: PairOrder| self.counts[order as usize];
        let reason = match self.verdict {
            LogVerdict::Excluded if self.server_view => "every two grants are apart as the server sees it".to_owned(),
            LogVerdict::Excluded => "every two sections are ordered by messages".to_owned(),
            LogVerdict::Violated if number(PairOrder::Overlap) > 0 => {
                format!(
                    "both are inside at once in every order that agrees with the log: {}",
                    first(PairOrder::Overlap)
                )
            }
            LogVerdict::Violated if number(PairOrder::OverlapObserved) == 0 => {
                let stale = self.stale.first().map(|stale| self.stale_phrase(stale)).unwrap_or_default();
                format!("an access was accepted with a stale token: {stale}")
            }
            LogVerdict::Violated => {
                format!("both were inside at once as they were observed: {}", first(PairOrder::OverlapObserved))
            }
            LogVerdict::Luck => {
                format!("no message orders {}; under other delays both would be inside", first(PairOrder::Luck))
            }
            LogVerdict::Unproven => {
                let why = self.missing.first().map(|line| format!(" {}", line.reason)).unwrap_or_default();
                format!("the log does not say what orders {}.{why}", first(PairOrder::Unproven))
            }
            LogVerdict::ByClock => format!("only clocks keep {} apart", first(PairOrder::ByClock)),
            LogVerdict::NothingToJudge => "there are no two sections that exclude each other".to_owned(),
        };
        let reason = reason.trim_end_matches('.');
        format!(
            "{}, {}, {}; {}: {reason}.",
            count(self.log.nodes.len(), "node"),
            count(self.sections.list.len(), "entry"),
            count(self.messages.sends, "message"),
            self.verdict.name(),
        )
    }

    /// The document of `lockstep judge --json`.
    pub fn document(&self, conformance: Option<&Conformance>) -> Value {
        let mut pairs = serde_json::Map::new();
        let mut first = serde_json::Map::new();
        for order in PairOrder::ALL.into_iter().rev().filter(|order| self.counts[*order as usize] > 0) {
            pairs.insert(order.name().to_owned(), json!(self.counts[order as usize]));
            if let Some(pair) = self.pairs.iter().find(|pair| pair.order == order) {
                first.insert(order.name().to_owned(), json!(self.pair_phrase(pair.first, pair.second)));
            }
        }
        let word = |kind: &Option<WordId>| kind.map_or("", |kind| self.log.words.word(kind)).to_owned();
        let kinds: serde_json::Map<String, Value> =
            self.messages.by_kind.iter().map(|(kind, count)| (word(kind), json!(count))).collect();
        let lines = |line: &crate::missing::MissingLine| {
            let phrase = |at: &usize| self.pair_phrase(self.pairs[*at].first, self.pairs[*at].second);
            let pairs: Vec<String> = line.pairs.iter().take(20).map(phrase).collect();
            let statements: serde_json::Map<String, Value> =
                line.statements.iter().map(|(language, text)| ((*language).to_owned(), json!(text))).collect();
            json!({ "reason": line.reason, "print": line.print, "statements": statements, "decides": pairs })
        };
        let lamport = self.lamport.list.first().map(|(event, what)| self.at(*event, what));
        let messages = &self.messages;
        json!({
            "verdict": self.verdict.name(),
            "sentence": self.sentence(),
            "consistent": self.consistent(),
            "format": self.log.format.name(),
            "nodes": self.log.nodes.len(),
            "events": self.log.events.len(),
            "sessions": self.log.sessions,
            "sections": self.sections.list.len(),
            "pairs": pairs,
            "pairs_not_examined": self.not_examined,
            "first": first,
            "stale_tokens": self.stale.iter().take(20).map(|stale| self.stale_phrase(stale)).collect::<Vec<_>>(),
            "view": if self.server_view { "as the server sees it" } else { "as the nodes see it" },
            "messages": {
                "sends": messages.sends,
                "receives": messages.receives,
                "receives_without_send": messages.receives_without_send,
                "sends_without_receive": messages.sends_without_receive,
                "ambiguous": messages.ambiguous.len(),
                "duplicates": messages.duplicates,
            },
            "messages_per_entry": self.messages_per_entry(),
            "messages_by_kind": kinds,
            "waiting_at_the_end": self.waiting(),
            "inside_at_the_end": self.inside(),
            "overtaken_at_most": self.overtaken_at_most,
            "order_of_requests_broken": self.order_of_requests_broken,
            "cycles": self.order.cycles.len(),
            "lamport_violations": { "count": self.lamport.count, "first": lamport },
            "skew": {
                "given": self.log.header.skew,
                "apart_up_to": self.skew.apart_up_to.map(round_skew),
                "overlap_up_to": self.skew.overlap_up_to.map(round_skew),
                "at_least": self.skew.at_least.map(round_skew),
                "sentences": self.skew.sentences(),
            },
            "lines_not_understood": self.log.lines_not_understood,
            "problems": problems(&self.log),
            "missing": self.missing.iter().take(20).map(lines).collect::<Vec<_>>(),
            "conformance": conformance.map(Conformance::document),
        })
    }

    fn at(&self, event: u32, what: &str) -> String {
        format!("{}: {what}", self.log.place(&self.log.events[event as usize]))
    }
}

impl SkewAnswer {
    /// Sentences: at which skew the verdict changes.
    pub fn sentences(&self) -> Vec<String> {
        let least = self.at_least.map(|s| ("The messages show that some clock is wrong by at least", s));
        let apart = self.apart_up_to.map(|s| ("By clock if no clock is wrong by more than", s));
        let overlap = self.overlap_up_to.map(|s| ("An overlap is certain if no clock is wrong by more than", s));
        let all = [least, apart, overlap].into_iter().flatten();
        all.map(|(text, seconds)| format!("{text} {} s.", round_skew(seconds))).collect()
    }
}

/// Microseconds are exact enough for a skew.
fn round_skew(seconds: f64) -> f64 {
    (seconds * 1e6 + 0.5) as i64 as f64 / 1e6
}

/// The problems of a log, each with its line.
pub fn problems(log: &Log) -> Vec<String> {
    let listed = log.problems.iter().map(|p| format!("{}: {}", log.place_of(p.file, p.line), p.message));
    let more = log.problem_count.saturating_sub(log.problems.len());
    let rest = (more > 0).then(|| format!("There are {more} further problems."));
    listed.chain(rest).collect()
}

/// The columns of the table of many logs.
pub const COLUMNS: [&str; 9] = [
    "log",
    "verdict",
    "entries",
    "messages per entry",
    "theory",
    "waiting",
    "overtaken",
    "first disallowed event",
    "problems",
];

/// One log in the table of many.
pub fn row(name: &str, judgement: &Judgement, conformance: Option<&Conformance>) -> Vec<String> {
    let first = match conformance {
        Some(Conformance { first: Some(first), .. }) => first.clone(),
        Some(Conformance { ok: Some(true), .. }) => "none".to_owned(),
        Some(Conformance { unknown: Some(why), .. }) => why.clone(),
        _ => String::new(),
    };
    vec![
        name.to_owned(),
        judgement.verdict.name().to_owned(),
        judgement.sections.list.len().to_string(),
        judgement.messages_per_entry().map_or_else(String::new, |number| number.to_string()),
        conformance.and_then(|c| c.theory.clone()).unwrap_or_default(),
        judgement.sections.waiting.len().to_string(),
        judgement.overtaken_at_most.to_string(),
        first,
        judgement.log.problem_count.to_string(),
    ]
}

/// The table of many logs as CSV.
pub fn csv(rows: &[Vec<String>]) -> String {
    lockstep_text::csv(rows, "\n")
}
