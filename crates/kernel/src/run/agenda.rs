//! The agenda of due events: a 4-ary heap of 16-byte keys.
//!
//! A key is one 128-bit integer: time above, then the rank that breaks ties, then what the event
//! is. Comparing two of them takes no branch, and four children share a cache line. The engine
//! keeps two of these: one for arrivals, which lie far ahead, and one for everything near; most
//! pushes and pops then touch a heap of a few dozen keys.

use crate::Time;

/// Bits of a key that name the event.
const WHAT_BITS: u32 = 24;
/// How many different events can be named.
pub const MOST_WHATS: u32 = 1 << WHAT_BITS;

/// A heap of due times.
pub struct Agenda {
    heap: Vec<u128>,
}

/// A time, a rank and an event in one integer.
#[inline]
pub fn key(time: Time, rank: u64, what: u32) -> u128 {
    u128::from(time) << 64 | u128::from(rank << WHAT_BITS | u64::from(what))
}

/// The time of a key.
#[inline]
pub fn time(key: u128) -> Time {
    (key >> 64) as Time
}

/// The event of a key.
#[inline]
pub fn what(key: u128) -> u32 {
    key as u32 & (MOST_WHATS - 1)
}

/// Later than everything.
pub const NEVER: u128 = u128::MAX;

impl Agenda {
    pub fn with_capacity(capacity: usize) -> Self {
        Agenda { heap: Vec::with_capacity(capacity) }
    }

    /// The earliest key, or [`NEVER`].
    #[inline]
    pub fn first(&self) -> u128 {
        self.heap.first().copied().unwrap_or(NEVER)
    }

    #[inline]
    pub fn push(&mut self, key: u128) {
        let mut at = self.heap.len();
        self.heap.push(key);
        let heap = self.heap.as_mut_slice();
        while at > 0 {
            let parent = (at - 1) / 4;
            if heap[parent] <= key {
                break;
            }
            heap[at] = heap[parent];
            at = parent;
        }
        heap[at] = key;
    }

    /// Removes the earliest key.
    #[inline]
    pub fn pop(&mut self) {
        if let Some(last) = self.heap.pop()
            && !self.heap.is_empty()
        {
            self.sink(last);
        }
    }

    /// Removes the earliest key and adds another: cheaper than one after the other.
    #[inline]
    pub fn replace_first(&mut self, key: u128) {
        self.sink(key);
    }

    #[inline]
    fn sink(&mut self, key: u128) {
        let heap = self.heap.as_mut_slice();
        let mut at = 0;
        loop {
            let child = 4 * at + 1;
            let (mut least, mut place) = (key, at);
            if let Some(children) = heap.get(child..child + 4) {
                for (i, other) in children.iter().enumerate() {
                    (least, place) = if *other < least { (*other, child + i) } else { (least, place) };
                }
            } else {
                for (i, other) in heap.iter().enumerate().skip(child) {
                    (least, place) = if *other < least { (*other, i) } else { (least, place) };
                }
            }
            if place == at {
                break;
            }
            heap[at] = least;
            at = place;
        }
        heap[at] = key;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_come_out_in_order() {
        let mut agenda = Agenda::with_capacity(0);
        let mut x = 1u64;
        let mut keys: Vec<u128> = (0..1000)
            .map(|i| {
                x = x.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
                key(x >> 54, i, i as u32)
            })
            .collect();
        for k in &keys {
            agenda.push(*k);
        }
        keys.sort_unstable();
        for (i, k) in keys.iter().enumerate() {
            assert_eq!(agenda.first(), *k, "at {i}");
            agenda.pop();
        }
        assert_eq!(agenda.first(), NEVER);
    }
}
