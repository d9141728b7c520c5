//! Shapes of lines, and teaching: a rule is made by choosing words of a line.

use crate::log::{LineStatus, Log};
use crate::native::vector_of;
use crate::pattern::Pattern;
use crate::rules::Rule;
use crate::text::{LONGEST_LINE, LogText};
use crate::time;
use hashbrown::HashMap;

/// The most shapes that are kept apart; lines of further ones are only counted.
pub const MOST_SHAPES: usize = 10_000;

/// The longest vector clock that is one piece of a line.
const LONGEST_VECTOR: usize = 400;

/// Lines that differ only in their digits.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct LineShape {
    /// The line with `N` instead of each number.
    pub text: String,
    /// How many lines have this shape.
    pub count: usize,
    /// How many of them no rule understands.
    pub not_understood: usize,
    /// The file of the first such line.
    pub file: u32,
    /// Its line, counted from 1.
    pub line: u32,
}

/// The shapes of a log, the most frequent first.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct LineShapes {
    /// The shapes.
    pub list: Vec<LineShape>,
    /// Lines of shapes that are not listed because there are too many.
    pub others: usize,
}

/// The line with `N` instead of each number.
pub fn shape_of(line: &str) -> String {
    let mut shape = String::with_capacity(line.len().min(400));
    let mut digits = false;
    for c in line.trim().chars().take(400) {
        let digit = c.is_ascii_digit();
        if !digit {
            shape.push(c);
        } else if !digits {
            shape.push('N');
        }
        digits = digit;
    }
    shape
}

/// The shapes of these files; `log` says which lines are understood already.
pub fn shapes(files: &[LogText], log: Option<&Log>) -> LineShapes {
    let mut index: HashMap<String, usize> = HashMap::new();
    let mut found = LineShapes::default();
    for (number, file) in files.iter().enumerate() {
        for (line, text) in file.lines() {
            if text.trim().is_empty() {
                continue;
            }
            let shape = shape_of(text);
            let status = log.and_then(|log| log.lines.get(number)?.get(line).copied());
            let not_understood = usize::from(!matches!(status, Some(LineStatus::Understood | LineStatus::Skipped)));
            match index.get(&shape) {
                Some(at) => {
                    found.list[*at].count += 1;
                    found.list[*at].not_understood += not_understood;
                }
                None if found.list.len() < MOST_SHAPES => {
                    index.insert(shape.clone(), found.list.len());
                    let (file, line) = (number as u32, line as u32 + 1);
                    found.list.push(LineShape { text: shape, count: 1, not_understood, file, line });
                }
                None => found.others += 1,
            }
        }
    }
    found.list.sort_by_key(|shape| std::cmp::Reverse(shape.count));
    found
}

/// A piece of a line that can be chosen.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct LineToken<'a> {
    /// The piece.
    pub text: &'a str,
    /// Where it begins in the line, in bytes.
    pub start: usize,
    /// Whether it is a word or a number, which can be chosen; else a mark or blanks.
    pub is_word: bool,
    /// Whether it belongs to the date and time in front of the line.
    pub is_time: bool,
}

/// What a chosen word means.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum TokenRole {
    /// The node that speaks.
    Node,
    /// The sender of a message.
    From,
    /// The receiver of a message.
    To,
    /// The client of a server.
    Client,
    /// The kind of the message.
    Kind,
    /// The id of the message.
    Id,
    /// The time stamp that travels with the message.
    Stamp,
    /// The node's Lamport clock.
    Lamport,
    /// The lock.
    Lock,
    /// The thread.
    Thread,
    /// The mode: read or write.
    Mode,
    /// The first cell of a range.
    Lo,
    /// The cell after the last one of a range.
    Hi,
    /// When it happened.
    Time,
    /// When the section was entered, where one line says both.
    Entered,
    /// When it was left.
    Left,
    /// The time of a lease.
    Ttl,
    /// The fencing token.
    Token,
    /// The vector clock.
    Vector,
    /// Anything: the word differs from line to line and means nothing.
    Anything,
}

impl TokenRole {
    /// Every role with its name in rules.
    pub const ALL: [(&'static str, TokenRole); 20] = [
        ("node", TokenRole::Node),
        ("from", TokenRole::From),
        ("to", TokenRole::To),
        ("client", TokenRole::Client),
        ("kind", TokenRole::Kind),
        ("id", TokenRole::Id),
        ("stamp", TokenRole::Stamp),
        ("lamport", TokenRole::Lamport),
        ("lock", TokenRole::Lock),
        ("thread", TokenRole::Thread),
        ("mode", TokenRole::Mode),
        ("lo", TokenRole::Lo),
        ("hi", TokenRole::Hi),
        ("time", TokenRole::Time),
        ("t1", TokenRole::Entered),
        ("t2", TokenRole::Left),
        ("ttl", TokenRole::Ttl),
        ("token", TokenRole::Token),
        ("vector", TokenRole::Vector),
        ("*", TokenRole::Anything),
    ];

    /// Its name in rules.
    pub fn name(self) -> &'static str {
        Self::ALL.iter().find(|(_, role)| *role == self).map_or("*", |(name, _)| name)
    }
}

/// The pieces of a line: words, blanks and marks, which together are the line.
pub fn tokens(line: &str) -> Vec<LineToken<'_>> {
    let is_name = |c: char| c.is_alphanumeric() || matches!(c, '_' | '-');
    let mut tokens: Vec<LineToken<'_>> = Vec::new();
    let mut start = 0;
    while let Some(first) = line[start..].chars().next() {
        let rest = &line[start..];
        let arrow = ["->", "<-", "=>", "<="].iter().find(|arrow| rest.starts_with(**arrow));
        let vector = if first == '{' { vector_at(rest) } else { None };
        let (end, is_word) = if let Some(arrow) = arrow {
            (arrow.len(), false)
        } else if let Some(end) = vector {
            (end, true)
        } else if is_name(first) {
            let mut end = 0;
            let mut chars = rest.char_indices().peekable();
            while let Some((at, c)) = chars.next() {
                let dot = c == '.' && chars.peek().is_some_and(|(_, next)| is_name(*next));
                let arrow = c == '-' && rest[at + 1..].starts_with('>');
                if !(is_name(c) || dot) || arrow {
                    break;
                }
                end = at + c.len_utf8();
            }
            (end.max(first.len_utf8()), first != '-' || end > 1)
        } else if first.is_whitespace() {
            (rest.chars().take_while(|c| c.is_whitespace()).map(char::len_utf8).sum(), false)
        } else {
            (first.len_utf8(), false)
        };
        tokens.push(LineToken { text: &rest[..end], start, is_word, is_time: false });
        start += end;
    }
    mark_time(line, &mut tokens);
    tokens
}

/// Where a vector clock that begins here ends: it is chosen as a whole.
fn vector_at(rest: &str) -> Option<usize> {
    let end = 1 + rest.bytes().take(LONGEST_VECTOR).position(|byte| byte == b'}')?;
    vector_of(&rest[..end]).is_some_and(|vector| !vector.is_empty()).then_some(end)
}

/// Marks the pieces of the date and time in front of a line.
fn mark_time(line: &str, tokens: &mut [LineToken<'_>]) {
    if time::find(line).is_none() {
        return;
    }
    // the time ends with the third group of digits that are joined by colons
    let second_colon = |at: usize| tokens[at].text == ":" && tokens.get(at + 2).is_some_and(|token| token.text == ":");
    let Some(colon) = (1..tokens.len().saturating_sub(3)).find(|at| second_colon(*at)) else { return };
    let begin = (0..colon).rev().take_while(|at| {
        let text = tokens[*at].text;
        text.bytes().all(|byte| byte.is_ascii_digit() || matches!(byte, b'/' | b'-' | b' ' | b'.' | b'T' | b'['))
    });
    let begin = begin.last().unwrap_or(colon - 1);
    tokens[begin..=colon + 3].iter_mut().for_each(|token| token.is_time = true);
}

/// Makes a rule from a line: each chosen word becomes a name in braces, other numbers anything, and
/// the date in front is left out. `events` is what stands before the colon: `enter`, `recv REPLY`.
pub fn teach(line: &str, chosen: &[(usize, TokenRole)], events: &str) -> Result<Rule, String> {
    if line.len() > LONGEST_LINE {
        return Err(format!("The line is too long; expected at most {LONGEST_LINE} bytes"));
    }
    let tokens = tokens(line);
    let role = |at: usize| chosen.iter().find(|(chosen, _)| *chosen == at).map(|(_, role)| *role);
    if let Some((at, _)) = chosen.iter().find(|(at, _)| *at >= tokens.len()) {
        return Err(format!("word {at} does not exist; expected 0 to {}", tokens.len().saturating_sub(1)));
    }
    let first = tokens.iter().rposition(|token| token.is_time).map_or(0, |last| last + 1);
    let first = chosen.iter().map(|(at, _)| *at).min().map_or(first, |chosen| first.min(chosen));
    let mut pattern = String::new();
    for (at, token) in tokens.iter().enumerate().skip(first) {
        let number = token.is_word && token.text.bytes().any(|byte| byte.is_ascii_digit());
        match role(at) {
            Some(TokenRole::Anything) => pattern.push_str("{*}"),
            Some(role) => pattern += &format!("{{{}}}", role.name()),
            None if number => pattern.push_str("{*}"),
            None if token.text.trim().is_empty() => pattern.push(' '),
            None => pattern += &token.text.replace('{', "{{").replace('}', "}}"),
        }
    }
    // what stands after the last word that matters need not be the same in every line
    let pattern = pattern.trim().trim_end_matches("{*}").trim_end_matches(|c: char| "([{ .,;".contains(c));
    let pattern = if pattern.starts_with('/') { format!("{{*}}{pattern}") } else { pattern.to_owned() };
    Pattern::new(&pattern)?;
    Rule::parse(&format!("{events}: {pattern}"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::LogInput;

    #[test]
    fn lines_that_differ_in_digits_have_one_shape() {
        let text = LogText::of(LogInput::new("a", "p1 in 20\np22 in 3\n\nother\n"));
        let shapes = shapes(&[text], None);
        let list: Vec<_> = shapes.list.iter().map(|shape| (shape.text.as_str(), shape.count)).collect();
        assert_eq!(list, [("pN in N", 2), ("other", 1)]);
    }

    #[test]
    fn tokens_are_the_line() {
        for line in ["2026/03/04 09:15:20 peer-1 | ok -> peer-2 [1 of 1]", "a->b", "", "é-ü.x 5000.", "a - b"] {
            let whole: String = tokens(line).iter().map(|token| token.text).collect();
            assert_eq!(whole, line);
        }
        let words: Vec<_> = tokens("n1->n2 5000.").into_iter().filter(|t| t.is_word).map(|t| t.text).collect();
        assert_eq!(words, ["n1", "n2", "5000"]);
    }

    #[test]
    fn a_rule_is_taught_by_choosing_words() {
        let line = "2026/03/04 09:15:23 peer-1 | ask arrived <- peer-2, ticket 8";
        let at = |word: &str| tokens(line).iter().position(|token| token.text == word).unwrap();
        let chosen = [(at("peer-1"), TokenRole::Node), (at("peer-2"), TokenRole::From), (at("8"), TokenRole::Stamp)];
        let rule = teach(line, &chosen, "recv REQUEST").unwrap();
        assert_eq!(rule.to_string(), "recv REQUEST: {node} | ask arrived <- {from}, ticket {stamp}");
        let captures = rule.pattern.find(line, line).unwrap();
        assert_eq!(captures, [("node", "peer-1"), ("from", "peer-2"), ("stamp", "8")]);
        let line = "n1 enters at 12.5 {\"n1\":3, \"n2\":1}";
        let at = |word: &str| tokens(line).iter().position(|token| token.text == word).unwrap();
        let vector = at("{\"n1\":3, \"n2\":1}");
        let chosen = [(at("n1"), TokenRole::Node), (at("12.5"), TokenRole::Time), (vector, TokenRole::Vector)];
        let rule = teach(line, &chosen, "enter").unwrap();
        assert_eq!(rule.to_string(), "enter: {node} enters at {time} {vector}");
        assert!(rule.pattern.find(line, line).is_some());
        let line = "peer-1";
        assert!(teach(line, &[(99, TokenRole::Node)], "enter").is_err());
        let rule = teach("node 3 in {cs} 17 times", &[(2, TokenRole::Node)], "enter").unwrap();
        assert_eq!(rule.to_string(), "enter: node {node} in {{cs}} {*} times");
    }
}
