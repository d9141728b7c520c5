//! The report of a check: plain data, and its summary in one sentence.

use lockstep_kernel::timing::{Delays, Duration, Load, RangeTiming, Timing};
use lockstep_kernel::{Entry, Event, Setup};
use lockstep_scenario::link::Link;
use lockstep_spec::grouped;
use serde::{Deserialize, Serialize};

/// The verdict of a check, as scripts name it.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum CheckVerdict {
    /// All reachable states were explored and no invariant is violated.
    Ok,
    /// The exploration stopped at a limit; no violation was found so far.
    Bound,
    /// A shortest counterexample was found.
    Violation,
}

/// The limit at which an exploration stopped.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum StopReason {
    /// The number of states.
    States,
    /// The memory in use.
    Memory,
}

/// The report of a check.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct CheckReport {
    /// The algorithm's id.
    pub algorithm: String,
    /// The verdict.
    pub verdict: CheckVerdict,
    /// Distinct states explored.
    pub states: usize,
    /// Transitions between them.
    pub transitions: usize,
    /// Steps to the state farthest from the initial one.
    pub depth: usize,
    /// States without a possible event.
    pub terminal: usize,
    /// The invariants that were tested.
    pub invariants: Vec<String>,
    /// A shortest counterexample.
    pub violation: Option<Violation>,
    /// The counterexample as a link, for the stage or `lockstep replay`.
    pub link: Option<String>,
    /// The listing line that was removed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub without: Option<u8>,
    /// How many states, which differ only in the names of symmetric nodes, one explored state may
    /// represent.
    #[serde(default = "one", skip_serializing_if = "is_one")]
    pub alike: usize,
    /// The limit at which it stopped.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub stopped: Option<StopReason>,
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
    /// The violated invariant.
    pub invariant: String,
    /// Why it is violated in the last state.
    pub why: String,
    /// The events in words.
    pub steps: Vec<String>,
    /// For starvation: the number of steps at the end that can repeat forever.
    pub cycle: usize,
    /// The step, from 1, after which no continuation serves all requests without a violation; none
    /// if this was too expensive to compute.
    pub unavoidable: Option<usize>,
}

/// The outcome in one sentence, without a full stop. It claims nothing beyond the explored states.
pub fn words(report: &CheckReport) -> String {
    let states = match report.alike {
        1 => format!("{} states", grouped(report.states as f64)),
        alike => format!("{} states, each for up to {alike} symmetric ones", grouped(report.states as f64)),
    };
    let depth = report.depth;
    match (&report.violation, report.verdict) {
        (Some(v), _) => {
            let steps = if v.steps.len() == 1 { "1 step".into() } else { format!("{} steps", v.steps.len()) };
            format!("“{}” is violated after {steps}: {}", v.invariant, v.why.trim_end_matches('.'))
        }
        (None, CheckVerdict::Ok) => format!("no violation in {states}: all reachable states of this system"),
        (None, _) if report.stopped == Some(StopReason::Memory) => format!(
            "no violation in {states}, up to depth {depth}: the memory limit is reached and states remain; \
             check a smaller system or allow more memory"
        ),
        (None, _) => format!("no violation in {states}, up to depth {depth}: states remain"),
    }
}

/// Words as a sentence: the first letter large, and a full stop.
pub fn sentence(words: &str) -> String {
    let mut letters = words.chars();
    letters.next().map_or(String::new(), |first| format!("{}{}.", first.to_uppercase(), letters.as_str()))
}

/// Events as a link. The exploration has no time, so the durations are chosen for watching.
pub fn link(entry: &'static Entry, setup: &Setup, events: &[Event]) -> Option<String> {
    Link::from_events(entry, setup, &by_hand(), events).ok().map(|link| link.encode())
}

/// Durations of a run whose steps are all picked by hand.
pub fn by_hand() -> Timing {
    Timing {
        load: Load::ByHand,
        section: Duration::Const(0.5),
        delays: Delays::everywhere(Duration::Const(0.1)),
        seed: 1,
        ranged: RangeTiming::default(),
    }
}
