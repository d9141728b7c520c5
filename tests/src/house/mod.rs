//! The rules of the house as functions: each takes the repository's files and returns what breaks
//! the rule. `suite/house.rs` asserts that nothing does.

pub mod files;
pub mod functions;
pub mod licences;
pub mod modules;
pub mod rust;
pub mod types;
pub mod words;

use std::fmt;

/// A place that breaks a rule.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Breach {
    /// Path from the root of the repository.
    pub file: String,
    /// Line in the file, from 1.
    pub line: usize,
    /// What is wrong.
    pub problem: String,
}

impl fmt::Display for Breach {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}: {}", self.file, self.line, self.problem)
    }
}

/// All breaches, one to a line.
pub fn list(breaches: &[Breach]) -> String {
    breaches.iter().map(|breach| format!("{breach}\n")).collect()
}
