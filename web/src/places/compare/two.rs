//! Two runs that are played in step: both are run to their end at once, and afterwards there is only a place to look at. Knows no HTML.

use crate::run::{Origin, Run};
use lockstep_algorithms::ALL;
use lockstep_kernel::view::ThreadState;
use lockstep_kernel::{Entry, Frame, Time, sort};
use std::rc::Rc;

/// A run without an end is compared as far as this.
const MOST: usize = 300;
/// What is compared where nothing was chosen: one message to a server against one to everybody.
pub const FIRST: (&str, &str) = ("central-server", "ricart-agrawala");

/// What both sides go by.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Pace {
    /// The same instant of virtual time on both sides.
    Time,
    /// The same number of steps on both sides.
    Steps,
}

/// One of the two, from its beginning to its end.
pub struct Side {
    /// What was chosen: an algorithm for the same requests, or a prepared scenario.
    pub choice: String,
    /// System, algorithm, scenario.
    pub origin: Rc<Origin>,
    /// Every state.
    pub frames: Vec<Rc<Frame>>,
    /// The waiting of all threads up to each state, added up.
    waited: Vec<Time>,
}

/// One critical section.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Visit {
    /// Whose.
    pub thread: String,
    /// Which of its sections.
    pub number: usize,
    /// When it asked.
    pub asked: Time,
    /// When it entered.
    pub entered: Time,
}

/// The algorithms that can be given the same requests.
pub fn algorithms() -> impl Iterator<Item = &'static Entry> {
    ALL.iter()
}

fn waiting(frame: &Frame) -> u64 {
    frame.nodes.iter().flat_map(|n| &n.threads).filter(|t| t.doing == ThreadState::Waiting).count() as u64
}

impl Side {
    /// Runs what was chosen: the same requests under an algorithm, or a scenario of the library.
    pub fn open(choice: &str) -> Result<Side, String> {
        let run = match ALL.iter().find(|e| e.id == choice) {
            Some(entry) => Run::of_requests(entry.id, 0)?,
            None => Run::of_library(choice, 0).map_err(|_| {
                format!(
                    "There is neither an algorithm nor a scenario “{choice}”; the lists have all that can be compared."
                )
            })?,
        };
        Ok(Side::of(choice, run))
    }

    fn of(choice: &str, mut run: Run) -> Side {
        let line = run.shown().line.len();
        run.seek_index(0);
        let mut frames = vec![Rc::new(run.frame())];
        let endless = !run.origin.is_figure();
        loop {
            let last = &frames[frames.len() - 1];
            let busy = last.nodes.iter().flat_map(|n| &n.threads).any(|t| t.doing != ThreadState::Idle);
            let wanted = frames.len() < line || (frames.len() < MOST && (busy || endless));
            if !wanted || !run.step() {
                break;
            }
            frames.push(Rc::new(run.frame()));
        }
        let mut waited = vec![0];
        for pair in frames.windows(2) {
            let passed = pair[1].now.saturating_sub(pair[0].now);
            waited.push(waited[waited.len() - 1] + waiting(&pair[0]) * passed);
        }
        Side { choice: choice.into(), origin: run.origin.clone(), frames, waited }
    }

    /// The last state at or before an instant.
    fn at_time(&self, now: Time) -> usize {
        self.frames.partition_point(|f| f.now <= now).max(1) - 1
    }

    /// Waiting of all threads until an instant at or after the state.
    pub fn waited(&self, index: usize, now: Time) -> Time {
        let frame = &self.frames[index];
        self.waited[index] + waiting(frame) * now.saturating_sub(frame.now)
    }

    /// Every critical section in the order of entering.
    pub fn visits(&self) -> Vec<Visit> {
        let mut visits: Vec<Visit> = Vec::new();
        for (i, frame) in self.frames.iter().enumerate() {
            for thread in frame.last.iter().flat_map(|l| &l.granted) {
                let before = self.frames[..i].iter().rev();
                let asked = before
                    .take_while(|f| {
                        let threads = || f.nodes.iter().flat_map(|n| &n.threads);
                        threads().any(|t| t.id == *thread && t.doing == ThreadState::Waiting)
                    })
                    .last();
                let name = self.origin.setup.thread_name(*thread);
                let number = 1 + visits.iter().filter(|v| v.thread == name).count();
                let asked = asked.map_or(frame.now, |f| f.now);
                visits.push(Visit { thread: name, number, asked, entered: frame.now });
            }
        }
        visits
    }
}

/// Two runs and the place in them.
pub struct Two {
    /// Left and right.
    pub sides: [Side; 2],
    /// What both go by.
    pub pace: Pace,
    /// Steps, or instants, since the beginning.
    pub place: usize,
    /// Every instant at which something happens on either side.
    instants: Vec<Time>,
}

impl Two {
    /// Opens what an address says: `alien+naimi-trehel`.
    pub fn open(wanted: &str, pace: Pace) -> Result<Two, String> {
        let (left, right) = names(wanted);
        let sides = [Side::open(&left)?, Side::open(&right)?];
        let mut instants: Vec<Time> = sides.iter().flat_map(|s| s.frames.iter().map(|f| f.now)).collect();
        instants.push(0);
        sort::by(&mut instants, Ord::cmp);
        instants.dedup();
        Ok(Two { sides, pace, place: 0, instants })
    }

    /// How the address names the pair.
    pub fn address(&self) -> String {
        format!("{}+{}", self.sides[0].choice, self.sides[1].choice)
    }

    /// The last place.
    pub fn end(&self) -> usize {
        match self.pace {
            Pace::Time => self.instants.len() - 1,
            Pace::Steps => self.sides.iter().map(|s| s.frames.len()).max().unwrap_or(1) - 1,
        }
    }

    /// Goes to a place.
    pub fn go(&mut self, place: usize) {
        self.place = place.min(self.end());
    }

    /// Changes what both go by; what is seen on the left stays as far as that is possible.
    pub fn by(&mut self, pace: Pace) {
        let (now, left) = (self.now(0), self.index(0));
        self.pace = pace;
        self.place = match pace {
            Pace::Time => self.instants.partition_point(|t| *t <= now).max(1) - 1,
            Pace::Steps => left,
        };
    }

    /// The state of a side.
    pub fn index(&self, side: usize) -> usize {
        match self.pace {
            Pace::Time => self.sides[side].at_time(self.instants[self.place]),
            Pace::Steps => self.place.min(self.sides[side].frames.len() - 1),
        }
    }

    /// The frame of a side.
    pub fn frame(&self, side: usize) -> &Rc<Frame> {
        &self.sides[side].frames[self.index(side)]
    }

    /// The clock of a side: by time both clocks agree.
    pub fn now(&self, side: usize) -> Time {
        match self.pace {
            Pace::Time => self.instants[self.place],
            Pace::Steps => self.frame(side).now,
        }
    }

    /// The nodes that do something else on the two sides, by name; none where the systems have no node in common.
    pub fn differing(&self) -> Vec<String> {
        let doing = |side: usize, name: &str| {
            let node = self.frame(side).nodes.iter().find(|n| n.name == name)?;
            let mut threads: Vec<&str> = node
                .threads
                .iter()
                .map(|t| if t.doing == ThreadState::Inside { "inside" } else { "outside" })
                .collect();
            sort::by(&mut threads, Ord::cmp);
            let waits = node.threads.iter().filter(|t| t.doing == ThreadState::Waiting).count();
            Some((threads.join(" "), waits))
        };
        let names = self.frame(0).nodes.iter().map(|n| n.name.clone());
        names.filter(|n| doing(1, n).is_some_and(|right| doing(0, n) != Some(right))).collect()
    }
}

/// Left and right of an address; what is missing is the first pair's.
pub fn names(wanted: &str) -> (String, String) {
    let (left, right) = wanted.split_once('+').unwrap_or((wanted, ""));
    let or = |name: &str, other: &str| if name.is_empty() { other.to_owned() } else { name.to_owned() };
    (or(left, FIRST.0), or(right, FIRST.1))
}

#[cfg(test)]
mod tests {
    use super::*;
    use lockstep_scenario::LIBRARY;

    #[test]
    fn by_time_both_clocks_agree_and_all_four_enter_on_both_sides() {
        let mut two = Two::open("raymond+ricart-agrawala", Pace::Time).unwrap();
        let mut last = 0;
        for place in 0..=two.end() {
            two.go(place);
            assert_eq!(two.now(0), two.now(1));
            assert!(two.frame(0).now <= two.now(0) && two.frame(1).now <= two.now(1));
            assert!(two.now(0) >= last);
            last = two.now(0);
        }
        assert_eq!(two.sides.each_ref().map(|s| s.visits().len()), [4, 4]);
        assert_eq!([0, 1].map(|s| two.frame(s).counters.entries), [4, 4]);
        assert_ne!(two.frame(0).counters.messages, two.frame(1).counters.messages);
    }

    #[test]
    fn waiting_added_up_is_what_the_visits_waited() {
        let two = Two::open("raymond+lamport", Pace::Time).unwrap();
        for side in &two.sides {
            let visits: Time = side.visits().iter().map(|v| v.entered - v.asked).sum();
            let last = side.frames.len() - 1;
            assert_eq!(side.waited(last, side.frames[last].now), visits, "{}", side.choice);
        }
    }

    #[test]
    fn by_steps_both_have_made_as_many() {
        let mut two = Two::open("alien-figure-1+alien-figure-2", Pace::Steps).unwrap();
        two.go(5);
        assert_eq!([two.index(0), two.index(1)], [5, 5]);
        two.by(Pace::Time);
        assert!(two.now(0) >= two.frame(0).now);
        two.go(usize::MAX);
        assert_eq!(two.place, two.end());
    }

    #[test]
    fn every_algorithm_and_every_scenario_can_stand_on_a_side() {
        for choice in ALL.iter().map(|e| e.id).chain(LIBRARY.iter().map(|(id, _)| *id)) {
            let side = Side::open(choice).unwrap_or_else(|why| panic!("{choice}: {why}"));
            assert!(side.frames.len() > 1, "{choice}");
        }
        assert!(Two::open("nobody+alien", Pace::Time).is_err());
    }

    #[test]
    fn the_same_on_both_sides_differs_nowhere() {
        let mut two = Two::open("mueller+mueller", Pace::Time).unwrap();
        for place in 0..=two.end() {
            two.go(place);
            assert_eq!(two.differing(), Vec::<String>::new());
        }
        let mut other = Two::open("central-server+token-ring", Pace::Time).unwrap();
        assert!((0..=other.end()).any(|place| {
            other.go(place);
            !other.differing().is_empty()
        }));
    }
}
