//! Reads a scenario file: everything that is wrong with it comes back at once.

use crate::reader::{Fields, Report};
use crate::{Card, Problem, Scenario, header, stops};
use toml::de::DeTable;

/// The largest scenario file that is read.
pub const MOST_BYTES: usize = 256 * 1024;

/// Reads a scenario file. Refuses texts of more than [`MOST_BYTES`]; otherwise collects all problems in the order of the text.
pub fn parse(id: &str, text: &str) -> Result<Scenario, Vec<Problem>> {
    if text.len() > MOST_BYTES {
        let kilobytes = text.len().div_ceil(1024);
        let message = format!("The file has {kilobytes} KB; right would be at most {} KB.", MOST_BYTES / 1024);
        return Err(vec![Problem { line: 1, column: 1, message }]);
    }
    let mut report = Report::new(text);
    let (table, errors) = DeTable::parse_recoverable(text);
    if !errors.is_empty() {
        for error in errors {
            let span = error.span().unwrap_or(0..0);
            report
                .add(span, format!("This is not TOML: {}.", error.message().trim_end_matches('.').replace('\n', ", ")));
        }
        return Err(report.finish());
    }
    let mut fields = Fields::new("The scenario", table.get_ref(), 0..0);
    let title = fields.required_text(&mut report, "title");
    let about = fields.required_text(&mut report, "about");
    let card = Card::read(&mut fields, &mut report);
    let head = header::read(&mut fields, &mut report);
    let opens = fields.text(&mut report, "opens_at");
    let stop_list = fields.get("stop");
    fields.finish(&mut report);

    let system = head.as_ref().map(header::Head::arranged);
    let stops = stop_list.map_or_else(Vec::new, |list| stops::read(list, system.as_ref(), &mut report));
    let mut opens_at = None;
    if let Some((name, span)) = opens {
        opens_at = stops.iter().position(|s| s.name == name);
        if opens_at.is_none() {
            let names: Vec<&str> = stops.iter().map(|s| s.name.as_str()).collect();
            let right =
                if names.is_empty() { "a scenario with stops".into() } else { format!("one of {}", names.join(", ")) };
            report.add(span, format!("There is no stop {}; right would be {right}.", crate::quoted(&name)));
        }
    }
    match head {
        Some(head) if report.is_clean() => Ok(Scenario {
            id: id.into(),
            title,
            about,
            card,
            algorithm: head.algorithm,
            setup: head.setup,
            timing: head.timing,
            stops,
            opens_at,
        }),
        _ => Err(report.finish()),
    }
}
