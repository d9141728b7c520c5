//! Experiments: a job is one question put to the batch simulator, a summary is its answer with intervals.
//!
//! * [`Job`] says everything in words and numbers: the options of `lockstep run`, the fields of its configuration file, the message to a
//!   worker. [`validate`] returns every problem as a sentence.
//! * [`run_job`] runs its replications one after the other. Whoever has several cores calls [`Prepared::measure`] for each replication
//!   instead and then [`Prepared::summarise`]: the summary depends on the job alone.
//! * [`Summary`] is the document that `lockstep run --json` prints.
//! * [`Experiment`] is a grid of jobs; [`GridPoint`]s are its jobs in order, each with a stable key; a [`Record`] is what one of them measured.
//! * [`study`] has the texts' own experiments, their charts and their claims, each with a verdict computed from records.
//!
//! This crate deliberately knows no threads, no files and no clock, so that a worker in the page, node and the command line call the same.

mod cost;
mod experiment;
mod job;
mod own;
mod prepare;
mod record;
pub mod study;
mod summary;

pub use cost::{Cost, Pilots, pilots};
pub use experiment::{Experiment, GridAxis, GridCase, GridPoint};
pub use job::{Job, StopMeasure, StopRule};
pub use own::charts as own_charts;
pub use prepare::{Prepared, prepare, prepare_with, validate};
pub use record::record;
pub use record::{Header, Record, RecordStore, VERSION};
pub use summary::{Mean, PathLength, Summary, WaitingSummary};

/// Runs a job: all of its replications, one after the other.
pub fn run_job(job: &Job) -> Result<Summary, Vec<String>> {
    Ok(prepare(job)?.run())
}

/// Runs a job written as JSON. Returns the summary as JSON, or `{"problems":["…"]}`.
pub fn run_json(text: &str) -> String {
    let job: Result<Job, _> = serde_json::from_str(text);
    let done = job.map_err(|why| vec![format!("The job cannot be read: {why}.")]).and_then(|job| run_job(&job));
    match done {
        Ok(summary) => serde_json::to_string(&summary).unwrap_or_default(),
        Err(problems) => serde_json::json!({ "problems": problems }).to_string(),
    }
}
