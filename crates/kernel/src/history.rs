//! History: the tree of all steps taken, with a snapshot at regular depths.
//!
//! Going back and choosing the same event again is the same branch; choosing another one begins a
//! new branch and loses nothing.

use crate::clock::TimedWorld;
use crate::timing::Timing;
use crate::view::{Frame, StepFrame};
use crate::world::{Faults, System};
use crate::{Algorithm, Event, Setup, ThreadId, served};
use serde::{Deserialize, Serialize};

/// Steps between two snapshots: replaying at most this many takes no noticeable time.
const SNAPSHOT_EVERY: u32 = 32;

/// A step in the tree of all steps taken; 0 is the initial state.
pub type StepId = u32;

/// An enabled event, ready for a list.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct EnabledEvent {
    /// The event.
    pub event: Event,
    /// In words.
    pub title: String,
    /// When it is due; none if only a user can make it happen.
    pub due: Option<crate::Time>,
}

/// A step of the timeline.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct TimelineStep {
    /// Where in the tree.
    pub id: StepId,
    /// The event that led there; none for the beginning.
    pub event: Option<Event>,
    /// Its position among the events enabled before it: what a link is made of. None for the
    /// beginning, and for a request that time brought where there are too many ranges to list them
    /// all.
    pub choice: Option<u32>,
    /// In words.
    pub title: String,
    /// Virtual time after it.
    pub now: crate::Time,
    /// The other choices made at the same place.
    pub siblings: Vec<StepId>,
}

/// A step of the tree, independent of the cursor.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct StepInfo<'a> {
    /// The step before; the initial state is its own parent.
    pub parent: StepId,
    /// Steps from the beginning.
    pub depth: u32,
    /// The event that led there; none for the beginning.
    pub event: Option<Event>,
    /// Its position among the events enabled before it, if it was listed there: see
    /// [`TimelineStep::choice`].
    pub choice: Option<u32>,
    /// The step that led there, in words.
    pub title: &'a str,
}

/// A run that can be driven step by step, whatever its algorithm.
pub trait Player {
    /// Nodes, threads, network.
    fn setup(&self) -> &Setup;
    /// The state at the cursor.
    fn frame(&self) -> Frame;
    /// Every enabled event, faults last.
    fn enabled(&self) -> Vec<EnabledEvent>;
    /// The waiting threads that can no longer be served: see [`crate::served::find_stuck`].
    fn find_stuck(&self, thorough: bool) -> Vec<(ThreadId, bool)>;
    /// The state at the cursor with the requests that can no longer be served; `before` is the
    /// state one step before, if it is known.
    fn judged_frame(&self, before: Option<&Frame>) -> Frame {
        let mut frame = self.frame();
        frame.add_stuck(before, |thorough| self.find_stuck(thorough));
        frame
    }
    /// The beginning of that list, without the faults.
    fn usual(&self) -> Vec<EnabledEvent>;
    /// The enabled faults for which `wanted` holds: in a large system there are too many to
    /// describe all of them.
    fn faults(&self, wanted: &mut dyn FnMut(Event) -> bool) -> Vec<EnabledEvent>;
    /// The event that is due next.
    fn next(&self) -> Option<Event>;
    /// Applies an event; returns the new step, or `None` if the event is not enabled.
    fn pick(&mut self, event: Event) -> Option<StepId>;
    /// The choice number of an event: its position among the enabled events, which links are made
    /// of.
    fn choice_of(&self, event: Event) -> Option<u32>;
    /// The event at a position among the enabled events.
    fn event_at(&self, choice: u32) -> Option<Event>;
    /// The cursor.
    fn cursor(&self) -> StepId;
    /// Moves the cursor; an unknown step is ignored.
    fn seek(&mut self, moment: StepId);
    /// The timeline through the cursor: from the initial state to the end of the branch last
    /// followed.
    fn timeline(&self) -> Vec<TimelineStep>;
    /// A step of the tree; steps are numbered in the order in which they were first taken.
    fn step_info(&self, moment: StepId) -> Option<StepInfo<'_>>;
    /// A digest of the state at the cursor.
    fn fingerprint(&self) -> u64;
    /// The number of steps kept.
    fn len(&self) -> usize;
    /// Whether no step has been taken.
    fn is_empty(&self) -> bool {
        self.len() <= 1
    }
}

struct StepNode<A: Algorithm> {
    parent: StepId,
    depth: u32,
    event: Option<Event>,
    choice: Option<u32>,
    title: String,
    now: crate::Time,
    children: Vec<StepId>,
    /// The child last followed: where "forward" leads.
    forward: Option<StepId>,
    snapshot: Option<TimedWorld<A>>,
}

/// The tree of all steps taken, and a cursor in it.
pub struct History<A: Algorithm> {
    system: System<A>,
    nodes: Vec<StepNode<A>>,
    cursor: StepId,
    current: TimedWorld<A>,
    last: Option<StepFrame>,
}

impl<A: Algorithm> History<A> {
    /// A run in its initial state, in which every fault is allowed.
    pub fn new(setup: Setup, timing: &Timing) -> Self {
        History::of(System::new(setup), timing)
    }

    /// A run of a system at its beginning.
    pub fn of(system: System<A>, timing: &Timing) -> Self {
        let current = TimedWorld::start(&system, timing, Faults::any());
        let root = StepNode {
            parent: 0,
            depth: 0,
            event: None,
            choice: None,
            title: "the beginning".into(),
            now: 0,
            children: Vec::new(),
            forward: None,
            snapshot: Some(current.clone()),
        };
        History { system, nodes: vec![root], cursor: 0, current, last: None }
    }

    /// The algorithm and its setup.
    pub fn system(&self) -> &System<A> {
        &self.system
    }

    /// The state at the cursor.
    pub fn timed(&self) -> &TimedWorld<A> {
        &self.current
    }

    fn enabled_events(&self) -> Vec<Event> {
        let mut events = Vec::new();
        self.current.world.enabled(&self.system, &mut events);
        events
    }

    /// The enabled events without the faults: nearly always it is enough to search these.
    fn usual_events(&self) -> Vec<Event> {
        let mut events = Vec::new();
        self.current.world.usual(&self.system, &mut events);
        events
    }

    fn described(&self, events: Vec<Event>) -> Vec<EnabledEvent> {
        let pick = |event| EnabledEvent {
            event,
            title: self.current.world.title(&self.system, event),
            due: self.current.due(event),
        };
        events.into_iter().map(pick).collect()
    }

    fn advance(&mut self, event: Event) -> String {
        let stepped = self.current.step(&self.system, event);
        self.last = Some(StepFrame {
            event,
            title: stepped.title.clone(),
            sentence: stepped.sentence,
            node: stepped.happened.node,
            granted: (stepped.effects.list.iter())
                .filter_map(|e| if let crate::Effect::Grant(t) = e { Some(*t) } else { None })
                .collect(),
            lines: stepped.effects.lines,
            sent: stepped.happened.sent,
        });
        stepped.title
    }

    fn follow(&mut self, moment: StepId) {
        let mut at = moment;
        while at != 0 {
            let parent = self.nodes[at as usize].parent;
            self.nodes[parent as usize].forward = Some(at);
            at = parent;
        }
    }
}

impl<A: Algorithm> Player for History<A> {
    fn setup(&self) -> &Setup {
        &self.system.setup
    }

    fn frame(&self) -> Frame {
        self.current.frame(&self.system, self.nodes[self.cursor as usize].depth, self.last.clone())
    }

    fn enabled(&self) -> Vec<EnabledEvent> {
        self.described(self.enabled_events())
    }

    fn find_stuck(&self, thorough: bool) -> Vec<(ThreadId, bool)> {
        served::find_stuck(&self.system, &self.current.world, thorough)
    }

    fn usual(&self) -> Vec<EnabledEvent> {
        self.described(self.usual_events())
    }

    fn faults(&self, wanted: &mut dyn FnMut(Event) -> bool) -> Vec<EnabledEvent> {
        self.described(self.enabled_events().into_iter().filter(|e| e.is_fault() && wanted(*e)).collect())
    }

    fn next(&self) -> Option<Event> {
        self.current.next(&self.system)
    }

    fn pick(&mut self, event: Event) -> Option<StepId> {
        let known = self.nodes[self.cursor as usize].children.iter().copied();
        if let Some(child) = known.into_iter().find(|c| self.nodes[*c as usize].event == Some(event)) {
            self.advance(event);
            self.cursor = child;
            self.follow(child);
            return Some(child);
        }
        // the event that is due may happen even where there are too many ranges to list them all
        let choice = self.choice_of(event);
        if choice.is_none() && self.next() != Some(event) {
            return None;
        }
        let title = self.advance(event);
        let moment = self.nodes.len() as StepId;
        let depth = self.nodes[self.cursor as usize].depth + 1;
        self.nodes.push(StepNode {
            parent: self.cursor,
            depth,
            event: Some(event),
            choice,
            title,
            now: self.current.now,
            children: Vec::new(),
            forward: None,
            snapshot: depth.is_multiple_of(SNAPSHOT_EVERY).then(|| self.current.clone()),
        });
        self.nodes[self.cursor as usize].children.push(moment);
        self.cursor = moment;
        self.follow(moment);
        Some(moment)
    }

    fn choice_of(&self, event: Event) -> Option<u32> {
        let place = |events: Vec<Event>| events.iter().position(|e| *e == event).map(|i| i as u32);
        place(self.usual_events()).or_else(|| place(self.enabled_events()))
    }

    fn event_at(&self, choice: u32) -> Option<Event> {
        let at = |events: Vec<Event>| events.get(choice as usize).copied();
        at(self.usual_events()).or_else(|| at(self.enabled_events()))
    }

    fn cursor(&self) -> StepId {
        self.cursor
    }

    fn seek(&mut self, moment: StepId) {
        if moment as usize >= self.nodes.len() {
            return;
        }
        let mut events = Vec::new();
        let mut at = moment;
        // back to the last snapshot before the step that led here, so that the step itself can be
        // narrated
        loop {
            let node = &self.nodes[at as usize];
            if let Some(snapshot) = &node.snapshot
                && (at != moment || at == 0)
            {
                self.current = snapshot.clone();
                break;
            }
            events.extend(node.event);
            at = node.parent;
        }
        self.last = None;
        for event in events.into_iter().rev() {
            self.advance(event);
        }
        self.cursor = moment;
        self.follow(moment);
    }

    fn timeline(&self) -> Vec<TimelineStep> {
        let mut line = Vec::new();
        let mut at = Some(0);
        while let Some(moment) = at {
            let node = &self.nodes[moment as usize];
            let siblings = self.nodes[node.parent as usize].children.iter().copied();
            line.push(TimelineStep {
                id: moment,
                event: node.event,
                choice: node.choice,
                title: node.title.clone(),
                now: node.now,
                siblings: siblings.filter(|m| *m != moment && moment != 0).collect(),
            });
            at = node.forward;
        }
        line
    }

    fn step_info(&self, moment: StepId) -> Option<StepInfo<'_>> {
        let node = self.nodes.get(moment as usize)?;
        Some(StepInfo {
            parent: node.parent,
            depth: node.depth,
            event: node.event,
            choice: node.choice,
            title: &node.title,
        })
    }

    fn fingerprint(&self) -> u64 {
        self.current.world.fingerprint()
    }

    fn len(&self) -> usize {
        self.nodes.len()
    }
}
