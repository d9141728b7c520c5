//! `lockstep list`: every algorithm with its parameters, needs and claims.

use crate::answer::{Args, CommandOutput, json, table};
use lockstep_algorithms::ALL;
use lockstep_kernel::Entry;
use serde_json::{Value, json};

pub fn answer(args: &Args) -> anyhow::Result<CommandOutput> {
    if args.json {
        let all: Vec<Value> = ALL.iter().map(document).collect();
        return Ok(CommandOutput::fine(json(&all)?));
    }
    let blocks: Vec<String> = ALL.iter().map(block).collect();
    Ok(CommandOutput::fine(blocks.join("\n")))
}

fn document(entry: &Entry) -> Value {
    let params: Vec<Value> = entry
        .params
        .iter()
        .map(|p| json!({ "name": p.name, "values": p.values, "default": p.values.first() }))
        .collect();
    json!({
        "id": entry.id,
        "title": entry.title,
        "year": entry.year,
        "source": entry.source,
        "params": params,
        "needs": { "fifo": entry.needs.fifo, "tree": entry.needs.tree },
        "claims": entry.claims,
        "printed": entry.printed,
    })
}

fn block(entry: &Entry) -> String {
    let mut rows = Vec::new();
    for param in entry.params {
        let (default, others) = param.values.split_first().unwrap_or((&"", &[]));
        let mut values = format!("{default} (default)");
        others.iter().for_each(|v| values.extend([", ", v]));
        rows.push(vec![format!("  --param {}=", param.name), values, param.about.into()]);
    }
    let needs: Vec<&str> = [(entry.needs.fifo, "a FIFO network"), (entry.needs.tree, "an initial tree")]
        .into_iter()
        .filter_map(|(needed, what)| needed.then_some(what))
        .collect();
    let mut text = format!("{}  {} ({})\n  {}\n{}", entry.id, entry.title, entry.year, entry.source, table(&rows));
    if !needs.is_empty() {
        text += &format!("  needs: {}\n", needs.join(", "));
    }
    for claim in entry.claims {
        text += &format!("  claim: {claim}\n");
    }
    text
}
