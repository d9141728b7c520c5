//! `cargo xtask`: the commands for working on this repository, one module for each.
//!
//! A fresh clone needs Rust and Node only: [`setup`] installs the rest. Results go to standard
//! output and progress to standard error. A command that fails says why and exits with 1. This
//! crate uses no other crate of ours: it starts programs and reads what they print.

mod args;
mod bench;
mod bless;
mod build;
mod playwright;
mod probe;
mod process;
mod screenshots;
mod serve;
mod setup;
mod size;
mod split;
mod test;

use std::{env, path::PathBuf, process::ExitCode};

use anyhow::{Context, Result, bail};
use args::Args;

const USAGE: &str = "\
cargo xtask setup [--deep]                         install everything that the other commands need, or also what the deep test needs
cargo xtask serve [--port 8080] [--open] [--dev]   serve the page on this machine and rebuild it on every change
cargo xtask build [--no-split]                     build the release page into dist/, or all of its program in one file
cargo xtask test [--deep] [--only STAGE]           run every test, or one stage of them
cargo xtask bless [--only documents|snapshots] [--package NAME] [--deep]
                                                   write snapshots and generated documents again
cargo xtask bench [--json] [--against FOLDER]      time our kernel against plain loops, or this checkout against another
cargo xtask size [--json]                          compare the size of the release page with its budget
cargo xtask screenshots                            take pictures of the page into target/screenshots
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
        Some("setup") => setup::command(args),
        Some("serve") => serve::command(args),
        Some("build") => build::command(args),
        Some("test") => test::command(args),
        Some("bless") => bless::command(args),
        Some("bench") => bench::command(args),
        Some("size") => size::command(args),
        Some("screenshots") => screenshots::command(args),
        Some("split") => split::command(args),
        None | Some("help" | "--help" | "-h") => {
            print!("{USAGE}");
            Ok(())
        }
        Some(other) => bail!("`{other}` is not a command; `cargo xtask help` lists them"),
    }
}

/// The repository's root. Every command runs there, so paths are written as they are in the
/// repository.
fn root() -> Result<PathBuf> {
    // read at run time: a path compiled in would be wrong once the clone is moved
    let manifest = env::var_os("CARGO_MANIFEST_DIR").context("Start it as `cargo xtask`")?;
    let root = PathBuf::from(manifest).join("../..");
    root.canonicalize().context("The repository's root cannot be found")
}
