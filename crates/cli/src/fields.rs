//! `lockstep fields`: every field of a system with its defaults and limits.

use crate::answer::{Args, CommandOutput, json, table};
use lockstep_spec::{FIELDS, Use, docs};

pub fn answer(args: &Args) -> anyhow::Result<CommandOutput> {
    if args.json {
        return Ok(CommandOutput::fine(json(&docs::documents())?));
    }
    let mut text = String::new();
    for field in FIELDS {
        let short = if field.short.is_empty() { "not in links".into() } else { format!("{} in links", field.short) };
        text += &format!("{}  {} ({}; {short})\n  {}\n", field.name, field.title, field.kind.words(), field.help);
        let mut rows = Vec::new();
        for (name, of) in Use::ALL {
            let Some(default) = field.default(of) else { continue };
            let default = if default.is_empty() { "no default".into() } else { format!("default {default}") };
            let bound = field.bound(of);
            let limits = bound.map_or_else(String::new, |b| format!("{} ({})", b.words(), b.reason));
            rows.push(vec![format!("  {name}"), default, limits]);
        }
        text += &table(&rows);
    }
    Ok(CommandOutput::fine(text))
}
