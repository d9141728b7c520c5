//! One batch simulator for all algorithms.
//!
//! Natively each algorithm has a simulator of its own, compiled for it. On wasm32, where every byte has to be downloaded, there is one: the nodes lie in one typed
//! list and the messages in slots, the simulator moves numbers of slots, and a handler is one indirect call. Nothing is allocated per event either way,
//! and the runs are the same to the bit (tests compare them).

use crate::algorithm::{Call, Lock, MessageKind, Role};
use crate::view::{NodeView, Told};
use crate::{Algorithm, Invariant, LineId, Message, NodeId, Out, Setup, ThreadId};
use std::cell::RefCell;

/// Any algorithm with its nodes and the messages that are under way.
pub struct Slotted(RefCell<Box<dyn Cast>>);

/// A message: where it lies, and what the simulator wants to know of it.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Slot {
    slot: u32,
    kind: u8,
    role: Role,
    cells: u32,
}

impl Message for Slot {
    const KINDS: &'static [MessageKind] = &[];
    fn kind(&self) -> usize {
        self.kind as usize
    }
    fn role(&self) -> Role {
        self.role
    }
    fn cells(&self) -> u32 {
        self.cells
    }
    fn tag(&self, _: &Setup) -> String {
        String::new()
    }
    fn label(&self, _: &Setup) -> String {
        String::new()
    }
}

/// What the simulator needs of an algorithm.
trait Cast {
    fn ranges(&self) -> bool;
    fn begin(&mut self, me: NodeId, out: &mut dyn Out<Slot>);
    fn on_call(&mut self, me: NodeId, call: Call, out: &mut dyn Out<Slot>);
    fn on_lock(&mut self, me: NodeId, lock: Lock, out: &mut dyn Out<Slot>);
    fn on_message(&mut self, me: NodeId, from: NodeId, slot: u32, out: &mut dyn Out<Slot>);
}

struct Typed<A: Algorithm> {
    algorithm: A,
    nodes: Vec<A::Node>,
    letters: Letters<A::Msg>,
}

struct Letters<M> {
    slots: Vec<Option<M>>,
    free: Vec<u32>,
}

/// Puts what a handler sends into slots.
struct Posting<'a, M> {
    letters: &'a mut Letters<M>,
    out: &'a mut dyn Out<Slot>,
}

impl<M: Message> Posting<'_, M> {
    fn put(&mut self, msg: M) -> Slot {
        let (kind, role, cells) = (msg.kind() as u8, msg.role(), msg.cells());
        let slot = match self.letters.free.pop() {
            Some(slot) => {
                self.letters.slots[slot as usize] = Some(msg);
                slot
            }
            None => {
                self.letters.slots.push(Some(msg));
                self.letters.slots.len() as u32 - 1
            }
        };
        Slot { slot, kind, role, cells }
    }
}

impl<M: Message> Out<M> for Posting<'_, M> {
    fn send(&mut self, to: NodeId, msg: M) {
        let slot = self.put(msg);
        self.out.send(to, slot);
    }
    fn later(&mut self, step: M) {
        let slot = self.put(step);
        self.out.later(slot);
    }
    fn grant(&mut self, thread: ThreadId) {
        self.out.grant(thread);
    }
    fn refuse(&mut self, thread: ThreadId) {
        self.out.refuse(thread);
    }
    fn line(&mut self, line: LineId) -> bool {
        self.out.line(line)
    }
    fn impossible(&mut self, why: &'static str) {
        self.out.impossible(why);
    }
}

impl<A: Algorithm> Cast for Typed<A> {
    fn ranges(&self) -> bool {
        A::RANGES
    }
    fn begin(&mut self, me: NodeId, out: &mut dyn Out<Slot>) {
        let out = &mut Posting { letters: &mut self.letters, out };
        self.algorithm.begin(&mut self.nodes[me.index()], out);
    }
    fn on_call(&mut self, me: NodeId, call: Call, out: &mut dyn Out<Slot>) {
        let out = &mut Posting { letters: &mut self.letters, out };
        self.algorithm.on_call(&mut self.nodes[me.index()], call, out);
    }
    fn on_lock(&mut self, me: NodeId, lock: Lock, out: &mut dyn Out<Slot>) {
        let out = &mut Posting { letters: &mut self.letters, out };
        self.algorithm.on_lock(&mut self.nodes[me.index()], lock, out);
    }
    fn on_message(&mut self, me: NodeId, from: NodeId, slot: u32, out: &mut dyn Out<Slot>) {
        let Some(msg) = self.letters.slots[slot as usize].take() else { return };
        self.letters.free.push(slot);
        let out = &mut Posting { letters: &mut self.letters, out };
        self.algorithm.on_message(&mut self.nodes[me.index()], from, msg, out);
    }
}

impl Slotted {
    /// An algorithm on a setup that is arranged for it.
    pub fn of<A: Algorithm>(setup: &Setup) -> Slotted {
        let algorithm = A::new(setup);
        let nodes = setup.ids().map(|i| algorithm.start(i, setup)).collect();
        let letters =
            Letters { slots: Vec::with_capacity(4 * setup.nodes()), free: Vec::with_capacity(4 * setup.nodes()) };
        Slotted(RefCell::new(Box::new(Typed { algorithm, nodes, letters })))
    }
}

impl Algorithm for Slotted {
    /// Who it is: the state lies elsewhere.
    type Node = NodeId;
    type Msg = Slot;

    fn new(_: &Setup) -> Self {
        unreachable!("Slotted::of makes these, from an algorithm that a setup alone does not name")
    }
    fn ranges(&self) -> bool {
        self.0.borrow().ranges()
    }
    fn start(&self, me: NodeId, _: &Setup) -> NodeId {
        me
    }
    fn begin(&self, me: &mut NodeId, out: &mut impl Out<Slot>) {
        self.0.borrow_mut().begin(*me, out);
    }
    fn on_call(&self, me: &mut NodeId, call: Call, out: &mut impl Out<Slot>) {
        self.0.borrow_mut().on_call(*me, call, out);
    }
    fn on_lock(&self, me: &mut NodeId, lock: Lock, out: &mut impl Out<Slot>) {
        self.0.borrow_mut().on_lock(*me, lock, out);
    }
    fn on_message(&self, me: &mut NodeId, from: NodeId, msg: Slot, out: &mut impl Out<Slot>) {
        self.0.borrow_mut().on_message(*me, from, msg.slot, out);
    }
    fn view(&self, _: &NodeId) -> NodeView {
        NodeView::default()
    }
    fn invariants() -> Vec<Invariant<Self>> {
        Vec::new()
    }
    fn tell(&self, _: &Told<'_, Self>) -> String {
        String::new()
    }
}
