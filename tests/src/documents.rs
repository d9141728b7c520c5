//! Documents that tests generate: a test compares the file with what it has just computed, and
//! `cargo xtask bless` makes it write the file instead.

use std::path::Path;
use std::{env, fs};

/// Whether `cargo xtask bless` runs the tests.
pub fn blessing() -> bool {
    env::var_os("LOCKSTEP_BLESS").is_some()
}

/// Asserts that a file, named by its path in the repository, has this content.
///
/// # Panics
///
/// If it has another content, with the first line that differs.
pub fn assert_current(path: &str, content: &str) {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap().join(path);
    if blessing() {
        fs::write(&file, content).unwrap();
    }
    let written = fs::read_to_string(&file).unwrap_or_default();
    let pair = written.lines().zip(content.lines()).enumerate().find(|(_, (old, new))| old != new);
    let difference = match pair {
        Some((line, (old, new))) => format!("line {}: `{old}`; expected `{new}`", line + 1),
        None => format!("{} lines; expected {}", written.lines().count(), content.lines().count()),
    };
    assert!(written == content, "{path} is not current ({difference}). Run `cargo xtask bless` and read the diff.");
}
