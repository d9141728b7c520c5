//! What the tests share: runs, and pages that are written by them.

use lockstep_algorithms::find;
use lockstep_check::{Check, Report, prepare};
use lockstep_kernel::Entry;

pub fn run(check: &Check) -> Report {
    prepare(check).unwrap_or_else(|why| panic!("{}: {why:?}", check.command())).start().finish()
}

pub fn updating() -> bool {
    std::env::var("INSTA_UPDATE").is_ok_and(|v| v == "always")
}

/// The page of docs is the one just made.
pub fn is_documented(name: &str, page: &str) {
    let file = format!("{}/../../docs/{name}", env!("CARGO_MANIFEST_DIR"));
    if updating() {
        std::fs::write(&file, page).unwrap();
    }
    let written = std::fs::read_to_string(&file).unwrap_or_default();
    let differs = written.lines().zip(page.lines()).find(|(a, b)| a != b);
    assert!(
        written == page,
        "docs/{name} is not up to date (first difference: {differs:?}); \
         `INSTA_UPDATE=always cargo test -p lockstep-check` writes it anew: read what changed"
    );
}

/// Every algorithm. Whoever names the constant table compiles all of them once more, for minutes; the sentence that lists them does not.
pub fn all() -> Vec<&'static Entry> {
    let sentence = find("").err().unwrap();
    let ids = sentence.rsplit("there are ").next().unwrap().trim_end_matches('.').split(", ");
    let all: Vec<&Entry> = ids.map(|id| find(id).unwrap()).collect();
    assert!(all.len() >= 32, "all algorithms are listed");
    all
}
