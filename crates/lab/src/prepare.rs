//! What can be wrong with a job, and what the simulator needs of it.

use crate::{Job, StopRule, Summary};
use lockstep_algorithms::AlgorithmInfo;
use lockstep_kernel::timing::{Delays, Duration, Load, RangeTiming, Timing};
use lockstep_kernel::{Entry, Network, Params, run};
use lockstep_scenario::system::{self, Arrangement};

/// Nodes, where nobody says how many.
const DEFAULT_NODES: u64 = 31;
const DEFAULT_RATE: f64 = 0.5;
const DEFAULT_REQUESTS: u64 = 20;

const MOST_NODES: u64 = 1_000_000;
const MOST_THREADS: u64 = 10_000;
const MOST_ALL_THREADS: u64 = 4_000_000;
const MOST_ENTRIES: u64 = 10_000_000_000;
const MOST_REPLICATIONS: u32 = 1_000;
/// Nodes of all replications together: the entries of each are kept until the end.
const MOST_ALL_NODES: u64 = 50_000_000;
const MOST_REQUESTS: u64 = 1_000_000_000;
/// Virtual time that a run may be expected to take, in time units: the clock ends at eighteen times as much.
const MOST_TIME: f64 = 1e9;

/// A valid job, ready to run.
#[derive(Clone)]
pub struct Prepared {
    /// The algorithm.
    pub algorithm: &'static Entry,
    /// The first replication.
    pub job: run::BatchJob,
    /// Requests per time unit, where that is the load.
    pub rate: Option<f64>,
    /// How many independent runs.
    pub replications: u32,
    /// User threads of each node.
    pub threads: u64,
    /// When more replications are made.
    pub until: Option<StopRule>,
}

impl Prepared {
    /// Runs one replication, counted from 0.
    ///
    /// # Panics
    /// Without an engine.
    pub fn measure(&self, replication: u32) -> run::RunMeasures {
        let mut job = self.job.clone();
        job.timing.seed = job.timing.seed.wrapping_add(u64::from(replication));
        self.algorithm.measure(&job)
    }

    /// Runs all replications, one after the other.
    pub fn run(&self) -> Summary {
        let mut measured = Vec::new();
        loop {
            let (made, more) = (measured.len() as u32, self.more(&measured));
            if more == 0 {
                return self.summarise(&measured);
            }
            measured.extend((made..made + more).map(|r| self.measure(r)));
        }
    }
}

/// Every problem of a job, each one sentence that says what would be right.
pub fn validate(job: &Job) -> Vec<String> {
    prepare(job).err().unwrap_or_default()
}

/// Checks a job and builds what the simulator needs.
pub fn prepare(job: &Job) -> Result<Prepared, Vec<String>> {
    prepare_with(lockstep_algorithms::find(&job.algorithm), job)
}

/// The same for an algorithm that was found elsewhere.
pub fn prepare_with(algorithm: Result<&'static Entry, String>, job: &Job) -> Result<Prepared, Vec<String>> {
    let mut problems = Vec::new();
    let algorithm = ok(algorithm, &mut problems);
    let params = match algorithm.map(|a| a.complete(&Params(job.params.clone()))) {
        Some(Err(wrong)) => {
            problems.extend(wrong);
            None
        }
        params => params.and_then(Result::ok),
    };
    let arrangement = ok(Arrangement::named(&job.topology), &mut problems);
    let said = arrangement.and_then(Arrangement::nodes).map(|n| n as u64);
    let nodes = job.nodes.or(said).unwrap_or(DEFAULT_NODES);
    if let (Some(given), Some(said)) = (job.nodes, said)
        && given != said
    {
        problems.push(format!(
            "`{}` has {said} nodes, not {given}; right would be to leave the number of nodes out.",
            job.topology
        ));
    }
    within("nodes", nodes, 1, MOST_NODES, &mut problems);
    within("threads", job.threads, 1, MOST_THREADS, &mut problems);
    if nodes <= MOST_NODES && job.threads <= MOST_THREADS && nodes * job.threads > MOST_ALL_THREADS {
        let right = MOST_ALL_THREADS / nodes;
        problems.push(format!(
            "{nodes} nodes of {} threads are too many; right would be at most {right} threads each.",
            job.threads
        ));
    }
    within("cells", job.cells, 1, u64::from(u16::MAX), &mut problems);
    // where data take their time, cells say how much there is, ranges or not
    if let Some(entry) = algorithm.filter(|a| job.cells > 1 && job.bandwidth.is_none() && !a.drive.ranges) {
        problems.push(format!(
            "`{}` locks no ranges, so there is one cell; right would be to leave `cells` out, or one of {}.",
            entry.id,
            those(|a| a.ranges)
        ));
    }
    if let Some(entry) = algorithm.filter(|a| job.bandwidth.is_some() && !a.drive.carries_cells) {
        problems.push(format!(
            "Messages of `{}` carry no data, so `bandwidth` changes nothing; right would be to leave it out, or one of {}.",
            entry.id,
            those(|a| a.carries_cells)
        ));
    } else if job.bandwidth.is_some() && job.cells == 1 {
        problems.push("`bandwidth` counts cells, and there is one; right would be to give `cells` too.".into());
    }
    within("entries", job.entries, 1, MOST_ENTRIES, &mut problems);
    within("warmup", job.warmup, 0, MOST_ENTRIES, &mut problems);
    within("replications", u64::from(job.replications), 1, u64::from(MOST_REPLICATIONS), &mut problems);
    if nodes <= MOST_NODES
        && job.replications <= MOST_REPLICATIONS
        && nodes * u64::from(job.replications) > MOST_ALL_NODES
    {
        let right = MOST_ALL_NODES / nodes;
        problems.push(format!(
            "{} replications of {nodes} nodes are too many; right would be at most {right}.",
            job.replications
        ));
    }
    if let Some(until) = job.until {
        if !(1e-4..=1.0).contains(&until.within) {
            problems.push(format!("`within` is {}; right would be 0.0001 to 1, a part of the mean.", until.within));
        }
        within("most", until.most.into(), job.replications.into(), MOST_REPLICATIONS.into(), &mut problems);
    }
    let network = match Network::named(&job.network) {
        Some(network @ (Network::Fifo | Network::Unordered)) => network,
        _ => {
            problems.push(format!(
                "A run cannot have the network `{}`; it is one of fifo, unordered.",
                short(&job.network)
            ));
            Network::Fifo
        }
    };
    let timing = timing(job, &mut problems);
    let (Some(algorithm), Some(params), Some(arrangement), true) =
        (algorithm, params, arrangement, problems.is_empty())
    else {
        return Err(problems);
    };
    let mut setup = arrangement.setup(nodes as usize, job.threads as u32).on(network);
    setup.params = params;
    setup.cells = job.cells as u16;
    if expected_time(&setup, &timing, job.warmup + job.entries) > MOST_TIME {
        return Err(vec![format!(
            "The run would take more than {MOST_TIME:e} time units; right would be fewer entries, a higher rate or shorter durations."
        )]);
    }
    let rate = if let Load::Poisson(rate) = timing.load { Some(rate) } else { None };
    // intervals come from parts of the run, so its true length must be known
    let entries = match timing.load {
        Load::Closed { requests, .. } => {
            let all = u64::from(requests) * setup.all_threads() as u64;
            if job.warmup >= all {
                return Err(vec![format!(
                    "`warmup` is {}, but there are {all} requests in all; right would be fewer.",
                    job.warmup
                )]);
            }
            job.entries.min(all - job.warmup)
        }
        _ => job.entries,
    };
    let kernel = run::BatchJob { setup, timing, warmup: job.warmup, entries, bypass: job.bypass };
    Ok(Prepared {
        algorithm,
        job: kernel,
        rate,
        replications: job.replications,
        threads: job.threads,
        until: job.until,
    })
}

fn timing(job: &Job, problems: &mut Vec<String>) -> Timing {
    let mut duration = |name: &str, text: &str| {
        let parsed = text.parse::<Duration>().map_err(|why| format!("`{name}`: {why}."));
        ok(parsed, problems).unwrap_or(Duration::Const(0.0))
    };
    let section = duration("section", &job.section);
    let local = duration("delay", &job.delay);
    let global = job.delay_global.as_ref().map_or(local, |d| duration("delay_global", d));
    let think = job.think.as_ref().map(|t| duration("think", t));
    let first = job.first.as_ref().map(|t| duration("first", t));
    if job.rate.is_some() && think.is_some() {
        problems.push("Both a rate and a thinking time are given; right would be one of them.".into());
    }
    let load = match think {
        Some(think) => {
            let requests = job.requests.unwrap_or(DEFAULT_REQUESTS);
            within("requests", requests, 1, MOST_REQUESTS, problems);
            Load::Closed { first: first.unwrap_or(think), think, requests: requests.min(MOST_REQUESTS) as u32 }
        }
        None => {
            if job.requests.is_some() {
                problems.push("`requests` counts for threads that think; right would be to give `think` too.".into());
            }
            if first.is_some() {
                problems.push("`first` counts for threads that think; right would be to give `think` too.".into());
            }
            let rate = job.rate.unwrap_or(DEFAULT_RATE);
            if !(1e-6..=1e6).contains(&rate) {
                problems.push(format!("`rate` is {rate}; right would be a number from 0.000001 to 1000000."));
            }
            Load::Poisson(rate)
        }
    };
    Timing { load, section, delays: Delays { local, global }, seed: job.seed, ranged: ranged(job, problems) }
}

fn ranged(job: &Job, problems: &mut Vec<String>) -> RangeTiming {
    let share = ok(system::share(&job.range), problems).unwrap_or(1.0);
    if let Some(bandwidth) = job.bandwidth.filter(|b| !(1e-3..=1e12).contains(b)) {
        problems
            .push(format!("`bandwidth` is {bandwidth}; right would be 0.001 to 1000000000000 cells per time unit."));
    }
    if share < 1.0 && job.cells == 1 {
        problems.push("`range` is a part of the cells, and there is one; right would be to give `cells` too.".into());
    }
    let per_cell = job.bandwidth.map_or(0.0, |b| 1.0 / b);
    RangeTiming { share, aligned: job.aligned, per_cell, blocking: job.blocking }
}

/// A generous guess: each entry waits for a request, travels the initial tree both ways and stays inside.
fn expected_time(setup: &lockstep_kernel::Setup, timing: &Timing, entries: u64) -> f64 {
    let nodes = setup.nodes() as f64;
    let threads = setup.all_threads().max(1) as f64;
    let (start, between, entries) = match &timing.load {
        Load::Poisson(rate) => (0.0, 1.0 / (rate * nodes), entries as f64),
        Load::Closed { first, think, requests } => {
            (first.mean(), think.mean() / threads, (entries as f64).min(f64::from(*requests) * threads))
        }
        Load::ByHand | Load::Script(_) => (0.0, 0.0, entries as f64),
    };
    let mut depth = vec![0u32; setup.nodes()];
    // parents come before their children in every arrangement
    for i in 1..setup.nodes() {
        depth[i] = depth[setup.parents[i].index()] + 1;
    }
    let hops = 2.0 * f64::from(depth.iter().copied().max().unwrap_or(0)) + 2.0;
    let data = timing.ranged.per_cell * timing.ranged.share * f64::from(setup.cells);
    let delay = timing.delays.local.mean().max(timing.delays.global.mean()) + data;
    start + entries * (between + timing.section.mean() + hops * delay)
}

/// The algorithms of that kind.
fn those(kind: impl Fn(&AlgorithmInfo) -> bool) -> String {
    let all = lockstep_algorithms::KNOWN.iter().filter(|a| kind(a) && !a.printed).map(|a| a.id);
    all.collect::<Vec<_>>().join(", ")
}

fn ok<T>(result: Result<T, String>, problems: &mut Vec<String>) -> Option<T> {
    result.map_err(|why| problems.push(why)).ok()
}

fn within(name: &str, value: u64, least: u64, most: u64, problems: &mut Vec<String>) {
    if !(least..=most).contains(&value) {
        problems.push(format!("`{name}` is {value}; right would be {least} to {most}."));
    }
}

fn short(text: &str) -> String {
    text.escape_default().take(60).collect()
}
