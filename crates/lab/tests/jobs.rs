//! Jobs: what comes out, and what is refused.

use lockstep_lab::{Job, prepare, run_job, run_json, validate};

fn job() -> Job {
    Job { algorithm: "alien".into(), entries: 2_000, nodes: Some(7), ..Job::default() }
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
    let three = Job { replications: 3, ..job() };
    let prepared = prepare(&three).unwrap();
    for r in 0..3 {
        let alone = prepare(&Job { seed: 1 + u64::from(r), ..job() }).unwrap();
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
    assert_eq!(run_job(&Job { bypass: false, ..job() }).unwrap().bypass_max, None);
}

#[test]
fn closed_loads_and_clusters_run() {
    let closed =
        Job { think: Some("exp:0.5".into()), requests: Some(3), topology: "clusters:3x3".into(), nodes: None, ..job() };
    let summary = run_job(&closed).unwrap();
    assert_eq!((summary.nodes, summary.entries, summary.rate), (9, 27.0, None));
    assert!(summary.global_messages > 0.0 && summary.local_messages > 0.0);
    assert!(summary.waiting.half_width > 0.0, "a short run has parts too");
    assert!(serde_json::to_string(&summary).unwrap().contains("\"rate\":null"));
}

#[test]
fn first_requests_may_come_all_at_once() {
    let usual = Job { think: Some("exp:5".into()), requests: Some(1), ..job() };
    let same = Job { first: usual.think.clone(), ..usual.clone() };
    assert_eq!(run_job(&usual), run_job(&same));
    let at_once = Job { first: Some("const:0".into()), ..usual.clone() };
    let (apart, together) = (run_job(&usual).unwrap(), run_job(&at_once).unwrap());
    assert!(together.virtual_time < 2.0 && apart.virtual_time > 5.0, "{together:?}\n{apart:?}");
    assert!(!serde_json::to_string(&usual).unwrap().contains("first"), "keys of other jobs stay what they were");
}

#[test]
fn every_repaired_algorithm_runs_without_a_violation() {
    for entry in lockstep_algorithms::ALL.iter().filter(|e| !e.printed) {
        let summary = run_job(&Job { algorithm: entry.id.into(), threads: 2, ..job() }).unwrap();
        assert_eq!((summary.violations, summary.nodes), (0, 7), "{}", entry.id);
        assert_eq!(summary.entries_per_node.len(), 7, "{}", entry.id);
    }
}

#[test]
fn extreme_durations_stay_within_the_clock() {
    let cases = [
        Job { section: "const:100000000".into(), entries: 5, ..job() },
        Job { delay: "exp:1000000".into(), entries: 20, ..job() },
        Job { rate: Some(1e-6), entries: 500, ..job() },
        Job { rate: Some(1e6), entries: 500, ..job() },
        Job { think: Some("const:100000000".into()), requests: Some(2), ..job() },
        Job { section: "const:0".into(), delay: "const:0".into(), think: Some("const:0".into()), ..job() },
        Job { nodes: Some(1), ..job() },
        Job { seed: u64::MAX, replications: 2, ..job() },
    ];
    for case in cases {
        assert!(run_job(&case).unwrap().entries >= 5.0, "{case:?}");
    }
}

#[test]
fn every_problem_is_a_sentence() {
    let bad = Job {
        algorithm: "nobody".into(),
        nodes: Some(0),
        threads: 20_000,
        topology: "torus".into(),
        network: "lossy".into(),
        rate: Some(f64::NAN),
        requests: Some(1),
        section: "soon".into(),
        delay: "uniform:2:1".into(),
        entries: 0,
        replications: 0,
        ..Job::default()
    };
    let problems = validate(&bad);
    assert_eq!(problems.len(), 11, "{problems:#?}");
    assert!(problems.iter().all(|p| p.ends_with('.')), "{problems:#?}");
    let one = |job: Job, says: &str| {
        let problems = validate(&job);
        assert!(problems.len() == 1 && problems[0].contains(says), "{says}: {problems:?}");
    };
    one(Job { nodes: Some(1_000_001), ..job() }, "1 to 1000000");
    one(Job { nodes: Some(1_000_000), threads: 5, ..job() }, "at most 4 threads");
    one(Job { rate: Some(0.0), ..job() }, "`rate` is 0");
    one(Job { rate: Some(1.0), think: Some("exp:1".into()), ..job() }, "one of them");
    one(Job { first: Some("const:0".into()), ..job() }, "`first` counts for threads that think");
    one(Job { section: "const:100000000".into(), entries: 10_000_000_000, ..job() }, "fewer entries");
    one(Job { cells: 0, ..job() }, "`cells` is 0");
    one(Job { cells: 64, ..job() }, "leave `cells` out, or one of swq, swq-pr, central-range");
    one(Job { cells: 64, bandwidth: Some(10.0), ..job() }, "carry no data");
    let data = |cells| Job { algorithm: "naimi-trehel-async".into(), cells, bandwidth: Some(10.0), ..job() };
    assert_eq!(validate(&data(64)), [""; 0], "data of 64 cells may travel");
    one(data(1), "give `cells` too");
    one(Job { range: "2".into(), ..job() }, "no part of the resource");
    one(Job { bandwidth: Some(0.0), ..data(64) }, "`bandwidth` is 0");
    one(Job { topology: "clusters:2x2".into(), ..job() }, "has 4 nodes, not 7");
    one(Job { params: [("variant".into(), "v3".into())].into(), ..job() }, "expected v1, v2");
}

#[test]
fn bad_json_is_answered_with_problems() {
    for text in [
        "",
        "{",
        "[]",
        r#"{"nodes":-1}"#,
        r#"{"size":3}"#,
        r#"{"nodes":31}"#,
        r#"{"algorithm":"alien","nodes":0}"#,
        r#"{"rate":1e999}"#,
    ] {
        let answer: serde_json::Value = serde_json::from_str(&run_json(text)).unwrap();
        assert_eq!(answer["problems"].as_array().map(Vec::len), Some(1), "{text}: {answer}");
    }
}
