//! `lockstep schema`: the JSON schema of scenario files, for editors.

use crate::answer::Answer;

pub fn answer() -> anyhow::Result<Answer> {
    let schema = lockstep_scenario::schema::schema();
    Ok(Answer::fine(serde_json::to_string_pretty(&schema)? + "\n"))
}
