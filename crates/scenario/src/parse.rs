//! `parse`: reads a scenario file and returns everything that is wrong with it at once.

use crate::reader::{Fields, Report};
use crate::{Card, LocatedProblem, Scenario, quoted, stops};
use lockstep_kernel::Setup;
use lockstep_spec::{Limits, Resolver, Use, check_size, toml as spec_toml};
use toml::de::DeTable;

/// The largest scenario file that is read.
pub const MOST_BYTES: usize = 256 * 1024;

/// Reads a scenario file of at most [`MOST_BYTES`]; problems come in the order of the text.
pub fn parse(id: &str, text: &str) -> Result<Scenario, Vec<LocatedProblem>> {
    if text.len() > MOST_BYTES {
        let kilobytes = text.len().div_ceil(1024);
        let message = format!("The file has {kilobytes} KB; expected at most {} KB.", MOST_BYTES / 1024);
        return Err(vec![LocatedProblem { line: 1, column: 1, message }]);
    }
    let mut report = Report::new(text);
    let (table, errors) = DeTable::parse_recoverable(text);
    if !errors.is_empty() {
        for error in errors {
            let message = error.message().trim_end_matches('.').replace('\n', ", ");
            report.add(error.span().unwrap_or(0..0), format!("This is not TOML: {message}."));
        }
        return Err(report.finish());
    }
    let mut fields = Fields::new("The scenario", table.get_ref(), 0..0);
    let title = fields.required_text(&mut report, "title");
    let about = fields.required_text(&mut report, "about");
    let card = Card::read(&mut fields, &mut report);
    let (spec, spans) = spec_toml::read(table.get_ref(), Use::Play);
    let mut resolver = Resolver::new(&spec, &Limits::PLAY);
    resolver.run();
    for problem in &resolver.problems {
        let span = spans.get(&problem.field).or_else(|| spans.get(problem.field.split('.').next()?));
        report.add(span.cloned().unwrap_or(0..0), problem.to_string());
    }
    let opens = fields.text(&mut report, "opens_at");
    let stop_list = fields.get("stop");
    fields.know_system();
    fields.finish(&mut report);

    let system = resolver.entry.filter(|_| resolver.setup.nodes() > 0).map(|entry| -> Setup {
        let tree = resolver.problems.iter().all(|p| p.field != "parents");
        match check_size(&resolver.setup, &Limits::PLAY).is_ok() && tree {
            true => (entry.drive.boot)(resolver.setup.clone(), &resolver.timing).setup().clone(),
            false => resolver.setup.clone(),
        }
    });
    let stops = stop_list.map_or_else(Vec::new, |list| stops::read(list, system.as_ref(), &mut report));
    let mut opens_at = None;
    if let Some((name, span)) = opens {
        opens_at = stops.iter().position(|s| s.name == name);
        if opens_at.is_none() {
            let names: Vec<&str> = stops.iter().map(|s| s.name.as_str()).collect();
            let expected = if names.is_empty() { "a scenario with stops".into() } else { names.join(", ") };
            report.add(span, format!("opens_at: {} is not allowed; expected {expected}.", quoted(&name)));
        }
    }
    match resolver.finish() {
        Ok(model) if report.is_clean() => Ok(Scenario { id: id.into(), title, about, card, model, stops, opens_at }),
        _ => Err(report.finish()),
    }
}
