//! Experiments: a job is one question to the batch simulator, a summary is its answer with
//! intervals.
//!
//! * [`Job`] says everything in words and numbers: the options of `lockstep run`, the fields of its
//!   configuration file, the task of a worker. [`validate`] returns every problem as a sentence.
//! * [`run_job`] runs its replications one after the other. A caller with several cores calls
//!   [`ReadyJob::measure`] for each replication and then [`ReadyJob::summarise`]: the summary
//!   depends on the job alone.
//! * [`Summary`] is the document that `lockstep run --json` prints.
//! * [`Experiment`] is a grid of jobs; [`GridPoint`]s are its jobs in order, each with a stable
//!   key; a [`Record`] is what one of them measured.
//! * [`study`] has the papers' experiments, their charts and their claims, each with a verdict
//!   computed from records.
//! * [`Campaign`] is a study or an experiment of one's own with its results: what page and command
//!   line run.
//! * [`Task`] and [`Answer`] are the messages between the page and its workers; [`TaskQueue`] hands
//!   tasks out.
//!
//! This crate knows no threads, no files and no clock, so that a worker of the page, node and the
//! command line can all call it.

use lockstep_spec::exact;

mod campaign;
mod cost;
mod experiment;
mod export;
mod form;
mod job;
mod own;
mod prepare;
mod queue;
mod record;
mod shelf;
pub mod study;
mod summary;
mod task;
mod unsaved;

pub use campaign::{Campaign, CampaignSource, Pace};
pub use cost::{Cost, Pilots, pilots};
pub use experiment::{Experiment, GridAxis, GridBuilder, GridCase, GridPoint};
pub use export::RESULTS;
pub use form::{ExperimentForm, comparable_algorithms};
pub use job::{Job, StopMeasure, StopRule};
pub use own::charts as own_charts;
pub use prepare::{ReadyJob, prepare, prepare_with, validate};
pub use queue::{TaskQueue, WorkerLoss};
pub use record::record;
pub use record::{Header, Record, RecordStore, VERSION};
pub use shelf::{DOCUMENT, Shelf};
pub use summary::{Mean, PathLength, Summary, WaitingSummary};
pub use task::{Answer, FETCHING, StudyPart, Task, UNAVAILABLE, WORKING};
pub use unsaved::{StoreFault, UNSTORED_EXPERIMENT, UnsavedResults};

/// Runs a job: all of its replications, one after the other.
pub fn run_job(job: &Job) -> Result<Summary, Vec<String>> {
    Ok(prepare(job)?.run())
}

/// Runs a job written as JSON. Returns the summary as JSON, or `{"problems":["…"]}`.
pub fn run_json(text: &str) -> String {
    // problems repeat numbers as they were written
    let exact = || exact::read::<Job>(text);
    let unreadable = |why| vec![format!("The job cannot be read: {why}.")];
    let large = |why: &serde_json::Error| exact::too_large(text, &why.to_string());
    let read = serde_json::from_str(text).or_else(|why| large(&why).ok_or_else(|| unreadable(why)));
    let ready = read.and_then(|job| {
        prepare(&job).map_err(|problems| {
            let again = exact().map(|job| validate(&job)).unwrap_or_default();
            exact::reworded_sentences(problems, again)
        })
    });
    match ready.map(|ready| ready.run()) {
        Ok(summary) => serde_json::to_string(&summary).unwrap_or_default(),
        Err(problems) => serde_json::json!({ "problems": problems }).to_string(),
    }
}
