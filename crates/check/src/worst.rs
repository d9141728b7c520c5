//! The worst that can happen to one request of a small system, over all orders of events, with a shortest schedule that shows it.

use crate::report::{link, number};
use crate::{Check, Prepared, Requests, prepare};
use lockstep_kernel::explore::{Progress, RequestMeasure, Search, SearchGoal};
use lockstep_kernel::{Entry, Setup};
use serde::{Deserialize, Serialize};

/// States between two looks at the memory.
const LOOK: usize = 4_096;
/// Where requests never end, a value of so much is taken for "no bound".
const ENOUGH: u32 = 12;
/// Where requests end, no small system comes near this value unless something goes round for ever.
const FAR_TOO_MANY: u32 = 200;

/// The worst case.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Worst {
    /// What was measured.
    pub measure: RequestMeasure,
    /// The largest value seen; none if nobody ever gets that far.
    pub value: Option<u32>,
    /// Whether no order of events of this system can do worse.
    pub exact: bool,
    /// States seen, each with what was counted on the way to it.
    pub states: usize,
    /// A shortest schedule with that value, in words.
    pub steps: Vec<String>,
    /// The schedule as a link.
    pub link: Option<String>,
}

impl Worst {
    /// The outcome in one sentence, without a full stop.
    pub fn words(&self) -> String {
        let states = number(self.states);
        let Some(value) = self.value else { return format!("nobody gets in within {states} states") };
        let times = |one: &str, many: &str| if value == 1 { format!("1 {one}") } else { format!("{value} {many}") };
        let what = match self.measure {
            RequestMeasure::Forwards => format!("one request is passed on {}", times("time", "times")),
            RequestMeasure::Messages => format!("{} are sent while one thread waits", times("message", "messages")),
            RequestMeasure::Steps => format!("a thread enters {} after it asked", times("step", "steps")),
            RequestMeasure::Bypass => format!("others enter {} while one thread waits", times("time", "times")),
        };
        if self.exact {
            format!("{what}, and no order of events of this system does worse ({states} states)")
        } else {
            format!("{what}; there may be worse ({states} states seen)")
        }
    }
}

/// A search for the worst case under way.
pub struct Worsening {
    entry: &'static Entry,
    setup: Setup,
    measure: RequestMeasure,
    enough: u32,
    max_bytes: usize,
    search: Search,
}

/// What one slice of work brought.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum WorstStep {
    /// There is more to do.
    Progress(Progress),
    /// It has ended, or has reached its bound.
    Done(Worst),
}

/// A search for the worst case, at its beginning. Of several placements of the cells it takes the first.
pub fn worst(check: &Check, measure: RequestMeasure) -> Result<Worsening, Vec<String>> {
    Ok(worst_of(prepare(check)?, check.requests, measure))
}

/// The same for a check that was prepared elsewhere.
pub fn worst_of(mut prepared: Prepared, requests: Requests, measure: RequestMeasure) -> Worsening {
    let setup = prepared.setups.swap_remove(0);
    let enough = if requests == Requests::Unlimited { ENOUGH } else { FAR_TOO_MANY };
    let system = (prepared.entry.drive.system)(setup.clone());
    let search = Search::new(system, &prepared.bounds, SearchGoal::Most(measure), enough);
    let max_bytes = prepared.max_bytes;
    Worsening { entry: prepared.entry, setup, measure, enough, max_bytes, search }
}

impl Worsening {
    /// Looks at so many more states.
    pub fn advance(&mut self, states: usize) -> WorstStep {
        let mut left = states;
        let ended = loop {
            let slice = left.min(LOOK);
            left -= slice;
            if let Some(ended) = self.search.advance(slice) {
                break ended;
            }
            let progress = self.search.progress();
            if progress.bytes + progress.frontier_bytes > self.max_bytes {
                break self.search.stop();
            }
            if left == 0 {
                return WorstStep::Progress(progress);
            }
        };
        let value = ended.found.as_ref().map(|f| f.value);
        WorstStep::Done(Worst {
            measure: self.measure,
            value,
            exact: ended.complete && value.is_none_or(|v| v < self.enough),
            states: self.search.progress().states,
            link: ended.found.as_ref().and_then(|f| link(self.entry, &self.setup, &f.events)),
            steps: ended.found.map(|f| f.steps).unwrap_or_default(),
        })
    }

    /// To the end without pauses.
    pub fn finish(&mut self) -> Worst {
        loop {
            if let WorstStep::Done(worst) = self.advance(usize::MAX) {
                return worst;
            }
        }
    }
}
