//! What each action does to the session, and the commands that follow from it.

use crate::action::{Action, Command, Journey, Part};
use crate::address::{self, AddressTarget};
use crate::choices::{InspectorTab, PagePlace, SPEEDS, StopCondition};
use crate::reload::ReloadSnapshot;
use crate::run::{MOST_STEPS, StepView};
use crate::session::{FAST, LOADING, MISSING, Session, UNSTORED};
use lockstep_kernel::{Event, ThreadId};
use lockstep_scene::explain::why;

/// The most steps of one "run until".
const MOST_UNTIL: usize = 1000;

/// Milliseconds between two steps of playing at speed 1.
const BEAT: f64 = 600.0;
/// The least milliseconds between two pictures of a run that plays fast: stage, diagram and panels
/// are drawn in frames of their own. A faster run makes several steps at once.
const DRAWN: f64 = 64.0;
/// The milliseconds of these that drawing takes.
const DRAWING: f64 = 50.0;

/// Milliseconds for which the confirmation of a copy is shown.
const CONFIRMATION: u32 = 2000;

impl Session {
    /// Makes something happen. The page carries out the commands in their order.
    pub fn apply(&mut self, action: Action) -> Vec<Command> {
        match action {
            Action::Leave => vec![Command::Keep(Box::new(ReloadSnapshot::of(self)))],
            Action::Copy => vec![Command::Copy(self.address())],
            Action::Copied(Ok(())) => {
                self.copied = true;
                vec![Command::Confirm(CONFIRMATION)]
            }
            Action::CopySeen => {
                self.copied = false;
                Vec::new()
            }
            Action::Unstored => {
                if !std::mem::replace(&mut self.unstored, true) && !self.embedded {
                    self.notice = Some(UNSTORED.into());
                }
                Vec::new()
            }
            Action::Landed(serial) if self.ahead.as_ref().is_some_and(|(journey, _)| journey.serial == serial) => {
                self.land();
                self.keep_playing().into_iter().collect()
            }
            Action::Landed(_) => Vec::new(),
            action if self.opener.is_none() && action.needs_library() => {
                self.notice = Some(LOADING.into());
                let is_first = self.waiting.replace(action).is_none();
                is_first.then_some(Command::Fetch(Part::Library)).into_iter().collect()
            }
            action => self.perform(action),
        }
    }

    fn perform(&mut self, action: Action) -> Vec<Command> {
        self.land();
        let animated = action.is_animated();
        let visits = matches!(action, Action::Visit(place, _) if place != PagePlace::Stage);
        let navigates = matches!(action, Action::Navigate(_));
        let was = (self.run.serial(), self.place);
        let moment = self.run.moment();
        self.named = None;
        self.change(action);
        let moved = was != (self.run.serial(), self.place);
        let mut commands = Vec::new();
        if std::mem::take(&mut self.unsaved) {
            commands.push(Command::Persist(Box::new(self.preferences.clone())));
        }
        let named = self.named.take();
        let pushes = !navigates && (moved || visits || named.is_some());
        if pushes {
            commands.push(Command::Push(named.unwrap_or_else(|| self.address())));
        }
        if self.is_address_due() && !pushes && !navigates {
            commands.push(Command::Replace(self.run_address()));
        }
        if self.place != PagePlace::Stage && (moved || visits) {
            commands.push(Command::Fetch(Part::Place(self.place)));
        }
        let next = self.view();
        let ms = if animated && self.run.moment() != moment {
            duration(&self.shown, &next, self.preferences.factor())
        } else {
            0.0
        };
        if ms > 0.0 {
            self.journeys += 1;
            let journey = Journey { serial: self.journeys, until: next.frame.now, ms };
            self.ahead = Some((journey, next));
            commands.push(Command::Animate(journey));
        } else {
            self.shown = next;
        }
        commands.extend(self.keep_playing());
        commands
    }

    /// Ends the animation, if there is one.
    fn land(&mut self) {
        if let Some((_, shown)) = self.ahead.take() {
            self.shown = shown;
        }
    }

    /// Whether the address has to be replaced. A run keeps the address that opened it until the
    /// cursor moves. Not while it plays: browsers limit how often an address may change.
    fn is_address_due(&mut self) -> bool {
        let now = (self.run.serial(), self.run.moment(), self.arrange);
        let fresh = self.written.0 != now.0;
        if self.written == now || self.place != PagePlace::Stage || (self.playing && !fresh) {
            return false;
        }
        self.written = now;
        !fresh
    }

    /// The steps that are made at once while playing, and the milliseconds until the next ones.
    fn pace(&self) -> (usize, u32) {
        let beat = BEAT / self.preferences.factor();
        if self.preferences.factor() < FAST {
            return (1, beat as u32);
        }
        let steps = (DRAWN / beat).ceil().max(1.0);
        // drawing takes its time as well
        (steps as usize, (steps * beat - DRAWING).max(8.0) as u32)
    }

    /// Schedules the next step of playing, or cancels it.
    fn keep_playing(&mut self) -> Option<Command> {
        if self.playing && self.ahead.is_none() && !self.ticking {
            self.ticking = true;
            return Some(Command::Play(Some(self.pace().1)));
        }
        let cancel = !self.playing && std::mem::take(&mut self.ticking);
        cancel.then_some(Command::Play(None))
    }

    /// Changes the session, and records what was seen before for Undo.
    pub(crate) fn change(&mut self, action: Action) {
        if let Action::Undo | Action::Redo = action {
            (self.notice, self.playing, self.menu) = (None, false, None);
            return self.take_back(action == Action::Redo);
        }
        let before = self.undo_point();
        // playing, and moving the slider, are one change each
        let flowing = matches!(action, Action::Tick | Action::Seek(_));
        self.execute(action);
        if self.undo_point() != before {
            self.undo.push(before, flowing);
        } else if !flowing {
            self.undo.pause();
        }
        self.judge_puzzle();
    }

    fn take_back(&mut self, forwards: bool) {
        let Some((before, run)) = self.undo.pop(forwards) else {
            let what = if forwards { "redo" } else { "undo" };
            self.notice = Some(format!("There is nothing to {what}."));
            return;
        };
        let seen = self.undo_point();
        let replaced = run.map(|run| std::mem::replace(&mut self.run, run));
        self.undo.leave(forwards, seen, replaced);
        self.run.seek(before.moment);
        (self.place, self.arrange, self.hidden) = (before.place, before.arrange, before.hidden);
    }

    /// Changes the session.
    pub(crate) fn execute(&mut self, action: Action) {
        if !matches!(action, Action::Tick | Action::Notice(_)) {
            self.notice = None;
        }
        self.playing &= action.keeps_playing();
        if !matches!(action, Action::Menu(_) | Action::Tick) {
            self.menu = None;
        }
        self.serial += 1;
        match action {
            Action::Import(Err(why)) => self.notice = Some(why),
            Action::Navigate(hash) => match address::read(&hash) {
                Some(AddressTarget::Place(place, what)) => self.show(Action::Visit(place, what)),
                _ => self.open_run(Action::Navigate(hash)),
            },
            Action::Open(_)
            | Action::Under(_)
            | Action::Follow(_)
            | Action::Own(_)
            | Action::Param(..)
            | Action::Counterexample(..)
            | Action::Puzzle(_)
            | Action::Play(_)
            | Action::Import(_) => self.open_run(action),
            Action::Step
            | Action::Tick
            | Action::Back
            | Action::Start
            | Action::End
            | Action::Seek(_)
            | Action::Stop(_)
            | Action::Return(_)
            | Action::Goto(_)
            | Action::Pick(_)
            | Action::Move(..)
            | Action::Nudge(_)
            | Action::Deliver(_)
            | Action::Prod(_)
            | Action::Until(_) => self.travel(action),
            action => self.show(action),
        }
    }

    /// Opens another run, which takes the library.
    fn open_run(&mut self, action: Action) {
        match self.opener {
            Some(opener) => (opener.open)(self, action),
            None => self.notice = Some(MISSING.into()),
        }
    }

    /// Moves the cursor, or makes events happen.
    fn travel(&mut self, action: Action) {
        match action {
            Action::Step => self.step(),
            Action::Tick => {
                self.ticking = false;
                for _ in 0..self.pace().0 {
                    if !self.playing {
                        break;
                    }
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
            Action::Return(moment) => self.run.return_to(moment),
            Action::Goto(moment) => self.run.seek(moment),
            Action::Pick(event) => {
                let impossible = !self.run.pick(event);
                self.notice = impossible.then(|| "That event is no longer possible.".into());
            }
            Action::Move(message, to) => self.notice = self.run.redeliver(message, to).err(),
            Action::Nudge(earlier) => self.notice = self.run.nudge(earlier).err(),
            Action::Deliver(message) => {
                let impossible = !self.run.pick(Event::Deliver(message));
                self.notice = impossible.then(|| self.why_stuck(message));
            }
            Action::Prod(thread) => self.prod(thread),
            Action::Until(condition) => self.until(condition),
            _ => {}
        }
    }

    /// Changes what is open, selected or seen.
    pub(crate) fn show(&mut self, action: Action) {
        match action {
            Action::Present => (self.presenting, self.blank) = (!self.presenting, false),
            Action::Blank => self.blank = !self.blank,
            Action::Toggle => self.playing = !self.playing,
            Action::Speed(speed) => {
                self.preferences.speed = speed.min(SPEEDS.len() - 1);
                self.unsaved = true;
            }
            Action::Select(node) => {
                self.pinned = node;
                self.tab = InspectorTab::Node;
            }
            Action::Tab(tab) => self.tab = tab,
            Action::Answer(stop, answer) => {
                let key = Session::answer_key(&self.run.origin, stop);
                self.preferences.answers.insert(key, answer);
                self.unsaved = true;
            }
            Action::Theme(theme) => {
                self.preferences.theme = theme;
                self.unsaved = true;
            }
            Action::Diagram => {
                self.preferences.diagram = !self.preferences.diagram;
                self.unsaved = true;
            }
            Action::Help(open) => self.help = open,
            Action::Menu(menu) => self.menu = menu,
            Action::Export(open) => self.export = open,
            Action::Why => self.why = !self.why,
            Action::Arrange(arrange) => self.arrange = arrange,
            Action::Visit(place, what) => {
                self.export = false;
                self.place = place;
                self.visited.insert(place.name());
                self.wanted = what;
            }
            Action::Layer(layer) if self.hidden.contains(&layer) => drop(self.hidden.remove(&layer)),
            Action::Layer(layer) => drop(self.hidden.insert(layer)),
            Action::Notice(notice) => self.notice = notice,
            Action::Copied(Err(link)) => {
                self.notice = Some(format!("The browser does not allow this page to copy. The link is {link}"));
            }
            _ => {}
        }
    }

    fn step(&mut self) {
        if self.run.steps() > MOST_STEPS {
            self.playing = false;
            self.notice = Some(format!(
                "This run has {MOST_STEPS} steps, the most that are kept. Go back and take another branch, or start again."
            ));
        } else if !self.run.step() {
            self.playing = false;
            self.notice = Some(if self.run.view().picks.is_empty() {
                "Nothing can happen any more: no message is in flight, no thread is inside and none can request.".into()
            } else {
                "Nothing is due: no message is in flight and no thread is inside. Let a thread request, under Events."
                    .into()
            });
        }
    }

    /// Why a message cannot be delivered.
    fn why_stuck(&mut self, message: u32) -> String {
        let shown = self.run.view();
        let why = why::explain_undelivered(&shown.frame, &shown.origin.setup, message);
        why.unwrap_or_else(|| "This message cannot be delivered now.".into())
    }

    /// Lets a thread do what it can: request or release. A waiting thread says why it waits.
    fn prod(&mut self, thread: ThreadId) {
        let shown = self.run.view();
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
            format!("{} waits: {}.", t.name, why::explain_wait(&shown.frame, &shown.origin.setup, node, t))
        });
    }

    /// Steps until the condition holds, nothing can happen, or [`MOST_UNTIL`] steps are done.
    fn until(&mut self, condition: StopCondition) {
        for _ in 0..MOST_UNTIL {
            if !self.run.step() {
                self.notice = Some("Nothing more is due, and it has not happened.".into());
                return;
            }
            if condition.holds(&self.run.frame()) {
                return;
            }
        }
        self.notice = Some(format!("It did not happen within {MOST_UNTIL} steps."));
    }
}

/// How long a step is animated, in milliseconds; 0 for not at all.
fn duration(from: &StepView, to: &StepView, factor: f64) -> f64 {
    let passed = to.frame.now.saturating_sub(from.frame.now);
    let longest = from.frame.flights.iter().map(|f| f.due.saturating_sub(f.sent)).max().unwrap_or(0);
    if passed == 0 || longest == 0 || factor >= FAST {
        return 0.0;
    }
    (passed as f64 / longest as f64 * 700.0).clamp(200.0, 700.0) / factor
}
