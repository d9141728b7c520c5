//! The judge: what a log proves about every two critical sections, and about the whole run.

use crate::clocks::{self, ClockFaults};
use crate::event::EventKind;
use crate::log::Log;
use crate::messages::{Messages, match_messages};
use crate::missing::{MissingLine, missing};
use crate::order::CausalOrder;
use crate::pairs;
use crate::possible::PossibleOrder;
use crate::section::{Section, SectionEnd, Sections, sections};
use crate::server::{self, StaleAccess};

/// What a log proves about two sections. The worst comes first.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum PairOrder {
    /// Both are inside at once in every order that agrees with the log.
    Overlap,
    /// Both are inside at once as the observer or the clocks saw it.
    OverlapObserved,
    /// Nothing orders them: they kept apart by luck.
    Luck,
    /// The log does not say enough.
    Unproven,
    /// Only clocks keep them apart.
    ByClock,
    /// One happens before the other.
    Ordered,
}

impl PairOrder {
    /// All of them, the worst first.
    pub const ALL: [PairOrder; 6] = [
        PairOrder::Overlap,
        PairOrder::OverlapObserved,
        PairOrder::Luck,
        PairOrder::Unproven,
        PairOrder::ByClock,
        PairOrder::Ordered,
    ];

    /// Its name.
    pub fn name(self) -> &'static str {
        match self {
            PairOrder::Overlap => "overlap",
            PairOrder::OverlapObserved => "overlap-observed",
            PairOrder::Luck => "luck",
            PairOrder::Unproven => "unproven",
            PairOrder::ByClock => "by-clock",
            PairOrder::Ordered => "ordered",
        }
    }
}

/// What a log proves about a run.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum LogVerdict {
    /// Two threads were inside at once, or a stale fencing token was accepted.
    Violated,
    /// Two sections are not ordered by anything.
    Luck,
    /// The log does not say enough.
    Unproven,
    /// Only clocks keep the sections apart.
    ByClock,
    /// Every two sections are ordered by messages.
    Excluded,
    /// There are no two sections that exclude each other.
    NothingToJudge,
}

impl LogVerdict {
    /// Its name.
    pub fn name(self) -> &'static str {
        match self {
            LogVerdict::Violated => "violated",
            LogVerdict::Luck => "luck",
            LogVerdict::Unproven => "unproven",
            LogVerdict::ByClock => "by-clock",
            LogVerdict::Excluded => "excluded",
            LogVerdict::NothingToJudge => "nothing to judge",
        }
    }
}

/// Two sections, by their positions, and what the log proves about them.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct JudgedPair {
    /// The section whose entry comes first in the log.
    pub first: usize,
    /// The other one.
    pub second: usize,
    /// What is proved.
    pub order: PairOrder,
}

/// A request that others overtook.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct OvertakenRequest {
    /// The request.
    pub request: u32,
    /// The request that was made later and served earlier.
    pub by: u32,
}

/// At which skew of the clocks the verdict changes, in seconds.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub struct SkewAnswer {
    /// Sections that only clocks keep apart are apart if no clock is wrong by more than this.
    pub apart_up_to: Option<f64>,
    /// Sections that overlap by the clocks certainly overlap if no clock is wrong by more than
    /// this.
    pub overlap_up_to: Option<f64>,
    /// The messages show that some clock is wrong by at least this much.
    pub at_least: Option<f64>,
}

/// A log with everything that the judge found.
#[derive(Debug)]
pub struct Judgement {
    /// The log.
    pub log: Log,
    /// What is certain.
    pub order: CausalOrder,
    /// What could be.
    pub possible: PossibleOrder,
    /// Sends and receives.
    pub messages: Messages,
    /// Sections and requests.
    pub sections: Sections,
    /// The verdict.
    pub verdict: LogVerdict,
    /// How many pairs there are of each kind.
    pub counts: [usize; 6],
    /// Pairs that are not ordered, the worst first, at most [`pairs::MOST_PAIRS`].
    pub pairs: Vec<JudgedPair>,
    /// Pairs that were not examined because there are too many.
    pub not_examined: usize,
    /// Requests that were overtaken, at most [`pairs::MOST_PAIRS`].
    pub overtaken: Vec<OvertakenRequest>,
    /// How often one request was overtaken, at most.
    pub overtaken_at_most: usize,
    /// How often a later request was served first.
    pub order_of_requests_broken: usize,
    /// Faults of Lamport clocks.
    pub lamport: ClockFaults,
    /// What the skew of wall clocks decides.
    pub skew: SkewAnswer,
    /// Accesses that were accepted with a smaller fencing token than one before.
    pub stale: Vec<StaleAccess>,
    /// Whether a server's view was judged, not the clients' own sections.
    pub server_view: bool,
    /// Whether luck can be told from a missing line: see [`LuckRule`].
    pub luck: LuckRule,
    /// What the log lacks, the most useful line first, at most 200 lines.
    pub missing: Vec<MissingLine>,
}

/// Why the judge may or may not say luck.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum LuckRule {
    /// Everything that can order two sections has lines.
    Allowed,
    /// The log says that messages are missing.
    Incomplete,
    /// The log has no messages and no vector clocks.
    NoMessages,
    /// The vector clocks are wrong.
    BrokenClocks,
}

/// Judges a log. A log that is too large comes back with a sentence that says so.
pub fn judge(log: Log) -> Result<Judgement, Box<(Log, String)>> {
    let mut order = CausalOrder::new(&log);
    let messages = match match_messages(&log, &mut order) {
        Ok(messages) => messages,
        Err(why) => return Err(Box::new((log, why))),
    };
    let possible = PossibleOrder::of(&log, &order, &messages);
    let mut sections = sections(&log);
    server::check(&log, &order, &mut sections);
    let lamport = clocks::lamport_faults(&log, &order, &messages);
    let traffic = log.events.iter().any(|event| matches!(event.kind, EventKind::Send | EventKind::Recv));
    let luck = match () {
        () if log.vectors_broken => LuckRule::BrokenClocks,
        () if log.header.complete == Some(false) => LuckRule::Incomplete,
        () if !traffic && !log.vectors => LuckRule::NoMessages,
        () => LuckRule::Allowed,
    };
    let server_view = !sections.list.is_empty() && sections.list.iter().all(|section| section.client.is_some());
    let mut judgement = Judgement {
        order,
        possible,
        messages,
        sections,
        verdict: LogVerdict::NothingToJudge,
        counts: [0; 6],
        pairs: Vec::new(),
        not_examined: 0,
        overtaken: Vec::new(),
        overtaken_at_most: 0,
        order_of_requests_broken: 0,
        lamport,
        skew: SkewAnswer::default(),
        stale: server::stale_accesses(&log),
        server_view,
        luck,
        missing: Vec::new(),
        log,
    };
    judgement.note_problems();
    pairs::examine(&mut judgement);
    pairs::overtaking(&mut judgement);
    judgement.skew.at_least = clocks::least_skew(&judgement.log, &judgement.messages);
    judgement.verdict = judgement.worst();
    judgement.missing = missing(&judgement);
    Ok(judgement)
}

impl Judgement {
    /// Adds what does not fit to the problems of the log.
    fn note_problems(&mut self) {
        for (event, message, serious) in std::mem::take(&mut self.sections.problems) {
            let (file, line) = (self.log.events[event as usize].file, self.log.events[event as usize].line);
            self.log.report(file, line, serious, message.clone());
            self.sections.problems.push((event, message, serious));
        }
        for cycle in &self.order.cycles {
            let first = &self.log.events[cycle[0] as usize];
            let places: Vec<String> =
                cycle.iter().take(6).map(|event| self.log.place(&self.log.events[*event as usize])).collect();
            let message = format!(
                "These lines come before each other: {}{}. They are not in the order in which things happened.",
                places.join(", "),
                if cycle.len() > 6 { ", …" } else { "" }
            );
            let (file, line) = (first.file, first.line);
            self.log.report(file, line, true, message);
        }
    }

    fn worst(&self) -> LogVerdict {
        let found = |order: PairOrder| self.counts[order as usize] > 0;
        match () {
            () if found(PairOrder::Overlap) || found(PairOrder::OverlapObserved) => LogVerdict::Violated,
            () if !self.stale.is_empty() => LogVerdict::Violated,
            () if found(PairOrder::Luck) => LogVerdict::Luck,
            () if found(PairOrder::Unproven) || self.not_examined > 0 => LogVerdict::Unproven,
            () if found(PairOrder::ByClock) => LogVerdict::ByClock,
            () if found(PairOrder::Ordered) => LogVerdict::Excluded,
            () => LogVerdict::NothingToJudge,
        }
    }

    /// Whether the lines fit together.
    pub fn consistent(&self) -> bool {
        self.log.problem_count == self.log.problems.len() && !self.log.problems.iter().any(|problem| problem.serious)
    }

    /// The name of the thread or client of a section.
    pub fn section_name(&self, section: &Section) -> String {
        self.user_name(section.node, section.thread, section.client)
    }

    /// The name of a thread or client.
    pub fn user_name(&self, node: u32, thread: Option<u32>, client: Option<u32>) -> String {
        match (client, thread) {
            (Some(client), _) => format!("client {}", self.log.words.word(client)),
            (None, Some(thread)) => format!("{}.{}", self.log.node_name(node), self.log.words.word(thread)),
            (None, None) => self.log.node_name(node).to_owned(),
        }
    }

    /// What the log proves about two sections; none if they may overlap.
    pub fn pair(&self, a: usize, b: usize) -> Option<PairOrder> {
        let (first, second) = (self.sections.list.get(a)?, self.sections.list.get(b)?);
        let comparable = first.conflicts(second) && (!first.same_user(second) || (first.nested && second.nested));
        comparable.then(|| {
            pairs::order_of(self, first, second, &mut |exit, enter| {
                PossibleOrder::reaches(&self.possible.reach(&self.order, exit), &self.order, enter)
            })
        })
    }

    /// Whether the section is still open when the log ends.
    pub fn is_open(section: &Section) -> bool {
        section.end == SectionEnd::Open
    }
}
