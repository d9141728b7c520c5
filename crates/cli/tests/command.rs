//! The command line as scripts see it: documents, sentences, exit codes.

use serde_json::Value;
use std::path::{Path, PathBuf};
use std::process::Command;

struct Said {
    code: i32,
    out: String,
    err: String,
}

fn lockstep(args: &[&str]) -> Said {
    let output = Command::new(env!("CARGO_BIN_EXE_lockstep")).args(args).output().unwrap();
    Said {
        code: output.status.code().unwrap_or(-1),
        out: String::from_utf8(output.stdout).unwrap(),
        err: String::from_utf8(output.stderr).unwrap(),
    }
}

fn json(args: &[&str]) -> (i32, Value) {
    let said = lockstep(&[args, &["--json"]].concat());
    let document =
        serde_json::from_str(&said.out).unwrap_or_else(|why| panic!("{args:?}: {why}\n{}{}", said.out, said.err));
    (said.code, document)
}

fn file(name: &str, content: &[u8]) -> PathBuf {
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    std::fs::write(&path, content).unwrap();
    path
}

fn scenarios() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../scenario/scenarios")
}

#[test]
fn states_of_the_alien_algorithm() {
    for (variant, piggyback, states, transitions) in
        [("v1", "false", 860, 1719), ("v1", "true", 919, 1804), ("v2", "false", 1730, 3277), ("v2", "true", 1636, 3067)]
    {
        let (variant, piggyback) = (format!("variant={variant}"), format!("piggyback={piggyback}"));
        let (code, document) = json(&["check", "alien", "--param", &variant, "--param", &piggyback]);
        assert_eq!((code, &document["verdict"]), (0, &"ok".into()));
        assert_eq!(
            (&document["states"], &document["transitions"]),
            (&states.into(), &transitions.into()),
            "{variant} {piggyback}"
        );
        assert!(document["violation"].is_null() && document["link"].is_null() && document["depth"].as_u64() > Some(0));
        assert!(document["invariants"].as_array().unwrap().contains(&"mutual exclusion".into()));
        assert!(document.get("without").is_none());
    }
}

#[test]
fn a_missing_line_gives_a_counterexample_that_replays() {
    let (code, document) = json(&["check", "alien", "--without", "12"]);
    assert_eq!((code, &document["verdict"], &document["without"]), (1, &"violation".into(), &12.into()));
    let violation = &document["violation"];
    assert_eq!(violation["cycle"], 0);
    let steps = violation["steps"].as_array().unwrap();
    let replayed = lockstep(&["replay", document["link"].as_str().unwrap()]);
    assert_eq!(replayed.code, 1, "{}", replayed.err);
    assert!(replayed.err.contains(violation["invariant"].as_str().unwrap()), "{}", replayed.err);
    for step in steps {
        assert!(replayed.out.contains(step.as_str().unwrap()), "{step}");
    }
    let human = lockstep(&["check", "alien", "--without", "12"]);
    assert!(human.code == 1 && human.out.contains("lockstep replay 'v=1&a=alien"), "{}", human.out);
}

#[test]
fn starvation_is_found_where_requests_never_end() {
    let (code, document) =
        json(&["check", "alien", "--param", "variant=v2", "--requests", "unlimited", "--network", "unordered"]);
    assert_eq!((code, &document["verdict"]), (1, &"violation".into()));
    assert!(document["violation"]["cycle"].as_u64() > Some(0));
    assert_eq!(lockstep(&["replay", document["link"].as_str().unwrap()]).code, 0, "no single state is wrong");
    let (code, document) = json(&["check", "alien", "--param", "variant=v2", "--requests", "unlimited"]);
    assert_eq!((code, &document["verdict"]), (0, &"ok".into()));
}

#[test]
fn a_bound_is_no_violation() {
    let (code, document) = json(&["check", "alien", "--max-states", "50"]);
    assert_eq!((code, &document["verdict"]), (0, &"bound".into()));
}

#[test]
fn the_document_of_a_run_is_that_of_the_lab_on_any_number_of_cores() {
    let said = lockstep(&[
        "run",
        "alien",
        "--nodes",
        "7",
        "--entries",
        "3000",
        "--replications",
        "5",
        "--param",
        "variant=v2",
        "--json",
    ]);
    let job = r#"{"algorithm":"alien","nodes":7,"entries":3000,"replications":5,"params":{"variant":"v2"}}"#;
    assert_eq!((said.code, said.out.trim_end()), (0, lockstep_lab::run_json(job).as_str()));
    let document: Value = serde_json::from_str(&said.out).unwrap();
    assert_eq!((&document["params"]["piggyback"], &document["rate"]), (&true.into(), &0.5.into()));
    let human =
        lockstep(&["run", "alien", "--nodes", "7", "--entries", "3000", "--think", "exp:0.5", "--requests", "3"]);
    assert!(
        human.code == 0 && human.out.contains("messages per entry") && human.out.contains("1 × 21 entries"),
        "{}",
        human.out
    );
    assert!(human.err.is_empty(), "nothing is said to scripts: {}", human.err);
}

#[test]
fn a_configuration_file_holds_the_options() {
    let text = "algorithm = 'alien'\nparams = { variant = 'v2', piggyback = false }\ntopology = 'clusters:2x3'\nentries = 500\nrate = 1\n";
    let path = file("run.toml", text.as_bytes());
    let path = path.to_str().unwrap();
    let (code, document) = json(&["run", "--config", path, "--entries", "400"]);
    assert_eq!((code, &document["nodes"], &document["entries"]), (0, &6.into(), &400.into()));
    assert_eq!(document["params"]["piggyback"], false);
    assert!(document["global_messages"].as_f64() > Some(0.0));
    let bad = file("bad.toml", b"algorithm = 'alien'\ncolour = 3\n");
    let said = lockstep(&["run", "--config", bad.to_str().unwrap()]);
    assert!(said.code == 2 && said.err.contains("line 2, column 1") && said.err.contains("colour"), "{}", said.err);
}

#[test]
fn the_list_names_every_algorithm() {
    let (code, document) = json(&["list"]);
    let list = document.as_array().unwrap();
    assert_eq!((code, list.len()), (0, lockstep_algorithms::ALL.len()));
    let alien = list.iter().find(|entry| entry["id"] == "alien").unwrap();
    assert_eq!(alien["params"][0], serde_json::json!({ "name": "variant", "values": ["v1", "v2"], "default": "v1" }));
    assert_eq!(alien["needs"], serde_json::json!({ "fifo": false, "tree": true }));
    for key in ["id", "title", "year", "source", "params", "needs", "claims", "printed"] {
        assert!(!alien[key].is_null(), "{key}");
    }
    assert_eq!(alien.as_object().unwrap().len(), 8);
    assert!(lockstep(&["list"]).out.contains("variant"));
}

#[test]
fn the_library_replays() {
    for (id, _) in lockstep_scenario::LIBRARY {
        let path = scenarios().join(format!("{id}.toml"));
        let said = lockstep(&["replay", path.to_str().unwrap()]);
        assert_eq!((said.code, said.err.as_str()), (0, ""), "{id}");
    }
    let traced = lockstep(&["replay", "alien-figure-1", "--trace"]);
    assert!(
        traced.out.contains("deliver TOKEN+REQ p1→p2") && traced.out.contains("21 steps, 8 entries, 6 messages"),
        "{}",
        traced.out
    );
    let (code, document) = json(&["replay", "alien-figure-2"]);
    assert_eq!((code, document["stops"].as_array().unwrap().len(), &document["messages"]), (0, 6, &6.into()));
}

#[test]
fn a_wrong_expectation_is_a_sentence_and_exit_code_1() {
    let right = std::fs::read_to_string(scenarios().join("alien-figure-1.toml")).unwrap();
    let wrong = right.replacen("messages = 5", "messages = 7", 1).replacen("entries = 8", "entries = 9", 1);
    let path = file("wrong.toml", wrong.as_bytes());
    let said = lockstep(&["replay", path.to_str().unwrap()]);
    assert_eq!(said.code, 1);
    let lines: Vec<&str> = said.err.lines().collect();
    assert!(lines.len() == 2 && lines[0].contains("messages: 5; expected 7."), "{}", said.err);
}

/// Every message is delivered with a clock that covers the event that sent it.
#[test]
fn shiviz_logs_have_vector_clocks() {
    let said = lockstep(&["replay", "alien-figure-1", "--shiviz"]);
    let lines: Vec<&str> = said.out.lines().collect();
    assert_eq!((said.code, lines.len()), (0, 42));
    let mut own = std::collections::BTreeMap::new();
    for pair in lines.chunks(2) {
        let (host, clock) = pair[0].split_once(' ').unwrap();
        let clock: Value = serde_json::from_str(clock).unwrap();
        let count = own.entry(host).or_insert(0);
        *count += 1;
        assert_eq!(clock[host], *count, "{pair:?}");
    }
    // the token reaches p2 with all that p1 did until it left
    let token = lines.iter().position(|l| *l == "deliver TOKEN+REQ p1→p2").unwrap();
    assert_eq!(lines[token - 1], r#"p2 {"p1":8,"p2":4,"p3":1}"#);
}

#[test]
fn clusters_placements_and_cancelling_are_explored() {
    let states = |args: &[&str]| {
        let said = lockstep(&[&["check"], args, &["--json"]].concat());
        let document: serde_json::Value = serde_json::from_str(&said.out).unwrap();
        assert_eq!((said.code, &document["verdict"]), (0, &"ok".into()), "{args:?}: {}", said.err);
        document["states"].as_u64().unwrap()
    };
    let preempt = |clusters| states(&["preempt-aggregation", "--clusters", clusters, "--requests", "1"]);
    assert!(preempt("2+1") > preempt("1+1"));
    let swq = |more: &[&str]| states(&[&["swq", "--nodes", "2", "--topology", "star", "--cells", "2"], more].concat());
    let (one, other) = (swq(&["--placement", "p1,p1"]), swq(&["--placement", "p1, p2"]));
    assert_eq!((one, swq(&[])), (swq(&["--placement", "p2,p2"]), one), "by symmetry, and by default");
    assert_eq!(swq(&["--placement", "every"]), 2 * one + other + swq(&["--placement", "p2,p1"]));
    assert!(swq(&["--cancels", "1"]) > one);
}

#[test]
fn a_run_that_leads_to_no_entry_ends_and_says_so() {
    let circling: &[&str] = &["run", "token-ring", "--nodes", "5", "--delay", "const:0", "--entries", "10"];
    let stuck: &[&str] = &["run", "alien-printed", "--nodes", "7", "--entries", "100"];
    for (args, sentence) in [(circling, "The run stopped after 0 of 10 entries"), (stuck, " of 100 entries")] {
        let said = lockstep(args);
        assert!(said.err.contains(sentence), "{args:?}: {}", said.err);
        assert_eq!(said.code, 1, "{args:?}");
    }
    let refusing = lockstep(&["run", "wdme", "--nodes", "5", "--think", "exp:0.1", "--requests", "50"]);
    assert_eq!((refusing.code, refusing.err.as_str()), (0, ""), "a refused thread has requested before");
}

#[test]
fn bad_input_is_answered_with_sentences_and_exit_code_2() {
    let huge = file("huge.toml", &vec![b'#'; 10 << 20]);
    let whole = std::fs::read(scenarios().join("alien-figure-1.toml")).unwrap();
    let truncated = file("truncated.toml", &whole[..whole.len() - 60]);
    let binary = file("binary.toml", &[0xff, 0xfe, 0x00]);
    let (huge, truncated, binary) = (huge.to_str().unwrap(), truncated.to_str().unwrap(), binary.to_str().unwrap());
    let folder = env!("CARGO_TARGET_TMPDIR");
    let cases: &[(&[&str], &str)] = &[
        (&["run", "nobody"], "algorithm: nobody is not allowed; expected one of alien, "),
        (&["run"], "algorithm: missing; expected one of alien"),
        (
            &["run", "alien", "--param", "shape=round"],
            "shape: `alien` has no such parameter; expected variant, piggyback.",
        ),
        (&["run", "alien", "--param", "variant=v9"], "variant: v9 is not allowed; expected v1, v2."),
        (&["run", "alien", "--param", "variant"], "name=value"),
        (&["run", "alien", "--nodes", "0"], "nodes: 0 is not allowed; expected 1 to 1,000,000."),
        (
            &["run", "alien", "--nodes", "1e9"],
            "nodes: 1e9 is not allowed; expected a whole number from 1 to 1,000,000.",
        ),
        (&["run", "alien", "--nodes", "-4"], "nodes: -4 is not allowed; expected a whole number from 1 to 1,000,000."),
        (&["run", "alien", "--rate", "NaN"], "rate: NaN is not allowed"),
        (&["run", "alien", "--rate", "-1"], "rate: -1 is not allowed"),
        (&["run", "alien", "--rate", "inf"], "rate: inf is not allowed"),
        (&["run", "alien", "--delay", "sometimes"], "delay: sometimes is not allowed; expected const:0.01"),
        (&["run", "alien", "--topology", "clusters:0x3"], "topology: clusters:0x3 is not allowed"),
        (&["run", "alien", "--network", "lossy"], "expected fifo or unordered"),
        (&["run", "alien", "--entries", "0"], "entries: 0 is not allowed; expected 1 to 10,000,000,000."),
        (&["run", "alien", "--cells", "64"], "cells: `alien` locks no ranges"),
        (&["run", "swq", "--range", "1/4"], "expected `cells` to be given too"),
        (&["run", "swq", "--aligned"], "aligned: there is one cell"),
        (&["run", "alien", "--delay-global", "const:0.3"], "delay_global: there is one cluster"),
        (
            &["run", "maekawa", "--nodes", "5", "--param", "quorums=plane"],
            "quorums: `plane` is not allowed with 5 nodes; expected grid, or 3, 7, 13, 21 or 31 nodes.",
        ),
        (&["check", "maekawa", "--nodes", "4", "--param", "quorums=plane"], "quorums: `plane` is not allowed"),
        (&["run", "--config", "/nowhere.toml"], "cannot be read"),
        (&["check", "nobody"], "algorithm: nobody is not allowed"),
        (&["check", "alien", "--nodes", "0"], "nodes: 0 is not allowed; expected 1 to 64."),
        (&["check", "alien", "--nodes", "65"], "nodes: 65 is not allowed; expected 1 to 64."),
        (&["check", "alien", "--threads", "99999999999999"], "threads: 99999999999999 is not allowed"),
        (
            &["check", "alien", "--requests", "many"],
            "requests: many is not allowed; expected a whole number from 1 to 1,000",
        ),
        (&["check", "alien", "--network", "pigeons"], "network: pigeons is not allowed"),
        (
            &["check", "alien", "--without", "99"],
            "without: 99 is not allowed; expected a line of the listing of `alien`: 1 (",
        ),
        (&["check", "alien", "--max-states", "0"], "max_states: 0 is not allowed; expected 1 to 1,000,000,000."),
        (&["check", "alien", "--cells", "3"], "`alien` locks no ranges"),
        (&["check", "alien", "--cancels", "1"], "cannot give up; expected 0"),
        (&["check", "alien", "--clusters", "2+none"], "expected the sizes of clusters, as 2+1+1"),
        (
            &["check", "alien", "--clusters", "2+1", "--nodes", "9"],
            "nodes: 9 is not allowed; expected 3 as the clusters have",
        ),
        (&["check", "alien", "--clusters", "2+1", "--topology", "clusters:2x2"], "expected one of them"),
        (
            &["check", "swq", "--cells", "2", "--placement", "p1"],
            "placement: p1 is not allowed; expected a node for each cell: 2, not 1.",
        ),
        (&["check", "alien", "--requests", "many"], "expected a whole number from 1 to 1,000 or unlimited."),
        (&["check", "swq", "--cells", "2", "--placement", "p1,p9"], "placement: p9 is not a node"),
        (&["check", "swq", "--cells", "16", "--placement", "every"], "more than 10,000 placements"),
        (&["replay", "nothing"], "There is no file `nothing`; prepared scenarios are alien-figure-1"),
        (&["replay", huge], "too large; expected at most 8192 KB."),
        (&["replay", truncated], "This is not TOML"),
        (&["replay", binary], "is not text"),
        (&["replay", folder], "is a folder"),
        (&["replay", "v=1&a=alien"], "nodes: missing"),
        (&["replay", "v=1&a=alien&n=3&c=zzzz"], "Step 1 of the link"),
        (&["dance"], "unrecognized subcommand"),
        (&[], "Usage"),
    ];
    for (args, says) in cases {
        let said = lockstep(args);
        assert_eq!(said.code, 2, "{args:?}: {}", said.err);
        assert!(said.err.contains(says), "{args:?}: {}", said.err);
        assert!(said.out.is_empty() && !said.err.contains("panicked"), "{args:?}: {}", said.err);
    }
    let several = lockstep(&["run", "nobody", "--nodes", "0", "--rate", "NaN"]);
    assert_eq!((several.code, several.err.lines().count()), (2, 3), "{}", several.err);
}

#[test]
fn help_shows_what_there_is() {
    let help = lockstep(&["--help"]);
    assert_eq!(help.code, 0);
    for command in ["list", "run", "check", "lines", "puzzles", "replay", "draw", "schema", "study"] {
        assert!(help.out.contains(command), "{command}");
    }
}
