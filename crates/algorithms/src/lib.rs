//! Distributed mutual exclusion, one file for each algorithm, and the table [`ALL`] of them.
//!
//! A file reads like a paper: an essay with the source and our departures from it, messages, state, handlers, what people see, the listing
//! in our own words, the row of the table, tests. [`alien`] is written as a tutorial; the others are terse. [`printed`] holds texts as
//! printed, with their errors, so that their counterexamples can be found and played.
//!
//! No algorithm uses another, reads a clock or draws a random number.

pub mod alien;
pub mod mueller;
pub mod naimi_trehel;
pub mod printed;
pub mod raymond;

use lockstep_kernel::Entry;

/// Every algorithm, in the order of the texts.
pub const ALL: &[Entry] = &[alien::ENTRY, mueller::ENTRY, raymond::ENTRY, naimi_trehel::ENTRY, printed::alien::ENTRY];

/// The algorithm of that id, or a sentence that lists what there is.
pub fn find(id: &str) -> Result<&'static Entry, String> {
    ALL.iter().find(|e| e.id == id).ok_or_else(|| {
        let ids: Vec<&str> = ALL.iter().map(|e| e.id).collect();
        format!(
            "There is no algorithm `{}`; there are {}.",
            id.escape_default().take(60).collect::<String>(),
            ids.join(", ")
        )
    })
}
