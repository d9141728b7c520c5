//! What the page knows: the place, the run on the stage, what is open, selected and playing.

use crate::action::{Action, Command, Journey, Part};
use crate::address::{self, AddressTarget};
use crate::choices::{InspectorTab, PagePlace, Preferences};
use crate::menu::{OpenMenu, concerns};
use crate::open::Opener;
use crate::reload::ReloadSnapshot;
use crate::run::{Origin, StageRun, StepView};
use crate::undo::{UndoHistory, UndoPoint};
use lockstep_check::Puzzle;
use lockstep_kernel::history::StepId;
use lockstep_kernel::{Event, NodeId};
use lockstep_scene::Arrangement;
use std::collections::BTreeSet;
use std::rc::Rc;

/// The scenario that the page opens with.
pub const FIRST: &str = "alien-figure-1";

/// Shown while the library is downloaded.
pub const LOADING: &str = "Loading the library of algorithms and scenarios…";

/// Shown if that failed.
pub const MISSING: &str = "The library of algorithms and scenarios could not be downloaded. Nothing has changed. \
     Try again, or reload the page.";

/// Said once where the browser does not store preferences.
pub const UNSTORED: &str = "The browser does not store settings and answers for this page: it has no room, or a \
     setting forbids it. They are lost when you close the page.";

/// The most faults that the list of events shows; the menus of nodes and messages have the rest.
const MOST_FAULTS: usize = 120;

/// From this speed on nothing is animated: the next step would interrupt it.
pub const FAST: f64 = 4.0;

/// The puzzle on the stage.
#[derive(Clone)]
pub struct StagePuzzle(pub Rc<Puzzle>);

impl std::ops::Deref for StagePuzzle {
    type Target = Puzzle;

    fn deref(&self) -> &Puzzle {
        &self.0
    }
}

/// By id: comparing systems would bring the table of fields into the first load.
impl PartialEq for StagePuzzle {
    fn eq(&self, other: &Self) -> bool {
        self.id == other.id
    }
}

/// What the page knows.
pub struct Session {
    /// Where the reader is.
    pub place: PagePlace,
    /// The places where the reader has been: they stay as they were left.
    pub visited: BTreeSet<&'static str>,
    /// What the place shows, as the address names it.
    pub wanted: String,
    /// The run on the stage.
    pub run: StageRun,
    /// What opens other runs, once it was downloaded.
    pub opener: Option<Opener>,
    /// The step that all parts of the page show. It follows the run's cursor when the animation
    /// ends, so that picture, narration and variables never contradict each other.
    pub shown: Rc<StepView>,
    /// The animation and the step that it leads to.
    pub ahead: Option<(Journey, Rc<StepView>)>,
    /// The open menu.
    pub menu: Option<OpenMenu>,
    /// Whether the causes of this step are shown.
    pub why: bool,
    /// Whether the sheet of files is open.
    pub export: bool,
    /// The puzzle on the stage, and the number of steps if it is solved at the cursor.
    pub puzzle: Option<(StagePuzzle, Option<usize>)>,
    /// The layout of the nodes.
    pub arrange: Arrangement,
    /// Whether it plays.
    pub playing: bool,
    /// The node that the inspector shows; `None` for the node that acted last.
    pub pinned: Option<NodeId>,
    /// The open tab.
    pub tab: InspectorTab,
    /// What the browser stores.
    pub preferences: Preferences,
    /// Whether the help sheet is open.
    pub help: bool,
    /// Layers of the stage that are faded.
    pub hidden: BTreeSet<String>,
    /// For the reader: a sentence, or a problem in each line.
    pub notice: Option<String>,
    /// Whether the link was just copied.
    pub copied: bool,
    /// Whether the presentation view is on.
    pub presenting: bool,
    /// Whether the screen is dark.
    pub blank: bool,
    /// Whether the page is embedded in another one.
    pub embedded: bool,
    /// Whether [`Command::Persist`] is due.
    pub(crate) unsaved: bool,
    /// Whether [`UNSTORED`] was said. A page that is embedded in another one does not say it: most
    /// browsers store nothing for such a page.
    pub(crate) unstored: bool,
    /// The action that waits for the library.
    pub(crate) waiting: Option<Action>,
    /// Whether a [`Command::Play`] has not ended yet.
    pub(crate) ticking: bool,
    /// What the address describes: run, moment, layout.
    pub(crate) written: (u32, StepId, Arrangement),
    /// How the action names what it opened, if it has a shorter name than its link.
    pub(crate) named: Option<String>,
    pub(crate) undo: UndoHistory,
    pub(crate) serial: u32,
    pub(crate) journeys: u32,
}

impl Session {
    /// The page with a run on its stage.
    pub fn new(mut run: StageRun) -> Session {
        let shown = Rc::new(run.view());
        Session {
            place: PagePlace::Stage,
            visited: BTreeSet::new(),
            wanted: String::new(),
            opener: None,
            written: (shown.run, shown.moment, Arrangement::Auto),
            shown,
            ahead: None,
            menu: None,
            why: false,
            export: false,
            puzzle: None,
            arrange: Arrangement::Auto,
            run,
            playing: false,
            pinned: None,
            tab: InspectorTab::Node,
            preferences: Preferences::default(),
            help: false,
            hidden: BTreeSet::new(),
            notice: None,
            copied: false,
            presenting: false,
            blank: false,
            embedded: false,
            unsaved: false,
            unstored: false,
            waiting: None,
            ticking: false,
            named: None,
            undo: UndoHistory::default(),
            serial: 0,
            journeys: 0,
        }
    }

    /// Whether the page can only open after the library was downloaded: the address or the
    /// snapshot leads to another run than the first one.
    pub fn needs_library(&self, hash: &str, snapshot: Option<&ReloadSnapshot>) -> bool {
        snapshot.is_some_and(|s| *s != ReloadSnapshot::of(self))
            || address::read(hash).is_some_and(|target| target.needs_library())
    }

    /// Opens the page at an address, with the stage as a reload left it. Nothing before it can be
    /// undone.
    pub fn begin(&mut self, hash: &str, snapshot: Option<&ReloadSnapshot>, opener: Option<Opener>) -> Vec<Command> {
        self.opener = opener;
        let mut commands = Vec::new();
        let target = address::read(hash);
        let elsewhere = matches!(target, Some(AddressTarget::Place(..)));
        let restored = match (snapshot, self.opener) {
            (Some(snapshot), Some(opener)) if *snapshot != ReloadSnapshot::of(self) => {
                if (opener.restore)(self, snapshot) && !elsewhere {
                    commands.push(Command::Replace(snapshot.run.clone()));
                }
                true
            }
            _ => false,
        };
        if self.opener.is_none() && !elsewhere && self.needs_library(hash, snapshot) {
            self.notice = Some(MISSING.into());
        } else if target.is_some() && (!restored || elsewhere) {
            self.execute(Action::Navigate(hash.into()));
        }
        self.undo = UndoHistory::default();
        self.shown = self.view();
        self.written = (self.run.serial(), self.run.moment(), self.arrange);
        if self.place != PagePlace::Stage {
            commands.push(Command::Fetch(Part::Place(self.place)));
        }
        commands
    }

    /// The library was downloaded: what waited for it happens now.
    pub fn receive(&mut self, opener: Opener) -> Vec<Command> {
        self.opener = Some(opener);
        let Some(action) = self.waiting.take() else { return Vec::new() };
        self.notice = None;
        self.apply(action)
    }

    /// The library could not be downloaded: what waited for it does not happen.
    pub fn miss(&mut self) -> Vec<Command> {
        self.waiting = None;
        self.apply(Action::Notice(Some(MISSING.into())))
    }

    /// The key under which the answer to a stop's question is stored.
    pub fn answer_key(origin: &Origin, stop: usize) -> String {
        let scenario = origin.scenario.as_ref();
        let name = scenario.and_then(|s| s.stops.get(stop)).map_or("", |s| s.name.as_str());
        format!("{}/{name}", scenario.map_or("", |s| s.id.as_str()))
    }

    /// The node that the inspector shows.
    pub fn selected(&self, shown: &StepView) -> NodeId {
        let known = self.pinned.filter(|n| n.index() < shown.frame.nodes.len());
        known.or_else(|| shown.frame.last.as_ref().map(|l| l.node)).unwrap_or_default()
    }

    /// The step at the cursor. Faults are listed only for the open menu and the list of events:
    /// there is one for each thread and each node that it could migrate to.
    pub fn view(&mut self) -> Rc<StepView> {
        let (menu, mut room) = (self.menu, if self.tab == InspectorTab::Events { MOST_FAULTS } else { 0 });
        if menu.is_none() && room == 0 {
            return Rc::new(self.run.view());
        }
        let frame = self.run.frame();
        let mut wanted = |event: Event| {
            let listed = room > 0;
            room = room.saturating_sub(1);
            listed || menu.is_some_and(|open| concerns(event, open.subject, &frame))
        };
        Rc::new(self.run.view_with(Some(&mut wanted)))
    }

    /// What is seen, for undoing a change of it.
    pub(crate) fn undo_point(&self) -> UndoPoint {
        let (run, moment) = (self.run.serial(), self.run.moment());
        UndoPoint { run, moment, place: self.place, arrange: self.arrange, hidden: self.hidden.clone() }
    }

    /// Judges the puzzle at the cursor and keeps the best solution.
    pub(crate) fn judge_puzzle(&mut self) {
        let (Some((puzzle, steps)), Some(opener)) = (&mut self.puzzle, self.opener) else { return };
        *steps = (opener.solved)(puzzle, &self.run);
        if let Some(steps) = *steps {
            let best = self.preferences.solved.entry(puzzle.id.into()).or_insert(usize::MAX);
            self.unsaved |= steps < *best;
            *best = steps.min(*best);
        }
    }
}
