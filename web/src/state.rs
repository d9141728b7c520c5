//! What the page knows, and everything that can happen to it. Knows no HTML: [`State::apply`] is the whole behaviour of the page.

mod choices;
mod left;

pub use choices::{Place, Tab, Theme, Until};
pub use left::Left;

use crate::dialogs::menu::{Open, concerns};
use crate::run::{MOST_STEPS, Opener, Origin, Run, Shown, Wanted};
use crate::undo::{Before, Undo};
use lockstep_check::Puzzle;
use lockstep_kernel::history::StepId;
use lockstep_kernel::{Event, NodeId, ThreadId};
use lockstep_scene::Arrangement;
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

/// The scenario that the page opens with.
pub const FIRST: &str = "alien-figure-1";

/// Nothing asks for a run before the page has fetched what opens it; if something did, this is what it would be told.
const AWAY: &str = "The library was not fetched.";

/// Speeds to choose from, as factors.
pub const SPEEDS: [(f64, &str); 10] = [
    (0.125, "⅛×"),
    (0.25, "¼×"),
    (0.5, "½×"),
    (1.0, "1×"),
    (2.0, "2×"),
    (4.0, "4×"),
    (8.0, "8×"),
    (16.0, "16×"),
    (32.0, "32×"),
    (64.0, "64×"),
];

/// More faults than this nobody looks for in a list: the menus of nodes and messages have the rest.
const MOST_FAULTS: usize = 120;

/// Steps of one "run until".
const MOST_UNTIL: usize = 1000;

/// Everything that can happen to the page.
#[derive(Clone, PartialEq, Debug)]
pub enum Action {
    /// One step forward.
    Step,
    /// One step back.
    Back,
    /// To the beginning.
    Start,
    /// To the end of the known line.
    End,
    /// To a position of the line.
    Seek(usize),
    /// To a stop of the figure.
    Stop(usize),
    /// Make an event happen.
    Pick(Event),
    /// Deliver a message at another position of the line, and do all the rest again.
    Move(u32, usize),
    /// The message that just arrived arrives a step earlier, or later.
    Nudge(bool),
    /// To a moment on any branch.
    Goto(StepId),
    /// Take back the last thing that changed what is seen.
    Undo,
    /// Make the last change that was taken back again.
    Redo,
    /// Large, without rails, for a room full of people; or no more.
    Present,
    /// Nothing to see, while somebody talks; or no more.
    Blank,
    /// From a branch back to the figure, where it was left.
    Return(StepId),
    /// Play or pause.
    Toggle,
    /// Pause.
    Pause,
    /// One step of playing.
    Tick,
    /// One of [`SPEEDS`].
    Speed(usize),
    /// Look at a node, whatever happens; `None` follows the steps.
    Select(Option<NodeId>),
    /// A tab of the inspector.
    Tab(Tab),
    /// Answer the question of a stop.
    Answer(usize, usize),
    /// Go to another place of the page, to look at something there.
    Visit(Place, String),
    /// Open a scenario of the library.
    Open(String),
    /// The same four requests under an algorithm.
    Under(String),
    /// Open a link.
    Follow(String),
    /// Start again with another parameter.
    Param(String, String),
    /// Light or dark.
    Theme(Theme),
    /// Show or hide the sheet of keys.
    Help(bool),
    /// Show or fade a layer of the stage.
    Layer(String),
    /// Open a menu, or close it.
    Menu(Option<Open>),
    /// Deliver a message, or say why it cannot arrive.
    Deliver(u32),
    /// Let a thread ask or leave, whichever it can.
    Prod(ThreadId),
    /// Go on until something happens.
    Until(Until),
    /// Show or hide the sheet of files.
    Export(bool),
    /// Open a counterexample: a link, and how many of its last steps can repeat for ever.
    Counterexample(String, usize),
    /// Play a puzzle.
    Puzzle(String),
    /// Play a scenario that the reader wrote.
    Play(String),
    /// Show what led to the last step, or no more.
    Why,
    /// Arrange the nodes otherwise.
    Arrange(Arrangement),
    /// Show or fold the space-time diagram.
    Strip,
    /// Say something, once.
    Notice(Option<String>),
    /// Have the library fetched: somebody is about to choose from it.
    Library,
}

impl Action {
    /// Whether it needs what opens other runs.
    pub fn needs_library(&self) -> bool {
        matches!(
            self,
            Action::Open(_)
                | Action::Under(_)
                | Action::Follow(_)
                | Action::Param(..)
                | Action::Counterexample(..)
                | Action::Puzzle(_)
                | Action::Play(_)
                | Action::Export(true)
                | Action::Library
        )
    }
}

/// What the page knows.
pub struct State {
    /// Where the reader is.
    pub place: Place,
    /// The places where the reader has been: they are kept as they were left.
    pub visited: BTreeSet<&'static str>,
    /// What the reader wants to see at the place.
    pub wanted: String,
    /// The run on the stage.
    pub run: Run,
    /// What opens other runs, once it was fetched.
    pub opener: Option<Opener>,
    /// The open menu.
    pub menu: Option<Open>,
    /// Whether the chain of causes is shown.
    pub why: bool,
    /// Whether the sheet of files is open.
    pub export: bool,
    /// The puzzle on the stage, and the steps in which it is solved at the cursor.
    pub puzzle: Option<(Rc<Puzzle>, Option<usize>)>,
    /// Puzzles solved, with the fewest steps that the reader needed.
    pub solved: BTreeMap<String, usize>,
    /// How the nodes are arranged.
    pub arrange: Arrangement,
    /// Whether it plays.
    pub playing: bool,
    /// One of [`SPEEDS`].
    pub speed: usize,
    /// The node that is looked at, if not simply the last to act.
    pub pinned: Option<NodeId>,
    /// The open tab.
    pub tab: Tab,
    /// Answers given, by scenario and stop (`alien-figure-1/1b`).
    pub answers: BTreeMap<String, usize>,
    /// Scenarios that were opened, by id.
    pub opened: BTreeSet<String>,
    /// Light or dark.
    pub theme: Theme,
    /// Whether the sheet of keys is open.
    pub help: bool,
    /// Layers of the stage that are faded.
    pub hidden: BTreeSet<String>,
    /// Whether the space-time diagram is open.
    pub strip: bool,
    /// A sentence for the reader: an error, a confirmation.
    pub notice: Option<String>,
    /// Whether the page is shown to a room.
    pub presenting: bool,
    /// Whether there is nothing to see.
    pub blank: bool,
    /// Whether the page is a guest in another one.
    pub embedded: bool,
    undo: Undo,
    serial: u32,
}

impl State {
    /// The page as it opens.
    pub fn new(run: Run) -> State {
        State {
            place: Place::Stage,
            visited: BTreeSet::new(),
            wanted: String::new(),
            menu: None,
            why: false,
            export: false,
            puzzle: None,
            solved: BTreeMap::new(),
            arrange: Arrangement::Auto,
            run,
            opener: None,
            playing: false,
            speed: 3,
            pinned: None,
            tab: Tab::Node,
            answers: BTreeMap::new(),
            opened: BTreeSet::new(),
            theme: Theme::Auto,
            help: false,
            hidden: BTreeSet::new(),
            strip: true,
            notice: None,
            presenting: false,
            blank: false,
            embedded: false,
            undo: Undo::default(),
            serial: 0,
        }
    }

    /// The key under which the answer to a stop's question is kept.
    pub fn answer_key(origin: &Origin, stop: usize) -> String {
        let scenario = origin.scenario.as_ref();
        let name = scenario.and_then(|s| s.stops.get(stop)).map_or("", |s| s.name.as_str());
        format!("{}/{name}", scenario.map_or("", |s| s.id.as_str()))
    }

    /// The node that the inspector shows.
    pub fn selected(&self, shown: &Shown) -> NodeId {
        let known = self.pinned.filter(|n| n.index() < shown.frame.nodes.len());
        known.or_else(|| shown.frame.last.as_ref().map(|l| l.node)).unwrap_or_default()
    }

    /// The factor of the speed.
    pub fn factor(&self) -> f64 {
        SPEEDS[self.speed.min(SPEEDS.len() - 1)].0
    }

    /// What is shown at the cursor. Faults are listed where somebody looks at them: in an open menu, and in the list of events.
    pub fn shown(&mut self) -> Rc<Shown> {
        let (menu, mut room) = (self.menu, if self.tab == Tab::Events { MOST_FAULTS } else { 0 });
        if menu.is_none() && room == 0 {
            return Rc::new(self.run.shown());
        }
        let frame = self.run.frame();
        let mut wanted = |event: Event| {
            let listed = room > 0;
            room = room.saturating_sub(1);
            listed || menu.is_some_and(|open| concerns(event, open.thing, &frame))
        };
        Rc::new(self.run.shown_with(Some(&mut wanted)))
    }

    fn opened(&self, wanted: Wanted<'_>) -> Result<Run, String> {
        self.opener.ok_or(AWAY.into()).and_then(|opener| (opener.open)(wanted, self.serial))
    }

    fn replace(&mut self, run: Result<Run, String>) {
        match run {
            Ok(run) => {
                self.undo.keep(std::mem::replace(&mut self.run, run));
                self.puzzle = None;
                self.place = Place::Stage;
                self.playing = false;
                self.pinned = None;
                self.notice = None;
            }
            Err(why) => self.notice = Some(why),
        }
    }

    /// What the address asked for is where everything begins: before it there is nothing to take back.
    pub fn begin(&mut self) {
        self.undo = Undo::default();
    }

    /// What is seen, for taking a change of it back.
    fn before(&self) -> Before {
        let (run, moment) = (self.run.serial(), self.run.moment());
        Before { run, moment, place: self.place, arrange: self.arrange, hidden: self.hidden.clone() }
    }

    /// To what was seen before the last change, or again to what was seen after it.
    fn take_back(&mut self, forwards: bool) {
        let Some((before, run)) = self.undo.pop(forwards) else {
            let what = if forwards { "redo" } else { "undo" };
            self.notice = Some(format!("There is nothing to {what}."));
            return;
        };
        let seen = self.before();
        let replaced = run.map(|run| std::mem::replace(&mut self.run, run));
        self.undo.left(forwards, seen, replaced);
        self.run.seek(before.moment);
        (self.place, self.arrange, self.hidden) = (before.place, before.arrange, before.hidden);
    }

    fn step(&mut self) {
        if self.run.steps() > MOST_STEPS {
            self.playing = false;
            self.notice = Some(format!(
                "This run has {MOST_STEPS} steps: enough to keep. Go back and choose otherwise, or start again."
            ));
        } else if !self.run.step() {
            self.playing = false;
            self.notice = Some(if self.run.shown().picks.is_empty() {
                "Nothing can happen any more: no message is under way, nobody is inside, and no thread can ask.".into()
            } else {
                "Nothing is due: no message is under way and nobody is inside. Let a thread ask, under Events.".into()
            });
        }
    }

    /// Opens a puzzle at its beginning, or where a link left it.
    pub fn play_puzzle(&mut self, id: &str, link: Option<&str>) {
        self.serial += 1;
        let opened = self.opener.ok_or(AWAY.into()).and_then(|opener| (opener.puzzle)(id, link, self.serial));
        match opened {
            Ok((puzzle, run)) => {
                self.replace(Ok(run));
                self.puzzle = Some((Rc::new(puzzle), None));
                self.judge_puzzle();
            }
            Err(why) => self.notice = Some(why),
        }
    }

    /// Whether the puzzle is solved at the cursor; the best solution is remembered.
    fn judge_puzzle(&mut self) {
        let (Some((puzzle, steps)), Some(opener)) = (&mut self.puzzle, self.opener) else { return };
        *steps = (opener.solved)(puzzle, &self.run);
        if let Some(steps) = *steps {
            let best = self.solved.entry(puzzle.id.into()).or_insert(steps);
            *best = steps.min(*best);
        }
    }

    /// What stands after the `#` for this state.
    pub fn address(&self) -> String {
        let puzzle = self.puzzle.as_ref().map_or(String::new(), |(puzzle, _)| format!("&puzzle={}", puzzle.id));
        self.run.link() + &puzzle
    }

    /// Lets a thread do what it can: ask, leave, or say why it waits.
    fn prod(&mut self, thread: ThreadId) {
        let shown = self.run.shown();
        let can = |e: &Event| match e {
            Event::Release(t) => *t == thread,
            e => e.asks() == Some(thread),
        };
        if let Some(event) = shown.picks.iter().map(|p| p.event).find(can) {
            self.run.pick(event);
            return;
        }
        let threads = shown.frame.nodes.iter().flat_map(|n| n.threads.iter().map(move |t| (n, t)));
        self.notice = threads.into_iter().find(|(_, t)| t.id == thread).map(|(node, t)| {
            format!(
                "{} waits: {}.",
                t.name,
                lockstep_scene::explain::why::waiting(&shown.frame, &shown.origin.setup, node, t)
            )
        });
    }

    /// Steps until something happens, or until nothing can, or for as many steps as are worth keeping.
    fn until(&mut self, until: Until) {
        for _ in 0..MOST_UNTIL {
            if !self.run.step() {
                self.notice = Some("Nothing is due any more, and it did not happen.".into());
                return;
            }
            if until.happened(&self.run.frame()) {
                return;
            }
        }
        self.notice = Some(format!("It did not happen within {MOST_UNTIL} steps."));
    }

    /// Makes something happen.
    pub fn apply(&mut self, action: Action) {
        if let Action::Undo | Action::Redo = action {
            (self.notice, self.playing, self.menu) = (None, false, None);
            return self.take_back(action == Action::Redo);
        }
        let before = self.before();
        // a stretch of playing, or of moving the slider, is one thing to take back
        let flowing = matches!(action, Action::Tick | Action::Seek(_));
        self.perform(action);
        if self.before() != before {
            self.undo.push(before, flowing);
        } else if !flowing {
            self.undo.pause();
        }
    }

    fn perform(&mut self, action: Action) {
        if !matches!(action, Action::Tick | Action::Notice(_)) {
            self.notice = None;
        }
        // whoever takes the controls stops the playing
        if !matches!(
            action,
            Action::Tick
                | Action::Toggle
                | Action::Speed(_)
                | Action::Select(_)
                | Action::Tab(_)
                | Action::Theme(_)
                | Action::Layer(_)
                | Action::Arrange(_)
                | Action::Menu(_)
                | Action::Present
                | Action::Blank
                | Action::Why
                | Action::Strip
                | Action::Notice(_)
                | Action::Answer(..)
        ) {
            self.playing = false;
        }
        if !matches!(action, Action::Menu(_) | Action::Tick) {
            self.menu = None;
        }
        self.serial += 1;
        match action {
            Action::Step => self.step(),
            Action::Tick => {
                if self.playing {
                    if !self.run.loop_back() {
                        self.step();
                    }
                    self.playing &= self.run.cycle > 0 || (!self.run.is_at_stop() && self.run.goes_on());
                }
            }
            Action::Back => {
                let steps = self.run.steps();
                self.run.seek_index(steps.saturating_sub(1));
            }
            Action::Start => self.run.seek_index(0),
            Action::End => self.run.seek_index(usize::MAX),
            Action::Seek(index) => self.run.seek_index(index),
            Action::Stop(stop) => self.run.seek_stop(stop),
            Action::Pick(event) => {
                if !self.run.pick(event) {
                    self.notice = Some("That cannot happen any more.".into());
                }
            }
            Action::Return(moment) => self.run.return_to(moment),
            Action::Goto(moment) => self.run.seek(moment),
            Action::Move(message, to) => {
                if let Err(why) = self.run.redeliver(message, to) {
                    self.notice = Some(why);
                }
            }
            Action::Nudge(earlier) => {
                if let Err(why) = self.run.nudge(earlier) {
                    self.notice = Some(why);
                }
            }
            Action::Undo | Action::Redo => {}
            Action::Present => (self.presenting, self.blank) = (!self.presenting, false),
            Action::Blank => self.blank = !self.blank,
            Action::Toggle => self.playing = !self.playing,
            Action::Pause => self.playing = false,
            Action::Speed(speed) => self.speed = speed.min(SPEEDS.len() - 1),
            Action::Select(node) => {
                self.pinned = node;
                self.tab = Tab::Node;
            }
            Action::Tab(tab) => self.tab = tab,
            Action::Answer(stop, answer) => {
                let key = State::answer_key(&self.run.origin, stop);
                self.answers.insert(key, answer);
            }
            Action::Open(id) => {
                self.replace(self.opened(Wanted::Scenario(&id)));
                if self.notice.is_none() {
                    self.opened.insert(id);
                }
            }
            Action::Under(algorithm) => self.replace(self.opened(Wanted::Requests(&algorithm))),
            Action::Follow(link) => {
                let opened = self.opened(Wanted::Link(&link));
                self.replace(opened.map_err(|why| format!("This link cannot be opened. {why}")));
            }
            Action::Param(name, value) => self.replace(self.opened(Wanted::Param(&self.run, &name, &value))),
            Action::Theme(theme) => self.theme = theme,
            Action::Help(open) => self.help = open,
            Action::Menu(menu) => self.menu = menu,
            Action::Export(open) => self.export = open,
            Action::Counterexample(link, cycle) => {
                self.replace(self.opened(Wanted::Link(&link)));
                if self.notice.is_none() {
                    self.run.cycle = cycle;
                    if cycle == 0 {
                        self.run.seek_index(0);
                    }
                }
            }
            Action::Puzzle(id) => self.play_puzzle(&id, None),
            Action::Play(text) => self.replace(self.opened(Wanted::Text(&text))),
            Action::Why => self.why = !self.why,
            Action::Deliver(message) => {
                if !self.run.pick(Event::Deliver(message)) {
                    let shown = self.run.shown();
                    let why = lockstep_scene::explain::why::stuck(&shown.frame, &shown.origin.setup, message);
                    self.notice = Some(why.unwrap_or_else(|| "This message cannot arrive now.".into()));
                }
            }
            Action::Prod(thread) => self.prod(thread),
            Action::Until(until) => self.until(until),
            Action::Arrange(arrange) => self.arrange = arrange,
            Action::Visit(place, what) => {
                self.export = false;
                self.place = place;
                self.visited.insert(place.name());
                self.wanted = what;
            }
            Action::Layer(layer) => {
                if !self.hidden.remove(&layer) {
                    self.hidden.insert(layer);
                }
            }
            Action::Strip => self.strip = !self.strip,
            Action::Notice(notice) => self.notice = notice,
            Action::Library => {}
        }
        self.judge_puzzle();
    }
}

#[cfg(test)]
pub mod tests;
