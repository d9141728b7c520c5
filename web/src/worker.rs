//! What a worker is asked to do: the same core as on the stage, JSON in and out. `worker.js` calls these.

use lockstep_lab::study::{self, Settings};
use wasm_bindgen::prelude::*;

fn json<T: serde::Serialize>(answer: Result<T, Vec<String>>) -> String {
    match answer {
        Ok(answer) => serde_json::to_string(&answer).unwrap_or_default(),
        Err(problems) => serde_json::json!({ "problems": problems }).to_string(),
    }
}

/// Runs a batch job: its record, or `{"problems":[…]}`.
#[wasm_bindgen]
pub fn run_job(job: &str) -> String {
    let job = serde_json::from_str(job).map_err(|why| vec![format!("The job cannot be read: {why}.")]);
    json(job.and_then(|job| lockstep_lab::record(&job)))
}

/// What a study watches in single runs: names and numbers.
#[wasm_bindgen]
pub fn observe(study: &str, settings: &str) -> String {
    let settings = serde_json::from_str::<Settings>(settings).map_err(|why| vec![format!("{why}.")]);
    let watched = study::find(study).map_err(|why| vec![why]).and_then(|study| Ok((study.observe)(&settings?)));
    json(watched)
}

/// The answer to a study's question, by trying every order of events; `null` where that is too much.
#[wasm_bindgen]
pub fn prove(study: &str, settings: &str, question: &str) -> String {
    let settings = serde_json::from_str::<Settings>(settings).map_err(|why| vec![format!("{why}.")]);
    let asked = study::find(study).map_err(|why| vec![why]).and_then(|study| Ok((study.questions)(&settings?)));
    json(asked.map(|all| all.iter().find(|q| q.id == question).and_then(study::prove)))
}
