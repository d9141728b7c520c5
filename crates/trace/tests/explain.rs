//! Explanations agree with the log: chains lead from exit to entry, other orders respect messages.

use lockstep_trace::explain::{ChainLink, explain};
use lockstep_trace::missing::missing;
use lockstep_trace::{Judgement, LogInput, PairOrder, ReadOptions, judge, read};

fn example(name: &str) -> Judgement {
    let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/logs").join(name);
    judge(read(vec![LogInput::new(name, std::fs::read(path).unwrap())], &ReadOptions::default())).unwrap()
}

#[test]
fn ordered_sections_are_explained_by_a_chain_of_messages() {
    let judgement = example("01-ricart-agrawala.jsonl");
    let why = explain(&judgement, 0, 1).unwrap();
    assert_eq!(why.order, PairOrder::Ordered);
    let steps: Vec<(u32, ChainLink)> =
        why.chain.iter().map(|step| (judgement.log.events[step.event as usize].line, step.link)).collect();
    let expected =
        [(14, ChainLink::Start), (15, ChainLink::SameNode), (19, ChainLink::Message), (20, ChainLink::SameNode)];
    assert_eq!(steps, expected);
}

#[test]
fn luck_is_explained_by_another_order_in_which_both_are_inside() {
    for name in
        ["02-luck.jsonl", "06-two-tokens.jsonl", "27-ricart-agrawala-replies-too-early.jsonl", "32-govec-luck.log"]
    {
        let judgement = example(name);
        let why = explain(&judgement, 0, 1).unwrap();
        assert_eq!(why.order, PairOrder::Luck);
        let order = why.other_order.unwrap();
        let place = |event: u32| order.iter().position(|other| *other == event).unwrap();
        assert_eq!(order.len(), judgement.log.events.len());
        for (from, to) in &judgement.order.edges {
            assert!(place(*from) < place(*to), "{name}");
        }
        for events in &judgement.order.local.of_node {
            assert!(events.windows(2).all(|pair| place(pair[0]) < place(pair[1])), "{name}");
        }
        for section in &judgement.sections.list {
            let exit = section.end.event().unwrap();
            assert!(place(section.enter) < why.both_inside_after && place(exit) >= why.both_inside_after, "{name}");
        }
    }
}

#[test]
fn what_is_missing_is_the_line_to_print() {
    let judgement = example("10-receives-missing.jsonl");
    let lines = missing(&judgement);
    assert_eq!(lines[0].print, r#"{"node":"2","event":"recv","from":"<sender>","kind":"grant"}"#);
    assert_eq!(lines[0].pairs, [0]);
    let judgement = example("08-senders-unknown-ambiguous.jsonl");
    let lines = missing(&judgement);
    assert!(lines.iter().any(|line| line.reason == "2 does not say from whom it received a reply."), "{lines:?}");
}

#[test]
fn the_answer_says_at_which_skew_the_verdict_changes() {
    let judgement = example("14-wall-clocks-apart.jsonl");
    assert_eq!(judgement.skew.apart_up_to, Some(0.25));
    let judgement = example("16-wall-clocks-overlap.jsonl");
    assert_eq!(judgement.skew.overlap_up_to, Some(0.25));
}
