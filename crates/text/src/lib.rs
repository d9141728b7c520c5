//! Text for people and for other programs: what may be printed, cells of CSV, long lists of
//! problems.
//!
//! Every message and table may repeat what a file, a link or a name says. These functions are the
//! one place where that is made harmless; they know nothing else of the laboratory.

mod csv;
mod printable;
mod problems;

pub use csv::{csv, csv_line};
pub use printable::{harmful, printable};
pub use problems::{MOST_SHOWN, Problems, problems};
