//! `lockstep check`: every order of events of a small system.

use crate::answer::{Answer, BadInput, count, json, table};
use crate::input;
use lockstep_kernel::explore::{Bounds, Outcome, Verdict, Violation};
use lockstep_kernel::timing::{Delays, Duration, Load, Ranged, Timing};
use lockstep_kernel::world::UNLIMITED;
use lockstep_kernel::{Entry, LineId, Network, NodeId, Setup, Topology};
use lockstep_scenario::link::Link;
use lockstep_scenario::system::{self, Arrangement};
use serde_json::{Value, json};

/// The most nodes and the most threads: far more than anybody can wait for.
const MOST: u64 = 64;
/// The most cells of which every range is tried.
const MOST_CELLS: u16 = 16;
/// The most ways to place the cells that are tried one after the other.
const MOST_PLACEMENTS: usize = 10_000;
const MOST_REQUESTS: u32 = 1_000;
const MOST_STATES: usize = 1_000_000_000;

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
    /// Stop beyond this many states
    #[arg(long, default_value_t = 20_000_000)]
    max_states: usize,
    /// Check the algorithm without this line of its listing
    #[arg(long, value_name = "LINE")]
    without: Option<u8>,
    /// Print one JSON document
    #[arg(long)]
    json: bool,
}

pub fn answer(args: &Args) -> anyhow::Result<Answer> {
    let (entry, setup, bounds) = described(args).map_err(BadInput)?;
    let placed = placements(args.placement.as_deref(), &setup).map_err(|why| BadInput(vec![why]))?;
    let (setup, verdict) = explore(entry, &placed, &bounds);
    let violation = if let Outcome::Violation(v) = &verdict.outcome { Some(v) } else { None };
    let link = violation.and_then(|v| link(entry, &setup, v));
    let mut complaints = Vec::new();
    if let Some(v) = violation {
        complaints.push(format!(
            "`{}` is violated after {} steps: {}.",
            v.invariant,
            v.steps.len(),
            v.why.trim_end_matches('.')
        ));
    }
    let out = if args.json {
        json(&document(entry, &setup, &verdict, violation, link))?
    } else {
        human(args, entry, &setup, &verdict, violation, link)
    };
    Ok(Answer { out, complaints })
}

/// The setup with each placement of its cells that is asked for.
fn placements(text: Option<&str>, setup: &Setup) -> Result<Vec<Setup>, String> {
    let Some(text) = text else { return Ok(vec![setup.clone()]) };
    let hosts = setup.hosts();
    let placed = |placement| Setup { placement, ..setup.clone() };
    if text == "every" {
        let count = hosts.checked_pow(u32::from(setup.cells)).filter(|n| *n <= MOST_PLACEMENTS);
        let count = count.ok_or_else(|| {
            format!("There are more than {MOST_PLACEMENTS} placements; right would be fewer cells or nodes.")
        })?;
        let holder = |i: usize, cell: u16| NodeId((i / hosts.pow(u32::from(cell)) % hosts) as u32);
        return Ok((0..count).map(|i| placed((0..setup.cells).map(|c| holder(i, c)).collect())).collect());
    }
    let holders = text.split(',').map(|name| system::node(setup, name.trim())).collect::<Result<Vec<_>, _>>()?;
    if holders.len() != setup.cells as usize {
        let right = count(setup.cells, "node");
        return Err(format!("`placement` names {}; right would be {right}, one for each cell.", holders.len()));
    }
    Ok(vec![placed(holders)])
}

/// The sum of the verdicts, or the first violation with its system.
fn explore(entry: &Entry, placed: &[Setup], bounds: &Bounds) -> (Setup, Verdict) {
    let mut all: Option<Verdict> = None;
    for setup in placed {
        let verdict = entry.explore(setup, bounds);
        if matches!(verdict.outcome, Outcome::Violation(_)) {
            return (setup.clone(), verdict);
        }
        all = Some(match all {
            None => verdict,
            Some(before) => Verdict {
                states: before.states + verdict.states,
                transitions: before.transitions + verdict.transitions,
                depth: before.depth.max(verdict.depth),
                terminal: before.terminal + verdict.terminal,
                outcome: if before.outcome == Outcome::Bound { Outcome::Bound } else { verdict.outcome },
                invariants: verdict.invariants,
            },
        });
    }
    (placed[0].clone(), all.expect("there is at least one placement"))
}

/// The sizes of clusters: `2+1+1`.
fn cluster_sizes(text: &str) -> Result<Vec<usize>, String> {
    let sizes = text.split('+').map(|size| size.trim().parse().ok().filter(|n| (1..=MOST as usize).contains(n)));
    sizes.collect::<Option<Vec<usize>>>().ok_or_else(|| {
        format!("`{}` are no sizes of clusters; right would be numbers like 2+1+1.", text.escape_default())
    })
}

/// The system that the options describe, or every problem with them.
fn described(args: &Args) -> Result<(&'static Entry, Setup, Bounds), Vec<String>> {
    let mut problems = Vec::new();
    let mut note = |why: String| problems.push(why);
    let entry = lockstep_algorithms::find(&args.algorithm).map_err(&mut note).ok();
    let arrangement = Arrangement::named(&args.topology).map_err(&mut note).ok();
    let clusters = args.clusters.as_deref().and_then(|sizes| cluster_sizes(sizes).map_err(&mut note).ok());
    let arranged = arrangement.and_then(Arrangement::nodes);
    if arranged.is_some() && clusters.is_some() {
        note("Both the topology and `clusters` say what the clusters are; right would be one of them.".into());
    }
    let said = clusters.as_ref().map(|sizes| sizes.iter().sum()).or(arranged).map(|n| n as u64);
    let nodes = args.nodes.or(said).unwrap_or(3);
    if said.is_some_and(|n| n != nodes) {
        note(format!("The clusters do not have {nodes} nodes; right would be to leave their number out."));
    }
    if !(1..=MOST).contains(&nodes) {
        note(format!("{nodes} nodes cannot be explored; right would be 1 to {MOST}, and few."));
    }
    if args.threads == 0 || args.threads.saturating_mul(nodes) > MOST {
        note(format!(
            "{} threads at each node cannot be explored; right would be 1 or more, and at most {MOST} in all.",
            args.threads
        ));
    }
    let network = Network::named(&args.network);
    if network.is_none() {
        let names: Vec<&str> = Network::ALL.iter().map(|(n, _)| *n).collect();
        note(format!("There is no network `{}`; there are {}.", args.network.escape_default(), names.join(", ")));
    }
    let requests = match args.requests.as_str() {
        "unlimited" => Some(UNLIMITED),
        number => number.parse().ok().filter(|n| (1..=MOST_REQUESTS).contains(n)),
    };
    if requests.is_none() {
        let given = args.requests.escape_default();
        note(format!("`requests` is `{given}`; right would be 1 to {MOST_REQUESTS}, or unlimited."));
    }
    if !(1..=MOST_STATES).contains(&args.max_states) {
        note(format!("`max-states` is {}; right would be 1 to {MOST_STATES}.", args.max_states));
    }
    if !(1..=MOST_CELLS).contains(&args.cells) {
        note(format!("`cells` is {}; right would be 1 to {MOST_CELLS}.", args.cells));
    }
    let mut params = None;
    if let Some(entry) = entry {
        if args.cells > 1 && !entry.drive.ranges {
            note(format!("`{}` locks no ranges, so there is one cell; right would be to leave `cells` out.", entry.id));
        }
        if args.cancels > 0 && !entry.drive.cancels {
            note(format!("In `{}` nobody can give up; right would be to leave `cancels` out.", entry.id));
        }
        match input::params(&args.params).map_err(|bad| bad.0).and_then(|given| entry.complete(&given)) {
            Ok(all) => params = Some(all),
            Err(wrong) => wrong.into_iter().for_each(&mut note),
        }
        if let Some(line) = args.without.filter(|line| entry.lines().all(|l| l.id.0 != *line)) {
            note(format!("The listing of `{}` has no line {line}; {}.", entry.id, lines(entry)));
        }
    }
    match (entry, arrangement, network, requests, params) {
        (Some(entry), Some(arrangement), Some(network), Some(requests), Some(params)) if problems.is_empty() => {
            let mut setup = arrangement.setup(nodes as usize, args.threads as u32).on(network);
            if let Some(sizes) = clusters {
                setup = Setup::new(nodes as usize, args.threads as u32, Topology::Star).on(network);
                setup.clusters = (0..).zip(&sizes).flat_map(|(cluster, size)| vec![cluster; *size]).collect();
            }
            setup.params = params;
            setup.cells = args.cells;
            setup.without = args.without.map(LineId);
            Ok((entry, setup, Bounds { requests, cancels: args.cancels, max_states: args.max_states }))
        }
        _ => Err(problems),
    }
}

fn lines(entry: &Entry) -> String {
    let mut lines: Vec<_> = entry.lines().map(|l| (l.id.0, l.text.trim())).collect();
    lines.sort_unstable();
    let lines: Vec<String> = lines.iter().map(|(n, text)| format!("{n} ({text})")).collect();
    format!("it has {}", lines.join(", "))
}

/// The counterexample as a link. Exploration knows no time, so the link's durations are merely pleasant to watch.
fn link(entry: &'static Entry, setup: &Setup, violation: &Violation) -> Option<String> {
    let timing = Timing {
        load: Load::ByHand,
        section: Duration::Const(0.5),
        delays: Delays::everywhere(Duration::Const(0.1)),
        seed: 1,
        ranged: Ranged::default(),
    };
    Link::from_events(entry, setup, &timing, &violation.events).ok().map(|link| link.encode())
}

fn name(outcome: &Outcome) -> &'static str {
    match outcome {
        Outcome::Ok => "ok",
        Outcome::Bound => "bound",
        Outcome::Violation(_) => "violation",
    }
}

fn document(
    entry: &Entry,
    setup: &Setup,
    verdict: &Verdict,
    violation: Option<&Violation>,
    link: Option<String>,
) -> Value {
    let violation =
        violation.map(|v| json!({ "invariant": v.invariant, "why": v.why, "steps": v.steps, "cycle": v.cycle }));
    let mut document = json!({
        "algorithm": entry.id,
        "verdict": name(&verdict.outcome),
        "states": verdict.states,
        "transitions": verdict.transitions,
        "depth": verdict.depth,
        "terminal": verdict.terminal,
        "invariants": verdict.invariants,
        "violation": violation,
        "link": link,
    });
    if let Some(line) = setup.without {
        document["without"] = line.0.into();
    }
    document
}

fn human(
    args: &Args,
    entry: &Entry,
    setup: &Setup,
    verdict: &Verdict,
    violation: Option<&Violation>,
    link: Option<String>,
) -> String {
    let params: Vec<String> = setup.params.0.iter().map(|(name, value)| format!("{name}={value}")).collect();
    let requests = if args.requests == "unlimited" {
        "requests without end".into()
    } else {
        format!("{} per node", count(&args.requests, "request"))
    };
    let size = format!("{} × {}", count(setup.nodes(), "node"), count(args.threads, "thread"));
    let shape = args.clusters.as_ref().map_or(args.topology.clone(), |sizes| format!("clusters {sizes}"));
    let found = match &verdict.outcome {
        Outcome::Ok => "no violation found in any state".to_owned(),
        Outcome::Bound => format!("no violation found in the first {} states; there are more", verdict.states),
        Outcome::Violation(v) => format!("`{}` is violated", v.invariant),
    };
    let row = |name: &str, value: String| vec![name.to_owned(), value];
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
    rows.extend([
        row("verdict", found),
        row("states", verdict.states.to_string()),
        row("transitions", verdict.transitions.to_string()),
        row("depth", verdict.depth.to_string()),
        row("terminal states", verdict.terminal.to_string()),
        row("checked", verdict.invariants.join(", ")),
    ]);
    let mut text = table(&rows);
    if let Some(v) = violation {
        text += "\nThe shortest way there:\n";
        let cycle_from = v.steps.len() - v.cycle.min(v.steps.len());
        for (i, step) in v.steps.iter().enumerate() {
            if v.cycle > 0 && i == cycle_from {
                text += "     from here on, for ever:\n";
            }
            text += &format!("{:>4} {step}\n", i + 1);
        }
        if let Some(link) = link {
            text += &format!("\nlockstep replay '{link}'\n");
        }
    }
    text
}
