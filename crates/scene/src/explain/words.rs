//! Words of pictures: times, names, lists, and a state in full sentences.

use crate::explain::trouble;
use lockstep_kernel::ids::units;
use lockstep_kernel::view::{InvariantStatus, ThreadState};
use lockstep_kernel::{Frame, NodeId, Setup, Time, Waiter};

/// Formats a time with two decimals, or three where two would be too few.
pub fn time(ticks: Time) -> String {
    let units = units(ticks);
    if units != 0.0 && units < 0.1 { format!("{units:.3}") } else { format!("{units:.2}") }
}

/// Says when something is due, relative to `now`.
pub fn due(due: Time, now: Time) -> String {
    if due <= now { "due now".into() } else { format!("due in {}", time(due - now)) }
}

/// Formats a queue entry: a thread as `p1.2`, an alien of p2 as `A:p2`, a remote request of p3 as
/// `R:p3`.
pub fn waiter(setup: &Setup, waiter: &Waiter) -> String {
    match waiter {
        Waiter::User(t) => setup.thread_name(*t),
        Waiter::Alien(n) => format!("A:{}", setup.name(*n)),
        Waiter::Remote(n) => format!("R:{}", setup.name(*n)),
    }
}

/// Lists names: "p1.1, p1.2 and p3.1".
pub fn list(names: &[String]) -> String {
    match names {
        [] => String::new(),
        [one] => one.clone(),
        [most @ .., last] => format!("{} and {last}", most.join(", ")),
    }
}

/// The names of the threads in a state, in the order of the nodes.
pub fn threads_in(frame: &Frame, what: ThreadState) -> Vec<String> {
    frame.nodes.iter().flat_map(|n| &n.threads).filter(|t| t.doing == what).map(|t| t.name.clone()).collect()
}

/// Says where the token is; `None` for algorithms without one.
pub fn token(frame: &Frame, name: impl Fn(NodeId) -> String) -> Option<String> {
    if !trouble::has_token(frame) {
        return None;
    }
    let holders = || frame.nodes.iter().filter(|n| n.view.token);
    let held: Vec<String> = holders().filter(|n| !n.crashed).map(|n| n.name.clone()).collect();
    if !held.is_empty() {
        return Some(list(&held));
    }
    if let Some(moving) = frame.flights.iter().find(|f| f.role == lockstep_kernel::Role::Token) {
        return Some(format!("in flight to {}", name(moving.to)));
    }
    // a node forgets what it holds when it crashes
    if let Some(down) = holders().next() {
        return Some(format!("lost: {} is down", down.name));
    }
    let lost = |i: &InvariantStatus| i.name == "one token" && i.broken.is_some();
    frame.invariants.iter().any(lost).then(|| "lost".into())
}

/// With more nodes or messages than this, a description only counts them.
const MANY: usize = 64;

/// Describes the whole picture, for readers who cannot see it.
pub fn describe(frame: &Frame, setup: &Setup) -> String {
    let mut said = Vec::new();
    let inside = threads_in(frame, ThreadState::Inside);
    said.push(match inside.len() {
        0 => "No thread is in the critical section.".into(),
        1 => format!("{} is in the critical section.", inside[0]),
        _ => format!("{} are in the critical section.", list(&inside)),
    });
    if let Some(token) = token(frame, |n| setup.name(n).into()) {
        said.push(if token.starts_with("in ") || token.starts_with("lost") {
            format!("The token is {token}.")
        } else {
            format!("The token is at {token}.")
        });
    }
    if !trouble::inside_together(frame).is_empty() {
        said.push("Mutual exclusion is violated.".into());
    }
    if let Some(stuck) = trouble::stuck(frame) {
        said.push(format!("Cannot be served: {stuck}."));
    }
    if frame.nodes.len() > MANY {
        let waiting = frame.nodes.iter().flat_map(|n| &n.threads).filter(|t| t.doing == ThreadState::Waiting).count();
        let waits = if waiting == 1 { "waits" } else { "wait" };
        said.push(format!("{} {waits}; {}.", count(waiting, "thread"), in_flight(frame)));
        return said.join(" ");
    }
    for node in &frame.nodes {
        if node.crashed {
            said.push(format!("{} is down.", node.name));
        }
        if !node.view.queue.is_empty() && !node.crashed {
            let waiting: Vec<String> = (node.view.queue.iter())
                .map(|w| match w {
                    Waiter::User(t) => setup.thread_name(*t),
                    Waiter::Alien(n) => format!("the alien thread of {}", setup.name(*n)),
                    Waiter::Remote(n) => format!("a request from {}", setup.name(*n)),
                })
                .collect();
            said.push(format!("In the queue of {}: {}.", node.name, list(&waiting)));
        }
    }
    if frame.flights.len() > MANY {
        said.push(format!("{}.", in_flight(frame)));
        return said.join(" ");
    }
    for f in &frame.flights {
        said.push(format!("{} is in flight from {} to {}.", f.label, setup.name(f.from), setup.name(f.to)));
    }
    said.join(" ")
}

/// Counts things: "1 entry", "2 entries".
pub fn count(number: usize, thing: &str) -> String {
    match (number, thing.strip_suffix('y')) {
        (1, _) => format!("1 {thing}"),
        (_, Some(stem)) => format!("{number} {stem}ies"),
        _ => format!("{number} {thing}s"),
    }
}

fn in_flight(frame: &Frame) -> String {
    let are = if frame.flights.len() == 1 { "is" } else { "are" };
    format!("{} {are} in flight", count(frame.flights.len(), "message"))
}

/// Truncates a text to `most` letters.
pub fn cut(text: &str, most: usize) -> String {
    if text.chars().count() <= most {
        return text.into();
    }
    text.chars().take(most.saturating_sub(1)).chain(['…']).collect()
}

/// Estimates the width of a text from above: as in DejaVu Sans, the widest of the page's fonts.
pub fn width(text: &str, size: f64) -> f64 {
    let letter = |c: char| match c {
        'i' | 'j' | 'l' | '.' | ',' | ':' | ';' | '\'' | '|' | ' ' => 0.33,
        'f' | 'r' | 't' | 'I' | '(' | ')' | '[' | ']' | '-' => 0.4,
        'm' | 'w' | 'M' | 'W' | '@' | '…' => 0.96,
        '+' => 0.84,
        c if c.is_uppercase() => 0.7,
        _ => 0.62,
    };
    text.chars().map(letter).sum::<f64>() * size
}

/// Estimates the width of a text in bold letters.
pub fn bold_width(text: &str, size: f64) -> f64 {
    width(text, size) * 1.11
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn plurals_are_right() {
        assert_eq!(["entry", "message"].map(|thing| count(1, thing)), ["1 entry", "1 message"]);
        assert_eq!(["entry", "message"].map(|thing| count(2, thing)), ["2 entries", "2 messages"]);
    }

    #[test]
    fn times_are_short() {
        assert_eq!(time(0), "0.00");
        assert_eq!(time(214_000_000), "0.21");
        assert_eq!(time(3_400_000), "0.003");
        assert_eq!(due(5, 5), "due now");
        assert_eq!(due(530_000_000, 30_000_000), "due in 0.50");
    }

    #[test]
    fn names_are_listed() {
        let names = |n: usize| (1..=n).map(|i| format!("p{i}")).collect::<Vec<_>>();
        assert_eq!(list(&names(0)), "");
        assert_eq!(list(&names(1)), "p1");
        assert_eq!(list(&names(3)), "p1, p2 and p3");
    }
}
