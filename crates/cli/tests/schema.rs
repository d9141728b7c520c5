//! The schema of scenario files: the file in docs is current, and the parser reads exactly its
//! fields.

use lockstep_scenario::{LIBRARY, parse};
use lockstep_tests::documents::assert_current;
use serde_json::Value;
use std::collections::BTreeSet;
use std::process::Command;

fn schema() -> (String, Value) {
    let output = Command::new(env!("CARGO_BIN_EXE_lockstep")).arg("schema").output().unwrap();
    assert!(output.status.success() && output.stderr.is_empty());
    let text = String::from_utf8(output.stdout).unwrap();
    let value = serde_json::from_str(&text).unwrap();
    (text, value)
}

#[test]
fn the_schema_in_the_docs_is_current() {
    assert_current("docs/scenario.schema.json", &schema().0);
}

fn properties(value: &Value) -> BTreeSet<String> {
    value["properties"].as_object().unwrap().keys().cloned().collect()
}

/// The fields that the parser lists when it meets one that does not exist.
fn read(text: &str) -> BTreeSet<String> {
    let problems = parse("x", text).err().unwrap();
    let list = problems.iter().find_map(|p| p.message.strip_prefix("`zzz` is not a field; expected one of "));
    let list = list.unwrap().trim_end_matches('.');
    list.split(", ").map(str::to_owned).collect()
}

#[test]
fn the_parser_reads_exactly_the_fields_of_the_schema() {
    let schema = schema().1;
    let head = "title='x'\nabout='x'\nalgorithm='alien'\nnodes=2\n";
    let stop = "[[stop]]\nname='a'\ntitle='x'\nsay='x'\n";
    let question = format!("{head}{stop}[stop.question]\ntext='x'\n");
    let definition = |name: &str| properties(&schema["definitions"][name]);
    assert_eq!(read(&format!("{head}zzz=1")), properties(&schema));
    assert_eq!(read(&format!("{head}{stop}zzz=1")), definition("Stop"));
    assert_eq!(read(&format!("{question}zzz=1")), definition("Question"));
    assert_eq!(read(&format!("{question}answers=[{{ zzz=1 }}]")), definition("Answer"));
    let expect = format!("{head}{stop}expect={{ zzz=1 }}");
    let message = parse("x", &expect).err().unwrap()[0].message.clone();
    let list = message.split("expected one of ").nth(1).unwrap().trim_end_matches('.').replace(" and ", ", ");
    let known: BTreeSet<String> = list.split(", ").map(str::to_owned).collect();
    assert_eq!(known, properties(&schema["definitions"]["Expect"]));
}

/// What is required in the schema is what the parser misses in an empty file.
#[test]
fn what_is_required_is_missed() {
    let schema = schema().1;
    let required: BTreeSet<&str> = schema["required"].as_array().unwrap().iter().filter_map(Value::as_str).collect();
    let problems = parse("x", "nodes = 1").err().unwrap();
    assert_eq!(problems.len(), required.len());
    for name in required {
        let missed = [format!("has no `{name}`"), format!("{name}: missing")];
        assert!(problems.iter().any(|p| missed.iter().any(|m| p.message.contains(m.as_str()))), "{name}");
    }
}

#[test]
fn the_library_uses_only_what_the_schema_knows() {
    let schema = schema().1;
    let (top, stop) = (properties(&schema), properties(&schema["definitions"]["Stop"]));
    for (id, text) in LIBRARY {
        let file: toml::Table = toml::from_str(text).unwrap();
        assert!(file.keys().all(|k| top.contains(k)), "{id}");
        let stops = file.get("stop").and_then(toml::Value::as_array).into_iter().flatten();
        assert!(stops.filter_map(toml::Value::as_table).all(|s| s.keys().all(|k| stop.contains(k))), "{id}");
    }
}
