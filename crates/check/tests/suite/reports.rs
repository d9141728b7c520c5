//! Helpers of the tests: runs of checks, and text for generated pages.

use lockstep_algorithms::find;
use lockstep_check::{Check, CheckReport, prepare};
use lockstep_kernel::Entry;

pub fn run(check: &Check) -> CheckReport {
    prepare(check).unwrap_or_else(|why| panic!("{}: {why:?}", check.command())).start().finish()
}

/// Text in lines of at most 100 characters.
pub fn wrap(text: &str) -> String {
    let mut lines = vec![String::new()];
    for word in text.split_whitespace() {
        let line = lines.last_mut().expect("there is a line");
        if line.is_empty() {
            line.push_str(word);
        } else if line.chars().count() + 1 + word.chars().count() <= 100 {
            *line += &format!(" {word}");
        } else {
            lines.push(word.into());
        }
    }
    lines.join("\n")
}

/// Every algorithm. A test that names the table `ALL` compiles all of them again, which takes
/// minutes; the error that lists their ids does not.
pub fn all() -> Vec<&'static Entry> {
    let sentence = find("").err().unwrap();
    let ids = sentence.rsplit("there are ").next().unwrap().trim_end_matches('.').split(", ");
    let all: Vec<&Entry> = ids.map(|id| find(id).unwrap()).collect();
    assert!(all.len() >= 32, "all algorithms are listed");
    all
}
