//! The model behind the one form of the page: rows to show, values to set, problems beside each
//! row.

use crate::{Field, FieldKind, Limits, Model, Problem, Resolver, Spec, Use};

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
    /// One sentence of help.
    pub help: String,
    /// What its text looks like.
    pub kind: FieldKind,
    /// The unit of its number.
    pub unit: &'static str,
    /// The values to choose from, each with its label; empty for a field to type in.
    pub choices: Vec<(String, String)>,
    /// What was given; empty for the default.
    pub text: String,
    /// What an empty text means.
    pub default: String,
    /// What is wrong, as one sentence.
    pub problem: Option<String>,
    /// Whether the algorithm makes use of the field; other rows may be hidden.
    pub relevant: bool,
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
    /// corrected. An empty text means the default. Another algorithm drops parameters, listing
    /// lines and what only some algorithms have.
    pub fn set(&mut self, name: &str, text: &str) -> Result<(), Problem> {
        let given = Some(text.trim().to_owned()).filter(|text| !text.is_empty());
        if let Some(param) = name.strip_prefix("params.") {
            match given {
                Some(text) => drop(self.spec.given.insert(param.into(), text)),
                None => drop(self.spec.given.remove(param)),
            }
        } else if let Some(field) = Field::find(name) {
            *(field.slot)(&mut self.spec) = given;
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
        let rest = Field::of(self.of).filter(|f| self.own(f));
        for field in rest {
            match field.kind {
                FieldKind::Flag => drop(resolver.flag(field.name)),
                _ if self.spec.text(field, self.of) == Some("unlimited") && field.name == "requests" => {}
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
        let plain = |values: &[&str]| values.iter().map(|v| ((*v).to_owned(), (*v).to_owned())).collect::<Vec<_>>();
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
                    text: self.spec.given.get(param.name).cloned().unwrap_or_default(),
                    default: param.values[0].into(),
                    problem: problem(&format!("params.{}", param.name)),
                    relevant: true,
                }));
                continue;
            }
            let choices = match field.kind {
                FieldKind::Algorithm => {
                    lockstep_algorithms::ALL.iter().map(|e| (e.id.into(), e.title.into())).collect()
                }
                FieldKind::Network if self.of == Use::Measure => plain(&["fifo", "unordered"]),
                kind => plain(&kind.choices()),
            };
            rows.push(FormField {
                name: field.name.into(),
                title: field.title.into(),
                help: field.help.into(),
                kind: field.kind,
                unit: field.unit,
                choices,
                text: (field.get)(&self.spec).cloned().unwrap_or_default(),
                default: field.default(self.of).unwrap_or_default().into(),
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
}
