//! `cargo xtask build`: the release page, as it would be published, in dist/.

use std::path::Path;

use anyhow::{Context, Result};

use crate::{args::Args, process, tools};

/// Where Trunk puts the page.
pub const DIST: &str = "dist";

pub fn command(args: Args) -> Result<()> {
    args.finish()?;
    page()?;
    println!("The page is in {DIST}/, ready for any static host.");
    Ok(())
}

/// Builds the release page.
pub fn page() -> Result<()> {
    let mut trunk = tools::trunk()?;
    trunk.args(["build", "--release", "--dist", DIST]);
    process::run_aside(&mut trunk).context("The page could not be built")
}

/// Builds the release page unless there is one.
pub fn page_if_absent() -> Result<()> {
    if Path::new(DIST).join("index.html").is_file() {
        return Ok(());
    }
    page()
}
