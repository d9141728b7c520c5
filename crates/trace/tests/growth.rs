//! Work and memory grow with the log, not with its square.

use lockstep_trace::{Judgement, LogInput, LogVerdict, ReadOptions, judge, read};
use std::fmt::Write;
use std::time::{Duration, Instant};

fn judged(text: &str) -> Judgement {
    judge(read(vec![LogInput::new("log", text)], &ReadOptions::default())).map_err(|refused| refused.1).unwrap()
}

/// A token that is passed through all nodes once: four lines each.
fn passed_on(nodes: usize) -> String {
    let mut text = String::new();
    for node in 0..nodes {
        if node > 0 {
            writeln!(text, r#"{{"node":"n{node}","event":"recv","from":"n{}","kind":"token"}}"#, node - 1).unwrap();
        }
        for event in ["enter", "exit"] {
            writeln!(text, r#"{{"node":"n{node}","event":"{event}"}}"#).unwrap();
        }
        writeln!(text, r#"{{"node":"n{node}","event":"send","to":"n{}","kind":"token"}}"#, node + 1).unwrap();
    }
    text
}

#[test]
fn twenty_thousand_lines_of_as_many_nodes_are_judged() {
    let names: Vec<String> = (0..20_000).map(|node| format!("\"n{node}\"")).collect();
    let text = format!("{{\"lockstep\":\"log\",\"nodes\":[{}]}}\n{}", names.join(","), passed_on(5_000));
    let judgement = judged(&text);
    assert_eq!((judgement.log.nodes.len(), judgement.verdict), (20_000, LogVerdict::Excluded));
    assert_eq!(judgement.log.events.len(), 19_999);
    // one line for each node: half of them send, and the others receive
    let mut text = String::new();
    for node in 0..10_000 {
        writeln!(text, r#"{{"node":"a{node}","event":"send","to":"b{node}","kind":"k"}}"#).unwrap();
        writeln!(text, r#"{{"node":"b{node}","event":"recv","from":"a{node}","kind":"k"}}"#).unwrap();
    }
    let judgement = judged(&text);
    assert_eq!((judgement.log.nodes.len(), judgement.messages.arrows.len()), (20_000, 10_000));
}

#[test]
fn memory_grows_with_what_is_learnt() {
    let blocks = |nodes: usize| judged(&passed_on(nodes)).order.blocks();
    // trees of the same height
    let (small, large) = (blocks(5_000), blocks(10_000));
    assert!(large < small * 5 / 2, "{small} blocks for 5,000 nodes, {large} for 10,000");
    // a vector for each event would take 625 blocks for each of 40,000 lines
    assert!(large < 40_000 * 2, "{large} blocks");
}

/// The shortest of three runs.
#[allow(clippy::disallowed_methods, reason = "two sizes are compared within one run")]
fn shortest(text: &str) -> Duration {
    let time = || {
        let start = Instant::now();
        let judgement = judged(text);
        assert!(judgement.document(None).is_object());
        start.elapsed()
    };
    (0..3).map(|_| time()).min().unwrap()
}

/// Compares a log with one that is eight times as long: linear work takes eight times as long, and
/// quadratic work 64 times.
fn grows(name: &str, line: impl Fn(&mut String, usize)) {
    let log = |turns: usize| {
        let mut text = String::new();
        (0..turns).for_each(|turn| line(&mut text, turn));
        text
    };
    let (short, long) = (shortest(&log(1_000)), shortest(&log(8_000)));
    assert!(long < short * 30, "{name}: {short:?} and {long:?} for eight times as many lines");
}

#[test]
fn stamps_and_ids_are_matched_in_linear_time() {
    grows("unique stamps", |text, turn| {
        writeln!(text, r#"{{"node":"a","event":"send","to":"b","kind":"request","stamp":{turn}}}"#).unwrap();
        writeln!(text, r#"{{"node":"b","event":"recv","from":"a","kind":"request","stamp":{turn}}}"#).unwrap();
    });
    grows("one stamp", |text, turn| {
        let other = if turn % 2 == 0 { "c" } else { "d" };
        writeln!(text, r#"{{"node":"{other}","event":"send","to":"b","kind":"reply","stamp":7}}"#).unwrap();
        writeln!(text, r#"{{"node":"b","event":"recv","from":"{other}","kind":"reply","stamp":7}}"#).unwrap();
    });
    grows("one sender each", |text, turn| {
        writeln!(text, r#"{{"node":"n{turn}","event":"send","to":"b","kind":"ok"}}"#).unwrap();
        writeln!(text, r#"{{"node":"b","event":"recv","from":"n{turn}","kind":"ok"}}"#).unwrap();
    });
}

#[test]
fn what_is_missing_is_found_in_linear_time() {
    grows("a server without the lines of its messages", |text, turn| {
        let client = turn % 50;
        for (event, message) in [("asked", "want"), ("grant", "take"), ("released", "back")] {
            writeln!(text, r#"{{"node":"server","event":"{event}","client":"c{client}"}}"#).unwrap();
            writeln!(text, r#"{{"node":"c{client}","event":"send","to":"server","kind":"{message}"}}"#).unwrap();
        }
    });
}
