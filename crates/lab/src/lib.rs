//! Experiments: a job is one question put to the batch simulator, a summary is its answer with intervals.
//!
//! * [`Job`] says everything in words and numbers: the options of `lockstep run`, the fields of its configuration file, the message to a
//!   worker. [`validate`] returns every problem as a sentence.
//! * [`run_job`] runs its replications one after the other. Whoever has several cores calls [`Prepared::measure`] for each replication
//!   instead and then [`Prepared::summarise`]: the summary depends on the job alone.
//! * [`Summary`] is the document that `lockstep run --json` prints.
//!
//! This crate deliberately knows no threads, no files and no clock, so that a worker in the page, node and the command line call the same.

mod job;
mod prepare;
mod summary;

pub use job::Job;
pub use prepare::{Prepared, prepare, validate};
pub use summary::{Mean, PathLength, Summary, WaitingSummary};

/// Runs a job: all of its replications, one after the other.
pub fn run_job(job: &Job) -> Result<Summary, Vec<String>> {
    let prepared = prepare(job)?;
    let measured: Vec<_> = (0..job.replications).map(|r| prepared.measure(r)).collect();
    Ok(prepared.summarise(&measured))
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
