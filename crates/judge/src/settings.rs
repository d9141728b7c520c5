//! Options of rules that are chosen, not typed.

use lockstep_trace::shape::tokens;

/// An option with a few values.
pub struct RuleChoice {
    /// Its name in rules.
    pub name: &'static str,
    /// What the reader is asked.
    pub title: &'static str,
    /// Values with what they mean; the empty one is the default.
    pub values: &'static [(&'static str, &'static str)],
}

/// The options with a few values.
pub const RULE_CHOICES: [RuleChoice; 3] = [
    RuleChoice {
        name: "complete",
        title: "Lines of messages",
        values: &[
            ("", "not known whether any are missing"),
            ("true", "every send and receive has one"),
            ("false", "some are missing"),
        ],
    },
    RuleChoice {
        name: "unit",
        title: "Times without a colon are in",
        values: &[
            ("", "seconds"),
            ("0.001", "milliseconds"),
            ("0.000001", "microseconds"),
            ("0.000000001", "nanoseconds"),
        ],
    },
    RuleChoice {
        name: "skew",
        title: "Each clock is within",
        values: &[("", "not known"), ("0.001", "1 ms"), ("0.01", "10 ms"), ("0.1", "100 ms"), ("1", "1 s")],
    },
];

/// Options that are on or off: name, value, what they mean.
pub const RULE_SWITCHES: [(&str, &str, &str); 3] = [
    ("order", "observed", "One observer wrote all lines in the order of what happened"),
    ("fifo", "false", "Messages of one kind may overtake each other between two nodes"),
    ("file", "([^/]+?)(?:\\.\\w+)?$", "The name of the file is the name of the node"),
];

/// The value of an option; the last one counts.
pub fn option_value<'a>(rules: &'a str, name: &str) -> Option<&'a str> {
    let value = |line: &'a str| line.trim().strip_prefix("option ")?.trim().strip_prefix(name)?.strip_prefix('=');
    rules.lines().rev().find_map(value).map(str::trim)
}

/// The rules with an option; without it if the value is empty.
pub fn with_option(rules: &str, name: &str, value: &str) -> String {
    let mut lines: Vec<&str> = rules.lines().filter(|line| option_value(line, name).is_none()).collect();
    let line = format!("option {name}={value}");
    if !value.is_empty() {
        lines.push(&line);
    }
    lines.iter().map(|line| format!("{line}\n")).collect()
}

/// Other names of nodes: the name in the lines, and the node that it means.
pub fn aliases(rules: &str) -> Vec<(String, String)> {
    let alias = |line: &str| {
        let (name, node) = line.trim().strip_prefix("option alias ")?.split_once('=')?;
        Some((name.trim().to_owned(), node.trim().to_owned()))
    };
    rules.lines().filter_map(alias).collect()
}

/// The pieces of a file name: runs of digits, of letters, and marks. Digits and letters can be
/// chosen as the name of the node.
pub fn name_pieces(file: &str) -> Vec<(String, bool)> {
    let kind = |c: char| (c.is_ascii_digit(), c.is_alphabetic());
    let mut pieces: Vec<(String, bool)> = Vec::new();
    for c in file.chars() {
        match pieces.last_mut().filter(|(piece, _)| piece.chars().last().is_some_and(|last| kind(last) == kind(c))) {
            Some((piece, _)) => piece.push(c),
            None => pieces.push((c.to_string(), c.is_alphanumeric())),
        }
    }
    pieces
}

/// The value of the option `file` that finds the chosen piece in names like this one.
pub fn piece_expression(file: &str, chosen: usize) -> String {
    let pieces = name_pieces(file);
    let escaped = |text: &str| -> String {
        let plain = |c: char| c.is_alphanumeric() || matches!(c, '_' | ' ');
        text.chars().map(|c| if plain(c) { c.to_string() } else { format!("\\{c}") }).collect()
    };
    let digits = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
    let mut expression = String::from("^");
    for (at, (piece, _)) in pieces.iter().enumerate().take(chosen + 1) {
        expression += &match digits(piece) {
            true if at == chosen => "(\\d+)".to_owned(),
            false if at == chosen => "([^\\d_.-]+)".to_owned(),
            true => "\\d+".to_owned(),
            false => escaped(piece),
        };
    }
    expression
}

/// The words of a line that look like the kind of a message: all capitals.
pub fn kinds_of(line: &str) -> Vec<String> {
    let capital = |word: &str| word.len() > 1 && word.chars().all(|c| c.is_ascii_uppercase() || c == '_');
    let words = tokens(line).into_iter().filter(|token| token.is_word && capital(token.text));
    words.map(|token| token.text.to_owned()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use lockstep_trace::{LogInput, ReadOptions, RuleSet, read};

    #[test]
    fn options_are_set_and_taken_away() {
        let rules = with_option("enter: {node} in\n", "unit", "0.001");
        let rules = with_option(&with_option(&rules, "alias a", "b"), "unit", "0.000001");
        assert_eq!(rules, "enter: {node} in\noption alias a=b\noption unit=0.000001\n");
        assert_eq!((option_value(&rules, "unit"), option_value(&rules, "uni")), (Some("0.000001"), None));
        assert_eq!(aliases(&rules), [("a".to_owned(), "b".to_owned())]);
        assert_eq!(with_option(&with_option(&rules, "unit", ""), "alias a", ""), "enter: {node} in\n");
        for choice in &RULE_CHOICES {
            for (value, _) in choice.values.iter().skip(1) {
                let rules = with_option("enter: {node} in\n", choice.name, value);
                assert!(RuleSet::parse(&rules).is_ok(), "{rules}");
            }
        }
        for (name, value, _) in RULE_SWITCHES {
            assert!(RuleSet::parse(&with_option("enter: {node} in\n", name, value)).is_ok(), "{name}={value}");
        }
    }

    #[test]
    fn a_piece_of_the_file_name_is_the_node() {
        for (file, piece, other, nodes) in [
            ("34-node1.log", "1", "35-node2.log", ["1", "2"]),
            ("run(3)_alice.log", "alice", "run(4)_bob.log", ["alice", "bob"]),
        ] {
            let at = name_pieces(file).iter().position(|(text, can)| text == piece && *can).unwrap();
            let expression = piece_expression(file, at);
            let rules = RuleSet::parse(&with_option("enter: in\n", "file", &expression)).unwrap();
            let files = [file, other].map(|name| LogInput::new(name, "in\n")).to_vec();
            let log = read(files, &ReadOptions { rules: Some(rules), ..ReadOptions::default() });
            assert_eq!([log.node_name(0), log.node_name(1)], nodes, "{expression}");
        }
    }

    #[test]
    fn kinds_stand_in_the_line() {
        assert_eq!(kinds_of("12:00 n1 got LOCK_REPLY from N2 {node}"), ["LOCK_REPLY"]);
    }
}
