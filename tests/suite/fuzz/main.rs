//! Damaged documents of every kind: none panics, none takes far longer than the others.
//!
//! Half of the cases are damaged by structure, half by bytes (`tests/src/damage.rs`). A case is its
//! kind and its number: `LOCKSTEP_CASE=links:1234` runs that one alone. `LOCKSTEP_DEEP=1` tries a
//! million cases in all.

mod batch;
mod readers;
mod seeds;

use batch::FuzzBatch;

/// The cases of the usual test and of the deep one. A million is the sum of the latter.
const USUAL: u64 = 2_000;
const DEEP: [(&str, u64); 11] = [
    ("links", 150_000),
    ("scenarios", 100_000),
    ("saved runs", 100_000),
    ("experiments", 100_000),
    ("jobs", 200_000),
    ("results", 50_000),
    ("native logs", 80_000),
    ("ShiViz logs", 70_000),
    ("logs by rules", 50_000),
    ("archives", 50_000),
    ("judge", 50_000),
];

fn batch(kind: &'static str) -> FuzzBatch {
    let (_, deep) = DEEP.iter().find(|(known, _)| *known == kind).unwrap();
    FuzzBatch { kind, cases: if std::env::var_os("LOCKSTEP_DEEP").is_some() { *deep } else { USUAL } }
}

#[test]
fn a_million_cases_in_all() {
    assert_eq!(DEEP.iter().map(|(_, cases)| cases).sum::<u64>(), 1_000_000);
    assert!(DEEP.iter().all(|(_, cases)| *cases >= USUAL));
}

#[test]
fn links() {
    batch("links").run(&seeds::links(), readers::link);
}

#[test]
fn scenarios() {
    batch("scenarios").run(&seeds::scenarios(), readers::scenario);
}

#[test]
fn saved_runs() {
    batch("saved runs").run(&seeds::saved_runs(), readers::saved_run);
}

#[test]
fn experiments() {
    batch("experiments").run(&seeds::experiments(), readers::experiment);
}

#[test]
fn jobs() {
    batch("jobs").run(&seeds::jobs(), readers::job);
}

#[test]
fn results() {
    batch("results").run(&seeds::results(), readers::results);
}

#[test]
fn native_logs() {
    batch("native logs").run(&seeds::logs("jsonl"), readers::log);
}

#[test]
fn shiviz_logs() {
    batch("ShiViz logs").run(&seeds::shiviz(), readers::log);
}

#[test]
fn logs_by_rules() {
    batch("logs by rules").run(&seeds::logs("pattern"), readers::rules);
}

#[test]
fn archives() {
    batch("archives").run(&seeds::archives(), readers::archive);
}

#[test]
fn judge() {
    let mut all = seeds::archives();
    all.extend(["jsonl", "log"].into_iter().flat_map(seeds::logs));
    batch("judge").run(&all, readers::judge_desk);
}
