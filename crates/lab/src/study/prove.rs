//! Answers a study's questions by exploring every order of events.

use super::{Proof, StudyQuestion};
use lockstep_kernel::explore::{Bounds, Outcome};
use lockstep_kernel::world::UNLIMITED;
use lockstep_kernel::{Entry, Network, Params};
use lockstep_scenario::system::Arrangement;

/// Larger systems would keep the reader of a study waiting.
const MOST_STATES: usize = 3_000_000;

/// The answer; none where the question does not fit its algorithm or the system is too large.
pub fn prove(question: &StudyQuestion, entry: &Entry) -> Option<Proof> {
    let given = question.params.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect();
    let mut setup =
        Arrangement::named(question.topology).ok()?.setup(question.nodes, 1).on(Network::named(question.network)?);
    setup.params = entry.complete(&Params(given)).ok()?;
    setup.cells = question.cells;
    let bounds =
        Bounds { requests: question.requests.unwrap_or(UNLIMITED), max_states: MOST_STATES, ..Bounds::default() };
    let verdict = entry.explore(&setup, &bounds);
    match verdict.outcome {
        Outcome::Ok => Some(Proof { holds: true, found: format!("no violation in all {} states", verdict.states) }),
        Outcome::Violation(v) => {
            Some(Proof { holds: false, found: format!("“{}” violated in {} steps", v.invariant, v.steps.len()) })
        }
        Outcome::Bound => None,
    }
}
