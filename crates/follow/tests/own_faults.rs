//! Runs of our own algorithms in which something goes wrong, exported as logs and read again:
//! crashed nodes, lost and duplicated messages, threads that migrate.

use lockstep_algorithms::ALL;
use lockstep_follow::follow;
use lockstep_kernel::{Entry, Event, Frame, Params};
use lockstep_scenario::link::Link;
use lockstep_scenario::trace;
use lockstep_trace::{LogInput, LogVerdict, ReadOptions, judge, read};
use serde_json::Value;
use std::collections::BTreeMap;

/// The kinds of what goes wrong.
const FAULTS: [&str; 4] = ["crash", "loss", "duplicate", "migration"];

fn kind_of(event: Event) -> Option<&'static str> {
    match event {
        Event::Crash(_) | Event::Restart(_) => Some("crash"),
        Event::Drop(_) => Some("loss"),
        Event::Duplicate(_) => Some("duplicate"),
        Event::Migrate(..) => Some("migration"),
        _ => None,
    }
}

/// A run with some faults of one kind as native lines, and whether two threads were inside.
fn exported(entry: &'static Entry, fault: &str, seed: u64) -> (String, bool, usize) {
    let timing = entry.sample.timing(seed);
    let setup = entry.sample.setup(entry.complete(&Params::default()).unwrap());
    let mut player = (entry.drive.boot)(setup, &timing);
    let mut frames: Vec<Frame> = vec![player.frame()];
    let (mut violated, mut faults) = (false, 0);
    let mut random = seed;
    while frames.len() < 80 {
        random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        let mut possible: Vec<Event> = Vec::new();
        if random >> 60 == 0 {
            player.faults(&mut |event| {
                possible.extend((kind_of(event) == Some(fault)).then_some(event));
                false
            });
        }
        let chosen = possible.get((random >> 32) as usize % possible.len().max(1)).copied();
        faults += usize::from(chosen.is_some());
        let Some(event) = chosen.or_else(|| player.next()) else { break };
        if player.pick(event).is_none() {
            break;
        }
        let frame = player.frame();
        violated |= frame.invariants.iter().any(|i| i.name.contains("exclusion") && i.broken.is_some());
        frames.push(frame);
    }
    let link = Link::of(entry, &*player, &timing).encode();
    (trace::native(entry.id, &link, player.setup(), &frames), violated, faults)
}

#[test]
fn runs_in_which_something_goes_wrong_are_judged_as_the_stage_shows_them() {
    let mut seen: BTreeMap<(&str, bool), usize> = BTreeMap::new();
    let mut wrong = Vec::new();
    for entry in ALL.iter().filter(|entry| !entry.printed) {
        for fault in FAULTS {
            for seed in 1..=4 {
                let (text, violated, faults) = exported(entry, fault, seed);
                let judgement =
                    judge(read(vec![LogInput::new("run.jsonl", text.as_str())], &ReadOptions::default())).unwrap();
                let conformance = follow(&judgement, None).unwrap().unwrap();
                let conforms = conformance.ok != Some(false);
                // none of our algorithms is made for all of this: often only luck keeps it right
                let verdict = judgement.verdict;
                let fits = match violated {
                    true => verdict == LogVerdict::Violated,
                    false => matches!(verdict, LogVerdict::Excluded | LogVerdict::Luck | LogVerdict::NothingToJudge),
                };
                *seen.entry((fault, violated)).or_default() += faults;
                if !fits || !conforms {
                    wrong.push(format!(
                        "{} {fault} {seed}: stage violated {violated}, {} {conformance:?}",
                        entry.id,
                        judgement.sentence()
                    ));
                }
            }
        }
    }
    assert!(FAULTS.iter().all(|fault| seen.get(&(*fault, false)).is_some_and(|faults| *faults > 50)), "{seen:?}");
    assert!(seen.get(&("duplicate", true)).is_some_and(|faults| *faults > 5), "{seen:?}");
    assert!(wrong.is_empty(), "{} runs:\n{}", wrong.len(), wrong.join("\n"));
}

#[test]
fn every_line_has_its_time_and_time_never_goes_back() {
    for entry in ALL.iter().filter(|entry| !entry.printed) {
        let (text, ..) = exported(entry, "loss", 1);
        let lines = text.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
        let times: Vec<f64> = lines.skip(1).map(|line| line["time"].as_f64().unwrap()).collect();
        assert!(times.is_sorted() && times.last().is_some_and(|last| *last > 0.0), "{}: {times:?}", entry.id);
    }
}
