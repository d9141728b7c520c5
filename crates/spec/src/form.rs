//! The model behind the one form of the page: rows to show, values to set, problems beside each
//! row.

use crate::{Field, FieldKind, Limits, Model, Problem, Resolver, Spec, Use};
use lockstep_kernel::{Entry, Line};

/// A form for a system of one use.
///
/// ```
/// use lockstep_spec::{FieldForm, Spec, Use};
/// let mut form = FieldForm::new(Use::Play, Spec::of("alien").nodes(3));
/// assert!(form.set("nodes", "5").is_ok());
/// let problem = form.set("nodes", "0").unwrap_err().to_string();
/// assert_eq!(problem, "nodes: 0 is not allowed; expected 1 to 1,023.");
/// let nodes = form.rows().into_iter().find(|row| row.name == "nodes").unwrap();
/// assert_eq!((nodes.text.as_str(), nodes.problem.is_some()), ("0", true));
/// assert_eq!(nodes.problem_text(), problem);
/// form.set("params.variant", "v1").unwrap();
/// assert_eq!(form.spec().given["variant"], "v1");
/// ```
#[derive(Clone, PartialEq, Debug)]
pub struct FieldForm {
    of: Use,
    spec: Spec,
}

/// A row of a form.
#[derive(Clone, PartialEq, Debug)]
pub struct FormField {
    /// The field, or `params.` and the name of a parameter.
    pub name: String,
    /// Its name for people.
    pub title: String,
    /// One sentence of help, without the marks of code.
    pub help: String,
    /// What its text looks like.
    pub kind: FieldKind,
    /// The unit of its number.
    pub unit: &'static str,
    /// The values to choose from, each with its label; empty for a field to type in.
    pub choices: Vec<(String, String)>,
    /// Whether other values than the choices are allowed.
    pub open: bool,
    /// What was given; empty for the default.
    pub text: String,
    /// What an empty text means.
    pub default: String,
    /// The numbers that are allowed, and why: `1 to 64: every node multiplies the states.`
    pub limits: String,
    /// What is wrong, as one sentence.
    pub problem: Option<String>,
    /// Whether the algorithm makes use of the field; other rows may be hidden.
    pub relevant: bool,
}

impl FormField {
    /// What is wrong, without the marks of code; empty where nothing is.
    pub fn problem_text(&self) -> String {
        self.problem.as_deref().unwrap_or_default().replace('`', "")
    }
}

impl FieldForm {
    /// A form that begins with a spec.
    pub fn new(of: Use, spec: Spec) -> FieldForm {
        FieldForm { of, spec }
    }

    /// What was given so far.
    pub fn spec(&self) -> &Spec {
        &self.spec
    }

    /// Sets a field and says what is then wrong with it; the text stays so that it can be
    /// corrected. An empty text means the default, and a whole number may be written `1,000,000`.
    /// Another algorithm drops parameters, listing lines and what only some algorithms have.
    pub fn set(&mut self, name: &str, text: &str) -> Result<(), Problem> {
        let given = Some(text.trim().to_owned()).filter(|text| !text.is_empty());
        if let Some(param) = name.strip_prefix("params.") {
            match given {
                Some(text) => drop(self.spec.given.insert(param.into(), text)),
                None => drop(self.spec.given.remove(param)),
            }
        } else if let Some(field) = Field::find(name) {
            let digits = |text: String| match field.kind {
                FieldKind::Whole => text.replace([' ', ',', '\u{202f}'], ""),
                _ => text,
            };
            *(field.slot)(&mut self.spec) = given.map(digits);
            if field.kind == FieldKind::Algorithm {
                self.spec.given.clear();
                let Spec { without, symmetry, cells, cancels, placement, range, .. } = &mut self.spec;
                [without, symmetry, cells, cancels, placement, range].into_iter().for_each(|text| *text = None);
            }
        }
        self.problems().into_iter().find(|problem| problem.field == name).map_or(Ok(()), Err)
    }

    /// The system, or every problem.
    pub fn model(&self) -> Result<Model, Vec<Problem>> {
        crate::resolve(&self.spec, Limits::of(self.of))
    }

    /// Everything that is wrong.
    pub fn problems(&self) -> Vec<Problem> {
        let mut resolver = Resolver::new(&self.spec, Limits::of(self.of));
        resolver.run();
        for field in Field::of(self.of).filter(|field| self.own(field)) {
            match field.kind {
                FieldKind::Flag => drop(resolver.flag(field.name)),
                _ if field.name == "requests" => drop(resolver.requests()),
                _ => drop(resolver.whole(field.name)),
            }
        }
        resolver.problems
    }

    /// Whether a field is how to measure or explore, which the system does not depend on.
    fn own(&self, field: &Field) -> bool {
        let own = field.default(Use::Play).is_none() && matches!(field.kind, FieldKind::Whole | FieldKind::Flag);
        own || (self.of == Use::Explore && field.name == "requests")
    }

    /// Every row: the fields of the use, and after the algorithm its parameters.
    pub fn rows(&self) -> Vec<FormField> {
        let problems = self.problems();
        let entry = lockstep_algorithms::find(self.spec.algorithm.as_deref().unwrap_or_default()).ok();
        let problem = |name: &str| problems.iter().find(|p| p.field == name).map(Problem::to_string);
        let mut rows = Vec::new();
        for field in Field::of(self.of) {
            if field.kind == FieldKind::Params {
                rows.extend(entry.map_or(&[][..], |e| e.params).iter().map(|param| FormField {
                    name: format!("params.{}", param.name),
                    title: param.name.into(),
                    help: param.about.into(),
                    kind: FieldKind::Text,
                    unit: "",
                    choices: plain(param.values),
                    open: false,
                    text: self.spec.given.get(param.name).cloned().unwrap_or_default(),
                    default: param.values[0].into(),
                    limits: String::new(),
                    problem: problem(&format!("params.{}", param.name)),
                    relevant: true,
                }));
                continue;
            }
            let text = (field.get)(&self.spec).cloned().unwrap_or_default();
            let mut choices = self.choices(field, entry);
            if !choices.is_empty() && !text.is_empty() && choices.iter().all(|(value, _)| *value != text) {
                choices.push((text.clone(), text.clone()));
            }
            let bound = field.bound(self.of);
            rows.push(FormField {
                name: field.name.into(),
                title: field.title.into(),
                help: field.help.replace('`', ""),
                kind: field.kind,
                unit: field.unit,
                choices,
                // where there are no `clusters`, the topology names them
                open: field.kind == FieldKind::Topology && self.of == Use::Measure,
                text,
                default: field.default(self.of).unwrap_or_default().into(),
                limits: bound.map_or_else(String::new, |b| format!("{}: {}.", b.words(), b.reason)),
                problem: problem(field.name),
                relevant: entry.is_none_or(|e| match field.name {
                    "cells" | "placement" | "range" | "aligned" => e.drive.ranges,
                    "bandwidth" | "blocking" => e.drive.carries_cells,
                    "cancels" => e.drive.cancels,
                    _ => true,
                }),
            });
        }
        rows
    }

    /// The values of a field with their labels, where there are few.
    fn choices(&self, field: &Field, entry: Option<&Entry>) -> Vec<(String, String)> {
        let bound = field.bound(self.of);
        match field.kind {
            FieldKind::Algorithm => {
                let printed = |e: &Entry| e.printed && !e.title.contains("printed");
                let label = |e: &Entry| format!("{}{}", e.title, if printed(e) { ", as printed" } else { "" });
                lockstep_algorithms::ALL.iter().map(|e| (e.id.into(), label(e))).collect()
            }
            FieldKind::Flag => [("false", "off"), ("true", "on")].map(|(v, label)| (v.into(), label.into())).into(),
            FieldKind::Network if self.of == Use::Measure => plain(&["fifo", "unordered"]),
            FieldKind::Whole if bound.is_some_and(|b| b.most - b.least < 2.0) => {
                bound.iter().flat_map(|b| plain(&[b.least.to_string(), b.most.to_string()])).collect()
            }
            FieldKind::Text if field.name == "without" => {
                let lines = entry.into_iter().flat_map(Entry::lines);
                let line = |line: &Line| (line.id.0.to_string(), format!("without: {}", line.text.trim()));
                std::iter::once((String::new(), "complete listing".into())).chain(lines.map(line)).collect()
            }
            kind => plain(&kind.choices()),
        }
    }
}

/// Values that are their own labels.
fn plain(values: &[impl ToString]) -> Vec<(String, String)> {
    values.iter().map(|value| (value.to_string(), value.to_string())).collect()
}
