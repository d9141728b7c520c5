//! What a worker is asked to do: the same core as on the stage, JSON in and out. `worker.js` calls these.

use wasm_bindgen::prelude::*;

/// Runs a batch job: the summary, or `{"problems":[…]}`.
#[wasm_bindgen]
pub fn run_job(job: &str) -> String {
    lockstep_lab::run_json(job)
}
