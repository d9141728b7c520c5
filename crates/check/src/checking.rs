//! A check under way: in slices, over all placements of the cells, up to a number of states or an amount of memory.

use crate::Prepared;
use crate::report::{Answer, Report, Stopped, Violation, link};
use lockstep_kernel::Setup;
use lockstep_kernel::explore::{self, ExplorationResult, Explorer, Outcome, Progress};
use serde::{Deserialize, Serialize};

/// States between two looks at the memory.
const LOOK: usize = 16_384;
/// States that may be visited to find out since when a violation was unavoidable.
const HINDSIGHT: usize = 50_000;

/// What one slice of work brought.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Step {
    /// There is more to do.
    Progress(Progress),
    /// It has ended, or has reached a bound: after [`Checking::widen`] it can go on.
    Done(Report),
}

/// A check under way.
pub struct Checking {
    prepared: Prepared,
    /// The placement that is being explored.
    at: usize,
    explorer: Box<dyn Explorer>,
    /// The sum over the placements before it.
    before: Option<ExplorationResult>,
    bounds: explore::Bounds,
}

impl Checking {
    pub(crate) fn new(prepared: Prepared) -> Self {
        let bounds = prepared.bounds;
        let explorer = prepared.entry.explorer(&prepared.setups[0], &bounds);
        Checking { prepared, at: 0, explorer, before: None, bounds }
    }

    /// Looks at so many more states.
    pub fn advance(&mut self, states: usize) -> Step {
        let mut left = states;
        while left > 0 {
            let slice = left.min(LOOK);
            left -= slice;
            if let Some(verdict) = self.explorer.advance(slice) {
                let more = self.at + 1 < self.prepared.setups.len();
                let all = add(self.before.clone(), verdict);
                if all.outcome != Outcome::Ok || !more {
                    return Step::Done(self.report(&all, Stopped::States));
                }
                self.before = Some(all);
                self.at += 1;
                self.explorer = self.prepared.entry.explorer(&self.prepared.setups[self.at], &self.bounds);
            }
            let Progress { bytes, frontier_bytes, .. } = self.explorer.progress();
            if bytes + frontier_bytes > self.prepared.max_bytes {
                return Step::Done(self.out_of_memory());
            }
        }
        Step::Progress(self.progress())
    }

    /// To the end, or to a bound, without pauses.
    pub fn finish(&mut self) -> Report {
        loop {
            if let Step::Done(report) = self.advance(usize::MAX) {
                return report;
            }
        }
    }

    /// How far it has come.
    pub fn progress(&self) -> Progress {
        let now = self.explorer.progress();
        let (states, transitions) = self.before.as_ref().map_or((0, 0), |v| (v.states, v.transitions));
        Progress { states: states + now.states, transitions: transitions + now.transitions, ..now }
    }

    /// Goes on up to larger bounds.
    pub fn widen(&mut self, max_states: usize, max_megabytes: usize) {
        self.bounds.max_states = max_states;
        self.prepared.max_bytes = max_megabytes.saturating_mul(1_000_000);
        self.explorer.widen(max_states);
    }

    /// The system that is being explored.
    pub fn setup(&self) -> &Setup {
        &self.prepared.setups[self.at]
    }

    /// Stops where it is. A violation that was found meanwhile is still reported.
    fn out_of_memory(&mut self) -> Report {
        self.explorer.widen(0);
        let verdict = explore::to_the_end(&mut *self.explorer);
        self.explorer.widen(self.bounds.max_states);
        self.report(&add(self.before.clone(), verdict), Stopped::Memory)
    }

    fn report(&self, verdict: &ExplorationResult, at: Stopped) -> Report {
        let (entry, setup) = (self.prepared.entry, self.setup());
        let found = if let Outcome::Violation(v) = &verdict.outcome { Some(v) } else { None };
        let violation = found.map(|v| Violation {
            invariant: v.invariant.into(),
            why: v.why.clone(),
            steps: v.steps.clone(),
            cycle: v.cycle,
            unavoidable: if v.cycle > 0 {
                None
            } else {
                let system = (entry.drive.system)(setup.clone());
                explore::unavoidable(&system, &self.bounds, &v.events, HINDSIGHT)
            },
        });
        Report {
            algorithm: entry.id.into(),
            verdict: match verdict.outcome {
                Outcome::Ok => Answer::Ok,
                Outcome::Bound => Answer::Bound,
                Outcome::Violation(_) => Answer::Violation,
            },
            states: verdict.states,
            transitions: verdict.transitions,
            depth: verdict.depth,
            terminal: verdict.terminal,
            invariants: verdict.invariants.iter().map(|name| (*name).into()).collect(),
            violation,
            alike: self.prepared.alike,
            link: found.and_then(|v| link(entry, setup, &v.events)),
            without: setup.without.map(|line| line.0),
            stopped: (verdict.outcome == Outcome::Bound).then_some(at),
        }
    }
}

/// The sum of two verdicts; how it ended is said by the later one. A violation speaks for its own system alone.
fn add(before: Option<ExplorationResult>, now: ExplorationResult) -> ExplorationResult {
    match before {
        Some(before) if !matches!(now.outcome, Outcome::Violation(_)) => ExplorationResult {
            states: before.states + now.states,
            transitions: before.transitions + now.transitions,
            depth: before.depth.max(now.depth),
            terminal: before.terminal + now.terminal,
            outcome: now.outcome,
            invariants: now.invariants,
        },
        _ => now,
    }
}
