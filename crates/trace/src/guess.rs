//! Guesses what a line says from its words, and writes rules from guesses.

use crate::event::EventKind;
use crate::rules::{RuleSet, RuleVerb};
use crate::shape::{self, LineToken, TokenRole};
use crate::text::{LONGEST_LINE, LogText};

/// What a line seems to say.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Guess {
    /// The event.
    pub kind: Option<EventKind>,
    /// The kind of the message.
    pub message: Option<String>,
    /// The other node.
    pub peer: Option<String>,
    /// The lock.
    pub lock: Option<String>,
}

const RECEIVE: &[&str] = &["receiv", "recv", "rcvd", "hears", "heard"];
const RECEIVE_FROM: &[&str] = &["got", "gets", "arrived", "arrives", "asked", "takes", "took", "accept"];
const SEND: &[&str] =
    &["send", "sent", "pass", "forward", "repl", "tell", "answer", "broadcast", "hands", "multicast", "ask", "deliver"];
const LEAVE: &[&str] =
    &["exit", "leav", "left", "releas", "finish", "done", "outside", "unlock", "ends", "ended", "out"];
const ENTER: &[&str] =
    &["enter", "acquir", "inside", "accessed", "begins", "obtain", "granted", "locked", "in", "got", "has"];
const REQUEST: &[&str] = &["request", "want", "attempt", "ask", "wait", "tries", "trying", "needs"];
const PLACE: &[&str] = &[
    "cs", "critical", "section", "lock", "resource", "token", "mutex", "printer", "baton", "printing", "inside",
    "outside", "region",
];
const KINDS: &[&str] = &[
    "request",
    "reply",
    "ok",
    "release",
    "token",
    "grant",
    "ack",
    "acknowledge",
    "vote",
    "permission",
    "locked",
    "inquire",
    "yield",
    "relinquish",
    "failed",
    "privilege",
    "free",
];

/// Guesses from the words of a line.
pub fn classify(line: &str) -> Option<Guess> {
    let tokens = shape::tokens(line);
    let words: Vec<(usize, String)> =
        tokens.iter().enumerate().filter(|(_, t)| t.is_word).map(|(at, t)| (at, t.text.to_lowercase())).collect();
    let begins = |list: &[&str], word: &str| {
        list.iter().any(|stem| if stem.len() < 4 { word == *stem } else { word.starts_with(stem) })
    };
    let has = |list: &[&str]| words.iter().any(|(_, word)| begins(list, word));
    let peer_after = |marks: &[&str]| peer_after(&tokens, marks);
    let message = words.iter().map(|(_, word)| word.trim_end_matches("ies")).find_map(|word| {
        let kind = KINDS.iter().find(|kind| word == **kind || word.strip_suffix('s') == Some(**kind))?;
        Some((*kind).to_owned())
    });
    let guess = |kind, peer| Some(Guess { kind: Some(kind), message: message.clone(), peer, lock: None });
    let from = peer_after(&["from", "by", "<-"]);
    let to = peer_after(&["to", "->", "→"]);
    if has(RECEIVE) || (has(RECEIVE_FROM) && from.is_some()) {
        return guess(EventKind::Recv, from);
    }
    if has(SEND) && (to.is_some() || has(&["broadcast", "everyone", "others", "all", "multicast"])) {
        return guess(EventKind::Send, to);
    }
    let plain = |kind| Some(Guess { kind: Some(kind), ..Guess::default() });
    let place = has(PLACE);
    match () {
        () if place && has(LEAVE) => plain(EventKind::Exit),
        () if place && has(REQUEST) => plain(EventKind::Request),
        () if place && has(ENTER) => plain(EventKind::Enter),
        () if has(&["exit", "leaves", "leaving", "ends"]) => plain(EventKind::Exit),
        () if has(&["enter", "begins"]) => plain(EventKind::Enter),
        () if has(&["request", "wants", "waiting"]) => plain(EventKind::Request),
        () => None,
    }
}

/// The word after one of these marks that can be a name: it has a digit or is short.
fn peer_after(tokens: &[LineToken<'_>], marks: &[&str]) -> Option<String> {
    peer_at(tokens, marks).map(|at| tokens[at].text.to_owned())
}

fn peer_at(tokens: &[LineToken<'_>], marks: &[&str]) -> Option<usize> {
    let mark = |at: usize| marks.iter().any(|mark| tokens[at].text.eq_ignore_ascii_case(mark));
    let skip = ["node", "process", "site", "peer", "worker", "client", "the"];
    (0..tokens.len()).filter(|at| mark(*at)).find_map(|at| {
        let next = (at + 1..tokens.len())
            .filter(|next| tokens[*next].is_word)
            .find(|next| !skip.iter().any(|word| tokens[*next].text.eq_ignore_ascii_case(word)))?;
        let text = tokens[next].text;
        let name = text.bytes().any(|byte| byte.is_ascii_digit()) || text.chars().count() <= 2;
        (name && !["be", "it", "us", "me"].contains(&text)).then_some(next)
    })
}

/// What a rule set makes of the words of an event.
pub(crate) fn by_rules(set: &RuleSet, text: &str) -> Option<Guess> {
    let lower = text.to_ascii_lowercase();
    let (rule, captures) = set.rules.iter().find_map(|rule| Some((rule, rule.pattern.find(text, &lower)?)))?;
    let clause = rule.clauses.first()?;
    let RuleVerb::Event(kind) = clause.verb else { return Some(Guess::default()) };
    let group = |name: &str| captures.iter().find(|(group, _)| *group == name).map(|(_, value)| (*value).to_owned());
    let peer = group(if kind == EventKind::Send { "to" } else { "from" });
    Some(Guess { kind: Some(kind), message: group("kind").or(clause.kind.clone()), peer, lock: group("lock") })
}

/// A rule that is only a guess, for one shape of line.
#[derive(Clone, Debug)]
pub struct GuessedRule {
    /// The shape, by its position among the shapes.
    pub shape: usize,
    /// The rule as it would be written.
    pub rule: String,
}

/// Guesses a rule for each shape whose words say something. Guesses are shown as guesses.
pub fn guess_rules(files: &[LogText], shapes: &[shape::LineShape]) -> Vec<GuessedRule> {
    let mut found = Vec::new();
    let several = files.len() > 1;
    for (number, known) in shapes.iter().enumerate() {
        let Some(line) = files.get(known.file as usize).map(|file| file.line(known.line as usize - 1)) else {
            continue;
        };
        let Some((roles, events)) = suggest(line, several) else { continue };
        if let Ok(rule) = shape::teach(line, &roles, &events) {
            found.push(GuessedRule { shape: number, rule: rule.to_string() });
        }
    }
    // a longer line says more: it must not be taken by the rule of a shorter one
    found.sort_by_key(|guess| std::cmp::Reverse(guess.rule.len()));
    found
}

/// What a line seems to say: roles of its words, and the events as a rule writes them. `several`: a
/// line need not name its node, because the name of its file may.
pub fn suggest(line: &str, several: bool) -> Option<(Vec<(usize, TokenRole)>, String)> {
    if line.len() > LONGEST_LINE {
        return None; // no rule is tried on it
    }
    let tokens = shape::tokens(line);
    let guess = classify(line)?;
    let kind = guess.kind?;
    let (marks, role): (&[&str], TokenRole) = match kind {
        EventKind::Recv => (&["from", "by", "<-"], TokenRole::From),
        _ => (&["to", "->", "→"], TokenRole::To),
    };
    let peer = peer_at(&tokens, marks).filter(|_| matches!(kind, EventKind::Send | EventKind::Recv));
    let mut roles: Vec<(usize, TokenRole)> = peer.map(|at| (at, role)).into_iter().collect();
    let node = node_at(&tokens, peer);
    if node.is_none() && !several {
        return None;
    }
    roles.extend(node.map(|at| (at, TokenRole::Node)));
    let mut events = kind.name().to_owned();
    if let Some(message) = &guess.message {
        events += &format!(" {}", message.to_uppercase());
    }
    if kind == EventKind::Send && peer.is_none() {
        events += " to *";
    }
    Some((roles, events))
}

/// The word that seems to name the node that speaks: after `node` and the like, or the first name.
fn node_at(tokens: &[LineToken<'_>], peer: Option<usize>) -> Option<usize> {
    let words: Vec<usize> = (0..tokens.len()).filter(|at| tokens[*at].is_word && Some(*at) != peer).collect();
    let title = |at: usize| {
        ["node", "process", "site", "worker", "server", "peer", "philosopher", "proc"]
            .iter()
            .any(|word| tokens[at].text.eq_ignore_ascii_case(word))
    };
    let after_title = words.windows(2).find(|pair| title(pair[0])).map(|pair| pair[1]);
    let digit = |at: &usize| tokens[*at].text.bytes().any(|byte| byte.is_ascii_digit());
    let letter = |at: &usize| tokens[*at].text.chars().any(char::is_alphabetic);
    let named = words.iter().copied().find(|at| digit(at) && letter(at) && !tokens[*at].is_time);
    let number = || words.iter().copied().find(|at| digit(at) && !tokens[*at].is_time);
    after_title.or(named).or_else(number)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_understood() {
        let said = |line: &str| {
            let guess = classify(line)?;
            Some((guess.kind?, guess.message.unwrap_or_default(), guess.peer.unwrap_or_default()))
        };
        let is = |line: &str, kind: EventKind, message: &str, peer: &str| {
            assert_eq!(said(line), Some((kind, message.to_owned(), peer.to_owned())), "{line}");
        };
        is("request CS", EventKind::Request, "", "");
        is("Sending REQUEST to n2", EventKind::Send, "request", "n2");
        is("Received REPLY from node 2", EventKind::Recv, "reply", "2");
        is("enter critical section", EventKind::Enter, "", "");
        is("node 3 releases the lock", EventKind::Exit, "", "");
        is("received bye", EventKind::Recv, "", "");
        is("worker 0 begins its section", EventKind::Enter, "", "");
        is("site b takes the baton from a", EventKind::Recv, "", "a");
        is("Node 4 has acquired the lock", EventKind::Enter, "", "");
        assert_eq!(said("listening on port 5000"), None);
    }
}
