//! One binary: every algorithm of the table against the explorer, theory and itself; the rules of the house.
//!
//! `LOCKSTEP_DEEP=1` (that is `cargo xtask test --deep`) explores larger systems.

mod allocations;
mod as_printed;
mod classics;
mod conformance;
mod golden;
mod hierarchical;
mod house;
mod lecture_notes;
mod lock_api;
mod model;
mod one_core;
mod oracle;
mod random_systems;
mod ranged_locks;
mod scenarios;
mod symmetry;
mod systems;
mod theory;
mod wait_free;
