//! `resolve`: from the values of a spec to a system of the kernel, or every problem with them.

use crate::{Bound, Field, Limits, Spec, Use, grouped, quoted};
use lockstep_kernel::timing::{Delays, Duration, Load, RangeTiming, Timing};
use lockstep_kernel::world::UNLIMITED;
use lockstep_kernel::{Entry, LineId, Network, NodeId, Params, Setup, ThreadId, Topology, sort};
use std::fmt;

/// A system that can begin: what a valid [`Spec`] describes.
#[derive(Clone)]
pub struct Model {
    /// The algorithm.
    pub algorithm: &'static Entry,
    /// The system with every parameter set, without nodes that the algorithm adds by itself.
    pub setup: Setup,
    /// Load, durations, seed.
    pub timing: Timing,
}

/// What is wrong with a field.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Problem {
    /// The field, or `params.` and the parameter.
    pub field: String,
    /// The value and what is expected, as one sentence.
    pub message: String,
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.field.trim_start_matches("params."), self.message)
    }
}

/// Every problem as one sentence.
pub fn sentences(problems: Vec<Problem>) -> Vec<String> {
    problems.iter().map(ToString::to_string).collect()
}

/// Resolves a spec with the algorithms at hand.
pub fn resolve(spec: &Spec, limits: &Limits) -> Result<Model, Vec<Problem>> {
    let mut resolver = Resolver::new(spec, limits);
    resolver.run();
    resolver.finish()
}

/// Resolves a spec field by field and collects the problems.
pub struct Resolver<'a> {
    /// What was written.
    pub spec: &'a Spec,
    /// How large the system may be.
    pub limits: &'a Limits,
    /// The algorithm, if it is known.
    pub entry: Option<&'static Entry>,
    /// The system so far.
    pub setup: Setup,
    /// Its timing so far.
    pub timing: Timing,
    /// What is wrong so far.
    pub problems: Vec<Problem>,
    /// Whether the number of nodes is known, so that lists of nodes can be judged.
    pub(crate) sized: bool,
}

impl<'a> Resolver<'a> {
    /// Looks the algorithm up among those at hand.
    pub fn new(spec: &'a Spec, limits: &'a Limits) -> Self {
        let id = spec.algorithm.as_deref().unwrap_or_default();
        Self::with(lockstep_algorithms::find(id), spec, limits)
    }

    /// For an algorithm that was found elsewhere.
    pub fn with(entry: Result<&'static Entry, String>, spec: &'a Spec, limits: &'a Limits) -> Self {
        let timing = Timing {
            load: Load::ByHand,
            section: Duration::Const(0.0),
            delays: Delays::everywhere(Duration::Const(0.0)),
            seed: 1,
            ranged: RangeTiming::default(),
        };
        let setup = Setup::new(0, 1, Topology::Chain);
        let mut resolver = Resolver { spec, limits, entry: None, setup, timing, problems: Vec::new(), sized: false };
        match entry {
            Ok(entry) => resolver.entry = Some(entry),
            Err(_) => {
                let ids: Vec<&str> = lockstep_algorithms::KNOWN.iter().map(|info| info.id).collect();
                resolver.wrong("algorithm", format!("one of {}", ids.join(", ")));
            }
        }
        resolver
    }

    /// Applies every row that the use has.
    pub fn run(&mut self) {
        Field::of(self.limits.of).for_each(|field| (field.apply)(self));
        if self.limits.of == Use::Measure {
            self.load();
        }
        if self.sized {
            self.size();
        }
    }

    /// The system, if nothing is wrong.
    pub fn finish(mut self) -> Result<Model, Vec<Problem>> {
        match self.entry {
            Some(algorithm) if self.problems.is_empty() => {
                Ok(Model { algorithm, setup: self.setup, timing: self.timing })
            }
            _ => {
                self.problems.dedup();
                Err(self.problems)
            }
        }
    }

    /// The text of a field: what was given, or the default.
    pub fn text(&self, name: &str) -> Option<&'a str> {
        Field::find(name).and_then(|field| self.spec.text(field, self.limits.of))
    }

    /// Notes a problem with a field.
    pub fn note(&mut self, field: &str, message: impl Into<String>) {
        self.problems.push(Problem { field: field.into(), message: message.into() });
    }

    /// Notes that the text of a field is not allowed.
    pub fn wrong(&mut self, name: &str, expected: impl fmt::Display) {
        let message = match self.text(name).map(quoted) {
            None => format!("missing; expected {expected}."),
            Some(text) => format!("{text} is not allowed; expected {expected}."),
        };
        self.note(name, message);
    }

    /// What is read from the text of a field; where that is nothing, it is a problem.
    pub(crate) fn read<T>(&mut self, name: &str, expected: &str, read: impl FnOnce(&str) -> Option<T>) -> Option<T> {
        let found = self.text(name).and_then(|text| read(text.trim()));
        if found.is_none() {
            self.wrong(name, expected);
        }
        found
    }

    /// What a number may be, in words.
    fn expected(&self, what: &str, name: &str) -> String {
        self.limits.bound(name).map_or(format!("a {what}"), |bound| format!("a {what} from {}", bound.words()))
    }

    fn in_bounds(&self, name: &str, number: f64) -> bool {
        self.limits.bound(name).is_none_or(|b| (b.least..=b.most).contains(&number))
    }

    /// A whole number within its bounds.
    pub(crate) fn some_whole(&mut self, name: &str) -> Option<u64> {
        let parsed = self.text(name).map(|text| text.trim().parse::<u64>().ok());
        let expected = match self.limits.bound(name) {
            Some(bound) if parsed != Some(None) => bound.words(),
            _ => self.expected("whole number", name),
        };
        let number = parsed.flatten().filter(|n| self.in_bounds(name, *n as f64));
        self.read(name, &expected, |_| number)
    }

    /// A whole number within its bounds; the least where there is a problem.
    pub fn whole(&mut self, name: &str) -> u64 {
        let least = self.limits.bound(name).map_or(1, |b| b.least as u64);
        self.some_whole(name).unwrap_or(least)
    }

    /// The number of requests; without end where it is `unlimited`.
    pub fn requests(&mut self) -> u32 {
        if self.text("requests") == Some("unlimited") && self.limits.of == Use::Explore {
            return UNLIMITED;
        }
        self.whole("requests") as u32
    }

    /// A number within its bounds.
    pub fn number(&mut self, name: &str) -> f64 {
        let parsed = self.text(name).and_then(|text| text.trim().parse().ok()).filter(|n| self.in_bounds(name, *n));
        self.read(name, &self.expected("number", name), |_| parsed).unwrap_or(1.0)
    }

    /// `true` or `false`.
    pub fn flag(&mut self, name: &str) -> bool {
        self.read(name, "true or false", |text| text.parse().ok()).unwrap_or(false)
    }

    /// A duration within its bounds.
    pub fn duration(&mut self, name: &str) -> Duration {
        let longest = self.limits.most("duration");
        let fits = |duration: &Duration| match *duration {
            Duration::Const(most) | Duration::Uniform(_, most) | Duration::Exp(most) => most <= longest,
        };
        let most = grouped(longest);
        let expected = format!("const:0.01, uniform:0:0.1 or exp:0.5, with at most {most} time units");
        self.read(name, &expected, |text| text.parse().ok().filter(fits)).unwrap_or(Duration::Const(0.0))
    }

    pub(crate) fn delay_global(&mut self) {
        let given = self.spec.delay_global.is_some();
        let one = self.setup.clusters.iter().all(|cluster| *cluster == self.setup.clusters[0]);
        if given && one && self.sized && self.limits.of == Use::Measure {
            let expected = "a topology with clusters, as clusters:3x3";
            self.note(
                "delay_global",
                format!("there is one cluster, so no message has this delay; expected {expected}."),
            );
        }
        self.timing.delays.global = if given { self.duration("delay_global") } else { self.timing.delays.local };
    }

    pub(crate) fn range(&mut self) {
        let share = self.read("range", "1/16, or a number above 0 and up to 1", |text| {
            let (part, whole) = text.split_once('/').unwrap_or((text, "1"));
            let share = part.trim().parse::<f64>().ok()? / whole.trim().parse::<f64>().ok()?;
            Some(share).filter(|share| *share > 0.0 && *share <= 1.0)
        });
        match share {
            Some(share) if share < 1.0 && self.setup.cells == 1 && self.limits.of == Use::Measure => {
                self.note("range", "a share of one cell is not allowed; expected `cells` to be given too.");
            }
            share => self.timing.ranged.share = share.unwrap_or(1.0),
        }
    }

    /// Cells per time unit; `1/0.01` gives the time of one cell instead.
    pub(crate) fn bandwidth(&mut self) {
        let Some(text) = self.spec.bandwidth.as_deref() else { return };
        let per_cell = match text.strip_prefix("1/") {
            Some(time) => time.trim().parse::<f64>().ok(),
            None => text.trim().parse::<f64>().ok().map(|bandwidth| 1.0 / bandwidth),
        };
        let per_cell = per_cell.filter(|time| !time.is_sign_negative() && self.in_bounds("bandwidth", 1.0 / time));
        let bound = self.expected("number of cells per time unit", "bandwidth");
        let expected = format!("{bound} (per_cell, its inverse, from 0 to 1)");
        self.timing.ranged.per_cell = self.read("bandwidth", &expected, |_| per_cell).unwrap_or(0.0);
        if self.limits.of != Use::Measure {
        } else if let Some(entry) = self.entry.filter(|a| !a.drive.carries_cells) {
            let (id, others) = (entry.id, those(|a| a.carries_cells));
            let message = format!("messages of `{id}` carry no data; expected no bandwidth, or one of {others}.");
            self.note("bandwidth", message);
        } else if self.setup.cells == 1 {
            self.note("bandwidth", "the bandwidth counts cells, and there is one; expected `cells` to be given too.");
        }
    }

    pub(crate) fn network(&mut self) {
        let network = match self.limits.of {
            Use::Measure => self.read("network", "fifo or unordered", |text| {
                Network::named(text).filter(|n| matches!(n, Network::Fifo | Network::Unordered))
            }),
            _ => self.read("network", "fifo, unordered, lossy or duplicating", Network::named),
        };
        self.setup.network = network.unwrap_or(self.setup.network);
    }

    pub(crate) fn params(&mut self) {
        if self.spec.params.as_ref().is_some_and(|text| !text.is_empty()) {
            self.wrong("params", "names with values, as { variant = \"v2\" }");
        }
        let Some(entry) = self.entry else { return };
        for (name, value) in &self.spec.given {
            let values = entry.params.iter().find(|p| p.name == name).map(|p| p.values);
            let message = match values {
                Some(values) if values.contains(&value.as_str()) => continue,
                Some(values) => format!("{} is not allowed; expected {}.", quoted(value), values.join(", ")),
                None if entry.params.is_empty() => format!("`{}` has no parameters; expected none.", entry.id),
                None => {
                    let names: Vec<&str> = entry.params.iter().map(|p| p.name).collect();
                    format!("`{}` has no such parameter; expected {}.", entry.id, names.join(", "))
                }
            };
            self.note(&format!("params.{}", quoted(name)), message);
        }
        if let Ok(params) = entry.complete(&Params(self.spec.given.clone())) {
            self.setup.params = params;
        }
    }

    pub(crate) fn without(&mut self) {
        let (Some(entry), Some(text)) = (self.entry, self.spec.without.as_deref()) else { return };
        let begins = |line: &str| line.trim_start().starts_with(text.trim_start());
        let number = text.parse::<u8>().ok().map(LineId);
        let mut lines: Vec<_> = entry.lines().map(|l| (l.id, l.text.trim())).collect();
        let found: Vec<LineId> =
            lines.iter().filter(|(id, line)| number.map_or(begins(line), |n| n == *id)).map(|l| l.0).collect();
        sort::by(&mut lines, Ord::cmp);
        match found.as_slice() {
            [line] => self.setup.without = Some(*line),
            [] => {
                let lines: Vec<String> = lines.iter().map(|(n, line)| format!("{} ({line})", n.0)).collect();
                self.wrong("without", format!("a line of the listing of `{}`: {}", entry.id, lines.join(", ")));
            }
            more => self.wrong("without", format!("more words, because {} listing lines begin so", more.len())),
        }
    }

    /// When threads request: by hand, at a rate, after a think time, or at given times.
    pub(crate) fn load(&mut self) {
        let Spec { load, rate, think, first, requests, asks, .. } = self.spec;
        let given = [("load", load), ("rate", rate), ("think", think), ("asks", asks)];
        let given: Vec<&str> = given.iter().filter(|(_, text)| text.is_some()).map(|(name, _)| *name).collect();
        if let [first, second, ..] = given.as_slice() {
            self.note(
                second,
                format!("not allowed together with `{first}`; expected one of load, rate, think and asks."),
            );
        }
        if load.as_deref().is_some_and(|load| load != "by-hand") {
            self.wrong("load", "by-hand, or one of rate, think with requests, and asks");
        }
        for (name, text) in [("requests", requests), ("first", first)] {
            if text.is_some() && think.is_none() {
                self.note(name, "only threads with a think time have this; expected `think` to be given too.");
            }
        }
        self.timing.load = if think.is_some() {
            let think = self.duration("think");
            let first = if first.is_some() { self.duration("first") } else { think };
            Load::Closed { first, think, requests: self.requests() }
        } else if asks.is_some() {
            Load::Script(self.asks())
        } else if rate.is_some() || self.limits.of == Use::Measure {
            Load::Poisson(self.number("rate"))
        } else {
            Load::ByHand
        };
    }

    /// Requests at given times: `p2 at 0.5`, `p2.1 at 0.5`, or in links `3@0.5`, a thread counted
    /// from 0.
    fn asks(&mut self) -> Vec<(f64, ThreadId)> {
        let items: Vec<&str> = self.spec.asks.iter().flat_map(|t| t.split(',')).filter(|t| !t.is_empty()).collect();
        let (longest, most) = (self.limits.most("duration"), self.limits.most("asks"));
        if items.len() as f64 > most {
            self.note("asks", format!("{} are not allowed; expected at most {}.", items.len(), grouped(most)));
            return Vec::new();
        }
        let mut times = Vec::new();
        for item in items {
            let ask = item.split_once('@').or_else(|| item.split_once(" at ")).and_then(|(who, time)| {
                let time = time.trim().parse().ok().filter(|t| (0.0..=longest).contains(t))?;
                Some((time, self.thread(who.trim())?))
            });
            if ask.is_none() && self.sized {
                let names = self.setup.names[..self.setup.nodes().min(8)].join(", ");
                let expected = format!("\"p2 at 0.5\" or \"p2.1 at 0.5\", of the nodes {names}");
                self.note("asks", format!("{} is not allowed; expected {expected}.", quoted(item)));
            }
            times.extend(ask);
        }
        times
    }

    /// A thread by its own name, by its node's name (the first one there), or by its number from 0.
    fn thread(&self, who: &str) -> Option<ThreadId> {
        let first = self.setup.named(who).filter(|node| self.setup.threads[node.index()] > 0);
        let numbered = || who.parse().ok().filter(|t| (*t as usize) < self.setup.all_threads()).map(ThreadId);
        let named = || thread(who, &self.setup).ok().or_else(numbered);
        first.map(|node| self.setup.first_thread(node)).or_else(named)
    }

    /// Whether requested ranges are aligned; without cells there is nothing to align.
    pub(crate) fn aligned(&mut self) {
        self.timing.ranged.aligned = self.flag("aligned");
        if self.timing.ranged.aligned && self.setup.cells == 1 && self.limits.of == Use::Measure {
            self.note("aligned", "there is one cell, and every range begins at it; expected `cells` to be given too.");
        }
    }

    fn size(&mut self) {
        if let Err(problem) = check_size(&self.setup, self.limits) {
            self.problems.push(problem);
        }
        let (cells, strict) = (self.setup.cells, self.limits.of != Use::Play);
        if let Some(entry) = self.entry.filter(|_| strict && self.problems.is_empty())
            && let Some((param, message)) = (entry.drive.refuses)(&self.setup)
        {
            self.note(&format!("params.{param}"), message);
        }
        if let Some(entry) = self.entry.filter(|a| strict && cells > 1 && !a.drive.ranges)
            && self.spec.bandwidth.is_none()
        {
            let others = those(|a| a.ranges);
            self.note("cells", format!("`{}` locks no ranges; expected no `cells`, or one of {others}.", entry.id));
        }
    }
}

/// What is wrong with the size of a system for a use.
pub fn check_size(setup: &Setup, limits: &Limits) -> Result<(), Problem> {
    let (nodes, threads) = (setup.nodes(), setup.all_threads());
    let most_of_node = setup.threads.iter().copied().max().unwrap_or(0);
    let in_all = limits.most("threads in all").min(limits.most("threads × nodes") / nodes as f64).floor();
    let (field, message) = if nodes == 0 || nodes as f64 > limits.most("nodes") {
        let expected = limits.bound("nodes").map_or(String::new(), Bound::words);
        ("nodes", format!("{nodes} is not allowed; expected {expected}."))
    } else if threads == 0 {
        ("threads", "0 is not allowed; expected at least 1.".into())
    } else if f64::from(most_of_node) > limits.most("threads") {
        let most = grouped(limits.most("threads"));
        ("threads", format!("{most_of_node} is not allowed; expected at most {most}."))
    } else if threads as f64 > in_all {
        let (most, each) = (grouped(in_all), (in_all / nodes as f64).floor());
        let expected = format!("at most {most}, {each} for each of {nodes} nodes");
        ("threads", format!("{threads} in all are not allowed; expected {expected}."))
    } else {
        return Ok(());
    };
    Err(Problem { field: field.into(), message })
}

/// A node by its name, or by its number from 1 as `#2`.
pub fn node(setup: &Setup, name: &str) -> Result<NodeId, String> {
    let number = name.strip_prefix('#').and_then(|n| n.parse::<u32>().ok()).filter(|n| *n >= 1);
    let numbered = number.map(|n| NodeId(n - 1)).filter(|n| n.index() < setup.nodes());
    setup.named(name).or(numbered).ok_or_else(|| {
        let names = setup.names[..setup.nodes().min(8)].join(", ");
        let more = if setup.nodes() > 8 { ", …" } else { "" };
        format!("{} is not a node; expected {names}{more}.", quoted(name))
    })
}

/// A thread by its name: `p1.2` is the second thread of p1.
pub fn thread(text: &str, setup: &Setup) -> Result<ThreadId, String> {
    let Some((name, number)) = text.rsplit_once('.') else {
        return Err(format!("{} is not a thread; expected p1.2, the second thread of p1.", quoted(text)));
    };
    let node = node(setup, name)?;
    let count = setup.threads[node.index()];
    match number.parse::<u32>() {
        Ok(n) if (1..=count).contains(&n) => Ok(ThreadId(setup.first_thread(node).0 + n - 1)),
        _ if count == 0 => Err(format!("{} is not a thread; {name} has none.", quoted(text))),
        _ => Err(format!("{} is not a thread; expected {name}.1 to {name}.{count}.", quoted(text))),
    }
}

/// The algorithms of a kind.
fn those(kind: impl Fn(&lockstep_algorithms::AlgorithmInfo) -> bool) -> String {
    let all = lockstep_algorithms::KNOWN.iter().filter(|a| kind(a) && !a.printed).map(|a| a.id);
    all.collect::<Vec<_>>().join(", ")
}
