//! Numbers as they were written. Documents are read as numbers, so `1e3` and `1000.0` are one value
//! with one key; where a problem repeats a number, it must be what the reader wrote.

use crate::{Problem, toml};
use ::toml::de::DeTable;
use serde::de::DeserializeOwned;
use serde_json::Value;

/// A document of JSON or TOML in which every number that may be printed otherwise is a string.
pub fn document(text: &str) -> Option<Value> {
    if text.trim_start().starts_with('{') {
        return serde_json::from_str(&json(text)).ok();
    }
    let table = DeTable::parse(text).ok()?;
    let pairs = table.get_ref().iter();
    Some(pairs.map(|(key, item)| (key.get_ref().to_string(), toml::value(item.get_ref(), true))).collect())
}

/// What a document says that cannot be read because a number is too large, so that the
/// number's field can say so; none if something else is wrong with it.
pub fn too_large<T: DeserializeOwned>(text: &str, why: &str) -> Option<T> {
    // what the readers of JSON and of TOML say
    let said = ["number out of range", "number overflowed"].iter().any(|words| why.contains(words));
    if said { read(text) } else { None }
}

/// What such a document says, if it can be read.
pub fn read<T: DeserializeOwned>(text: &str) -> Option<T> {
    serde_json::from_value(document(text)?).ok()
}

/// JSON with quotation marks around those numbers.
fn json(text: &str) -> String {
    let mut exact = String::with_capacity(text.len() + 16);
    let (mut rest, mut inside) = (text, false);
    while let Some(c) = rest.chars().next() {
        let number = |c: char| c.is_ascii_digit() || ['-', '+', '.', 'e', 'E'].contains(&c);
        let length = match c {
            '\\' if inside => 1 + rest[1..].chars().next().map_or(0, char::len_utf8),
            '-' | '0'..='9' if !inside => rest.find(|c| !number(c)).unwrap_or(rest.len()),
            c => c.len_utf8(),
        };
        let (part, after) = rest.split_at(length);
        if inside || !part.starts_with(number) || is_plain(part) {
            exact.push_str(part);
        } else {
            exact.extend(["\"", part, "\""]);
        }
        inside ^= c == '"';
        rest = after;
    }
    exact
}

/// Whether this is a whole number that is printed as it is written, or no number at all.
fn is_plain(number: &str) -> bool {
    let read = serde_json::from_str::<Value>(number);
    // 1e999 is a number that JSON cannot hold; 050 is none
    let too_large = || number.parse().is_ok_and(f64::is_infinite);
    read.map_or_else(
        |_| !too_large(),
        |value| {
            let printed = value.to_string();
            !value.is_f64() && printed == number
        },
    )
}

/// The same problems as `exact` words them, with numbers as they were written; the given ones if
/// those are about something else.
pub fn reworded(problems: Vec<Problem>, exact: Vec<Problem>) -> Vec<Problem> {
    let same = problems.len() == exact.len() && problems.iter().zip(&exact).all(|(a, b)| a.field == b.field);
    if same { exact } else { problems }
}

/// The same for sentences, which begin with the field or with the point of a grid.
pub fn reworded_sentences(problems: Vec<String>, exact: Vec<String>) -> Vec<String> {
    let field = |sentence: &str| sentence.rsplit(": ").nth(1).map(str::to_owned);
    let same = problems.len() == exact.len() && problems.iter().zip(&exact).all(|(a, b)| field(a) == field(b));
    if same { exact } else { problems }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_that_would_change_become_strings() {
        let text = r#"{"a":1e3,"b":[-3.0,7,0.5],"c":"1e3 \" -2.0","d":123456789012345678901,"e":{"f":-0}}"#;
        let expected =
            r#"{"a":"1e3","b":["-3.0",7,"0.5"],"c":"1e3 \" -2.0","d":"123456789012345678901","e":{"f":"-0"}}"#;
        assert_eq!(json(text), expected);
        assert_eq!(json("[050, -, 1e999, 1e]"), "[050, -, \"1e999\", 1e]");
        assert!(too_large::<Value>("{\"a\":1e999}", "number out of range at line 1").is_some());
        assert!(too_large::<Value>("{\"a\":1e999}", "trailing comma at line 1").is_none());
        assert_eq!(json("{\"é\\\\\":1E2,-"), "{\"é\\\\\":\"1E2\",-");
        let toml = document("a = 1e3\nb = -3.0\nc = 99999999999999999999\n[d]\ne = 0.50\n").unwrap();
        let expected = serde_json::json!({"a":"1e3","b":"-3.0","c":"99999999999999999999","d":{"e":"0.50"}});
        assert_eq!(toml, expected);
    }
}
