//! The checker: what can go wrong with an algorithm, in every order of events of a small system.
//!
//! * [`Check`] names an algorithm and a system in words; [`prepare`] says what is wrong with it, or makes it ready.
//! * [`Checking`] explores it in slices, can be stopped and widened, and ends with a [`Report`]; [`words`] says it in one honest sentence.
//! * [`worst`] looks for the worst that can happen to one request, and shows how.
//! * [`lines`] says of every line of a listing, and of every assumption, what goes wrong without it.
//! * [`printed`] sets the verdict on each text as printed beside that on the repaired algorithm.
//! * [`puzzles`] are goals to be reached by picking events, with the fewest steps that do it.
//!
//! This crate deliberately knows no thread, no file and no browser: a worker or a command line calls it and decides how long a slice is.

mod check;
mod checking;
mod lines;
mod options;
mod prepare;
mod printed;
mod puzzles;
mod report;
mod worst;

pub use check::{Check, Requests};
pub use checking::{Checking, Step};
pub use lines::{LineRow, Removed, Shown, TABLE, lines, switches};
pub use lockstep_kernel::explore::Progress;
pub use prepare::{MOST_MEGABYTES, Prepared, prepare, prepare_with};
pub use printed::{PrintedRow, printed};
pub use puzzles::{Level, Puzzle, find as find_puzzle, puzzles};
pub use report::{Answer, Report, Stopped, Violation, words};
pub use worst::{Worsening, Worst, WorstStep, worst, worst_of};
