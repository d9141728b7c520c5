//! The view of a system: plain data for drawings, narration, tests and scripts.

use crate::cells::Runs;
use crate::served::StuckRequest;
use crate::{Algorithm, Cells, Event, LineId, NodeId, Role, Setup, ThreadId, Time};
use serde::{Deserialize, Serialize};
use std::fmt::Write;
use std::rc::Rc;

/// One node in the vocabulary of its paper.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct NodeView {
    /// Whether the token is here.
    pub token: bool,
    /// Pointers to other nodes.
    pub links: Vec<PointerView>,
    /// The waiting threads and requests, in the order of service.
    pub queue: Vec<Waiter>,
    /// The variables, named as in the paper.
    pub vars: Vec<Var>,
    /// Short labels: a role, a phase.
    pub badges: Vec<String>,
}

/// One cell of the resource as one node sees it.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct CellView {
    /// Whether the cell's token is here.
    pub held: bool,
    /// The tail of the cell's queue, as far as this node knows.
    pub owner: NodeId,
    /// The node that gets the cell next.
    pub next: Option<NodeId>,
}

/// A pointer of one node to another.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct PointerView {
    /// `probOwner`, `next`, `holder`, …
    pub kind: String,
    /// Where it points; the node itself is a legal target.
    pub to: NodeId,
}

/// An entry of a node's queue.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Waiter {
    /// A user thread of this node.
    User(ThreadId),
    /// An alien thread, which acts for its home.
    Alien(NodeId),
    /// Another node's request.
    Remote(NodeId),
}

/// A variable and its value.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Var {
    /// Its name in the paper.
    pub name: String,
    /// Its value.
    pub value: VarValue,
}

/// The value of a variable; a node is shown by its name.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum VarValue {
    /// Any text.
    Text(String),
    /// A node.
    Node(NodeId),
}

impl Var {
    /// A variable with a value shown as text.
    pub fn new(name: &str, value: impl std::fmt::Display) -> Self {
        Var { name: name.into(), value: VarValue::Text(value.to_string()) }
    }

    /// A variable with a list, written as one text: a list may have an item for each node.
    pub fn list<T: std::fmt::Display>(
        name: &str,
        [open, between, close]: [&str; 3],
        items: impl Iterator<Item = T>,
    ) -> Self {
        let mut text = String::from(open);
        for (i, item) in items.enumerate() {
            let _ = write!(text, "{}{item}", if i == 0 { "" } else { between });
        }
        text.push_str(close);
        Var { name: name.into(), value: VarValue::Text(text) }
    }

    /// A variable that names a node or none.
    pub fn maybe_node(name: &str, node: Option<NodeId>) -> Self {
        node.map_or_else(|| Var::new(name, "none"), |node| Var::node(name, node))
    }

    /// A variable that names a node.
    pub fn node(name: &str, node: NodeId) -> Self {
        Var { name: name.into(), value: VarValue::Node(node) }
    }
}

impl VarValue {
    /// The value as text, with the names of the nodes.
    pub fn text(&self, name: impl Fn(NodeId) -> String) -> String {
        match self {
            VarValue::Text(text) => text.clone(),
            VarValue::Node(node) => name(*node),
        }
    }
}

impl NodeView {
    /// The target of the link of a kind.
    pub fn link(&self, kind: &str) -> Option<NodeId> {
        self.links.iter().find(|l| l.kind == kind).map(|l| l.to)
    }
}

/// What a user thread is doing.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ThreadState {
    /// Has no request.
    Idle,
    /// Has requested and waits.
    Waiting,
    /// Is in the critical section.
    Inside,
}

/// A user thread in a [`Frame`].
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct ThreadFrame {
    /// Which one.
    pub id: ThreadId,
    /// `p2.1`.
    pub name: String,
    /// Its number within its first node, from 1.
    pub number: u32,
    /// Its state.
    pub doing: ThreadState,
    /// The cells that it waits for or holds, if the resource is divided.
    pub cells: Option<Cells>,
    /// When this state began.
    pub since: Time,
}

/// A node in a [`Frame`].
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct NodeFrame {
    /// Which one.
    pub id: NodeId,
    /// Its name.
    pub name: String,
    /// Its cluster.
    pub cluster: u32,
    /// Whether it is down.
    pub crashed: bool,
    /// The algorithm's view of it.
    pub view: NodeView,
    /// What it knows about each cell, if the resource is divided.
    pub cells: Runs<CellView>,
    /// The user threads that are here now.
    pub threads: Vec<ThreadFrame>,
}

/// A message in flight in a [`Frame`].
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct FlightFrame {
    /// Unique in a run, in the order of sending.
    pub id: u32,
    /// Sender.
    pub from: NodeId,
    /// Receiver; the sender itself for a local step.
    pub to: NodeId,
    /// One or two letters.
    pub tag: String,
    /// As its paper writes it.
    pub label: String,
    /// How it is drawn.
    pub role: Role,
    /// When it was sent.
    pub sent: Time,
    /// When it is due.
    pub due: Time,
    /// Whether the user delays it.
    pub held: bool,
}

/// One invariant in one state.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct InvariantStatus {
    /// Its name.
    pub name: String,
    /// Why it does not hold, if so.
    pub broken: Option<String>,
}

/// Counters since the beginning of a run.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct Counters {
    /// Messages sent.
    pub messages: u64,
    /// Critical sections entered.
    pub entries: u64,
    /// The longest wait that has ended.
    pub longest_wait: Time,
}

/// The last step, for narration and highlighting.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct StepFrame {
    /// The event.
    pub event: Event,
    /// The event in words: "p2 receives REQ(p3) from p3".
    pub title: String,
    /// What happened and why, in one or two sentences.
    pub sentence: String,
    /// The node at which it happened.
    pub node: NodeId,
    /// The lines of the listing that ran there.
    pub lines: Vec<LineId>,
    /// Messages sent by this step.
    pub sent: Vec<u32>,
    /// Threads let in by this step.
    pub granted: Vec<ThreadId>,
}

/// A whole system at one instant, ready to be drawn.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Frame {
    /// Steps since the beginning.
    pub step: u32,
    /// Virtual time.
    pub now: Time,
    /// The nodes. Most of them are as they were a step ago, and then two frames may share them: see
    /// [`Frame::share`].
    pub nodes: Vec<Rc<NodeFrame>>,
    /// The messages in flight, by sending order.
    pub flights: Vec<FlightFrame>,
    /// The status of each invariant.
    pub invariants: Vec<InvariantStatus>,
    /// Messages, entries, waiting so far.
    pub counters: Counters,
    /// The step that led here; none at the beginning.
    pub last: Option<StepFrame>,
    /// The requests that can no longer be served: see [`Frame::add_stuck`].
    #[serde(default)]
    pub stuck: Vec<StuckRequest>,
}

impl Frame {
    /// Takes from another frame the nodes that are the same there, so that a long run of many nodes
    /// fits into memory.
    pub fn share(&mut self, other: &Frame) {
        for (node, there) in self.nodes.iter_mut().zip(&other.nodes) {
            if node == there {
                *node = there.clone();
            }
        }
    }
}

/// The observation of one step from which an algorithm narrates it.
pub struct ObservedStep<'a, A: Algorithm> {
    /// Names.
    pub setup: &'a Setup,
    /// The node at which it happened.
    pub me: NodeId,
    /// What happened there.
    pub cause: Cause<'a, A::Msg>,
    /// The node before.
    pub before: &'a A::Node,
    /// The node after.
    pub after: &'a A::Node,
    /// What the handler did.
    pub effects: &'a crate::Effects<A::Msg>,
}

/// What a node reacted to.
pub enum Cause<'a, M> {
    /// A user thread asked.
    Asked(ThreadId),
    /// A user thread left, or gave up waiting where it may.
    Left(ThreadId),
    /// A message arrived.
    Received(NodeId, &'a M),
}

impl<A: Algorithm> ObservedStep<'_, A> {
    /// A node's name.
    pub fn name(&self, node: NodeId) -> &str {
        self.setup.name(node)
    }

    /// Whether that line ran.
    pub fn ran(&self, line: LineId) -> bool {
        self.effects.lines.contains(&line)
    }

    /// The thread that this step let in.
    pub fn granted(&self) -> Option<ThreadId> {
        self.effects.list.iter().find_map(|e| match e {
            crate::Effect::Grant(t) => Some(*t),
            _ => None,
        })
    }
}
