//! `lockstep schema`: what a scenario file may say, for editors that complete and check while one writes.

use crate::answer::Answer;

pub fn answer() -> anyhow::Result<Answer> {
    let schema = lockstep_scenario::schema::schema();
    Ok(Answer::fine(serde_json::to_string_pretty(&schema)? + "\n"))
}
