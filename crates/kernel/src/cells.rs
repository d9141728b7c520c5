//! A value for each cell of a divided resource, and what must be true of every cell.

use crate::setup::Setup;
use crate::{Algorithm, Cells, Invariant, NodeId};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// A value for each cell, kept as maximal runs of equal values: ranges split and merge by
/// themselves, and equal contents are equal data.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Runs<T> {
    /// The cell after the last of each run, ascending, and the run's value.
    runs: Vec<(u16, T)>,
}

impl<T> Default for Runs<T> {
    fn default() -> Self {
        Runs { runs: Vec::new() }
    }
}

impl<T: Copy + Eq> Runs<T> {
    /// Cells with one value.
    pub fn filled(cells: u16, value: T) -> Self {
        Runs { runs: vec![(cells, value)] }
    }

    /// What a node knows at the beginning about each cell: `known` tells it of the node that holds
    /// the cell and of whether the setup says so. Where it does not, the holder is the same.
    pub fn at_start(setup: &Setup, known: impl Fn(NodeId, bool) -> T) -> Self {
        let cells = setup.cells.max(1);
        let placed = setup.placement.len().min(cells.into());
        let mut start = Runs::of(setup.placement[..placed].iter().map(|holder| known(*holder, true)));
        if placed < cells.into() {
            push(&mut start.runs, cells, known(setup.holder(placed as u16), false));
        }
        start
    }

    /// Another value for each value.
    pub fn map<U: Eq>(&self, change: impl Fn(T) -> U) -> Runs<U> {
        let mut runs = Vec::with_capacity(self.runs.len());
        self.runs.iter().for_each(|(end, value)| push(&mut runs, *end, change(*value)));
        Runs { runs }
    }

    /// One value after the other.
    pub fn of(values: impl IntoIterator<Item = T>) -> Self {
        let mut runs = Vec::new();
        for (cell, value) in values.into_iter().enumerate() {
            push(&mut runs, cell as u16 + 1, value);
        }
        Runs { runs }
    }

    /// How many cells.
    pub fn cells(&self) -> u16 {
        self.runs.last().map_or(0, |(end, _)| *end)
    }

    /// The value of a cell, of the last one beyond the end.
    ///
    /// # Panics
    ///
    /// Where there are no cells at all.
    pub fn get(&self, cell: u16) -> T {
        self.runs[self.position(cell).min(self.runs.len() - 1)].1
    }

    /// Every run, in order.
    pub fn iter(&self) -> impl Iterator<Item = (Cells, T)> + '_ {
        self.within(Cells::WHOLE)
    }

    /// Every run within a range, cut at its borders.
    pub fn within(&self, range: Cells) -> impl Iterator<Item = (Cells, T)> + '_ {
        let first = self.position(range.lo);
        let mut lo = range.lo;
        self.runs[first.min(self.runs.len())..].iter().map_while(move |(end, value)| {
            let run = Cells { lo, hi: (*end).min(range.hi) };
            lo = run.hi;
            (!run.is_empty()).then_some((run, *value))
        })
    }

    /// Shows a visitor the cells of which something holds.
    pub fn visit(&self, holds: impl Fn(T) -> bool, see: &mut dyn FnMut(Cells)) {
        self.iter().filter(|(_, value)| holds(*value)).for_each(|(run, _)| see(run));
    }

    /// Whether something holds for every cell of a range.
    pub fn all(&self, range: Cells, holds: impl Fn(T) -> bool) -> bool {
        self.within(range).all(|(_, value)| holds(value))
    }

    /// The first cell of a range for which something does not hold, or the range's end.
    pub fn end(&self, range: Cells, holds: impl Fn(T) -> bool) -> u16 {
        self.within(range).find(|(_, value)| !holds(*value)).map_or(range.hi.min(self.cells()), |(run, _)| run.lo)
    }

    /// Changes every cell of a range.
    pub fn update(&mut self, range: Cells, change: impl Fn(&mut T)) {
        let changed = |mut value: T| {
            change(&mut value);
            value
        };
        if self.all(range, |value| changed(value) == value) {
            return;
        }
        let mut runs = Vec::with_capacity(self.runs.len() + 2);
        let mut lo = 0;
        for (hi, value) in &self.runs {
            let (from, to) = (range.lo.clamp(lo, *hi), range.hi.clamp(lo, *hi));
            if from > lo || from >= to {
                push(&mut runs, if from < to { from } else { *hi }, *value);
            }
            if from < to {
                push(&mut runs, to, changed(*value));
                if to < *hi {
                    push(&mut runs, *hi, *value);
                }
            }
            lo = *hi;
        }
        self.runs = runs;
    }

    /// The maximal ranges whose cells have the same key; cells without one are left out.
    pub fn ranges<K: Eq>(&self, key: impl Fn(T) -> Option<K>) -> Vec<(Cells, K)> {
        let mut found: Vec<(Cells, K)> = Vec::new();
        for (run, value) in self.iter() {
            let Some(k) = key(value) else { continue };
            match found.last_mut() {
                Some((last, same)) if last.hi == run.lo && *same == k => last.hi = run.hi,
                _ => found.push((run, k)),
            }
        }
        found
    }

    fn position(&self, cell: u16) -> usize {
        self.runs.partition_point(|(end, _)| *end <= cell)
    }
}

/// Written as a list with the value of each cell, whatever runs it is kept in.
impl<T: Copy + Eq + Serialize> Serialize for Runs<T> {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        to.collect_seq(self.iter().flat_map(|(run, value)| (run.lo..run.hi).map(move |_| value)))
    }
}

impl<'de, T: Copy + Eq + Deserialize<'de>> Deserialize<'de> for Runs<T> {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        Ok(Runs::of(Vec::deserialize(from)?))
    }
}

fn push<T: Eq>(runs: &mut Vec<(u16, T)>, end: u16, value: T) {
    match runs.last_mut() {
        Some((last, same)) if *same == value => *last = end,
        _ => runs.push((end, value)),
    }
}

/// Ranges as text: `[0,2) [3,4)`, or `none`.
pub fn listed(ranges: impl IntoIterator<Item = Cells>) -> String {
    let words: Vec<String> = ranges.into_iter().map(|r| r.to_string()).collect();
    if words.is_empty() { "none".into() } else { words.join(" ") }
}

/// There is exactly one of these for each cell: at the node that shows it to the visitor, or in a
/// message.
pub fn one_for_each_cell<A: Algorithm>(
    name: &'static str,
    what: &'static str,
    has: fn(&A::Node, &mut dyn FnMut(Cells)),
    carries: fn(&A::Msg) -> Option<Cells>,
) -> Invariant<A> {
    Invariant {
        name,
        check: Box::new(move |system, world| {
            let mut counts = vec![0u8; usize::from(system.setup.cells)];
            let mut add = |range: Cells| {
                for count in counts.iter_mut().take(range.hi.into()).skip(range.lo.into()) {
                    *count = count.saturating_add(1);
                }
            };
            for node in &world.nodes {
                has(node, &mut add);
            }
            world.flights.iter().filter_map(|f| carries(&f.msg)).for_each(&mut add);
            match counts.iter().enumerate().find(|(_, count)| **count != 1) {
                None => Ok(()),
                Some((cell, 0)) => Err(format!("{what} of cell {cell} is lost")),
                Some((cell, n)) => Err(format!("cell {cell} has {n} of {what}")),
            }
        }),
    }
}

/// A node that holds a lock has the tokens of all of its cells; `lacks` finds a node that does not.
pub fn held_with_its_tokens<A: Algorithm>(lacks: fn(&A::Node) -> bool) -> Invariant<A> {
    Invariant {
        name: "held with its tokens",
        check: Box::new(move |system, world| match world.nodes.iter().position(lacks) {
            None => Ok(()),
            Some(node) => Err(format!("{} holds a lock without all of its tokens", system.setup.names[node])),
        }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn runs_do_what_a_plain_list_does() {
        let mut seed = 12_345u32;
        let mut draw = |below: u32| {
            seed = seed.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            (seed >> 16) % below
        };
        let mut plain = [0u32; 12];
        let mut runs = Runs::of(plain.iter().copied());
        for _ in 0..5_000 {
            let (lo, value) = (draw(12), draw(3));
            let hi = lo + 1 + draw(12 - lo);
            let range = Cells { lo: lo as u16, hi: hi as u16 };
            runs.update(range, |v| *v = value);
            plain[lo as usize..hi as usize].fill(value);
            assert_eq!(runs, Runs::of(plain.iter().copied()), "always normal");
            let (from, to) = (draw(12), 12);
            let cut = Cells { lo: from as u16, hi: to };
            let expected = (from as usize..12).find(|i| plain[*i] != value).unwrap_or(12);
            assert_eq!(usize::from(runs.end(cut, |v| v == value)), expected);
            assert_eq!(runs.get(from as u16), plain[from as usize]);
            assert_eq!(runs.within(cut).map(|(r, _)| r.len()).sum::<u16>(), 12 - from as u16);
            assert!(runs.runs.windows(2).all(|w| w[0].1 != w[1].1 && w[0].0 < w[1].0));
        }
    }

    #[test]
    fn equal_values_merge() {
        assert_eq!(Runs::of([4, 4, 7]).map(|v| v > 0), Runs::filled(3, true));
        assert_eq!(Runs::of([4, 4, 7]).map(|v| v > 4), Runs::of([false, false, true]));
    }

    #[test]
    fn a_start_is_what_each_cell_says() {
        for (cells, placement) in [(1, vec![]), (5, vec![]), (5, vec![2, 2, 1]), (3, vec![0, 1, 2]), (2, vec![1, 0, 1])]
        {
            let mut setup = Setup::new(3, 1, crate::Topology::Star).divided(cells);
            setup.placement = placement.into_iter().map(NodeId).collect();
            let plain = (0..cells).map(|i| (setup.holder(i), usize::from(i) < setup.placement.len()));
            assert_eq!(Runs::at_start(&setup, |holder, placed| (holder, placed)), Runs::of(plain), "{setup:?}");
        }
    }

    #[test]
    fn ranges_of_one_key_merge() {
        let runs = Runs::of([1, 2, 3, 3, 0, 5]);
        let odd = runs.ranges(|v| (v != 0).then_some(v > 2));
        let range = |lo, hi| Cells { lo, hi };
        assert_eq!(odd, [(range(0, 2), false), (range(2, 4), true), (range(5, 6), true)]);
        assert_eq!(listed(odd.into_iter().map(|r| r.0)), "[0,2) [2,4) [5,6)");
    }
}
