//! What the editor begins with, and the problems of a scenario.

use lockstep_scenario::replay::Allowance;
use lockstep_scenario::{LIBRARY, parse};

/// The first scenario in the editor.
pub const EXAMPLE: &str = include_str!("../../scenario/scenarios/neilsen-mizuno.toml");

/// Said where the browser does not store the draft.
pub const UNSTORED_DRAFT: &str = "The browser does not store this draft: it has no room, or a setting forbids it. The \
     draft is lost when you close the page; Save writes it to a file.";

/// The problems of a scenario, each with its position.
pub fn problems(text: &str) -> Vec<String> {
    match parse("mine", text) {
        Err(problems) => problems.iter().map(ToString::to_string).collect(),
        Ok(scenario) => {
            let played = scenario.play_within(Allowance::FRAMES);
            played.failures.iter().map(ToString::to_string).collect()
        }
    }
}

/// The text that an address asks for: `this-run`, or the id of a scenario of the library.
pub fn template(wanted: &str, this_run: &Result<String, String>) -> Option<Result<String, String>> {
    match wanted {
        "" => None,
        "this-run" => Some(this_run.clone()),
        id => LIBRARY.iter().find(|(i, _)| *i == id).map(|(_, text)| Ok((*text).into())),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::run::StageRun;

    #[test]
    fn a_run_becomes_a_scenario_and_plays_again() {
        let mut run = StageRun::of_library("alien-figure-1", 0).unwrap();
        run.step();
        let text = run.save().unwrap();
        assert_eq!(problems(&text), Vec::<String>::new());
        assert_eq!(StageRun::of_text(&text, 1).unwrap().fingerprint(), run.fingerprint());
        assert_eq!(template("this-run", &Ok(text.clone())), Some(Ok(text)));
    }

    #[test]
    fn the_example_has_no_problems_and_a_broken_scenario_says_where() {
        assert_eq!(problems(EXAMPLE), Vec::<String>::new());
        assert!(problems("title = 3")[0].starts_with("line 1"));
        assert_eq!(template("neilsen-mizuno", &Err(String::new())), Some(Ok(EXAMPLE.into())));
        assert_eq!(template("", &Err(String::new())), None);
    }
}
