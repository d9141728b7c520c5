//! `cargo xtask bless`: writes again what tests compare with, snapshots and generated documents.
//!
//! The tests that compare also write: they alone know how. This command sets the variables that
//! make them do it. Read the diff before committing it.

use anyhow::{Result, bail};

use crate::{args::Args, process};

/// Makes tests write the documents that they generate (`lockstep_tests::documents`).
const DOCUMENTS: (&str, &str) = ("LOCKSTEP_BLESS", "1");
/// Makes insta accept its snapshots.
const SNAPSHOTS: (&str, &str) = ("INSTA_UPDATE", "always");

/// Makes tests search for what is otherwise only compared (`crates/check/data/lines.txt`).
const DEEP: (&str, &str) = ("LOCKSTEP_DEEP", "1");

pub fn command(mut args: Args) -> Result<()> {
    let only = args.value("--only")?;
    let package = args.value("--package")?;
    let deep = args.flag("--deep");
    args.finish()?;
    let mut variables = match only.as_deref() {
        None => vec![DOCUMENTS, SNAPSHOTS],
        Some("documents") => vec![DOCUMENTS],
        Some("snapshots") => vec![SNAPSHOTS],
        Some(other) => bail!("--only: `{other}` is not known; expected `documents` or `snapshots`"),
    };
    variables.extend(deep.then_some(DEEP));
    let mut cargo = process::cargo();
    // all tests run, so that one that fails for another reason hides none of the others
    cargo.args(["test", "--no-fail-fast"]).envs(variables);
    match package {
        Some(package) => cargo.args(["--package", &package]),
        None => cargo.arg("--workspace"),
    };
    process::run(&mut cargo)?;
    println!("Snapshots and documents are written. Read what changed: `git diff`.");
    Ok(())
}
