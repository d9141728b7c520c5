//! What goes wrong without a listing line or without an assumption on the network and the nodes.
//!
//! Every row of `data/lines.txt` is a small system that shows it. A test writes the table: it takes
//! the first system of a fixed list in which something goes wrong. Every run checks all rows.

use crate::Check;
use lockstep_kernel::Entry;
use lockstep_spec::grouped;
use serde::{Deserialize, Serialize};

/// The stored table. A row is the id, the options, and either an invariant, steps and cycle, or `-`
/// (`=` if nothing changes), the number of states and whether these are all.
pub const TABLE: &str = include_str!("../data/lines.txt");

/// What is removed.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Removal {
    /// A listing line.
    Line(u8),
    /// FIFO links.
    Order,
    /// Links that drop no message.
    Loss,
    /// Links that duplicate no message.
    Doubling,
    /// Nodes that do not crash.
    Crash,
}

impl Removal {
    fn of(check: &Check) -> Removal {
        match (check.without(), check.text("network")) {
            (Some(line), _) => Removal::Line(line),
            (None, "lossy") => Removal::Loss,
            (None, "duplicating") => Removal::Doubling,
            (None, _) if check.text("crashes") != "0" => Removal::Crash,
            (None, _) => Removal::Order,
        }
    }
}

/// What the check without it finds.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum RemovalEffect {
    /// An invariant is violated.
    Violation {
        /// The violated invariant.
        invariant: String,
        /// Steps of the shortest counterexample.
        steps: usize,
        /// The number of steps at its end that can repeat forever.
        cycle: usize,
    },
    /// No invariant is violated.
    Nothing {
        /// The number of states explored.
        states: usize,
        /// Whether these are all states of the system.
        all: bool,
    },
    /// The same states as with it: the line only describes other lines and cannot be removed by
    /// itself, or it makes no difference in this system.
    Same {
        /// The number of states explored.
        states: usize,
        /// Whether these are all states of the system.
        all: bool,
    },
}

impl RemovalEffect {
    /// The effect in words, without a full stop.
    pub fn words(&self) -> String {
        let grouped = |states: &usize| grouped(*states as f64);
        match self {
            RemovalEffect::Violation { invariant, steps, cycle: 0 } => {
                format!("“{invariant}” is violated after {steps} steps")
            }
            RemovalEffect::Violation { invariant, steps, cycle } => {
                format!("“{invariant}” is violated: {steps} steps, the last {cycle} repeat without end")
            }
            RemovalEffect::Same { states, .. } => format!("the same {} states with and without it", grouped(states)),
            RemovalEffect::Nothing { states, all: true } => format!("no violation in all {} states", grouped(states)),
            RemovalEffect::Nothing { states, .. } => {
                format!("no violation in the first {} states; states remain", grouped(states))
            }
        }
    }
}

/// One row: what is removed, and the effect.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct LineRow {
    /// What is removed.
    pub removed: Removal,
    /// The listing line, or the assumption in words.
    pub text: String,
    /// Whether the algorithm is wrong without it.
    pub essential: bool,
    /// The check that shows it.
    pub check: Check,
    /// What the check finds.
    pub shown: RemovalEffect,
}

/// A row for each listing line of an algorithm, in the order of the listing. Empty for papers that
/// are wrong as printed.
pub fn lines(entry: &Entry) -> Vec<LineRow> {
    let all: Vec<(Check, RemovalEffect)> = rows(entry.id).collect();
    let row = |line: &lockstep_kernel::Line| {
        let (check, shown) = all.iter().find(|(check, _)| check.without() == Some(line.id.0))?.clone();
        let text = line.text.trim().to_owned();
        Some(LineRow { removed: Removal::Line(line.id.0), text, essential: line.essential, check, shown })
    };
    entry.lines().filter_map(row).collect()
}

/// A row for each assumption on the network and on the nodes.
pub fn switches(entry: &Entry) -> Vec<LineRow> {
    let row = |(check, shown): (Check, RemovalEffect)| {
        let removed = Removal::of(&check);
        let text = match removed {
            Removal::Order => "links are FIFO",
            Removal::Loss => "no message is dropped",
            Removal::Doubling => "no message is duplicated",
            Removal::Crash | Removal::Line(_) => "no node crashes",
        };
        let essential = matches!(shown, RemovalEffect::Violation { .. });
        LineRow { removed, text: text.into(), essential, check, shown }
    };
    rows(entry.id).filter(|(check, _)| check.without().is_none()).map(row).collect()
}

/// The stored rows of an algorithm.
fn rows(id: &str) -> impl Iterator<Item = (Check, RemovalEffect)> + '_ {
    TABLE.lines().filter_map(move |row| read(row).filter(|(check, _)| check.algorithm() == id))
}

fn read(row: &str) -> Option<(Check, RemovalEffect)> {
    let cells: Vec<&str> = row.split('|').map(str::trim).collect();
    let [id, options, what, number, more] = cells[..] else { return None };
    let check = Check::read(id, options).ok()?;
    let number = number.parse().ok()?;
    let shown = match what {
        "-" => RemovalEffect::Nothing { states: number, all: more == "all" },
        "=" => RemovalEffect::Same { states: number, all: more == "all" },
        _ => RemovalEffect::Violation { invariant: what.into(), steps: number, cycle: more.parse().ok()? },
    };
    Some((check, shown))
}
