//! A running check: in slices, over all placements of the cells, up to the limits on states and
//! memory.

use crate::prepare::{ReadyCheck, most_bytes};
use crate::report::{CheckReport, CheckVerdict, StopReason, Violation, link};
use lockstep_kernel::Setup;
use lockstep_kernel::explore::{self, ExplorationResult, Explorer, Outcome, Progress};
use serde::{Deserialize, Serialize};

/// States explored between two looks at the memory that the next ones may need.
const LOOK: usize = 32;
/// States that may be visited to find the step from which a violation is unavoidable.
const HINDSIGHT: usize = 50_000;

/// The result of one slice of work.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum CheckSlice {
    /// The exploration is not finished.
    Progress(Progress),
    /// It is finished, or has reached a limit: after [`CheckRun::widen`] it can continue.
    Done(CheckReport),
}

/// A running check.
pub struct CheckRun {
    prepared: ReadyCheck,
    /// The placement that is being explored.
    at: usize,
    explorer: Box<dyn Explorer>,
    /// The sum over the earlier placements.
    before: Option<ExplorationResult>,
    bounds: explore::Bounds,
}

impl CheckRun {
    pub(crate) fn new(prepared: ReadyCheck) -> Self {
        let bounds = prepared.bounds;
        let explorer = prepared.entry.explorer(&prepared.setups[0], &bounds);
        CheckRun { prepared, at: 0, explorer, before: None, bounds }
    }

    /// Explores this many more states.
    pub fn advance(&mut self, states: usize) -> CheckSlice {
        let mut left = states;
        while left > 0 {
            let slice = left.min(LOOK);
            left -= slice;
            if let Some(verdict) = self.explorer.advance(slice) {
                let more = self.at + 1 < self.prepared.setups.len();
                let all = add(self.before.clone(), verdict);
                if all.outcome != Outcome::Ok || !more {
                    return CheckSlice::Done(self.report(&all, StopReason::States));
                }
                self.before = Some(all);
                self.at += 1;
                self.explorer = self.prepared.entry.explorer(&self.prepared.setups[self.at], &self.bounds);
            }
            if self.explorer.bytes_with(LOOK) > self.prepared.max_bytes {
                return CheckSlice::Done(self.out_of_memory());
            }
        }
        CheckSlice::Progress(self.progress())
    }

    /// Runs to the end, or to a limit, without pauses.
    pub fn finish(&mut self) -> CheckReport {
        loop {
            if let CheckSlice::Done(report) = self.advance(usize::MAX) {
                return report;
            }
        }
    }

    /// The progress so far.
    pub fn progress(&self) -> Progress {
        let now = self.explorer.progress();
        let (states, transitions) = self.before.as_ref().map_or((0, 0), |v| (v.states, v.transitions));
        Progress { states: states + now.states, transitions: transitions + now.transitions, ..now }
    }

    /// Raises the limits.
    pub fn widen(&mut self, max_states: usize, max_megabytes: usize) {
        self.bounds.max_states = max_states;
        self.prepared.max_bytes = most_bytes(max_megabytes);
        self.explorer.widen(max_states);
    }

    /// The system that is being explored.
    pub fn setup(&self) -> &Setup {
        &self.prepared.setups[self.at]
    }

    /// Stops. A violation found in the last slice is still reported.
    fn out_of_memory(&mut self) -> CheckReport {
        self.explorer.widen(0);
        let verdict = explore::to_the_end(&mut *self.explorer);
        self.explorer.widen(self.bounds.max_states);
        self.report(&add(self.before.clone(), verdict), StopReason::Memory)
    }

    fn report(&self, verdict: &ExplorationResult, at: StopReason) -> CheckReport {
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
        CheckReport {
            algorithm: entry.id.into(),
            verdict: match verdict.outcome {
                Outcome::Ok => CheckVerdict::Ok,
                Outcome::Bound => CheckVerdict::Bound,
                Outcome::Violation(_) => CheckVerdict::Violation,
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

/// The sum of two results with the outcome of the later one. A violation is reported for its own
/// placement alone.
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
