//! Why is this line there? For every line of every listing, and for every assumption on the network: a small system that shows what goes wrong
//! without it, or one in which nothing does.
//!
//! The table in `data/lines.txt` is written by a test, which looks for the smallest system in a fixed order of candidates and checks every row on every
//! run. A row is the id, the options of the check, and what it finds.

use crate::Check;
use lockstep_kernel::Entry;
use serde::{Deserialize, Serialize};

/// The table as it is stored: id, options, and either an invariant, steps and cycle, or `-` (`=` where nothing
/// changes at all), states and whether that is all of them.
pub const TABLE: &str = include_str!("../data/lines.txt");

/// What is taken away.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Removed {
    /// A line of the listing.
    Line(u8),
    /// Links that keep the order of messages.
    Order,
    /// Links that lose nothing.
    Loss,
    /// Links that double nothing.
    Doubling,
    /// Nodes that do not crash.
    Crash,
}

impl Removed {
    fn of(check: &Check) -> Removed {
        match (check.without, check.network.as_str()) {
            (Some(line), _) => Removed::Line(line),
            (None, "lossy") => Removed::Loss,
            (None, "duplicating") => Removed::Doubling,
            (None, _) if check.crashes > 0 => Removed::Crash,
            (None, _) => Removed::Order,
        }
    }
}

/// What the check finds.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Shown {
    /// A violation.
    Violation {
        /// What does not hold.
        invariant: String,
        /// Steps of the shortest counterexample.
        steps: usize,
        /// How many of them, at the end, repeat for ever.
        cycle: usize,
    },
    /// Nothing.
    Nothing {
        /// In so many states.
        states: usize,
        /// Whether these are all states of the system.
        all: bool,
    },
    /// The same as with it: the line tells what happens and cannot be taken away by itself, or makes no difference in this system.
    Same {
        /// In so many states.
        states: usize,
        /// Whether these are all states of the system.
        all: bool,
    },
}

/// One row: something that is taken away, and what that does.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct LineRow {
    /// What is taken away.
    pub removed: Removed,
    /// The line of the listing, or the assumption in words.
    pub text: String,
    /// Whether the algorithm is known to be wrong without it.
    pub essential: bool,
    /// The check that shows it.
    pub check: Check,
    /// What that finds.
    pub shown: Shown,
}

/// A row for each line of an algorithm's listing, in the listing's order. Empty for texts that are wrong as they stand.
pub fn lines(entry: &Entry) -> Vec<LineRow> {
    let all: Vec<(Check, Shown)> = rows(entry.id).collect();
    let row = |line: &lockstep_kernel::Line| {
        let (check, shown) = all.iter().find(|(check, _)| check.without == Some(line.id.0))?.clone();
        let text = line.text.trim().to_owned();
        Some(LineRow { removed: Removed::Line(line.id.0), text, essential: line.essential, check, shown })
    };
    entry.lines().filter_map(row).collect()
}

/// A row for each assumption on the network and on the nodes.
pub fn switches(entry: &Entry) -> Vec<LineRow> {
    let row = |(check, shown): (Check, Shown)| {
        let removed = Removed::of(&check);
        let text = match removed {
            Removed::Order => "links keep the order of messages",
            Removed::Loss => "no message is lost",
            Removed::Doubling => "no message arrives twice",
            Removed::Crash | Removed::Line(_) => "no node crashes",
        };
        let essential = matches!(shown, Shown::Violation { .. });
        LineRow { removed, text: text.into(), essential, check, shown }
    };
    rows(entry.id).filter(|(check, _)| check.without.is_none()).map(row).collect()
}

/// The stored rows of an algorithm.
fn rows(id: &str) -> impl Iterator<Item = (Check, Shown)> + '_ {
    TABLE.lines().filter_map(move |row| read(row).filter(|(check, _)| check.algorithm == id))
}

fn read(row: &str) -> Option<(Check, Shown)> {
    let cells: Vec<&str> = row.split('|').map(str::trim).collect();
    let [id, options, what, number, more] = cells[..] else { return None };
    let check = Check::read(id, options).ok()?;
    let number = number.parse().ok()?;
    let shown = match what {
        "-" => Shown::Nothing { states: number, all: more == "all" },
        "=" => Shown::Same { states: number, all: more == "all" },
        _ => Shown::Violation { invariant: what.into(), steps: number, cycle: more.parse().ok()? },
    };
    Some((check, shown))
}
