//! `cargo xtask screenshots`: pictures of the page as it is now, in target/screenshots.

use anyhow::{Context, Result};

use crate::{args::Args, build, playwright};

pub fn command(args: Args) -> Result<()> {
    args.finish()?;
    build::page()?;
    playwright::test(&["--grep", "@screens"]).context("The pictures could not be taken")?;
    println!("The pictures are in target/screenshots/.");
    Ok(())
}
