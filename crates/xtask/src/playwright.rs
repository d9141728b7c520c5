//! The browser tests: Playwright over a page that was built, with Chromium.

use std::process::Command;

use anyhow::Result;

use crate::{probe, process, setup};

/// Runs the tests of the page in dist/; `arguments` select among them.
pub fn test(arguments: &[&str]) -> Result<()> {
    // some tests compare with the command line: compiling it must not count as time of a test
    process::run_aside(process::cargo().args(["build", "--package", "lockstep"]))?;
    let program = std::path::absolute(probe::target_folder()?.join("debug/lockstep"))?;
    process::run(playwright()?.args(arguments).env("LOCKSTEP", program))
}

/// Runs the smoke test of a page in one file, which is in this folder.
pub fn test_one_file(dist: &str) -> Result<()> {
    process::run(playwright()?.env("ONE_FILE", "1").env("DIST", std::path::absolute(dist)?))
}

/// Runs the smoke test in Chromium and, as far as they are installed, in Firefox and WebKit.
pub fn test_browsers() -> Result<()> {
    let chromium = setup::chromium()?;
    setup::playwright()?;
    let others = setup::other_browsers();
    for (name, program) in [("Firefox", "FIREFOX"), ("WebKit", "WEBKIT")] {
        if !others.iter().any(|(variable, _)| *variable == program) {
            println!("{name} is not installed, so it is not tested; `cargo xtask setup --deep` installs it.");
        }
    }
    let mut node = setup::node()?;
    process::run(node.arg("tests/e2e/browsers.mjs").env("CHROMIUM", chromium).envs(others))
}

fn playwright() -> Result<Command> {
    let chromium = setup::chromium()?;
    setup::playwright()?;
    let mut npx = Command::new("npx");
    npx.args(["--no-install", "playwright", "test"]);
    npx.current_dir(setup::BROWSER_TESTS).env("CHROMIUM", chromium);
    Ok(npx)
}
