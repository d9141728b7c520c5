//! The papers' studies: their experiments, their charts, and their claims put to the test.
//!
//! A study is a preset: [`Study::points`] are its jobs, which can run in any order and on any
//! machine; [`Data`] is what they measured; [`Study::report`] makes charts and verdicts of that.
//! Every verdict is computed from runs, none is written by hand.

mod alien;
mod alien_claims;
mod beyond;
mod claim;
mod data;
mod hierarchical;
mod look;
mod notes;
mod observe;
mod prove;
mod published;
mod ranged;
mod table;
mod wait_free;

pub use claim::{ClaimVerdict, NOT_MEASURED, StudyClaim, tally};
pub use data::{Data, Metric, messages, number, refused_locally, refused_remotely, waiting};
pub use look::style;
pub use prove::prove;
pub use table::{SortColumn, StudyCell, StudyRow, StudyTable, short, waits, with_interval};

use crate::{Experiment, GridPoint, Header, VERSION};
use lockstep_chart::Chart;
use lockstep_spec::Spec;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// Every study.
pub const ALL: &[Study] =
    &[alien::STUDY, notes::STUDY, hierarchical::STUDY, ranged::STUDY, wait_free::STUDY, beyond::STUDY];

/// The study of that id, or a sentence that lists all ids.
pub fn find(id: &str) -> Result<&'static Study, String> {
    ALL.iter().find(|s| s.id == id).ok_or_else(|| {
        let ids: Vec<&str> = ALL.iter().map(|s| s.id).collect();
        let id: String = id.escape_default().take(60).collect();
        format!("There is no study `{id}`; expected one of {}.", ids.join(", "))
    })
}

/// A paper's study.
pub struct Study {
    /// Its name for scripts.
    pub id: &'static str,
    /// Its name for people.
    pub title: &'static str,
    /// The paper.
    pub source: &'static str,
    /// What is measured.
    pub about: &'static str,
    /// What is assumed where the paper is silent or wrong.
    pub notes: &'static [&'static str],
    /// Interpretations that can be chosen.
    pub switches: &'static [Switch],
    /// Its grids.
    pub experiments: fn(&Settings) -> Vec<Experiment>,
    /// Small systems that have to be explored.
    pub questions: fn(&Settings) -> Vec<StudyQuestion>,
    /// Measures of single runs that records do not have: names and numbers.
    pub observe: fn(&Settings) -> BTreeMap<String, f64>,
    /// Its charts.
    pub charts: fn(&Data) -> Vec<Chart>,
    /// The paper's tables beside ours.
    pub tables: fn(&Data) -> Vec<StudyTable>,
    /// Its claims with their verdicts.
    pub claims: fn(&Data) -> Vec<StudyClaim>,
}

/// An interpretation that can be chosen; the first value is the default.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct Switch {
    /// Its name.
    pub name: &'static str,
    /// What it decides.
    pub about: &'static str,
    /// Its values.
    pub values: &'static [&'static str],
}

/// How much of a study is run.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum StudySize {
    /// As in the paper.
    #[default]
    Full,
    /// Enough to see every effect.
    Quick,
    /// Enough to test the program.
    Tiny,
}

impl StudySize {
    /// One of three values.
    pub fn pick<T>(self, full: T, quick: T, tiny: T) -> T {
        match self {
            StudySize::Full => full,
            StudySize::Quick => quick,
            StudySize::Tiny => tiny,
        }
    }

    /// Its name.
    pub fn name(self) -> &'static str {
        self.pick("full", "quick", "tiny")
    }

    /// The size of that name; full where there is none.
    pub fn named(name: &str) -> Self {
        [StudySize::Quick, StudySize::Tiny].into_iter().find(|size| size.name() == name).unwrap_or_default()
    }
}

/// How a study is run.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Settings {
    /// How much.
    pub size: StudySize,
    /// The first seed.
    pub seed: u64,
    /// The value of every switch.
    pub switches: BTreeMap<String, String>,
}

impl Settings {
    /// The value of a switch.
    pub fn switch(&self, name: &str) -> &str {
        self.switches.get(name).map_or("", String::as_str)
    }
}

/// A small system whose every order of events is explored.
#[derive(Clone, PartialEq, Debug)]
pub struct StudyQuestion {
    /// Its name.
    pub id: &'static str,
    /// The system, and the requests of each node.
    pub spec: Spec,
    /// The one invariant that it is about; none if it is about all of them.
    pub invariant: Option<&'static str>,
}

impl StudyQuestion {
    /// Whether no invariant of a system can be violated.
    fn new(id: &'static str, spec: Spec) -> Self {
        StudyQuestion { id, spec, invariant: None }
    }
}

/// The system of a question.
fn asked(algorithm: &str, params: &[(&str, &str)]) -> Spec {
    params.iter().fold(Spec::of(algorithm), |spec, (name, value)| spec.with(name, value))
}

/// The answer to a [`StudyQuestion`].
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Proof {
    /// Whether every state was explored and none violates an invariant.
    pub holds: bool,
    /// The result, as a sentence without its full stop.
    pub found: String,
    /// The counterexample as a link, for the stage or `lockstep replay`.
    #[serde(default)]
    pub link: Option<String>,
}

/// Charts and verdicts.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct StudyReport {
    /// The charts.
    pub charts: Vec<Chart>,
    /// The paper's tables beside ours.
    pub tables: Vec<StudyTable>,
    /// The claims.
    pub claims: Vec<StudyClaim>,
}

impl Study {
    /// Settings with the given switches, or every problem with them.
    pub fn settings(
        &self,
        size: StudySize,
        seed: u64,
        given: &BTreeMap<String, String>,
    ) -> Result<Settings, Vec<String>> {
        let mut switches: BTreeMap<String, String> =
            self.switches.iter().map(|s| (s.name.to_owned(), s.values[0].to_owned())).collect();
        let mut problems = Vec::new();
        for (name, value) in given {
            match self.switches.iter().find(|s| s.name == name) {
                Some(s) if s.values.contains(&value.as_str()) => {
                    switches.insert(name.clone(), value.clone());
                }
                Some(s) => {
                    problems.push(format!("{name}: `{value}` is not allowed; expected one of {}.", s.values.join(", ")))
                }
                None if self.switches.is_empty() => problems.push(format!("The study `{}` has no switches.", self.id)),
                None => {
                    let names: Vec<&str> = self.switches.iter().map(|s| s.name).collect();
                    problems.push(format!(
                        "The study `{}` has no switch `{name}`; expected one of {}.",
                        self.id,
                        names.join(", ")
                    ));
                }
            }
        }
        if problems.is_empty() { Ok(Settings { size, seed, switches }) } else { Err(problems) }
    }

    /// Settings with those of the given switches that the study has; the others keep their
    /// defaults.
    pub fn known_settings(&self, size: StudySize, switches: &BTreeMap<String, String>) -> Settings {
        let known = switches.iter().filter(|(n, _)| self.switches.iter().any(|s| s.name == n.as_str()));
        let given = known.map(|(n, v)| (n.clone(), v.clone())).collect();
        let default = || Settings { size, seed: 1, switches: BTreeMap::new() };
        self.settings(size, 1, &given)
            .or_else(|_| self.settings(size, 1, &BTreeMap::new()))
            .unwrap_or_else(|_| default())
    }

    /// What its results are filed under.
    pub fn header(&self, settings: &Settings) -> Header {
        Header {
            version: VERSION.into(),
            study: self.id.into(),
            size: settings.size.name().into(),
            seed: settings.seed,
            switches: settings.switches.clone(),
        }
    }

    /// All its jobs, in order.
    pub fn points(&self, settings: &Settings) -> Result<Vec<GridPoint>, Vec<String>> {
        let (mut points, mut problems) = (Vec::new(), Vec::new());
        for mut experiment in (self.experiments)(settings) {
            experiment.base.spec.seed = Some(settings.seed.to_string());
            match experiment.points() {
                Ok(more) => points.extend(more),
                Err(wrong) => problems.extend(wrong),
            }
        }
        if problems.is_empty() { Ok(points) } else { Err(problems) }
    }

    /// Charts and verdicts of what was measured, explored and observed.
    pub fn report(&self, data: &Data) -> StudyReport {
        let mut tables = (self.tables)(data);
        tables.extend(waits(&data.measured.iter().map(|(p, r)| (p, r)).collect::<Vec<_>>()));
        StudyReport { charts: (self.charts)(data), tables, claims: (self.claims)(data) }
    }
}

/// For studies without a system to explore.
fn no_questions(_: &Settings) -> Vec<StudyQuestion> {
    Vec::new()
}

/// For studies of papers without a table.
fn no_tables(_: &Data) -> Vec<StudyTable> {
    Vec::new()
}

/// For studies without single runs.
fn nothing(_: &Settings) -> BTreeMap<String, f64> {
    BTreeMap::new()
}
