//! The table of fields in the docs, and as the document of `lockstep fields --json`.

use crate::{FIELDS, Field, Limits, Use};
use serde_json::{Map, Value, json};
use std::fmt::Write;

/// What a use says of a field: its default and its limits.
fn of_use(field: &Field, of: Use) -> String {
    let default = match field.default(of) {
        None => return "–".into(),
        Some("") => String::new(),
        Some(default) => format!("`{default}`"),
    };
    let limits = field.bound(of).map(|b| format!("({})", b.words()));
    [default, limits.unwrap_or_default()].join(" ").trim().to_owned()
}

/// `docs/fields.md`.
pub fn markdown() -> String {
    let mut text = "# Fields of a system\n\nGenerated from `crates/spec/src/fields.rs` by `cargo xtask bless`; `lockstep fields` prints the same.\n\
        A file and a document use the name, the command line the name with hyphens (`--delay-global`), a\n\
        link the short name. For each use: the default and the limits; – where the use lacks the field.\n\n\
        | name | in links | kind | play | measure | explore | meaning |\n|---|---|---|---|---|---|---|\n"
        .to_owned();
    for field in FIELDS {
        let short = if field.short.is_empty() { "–".into() } else { format!("`{}`", field.short) };
        let uses: Vec<String> = Use::ALL.iter().map(|(_, of)| of_use(field, *of)).collect();
        let _ = writeln!(
            text,
            "| `{}` | {short} | {} | {} | {} |",
            field.name,
            field.kind.words(),
            uses.join(" | "),
            field.help
        );
    }
    text += "\n## Limits and their reasons\n";
    for (name, of) in Use::ALL {
        let _ = write!(text, "\n### {name}\n\n");
        for bound in Limits::of(of).bounds {
            let _ = writeln!(text, "- {}: {}. Reason: {}.", bound.of, bound.words(), bound.reason);
        }
    }
    text
}

/// The table as a list of JSON objects.
pub fn documents() -> Vec<Value> {
    let row = |field: &Field| {
        let (mut defaults, mut limits) = (Map::new(), Map::new());
        for (name, of) in Use::ALL {
            defaults.insert(name.into(), json!(field.default(of)));
            let bound = field.bound(of);
            let most = |b: &crate::Bound| b.most.is_finite().then_some(b.most);
            let bound = bound.map(|b| json!({ "least": b.least, "most": most(b), "reason": b.reason }));
            limits.insert(name.into(), json!(bound));
        }
        json!({
            "name": field.name, "short": field.short, "aliases": field.aliases, "title": field.title, "help": field.help,
            "kind": field.kind.words(), "unit": field.unit, "default": defaults, "limits": limits,
        })
    };
    FIELDS.iter().map(row).collect()
}
