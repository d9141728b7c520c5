//! Lines that a log lacks, as they would be printed: native lines, or lines in the log's own words,
//! each with the statement that prints it in six languages.

use crate::event::{Destinations, EventKind, LogEvent, WordId};
use crate::log::{Log, LogFormat};
use crate::shape::tokens;
use hashbrown::HashMap;

/// A part of a line to print.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum LinePart {
    /// The same in every line.
    Fixed(String),
    /// A variable of the program, with its value in this line, if that is known.
    Variable(&'static str, Option<String>),
}

impl LinePart {
    /// As it stands in the line: what is not known is in angle brackets.
    fn shown(&self) -> String {
        match self {
            LinePart::Fixed(text) | LinePart::Variable(_, Some(text)) => text.clone(),
            LinePart::Variable(name, None) => format!("<{name}>"),
        }
    }

    /// As an expression of a program.
    fn expression(&self) -> String {
        match self {
            LinePart::Fixed(text) => quoted(text),
            LinePart::Variable(name, _) => (*name).to_owned(),
        }
    }
}

/// An event that a log lacks.
#[derive(Clone, Debug)]
pub(crate) struct LackedEvent {
    /// What happens.
    pub kind: EventKind,
    /// Where, if that is known.
    pub node: Option<u32>,
    /// The kind of the message, if that is known.
    pub message: Option<WordId>,
    /// Whether the line needs an id, because nothing else tells messages apart.
    pub id: bool,
}

/// A line to print, and the statements that print it.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct PrintedLine {
    /// The line; words in angle brackets are to be filled in.
    pub line: String,
    /// Languages and statements.
    pub statements: Vec<(&'static str, String)>,
}

/// Writes lines as a log writes its own.
pub(crate) struct LinePrinter<'a> {
    log: &'a Log,
    /// Whether the log is free text.
    free: bool,
    /// The first line that says nothing but an event of this kind, by message and for any.
    models: HashMap<(EventKind, Option<WordId>), u32>,
    /// The first line of each node.
    of_node: HashMap<u32, u32>,
}

impl<'a> LinePrinter<'a> {
    /// Learns how the lines of a log are written.
    pub fn new(log: &'a Log) -> LinePrinter<'a> {
        let free = matches!(log.format, LogFormat::Rules | LogFormat::Preset | LogFormat::Guessed);
        let (mut models, mut of_node) = (HashMap::new(), HashMap::new());
        let place = |at: usize| log.events.get(at).map(|event| (event.file, event.line));
        for (at, event) in log.events.iter().enumerate().filter(|_| free) {
            of_node.entry(event.node).or_insert(at as u32);
            let alone = place(at) != place(at + 1) && (at == 0 || place(at) != place(at - 1));
            let speaks_of_one = !matches!(event.to, Destinations::Many(_) | Destinations::All);
            if alone && speaks_of_one {
                for message in [event.message, None] {
                    models.entry((event.kind, message)).or_insert(at as u32);
                }
            }
        }
        LinePrinter { log, free, models, of_node }
    }

    /// The line of an event that is missing.
    pub fn print(&self, lacked: &LackedEvent) -> PrintedLine {
        if self.free { own_line(&self.own_words(lacked)) } else { self.native(lacked) }
    }

    /// The line that says how exact the clocks are.
    pub fn skew(&self) -> PrintedLine {
        let line = if self.free { "option skew=<seconds>" } else { r#"{"lockstep":"log","skew":<seconds>}"# };
        PrintedLine { line: line.to_owned(), statements: Vec::new() }
    }

    fn node(&self, lacked: &LackedEvent) -> LinePart {
        LinePart::Variable("node", lacked.node.map(|node| self.log.node_name(node).to_owned()))
    }

    fn message(&self, lacked: &LackedEvent) -> LinePart {
        let known = |kind| LinePart::Fixed(self.log.words.word(kind).to_owned());
        lacked.message.map_or(LinePart::Variable("kind", None), known)
    }

    fn native(&self, lacked: &LackedEvent) -> PrintedLine {
        let mut fields = Vec::new();
        if let Some((key, peer)) = peer(lacked.kind) {
            fields.push((key, peer));
            fields.push(("kind", self.message(lacked)));
        }
        if lacked.id {
            fields.push(("id", LinePart::Variable("id", None)));
        }
        let (node, event) = (self.node(lacked), lacked.kind.name());
        let pairs = fields.iter().map(|(key, part)| format!(",\"{key}\":{}", quoted(&part.shown())));
        let line = format!("{{\"node\":{},\"event\":\"{event}\"{}}}", quoted(&node.shown()), pairs.collect::<String>());
        let list = |one: &dyn Fn(&str, &LinePart) -> String| -> String {
            fields.iter().map(|(key, part)| one(key, part)).collect::<Vec<_>>().join(", ")
        };
        let some = |text: String| if fields.is_empty() { String::new() } else { text };
        let go = list(&|key, part| format!("\"{key}\": {}", part.expression()));
        let go = if fields.is_empty() { "nil".to_owned() } else { format!("Fields{{{go}}}") };
        // `from` is a word of the language
        let python = list(&|key, part| format!("{}={}", if key == "from" { "sender" } else { key }, part.expression()));
        let java = list(&|key, part| format!("\"{key}\", {}", part.expression()));
        let cpp = list(&|key, part| format!("{{\"{key}\", {}}}", part.expression()));
        let rust = list(&|key, part| format!("(\"{key}\", {})", part.expression()));
        let script = list(&|key, part| format!("{key}: {}", part.expression()));
        let statements = vec![
            ("Go", format!("Log(node, \"{event}\", {go})")),
            ("Java", format!("LockstepLog.log(node, \"{event}\"{});", some(format!(", {java}")))),
            ("Python", format!("log(node, \"{event}\"{})", some(format!(", {python}")))),
            ("C++", format!("log_event(node, \"{event}\"{});", some(format!(", {{{cpp}}}")))),
            ("Rust", format!("log(node, \"{event}\", &[{rust}]);")),
            ("TypeScript", format!("log(node, \"{event}\"{});", some(format!(", {{ {script} }}")))),
        ];
        PrintedLine { line, statements }
    }

    /// The line in the words of the log: like one that says the same of another message, else the
    /// node as it is written there, and plain words.
    fn own_words(&self, lacked: &LackedEvent) -> Vec<LinePart> {
        let same = self.models.get(&(lacked.kind, lacked.message)).map(|at| (*at, true));
        let model = same.or_else(|| self.models.get(&(lacked.kind, None)).map(|at| (*at, false)));
        let like = model.and_then(|(model, same)| self.like(lacked, &self.log.events[model as usize], same));
        let mut parts = like.unwrap_or_else(|| self.plain(lacked));
        for (word, (name, needed)) in [
            ("from", ("sender", lacked.kind == EventKind::Recv)),
            ("to", ("receiver", lacked.kind == EventKind::Send)),
            ("id", ("id", lacked.id)),
        ] {
            let said = parts.iter().any(|part| matches!(part, LinePart::Variable(said, _) if *said == name));
            if needed && !said {
                parts.extend([LinePart::Fixed(format!(" {word} ")), LinePart::Variable(name, None)]);
            }
        }
        parts
    }

    /// A line of the log with other names; none if it would speak of another kind of message.
    fn like(&self, lacked: &LackedEvent, model: &LogEvent, same: bool) -> Option<Vec<LinePart>> {
        let name = |node: u32| self.log.node_name(node);
        let word = |id: Option<WordId>| id.map(|id| self.log.words.word(id));
        let to = if let Destinations::One(to) = model.to { Some(name(to)) } else { None };
        let (mut parts, mut says_kind) = (Vec::new(), false);
        for token in untimed(self.log.text(model)) {
            let is = |other: Option<&str>| other.is_some_and(|other| other.eq_ignore_ascii_case(token));
            parts.push(match () {
                () if is(Some(name(model.node))) => self.node(lacked),
                () if is(model.from.map(name)) => LinePart::Variable("sender", None),
                () if is(to) => LinePart::Variable("receiver", None),
                () if is(word(model.message)) => {
                    says_kind = true;
                    if same { LinePart::Fixed(token.to_owned()) } else { self.message(lacked) }
                }
                () if is(word(model.stamp)) => LinePart::Variable("stamp", None),
                () if is(word(model.id)) => LinePart::Variable("id", None),
                () => LinePart::Fixed(token.to_owned()),
            });
        }
        let fits = same || says_kind || !matches!(lacked.kind, EventKind::Send | EventKind::Recv);
        fits.then_some(parts)
    }

    fn plain(&self, lacked: &LackedEvent) -> Vec<LinePart> {
        let any = lacked.node.and_then(|node| self.of_node.get(&node)).or_else(|| self.of_node.values().min());
        let mut parts = Vec::new();
        if let Some(event) = any.map(|at| &self.log.events[*at as usize]) {
            let tokens = untimed(self.log.text(event));
            let name = self.log.node_name(event.node);
            if let Some(at) = tokens.iter().position(|token| *token == name) {
                parts.extend(tokens[..at].iter().map(|token| LinePart::Fixed((*token).to_owned())));
                parts.push(self.node(lacked));
                let marks = tokens[at + 1..].iter().take_while(|token| matches!(**token, "]" | ")" | ":" | "|"));
                parts.extend(marks.map(|mark| LinePart::Fixed((*mark).to_owned())));
            }
        }
        let verb = match lacked.kind {
            EventKind::Recv => " received ",
            EventKind::Send => " sends ",
            _ => " leaves the critical section",
        };
        parts.push(LinePart::Fixed(if parts.is_empty() { verb.trim_start() } else { verb }.to_owned()));
        if peer(lacked.kind).is_some() {
            parts.push(self.message(lacked));
        }
        parts
    }
}

/// The other end of a message: its key in native lines, and its variable.
fn peer(kind: EventKind) -> Option<(&'static str, LinePart)> {
    match kind {
        EventKind::Send => Some(("to", LinePart::Variable("receiver", None))),
        EventKind::Recv => Some(("from", LinePart::Variable("sender", None))),
        _ => None,
    }
}

/// The pieces of a line after its date and time.
fn untimed(line: &str) -> Vec<&str> {
    let tokens = tokens(line);
    let first = tokens.iter().rposition(|token| token.is_time).map_or(0, |last| last + 1);
    let rest = tokens[first..].iter().map(|token| token.text);
    rest.skip_while(|text| text.trim().is_empty()).collect()
}

/// A text in quotation marks.
fn quoted(text: &str) -> String {
    serde_json::Value::from(text).to_string()
}

/// A line in the log's own words, with the statements that print it.
fn own_line(parts: &[LinePart]) -> PrintedLine {
    let line = parts.iter().map(LinePart::shown).collect();
    // strings side by side become one
    let mut merged: Vec<LinePart> = Vec::new();
    for part in parts {
        match (merged.last_mut(), part) {
            (Some(LinePart::Fixed(before)), LinePart::Fixed(text)) => before.push_str(text),
            _ => merged.push(part.clone()),
        }
    }
    let fill = |fixed: &dyn Fn(&str) -> String, variable: &dyn Fn(&str) -> String| -> String {
        let each = |part: &LinePart| match part {
            LinePart::Fixed(text) => fixed(quoted(text).trim_matches('"')),
            LinePart::Variable(name, _) => variable(name),
        };
        merged.iter().map(each).collect()
    };
    let names = merged.iter().filter_map(|part| match part {
        LinePart::Variable(name, _) => Some(format!(", {name}")),
        LinePart::Fixed(_) => None,
    });
    let braces = |text: &str| text.replace('{', "{{").replace('}', "}}");
    let in_braces = fill(&braces, &|name| format!("{{{name}}}"));
    let script = fill(&|text| text.replace("\\\"", "\"").replace('`', "\\`").replace("${", "\\${"), &|name| {
        format!("${{{name}}}")
    });
    let joined = |by: &str| merged.iter().map(LinePart::expression).collect::<Vec<_>>().join(by);
    let printf = fill(&|text| text.replace('%', "%%"), &|_| "%s".to_owned());
    let statements = vec![
        ("Go", format!("log.Printf(\"{printf}\"{})", names.collect::<String>())),
        ("Java", format!("System.out.println({});", joined(" + "))),
        ("Python", format!("print(f\"{in_braces}\", flush=True)")),
        ("C++", format!("std::cout << {} << std::endl;", joined(" << "))),
        ("Rust", format!("println!(\"{in_braces}\");")),
        ("TypeScript", format!("console.log(`{script}`);")),
    ];
    PrintedLine { line, statements }
}
