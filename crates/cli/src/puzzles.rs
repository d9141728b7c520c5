//! `lockstep puzzles`: goals to reach by picking events.

use crate::answer::{Args, CommandOutput, json};
use lockstep_check::puzzles;
use serde_json::{Value, json};

pub fn answer(args: &Args) -> anyhow::Result<CommandOutput> {
    let all = puzzles();
    if args.json {
        let document = |p: &lockstep_check::Puzzle| -> serde_json::Result<Value> {
            let mut document = serde_json::to_value(p)?;
            document["link"] = json!(p.link());
            Ok(document)
        };
        return Ok(CommandOutput::fine(json(&all.iter().map(document).collect::<Result<Vec<_>, _>>()?)?));
    }
    let block = |p: &lockstep_check::Puzzle| {
        let link = p.link().unwrap_or_default();
        let paper = if p.group.source.is_empty() { p.group.title } else { p.group.source };
        format!("{}  {} ({paper}; par {})\n  {}\n  lockstep replay '{link}'\n", p.id, p.title, p.par, p.task)
    };
    let blocks: Vec<String> = all.iter().map(block).collect();
    Ok(CommandOutput::fine(blocks.join("\n")))
}
