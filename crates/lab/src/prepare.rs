//! `prepare`: judges a job and builds what the simulator needs.

use crate::{Job, StopRule, Summary};
use lockstep_kernel::timing::{Load, Timing};
use lockstep_kernel::{Entry, Setup, run};
use lockstep_spec::{Limits, Model, Resolver, grouped, sentences};
use std::ops::Range;

/// A valid job, ready to run.
#[derive(Clone)]
pub struct ReadyJob {
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

impl ReadyJob {
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
        self.run_with(|replications| replications.map(|r| self.measure(r)).collect())
    }

    /// Runs all replications as `measure` does some of them, in their order; more where their
    /// interval is too wide.
    pub fn run_with(&self, measure: impl Fn(Range<u32>) -> Vec<run::RunMeasures>) -> Summary {
        let mut measured = Vec::new();
        loop {
            let (made, more) = (measured.len() as u32, self.more(&measured));
            if more == 0 {
                return self.summarise(&measured);
            }
            measured.extend(measure(made..made + more));
        }
    }
}

/// Every problem of a job, each as one sentence.
pub fn validate(job: &Job) -> Vec<String> {
    prepare(job).err().unwrap_or_default()
}

/// Judges a job and builds what the simulator needs.
pub fn prepare(job: &Job) -> Result<ReadyJob, Vec<String>> {
    prepare_with(lockstep_algorithms::find(job.algorithm()), job)
}

/// The same for an algorithm that was found elsewhere.
pub fn prepare_with(algorithm: Result<&'static Entry, String>, job: &Job) -> Result<ReadyJob, Vec<String>> {
    let limits = &Limits::MEASURE;
    let mut read = Resolver::with(algorithm, &job.spec, limits);
    read.run();
    let [warmup, mut entries, replications] = ["warmup", "entries", "replications"].map(|name| read.whole(name));
    let (bypass, nodes) = (read.flag("bypass"), read.setup.nodes() as u64);
    let most = limits.most("nodes × replications");
    if (nodes * replications) as f64 > most {
        let fewer = grouped((most / nodes as f64).floor());
        read.note(
            "replications",
            format!("{replications} of {nodes} nodes are not allowed; expected at most {fewer}."),
        );
    }
    if let Some(until) = job.until {
        let runs = limits.most("replications");
        if let Some(bound) = limits.bound("within").filter(|b| !(b.least..=b.most).contains(&until.within)) {
            let (given, expected) = (until.within, bound.words());
            read.note("within", format!("{given} is not allowed; expected {expected}, a part of the mean."));
        }
        if u64::from(until.most) < replications || f64::from(until.most) > runs {
            let (given, runs) = (until.most, grouped(runs));
            read.note("most", format!("{given} is not allowed; expected {replications} to {runs}."));
        }
    }
    let Model { algorithm, setup, timing } = read.finish().map_err(sentences)?;
    let most = limits.most("time units");
    if expected_time(&setup, &timing, warmup + entries) > most {
        let most = grouped(most);
        return Err(vec![format!(
            "entries: the run would take more than {most} time units; expected fewer entries, a higher rate or shorter \
             durations."
        )]);
    }
    // intervals come from parts of the run, so its true length must be known
    if let Load::Closed { requests, .. } = timing.load {
        let all = u64::from(requests) * setup.all_threads() as u64;
        if warmup >= all {
            return Err(vec![format!("warmup: {warmup} is not allowed; expected fewer than all {all} requests.")]);
        }
        entries = entries.min(all - warmup);
    }
    let rate = if let Load::Poisson(rate) = timing.load { Some(rate) } else { None };
    let threads = setup.threads.first().map_or(1, |t| u64::from(*t));
    let kernel = run::BatchJob { setup, timing, warmup, entries, bypass };
    Ok(ReadyJob { algorithm, job: kernel, rate, replications: replications as u32, threads, until: job.until })
}

/// A high estimate: each entry waits for a request, travels the initial tree both ways and stays
/// inside.
fn expected_time(setup: &Setup, timing: &Timing, entries: u64) -> f64 {
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
    // parents come before their children in every topology
    for i in 1..setup.nodes() {
        depth[i] = depth[setup.parents[i].index()] + 1;
    }
    let hops = 2.0 * f64::from(depth.iter().copied().max().unwrap_or(0)) + 2.0;
    let data = timing.ranged.per_cell * timing.ranged.share * f64::from(setup.cells);
    let delay = timing.delays.local.mean().max(timing.delays.global.mean()) + data;
    start + entries * (between + timing.section.mean() + hops * delay)
}
