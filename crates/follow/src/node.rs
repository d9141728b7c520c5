//! One node of the algorithm along the lines of its log.

use crate::kinds::{Fit, fit};
use crate::system::FollowedSystem;
use lockstep_kernel::erased::{Dyn, DynMsg, DynNode};
use lockstep_kernel::world::System;
use lockstep_kernel::{Algorithm, Call, Effect, Effects, Lock, NodeId, ThreadId};
use std::collections::VecDeque;

/// How many of the last lines of a node are tried with other times of handling.
const WINDOW: usize = 24;
/// The most handlers that are run while other times are tried.
const TRIES: usize = 4_000;

/// What a node reacts to.
#[derive(Clone, Debug)]
pub enum Input {
    /// What it does by itself at the beginning.
    Begin,
    /// A call of a thread.
    Call(Call),
    /// A call for a range, or a cancelled request.
    Lock(Lock),
    /// A message, or a step of its own.
    Message(NodeId, DynMsg),
}

/// What the algorithm lets a node do.
#[derive(Clone, Debug)]
pub enum Output {
    /// Send a message.
    Send(NodeId, DynMsg),
    /// Let a thread in.
    Grant(ThreadId),
    /// Refuse a thread.
    Refuse(ThreadId),
}

/// A line of the node, as the driver sees it.
#[derive(Clone, Debug)]
pub enum LocalEvent {
    /// Something to react to.
    Input(Input),
    /// The next request has this stamp.
    Clock(u32),
    /// A send; the content is known once it has been allowed.
    Send { to: NodeId, kind: Option<String>, content: Option<DynMsg> },
    /// An entry.
    Enter(Option<ThreadId>),
    /// A refused request.
    Refuse(Option<ThreadId>),
}

/// The state of the node and of its threads.
#[derive(Clone)]
struct NodeState {
    node: DynNode,
    bag: Vec<Output>,
    /// Inputs that are not handled yet.
    pending: Vec<Input>,
    waiting: Vec<ThreadId>,
    inside: Vec<ThreadId>,
    impossible: Option<&'static str>,
    /// Inputs in the order in which they were handled.
    handled: usize,
}

/// A node along its log.
pub struct NodeRun {
    state: NodeState,
    /// The last lines, each with the state before it.
    recent: VecDeque<(NodeState, LocalEvent)>,
    /// Inputs in the order in which they were handled.
    pub handled: Vec<Input>,
    crashed: bool,
    fifo: bool,
}

impl NodeRun {
    /// A node at the beginning.
    pub fn new(system: &System<Dyn>, id: NodeId) -> Self {
        let node = system.algorithm.start(id, &system.setup);
        let (bag, pending, waiting, inside) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
        let state = NodeState { node, bag, pending, waiting, inside, impossible: None, handled: 0 };
        let fifo = system.setup.network == lockstep_kernel::Network::Fifo;
        let mut run = NodeRun { state, recent: VecDeque::new(), handled: Vec::new(), crashed: false, fifo };
        run.give(system, LocalEvent::Input(Input::Begin));
        run
    }

    /// What the algorithm lets the node do now.
    pub fn bag(&self) -> &[Output] {
        &self.state.bag
    }

    /// Why the last message cannot occur, if so.
    pub fn impossible(&self) -> Option<&'static str> {
        self.state.impossible
    }

    /// Whether a thread waits.
    pub fn is_waiting(&self) -> bool {
        !self.state.waiting.is_empty()
    }

    /// The node stops.
    pub fn crash(&mut self) {
        self.crashed = true;
        self.state.pending.clear();
        self.state.bag.clear();
        self.recent.clear();
    }

    /// The thread that the log names if it is idle, or any idle thread.
    pub fn idle_thread(&self, followed: &FollowedSystem, node: NodeId, named: Option<ThreadId>) -> Option<ThreadId> {
        let setup = &followed.system.setup;
        let busy = |thread: &ThreadId| self.state.waiting.contains(thread) || self.state.inside.contains(thread);
        let first = setup.first_thread(node).0;
        let own = (first..first + setup.threads[node.index()]).map(ThreadId);
        match named {
            Some(thread) => Some(thread).filter(|thread| !busy(thread)),
            None => own.into_iter().find(|thread| !busy(thread)),
        }
    }

    /// The thread that the log names if it is inside, or any thread inside.
    pub fn inside_thread(&self, named: Option<ThreadId>) -> Option<ThreadId> {
        self.state.inside.iter().copied().find(|thread| named.is_none_or(|named| named == *thread))
    }

    /// The thread that the log names if it waits, or any waiting thread.
    pub fn waiting_thread(&self, named: Option<ThreadId>) -> Option<ThreadId> {
        self.state.waiting.iter().copied().find(|thread| named.is_none_or(|named| named == *thread))
    }

    /// Takes a message that has no line out of the bag.
    pub fn take(&mut self, fits: impl Fn(&Output) -> bool) -> Option<DynMsg> {
        let at = self.state.bag.iter().position(fits)?;
        match self.state.bag.remove(at) {
            Output::Send(_, msg) => {
                self.recent.clear(); // what was taken cannot be taken back
                Some(msg)
            }
            _ => None,
        }
    }

    fn remember(&mut self, event: LocalEvent) {
        if self.recent.len() == WINDOW {
            self.recent.pop_front();
        }
        self.recent.push_back((self.state.clone(), event));
    }

    /// Gives the node something to react to.
    pub fn give(&mut self, system: &System<Dyn>, event: LocalEvent) {
        if self.crashed {
            return;
        }
        self.remember(event.clone());
        match event {
            LocalEvent::Clock(next) => system.algorithm.set_clock(&mut self.state.node, next),
            LocalEvent::Input(input) => self.state.handle(system, input, &mut self.handled),
            _ => {}
        }
    }

    /// Takes an output of the log out of the bag, or returns none if it is not allowed.
    pub fn output(&mut self, followed: &FollowedSystem, event: LocalEvent) -> Option<Output> {
        if self.crashed {
            return None;
        }
        self.remember(event.clone());
        let taken = self.state.take(followed, &event).or_else(|| self.try_other_times(followed));
        if taken.is_none() {
            self.recent.pop_back();
        }
        if let (Some((_, LocalEvent::Send { content, .. })), Some(Output::Send(_, msg))) =
            (self.recent.back_mut(), &taken)
        {
            *content = Some(msg.clone());
        }
        taken
    }

    /// Handles the last messages at other times, so that the last output is allowed.
    fn try_other_times(&mut self, followed: &FollowedSystem) -> Option<Output> {
        let events: Vec<LocalEvent> = self.recent.iter().map(|(_, event)| event.clone()).collect();
        // a short way back is tried first
        for start in (0..events.len()).rev() {
            let (state, _) = &self.recent[start];
            let mut search = OtherTimes { followed, fifo: self.fifo, tries: TRIES, handled: Vec::new() };
            let from = state.handled;
            if let Some((found, taken)) = search.run(state.clone(), &events[start..]) {
                self.handled.truncate(from);
                self.handled.append(&mut search.handled);
                self.state = found;
                // states before the lines that were handled anew are no longer true
                let last = self.recent.pop_back().map(|(_, event)| event)?;
                self.recent.clear();
                self.recent.push_back((self.state.clone(), last));
                return Some(taken);
            }
        }
        None
    }
}

impl NodeState {
    /// Runs the handler of an input.
    fn handle(&mut self, system: &System<Dyn>, input: Input, handled: &mut Vec<Input>) {
        let mut effects = Effects::new(None);
        let node = &mut self.node;
        match &input {
            Input::Begin => system.algorithm.begin(node, &mut effects),
            Input::Call(call) => {
                match call {
                    Call::Request(thread) => self.waiting.push(*thread),
                    Call::Release(thread) => self.inside.retain(|inside| inside != thread),
                }
                system.algorithm.on_call(node, *call, &mut effects);
            }
            Input::Lock(lock) => {
                match lock {
                    Lock::Create(thread, _) => self.waiting.push(*thread),
                    Lock::Cancel(thread) => self.waiting.retain(|waiting| waiting != thread),
                }
                system.algorithm.on_lock(node, *lock, &mut effects);
            }
            Input::Message(from, msg) => system.algorithm.on_message(node, *from, msg.clone(), &mut effects),
        }
        handled.push(input);
        self.handled += 1;
        self.impossible = self.impossible.or(effects.impossible);
        for effect in effects.list {
            match effect {
                Effect::Send(to, msg) => self.bag.push(Output::Send(to, msg)),
                Effect::Grant(thread) => self.bag.push(Output::Grant(thread)),
                Effect::Refuse(thread) => self.bag.push(Output::Refuse(thread)),
                // a step of its own has no line: it may happen at any time
                Effect::Later(step) => self.pending.push(Input::Message(NodeId(u32::MAX), step)),
            }
        }
    }

    /// Takes an output out of the bag.
    fn take(&mut self, followed: &FollowedSystem, event: &LocalEvent) -> Option<Output> {
        let setup = &followed.system.setup;
        let at = match event {
            LocalEvent::Send { to, kind, content } => {
                let fit = |output: &Output| match output {
                    Output::Send(receiver, msg) if receiver == to => match content {
                        Some(content) if content != msg => Fit::No,
                        _ => fit(kind.as_deref(), msg, setup),
                    },
                    _ => Fit::No,
                };
                let fits = self.bag.iter().enumerate().map(|(at, output)| (fit(output), at));
                // of equally good ones the oldest
                fits.filter(|(fit, _)| *fit != Fit::No)
                    .max_by_key(|(fit, at)| (*fit, usize::MAX - at))
                    .map(|(_, at)| at)
            }
            LocalEvent::Enter(named) => self.bag.iter().position(
                |output| matches!(output, Output::Grant(thread) if named.is_none_or(|named| named == *thread)),
            ),
            LocalEvent::Refuse(named) => self.bag.iter().position(
                |output| matches!(output, Output::Refuse(thread) if named.is_none_or(|named| named == *thread)),
            ),
            LocalEvent::Input(_) | LocalEvent::Clock(_) => None,
        }?;
        let output = self.bag.remove(at);
        if let Output::Grant(thread) | Output::Refuse(thread) = output {
            self.waiting.retain(|waiting| *waiting != thread);
            if matches!(output, Output::Grant(_)) {
                self.inside.push(thread);
            }
        }
        Some(output)
    }
}

/// A search for times at which messages are handled.
struct OtherTimes<'a> {
    followed: &'a FollowedSystem,
    fifo: bool,
    tries: usize,
    handled: Vec<Input>,
}

impl OtherTimes<'_> {
    /// Plays the lines from a state; the last one is the output that must be allowed.
    fn run(&mut self, mut state: NodeState, events: &[LocalEvent]) -> Option<(NodeState, Output)> {
        let (event, rest) = events.split_first()?;
        if self.tries == 0 {
            return None;
        }
        self.tries -= 1;
        let depth = self.handled.len();
        match event {
            LocalEvent::Clock(next) => {
                self.followed.system.algorithm.set_clock(&mut state.node, *next);
                self.run(state, rest)
            }
            LocalEvent::Input(input) => {
                let mut now = state.clone();
                now.handle(&self.followed.system, input.clone(), &mut self.handled);
                if let Some(found) = self.run(now, rest) {
                    return Some(found);
                }
                self.handled.truncate(depth);
                // a call of a thread is handled at once; a message may wait
                if !matches!(input, Input::Begin | Input::Message(..)) {
                    return None;
                }
                state.pending.push(input.clone());
                self.run(state, rest)
            }
            output => {
                let mut taken = state.clone();
                if let Some(found) = taken.take(self.followed, output) {
                    if rest.is_empty() {
                        return Some((taken, found));
                    }
                    if let Some(found) = self.run(taken, rest) {
                        return Some(found);
                    }
                    self.handled.truncate(depth);
                }
                for at in 0..state.pending.len() {
                    if self.fifo && behind(&state.pending, at) {
                        continue;
                    }
                    let mut later = state.clone();
                    let input = later.pending.remove(at);
                    later.handle(&self.followed.system, input, &mut self.handled);
                    if let Some(found) = self.run(later, events) {
                        return Some(found);
                    }
                    self.handled.truncate(depth);
                }
                None
            }
        }
    }
}

/// Whether an earlier message of the same sender waits too.
fn behind(pending: &[Input], at: usize) -> bool {
    let sender = |input: &Input| if let Input::Message(from, _) = input { Some(*from) } else { None };
    sender(&pending[at]).is_some() && pending[..at].iter().any(|other| sender(other) == sender(&pending[at]))
}
