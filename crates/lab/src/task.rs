//! Messages between the page and its workers: one [`Task`] in, [`Answer`]s out, each a JSON text.

use crate::study::{self, Proof, Settings, StudyQuestion};
use crate::{Cost, Job, Pilots, Record};
use lockstep_check::{Check, CheckReport, Progress, WorstCase};
use lockstep_kernel::explore::RequestMeasure;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// What a worker is asked to do.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Task {
    /// Run one point of a grid; answered by [`Answer::Record`].
    Job(Box<Job>),
    /// Estimate the cost of an experiment; answered by [`Answer::Cost`].
    Cost(Pilots),
    /// Watch the single runs of a study; answered by [`Answer::Observations`].
    Observe(StudyPart),
    /// Explore the question of a study that `question` names; answered by [`Answer::Proof`].
    Prove(StudyPart),
    /// Explore every order of events; answered by [`Answer::Report`].
    Check(Box<Check>),
    /// Look for the worst case; answered by [`Answer::Worst`].
    Worst {
        /// The system.
        check: Box<Check>,
        /// What is to become as large as possible.
        measure: RequestMeasure,
    },
    /// Continue the exploration, up to this many states and megabytes.
    Widen(usize, usize),
    /// Pause the exploration.
    Stop,
    /// Read, judge or explain logs: a task of `lockstep-judge` as text, whose reader only that
    /// place and its worker have. Answered by [`Answer::Judged`].
    Judge(String),
}

/// The part of a study that a worker computes beside its points.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct StudyPart {
    /// The study's id.
    pub study: String,
    /// How it is run.
    pub settings: Settings,
    /// The question's id; empty where runs are watched.
    #[serde(default)]
    pub question: String,
}

/// What a worker says about its task. An exploration sends several; everything from
/// [`Answer::Record`] on ends the task.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Answer {
    /// The task waits for a part of the program to be downloaded.
    Fetching,
    /// The part is there and the work begins.
    Working,
    /// How far an exploration has come.
    Progress(Progress),
    /// What a job measured.
    Record(Box<Record>),
    /// What an experiment will cost.
    Cost(Cost),
    /// Names and numbers from single runs.
    Observations(BTreeMap<String, f64>),
    /// The answer to a study's question; none where the system is too large to explore.
    Proof(Option<Proof>),
    /// What a check found.
    Report(Box<CheckReport>),
    /// The worst case.
    Worst(Box<WorstCase>),
    /// What a log shows: an answer of `lockstep-judge` as text.
    Judged(String),
    /// Why the task cannot be done.
    Problems(Vec<String>),
    /// A part of the program could not be downloaded; another worker may succeed.
    Unavailable,
}

/// [`Answer::Fetching`], [`Answer::Working`] and [`Answer::Unavailable`] as strings. A worker sends
/// them before the code that writes the other answers has arrived.
pub const FETCHING: &str = "\"fetching\"";
/// See [`FETCHING`].
pub const WORKING: &str = "\"working\"";
/// See [`FETCHING`].
pub const UNAVAILABLE: &str = "\"unavailable\"";

/// Milliseconds after which a silent worker is considered lost, unless its task says more.
const SILENCE: f64 = 8_000.0;

impl Task {
    /// Reads a task; a worker answers with the problems where it cannot.
    pub fn read(text: &str) -> Result<Self, Vec<String>> {
        serde_json::from_str(text).map_err(|why| vec![format!("The task cannot be read: {why}.")])
    }

    /// The JSON text that a worker reads.
    pub fn text(&self) -> String {
        serde_json::to_string(self).unwrap_or_default()
    }

    /// The name under which the result of a campaign's task is stored.
    pub fn key(&self) -> String {
        match self {
            Task::Job(job) => job.key(),
            Task::Observe(_) => "observe".into(),
            Task::Prove(part) => format!("prove {}", part.question),
            Task::Cost(_) | Task::Check(_) | Task::Worst { .. } | Task::Widen(..) | Task::Stop | Task::Judge(_) => {
                String::new()
            }
        }
    }

    /// Milliseconds that it may take before its worker is considered lost.
    pub fn patience(&self) -> f64 {
        match self {
            Task::Job(job) => {
                // a slow machine runs five entries in a millisecond
                let entries = job.number("entries") + job.number("warmup");
                let runs = job.until.map_or(job.number("replications"), |u| f64::from(u.most));
                SILENCE + entries * runs / 5.0
            }
            Task::Observe(_) => 60_000.0,
            Task::Prove(_) => 600_000.0,
            _ => SILENCE,
        }
    }
}

impl Answer {
    /// Reads what a worker said.
    pub fn read(text: &str) -> Self {
        serde_json::from_str(text)
            .unwrap_or_else(|why| Answer::Problems(vec![format!("The answer of a worker cannot be read: {why}.")]))
    }

    /// The JSON text that the page reads.
    pub fn text(&self) -> String {
        serde_json::to_string(self).unwrap_or_default()
    }

    /// Whether the task goes on after this.
    pub fn is_interim(&self) -> bool {
        matches!(self, Answer::Fetching | Answer::Working | Answer::Progress(_))
    }
}

impl StudyPart {
    /// Watches the single runs.
    pub fn observe(&self) -> Answer {
        match study::find(&self.study) {
            Ok(study) => Answer::Observations((study.observe)(&self.settings)),
            Err(why) => Answer::Problems(vec![why]),
        }
    }

    /// The question, if the study asks it.
    pub fn asked(&self) -> Result<Option<StudyQuestion>, String> {
        let study = study::find(&self.study)?;
        Ok((study.questions)(&self.settings).into_iter().find(|asked| asked.id == self.question))
    }
}

impl<T> From<Result<T, Vec<String>>> for Answer
where
    Answer: From<T>,
{
    fn from(result: Result<T, Vec<String>>) -> Self {
        result.map_or_else(Answer::Problems, Answer::from)
    }
}

impl From<Record> for Answer {
    fn from(record: Record) -> Self {
        Answer::Record(Box::new(record))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::study::StudySize;

    fn part(question: &str) -> StudyPart {
        let settings = study::ALL[0].settings(StudySize::Tiny, 1, &BTreeMap::new()).unwrap();
        StudyPart { study: "alien".into(), settings, question: question.into() }
    }

    #[test]
    fn tasks_are_read_again() {
        let job = Job::default().with(|s| s.algorithm("raymond"));
        let check = Check::default().with(|s| s.algorithm("alien").nodes(2));
        for task in [
            Task::Job(Box::new(job)),
            Task::Observe(part("")),
            Task::Prove(part("printed v1")),
            Task::Check(Box::new(check.clone())),
            Task::Worst { check: Box::new(check), measure: RequestMeasure::Forwards },
            Task::Widen(5, 1),
            Task::Stop,
            Task::Judge("{}".into()),
        ] {
            assert_eq!(Task::read(&task.text()), Ok(task));
        }
        assert!(Task::read("{\"job\":{\"colour\":5}}").unwrap_err()[0].starts_with("The task cannot be read: "));
    }

    #[test]
    fn answers_are_read_again() {
        let job = Job::default().with(|s| s.algorithm("raymond").nodes(3).entries(50));
        let record = crate::record(&job).unwrap();
        let report = lockstep_check::prepare(&Check::default().with(|s| s.algorithm("raymond").nodes(2)))
            .unwrap()
            .start()
            .finish();
        for answer in [
            Answer::from(record),
            Answer::Proof(None),
            Answer::Report(Box::new(report)),
            Answer::Problems(vec!["nodes: 0".into()]),
        ] {
            // a record's summary repeats two of its fields, which are not written twice
            assert_eq!(Answer::read(&answer.text()).text(), answer.text());
            assert!(!answer.is_interim());
        }
        assert!(matches!(Answer::read("{}"), Answer::Problems(_)));
        assert!(matches!(part("").observe(), Answer::Observations(seen) if !seen.is_empty()));
        assert_eq!(part("printed v1").asked().unwrap().unwrap().spec.algorithm.unwrap(), "alien-printed");
    }

    #[test]
    fn the_first_words_of_a_worker_are_answers() {
        for (text, answer) in
            [(FETCHING, Answer::Fetching), (WORKING, Answer::Working), (UNAVAILABLE, Answer::Unavailable)]
        {
            assert_eq!(answer.text(), text);
        }
    }
}
