//! `lockstep check`: every order of events of a small system.

use crate::answer::{Answer, BadInput, count, json, table};
use crate::input;
use lockstep_check::{Check, CheckReport, Prepared, WorstCase, prepare, words, worst};
use lockstep_kernel::explore::RequestMeasure;
use lockstep_kernel::{Entry, Setup};

/// Options of `check`.
#[derive(clap::Args)]
pub struct Args {
    /// The algorithm's id, as `lockstep list` shows it
    #[arg(value_name = "ALGO")]
    algorithm: String,
    /// A parameter of the algorithm: variant=v2
    #[arg(long = "param", value_name = "NAME=VALUE")]
    params: Vec<String>,
    /// Number of nodes [default: 3]
    #[arg(long)]
    nodes: Option<u64>,
    /// User threads of each node
    #[arg(long, default_value_t = 1)]
    threads: u64,
    /// Requests of the threads of each node together, or `unlimited`: then starvation is looked for
    #[arg(long, default_value = "2")]
    requests: String,
    /// chain, star, binary-tree, ring, full or clusters:2x2
    #[arg(long, default_value = "chain")]
    topology: String,
    /// fifo, unordered, lossy or duplicating
    #[arg(long, default_value = "fifo")]
    network: String,
    /// Clusters of different sizes, all pointing at the first node: 2+1+1
    #[arg(long, value_name = "SIZES")]
    clusters: Option<String>,
    /// Cells of a divided resource, for range locks
    #[arg(long, default_value_t = 1)]
    cells: u16,
    /// Who holds each cell at the beginning, p1,p1,p3, or `every`: all ways, one after the other [default: the first node all]
    #[arg(long, value_name = "HOLDERS")]
    placement: Option<String>,
    /// How often a waiting thread may give up, where the algorithm lets it
    #[arg(long, default_value_t = 0)]
    cancels: u8,
    /// How many nodes may crash, 0 or 1; a crashed node may restart in its initial state
    #[arg(long, default_value_t = 0)]
    crashes: u8,
    /// Take states that differ only by the names of nodes that begin alike for one, where the algorithm lets it
    #[arg(long, value_name = "BOOL", num_args = 0..=1, default_value_t = false, default_missing_value = "true", action = clap::ArgAction::Set)]
    symmetry: bool,
    /// Stop beyond this many states
    #[arg(long, default_value_t = 20_000_000)]
    max_states: usize,
    /// Stop when this much memory is in use
    #[arg(long, default_value_t = 3_000)]
    max_megabytes: usize,
    /// Look for the worst that can happen to one request instead: forwards, messages, steps or bypass
    #[arg(long, value_name = "MEASURE")]
    worst: Option<String>,
    /// Check the algorithm without this line of its listing
    #[arg(long, value_name = "LINE")]
    without: Option<u8>,
    /// Print one JSON document
    #[arg(long)]
    json: bool,
}

pub fn answer(args: &Args) -> anyhow::Result<Answer> {
    let check = check(args).map_err(BadInput)?;
    let prepared = prepare(&check).map_err(BadInput)?;
    if let Some(name) = &args.worst {
        return the_worst(args, &check, &prepared, name);
    }
    let (entry, placed) = (prepared.entry, prepared.setups.clone());
    let mut checking = prepared.start();
    let report = checking.finish();
    let setup = if report.violation.is_some() { checking.setup() } else { &placed[0] };
    let complaints = report.violation.iter().map(|_| words(&report) + ".").collect();
    let out = if args.json { json(&report)? } else { human(args, entry, setup, &report) };
    Ok(Answer { out, complaints })
}

/// What the options say, or every problem with them.
fn check(args: &Args) -> Result<Check, Vec<String>> {
    let mut problems = Vec::new();
    let requests = args.requests.parse().map_err(|why| problems.push(why));
    let params = input::params(&args.params).map_err(|bad| problems.extend(bad.0));
    let check = Check {
        algorithm: args.algorithm.clone(),
        params: params.unwrap_or_default(),
        nodes: args.nodes,
        threads: args.threads,
        requests: requests.unwrap_or(Check::default().requests),
        topology: args.topology.clone(),
        clusters: args.clusters.clone(),
        network: args.network.clone(),
        cells: args.cells,
        placement: args.placement.clone(),
        cancels: args.cancels,
        crashes: args.crashes,
        symmetry: args.symmetry,
        without: args.without,
        max_states: args.max_states,
        max_megabytes: args.max_megabytes,
    };
    if problems.is_empty() {
        return Ok(check);
    }
    problems.extend(prepare(&check).err().unwrap_or_default());
    Err(problems)
}

fn the_worst(args: &Args, check: &Check, prepared: &Prepared, name: &str) -> anyhow::Result<Answer> {
    let Some(measure) = RequestMeasure::named(name) else {
        let names: Vec<&str> = RequestMeasure::ALL.iter().map(|(n, _)| *n).collect();
        let given: String = name.escape_default().take(60).collect();
        return Err(BadInput::one(format!("There is no measure `{given}`; there are {}.", names.join(", "))).into());
    };
    let worst: WorstCase = worst(check, measure).map_err(BadInput)?.finish();
    if args.json {
        return Ok(Answer::fine(json(&worst)?));
    }
    let mut rows = system(args, prepared.entry, &prepared.setups[0]);
    rows.push(vec!["worst case".into(), worst.words()]);
    Ok(Answer::fine(table(&rows) + &schedule("\nThe shortest way there:\n", &worst.steps, 0, worst.link.as_deref())))
}

/// The rows that say what was looked at.
fn system(args: &Args, entry: &Entry, setup: &Setup) -> Vec<Vec<String>> {
    let params: Vec<String> = setup.params.0.iter().map(|(name, value)| format!("{name}={value}")).collect();
    let requests = if args.requests == "unlimited" {
        "requests without end".into()
    } else {
        format!("{} per node", count(&args.requests, "request"))
    };
    let size = format!("{} × {}", count(setup.nodes(), "node"), count(args.threads, "thread"));
    let shape = args.clusters.as_ref().map_or(args.topology.clone(), |sizes| format!("clusters {sizes}"));
    let mut rows = vec![
        row("algorithm", format!("{} ({}) {}", entry.title, entry.id, params.join(" ")).trim_end().into()),
        row("system", format!("{size}, {shape}, {}, {requests}", args.network)),
    ];
    if setup.cells > 1 {
        let placed = args.placement.as_deref().unwrap_or("all at the first node");
        rows.push(row("cells", format!("{}, placed: {placed}", setup.cells)));
    }
    if let Some(line) = entry.lines().find(|l| setup.without == Some(l.id)) {
        rows.push(row("without", format!("line {}: {}", line.id.0, line.text.trim())));
    }
    rows
}

fn row(name: &str, value: String) -> Vec<String> {
    vec![name.to_owned(), value]
}

fn human(args: &Args, entry: &Entry, setup: &Setup, report: &CheckReport) -> String {
    let mut rows = system(args, entry, setup);
    let found = report.violation.as_ref().map_or_else(|| words(report), |v| format!("`{}` is violated", v.invariant));
    rows.extend([
        row("verdict", found),
        row("states", report.states.to_string()),
        row("transitions", report.transitions.to_string()),
        row("depth", report.depth.to_string()),
        row("terminal states", report.terminal.to_string()),
        row("checked", report.invariants.join(", ")),
    ]);
    if let Some(step) = report.violation.as_ref().and_then(|v| v.unavoidable) {
        rows.push(row("unavoidable", format!("from step {step} on")));
    }
    let Some(v) = &report.violation else { return table(&rows) };
    table(&rows) + &schedule("\nThe shortest way there:\n", &v.steps, v.cycle, report.link.as_deref())
}

/// Numbered steps, those that repeat for ever marked, and the command that replays them.
fn schedule(title: &str, steps: &[String], cycle: usize, link: Option<&str>) -> String {
    let mut text = title.to_owned();
    let cycle_from = steps.len() - cycle.min(steps.len());
    for (i, step) in steps.iter().enumerate() {
        if cycle > 0 && i == cycle_from {
            text += "     from here on, for ever:\n";
        }
        text += &format!("{:>4} {step}\n", i + 1);
    }
    if let Some(link) = link {
        text += &format!("\nlockstep replay '{link}'\n");
    }
    text
}
