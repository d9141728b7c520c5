//! `parse`: reads a scenario file and returns everything that is wrong with it at once.

use crate::reader::{Report, Table};
use crate::{Card, LocatedProblem, Place, Scenario, quoted, stops};
use lockstep_kernel::Setup;
use lockstep_spec::{Field, Limits, Resolver, Use, check_size, exact, toml as spec_toml};
use toml::de::DeTable;

/// The largest scenario file that is read.
pub const MOST_BYTES: usize = 256 * 1024;

/// Reads a scenario file of at most [`MOST_BYTES`]; problems come in the order of the text.
pub fn parse(id: &str, text: &str) -> Result<Scenario, Vec<LocatedProblem>> {
    if text.len() > MOST_BYTES {
        let kilobytes = text.len().div_ceil(1024);
        let message = format!("The file has {kilobytes} KB; expected at most {} KB.", MOST_BYTES / 1024);
        return Err(vec![LocatedProblem { place: Place { line: 1, column: 1 }, message }]);
    }
    let report = Report::new(text);
    let (table, errors) = DeTable::parse_recoverable(text);
    for error in &errors {
        let message = error.message().trim_end_matches('.').replace('\n', ", ");
        report.add(error.span().unwrap_or(0..0), format!("This is not TOML: {message}."));
    }
    if !errors.is_empty() {
        return Err(report.finish());
    }
    let fields = Table { table: table.get_ref(), span: 0..0, report: &report }.only(&known());
    let [title, about] = ["title", "about"].map(|name| fields.text(name));
    let card = Card::read(&fields);
    let (spec, spans) = spec_toml::read(table.get_ref(), Use::Play, false);
    let mut resolver = Resolver::new(&spec, &Limits::PLAY);
    resolver.run();
    if !resolver.problems.is_empty() {
        // problems repeat numbers as they were written
        let (spec, _) = spec_toml::read(table.get_ref(), Use::Play, true);
        let mut again = Resolver::new(&spec, &Limits::PLAY);
        again.run();
        resolver.problems = exact::reworded(resolver.problems, again.problems);
    }
    for problem in &resolver.problems {
        let span = spans.get(&problem.field).or_else(|| spans.get(problem.field.split('.').next()?));
        report.add(span.cloned().unwrap_or(0..0), problem.to_string());
    }
    let stops = stops::read(&fields.list("stop"), system(&resolver).as_ref());
    let opens_at = fields.get("opens_at").and_then(|item| {
        item.parse(|name| {
            let names: Vec<&str> = stops.iter().map(|s| s.name.as_str()).collect();
            let expected = if names.is_empty() { "a scenario with stops".into() } else { names.join(", ") };
            let unknown = || format!("opens_at: {} is not allowed; expected {expected}.", quoted(name));
            names.iter().position(|known| *known == name).ok_or_else(unknown)
        })
    });
    match (resolver.finish(), report.finish()) {
        (Ok(model), problems) if problems.is_empty() => {
            Ok(Scenario { id: id.into(), title, about, card, model, stops, opens_at })
        }
        (_, problems) => Err(problems),
    }
}

/// Every field of a scenario: its own, and those of a system.
fn known() -> Vec<&'static str> {
    let mut known = vec!["title", "about", "see", "minutes", "paper", "text", "figures", "opens_at", "stop"];
    for field in Field::of(Use::Play) {
        known.push(field.name);
        known.extend(field.aliases.iter().filter(|alias| **alias != "param"));
    }
    known
}

/// The system that names in stops refer to, as far as it is known: with the nodes that the
/// algorithm adds, if it can begin.
fn system(resolver: &Resolver<'_>) -> Option<Setup> {
    let entry = resolver.entry.filter(|_| resolver.setup.nodes() > 0)?;
    let tree = resolver.problems.iter().all(|p| p.field != "parents");
    let setup = resolver.setup.clone();
    Some(match check_size(&setup, &Limits::PLAY).is_ok() && tree {
        true => (entry.drive.boot)(setup, &resolver.timing).setup().clone(),
        false => setup,
    })
}
