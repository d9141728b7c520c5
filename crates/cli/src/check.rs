//! `lockstep check`: every order of events of a small system.

use crate::answer::{BadInput, CommandOutput, count, json, pairs};
use crate::memory;
use lockstep_check::{Check, CheckReport, ReadyCheck, WorstCase, prepare, words, worst_of};
use lockstep_kernel::explore::RequestMeasure;
use lockstep_kernel::{Entry, Setup};
use lockstep_spec::args::SystemArgs;
use lockstep_spec::{Use, grouped};

/// Options of `check`.
#[derive(clap::Args)]
pub struct Args {
    #[command(flatten)]
    system: SystemArgs<{ Use::Explore as usize }>,
    /// Look for the worst case of one request instead: forwards, messages, steps or bypass
    #[arg(long, value_name = "MEASURE")]
    worst: Option<String>,
    /// Print one JSON document
    #[arg(long)]
    json: bool,
}

pub fn answer(args: &Args) -> anyhow::Result<CommandOutput> {
    let check = Check::from(args.system.0.clone());
    let mut prepared = prepare(&check).map_err(BadInput)?;
    prepared.max_bytes = prepared.max_bytes.min(memory::most_bytes());
    if let Some(name) = &args.worst {
        return the_worst(args, &check, prepared, name);
    }
    let (entry, placed) = (prepared.entry, prepared.setups.clone());
    let mut checking = prepared.start();
    let report = checking.finish();
    let setup = if report.violation.is_some() { checking.setup() } else { &placed[0] };
    let complaints = report.violation.iter().map(|_| words(&report) + ".").collect();
    let out = if args.json { json(&report)? } else { human(&check, entry, setup, &report) };
    Ok(CommandOutput { out, complaints })
}

fn the_worst(args: &Args, check: &Check, prepared: ReadyCheck, name: &str) -> anyhow::Result<CommandOutput> {
    let Some(measure) = RequestMeasure::named(name) else {
        let names: Vec<&str> = RequestMeasure::ALL.iter().map(|(n, _)| *n).collect();
        let given = lockstep_spec::quoted(name);
        return Err(BadInput::one(format!("worst: {given} is not allowed; expected {}.", names.join(", "))).into());
    };
    let (entry, setup) = (prepared.entry, prepared.setups[0].clone());
    let worst: WorstCase = worst_of(prepared, measure).finish();
    if args.json {
        return Ok(CommandOutput::fine(json(&worst)?));
    }
    let mut rows = system(check, entry, &setup);
    rows.push(("worst case", worst.words()));
    Ok(CommandOutput::fine(pairs(rows) + &schedule("\nA shortest schedule:\n", &worst.steps, 0, worst.link.as_deref())))
}

/// The rows that describe the system.
fn system(check: &Check, entry: &Entry, setup: &Setup) -> Vec<(&'static str, String)> {
    let params: Vec<String> = setup.params.0.iter().map(|(name, value)| format!("{name}={value}")).collect();
    let requests = match check.text("requests") {
        "unlimited" => "unlimited requests".into(),
        number => format!("{} per node", count(number, "request")),
    };
    let size = format!("{} × {}", count(setup.nodes(), "node"), count(check.text("threads"), "thread"));
    let sizes = check.spec.clusters.as_ref();
    let shape = sizes.map_or(check.text("topology").to_owned(), |sizes| format!("clusters {sizes}"));
    let mut rows = vec![
        ("algorithm", format!("{} ({}) {}", entry.title, entry.id, params.join(" ")).trim_end().into()),
        ("system", format!("{size}, {shape}, {}, {requests}", check.text("network"))),
    ];
    if setup.cells > 1 {
        let placed = check.spec.placement.as_deref().unwrap_or("all at the first node");
        rows.push(("cells", format!("{}, placed: {placed}", setup.cells)));
    }
    if let Some(line) = entry.lines().find(|l| setup.without == Some(l.id)) {
        rows.push(("without", format!("line {}: {}", line.id.0, line.text.trim())));
    }
    rows
}

fn human(check: &Check, entry: &Entry, setup: &Setup, report: &CheckReport) -> String {
    let mut rows = system(check, entry, setup);
    let found = report.violation.as_ref().map_or_else(|| words(report), |v| format!("“{}” is violated", v.invariant));
    rows.extend([
        ("verdict", found),
        ("states", grouped(report.states as f64)),
        ("transitions", grouped(report.transitions as f64)),
        ("depth", report.depth.to_string()),
        ("terminal states", grouped(report.terminal as f64)),
        ("checked", report.invariants.join(", ")),
    ]);
    if let Some(step) = report.violation.as_ref().and_then(|v| v.unavoidable) {
        rows.push(("unavoidable", format!("from step {step} on")));
    }
    let Some(v) = &report.violation else { return pairs(rows) };
    pairs(rows) + &schedule("\nThe shortest counterexample:\n", &v.steps, v.cycle, report.link.as_deref())
}

/// Numbered steps, with the beginning of a cycle marked, and the command that replays them.
fn schedule(title: &str, steps: &[String], cycle: usize, link: Option<&str>) -> String {
    let mut text = title.to_owned();
    let cycle_from = steps.len() - cycle.min(steps.len());
    for (i, step) in steps.iter().enumerate() {
        if cycle > 0 && i == cycle_from {
            text += "     from here on the steps repeat without end:\n";
        }
        text += &format!("{:>4} {step}\n", i + 1);
    }
    if let Some(link) = link {
        text += &format!("\nlockstep replay '{link}'\n");
    }
    text
}
