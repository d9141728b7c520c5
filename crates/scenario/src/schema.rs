//! The JSON schema of scenario files: the fields of a system from their table, stops from
//! `schema.json`.

use crate::library::GROUPS;
use lockstep_spec::{Use, schema};
use serde_json::{Value, json};

/// The schema, in the draft that editors for TOML know.
pub fn schema() -> Value {
    let mut root: Value = serde_json::from_str(include_str!("schema.json")).unwrap_or_default();
    root["definitions"]["Paper"]["enum"] = json!(GROUPS.map(|g| g.paper));
    if let Some(properties) = root["properties"].as_object_mut() {
        properties.extend(schema::properties(Use::Play));
    }
    root
}
