//! The reader of free text: applies a rule set to each line.

use crate::event::{Destinations, EventKind, LogEvent};
use crate::log::{LineStatus, Log, LogFormat};
use crate::native::vector_of;
use crate::pattern::Captures;
use crate::rules::{ClauseValue, Rule, RuleClause, RuleSet, RuleVerb};
use crate::text::{LONGEST_LINE, LogText};
use crate::time;
use hashbrown::HashMap;

/// What is remembered from line to line.
struct Reader<'a> {
    set: &'a RuleSet,
    log: Log,
    /// The run that is read; events of other runs are left out.
    session: usize,
    /// For each node, to whom it owes an answer.
    deferred: HashMap<u32, Vec<u32>>,
    /// The node that speaks, in the file that is read.
    speaker: Option<String>,
    /// The node that the name of the file says.
    of_file: Option<String>,
    /// The run in which the current line stands, and whether it has events.
    run: usize,
    run_has_events: bool,
}

/// Reads free text by rules; of several runs the one with this number, counted from 1.
pub(crate) fn read(files: Vec<LogText>, set: &RuleSet, session: usize, format: LogFormat) -> Log {
    let mut log = Log::new(format, Vec::new());
    log.lines = files.iter().map(|file| vec![LineStatus::Skipped; file.len()]).collect();
    let options = &set.options;
    log.header.observed = options.observed.unwrap_or(false);
    log.header.fifo = options.fifo.unwrap_or(true);
    (log.header.complete, log.header.skew) = (options.complete, options.skew);
    log.header.algorithm = options.algorithm.clone();
    let several = files.len() > 1;
    let (deferred, speaker, of_file) = (HashMap::new(), None, None);
    let mut reader = Reader { set, log, session, deferred, speaker, of_file, run: 1, run_has_events: false };
    for (number, file) in files.iter().enumerate() {
        reader.speaker = None;
        reader.of_file = node_of_file(set, &file.name, several);
        (reader.run, reader.run_has_events) = (1, false);
        for (line, text) in file.lines() {
            reader.line(number as u32, line as u32 + 1, text);
        }
    }
    let mut log = reader.log;
    log.files = files;
    log
}

/// The node that the name of a file says.
fn node_of_file(set: &RuleSet, name: &str, several: bool) -> Option<String> {
    let base = name.rsplit(['/', '\\']).next().unwrap_or(name);
    match &set.options.file {
        Some(regex) => {
            let captures = regex.captures(base)?;
            captures.get(1).or_else(|| captures.get(0)).map(|found| found.as_str().to_owned())
        }
        None => several.then(|| base.split('.').next().unwrap_or(base).to_owned()),
    }
}

impl Reader<'_> {
    fn line(&mut self, file: u32, line: u32, text: &str) {
        if text.trim().is_empty() {
            return;
        }
        let set = self.set;
        let lower = text.to_ascii_lowercase();
        let found = match text.len() <= LONGEST_LINE {
            true => set.rules.iter().find_map(|rule| Some((rule, rule.pattern.find(text, &lower)?))),
            false => None,
        };
        let Some((rule, captures)) = found else {
            if self.run == self.session {
                self.log.lines_not_understood += 1;
            }
            return self.log.mark(file, line, LineStatus::NotUnderstood);
        };
        self.log.mark(file, line, LineStatus::Understood);
        for clause in &rule.clauses {
            match clause.verb {
                RuleVerb::Session => {
                    self.run += usize::from(self.run_has_events);
                    self.run_has_events = false;
                    self.log.sessions = self.log.sessions.max(self.run);
                    self.deferred.clear();
                    continue;
                }
                RuleVerb::Ignore => {
                    self.log.mark(file, line, LineStatus::Skipped);
                    continue;
                }
                RuleVerb::Speaker => {
                    self.speaker = value(clause, &captures, "node").map(str::to_owned);
                    continue;
                }
                RuleVerb::Defer | RuleVerb::Event(_) => self.run_has_events = true,
            }
            if self.run == self.session {
                self.event(rule, clause, &captures, (file, line, text));
            }
        }
    }

    /// The position of a node by the name that the log uses.
    fn node(&mut self, name: &str) -> u32 {
        let alias = self.set.options.aliases.iter().find(|(other, _)| other == name);
        self.log.node(alias.map_or(name, |(_, name)| name))
    }

    fn event(&mut self, rule: &Rule, clause: &RuleClause, captures: &Captures<'_, '_>, at: (u32, u32, &str)) {
        let (file, line, text) = at;
        let name = value(clause, captures, "node").map(str::to_owned);
        let Some(name) = name.or_else(|| self.speaker.clone()).or_else(|| self.of_file.clone()) else {
            let message = "node: no word of the line, no name of the file and no `self` rule says it.";
            return self.log.complain(file, line, message);
        };
        let node = self.node(&name);
        let to = value(clause, captures, "to").map(str::to_owned);
        let kind = match clause.verb {
            RuleVerb::Event(kind) => kind,
            _ => {
                let owed = to.map(|to| self.node(&to));
                let list = self.deferred.entry(node).or_default();
                list.extend(owed.filter(|to| !list.contains(to)));
                return;
            }
        };
        let mut event = LogEvent::new(kind, node, file, line);
        let field = |name| value(clause, captures, name);
        let word = |log: &mut Log, name| field(name).map(|word| log.words.id(word));
        let log = &mut self.log;
        (event.thread, event.id, event.stamp) = (word(log, "thread"), word(log, "id"), word(log, "stamp"));
        (event.lock, event.client) = (word(log, "lock"), word(log, "client"));
        event.message = field("kind").or(clause.kind.as_deref()).map(|kind| log.message_kind(kind));
        event.lamport = field("lamport").and_then(|number| number.parse().ok());
        event.ttl = field("ttl").and_then(|number| number.parse().ok());
        event.token = field("token").and_then(|number| number.parse().ok());
        event.reads = field("mode").is_some_and(|mode| mode.to_ascii_lowercase().starts_with('r'));
        let bound = |name| field(name).and_then(|number| number.parse::<i64>().ok());
        event.range = bound("lo").zip(bound("hi")).filter(|(lo, hi)| lo < hi);
        let unit = self.set.options.unit.unwrap_or(1.0);
        let time = field("time").map_or_else(|| time::find(text), |given| time::parse(given, unit));
        (event.time, event.resolution) = (time.map(|t| t.seconds), time.map_or(0.0, |t| t.resolution));
        if let Some(vector) = field("vector").and_then(vector_of) {
            event.vector = Some(vector.iter().map(|(name, count)| (log.node(name), *count)).collect());
        }
        match kind {
            EventKind::Send => {
                event.to = match to.as_deref() {
                    Some("*") => Destinations::All,
                    Some("deferred") if !rule.pattern.groups().any(|group| group == "to") => {
                        event.owed = true;
                        match self.deferred.remove(&node).unwrap_or_default().as_slice() {
                            [] => return,
                            [one] => Destinations::One(*one),
                            many => Destinations::Many(many.into()),
                        }
                    }
                    Some(name) => Destinations::One(self.node(name)),
                    None => return self.log.complain(file, line, "to: missing; expected a node."),
                };
            }
            EventKind::Recv => {
                let from = field("from").map(str::to_owned);
                event.from = from.map(|name| self.node(&name));
            }
            _ if kind.is_of_server() && event.client.is_none() => {
                let message = format!("client: missing; expected whom the {} concerns.", kind.name());
                return self.log.complain(file, line, message);
            }
            _ => {}
        }
        self.log.events.push(event);
    }
}

/// The value of a field: what the clause says, else the group of this name.
fn value<'a>(clause: &'a RuleClause, captures: &Captures<'_, 'a>, name: &str) -> Option<&'a str> {
    let group = |name: &str| captures.iter().find(|(group, _)| *group == name).map(|(_, value)| *value);
    match clause.field(name) {
        Some(ClauseValue::Word(word)) => Some(word),
        Some(ClauseValue::Group(other)) => group(other),
        None => group(name),
    }
}
