//! The measures of a run, kept in constant memory.

use super::bypass::Bypass;
use super::engine::End;
use super::observer::Observer;
use super::{Paths, RunMeasures};
use crate::ids::units;
use crate::{Message, MessageKind, NodeId, Setup, ThreadId, Time};
use serde::{Deserialize, Serialize};

/// Batches of one run: enough for an interval, few enough to be independent.
const BATCHES: u64 = 32;

/// A consecutive part of a run.
#[derive(Clone, Copy, PartialEq, Debug, Default, Serialize, Deserialize)]
pub struct Batch {
    /// Entries in it.
    pub entries: u64,
    /// Messages sent in it.
    pub messages: u64,
    /// Waiting of its entries, in time units.
    pub waiting: f64,
}

/// Waiting times in time units.
#[derive(Clone, Copy, PartialEq, Debug, Default, Serialize, Deserialize)]
pub struct Waiting {
    /// Mean.
    pub mean: f64,
    /// Standard deviation.
    pub sd: f64,
    /// Median.
    pub p50: f64,
    /// 95 in 100 wait at most this long.
    pub p95: f64,
    /// 99 in 100 wait at most this long.
    pub p99: f64,
    /// The longest.
    pub max: f64,
}

/// Counts messages, entries, waiting and paths.
pub struct RunTally {
    entries: u64,
    messages: Vec<u64>,
    global: u64,
    quiet: u64,
    paths: Paths,
    per_node: Vec<u64>,
    waits: Histogram,
    batch_size: u64,
    batch: Batch,
    batch_waiting: Time,
    batches: Vec<Batch>,
    refused: u64,
    violations: u64,
    bypass: Option<Bypass>,
}

impl RunTally {
    /// For a run of that many entries, watching who overtakes whom or not.
    pub fn new(setup: &Setup, kinds: usize, entries: u64, bypass: Option<Bypass>) -> Self {
        RunTally {
            entries: 0,
            messages: vec![0; kinds],
            global: 0,
            quiet: 0,
            paths: Paths::default(),
            per_node: vec![0; setup.nodes()],
            waits: Histogram::new(),
            batch_size: (entries / BATCHES).max(1),
            batch: Batch::default(),
            batch_waiting: 0,
            batches: Vec::with_capacity(BATCHES as usize + 1),
            refused: 0,
            violations: 0,
            bypass,
        }
    }

    /// The measures at the end of the run.
    pub fn finish(self, kinds: &[MessageKind], end: End) -> RunMeasures {
        let all: u64 = self.messages.iter().sum();
        RunMeasures {
            entries: self.entries,
            messages_by_kind: kinds.iter().zip(&self.messages).map(|(k, n)| (k.name.to_owned(), *n)).collect(),
            local_messages: all - self.global,
            global_messages: self.global,
            waiting: self.waits.summary(),
            paths: self.paths,
            entries_without_message: self.quiet,
            bypass_max: self.bypass.map(|b| b.most()),
            events: end.events,
            virtual_time: units(end.measured),
            entries_per_node: self.per_node,
            batches: self.batches,
            refused: self.refused,
            violations: self.violations,
        }
    }
}

impl<M: Message> Observer<M> for RunTally {
    fn warm(&mut self, _: Time) {
        // violations count during the warm-up too
        self.entries = 0;
        self.messages.fill(0);
        self.global = 0;
        self.quiet = 0;
        self.paths = Paths::default();
        self.per_node.fill(0);
        self.waits = Histogram::new();
        self.batch = Batch::default();
        self.batch_waiting = 0;
        self.batches.clear();
        self.refused = 0;
        if let Some(bypass) = &mut self.bypass {
            bypass.warm();
        }
    }

    #[inline]
    fn requested(&mut self, _: Time, _: NodeId, thread: ThreadId, quiet: bool) {
        self.quiet += u64::from(quiet);
        if let Some(bypass) = &mut self.bypass {
            bypass.requested(thread);
        }
    }

    #[inline(always)]
    fn granted(&mut self, _: Time, node: NodeId, thread: ThreadId, waited: Time) {
        if let Some(bypass) = &mut self.bypass {
            bypass.granted(thread);
        }
        self.entries += 1;
        self.per_node[node.index()] += 1;
        self.waits.add(waited);
        self.batch.entries += 1;
        self.batch_waiting += waited;
        if self.batch.entries == self.batch_size {
            self.batch.waiting = units(std::mem::take(&mut self.batch_waiting));
            self.batches.push(std::mem::take(&mut self.batch));
        }
    }

    #[inline]
    fn sent(&mut self, _: Time, _: NodeId, _: NodeId, msg: &M, near: bool) {
        self.messages[msg.kind()] += 1;
        self.global += u64::from(!near);
        self.batch.messages += 1;
    }

    #[inline]
    fn arrived(&mut self, hops: u32) {
        self.paths.count += 1;
        self.paths.total += u64::from(hops);
        self.paths.max = self.paths.max.max(hops);
    }

    fn refused(&mut self, _: Time, _: NodeId, thread: ThreadId) {
        self.refused += 1;
        if let Some(bypass) = &mut self.bypass {
            bypass.refused(thread);
        }
    }

    fn violated(&mut self, _: Time) {
        self.violations += 1;
    }
}

/// Sub-buckets of each power of two: quantiles are exact to 1 part in 128.
const FINE_BITS: u32 = 7;

/// Waiting times by logarithmic buckets, with exact mean, deviation and maximum.
struct Histogram {
    buckets: Vec<u32>,
    count: u64,
    sum: u128,
    squares: f64,
    max: Time,
}

impl Histogram {
    fn new() -> Self {
        let buckets = vec![0; ((64 - FINE_BITS as usize) + 1) << FINE_BITS];
        Histogram { buckets, count: 0, sum: 0, squares: 0.0, max: 0 }
    }

    #[inline]
    fn bucket(value: Time) -> usize {
        let shift = (64 - value.leading_zeros()).saturating_sub(FINE_BITS + 1);
        ((shift as usize) << FINE_BITS) + (value >> shift) as usize
    }

    /// The middle of a bucket.
    fn value(bucket: usize) -> Time {
        let fine = 1 << FINE_BITS;
        if bucket < 2 * fine {
            return bucket as Time;
        }
        let shift = bucket / fine - 1;
        let low = (bucket - shift * fine) as Time;
        (low << shift) + (1 << shift) / 2
    }

    #[inline]
    fn add(&mut self, value: Time) {
        self.buckets[Self::bucket(value)] += 1;
        self.count += 1;
        self.sum += u128::from(value);
        self.squares += value as f64 * value as f64;
        self.max = self.max.max(value);
    }

    fn quantile(&self, q: f64) -> f64 {
        let rank = (libm::ceil(q * self.count as f64) as u64).max(1);
        let mut seen = 0;
        for (bucket, count) in self.buckets.iter().enumerate() {
            seen += u64::from(*count);
            if seen >= rank {
                return units(Self::value(bucket).min(self.max));
            }
        }
        0.0
    }

    fn summary(&self) -> Waiting {
        if self.count == 0 {
            return Waiting::default();
        }
        let n = self.count as f64;
        let mean = self.sum as f64 / n;
        let variance = if self.count > 1 { (self.squares - n * mean * mean).max(0.0) / (n - 1.0) } else { 0.0 };
        let unit = crate::TICKS_PER_UNIT as f64;
        Waiting {
            mean: mean / unit,
            sd: libm::sqrt(variance) / unit,
            p50: self.quantile(0.5),
            p95: self.quantile(0.95),
            p99: self.quantile(0.99),
            max: units(self.max),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn buckets_are_monotone_and_near_their_values() {
        let mut last = 0;
        for value in (0..2000).chain((11..63).flat_map(|p| [(1 << p) - 1, 1 << p, (1 << p) + (1 << (p - 3))])) {
            let bucket = Histogram::bucket(value);
            assert!(bucket >= last, "{value}");
            last = bucket;
            let middle = Histogram::value(bucket) as f64;
            assert!((middle - value as f64).abs() <= value as f64 / 128.0, "{value} is shown as {middle}");
        }
    }

    #[test]
    fn quantiles_of_a_known_list() {
        let mut h = Histogram::new();
        for i in 1..=1000u64 {
            h.add(i * crate::TICKS_PER_UNIT);
        }
        let s = h.summary();
        assert!((s.mean - 500.5).abs() < 1e-9 && (s.sd - 288.819).abs() < 1e-3 && s.max == 1000.0, "{s:?}");
        assert!((s.p50 - 500.0).abs() < 4.0 && (s.p99 - 990.0).abs() < 8.0, "{s:?}");
    }
}
