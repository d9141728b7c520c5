//! Reading and judging logs of 100,000 events, beside a plain parse of the same lines: a token,
//! stamps of Ricart–Agrawala, and a server's grants. Prints one JSON document.

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

/// Ricart–Agrawala with stamps and without ids: each node asks all others, who reply at once.
fn ricart_agrawala() -> String {
    let mut text = String::from("{\"lockstep\":\"log\",\"version\":1}\n");
    for turn in 0..EVENTS / (3 + 4 * (NODES - 1)) {
        let node = turn % NODES;
        writeln!(text, r#"{{"node":"n{node}","event":"request"}}"#).unwrap();
        for other in (0..NODES).filter(|other| *other != node) {
            for (at, event, key, peer, kind) in [
                (node, "send", "to", other, "request"),
                (other, "recv", "from", node, "request"),
                (other, "send", "to", node, "reply"),
                (node, "recv", "from", other, "reply"),
            ] {
                writeln!(
                    text,
                    r#"{{"node":"n{at}","event":"{event}","{key}":"n{peer}","kind":"{kind}","stamp":{turn}}}"#
                )
                .unwrap();
            }
        }
        writeln!(text, r#"{{"node":"n{node}","event":"enter"}}"#).unwrap();
        writeln!(text, r#"{{"node":"n{node}","event":"exit"}}"#).unwrap();
    }
    text
}

/// A server's view of its clients, whose messages are sent and have no other line.
fn server() -> String {
    let mut text = String::from("{\"lockstep\":\"log\",\"version\":1}\n");
    for turn in 0..EVENTS / 5 {
        let client = turn % NODES;
        writeln!(text, r#"{{"node":"c{client}","event":"send","to":"server","kind":"acquire"}}"#).unwrap();
        for event in ["asked", "grant", "released"] {
            writeln!(text, r#"{{"node":"server","event":"{event}","client":"c{client}"}}"#).unwrap();
        }
        writeln!(text, r#"{{"node":"server","event":"send","to":"c{client}","kind":"grant"}}"#).unwrap();
    }
    text
}

fn median(mut times: Vec<f64>) -> f64 {
    times.sort_by(f64::total_cmp);
    times[times.len() / 2]
}

/// Seconds of a plain parse and of the judge.
#[allow(clippy::disallowed_methods, reason = "a bench measures wall-clock time")]
fn measure(text: &str) -> (f64, f64) {
    let (mut plain, mut ours) = (Vec::new(), Vec::new());
    for _ in 0..5 {
        let start = Instant::now();
        let lines = text.lines().map(|line| serde_json::from_str::<serde_json::Value>(line).unwrap());
        let events = lines.filter(|value| value.get("event").is_some()).count();
        plain.push(start.elapsed().as_secs_f64());
        let start = Instant::now();
        let judgement = judge(read(vec![LogInput::new("log", text)], &ReadOptions::default())).unwrap();
        ours.push(start.elapsed().as_secs_f64());
        assert_eq!((judgement.verdict, judgement.log.events.len()), (LogVerdict::Excluded, events));
    }
    (median(plain), median(ours))
}

fn main() {
    let (plain, ours) = measure(&log());
    let mut document = serde_json::json!({
        "events": EVENTS,
        "judge_seconds": ours,
        "judge_events_per_second": EVENTS as f64 / ours,
        "plain_events_per_second": EVENTS as f64 / plain,
        "ratio": ours / plain,
    });
    for (name, text) in [("ricart_agrawala_seconds", ricart_agrawala()), ("server_seconds", server())] {
        document[name] = measure(&text).1.into();
    }
    println!("{document}");
}
