//! Hostile input: nothing hangs, nothing panics, nothing is lost, and a message says what is wrong.

use lockstep_trace::log::LineStatus;
use lockstep_trace::shape::{MOST_SHAPES, shapes, teach, tokens};
use lockstep_trace::{Judgement, LogFormat, LogInput, ReadOptions, RuleSet, guessed_set, judge, read, zip};

fn all(bytes: Vec<u8>) -> Result<Judgement, String> {
    judge(read(vec![LogInput::new("log", bytes)], &ReadOptions::default())).map_err(|refused| refused.1)
}

#[test]
fn a_hundred_megabytes_of_free_text_are_read_or_refused() {
    let line = "2026-03-04 09:15:20 some line that nobody taught, number 12345678901234567890\n";
    let mut text = line.repeat((100 << 20) / line.len());
    text += "node 1 enters the critical section\nnode 1 leaves the critical section\n";
    let judgement = all(text.into_bytes()).unwrap();
    assert_eq!(judgement.log.format, LogFormat::Guessed);
    assert_eq!(judgement.sections.list.len(), 1);
    assert!(judgement.log.lines_not_understood > 1_000_000);
    let log = read(vec![LogInput::new("log", vec![b'x'; (256 << 20) + 1])], &ReadOptions::default());
    assert_eq!(log.problems[0].message, "The log has 256 MB; expected at most 256 MB. Split it by runs.");
}

#[test]
fn binary_files_and_one_long_line_are_no_trouble() {
    let bytes: Vec<u8> = (0..1_000_000u32).map(|n| (n.wrapping_mul(2_654_435_761) >> 24) as u8).collect();
    let judgement = all(bytes).unwrap();
    assert!(
        judgement.log.problems.iter().any(|p| p.message.contains("This is no text")),
        "{:?}",
        judgement.log.problems
    );
    let long = format!("{{\"node\":\"a\",\"event\":\"enter\"}}\n{}\n", "x".repeat(10 << 20));
    let judgement = all(long.into_bytes()).unwrap();
    assert_eq!(judgement.log.events.len(), 1);
    let rules = RuleSet::parse("enter: {node} in {*} here {*} and {*} there").unwrap();
    let line = "a in here and ".repeat(1 << 20);
    let options = ReadOptions { rules: Some(rules), ..ReadOptions::default() };
    let log = read(vec![LogInput::new("log", line)], &options);
    assert_eq!((log.lines_not_understood, log.lines[0][0]), (1, LineStatus::NotUnderstood));
    let name = format!("{{\"node\":\"{}\",\"event\":\"enter\"}}", "n".repeat(10 << 20));
    assert_eq!(all(name.into_bytes()).unwrap().sections.list.len(), 1);
}

#[test]
fn a_million_names_are_judged_and_too_many_messages_refused() {
    let line = |n: usize| format!("{{\"node\":{n},\"event\":\"enter\"}}\n");
    let text: String = (0..1_000_000).map(line).collect();
    let judgement = all(text.into_bytes()).unwrap();
    assert_eq!((judgement.log.nodes.len(), judgement.sections.list.len()), (1_000_000, 1_000_000));
    assert!(judgement.not_examined > 400_000_000_000, "{}", judgement.not_examined);
    // broadcasts to very many nodes
    let names: Vec<String> = (0..6_000).map(|n| format!("\"{n}\"")).collect();
    let mut text = format!("{{\"lockstep\":\"log\",\"nodes\":[{}]}}\n", names.join(","));
    text += &"{\"node\":\"1\",\"event\":\"send\",\"to\":\"*\"}\n".repeat(5_000);
    let why = all(text.into_bytes()).unwrap_err();
    assert!(why.contains("more than 20000000 messages"), "{why}");
}

#[test]
fn cyclic_vector_clocks_and_messages_are_named() {
    let text = "a {\"a\":1, \"b\":1}\nenter\nb {\"b\":1, \"a\":1}\nenter\na {\"a\":2, \"b\":2}\nexit\nb {\"b\":2, \"a\":2}\nexit\n";
    let judgement = all(text.as_bytes().to_vec()).unwrap();
    assert!(!judgement.consistent() && !judgement.order.cycles.is_empty());
    let mut text = String::new();
    for n in 0..20_000 {
        let other = |id: usize| {
            format!(
                "{{\"node\":\"a\",\"event\":\"recv\",\"from\":\"b\",\"id\":\"x{id}\"}}\n{{\"node\":\"a\",\"event\":\"send\",\"to\":\"b\",\"id\":\"y{id}\"}}\n"
            )
        };
        text += &other(n);
        text += &format!(
            "{{\"node\":\"b\",\"event\":\"recv\",\"from\":\"a\",\"id\":\"y{n}\"}}\n{{\"node\":\"b\",\"event\":\"send\",\"to\":\"a\",\"id\":\"x{n}\"}}\n"
        );
    }
    let judgement = all(text.into_bytes()).unwrap();
    assert!(!judgement.consistent() && judgement.order.contradictory.len() >= 20_000);
}

#[test]
fn the_largest_clock_has_no_successor() {
    let text = "a {\"a\":18446744073709551615}\nenter\na {\"a\":2}\nexit\n";
    let judgement = all(text.as_bytes().to_vec()).unwrap();
    let problems: Vec<&str> = judgement.log.problems.iter().map(|p| p.message.as_str()).collect();
    assert!(problems.iter().any(|p| p.contains("goes from 18446744073709551615 to 2")), "{problems:?}");
}

#[test]
fn a_million_shapes_are_counted_and_the_first_are_listed() {
    let letters = |mut n: usize| {
        let mut word = String::new();
        for _ in 0..5 {
            word.push(char::from(b'a' + (n % 26) as u8));
            n /= 26;
        }
        word
    };
    let text: String = (0..1_000_000).map(|n| letters(n) + "\n").collect();
    let log = read(vec![LogInput::new("log", text)], &ReadOptions::default());
    assert_eq!(log.format, LogFormat::Unknown);
    let found = shapes(&log.files, None);
    assert_eq!((found.list.len(), found.others), (MOST_SHAPES, 1_000_000 - MOST_SHAPES));
}

#[test]
fn mixed_encodings_keep_their_lines() {
    let mut bytes = b"\xef\xbb\xbfnode 1 enters the lock\r\n".to_vec();
    bytes.extend(
        b"node 2 enters the lock Gr\xfc\xdfe\r\n\x1b[31mnode 1 leaves the lock\x1b[0m\nnode 2 leaves the lock\n",
    );
    let judgement = all(bytes).unwrap();
    assert_eq!((judgement.sections.list.len(), judgement.log.lines_not_understood), (2, 0));
}

/// A small generator of random numbers (xorshift).
fn random(state: &mut u64) -> u64 {
    *state ^= *state << 13;
    *state ^= *state >> 7;
    *state ^= *state << 17;
    *state
}

#[test]
fn changed_examples_never_panic() {
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/logs");
    let mut files: Vec<_> = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.sort();
    let contents: Vec<Vec<u8>> = files.iter().map(|path| std::fs::read(path).unwrap()).collect();
    let patterns: Vec<&Vec<u8>> = files
        .iter()
        .zip(&contents)
        .filter(|(path, _)| path.extension().is_some_and(|e| e == "pattern"))
        .map(|(_, t)| t)
        .collect();
    let cases = if std::env::var_os("LOCKSTEP_DEEP").is_some() { 20_000 } else { 2_000 };
    let mut state = 88_172_645_463_325_252;
    for case in 0..cases {
        let mut bytes = contents[case % contents.len()].clone();
        for _ in 0..1 + random(&mut state) % 8 {
            let at = random(&mut state) as usize % bytes.len().max(1);
            match random(&mut state) % 5 {
                0 => bytes[at] = random(&mut state) as u8,
                1 => {
                    bytes.remove(at);
                }
                2 => bytes.insert(at, b"{}[]\":,\n0-*/\\\x1b\xff"[random(&mut state) as usize % 15]),
                3 => {
                    let other = &contents[random(&mut state) as usize % contents.len()];
                    let from = random(&mut state) as usize % other.len();
                    let part: Vec<u8> = other[from..(from + 60).min(other.len())].to_vec();
                    bytes.splice(at..at, part);
                }
                _ => bytes.truncate(at.max(1)),
            }
            if bytes.is_empty() {
                bytes.push(b'\n');
            }
        }
        let _ = zip::unzip(&bytes);
        let rules = patterns[case % patterns.len()];
        let rules = RuleSet::parse(&String::from_utf8_lossy(if case % 3 == 0 { &bytes } else { rules })).ok();
        let rules = rules.filter(|_| case % 2 == 0);
        let options = ReadOptions { rules, session: case % 3, skew: None };
        let log = read(vec![LogInput::new("log", bytes)], &options);
        let _ = guessed_set(&log.files).to_string();
        let line = log.files[0].line(0).to_owned();
        let words = tokens(&line);
        if let Some(word) = words.iter().position(|token| token.is_word) {
            let _ = teach(&line, &[(word, lockstep_trace::shape::TokenRole::Node)], "enter");
        }
        if let Ok(judgement) = judge(log) {
            let _ = judgement.document(None);
            for pair in judgement.pairs.iter().take(3) {
                let explanation = lockstep_trace::explain::explain(&judgement, pair.first, pair.second);
                assert!(explanation.is_some() || judgement.pair(pair.first, pair.second).is_none());
            }
        }
    }
}

#[test]
fn vectors_that_know_too_much_are_refused_with_a_message() {
    // every node tells another one in each round, so that all learn of all
    let (nodes, rounds) = (1_500, 60);
    let mut text = String::new();
    for round in 0..rounds {
        for node in 0..nodes {
            let to = (node + 1 + round * 37) % nodes;
            text += &format!("{{\"node\":{node},\"event\":\"send\",\"to\":{to},\"id\":\"{round}-{node}\"}}\n");
        }
        for node in 0..nodes {
            let to = (node + 1 + round * 37) % nodes;
            text += &format!("{{\"node\":{to},\"event\":\"recv\",\"id\":\"{round}-{node}\"}}\n");
        }
    }
    let why = all(text.into_bytes()).unwrap_err();
    assert!(why.starts_with("The log has 180000 events of 1500 nodes that know too much of each other"), "{why}");
}
