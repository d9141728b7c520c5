//! What is on the stage when the page disappears, and how a reload brings it back. The address is
//! not enough: it may name another place, and it describes one branch only.

use crate::action::Action;
use crate::session::Session;
use lockstep_scenario::link::Address;
use lockstep_scene::Arrangement;

/// The stage at the time when the page disappeared.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ReloadSnapshot {
    /// The id of the scenario, or nothing.
    scenario: String,
    /// The address of the run.
    pub run: String,
    /// Every branch of the run.
    tree: String,
}

impl ReloadSnapshot {
    /// The stage as it is.
    pub fn of(session: &Session) -> ReloadSnapshot {
        let scenario = session.run.origin.scenario.as_ref().map_or(String::new(), |scenario| scenario.id.clone());
        ReloadSnapshot { scenario, run: session.run_address(), tree: session.run.tree() }
    }

    /// The snapshot as text, for the browser's storage.
    pub fn text(&self) -> String {
        [&*self.scenario, &self.run, &self.tree].join("\n")
    }

    /// Reads such a text.
    pub fn read(text: &str) -> Option<ReloadSnapshot> {
        let mut lines = text.split('\n').map(str::to_owned);
        Some(ReloadSnapshot { scenario: lines.next()?, run: lines.next()?, tree: lines.next()? })
    }
}

impl Session {
    /// Brings the stage back. Returns whether the run differs from its scenario as it opens.
    pub(crate) fn restore(&mut self, snapshot: &ReloadSnapshot) -> bool {
        let Address { run, layout, puzzle } = Address::of(&snapshot.run);
        let mut as_it_opens = false;
        if let Some(id) = puzzle {
            self.play_puzzle(&id, Some(&run));
        } else {
            if !snapshot.scenario.is_empty() {
                self.change(Action::Open(snapshot.scenario.clone()));
            }
            let opened = self.run.link();
            as_it_opens = opened == run;
            if system(&opened) != system(&run) {
                self.change(Action::Follow(run));
            }
        }
        if self.notice.is_none() {
            self.arrange = layout.and_then(|name| Arrangement::named(&name)).unwrap_or(Arrangement::Auto);
            self.notice = self.run.regrow(&snapshot.tree).err();
        }
        !as_it_opens
    }
}

/// The part of a link that describes the system.
fn system(link: &str) -> &str {
    link.split("&c=").next().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tests::session;
    use lockstep_scenario::LIBRARY;

    /// The page after a reload.
    fn reloaded(before: &Session) -> (Session, bool) {
        let snapshot = ReloadSnapshot::of(before);
        let mut after = session();
        let changed = after.restore(&ReloadSnapshot::read(&snapshot.text()).unwrap());
        assert_eq!(after.notice, None);
        assert_eq!(ReloadSnapshot::of(&after), snapshot);
        (after, changed)
    }

    #[test]
    fn a_reload_keeps_every_branch() {
        let mut s = session();
        for turn in 0..3 {
            let picks = s.view().picks.clone();
            for action in [Action::Pick(picks[turn].event), Action::Step, Action::Back, Action::Back, Action::Back] {
                s.apply(action);
            }
        }
        assert!(s.view().branches.len() > 4);
        let (mut after, changed) = reloaded(&s);
        assert!(changed);
        let (before, after) = (s.view(), after.view());
        assert_eq!(after.branches, before.branches);
        assert_eq!((after.cursor, after.timeline.len()), (before.cursor, before.timeline.len()));
        assert_eq!(after.stops, before.stops);
    }

    #[test]
    fn a_reload_keeps_the_scenario_although_another_has_the_same_system() {
        for (id, _) in LIBRARY {
            let mut s = session();
            s.apply(Action::Open((*id).into()));
            let (after, changed) = reloaded(&s);
            assert_eq!(after.run.origin.scenario.as_ref().unwrap().id, *id);
            assert!(!changed, "{id} keeps its short address");
        }
    }

    #[test]
    fn other_runs_come_back_by_their_links() {
        let mut s = session();
        s.apply(Action::Under("raymond".into()));
        s.apply(Action::Step);
        assert_eq!(reloaded(&s).0.run.origin.entry.id, "raymond");
        let puzzle = lockstep_check::puzzles()[0].id;
        s.apply(Action::Puzzle(puzzle.into()));
        s.apply(Action::Step);
        assert_eq!(reloaded(&s).0.puzzle.unwrap().0.id, puzzle);
    }

    #[test]
    fn a_snapshot_that_cannot_be_read_changes_nothing() {
        assert_eq!(ReloadSnapshot::read("alien-figure-1"), None);
        let mut s = session();
        let before = s.run.fingerprint();
        s.restore(&ReloadSnapshot { scenario: "gone".into(), run: "v=9&c=1".into(), tree: "x:1.@9".into() });
        assert!(s.notice.is_some());
        assert_eq!(s.run.fingerprint(), before);
    }
}
