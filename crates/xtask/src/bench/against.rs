//! `cargo xtask bench --against FOLDER`: this checkout against another one, for example the commit
//! before a change.
//!
//! Both are measured in turns, seconds apart, and the ratio is the median over the rounds, so that
//! other work on the machine does not decide. A ratio above 1 means that this checkout is slower.
//! The other checkout must have run its own `cargo xtask setup`.

use std::{
    collections::BTreeMap,
    fs,
    path::{Path, PathBuf},
    process::Command,
};

use anyhow::{Context, Result, ensure};
use serde_json::{Value, json};

use super::{CASES, ask, median, number};
use crate::{process, setup};

/// A repository with its benches built.
struct Checkout {
    root: PathBuf,
    chromium: PathBuf,
}

/// Times by name.
type Named = BTreeMap<String, f64>;

/// What is measured: a name for progress, how many rounds, and one round.
type Measurement = (&'static str, usize, fn(&Checkout) -> Result<Named>);

const MEASUREMENTS: [Measurement; 4] = [
    ("the kernel", 5, Checkout::kernel),
    ("the explorer", 5, Checkout::explorer),
    ("Figures 3–5 of the alien-threads paper", 3, Checkout::study),
    ("smoothness of the stage", 3, Checkout::smoothness),
];

/// Prints the ratios of this checkout's times to the other's.
pub fn compare(other: &str, json: bool) -> Result<()> {
    let chromium = setup::chromium()?;
    setup::playwright()?;
    let here = Checkout { root: std::env::current_dir()?, chromium: chromium.clone() };
    let root = Path::new(other).canonicalize().with_context(|| format!("--against: {other} cannot be opened"))?;
    let there = Checkout { root, chromium };
    ensure!(there.root.join("tests/e2e/node_modules").is_dir(), "Run `cargo xtask setup` in {other} first");
    here.build()?;
    there.build()?;
    let mut ratios: BTreeMap<String, Vec<f64>> = BTreeMap::new();
    for (about, rounds, measure) in MEASUREMENTS {
        for round in 1..=rounds {
            eprintln!("Measuring {about}, round {round} of {rounds}.");
            // the one that is measured first changes with each round
            let (ours, theirs) = if round % 2 == 1 {
                let ours = measure(&here)?;
                (ours, measure(&there)?)
            } else {
                let theirs = measure(&there)?;
                (measure(&here)?, theirs)
            };
            for (name, time) in ours {
                let theirs = theirs.get(&name).with_context(|| format!("{other} does not measure {name}"))?;
                ratios.entry(name).or_default().push(time / theirs);
            }
        }
    }
    print(&ratios, json);
    Ok(())
}

fn print(ratios: &BTreeMap<String, Vec<f64>>, json: bool) {
    let of = |all: &[f64]| median(all.iter().copied());
    if json {
        let document: serde_json::Map<_, _> = ratios.iter().map(|(name, all)| (name.clone(), json!(of(all)))).collect();
        return println!("{}", Value::Object(document));
    }
    println!("Time of this checkout divided by time of the other, median of the rounds:\n");
    for (name, all) in ratios {
        let (low, high) = (all.iter().copied().fold(f64::MAX, f64::min), all.iter().copied().fold(0.0, f64::max));
        println!("{name:55} {:>7.3}   {low:.3} to {high:.3}", of(all));
    }
}

impl Checkout {
    fn cargo(&self) -> Command {
        let mut cargo = process::cargo();
        cargo.current_dir(&self.root);
        cargo
    }

    fn node(&self, script: &str) -> Result<Command> {
        let mut node = setup::node()?;
        node.arg(script).current_dir(&self.root).env("CHROMIUM", &self.chromium);
        Ok(node)
    }

    fn native(&self) -> Command {
        let mut bench = Command::new(self.root.join("target/release/bench"));
        bench.current_dir(&self.root);
        bench
    }

    /// Builds the native bench, the probe and the page, each by this checkout's own rules.
    fn build(&self) -> Result<()> {
        eprintln!("Building {}.", self.root.display());
        let package = ["build", "--release", "--package", "lockstep-probe"];
        process::run_aside(self.cargo().args(package).args(["--bin", "bench"]))?;
        process::run_aside(self.cargo().args(package).args(["--lib", "--target", setup::WASM]))?;
        let mut bindgen = setup::wasm_bindgen()?;
        let wasm = format!("target/{}/release/lockstep_probe.wasm", setup::WASM);
        bindgen.args(["--target", "nodejs", "--out-dir", "target/probe-node", &wasm]).current_dir(&self.root);
        process::run_aside(&mut bindgen)?;
        process::run_aside(self.cargo().args(["xtask", "build"]))
    }

    fn kernel(&self) -> Result<Named> {
        let mut times = Named::new();
        for case in CASES {
            times.insert(
                format!("kernel native {case}"),
                number(&ask(self.native().args(["--case", case]))?, "kernel_ns")?,
            );
        }
        let answer = ask(&mut self.node("tests/node/bench.mjs")?)?;
        times.insert("kernel wasm 31".to_owned(), number(&answer, "kernel_ns")?);
        Ok(times)
    }

    fn explorer(&self) -> Result<Named> {
        let native = ask(self.native().arg("--explore"))?;
        let wasm = ask(self.node("tests/node/bench.mjs")?.arg("--explore"))?;
        Ok(Named::from([
            ("explorer native".to_owned(), number(&native, "explore_ns")?),
            ("explorer wasm".to_owned(), number(&wasm, "explore_ns")?),
        ]))
    }

    fn study(&self) -> Result<Named> {
        let jobs = self.root.join("target/study-sample.json");
        fs::write(&jobs, ask(self.native().args(["--points", "sample"]))?.to_string())?;
        let native = ask(self.native().args(["--study", "sample"]))?;
        let node = ask(self.node("tests/node/bench.mjs")?.arg("--study").arg(&jobs))?;
        let chromium = ask(self.node("tests/e2e/study.mjs")?.arg(&jobs))?;
        let places =
            [("native", &native), ("node", &node), ("one worker", &chromium["one"]), ("two workers", &chromium["two"])];
        let time = |(place, answer): (&str, &Value)| Ok((format!("study {place}"), number(answer, "kernel_ns")?));
        places.into_iter().map(time).collect()
    }

    fn smoothness(&self) -> Result<Named> {
        let answer = ask(self.node("tests/e2e/bench.mjs")?.arg("--json"))?;
        let systems = answer["systems"].as_array().context("tests/e2e/bench.mjs printed no list of systems")?;
        let time = |system: &Value| {
            let name = system["name"].as_str().unwrap_or_default();
            Ok((format!("frame of {name}"), number(system, "median_ms")?))
        };
        systems.iter().map(time).collect()
    }
}
