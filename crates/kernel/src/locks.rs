//! The lock interface of an application: declare a lock early, compute, test it, wait for it,
//! release it.
//!
//! It drives any [`Player`] and adds nothing to the protocol: `create` is a request, `test` only
//! reads, `wait` delivers messages, `unlock` is a release or, before the lock is held, a
//! cancellation. A lock is held until `unlock`; it never expires.

use crate::history::Player;
use crate::view::{ThreadFrame, ThreadState};
use crate::{Cells, Event, NodeId, ThreadId};

/// Locks on the resource of one running system.
pub struct Locks<'a>(pub &'a mut dyn Player);

/// A declared lock. It cannot be copied: releasing it consumes it.
#[derive(PartialEq, Eq, Debug)]
#[must_use = "a lock that is never unlocked is never free again"]
pub struct LockHandle {
    thread: ThreadId,
}

impl Locks<'_> {
    /// `lockCreate`: declares a lock for an idle thread of the node and returns at once; none if
    /// all its threads have locks or the range is not listed.
    pub fn create(&mut self, node: NodeId, cells: Cells) -> Option<LockHandle> {
        let frame = self.0.frame();
        let idle = frame.nodes.get(node.index())?.threads.iter().find(|t| t.doing == ThreadState::Idle)?.id;
        let range = Cells { hi: cells.hi.min(self.0.setup().cells), ..cells };
        let asked = self.0.pick(Event::Lock(idle, range)).or_else(|| match cells {
            Cells::WHOLE => self.0.pick(Event::Request(idle)),
            _ => None,
        });
        asked.map(|_| LockHandle { thread: idle })
    }

    /// `lockTest`: whether the lock is held.
    pub fn test(&self, lock: &LockHandle) -> bool {
        self.thread(lock).doing == ThreadState::Inside
    }

    /// `doLock`: waits until the lock is held. `false` if deliveries alone are not enough: another
    /// thread has to unlock first.
    pub fn wait(&mut self, lock: &LockHandle) -> bool {
        while !self.test(lock) {
            if !self.deliver() {
                return false;
            }
        }
        true
    }

    /// `unlock`: releases the lock or, before it is held, cancels it. `false` if the algorithm
    /// cannot cancel.
    pub fn unlock(&mut self, lock: LockHandle) -> bool {
        let event = if self.test(&lock) { Event::Release(lock.thread) } else { Event::Cancel(lock.thread) };
        self.0.pick(event).is_some()
    }

    /// Delivers the message that is due first.
    pub fn deliver(&mut self) -> bool {
        let arrivals = self.0.enabled().into_iter().filter(|p| matches!(p.event, Event::Deliver(_)));
        let first = arrivals.min_by_key(|p| p.due);
        first.is_some_and(|pick| self.0.pick(pick.event).is_some())
    }

    fn thread(&self, lock: &LockHandle) -> ThreadFrame {
        let threads = self.0.frame().nodes.into_iter().flat_map(|n| n.threads.clone());
        threads.into_iter().find(|t| t.id == lock.thread).expect("threads do not vanish")
    }
}
