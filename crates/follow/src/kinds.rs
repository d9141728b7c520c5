//! Kinds of messages: what other implementations call them.

use lockstep_kernel::erased::DynMsg;
use lockstep_kernel::{Message, Role, Setup};

/// How well a kind in a log fits a message of the algorithm.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Fit {
    /// Not at all.
    No,
    /// By its family.
    Family,
    /// By its name.
    Name,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Family {
    Request,
    Reply,
    Release,
    Token,
}

const FAMILIES: &[(Family, &[&str])] = &[
    (Family::Request, &["request", "req", "ask", "acquire", "try", "want", "lock"]),
    (
        Family::Reply,
        &[
            "reply",
            "ok",
            "ack",
            "acknowledge",
            "grant",
            "granted",
            "locked",
            "vote",
            "permission",
            "answer",
            "reply-ok",
        ],
    ),
    (Family::Release, &["release", "rel", "free", "unlock", "done", "exit", "released"]),
    (Family::Token, &["token", "privilege", "baton", "grant", "pass"]),
];

fn families(word: &str) -> impl Iterator<Item = Family> + '_ {
    FAMILIES.iter().filter(move |(_, words)| words.contains(&word)).map(|(family, _)| *family)
}

/// Whether a kind is some word for a request.
pub fn is_request(kind: &str) -> bool {
    families(kind).any(|family| family == Family::Request)
}

/// The name of a message in logs: the first word of its label, in lower case.
pub fn name_of(label: &str) -> String {
    let word: String = label.chars().take_while(|c| c.is_alphanumeric() || matches!(c, '-' | '_')).collect();
    word.to_lowercase()
}

/// How well a kind of a log fits a message; a log without kinds fits every message.
pub fn fit(kind: Option<&str>, msg: &DynMsg, setup: &Setup) -> Fit {
    let Some(kind) = kind else { return Fit::Family };
    let name = name_of(&msg.label(setup));
    if name == kind {
        return Fit::Name;
    }
    let role = match msg.role() {
        Role::Request => Some(Family::Request),
        Role::Token => Some(Family::Token),
        Role::Reply => Some(Family::Reply),
        Role::Local => None,
    };
    let known: Vec<Family> = families(&name).collect();
    // a name that says what the message is counts more than its role in drawings
    let same = |family: Family| {
        if known.is_empty() {
            role == Some(family)
        } else {
            known.contains(&family) || (role == Some(Family::Token) && family == Family::Token)
        }
    };
    if families(kind).any(same) { Fit::Family } else { Fit::No }
}
