//! Reads a link. Whatever the text is, the answer is a valid link or sentences.

use super::fields::Fields;
use super::{FIELDS, Link, MOST_BYTES, MOST_CHOICES};
use crate::header::find_line;
use crate::quoted;
use crate::system::{self, LONGEST, MOST_NODES, RATES};
use lockstep_kernel::timing::{Delays, Duration, Load, RangeTiming, Timing};
use lockstep_kernel::{Entry, LineId, Network, NodeId, Params, Setup, ThreadId, Topology, sort};

/// The most timed requests of a link.
const MOST_TIMES: usize = 10_000;

pub fn decode(text: &str) -> Result<Link, Vec<String>> {
    if text.len() > MOST_BYTES {
        let kilobytes = text.len().div_ceil(1024);
        return Err(vec![format!("The link has {kilobytes} KB; right would be at most {} KB.", MOST_BYTES / 1024)]);
    }
    // an address may stand before it
    let text = text.trim().rsplit(['#', '?']).next().unwrap_or_default();
    let mut fields = Fields::of(text);
    let version = fields.get("v").map(str::to_owned);
    match version.as_deref() {
        Some("1") => {}
        Some(other) => fields.wrong(format!("The link has version {}; this program reads version 1.", quoted(other))),
        None => {
            fields.wrong(format!("{} is not a link; right would be v=1&a=alien&n=3&….", quoted(text)));
            return Err(fields.problems);
        }
    }
    let algorithm = fields.algorithm();
    let setup = fields.setup(algorithm);
    let timing = fields.timing(setup.as_ref().map_or(0, Setup::all_threads));
    let choices = fields.choices();
    let at = fields.number("at", choices.len() as u64, choices.len() as u64) as usize;
    match (algorithm, setup) {
        (Some(algorithm), Some(setup)) if fields.problems.is_empty() => {
            Ok(Link { algorithm, setup, timing, choices, at })
        }
        _ => Err(fields.problems),
    }
}

impl Fields {
    fn algorithm(&mut self) -> Option<&'static Entry> {
        let id = self.get("a").unwrap_or_default().to_owned();
        lockstep_algorithms::find(&id).map_err(|why| self.wrong(why)).ok()
    }

    fn setup(&mut self, algorithm: Option<&Entry>) -> Option<Setup> {
        let nodes = self.number("n", 0, MOST_NODES as u64) as usize;
        if nodes == 0 {
            if self.get("n").is_none_or(|n| n == "0") {
                self.wrong(format!("The link has no nodes; right would be n=3, and at most {MOST_NODES}."));
            }
            return None;
        }
        let mut setup = Setup::new(nodes, 1, Topology::Chain);
        if let Some(list) = self.numbers("t", system::MOST_THREADS) {
            match list.as_slice() {
                [all] => setup.threads = vec![*all; nodes],
                _ => setup.threads = self.for_each_node("t", nodes, list).unwrap_or(setup.threads),
            }
        }
        self.pointers(&mut setup);
        if let Some(names) = self.get("names").map(str::to_owned) {
            let names: Vec<String> = names.split('.').map(str::to_owned).collect();
            let mut sorted = names.clone();
            sort::by(&mut sorted, Ord::cmp);
            sorted.dedup();
            if let Some(why) = names.iter().find_map(|n| system::check_name(n).err()) {
                self.wrong(why);
            } else if sorted.len() < names.len() {
                self.wrong("Two nodes have the same name; right would be different names.".into());
            }
            setup.names = self.for_each_node("names", nodes, names).unwrap_or(setup.names);
        }
        if let Some(list) = self.numbers("clusters", MOST_NODES as u32) {
            setup.clusters = self.for_each_node("clusters", nodes, list).unwrap_or(setup.clusters);
        }
        setup.cells = self.number("cells", 1, u64::from(u16::MAX)).max(1) as u16;
        if let Some(list) = self.numbers("placement", nodes as u32) {
            let cells = usize::from(setup.cells);
            if list.len() > cells || list.contains(&0) {
                self.wrong(format!(
                    "`placement` does not fit {cells} cells; right would be a node from 1 to {nodes} for each."
                ));
            } else {
                setup.placement = list.iter().map(|n| NodeId(n - 1)).collect();
            }
        }
        if let Some(name) = self.get("net").map(str::to_owned) {
            match Network::named(&name) {
                Some(network) => setup.network = network,
                None => {
                    let names: Vec<&str> = Network::ALL.iter().map(|(n, _)| *n).collect();
                    self.wrong(format!("There is no network {}; there are {}.", quoted(&name), names.join(", ")));
                }
            }
        }
        if let Some(algorithm) = algorithm {
            self.of_algorithm(&mut setup, algorithm);
        }
        system::check_sizes(&setup).map_err(|why| self.wrong(why)).ok()?;
        Some(setup)
    }

    fn pointers(&mut self, setup: &mut Setup) {
        let Some(top) = self.get("top").map(str::to_owned) else { return };
        if let Some(topology) = Topology::named(&top) {
            setup.parents = Setup::new(setup.nodes(), 1, topology).parents;
        } else if top.starts_with(|c: char| c.is_ascii_digit()) {
            let list = self.numbers("top", setup.nodes() as u32).unwrap_or_default();
            if let Some(list) = self.for_each_node("top", setup.nodes(), list) {
                setup.parents = list.iter().map(|n| NodeId(n.saturating_sub(1))).collect();
                if let Err(why) = system::check_parents(setup) {
                    self.wrong(why);
                }
            }
        } else {
            let names: Vec<&str> = Topology::ALL.iter().map(|(n, _)| *n).collect();
            self.wrong(format!("There is no topology {}; there are {}.", quoted(&top), names.join(", ")));
        }
    }

    fn of_algorithm(&mut self, setup: &mut Setup, algorithm: &Entry) {
        let given = self.fields.iter().filter(|(name, _)| !FIELDS.contains(&name.as_str()));
        let given = Params(given.map(|(n, v)| (n.clone(), v.clone())).collect());
        match algorithm.complete(&given) {
            Ok(params) => setup.params = params,
            Err(problems) => problems.into_iter().for_each(|why| self.wrong(why)),
        }
        if self.get("without").is_some() {
            let line = LineId(self.number("without", 0, 255) as u8);
            match find_line(algorithm, line) {
                Ok(line) => setup.without = Some(line),
                Err(why) => self.wrong(why),
            }
        }
    }

    fn timing(&mut self, threads: usize) -> Timing {
        let load = match self.get("load").map(str::to_owned) {
            None => Load::ByHand,
            Some(text) => load(&text, threads).unwrap_or_else(|why| {
                self.wrong(why);
                Load::ByHand
            }),
        };
        let section = self.duration("section").unwrap_or(Duration::Const(0.5));
        let local = self.duration("delay").unwrap_or(Duration::Const(0.1));
        let global = self.duration("far").unwrap_or(local);
        Timing {
            load,
            section,
            delays: Delays { local, global },
            seed: self.number("seed", 1, u64::MAX),
            ranged: self.ranged(),
        }
    }

    fn ranged(&mut self) -> RangeTiming {
        let mut ranged = RangeTiming::default();
        if let Some(text) = self.get("range").map(str::to_owned) {
            ranged.share = system::share(&text).unwrap_or_else(|why| {
                self.wrong(why);
                1.0
            });
        }
        if let Some(text) = self.get("per_cell").map(str::to_owned) {
            match text.parse().ok().filter(|x| (0.0..=1.0).contains(x)) {
                Some(time) => ranged.per_cell = time,
                None => self.wrong(format!("`per_cell` is {}; right would be a number from 0 to 1.", quoted(&text))),
            }
        }
        ranged.aligned = self.number("aligned", 0, 1) == 1;
        ranged.blocking = self.number("blocking", 0, 1) == 1;
        ranged
    }

    fn duration(&mut self, name: &str) -> Option<Duration> {
        let text = self.get(name)?.to_owned();
        system::duration(&text).map_err(|why| self.wrong(why)).ok()
    }

    fn choices(&mut self) -> Vec<u32> {
        let Some(text) = self.get("c").filter(|c| !c.is_empty()).map(str::to_owned) else { return Vec::new() };
        choices(&text).unwrap_or_else(|why| {
            self.wrong(why);
            Vec::new()
        })
    }
}

fn load(text: &str, threads: usize) -> Result<Load, String> {
    let wrong = || format!("`load` is {}; right would be by-hand, rate:0.5 or think:20:exp:0.5.", quoted(text));
    match text.split_once(':').unwrap_or((text, "")) {
        ("by-hand", "") => Ok(Load::ByHand),
        ("rate", rate) => rate.parse().ok().filter(|r| RATES.contains(r)).map(Load::Poisson).ok_or_else(wrong),
        ("think", rest) => {
            let (requests, think) = rest.split_once(':').ok_or_else(wrong)?;
            let requests = requests.parse().ok().filter(|n| (1..=1_000_000).contains(n)).ok_or_else(wrong)?;
            let (think, first) = think.split_once(":first:").unwrap_or((think, think));
            Ok(Load::Closed { first: system::duration(first)?, think: system::duration(think)?, requests })
        }
        ("script", times) => {
            let read = |item: &str| {
                let (thread, time) = item.split_once('@')?;
                let thread = thread.parse().ok().filter(|t| (*t as usize) < threads)?;
                let time = time.parse::<f64>().ok().filter(|t| (0.0..=LONGEST).contains(t))?;
                Some((time, ThreadId(thread)))
            };
            let times: Option<Vec<_>> = times.split(',').filter(|t| !t.is_empty()).take(MOST_TIMES).map(read).collect();
            times.map(Load::Script).ok_or_else(wrong)
        }
        _ => Err(wrong()),
    }
}

fn choices(text: &str) -> Result<Vec<u32>, String> {
    let mut choices = Vec::new();
    for part in text.split('.') {
        let (choice, times) = part.split_once('*').unwrap_or((part, "1"));
        let (Ok(choice), Ok(times)) = (u32::from_str_radix(choice, 36), times.parse::<usize>()) else {
            return Err(format!(
                "`c` holds {}; right would be numbers in base 36 with dots between them, as 0.4.1*3.a.",
                quoted(part)
            ));
        };
        if times > MOST_CHOICES - choices.len() {
            return Err(format!("The link has too many steps; right would be at most {MOST_CHOICES}."));
        }
        choices.resize(choices.len() + times, choice);
    }
    Ok(choices)
}
