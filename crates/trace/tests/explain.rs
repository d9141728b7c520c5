//! Explanations agree with the log: chains lead from exit to entry, other orders respect messages.

use lockstep_trace::explain::{ChainLink, explain};
use lockstep_trace::judge::SkewAnswer;
use lockstep_trace::{Judgement, LogInput, LogVerdict, PairOrder, ReadOptions, RuleSet, judge, read};

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
    let lines = &judgement.missing;
    assert_eq!(lines[0].print, r#"{"node":"2","event":"recv","from":"<sender>","kind":"grant"}"#);
    assert_eq!(lines[0].pairs, [0]);
    let judgement = example("08-senders-unknown-ambiguous.jsonl");
    let lines = &judgement.missing;
    assert!(lines.iter().any(|line| line.reason == "2 does not say from whom it received a reply."), "{lines:?}");
}

/// The statements of a line by language.
fn statements(judgement: &Judgement, of: &str) -> Vec<(&'static str, String)> {
    let line = judgement.missing.iter().find(|line| line.print == of);
    line.unwrap_or_else(|| panic!("{:?}", judgement.missing)).statements.clone()
}

#[test]
fn what_is_missing_is_a_statement_of_the_snippets() {
    let judgement = example("10-receives-missing.jsonl");
    let found = statements(&judgement, r#"{"node":"2","event":"recv","from":"<sender>","kind":"grant"}"#);
    let expected = [
        ("Go", r#"Log(node, "recv", Fields{"from": sender, "kind": "grant"})"#),
        ("Java", r#"LockstepLog.log(node, "recv", "from", sender, "kind", "grant");"#),
        ("Python", r#"log(node, "recv", sender=sender, kind="grant")"#),
        ("C++", r#"log_event(node, "recv", {{"from", sender}, {"kind", "grant"}});"#),
        ("Rust", r#"log(node, "recv", &[("from", sender), ("kind", "grant")]);"#),
        ("TypeScript", r#"log(node, "recv", { from: sender, kind: "grant" });"#),
    ];
    assert_eq!(found, expected.map(|(language, text)| (language, text.to_owned())));
}

#[test]
fn what_is_missing_is_written_as_the_log_writes_its_lines() {
    let rules = "enter: [node {node}] enters\nexit: [node {node}] leaves\n\
                 send ask: [node {node}] sends {kind} to {to}\nrecv: [node {node}] got {kind} from {from}\n\
                 send grant: [node {node}] grants {to}\n";
    let text = "09:15:20 [node n1] enters\n09:15:21 [node n1] leaves\n09:15:22 [node n2] sends ask to n1\n\
                09:15:23 [node n1] got ask from n2\n09:15:24 [node n1] grants n2\n09:15:25 [node n2] enters\n\
                09:15:26 [node n2] leaves\n";
    let options = ReadOptions { rules: Some(RuleSet::parse(rules).unwrap()), ..ReadOptions::default() };
    let judgement = judge(read(vec![LogInput::new("log", text)], &options)).unwrap();
    assert_eq!(judgement.verdict, LogVerdict::Unproven);
    let found = statements(&judgement, "[node n2] got grant from <sender>");
    let expected = [
        ("Go", r#"log.Printf("[node %s] got grant from %s", node, sender)"#),
        ("Java", r#"System.out.println("[node " + node + "] got grant from " + sender);"#),
        ("Python", r#"print(f"[node {node}] got grant from {sender}", flush=True)"#),
        ("C++", r#"std::cout << "[node " << node << "] got grant from " << sender << std::endl;"#),
        ("Rust", r#"println!("[node {node}] got grant from {sender}");"#),
        ("TypeScript", "console.log(`[node ${node}] got grant from ${sender}`);"),
    ];
    assert_eq!(found, expected.map(|(language, text)| (language, text.to_owned())));
    // the line that is printed so decides the pair
    let text = text.replace("09:15:25", "[node n2] got grant from n1\n09:15:25");
    let judgement = judge(read(vec![LogInput::new("log", text.as_str())], &options)).unwrap();
    assert_eq!(judgement.verdict, LogVerdict::Excluded);
}

#[test]
fn the_answer_says_at_which_skew_the_verdict_changes() {
    let judgement = example("14-wall-clocks-apart.jsonl");
    assert_eq!(judgement.skew.apart_up_to, Some(0.25));
    let judgement = example("16-wall-clocks-overlap.jsonl");
    assert_eq!(judgement.skew.overlap_up_to, Some(0.25));
}

/// Two sections that are a second apart by the clocks, with other lines between them.
fn clocked(between: &str) -> Judgement {
    let text = format!(
        "{{\"node\":\"a\",\"event\":\"enter\",\"time\":1}}\n{{\"node\":\"a\",\"event\":\"exit\",\"time\":2}}\n{between}\
         {{\"node\":\"b\",\"event\":\"enter\",\"time\":3}}\n{{\"node\":\"b\",\"event\":\"exit\",\"time\":4}}\n"
    );
    let plain = read(vec![LogInput::new("log", text.as_str())], &ReadOptions::default());
    judge(plain).unwrap()
}

#[test]
fn clocks_promise_nothing_where_messages_decide() {
    assert_eq!(clocked("").skew.apart_up_to, Some(0.5));
    let missing_receive = "{\"node\":\"a\",\"event\":\"send\",\"to\":\"b\",\"kind\":\"token\",\"time\":2.5}\n";
    let judgement = clocked(missing_receive);
    assert_eq!(judgement.verdict, LogVerdict::Unproven);
    assert_eq!(judgement.skew, SkewAnswer::default(), "no skew changes this verdict");
}

#[test]
fn the_verdict_changes_at_the_skew_that_the_sentence_names() {
    let at = |skew: f64| {
        let text = std::fs::read(
            std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/logs/14-wall-clocks-apart.jsonl"),
        );
        let options = ReadOptions { skew: Some(skew), ..ReadOptions::default() };
        judge(read(vec![LogInput::new("log", text.unwrap())], &options)).unwrap()
    };
    assert_eq!(at(0.25).verdict, LogVerdict::ByClock);
    assert_eq!(at(0.250_001).verdict, LogVerdict::Unproven);
    assert_eq!(at(0.0).skew.sentences(), ["By clock if no clock is wrong by more than 0.25 s."]);
}

#[test]
fn a_certain_overlap_asks_for_no_skew() {
    let mut overlapping = String::new();
    for (node, time) in [("a", 1), ("b", 2)] {
        overlapping += &format!("{{\"node\":\"{node}\",\"event\":\"enter\",\"time\":{time}}}\n");
    }
    overlapping += "{\"node\":\"a\",\"event\":\"send\",\"to\":\"b\",\"id\":1}\n{\"node\":\"b\",\"event\":\"send\",\"to\":\"a\",\"id\":2}\n\
                    {\"node\":\"a\",\"event\":\"recv\",\"id\":2}\n{\"node\":\"b\",\"event\":\"recv\",\"id\":1}\n";
    for (node, time) in [("a", 5), ("b", 6)] {
        overlapping += &format!("{{\"node\":\"{node}\",\"event\":\"exit\",\"time\":{time}}}\n");
    }
    let judgement = judge(read(vec![LogInput::new("log", overlapping)], &ReadOptions::default())).unwrap();
    assert_eq!((judgement.verdict, judgement.skew), (LogVerdict::Violated, SkewAnswer::default()));
    assert_eq!(judgement.counts[PairOrder::Overlap as usize], 1);
}
