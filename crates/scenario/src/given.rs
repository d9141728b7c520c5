//! Recognises what a reader opens or pastes: a scenario, a run that was saved as JSON, or an
//! address of the page.

use crate::trace;
use lockstep_spec::{exact, quoted};
use serde::Deserialize;

/// The longest text that is looked at: a saved run tells every step in words.
pub const MOST_GIVEN: usize = 8 << 20;

/// A text that somebody dropped, pasted or opened.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Given {
    /// An address, or what stands after its `#`: a link to a run, a scenario, a place.
    Address(String),
    /// The text of a scenario, which may still be wrong.
    Scenario(String),
}

/// What is read of a saved run: its steps are played again, not believed.
#[derive(Deserialize)]
struct Saved {
    format: u32,
    link: String,
}

impl Given {
    /// Tells what it is, or why it cannot be anything.
    pub fn of(text: &str) -> Result<Given, String> {
        if text.len() > MOST_GIVEN {
            return Err(too_large());
        }
        let text = text.trim();
        if text.is_empty() {
            return Err("It is empty; expected a scenario, a saved run or a link.".into());
        }
        if text.starts_with('{') {
            return saved(text);
        }
        let (page, after) = text.split_once('#').unwrap_or(("", text));
        let run = ["v=", "s=", "puzzle="].iter().any(|start| after.starts_with(start));
        if !text.contains(['\n', ' ']) && (run || page.contains("://")) {
            return Ok(Given::Address(after.into()));
        }
        Ok(Given::Scenario(text.into()))
    }
}

/// What is said of a text that is not even looked at.
pub fn too_large() -> String {
    format!("This is too large; expected at most {} KB.", MOST_GIVEN / 1024)
}

fn saved(text: &str) -> Result<Given, String> {
    let other = |format: &str| format!("This run was saved in format {format}; expected {}.", trace::FORMAT);
    let saved = serde_json::from_str::<Saved>(text).map_err(|why| {
        // a format that is no whole number is repeated as it was written
        let document = exact::document(text).filter(|_| why.is_data()).unwrap_or_default();
        let format = document.get("format").and_then(|format| format.as_str());
        match format.filter(|format| format.parse::<f64>().is_ok()) {
            Some(format) => other(&quoted(format)),
            None => format!(
                "This is JSON but not a run that was saved: {why}. Expected a file that Lockstep saved as “Every step”."
            ),
        }
    })?;
    match saved {
        Saved { format: trace::FORMAT, link } => Ok(Given::Address(link)),
        Saved { format, .. } => Err(other(&format.to_string())),
    }
}
