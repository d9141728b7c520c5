//! Spans on an axis, and the ones that meet a window.

/// Spans sorted by their beginning, with a tree of the latest ends.
#[derive(Clone, Debug, Default)]
pub struct SpanIndex {
    /// Beginning, end, and the number of the span, by beginning.
    spans: Vec<(f64, f64, u32)>,
    /// The latest end of each block of spans; the root is at 1, the children of `i` at `2 i`.
    latest: Vec<f64>,
    leaves: usize,
    /// The ends, sorted.
    ends: Vec<f64>,
}

/// Spans in one leaf of the tree.
const BLOCK: usize = 16;

impl SpanIndex {
    /// The index of spans: a number, the beginning, and the end, which is not before it.
    pub fn of(spans: impl Iterator<Item = (u32, f64, f64)>) -> SpanIndex {
        let mut spans: Vec<(f64, f64, u32)> = spans.map(|(at, a, b)| (a, b, at)).collect();
        spans.sort_by(|a, b| a.0.total_cmp(&b.0));
        let mut ends: Vec<f64> = spans.iter().map(|(_, end, _)| *end).collect();
        ends.sort_by(f64::total_cmp);
        let leaves = spans.len().div_ceil(BLOCK).next_power_of_two().max(1);
        let mut latest = vec![f64::NEG_INFINITY; 2 * leaves];
        for (at, (_, end, _)) in spans.iter().enumerate() {
            let leaf = &mut latest[leaves + at / BLOCK];
            *leaf = leaf.max(*end);
        }
        for at in (1..leaves).rev() {
            latest[at] = latest[2 * at].max(latest[2 * at + 1]);
        }
        SpanIndex { spans, latest, leaves, ends }
    }

    /// How many spans meet a window.
    pub fn count(&self, from: f64, to: f64) -> usize {
        let begun = self.spans.partition_point(|(start, ..)| *start <= to);
        begun.saturating_sub(self.ends.partition_point(|end| *end < from))
    }

    /// Visits the spans that meet a window, by their beginning, until the visitor has enough and
    /// returns false. The spans that were looked at are counted.
    pub fn meet(&self, from: f64, to: f64, visit: &mut dyn FnMut(usize) -> bool) -> usize {
        let mut looked = 0;
        // nodes of the tree that remain, the first one last
        let mut left = vec![1];
        while let Some(at) = left.pop() {
            if self.latest[at] < from {
                continue;
            }
            if at < self.leaves {
                left.extend([2 * at + 1, 2 * at]);
                continue;
            }
            let begin = (at - self.leaves) * BLOCK;
            for (start, end, number) in self.spans.iter().skip(begin).take(BLOCK) {
                looked += 1;
                if *start > to {
                    return looked;
                }
                if *end >= from && !visit(*number as usize) {
                    return looked;
                }
            }
        }
        looked
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_window_meets_exactly_the_spans_that_reach_into_it() {
        let spans: Vec<(f64, f64)> = (0..5_000u32)
            .map(|at| {
                let start = f64::from(at * 7_919 % 10_000);
                (start, start + f64::from(at * 31 % 97))
            })
            .chain([(0.0, 10_000.0)])
            .collect();
        let index = SpanIndex::of(spans.iter().enumerate().map(|(at, (a, b))| (at as u32, *a, *b)));
        for from in [-10.0, 0.0, 500.0, 9_999.0, 20_000.0] {
            let to = from + 40.0;
            let mut found = Vec::new();
            let looked = index.meet(from, to, &mut |at| {
                found.push(at);
                true
            });
            found.sort_unstable();
            let meets = |(_, (start, end)): &(usize, &(f64, f64))| *end >= from && *start <= to;
            let wanted: Vec<usize> = spans.iter().enumerate().filter(meets).map(|(at, _)| at).collect();
            assert_eq!(index.count(from, to), wanted.len());
            assert_eq!(found, wanted);
            assert!(looked < 500, "{looked} of 5,001 spans were looked at");
        }
        let mut count = 0;
        index.meet(0.0, 10_000.0, &mut |_| {
            count += 1;
            count < 10
        });
        assert_eq!(count, 10);
    }
}
