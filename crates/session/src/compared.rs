//! The tables of a comparison: what both runs counted, and every entry with the difference in
//! waiting.

use crate::pair::{PairPace, PairSide, RunPair, SectionVisit};
use lockstep_kernel::Time;
use lockstep_kernel::ids::units;
use lockstep_kernel::view::ThreadState;
use lockstep_scene::explain::words;

/// The most entries that are listed.
const MOST_ENTRIES: usize = 40;

/// A number on both sides.
#[derive(Clone, PartialEq, Debug)]
pub struct ComparedCounter {
    /// Its name.
    pub name: &'static str,
    /// What it counts.
    pub about: &'static str,
    /// Left and right.
    pub values: [String; 2],
    /// Right minus left; `=` where both are equal.
    pub difference: String,
}

impl ComparedCounter {
    /// Whether both sides differ.
    pub fn differs(&self) -> bool {
        self.difference != "="
    }
}

/// One critical section on both sides.
#[derive(Clone, PartialEq, Debug)]
pub struct ComparedEntry {
    /// The thread, and which of its sections, from the second on.
    pub name: String,
    /// Left and right.
    pub sides: [EntryCell; 2],
    /// How much longer it waits on the right.
    pub difference: String,
    /// Whether both sides differ.
    pub differs: bool,
}

/// One critical section on one side.
#[derive(Clone, PartialEq, Debug)]
pub struct EntryCell {
    /// Its place in the order of entering, as `2.`; empty where there is no such entry.
    pub order: String,
    /// When it entered.
    pub entered: String,
    /// Whether it has entered by now.
    pub done: bool,
}

impl RunPair {
    /// The most important counters of a side, each with its name and whether the other differs.
    pub fn headline(&self, side: usize) -> [(u64, &'static str, bool); 3] {
        let numbers = |side: usize| {
            let frame = self.frame(side);
            let waiting = words::threads_in(frame, ThreadState::Waiting).len() as u64;
            [frame.counters.messages, frame.counters.entries, waiting]
        };
        let (mine, other) = (numbers(side), numbers(1 - side));
        let names = [("message", "messages"), ("entry", "entries"), ("waiting", "waiting")];
        std::array::from_fn(|i| {
            let name = if mine[i] == 1 { names[i].0 } else { names[i].1 };
            (mine[i], name, mine[i] != other[i])
        })
    }

    /// Where both runs are.
    pub fn position(&self) -> String {
        match self.pace {
            PairPace::Time => format!("time {}", words::time(self.now(0))),
            PairPace::Steps => format!("step {} of {}", self.place, self.end()),
        }
    }

    /// The position to which a key leads; none if it leads to none.
    pub fn after_key(&self, key: &str) -> Option<usize> {
        match key {
            "ArrowRight" | " " => Some((self.place + 1).min(self.end())),
            "ArrowLeft" => Some(self.place.saturating_sub(1)),
            "Home" => Some(0),
            "End" => Some(self.end()),
            _ => None,
        }
    }

    /// The counters of both sides.
    pub fn counters(&self) -> Vec<ComparedCounter> {
        let both = |f: &dyn Fn(usize) -> f64| [0, 1].map(f);
        let frame = |s: usize| self.frame(s);
        let messages = both(&|s| frame(s).counters.messages as f64);
        let entries = both(&|s| frame(s).counters.entries as f64);
        let each = both(&|s| if entries[s] > 0.0 { messages[s] / entries[s] } else { 0.0 });
        let in_flight = both(&|s| frame(s).flights.iter().filter(|f| f.from != f.to).count() as f64);
        let waiting = both(&|s| words::threads_in(frame(s), ThreadState::Waiting).len() as f64);
        let waited = both(&|s| units(self.sides[s].waited(self.index(s), self.now(s))));
        let longest = both(&|s| units(frame(s).counters.longest_wait));
        [
            ("Messages", "sent so far", messages, 0),
            ("In flight", "messages sent and not yet delivered", in_flight, 0),
            ("Entries", "critical sections entered", entries, 0),
            ("Messages per entry", "so far", each, 2),
            ("Waiting", "threads waiting now", waiting, 0),
            ("Total wait", "total waiting time of all threads", waited, 2),
            ("Longest wait", "of the waits that have ended", longest, 2),
            ("Steps", "events so far", both(&|s| frame(s).step as f64), 0),
            ("Time", "virtual", both(&|s| units(self.now(s))), 2),
        ]
        .map(|(name, about, values, digits)| counter(name, about, values, digits))
        .into()
    }

    /// The entries of both sides, in the order of the left one.
    pub fn entries(&self) -> Vec<ComparedEntry> {
        let both = self.sides.each_ref().map(PairSide::visits);
        let same = |a: &SectionVisit, b: &SectionVisit| (&a.thread, a.number) == (&b.thread, b.number);
        let find = |side: usize, visit: &SectionVisit| both[side].iter().position(|other| same(other, visit));
        let cell = |side: usize, visit: &SectionVisit| {
            let Some(order) = find(side, visit) else {
                return EntryCell { order: String::new(), entered: "no such entry".into(), done: false };
            };
            let (entered, now) = (both[side][order].entered, self.now(side));
            // by time the clock may stand before the step that enters at this instant
            let done = entered <= now && self.frame(side).now >= entered;
            EntryCell { order: format!("{}.", order + 1), entered: words::time(entered), done }
        };
        let only_right = both[1].iter().filter(|visit| find(0, visit).is_none());
        let entry = |visit: &SectionVisit| {
            let wait = |side: usize| find(side, visit).map(|i| both[side][i].entered - both[side][i].requested);
            let difference = match (wait(0), wait(1)) {
                (Some(left), Some(right)) => longer(left, right),
                _ => "–".into(),
            };
            let number = if visit.number > 1 { format!(" ({})", visit.number) } else { String::new() };
            ComparedEntry {
                name: format!("{}{number}", visit.thread),
                sides: [cell(0, visit), cell(1, visit)],
                differs: difference != "=",
                difference,
            }
        };
        both[0].iter().chain(only_right).take(MOST_ENTRIES).map(entry).collect()
    }
}

fn counter(name: &'static str, about: &'static str, values: [f64; 2], digits: usize) -> ComparedCounter {
    let difference = values[1] - values[0];
    let sign = if difference > 0.0 { "+" } else { "−" };
    let difference = match difference.abs() {
        small if small <= 1e-9 => "=".into(),
        size => format!("{sign}{size:.digits$}"),
    };
    ComparedCounter { name, about, values: values.map(|value| format!("{value:.digits$}")), difference }
}

/// How much longer the right one is.
fn longer(left: Time, right: Time) -> String {
    match right.cmp(&left) {
        std::cmp::Ordering::Equal => "=".into(),
        std::cmp::Ordering::Greater => format!("+{}", words::time(right - left)),
        std::cmp::Ordering::Less => format!("−{}", words::time(left - right)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counters_and_entries_say_what_differs() {
        let mut pair = RunPair::open("raymond+ricart-agrawala", PairPace::Steps).unwrap();
        let of = |pair: &RunPair, name: &str| pair.counters().into_iter().find(|c| c.name == name).unwrap();
        assert!(pair.counters().iter().all(|counter| !counter.differs()), "nothing has happened");
        assert!(pair.entries().iter().all(|entry| entry.sides.iter().all(|side| !side.done)));
        pair.go(usize::MAX);
        let (entries, messages) = (of(&pair, "Entries"), of(&pair, "Messages"));
        assert_eq!((entries.values, entries.difference.as_str()), (["4".into(), "4".into()], "="));
        let [left, right] = [0, 1].map(|side| pair.frame(side).counters.messages);
        assert_eq!(messages.difference, format!("+{}", right - left));
        assert_eq!(pair.headline(0)[0], (left, "messages", true));
        assert_eq!(pair.headline(0)[1], (4, "entries", false));
        let listed = pair.entries();
        assert_eq!(listed.len(), 4);
        assert!(listed.iter().all(|entry| entry.sides.iter().all(|side| side.done && side.order.ends_with('.'))));
        let orders: Vec<&str> = listed.iter().map(|entry| entry.sides[0].order.as_str()).collect();
        assert_eq!(orders, ["1.", "2.", "3.", "4."]);
    }

    #[test]
    fn an_entry_of_one_side_alone_differs() {
        let pair = RunPair::open("alien-figure-1+raymond-tree", PairPace::Steps).unwrap();
        let entries = pair.entries();
        let alone: Vec<_> = entries.iter().filter(|e| e.sides.iter().any(|side| side.order.is_empty())).collect();
        assert!(!alone.is_empty() && alone.iter().all(|e| e.differs && e.difference == "–"));
    }

    #[test]
    fn differences_have_a_sign() {
        assert_eq!(counter("a", "", [1.0, 3.0], 0).difference, "+2");
        assert_eq!(counter("a", "", [3.0, 0.5], 2).difference, "−2.50");
        assert_eq!(counter("a", "", [3.0, 3.0], 2).difference, "=");
        assert!(longer(2, 1).starts_with('−') && longer(1, 2).starts_with('+') && longer(1, 1) == "=");
    }

    #[test]
    fn keys_lead_to_positions() {
        let mut pair = RunPair::open("", PairPace::Steps).unwrap();
        assert_eq!(
            ["ArrowRight", "ArrowLeft", "Home", "p"].map(|key| pair.after_key(key)),
            [Some(1), Some(0), Some(0), None]
        );
        pair.go(pair.after_key("End").unwrap());
        assert_eq!(pair.after_key("ArrowRight"), Some(pair.end()));
        assert_eq!(pair.position(), format!("step {0} of {0}", pair.end()));
    }
}
