//! Sorting that is compiled once, for the size of the download (docs/download-size.md).
//!
//! The standard library's sorts are compiled for every type and order: four to five kilobytes each,
//! and the page had twenty-seven of them. Here positions are sorted; only the comparison and the
//! exchange of two elements are compiled for a type. This is for short lists that the page shows.
//! Batch runs and explorations must be fast and use the standard library.

use std::cmp::Ordering;

/// The positions `0..count` in an order; equal ones keep their order.
pub fn positions(count: usize, order: &dyn Fn(usize, usize) -> Ordering) -> Vec<usize> {
    let mut sorted: Vec<usize> = (0..count).collect();
    sorted.sort_by(|a, b| order(*a, *b));
    sorted
}

/// Sorts a list; equal elements keep their order.
pub fn by<T>(list: &mut [T], order: impl Fn(&T, &T) -> Ordering) {
    let from = positions(list.len(), &|a, b| order(&list[a], &list[b]));
    arrange(from, &mut |a, b| list.swap(a, b));
}

/// Sorts a list by a key; equal elements keep their order.
pub fn by_key<T, K: Ord>(list: &mut [T], key: impl Fn(&T) -> K) {
    by(list, |a, b| key(a).cmp(&key(b)));
}

/// Moves to each place the element at the given position, by exchanges along the cycles.
fn arrange(mut from: Vec<usize>, swap: &mut dyn FnMut(usize, usize)) {
    for start in 0..from.len() {
        let mut place = start;
        while from[place] != start {
            let next = from[place];
            swap(place, next);
            from[place] = place;
            place = next;
        }
        from[place] = place;
    }
}

#[cfg(test)]
mod tests {
    use crate::random::{Purpose, Stream};

    #[test]
    fn sorts_as_the_standard_library_does() {
        for length in [0, 1, 2, 3, 7, 20, 100, 1000] {
            let mut random = Stream::new(length, Purpose::Delay, 0);
            let list: Vec<(u32, usize)> = (0..length as usize).map(|i| (random.below(37), i)).collect();
            let (mut ours, mut theirs) = (list.clone(), list);
            super::by_key(&mut ours, |(number, _)| *number);
            theirs.sort_by_key(|(number, _)| *number);
            assert_eq!(ours, theirs);
        }
    }
}
