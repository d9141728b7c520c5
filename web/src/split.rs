//! The parts of the page's program that are fetched when they are first needed: the one place that
//! knows that the program is split. docs/download-size.md says why it is, and by what.
//!
//! `cargo xtask split` moves each function below into its part, with all code and data that only
//! this part uses. Calling the function fetches the part. With the feature `one-file` there is one
//! file, and nothing to fetch.

use crate::{parts, worker};

pub use wasm_split_helpers::SplitLoaderError;

/// `part: name() -> Output = function;` declares `async fn name()`, which fetches the part and
/// calls the function.
macro_rules! parts {
    ($($part:ident: $name:ident() -> $output:ty = $function:path;)+) => {
        $(
            #[cfg(not(feature = "one-file"))]
            #[wasm_split_helpers::wasm_split($part, fallible)]
            pub fn $name() -> $output {
                $function()
            }

            #[cfg(feature = "one-file")]
            pub async fn $name() -> $output {
                $function()
            }
        )+
    };
}

parts! {
    library: library() -> parts::Arrived = parts::library;
    places: figures() -> parts::Looks = parts::figures;
    places: compare() -> parts::Looks = parts::compare;
    places: write() -> parts::Looks = parts::write;
    places: check() -> parts::Looks = parts::check;
    judge: judge() -> parts::Looks = parts::judge;
    lab: lab() -> parts::Looks = parts::lab;
    workshop: workshop() -> worker::Workshop = worker::workshop;
    studies: studies() -> worker::Workshop = worker::studies;
    judging: judging() -> worker::Judging = worker::judging;
    alien_threads: alien_threads() -> worker::Algorithms = worker::alien_threads;
    lecture_notes: lecture_notes() -> worker::Algorithms = worker::lecture_notes;
    hierarchical: hierarchical() -> worker::Algorithms = worker::hierarchical;
    ranged_locks: ranged_locks() -> worker::Algorithms = worker::ranged_locks;
    wait_free: wait_free() -> worker::Algorithms = worker::wait_free;
    beyond: beyond() -> worker::Algorithms = worker::beyond;
}
