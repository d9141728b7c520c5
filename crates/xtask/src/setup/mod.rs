//! `cargo xtask setup`, and the only module that installs anything: a house rule sees to that.
//!
//! The other commands call the function here that returns what they need; it installs what is
//! missing and says so on standard error.

mod browsers;
mod chromium;
mod node;
mod tools;

use anyhow::Result;

use crate::args::Args;

pub use browsers::{all_browsers, other_browsers};
pub use chromium::chromium;
pub use node::{BROWSER_TESTS, node, playwright};
pub use tools::{WASM, trunk, wasm_bindgen, wasm_target};

/// What is installed: its name, what it is for, and the function that installs it if it is missing.
type SetupStep = (&'static str, &'static str, fn() -> Result<()>);

const STEPS: [SetupStep; 5] = [
    ("wasm target", "compiles the page and the probe", || wasm_target()),
    ("wasm-bindgen", "connects compiled wasm with JavaScript", || wasm_bindgen().map(drop)),
    ("Trunk", "builds and serves the page", || trunk().map(drop)),
    ("Chromium", "runs the browser tests", || chromium().map(drop)),
    ("Playwright and axe", "drive Chromium in the browser tests", || playwright()),
];

pub fn command(mut args: Args) -> Result<()> {
    let deep = args.flag("--deep");
    args.finish()?;
    for (number, (name, purpose, install)) in STEPS.iter().enumerate() {
        eprintln!("{}/{}: {name}, which {purpose}.", number + 1, STEPS.len());
        install()?;
    }
    if deep {
        eprintln!("For `cargo xtask test --deep`: Firefox and WebKit, which run a smoke test.");
        all_browsers()?;
    }
    println!("Everything is installed. `cargo xtask serve` serves the page, `cargo xtask test` tests it.");
    Ok(())
}
