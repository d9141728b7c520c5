//! What a check found: plain data, and one honest sentence.

use lockstep_kernel::timing::{Delays, Duration, Load, RangeTiming, Timing};
use lockstep_kernel::{Entry, Event, Setup};
use lockstep_scenario::link::Link;
use serde::{Deserialize, Serialize};

/// How a check ended, as scripts name it.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Answer {
    /// All states were seen and nothing is violated.
    Ok,
    /// Stopped at a bound; nothing found so far.
    Bound,
    /// A shortest counterexample was found.
    Violation,
}

/// Which bound it was.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Stopped {
    /// The number of states.
    States,
    /// The memory.
    Memory,
}

/// What a check found.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Report {
    /// The algorithm's id.
    pub algorithm: String,
    /// How it ended.
    pub verdict: Answer,
    /// Different states seen.
    pub states: usize,
    /// Steps between them.
    pub transitions: usize,
    /// Steps to the farthest state.
    pub depth: usize,
    /// States in which nothing can happen any more.
    pub terminal: usize,
    /// What was checked.
    pub invariants: Vec<String>,
    /// A shortest counterexample.
    pub violation: Option<Violation>,
    /// The counterexample as a link, to be opened on the stage or replayed.
    pub link: Option<String>,
    /// The line of the listing that was left out.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub without: Option<u8>,
    /// For how many states, that differ only by the names of nodes that begin alike, one may stand.
    #[serde(default = "one", skip_serializing_if = "is_one")]
    pub alike: usize,
    /// Which bound it stopped at.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub stopped: Option<Stopped>,
}

fn one() -> usize {
    1
}

fn is_one(number: &usize) -> bool {
    *number == 1
}

/// A shortest counterexample.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Violation {
    /// What does not hold.
    pub invariant: String,
    /// Why, in its last state.
    pub why: String,
    /// The events in words.
    pub steps: Vec<String>,
    /// For a starving request: the steps at the end that can repeat for ever.
    pub cycle: usize,
    /// The step, from 1, after which nothing that could still happen would have served everybody without a violation; where it could be computed.
    pub unavoidable: Option<usize>,
}

/// The outcome in one sentence, without a full stop. It never says more than was seen.
pub fn words(report: &Report) -> String {
    let states = match report.alike {
        1 => format!("{} states", number(report.states)),
        alike => format!("{} states, each for up to {alike} that differ by names only", number(report.states)),
    };
    let depth = report.depth;
    match (&report.violation, report.verdict) {
        (Some(v), _) => {
            let steps = if v.steps.len() == 1 { "1 step".into() } else { format!("{} steps", v.steps.len()) };
            format!("`{}` is violated after {steps}: {}", v.invariant, v.why.trim_end_matches('.'))
        }
        (None, Answer::Ok) => format!("no violation in {states}: all reachable states of this system"),
        (None, _) if report.stopped == Some(Stopped::Memory) => format!(
            "no violation in {states}, up to depth {depth}: there are more, and the memory allowed is used up; \
             right would be a smaller system or more memory"
        ),
        (None, _) => format!("no violation in {states}, up to depth {depth}: there are more"),
    }
}

/// A number with thin groups of three digits: 1 234 567.
pub fn number(n: usize) -> String {
    let digits = n.to_string();
    let mut text = String::new();
    for (i, digit) in digits.chars().enumerate() {
        if i > 0 && (digits.len() - i).is_multiple_of(3) {
            text.push('\u{202f}');
        }
        text.push(digit);
    }
    text
}

/// Events as a link. Exploration knows no time, so the link's durations are merely pleasant to watch.
pub fn link(entry: &'static Entry, setup: &Setup, events: &[Event]) -> Option<String> {
    Link::from_events(entry, setup, &by_hand(), events).ok().map(|link| link.encode())
}

/// Durations of a run whose every step somebody picks.
pub fn by_hand() -> Timing {
    Timing {
        load: Load::ByHand,
        section: Duration::Const(0.5),
        delays: Delays::everywhere(Duration::Const(0.1)),
        seed: 1,
        ranged: RangeTiming::default(),
    }
}
