//! Algorithms for distributed mutual exclusion, one file each, and the table [`ALL`] of them.
//!
//! A file reads like a paper: an essay with the source and our departures from it, messages, state,
//! handlers, the view, the listing in our own words, the entry in the table, tests. [`alien`] is
//! written as a tutorial; the others are terse. [`printed`] holds algorithms as printed, with their
//! errors, so that their counterexamples can be found and replayed.
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
pub mod token_ring;
pub mod wdme;

use lockstep_kernel::Entry;

/// The paper that an algorithm belongs to. The page fetches the algorithms of one paper together.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum PaperGroup {
    /// Alien threads.
    AlienThreads,
    /// The lecture notes.
    LectureNotes,
    /// Hierarchical locks.
    Hierarchical,
    /// Ranged locks.
    RangedLocks,
    /// Wait-free locks.
    WaitFree,
    /// Beyond the papers.
    Beyond,
}

/// A row of the table without its engine, for code that only needs the names: it does not link the
/// drivers.
pub struct AlgorithmInfo {
    /// Its id in scripts and links.
    pub id: &'static str,
    /// Its paper.
    pub group: PaperGroup,
    /// Whether this is an algorithm as printed, with its errors.
    pub printed: bool,
    /// Whether threads lock ranges of cells.
    pub ranges: bool,
    /// Whether its messages carry the data of cells.
    pub carries_cells: bool,
}

const fn info(group: PaperGroup, entry: Entry) -> AlgorithmInfo {
    let Entry { id, printed, drive, .. } = entry;
    AlgorithmInfo { id, group, printed, ranges: drive.ranges, carries_cells: drive.carries_cells }
}

macro_rules! table {
    ($($group:ident, $algorithms:ident: $($entry:path),+; $($printed:path),*;)+) => {
        /// Every algorithm, in the order of the papers, then the algorithms as printed. It is a
        /// static because every use of a constant would compile all drivers again.
        pub static ALL: &[Entry] = &[$($(at_hand($entry),)+)+ $($(at_hand($printed),)*)+];

        /// The rows without engines, in the same order.
        pub static KNOWN: &[AlgorithmInfo] = &[$($(info(PaperGroup::$group, $entry),)+)+ $($(info(PaperGroup::$group, $printed),)*)+];

        /// The algorithms of each paper, in the same order and with their engines, for programs
        /// that load them separately.
        pub mod papers {
            use super::*;
            $(
                #[doc = concat!("[`PaperGroup::", stringify!($group), "`].")]
                pub static $algorithms: &[Entry] = &[$($entry,)+ $($printed,)*];
            )+
        }
    };
}

table! {
    AlienThreads, ALIEN_THREADS: alien::ENTRY, mueller::ENTRY, raymond::ENTRY; printed::alien::ENTRY;
    LectureNotes, LECTURE_NOTES: central_server::ENTRY, ricart_agrawala::ENTRY, lamport::ENTRY, token_ring::ENTRY;
        printed::central_server::ENTRY, ricart_agrawala::PRINTED, printed::token_ring::ENTRY;
    Hierarchical, HIERARCHICAL:
        naimi_trehel::ENTRY, naimi_trehel::PROXY, preempt_aggregation::PREEMPT, preempt_aggregation::ENTRY;
        printed::naimi_trehel::ENTRY, printed::naimi_trehel::PROXY, printed::hierarchical::PREEMPT, printed::hierarchical::ENTRY;
    RangedLocks, RANGED_LOCKS: async_naimi_trehel::ENTRY, swq::ENTRY, swq::PATH_REVERSAL, central_range::ENTRY;
        printed::async_naimi_trehel::ENTRY, printed::ranged_locks::ENTRY;
    WaitFree, WAIT_FREE: wdme::ENTRY, polling::ENTRY; printed::wdme::ENTRY;
    Beyond, BEYOND: suzuki_kasami::ENTRY, maekawa::ENTRY, carvalho_roucairol::ENTRY, neilsen_mizuno::ENTRY;;
}

/// The algorithm that the page opens with, apart from the table, so that a program that uses only
/// this one links only this one.
pub static ALIEN: Entry = at_hand(alien::ENTRY);

/// An entry of the table: with its engine, unless engines are loaded separately.
const fn at_hand(entry: Entry) -> Entry {
    if cfg!(feature = "engines") { entry } else { entry.with(None) }
}

/// The paper of an algorithm and its index there, or an error that lists all ids.
pub fn seat(id: &str) -> Result<(PaperGroup, usize), String> {
    let number = number(id)?;
    let group = KNOWN[number].group;
    Ok((group, KNOWN[..number].iter().filter(|before| before.group == group).count()))
}

/// The algorithm with this id, or an error that lists all ids.
pub fn find(id: &str) -> Result<&'static Entry, String> {
    number(id).map(|number| &ALL[number])
}

fn number(id: &str) -> Result<usize, String> {
    KNOWN.iter().position(|info| info.id == id).ok_or_else(|| {
        let ids: Vec<&str> = KNOWN.iter().map(|info| info.id).collect();
        format!(
            "There is no algorithm `{}`; there are {}.",
            id.escape_default().take(60).collect::<String>(),
            ids.join(", ")
        )
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_algorithm_is_found_with_its_text() {
        for (entry, info) in ALL.iter().zip(KNOWN) {
            let (group, number) = seat(entry.id).unwrap();
            let algorithms = match group {
                PaperGroup::AlienThreads => papers::ALIEN_THREADS,
                PaperGroup::LectureNotes => papers::LECTURE_NOTES,
                PaperGroup::Hierarchical => papers::HIERARCHICAL,
                PaperGroup::RangedLocks => papers::RANGED_LOCKS,
                PaperGroup::WaitFree => papers::WAIT_FREE,
                PaperGroup::Beyond => papers::BEYOND,
            };
            assert_eq!((algorithms[number].id, info.id, info.printed), (entry.id, entry.id, entry.printed));
            assert!(algorithms[number].drive.engine.is_some());
            assert_eq!(entry.drive.engine.is_some(), cfg!(feature = "engines"));
        }
        assert_eq!(ALL.len(), KNOWN.len());
        assert!(seat("nobody").unwrap_err().starts_with("There is no algorithm `nobody`; there are alien, mueller"));
    }
}
