//! Reading and judging a log of 100,000 events: natively, beside a plain parse of the same lines,
//! and in the page's worker.

use std::{fmt, path::Path};

use anyhow::{Context, Result};
use serde_json::{Value, json};

use super::{ask, number};
use crate::{process, setup};

/// The most seconds natively.
const NATIVE: f64 = 2.0;
/// The most times that the page's worker may take as long.
const WORKER: f64 = 4.0;

/// What was measured.
pub struct LogTimes {
    events: f64,
    native: f64,
    /// Events per second of the plain parse.
    plain: f64,
    worker: f64,
}

/// Measures everything; the page must have been built.
pub fn measure(chromium: &Path) -> Result<LogTimes> {
    eprintln!("Reading and judging logs.");
    let mut cargo = process::cargo();
    let native = ask(cargo.args(["bench", "--quiet", "--package", "lockstep-trace", "--bench", "judge"]))?;
    let worker = ask(setup::node()?.arg("tests/e2e/judging.mjs").env("CHROMIUM", chromium))
        .context("The page's worker did not judge the log")?;
    LogTimes::of(&native, &worker)
}

impl LogTimes {
    fn of(native: &Value, worker: &Value) -> Result<LogTimes> {
        Ok(LogTimes {
            events: number(native, "events")?,
            native: number(native, "judge_seconds")?,
            plain: number(native, "plain_events_per_second")?,
            worker: number(worker, "worker_seconds")?,
        })
    }

    fn plain_ratio(&self) -> f64 {
        self.native / (self.events / self.plain)
    }

    fn worker_ratio(&self) -> f64 {
        self.worker / self.native
    }

    /// Everything for scripts.
    pub fn document(&self) -> Value {
        json!({
            "events": self.events,
            "judge_seconds": self.native,
            "judge_events_per_second": self.events / self.native,
            "plain_events_per_second": self.plain,
            "ratio": self.plain_ratio(),
            "worker_seconds": self.worker,
            "worker_events_per_second": self.events / self.worker,
            "worker_ratio": self.worker_ratio(),
        })
    }
}

impl fmt::Display for LogTimes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let events = self.events;
        writeln!(f, "Reading and judging a log of {events} events. Ratios are of time, to the row above:")?;
        writeln!(f, "{:23} {:>14} {:>9} {:>8} {:>7} {:>8}", "", "events/s", "seconds", "at most", "ratio", "at most")?;
        let plain = events / self.plain;
        writeln!(f, "{:23} {:>14.0} {plain:>9.3}", "plain parse", self.plain)?;
        let native = (events / self.native, self.native, self.plain_ratio());
        writeln!(f, "{:23} {:>14.0} {:>9.3} {NATIVE:>8.1} {:>7.2}", "native", native.0, native.1, native.2)?;
        let (speed, seconds, ratio) = (events / self.worker, self.worker, self.worker_ratio());
        writeln!(f, "{:23} {speed:>14.0} {seconds:>9.3} {:>8} {ratio:>7.2} {WORKER:>8.1}", "the page's worker", "")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ratios_are_of_time() {
        let native = json!({"events": 100_000, "judge_seconds": 0.5, "plain_events_per_second": 400_000.0});
        let times = LogTimes::of(&native, &json!({"worker_seconds": 1.5, "entries": 20_000})).unwrap();
        let document = times.document();
        assert_eq!((&document["ratio"], &document["worker_ratio"]), (&json!(2.0), &json!(3.0)));
        assert_eq!(document["judge_events_per_second"], json!(200_000.0));
        let text = times.to_string();
        assert!(text.contains("the page's worker") && text.contains("3.00      4.0"), "{text}");
        assert!(LogTimes::of(&native, &json!({})).is_err());
    }
}
