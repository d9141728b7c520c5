//! A server's word against that of its clients, wrong answers, fencing tokens, and who reads a log.

use lockstep_trace::{Judgement, LogFormat, LogInput, LogVerdict, ReadOptions, RuleSet, judge, read};

fn judged(text: &str) -> Judgement {
    judge(read(vec![LogInput::new("log", text)], &ReadOptions::default())).unwrap()
}

fn problems(judgement: &Judgement) -> Vec<&str> {
    judgement.log.problems.iter().map(|problem| problem.message.as_str()).collect()
}

/// Lines `node event detail…`, with details such as `client=a`.
fn log(lines: &str) -> String {
    let line = |line: &str| {
        let mut words = line.split_whitespace();
        let mut object = serde_json::json!({ "node": words.next(), "event": words.next() });
        for (key, value) in words.filter_map(|word| word.split_once('=')) {
            object[key] = value.parse::<i64>().map_or_else(|_| value.into(), Into::into);
        }
        object.to_string() + "\n"
    };
    lines.lines().map(str::trim).filter(|text| !text.is_empty()).map(line).collect()
}

#[test]
fn a_client_that_enters_before_its_grant_is_named() {
    let right =
        "a send to=s id=1 \n s recv id=1 \n s asked client=a \n s grant client=a \n s send to=a id=2 \n a recv id=2
        a enter \n a exit \n a send to=s id=3 \n s recv id=3 \n s released client=a";
    assert_eq!(problems(&judged(&log(right))), [""; 0]);
    let early =
        "a enter \n a send to=s id=1 \n s recv id=1 \n s asked client=a \n s grant client=a \n s released client=a
        s send to=a id=2 \n a recv id=2 \n a exit";
    let judgement = judged(&log(early));
    let expected =
        ["a enters before it is granted the lock (log:5).", "a leaves after the server took its release (log:6)."];
    assert_eq!(problems(&judgement), expected);
    assert_eq!(judgement.log.problems[0].line, 1);
}

#[test]
fn a_refusal_of_a_free_lock_is_named() {
    let lines = "s asked client=a \n s grant client=a \n s asked client=b \n s deny client=b \n s released client=a
        s asked client=b \n s deny client=b";
    let judgement = judged(&log(lines));
    assert_eq!(problems(&judgement), ["client b is refused though the lock is free."]);
    assert_eq!(judgement.log.problems[0].line, 7);
}

#[test]
fn an_access_with_a_stale_token_is_a_violation() {
    let lines = |last: u32| {
        log(&format!(
            "s asked client=a \n s grant client=a token=33 ttl=5 time=0 \n s asked client=b
             s grant client=b token=34 ttl=5 time=6 \n store note client=b token=34 \n store note client=a token={last}"
        ))
    };
    let judgement = judged(&lines(33));
    assert_eq!(judgement.verdict, LogVerdict::Violated);
    let sentence = judgement.sentence();
    assert!(
        sentence.ends_with("an access was accepted with a stale token: 33 (log:6) after 34 (log:5)."),
        "{sentence}"
    );
    assert_eq!(judged(&lines(34)).verdict, LogVerdict::ByClock);
    let twice = "s asked client=a \n s grant client=a token=5 \n s released client=a \n s asked client=b
        s grant client=b token=5 \n s released client=b";
    assert_eq!(problems(&judged(&log(twice))), ["client b is granted token 5 after token 5."]);
}

#[test]
fn native_lines_are_native_whatever_rules_are_taught() {
    let options = |rules: &str| ReadOptions { rules: Some(RuleSet::parse(rules).unwrap()), ..ReadOptions::default() };
    let rules = "enter: {node} is in\nexit: {node} is out\n";
    let native = log("a enter \n a exit \n b enter");
    let judgement = judge(read(vec![LogInput::new("log", native.as_str())], &options(rules))).unwrap();
    assert_eq!((judgement.log.format, judgement.sections.list.len()), (LogFormat::Native, 2));
    // objects with other events are free text, for which rules can be taught
    let other = "{\"node\":\"a\",\"event\":\"has the lock\"}\n{\"node\":\"a\",\"event\":\"gave it back\"}\n";
    let rules =
        "enter: {{\"node\":\"{node}\",\"event\":\"has the lock\nexit: {{\"node\":\"{node}\",\"event\":\"gave it\n";
    let judgement = judge(read(vec![LogInput::new("log", other)], &options(rules))).unwrap();
    assert_eq!((judgement.log.format, judgement.sections.list.len()), (LogFormat::Rules, 1));
}
