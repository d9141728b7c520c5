//! `problems`: a long list of problems, of which a reader sees the first.

use std::fmt;

/// So many problems are shown; nobody mends more at once.
pub const MOST_SHOWN: usize = 12;

/// The problems that are shown, and how many are not.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Problems<'a, T> {
    /// The first ones, or all.
    pub shown: &'a [T],
    /// How many follow.
    pub more: usize,
}

/// The first problems of a list; all of them if the reader wants to see them all.
pub fn problems<T>(list: &[T], all: bool) -> Problems<'_, T> {
    let shown = if all { list.len() } else { list.len().min(MOST_SHOWN) };
    Problems { shown: &list[..shown], more: list.len() - shown }
}

impl<T> Problems<'_, T> {
    /// What stands after the last one that is shown: `and 388 more`; nothing after the last of all.
    pub fn rest(&self) -> Option<String> {
        (self.more > 0).then(|| format!("and {} more", self.more))
    }
}

impl<T: fmt::Display> Problems<'_, T> {
    /// The lines of the list: the problems, then how many there are beside them.
    pub fn lines(&self) -> Vec<String> {
        self.shown.iter().map(T::to_string).chain(self.rest()).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn twelve_problems_are_shown_and_the_others_counted() {
        let list: Vec<usize> = (1..=400).collect();
        let lines = problems(&list, false).lines();
        assert_eq!((lines.len(), lines[11].as_str(), lines[12].as_str()), (13, "12", "and 388 more"));
        assert_eq!(problems(&list, true).lines().len(), 400);
        assert_eq!(problems(&list[..12], false).lines().last().unwrap(), "12");
        assert_eq!(problems(&list[..13], false).rest().unwrap(), "and 1 more");
        assert_eq!(problems(&list[..0], false).lines(), [""; 0]);
    }
}
