//! The few words that pictures need.

use lockstep_kernel::ids::units;
use lockstep_kernel::view::ThreadState;
use lockstep_kernel::{Frame, NodeId, Setup, Time, Waiter};

/// A time for people: two decimals, three where two would say nothing.
pub fn time(ticks: Time) -> String {
    let units = units(ticks);
    if units != 0.0 && units < 0.1 { format!("{units:.3}") } else { format!("{units:.2}") }
}

/// When something is due, seen from now.
pub fn due(due: Time, now: Time) -> String {
    if due <= now { "due now".into() } else { format!("due in {}", time(due - now)) }
}

/// A queue entry as scripts write it: `p1.2`, `A:p2`, `R:p3`.
pub fn waiter(setup: &Setup, waiter: &Waiter) -> String {
    match waiter {
        Waiter::User(t) => setup.thread_name(*t),
        Waiter::Alien(n) => format!("A:{}", setup.name(*n)),
        Waiter::Remote(n) => format!("R:{}", setup.name(*n)),
    }
}

/// Names in a row: "p1.1, p1.2 and p3.1".
pub fn list(names: &[String]) -> String {
    match names {
        [] => String::new(),
        [one] => one.clone(),
        [most @ .., last] => format!("{} and {last}", most.join(", ")),
    }
}

/// The threads that do something, by name, in the order of the nodes.
pub fn doing(frame: &Frame, what: ThreadState) -> Vec<String> {
    frame.nodes.iter().flat_map(|n| &n.threads).filter(|t| t.doing == what).map(|t| t.name.clone()).collect()
}

/// Where the token is, in words; nothing for algorithms without one.
pub fn token(frame: &Frame, name: impl Fn(NodeId) -> String) -> Option<String> {
    let held: Vec<String> = frame.nodes.iter().filter(|n| n.view.token).map(|n| n.name.clone()).collect();
    if !held.is_empty() {
        return Some(list(&held));
    }
    let moving = frame.flights.iter().find(|f| f.role == lockstep_kernel::Role::Token)?;
    Some(format!("on its way to {}", name(moving.to)))
}

/// Of more nodes than this nobody wants to hear each one's queue.
const MANY: usize = 64;

/// The whole picture in sentences, for those who do not see it.
pub fn describe(frame: &Frame, setup: &Setup) -> String {
    let mut said = Vec::new();
    let inside = doing(frame, ThreadState::Inside);
    said.push(match inside.len() {
        0 => "Nobody is in the critical section.".into(),
        1 => format!("{} is in the critical section.", inside[0]),
        _ => format!("{} are in the critical section.", list(&inside)),
    });
    if let Some(token) = token(frame, |n| setup.name(n).into()) {
        said.push(if token.starts_with("on ") {
            format!("The token is {token}.")
        } else {
            format!("The token is at {token}.")
        });
    }
    if frame.nodes.len() > MANY {
        let waiting = frame.nodes.iter().flat_map(|n| &n.threads).filter(|t| t.doing == ThreadState::Waiting).count();
        said.push(format!("{waiting} threads wait and {} messages travel.", frame.flights.len()));
        return said.join(" ");
    }
    for node in &frame.nodes {
        if node.crashed {
            said.push(format!("{} is down.", node.name));
        }
        if !node.view.queue.is_empty() {
            let waiting: Vec<String> = (node.view.queue.iter())
                .map(|w| match w {
                    Waiter::User(t) => setup.thread_name(*t),
                    Waiter::Alien(n) => format!("the alien of {}", setup.name(*n)),
                    Waiter::Remote(n) => format!("a request of {}", setup.name(*n)),
                })
                .collect();
            said.push(format!("In the queue of {}: {}.", node.name, list(&waiting)));
        }
    }
    if frame.flights.len() > MANY {
        said.push(format!("{} messages travel.", frame.flights.len()));
        return said.join(" ");
    }
    for f in &frame.flights {
        said.push(format!("{} travels from {} to {}.", f.label, setup.name(f.from), setup.name(f.to)));
    }
    said.join(" ")
}

/// A text of at most so many letters.
pub fn cut(text: &str, most: usize) -> String {
    if text.chars().count() <= most {
        return text.into();
    }
    text.chars().take(most.saturating_sub(1)).chain(['…']).collect()
}

/// About how wide a text is, and rather too wide: as in DejaVu Sans, the widest of the fonts that a page may find.
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

/// The same in bold letters.
pub fn bold_width(text: &str, size: f64) -> f64 {
    width(text, size) * 1.11
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_short() {
        assert_eq!(time(0), "0.00");
        assert_eq!(time(214_000_000), "0.21");
        assert_eq!(time(3_400_000), "0.003");
        assert_eq!(due(5, 5), "due now");
        assert_eq!(due(530_000_000, 30_000_000), "due in 0.50");
    }

    #[test]
    fn names_in_a_row() {
        let names = |n: usize| (1..=n).map(|i| format!("p{i}")).collect::<Vec<_>>();
        assert_eq!(list(&names(0)), "");
        assert_eq!(list(&names(1)), "p1");
        assert_eq!(list(&names(3)), "p1, p2 and p3");
    }
}
