//! The head of a scenario file: algorithm, system, load, durations.

use crate::durations;
use crate::quoted;
use crate::reader::{Fields, Report, Value, scalar, shown};
use crate::system::{self, Arrangement, MOST_NODES, MOST_THREADS};
use lockstep_kernel::timing::Timing;
use lockstep_kernel::{Entry, LineId, Network, Params, Setup, Topology, sort};

/// What the head of a file says.
pub struct Head {
    pub algorithm: &'static Entry,
    pub setup: Setup,
    pub timing: Timing,
}

impl Head {
    /// The system with the nodes that the algorithm adds, as far as it is fit to begin.
    pub fn arranged(&self) -> Setup {
        if system::check_sizes(&self.setup).and_then(|()| system::check_parents(&self.setup)).is_err() {
            return self.setup.clone();
        }
        (self.algorithm.drive.boot)(self.setup.clone(), &self.timing).setup().clone()
    }
}

/// Reads the head; `None` where there is no system to go on with.
pub fn read(fields: &mut Fields<'_, '_>, report: &mut Report<'_>) -> Option<Head> {
    let algorithm = algorithm(fields, report);
    let setup = setup(fields, report, algorithm);
    let timing = durations::read(fields, report, setup.as_ref());
    Some(Head { algorithm: algorithm?, setup: setup?, timing })
}

fn algorithm(fields: &mut Fields<'_, '_>, report: &mut Report<'_>) -> Option<&'static Entry> {
    if fields.get("algorithm").is_none() {
        report.add(fields.span(), "The scenario has no `algorithm`; right would be `algorithm = \"alien\"`.");
    }
    let (id, span) = fields.text(report, "algorithm")?;
    lockstep_algorithms::find(&id).map_err(|why| report.add(span, why)).ok()
}

fn setup(fields: &mut Fields<'_, '_>, report: &mut Report<'_>, algorithm: Option<&Entry>) -> Option<Setup> {
    let arrangement = match fields.text(report, "topology") {
        None => Some(Arrangement::Plain(Topology::Chain)),
        Some((name, span)) => Arrangement::named(&name).map_err(|why| report.add(span, why)).ok(),
    };
    let said = arrangement.and_then(Arrangement::nodes);
    let nodes = match fields.get("nodes") {
        None if said.is_none() && arrangement.is_some() => {
            report.add(fields.span(), "The scenario has no `nodes`; right would be `nodes = 3`.");
            None
        }
        None => said,
        Some(value) => {
            let nodes = report.whole("`nodes`", value, 1..MOST_NODES as u64 + 1).map(|n| n as usize);
            if let (Some(n), Some(said)) = (nodes, said)
                && n != said
            {
                report.add(
                    value.span(),
                    format!("`nodes` is {n}, but the clusters have {said} nodes; right would be to leave it out."),
                );
            }
            nodes
        }
    };
    let mut setup = arrangement.zip(nodes).map(|(a, n)| a.setup(n.min(MOST_NODES), 1));
    let mut scratch = Setup::new(0, 1, Topology::Chain);
    let known = setup.is_some();
    let system = setup.as_mut().unwrap_or(&mut scratch);
    threads(fields, report, system, known);
    names(fields, report, system, known);
    clusters(fields, report, system, known);
    parents(fields, report, system, known);
    if let Some((name, span)) = fields.text(report, "network") {
        let names: Vec<&str> = Network::ALL.iter().map(|(n, _)| *n).collect();
        match Network::named(&name) {
            Some(network) => system.network = network,
            None => report.add(span, format!("There is no network {}; there are {}.", quoted(&name), names.join(", "))),
        }
    }
    cells(fields, report, system);
    params(fields, report, system, algorithm);
    without(fields, report, system, algorithm);
    if known && let Err(why) = system::check_sizes(system) {
        report.add(fields.get("threads").map_or(fields.span(), Value::span), why);
    }
    setup
}

fn threads(fields: &mut Fields<'_, '_>, report: &mut Report<'_>, setup: &mut Setup, known: bool) {
    let Some(value) = fields.get("threads") else { return };
    let range = 0..u64::from(MOST_THREADS) + 1;
    if value.get_ref().is_array() {
        let list = report.list("`threads`", value);
        let counts: Vec<Option<u64>> =
            list.iter().map(|v| report.whole("The number of threads", v, range.clone())).collect();
        if known && counts.len() != setup.nodes() {
            let (given, nodes) = (counts.len(), setup.nodes());
            report.add(
                value.span(),
                format!("`threads` lists {given} numbers for {nodes} nodes; right would be one for each node."),
            );
        } else {
            setup.threads = counts.into_iter().map(|c| c.unwrap_or(1) as u32).collect();
        }
    } else if let Some(count) = report.whole("`threads`", value, 1..range.end) {
        setup.threads = vec![count as u32; setup.nodes()];
    }
}

fn names(fields: &mut Fields<'_, '_>, report: &mut Report<'_>, setup: &mut Setup, known: bool) {
    let Some(value) = fields.get("names") else { return };
    let names = report.texts("`names`", value);
    for (i, (name, _)) in names.iter().enumerate() {
        if let Err(why) = system::check_name(name) {
            report.add(value.span(), why);
        } else if names[..i].iter().any(|(n, _)| n == name) {
            report.add(value.span(), format!("Two nodes are named {}; right would be different names.", quoted(name)));
        }
    }
    if !known {
    } else if names.len() == setup.nodes() {
        setup.names = names.into_iter().map(|(n, _)| n).collect();
    } else {
        let (given, nodes) = (names.len(), setup.nodes());
        report.add(
            value.span(),
            format!("`names` lists {given} names for {nodes} nodes; right would be one for each node."),
        );
    }
}

fn parents(fields: &mut Fields<'_, '_>, report: &mut Report<'_>, setup: &mut Setup, known: bool) {
    let Some(value) = fields.get("parents") else { return };
    let Some(table) = report.table("`parents`", value).filter(|_| known) else { return };
    let mut parents: Vec<_> = setup.ids().collect();
    let mut fine = true;
    for (child, span, parent) in table.all() {
        let to = report
            .text("A parent", parent)
            .and_then(|p| system::node(setup, &p).map_err(|why| report.add(parent.span(), why)).ok());
        match (system::node(setup, child), to) {
            (Ok(child), Some(to)) => parents[child.index()] = to,
            (Err(why), _) => {
                report.add(span, why);
                fine = false;
            }
            (_, None) => fine = false,
        }
    }
    setup.parents = parents;
    if fine && let Err(why) = system::check_parents(setup) {
        report.add(value.span(), why);
    }
}

/// Which nodes are near each other: one list of names for each cluster.
fn clusters(fields: &mut Fields<'_, '_>, report: &mut Report<'_>, setup: &mut Setup, known: bool) {
    let Some(value) = fields.get("clusters") else { return };
    let mut of: Vec<Option<u32>> = vec![None; setup.nodes()];
    let mut fine = value.get_ref().is_array();
    for (cluster, list) in (0..).zip(report.list("`clusters`", value)) {
        for item in report.list("A cluster", list) {
            let Some(name) = report.text("A node of a cluster", item).filter(|_| known) else {
                fine = false;
                continue;
            };
            let placed = system::node(setup, &name).and_then(|node| match of[node.index()].replace(cluster) {
                None => Ok(()),
                Some(_) => Err(format!("{} is in two clusters; right would be one.", quoted(&name))),
            });
            if let Err(why) = placed {
                report.add(item.span(), why);
                fine = false;
            }
        }
    }
    let missing = of.iter().position(Option::is_none);
    if let Some(node) = missing.filter(|_| fine && known) {
        report.add(
            value.span(),
            format!("{} is in no cluster; right would be each node in one.", quoted(&setup.names[node])),
        );
    }
    setup.clusters = of.into_iter().map(|c| c.unwrap_or(0)).collect();
}

/// The cells of a divided resource, and where each is at the beginning.
fn cells(fields: &mut Fields<'_, '_>, report: &mut Report<'_>, setup: &mut Setup) {
    if let Some(count) = fields.get("cells").and_then(|v| report.whole("`cells`", v, 1..65_536)) {
        setup.cells = count as u16;
    }
    let Some(value) = fields.get("placement") else { return };
    for (name, _) in report.texts("`placement`", value) {
        match system::node(setup, &name) {
            Ok(node) => setup.placement.push(node),
            Err(why) => report.add(value.span(), why),
        }
    }
    if setup.placement.len() > usize::from(setup.cells) {
        let (given, cells) = (setup.placement.len(), setup.cells);
        report.add(
            value.span(),
            format!("`placement` lists {given} cells of {cells}; right would be one node for each cell."),
        );
    }
}

fn params(fields: &mut Fields<'_, '_>, report: &mut Report<'_>, setup: &mut Setup, algorithm: Option<&Entry>) {
    let mut given = Params::default();
    if let Some(value) = fields.get("params")
        && let Some(table) = report.table("`params`", value)
    {
        for (name, _, value) in table.all() {
            let Some(text) = scalar(value) else {
                report.add(
                    value.span(),
                    format!("The parameter {} is {}; right would be a text.", quoted(name), shown(value)),
                );
                continue;
            };
            let one = Params::default().with(name, &text);
            match algorithm.map(|a| a.complete(&one)) {
                Some(Err(problems)) => problems.into_iter().for_each(|why| report.add(value.span(), why)),
                _ => given = given.with(name, &text),
            }
        }
    }
    if let Some(Ok(all)) = algorithm.map(|a| a.complete(&given)) {
        setup.params = all;
    }
}

fn without(fields: &mut Fields<'_, '_>, report: &mut Report<'_>, setup: &mut Setup, algorithm: Option<&Entry>) {
    let Some(value) = fields.get("without") else { return };
    // by its number, or by the words that it begins with
    let line = match (value.get_ref().as_str(), algorithm) {
        (Some(words), Some(algorithm)) => line_beginning(algorithm, words),
        (Some(_), None) => return,
        (None, _) => {
            let Some(number) = report.whole("`without`", value, 0..256) else { return };
            let line = LineId(number as u8);
            algorithm.map_or(Ok(line), |a| find_line(a, line))
        }
    };
    match line {
        Ok(line) => setup.without = Some(line),
        Err(why) => report.add(value.span(), why),
    }
}

/// The line of a listing that begins with these words.
fn line_beginning(algorithm: &Entry, words: &str) -> Result<LineId, String> {
    let begins = |text: &str| text.trim_start().starts_with(words.trim_start());
    let found: Vec<LineId> = algorithm.lines().filter(|l| begins(l.text)).map(|l| l.id).collect();
    match found.as_slice() {
        [line] => Ok(*line),
        [] => {
            let lines: Vec<String> = algorithm.lines().map(|l| format!("`{}`", l.text.trim())).collect();
            Err(format!(
                "No line of the listing of `{}` begins with {}; it has {}.",
                algorithm.id,
                quoted(words),
                lines.join(", ")
            ))
        }
        _ => Err(format!(
            "{} lines of the listing of `{}` begin with {}; right would be more of its words.",
            found.len(),
            algorithm.id,
            quoted(words)
        )),
    }
}

/// A line of an algorithm's listing, or a sentence that says which there are.
pub fn find_line(algorithm: &Entry, line: LineId) -> Result<LineId, String> {
    if algorithm.lines().any(|l| l.id == line) {
        return Ok(line);
    }
    let mut numbers: Vec<u8> = algorithm.lines().map(|l| l.id.0).collect();
    sort::by(&mut numbers, Ord::cmp);
    let numbers: Vec<String> = numbers.iter().map(u8::to_string).collect();
    Err(format!("The listing of `{}` has no line {}; it has {}.", algorithm.id, line.0, numbers.join(", ")))
}
