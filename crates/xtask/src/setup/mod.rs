//! `cargo xtask setup`: everything the other commands would install when they need it.

use anyhow::Result;

use crate::{args::Args, chromium, playwright, tools};

pub fn command(args: Args) -> Result<()> {
    args.finish()?;
    tools::trunk()?; // brings wasm-bindgen and the wasm target
    chromium::ensure()?;
    playwright::ensure()?;
    println!("Everything is installed: `cargo xtask serve` shows the page, `cargo xtask test` checks it.");
    Ok(())
}
