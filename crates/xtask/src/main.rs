//! `cargo xtask`: the chores of this repository, one module for each command.
//!
//! It installs the tools it needs, so that a fresh clone needs Rust and Node only. Results go to
//! standard output and progress to standard error. A command that fails says why in a sentence and
//! exits with 1. It knows nothing of mutual exclusion: it only starts programs and reads what they
//! print.

mod args;
mod bench;
mod build;
mod chromium;
mod playwright;
mod probe;
mod process;
mod screenshots;
mod serve;
mod setup;
mod size;
mod split;
mod test;
mod tools;

use std::{env, path::PathBuf, process::ExitCode};

use anyhow::{Context, Result, bail};
use args::Args;

const USAGE: &str = "\
cargo xtask serve [--port 8080] [--open] [--dev]   serve the page on this machine and rebuild on every change
cargo xtask build                                  build the release page into dist/
cargo xtask test [--deep] [--only STAGE]           run every check, or one stage of them
cargo xtask bench [--json]                         our kernel against plain loops, natively, in node and in Chromium
cargo xtask size [--json]                          the size of the release page against its budget
cargo xtask screenshots                            pictures of the page into target/screenshots
cargo xtask setup                                  install every tool the other commands need
";

fn main() -> ExitCode {
    match dispatch(Args::from_env()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("{}.", format!("{error:#}").trim_end().trim_end_matches('.'));
            ExitCode::FAILURE
        }
    }
}

fn dispatch(mut args: Args) -> Result<()> {
    env::set_current_dir(root()?).context("The repository's root cannot be entered")?;
    match args.command().as_deref() {
        Some("serve") => serve::command(args),
        Some("build") => build::command(args),
        Some("test") => test::command(args),
        Some("bench") => bench::command(args),
        Some("size") => size::command(args),
        Some("screenshots") => screenshots::command(args),
        Some("setup") => setup::command(args),
        Some("split") => split::command(args),
        None | Some("help" | "--help" | "-h") => {
            print!("{USAGE}");
            Ok(())
        }
        Some(other) => bail!("There is no command `{other}`: `cargo xtask help` lists them"),
    }
}

/// Every command runs at the root, so that paths can be written as they stand in the repository.
fn root() -> Result<PathBuf> {
    // Asked for at run time: a path compiled in would go stale when the clone is moved.
    let manifest = env::var_os("CARGO_MANIFEST_DIR").context("Start it as `cargo xtask`")?;
    let root = PathBuf::from(manifest).join("../..");
    root.canonicalize().context("The repository's root cannot be found")
}
