//! Rules for free text: how a rule set is written, read and saved.

use crate::event::EventKind;
use crate::pattern::{Pattern, regex};
use regex_lite::Regex;
use std::fmt;

/// What a rule makes of a line.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum RuleVerb {
    /// An event.
    Event(EventKind),
    /// The node remembers to whom it owes an answer.
    Defer,
    /// The node of this line speaks in the lines that follow.
    Speaker,
    /// A new run begins.
    Session,
    /// The line repeats what another one says.
    Ignore,
}

impl RuleVerb {
    /// The verb with this name.
    pub fn named(name: &str) -> Option<RuleVerb> {
        match name {
            "defer" => Some(RuleVerb::Defer),
            "self" => Some(RuleVerb::Speaker),
            "session" => Some(RuleVerb::Session),
            "ignore" => Some(RuleVerb::Ignore),
            name => EventKind::named(name).map(RuleVerb::Event),
        }
    }

    /// Its name.
    pub fn name(self) -> &'static str {
        match self {
            RuleVerb::Event(kind) => kind.name(),
            RuleVerb::Defer => "defer",
            RuleVerb::Speaker => "self",
            RuleVerb::Session => "session",
            RuleVerb::Ignore => "ignore",
        }
    }
}

/// A value of a clause: a word, or what a group matched.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum ClauseValue {
    /// This word.
    Word(String),
    /// What the group with this name matched.
    Group(String),
}

/// One event of a rule: `send REPLY to deferred`, `enter time={t1}`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct RuleClause {
    /// What it makes of the line.
    pub verb: RuleVerb,
    /// The kind of the message.
    pub kind: Option<String>,
    /// Fields that are set: `to`, `from`, `time`, `client`, `lock`, ….
    pub fields: Vec<(String, ClauseValue)>,
}

impl RuleClause {
    /// A clause without details.
    pub fn new(verb: RuleVerb) -> Self {
        RuleClause { verb, kind: None, fields: Vec::new() }
    }

    /// The value of a field.
    pub fn field(&self, name: &str) -> Option<&ClauseValue> {
        self.fields.iter().find(|(field, _)| field == name).map(|(_, value)| value)
    }
}

/// A rule: events, and the line that says them.
#[derive(Clone, Debug)]
pub struct Rule {
    /// The events.
    pub clauses: Vec<RuleClause>,
    /// The line as it is written.
    pub pattern: Pattern,
}

/// Settings of a rule set.
#[derive(Clone, Debug, Default)]
pub struct RuleOptions {
    /// Finds the node in the name of a file.
    pub file: Option<Regex>,
    /// Whether one observer wrote all lines.
    pub observed: Option<bool>,
    /// Whether messages keep their order.
    pub fifo: Option<bool>,
    /// Whether every message has its lines.
    pub complete: Option<bool>,
    /// Every clock is within this many seconds of true time.
    pub skew: Option<f64>,
    /// Seconds in one unit of the times in the lines.
    pub unit: Option<f64>,
    /// The algorithm.
    pub algorithm: Option<String>,
    /// Other names of nodes.
    pub aliases: Vec<(String, String)>,
}

/// A rule set: the first rule that matches a line wins.
#[derive(Clone, Debug, Default)]
pub struct RuleSet {
    /// The rules, in order.
    pub rules: Vec<Rule>,
    /// Its settings.
    pub options: RuleOptions,
    /// The settings as they were written.
    written: Vec<String>,
}

/// The most rules of a set.
const MOST_RULES: usize = 1_000;
/// The longest rule.
const LONGEST_RULE: usize = 4_000;
/// Fields that a clause may set.
const FIELDS: [&str; 16] = [
    "node", "to", "from", "client", "kind", "id", "lock", "thread", "stamp", "lamport", "vector", "time", "ttl",
    "token", "mode", "text",
];

impl RuleSet {
    /// Reads a rule set; every problem names its line.
    pub fn parse(text: &str) -> Result<RuleSet, Vec<String>> {
        let mut set = RuleSet::default();
        let mut problems = Vec::new();
        let text = text.strip_prefix('\u{feff}').unwrap_or(text);
        for (number, line) in text.lines().enumerate() {
            let line = without_comment(line);
            if !line.is_empty()
                && let Err(why) = set.add(line)
            {
                problems.push(format!("line {}: {why}.", number + 1));
            }
        }
        if problems.is_empty() && set.rules.is_empty() {
            problems.push("The rules are empty; expected lines such as `enter: {node} enters`.".to_owned());
        }
        if problems.is_empty() { Ok(set) } else { Err(problems) }
    }

    /// Adds one line of a rule set: a rule or an option.
    pub fn add(&mut self, line: &str) -> Result<(), String> {
        if line.len() > LONGEST_RULE || self.rules.len() >= MOST_RULES {
            return Err(format!("too much; expected at most {MOST_RULES} rules of {LONGEST_RULE} bytes"));
        }
        if let Some(option) = line.strip_prefix("option ") {
            self.set(option.trim())?;
            self.written.push(option.trim().to_owned());
            return Ok(());
        }
        self.rules.push(Rule::parse(line)?);
        Ok(())
    }

    fn set(&mut self, option: &str) -> Result<(), String> {
        let options = &mut self.options;
        let (name, value) = option
            .strip_prefix("alias ")
            .unwrap_or(option)
            .split_once('=')
            .ok_or_else(|| format!("option {option}: no value; expected name=value"))?;
        let (name, value) = (name.trim(), value.trim());
        if option.starts_with("alias ") {
            options.aliases.push((name.to_owned(), value.to_owned()));
            return Ok(());
        }
        let number = || match value.parse::<f64>() {
            Ok(number) if number.is_finite() && number >= 0.0 => Ok(number),
            _ => Err(format!("{name}: `{value}` is not allowed; expected a number of seconds")),
        };
        let truth = || match value {
            "true" => Ok(true),
            "false" => Ok(false),
            _ => Err(format!("{name}: `{value}` is not allowed; expected true or false")),
        };
        match name {
            "file" => options.file = Some(regex(value)?),
            "order" if value == "observed" => options.observed = Some(true),
            "order" => return Err(format!("order: `{value}` is not allowed; expected observed")),
            "skew" => options.skew = Some(number()?),
            "unit" => options.unit = Some(number()?),
            "fifo" => options.fifo = Some(truth()?),
            "complete" => options.complete = Some(truth()?),
            "algorithm" => options.algorithm = Some(value.to_owned()),
            name => {
                return Err(format!(
                    "option {name}: not known; expected file, order, skew, unit, fifo, complete, algorithm or alias"
                ));
            }
        }
        Ok(())
    }
}

impl fmt::Display for RuleSet {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.rules.iter().try_for_each(|rule| writeln!(f, "{rule}"))?;
        self.written.iter().try_for_each(|option| writeln!(f, "option {option}"))
    }
}

impl Rule {
    /// Reads `events: line`.
    pub fn parse(line: &str) -> Result<Rule, String> {
        let (events, pattern) = line
            .split_once(':')
            .ok_or_else(|| format!("`{line}` is not a rule; expected events, a colon and a line"))?;
        let clauses =
            events.split(',').map(|clause| RuleClause::parse(clause.trim())).collect::<Result<Vec<_>, _>>()?;
        let rule = Rule { clauses, pattern: Pattern::new(pattern)? };
        for (_, value) in rule.clauses.iter().flat_map(|clause| &clause.fields) {
            if let ClauseValue::Group(name) = value
                && !rule.pattern.groups().any(|group| group == name)
            {
                return Err(format!("`{{{name}}}` does not stand in the line; expected it there"));
            }
        }
        for clause in &rule.clauses {
            let to = clause.field("to").is_some() || rule.pattern.groups().any(|group| group == "to");
            if clause.verb == RuleVerb::Event(EventKind::Send) && !to {
                return Err(
                    "send: no receiver; expected {to} in the line, or `to *` or `to NAME` after send".to_owned()
                );
            }
            if clause.verb == RuleVerb::Defer && !to {
                return Err("defer: nobody to answer; expected {to} in the line".to_owned());
            }
        }
        Ok(rule)
    }
}

impl fmt::Display for Rule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (number, clause) in self.clauses.iter().enumerate() {
            write!(f, "{}{clause}", if number > 0 { ", " } else { "" })?;
        }
        write!(f, ": {}", self.pattern.text)
    }
}

impl RuleClause {
    fn parse(text: &str) -> Result<RuleClause, String> {
        let mut words = text.split_whitespace().peekable();
        let name = words.next().unwrap_or_default();
        let verb = RuleVerb::named(name).ok_or_else(|| {
            let names: Vec<&str> = EventKind::ALL.iter().map(|(name, _)| *name).collect();
            format!("`{name}` is not known; expected {}, defer, self, session or ignore", names.join(", "))
        })?;
        let mut clause = RuleClause::new(verb);
        while let Some(word) = words.next() {
            if let Some((field, value)) = word.split_once('=') {
                if !FIELDS.contains(&field) {
                    return Err(format!("{field}: not known; expected {}", FIELDS.join(", ")));
                }
                clause.fields.push((field.to_owned(), ClauseValue::parse(value)));
            } else if matches!(word, "to" | "from") {
                let value = words.next().ok_or_else(|| format!("{word}: nothing follows; expected a node"))?;
                clause.fields.push((word.to_owned(), ClauseValue::parse(value)));
            } else if clause.kind.is_none() {
                clause.kind = Some(word.to_owned());
            } else {
                return Err(format!("`{word}` is not allowed; expected one kind of message after {name}"));
            }
        }
        Ok(clause)
    }
}

impl fmt::Display for RuleClause {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.verb.name())?;
        if let Some(kind) = &self.kind {
            write!(f, " {kind}")?;
        }
        for (field, value) in &self.fields {
            let between = if matches!(field.as_str(), "to" | "from") { ' ' } else { '=' };
            match value {
                ClauseValue::Word(word) => write!(f, " {field}{between}{word}")?,
                ClauseValue::Group(group) => write!(f, " {field}{between}{{{group}}}")?,
            }
        }
        Ok(())
    }
}

impl ClauseValue {
    fn parse(text: &str) -> ClauseValue {
        match text.strip_prefix('{').and_then(|rest| rest.strip_suffix('}')) {
            Some(group) => ClauseValue::Group(group.to_owned()),
            None => ClauseValue::Word(text.to_owned()),
        }
    }
}

/// The line without a comment: `#` at its beginning, or after two blanks.
fn without_comment(line: &str) -> &str {
    let line = line.trim();
    if line.starts_with('#') {
        return "";
    }
    line.split("  #").next().unwrap_or(line).trim_end()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rules_are_read_and_written() {
        let text = "request, send REQUEST to *: {node} | asking everyone, ticket {stamp}\n\
                    enter time={t1}, exit time={t2}: node {node} in {t1} out {t2}\n\
                    grant node=server client={client}: answer {client} granted\n\
                    self: now speaking: {node}\n\
                    option order=observed\n\
                    option alias 1=node-one\n";
        let set = RuleSet::parse(&format!("# a class\n\n{text}ignore: twice   # said twice\n")).unwrap();
        assert_eq!(set.rules.len(), 5);
        assert_eq!(set.options.aliases, [("1".to_owned(), "node-one".to_owned())]);
        let written = set.to_string();
        assert_eq!(RuleSet::parse(&written).unwrap().to_string(), written);
        assert!(written.starts_with(text.lines().next().unwrap()));
    }

    #[test]
    fn bad_rules_name_their_line() {
        for (bad, expected) in [
            ("", "The rules are empty"),
            ("jump: a", "line 1: `jump` is not known; expected request, enter"),
            ("enter a", "line 1: `enter a` is not a rule"),
            ("send X: {node} says", "line 1: send: no receiver"),
            ("enter time={t1}: a {node}", "line 1: `{t1}` does not stand in the line"),
            ("enter: {node} x\noption skew=-1", "line 2: skew: `-1` is not allowed"),
            ("option x=1", "line 1: option x: not known"),
        ] {
            let problems = RuleSet::parse(bad).unwrap_err();
            assert!(problems[0].starts_with(expected), "{problems:?}");
        }
    }
}
