//! The papers as printed: every reading has a row, and the repaired algorithm has no violation in
//! the same system.

use crate::reports::{all, run, wrap};
use lockstep_check::{Check, CheckVerdict, printed};
use lockstep_kernel::Params;
use lockstep_spec::grouped;
use lockstep_tests::documents::assert_current;
use std::fmt::Write;

/// Parameters that are not readings of a paper: their values need no rows of their own.
const NO_READING: &[&str] = &["piggyback", "proxies", "threshold", "clocks"];

#[test]
fn every_reading_has_a_row() {
    let rows = printed();
    for entry in all().into_iter().filter(|e| e.printed) {
        let of_entry = || rows.iter().filter(|r| r.check.algorithm() == entry.id);
        assert!(of_entry().next().is_some(), "{} has no row", entry.id);
        for param in entry.params.iter().filter(|p| !NO_READING.contains(&p.name)) {
            for value in param.values {
                let complete = |check: &Check| entry.complete(&Params(check.spec.given.clone())).unwrap();
                let preempt = entry.id == "preempt-printed" && ["far", "queues"].contains(value);
                let shown = of_entry().any(|r| complete(&r.check).get(param.name) == *value);
                assert!(shown || preempt, "{}: {}={value} has no row", entry.id, param.name);
            }
        }
    }
}

#[test]
fn verdicts_as_printed_and_repaired() {
    let mut page = include_str!("verdicts.head.md").to_owned();
    let mut paper = String::new();
    for row in printed() {
        if row.paper != paper {
            paper.clone_from(&row.paper);
            writeln!(page, "\n## {}", row.source()).unwrap();
        }
        let (as_printed, repaired) = (run(&row.check), run(&row.repaired));
        assert_eq!(repaired.verdict, CheckVerdict::Ok, "{}", row.repaired.command());
        let fine = row.wrong.starts_with("Nothing is wrong");
        assert_eq!(as_printed.verdict == CheckVerdict::Ok, fine, "{}: {:?}", row.check.command(), as_printed.verdict);
        let verdict = match &as_printed.violation {
            None => format!("no violation in {} states", grouped(as_printed.states as f64)),
            Some(v) => {
                let late = v.unavoidable.map_or(String::new(), |step| format!(", unavoidable from step {step} on"));
                format!("“{}” is violated after {} steps{late}", v.invariant, v.steps.len())
            }
        };
        let ours = format!("no violation in {} states", grouped(repaired.states as f64));
        let commands = [(row.check.command(), verdict), (row.repaired.command(), ours)];
        let commands = commands.map(|(command, verdict)| format!("# {verdict}\n{command}\n")).concat();
        let (wrong, repair) = (wrap(&row.wrong), wrap(&format!("**Repair.** {}", row.repair)));
        writeln!(page, "\n### {}\n\n{wrong}\n\n{repair}\n\n```sh\n{commands}```", row.title()).unwrap();
    }
    assert_current("docs/verdicts.md", &page);
}
