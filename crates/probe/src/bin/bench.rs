//! One round of a benchmark, for `cargo xtask bench`: our simulator and the hand-written loop,
//! interleaved. Prints one JSON document.
//!
//! * `bench --case 31`: Naimi–Tréhel with 31 nodes, `{"plain_ns":…,"kernel_ns":…}`; with
//!   `--once plain` or `--once kernel` one of them once, for instruction counts.
//! * `bench --agree`: the number of points if the hand-written loops of Figures 3–5 measure the
//!   same as our simulator.
//! * `bench --points sample` or `full`: the jobs of Figures 3–5, as JSON strings.
//! * `bench --study sample` or `full`: those jobs one after the other,
//!   `{"plain_ns":…,"plain_events":…,"kernel_ns":…,"kernel_events":…}`.
//! * `bench --pair sample` or `full`: the same by our simulator in two threads,
//!   `{"kernel_ns":…,"kernel_events":…}`.
//! * `bench --explore`: the time to explore a small system, `{"explore_ns":…}`.

use lockstep_kernel::run::statistics::batch_means;
use lockstep_lab::Job;
use lockstep_probe::{kernel, plain, study};
use serde_json::{Value, json};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Instant;

const ENTRIES: u64 = 100_000;
const TURNS: u64 = 5;

fn main() {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = args.iter().map(String::as_str).collect();
    let answer = match words.as_slice() {
        ["--case", nodes] => nodes_of(nodes).and_then(case),
        ["--case", nodes, "--once", which] => nodes_of(nodes).and_then(|nodes| once(nodes, which)),
        ["--agree"] => agree(),
        ["--points", size] => jobs(size).map(|jobs| json!(jobs.iter().map(text).collect::<Vec<_>>())),
        ["--study", size] => jobs(size).and_then(|jobs| in_turns(&jobs)),
        ["--pair", size] => jobs(size).map(|jobs| pair(&jobs)),
        ["--explore"] => Ok(explore()),
        _ => Err("expected --case NODES [--once plain|kernel], --agree, --points SIZE, --study SIZE, \
             --pair SIZE or --explore, where SIZE is sample or full"
            .into()),
    };
    match answer {
        Ok(answer) => println!("{answer}"),
        Err(why) => {
            eprintln!("{why}");
            std::process::exit(1);
        }
    }
}

fn nodes_of(word: &str) -> Result<usize, String> {
    let nodes = word.parse().ok().filter(|n| (1..=1_000_000).contains(n));
    nodes.ok_or_else(|| format!("--case: {word} is not allowed; expected a number of nodes from 1 to 1,000,000"))
}

fn case(nodes: usize) -> Result<Value, String> {
    same_statistics(nodes).map_err(|difference| format!("The two loops do not measure the same: {difference}"))?;
    let (mut ours, mut theirs) = (Vec::new(), Vec::new());
    for seed in 0..TURNS {
        theirs.push(time(|| plain::run(nodes, ENTRIES, seed).messages_per_entry));
        ours.push(time(|| kernel(nodes, ENTRIES, seed).messages_per_entry()));
    }
    Ok(json!({ "plain_ns": median(theirs), "kernel_ns": median(ours) }))
}

fn once(nodes: usize, which: &str) -> Result<Value, String> {
    match which {
        "plain" => Ok(json!(plain::run(nodes, ENTRIES, 1).messages_per_entry)),
        "kernel" => Ok(json!(kernel(nodes, ENTRIES, 1).messages_per_entry())),
        other => Err(format!("--once: {other} is not allowed; expected plain or kernel")),
    }
}

fn explore() -> Value {
    json!({ "explore_ns": median((0..TURNS).map(|_| time(|| lockstep_probe::bench_explore(2) as f64)).collect()) })
}

fn jobs(size: &str) -> Result<Vec<Job>, String> {
    match size {
        "sample" => study::points(true),
        "full" => study::points(false),
        other => Err(format!("{other} is not allowed; expected sample or full")),
    }
}

fn text(job: &Job) -> String {
    serde_json::to_string(job).unwrap_or_default()
}

fn agree() -> Result<Value, String> {
    let points = study::points(true)?;
    points.iter().try_for_each(study::agree).map_err(|why| format!("The two loops do not measure the same: {why}"))?;
    Ok(json!({ "points": points.len() }))
}

fn in_turns(jobs: &[Job]) -> Result<Value, String> {
    let (mut plain_ns, mut plain_events, mut kernel_ns, mut kernel_events) = (0, 0, 0, 0.0);
    for job in jobs {
        let mut plain = Err(String::new());
        plain_ns += time(|| {
            plain = study::plain(job, job.number("seed") as u64);
            0.0
        });
        plain_events += plain?.events;
        kernel_ns += time(|| {
            let events = lockstep_probe::events(&text(job));
            kernel_events += events;
            events
        });
    }
    Ok(
        json!({ "plain_ns": plain_ns, "plain_events": plain_events, "kernel_ns": kernel_ns, "kernel_events": kernel_events }),
    )
}

/// Runs the jobs in two threads, to measure two cores if both are free.
fn pair(jobs: &[Job]) -> Value {
    let next = AtomicUsize::new(0);
    let work = || {
        let mine = std::iter::from_fn(|| jobs.get(next.fetch_add(1, Ordering::Relaxed)));
        mine.map(|job| lockstep_probe::events(&text(job))).sum::<f64>()
    };
    let mut events = 0.0;
    let ns = time(|| {
        events = std::thread::scope(|scope| {
            let other = scope.spawn(work);
            work() + other.join().unwrap_or_default()
        });
        events
    });
    json!({ "kernel_ns": ns, "kernel_events": events })
}

#[expect(clippy::disallowed_methods, reason = "a benchmark measures wall-clock time")]
fn time(mut work: impl FnMut() -> f64) -> u64 {
    let start = Instant::now();
    std::hint::black_box(work());
    start.elapsed().as_nanos() as u64
}

fn median(mut times: Vec<u64>) -> u64 {
    times.sort_unstable();
    times[times.len() / 2]
}

/// Checks that both loops simulate the same model: their means differ by at most twice the
/// confidence interval of the batches, because both are estimates.
fn same_statistics(nodes: usize) -> Result<(), String> {
    let (theirs, ours) = (plain::run(nodes, ENTRIES, 1), kernel(nodes, ENTRIES, 1));
    let (messages, waiting) = batch_means(&ours.batches);
    for (name, interval, mean, other) in [
        ("messages per entry", messages, ours.messages_per_entry(), theirs.messages_per_entry),
        ("mean waiting", waiting, ours.waiting.mean, theirs.waiting),
    ] {
        if (mean - other).abs() > 2.0 * interval.half_width + 0.001 * mean {
            return Err(format!("{name} {mean} (± {}) against {other}", interval.half_width));
        }
    }
    Ok(())
}
