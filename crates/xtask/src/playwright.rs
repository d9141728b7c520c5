//! The browser tests: Playwright over a page that was built, with Chromium.

use std::process::Command;

use anyhow::Result;

use crate::{process, setup};

/// Runs the tests of the page in dist/; `arguments` select among them.
pub fn test(arguments: &[&str]) -> Result<()> {
    process::run(playwright()?.args(arguments))
}

/// Runs the smoke test of a page in one file, which is in this folder.
pub fn test_one_file(dist: &str) -> Result<()> {
    process::run(playwright()?.env("ONE_FILE", "1").env("DIST", std::path::absolute(dist)?))
}

fn playwright() -> Result<Command> {
    let chromium = setup::chromium()?;
    setup::playwright()?;
    let mut npx = Command::new("npx");
    npx.args(["--no-install", "playwright", "test"]);
    npx.current_dir(setup::BROWSER_TESTS).env("CHROMIUM", chromium);
    Ok(npx)
}
