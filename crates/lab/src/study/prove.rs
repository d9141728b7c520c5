//! Answers a study's questions by exploring every order of events.

use super::{Proof, StudyQuestion};
use lockstep_kernel::Entry;
use lockstep_kernel::explore::{Bounds, Outcome};
use lockstep_spec::{Limits, Resolver};

/// Larger systems would keep the reader of a study waiting.
const MOST_STATES: usize = 3_000_000;

/// The answer; none where the question does not fit its algorithm or the system is too large.
pub fn prove(question: &StudyQuestion, entry: &'static Entry) -> Option<Proof> {
    let mut read = Resolver::with(Ok(entry), &question.spec, &Limits::EXPLORE);
    read.run();
    let requests = read.requests();
    let model = read.finish().ok()?;
    let setup = model.setup;
    let bounds = Bounds { requests, max_states: MOST_STATES, ..Bounds::default() };
    let verdict = entry.explore(&setup, &bounds);
    match verdict.outcome {
        Outcome::Ok => {
            let found = format!("no violation in all {} states", verdict.states);
            Some(Proof { holds: true, found, link: None })
        }
        Outcome::Violation(v) => {
            let found = format!("“{}” violated in {} steps", v.invariant, v.steps.len());
            Some(Proof { holds: false, found, link: lockstep_check::link(entry, &setup, &v.events) })
        }
        Outcome::Bound => None,
    }
}
