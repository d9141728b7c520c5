//! Watching a run without slowing it down.

use crate::{NodeId, ThreadId, Time};

/// Watches a run. Every method has an empty default, so an observer pays only for what it looks at.
pub trait Observer<M> {
    /// The start-up is over: what was seen so far does not count.
    fn warm(&mut self, _now: Time) {}
    /// A thread asked; `quiet` if that sent no message, and it was not turned away at once.
    fn requested(&mut self, _now: Time, _node: NodeId, _thread: ThreadId, _quiet: bool) {}
    /// A thread was let in after waiting.
    fn granted(&mut self, _now: Time, _node: NodeId, _thread: ThreadId, _waited: Time) {}
    /// A thread left.
    fn released(&mut self, _now: Time, _node: NodeId, _thread: ThreadId) {}
    /// A thread was turned away.
    fn refused(&mut self, _now: Time, _node: NodeId, _thread: ThreadId) {}
    /// A message was sent, within a cluster or not.
    fn sent(&mut self, _now: Time, _from: NodeId, _to: NodeId, _msg: &M, _near: bool) {}
    /// A request stopped travelling.
    fn arrived(&mut self, _hops: u32) {}
    /// Two threads inside, or an impossible message.
    fn violated(&mut self, _now: Time) {}
}
