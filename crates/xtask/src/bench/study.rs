//! The study of Figures 3–5 of the alien-threads paper, natively, in Node and in Chromium's
//! workers, each against a hand-written native loop of the same runs.
//!
//! Ratios are medians over rounds of a sample of the grid; events per second are those of the whole
//! grid, measured once.

use std::{
    fmt, fs,
    path::{Path, PathBuf},
    process::Command,
};

use anyhow::{Context, Result, ensure};
use serde_json::{Value, json};

use super::{ROUNDS, ask, median, number};
use crate::setup;

/// Where the runs took place: name in JSON, name in the table, and the largest ratio of time per
/// event to the plain loop's.
const PLACES: [(&str, &str, Option<f64>); 4] = [
    ("native", "native", Some(1.0)),
    ("node", "node's wasm", Some(1.5)),
    ("chromium", "Chromium, one worker", Some(1.5)),
    ("chromium_two", "Chromium, two workers", None),
];
/// The least speed of two workers relative to one, if two cores are free.
const TWO: f64 = 1.7;

/// Times of the same points, in the order of [`PLACES`], and the plain loop's; in nanoseconds.
struct Round {
    plain: f64,
    plain_events: f64,
    places: [f64; 4],
    events: f64,
    /// Two native threads.
    pair: f64,
}

/// What was measured.
pub struct StudyTimes {
    rounds: Vec<Round>,
    full: Round,
    sample_points: usize,
    points: usize,
}

/// The jobs of one size, in a file for the scripts.
struct Jobs {
    size: &'static str,
    file: PathBuf,
    count: usize,
}

/// Measures everything; fails if the loops do not do the same work.
pub fn measure(native: &Path, chromium: &Path) -> Result<StudyTimes> {
    eprintln!("Figures 3–5: checking that the plain loops give the same measures.");
    ask(Command::new(native).arg("--agree")).context("The plain loops of Figures 3–5 do not give the same measures")?;
    let (sample, full) = (jobs(native, "sample")?, jobs(native, "full")?);
    let mut rounds = Vec::new();
    for turn in 1..=ROUNDS {
        eprintln!("Figures 3–5, round {turn} of {ROUNDS}.");
        rounds.push(round(native, chromium, &sample, false)?);
    }
    eprintln!("Figures 3–5 at full size.");
    let whole = round(native, chromium, &full, true)?;
    Ok(StudyTimes { rounds, full: whole, sample_points: sample.count, points: full.count })
}

fn jobs(native: &Path, size: &'static str) -> Result<Jobs> {
    let list = ask(Command::new(native).args(["--points", size]))?;
    let file = PathBuf::from(format!("target/study-{size}.json"));
    fs::create_dir_all("target")
        .and_then(|()| fs::write(&file, list.to_string()))
        .context("The points cannot be written")?;
    Ok(Jobs { size, file, count: list.as_array().map_or(0, Vec::len) })
}

fn round(native: &Path, chromium: &Path, jobs: &Jobs, cold: bool) -> Result<Round> {
    let ours = ask(Command::new(native).args(["--study", jobs.size]))?;
    let node = ask(setup::node()?.args(["tests/node/bench.mjs", "--study"]).arg(&jobs.file))?;
    let mut script = setup::node()?;
    script.arg("tests/e2e/study.mjs").arg(&jobs.file).args(cold.then_some("--cold"));
    let browser = ask(script.env("CHROMIUM", chromium))?;
    let pair = ask(Command::new(native).args(["--pair", jobs.size]))?;

    let events = number(&ours, "kernel_events")?;
    for (place, answer) in [("node", &node), ("Chromium", &browser["one"]), ("Chromium", &browser["two"])] {
        let theirs = number(answer, "kernel_events")?;
        ensure!(theirs == events, "{place} simulated {theirs} events; expected {events}, as natively");
    }
    let time = |answer: &Value| number(answer, "kernel_ns");
    Ok(Round {
        plain: number(&ours, "plain_ns")?,
        plain_events: number(&ours, "plain_events")?,
        places: [time(&ours)?, time(&node)?, time(&browser["one"])?, time(&browser["two"])?],
        events,
        pair: time(&pair)?,
    })
}

impl Round {
    /// Time per event of a place divided by the plain loop's.
    fn ratio(&self, place: usize) -> f64 {
        (self.places[place] / self.events) / (self.plain / self.plain_events)
    }

    /// The speed of two workers relative to one.
    fn two_workers(&self) -> f64 {
        self.places[2] / self.places[3]
    }

    /// The speed of two native threads relative to one: what the machine allows.
    fn two_threads(&self) -> f64 {
        self.places[0] / self.pair
    }
}

impl StudyTimes {
    fn of(&self, value: impl Fn(&Round) -> f64) -> f64 {
        median(self.rounds.iter().map(value))
    }

    /// Everything for scripts.
    pub fn document(&self) -> Value {
        let of_places = |value: &dyn Fn(usize) -> f64| -> Value {
            let all = PLACES.iter().enumerate().map(|(place, (name, ..))| ((*name).to_owned(), json!(value(place))));
            Value::Object(all.collect())
        };
        let full = &self.full;
        let mut speeds = of_places(&|place| per_second(full.events, full.places[place]));
        speeds["plain"] = json!(per_second(full.plain_events, full.plain));
        json!({
            "points": self.points,
            "events": full.events,
            "events_per_second": speeds,
            "seconds": of_places(&|place| full.places[place] / 1e9),
            "sample_points": self.sample_points,
            "rounds": self.rounds.len(),
            "ratio": of_places(&|place| self.of(|round| round.ratio(place))),
            "two_workers": self.of(Round::two_workers),
            "two_threads": self.of(Round::two_threads),
        })
    }
}

fn per_second(events: f64, ns: f64) -> f64 {
    (events / ns * 1e9).round()
}

impl fmt::Display for StudyTimes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let StudyTimes { rounds, full, sample_points, points } = self;
        let millions = |events: f64| events / 1e6;
        writeln!(
            f,
            "Figures 3–5, {points} points of 100,000 entries, {:.0} million events. Ratios are of time per event to the plain loop \
             of the same runs,\nmedians of {} rounds over {sample_points} of the points; speeds are those of all points, once, the \
             start of workers included.\n",
            millions(full.events),
            rounds.len()
        )?;
        writeln!(
            f,
            "{:23} {:>7} {:>8}   {:18} {:>14} {:>9}",
            "", "ratio", "at most", "of the rounds", "events/s", "seconds"
        )?;
        let speed = per_second(full.plain_events, full.plain);
        writeln!(f, "{:23} {:>7.3} {:>8}   {:18} {speed:>14} {:>9.2}", "plain loop", 1.0, "", "", full.plain / 1e9)?;
        for (place, (_, name, most)) in PLACES.iter().enumerate() {
            let ratios = || rounds.iter().map(|round| round.ratio(place));
            let range = format!("{:.3} to {:.3}", ratios().fold(f64::MAX, f64::min), ratios().fold(0.0, f64::max));
            let most = most.map_or(String::new(), |most| format!("{most:.1}"));
            let (ratio, speed) = (median(ratios()), per_second(full.events, full.places[place]));
            writeln!(f, "{name:23} {ratio:>7.3} {most:>8}   {range:18} {speed:>14} {:>9.2}", full.places[place] / 1e9)?;
        }
        let (workers, threads) = (self.of(Round::two_workers), self.of(Round::two_threads));
        writeln!(
            f,
            "\nTwo workers do {workers:.2} times the work of one (at least {TWO} where two cores are free; two native threads do \
             {threads:.2} times that of one)."
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn round() -> Round {
        Round { plain: 400.0, plain_events: 20.0, places: [100.0, 200.0, 250.0, 125.0], events: 10.0, pair: 60.0 }
    }

    #[test]
    fn ratios_are_of_time_per_event() {
        let study = StudyTimes { rounds: vec![round()], full: round(), sample_points: 27, points: 180 };
        let document = study.document();
        assert_eq!(document["ratio"], json!({"native": 0.5, "node": 1.0, "chromium": 1.25, "chromium_two": 0.625}));
        assert_eq!(document["two_workers"], json!(2.0));
        assert_eq!(document["events_per_second"]["plain"], json!(50_000_000.0));
        assert!(study.to_string().contains("Two workers do 2.00 times"), "{study}");
    }
}
