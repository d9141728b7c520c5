//! The checker: slices and limits, worst cases, random walks, and the generated tables of listing
//! lines, verdicts and puzzles.
//!
//! `LOCKSTEP_DEEP=1` does more of everything.

mod checker;
mod lines;
mod printed;
mod puzzles;
mod reports;
