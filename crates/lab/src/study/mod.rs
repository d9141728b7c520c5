//! The texts' studies: their experiments, their charts, and their claims put to the test.
//!
//! A study is a preset: [`Study::points`] are its jobs, which anybody may run in any order and on any machine; [`Data`] is what they
//! measured; [`Study::report`] makes charts and verdicts of that. Nothing here is written by hand that a run could say.

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
mod wait_free;

pub use claim::{ClaimVerdict, StudyClaim};
pub use data::{Data, Metric, messages, number, waiting};
pub use look::style;
pub use prove::prove;

use crate::{Experiment, GridPoint, Header, Record, VERSION};
use lockstep_chart::Chart;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// Every study.
pub const ALL: &[Study] =
    &[alien::STUDY, notes::STUDY, hierarchical::STUDY, ranged::STUDY, wait_free::STUDY, beyond::STUDY];

/// The study of that id, or a sentence that says what there is.
pub fn find(id: &str) -> Result<&'static Study, String> {
    ALL.iter().find(|s| s.id == id).ok_or_else(|| {
        let ids: Vec<&str> = ALL.iter().map(|s| s.id).collect();
        let id: String = id.escape_default().take(60).collect();
        format!("There is no study `{id}`; there are {}.", ids.join(", "))
    })
}

/// A text's study.
pub struct Study {
    /// Its name for scripts.
    pub id: &'static str,
    /// Its name for people.
    pub title: &'static str,
    /// The text.
    pub source: &'static str,
    /// What is measured.
    pub about: &'static str,
    /// What is assumed where the text is silent or wrong.
    pub notes: &'static [&'static str],
    /// Interpretations that can be chosen.
    pub switches: &'static [Switch],
    /// Its grids.
    pub experiments: fn(&Settings) -> Vec<Experiment>,
    /// What has to be explored, for those who can.
    pub questions: fn(&Settings) -> Vec<StudyQuestion>,
    /// What has to be watched in single runs: names and numbers.
    pub observe: fn(&Settings) -> BTreeMap<String, f64>,
    /// Its charts.
    pub charts: fn(&Data) -> Vec<Chart>,
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

/// How much is run.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum StudySize {
    /// As the text did.
    #[default]
    Full,
    /// Enough to see everything.
    Quick,
    /// Enough to try the machinery.
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

/// A small system of which every order of events is to be tried.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct StudyQuestion {
    /// Its name.
    pub id: &'static str,
    /// The algorithm.
    pub algorithm: &'static str,
    /// Its parameters.
    pub params: &'static [(&'static str, &'static str)],
    /// Nodes; ignored where the topology says it.
    pub nodes: usize,
    /// Requests of each node; none for no end, when starvation is looked for.
    pub requests: Option<u32>,
    /// Initial pointers.
    pub topology: &'static str,
    /// `fifo` or `unordered`.
    pub network: &'static str,
    /// Cells of a divided resource.
    pub cells: u16,
}

/// The answer to a [`StudyQuestion`].
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Proof {
    /// Whether every state was seen and nothing was violated.
    pub holds: bool,
    /// What was found, as a sentence without its full stop.
    pub found: String,
}

/// Charts and verdicts.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct StudyReport {
    /// The charts.
    pub charts: Vec<Chart>,
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
                    problems.push(format!("`{name}` cannot be `{value}`; it is one of {}.", s.values.join(", ")))
                }
                None if self.switches.is_empty() => problems.push(format!("The study `{}` has no switches.", self.id)),
                None => {
                    let names: Vec<&str> = self.switches.iter().map(|s| s.name).collect();
                    problems.push(format!("`{}` has no switch `{name}`; it has {}.", self.id, names.join(", ")));
                }
            }
        }
        if problems.is_empty() { Ok(Settings { size, seed, switches }) } else { Err(problems) }
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
            experiment.base.seed = settings.seed;
            match experiment.points() {
                Ok(more) => points.extend(more),
                Err(wrong) => problems.extend(wrong),
            }
        }
        if problems.is_empty() { Ok(points) } else { Err(problems) }
    }

    /// Charts and verdicts of what was measured, explored and observed.
    pub fn report(&self, data: &Data) -> StudyReport {
        StudyReport { charts: (self.charts)(data), claims: (self.claims)(data) }
    }

    /// What was measured, ready to be asked; points without a record are left out.
    pub fn data(
        &self,
        settings: &Settings,
        points: &[GridPoint],
        records: &BTreeMap<String, Record>,
        proofs: BTreeMap<String, Proof>,
    ) -> Data {
        let measured = points.iter().filter_map(|p| Some((p.clone(), records.get(&p.key)?.clone()))).collect();
        Data { settings: settings.clone(), measured, proofs, observed: (self.observe)(settings) }
    }
}

/// For studies that have nothing to explore.
fn no_questions(_: &Settings) -> Vec<StudyQuestion> {
    Vec::new()
}

/// For studies that have nothing to watch.
fn nothing(_: &Settings) -> BTreeMap<String, f64> {
    BTreeMap::new()
}
