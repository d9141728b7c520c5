//! Jobs: what comes out, and what is refused.

use lockstep_lab::{Job, prepare, run_job, run_json, validate};
use lockstep_spec::Spec;

fn job() -> Job {
    Job::default().with(|s| s.algorithm("alien").entries(2_000).nodes(7))
}

#[test]
fn the_document_has_the_fields_of_the_contract_in_order() {
    let text = run_json(
        r#"{"algorithm":"alien","params":{"variant":"v2","piggyback":true},"nodes":7,"rate":0.5,"entries":2000,"replications":3}"#,
    );
    assert!(text.starts_with(
        r#"{"algorithm":"alien","params":{"variant":"v2","piggyback":true},"nodes":7,"threads":1,"rate":0.5,"seed":1,"replications":3,"entries":2000,"messages_per_entry":{"mean":"#
    ), "{text}");
    let document: serde_json::Value = serde_json::from_str(&text).unwrap();
    let keys: Vec<&str> = [
        "algorithm",
        "params",
        "nodes",
        "threads",
        "rate",
        "seed",
        "replications",
        "entries",
        "messages_per_entry",
        "waiting",
        "messages_by_kind",
        "local_messages",
        "global_messages",
        "path_length",
        "refused",
        "entries_without_message",
        "bypass_max",
        "events",
        "virtual_time",
        "entries_per_node",
    ]
    .to_vec();
    let mut from = 0;
    for key in &keys {
        let at =
            text[from..].find(&format!("\"{key}\":")).unwrap_or_else(|| panic!("{key} is missing or out of order"));
        from += at;
    }
    assert_eq!(document.as_object().unwrap().len(), keys.len());
    for key in ["mean", "half_width", "sd", "p50", "p95", "p99", "max"] {
        assert!(document["waiting"][key].is_f64(), "{key}");
    }
    assert_eq!(document["entries_per_node"].as_array().unwrap().len(), 7);
    let kinds = &document["messages_by_kind"];
    let all = kinds["request"].as_f64().unwrap() + kinds["token"].as_f64().unwrap();
    assert!((all - document["local_messages"].as_f64().unwrap()).abs() < 1e-6);
    assert!((all / 2000.0 - document["messages_per_entry"]["mean"].as_f64().unwrap()).abs() < 1e-9);
}

#[test]
fn replications_use_the_following_seeds() {
    let three = job().with(|s| s.replications(3));
    let prepared = prepare(&three).unwrap();
    for r in 0..3 {
        let alone = prepare(&job().with(|s| s.seed(1 + u64::from(r)))).unwrap();
        assert_eq!(prepared.measure(r), alone.measure(0));
    }
    let all: Vec<_> = (0..3).map(|r| prepared.measure(r)).collect();
    assert_eq!(run_job(&three).unwrap(), prepared.summarise(&all));
}

#[test]
fn one_run_has_an_interval_from_its_batches() {
    let one = run_job(&job()).unwrap();
    assert!(one.messages_per_entry.half_width > 0.0 && one.waiting.half_width > 0.0);
    assert_eq!(one.violations, 0);
    assert!(one.bypass_max.is_some());
    assert_eq!(run_job(&job().with(|s| s.bypass(false))).unwrap().bypass_max, None);
}

#[test]
fn closed_loads_and_clusters_run() {
    let closed = job().with(|s| Spec { nodes: None, ..s }.think("exp:0.5").requests(3).topology("clusters:3x3"));
    let summary = run_job(&closed).unwrap();
    assert_eq!((summary.nodes, summary.entries, summary.rate), (9, 27.0, None));
    assert!(summary.global_messages > 0.0 && summary.local_messages > 0.0);
    assert!(summary.waiting.half_width > 0.0, "a short run has parts too");
    assert!(serde_json::to_string(&summary).unwrap().contains("\"rate\":null"));
}

#[test]
fn first_requests_may_come_all_at_once() {
    let usual = job().with(|s| s.think("exp:5").requests(1));
    let same = usual.clone().with(|s| s.first("exp:5"));
    assert_eq!(run_job(&usual), run_job(&same));
    let at_once = usual.clone().with(|s| s.first("const:0"));
    let (apart, together) = (run_job(&usual).unwrap(), run_job(&at_once).unwrap());
    assert!(together.virtual_time < 2.0 && apart.virtual_time > 5.0, "{together:?}\n{apart:?}");
    assert!(!serde_json::to_string(&usual).unwrap().contains("first"), "keys of other jobs stay what they were");
}

#[test]
fn every_repaired_algorithm_runs_without_a_violation() {
    for entry in lockstep_algorithms::ALL.iter().filter(|e| !e.printed) {
        let summary = run_job(&job().with(|s| s.algorithm(entry.id).threads(2))).unwrap();
        assert_eq!((summary.violations, summary.nodes), (0, 7), "{}", entry.id);
        assert_eq!(summary.entries_per_node.len(), 7, "{}", entry.id);
    }
}

#[test]
fn extreme_durations_stay_within_the_clock() {
    let cases = [
        job().with(|s| s.section("const:100000000").entries(5)),
        job().with(|s| s.delay("exp:1000000").entries(20)),
        job().with(|s| s.rate(1e-6).entries(500)),
        job().with(|s| s.rate(1e6).entries(500)),
        job().with(|s| s.think("const:100000000").requests(2)),
        job().with(|s| s.section("const:0").delay("const:0").think("const:0")),
        job().with(|s| s.nodes(1)),
        job().with(|s| s.seed(u64::MAX).replications(2)),
    ];
    for case in cases {
        assert!(run_job(&case).unwrap().entries >= 5.0, "{case:?}");
    }
}

#[test]
fn every_problem_is_a_sentence() {
    let bad = Job::default().with(|s| {
        let s = s.algorithm("nobody").nodes(0).threads(20_000).topology("torus").network("lossy").rate(f64::NAN);
        s.requests(1).section("soon").delay("uniform:2:1").entries(0).replications(0)
    });
    let problems = validate(&bad);
    assert_eq!(problems.len(), 11, "{problems:#?}");
    assert!(problems.iter().all(|p| p.ends_with('.')), "{problems:#?}");
    let one = |job: Job, says: &str| {
        let problems = validate(&job);
        assert!(problems.len() == 1 && problems[0].contains(says), "{says}: {problems:?}");
    };
    one(job().with(|s| s.nodes(1_000_001)), "nodes: 1000001 is not allowed; expected 1 to 1,000,000.");
    one(
        job().with(|s| s.nodes(1_000_000).threads(5)),
        "5000000 in all are not allowed; expected at most 4,000,000, 4 for each",
    );
    let float: Job = serde_json::from_str(r#"{"algorithm":"alien","nodes":-3.0}"#).unwrap();
    one(float, "nodes: -3.0 is not allowed; expected a whole number from 1 to 1,000,000.");
    one(job().with(|s| s.rate(0.0)), "rate: 0 is not allowed; expected a number from 0.000001 to 1,000,000.");
    one(job().with(|s| s.rate(1.0).think("exp:1")), "think: not allowed together with `rate`");
    one(job().with(|s| s.first("const:0")), "first: only threads with a think time");
    one(job().with(|s| s.section("const:100000000").entries(10_000_000_000_u64)), "fewer entries");
    one(job().with(|s| s.cells(0)), "cells: 0 is not allowed; expected 1 to 65,535.");
    one(job().with(|s| s.cells(64)), "expected no `cells`, or one of swq, swq-pr, central-range");
    one(job().with(|s| s.cells(64).bandwidth(10.0)), "carry no data");
    let data = |cells| job().with(|s| s.algorithm("naimi-trehel-async").cells(cells).bandwidth(10.0));
    assert_eq!(validate(&data(64)), [""; 0], "data of 64 cells may travel");
    one(data(1), "expected `cells` to be given too");
    one(job().with(|s| s.range("2")), "range: 2 is not allowed; expected 1/16");
    one(data(64).with(|s| s.bandwidth(0.0)), "bandwidth: 0 is not allowed");
    one(job().with(|s| s.topology("clusters:2x2")), "nodes: 7 is not allowed; expected 4");
    one(job().with(|s| s.with("variant", "v3")), "variant: v3 is not allowed; expected v1, v2.");
}

#[test]
fn bad_json_is_answered_with_problems() {
    for text in [
        "",
        "{",
        "[]",
        r#"{"algorithm":"alien","nodes":-1}"#,
        r#"{"size":3}"#,
        r#"{"nodes":31}"#,
        r#"{"algorithm":"alien","nodes":0}"#,
        r#"{"algorithm":"alien","nodes":7,"entries":050}"#,
    ] {
        let answer: serde_json::Value = serde_json::from_str(&run_json(text)).unwrap();
        assert_eq!(answer["problems"].as_array().map(Vec::len), Some(1), "{text}: {answer}");
    }
    // a number that JSON cannot hold is a problem of its field
    let answer = run_json(r#"{"algorithm":"alien","rate":1e999}"#);
    assert!(answer.starts_with(r#"{"problems":["rate: 1e999 is not allowed; expected"#), "{answer}");
}
