//! One round of the kernel benchmark, for `cargo xtask bench`: our simulator and the hand-written loop, interleaved.
//!
//! `bench --case 31` prints `{"plain_ns":…,"kernel_ns":…}`; `bench --case 31 --once plain` runs one of them once, for instruction counts;
//! `bench --explore` prints how long exploring a small system takes.

use lockstep_kernel::run::statistics::batch_means;
use lockstep_probe::{kernel, plain};
use std::time::Instant;

const ENTRIES: u64 = 100_000;
const TURNS: u64 = 5;

fn main() {
    let args: Vec<String> = std::env::args().collect();
    let value = |name: &str| args.iter().position(|a| a == name).and_then(|i| args.get(i + 1)).map(String::as_str);
    if args.iter().any(|a| a == "--explore") {
        let times = (0..TURNS).map(|_| time(|| lockstep_probe::bench_explore(2) as f64)).collect();
        println!("{{\"explore_ns\":{}}}", median(times));
        return;
    }
    let Some(nodes) = value("--case").and_then(|c| c.parse().ok()).filter(|n| (1..=1_000_000).contains(n)) else {
        eprintln!("bench needs --case with a number of nodes, for example --case 31");
        std::process::exit(2);
    };
    match value("--once") {
        Some("plain") => println!("{}", plain::run(nodes, ENTRIES, 1).messages_per_entry),
        Some("kernel") => println!("{}", kernel(nodes, ENTRIES, 1).messages_per_entry()),
        Some(other) => {
            eprintln!("--once is plain or kernel, not {other}");
            std::process::exit(2);
        }
        None => {
            if let Err(difference) = same_statistics(nodes) {
                eprintln!("the two loops do not measure the same: {difference}");
                std::process::exit(1);
            }
            let (mut ours, mut theirs) = (Vec::new(), Vec::new());
            for seed in 0..TURNS {
                theirs.push(time(|| plain::run(nodes, ENTRIES, seed).messages_per_entry));
                ours.push(time(|| kernel(nodes, ENTRIES, seed).messages_per_entry()));
            }
            println!("{{\"plain_ns\":{},\"kernel_ns\":{}}}", median(theirs), median(ours));
        }
    }
}

#[expect(clippy::disallowed_methods, reason = "a benchmark measures wall-clock time")]
fn time(work: impl Fn() -> f64) -> u128 {
    let start = Instant::now();
    std::hint::black_box(work());
    start.elapsed().as_nanos()
}

fn median(mut times: Vec<u128>) -> u128 {
    times.sort_unstable();
    times[times.len() / 2]
}

/// Both loops simulate the same model, so their means agree within the intervals of their batches (doubled: two estimates).
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
