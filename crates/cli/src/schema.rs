//! `lockstep schema`: the JSON schema of scenario files, for editors.

use crate::answer::CommandOutput;

pub fn answer() -> anyhow::Result<CommandOutput> {
    let schema = lockstep_scenario::schema::schema();
    Ok(CommandOutput::fine(serde_json::to_string_pretty(&schema)? + "\n"))
}
