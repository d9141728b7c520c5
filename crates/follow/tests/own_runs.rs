//! Runs of our own algorithms, exported as logs and read again.

use lockstep_algorithms::ALL;
use lockstep_follow::follow;
use lockstep_kernel::{Entry, Frame, Params, Setup};
use lockstep_scenario::link::Link;
use lockstep_scenario::trace;
use lockstep_trace::{Judgement, LogInput, LogVerdict, ReadOptions, judge, read};
use serde_json::Value;

/// A run of the algorithm's sample system as native lines, and whether two threads were inside.
fn exported(entry: &'static Entry, setup: Setup, seed: u64, steps: usize) -> (String, bool) {
    let timing = entry.sample.timing(seed);
    let mut player = (entry.drive.boot)(setup, &timing);
    let mut frames: Vec<Frame> = vec![player.frame()];
    let mut violated = false;
    while frames.len() <= steps {
        let Some(event) = player.next() else { break };
        if player.pick(event).is_none() {
            break;
        }
        let frame = player.frame();
        violated |= frame.invariants.iter().any(|i| i.name.contains("exclusion") && i.broken.is_some());
        frames.push(frame);
    }
    let link = Link::of(entry, &*player, &timing).encode();
    (trace::native(entry.id, &link, player.setup(), &frames), violated)
}

fn setup(entry: &'static Entry) -> Setup {
    entry.sample.setup(entry.complete(&Params::default()).unwrap())
}

fn judged(text: &str) -> Judgement {
    judge(read(vec![LogInput::new("run.jsonl", text)], &ReadOptions::default())).unwrap()
}

/// The log without some keys of its events, and without the claims of its header.
fn without(text: &str, keys: &[&str]) -> String {
    let mut lines = Vec::new();
    for line in text.lines() {
        let mut line: Value = serde_json::from_str(line).unwrap();
        let object = line.as_object_mut().unwrap();
        if object.contains_key("lockstep") {
            object.remove("order");
            object.remove("complete");
        } else {
            let receives = object["event"] == "recv";
            object.retain(|key, _| !keys.contains(&key.as_str()) || (key == "from" && !receives));
        }
        lines.push(line.to_string());
    }
    lines.join("\n")
}

fn seeds() -> u64 {
    if std::env::var_os("LOCKSTEP_DEEP").is_some() { 50 } else { 3 }
}

#[test]
fn every_run_of_ours_is_excluded_and_conforms() {
    let mut wrong = Vec::new();
    let algorithms: Vec<&Entry> = ALL.iter().filter(|entry| !entry.printed).collect();
    assert_eq!(algorithms.len(), 21);
    for entry in algorithms {
        for seed in 1..=seeds() {
            let (text, violated) = exported(entry, setup(entry), seed, 200);
            assert!(!violated, "{}", entry.id);
            let judgement = judged(&text);
            let conformance = follow(&judgement, None).unwrap().unwrap();
            if judgement.verdict != LogVerdict::Excluded || conformance.ok != Some(true) {
                let problems = &judgement.log.problems;
                wrong.push(format!("{} {seed}: {} {conformance:?} {problems:?}", entry.id, judgement.sentence()));
            }
        }
    }
    assert!(wrong.is_empty(), "{} runs:\n{}", wrong.len(), wrong.join("\n"));
}

#[test]
fn a_log_that_says_less_is_never_said_to_be_violated() {
    for entry in ALL.iter().filter(|entry| !entry.printed) {
        for seed in 1..=seeds() {
            let (text, _) = exported(entry, setup(entry), seed, 120);
            for keys in [&["id"][..], &["stamp"], &["from"], &["id", "stamp"], &["from", "id", "stamp"]] {
                let judgement = judged(&without(&text, keys));
                assert_ne!(judgement.verdict, LogVerdict::Violated, "{} {seed} without {keys:?}", entry.id);
            }
        }
    }
}

#[test]
fn a_run_that_violates_is_never_said_to_be_excluded() {
    let mut violating = 0;
    for entry in ALL {
        let lines = entry.lines().filter(|line| line.essential).map(|line| Some(line.id));
        for line in lines.chain(entry.printed.then_some(None)) {
            for seed in 1..=seeds() {
                let mut setup = setup(entry);
                setup.without = line;
                let (text, violated) = exported(entry, setup, seed, 150);
                if !violated {
                    continue;
                }
                violating += 1;
                let judgement = judged(&text);
                assert_eq!(judgement.verdict, LogVerdict::Violated, "{} {line:?} {seed}", entry.id);
                for keys in [&["id"][..], &["stamp"], &["from"], &["id", "stamp"], &["from", "id", "stamp"]] {
                    let verdict = judged(&without(&text, keys)).verdict;
                    assert_ne!(verdict, LogVerdict::Excluded, "{} {line:?} {seed} without {keys:?}", entry.id);
                }
                if entry.printed {
                    continue; // it need not follow its own repaired rules
                }
                let conformance = follow(&judgement, None).unwrap().unwrap();
                assert_eq!(conformance.ok, Some(false), "{} {line:?} {seed}: {conformance:?}", entry.id);
                let wrong = judgement.sections.list[judgement.pairs[0].second].enter;
                let first = conformance.event.unwrap();
                let rank = |event: u32| judgement.order.rank[event as usize];
                assert!(rank(first) <= rank(wrong), "{} {line:?} {seed}: {conformance:?}", entry.id);
            }
        }
    }
    assert!(violating > 20, "only {violating} runs violate");
}
