//! The checker: slices and bounds, worst cases, random walks, and the tables of lines, verdicts and puzzles, which are written by these tests.
//!
//! `LOCKSTEP_DEEP=1` does more of everything.

mod checker;
mod lines;
mod printed;
mod puzzles;
mod reports;
