//! A pair of runs that are compared: both are run to their end at once; afterwards only the
//! position moves.

use crate::run::{Origin, StageRun};
use lockstep_algorithms::ALL;
use lockstep_kernel::view::ThreadState;
use lockstep_kernel::{Entry, Frame, Time, sort};
use std::rc::Rc;

/// The most steps of a run that does not end by itself.
const MOST: usize = 300;
/// The first pair: one message to a server against one to every node.
pub const FIRST_PAIR: (&str, &str) = ("central-server", "ricart-agrawala");

/// What keeps both sides in step.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum PairPace {
    /// The same instant of virtual time on both sides.
    Time,
    /// The same number of steps on both sides.
    Steps,
}

/// One side of the pair, from its beginning to its end.
pub struct PairSide {
    /// What was chosen: an algorithm for the same requests, or a prepared scenario.
    pub choice: String,
    /// Whether that is a prepared scenario.
    pub prepared: bool,
    /// System, algorithm, scenario.
    pub origin: Rc<Origin>,
    /// Every state.
    pub frames: Vec<Rc<Frame>>,
    /// The waiting of all threads up to each state, added up.
    waited: Vec<Time>,
}

/// One critical section.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct SectionVisit {
    /// Whose.
    pub thread: String,
    /// Which of its sections.
    pub number: usize,
    /// When it requested.
    pub requested: Time,
    /// When it entered.
    pub entered: Time,
}

/// The algorithms that can be given the same requests.
pub fn algorithms() -> impl Iterator<Item = &'static Entry> {
    ALL.iter()
}

/// The prefix of a scenario in an address, where an algorithm has the same id.
const SCENARIO: &str = "scenario:";

/// How an address names a scenario of the library.
pub fn scenario_choice(id: &str) -> String {
    if ALL.iter().any(|e| e.id == id) { format!("{SCENARIO}{id}") } else { id.into() }
}

/// What became of a side so far.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct SideVerdict {
    /// Whether an invariant was violated.
    pub violated: bool,
    /// In words.
    pub text: String,
}

fn waiting(frame: &Frame) -> u64 {
    frame.nodes.iter().flat_map(|n| &n.threads).filter(|t| t.doing == ThreadState::Waiting).count() as u64
}

impl PairSide {
    /// Runs what was chosen: the same requests under an algorithm, or a scenario of the library.
    pub fn open(choice: &str) -> Result<PairSide, String> {
        let id = choice.strip_prefix(SCENARIO);
        let entry = ALL.iter().find(|e| e.id == choice);
        let run = match entry {
            Some(entry) => StageRun::of_requests(entry.id, 0)?,
            None => StageRun::of_library(id.unwrap_or(choice), 0).map_err(|_| {
                format!("There is neither an algorithm nor a scenario “{choice}”. Choose one from the lists.")
            })?,
        };
        Ok(PairSide::of(choice, entry.is_none(), run))
    }

    fn of(choice: &str, prepared: bool, mut run: StageRun) -> PairSide {
        let line = run.view().timeline.len();
        run.seek_index(0);
        let mut frames = vec![Rc::new(run.judged_frame(None))];
        let endless = !run.origin.is_figure();
        loop {
            let last = &frames[frames.len() - 1];
            let busy = last.nodes.iter().flat_map(|n| &n.threads).any(|t| t.doing != ThreadState::Idle);
            let wanted = frames.len() < line || (frames.len() < MOST && (busy || endless));
            if !wanted || !run.step() {
                break;
            }
            let frame = run.judged_frame(frames.last().map(|f| &**f));
            frames.push(Rc::new(frame));
        }
        let mut waited = vec![0];
        for pair in frames.windows(2) {
            let passed = pair[1].now.saturating_sub(pair[0].now);
            waited.push(waited[waited.len() - 1] + waiting(&pair[0]) * passed);
        }
        PairSide { choice: choice.into(), prepared, origin: run.origin.clone(), frames, waited }
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
    pub fn visits(&self) -> Vec<SectionVisit> {
        let mut visits: Vec<SectionVisit> = Vec::new();
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
                let requested = asked.map_or(frame.now, |f| f.now);
                visits.push(SectionVisit { thread: name, number, requested, entered: frame.now });
            }
        }
        visits
    }
}

/// Two runs and the position in them.
pub struct RunPair {
    /// Left and right.
    pub sides: [PairSide; 2],
    /// What keeps both in step.
    pub pace: PairPace,
    /// Steps, or instants, since the beginning.
    pub place: usize,
    /// Every instant at which something happens on either side.
    instants: Vec<Time>,
}

impl RunPair {
    /// Opens what an address says: `alien+naimi-trehel`.
    pub fn open(wanted: &str, pace: PairPace) -> Result<RunPair, String> {
        let (left, right) = names(wanted);
        let sides = [PairSide::open(&left)?, PairSide::open(&right)?];
        let mut instants: Vec<Time> = sides.iter().flat_map(|s| s.frames.iter().map(|f| f.now)).collect();
        instants.push(0);
        sort::by(&mut instants, Ord::cmp);
        instants.dedup();
        Ok(RunPair { sides, pace, place: 0, instants })
    }

    /// How the address names the pair.
    pub fn address(&self) -> String {
        format!("{}+{}", self.sides[0].choice, self.sides[1].choice)
    }

    /// The last position.
    pub fn end(&self) -> usize {
        match self.pace {
            PairPace::Time => self.instants.len() - 1,
            PairPace::Steps => self.sides.iter().map(|s| s.frames.len()).max().unwrap_or(1) - 1,
        }
    }

    /// Goes to a position.
    pub fn go(&mut self, place: usize) {
        self.place = place.min(self.end());
    }

    /// Changes what keeps both in step; the left side stays where it is, if possible.
    pub fn by(&mut self, pace: PairPace) {
        let (now, left) = (self.now(0), self.index(0));
        self.pace = pace;
        self.place = match pace {
            PairPace::Time => self.instants.partition_point(|t| *t <= now).max(1) - 1,
            PairPace::Steps => left,
        };
    }

    /// The state of a side.
    pub fn index(&self, side: usize) -> usize {
        match self.pace {
            PairPace::Time => self.sides[side].at_time(self.instants[self.place]),
            PairPace::Steps => self.place.min(self.sides[side].frames.len() - 1),
        }
    }

    /// What became of a side up to its position.
    pub fn verdict(&self, side: usize) -> SideVerdict {
        let (index, frames) = (self.index(side), &self.sides[side].frames);
        let reason = |f: &Rc<Frame>| f.invariants.iter().find_map(|i| Some((i.name.clone(), i.broken.clone()?)));
        if let Some((step, (name, why))) = frames[..=index].iter().find_map(|f| Some((f.step, reason(f)?))) {
            return SideVerdict { violated: true, text: format!("Violated at step {step}: {name} ({why}).") };
        }
        let text = match (index + 1 == frames.len(), waiting(&frames[index])) {
            (true, 0) => "Every invariant holds, and every request was served.".into(),
            (true, 1) => "Every invariant holds; 1 thread still waits.".into(),
            (true, more) => format!("Every invariant holds; {more} threads still wait."),
            (false, _) => "Every invariant holds so far.".into(),
        };
        SideVerdict { violated: false, text }
    }

    /// The frame of a side.
    pub fn frame(&self, side: usize) -> &Rc<Frame> {
        &self.sides[side].frames[self.index(side)]
    }

    /// The clock of a side: by time both clocks agree.
    pub fn now(&self, side: usize) -> Time {
        match self.pace {
            PairPace::Time => self.instants[self.place],
            PairPace::Steps => self.frame(side).now,
        }
    }

    /// The nodes whose threads are in other states on the other side, by name.
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

/// Left and right of an address; what is missing is taken from [`FIRST_PAIR`].
pub fn names(wanted: &str) -> (String, String) {
    let (left, right) = wanted.split_once('+').unwrap_or((wanted, ""));
    let or = |name: &str, other: &str| if name.is_empty() { other.to_owned() } else { name.to_owned() };
    (or(left, FIRST_PAIR.0), or(right, FIRST_PAIR.1))
}

#[cfg(test)]
mod tests {
    use super::*;
    use lockstep_scenario::LIBRARY;

    #[test]
    fn by_time_both_clocks_agree_and_all_four_enter_on_both_sides() {
        let mut pair = RunPair::open("raymond+ricart-agrawala", PairPace::Time).unwrap();
        let mut last = 0;
        for place in 0..=pair.end() {
            pair.go(place);
            assert_eq!(pair.now(0), pair.now(1));
            assert!(pair.frame(0).now <= pair.now(0) && pair.frame(1).now <= pair.now(1));
            assert!(pair.now(0) >= last);
            last = pair.now(0);
        }
        assert_eq!(pair.sides.each_ref().map(|s| s.visits().len()), [4, 4]);
        assert_eq!([0, 1].map(|s| pair.frame(s).counters.entries), [4, 4]);
        assert_ne!(pair.frame(0).counters.messages, pair.frame(1).counters.messages);
    }

    #[test]
    fn waiting_added_up_is_what_the_visits_waited() {
        let pair = RunPair::open("raymond+lamport", PairPace::Time).unwrap();
        for side in &pair.sides {
            let visits: Time = side.visits().iter().map(|v| v.entered - v.requested).sum();
            let last = side.frames.len() - 1;
            assert_eq!(side.waited(last, side.frames[last].now), visits, "{}", side.choice);
        }
    }

    #[test]
    fn by_steps_both_have_made_as_many() {
        let mut pair = RunPair::open("alien-figure-1+alien-figure-2", PairPace::Steps).unwrap();
        pair.go(5);
        assert_eq!([pair.index(0), pair.index(1)], [5, 5]);
        pair.by(PairPace::Time);
        assert!(pair.now(0) >= pair.frame(0).now);
        pair.go(usize::MAX);
        assert_eq!(pair.place, pair.end());
    }

    #[test]
    fn every_algorithm_and_every_scenario_can_stand_on_a_side() {
        for choice in ALL.iter().map(|e| e.id).chain(LIBRARY.iter().map(|(id, _)| *id)) {
            let side = PairSide::open(choice).unwrap_or_else(|why| panic!("{choice}: {why}"));
            assert!(side.frames.len() > 1, "{choice}");
        }
        assert!(RunPair::open("nobody+alien", PairPace::Time).is_err());
    }

    #[test]
    fn a_scenario_and_an_algorithm_of_one_id_are_two_choices() {
        for id in ["suzuki-kasami", "carvalho-roucairol", "neilsen-mizuno"] {
            let (algorithm, scenario) = (PairSide::open(id).unwrap(), PairSide::open(&scenario_choice(id)).unwrap());
            assert_ne!(scenario_choice(id), id);
            assert!(!algorithm.prepared && scenario.prepared);
            assert_eq!(scenario.origin.library_id(), Some(id));
            assert_ne!(algorithm.frames.len(), scenario.frames.len(), "{id}");
        }
        assert_eq!(scenario_choice("alien-figure-1"), "alien-figure-1");
    }

    #[test]
    fn each_side_has_a_verdict() {
        let mut pair = RunPair::open("notes-lamport-without+maekawa-deadlock", PairPace::Steps).unwrap();
        assert!(!pair.verdict(0).violated);
        pair.go(usize::MAX);
        assert!(pair.verdict(0).text.starts_with("Violated at step 6: mutual exclusion"), "{}", pair.verdict(0).text);
        assert!(
            pair.verdict(1).text.starts_with("Violated at step 3: no request is stuck"),
            "{}",
            pair.verdict(1).text
        );
        let mut calm = RunPair::open("raymond+lamport", PairPace::Time).unwrap();
        calm.go(usize::MAX);
        assert_eq!(calm.verdict(1).text, "Every invariant holds, and every request was served.");
    }

    #[test]
    fn the_same_on_both_sides_differs_nowhere() {
        let mut pair = RunPair::open("mueller+mueller", PairPace::Time).unwrap();
        for place in 0..=pair.end() {
            pair.go(place);
            assert_eq!(pair.differing(), Vec::<String>::new());
        }
        let mut other = RunPair::open("central-server+token-ring", PairPace::Time).unwrap();
        assert!((0..=other.end()).any(|place| {
            other.go(place);
            !other.differing().is_empty()
        }));
    }
}
