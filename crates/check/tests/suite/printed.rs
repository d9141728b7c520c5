//! The texts as printed beside the repaired algorithms: every reading has a row, every repaired one is right in the same system, and the page says so.

use crate::reports::{all, run};
use lockstep_algorithms::find;
use lockstep_check::{Answer, printed};
use lockstep_tests::documents::assert_current;
use std::fmt::Write;

/// Parameters of printed texts that are no readings of them: their values need no rows of their own.
const NO_READING: &[&str] = &["piggyback", "proxies", "threshold", "clocks"];

#[test]
fn every_reading_has_a_row() {
    let rows = printed();
    for entry in all().into_iter().filter(|e| e.printed) {
        let of_entry = || rows.iter().filter(|r| r.check.algorithm == entry.id);
        assert!(of_entry().next().is_some(), "{} has no row", entry.id);
        for param in entry.params.iter().filter(|p| !NO_READING.contains(&p.name)) {
            for value in param.values {
                let complete = |params| entry.complete(params).unwrap();
                let preempt = entry.id == "preempt-printed" && ["far", "queues"].contains(value);
                let shown = of_entry().any(|r| complete(&r.check.params).get(param.name) == *value);
                assert!(shown || preempt, "{}: {}={value} has no row", entry.id, param.name);
            }
        }
    }
}

#[test]
fn verdicts_as_printed_and_repaired() {
    let mut page = include_str!("verdicts.head.md").to_owned();
    let mut text = String::new();
    for row in printed() {
        if row.text != text {
            text.clone_from(&row.text);
            let source = find(&row.check.algorithm).unwrap().source.split(", ISSADS").next().unwrap();
            writeln!(page, "\n## Text {text}\n\n{source}\n").unwrap();
            writeln!(page, "| as printed | verdict | repaired | verdict | what goes wrong | the repair |").unwrap();
            writeln!(page, "|---|---|---|---|---|---|").unwrap();
        }
        let (as_printed, repaired) = (run(&row.check), run(&row.repaired));
        assert_eq!(repaired.verdict, Answer::Ok, "{}", row.repaired.command());
        let fine = row.wrong.starts_with("Nothing is wrong");
        assert_eq!(as_printed.verdict == Answer::Ok, fine, "{}: {:?}", row.check.command(), as_printed.verdict);
        let verdict = match &as_printed.violation {
            None => format!("no violation in {} states", as_printed.states),
            Some(v) => {
                let late = v.unavoidable.map_or(String::new(), |step| format!(", unavoidable from step {step} on"));
                format!("not “{}” after {} steps{late}", v.invariant, v.steps.len())
            }
        };
        let mine = format!("no violation in {} states", repaired.states);
        let (a, b) = (row.check.command(), row.repaired.command());
        writeln!(page, "| `{a}` | {verdict} | `{b}` | {mine} | {} | {} |", row.wrong, row.repair).unwrap();
    }
    assert_current("docs/verdicts.md", &page);
}
