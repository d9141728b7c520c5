//! Short labels of the panels: of possible events, of parameters, and of a puzzle.

use crate::{StagePuzzle, StepView};
use lockstep_kernel::Param;
use lockstep_kernel::history::EnabledEvent;
use lockstep_scene::explain::words;

/// What stands beside a possible event: whether Step takes it, or when it is due.
pub fn event_note(shown: &StepView, event: &EnabledEvent) -> String {
    let next = shown.next == Some(event.event);
    match (next, event.due) {
        (true, _) if shown.is_replay() && shown.origin.is_figure() => "next in the figure".into(),
        (true, _) if shown.is_replay() => "next on this branch".into(),
        (true, _) => "due next".into(),
        (false, Some(due)) => words::due(due, shown.frame.now),
        (false, None) => String::new(),
    }
}

/// The value of a parameter: `v1`, `piggyback on`.
pub fn value_name(param: &Param, value: &str) -> String {
    match value {
        "true" => format!("{} on", param.name),
        "false" => format!("{} off", param.name),
        other => other.into(),
    }
}

/// A number of steps in words.
fn steps(steps: usize) -> String {
    if steps == 1 { "1 step".into() } else { format!("{steps} steps") }
}

impl StagePuzzle {
    /// How many steps were made, of how many that are needed.
    pub fn progress(&self, made: usize) -> String {
        format!("{} so far, par {}.", steps(made), self.par)
    }

    /// In how many steps it was solved; empty before.
    pub fn outcome(&self, solved: Option<usize>) -> String {
        match solved {
            None => String::new(),
            Some(made) if made > self.par => format!("Solved in {}. Par is {}.", steps(made), self.par),
            Some(made) => format!("Solved in {}: par. The address of this page proves it.", steps(made)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::StageRun;
    use lockstep_check::puzzles;
    use std::rc::Rc;

    #[test]
    fn an_event_says_whether_step_takes_it() {
        let mut run = StageRun::of_library("alien-figure-1", 0).unwrap();
        run.seek_index(0);
        let shown = run.view();
        let notes = |shown: &StepView| shown.picks.iter().map(|pick| event_note(shown, pick)).collect::<Vec<_>>();
        assert_eq!(notes(&shown).iter().filter(|note| *note == "next in the figure").count(), 1);
        // beyond the end of the figure nothing is replayed
        run.seek_index(shown.timeline.len() - 1);
        assert!(!notes(&run.view()).iter().any(|note| note.starts_with("next")));
    }

    #[test]
    fn a_switch_is_on_or_off_and_other_values_name_themselves() {
        let params = lockstep_algorithms::find("alien").unwrap().params;
        let flag = params.iter().find(|param| param.values.contains(&"true")).unwrap();
        assert_eq!(value_name(flag, "true"), format!("{} on", flag.name));
        assert_eq!(value_name(flag, "false"), format!("{} off", flag.name));
        assert_eq!(value_name(flag, "v2"), "v2");
    }

    #[test]
    fn a_puzzle_says_how_far_it_is() {
        let puzzle = StagePuzzle(Rc::new(puzzles().remove(0)));
        assert_eq!(puzzle.progress(1), format!("1 step so far, par {}.", puzzle.par));
        assert_eq!(puzzle.outcome(None), "");
        assert!(puzzle.outcome(Some(puzzle.par)).ends_with("proves it."));
        assert!(puzzle.outcome(Some(puzzle.par + 1)).ends_with(&format!("Par is {}.", puzzle.par)));
    }
}
