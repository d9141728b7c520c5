//! Valid documents of every kind, to be damaged.

use lockstep_lab::{Header, Job, RecordStore, record};
use lockstep_scenario::link::Link;
use lockstep_scenario::{LIBRARY, parse, trace};
use serde_json::Value;
use std::path::{Path, PathBuf};

fn folder(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(name)
}

/// A recorded document of `tests/compat`, as text.
fn recorded(name: &str, field: &str) -> Vec<Vec<u8>> {
    let text = std::fs::read_to_string(folder("compat").join(name)).unwrap();
    let all: Vec<Value> = serde_json::from_str(&text).unwrap();
    let text = |value: &Value| value.as_str().map_or_else(|| value.to_string(), str::to_owned);
    all.iter().filter_map(|entry| entry.get(field)).map(|value| text(value).into_bytes()).collect()
}

/// The runs of the library: their links and every step of them.
fn runs() -> Vec<(String, String)> {
    let run = |(id, text): &(&str, &str)| {
        let scenario = parse(id, text).unwrap();
        let mut player = scenario.play().player;
        let link = Link::of(scenario.algorithm, &*player, &scenario.timing).encode();
        let path: Vec<_> = player.timeline().iter().map(|step| step.id).collect();
        let frame = |step| {
            player.seek(step);
            player.frame()
        };
        let frames: Vec<_> = path.into_iter().take(30).map(frame).collect();
        (link.clone(), trace::json(scenario.algorithm.id, &link, &frames))
    };
    LIBRARY.iter().map(run).collect()
}

pub fn links() -> Vec<Vec<u8>> {
    let text = std::fs::read_to_string(folder("links.json")).unwrap();
    let known: serde_json::Map<String, Value> = serde_json::from_str(&text).unwrap();
    known.keys().cloned().chain(runs().into_iter().map(|(link, _)| link)).map(String::into_bytes).collect()
}

pub fn scenarios() -> Vec<Vec<u8>> {
    LIBRARY.iter().map(|(_, text)| text.as_bytes().to_vec()).collect()
}

pub fn saved_runs() -> Vec<Vec<u8>> {
    let mut all = recorded("saved-runs.json", "document");
    all.extend(runs().into_iter().map(|(_, saved)| saved.into_bytes()));
    all
}

pub fn experiments() -> Vec<Vec<u8>> {
    recorded("experiments.json", "text")
}

pub fn jobs() -> Vec<Vec<u8>> {
    recorded("jobs.json", "json")
}

pub fn results() -> Vec<Vec<u8>> {
    let job = |seed: u64| Job::default().with(|s| s.algorithm("raymond").nodes(3).entries(20).seed(seed));
    let file = |records: u64| {
        let mut text = RecordStore::new(Header { study: "alien".into(), ..Header::default() }).first_line();
        (1..=records).for_each(|seed| text += &record(&job(seed)).unwrap().line());
        text.into_bytes()
    };
    [0, 1, 3, 8].map(file).to_vec()
}

/// The examples of logs whose names end so.
pub fn logs(end: &str) -> Vec<Vec<u8>> {
    let entries = std::fs::read_dir(folder("logs")).unwrap().map(|entry| entry.unwrap().path());
    let mut files: Vec<PathBuf> = entries.filter(|path| path.extension().is_some_and(|e| e == end)).collect();
    files.sort();
    files.iter().map(|path| std::fs::read(path).unwrap()).collect()
}

pub fn shiviz() -> Vec<Vec<u8>> {
    logs("log")
}

/// Archives with a log each, stored and in two files.
pub fn archives() -> Vec<Vec<u8>> {
    logs("jsonl").chunks(2).map(zip).collect()
}

/// A zip archive whose files are stored, not compressed. Damage finds the reader of headers either
/// way; the checksums need not be right.
fn zip(files: &[Vec<u8>]) -> Vec<u8> {
    let (mut bytes, mut central) = (Vec::new(), Vec::new());
    for (n, file) in files.iter().enumerate() {
        let (name, offset, size) = (format!("{n}.jsonl"), bytes.len() as u32, file.len() as u32);
        let mut about = Vec::new();
        about.extend([20, 0, 0, 0, 0, 0, 0, 0, 0, 0]);
        about.extend(crc(file).to_le_bytes());
        about.extend(size.to_le_bytes());
        about.extend(size.to_le_bytes());
        about.extend((name.len() as u16).to_le_bytes());
        about.extend([0, 0]);
        bytes.extend(b"PK\x03\x04");
        bytes.extend(&about);
        bytes.extend(name.bytes());
        bytes.extend(file);
        central.extend(b"PK\x01\x02\x14\x00");
        central.extend(&about);
        central.extend([0; 10]);
        central.extend(offset.to_le_bytes());
        central.extend(name.bytes());
    }
    let (at, size, count) = (bytes.len() as u32, central.len() as u32, files.len() as u16);
    bytes.extend(central);
    bytes.extend(b"PK\x05\x06\x00\x00\x00\x00");
    bytes.extend([count, count].iter().flat_map(|n| n.to_le_bytes()));
    bytes.extend(size.to_le_bytes());
    bytes.extend(at.to_le_bytes());
    bytes.extend([0, 0]);
    bytes
}

fn crc(bytes: &[u8]) -> u32 {
    let step = |crc: u32, _| if crc & 1 == 1 { 0xedb8_8320 ^ (crc >> 1) } else { crc >> 1 };
    !bytes.iter().fold(!0, |crc, byte| (0..8).fold(crc ^ u32::from(*byte), step))
}
