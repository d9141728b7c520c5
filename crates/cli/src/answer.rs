//! The output of a command, and tables for it.

use serde::Serialize;
use std::fmt;

/// The option of every command that prints data.
#[derive(clap::Args)]
pub struct Args {
    /// Print one JSON document
    #[arg(long)]
    pub json: bool,
}

/// The output of a command.
#[derive(Debug, Default)]
pub struct CommandOutput {
    /// The text for standard output.
    pub out: String,
    /// Violations and failed expectations, one sentence each. If there are any, the exit code is 1.
    pub complaints: Vec<String>,
}

impl CommandOutput {
    /// An answer without complaints.
    pub fn fine(out: String) -> Self {
        CommandOutput { out, complaints: Vec::new() }
    }
}

/// Input that cannot be used, one sentence for each problem.
#[derive(Debug)]
pub struct BadInput(pub Vec<String>);

impl BadInput {
    /// One problem.
    pub fn one(problem: impl Into<String>) -> Self {
        BadInput(vec![problem.into()])
    }
}

impl fmt::Display for BadInput {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0.join("\n"))
    }
}

impl std::error::Error for BadInput {}

/// Formats a JSON document.
pub fn json(document: &impl Serialize) -> anyhow::Result<String> {
    Ok(serde_json::to_string(document)? + "\n")
}

/// Rows of cells as columns; the last cell of a row may be of any length.
pub fn table(rows: &[Vec<String>]) -> String {
    let columns = rows.iter().map(Vec::len).max().unwrap_or(0);
    let width = |c: usize| rows.iter().filter(|r| r.len() > c + 1).map(|r| r[c].chars().count()).max().unwrap_or(0);
    let widths: Vec<usize> = (0..columns).map(width).collect();
    let mut text = String::new();
    for row in rows {
        for (c, cell) in row.iter().enumerate() {
            let last = c + 1 == row.len();
            let pad = if last { 0 } else { widths[c] + 2 - cell.chars().count() };
            text.push_str(cell);
            text.extend(std::iter::repeat_n(' ', pad));
        }
        text.push('\n');
    }
    text
}

/// Names and values, one below the other.
pub fn pairs(rows: Vec<(&str, String)>) -> String {
    table(&rows.into_iter().map(|(name, value)| vec![name.to_owned(), value]).collect::<Vec<_>>())
}

/// Counts things: `1 thread`, `2 threads`, `3 entries`.
pub fn count(number: impl fmt::Display, thing: &str) -> String {
    let number = number.to_string();
    match thing.strip_suffix('y') {
        _ if number == "1" => format!("1 {thing}"),
        Some(stem) => format!("{number} {stem}ies"),
        None => format!("{number} {thing}s"),
    }
}

/// That two threads were inside at once, where that happened in a simulation.
pub fn violations(times: u64) -> Option<String> {
    let times = (times > 0).then(|| count(times, "time"))?;
    Some(format!("Two threads were inside at once, or an impossible message arrived ({times})."))
}
