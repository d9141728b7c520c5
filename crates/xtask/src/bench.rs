//! `cargo xtask bench`: our kernel against a plain hand-written loop that does the same work.
//!
//! The two times of a ratio are taken in the same round, seconds apart, and the median over the
//! rounds is reported, so that other work on the machine does not decide. Instruction counts do not
//! depend on other work at all.

mod against;
mod logs;
mod smoothness;
mod study;

use std::{
    path::{Path, PathBuf},
    process::Command,
};

use anyhow::{Context, Result};
use serde_json::{Value, json};

use crate::{args::Args, build, probe, process, setup};

const ROUNDS: usize = 5;
/// Sizes of the systems, in nodes.
const CASES: [&str; 3] = ["31", "1023", "100000"];

/// Our time and the plain loop's, in nanoseconds, one pair for each round.
struct TimedSeries {
    name: String,
    rounds: Vec<Times>,
}

struct Times {
    plain: f64,
    kernel: f64,
}

struct Instructions {
    plain: u64,
    kernel: u64,
}

pub fn command(mut args: Args) -> Result<()> {
    let json = args.flag("--json");
    let other = args.value("--against")?;
    args.finish()?;
    if let Some(other) = other {
        return against::compare(&other, json);
    }
    let chromium = setup::chromium()?;
    setup::playwright()?;
    let native = compile()?;
    build::page()?;
    let all = time(&native)?;
    let instructions = count(&native)?;
    let explorer = explore(&native)?;
    let logs = logs::measure(&chromium)?;
    let study = study::measure(&native, &chromium)?;
    // a failure here is reported at the end: the other figures are still worth printing
    let smoothness = smoothness::measure(&chromium);
    if json {
        let mut document = document(&all, instructions.as_ref());
        document["explorer"] = explorer;
        document["logs"] = logs.document();
        document["study"] = study.document();
        document["smoothness"] = smoothness.document();
        println!("{document}");
    } else {
        print_table(&all, instructions.as_ref());
        println!(
            "\nThe explorer, Ricart–Agrawala with 3 nodes and 3 requests each, and stateright on the same, one thread each:"
        );
        for (name, value) in explorer.as_object().into_iter().flatten() {
            println!("{name:29} {value:>12}");
        }
        print!("\n{logs}\n{study}\n{smoothness}");
    }
    smoothness.verdict()
}

/// Our explorer against stateright's, in turns in one process; and the speed of wasm as a fraction
/// of the native speed.
fn explore(native: &Path) -> Result<Value> {
    eprintln!("The explorer against stateright.");
    let mut cargo = process::cargo();
    let mut answer = ask(cargo.args(["bench", "--quiet", "--package", "lockstep-tests", "--bench", "explorer"]))?;
    let speeds = (0..ROUNDS).map(|_| {
        let native = number(&ask(Command::new(native).arg("--explore"))?, "explore_ns")?;
        let wasm = number(&ask(setup::node()?.args(["tests/node/bench.mjs", "--explore"]))?, "explore_ns")?;
        Ok(native / wasm)
    });
    answer["wasm_speed"] = json!(median(speeds.collect::<Result<Vec<_>>>()?.into_iter()));
    Ok(answer)
}

/// Builds both benches; returns the native one.
fn compile() -> Result<PathBuf> {
    setup::node()?;
    let mut cargo = process::cargo();
    cargo.args(["build", "--release", "--package", "lockstep-probe", "--bin", "bench"]);
    process::run_aside(&mut cargo).context("The bench could not be compiled")?;
    probe::build()?;
    Ok(probe::target_folder()?.join("release/bench"))
}

fn time(native: &Path) -> Result<Vec<TimedSeries>> {
    let names = CASES.map(|case| format!("native_{case}"));
    let mut all: Vec<_> =
        names.into_iter().chain(["wasm_31".to_owned()]).map(|name| TimedSeries { name, rounds: Vec::new() }).collect();
    for round in 1..=ROUNDS {
        eprintln!("Round {round} of {ROUNDS}.");
        for (series, case) in all.iter_mut().zip(CASES) {
            let answer = ask(Command::new(native).args(["--case", case]))?;
            let (plain, kernel) = (number(&answer, "plain_ns")?, number(&answer, "kernel_ns")?);
            series.rounds.push(Times { plain, kernel });
        }
        // wasm is compared with the native plain loop for the same number of nodes
        let plain = all[0].rounds[round - 1].plain;
        let answer = ask(setup::node()?.arg("tests/node/bench.mjs"))?;
        let kernel = number(&answer, "kernel_ns")?;
        all[CASES.len()].rounds.push(Times { plain, kernel });
    }
    Ok(all)
}

fn ask(command: &mut Command) -> Result<Value> {
    let text = process::read(command).context("The bench did not run")?;
    serde_json::from_str(&text).with_context(|| format!("The bench printed {text:?}; expected JSON"))
}

fn number(answer: &Value, name: &str) -> Result<f64> {
    let value = answer[name].as_f64().filter(|value| *value > 0.0);
    value.with_context(|| format!("The bench printed {answer}; expected a positive `{name}`"))
}

/// Instructions of both loops for the smallest case; none without valgrind.
fn count(native: &Path) -> Result<Option<Instructions>> {
    if process::find("valgrind").is_none() {
        eprintln!("Instructions are not counted: valgrind is not installed.");
        return Ok(None);
    }
    let plain = callgrind(native, "plain")?;
    let kernel = callgrind(native, "kernel")?;
    Ok(Some(Instructions { plain, kernel }))
}

fn callgrind(native: &Path, which: &str) -> Result<u64> {
    eprintln!("Counting the instructions of the {which} loop.");
    let mut valgrind = Command::new("valgrind");
    valgrind.args(["--tool=callgrind", "--callgrind-out-file=/dev/null", "--log-fd=1"]);
    valgrind.arg(native).args(["--case", "31", "--once", which]);
    let log = process::read(&mut valgrind).context("Instructions could not be counted")?;
    collected(&log).context("Callgrind printed no number of instructions")
}

/// The number in callgrind's line `==42== Collected : 1234`.
fn collected(log: &str) -> Option<u64> {
    let line = log.lines().find(|line| line.contains("Collected :"))?;
    line.split_whitespace().last()?.parse().ok()
}

impl TimedSeries {
    fn ratio(&self) -> f64 {
        median(self.rounds.iter().map(|times| times.kernel / times.plain))
    }
}

impl Instructions {
    #[allow(clippy::cast_precision_loss, reason = "counts are far below 2^52")]
    fn ratio(&self) -> f64 {
        self.kernel as f64 / self.plain as f64
    }
}

fn median(values: impl Iterator<Item = f64>) -> f64 {
    let mut values: Vec<_> = values.collect();
    values.sort_by(f64::total_cmp);
    let middle = values.len() / 2;
    if values.len() % 2 == 1 { values[middle] } else { f64::midpoint(values[middle - 1], values[middle]) }
}

fn document(all: &[TimedSeries], instructions: Option<&Instructions>) -> Value {
    let kernel: serde_json::Map<_, _> = all.iter().map(|series| (series.name.clone(), json!(series.ratio()))).collect();
    let instructions = instructions
        .map(|counted| json!({"plain_31": counted.plain, "kernel_31": counted.kernel, "ratio_31": counted.ratio()}));
    json!({"kernel": kernel, "instructions": instructions})
}

fn print_table(all: &[TimedSeries], instructions: Option<&Instructions>) {
    println!("Medians of {ROUNDS} rounds; wasm is compared with the native plain loop.\n");
    println!("{:15} {:>14} {:>14} {:>7}   range over the rounds", "", "plain ns", "kernel ns", "ratio");
    for series in all {
        let plain = median(series.rounds.iter().map(|times| times.plain));
        let kernel = median(series.rounds.iter().map(|times| times.kernel));
        let ratios = || series.rounds.iter().map(|times| times.kernel / times.plain);
        let (low, high) = (ratios().fold(f64::MAX, f64::min), ratios().fold(0.0, f64::max));
        let (name, ratio) = (&series.name, series.ratio());
        println!("{name:15} {plain:>14.1} {kernel:>14.1} {ratio:>7.3}   {low:.3} to {high:.3}");
    }
    match instructions {
        None => println!("\nInstructions were not counted: valgrind is not installed."),
        Some(counted) => {
            println!("{:15} {:>14} {:>14} {:>7.3}", "instructions_31", counted.plain, counted.kernel, counted.ratio())
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn median_is_the_middle_value() {
        assert!((median([3.0, 1.0, 2.0].into_iter()) - 2.0).abs() < 1e-9);
        assert!((median([4.0, 1.0, 2.0, 3.0].into_iter()) - 2.5).abs() < 1e-9);
    }

    #[test]
    fn reads_callgrinds_count() {
        assert_eq!(collected("==7== Events    : Ir\n==7== Collected : 1234567\n"), Some(1_234_567));
        assert_eq!(collected("nothing"), None);
    }

    #[test]
    fn without_valgrind_the_document_says_null() {
        let rounds = vec![Times { plain: 2.0, kernel: 3.0 }];
        let all = [TimedSeries { name: "native_31".to_owned(), rounds }];
        let text = document(&all, None).to_string();
        assert_eq!(text, r#"{"instructions":null,"kernel":{"native_31":1.5}}"#);
    }
}
