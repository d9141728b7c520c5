//! A check as its reader runs it: the system, what it looks for, how far it has come and what it
//! found.

use crate::{Check, CheckReport, Progress, StopReason, WorstCase, prepare};
use lockstep_kernel::explore::RequestMeasure;
use lockstep_spec::{FieldForm, FormField, Spec, Use, grouped};

/// How many states a page explores unless its reader asks for more: a browser has less memory than
/// the command line.
const PAGE_STATES: usize = 1_000_000;
/// How much memory an exploration in a page uses unless its reader asks for more.
const PAGE_MEGABYTES: usize = 1_000;
/// The most memory to which a check can be continued: a worker has 4 GiB in all.
const MOST_MEGABYTES: usize = 3_000;
/// The memory of a machine whose browser does not tell, in gigabytes: Firefox and Safari do not.
const ASSUMED_GIGABYTES: f64 = 4.0;
/// Milliseconds after which a silent worker is considered lost.
const SILENCE: f64 = 60_000.0;
/// The same while it downloads something.
const FETCHING: f64 = 90_000.0;
/// The largest number of states to which a check can be continued.
const MOST_STATES: usize = 200_000_000;

/// What a check looks for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum CheckGoal {
    /// A violation of an invariant.
    Violation,
    /// The worst case of a measure.
    Worst(RequestMeasure),
}

/// A check that a reader runs, pauses and continues. Times are in milliseconds.
#[derive(Clone, PartialEq, Debug)]
pub struct InteractiveCheck {
    /// The system, with the page's bounds.
    pub system: Check,
    /// What is wrong with it, or with its worker.
    pub problems: Vec<String>,
    /// Whether it can be checked: what went wrong with a worker may go well with the next one.
    pub possible: bool,
    /// Whether its worker is busy.
    pub running: bool,
    /// How far it has come.
    pub progress: Option<Progress>,
    /// What it found.
    pub report: Option<CheckReport>,
    /// The worst case that it found.
    pub worst: Option<WorstCase>,
    begun: bool,
    started: f64,
    spent: f64,
    /// When the worker was last heard of.
    heard: f64,
    /// Whether it downloads something.
    fetching: bool,
    /// The most megabytes that this machine has for an exploration.
    fits: usize,
}

impl Default for InteractiveCheck {
    fn default() -> Self {
        let system = Check::from(Spec::of("alien").with("variant", "v2").nodes(3));
        InteractiveCheck {
            system: bounded(system),
            problems: Vec::new(),
            possible: true,
            running: false,
            progress: None,
            report: None,
            worst: None,
            begun: false,
            started: 0.0,
            spent: 0.0,
            heard: 0.0,
            fetching: false,
            fits: MOST_MEGABYTES,
        }
    }
}

/// A system with the page's bounds where it has none of its own.
fn bounded(system: Check) -> Check {
    system.with(|spec| Spec {
        max_states: spec.max_states.or_else(|| Some(PAGE_STATES.to_string())),
        max_megabytes: spec.max_megabytes.or_else(|| Some(PAGE_MEGABYTES.to_string())),
        ..spec
    })
}

impl InteractiveCheck {
    /// The system without the page's own bound of states.
    fn named(&self) -> Check {
        let usual = self.system.text("max_states") == PAGE_STATES.to_string();
        self.system.clone().with(|spec| if usual { Spec { max_states: None, ..spec } } else { spec })
    }

    /// The memory that the reader gave, where it is not the page's.
    fn memory(&self) -> Option<&str> {
        Some(self.system.text("max_megabytes")).filter(|text| *text != PAGE_MEGABYTES.to_string())
    }

    /// The check as an address names it, without the page's own bounds.
    pub fn address(&self) -> String {
        let memory = self.memory().map_or_else(String::new, |text| format!("/max-megabytes={text}"));
        self.named().address() + &memory
    }

    /// The command that runs the check, without the page's own bounds.
    pub fn command(&self) -> String {
        let memory = self.memory().map_or_else(String::new, |text| format!(" --max-megabytes {text}"));
        self.named().command() + &memory
    }

    /// The rows of the form that make a difference, each with its problem.
    pub fn rows(&self) -> Vec<FormField> {
        let rows = FieldForm::new(Use::Explore, self.system.spec.clone()).rows();
        let judged = |row: FormField| FormField { problem: self.problem(&row.name), ..row };
        rows.into_iter().filter(|row| row.relevant).map(judged).collect()
    }

    /// The problems that are about no row of the form, without the marks of code.
    pub fn other_problems(&self) -> Vec<String> {
        let rows = self.rows();
        let beside = |problem: &&String| rows.iter().any(|row| row.problem.as_ref() == Some(problem));
        self.problems.iter().filter(|problem| !beside(problem)).map(|problem| problem.replace('`', "")).collect()
    }

    /// The problem of a row of the form; a problem of the system begins with the name of its field.
    fn problem(&self, row: &str) -> Option<String> {
        if self.possible {
            return None; // the address or the worker has a problem, not the system
        }
        let name = row.trim_start_matches("params.");
        let about = |problem: &&String| problem.strip_prefix(name).is_some_and(|rest| rest.starts_with(": "));
        self.problems.iter().find(about).cloned()
    }

    /// Sets a field of the system. Clusters have nodes of their own.
    pub fn set(&mut self, name: &str, text: &str) {
        let mut form = FieldForm::new(Use::Explore, self.system.spec.clone());
        let _ = form.set(name, text); // `change` lists every problem
        if name == "clusters" && form.spec().clusters.is_some() {
            let _ = form.set("nodes", "");
        }
        self.change(bounded(Check::from(form.spec().clone())));
    }

    /// Opens the system that an address names, unless it is the present one.
    pub fn visit(&mut self, address: &str) {
        if address == self.address() {
            return;
        }
        match Check::of_address(address) {
            Ok(system) => self.change(bounded(system)),
            Err(why) => self.problems = vec![why],
        }
    }

    /// Takes another system and says what is wrong with it.
    pub fn change(&mut self, system: Check) {
        self.problems = prepare(&system).err().unwrap_or_default();
        self.possible = self.problems.is_empty();
        self.system = system;
    }

    /// Begins to check a system, if it can be checked.
    pub fn begin(&mut self, system: Check, now: f64) -> bool {
        (self.report, self.worst, self.progress) = (None, None, None);
        let asked: Option<usize> = system.spec.max_megabytes.as_ref().and_then(|text| text.parse().ok());
        let system = match asked.filter(|asked| *asked > self.fits) {
            Some(_) => system.with(|spec| spec.max_megabytes(self.fits)),
            None => system,
        };
        self.change(system);
        if self.possible {
            (self.started, self.spent, self.running, self.begun) = (now, 0.0, true, true);
            self.hear(true, now);
        }
        self.possible
    }

    /// Its worker has said something: perhaps that it downloads something.
    pub fn hear(&mut self, fetching: bool, now: f64) {
        (self.heard, self.fetching) = (now, fetching);
    }

    /// Gives up a worker that has been silent for too long; whether it does. Judging the whole
    /// graph at the end takes one step, so the worker may be silent for as long as it has explored.
    pub fn watch(&mut self, now: f64) -> bool {
        let explored = self.spent + self.heard - self.started;
        let patience = if self.fetching { FETCHING } else { SILENCE.max(explored) };
        let lost = self.running && now - self.heard > patience;
        if lost && self.fetching {
            self.unavailable(now);
        } else if lost {
            self.die(now);
        }
        lost
    }

    /// Pauses.
    pub fn pause(&mut self, now: f64) {
        if self.running {
            self.spent += now - self.started;
        }
        self.running = false;
    }

    /// Keeps every bound within half of the machine's memory, as far as that is known.
    pub fn fit(&mut self, gigabytes: Option<f64>) {
        let gigabytes = gigabytes.filter(|gigabytes| *gigabytes > 0.0).unwrap_or(ASSUMED_GIGABYTES);
        self.fits = ((gigabytes * 500.0) as usize).clamp(100, MOST_MEGABYTES);
    }

    /// The memory that the check may use, within what the machine has.
    fn megabytes(&self) -> usize {
        self.system.text("max_megabytes").parse().unwrap_or(PAGE_MEGABYTES)
    }

    /// Continues: to ten times as many states where it stopped at its bound, and to ten times as
    /// much memory, up to what the machine has. Returns the new bounds: states and megabytes.
    pub fn widen(&mut self, now: f64) -> (usize, usize) {
        let times = if self.report.is_some() { 10 } else { 1 };
        let states: usize = self.system.text("max_states").parse().unwrap_or(PAGE_STATES);
        let states = states.saturating_mul(times).min(MOST_STATES);
        let megabytes = self.megabytes().saturating_mul(times).min(self.fits);
        self.system.spec.max_states = Some(states.to_string());
        self.system.spec.max_megabytes = Some(megabytes.to_string());
        (self.started, self.running, self.report) = (now, true, None);
        self.hear(false, now);
        (states, megabytes)
    }

    /// Ends with what was found.
    pub fn finish(&mut self, report: Option<CheckReport>, worst: Option<WorstCase>, now: f64) {
        self.pause(now);
        (self.report, self.worst) = (report, worst);
    }

    /// Ends with problems.
    pub fn refuse(&mut self, problems: Vec<String>, now: f64) {
        self.pause(now);
        self.problems = problems;
    }

    /// The code that explores this algorithm could not be downloaded.
    pub fn unavailable(&mut self, now: f64) {
        self.refuse(vec!["The engine for this algorithm could not be downloaded. Try again.".into()], now);
    }

    /// Its worker has died.
    pub fn die(&mut self, now: f64) {
        self.begun = false;
        let seen = self.progress.map_or(0, |p| p.states);
        let words = format!(
            "The worker died after {} states, perhaps for lack of memory. Try a smaller system or a lower bound.",
            grouped(seen as f64)
        );
        self.refuse(vec![words], now);
    }

    /// Seconds that it has explored.
    pub fn seconds(&self, now: f64) -> f64 {
        (self.spent + if self.running { now - self.started } else { 0.0 }) / 1000.0
    }

    /// Whether it was begun and its worker is alive.
    pub fn is_begun(&self) -> bool {
        self.begun
    }

    /// Whether it stopped at its bound.
    pub fn is_bounded(&self) -> bool {
        self.report.as_ref().is_some_and(|r| r.stopped.is_some())
    }

    /// Whether it can be continued: it is paused, or it stopped at its bound.
    pub fn can_continue(&self) -> bool {
        let paused = !self.running && self.begun && self.report.is_none() && self.worst.is_none();
        // with all the memory of the machine in use, ten times as far would stop where it is
        let full = self.megabytes() >= self.fits;
        let stopped = self.report.as_ref().and_then(|report| report.stopped);
        let further = self.is_bounded() && !(full && stopped == Some(StopReason::Memory));
        paused && self.problems.is_empty() || further
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn small() -> Check {
        Check::from(Spec::of("raymond").nodes(2).max_states(10).max_megabytes(PAGE_MEGABYTES))
    }

    #[test]
    fn a_check_is_begun_paused_continued_and_finished() {
        let mut run = InteractiveCheck::default();
        assert!(run.possible && !run.is_begun() && !run.can_continue());
        assert!(run.begin(small(), 1_000.0));
        assert_eq!(run.seconds(3_000.0), 2.0);
        run.pause(4_000.0);
        assert!(run.can_continue() && !run.running);
        assert_eq!(run.widen(5_000.0), (10, PAGE_MEGABYTES), "a pause does not raise the bounds");
        let mut checking = prepare(&small()).unwrap().start();
        run.finish(Some(checking.finish()), None, 6_000.0);
        assert!(run.is_bounded() && run.can_continue());
        assert_eq!(run.seconds(9_000.0), 4.0);
        assert_eq!(run.widen(9_000.0), (100, MOST_MEGABYTES));
        run.system.spec.max_states = Some(MOST_STATES.to_string());
        run.report = Some(checking.finish());
        assert_eq!(run.widen(9_000.0), (MOST_STATES, MOST_MEGABYTES));
    }

    #[test]
    fn bounds_fit_the_machine() {
        let mut run = InteractiveCheck::default();
        run.fit(Some(4.0));
        assert!(run.begin(small().with(|spec| spec.max_megabytes(1_000_000)), 0.0));
        assert_eq!(run.system.text("max_megabytes"), "2000", "what a worker cannot have is not promised");
        let mut report = prepare(&small()).unwrap().start().finish();
        report.stopped = Some(StopReason::Memory);
        run.finish(Some(report.clone()), None, 1.0);
        assert!(run.is_bounded() && !run.can_continue(), "no memory is left to go on");
        run.system.spec.max_megabytes = Some("500".into());
        assert!(run.can_continue());
        assert_eq!(run.widen(2.0).1, 2_000);
        run.fit(None);
        run.finish(Some(report.clone()), None, 3.0);
        assert!(!run.can_continue(), "2,000 MB are all that a machine has that does not tell");
        run.fit(Some(8.0));
        run.finish(Some(report), None, 3.0);
        assert!(run.can_continue());
        assert_eq!(run.widen(4.0).1, MOST_MEGABYTES);
    }

    #[test]
    fn a_silent_worker_is_given_up() {
        let mut run = InteractiveCheck::default();
        assert!(!run.watch(1e9), "nothing is asked of it");
        run.begin(small(), 0.0);
        assert!(!run.watch(FETCHING));
        let mut missing = run.clone();
        assert!(missing.watch(FETCHING + 1.0) && missing.problems[0].contains("could not be downloaded"));
        run.hear(false, 1_000.0);
        assert!(!run.watch(1_000.0 + SILENCE));
        let mut early = run.clone();
        assert!(early.watch(1_001.0 + SILENCE) && early.problems[0].starts_with("The worker died"));
        // after ten minutes the end may take ten minutes
        run.hear(false, 600_000.0);
        assert!(!run.watch(1_200_000.0));
        assert!(run.watch(1_200_001.0) && !run.running && !run.watch(2e9));
        run.begin(small(), 0.0);
        run.hear(false, 1.0);
        run.pause(2.0);
        assert!(!run.watch(1e9), "it is paused");
    }

    #[test]
    fn what_cannot_be_checked_is_not_begun() {
        let mut run = InteractiveCheck::default();
        assert!(!run.begin(small().with(|spec| spec.nodes(0)), 0.0));
        assert!(!run.problems.is_empty() && !run.running);
        assert!(run.begin(small(), 0.0) && run.problems.is_empty());
        run.unavailable(1.0);
        assert!(run.possible && !run.problems.is_empty(), "it can be tried again");
        run.die(1.0);
        assert!(!run.is_begun() && run.problems[0].starts_with("The worker died after 0 states"));
    }

    #[test]
    fn addresses_name_the_system_without_the_page_s_bounds() {
        let mut run = InteractiveCheck::default();
        assert_eq!(run.system.text("max_states"), PAGE_STATES.to_string());
        assert_eq!(run.named().text("max_states"), Check::default().text("max_states"));
        run.visit("raymond/nodes=2");
        assert_eq!((run.system.algorithm(), run.system.text("nodes")), ("raymond", "2"));
        let before = run.clone();
        run.visit(&run.address());
        assert_eq!(run, before);
        run.visit("alien/colour=red");
        assert!(!run.problems.is_empty());
    }

    #[test]
    fn the_form_sets_fields_and_says_what_is_wrong_beside_them() {
        let mut run = InteractiveCheck::default();
        let row = |run: &InteractiveCheck, name: &str| run.rows().into_iter().find(|row| row.name == name);
        run.set("nodes", "900");
        let nodes = row(&run, "nodes").unwrap();
        assert_eq!(nodes.problem.as_deref(), Some("nodes: 900 is not allowed; expected 1 to 64."));
        assert!(!run.possible && run.other_problems().is_empty());
        run.set("nodes", "4");
        assert!(run.possible);
        // what only a check judges is beside its row too
        run.set("symmetry", "true");
        assert!(row(&run, "symmetry").unwrap().problem.is_some_and(|p| p.contains("interchangeable")));
        assert!(row(&run, "cells").is_none() && row(&run, "cancels").is_none(), "alien threads lock no ranges");
        run.set("algorithm", "swq");
        assert!(run.possible && row(&run, "cells").is_some() && run.system.spec.symmetry.is_none());
        run.set("clusters", "2+1+1");
        assert!(run.possible && run.system.spec.nodes.is_none(), "{:?}", run.problems);
        // a problem of the address is about no row
        run.visit("alien/nodes=many");
        assert!(run.rows().iter().all(|row| row.problem.is_none()) && run.other_problems().len() == 1);
    }

    #[test]
    fn the_page_s_bounds_come_back_when_the_reader_gives_none() {
        let mut run = InteractiveCheck::default();
        run.set("max_states", "2,345,678");
        run.set("max_megabytes", "500");
        assert_eq!(
            run.command(),
            "lockstep check alien --param variant=v2 --nodes 3 --max-states 2345678 --max-megabytes 500"
        );
        let address = run.address();
        run.set("max_states", "");
        run.set("max_megabytes", "");
        assert_eq!(run.address(), InteractiveCheck::default().address());
        run.visit(&address);
        assert_eq!((run.system.text("max_states"), run.system.text("max_megabytes")), ("2345678", "500"));
    }
}
