//! The kernel: the contract of a distributed mutual-exclusion algorithm, and four drivers for it.
//!
//! * [`algorithm`] is the contract: pure handlers of one node that push effects into [`Out`].
//! * [`world`] is a whole system at one instant: nodes, user threads, messages in flight; every
//!   [`Event`] is one step of it.
//! * [`clock`] puts a world on virtual time: delays, workloads, the event that is due next.
//! * [`history`] keeps every step taken: seek, back, branches (time travel, links).
//! * [`run`] is the batch simulator: the same handlers, monomorphised, nothing allocated per event.
//! * [`explore`] tries every order of events of a small system.
//! * [`locks`] is the lock interface of an application, over any system that is driven step by
//!   step.
//!
//! The kernel deliberately knows no algorithm, browser, wall clock, operating-system thread or
//! file. It never iterates over a hash map and uses `libm` instead of platform mathematics, so the
//! same job gives the same bytes everywhere.

pub mod algorithm;
pub mod cells;
pub mod clock;
pub mod entry;
pub mod erased;
pub mod explore;
pub mod fingerprint;
pub mod history;
pub mod ids;
pub mod invariant;
pub mod locks;
pub mod random;
pub mod run;
pub mod served;
pub mod setup;
pub mod sort;
pub mod timing;
mod title;
pub mod view;
pub mod world;

pub use algorithm::{Algorithm, Call, Effect, Effects, LineId, Lock, Message, MessageKind, Out, Role};
pub use entry::{Engine, Entry, Line, Needs, Param};
pub use ids::{Cells, NodeId, TICKS_PER_UNIT, ThreadId, Time};
pub use invariant::Invariant;
pub use setup::{Network, Params, Setup, Topology};
pub use view::{Frame, NodeView, PointerView, Var, Waiter};
pub use world::{AppliedEvent, Event, World};
