//! Playwright over the release page in dist/, with the system's own Chromium.

use std::{fs, path::Path, process::Command};

use anyhow::{Context, Result};

use crate::{chromium, process, tools};

const FOLDER: &str = "tests/e2e";

/// Installs Playwright, unless what is there is newer than the lock file.
pub fn ensure() -> Result<()> {
    tools::node()?;
    let changed = |file: &str| fs::metadata(Path::new(FOLDER).join(file))?.modified();
    let locked = changed("package-lock.json").context("tests/e2e has no package-lock.json")?;
    if changed("node_modules/.package-lock.json").is_ok_and(|installed| installed >= locked) {
        return Ok(());
    }
    eprintln!("Installing Playwright into {FOLDER}/node_modules.");
    let mut npm = Command::new("npm");
    npm.args(["ci", "--no-audit", "--no-fund"]).current_dir(FOLDER);
    npm.env("PLAYWRIGHT_SKIP_BROWSER_DOWNLOAD", "1");
    process::run_aside(&mut npm).context("Playwright could not be installed")
}

/// Runs the tests; `arguments` select among them.
pub fn test(arguments: &[&str]) -> Result<()> {
    let chromium = chromium::ensure()?;
    ensure()?;
    let mut npx = Command::new("npx");
    npx.args(["--no-install", "playwright", "test"]).args(arguments);
    process::run(npx.current_dir(FOLDER).env("CHROMIUM", chromium))
}
