//! The table of all lines: complete and correct. `cargo xtask bless --deep` writes it again: it
//! searches the candidates below for the smallest system of each row. `LOCKSTEP_DEEP=1` searches
//! too and compares.

use crate::reports::{all, run};
use lockstep_check::{Check, CheckReport, CheckVerdict, LineRow, RemovalEffect, TABLE, lines, switches};
use lockstep_kernel::Entry;
use lockstep_spec::Spec;
use lockstep_tests::documents::assert_current;
use std::collections::BTreeMap;
use std::fmt::Write;

/// Systems from small to large. Cells, clusters and cancelling are for algorithms that support
/// them.
const CANDIDATES: &[&str] = &[
    "--nodes 2 --requests 1",
    "--nodes 2",
    "--nodes 2 --requests 1 --cells 2 --topology star",
    "--nodes 2 --requests 1 --cells 2 --topology star --placement p1,p2",
    "--nodes 2 --requests 1 --cancels 1",
    "--nodes 2 --threads 2",
    "--nodes 3 --requests 1",
    "--nodes 3 --requests 1 --topology star",
    "--requests 1 --clusters 2+1",
    "--nodes 3",
    "--nodes 3 --topology star",
    "--clusters 2+1",
    "--nodes 3 --requests 1 --cells 2 --topology star",
    "--requests 1 --clusters 2+1+1",
    "--nodes 3 --topology star --cancels 1",
    "--nodes 2 --requests unlimited",
    "--nodes 3 --requests unlimited",
    "--nodes 3 --threads 2 --requests 3",
];
/// States of a candidate that are explored for an essential line, and for any other line.
const ESSENTIAL: usize = 200_000;
const OTHER: usize = 20_000;

/// Algorithms without a counterexample: only their listing lines are checked.
fn correct() -> impl Iterator<Item = &'static Entry> {
    all().into_iter().filter(|e| !e.printed || e.id == "ricart-agrawala-printed")
}

fn shown(report: &CheckReport) -> RemovalEffect {
    match &report.violation {
        Some(v) => RemovalEffect::Violation { invariant: v.invariant.clone(), steps: v.steps.len(), cycle: v.cycle },
        None => RemovalEffect::Nothing { states: report.states, all: report.verdict == CheckVerdict::Ok },
    }
}

/// What a check without a line finds; if nothing, whether the explored states change at all.
fn compared(check: &Check) -> RemovalEffect {
    let counts = |r: &CheckReport| (r.verdict, r.states, r.transitions, r.depth, r.terminal);
    let report = run(check);
    match shown(&report) {
        RemovalEffect::Nothing { states, all }
            if counts(&run(&check.clone().with(|s| Spec { without: None, ..s }))) == counts(&report) =>
        {
            RemovalEffect::Same { states, all }
        }
        other => other,
    }
}

/// The candidates that an algorithm supports, with every value of its parameters, defaults first.
struct Candidates {
    entry: &'static Entry,
    checks: Vec<Check>,
    /// Whether a candidate has no violation when nothing is removed.
    sound: BTreeMap<String, bool>,
}

impl Candidates {
    fn of(entry: &'static Entry) -> Self {
        let mut all = vec![Check::default().with(|s| s.algorithm(entry.id))];
        for param in entry.params {
            let with = |check: &Check, value: &str| {
                let mut check = check.clone();
                if value != param.values[0] {
                    check.spec.given.insert(param.name.into(), value.into());
                }
                check
            };
            all = param.values.iter().flat_map(|v| all.iter().map(|c| with(c, v)).collect::<Vec<_>>()).collect();
        }
        let hierarchical = entry.params.iter().any(|p| p.name == "proxies");
        let knows = |c: &Check| {
            (c.text("cells") == "1" || entry.drive.ranges)
                && (c.text("cancels") == "0" || entry.drive.cancels)
                && (c.spec.clusters.is_none() || hierarchical)
        };
        let place = |options: &&str, with: &Check| {
            let check = Check::read(entry.id, options).expect("candidates are options");
            check.with(|s| Spec { given: with.spec.given.clone(), ..s })
        };
        let checks = CANDIDATES.iter().flat_map(|c| all.iter().map(move |with| place(c, with))).filter(knows);
        Candidates { entry, checks: checks.collect(), sound: BTreeMap::new() }
    }

    fn needs_fifo(&self, check: &Check) -> bool {
        self.entry.needs_fifo(
            &self.entry.complete(&lockstep_kernel::Params(check.spec.given.clone())).expect("they are its values"),
        )
    }

    fn is_sound(&mut self, check: &Check) -> bool {
        let whole = check.clone().with(|s| Spec { without: None, ..s }.max_states(ESSENTIAL));
        *self.sound.entry(whole.options()).or_insert_with(|| run(&whole).violation.is_none())
    }

    /// The first candidate that has a violation when it is changed, and none before. FIFO links
    /// come first; with `every`, all parameter values and unordered links are tried too.
    fn first(
        &mut self,
        most: usize,
        every: bool,
        changed: impl Fn(&Check) -> Option<Check>,
    ) -> Option<(Check, RemovalEffect)> {
        for network in if every { &["fifo", "unordered"][..] } else { &["fifo"] } {
            for check in self.checks.clone() {
                let bears = *network == "fifo" || !self.needs_fifo(&check);
                if !bears || !(every || check.spec.given.is_empty()) {
                    continue;
                }
                let check = check.with(|s| s.network(network).max_states(most));
                let Some(changed) = changed(&check) else { continue };
                let report = run(&changed);
                if report.violation.is_some() && self.is_sound(&check) {
                    return Some((changed.with(|s| Spec { max_states: None, ..s }), shown(&report)));
                }
            }
        }
        None
    }

    /// If nothing was found: the largest candidate.
    fn nothing(&self, line: u8) -> (Check, RemovalEffect) {
        let plain = self.checks.iter().filter(|c| c.spec.given.is_empty());
        let tried = plain.map(|c| c.clone().with(|s| s.without(line).max_states(OTHER)));
        let check = tried.max_by_key(|c| run(c).states).expect("there are some");
        let shown = compared(&check);
        (check, shown)
    }
}

/// The rows of one algorithm, by search.
fn search(entry: &'static Entry) -> String {
    let mut candidates = Candidates::of(entry);
    let mut table = String::new();
    let mut rows = Vec::new();
    for line in entry.lines() {
        let most = if line.essential { ESSENTIAL } else { OTHER };
        let without = |c: &Check| Some(c.clone().with(|s| s.without(line.id.0)));
        let found = candidates.first(most, line.essential, without);
        assert!(
            found.is_some() || !line.essential,
            "{}: nothing goes wrong without \"{}\"",
            entry.id,
            line.text.trim()
        );
        rows.push(found.unwrap_or_else(|| candidates.nothing(line.id.0)));
    }
    let unordered = |c: &Check| (c.text("network") == "fifo").then(|| c.clone().with(|s| s.network("unordered")));
    rows.extend(candidates.first(ESSENTIAL, true, unordered));
    for network in ["lossy", "duplicating"] {
        rows.extend(candidates.first(ESSENTIAL, true, |c| Some(c.clone().with(|s| s.network(network)))));
    }
    rows.extend(candidates.first(ESSENTIAL, true, |c| Some(c.clone().with(|s| s.crashes(1)))));
    for (check, shown) in rows {
        let found = match shown {
            RemovalEffect::Violation { invariant, steps, cycle } => format!("{invariant} | {steps} | {cycle}"),
            RemovalEffect::Nothing { states, all } => format!("- | {states} | {}", if all { "all" } else { "more" }),
            RemovalEffect::Same { states, all } => format!("= | {states} | {}", if all { "all" } else { "more" }),
        };
        writeln!(table, "{} | {} | {found}", entry.id, check.options()).unwrap();
    }
    table
}

#[test]
fn the_table_is_what_a_search_finds() {
    if std::env::var_os("LOCKSTEP_DEEP").is_none() {
        return;
    }
    let entries: Vec<&'static Entry> = correct().collect();
    let half = std::thread::scope(|scope| {
        let work = |odd: usize| {
            let mine = entries.iter().enumerate().filter(move |(i, _)| i % 2 == odd);
            scope.spawn(move || mine.map(|(i, e)| (i, search(e))).collect::<Vec<_>>())
        };
        let both = [work(0), work(1)];
        both.into_iter().flat_map(|w| w.join().unwrap()).collect::<BTreeMap<usize, String>>()
    });
    let table: String = half.into_values().collect();
    assert_current("crates/check/data/lines.txt", &table);
}

#[test]
fn every_line_has_a_row_and_every_row_is_correct() {
    for entry in correct() {
        let rows = lines(entry);
        for line in entry.lines() {
            let row = rows.iter().find(|r| r.check.without() == Some(line.id.0));
            assert!(row.is_some(), "{}: line {} (\"{}\") has no row", entry.id, line.id.0, line.text.trim());
        }
        let assumptions = switches(entry);
        assert!(assumptions.len() >= 2, "{}: lost and doubled messages have their rows", entry.id);
        for row in rows.iter().chain(&assumptions) {
            assert_eq!(compared(&row.check), row.shown, "{}", row.check.command());
            let violated = matches!(row.shown, RemovalEffect::Violation { .. });
            assert!(violated || !row.essential, "{}: {}", entry.id, row.text);
            if violated {
                let whole = row.check.clone().with(|s| Spec { without: None, ..s }.max_states(ESSENTIAL).crashes(0));
                let whole = if row.check.without().is_none() { whole.with(|s| s.network("fifo")) } else { whole };
                assert_eq!(run(&whole).violation, None, "nothing goes wrong with it: {}", whole.command());
            }
        }
    }
    let rows: usize = correct().map(|e| lines(e).len() + switches(e).len()).sum();
    assert_eq!(rows, TABLE.lines().count(), "a row of the table cannot be read or belongs to no algorithm");
}

#[test]
fn the_lines_are_documented() {
    let mut page = include_str!("lines.head.md").to_owned();
    for entry in correct() {
        writeln!(page, "\n## {}\n\n`lockstep lines {}`\n", entry.title, entry.id).unwrap();
        writeln!(page, "| without | | what goes wrong | steps | command |\n|---|---|---|---|---|").unwrap();
        for row in lines(entry).iter().chain(&switches(entry)) {
            writeln!(page, "{}", documented(row)).unwrap();
        }
    }
    assert_current("docs/lines.md", &page);
}

fn documented(row: &LineRow) -> String {
    let (what, steps) = match &row.shown {
        RemovalEffect::Violation { invariant, steps, cycle: 0 } => {
            (format!("{} is violated", quoted(invariant)), steps.to_string())
        }
        RemovalEffect::Violation { invariant, steps, cycle } => {
            (format!("{} is violated", quoted(invariant)), format!("{steps}; the last {cycle} repeat"))
        }
        other => (other.words(), String::new()),
    };
    let mark = if row.essential { "essential" } else { "" };
    let text = row.text.replace('|', "\\|");
    let name = row.check.without().map_or(text.clone(), |line| format!("{line}: {text}"));
    format!("| {name} | {mark} | {what} | {steps} | `{}` |", row.check.command())
}

fn quoted(invariant: &str) -> String {
    format!("“{invariant}”")
}
