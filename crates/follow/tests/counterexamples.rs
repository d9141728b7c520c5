//! The checker's counterexamples for essential lines, exported as logs: each is violated or luck,
//! and conformance names an event at or before the wrong entry.

use lockstep_check::{LineRow, RemovalEffect, lines, prepare};
use lockstep_follow::follow;
use lockstep_kernel::{Entry, Event, Frame};
use lockstep_scenario::link::Link;
use lockstep_scenario::trace;
use lockstep_trace::{Judgement, LogInput, LogVerdict, PairOrder, ReadOptions, judge, read};

/// Every algorithm. A test that names the table `ALL` compiles all of them again.
fn all() -> Vec<&'static Entry> {
    let sentence = lockstep_algorithms::find("").err().unwrap();
    let ids = sentence.rsplit("there are ").next().unwrap().trim_end_matches('.').split(", ");
    ids.map(|id| lockstep_algorithms::find(id).unwrap()).collect()
}

/// The counterexample of a row as native lines. It ends at the wrong entry, so all threads leave
/// afterwards: a log without any exit does not say whether its program prints exits.
fn exported(row: &LineRow) -> String {
    let report = prepare(&row.check).unwrap().start().finish();
    let text = report.link.unwrap_or_else(|| panic!("{}: no link", row.check.command()));
    let link = Link::decode(&text).unwrap();
    let mut player = (link.model.algorithm.drive.boot)(link.model.setup.clone(), &link.model.timing);
    let mut frames: Vec<Frame> = vec![player.frame()];
    for choice in &link.choices {
        let event = player.event_at(*choice).unwrap();
        player.pick(event).unwrap();
        frames.push(player.frame());
    }
    while let Some(release) = player.usual_events().into_iter().find(|e| matches!(e, Event::Release(_))) {
        player.pick(release).unwrap();
        frames.push(player.frame());
    }
    trace::native(link.model.algorithm.id, &text, player.setup(), &frames)
}

fn judged(text: &str) -> Judgement {
    judge(read(vec![LogInput::new("run.jsonl", text)], &ReadOptions::default())).unwrap()
}

#[test]
fn counterexamples_are_violated_or_luck_and_conformance_names_an_event_in_time() {
    let mut seen = 0;
    for row in all().into_iter().filter(|entry| !entry.printed).flat_map(lines).filter(|row| row.essential) {
        let RemovalEffect::Violation { invariant, cycle: 0, .. } = &row.shown else { continue };
        if !invariant.contains("exclusion") {
            continue;
        }
        seen += 1;
        let name = row.check.command();
        let text = exported(&row);
        let judgement = judged(&text);
        assert_eq!(judgement.verdict, LogVerdict::Violated, "{name}\n{text}");
        let silent = text.replace("\"order\":\"observed\",", "");
        assert!(!silent.contains("observed"), "{text}");
        let alone = judged(&silent);
        assert!(matches!(alone.verdict, LogVerdict::Violated | LogVerdict::Luck), "{name}: {}", alone.sentence());
        let unsure = judged(&silent.replace("\"complete\":true,", ""));
        assert_ne!(unsure.verdict, LogVerdict::Excluded, "{name}: {}", unsure.sentence());
        let conformance = follow(&judgement, None).unwrap().unwrap();
        assert_eq!(conformance.ok, Some(false), "{name}: {conformance:?}\n{text}");
        let first = judgement.pairs.iter().find(|pair| pair.order <= PairOrder::OverlapObserved).unwrap();
        let wrong = judgement.sections.list[first.second].enter;
        let rank = |event: u32| judgement.order.rank[event as usize];
        assert!(rank(conformance.event.unwrap()) <= rank(wrong), "{name}: {conformance:?}\n{text}");
    }
    println!("{seen} counterexamples");
    assert!(seen >= 11, "only {seen} lines break exclusion");
}
