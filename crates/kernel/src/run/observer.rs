//! Observers of a run, which cost nothing where they are not used.

use crate::{NodeId, ThreadId, Time};

/// Observes a run. Every method has an empty default, so an observer pays only for what it uses.
pub trait Observer<M> {
    /// The warm-up is over: earlier events do not count.
    fn warm(&mut self, _now: Time) {}
    /// A thread requested; `quiet` if that sent no message and was not refused at once.
    fn requested(&mut self, _now: Time, _node: NodeId, _thread: ThreadId, _quiet: bool) {}
    /// A thread entered after waiting.
    fn granted(&mut self, _now: Time, _node: NodeId, _thread: ThreadId, _waited: Time) {}
    /// A thread left.
    fn released(&mut self, _now: Time, _node: NodeId, _thread: ThreadId) {}
    /// A thread was refused.
    fn refused(&mut self, _now: Time, _node: NodeId, _thread: ThreadId) {}
    /// A message was sent, within a cluster or not.
    fn sent(&mut self, _now: Time, _from: NodeId, _to: NodeId, _msg: &M, _near: bool) {}
    /// A request stopped travelling.
    fn arrived(&mut self, _hops: u32) {}
    /// Two threads inside, or an impossible message.
    fn violated(&mut self, _now: Time) {}
}
