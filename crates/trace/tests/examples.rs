//! The examples of tests/logs give the expected values, all of them and all keys.

use lockstep_trace::{LogInput, ReadOptions, RuleSet, judge, read};
use serde_json::Value;
use std::path::{Path, PathBuf};

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/logs")
}

/// The value at a path such as `pairs.ordered`.
fn at<'a>(document: &'a Value, path: &str) -> &'a Value {
    path.split('.').fold(document, |value, key| &value[key])
}

#[test]
fn every_example_gives_the_expected_values() {
    let text = std::fs::read_to_string(folder().join("expected.json")).unwrap();
    let expected: serde_json::Map<String, Value> = serde_json::from_str(&text).unwrap();
    assert_eq!(expected.len(), 38);
    let mut wrong = Vec::new();
    for (name, example) in &expected {
        let inputs = example["files"].as_array().unwrap().iter().map(|file| {
            let file = file.as_str().unwrap();
            LogInput::new(file, std::fs::read(folder().join(file)).unwrap())
        });
        let rules = example["pattern"]
            .as_str()
            .map(|file| RuleSet::parse(&std::fs::read_to_string(folder().join(file)).unwrap()).unwrap());
        let session = example["session"].as_u64().unwrap_or(0) as usize;
        let options = ReadOptions { rules, session, skew: None };
        let judgement = judge(read(inputs.collect(), &options)).map_err(|refused| refused.1).unwrap();
        let document = judgement.document(None);
        // conformance is a matter of crates/follow, which has the same test for these keys
        let keys = example["expect"].as_object().unwrap().iter().filter(|(key, _)| !key.starts_with("conformance"));
        for (key, value) in keys {
            if at(&document, key) != value {
                wrong.push(format!("{name}: {key} is {}; expected {value}\n{document:#}", at(&document, key)));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
