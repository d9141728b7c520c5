//! Patterns of rules: a line as it is written, with names in braces.

use regex_lite::Regex;

/// The most steps of one match; a pattern that needs more does not match.
const STEPS: u32 = 20_000;

/// A pattern that is searched for in a line.
#[derive(Clone, Debug)]
pub struct Pattern {
    /// As it was written.
    pub text: String,
    parts: Vec<PatternPart>,
    /// The longest literal, in lower case: a line without it cannot match.
    needle: String,
    regex: Option<Regex>,
    groups: Vec<String>,
}

#[derive(Clone, PartialEq, Debug)]
enum PatternPart {
    /// These characters, in any case.
    Literal(String),
    /// At least one blank.
    Blanks,
    /// A group, by its number.
    Group(usize, GroupKind),
    /// Anything, as short as possible.
    Anything,
}

#[derive(Clone, Copy, PartialEq, Debug)]
enum GroupKind {
    Name,
    Number,
    Time,
    Vector,
}

/// Values of groups: names and what they matched.
pub type Captures<'a, 'l> = Vec<(&'a str, &'l str)>;

impl Pattern {
    /// Reads a pattern; `/…/` is a regular expression with named groups.
    pub fn new(text: &str) -> Result<Pattern, String> {
        let text = text.trim();
        if let Some(expression) = text.strip_prefix('/').and_then(|rest| rest.strip_suffix('/')) {
            let regex = regex(expression)?;
            let groups = regex.capture_names().flatten().map(str::to_owned).collect();
            return Ok(Pattern {
                text: text.to_owned(),
                parts: Vec::new(),
                needle: String::new(),
                regex: Some(regex),
                groups,
            });
        }
        let (mut parts, mut groups) = (Vec::new(), Vec::new());
        let mut literal = String::new();
        let mut rest = text;
        while let Some(c) = rest.chars().next() {
            rest = &rest[c.len_utf8()..];
            let part = match c {
                '{' | '}' if rest.starts_with(c) => {
                    rest = &rest[1..];
                    literal.push(c);
                    continue;
                }
                '{' => {
                    let (name, after) =
                        rest.split_once('}').ok_or_else(|| format!("`{text}`: `{{` is not closed; expected `}}`"))?;
                    rest = after;
                    if name == "*" { PatternPart::Anything } else { group(name.trim(), &mut groups)? }
                }
                c if c.is_whitespace() => PatternPart::Blanks,
                c => {
                    literal.push(c);
                    continue;
                }
            };
            flush(&mut literal, &mut parts);
            if part != PatternPart::Blanks || parts.last() != Some(&PatternPart::Blanks) {
                parts.push(part);
            }
        }
        flush(&mut literal, &mut parts);
        let literals = parts.iter().filter_map(|p| if let PatternPart::Literal(text) = p { Some(text) } else { None });
        let needle = literals.max_by_key(|text| text.len()).map(|text| text.to_ascii_lowercase()).unwrap_or_default();
        if needle.is_empty() && parts.len() < 2 {
            return Err(format!("`{text}` matches every line; expected words of the line"));
        }
        Ok(Pattern { text: text.to_owned(), parts, needle, regex: None, groups })
    }

    /// The names of the groups.
    pub fn groups(&self) -> impl Iterator<Item = &str> {
        self.groups.iter().map(String::as_str)
    }

    /// The values of the groups where the pattern first occurs in a line. `lower` is the line in
    /// lower case (ASCII letters only).
    pub fn find<'a, 'l>(&'a self, line: &'l str, lower: &str) -> Option<Captures<'a, 'l>> {
        if let Some(regex) = &self.regex {
            let captures = regex.captures(line)?;
            let value = |name: &'a String| Some((name.as_str(), captures.name(name)?.as_str()));
            return Some(self.groups.iter().filter_map(value).collect());
        }
        if !lower.contains(&self.needle) {
            return None;
        }
        let mut found = vec![(0, 0); self.groups.len()];
        let mut steps = STEPS;
        // a pattern that begins with a literal can only begin where it stands
        let first = match self.parts.first() {
            Some(PatternPart::Literal(text)) => Some(text.to_ascii_lowercase()),
            _ => None,
        };
        let mut start = 0;
        while start <= line.len() && steps > 0 {
            if let Some(first) = &first {
                start += lower[start..].find(first.as_str())?;
            }
            if matches(&self.parts, line, start, &mut found, &mut steps) {
                let value = |(name, (from, to)): (&'a String, &(usize, usize))| (name.as_str(), &line[*from..*to]);
                return Some(self.groups.iter().zip(&found).map(value).collect());
            }
            start += line[start..].chars().next().map_or(1, char::len_utf8);
        }
        None
    }
}

fn flush(literal: &mut String, parts: &mut Vec<PatternPart>) {
    if !literal.is_empty() {
        parts.push(PatternPart::Literal(std::mem::take(literal)));
    }
}

fn group(name: &str, groups: &mut Vec<String>) -> Result<PatternPart, String> {
    let kind = match name {
        "node" | "from" | "to" | "client" | "kind" | "id" | "lock" | "thread" | "stamp" | "mode" => GroupKind::Name,
        "lamport" | "ttl" | "token" | "lo" | "hi" => GroupKind::Number,
        "time" => GroupKind::Time,
        "vector" => GroupKind::Vector,
        name if name.strip_prefix('t').is_some_and(|rest| rest.parse::<u8>().is_ok()) => GroupKind::Time,
        name => {
            return Err(format!(
                "`{{{name}}}` is not known; expected node, from, to, client, kind, id, lock, thread, stamp, mode, \
                 lamport, vector, time, t1 to t255, ttl, token, lo, hi or *"
            ));
        }
    };
    if groups.iter().any(|known| known == name) {
        return Err(format!("`{{{name}}}` is given twice; expected once"));
    }
    groups.push(name.to_owned());
    Ok(PatternPart::Group(groups.len() - 1, kind))
}

fn is_name(c: char) -> bool {
    c.is_alphanumeric() || matches!(c, '_' | '-')
}

/// The longest text of a group that begins here.
fn reach(kind: GroupKind, text: &str) -> usize {
    match kind {
        GroupKind::Name => {
            let mut end = 0;
            let mut chars = text.char_indices().peekable();
            while let Some((at, c)) = chars.next() {
                if is_name(c) {
                    end = at + c.len_utf8();
                } else if !(c == '.' && at > 0 && chars.peek().is_some_and(|(_, next)| is_name(*next))) {
                    break;
                }
            }
            end
        }
        GroupKind::Number => {
            let sign = usize::from(text.starts_with('-'));
            let digits = text[sign..].bytes().take_while(|b| b.is_ascii_digit() || *b == b'.').count();
            if digits == 0 { 0 } else { sign + digits }
        }
        GroupKind::Time => text.bytes().take_while(|b| b.is_ascii_digit() || matches!(b, b'.' | b':')).count(),
        GroupKind::Vector => match text.as_bytes().first() {
            Some(b'{') => text.find('}').map_or(0, |end| end + 1),
            _ => 0,
        },
    }
}

/// Whether the parts match at a place; `found` gets the places of the groups.
fn matches(parts: &[PatternPart], line: &str, at: usize, found: &mut [(usize, usize)], steps: &mut u32) -> bool {
    let Some((part, rest)) = parts.split_first() else { return true };
    if *steps == 0 {
        return false;
    }
    *steps -= 1;
    match part {
        PatternPart::Literal(text) => {
            let here = line.as_bytes()[at..].get(..text.len());
            here.is_some_and(|here| here.eq_ignore_ascii_case(text.as_bytes()))
                && matches(rest, line, at + text.len(), found, steps)
        }
        PatternPart::Blanks => {
            let blanks: usize = line[at..].chars().take_while(|c| c.is_whitespace()).map(char::len_utf8).sum();
            blanks > 0 && matches(rest, line, at + blanks, found, steps)
        }
        PatternPart::Group(number, kind) => {
            let most = reach(*kind, &line[at..]);
            for end in (at + 1..=at + most).rev() {
                if line.is_char_boundary(end) && !line[..end].ends_with('.') {
                    found[*number] = (at, end);
                    if matches(rest, line, end, found, steps) {
                        return true;
                    }
                }
                if *steps == 0 {
                    return false;
                }
            }
            false
        }
        PatternPart::Anything => {
            let mut ends = (at..=line.len()).filter(|end| line.is_char_boundary(*end));
            ends.any(|end| matches(rest, line, end, found, steps))
        }
    }
}

/// A regular expression as other programs write it: a brace that is no repetition is a character.
pub(crate) fn regex(expression: &str) -> Result<Regex, String> {
    let mut fixed = String::with_capacity(expression.len() + 8);
    let mut chars = expression.char_indices();
    let mut class = false;
    while let Some((at, c)) = chars.next() {
        match c {
            '\\' => {
                fixed.push(c);
                fixed.extend(chars.next().map(|(_, c)| c));
                continue;
            }
            '[' => class = true,
            ']' => class = false,
            '{' if !class => {
                let rest = &expression[at + 1..];
                let inner = rest.split('}').next().unwrap_or_default();
                let counts = !inner.is_empty() && inner.bytes().all(|b| b.is_ascii_digit() || b == b',');
                if counts && inner.len() < rest.len() {
                    fixed.push(c);
                    fixed.push_str(inner);
                    fixed.push('}');
                    chars.by_ref().take(inner.chars().count() + 1).for_each(drop);
                    continue;
                }
                fixed.push('\\');
            }
            '}' if !class => fixed.push('\\'),
            _ => {}
        }
        fixed.push(c);
    }
    Regex::new(&fixed).map_err(|why| format!("`{expression}` is not a regular expression: {why}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(pattern: &str, line: &str) -> Option<Vec<(String, String)>> {
        let pattern = Pattern::new(pattern).unwrap();
        let captures = pattern.find(line, &line.to_ascii_lowercase())?;
        Some(captures.into_iter().map(|(name, value)| (name.to_owned(), value.to_owned())).collect())
    }

    fn one(pattern: &str, line: &str) -> String {
        found(pattern, line).unwrap()[0].1.clone()
    }

    #[test]
    fn patterns_are_searched_for_in_lines() {
        assert_eq!(one("{node} | late ok", "09:15:25 peer-1 |  LATE ok -> peer-2"), "peer-1");
        assert_eq!(one("from {from}", "got it from 5000."), "5000");
        assert_eq!(one("at {node}!", "at 10.0.0.1!"), "10.0.0.1");
        assert_eq!(one("op=lock {*} by {node}", "op=lock a b c by x"), "x");
        assert_eq!(found("{node} | ok -> {to}", "peer-1 | late ok -> peer-2"), None);
        assert_eq!(one("clock {vector} of", "clock {\"a\":1} of b"), "{\"a\":1}");
        assert_eq!(one("{{{node}}}", "x {n1} y"), "n1");
        assert_eq!(one(r"/proc (?<node>\d+){1,2}/", "proc 12"), "12");
        assert_eq!(found("{node} äöü", "x äöü"), Some(vec![("node".into(), "x".into())]));
    }

    #[test]
    fn bad_patterns_are_refused() {
        for bad in ["{node", "{nobody} x", "{node} {node}", "{*}", "/(/", ""] {
            assert!(Pattern::new(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn a_pattern_that_would_take_too_long_gives_up() {
        let line = "a ".repeat(20_000);
        assert_eq!(found("{*}a{*}a{*}a{*}a{*}b", &line), None);
        assert_eq!(found("{*}a{*}a{*}a{*}a{*}{node}!", &line), None);
    }

    #[test]
    fn braces_of_other_programs_are_characters() {
        let regex = regex(r"(?<host>\S*) (?<clock>{.*})\n(?<event>.*)").unwrap();
        assert_eq!(&regex.captures("n1 {\"n1\":1}\nx").unwrap()["clock"], "{\"n1\":1}");
    }
}
