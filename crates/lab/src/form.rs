//! The form behind an experiment of one's own: the rows of a job, what varies, their problems, and
//! the experiment it makes.

use crate::{Experiment, GridAxis, Job};
use lockstep_algorithms::ALL;
use lockstep_spec::{Field, FieldForm, FieldKind, FormField, Spec, Use};
use serde_json::{Value, json};

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
    /// What all points share.
    pub base: Spec,
}

/// One value as a document writes it.
fn value(field: &Field, text: &str) -> Value {
    match (field.kind, text.parse::<u64>(), text.parse::<f64>()) {
        (FieldKind::Whole | FieldKind::Number | FieldKind::PerNode, Ok(whole), _) => json!(whole),
        (FieldKind::Whole | FieldKind::Number | FieldKind::PerNode, _, Ok(number)) => json!(number),
        (FieldKind::Flag, ..) => text.parse::<bool>().map_or_else(|_| json!(text), Value::Bool),
        _ => json!(text),
    }
}

/// A field of the form: every one of a job but the algorithm and its parameters, which are
/// compared.
fn field(name: &str) -> Option<&'static Field> {
    Field::of(Use::Measure).find(|f| f.name == name && !matches!(f.kind, FieldKind::Algorithm | FieldKind::Params))
}

impl ExperimentForm {
    /// A first experiment to start from.
    pub fn first() -> ExperimentForm {
        ExperimentForm {
            algorithms: ["alien v2", "naimi-trehel", "raymond"].map(String::from).to_vec(),
            vary: "rate".into(),
            values: first_values("rate").into(),
            base: Spec::default().nodes(31).entries(5_000).warmup(500).replications(3).seed(1).bypass(false),
        }
    }

    /// The same with another text in a field that all points share.
    pub fn set(&self, name: &str, text: &str) -> ExperimentForm {
        let mut form = FieldForm::new(Use::Measure, self.base.clone());
        let _ = form.set(name, text); // the rows show the problem
        ExperimentForm { base: form.spec().clone(), ..self.clone() }
    }

    /// The same with another field that varies, over values to start from.
    pub fn varying(&self, name: &str) -> ExperimentForm {
        ExperimentForm { vary: name.into(), values: first_values(name).into(), ..self.clone() }
    }

    /// The values that vary.
    fn split(&self) -> Vec<&str> {
        self.values.split([' ', ',', ';']).filter(|v| !v.is_empty()).collect()
    }

    /// The form of the first point of each algorithm; of any algorithm where none is chosen.
    fn points(&self) -> Vec<FieldForm> {
        let all = comparable_algorithms();
        let chosen = self.algorithms.iter().filter_map(|label| all.iter().find(|(l, _)| l == label));
        let mut sets: Vec<Value> = chosen.map(|(_, set)| set.clone()).collect();
        if sets.is_empty() {
            sets.push(json!({ "algorithm": "naimi-trehel" }));
        }
        let point = |set: &Value| {
            let mut spec = self.base.clone();
            for (name, value) in set.as_object().into_iter().flatten() {
                Field::find(name).into_iter().for_each(|field| spec.put(field, name, value));
            }
            let mut form = FieldForm::new(Use::Measure, spec);
            // `values_problem` shows what is wrong
            let _ = self.split().first().map(|value| form.set(&self.vary, value));
            form
        };
        sets.iter().map(point).collect()
    }

    /// Every row that makes a difference to an algorithm, each with its first problem; the row of
    /// the field that varies among them.
    pub fn rows(&self) -> Vec<FormField> {
        let points: Vec<Vec<FormField>> = self.points().iter().map(FieldForm::rows).collect();
        let of_all = |row: &FormField| {
            let same = || points.iter().flatten().filter(|other| other.name == row.name);
            let problem = same().find_map(|other| other.problem.clone());
            FormField { relevant: same().any(|other| other.relevant), problem, ..row.clone() }
        };
        let rows = points[0].iter().filter(|row| field(&row.name).is_some()).map(of_all);
        rows.filter(|row| row.relevant || !row.text.is_empty()).collect()
    }

    /// The problem of the values that vary.
    pub fn values_problem(&self) -> Option<String> {
        let values = self.split();
        if values.is_empty() {
            return Some("values: none are given; expected at least one, such as 0.1 1 10.".into());
        }
        let points = self.points();
        let of_first = points.iter().flat_map(FieldForm::problems).find(|problem| problem.field == self.vary);
        let of_value = |text: &&str| points[0].clone().set(&self.vary, text).err();
        of_first.or_else(|| values.iter().take(50).find_map(of_value)).map(|problem| problem.to_string())
    }

    /// The experiment, or all its problems.
    pub fn experiment(&self) -> Result<Experiment, Vec<String>> {
        if self.algorithms.is_empty() {
            return Err(vec!["algorithms: none is chosen; expected at least one.".into()]);
        }
        let rows = self.rows().into_iter().filter(|row| row.name != self.vary);
        let problems: Vec<String> = rows.filter_map(|row| row.problem).chain(self.values_problem()).collect();
        if !problems.is_empty() {
            return Err(problems);
        }
        let all = comparable_algorithms();
        let cases = self.algorithms.iter().filter_map(|label| all.iter().find(|(l, _)| l == label).cloned());
        let varied = field(&self.vary).ok_or_else(|| vec![format!("`{}` cannot vary.", self.vary)])?;
        let mut base = self.base.clone();
        *(varied.slot)(&mut base) = None;
        let experiment = Experiment {
            name: "own".into(),
            title: format!("{} over {}", self.algorithms.join(", "), self.vary),
            base: Job::from(base),
            vary: vec![
                GridAxis::cases("algorithm", cases),
                GridAxis::of(&self.vary, self.split().into_iter().map(|text| value(varied, text))),
            ],
        };
        experiment.check().map(|()| experiment)
    }

    /// The form of an experiment; none where the document says more than the form can.
    pub fn of(experiment: &Experiment) -> Option<ExperimentForm> {
        let [algorithm, axis] = &experiment.vary[..] else { return None };
        let varied = field(&axis.name).filter(|_| algorithm.name == "algorithm" && axis.cases.is_empty())?;
        let all = comparable_algorithms();
        let sets = algorithm.cases.iter().map(|c| Value::Object(c.set.clone()));
        let named = algorithm.values.iter().map(|v| json!({ "algorithm": v }));
        let labels = sets.chain(named).map(|set| all.iter().find(|(_, s)| *s == set).map(|(l, _)| l.clone()));
        let text = |v: &Value| v.as_str().map_or_else(|| v.to_string(), str::to_owned);
        let form = ExperimentForm {
            algorithms: labels.collect::<Option<_>>()?,
            vary: varied.name.into(),
            values: axis.values.iter().map(text).collect::<Vec<_>>().join(" "),
            base: experiment.base.spec.clone(),
        };
        // nothing of the document may be lost on the way
        let again = form.experiment().ok()?;
        let same = again.outline() == Experiment { name: again.name.clone(), ..experiment.clone() }.outline();
        (same && again.vary[1].values == axis.values).then_some(form)
    }
}

/// Values to start from, where another field is to vary.
fn first_values(name: &str) -> &'static str {
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
        "bandwidth" => "10 100 1000",
        _ if Field::find(name).is_some_and(|f| f.kind == FieldKind::Flag) => "false true",
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
        let problem = |form: &ExperimentForm, name: &str| {
            form.rows().into_iter().find(|row| row.name == name).and_then(|row| row.problem)
        };
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
            let form = ExperimentForm::first().set(name, text);
            assert!(problem(&form, name).is_some_and(|why| why.contains(text)), "{name} = {text}");
            assert!(form.experiment().is_err(), "{name} = {text}");
            assert_eq!(problem(&form.set(name, ""), name), None);
        }
        let form = ExperimentForm { values: "0.1 0".into(), ..ExperimentForm::first() };
        assert!(form.values_problem().is_some_and(|why| why.contains("rate")), "{:?}", form.values_problem());
        // one of the algorithms that are compared may be what is wrong
        let form = ExperimentForm { algorithms: vec!["swq".into()], ..ExperimentForm::first() }.set("cells", "16");
        assert_eq!(problem(&form, "cells"), None);
        let both = ExperimentForm { algorithms: vec!["swq".into(), "raymond".into()], ..form };
        assert!(problem(&both, "cells").is_some_and(|why| why.contains("`raymond` locks no ranges")));
    }

    #[test]
    fn every_field_can_be_set_and_can_vary() {
        let carrier = ALL.iter().find(|e| e.drive.ranges && e.drive.carries_cells && !e.printed).unwrap();
        let label = comparable_algorithms().into_iter().map(|(label, _)| label).find(|l| l.starts_with(carrier.id));
        for name in Field::of(Use::Measure).map(|f| f.name).filter(|name| field(name).is_some()) {
            let text = first_values(name).split(' ').next_back().unwrap();
            let mut form =
                ExperimentForm { algorithms: label.clone().into_iter().collect(), ..ExperimentForm::first() };
            form = form.varying(if name == "threads" { "entries" } else { "threads" }).set("cells", "16");
            if ["first", "requests"].contains(&name) {
                form = form.set("think", "exp:1");
            }
            if name == "delay_global" {
                form = form.set("nodes", "").set("topology", "clusters:3x3");
            }
            let form = form.set(name, text);
            let experiment = form.experiment().unwrap_or_else(|why| panic!("{name} = {text}: {why:?}"));
            let given = Field::find(name).and_then(|f| (f.get)(&experiment.base.spec)).map(String::as_str);
            assert_eq!(given, Some(text), "{name}");
            let again = ExperimentForm::of(&Experiment::read(&experiment.toml()).unwrap()).unwrap();
            assert_eq!(again.experiment().unwrap().points(), experiment.points(), "{name}");
            // and it can vary
            let mut form =
                ExperimentForm { algorithms: label.clone().into_iter().collect(), ..ExperimentForm::first() };
            if name == "delay_global" {
                form = form.set("nodes", "").set("topology", "clusters:3x3");
            }
            if ["first", "requests"].contains(&name) {
                form = form.set("think", "exp:1").set("warmup", "0");
            }
            let varied = form.set("cells", "16").varying(name);
            let points = varied.experiment().and_then(|e| e.points()).unwrap_or_else(|why| panic!("{name}: {why:?}"));
            assert_eq!(points.len(), first_values(name).split(' ').count(), "{name}");
        }
    }

    #[test]
    fn every_algorithm_can_be_compared() {
        let all = comparable_algorithms();
        assert!(all.len() >= 21 && all.iter().any(|(l, _)| l == "alien v2"));
        for (label, _) in all {
            let form = ExperimentForm { algorithms: vec![label.clone()], ..ExperimentForm::first() };
            let points = form.experiment().and_then(|e| e.points()).unwrap_or_else(|why| panic!("{label}: {why:?}"));
            assert_eq!(points.len(), 7);
        }
    }
}
