//! From words to a system that can be explored, or every problem with them.

use crate::check::{Check, MOST_REQUESTS};
use crate::{CheckRun, Requests};
use lockstep_kernel::explore::{self, Bounds, symmetry};
use lockstep_kernel::{Algorithm, Entry, LineId, Network, NodeId, Setup, Topology, sort};
use lockstep_scenario::system::{self, Arrangement};

/// The most nodes and the most threads: far more than anybody can wait for.
const MOST: u64 = 64;
/// The most cells of which every range is tried.
const MOST_CELLS: u16 = 16;
/// The most ways to place the cells that are tried one after the other.
const MOST_PLACEMENTS: usize = 10_000;
const MOST_STATES: usize = 1_000_000_000;
/// The most memory that a check may ask for, in megabytes.
pub const MOST_MEGABYTES: usize = 1_000_000;

/// A check that can begin.
pub struct Prepared {
    /// The algorithm.
    pub entry: &'static Entry,
    /// The system, once for each placement of the cells that is asked for.
    pub setups: Vec<Setup>,
    /// How far to explore.
    pub bounds: Bounds,
    /// Memory at which to stop, in bytes.
    pub max_bytes: usize,
    /// For how many states one may stand, by symmetry.
    pub alike: usize,
}

impl Prepared {
    /// The names of what is looked for in every state and over all of them.
    pub fn invariants(&self) -> Vec<&'static str> {
        let system = (self.entry.drive.system)(self.setups[0].clone());
        explore::invariants(&system, &self.bounds)
    }

    /// An exploration at its beginning.
    pub fn start(self) -> CheckRun {
        CheckRun::new(self)
    }
}

/// Reads a check; every problem is a sentence that says what would be right.
pub fn prepare(check: &Check) -> Result<Prepared, Vec<String>> {
    prepare_with(lockstep_algorithms::find(&check.algorithm), check)
}

/// The same for an algorithm that was found elsewhere.
pub fn prepare_with(entry: Result<&'static Entry, String>, check: &Check) -> Result<Prepared, Vec<String>> {
    let mut problems = Vec::new();
    let entry = entry.map_err(|why| problems.push(why)).ok();
    sizes(check, &mut problems);
    let setup = setup(check, &mut problems);
    let params = entry.and_then(|entry| of_algorithm(check, entry, &mut problems));
    let (Some(entry), Some(mut setup), Some(params)) = (entry, setup, params) else { return Err(problems) };
    if !problems.is_empty() {
        return Err(problems);
    }
    setup.params = params;
    let setups = placements(check.placement.as_deref(), &setup).map_err(|why| vec![why])?;
    let bounds = Bounds {
        requests: check.requests.number(),
        cancels: check.cancels,
        crashes: check.crashes,
        max_states: check.max_states,
        symmetry: check.symmetry,
    };
    let alike = if check.symmetry { alike(check, entry, &setups[0], &bounds).map_err(|why| vec![why])? } else { 1 };
    Ok(Prepared { entry, setups, bounds, max_bytes: check.max_megabytes.saturating_mul(1_000_000), alike })
}

/// How many states can differ only by the names of nodes that begin alike.
fn alike(check: &Check, entry: &Entry, setup: &Setup, bounds: &Bounds) -> Result<usize, String> {
    if check.requests == Requests::Unlimited {
        return Err("Who starves has a name, so symmetry cannot be used; right would be a number of requests.".into());
    }
    let system = (entry.drive.system)(setup.clone());
    if !system.algorithm.anonymous() {
        return Err(format!(
            "`{}` does more with the names of nodes than to compare them, so symmetry cannot be used; right would be to leave it out.",
            entry.id
        ));
    }
    match symmetry::renamings(&system, &explore::first(&system, bounds)).len() {
        0 => Err("So many nodes have too many renamings; right would be at most seven, or no symmetry.".into()),
        1 => Err("No two nodes of this system begin alike, so symmetry saves nothing; right would be a star, or no symmetry.".into()),
        alike => Ok(alike),
    }
}

/// What is wrong with the numbers.
fn sizes(check: &Check, problems: &mut Vec<String>) {
    let mut note = |why: String| problems.push(why);
    if let Requests::Limited(number) = check.requests
        && !(1..=MOST_REQUESTS).contains(&number)
    {
        note(format!("`requests` is `{number}`; right would be 1 to {MOST_REQUESTS}, or unlimited."));
    }
    if !(1..=MOST_STATES).contains(&check.max_states) {
        note(format!("`max-states` is {}; right would be 1 to {MOST_STATES}.", check.max_states));
    }
    if !(1..=MOST_MEGABYTES).contains(&check.max_megabytes) {
        note(format!("`max-megabytes` is {}; right would be 1 to {MOST_MEGABYTES}.", check.max_megabytes));
    }
    if !(1..=MOST_CELLS).contains(&check.cells) {
        note(format!("`cells` is {}; right would be 1 to {MOST_CELLS}.", check.cells));
    }
    if check.symmetry && check.placement.as_deref() == Some("every") {
        note("Every placement is tried by itself, and symmetry looks at one; right would be one of the two.".into());
    }
    if check.crashes > 1 {
        note(format!("`crashes` is {}; right would be 0 or 1.", check.crashes));
    }
}

/// The system without what only the algorithm can judge.
fn setup(check: &Check, problems: &mut Vec<String>) -> Option<Setup> {
    let mut note = |why: String| problems.push(why);
    let arrangement = Arrangement::named(&check.topology).map_err(&mut note).ok();
    let clusters = check.clusters.as_deref().and_then(|sizes| cluster_sizes(sizes).map_err(&mut note).ok());
    let arranged = arrangement.and_then(Arrangement::nodes);
    if arranged.is_some() && clusters.is_some() {
        note("Both the topology and `clusters` say what the clusters are; right would be one of them.".into());
    }
    let said = clusters.as_ref().map(|sizes| sizes.iter().sum()).or(arranged).map(|n| n as u64);
    let nodes = check.nodes.or(said).unwrap_or(3);
    if said.is_some_and(|n| n != nodes) {
        note(format!("The clusters do not have {nodes} nodes; right would be to leave their number out."));
    }
    if !(1..=MOST).contains(&nodes) {
        note(format!("{nodes} nodes cannot be explored; right would be 1 to {MOST}, and few."));
    }
    if check.threads == 0 || check.threads.saturating_mul(nodes) > MOST {
        note(format!(
            "{} threads at each node cannot be explored; right would be 1 or more, and at most {MOST} in all.",
            check.threads
        ));
    }
    let network = Network::named(&check.network);
    if network.is_none() {
        let names: Vec<&str> = Network::ALL.iter().map(|(n, _)| *n).collect();
        let given: String = check.network.escape_default().take(60).collect();
        note(format!("There is no network `{given}`; there are {}.", names.join(", ")));
    }
    if !problems.is_empty() {
        return None;
    }
    let mut setup = arrangement?.setup(nodes as usize, check.threads as u32);
    if let Some(sizes) = clusters {
        setup = Setup::new(nodes as usize, check.threads as u32, Topology::Star);
        setup.clusters = (0..).zip(&sizes).flat_map(|(cluster, size)| vec![cluster; *size]).collect();
    }
    setup.cells = check.cells;
    setup.without = check.without.map(LineId);
    Some(setup.on(network?))
}

/// The algorithm's parameters, and what is wrong with them and with what it cannot do.
fn of_algorithm(check: &Check, entry: &Entry, problems: &mut Vec<String>) -> Option<lockstep_kernel::Params> {
    let mut note = |why: String| problems.push(why);
    if check.cells > 1 && !entry.drive.ranges {
        note(format!("`{}` locks no ranges, so there is one cell; right would be to leave `cells` out.", entry.id));
    }
    if check.cancels > 0 && !entry.drive.cancels {
        note(format!("In `{}` nobody can give up; right would be to leave `cancels` out.", entry.id));
    }
    if let Some(line) = check.without.filter(|line| entry.lines().all(|l| l.id.0 != *line)) {
        note(format!("The listing of `{}` has no line {line}; {}.", entry.id, listed(entry)));
    }
    entry.complete(&check.params).map_err(|wrong| wrong.into_iter().for_each(note)).ok()
}

fn listed(entry: &Entry) -> String {
    let mut lines: Vec<_> = entry.lines().map(|l| (l.id.0, l.text.trim())).collect();
    sort::by(&mut lines, Ord::cmp);
    let lines: Vec<String> = lines.iter().map(|(n, text)| format!("{n} ({text})")).collect();
    format!("it has {}", lines.join(", "))
}

/// The sizes of clusters: `2+1+1`.
fn cluster_sizes(text: &str) -> Result<Vec<usize>, String> {
    let sizes = text.split('+').map(|size| size.trim().parse().ok().filter(|n| (1..=MOST as usize).contains(n)));
    sizes.collect::<Option<Vec<usize>>>().ok_or_else(|| {
        let given: String = text.escape_default().take(60).collect();
        format!("`{given}` are no sizes of clusters; right would be numbers like 2+1+1.")
    })
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
        let right = if setup.cells == 1 { "1 node".into() } else { format!("{} nodes", setup.cells) };
        return Err(format!("`placement` names {}; right would be {right}, one for each cell.", holders.len()));
    }
    Ok(vec![placed(holders)])
}
