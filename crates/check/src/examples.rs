//! Systems worth a first check.

use crate::Check;
use lockstep_spec::Spec;

/// A system to check first, and what its check shows.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct CheckExample {
    /// What the check shows.
    pub title: &'static str,
    /// The algorithm's id.
    pub algorithm: &'static str,
    /// The options of `lockstep check`.
    pub options: &'static str,
}

const fn example(title: &'static str, algorithm: &'static str, options: &'static str) -> CheckExample {
    CheckExample { title, algorithm, options }
}

/// The examples.
pub const EXAMPLES: [CheckExample; 5] = [
    example("No violation: alien threads on four nodes in a star", "alien", "--nodes 4 --topology star"),
    example(
        "Unordered network: a request of version 2 starves",
        "alien",
        "--param variant=v2 --network unordered --requests unlimited",
    ),
    example(
        "One lost message: a Ricart–Agrawala node waits for a reply that never comes",
        "ricart-agrawala",
        "--nodes 2 --topology full --requests 1 --network lossy",
    ),
    example(
        "The central server as printed in the lecture notes: two threads are inside",
        "central-server-printed",
        "--nodes 2 --topology full --requests 1",
    ),
    example(
        "Two locks need each other's cells: split waiting queues avoid the deadlock",
        "swq",
        "--nodes 2 --cells 2 --requests 1 --placement p1,p2",
    ),
];

impl CheckExample {
    /// The system, with the bounds of another one.
    pub fn system(&self, bounds: &Check) -> Option<Check> {
        let Spec { max_states, max_megabytes, .. } = bounds.spec.clone();
        let read = Check::read(self.algorithm, self.options).ok()?;
        Some(read.with(|spec| Spec { max_states, max_megabytes, ..spec }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{CheckVerdict, prepare};

    #[test]
    fn every_example_shows_what_it_says() {
        let shown = EXAMPLES.map(|example| {
            let report = prepare(&example.system(&Check::default()).unwrap()).unwrap().start().finish();
            (report.verdict, report.violation.map_or(String::new(), |v| v.invariant))
        });
        let wrong = |i: usize| (shown[i].0, shown[i].1.as_str());
        assert_eq!(wrong(0), (CheckVerdict::Ok, ""));
        assert_eq!(wrong(1), (CheckVerdict::Violation, "no request starves"));
        assert_eq!(wrong(2), (CheckVerdict::Violation, "one answer to each request"));
        assert_eq!(wrong(3), (CheckVerdict::Violation, "mutual exclusion"));
        assert_eq!(wrong(4), (CheckVerdict::Ok, ""));
    }
}
