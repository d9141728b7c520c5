//! Distributed mutual exclusion, one file for each algorithm, and the table [`ALL`] of them.
//!
//! A file reads like a paper: an essay with the source and our departures from it, messages, state, handlers, what people see, the listing
//! in our own words, the row of the table, tests. [`alien`] is written as a tutorial; the others are terse. [`printed`] holds texts as
//! printed, with their errors, so that their counterexamples can be found and played.
//!
//! No algorithm uses another, reads a clock or draws a random number.

pub mod alien;
pub mod async_naimi_trehel;
pub mod carvalho_roucairol;
pub mod central_range;
pub mod central_server;
pub mod lamport;
pub mod maekawa;
pub mod mueller;
pub mod naimi_trehel;
pub mod neilsen_mizuno;
pub mod polling;
pub mod preempt_aggregation;
pub mod printed;
pub mod raymond;
pub mod ricart_agrawala;
pub mod suzuki_kasami;
pub mod swq;
pub mod swq_pr;
pub mod token_ring;
pub mod wdme;

use lockstep_kernel::Entry;

/// Every algorithm, in the order of the texts. A static: whoever names a constant compiles all of its drivers again.
pub static ALL: &[Entry] = &[
    // alien threads
    alien::ENTRY,
    mueller::ENTRY,
    raymond::ENTRY,
    // lecture notes
    central_server::ENTRY,
    ricart_agrawala::ENTRY,
    lamport::ENTRY,
    token_ring::ENTRY,
    // hierarchical
    naimi_trehel::ENTRY,
    naimi_trehel::PROXY,
    preempt_aggregation::PREEMPT,
    preempt_aggregation::ENTRY,
    // ranged locks
    async_naimi_trehel::ENTRY,
    swq::ENTRY,
    swq_pr::ENTRY,
    central_range::ENTRY,
    // wait-free
    wdme::ENTRY,
    polling::ENTRY,
    // beyond the texts
    suzuki_kasami::ENTRY,
    maekawa::ENTRY,
    carvalho_roucairol::ENTRY,
    neilsen_mizuno::ENTRY,
    // as printed
    printed::alien::ENTRY,
    printed::central_server::ENTRY,
    ricart_agrawala::PRINTED,
    printed::token_ring::ENTRY,
    printed::naimi_trehel::ENTRY,
    printed::naimi_trehel::PROXY,
    printed::hierarchical::PREEMPT,
    printed::hierarchical::ENTRY,
    printed::async_naimi_trehel::ENTRY,
    printed::ranged_locks::ENTRY,
    printed::wdme::ENTRY,
];

/// The algorithm that the page opens with, apart from the table: who names only this one carries only this one.
pub static ALIEN: Entry = alien::ENTRY;

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
