//! What workers compute with: the same core as on the stage, JSON in and out, compiled for speed and without anything that shows. `worker.js`
//! calls these.

use lockstep_check::{Check, Step, Worsening, WorstStep, prepare, worst};
use lockstep_lab::Pilots;
use lockstep_lab::study::{self, Settings};
use wasm_bindgen::prelude::*;

fn json<T: serde::Serialize>(answer: Result<T, Vec<String>>) -> String {
    match answer {
        Ok(answer) => serde_json::to_string(&answer).unwrap_or_default(),
        Err(problems) => serde_json::json!({ "problems": problems }).to_string(),
    }
}

fn main() {} // a worker waits to be asked

/// Runs a batch job: its record, or `{"problems":[…]}`.
#[wasm_bindgen]
pub fn run_job(job: &str) -> String {
    let job = serde_json::from_str(job).map_err(|why| vec![format!("The job cannot be read: {why}.")]);
    json(job.and_then(|job| lockstep_lab::record(&job)))
}

/// What an experiment will cost, from short runs of some of its points.
#[wasm_bindgen]
pub fn cost(pilots: &str) -> String {
    let pilots = serde_json::from_str::<Pilots>(pilots).map_err(|why| vec![format!("{why}.")]);
    json(pilots.map(|pilots| pilots.cost()))
}

/// What a study watches in single runs: names and numbers.
#[wasm_bindgen]
pub fn observe(study: &str, settings: &str) -> String {
    let settings = serde_json::from_str::<Settings>(settings).map_err(|why| vec![format!("{why}.")]);
    let watched = study::find(study).map_err(|why| vec![why]).and_then(|study| Ok((study.observe)(&settings?)));
    json(watched)
}

fn read<T: serde::de::DeserializeOwned>(text: &str) -> Result<T, String> {
    serde_json::from_str(text).map_err(|why| json::<()>(Err(vec![format!("The system cannot be read: {why}.")])))
}

enum Searching {
    Violation(Box<lockstep_check::Checking>),
    Worst(Box<Worsening>),
}

/// An exploration under way.
#[wasm_bindgen]
pub struct Checking {
    search: Searching,
    progress: String,
}

#[wasm_bindgen]
impl Checking {
    /// At the beginning: every order of events of a system, or the problems with it as an error.
    #[wasm_bindgen(constructor)]
    pub fn new(system: &str) -> Result<Checking, String> {
        let check: Check = read(system)?;
        let prepared = prepare(&check).map_err(|problems| json::<()>(Err(problems)))?;
        Ok(Checking { search: Searching::Violation(Box::new(prepared.start())), progress: String::new() })
    }

    /// The same for the worst case: `{"check":…,"measure":"forwards"}`.
    pub fn worst(quest: &str) -> Result<Checking, String> {
        #[derive(serde::Deserialize)]
        struct Quest {
            check: Check,
            measure: lockstep_kernel::explore::Measure,
        }
        let Quest { check, measure } = read(quest)?;
        let search = worst(&check, measure).map_err(|problems| json::<()>(Err(problems)))?;
        Ok(Checking { search: Searching::Worst(Box::new(search)), progress: String::new() })
    }

    /// Looks at so many more states; the answer, if it is over or has reached its bound.
    pub fn advance(&mut self, states: usize) -> Option<String> {
        let progress = match &mut self.search {
            Searching::Violation(checking) => match checking.advance(states) {
                Step::Progress(progress) => progress,
                Step::Done(report) => return Some(json(Ok(report))),
            },
            Searching::Worst(search) => match search.advance(states) {
                WorstStep::Progress(progress) => progress,
                WorstStep::Done(worst) => return Some(json(Ok(worst))),
            },
        };
        self.progress = json(Ok(progress));
        None
    }

    /// How far it has come.
    pub fn progress(&self) -> String {
        self.progress.clone()
    }

    /// Goes on up to a larger number of states.
    pub fn widen(&mut self, states: usize) {
        if let Searching::Violation(checking) = &mut self.search {
            checking.widen(states, lockstep_check::MOST_MEGABYTES);
        }
    }
}

/// The answer to a study's question, by trying every order of events; `null` where that is too much.
#[wasm_bindgen]
pub fn prove(study: &str, settings: &str, question: &str) -> String {
    let settings = serde_json::from_str::<Settings>(settings).map_err(|why| vec![format!("{why}.")]);
    let asked = study::find(study).map_err(|why| vec![why]).and_then(|study| Ok((study.questions)(&settings?)));
    json(asked.map(|all| all.iter().find(|q| q.id == question).and_then(study::prove)))
}
