//! The examples of tests/logs follow their algorithms, or not, as expected.

use lockstep_follow::follow;
use lockstep_trace::{LogInput, ReadOptions, RuleSet, judge, read};
use serde_json::Value;
use std::path::{Path, PathBuf};

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/logs")
}

#[test]
fn every_example_conforms_as_expected() {
    let text = std::fs::read_to_string(folder().join("expected.json")).unwrap();
    let expected: serde_json::Map<String, Value> = serde_json::from_str(&text).unwrap();
    let (mut wrong, mut checked) = (Vec::new(), 0);
    for (name, example) in &expected {
        let inputs = example["files"].as_array().unwrap().iter().map(|file| {
            let file = file.as_str().unwrap();
            LogInput::new(file, std::fs::read(folder().join(file)).unwrap())
        });
        let rules = example["pattern"]
            .as_str()
            .map(|file| RuleSet::parse(&std::fs::read_to_string(folder().join(file)).unwrap()).unwrap());
        let session = example["session"].as_u64().unwrap_or(0) as usize;
        let judgement = judge(read(inputs.collect(), &ReadOptions { rules, session, skew: None })).unwrap();
        let conformance = follow(&judgement, example["conform"].as_str()).map(Result::unwrap);
        let document = judgement.document(conformance.as_ref());
        for (key, value) in example["expect"].as_object().unwrap() {
            let found = key.split('.').fold(&document, |value, key| &value[key]);
            checked += usize::from(key.starts_with("conformance"));
            if found != value {
                wrong.push(format!("{name}: {key} is {found}; expected {value}\n{}", document["conformance"]));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert_eq!(checked, 7);
}
