//! The cost of an experiment, estimated before it starts.

use crate::{GridPoint, Job, prepare_with};
use lockstep_kernel::Entry;
use serde::{Deserialize, Serialize};

/// Entries of the short runs from which the cost is estimated.
const PILOT_ENTRIES: u64 = 100;
/// Points that are tried; the others are assumed to cost the same on average.
const PILOT_POINTS: usize = 32;
/// Events per second of one core, a low estimate.
const EVENTS_PER_SECOND: f64 = 5e6;

/// Short runs that estimate the cost of an experiment.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Pilots {
    /// Jobs of the experiment.
    points: usize,
    /// Those that are tried.
    jobs: Vec<Job>,
}

/// The estimated cost of an experiment.
#[derive(Clone, Copy, PartialEq, Debug, Serialize, Deserialize)]
pub struct Cost {
    /// Jobs.
    pub points: usize,
    /// Events of all of them.
    pub events: f64,
}

/// Some of the points, evenly spread.
pub fn pilots<P: std::borrow::Borrow<GridPoint>>(points: &[P]) -> Pilots {
    let step = points.len().div_ceil(PILOT_POINTS).max(1);
    Pilots { points: points.len(), jobs: points.iter().step_by(step).map(|p| p.borrow().job.clone()).collect() }
}

impl Pilots {
    /// The algorithms that are tried, some of them more than once.
    pub fn algorithms(&self) -> impl Iterator<Item = &str> {
        self.jobs.iter().map(|job| job.algorithm())
    }

    /// The cost of the experiment, from short runs.
    pub fn cost(&self, find: impl Fn(&str) -> Result<&'static Entry, String>) -> Cost {
        let mean = self.jobs.iter().map(|job| events(job, &find)).sum::<f64>() / self.jobs.len().max(1) as f64;
        Cost { points: self.points, events: mean * self.points as f64 }
    }
}

fn events(job: &Job, find: impl Fn(&str) -> Result<&'static Entry, String>) -> f64 {
    let entries = (job.number("entries") as u64).min(PILOT_ENTRIES);
    let pilot = job.clone().with(|spec| spec.warmup(0).entries(entries).bypass(false));
    let ready = |job: &Job| prepare_with(find(job.algorithm()), job);
    let (Ok(pilot), Ok(full)) = (ready(&pilot), ready(job)) else { return 0.0 };
    let measured = pilot.measure(0);
    let runs = job.until.map_or(job.number("replications"), |u| f64::from(u.most));
    measured.events as f64 / measured.entries.max(1) as f64 * (full.job.entries + full.job.warmup) as f64 * runs
}

impl Cost {
    /// Seconds on this many cores.
    pub fn seconds(&self, cores: usize) -> f64 {
        self.events / EVENTS_PER_SECOND / cores.max(1) as f64
    }

    /// The cost as a sentence, with advice where it takes long.
    pub fn sentence(&self, cores: usize) -> String {
        let seconds = self.seconds(cores);
        let time = match seconds {
            s if s < 2.0 => "less than two seconds".into(),
            s if s < 120.0 => format!("about {s:.0} seconds"),
            s if s < 7_200.0 => format!("about {:.0} minutes", s / 60.0),
            s if s < 172_800.0 => format!("about {:.0} hours", s / 3_600.0),
            s => format!("about {:.0} days", s / 86_400.0),
        };
        let (points, cores_word) = (self.points, if cores == 1 { "core" } else { "cores" });
        let millions = self.events / 1e6;
        let hint =
            if seconds < 3_600.0 { "" } else { "; use fewer entries, or shards on several machines, to shorten it" };
        let points = if points == 1 { "1 point".into() } else { format!("{points} points") };
        format!("{points}, about {millions:.0} million events: {time} on {cores} {cores_word}{hint}.")
    }
}
