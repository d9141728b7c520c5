//! The fields of a system as properties of a JSON schema, for editors.

use crate::{Bound, Field, FieldKind, Use};
use serde_json::{Map, Value, json};

/// The pattern of a duration.
const DURATION: &str = "^(const:[^:]+|uniform:[^:]+:[^:]+|exp:[^:]+)$";

/// The properties that describe a system of a use.
pub fn properties(of: Use) -> Map<String, Value> {
    let mut properties = Map::new();
    for field in Field::of(of) {
        let mut property = shape(field);
        property["description"] = json!(field.help);
        if let Some(bound) = field.bound(of) {
            limit(&mut property, field, bound);
        }
        if let Some(default) = field.default(of).filter(|d| !d.is_empty()) {
            property["default"] =
                crate::Spec::default().value(field.name, of, crate::Absent::Default).unwrap_or(json!(default));
        }
        properties.insert(field.name.into(), property);
        for alias in field.aliases.iter().filter(|alias| **alias != "param") {
            properties.insert((*alias).into(), json!({ "description": format!("Another form of `{}`.", field.name) }));
        }
    }
    properties
}

/// Adds the limits of a field; what a schema cannot say of a string, its description says.
fn limit(property: &mut Value, field: &Field, bound: &Bound) {
    match field.kind {
        FieldKind::Whole | FieldKind::Number => limit_number(property, bound),
        FieldKind::PerNode => {
            limit_number(&mut property["anyOf"][0], bound);
            limit_number(&mut property["anyOf"][1]["items"], bound);
        }
        FieldKind::List => property["maxItems"] = number(bound.most),
        _ => property["description"] = json!(format!("{} Limits: {} {}.", field.help, bound.words(), field.unit)),
    }
}

fn limit_number(property: &mut Value, bound: &Bound) {
    property["minimum"] = number(bound.least);
    if bound.most.is_finite() {
        property["maximum"] = number(bound.most);
    }
}

fn number(number: f64) -> Value {
    if number.fract() == 0.0 { json!(number as u64) } else { json!(number) }
}

/// What a value of a kind looks like.
fn shape(field: &Field) -> Value {
    let text = json!({ "type": "string" });
    match field.kind {
        FieldKind::Algorithm => {
            json!({ "type": "string", "enum": lockstep_algorithms::KNOWN.iter().map(|a| a.id).collect::<Vec<_>>() })
        }
        FieldKind::Network => json!({ "type": "string", "enum": field.kind.choices() }),
        FieldKind::Params => {
            json!({ "type": "object", "additionalProperties": { "type": ["string", "number", "boolean"] } })
        }
        FieldKind::Whole => json!({ "type": "integer" }),
        FieldKind::Number => json!({ "type": "number" }),
        FieldKind::Flag => json!({ "type": "boolean" }),
        FieldKind::Duration => json!({ "type": "string", "pattern": DURATION }),
        FieldKind::Share => json!({ "type": ["string", "number"] }),
        FieldKind::PerNode => {
            json!({ "anyOf": [{ "type": "integer" }, { "type": "array", "items": { "type": "integer" } }] })
        }
        FieldKind::List => json!({ "type": "array", "items": text }),
        FieldKind::Pairs => json!({ "type": "object", "additionalProperties": text }),
        FieldKind::Text if field.name == "clusters" => {
            json!({ "anyOf": [{ "type": "array", "items": { "type": "array", "items": text } }, { "type": "string" }] })
        }
        FieldKind::Text if field.name == "without" => json!({ "type": ["integer", "string"] }),
        FieldKind::Topology | FieldKind::Text => text,
    }
}
