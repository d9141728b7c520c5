//! A grid of jobs: what stays the same, what varies, and the points in their order.

use crate::{Job, validate};
use lockstep_kernel::sort;
use lockstep_spec::{FIELDS, Field, FieldKind, exact};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

/// The most points of a grid.
const MOST_POINTS: u128 = 20_000;
/// Once there are more problems than these, the other points are not checked.
const MOST_PROBLEMS: usize = 1_000;
/// Of a grid with more points a form only checks those along its axes, and of longer axes these.
const CHECKED_POINTS: usize = 100;
/// So many nodes at most are set up for that.
const CHECKED_NODES: usize = 100_000;

/// A grid of jobs: every combination of what varies, over one base. All algorithms use the same
/// seeds, so that they get the same workload.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Experiment {
    /// Its short name.
    pub name: String,
    /// What it is about.
    pub title: String,
    /// What all points share.
    pub base: Job,
    /// What varies; the last axis varies fastest.
    pub vary: Vec<GridAxis>,
}

/// What varies: values of one field, or cases that set several fields.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct GridAxis {
    /// The field of the job (`rate`, `threads`, `params.threshold`), or any name where there are
    /// cases.
    pub name: String,
    /// The values of that field.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub values: Vec<Value>,
    /// Or cases.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub cases: Vec<GridCase>,
}

/// Fields that vary together.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct GridCase {
    /// How tables and charts call it.
    pub label: String,
    /// Fields of the job and their values.
    pub set: Map<String, Value>,
}

/// One job of a grid.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct GridPoint {
    /// The experiment's name.
    pub experiment: String,
    /// Where on each axis.
    pub at: Vec<(String, String)>,
    /// The digest of the job.
    pub key: String,
    /// The job.
    pub job: Job,
}

impl GridAxis {
    /// The values of one field.
    pub fn of<T: Into<Value>>(name: &str, values: impl IntoIterator<Item = T>) -> Self {
        GridAxis { name: name.into(), values: values.into_iter().map(Into::into).collect(), cases: Vec::new() }
    }

    /// Cases that set several fields, each a JSON object.
    pub fn cases(name: &str, cases: impl IntoIterator<Item = (String, Value)>) -> Self {
        let case = |(label, set): (String, Value)| GridCase {
            label,
            set: match set {
                Value::Object(set) => set,
                _ => Map::new(),
            },
        };
        GridAxis { name: name.into(), values: Vec::new(), cases: cases.into_iter().map(case).collect() }
    }

    fn len(&self) -> usize {
        self.values.len() + self.cases.len()
    }

    /// The label of the value at a place, and the fields it sets.
    fn at(&self, place: usize) -> (String, Vec<(&str, &Value)>) {
        match self.values.get(place) {
            Some(value) => (label(value), vec![(self.name.as_str(), value)]),
            None => {
                let case = &self.cases[place - self.values.len()];
                (case.label.clone(), case.set.iter().map(|(name, value)| (name.as_str(), value)).collect())
            }
        }
    }
}

/// A value as tables call it.
pub(crate) fn label(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        other => other.to_string(),
    }
}

impl Experiment {
    /// Reads an experiment from TOML, or from JSON if it begins with a brace. Every problem is a
    /// sentence. Its points are not checked: there may be many.
    pub fn parse(text: &str) -> Result<Self, Vec<String>> {
        let read = if text.trim_start().starts_with('{') {
            serde_json::from_str(text).map_err(|why| format!("The experiment cannot be read: {why}."))
        } else {
            toml::from_str(text).map_err(|why| {
                let line = 1 + why.span().and_then(|s| text.get(..s.start)).unwrap_or("").matches('\n').count();
                format!("The experiment cannot be read, line {line}: {}.", why.message().replace('\n', ", "))
            })
        };
        read.or_else(|why: String| exact::too_large(text, &why).ok_or_else(|| vec![why]))
    }

    /// The same; every point is checked too.
    pub fn read(text: &str) -> Result<Self, Vec<String>> {
        let experiment = Experiment::parse(text)?;
        match experiment.points() {
            Ok(_) => Ok(experiment),
            // problems repeat numbers as they were written
            Err(problems) => {
                let exact = exact::read::<Experiment>(text);
                let again = exact.and_then(|experiment| experiment.points().err()).unwrap_or_default();
                Err(exact::reworded_sentences(problems, again))
            }
        }
    }

    /// All points in order, or every problem.
    pub fn points(&self) -> Result<Vec<GridPoint>, Vec<String>> {
        GridBuilder::new(self).finish()
    }

    /// Whether its points are valid: all of them, or, where there are many, some along its axes.
    pub fn check(&self) -> Result<(), Vec<String>> {
        self.outline().map(drop)
    }

    /// All points, or, where there are many, some that differ from the first one on one axis: what
    /// a form can build between two keys. A [`GridBuilder`] finds the problems of the others.
    pub(crate) fn outline(&self) -> Result<Vec<GridPoint>, Vec<String>> {
        let mut builder = GridBuilder::new(self);
        let most = (CHECKED_NODES / (self.base.number("nodes") as usize).max(1)).clamp(2, CHECKED_POINTS);
        if builder.all > most {
            let mut stride = 1;
            let mut places = vec![0];
            for axis in self.vary.iter().rev() {
                places.extend((1..axis.len()).map(|place| place * stride));
                stride *= axis.len();
            }
            let step = places.len().div_ceil(most);
            builder.places = Some(places.into_iter().step_by(step).collect());
        }
        builder.finish()
    }

    /// What is wrong with the grid itself.
    fn problems(&self) -> Vec<String> {
        let mut problems = Vec::new();
        for (i, axis) in self.vary.iter().enumerate() {
            let name = &axis.name;
            if axis.len() == 0 {
                problems.push(format!("{name}: it varies but has no values; expected at least one."));
            }
            if !axis.values.is_empty() && !axis.cases.is_empty() {
                problems.push(format!("{name}: it has values and cases; expected only one of them."));
            }
            if self.vary[..i].iter().any(|a| a.name == *name) {
                problems.push(format!("{name}: it varies twice; expected one axis with all its values."));
            }
            let mut labels: Vec<String> = (0..axis.len().min(MOST_POINTS as usize)).map(|p| axis.at(p).0).collect();
            sort::by(&mut labels, Ord::cmp);
            if let Some(pair) = labels.windows(2).find(|pair| pair[0] == pair[1]) {
                problems.push(format!("{name}: `{}` is listed twice; expected once.", pair[0]));
            }
        }
        let points: u128 = self.vary.iter().map(|a| a.len().max(1) as u128).fold(1, u128::saturating_mul);
        if points > MOST_POINTS {
            let sizes: Vec<String> = self.vary.iter().map(|a| format!("{} of `{}`", a.len(), a.name)).collect();
            problems
                .push(format!("The grid has {points} points ({}); expected at most {MOST_POINTS}.", sizes.join(" × ")));
        }
        problems
    }

    fn point(&self, index: usize) -> Result<GridPoint, Vec<String>> {
        let Ok(Value::Object(mut fields)) = serde_json::to_value(&self.base) else {
            return Err(vec!["The base cannot be written down.".into()]);
        };
        let (mut rest, mut at) = (index, Vec::new());
        for axis in self.vary.iter().rev() {
            let (label, set) = axis.at(rest % axis.len());
            rest /= axis.len();
            set.into_iter().for_each(|(name, value)| put(&mut fields, name, value));
            at.push((axis.name.clone(), label));
        }
        at.reverse();
        let place = || {
            let words: Vec<String> = at.iter().map(|(name, label)| format!("{name} {label}")).collect();
            if words.is_empty() { String::new() } else { format!("At {}: ", words.join(", ")) }
        };
        let job: Job =
            serde_json::from_value(Value::Object(fields)).map_err(|why| vec![format!("{}{why}.", place())])?;
        let problems = validate(&job);
        if !problems.is_empty() {
            let problems = exact::reworded_sentences(problems, validate(&self.as_written(&job, &at)));
            return Err(problems.into_iter().map(|why| place() + &why).collect());
        }
        Ok(GridPoint { experiment: self.name.clone(), at, key: job.key(), job })
    }
}

impl Experiment {
    /// A job of the grid with the strings of the base where no axis sets the field: a document has
    /// numbers, and a problem repeats what was written.
    fn as_written(&self, job: &Job, at: &[(String, String)]) -> Job {
        let mut job = job.clone();
        let cases = self.vary.iter().flat_map(|axis| &axis.cases).flat_map(|case| case.set.keys());
        let set: Vec<&str> = at.iter().map(|(name, _)| name.as_str()).chain(cases.map(String::as_str)).collect();
        let varies = |field: &Field| set.iter().any(|name| *name == field.name || field.aliases.contains(name));
        for field in FIELDS.iter().filter(|field| field.kind != FieldKind::Params && !varies(field)) {
            *(field.slot)(&mut job.spec) = (field.get)(&self.base.spec).cloned();
        }
        job
    }
}

/// Builds the points of a grid in slices, so that a page stays responsive meanwhile.
pub struct GridBuilder {
    experiment: Experiment,
    /// How many points there are.
    all: usize,
    /// The points to build; all, if none are named.
    places: Option<Vec<usize>>,
    next: usize,
    points: Vec<GridPoint>,
    problems: Vec<String>,
}

impl GridBuilder {
    /// Begins: no point is built yet.
    pub fn new(experiment: &Experiment) -> Self {
        let problems = experiment.problems();
        let all = if problems.is_empty() { experiment.vary.iter().map(GridAxis::len).product() } else { 0 };
        GridBuilder { experiment: experiment.clone(), all, places: None, next: 0, points: Vec::new(), problems }
    }

    /// How many points are built, and how many there are.
    pub fn progress(&self) -> (usize, usize) {
        (self.next, self.all)
    }

    /// Builds so many more points; whether all are built, or too many have problems.
    pub fn advance(&mut self, points: usize) -> bool {
        let all = self.places.as_ref().map_or(self.all, Vec::len);
        for _ in 0..points {
            if self.next >= all || self.problems.len() > MOST_PROBLEMS {
                break;
            }
            let place = self.places.as_ref().map_or(self.next, |places| places[self.next]);
            self.next += 1;
            match self.experiment.point(place) {
                Ok(point) => self.points.push(point),
                Err(wrong) => {
                    let new = wrong.into_iter().filter(|w| !self.problems.contains(w)).collect::<Vec<_>>();
                    self.problems.extend(new);
                }
            }
        }
        self.next >= all || self.problems.len() > MOST_PROBLEMS
    }

    /// Builds the rest: all points in order, or every problem.
    pub fn finish(mut self) -> Result<Vec<GridPoint>, Vec<String>> {
        while !self.advance(usize::MAX) {}
        if self.problems.len() > MOST_PROBLEMS {
            self.problems.truncate(MOST_PROBLEMS);
            let (checked, all) = (self.next, self.places.as_ref().map_or(self.all, Vec::len));
            self.problems.push(format!(
                "There are more than {MOST_PROBLEMS} problems at the first {checked} of {all} points; the others were \
                 not checked."
            ));
        }
        if self.problems.is_empty() { Ok(self.points) } else { Err(self.problems) }
    }
}

/// Sets a field; `params` are added to those that are there, and `params.threshold` is one of them.
fn put(fields: &mut Map<String, Value>, name: &str, value: &Value) {
    let (name, inner) = match (name.split_once('.'), value) {
        (Some((outer, inner)), value) => (outer, vec![(inner, value)]),
        (None, Value::Object(map)) => (name, map.iter().map(|(k, v)| (k.as_str(), v)).collect()),
        _ => {
            fields.insert(name.into(), value.clone());
            return;
        }
    };
    let map = fields.entry(name).or_insert_with(|| Value::Object(Map::new()));
    if let Value::Object(map) = map {
        map.extend(inner.into_iter().map(|(k, v)| (k.to_owned(), v.clone())));
    }
}

impl GridPoint {
    /// The label on an axis; empty where there is no such axis.
    pub fn on(&self, axis: &str) -> &str {
        self.at.iter().find(|(name, _)| name == axis).map_or("", |(_, label)| label)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_form_builds_few_points_of_a_long_axis_and_fewer_of_large_systems() {
        let along = |nodes: usize| {
            let base = Job::default().with(|s| s.algorithm("raymond").nodes(nodes).entries(10));
            let own = Experiment { base, vary: vec![GridAxis::of("seed", 1..=20_000)], ..Experiment::default() };
            own.outline().unwrap()
        };
        let few = along(3);
        assert_eq!((few.len(), few[0].on("seed"), few[99].on("seed")), (CHECKED_POINTS, "1", "19801"));
        assert_eq!(along(20_000).len(), 5);
    }
}
