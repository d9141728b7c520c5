//! The run on the stage: a player, the scenario that it came from, and the frames seen so far.

use crate::branches::{Branch, branches};
use lockstep_algorithms::ALIEN;
use lockstep_kernel::history::{EnabledEvent, Player, StepId, TimelineStep};
use lockstep_kernel::timing::Timing;
use lockstep_kernel::view::FlightFrame;
use lockstep_kernel::{Entry, Event, Frame, Setup};
use lockstep_scenario::link::Link;
use lockstep_scenario::link::tree::{self, TreeReplay};
use lockstep_scenario::replay::{Allowance, Replay};
use lockstep_scenario::{IDS, Played, Prepared, Scenario};
use lockstep_scene::PictureFeatures;
use lockstep_scene::diagram::DeliveryRange;
use std::cell::{OnceCell, RefCell};
use std::rc::Rc;

/// The most steps of a run: every frame of it is kept.
pub const MOST_STEPS: usize = 3000;

/// What does not change while a run is played.
pub struct Origin {
    /// The algorithm.
    pub entry: &'static Entry,
    /// The system, with the nodes that the algorithm added.
    pub setup: Setup,
    /// The system as it was given to the algorithm.
    pub hosts: Setup,
    /// Durations and seed.
    pub timing: Timing,
    /// The prepared scenario, if this is one.
    pub scenario: Option<Scenario>,
    can: OnceCell<PictureFeatures>,
}

/// Equal only to itself, like [`StepView`].
impl PartialEq for Origin {
    fn eq(&self, other: &Self) -> bool {
        std::ptr::eq(self, other)
    }
}

impl Origin {
    pub(crate) fn new(
        entry: &'static Entry,
        hosts: Setup,
        player: &dyn Player,
        timing: Timing,
        scenario: Option<Scenario>,
    ) -> Rc<Origin> {
        Rc::new(Origin { entry, setup: player.setup().clone(), hosts, timing, scenario, can: OnceCell::new() })
    }

    /// What pictures of this run can show.
    pub fn can(&self) -> &PictureFeatures {
        self.can.get_or_init(|| PictureFeatures::of_trial_run(self.entry, &self.hosts))
    }

    /// Its title: that of the scenario, or the size of the system.
    pub fn title(&self) -> String {
        let nodes = self.hosts.nodes();
        let untitled = || format!("A run with {nodes} node{}", if nodes == 1 { "" } else { "s" });
        self.scenario.as_ref().map_or_else(untitled, |s| s.title.clone())
    }

    /// The id of the scenario, if it is one of the library.
    pub fn library_id(&self) -> Option<&str> {
        self.scenario.as_ref().map(|s| s.id.as_str()).filter(|id| IDS.contains(id))
    }

    /// The title up to its colon: "Figure 1".
    pub fn short_title(&self) -> String {
        let title = self.title();
        title.split(':').next().unwrap_or(&title).into()
    }

    /// Whether the scenario has named stops.
    pub fn is_figure(&self) -> bool {
        self.scenario.as_ref().is_some_and(|s| !s.stops.is_empty())
    }
}

/// How the cursor relates to the timeline of the figure.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum FigurePosition {
    /// On the timeline of the figure, or there is no figure.
    OnTimeline,
    /// After the end of the figure.
    Beyond,
    /// On a branch that left the figure at this moment.
    Branch(StepId),
}

/// Everything that the page shows of one step.
pub struct StepView {
    /// The number of the run.
    pub run: u32,
    /// System, algorithm, scenario.
    pub origin: Rc<Origin>,
    /// The cursor.
    pub moment: StepId,
    /// The state.
    pub frame: Rc<Frame>,
    /// The state one step before.
    pub before: Option<Rc<Frame>>,
    /// The states of the whole timeline, those after the cursor included.
    pub frames: Vec<Rc<Frame>>,
    /// The steps through the cursor.
    pub timeline: Rc<Vec<TimelineStep>>,
    /// The position of the cursor on the timeline.
    pub cursor: usize,
    /// What can happen next; of the faults only those that are on the screen.
    pub picks: Vec<EnabledEvent>,
    /// How many further faults are possible.
    pub more_faults: usize,
    /// What Step will do.
    pub next: Option<Event>,
    /// The positions of the stops on the timeline; none for those on another branch.
    pub stops: Vec<Option<usize>>,
    /// Where the cursor is relative to the figure.
    pub position_in_figure: FigurePosition,
    /// Every branch of the run.
    pub branches: Vec<Branch>,
}

/// Equal only to itself: the page compares views to decide whether to draw again.
impl PartialEq for StepView {
    fn eq(&self, other: &Self) -> bool {
        std::ptr::eq(self, other)
    }
}

impl StepView {
    /// The stop at the cursor.
    pub fn stop(&self) -> Option<usize> {
        self.stops.iter().position(|s| *s == Some(self.cursor))
    }

    /// The last stop at or before the cursor.
    pub fn last_stop(&self) -> Option<usize> {
        self.stops.iter().rposition(|s| s.is_some_and(|i| i <= self.cursor))
    }

    /// Whether Step repeats a step that was made before.
    pub fn is_replay(&self) -> bool {
        self.cursor + 1 < self.timeline.len()
    }
}

/// A run and its cursor.
pub struct StageRun {
    /// What does not change.
    pub origin: Rc<Origin>,
    /// The moments of the stops.
    pub stops: Vec<StepId>,
    /// How many steps at the end of the timeline repeat without end; playing loops over them.
    pub cycle: usize,
    /// The timeline of the figure.
    figure: Vec<StepId>,
    pub(crate) player: Box<dyn Player>,
    /// The frames seen so far, by moment.
    seen: Vec<Option<Rc<Frame>>>,
    /// The timeline through the cursor, cached while nothing moves.
    line: RefCell<Option<Rc<Vec<TimelineStep>>>>,
    serial: u32,
}

impl StageRun {
    pub(crate) fn new(origin: Rc<Origin>, player: Box<dyn Player>, serial: u32) -> StageRun {
        let (stops, figure, seen) = (Vec::new(), Vec::new(), Vec::new());
        StageRun { origin, stops, cycle: 0, figure, player, seen, line: RefCell::default(), serial }
    }

    fn with_figure(self, stops: Vec<StepId>, figure: Vec<StepId>) -> StageRun {
        StageRun { stops, figure, ..self }
    }

    /// The timeline through the cursor.
    fn timeline(&self) -> Rc<Vec<TimelineStep>> {
        self.line.borrow_mut().get_or_insert_with(|| Rc::new(self.player.timeline())).clone()
    }

    /// The player, to be moved.
    fn moving(&mut self) -> &mut dyn Player {
        self.line.take();
        &mut *self.player
    }

    /// A scenario that was played, at the stop where it opens.
    pub(crate) fn of_played(scenario: Scenario, played: Played, serial: u32) -> StageRun {
        let figure = played.player.timeline().iter().map(|p| p.id).collect();
        let (entry, hosts, timing) = (scenario.algorithm, scenario.setup.clone(), scenario.timing.clone());
        let origin = Origin::new(entry, hosts, &*played.player, timing, Some(scenario));
        StageRun::new(origin, played.player, serial).with_figure(played.stops, figure)
    }

    /// The figure that the page opens with.
    pub fn first(prepared: Prepared) -> StageRun {
        let (scenario, played) = prepared.play(&ALIEN);
        StageRun::of_played(scenario, played, 0)
    }

    /// The run as a link's text.
    pub fn link(&self) -> String {
        let link = Link::of(self.origin.entry, &*self.player, &self.origin.timing);
        link.of_scenario(self.origin.library_id().unwrap_or_default()).encode()
    }

    /// Every branch, as text.
    pub fn tree(&self) -> String {
        tree::write(&*self.player)
    }

    /// Repeats every branch of such a text, and moves to its cursor; or says why that takes too
    /// long.
    pub fn regrow(&mut self, text: &str) -> Result<(), String> {
        TreeReplay::of(text, Allowance::FRAMES).finish(self.moving())
    }

    /// One step: along the timeline if it goes on, else what is due next.
    pub fn step(&mut self) -> bool {
        let event = self.player.forward().or_else(|| self.player.next());
        event.is_some_and(|event| self.pick(event))
    }

    /// At the end of a timeline that repeats without end: back to where the cycle begins.
    pub fn loop_back(&mut self) -> bool {
        let line = self.timeline();
        let at_end = line.last().is_some_and(|p| p.id == self.player.cursor());
        if self.cycle == 0 || !at_end || self.cycle >= line.len() {
            return false;
        }
        self.seek_index(line.len() - 1 - self.cycle);
        true
    }

    /// Makes an event happen.
    pub fn pick(&mut self, event: Event) -> bool {
        self.moving().pick(event).is_some()
    }

    /// Moves the cursor along the timeline.
    pub fn seek_index(&mut self, index: usize) {
        let line = self.timeline();
        if let Some(past) = line.get(index.min(line.len().saturating_sub(1))) {
            self.moving().seek(past.id);
        }
    }

    /// Goes to a stop of the figure.
    pub fn seek_stop(&mut self, stop: usize) {
        if let Some(moment) = self.stops.get(stop).copied() {
            self.return_to(moment);
        }
    }

    /// Goes to a moment of the figure; the rest of the figure lies ahead again.
    pub fn return_to(&mut self, moment: StepId) {
        if let Some(last) = self.figure.last().copied() {
            self.moving().seek(last);
        }
        self.moving().seek(moment);
    }

    /// Goes to a moment of any branch.
    pub fn seek(&mut self, moment: StepId) {
        self.moving().seek(moment);
    }

    /// Delivers a message at another position of the timeline and repeats the other events as far
    /// as they are still possible; an event that depends on another one follows it. The timeline
    /// as it was stays a branch.
    pub fn redeliver(&mut self, message: u32, to: usize) -> Result<(), String> {
        let shown = self.view();
        let range = DeliveryRange::of(&shown.frames, shown.origin.setup.network, message).filter(|w| w.allows(to));
        let range = range
            .ok_or("This message cannot be delivered there: it must be sent first, and the network keeps its order.")?;
        let arrives = Event::Deliver(message);
        let mut events: Vec<Event> = shown.timeline.iter().filter_map(|p| p.event).collect();
        if let Some(ended) = range.ended
            && events.remove(ended - 1) != arrives
        {
            return Err("This message is dropped: it is never delivered.".into());
        }
        events.insert((to - 1).min(events.len()), arrives);
        let first = range.ended.map_or(to, |ended| ended.min(to)).min(shown.timeline.len());
        self.moving().seek(shown.timeline[first - 1].id);
        let (mut waiting, mut arrived) = (Vec::new(), None);
        for event in events.drain(first - 1..) {
            waiting.push(event);
            while let Some(i) = waiting.iter().position(|e| self.again(*e, &shown.frames)) {
                if waiting.remove(i) == arrives {
                    arrived = Some(self.player.cursor());
                }
            }
        }
        let same = |m: &StepId| shown.timeline.iter().any(|p| p.id == *m);
        match arrived {
            Some(moment) if !same(&moment) => {
                self.moving().seek(moment);
                Ok(())
            }
            _ => {
                self.moving().seek(shown.moment);
                Err("That changes nothing: every event in between depends on this message.".into())
            }
        }
    }

    /// Delivers the message of this step one step earlier or later.
    pub fn nudge(&mut self, earlier: bool) -> Result<(), String> {
        let Some(Event::Deliver(message)) = self.frame().last.map(|last| last.event) else {
            return Err("No message is delivered in this step. Go to a step that delivers one.".into());
        };
        let here = self.steps();
        self.redeliver(message, if earlier { here - 1 } else { here + 1 })
    }

    /// Makes an event of another timeline happen here. Messages have other numbers here: the first
    /// one with the same sender, receiver and label is meant.
    fn again(&mut self, event: Event, line: &[Rc<Frame>]) -> bool {
        let (Event::Deliver(id) | Event::Drop(id) | Event::Duplicate(id) | Event::Hold(id) | Event::Resume(id)) = event
        else {
            return self.pick(event);
        };
        let Some(meant) = line.iter().find_map(|f| f.flights.iter().find(|f| f.id == id)) else { return false };
        let frame = self.player.frame();
        let same = |f: &&FlightFrame| (f.from, f.to, &f.label) == (meant.from, meant.to, &meant.label);
        let Some(id) = frame.flights.iter().filter(same).map(|f| f.id).min() else { return false };
        self.pick(match event {
            Event::Drop(_) => Event::Drop(id),
            Event::Duplicate(_) => Event::Duplicate(id),
            Event::Hold(_) => Event::Hold(id),
            Event::Resume(_) => Event::Resume(id),
            _ => Event::Deliver(id),
        })
    }

    /// The number of the run: a new one has a new number.
    pub fn serial(&self) -> u32 {
        self.serial
    }

    /// Steps from the beginning to the cursor.
    pub fn steps(&self) -> usize {
        self.player.step_info(self.player.cursor()).map_or(0, |k| k.depth as usize)
    }

    /// Whether the cursor is at a stop of the figure.
    pub fn is_at_stop(&self) -> bool {
        self.stops.contains(&self.player.cursor())
    }

    /// Whether Step would do something.
    pub fn goes_on(&self) -> bool {
        self.player.forward().or_else(|| self.player.next()).is_some()
    }

    /// A digest of the state at the cursor.
    pub fn fingerprint(&self) -> u64 {
        self.player.fingerprint()
    }

    /// The cursor.
    pub fn moment(&self) -> StepId {
        self.player.cursor()
    }

    /// The state at the cursor.
    pub fn frame(&self) -> Frame {
        self.player.frame()
    }

    /// The state at the cursor with the requests that can no longer be served; `before` is the
    /// state one step before.
    pub fn judged_frame(&self, before: Option<&Frame>) -> Frame {
        self.player.judged_frame(before)
    }

    fn position_in_figure(&self, line: &[TimelineStep], cursor: usize) -> FigurePosition {
        let on = |p: &TimelineStep| self.figure.contains(&p.id);
        if !self.origin.is_figure() || on(&line[cursor]) {
            return FigurePosition::OnTimeline;
        }
        let left = line[..cursor].iter().rev().find(|p| on(p)).map_or(0, |p| p.id);
        if self.figure.last() == Some(&left) { FigurePosition::Beyond } else { FigurePosition::Branch(left) }
    }

    /// Moves the player, which may have to replay some steps.
    fn go_to(&mut self, moment: StepId) {
        if self.player.cursor() != moment {
            self.player.seek(moment);
        }
    }

    /// Everything that the page shows at the cursor, without faults.
    pub fn view(&mut self) -> StepView {
        self.view_with(None)
    }

    /// The same with the faults that are wanted: all of them are too many for every step.
    pub fn view_with(&mut self, wanted: Option<&mut dyn FnMut(Event) -> bool>) -> StepView {
        let line = self.timeline();
        let moment = self.player.cursor();
        let cursor = line.iter().position(|p| p.id == moment).unwrap_or(0);
        self.seen.resize(self.player.len(), None);
        let mut before: Option<Rc<Frame>> = None;
        for m in line.iter().map(|p| p.id) {
            // the frame at the cursor is always computed again: its clock may have changed
            if self.seen[m as usize].is_none() || m == moment {
                self.go_to(m);
                let mut frame = match &self.seen[m as usize] {
                    // only the clock can have changed
                    Some(seen) => {
                        let (stuck, invariants) = (seen.stuck.clone(), seen.invariants.clone());
                        Frame { stuck, invariants, ..self.player.frame() }
                    }
                    None => self.player.judged_frame(before.as_deref()),
                };
                before.iter().for_each(|b| frame.share(b));
                self.seen[m as usize] = Some(Rc::new(frame));
            }
            before = self.seen[m as usize].clone();
        }
        self.go_to(moment);
        let frames: Vec<Rc<Frame>> = line.iter().filter_map(|p| self.seen[p.id as usize].clone()).collect();
        let position = |m: &StepId| line.iter().position(|p| p.id == *m);
        let (mut picks, mut more_faults) = (self.player.usual(), 0);
        if let Some(wanted) = wanted {
            picks.extend(self.player.faults(&mut |event| {
                let wanted = wanted(event);
                more_faults += usize::from(!wanted);
                wanted
            }));
        }
        StepView {
            run: self.serial,
            origin: self.origin.clone(),
            moment,
            frame: frames[cursor].clone(),
            before: cursor.checked_sub(1).map(|i| frames[i].clone()),
            cursor,
            picks,
            more_faults,
            next: self.player.forward().or_else(|| self.player.next()),
            stops: self.stops.iter().map(position).collect(),
            position_in_figure: self.position_in_figure(&line, cursor),
            branches: branches(&*self.player, &self.figure),
            frames,
            timeline: line,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn figure() -> StageRun {
        StageRun::of_library("alien-figure-1", 1).unwrap()
    }

    #[test]
    fn the_figure_opens_at_its_stop_and_steps_along_its_timeline() {
        let mut run = figure();
        let shown = run.view();
        assert_eq!(shown.stop(), Some(1));
        assert_eq!(shown.cursor, 7);
        assert!(shown.is_replay());
        assert_eq!(shown.before.as_ref().map(|f| f.step), Some(6));
        while run.view().is_replay() {
            assert!(run.step());
        }
        assert_eq!(run.view().stop(), Some(5));
        assert_eq!(run.view().position_in_figure, FigurePosition::OnTimeline);
        assert!(run.step(), "the clock goes on");
        assert_eq!(run.view().position_in_figure, FigurePosition::Beyond);
    }

    #[test]
    fn another_choice_is_a_branch_and_return_to_leads_back() {
        let mut run = figure();
        let shown = run.view();
        let other = shown.picks.iter().map(|p| p.event).find(|e| Some(*e) != shown.next).unwrap();
        assert!(run.pick(other));
        let FigurePosition::Branch(left) = run.view().position_in_figure else { panic!("no branch") };
        assert_eq!(left, shown.moment);
        run.return_to(left);
        let back = run.view();
        assert_eq!((back.cursor, back.timeline.len()), (shown.cursor, shown.timeline.len()));
        assert_eq!(back.stop(), Some(1));
    }

    #[test]
    fn a_link_names_its_scenario_and_older_links_are_recognised() {
        let mut run = figure();
        run.step();
        let link = run.link();
        assert!(link.ends_with("&from=alien-figure-1"), "{link}");
        let of = |link: &str| StageRun::of_link(link, 2).unwrap().origin.library_id().map(str::to_owned);
        assert_eq!(of(&link).as_deref(), Some("alien-figure-1"));
        let older = link.trim_end_matches("&from=alien-figure-1");
        assert_eq!(of(older).as_deref(), Some("alien-figure-1"));
        assert_eq!(of(&format!("{older}&from=suzuki-kasami")), None, "another system than that scenario's");
    }

    #[test]
    fn a_link_leads_to_the_same_state_and_keeps_the_stops() {
        let mut run = figure();
        run.step();
        let mut again = StageRun::of_link(&run.link(), 2).unwrap();
        assert_eq!(again.fingerprint(), run.fingerprint());
        assert_eq!(again.view().last_stop(), Some(1));
        assert!(StageRun::of_link("v=1&a=nothing", 3).is_err());
    }
}
