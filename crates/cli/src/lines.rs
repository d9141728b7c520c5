//! `lockstep lines`: what goes wrong without each listing line.

use crate::answer::{BadInput, CommandOutput, json, table};
use lockstep_check::{LineRow, lines, switches};

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

pub fn answer(args: &Args) -> anyhow::Result<CommandOutput> {
    let entry = lockstep_algorithms::find(&args.algorithm).map_err(BadInput::one)?;
    let rows = [lines(entry), switches(entry)].concat();
    if args.json {
        return Ok(CommandOutput::fine(json(&rows)?));
    }
    if rows.is_empty() {
        let text = format!("`{}` is wrong as printed, so its listing lines are not checked.\n", entry.id);
        return Ok(CommandOutput::fine(text));
    }
    let rows: Vec<Vec<String>> = rows.iter().map(row).collect();
    Ok(CommandOutput::fine(table(&rows)))
}

fn row(row: &LineRow) -> Vec<String> {
    let name = row.check.without().map_or_else(String::new, |line| line.to_string());
    let mark = if row.essential { "essential" } else { "" };
    vec![name, row.text.clone(), mark.into(), row.shown.words(), row.check.command()]
}
