//! Identifiers of nodes, user threads and cells, and virtual time.

use serde::{Deserialize, Serialize};
use std::fmt;

/// A node (processor, site, process) of the system, counted from 0.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, Default)]
#[serde(transparent)]
pub struct NodeId(pub u32);

impl NodeId {
    /// The position of this node in any list of nodes.
    #[inline]
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

impl fmt::Debug for NodeId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "#{}", self.0)
    }
}

/// A user thread, counted from 0 over the whole system: node *i* starts with the threads `i·T … i·T
/// + T−1`.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, Default)]
#[serde(transparent)]
pub struct ThreadId(pub u32);

impl ThreadId {
    /// The position of this thread in any list of threads.
    #[inline]
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

impl fmt::Debug for ThreadId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "u{}", self.0)
    }
}

/// A range of cells of the resource, `lo` included and `hi` not. The resource of most algorithms is
/// one indivisible cell.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Cells {
    /// The first cell.
    pub lo: u16,
    /// The cell after the last.
    pub hi: u16,
}

impl Cells {
    /// The whole resource, whatever its size.
    pub const WHOLE: Cells = Cells { lo: 0, hi: u16::MAX };

    /// Whether two ranges have a cell in common.
    pub fn overlaps(self, other: Cells) -> bool {
        self.lo < other.hi && other.lo < self.hi
    }

    /// How many cells.
    pub fn len(self) -> u16 {
        self.hi - self.lo
    }

    /// Whether there are none.
    pub fn is_empty(self) -> bool {
        self.lo >= self.hi
    }
}

impl fmt::Display for Cells {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "[{},{})", self.lo, self.hi)
    }
}

impl fmt::Debug for Cells {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{self}")
    }
}

/// Virtual time in whole ticks: integers add and compare alike on every machine.
pub type Time = u64;

/// Ticks in one time unit of the papers.
pub const TICKS_PER_UNIT: u64 = 1_000_000_000;

/// Ticks as time units, for people.
pub fn units(ticks: Time) -> f64 {
    ticks as f64 / TICKS_PER_UNIT as f64
}

/// Time units as ticks, rounded; negative and undefined values are 0 (inputs are validated
/// earlier).
pub fn ticks(units: f64) -> Time {
    if units > 0.0 { libm::round(units * TICKS_PER_UNIT as f64) as u64 } else { 0 }
}
