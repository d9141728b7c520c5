//! What is on the stage when the page goes away, and how it comes back with a reload. The address may not say it yet, or name another place; it knows one
//! line of steps, not what else was tried, and of two figures with the same system only the first.

use super::{Action, State};
use lockstep_scenario::link::Address;
use lockstep_scene::Arrangement;

/// What was on the stage.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Left {
    /// The scenario, if it was one.
    scenario: String,
    /// The run, as the address would name it.
    pub run: String,
    /// Everything that was tried in it.
    tree: String,
}

impl Left {
    /// What is on the stage; `run` is its address.
    pub fn of(state: &State, run: String) -> Left {
        let scenario = state.run.origin.scenario.as_ref().map_or(String::new(), |scenario| scenario.id.clone());
        Left { scenario, run, tree: state.run.tree() }
    }

    /// As a text, for a browser to keep.
    pub fn text(&self) -> String {
        [&*self.scenario, &self.run, &self.tree].join("\n")
    }

    /// Reads such a text.
    pub fn read(text: &str) -> Option<Left> {
        let mut lines = text.split('\n').map(str::to_owned);
        Some(Left { scenario: lines.next()?, run: lines.next()?, tree: lines.next()? })
    }
}

impl State {
    /// Brings back what was on the stage; whether it is another run than its scenario as it opens.
    pub fn come_back(&mut self, left: &Left) -> bool {
        let Address { run, layout, puzzle } = Address::of(&left.run);
        let mut as_it_opens = false;
        if let Some(id) = puzzle {
            self.play_puzzle(&id, Some(&run));
        } else {
            if !left.scenario.is_empty() {
                self.apply(Action::Open(left.scenario.clone()));
            }
            let opened = self.run.link();
            as_it_opens = opened == run;
            if system(&opened) != system(&run) {
                self.apply(Action::Follow(run));
            }
        }
        if self.notice.is_none() {
            self.arrange = layout.and_then(|name| Arrangement::named(&name)).unwrap_or(Arrangement::Auto);
            self.run.regrow(&left.tree);
        }
        !as_it_opens
    }
}

/// The part of a link that says which system it is.
fn system(link: &str) -> &str {
    link.split("&c=").next().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::super::tests::state;
    use super::*;
    use lockstep_scenario::LIBRARY;

    /// The page after a reload.
    fn reloaded(before: &State) -> (State, bool) {
        let left = Left::of(before, before.address());
        let mut after = state();
        let changed = after.come_back(&Left::read(&left.text()).unwrap());
        assert_eq!(after.notice, None);
        assert_eq!(Left::of(&after, after.address()), left);
        (after, changed)
    }

    #[test]
    fn everything_that_was_tried_comes_back() {
        let mut s = state();
        for turn in 0..3 {
            let picks = s.shown().picks.clone();
            s.apply(Action::Pick(picks[turn].event));
            s.apply(Action::Step);
            s.apply(Action::Back);
            s.apply(Action::Back);
            s.apply(Action::Back);
        }
        assert!(s.shown().branches.len() > 4);
        let (mut after, changed) = reloaded(&s);
        assert!(changed);
        let (before, after) = (s.shown(), after.shown());
        assert_eq!(after.branches, before.branches);
        assert_eq!((after.cursor, after.line.len()), (before.cursor, before.line.len()), "the same line lies ahead");
        assert_eq!(after.stops, before.stops);
    }

    #[test]
    fn a_scenario_stays_the_same_though_another_has_the_same_system() {
        for (id, _) in LIBRARY {
            let mut s = state();
            s.apply(Action::Open((*id).into()));
            let (after, changed) = reloaded(&s);
            assert_eq!(after.run.origin.scenario.as_ref().unwrap().id, *id);
            assert!(!changed, "{id} keeps its short address");
        }
    }

    #[test]
    fn other_runs_come_back_by_their_links() {
        let mut s = state();
        s.apply(Action::Under("raymond".into()));
        s.apply(Action::Step);
        assert_eq!(reloaded(&s).0.run.origin.entry.id, "raymond");
        let puzzle = lockstep_check::puzzles()[0].id;
        s.play_puzzle(puzzle, None);
        s.apply(Action::Step);
        assert_eq!(reloaded(&s).0.puzzle.unwrap().0.id, puzzle);
    }

    #[test]
    fn what_cannot_be_read_changes_nothing() {
        assert_eq!(Left::read("alien-figure-1"), None);
        let mut s = state();
        let before = s.run.fingerprint();
        s.come_back(&Left { scenario: "gone".into(), run: "v=9&c=1".into(), tree: "x:1.@9".into() });
        assert!(s.notice.is_some());
        assert_eq!(s.run.fingerprint(), before);
    }
}
