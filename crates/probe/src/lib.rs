//! The core in other places: beside a hand-written loop ([`plain`]), and as a wasm module for node.
//!
//! Only tests and benchmarks use this crate.

pub mod plain;

use lockstep_kernel::run::{Job, Measured};
use lockstep_kernel::timing::Timing;
use lockstep_kernel::{Setup, Topology};
use wasm_bindgen::prelude::wasm_bindgen;

/// The benchmark's job for our simulator: the model of [`plain::run`].
pub fn job(nodes: usize, entries: u64, seed: u64) -> Job {
    Job { setup: Setup::new(nodes, 1, Topology::BinaryTree), timing: Timing::paper(0.5, seed), entries, bypass: false }
}

/// Runs the benchmark's job.
pub fn kernel(nodes: usize, entries: u64, seed: u64) -> Measured {
    (lockstep_algorithms::naimi_trehel::ENTRY.drive.measure)(&job(nodes, entries, seed))
}

/// Runs the benchmark's job in wasm; returns messages per entry so that nothing is optimised away.
#[wasm_bindgen]
pub fn bench_kernel(nodes: usize, entries: u32, seed: u32) -> f64 {
    kernel(nodes, u64::from(entries), u64::from(seed)).messages_per_entry()
}

/// Runs the hand-written loop in wasm, for comparison.
#[wasm_bindgen]
pub fn bench_plain(nodes: usize, entries: u32, seed: u32) -> f64 {
    plain::run(nodes, u64::from(entries), u64::from(seed)).messages_per_entry
}

/// A lab job as JSON text and its summary as JSON text: the same bytes natively, in node and in a browser.
#[wasm_bindgen]
pub fn run_json(job: &str) -> String {
    lockstep_lab::run_json(job)
}
