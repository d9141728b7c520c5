//! The form behind an experiment of one's own: what each field means, what is wrong with it, and the experiment it makes. Knows no HTML.

use lockstep_algorithms::ALL;
use lockstep_lab::{Experiment, GridAxis, Job, validate};
use serde_json::{Map, Value, json};
use std::collections::BTreeMap;

/// A field of the form.
pub struct Field {
    /// The field of the job.
    pub name: &'static str,
    /// Its name for people.
    pub title: &'static str,
    /// What it means and what is right.
    pub about: &'static str,
    /// Whether it is a number.
    pub number: bool,
}

const fn number(name: &'static str, title: &'static str, about: &'static str) -> Field {
    Field { name, title, about, number: true }
}

const fn words(name: &'static str, title: &'static str, about: &'static str) -> Field {
    Field { name, title, about, number: false }
}

/// Everything that can be set, and that can vary.
pub const FIELDS: [Field; 17] = [
    number(
        "rate",
        "Rate",
        "Requests per time unit at each node: 0.01 is light, 10 is heavy. Empty with a thinking time.",
    ),
    number("nodes", "Nodes", "How many; where the pointers say it (clusters:3x3), leave it empty."),
    number("threads", "Threads", "User threads at each node; 1 if nothing else is said."),
    words("delay", "Messages take", "const:0.1, uniform:0:0.1 or exp:0.05, in time units."),
    words("section", "Inside for", "The length of a critical section: const:0.01, uniform:0:0.1 or exp:0.05."),
    words(
        "think",
        "Thinking time",
        "Instead of a rate: how long a thread rests after leaving, exp:2. Empty with a rate.",
    ),
    words(
        "first",
        "First thinking time",
        "Before the first request; const:0 and all ask at once. Empty for the same. Only with a thinking time.",
    ),
    number("requests", "Requests", "Of each thread that thinks; empty for 20. Only with a thinking time."),
    words("topology", "Pointers", "The first pointers: binary-tree, chain, star, ring, full, or clusters:3x3."),
    words("network", "Links", "fifo, or unordered: messages may overtake each other."),
    words(
        "delay_global",
        "Between clusters",
        "How long messages take from one cluster to another; empty for the same as inside.",
    ),
    number("cells", "Cells", "Of a divided resource, for locks on ranges; 1 is a plain lock."),
    words("range", "Each asks for", "The part of the resource that a request locks: 1/16, 0.25; 1 is all of it."),
    number("entries", "Entries", "Critical sections that each run measures: 5000 is quick, 100000 precise."),
    number("warmup", "Warm-up", "Critical sections before measuring begins, so that the start does not count."),
    number(
        "replications",
        "Runs",
        "Independent runs for each point; the intervals come from them. With one, from 32 parts of it.",
    ),
    number("seed", "Seed", "The same seed gives the same numbers, here and on the command line."),
];

/// An algorithm that can be compared: its label and the fields it sets.
pub fn algorithms() -> Vec<(String, Value)> {
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

/// What stands in the form.
#[derive(Clone, PartialEq, Debug)]
pub struct Form {
    /// Labels of [`algorithms`].
    pub algorithms: Vec<String>,
    /// The field that varies.
    pub vary: String,
    /// Its values, with blanks or commas between them.
    pub values: String,
    /// What stands in each field.
    pub fields: BTreeMap<&'static str, String>,
}

/// One value as the document writes it, or what is wrong.
fn value(field: &Field, text: &str) -> Result<Value, String> {
    if !field.number {
        return Ok(json!(text));
    }
    match (text.parse::<u64>(), text.parse::<f64>()) {
        (Ok(whole), _) => Ok(json!(whole)),
        (_, Ok(number)) if number.is_finite() => Ok(json!(number)),
        _ => Err(format!("“{text}” is not a number.")),
    }
}

/// A job with nothing but this field, to hear what is wrong with it alone.
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
    FIELDS.iter().find(|f| f.name == name)
}

impl Form {
    /// A first experiment that makes sense.
    pub fn first() -> Form {
        let fields = [("nodes", "31"), ("entries", "5000"), ("warmup", "500"), ("replications", "3"), ("seed", "1")];
        Form {
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

    /// What is wrong with a field by itself.
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

    /// What is wrong with the values that vary.
    pub fn values_problem(&self) -> Option<String> {
        let values = self.split();
        if values.is_empty() {
            return Some("There are no values; right would be at least one, such as 0.1 1 10.".into());
        }
        let field = field(&self.vary)?;
        values.into_iter().take(50).find_map(|text| match value(field, text) {
            Ok(value) => alone(&self.vary, &value).into_iter().next(),
            Err(why) => Some(why),
        })
    }

    /// The experiment, or what is wrong with it as a whole.
    pub fn experiment(&self) -> Result<Experiment, Vec<String>> {
        if self.algorithms.is_empty() {
            return Err(vec!["No algorithm is chosen; right would be at least one.".into()]);
        }
        let mut problems: Vec<String> = FIELDS.iter().filter_map(|f| self.problem(f.name)).collect();
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
        let known = algorithms();
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
    pub fn of(experiment: &Experiment) -> Option<Form> {
        let [algorithm, axis] = &experiment.vary[..] else { return None };
        let varied = field(&axis.name).filter(|_| algorithm.name == "algorithm" && axis.cases.is_empty())?;
        let known = algorithms();
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
        let form = Form {
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_form_is_right_and_survives_the_document() {
        let form = Form::first();
        let experiment = form.experiment().unwrap();
        assert_eq!(experiment.points().unwrap().len(), 21);
        let again = Form::of(&Experiment::read(&experiment.toml()).unwrap()).unwrap();
        assert_eq!(again.experiment().unwrap().points(), experiment.points());
    }

    #[test]
    fn nonsense_is_refused_beside_its_field() {
        let mut form = Form::first();
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
            let mut form = Form::first();
            form.vary = "threads".into();
            form.fields.insert(name, text.into());
            assert_eq!(form.problem(name), None, "{name}");
        }
        assert_eq!(right.len(), FIELDS.len());
        let all = algorithms();
        assert!(all.len() >= 21 && all.iter().any(|(l, _)| l == "alien v2"));
    }
}
