//! One binary: every algorithm of the table against the explorer, theory and itself. The rules of
//! the house are a binary of their own (`house.rs`): they compile in seconds.
//!
//! `LOCKSTEP_DEEP=1` (that is `cargo xtask test --deep`) explores larger systems.

mod allocations;
mod as_printed;
mod classics;
mod conformance;
mod golden;
mod helpers;
mod hierarchical;
mod lecture_notes;
mod lock_api;
mod one_core;
mod oracle;
mod random_systems;
mod ranged_locks;
mod scenarios;
mod stuck_requests;
mod symmetry;
mod theory;
mod wait_free;
