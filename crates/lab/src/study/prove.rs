//! Answers a study's questions by exploring every order of events, and decides claims by the
//! answers.

use super::claim::{ClaimTest, StudyClaim};
use super::{Data, Proof, StudyQuestion};
use lockstep_kernel::Entry;
use lockstep_kernel::explore::{Bounds, Outcome, Search, SearchGoal};
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
    if let Some(invariant) = question.invariant {
        let mut search = Search::new((entry.drive.system)(setup.clone()), &bounds, broken(invariant), 0);
        let end = search.finish();
        let states = search.progress().states;
        return match end.found {
            Some(path) => Some(Proof {
                holds: false,
                found: format!("“{invariant}” violated in {} steps", path.events.len()),
                link: lockstep_check::link(entry, &setup, &path.events),
            }),
            None if end.complete => Some(kept(states)),
            None => None,
        };
    }
    let verdict = entry.explore(&setup, &bounds);
    match verdict.outcome {
        Outcome::Ok => Some(kept(verdict.states)),
        Outcome::Violation(v) => {
            let found = format!("“{}” violated in {} steps", v.invariant, v.steps.len());
            Some(Proof { holds: false, found, link: lockstep_check::link(entry, &setup, &v.events) })
        }
        Outcome::Bound => None,
    }
}

fn broken(invariant: &str) -> SearchGoal {
    SearchGoal::Broken(invariant.into())
}

fn kept(states: usize) -> Proof {
    Proof { holds: true, found: format!("no violation in all {states} states"), link: None }
}

impl StudyClaim {
    /// Decides it by exploration: it is made of the systems with a `claimed` id, the others stand
    /// beside them. One counterexample contradicts it; the first has a link.
    pub(super) fn explored(self, data: &Data, questions: &[StudyQuestion], claimed: fn(&str) -> bool) -> Self {
        let proof = |q: &StudyQuestion| data.proofs.get(q.id);
        let test = |q: &StudyQuestion| ClaimTest {
            group: String::new(),
            x: q.id.into(),
            claimed: claimed(q.id),
            holds: proof(q).map(|p| p.holds),
        };
        let found = questions.iter().filter_map(|q| Some(format!("{}: {}", q.id, proof(q)?.found)));
        let mut refuted = questions.iter().filter(|q| claimed(q.id)).filter_map(proof).filter(|p| !p.holds);
        self.ours(found.collect::<Vec<_>>().join("; "))
            .tested_everywhere("", &questions.iter().map(test).collect::<Vec<_>>())
            .link(refuted.find_map(|proof| proof.link.clone()))
    }
}
