//! The checker: explores every order of events of a small system and tests invariants.
//!
//! * [`Check`] describes an algorithm and a small system; [`prepare`] validates it.
//! * [`CheckRun`] explores it in slices and ends with a [`CheckReport`]; [`words`] sums it up in
//!   one sentence.
//! * [`worst`] searches for the worst case of one request, with a schedule that shows it.
//! * [`lines`] and [`switches`] say what goes wrong without a listing line or an assumption.
//! * [`printed`] compares each paper as printed with the repaired algorithm.
//! * [`puzzles`] are goals to reach by picking events, with the smallest number of steps.
//!
//! This crate uses no thread, no file and no browser: the caller, a worker or the command line,
//! decides how long a slice is.

mod check;
mod checking;
mod examples;
mod lines;
mod prepare;
mod printed;
mod puzzles;
mod report;
mod run;
mod worst;

pub use check::Check;
pub use checking::{CheckRun, CheckSlice};
pub use examples::{CheckExample, EXAMPLES};
pub use lines::{LineRow, Removal, RemovalEffect, TABLE, lines, switches};
pub use lockstep_kernel::explore::Progress;
pub use prepare::{ReadyCheck, prepare, prepare_with};
pub use printed::{PrintedRow, printed};
pub use puzzles::{Puzzle, PuzzleLevel, find as find_puzzle, puzzles};
pub use report::{CheckReport, CheckVerdict, StopReason, Violation, link, sentence, words};
pub use run::{CheckGoal, InteractiveCheck};
pub use worst::{WorstCase, WorstCaseSearch, WorstCaseSlice, worst, worst_of};
