//! What the tests share: runs, and pages that are written by them.

use lockstep_algorithms::find;
use lockstep_check::{Check, Report, prepare};
use lockstep_kernel::Entry;

pub fn run(check: &Check) -> Report {
    prepare(check).unwrap_or_else(|why| panic!("{}: {why:?}", check.command())).start().finish()
}

/// Every algorithm. A test that names the table `ALL` compiles all of them again, which takes minutes;
/// the error that lists their ids does not.
pub fn all() -> Vec<&'static Entry> {
    let sentence = find("").err().unwrap();
    let ids = sentence.rsplit("there are ").next().unwrap().trim_end_matches('.').split(", ");
    let all: Vec<&Entry> = ids.map(|id| find(id).unwrap()).collect();
    assert!(all.len() >= 32, "all algorithms are listed");
    all
}
