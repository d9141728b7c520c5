//! `cargo xtask test`: every test, in stages from quick to slow; the first failure ends it.

use std::time::Instant;

use anyhow::{Context, Result};

use crate::{args::Args, build, playwright, probe, process, setup, size};

/// Tests that run together.
struct TestStage {
    name: &'static str,
    about: &'static str,
    /// What its failure means, and what to do.
    failed: &'static str,
    run: fn(Depth) -> Result<()>,
}

/// How large the systems are that tests explore.
#[derive(Clone, Copy, PartialEq)]
enum Depth {
    Usual,
    Deep,
}

const STAGES: [TestStage; 11] = [
    TestStage {
        name: "format",
        about: "the code is formatted by rustfmt",
        failed: "The code is not formatted; run `cargo fmt --all`",
        run: |_| cargo(&["fmt", "--all", "--check"]),
    },
    TestStage {
        name: "lints",
        about: "clippy has no warnings",
        failed: "Clippy has warnings",
        run: |_| cargo(&["clippy", "--workspace", "--all-targets", "--", "-D", "warnings"]),
    },
    TestStage {
        name: "lints-wasm",
        about: "clippy has no warnings about the code for the browser",
        failed: "Clippy has warnings about the code for the browser",
        run: |_| lint_wasm(),
    },
    TestStage {
        name: "docs",
        about: "the documentation builds without a warning",
        failed: "The documentation has an error",
        run: |_| document(),
    },
    TestStage {
        name: "unit",
        about: "unit tests, conformance, golden traces, rules of the house",
        failed: "A test failed",
        run: unit,
    },
    TestStage {
        name: "node",
        about: "wasm in Node and the native core give the same bytes",
        failed: "Wasm and native runs differ, or could not be compared",
        run: |_| node(),
    },
    TestStage {
        name: "page",
        about: "the release page builds",
        failed: "The release page does not build",
        run: |_| build::page(),
    },
    TestStage {
        name: "size",
        about: "the page is within its budget",
        failed: "The page is larger than its budget",
        run: |_| size::report(),
    },
    TestStage {
        name: "browser",
        about: "the page works in Chromium and is accessible",
        failed: "A browser test failed",
        run: |_| playwright::test(&[]),
    },
    TestStage {
        name: "browsers",
        about: "the page gives the same results in Chromium, Firefox and WebKit",
        failed: "The page does not work in every browser",
        run: browsers,
    },
    TestStage {
        name: "one-file",
        about: "the page with its program in one file builds and works in Chromium",
        failed: "The page in one file does not build or does not work",
        run: |_| one_file(),
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

/// All stages, or the named one. A stage that tests the page comes after `page`: an old dist/ would
/// test code that is no longer there.
fn select(only: Option<&str>) -> Result<Vec<&'static TestStage>> {
    let Some(only) = only else {
        return Ok(STAGES.iter().collect());
    };
    let names = STAGES.map(|stage| stage.name).join(", ");
    let at = STAGES.iter().position(|stage| stage.name == only);
    let at = at.with_context(|| format!("--only: `{only}` is not a stage; expected one of {names}"))?;
    let needs_page = |stage: &TestStage| matches!(stage.name, "size" | "browser" | "browsers");
    let page = STAGES.iter().filter(|stage| stage.name == "page" && needs_page(&STAGES[at]));
    Ok(page.chain([&STAGES[at]]).collect())
}

/// The usual test takes the browsers that are installed.
fn browsers(depth: Depth) -> Result<()> {
    if depth == Depth::Deep {
        setup::all_browsers()?;
    }
    playwright::test_browsers()
}

fn one_file() -> Result<()> {
    build::one_file(build::ONE_FILE)?;
    playwright::test_one_file(build::ONE_FILE)
}

fn cargo(arguments: &[&str]) -> Result<()> {
    process::run(process::cargo().args(arguments))
}

fn lint_wasm() -> Result<()> {
    setup::wasm_target()?;
    // one by one: the probe's table of algorithms contains engines, the page's does not
    for package in ["lockstep-web", "lockstep-probe"] {
        let mut clippy = process::cargo();
        clippy.args(["clippy", "--target", setup::WASM, "--package", package]);
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
    let mut node = setup::node()?;
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
    fn a_stage_that_tests_the_page_builds_it_first() {
        assert_eq!(names(None).len(), STAGES.len());
        assert_eq!(names(Some("unit")), ["unit"]);
        assert_eq!(names(Some("page")), ["page"]);
        assert_eq!(names(Some("browser")), ["page", "browser"]);
        assert_eq!(names(Some("browsers")), ["page", "browsers"]);
        assert!(select(Some("nonsense")).is_err());
    }
}
