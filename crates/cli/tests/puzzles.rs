//! Puzzles, worst cases and lines on the command line.

use serde_json::Value;
use std::process::Command;

fn lockstep(args: &[&str]) -> (i32, String, String) {
    let output = Command::new(env!("CARGO_BIN_EXE_lockstep")).args(args).output().unwrap();
    let text = |bytes| String::from_utf8(bytes).unwrap();
    (output.status.code().unwrap_or(-1), text(output.stdout), text(output.stderr))
}

fn json(args: &[&str]) -> (i32, Value) {
    let (code, out, err) = lockstep(&[args, &["--json"]].concat());
    (code, serde_json::from_str(&out).unwrap_or_else(|why| panic!("{args:?}: {why}\n{out}{err}")))
}

#[test]
fn a_link_is_the_proof_of_a_solution() {
    // what the checker finds is a solution of a puzzle about the same system
    let (_, found) = json(&["check", "naimi-trehel-printed", "--nodes", "2", "--requests", "1"]);
    let link = found["link"].as_str().unwrap();
    let (code, out, err) = lockstep(&["replay", link, "--puzzle", "given-away"]);
    assert_eq!((code, err.as_str()), (0, ""), "{out}");
    assert!(out.contains("solved in 4 steps; par is 4"), "{out}");
    let (code, document) = json(&["replay", link, "--puzzle", "given-away"]);
    assert_eq!((code, &document["solved"], &document["steps"]), (0, &true.into(), &4.into()));
    for other in ["open-door", "long-way"] {
        let (code, out, err) = lockstep(&["replay", link, "--puzzle", other]);
        assert!(code == 1 && out.is_empty() && err.contains("The run does not solve"), "{err}");
    }
    // the page's address says which puzzle it is, and how the stage is laid out
    let address = format!("http://127.0.0.1:8080/#{link}&layout=ring&puzzle=given-away");
    let (code, said, _) = lockstep(&["replay", &address]);
    assert_eq!((code, said), (0, out.clone()));
    let (code, said, err) = lockstep(&["replay", "http://127.0.0.1:8080/#s=alien-figure-2&layout=ring"]);
    assert!(code == 0 && said.contains("all expectations hold"), "{said} {err}");
    let (code, _, err) = lockstep(&["replay", link, "--puzzle", "none"]);
    assert!(code == 2 && err.contains("There is no puzzle `none`; there are down-the-chain"), "{err}");
}

#[test]
fn every_puzzle_begins_with_a_link() {
    let (code, document) = json(&["puzzles"]);
    let all = document.as_array().unwrap();
    assert!(code == 0 && all.len() >= 18);
    for puzzle in all {
        let (id, link) = (puzzle["id"].as_str().unwrap(), puzzle["link"].as_str().unwrap());
        let (code, _, err) = lockstep(&["replay", link, "--puzzle", id]);
        assert_eq!(code, 1, "{id} is not solved at the beginning: {err}");
    }
    assert!(lockstep(&["puzzles"]).1.contains("par"));
}

#[test]
fn the_worst_case_is_a_schedule_to_play() {
    let alien = ["check", "alien", "--param", "variant=v2", "--requests", "1", "--worst"];
    let (code, document) = json(&[&alien[..], &["forwards", "--network", "unordered"]].concat());
    assert_eq!((code, &document["value"], &document["exact"]), (0, &3.into(), &true.into()));
    assert_eq!(lockstep(&["replay", document["link"].as_str().unwrap()]).0, 0);
    let (code, out, _) = lockstep(&[&alien[..], &["forwards"]].concat());
    assert!(code == 0 && out.contains("one request is forwarded 1 time, and no order of events"), "{out}");
    let (code, _, err) = lockstep(&[&alien[..], &["luck"]].concat());
    assert!(
        code == 2 && err.contains("worst: luck is not allowed; expected forwards, messages, steps, bypass."),
        "{err}"
    );
}

#[test]
fn lines_say_why_they_are_there() {
    let (code, document) = json(&["lines", "alien"]);
    let rows = document.as_array().unwrap();
    assert!(
        code == 0 && rows.iter().any(|r| r["essential"] == true && r["shown"]["violation"]["steps"].as_u64() > Some(0))
    );
    assert!(lockstep(&["lines", "alien"]).1.contains("lockstep check alien "));
    assert!(lockstep(&["lines", "alien-printed"]).1.contains("wrong as printed"));
    assert_eq!(lockstep(&["lines", "nobody"]).0, 2);
}

#[test]
fn hindsight_and_crashes() {
    let (code, document) = json(&["check", "alien-printed", "--nodes", "2"]);
    assert_eq!((code, &document["violation"]["unavoidable"]), (1, &6.into()));
    assert!(lockstep(&["check", "alien-printed", "--nodes", "2"]).1.contains("from step 6 on"));
    let (code, document) = json(&["check", "alien", "--nodes", "2", "--requests", "1", "--crashes", "1"]);
    assert_eq!(code, 1);
    assert_eq!(lockstep(&["replay", document["link"].as_str().unwrap()]).0, 1, "the crash is part of the link");
    let (code, _, err) = lockstep(&["check", "alien", "--crashes", "2", "--max-megabytes", "0"]);
    assert!(code == 2 && err.lines().count() == 2, "{err}");
}
