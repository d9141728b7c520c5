//! Compares what the program says now with what was recorded, and names every difference.

use serde_json::Value;
use std::path::Path;

/// Differences that one failing test lists at most.
const LISTED: usize = 12;

/// The recordings of one file.
pub fn recordings(name: &str) -> Vec<Value> {
    // from the root of the workspace, whichever package the test belongs to
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).ancestors().find(|dir| dir.join("tests/compat").is_dir());
    let path = root.expect("the workspace").join("tests/compat").join(name);
    let text = std::fs::read_to_string(&path).unwrap_or_else(|why| panic!("{}: {why}", path.display()));
    serde_json::from_str(&text).unwrap_or_else(|why| panic!("{}: {why}", path.display()))
}

/// Every recorded value that has changed or is missing. New fields are no difference. A field named
/// in `prose` holds words for people, which may improve: only whether it is a text, a list or
/// nothing is compared, and for `steps` the number of steps.
pub fn differences(recorded: &Value, now: &Value, prose: &[&str]) -> Vec<String> {
    let mut found = Vec::new();
    compare("", recorded, now, prose, &mut found);
    found
}

fn compare(at: &str, recorded: &Value, now: &Value, prose: &[&str], found: &mut Vec<String>) {
    match (recorded, now) {
        (Value::Object(old), Value::Object(new)) => {
            for (key, value) in old {
                let at = format!("{at}.{key}");
                match new.get(key) {
                    None => found.push(format!("{at} is missing; recorded is {}", short(value))),
                    Some(now) if prose.contains(&key.as_str()) => compare_prose(&at, value, now, found),
                    Some(now) => compare(&at, value, now, prose, found),
                }
            }
        }
        (Value::Array(old), Value::Array(new)) => {
            if old.len() != new.len() {
                found.push(format!("{at} has {} items; recorded are {}", new.len(), old.len()));
            }
            for (i, (value, now)) in old.iter().zip(new).enumerate() {
                compare(&format!("{at}[{i}]"), value, now, prose, found);
            }
        }
        _ if recorded == now || same_number(recorded, now) => {}
        _ => found.push(format!("{at} is {}; recorded is {}", short(now), short(recorded))),
    }
}

/// Words for people may change, but not turn into something else.
fn compare_prose(at: &str, recorded: &Value, now: &Value, found: &mut Vec<String>) {
    let kind = |value: &Value| match value {
        Value::Null => "nothing",
        Value::String(_) => "a text",
        Value::Array(_) => "a list",
        Value::Object(_) => "an object",
        Value::Bool(_) | Value::Number(_) => "a value",
    };
    if kind(recorded) != kind(now) {
        found.push(format!("{at} is {}; recorded is {}", kind(now), kind(recorded)));
    }
    match (recorded, now) {
        (Value::Array(old), Value::Array(new)) if at.ends_with(".steps") && old.len() != new.len() => {
            found.push(format!("{at} has {} steps; recorded are {}", new.len(), old.len()));
        }
        (Value::Bool(_) | Value::Number(_), _) => compare(at, recorded, now, &[], found),
        _ => {}
    }
}

/// The same number in two spellings (`1e-5` and `0.00001`): a fast parser may differ by a bit.
fn same_number(a: &Value, b: &Value) -> bool {
    match (a.as_f64(), b.as_f64()) {
        (Some(a), Some(b)) => (a - b).abs() <= 1e-15 * a.abs(),
        _ => false,
    }
}

fn short(value: &Value) -> String {
    let text = value.to_string();
    let cut: String = text.chars().take(300).collect();
    if cut.len() < text.len() { cut + "…" } else { cut }
}

/// Fails with the first differences, each with the recording it belongs to.
pub fn must_be_none(what: &str, total: usize, differing: &[String]) {
    let listed: Vec<&str> = differing.iter().take(LISTED).map(String::as_str).collect();
    let count = differing.len();
    assert!(differing.is_empty(), "{count} differences in {total} {what}:\n\n{}\n", listed.join("\n\n"));
}
