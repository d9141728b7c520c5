//! `lockstep lines`: why is this line there?

use crate::answer::{Answer, BadInput, json, table};
use lockstep_check::{LineRow, Shown, lines, switches};

/// Options of `lines`.
#[derive(clap::Args)]
pub struct Args {
    /// The algorithm's id, as `lockstep list` shows it
    #[arg(value_name = "ALGO")]
    algorithm: String,
    /// Print one JSON document
    #[arg(long)]
    json: bool,
}

pub fn answer(args: &Args) -> anyhow::Result<Answer> {
    let entry = lockstep_algorithms::find(&args.algorithm).map_err(BadInput::one)?;
    let rows = [lines(entry), switches(entry)].concat();
    if args.json {
        return Ok(Answer::fine(json(&rows)?));
    }
    if rows.is_empty() {
        let text = format!("`{}` is wrong as it stands, so no line of it is defended.\n", entry.id);
        return Ok(Answer::fine(text));
    }
    let rows: Vec<Vec<String>> = rows.iter().map(row).collect();
    Ok(Answer::fine(table(&rows)))
}

fn row(row: &LineRow) -> Vec<String> {
    let name = row.check.without.map_or_else(String::new, |line| line.to_string());
    let shown = match &row.shown {
        Shown::Violation { invariant, steps, .. } => format!("`{invariant}` is violated after {steps} steps"),
        Shown::Nothing { states, all: true } => format!("nothing in {states} states, which are all"),
        Shown::Same { states, .. } => format!("the same {states} states with and without it"),
        Shown::Nothing { states, all: false } => format!("nothing within {states} states"),
    };
    let mark = if row.essential { "essential" } else { "" };
    vec![name, row.text.clone(), mark.into(), shown, row.check.command()]
}
