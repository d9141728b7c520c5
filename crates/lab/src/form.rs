//! The form behind an experiment of one's own: its fields, their problems, and the experiment it
//! makes.

use crate::{Experiment, GridAxis, Job, validate};
use lockstep_algorithms::ALL;
use lockstep_spec::{Field, FieldKind};
use serde_json::{Map, Value, json};
use std::collections::BTreeMap;

/// What can be set, and can vary: fields of a job, with titles and help from the table of fields.
pub const EXPERIMENT_FIELDS: [&str; 17] = [
    "rate",
    "nodes",
    "threads",
    "delay",
    "section",
    "think",
    "first",
    "requests",
    "topology",
    "network",
    "delay_global",
    "cells",
    "range",
    "entries",
    "warmup",
    "replications",
    "seed",
];

/// Whether the document writes a field as a number.
fn is_number(field: &Field) -> bool {
    matches!(field.kind, FieldKind::Whole | FieldKind::Number | FieldKind::PerNode)
}

/// An algorithm that can be compared: its label and the fields it sets.
pub fn comparable_algorithms() -> Vec<(String, Value)> {
    let mut all = Vec::new();
    for entry in ALL.iter().filter(|e| !e.printed) {
        match entry.params.iter().find(|p| p.name == "variant") {
            Some(variant) => {
                all.extend(variant.values.iter().map(|v| {
                    (format!("{} {v}", entry.id), json!({ "algorithm": entry.id, "params": { "variant": v } }))
                }))
            }
            None => all.push((entry.id.to_owned(), json!({ "algorithm": entry.id }))),
        }
    }
    all
}

/// The contents of the form.
#[derive(Clone, PartialEq, Debug)]
pub struct ExperimentForm {
    /// Labels of [`comparable_algorithms`].
    pub algorithms: Vec<String>,
    /// The field that varies.
    pub vary: String,
    /// Its values, with blanks or commas between them.
    pub values: String,
    /// The text of each field.
    pub fields: BTreeMap<&'static str, String>,
}

/// One value as the document writes it, or its problem.
fn value(field: &Field, text: &str) -> Result<Value, String> {
    if !is_number(field) {
        return Ok(json!(text));
    }
    match (text.parse::<u64>(), text.parse::<f64>()) {
        (Ok(whole), _) => Ok(json!(whole)),
        (_, Ok(number)) if number.is_finite() => Ok(json!(number)),
        _ => Err(format!("{}: “{text}” is not a number.", field.name)),
    }
}

/// The problems of a job that sets nothing but this field.
fn alone(name: &str, value: &Value) -> Vec<String> {
    let mut fields = Map::new();
    fields.insert("algorithm".into(), json!("naimi-trehel"));
    if name == "requests" || name == "first" {
        fields.insert("think".into(), json!("const:1"));
    }
    if name == "range" {
        fields.insert("algorithm".into(), json!("swq"));
        fields.insert("cells".into(), json!(64));
    }
    if name == "cells" {
        fields.insert("algorithm".into(), json!("swq"));
    }
    if name == "delay_global" || (name == "topology" && value.as_str().is_some_and(|t| t.starts_with("clusters"))) {
        fields.insert("topology".into(), json!("clusters:3x3"));
    }
    fields.insert(name.into(), value.clone());
    match serde_json::from_value::<Job>(Value::Object(fields)) {
        Ok(job) => validate(&job),
        Err(why) => vec![format!("{why}.")],
    }
}

fn field(name: &str) -> Option<&'static Field> {
    EXPERIMENT_FIELDS.contains(&name).then(|| Field::find(name)).flatten()
}

impl ExperimentForm {
    /// A first experiment to start from.
    pub fn first() -> ExperimentForm {
        let fields = [("nodes", "31"), ("entries", "5000"), ("warmup", "500"), ("replications", "3"), ("seed", "1")];
        ExperimentForm {
            algorithms: ["alien v2", "naimi-trehel", "raymond"].map(String::from).to_vec(),
            vary: "rate".into(),
            values: "0.01 0.03 0.1 0.3 1 3 10".into(),
            fields: fields.map(|(name, value)| (name, value.to_owned())).into(),
        }
    }

    /// The values that vary.
    fn split(&self) -> Vec<&str> {
        self.values.split([' ', ',', ';']).filter(|v| !v.is_empty()).collect()
    }

    /// The problem of a field by itself.
    pub fn problem(&self, name: &str) -> Option<String> {
        let text = self.fields.get(name)?.trim();
        if name == self.vary || text.is_empty() {
            return None;
        }
        match value(field(name)?, text) {
            Ok(value) => alone(name, &value).into_iter().next(),
            Err(why) => Some(why),
        }
    }

    /// The problem of the values that vary.
    pub fn values_problem(&self) -> Option<String> {
        let values = self.split();
        if values.is_empty() {
            return Some("values: none are given; expected at least one, such as 0.1 1 10.".into());
        }
        let field = field(&self.vary)?;
        values.into_iter().take(50).find_map(|text| match value(field, text) {
            Ok(value) => alone(&self.vary, &value).into_iter().next(),
            Err(why) => Some(why),
        })
    }

    /// The experiment, or all its problems.
    pub fn experiment(&self) -> Result<Experiment, Vec<String>> {
        if self.algorithms.is_empty() {
            return Err(vec!["algorithms: none is chosen; expected at least one.".into()]);
        }
        let mut problems: Vec<String> = EXPERIMENT_FIELDS.iter().filter_map(|name| self.problem(name)).collect();
        problems.extend(self.values_problem());
        if !problems.is_empty() {
            return Err(problems);
        }
        let mut base = Map::new();
        base.insert("bypass".into(), json!(false));
        for (name, text) in self.fields.iter().filter(|(n, t)| **n != self.vary && !t.trim().is_empty()) {
            let field = field(name).ok_or_else(|| vec![format!("There is no field {name}.")])?;
            base.insert((*name).into(), value(field, text.trim()).map_err(|why| vec![why])?);
        }
        let known = comparable_algorithms();
        let cases = self.algorithms.iter().filter_map(|label| known.iter().find(|(l, _)| l == label).cloned());
        let varied = field(&self.vary).ok_or_else(|| vec![format!("`{}` cannot vary.", self.vary)])?;
        let values = self.split().into_iter().filter_map(|t| value(varied, t).ok());
        let experiment = Experiment {
            name: "own".into(),
            title: format!("{} over {}", self.algorithms.join(", "), self.vary),
            base: serde_json::from_value(Value::Object(base)).map_err(|why| vec![format!("{why}.")])?,
            vary: vec![GridAxis::cases("algorithm", cases), GridAxis::of(&self.vary, values)],
        };
        experiment.points().map(|_| experiment)
    }

    /// The form of an experiment; none where the document says more than the form can.
    pub fn of(experiment: &Experiment) -> Option<ExperimentForm> {
        let [algorithm, axis] = &experiment.vary[..] else { return None };
        let varied = field(&axis.name).filter(|_| algorithm.name == "algorithm" && axis.cases.is_empty())?;
        let known = comparable_algorithms();
        let sets = algorithm.cases.iter().map(|c| Value::Object(c.set.clone()));
        let named = algorithm.values.iter().map(|v| json!({ "algorithm": v }));
        let labels = sets.chain(named).map(|set| known.iter().find(|(_, s)| *s == set).map(|(l, _)| l.clone()));
        let text = |v: &Value| v.as_str().map_or_else(|| v.to_string(), str::to_owned);
        let brief = experiment.brief();
        let base = brief["base"].as_object()?;
        let mut fields = BTreeMap::new();
        for (name, value) in base.iter().filter(|(n, v)| *n != "bypass" && !v.is_null()) {
            fields.insert(field(name)?.name, text(value));
        }
        let form = ExperimentForm {
            algorithms: labels.collect::<Option<_>>()?,
            vary: varied.name.into(),
            values: axis.values.iter().map(text).collect::<Vec<_>>().join(" "),
            fields,
        };
        // nothing of the document may be lost on the way
        let again = form.experiment().ok()?;
        let same = again.points() == Experiment { name: again.name.clone(), ..experiment.clone() }.points();
        same.then_some(form)
    }
}

/// What an empty field means, where it has a default.
pub fn placeholder(name: &str) -> String {
    match json!(Job::default()).get(name) {
        Some(Value::String(text)) => text.clone(),
        Some(Value::Number(number)) => number.to_string(),
        _ => String::new(),
    }
}

/// Values to start from, where another field is to vary.
pub fn first_values(name: &str) -> &'static str {
    match name {
        "rate" => "0.01 0.03 0.1 0.3 1 3 10",
        "nodes" => "3 7 15 31 63",
        "threads" => "1 2 5 10",
        "delay" | "delay_global" => "const:0.01 const:0.1 const:1",
        "section" => "const:0.001 const:0.01 const:0.1",
        "think" => "exp:0.5 exp:2 exp:8",
        "first" => "const:0 exp:2",
        "requests" => "10 20 40",
        "topology" => "binary-tree chain star",
        "network" => "fifo unordered",
        "cells" => "16 64 256",
        "range" => "1/16 1/8 1/4",
        "entries" => "1000 5000 20000",
        "warmup" => "0 100 1000",
        "replications" => "1 3 10",
        _ => "1",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_form_is_right_and_survives_the_document() {
        let form = ExperimentForm::first();
        let experiment = form.experiment().unwrap();
        assert_eq!(experiment.points().unwrap().len(), 21);
        let again = ExperimentForm::of(&Experiment::read(&experiment.toml()).unwrap()).unwrap();
        assert_eq!(again.experiment().unwrap().points(), experiment.points());
    }

    #[test]
    fn nonsense_is_refused_beside_its_field() {
        let mut form = ExperimentForm::first();
        for (name, text) in [
            ("nodes", "0"),
            ("threads", "many"),
            ("delay", "soon"),
            ("section", "const:-1"),
            ("topology", "heap"),
            ("network", "pigeons"),
            ("entries", "0"),
            ("replications", "0"),
            ("range", "3"),
        ] {
            form.fields.insert(name, text.into());
            assert!(form.problem(name).is_some(), "{name} = {text}");
            assert!(form.experiment().is_err(), "{name} = {text}");
            form.fields.remove(name);
            assert_eq!(form.problem(name), None);
        }
        form.values = "0.1 0".into();
        assert!(form.values_problem().is_some_and(|why| why.contains("rate")), "{:?}", form.values_problem());
    }

    #[test]
    fn every_field_can_be_given_alone_and_every_algorithm_can_be_compared() {
        let right = [
            ("rate", "0.5"),
            ("nodes", "9"),
            ("threads", "2"),
            ("delay", "exp:0.1"),
            ("section", "const:0.1"),
            ("think", "exp:2"),
            ("first", "const:0"),
            ("requests", "5"),
            ("topology", "chain"),
            ("network", "unordered"),
            ("delay_global", "const:1"),
            ("cells", "64"),
            ("range", "1/16"),
            ("entries", "100"),
            ("warmup", "10"),
            ("replications", "2"),
            ("seed", "7"),
        ];
        for (name, text) in right {
            let mut form = ExperimentForm::first();
            form.vary = "threads".into();
            form.fields.insert(name, text.into());
            assert_eq!(form.problem(name), None, "{name}");
        }
        assert_eq!(right.map(|(name, _)| name), EXPERIMENT_FIELDS);
        assert!(
            EXPERIMENT_FIELDS
                .iter()
                .all(|name| field(name).is_some_and(|f| f.default(lockstep_spec::Use::Measure).is_some()))
        );
        let all = comparable_algorithms();
        assert!(all.len() >= 21 && all.iter().any(|(l, _)| l == "alien v2"));
    }
}
