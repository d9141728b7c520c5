//! A spec as a document: values of JSON or TOML become strings, and strings become values again.

use crate::{Field, FieldKind, Spec, Use};
use serde_json::{Map, Value};

/// What a document says of a field that was not given.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Absent {
    /// `null`.
    Null,
    /// Nothing.
    Skip,
    /// The default of the use.
    Default,
}

impl Spec {
    /// A system of an algorithm.
    pub fn of(algorithm: &str) -> Spec {
        Spec::default().algorithm(algorithm)
    }

    /// The same with a parameter of the algorithm.
    pub fn with(mut self, name: &str, value: impl ToString) -> Spec {
        self.given.insert(name.into(), value.to_string());
        self
    }

    /// The text of a field: what was given, or the default of the use.
    pub fn text(&self, field: &Field, of: Use) -> Option<&str> {
        let default = field.default(of).filter(|default| !default.is_empty());
        (field.get)(self).map(String::as_str).or(default)
    }

    /// Takes a value of a document; `per_cell` is the inverse of `bandwidth`.
    pub fn put(&mut self, field: &Field, name: &str, value: &Value) {
        if let (FieldKind::Params, Value::Object(map)) = (field.kind, value) {
            self.given.extend(map.iter().map(|(name, value)| (name.clone(), text(value, false))));
        } else if !value.is_null() {
            let text = text(value, field.kind == FieldKind::Whole);
            *(field.slot)(self) = Some(if name == "per_cell" { format!("1/{text}") } else { text });
        }
    }

    /// Takes every field of a use out of a document.
    pub fn take(document: &mut Map<String, Value>, of: Use) -> Spec {
        let mut spec = Spec::default();
        document.retain(|name, value| {
            let field = Field::of(of).find(|f| f.name == name || f.aliases.contains(&name.as_str()));
            field.map(|field| spec.put(field, name, value)).is_none()
        });
        spec
    }

    /// The value of a field in a document.
    pub fn value(&self, name: &str, of: Use, absent: Absent) -> Option<Value> {
        let field = Field::find(name)?;
        if field.kind == FieldKind::Params {
            return Some(serde_json::json!(self.given));
        }
        let default = field.default(of).filter(|d| absent == Absent::Default && !d.is_empty());
        let Some(text) = (field.get)(self).map(String::as_str).or(default) else {
            return (absent != Absent::Skip).then_some(Value::Null);
        };
        let number = || text.parse().ok().and_then(serde_json::Number::from_f64).map(Value::Number);
        let typed = match field.kind {
            FieldKind::Whole | FieldKind::PerNode => text.parse::<u64>().ok().map(Value::from),
            FieldKind::Text if name == "without" => text.parse::<u8>().ok().map(Value::from),
            FieldKind::Number => number(),
            FieldKind::Flag => text.parse::<bool>().ok().map(Value::from),
            _ => None,
        };
        Some(typed.unwrap_or_else(|| Value::from(text)))
    }
}

/// The fields of a use as a document lists them: those that `known` names in its order, which must
/// never change, then the others of the table, where they are given.
pub fn documented(of: Use, known: &'static [(&'static str, Absent)]) -> impl Iterator<Item = (&'static str, Absent)> {
    let others = Field::of(of).map(|field| field.name);
    let others = others.filter(|name| known.iter().all(|(other, _)| other != name));
    known.iter().copied().chain(others.map(|name| (name, Absent::Skip)))
}

/// A value as the text of a field: lists with commas, lists of lists with bars, tables with equals
/// signs.
fn text(value: &Value, whole: bool) -> String {
    let join = |list: &[Value]| list.iter().map(|v| text(v, whole)).collect::<Vec<_>>().join(",");
    match value {
        Value::String(text) => text.clone(),
        Value::Number(number) => match number.as_f64().filter(|_| number.is_f64() && !whole) {
            Some(number) => number.to_string(),
            None => number.to_string(),
        },
        Value::Array(list) if list.iter().any(Value::is_array) => list
            .iter()
            .map(|inner| inner.as_array().map_or_else(|| text(inner, whole), |l| join(l)))
            .collect::<Vec<_>>()
            .join("|"),
        Value::Array(list) => join(list),
        Value::Object(map) => {
            map.iter().map(|(name, value)| format!("{name}={}", text(value, whole))).collect::<Vec<_>>().join(",")
        }
        other => other.to_string(),
    }
}

/// Foreign text as a message may repeat it: printable and short.
pub fn quoted(text: &str) -> String {
    let short: String = text.chars().take(60).map(|c| if c.is_whitespace() { ' ' } else { c }).collect();
    let short = lockstep_text::printable(&short).into_owned();
    if text.chars().nth(60).is_some() { short + "…" } else { short }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_document_lists_every_field_of_its_use_once() {
        const KNOWN: [(&str, Absent); 2] = [("seed", Absent::Default), ("nodes", Absent::Null)];
        let mut names: Vec<&str> = documented(Use::Measure, &KNOWN).map(|(name, _)| name).collect();
        assert_eq!(names[..2], ["seed", "nodes"]);
        names.sort_unstable();
        let mut fields: Vec<&str> = Field::of(Use::Measure).map(|field| field.name).collect();
        fields.sort_unstable();
        assert_eq!(names, fields);
    }
}
