//! `cargo xtask test`: every check, in stages from quick to slow; the first failure ends it.

use std::time::Instant;

use anyhow::{Context, Result};

use crate::{args::Args, build, playwright, probe, process, size, tools};

struct Stage {
    name: &'static str,
    about: &'static str,
    /// What it means when it fails: the beginning of a sentence.
    failed: &'static str,
    run: fn(Depth) -> Result<()>,
}

/// How far the tests look.
#[derive(Clone, Copy, PartialEq)]
enum Depth {
    Usual,
    Deep,
}

const STAGES: [Stage; 9] = [
    Stage {
        name: "format",
        about: "the code is laid out as rustfmt would",
        failed: "The code is not formatted; `cargo fmt --all` puts it right",
        run: |_| cargo(&["fmt", "--all", "--check"]),
    },
    Stage {
        name: "lints",
        about: "clippy has nothing to say",
        failed: "Clippy has something to say",
        run: |_| cargo(&["clippy", "--workspace", "--all-targets", "--", "-D", "warnings"]),
    },
    Stage {
        name: "lints-wasm",
        about: "nor about what is compiled for the browser",
        failed: "Clippy has something to say about the code for the browser",
        run: |_| lint_wasm(),
    },
    Stage {
        name: "docs",
        about: "the documentation builds without a warning",
        failed: "The documentation has a mistake",
        run: |_| document(),
    },
    Stage {
        name: "unit",
        about: "unit tests, conformance, golden traces, dependency rules",
        failed: "A test failed",
        run: unit,
    },
    Stage {
        name: "node",
        about: "wasm in Node and the native core give the same bytes",
        failed: "Wasm and native runs are not equal, or could not be compared",
        run: |_| node(),
    },
    Stage {
        name: "page",
        about: "the release page builds",
        failed: "The release page does not build",
        run: |_| build::page(),
    },
    Stage {
        name: "size",
        about: "the page is within its budget",
        failed: "The page is not within its budget",
        run: |_| size::report(),
    },
    Stage {
        name: "browser",
        about: "the page works in Chromium and is accessible",
        failed: "A browser test failed",
        run: |_| playwright::test(&[]),
    },
];

pub fn command(mut args: Args) -> Result<()> {
    let depth = if args.flag("--deep") { Depth::Deep } else { Depth::Usual };
    let only = args.value("--only")?;
    args.finish()?;
    let stages = select(only.as_deref())?;

    for (passed, stage) in stages.iter().enumerate() {
        println!("\n== {}: {}", stage.name, stage.about);
        #[allow(clippy::disallowed_methods, reason = "how long a stage takes is wall-clock time")]
        let start = Instant::now();
        let outcome = (stage.run)(depth).context(stage.failed);
        let verdict = if outcome.is_ok() { "passed" } else { "failed" };
        println!("== {}: {verdict} after {:.1} s", stage.name, start.elapsed().as_secs_f64());
        if outcome.is_err() {
            println!("\ntest: {passed} passed, 1 failed");
            return outcome;
        }
    }
    println!("\ntest: {} passed, 0 failed", stages.len());
    Ok(())
}

/// All stages, or the one asked for, preceded by `page` if it looks at the page: an old dist/ would
/// answer for code that is no longer there.
fn select(only: Option<&str>) -> Result<Vec<&'static Stage>> {
    let Some(only) = only else {
        return Ok(STAGES.iter().collect());
    };
    let names = STAGES.map(|stage| stage.name).join(", ");
    let at = STAGES.iter().position(|stage| stage.name == only);
    let at = at.with_context(|| format!("There is no stage `{only}`: the stages are {names}"))?;
    let needs_page = |stage: &Stage| matches!(stage.name, "size" | "browser");
    let page = STAGES.iter().filter(|stage| stage.name == "page" && needs_page(&STAGES[at]));
    Ok(page.chain([&STAGES[at]]).collect())
}

fn cargo(arguments: &[&str]) -> Result<()> {
    process::run(process::cargo().args(arguments))
}

fn lint_wasm() -> Result<()> {
    tools::wasm_target()?;
    // one by one: the probe's table of algorithms has engines, the page's fetches them
    for package in ["lockstep-web", "lockstep-probe"] {
        let mut clippy = process::cargo();
        clippy.args(["clippy", "--target", tools::WASM, "--package", package]);
        process::run(clippy.args(["--", "-D", "warnings"]))?;
    }
    Ok(())
}

fn document() -> Result<()> {
    let mut doc = process::cargo();
    doc.args(["doc", "--workspace", "--no-deps"]);
    process::run(doc.env("RUSTDOCFLAGS", "-Dwarnings"))
}

fn unit(depth: Depth) -> Result<()> {
    let mut test = process::cargo();
    test.args(["test", "--workspace"]);
    if depth == Depth::Deep {
        test.env("LOCKSTEP_DEEP", "1");
    }
    process::run(&mut test)
}

fn node() -> Result<()> {
    let mut node = tools::node()?;
    probe::build()?;
    process::run(node.arg("tests/node/equal.mjs"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(only: Option<&str>) -> Vec<&'static str> {
        select(only).unwrap().iter().map(|stage| stage.name).collect()
    }

    #[test]
    fn a_stage_that_looks_at_the_page_builds_it_first() {
        assert_eq!(names(None).len(), STAGES.len());
        assert_eq!(names(Some("unit")), ["unit"]);
        assert_eq!(names(Some("page")), ["page"]);
        assert_eq!(names(Some("browser")), ["page", "browser"]);
        assert!(select(Some("nonsense")).is_err());
    }
}
