//! History: the tree of all steps taken, with a snapshot at regular depths.
//!
//! Going back and choosing the same event again is the same branch; choosing another one begins a
//! new branch and loses nothing.

use crate::clock::TimedWorld;
use crate::timing::Timing;
use crate::view::{Counters, Frame, StepFrame};
use crate::world::{Faults, System};
use crate::{Algorithm, Event, Setup, ThreadId, served};
use serde::{Deserialize, Serialize};
use std::hash::{Hash, Hasher};

/// Steps between two snapshots, as long as these are small: replaying at most this many takes no
/// noticeable time.
const SNAPSHOT_EVERY: u32 = 32;
/// The most bytes of state in all snapshots; beyond it there are half as many.
const SNAPSHOT_BYTES: usize = 64 << 20;

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
    /// The same without words.
    fn usual_events(&self) -> Vec<Event>;
    /// The enabled faults for which `wanted` holds: in a large system there are too many to
    /// describe all of them.
    fn faults(&self, wanted: &mut dyn FnMut(Event) -> bool) -> Vec<EnabledEvent>;
    /// The event that is due next.
    fn next(&self) -> Option<Event>;
    /// Applies an event; returns the new step, or `None` if the event is not enabled.
    fn pick(&mut self, event: Event) -> Option<StepId>;
    /// Applies the event at a position among the enabled events, as [`Player::pick`] does.
    fn choose(&mut self, choice: u32) -> Option<StepId>;
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
    /// The event after the cursor on that timeline.
    fn forward(&self) -> Option<Event>;
    /// The step that led to the cursor, if there is one.
    fn last(&self) -> Option<&StepFrame>;
    /// Messages, entries and waiting up to the cursor.
    fn counters(&self) -> Counters;
    /// What all steps have cost so far, replayed ones included, in looks at a thread, a node or a
    /// message: it grows with the time that they took, and is the same on every machine.
    fn work(&self) -> u64;
    /// The nodes, threads and messages in flight at the cursor.
    fn size(&self) -> usize;
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
    snapshot: Option<Box<Snapshot<A>>>,
}

struct Snapshot<A: Algorithm> {
    timed: TimedWorld<A>,
    bytes: usize,
}

/// Counts the bytes of a state instead of digesting them.
#[derive(Default)]
struct StateBytes(usize);

impl Hasher for StateBytes {
    fn write(&mut self, bytes: &[u8]) {
        self.0 += bytes.len();
    }

    fn finish(&self) -> u64 {
        self.0 as u64
    }
}

impl<A: Algorithm> Snapshot<A> {
    fn of(timed: &TimedWorld<A>) -> Box<Self> {
        let mut state = StateBytes::default();
        timed.world.hash(&mut state);
        Box::new(Snapshot { timed: timed.clone(), bytes: state.0 })
    }
}

/// The work of a step in the smallest system.
const STEP: usize = 300;
/// The work of sending a message.
const SENT: usize = 50;

/// The tree of all steps taken, and a cursor in it.
pub struct History<A: Algorithm> {
    system: System<A>,
    nodes: Vec<StepNode<A>>,
    cursor: StepId,
    current: TimedWorld<A>,
    last: Option<StepFrame>,
    work: u64,
    /// Steps between two snapshots, and the bytes of all of them.
    spacing: u32,
    kept: usize,
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
            snapshot: Some(Snapshot::of(&current)),
        };
        let (spacing, kept) = (SNAPSHOT_EVERY, 0);
        History { system, nodes: vec![root], cursor: 0, current, last: None, work: 0, spacing, kept }
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
        self.work += (STEP + self.size() + SENT * stepped.happened.sent.len()) as u64;
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

    /// Drops every second snapshot.
    fn drop_snapshots(&mut self) {
        self.spacing *= 2;
        for node in self.nodes.iter_mut().skip(1).filter(|node| !node.depth.is_multiple_of(self.spacing)) {
            self.kept -= node.snapshot.take().map_or(0, |dropped| dropped.bytes);
        }
    }

    /// Makes an event happen that is enabled; `choice` is its position among the enabled events.
    fn take(&mut self, event: Event, choice: Option<u32>) -> StepId {
        let here = self.cursor as usize;
        let title = self.advance(event);
        let known = self.nodes[here].children.iter().copied().find(|c| self.nodes[*c as usize].event == Some(event));
        self.cursor = known.unwrap_or_else(|| {
            let (moment, depth) = (self.nodes.len() as StepId, self.nodes[here].depth + 1);
            self.nodes.push(StepNode {
                parent: self.cursor,
                depth,
                event: Some(event),
                choice,
                title,
                now: self.current.now,
                children: Vec::new(),
                forward: None,
                snapshot: depth.is_multiple_of(self.spacing).then(|| Snapshot::of(&self.current)),
            });
            self.nodes[here].children.push(moment);
            self.kept += self.nodes[moment as usize].snapshot.as_ref().map_or(0, |s| s.bytes);
            moment
        });
        while self.kept > SNAPSHOT_BYTES && self.spacing < SNAPSHOT_EVERY << 16 {
            self.drop_snapshots();
        }
        // the steps before it lead here already
        self.nodes[here].forward = Some(self.cursor);
        self.cursor
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

    fn usual_events(&self) -> Vec<Event> {
        let mut events = Vec::new();
        self.current.world.usual(&self.system, &mut events);
        events
    }

    fn faults(&self, wanted: &mut dyn FnMut(Event) -> bool) -> Vec<EnabledEvent> {
        self.described(self.enabled_events().into_iter().filter(|e| e.is_fault() && wanted(*e)).collect())
    }

    fn next(&self) -> Option<Event> {
        self.current.next(&self.system)
    }

    fn pick(&mut self, event: Event) -> Option<StepId> {
        let mut children = self.nodes[self.cursor as usize].children.iter().map(|child| &self.nodes[*child as usize]);
        let known = children.find(|child| child.event == Some(event)).map(|child| child.choice);
        let choice = known.unwrap_or_else(|| self.choice_of(event));
        // the event that is due may happen even where there are too many ranges to list them all
        let may_happen = known.is_some() || choice.is_some() || self.next() == Some(event);
        may_happen.then(|| self.take(event, choice))
    }

    fn choose(&mut self, choice: u32) -> Option<StepId> {
        let usual = self.usual_events().get(choice as usize).copied();
        let event = usual.or_else(|| {
            let events = self.enabled_events();
            self.work += events.len() as u64;
            events.get(choice as usize).copied()
        });
        event.map(|event| self.take(event, Some(choice)))
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
                self.current = snapshot.timed.clone();
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
        let mut at = moment;
        while at != 0 {
            let parent = self.nodes[at as usize].parent;
            self.nodes[parent as usize].forward = Some(at);
            at = parent;
        }
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

    fn forward(&self) -> Option<Event> {
        let next = self.nodes[self.cursor as usize].forward?;
        self.nodes[next as usize].event
    }

    fn last(&self) -> Option<&StepFrame> {
        self.last.as_ref()
    }

    fn counters(&self) -> Counters {
        self.current.counters
    }

    fn work(&self) -> u64 {
        self.work
    }

    fn size(&self) -> usize {
        let world = &self.current.world;
        world.nodes.len() + world.threads.len() + world.flights.len()
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
