//! Type-erased algorithms: stepping that is compiled once for all of them.
//!
//! Batch runs and explorations are compiled for each algorithm, because they must be fast. Stepping
//! need not be: here nodes and messages are boxed, so [`World`], the clock and the history are
//! compiled once for all algorithms, which keeps the page small. The digests of states equal those
//! of the typed worlds.

use crate::algorithm::{Call, Effect, Effects, Lock, MessageKind, Role};
use crate::cells::Runs;
use crate::view::{Cause, CellView, NodeView, ObservedStep};
use crate::world::{Flight, System, World};
use crate::{Algorithm, Invariant, LineId, Message, NodeId, Out, Setup, ThreadId};
use std::any::Any;
use std::cmp::Ordering;
use std::fmt::{Debug, Formatter};
use std::hash::{Hash, Hasher};

/// Any algorithm.
pub struct Dyn(Box<dyn AnyAlgorithm>);

/// The state of a node of any algorithm.
pub struct DynNode(Box<dyn AnyNode>);

/// A message of any algorithm.
pub struct DynMsg(Box<dyn AnyMsg>);

trait AnyNode {
    fn copy(&self) -> Box<dyn AnyNode>;
    fn same(&self, other: &dyn Any) -> bool;
    fn digest(&self, state: &mut dyn Hasher);
    fn any(&self) -> &dyn Any;
    fn any_mut(&mut self) -> &mut dyn Any;
}

impl<T: Clone + Eq + Hash + 'static> AnyNode for T {
    fn copy(&self) -> Box<dyn AnyNode> {
        Box::new(self.clone())
    }
    fn same(&self, other: &dyn Any) -> bool {
        other.downcast_ref::<T>() == Some(self)
    }
    fn digest(&self, mut state: &mut dyn Hasher) {
        self.hash(&mut state);
    }
    fn any(&self) -> &dyn Any {
        self
    }
    fn any_mut(&mut self) -> &mut dyn Any {
        self
    }
}

impl Clone for DynNode {
    fn clone(&self) -> Self {
        DynNode(self.0.copy())
    }
}
impl PartialEq for DynNode {
    fn eq(&self, other: &Self) -> bool {
        self.0.same(other.0.any())
    }
}
impl Eq for DynNode {}
impl Hash for DynNode {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.0.digest(state);
    }
}
// the contents are not printed: the derived code of thirty algorithms would be a tenth of the
// page's size
impl Debug for DynNode {
    fn fmt(&self, f: &mut Formatter<'_>) -> std::fmt::Result {
        f.write_str("a node")
    }
}

trait AnyMsg {
    fn copy(&self) -> Box<dyn AnyMsg>;
    fn order(&self, other: &dyn Any) -> Ordering;
    fn digest(&self, state: &mut dyn Hasher);
    fn any(&self) -> &dyn Any;
    fn kind(&self) -> usize;
    fn role(&self) -> Role;
    fn cells(&self) -> u32;
    fn tag(&self, setup: &Setup) -> String;
    fn label(&self, setup: &Setup) -> String;
}

impl<M: Message> AnyMsg for M {
    fn copy(&self) -> Box<dyn AnyMsg> {
        Box::new(self.clone())
    }
    fn order(&self, other: &dyn Any) -> Ordering {
        other.downcast_ref::<M>().map_or(Ordering::Less, |other| self.cmp(other))
    }
    fn digest(&self, mut state: &mut dyn Hasher) {
        self.hash(&mut state);
    }
    fn any(&self) -> &dyn Any {
        self
    }
    fn kind(&self) -> usize {
        Message::kind(self)
    }
    fn role(&self) -> Role {
        Message::role(self)
    }
    fn cells(&self) -> u32 {
        Message::cells(self)
    }
    fn tag(&self, setup: &Setup) -> String {
        Message::tag(self, setup)
    }
    fn label(&self, setup: &Setup) -> String {
        Message::label(self, setup)
    }
}

impl Clone for DynMsg {
    fn clone(&self) -> Self {
        DynMsg(self.0.copy())
    }
}
impl PartialEq for DynMsg {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}
impl Eq for DynMsg {}
impl PartialOrd for DynMsg {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}
impl Ord for DynMsg {
    fn cmp(&self, other: &Self) -> Ordering {
        self.0.order(other.0.any())
    }
}
impl Hash for DynMsg {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.0.digest(state);
    }
}
impl Debug for DynMsg {
    fn fmt(&self, f: &mut Formatter<'_>) -> std::fmt::Result {
        f.write_str("a message")
    }
}

impl Message for DynMsg {
    const KINDS: &'static [MessageKind] = &[];
    fn kind(&self) -> usize {
        self.0.kind()
    }
    fn role(&self) -> Role {
        self.0.role()
    }
    fn cells(&self) -> u32 {
        self.0.cells()
    }
    fn tag(&self, setup: &Setup) -> String {
        self.0.tag(setup)
    }
    fn label(&self, setup: &Setup) -> String {
        self.0.label(setup)
    }
}

/// The part of an algorithm that stepping needs.
trait AnyAlgorithm {
    fn ranges(&self) -> bool;
    fn cancels(&self) -> bool;
    fn anonymous(&self) -> bool;
    fn start(&self, me: NodeId) -> DynNode;
    fn begin(&self, node: &mut DynNode, out: &mut dyn Out<DynMsg>);
    fn on_call(&self, node: &mut DynNode, call: Call, out: &mut dyn Out<DynMsg>);
    fn on_lock(&self, node: &mut DynNode, lock: Lock, out: &mut dyn Out<DynMsg>);
    fn on_message(&self, node: &mut DynNode, from: NodeId, msg: &DynMsg, out: &mut dyn Out<DynMsg>);
    fn set_clock(&self, node: &mut DynNode, next: u32);
    fn view(&self, node: &DynNode) -> NodeView;
    fn cells(&self, node: &DynNode) -> Runs<CellView>;
    fn check(&self, invariant: usize, world: &World<Dyn>) -> Result<(), String>;
    fn broken(&self, world: &World<Dyn>) -> Option<(usize, String)>;
    fn judge(&self, world: &World<Dyn>) -> Vec<Option<String>>;
    fn narrate(&self, step: &ObservedStep<'_, Dyn>) -> String;
}

impl<A: Algorithm> System<A> {
    /// The same system, type-erased.
    pub fn erased(self) -> System<Dyn> {
        let setup = self.setup.clone();
        let wrap = |(i, name)| Invariant::<Dyn> {
            name,
            check: Box::new(move |system, world| system.algorithm.0.check(i, world)),
        };
        let invariants = self.invariants.iter().map(|i| i.name).enumerate().map(wrap).collect();
        System { algorithm: Dyn(Box::new(self)), setup, invariants }
    }
}

/// An [`Out`] that boxes the messages of a typed handler.
struct BoxingOut<'a>(&'a mut dyn Out<DynMsg>);

impl<M: Message> Out<M> for BoxingOut<'_> {
    fn send(&mut self, to: NodeId, msg: M) {
        self.0.send(to, DynMsg(Box::new(msg)));
    }
    fn later(&mut self, step: M) {
        self.0.later(DynMsg(Box::new(step)));
    }
    fn grant(&mut self, thread: ThreadId) {
        self.0.grant(thread);
    }
    fn refuse(&mut self, thread: ThreadId) {
        self.0.refuse(thread);
    }
    fn line(&mut self, line: LineId) -> bool {
        self.0.line(line)
    }
    fn impossible(&mut self, why: &'static str) {
        self.0.impossible(why);
    }
}

const ONE_ALGORITHM: &str = "a world has the nodes and messages of one algorithm";

fn node<A: Algorithm>(node: &DynNode) -> &A::Node {
    node.0.any().downcast_ref().expect(ONE_ALGORITHM)
}

fn node_mut<A: Algorithm>(node: &mut DynNode) -> &mut A::Node {
    node.0.any_mut().downcast_mut().expect(ONE_ALGORITHM)
}

fn message<A: Algorithm>(msg: &DynMsg) -> &A::Msg {
    msg.0.any().downcast_ref().expect(ONE_ALGORITHM)
}

/// A typed copy of the world, on which invariants are checked.
fn typed<A: Algorithm>(world: &World<Dyn>) -> World<A> {
    let flight = |f: &Flight<DynMsg>| Flight {
        from: f.from,
        to: f.to,
        msg: message::<A>(&f.msg).clone(),
        held: f.held,
        id: f.id,
    };
    World {
        nodes: world.nodes.iter().map(|n| node::<A>(n).clone()).collect(),
        threads: world.threads.clone(),
        left: world.left.clone(),
        flights: world.flights.iter().map(flight).collect(),
        crashed: world.crashed.clone(),
        faults: world.faults,
        broken: world.broken,
        next_id: world.next_id,
    }
}

impl<A: Algorithm> AnyAlgorithm for System<A> {
    fn ranges(&self) -> bool {
        A::RANGES
    }
    fn cancels(&self) -> bool {
        A::CANCELS
    }
    fn anonymous(&self) -> bool {
        self.algorithm.anonymous()
    }
    fn start(&self, me: NodeId) -> DynNode {
        DynNode(Box::new(self.algorithm.start(me, &self.setup)))
    }
    fn begin(&self, node: &mut DynNode, out: &mut dyn Out<DynMsg>) {
        self.algorithm.begin(node_mut::<A>(node), &mut BoxingOut(out));
    }
    fn on_call(&self, node: &mut DynNode, call: Call, out: &mut dyn Out<DynMsg>) {
        self.algorithm.on_call(node_mut::<A>(node), call, &mut BoxingOut(out));
    }
    fn on_lock(&self, node: &mut DynNode, lock: Lock, out: &mut dyn Out<DynMsg>) {
        self.algorithm.on_lock(node_mut::<A>(node), lock, &mut BoxingOut(out));
    }
    fn on_message(&self, node: &mut DynNode, from: NodeId, msg: &DynMsg, out: &mut dyn Out<DynMsg>) {
        self.algorithm.on_message(node_mut::<A>(node), from, message::<A>(msg).clone(), &mut BoxingOut(out));
    }
    fn set_clock(&self, node: &mut DynNode, next: u32) {
        self.algorithm.set_clock(node_mut::<A>(node), next);
    }
    fn view(&self, n: &DynNode) -> NodeView {
        self.algorithm.view(node::<A>(n), &self.setup)
    }
    fn cells(&self, n: &DynNode) -> Runs<CellView> {
        self.algorithm.cells(node::<A>(n), &self.setup)
    }
    fn check(&self, invariant: usize, world: &World<Dyn>) -> Result<(), String> {
        (self.invariants[invariant].check)(self, &typed(world))
    }
    fn broken(&self, world: &World<Dyn>) -> Option<(usize, String)> {
        self.algorithm.broken(self, &typed(world))
    }
    fn judge(&self, world: &World<Dyn>) -> Vec<Option<String>> {
        self.algorithm.judge(self, &typed(world))
    }
    fn narrate(&self, step: &ObservedStep<'_, Dyn>) -> String {
        let effect = |e: &Effect<DynMsg>| match e {
            Effect::Send(to, msg) => Effect::Send(*to, message::<A>(msg).clone()),
            Effect::Later(msg) => Effect::Later(message::<A>(msg).clone()),
            Effect::Grant(thread) => Effect::Grant(*thread),
            Effect::Refuse(thread) => Effect::Refuse(*thread),
        };
        let mut effects = Effects::new(self.setup.without);
        effects.list = step.effects.list.iter().map(effect).collect();
        effects.lines.clone_from(&step.effects.lines);
        effects.impossible = step.effects.impossible;
        self.algorithm.narrate(&ObservedStep {
            setup: step.setup,
            me: step.me,
            cause: match step.cause {
                Cause::Asked(thread) => Cause::Asked(thread),
                Cause::Left(thread) => Cause::Left(thread),
                Cause::Received(from, msg) => Cause::Received(from, message::<A>(msg)),
            },
            before: node::<A>(step.before),
            after: node::<A>(step.after),
            effects: &effects,
        })
    }
}

impl Algorithm for Dyn {
    type Node = DynNode;
    type Msg = DynMsg;

    fn new(_: &Setup) -> Self {
        unreachable!("System::erased makes a Dyn from a typed algorithm; a setup alone does not name one")
    }
    fn ranges(&self) -> bool {
        self.0.ranges()
    }
    fn cancels(&self) -> bool {
        self.0.cancels()
    }
    fn anonymous(&self) -> bool {
        self.0.anonymous()
    }
    fn set_clock(&self, node: &mut DynNode, next: u32) {
        self.0.set_clock(node, next);
    }
    fn start(&self, me: NodeId, _: &Setup) -> DynNode {
        self.0.start(me)
    }
    fn begin(&self, node: &mut DynNode, out: &mut impl Out<DynMsg>) {
        self.0.begin(node, out);
    }
    fn on_call(&self, node: &mut DynNode, call: Call, out: &mut impl Out<DynMsg>) {
        self.0.on_call(node, call, out);
    }
    fn on_lock(&self, node: &mut DynNode, lock: Lock, out: &mut impl Out<DynMsg>) {
        self.0.on_lock(node, lock, out);
    }
    fn on_message(&self, node: &mut DynNode, from: NodeId, msg: DynMsg, out: &mut impl Out<DynMsg>) {
        self.0.on_message(node, from, &msg, out);
    }
    fn view(&self, node: &DynNode, _: &Setup) -> NodeView {
        self.0.view(node)
    }
    fn cells(&self, node: &DynNode, _: &Setup) -> Runs<CellView> {
        self.0.cells(node)
    }
    fn invariants() -> Vec<Invariant<Self>> {
        Vec::new()
    }
    fn broken(&self, _: &System<Self>, world: &World<Self>) -> Option<(usize, String)> {
        self.0.broken(world)
    }
    fn judge(&self, _: &System<Self>, world: &World<Self>) -> Vec<Option<String>> {
        self.0.judge(world)
    }
    fn narrate(&self, step: &ObservedStep<'_, Self>) -> String {
        self.0.narrate(step)
    }
}
