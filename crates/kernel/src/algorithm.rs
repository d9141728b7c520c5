//! The contract of an algorithm: the state and the handlers of one node.

use crate::cells::Runs;
use crate::view::{CellView, NodeView, ObservedStep};
use crate::world::{System, World};
use crate::{Cells, Invariant, NodeId, Setup, ThreadId};
use std::fmt::Debug;
use std::hash::Hash;

/// A distributed mutual-exclusion algorithm.
///
/// `Self` is what all nodes know and never changes (parameters, quorums, clusters);
/// [`Algorithm::Node`] is the whole changing state of one node. A handler must not read a clock,
/// draw a random number or keep anything elsewhere; it must be total: a message that a faulty
/// network may produce is reported with [`Out::impossible`], never a panic.
pub trait Algorithm: Sized + 'static {
    /// The state of one node.
    type Node: Clone + Eq + Hash + Debug + 'static;
    /// What nodes send each other.
    type Msg: Message;

    /// Adds the nodes that the algorithm needs beside the hosts (a server, proxies, a register):
    /// see [`Setup::add_node`].
    fn arrange(_setup: &mut Setup) {}

    /// The parameter that means nothing in this system, and what is expected; without this it would
    /// silently be another value.
    fn refuses(_setup: &Setup) -> Option<(&'static str, String)> {
        None
    }

    /// Reads the parameters, which the caller has validated against the algorithm's
    /// [`crate::Entry`].
    fn new(setup: &Setup) -> Self;

    /// The state in which node `me` begins.
    fn start(&self, me: NodeId, setup: &Setup) -> Self::Node;

    /// What a node does by itself at the very beginning, before anything else happens.
    fn begin(&self, _node: &mut Self::Node, _out: &mut impl Out<Self::Msg>) {}

    /// A user thread of this node requests or releases the critical section.
    fn on_call(&self, node: &mut Self::Node, call: Call, out: &mut impl Out<Self::Msg>);

    /// Whether threads request ranges of cells, by [`Algorithm::on_lock`], instead of the whole
    /// resource.
    const RANGES: bool = false;
    /// Whether a waiting thread may cancel its request, by [`Lock::Cancel`].
    const CANCELS: bool = false;

    /// [`Algorithm::RANGES`], for callers that do not know the type.
    fn ranges(&self) -> bool {
        Self::RANGES
    }

    /// [`Algorithm::CANCELS`], for callers that do not know the type.
    fn cancels(&self) -> bool {
        Self::CANCELS
    }

    /// Whether names of nodes and threads are only compared for equality, never ordered and never
    /// used as a position in a list: then nodes that begin alike are interchangeable, and the
    /// explorer may treat states that differ only by their names as one state.
    fn anonymous(&self) -> bool {
        false
    }

    /// A user thread of this node declares the range that it will lock, or cancels. Only where
    /// [`Algorithm::RANGES`] or [`Algorithm::CANCELS`] says so.
    fn on_lock(&self, _node: &mut Self::Node, _lock: Lock, out: &mut impl Out<Self::Msg>) {
        out.impossible("this algorithm supports neither ranges nor cancelling");
    }

    /// Sets the node's clock so that its next request has this time, where requests have one. A log
    /// of another implementation counts in its own way, and its priorities count.
    fn set_clock(&self, _node: &mut Self::Node, _next: u32) {}

    /// A message of `from` arrives. `from` is the node itself for a step that it scheduled with
    /// [`Out::later`].
    fn on_message(&self, node: &mut Self::Node, from: NodeId, msg: Self::Msg, out: &mut impl Out<Self::Msg>);

    /// The node as the page shows it, in the vocabulary of its paper.
    fn view(&self, node: &Self::Node, setup: &Setup) -> NodeView;

    /// What the node knows about each cell, if the resource is divided.
    fn cells(&self, _node: &Self::Node, _setup: &Setup) -> Runs<CellView> {
        Runs::default()
    }

    /// What must hold in every state.
    fn invariants() -> Vec<Invariant<Self>>;

    /// The first invariant that does not hold, by its position, and why.
    fn broken(&self, system: &System<Self>, world: &World<Self>) -> Option<(usize, String)> {
        let mut all = system.invariants.iter().enumerate();
        all.find_map(|(i, invariant)| (invariant.check)(system, world).err().map(|why| (i, why)))
    }

    /// Of each invariant in turn: why it does not hold, if so.
    fn judge(&self, system: &System<Self>, world: &World<Self>) -> Vec<Option<String>> {
        system.invariants.iter().map(|invariant| (invariant.check)(system, world).err()).collect()
    }

    /// One sentence: what happened in this step, and why.
    fn narrate(&self, step: &ObservedStep<'_, Self>) -> String;
}

/// A call of a user thread to its node.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Call {
    /// Wait for the critical section.
    Request(ThreadId),
    /// Leave the critical section.
    Release(ThreadId),
}

/// A call of a user thread for a lock on a range.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Lock {
    /// Request these cells; the thread may continue meanwhile.
    Create(ThreadId, Cells),
    /// Stop waiting.
    Cancel(ThreadId),
}

/// The role of a message in drawings and measures.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Role {
    /// Requests something; drawn filled. Forwarding it makes a request path longer.
    Request,
    /// Carries the privilege itself.
    Token,
    /// Answers something; drawn hollow.
    Reply,
    /// A local step that a node scheduled: not a message, never counted, dropped or reordered.
    Local,
}

/// One kind of message of an algorithm.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct MessageKind {
    /// The kind's name in measures: `request`, `token`, …
    pub name: &'static str,
    /// How it is drawn and counted.
    pub role: Role,
}

/// A message of an algorithm. Order gives unordered networks a canonical form.
pub trait Message: Clone + Eq + Ord + Hash + Debug + 'static {
    /// All kinds, in the order of [`Message::kind`].
    const KINDS: &'static [MessageKind];
    /// Whether data of cells travel with any of them: see [`Message::cells`].
    const CARRIES_CELLS: bool = false;
    /// Which of [`Message::KINDS`] this is.
    fn kind(&self) -> usize;
    /// One or two letters for a small label.
    fn tag(&self, setup: &Setup) -> String;
    /// The message as its paper writes it, with the names of the nodes.
    fn label(&self, setup: &Setup) -> String;
    /// Cells whose data travel with this message: they take time if the bandwidth is limited.
    #[inline]
    fn cells(&self) -> u32 {
        0
    }
    /// The role of this message's kind.
    #[inline]
    fn role(&self) -> Role {
        Self::KINDS[self.kind()].role
    }
}

/// A line of an algorithm's listing.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, serde::Serialize, serde::Deserialize)]
#[serde(transparent)]
pub struct LineId(pub u8);

/// Where a handler puts its effects. Each driver brings its own; in a batch run all of this is
/// inlined.
pub trait Out<M> {
    /// Sends a message to another node.
    fn send(&mut self, to: NodeId, msg: M);
    /// Schedules a local step of this node: it happens later, in any order with other events.
    fn later(&mut self, step: M);
    /// Lets a waiting thread of this node enter the critical section.
    fn grant(&mut self, thread: ThreadId);
    /// Refuses a waiting thread: it does not enter and may request again.
    fn refuse(&mut self, thread: ThreadId);
    /// A listing line is reached. `false` means that this run omits the line: skip its effect.
    ///
    /// The same mechanism highlights the line that ran and lets the checker show why an essential
    /// line is needed.
    fn line(&mut self, line: LineId) -> bool;
    /// A message arrived that cannot occur: a violation, with its reason.
    fn impossible(&mut self, why: &'static str);
}

/// One effect of a handler.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Effect<M> {
    /// See [`Out::send`].
    Send(NodeId, M),
    /// See [`Out::later`].
    Later(M),
    /// See [`Out::grant`].
    Grant(ThreadId),
    /// See [`Out::refuse`].
    Refuse(ThreadId),
}

/// The recording [`Out`] of the drivers that look at every step.
#[derive(Clone, Debug)]
pub struct Effects<M> {
    /// The handler's effects, in order.
    pub list: Vec<Effect<M>>,
    /// The listing lines that ran, in order.
    pub lines: Vec<LineId>,
    /// The first impossible message.
    pub impossible: Option<&'static str>,
    without: Option<LineId>,
}

impl<M> Effects<M> {
    /// Empty effects of a run without the given line.
    pub fn new(without: Option<LineId>) -> Self {
        Effects { list: Vec::new(), lines: Vec::new(), impossible: None, without }
    }

    /// Clears the record and keeps its memory.
    pub fn clear(&mut self) {
        self.list.clear();
        self.lines.clear();
        self.impossible = None;
    }
}

impl<M> Out<M> for Effects<M> {
    fn send(&mut self, to: NodeId, msg: M) {
        self.list.push(Effect::Send(to, msg));
    }
    fn later(&mut self, step: M) {
        self.list.push(Effect::Later(step));
    }
    fn grant(&mut self, thread: ThreadId) {
        self.list.push(Effect::Grant(thread));
    }
    fn refuse(&mut self, thread: ThreadId) {
        self.list.push(Effect::Refuse(thread));
    }
    fn line(&mut self, line: LineId) -> bool {
        if self.without == Some(line) {
            return false;
        }
        self.lines.push(line);
        true
    }
    fn impossible(&mut self, why: &'static str) {
        self.impossible.get_or_insert(why);
    }
}
