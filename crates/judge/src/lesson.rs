//! Teaching a rule: the reader chooses words of a line and says what the line means.

use crate::view::ShapeRow;
use lockstep_trace::RuleSet;
use lockstep_trace::rules::{Rule, RuleVerb};
use lockstep_trace::shape::{TokenRole, teach, tokens};

/// What a line can mean, in the order in which the page offers it, with a few words about it.
pub const MEANINGS: [(&str, &str); 18] = [
    ("request", "starts to wait for the lock"),
    ("enter", "enters the critical section"),
    ("exit", "leaves the critical section"),
    ("send", "sends a message"),
    ("recv", "receives a message"),
    ("defer", "puts an answer off"),
    ("cancel", "gives its request up"),
    ("crash", "stops"),
    ("recover", "begins again"),
    ("asked", "a lock server is asked by a client"),
    ("grant", "a lock server grants"),
    ("deny", "a lock server refuses"),
    ("released", "a lock server takes the lock back"),
    ("expire", "a lease ends"),
    ("self", "says who speaks in the lines that follow"),
    ("session", "a new run begins"),
    ("note", "something else that happens at a node"),
    ("ignore", "says nothing new"),
];

/// Kinds of messages that the page offers.
pub const MESSAGE_KINDS: [&str; 6] = ["REQUEST", "REPLY", "RELEASE", "TOKEN", "GRANT", "ACK"];

/// What a role is called, and a few words about it.
pub fn role_words(role: TokenRole) -> (&'static str, &'static str) {
    match role {
        TokenRole::Node => ("node", "the node that speaks"),
        TokenRole::From => ("from", "the sender of the message"),
        TokenRole::To => ("to", "the receiver of the message"),
        TokenRole::Client => ("client", "whom the lock server speaks of"),
        TokenRole::Kind => ("kind", "the kind of the message"),
        TokenRole::Id => ("id", "the id of the message"),
        TokenRole::Stamp => ("stamp", "the time stamp that travels with the message"),
        TokenRole::Lamport => ("lamport", "the Lamport clock of the node"),
        TokenRole::Lock => ("lock", "which lock"),
        TokenRole::Thread => ("thread", "the thread of the node"),
        TokenRole::Mode => ("mode", "read or write"),
        TokenRole::Lo => ("first cell", "the first cell of a range"),
        TokenRole::Hi => ("after last cell", "the cell after the last one of a range"),
        TokenRole::Time => ("time", "when it happened"),
        TokenRole::Entered => ("entered at", "when the section was entered, where one line says both"),
        TokenRole::Left => ("left at", "when it was left"),
        TokenRole::Ttl => ("lease", "for how long a lock server grants"),
        TokenRole::Token => ("fencing token", "the number of the grant"),
        TokenRole::Vector => ("vector clock", "the vector clock of the node"),
        TokenRole::Anything => ("anything", "differs from line to line and means nothing"),
    }
}

/// To whom a message goes.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Addressee {
    /// A word of the line says it.
    #[default]
    Word,
    /// Everybody else.
    Everybody,
    /// Those whose answers were put off.
    Deferred,
}

/// One meaning of a line.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct TaughtEvent {
    /// One of [`MEANINGS`].
    pub verb: String,
    /// The kind of the message.
    pub kind: String,
    /// To whom it goes.
    pub to: Addressee,
}

impl TaughtEvent {
    fn text(&self, roles: &[(usize, TokenRole)]) -> String {
        let mut text = self.verb.clone();
        if matches!(self.verb.as_str(), "send" | "recv") && !self.kind.is_empty() {
            text += &format!(" {}", self.kind);
        }
        match self.to {
            _ if self.verb != "send" => {}
            Addressee::Word => {}
            Addressee::Everybody => text += " to *",
            Addressee::Deferred => text += " to deferred",
        }
        let has = |wanted: TokenRole| roles.iter().any(|(_, role)| *role == wanted);
        match self.verb.as_str() {
            "enter" if has(TokenRole::Entered) => text += " time={t1}",
            "exit" if has(TokenRole::Left) => text += " time={t2}",
            _ => {}
        }
        text
    }

    /// Reads `send REQUEST to *`.
    fn read(text: &str) -> Option<TaughtEvent> {
        let mut words = text.split_whitespace();
        let verb = words.next()?.to_owned();
        RuleVerb::named(&verb)?;
        let rest: Vec<&str> = words.collect();
        let (kind, to) = match rest.as_slice() {
            [] => ("", ""),
            ["to", to] => ("", *to),
            [kind] => (*kind, ""),
            [kind, "to", to] => (*kind, *to),
            _ => return None,
        };
        let to = match to {
            "" => Addressee::Word,
            "*" => Addressee::Everybody,
            "deferred" => Addressee::Deferred,
            _ => return None,
        };
        Some(TaughtEvent { verb, kind: kind.to_owned(), to })
    }
}

/// A word of the line of a lesson.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct LessonWord {
    /// The text.
    pub text: String,
    /// Whether it can be chosen.
    pub choosable: bool,
    /// What it means.
    pub role: Option<&'static str>,
}

/// A line of one shape, and what the reader says about it.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Lesson {
    /// The shape, by its position.
    pub shape: usize,
    /// The line.
    pub line: String,
    /// Roles of words, by their position.
    pub roles: Vec<(usize, TokenRole)>,
    /// The word that a role is chosen for.
    pub word: Option<usize>,
    /// What the line means.
    pub events: Vec<TaughtEvent>,
}

impl Lesson {
    /// A lesson about a shape; it begins with the guess, if there is one.
    pub fn of(shape: usize, row: &ShapeRow) -> Lesson {
        let role = |name: &str| TokenRole::ALL.iter().find(|(known, _)| *known == name).map(|(_, role)| *role);
        Lesson {
            shape,
            line: row.line.clone(),
            roles: row.roles.iter().filter_map(|(at, name)| Some((*at, role(name)?))).collect(),
            word: None,
            events: row.events.split(", ").filter_map(TaughtEvent::read).collect(),
        }
    }

    /// The words of the line.
    pub fn words(&self) -> Vec<LessonWord> {
        let role = |at: usize| self.roles.iter().find(|(word, _)| *word == at).map(|(_, role)| role_words(*role).0);
        let word = |(at, token): (usize, &lockstep_trace::shape::LineToken<'_>)| LessonWord {
            text: token.text.to_owned(),
            choosable: token.is_word && !token.is_time,
            role: role(at),
        };
        tokens(&self.line).iter().enumerate().map(word).collect()
    }

    /// Chooses a word, or lets it go.
    pub fn choose(&mut self, word: usize) {
        self.word = (self.word != Some(word)).then_some(word);
    }

    /// Gives the chosen word a role, or takes it away. A role other than `*` has one word.
    pub fn role(&mut self, role: Option<TokenRole>) {
        let Some(word) = self.word.take() else { return };
        self.roles.retain(|(at, other)| *at != word && (Some(*other) != role || *other == TokenRole::Anything));
        self.roles.extend(role.map(|role| (word, role)));
        self.roles.sort_by_key(|(at, _)| *at);
    }

    /// Adds a meaning, or takes it away.
    pub fn toggle(&mut self, verb: &str) {
        match self.events.iter().position(|event| event.verb == verb) {
            Some(at) => drop(self.events.remove(at)),
            None => self.events.push(TaughtEvent { verb: verb.to_owned(), ..TaughtEvent::default() }),
        }
    }

    /// Sets the kind of the message.
    pub fn kind(&mut self, kind: &str) {
        let messages = self.events.iter_mut().filter(|event| matches!(event.verb.as_str(), "send" | "recv"));
        messages.for_each(|event| event.kind = if event.kind == kind { String::new() } else { kind.to_owned() });
    }

    /// Sets to whom the message goes.
    pub fn to(&mut self, to: Addressee) {
        self.events.iter_mut().filter(|event| event.verb == "send").for_each(|event| event.to = to);
    }

    /// The rule, or what is missing.
    pub fn rule(&self) -> Result<Rule, String> {
        if self.events.is_empty() {
            return Err("Choose what the line means.".to_owned());
        }
        let events: Vec<String> = self.events.iter().map(|event| event.text(&self.roles)).collect();
        teach(&self.line, &self.roles, &events.join(", "))
    }
}

/// The rules with a lesson in them: the rule that matched its line is replaced. A longer rule says
/// more, so it comes first.
pub fn with_rule(rules: &str, line: &str, rule: Option<&Rule>) -> String {
    let set = RuleSet::parse(rules).unwrap_or_default();
    let lower = line.to_ascii_lowercase();
    let replaced = set.rules.iter().position(|known| known.pattern.find(line, &lower).is_some());
    let mut list: Vec<String> = set.rules.iter().map(ToString::to_string).collect();
    if let Some(at) = replaced {
        list.remove(at);
    }
    if let Some(rule) = rule {
        let rule = rule.to_string();
        let length = |text: &str| text.split_once(':').map_or(0, |(_, pattern)| pattern.len());
        let at = list.iter().position(|other| length(other) < length(&rule)).unwrap_or(list.len());
        list.insert(at, rule);
    }
    let options: Vec<&str> = rules.lines().map(str::trim).filter(|line| line.starts_with("option ")).collect();
    let lines: Vec<&str> = list.iter().map(String::as_str).chain(options).collect();
    lines.iter().map(|line| format!("{line}\n")).collect()
}
