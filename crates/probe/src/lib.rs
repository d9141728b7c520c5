//! The core outside the page: compared with hand-written loops ([`plain`], [`study`]), and as a
//! wasm module for Node.js.
//!
//! Only tests and benchmarks use this crate.

pub mod plain;
pub mod study;

use lockstep_kernel::explore::Bounds;
use lockstep_kernel::run::{BatchJob, RunMeasures};
use lockstep_kernel::timing::Timing;
use lockstep_kernel::{Setup, Topology};
use serde_json::{Value, json};
use wasm_bindgen::prelude::wasm_bindgen;

/// The benchmark's job for our simulator: the model of [`plain::run`].
pub fn job(nodes: usize, entries: u64, seed: u64) -> BatchJob {
    BatchJob::new(Setup::new(nodes, 1, Topology::BinaryTree), Timing::paper(0.5, seed), entries)
}

/// Runs the benchmark's job.
pub fn kernel(nodes: usize, entries: u64, seed: u64) -> RunMeasures {
    lockstep_algorithms::naimi_trehel::ENTRY.measure(&job(nodes, entries, seed))
}

/// Runs the benchmark's job in wasm. Returns messages per entry, so that the compiler cannot remove
/// the run.
#[wasm_bindgen]
pub fn bench_kernel(nodes: usize, entries: u32, seed: u32) -> f64 {
    kernel(nodes, u64::from(entries), u64::from(seed)).messages_per_entry()
}

/// Runs a lab job as a worker does, from JSON to JSON. Returns the number of events, which is the
/// same on every platform.
#[wasm_bindgen]
pub fn events(job: &str) -> f64 {
    let answer: Value = serde_json::from_str(&lockstep_lab::run_json(job)).unwrap_or_default();
    answer["events"].as_f64().unwrap_or(f64::NAN)
}

/// Explores Ricart–Agrawala with three nodes as the page's worker does. Returns the number of
/// states.
#[wasm_bindgen]
pub fn bench_explore(requests: u32) -> usize {
    let setup = Setup::new(3, 1, Topology::Full);
    lockstep_algorithms::ricart_agrawala::ENTRY.explore(&setup, &Bounds { requests, ..Bounds::default() }).states
}

/// Lab jobs as JSON whose records must be the same bytes natively, in Node's wasm and in a browser:
/// one for each algorithm, and some for each kind of load, network and delay.
pub fn questions() -> Vec<String> {
    let every = lockstep_algorithms::ALL.iter().filter(|e| !e.printed);
    let each = every.map(|e| json!({ "algorithm": e.id, "nodes": 15, "threads": 2, "rate": 0.4, "entries": 2000 }));
    let alien = |rest: Value| {
        let mut job = json!({ "algorithm": "alien", "params": { "variant": "v2" }, "entries": 5000, "seed": 7 });
        merge(&mut job, rest);
        job
    };
    let loads = [
        json!({ "rate": 0.001, "replications": 3 }),
        json!({ "rate": 100.0, "threads": 10 }),
        json!({ "think": "exp:0.5", "requests": 30, "network": "unordered", "delay": "exp:0.05" }),
        json!({ "think": "const:0.3", "topology": "clusters:3x3", "delay": "const:0.02", "delay_global": "uniform:0.1:0.3" }),
    ];
    each.chain(loads.into_iter().map(alien)).map(|job| job.to_string()).collect()
}

fn merge(job: &mut Value, more: Value) {
    if let (Value::Object(job), Value::Object(more)) = (job, more) {
        job.extend(more);
    }
}

/// A small system of every algorithm as JSON: each is explored completely or up to the same bound.
pub fn systems() -> Vec<String> {
    let each = lockstep_algorithms::ALL.iter().map(|e| {
        let topology = if e.needs.tree { "chain" } else { "full" };
        let cells = if e.drive.ranges { 2 } else { 1 };
        json!({ "algorithm": e.id, "nodes": 3, "requests": 1, "topology": topology, "cells": cells, "max_states": 20_000 })
    });
    each.map(|system| system.to_string()).collect()
}

/// The checker's report of a system as JSON, as the page's worker computes it.
fn check(system: &str) -> String {
    let system = serde_json::from_str(system).map_err(|why| vec![why.to_string()]);
    let report = system.and_then(|system| lockstep_check::prepare(&system)).map(|prepared| prepared.start().finish());
    match report {
        Ok(report) => serde_json::to_string(&report).unwrap_or_default(),
        Err(problems) => json!({ "problems": problems }).to_string(),
    }
}

/// The judge's document of a log, as the page's worker computes it.
fn judged(log: &str) -> String {
    let log = lockstep_trace::read(vec![lockstep_trace::LogInput::new("log", log)], &Default::default());
    match lockstep_trace::judge(log) {
        Ok(judgement) => {
            let conformance = lockstep_follow::follow(&judgement, Some("ricart-agrawala")).and_then(Result::ok);
            judgement.document(conformance.as_ref()).to_string()
        }
        Err(refused) => json!({ "problems": [refused.1] }).to_string(),
    }
}

/// Logs that are judged: native lines with stamps, wall clocks, vector clocks, and free text.
fn logs() -> Vec<String> {
    [
        include_str!("../../../tests/logs/01-ricart-agrawala.jsonl"),
        include_str!("../../../tests/logs/02-luck.jsonl"),
        include_str!("../../../tests/logs/08-senders-unknown-ambiguous.jsonl"),
        include_str!("../../../tests/logs/10-receives-missing.jsonl"),
        include_str!("../../../tests/logs/14-wall-clocks-apart.jsonl"),
        include_str!("../../../tests/logs/16-wall-clocks-overlap.jsonl"),
        include_str!("../../../tests/logs/27-ricart-agrawala-replies-too-early.jsonl"),
        include_str!("../../../tests/logs/32-govec-luck.log"),
        "node 1 enters the critical section\nnode 1 leaves the critical section\nnode 2 enters the critical section\n",
    ]
    .map(str::to_owned)
    .into()
}

/// Everything that must be equal on every platform, as JSON: jobs, systems and logs with their
/// results, and the state of a run on the stage's clock after 300 steps.
#[wasm_bindgen]
pub fn answers() -> String {
    let asked = |questions: Vec<String>, answer: fn(&str) -> String| -> Vec<(String, String)> {
        questions.into_iter().map(|q| (q.clone(), answer(&q))).collect()
    };
    let (jobs, checked) = (asked(questions(), lockstep_lab::run_json), asked(systems(), check));
    let judged = asked(logs(), judged);
    let entry = lockstep_algorithms::alien::ENTRY;
    let setup = Setup::new(3, 1, Topology::Chain).with("variant", "v2").with("piggyback", "true");
    let mut player = (entry.drive.boot)(setup, &Timing::paper(1.0, 3));
    for _ in 0..300 {
        if let Some(event) = player.next() {
            player.pick(event);
        }
    }
    let stage = (player.frame().now, format!("{:016x}", player.fingerprint()));
    json!({ "jobs": jobs, "checked": checked, "judged": judged, "stage": stage }).to_string()
}
