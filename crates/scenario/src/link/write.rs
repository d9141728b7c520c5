//! Writes a link.

use super::Link;
use lockstep_kernel::timing::{Load, RangeTiming};
use lockstep_kernel::{Setup, Topology};
use std::fmt::Write;

pub fn encode(link: &Link) -> String {
    let Link { setup, timing, .. } = link;
    let mut text = format!("v=1&a={}", link.algorithm.id);
    let mut field = |name: &str, value: &str| {
        let _ = write!(text, "&{name}={}", escape(value));
    };
    for (name, value) in &setup.params.0 {
        field(name, value);
    }
    field("n", &setup.nodes().to_string());
    field("t", &threads(setup));
    field("top", &topology(setup));
    if !setup.names.iter().enumerate().all(|(i, name)| *name == format!("p{}", i + 1)) {
        field("names", &setup.names.join("."));
    }
    if setup.clusters.iter().any(|c| *c != 0) {
        field("clusters", &numbers(setup.clusters.iter().copied()));
    }
    if setup.cells != 1 {
        field("cells", &setup.cells.to_string());
    }
    if !setup.placement.is_empty() {
        field("placement", &numbers(setup.placement.iter().map(|p| p.0 + 1)));
    }
    field("net", setup.network.name());
    field("load", &load(&timing.load));
    field("section", &timing.section.to_string());
    field("delay", &timing.delays.local.to_string());
    if timing.delays.global != timing.delays.local {
        field("far", &timing.delays.global.to_string());
    }
    let (ranged, plain) = (timing.ranged, RangeTiming::default());
    for (name, value, default) in [("range", ranged.share, plain.share), ("per_cell", ranged.per_cell, plain.per_cell)]
    {
        if value != default {
            field(name, &value.to_string());
        }
    }
    for (name, set) in [("aligned", ranged.aligned), ("blocking", ranged.blocking)] {
        if set {
            field(name, "1");
        }
    }
    field("seed", &timing.seed.to_string());
    if let Some(line) = setup.without {
        field("without", &line.0.to_string());
    }
    field("c", &choices(&link.choices));
    field("at", &link.at.to_string());
    text
}

/// One number where all are equal.
fn threads(setup: &Setup) -> String {
    match setup.threads.first() {
        Some(first) if setup.nodes() > 1 && setup.threads.iter().all(|t| t == first) => first.to_string(),
        _ => numbers(setup.threads.iter().copied()),
    }
}

/// A name where there is one, else each node's parent, counted from 1.
fn topology(setup: &Setup) -> String {
    let same = |t: &Topology| Setup::new(setup.nodes(), 1, *t).parents == setup.parents;
    match Topology::ALL.iter().find(|(_, t)| same(t)) {
        Some((name, _)) => (*name).into(),
        None => numbers(setup.parents.iter().map(|p| p.0 + 1)),
    }
}

fn numbers(list: impl Iterator<Item = u32>) -> String {
    let list: Vec<String> = list.map(|n| n.to_string()).collect();
    list.join(".")
}

fn load(load: &Load) -> String {
    match load {
        Load::ByHand => "by-hand".into(),
        Load::Poisson(rate) => format!("rate:{rate}"),
        Load::Closed { first, think, requests } if first == think => format!("think:{requests}:{think}"),
        Load::Closed { first, think, requests } => format!("think:{requests}:{think}:first:{first}"),
        Load::Script(times) => {
            let times: Vec<String> = times.iter().map(|(t, thread)| format!("{}@{t}", thread.0)).collect();
            format!("script:{}", times.join(","))
        }
    }
}

/// Choices in base 36; `0*5` is five times the first event.
fn choices(choices: &[u32]) -> String {
    let mut parts: Vec<String> = Vec::new();
    for run in choices.chunk_by(|a, b| a == b) {
        let choice = base36(run[0]);
        match run.len() {
            1 => parts.push(choice),
            n => parts.push(format!("{choice}*{n}")),
        }
    }
    parts.join(".")
}

fn base36(mut number: u32) -> String {
    let mut digits = Vec::new();
    loop {
        digits.extend(char::from_digit(number % 36, 36));
        number /= 36;
        if number == 0 {
            return digits.iter().rev().collect();
        }
    }
}

/// Escapes what has no place in an address.
fn escape(value: &str) -> String {
    let mut text = String::with_capacity(value.len());
    for byte in value.bytes() {
        match byte {
            b'0'..=b'9' | b'a'..=b'z' | b'A'..=b'Z' | b'-' | b'_' | b'.' | b'~' | b':' | b'*' | b',' | b'@' => {
                text.push(byte.into())
            }
            _ => {
                let _ = write!(text, "%{byte:02X}");
            }
        }
    }
    text
}
