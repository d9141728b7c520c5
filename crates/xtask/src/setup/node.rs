//! Node, which has to be there, and the packages of the browser tests.

use std::{fs, path::Path, process::Command};

use anyhow::{Context, Result, bail};

use crate::process;

/// The folder of the browser tests, with their lock file.
pub const BROWSER_TESTS: &str = "tests/e2e";

/// Node, ready for its arguments. It is not installed: npm comes with it.
pub fn node() -> Result<Command> {
    for program in ["node", "npm"] {
        if process::find(program).is_none() {
            bail!("`{program}` is not on PATH; install Node 20 or newer, with npm");
        }
    }
    Ok(Command::new("node"))
}

/// Installs Playwright and axe, unless the installed packages are newer than the lock file.
pub fn playwright() -> Result<()> {
    node()?;
    let changed = |file: &str| fs::metadata(Path::new(BROWSER_TESTS).join(file))?.modified();
    let locked = changed("package-lock.json").context("tests/e2e has no package-lock.json")?;
    if changed("node_modules/.package-lock.json").is_ok_and(|installed| installed >= locked) {
        return Ok(());
    }
    eprintln!("Installing the packages of the browser tests into {BROWSER_TESTS}/node_modules.");
    let mut npm = Command::new("npm");
    npm.args(["ci", "--no-audit", "--no-fund"]).current_dir(BROWSER_TESTS);
    npm.env("PLAYWRIGHT_SKIP_BROWSER_DOWNLOAD", "1");
    process::run_aside(&mut npm).context("The packages of the browser tests could not be installed")
}
