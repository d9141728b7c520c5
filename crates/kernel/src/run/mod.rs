//! The batch simulator: a clock picks every event, without frames or history, millions of events a
//! second.
//!
//! Everything is monomorphised for one algorithm and one observer, and nothing is allocated per
//! event. Event by event it is the run that [`crate::clock`] plays on the stage under the same seed
//! (tested).

mod agenda;
mod bypass;
mod channels;
mod engine;
mod observer;
pub mod statistics;
mod tally;

pub use bypass::Bypass;
pub use engine::simulate;
pub use observer::Observer;
pub use tally::{Batch, RunTally, Waiting};

use crate::timing::Timing;
use crate::{Algorithm, Message, Setup};
use serde::{Deserialize, Serialize};

/// One timed simulation.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct BatchJob {
    /// Nodes, threads, network, parameters.
    pub setup: Setup,
    /// Load, delays, sections, seed.
    pub timing: Timing,
    /// Critical sections before measuring begins (the warm-up).
    pub warmup: u64,
    /// Measure this many critical sections, then stop.
    pub entries: u64,
    /// Count how often requests are overtaken (up to [`Bypass::MOST_THREADS`] threads).
    pub bypass: bool,
}

impl BatchJob {
    /// A job that measures from the beginning and does not count overtaking.
    pub fn new(setup: Setup, timing: Timing, entries: u64) -> Self {
        BatchJob { setup, timing, warmup: 0, entries, bypass: false }
    }

    /// The job with the nodes that an algorithm adds.
    fn arranged<A: Algorithm>(&self) -> Self {
        BatchJob { setup: self.setup.clone().arranged::<A>(), ..self.clone() }
    }
}

/// The length of request paths.
#[derive(Clone, Copy, PartialEq, Debug, Default, Serialize, Deserialize)]
pub struct Paths {
    /// Paths that ended.
    pub count: u64,
    /// Hops of all of them.
    pub total: u64,
    /// The longest.
    pub max: u32,
}

/// The measures of one simulation.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct RunMeasures {
    /// Critical sections entered.
    pub entries: u64,
    /// Messages sent, by kind.
    pub messages_by_kind: Vec<(String, u64)>,
    /// Messages within a cluster.
    pub local_messages: u64,
    /// Messages between clusters.
    pub global_messages: u64,
    /// Waiting times.
    pub waiting: Waiting,
    /// From the requesting node to the node where the request stops.
    pub paths: Paths,
    /// Entries whose request sent no message.
    pub entries_without_message: u64,
    /// The largest number of later requests that were served before an earlier one; none if not
    /// counted.
    pub bypass_max: Option<u32>,
    /// Requests, releases and deliveries.
    pub events: u64,
    /// How long the run was, in time units.
    pub virtual_time: f64,
    /// Entries of each node.
    pub entries_per_node: Vec<u64>,
    /// Consecutive parts of the run, for intervals of one long run.
    pub batches: Vec<Batch>,
    /// Requests refused.
    pub refused: u64,
    /// Entries while another thread is inside, and impossible messages: 0 unless the algorithm is
    /// incorrect.
    pub violations: u64,
}

impl RunMeasures {
    /// All messages.
    pub fn messages(&self) -> u64 {
        self.local_messages + self.global_messages
    }

    /// Messages per entry.
    pub fn messages_per_entry(&self) -> f64 {
        self.messages() as f64 / self.entries.max(1) as f64
    }
}

/// Runs a simulation and measures it.
pub fn measure<A: Algorithm>(job: &BatchJob) -> RunMeasures {
    let watch = job.bypass && job.setup.all_threads() <= Bypass::MOST_THREADS;
    let bypass = watch.then(|| Bypass::new(&job.setup));
    let tally = RunTally::new(&job.setup, A::Msg::KINDS.len(), job.entries, bypass);
    let (end, tally) = simulate::<A, _>(job, tally);
    tally.finish(A::Msg::KINDS, end)
}
