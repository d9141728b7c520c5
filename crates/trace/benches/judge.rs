//! Reading and judging a log of 100,000 events, beside a plain parse of the same lines. Prints one
//! JSON document.

use lockstep_trace::{LogInput, LogVerdict, ReadOptions, judge, read};
use std::fmt::Write;
use std::time::Instant;

const EVENTS: usize = 100_000;
const NODES: usize = 10;

/// A token that goes around: each node receives it, enters, leaves and sends it on.
fn log() -> String {
    let mut text = String::from("{\"lockstep\":\"log\",\"version\":1}\n");
    for turn in 0..EVENTS / 5 {
        let (node, next, before) = (turn % NODES, (turn + 1) % NODES, (turn + NODES - 1) % NODES);
        writeln!(text, r#"{{"node":"n{node}","event":"request"}}"#).unwrap();
        if turn > 0 {
            writeln!(text, r#"{{"node":"n{node}","event":"recv","from":"n{before}","kind":"token"}}"#).unwrap();
        }
        writeln!(text, r#"{{"node":"n{node}","event":"enter"}}"#).unwrap();
        writeln!(text, r#"{{"node":"n{node}","event":"exit"}}"#).unwrap();
        writeln!(text, r#"{{"node":"n{node}","event":"send","to":"n{next}","kind":"token"}}"#).unwrap();
    }
    text
}

fn median(mut times: Vec<f64>) -> f64 {
    times.sort_by(f64::total_cmp);
    times[times.len() / 2]
}

#[allow(clippy::disallowed_methods, reason = "a bench measures wall-clock time")]
fn main() {
    let text = log();
    let (mut plain, mut ours) = (Vec::new(), Vec::new());
    for _ in 0..5 {
        let start = Instant::now();
        let lines = text.lines().map(|line| serde_json::from_str::<serde_json::Value>(line).unwrap());
        let events = lines.filter(|value| value.get("event").is_some()).count();
        plain.push(start.elapsed().as_secs_f64());
        let start = Instant::now();
        let judgement = judge(read(vec![LogInput::new("log", text.as_str())], &ReadOptions::default())).unwrap();
        ours.push(start.elapsed().as_secs_f64());
        assert_eq!((judgement.verdict, judgement.log.events.len()), (LogVerdict::Excluded, events));
    }
    let (plain, ours) = (median(plain), median(ours));
    let document = serde_json::json!({
        "events": EVENTS,
        "judge_seconds": ours,
        "judge_events_per_second": EVENTS as f64 / ours,
        "plain_events_per_second": EVENTS as f64 / plain,
        "ratio": ours / plain,
    });
    println!("{document}");
}
