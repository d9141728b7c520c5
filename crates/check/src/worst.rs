//! The worst case of one request over all orders of events, with a shortest schedule that shows it.

use crate::report::{StopReason, link};
use crate::{Check, ReadyCheck, prepare};
use lockstep_kernel::explore::{Progress, RequestMeasure, Search, SearchGoal};
use lockstep_kernel::world::UNLIMITED;
use lockstep_kernel::{Entry, Setup};
use lockstep_spec::grouped;
use serde::{Deserialize, Serialize};

/// States explored between two looks at the memory that the next ones may need.
const LOOK: usize = 32;
/// With unlimited requests, a value this large counts as unbounded.
const ENOUGH: u32 = 12;
/// With limited requests, no small system reaches this value unless a message circulates forever.
const FAR_TOO_MANY: u32 = 200;

/// The worst case.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct WorstCase {
    /// What was measured.
    pub measure: RequestMeasure,
    /// The largest value found; none if no thread enters.
    pub value: Option<u32>,
    /// Whether no other order of events of this system has a larger value.
    pub exact: bool,
    /// States explored; each includes the value counted so far.
    pub states: usize,
    /// A shortest schedule with that value, in words.
    pub steps: Vec<String>,
    /// The schedule as a link.
    pub link: Option<String>,
    /// The limit at which the search stopped, where that is the memory.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stopped: Option<StopReason>,
}

impl WorstCase {
    /// The outcome in one sentence, without a full stop.
    pub fn words(&self) -> String {
        let states = grouped(self.states as f64);
        let Some(value) = self.value else { return format!("no thread enters within {states} states") };
        let times = |one: &str, many: &str| if value == 1 { format!("1 {one}") } else { format!("{value} {many}") };
        let what = match self.measure {
            RequestMeasure::Forwards => format!("one request is forwarded {}", times("time", "times")),
            RequestMeasure::Messages => format!("{} are sent while one thread waits", times("message", "messages")),
            RequestMeasure::Steps => format!("a thread enters {} after its request", times("step", "steps")),
            RequestMeasure::Bypass => format!("others enter {} while one thread waits", times("time", "times")),
        };
        if self.exact {
            format!("{what}, and no order of events of this system gives more ({states} states)")
        } else {
            let stopped = if self.stopped.is_some() { "; the memory limit is reached" } else { "" };
            format!("{what}; other orders may give more ({states} states explored{stopped})")
        }
    }
}

/// A running search for the worst case.
pub struct WorstCaseSearch {
    entry: &'static Entry,
    setup: Setup,
    measure: RequestMeasure,
    enough: u32,
    max_bytes: usize,
    search: Search,
}

/// The result of one slice of work.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum WorstCaseSlice {
    /// The search is not finished.
    Progress(Progress),
    /// The search is finished, or has reached a limit.
    Done(WorstCase),
}

/// Starts a search for the worst case. Of several placements of the cells it takes the first.
pub fn worst(check: &Check, measure: RequestMeasure) -> Result<WorstCaseSearch, Vec<String>> {
    Ok(worst_of(prepare(check)?, measure))
}

/// The same for a check that the caller has prepared.
pub fn worst_of(mut prepared: ReadyCheck, measure: RequestMeasure) -> WorstCaseSearch {
    let setup = prepared.setups.swap_remove(0);
    let enough = if prepared.bounds.requests == UNLIMITED { ENOUGH } else { FAR_TOO_MANY };
    let system = (prepared.entry.drive.system)(setup.clone());
    let search = Search::new(system, &prepared.bounds, SearchGoal::Most(measure), enough);
    let max_bytes = prepared.max_bytes;
    WorstCaseSearch { entry: prepared.entry, setup, measure, enough, max_bytes, search }
}

impl WorstCaseSearch {
    /// Explores this many more states.
    pub fn advance(&mut self, states: usize) -> WorstCaseSlice {
        let (mut left, mut out_of_memory) = (states, false);
        let ended = loop {
            let slice = left.min(LOOK);
            left -= slice;
            if let Some(ended) = self.search.advance(slice) {
                break ended;
            }
            if self.search.bytes_with(LOOK) > self.max_bytes {
                out_of_memory = true;
                break self.search.stop();
            }
            if left == 0 {
                return WorstCaseSlice::Progress(self.search.progress());
            }
        };
        let value = ended.found.as_ref().map(|f| f.value);
        WorstCaseSlice::Done(WorstCase {
            measure: self.measure,
            value,
            exact: ended.complete && value.is_none_or(|v| v < self.enough),
            states: self.search.progress().states,
            stopped: out_of_memory.then_some(StopReason::Memory),
            link: ended.found.as_ref().and_then(|f| link(self.entry, &self.setup, &f.events)),
            steps: ended.found.map(|f| f.steps).unwrap_or_default(),
        })
    }

    /// Runs to the end without pauses.
    pub fn finish(&mut self) -> WorstCase {
        loop {
            if let WorstCaseSlice::Done(worst) = self.advance(usize::MAX) {
                return worst;
            }
        }
    }
}
