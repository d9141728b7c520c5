//! One binary: every algorithm of the table against the explorer, theory and itself; the rules of the house.
//!
//! `LOCKSTEP_DEEP=1` (that is `cargo xtask test --deep`) explores larger systems.

mod allocations;
mod as_printed;
mod conformance;
mod golden;
mod house;
mod one_core;
mod random_systems;
mod systems;
mod theory;
