//! Runs points on all cores, with a progress bar on a terminal.

use crate::print;
use lockstep_lab::{GridPoint, Record, record};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc;

/// Runs every point; `done` gets each record as soon as it is there, in any order.
pub fn run(points: &[GridPoint], workers: usize, mut done: impl FnMut(Record)) {
    let next = AtomicUsize::new(0);
    let (sender, receiver) = mpsc::channel();
    std::thread::scope(|scope| {
        for _ in 0..workers.min(points.len()).max(1) {
            let (sender, next) = (sender.clone(), &next);
            scope.spawn(move || {
                while let Some(point) = points.get(next.fetch_add(1, Ordering::Relaxed)) {
                    if sender.send(record(&point.job)).is_err() {
                        return;
                    }
                }
            });
        }
        drop(sender);
        let mut bar = ProgressBar::new(points.len());
        for answer in receiver {
            match answer {
                Ok(record) => {
                    bar.step(record.summary.events * f64::from(record.summary.replications));
                    done(record);
                }
                // points are valid, but a run can come to a standstill
                Err(problems) => print::say(&format!("A point is left out. {}", problems.join(" "))),
            }
        }
        bar.end();
    });
}

/// Points done, events per second and the time left.
struct ProgressBar {
    all: usize,
    done: usize,
    events: f64,
    since: Option<std::time::Instant>,
}

impl ProgressBar {
    #[allow(clippy::disallowed_methods, reason = "how long the reader has to wait is about real time")]
    fn new(all: usize) -> Self {
        let since = print::watched().then(std::time::Instant::now);
        ProgressBar { all, done: 0, events: 0.0, since }
    }

    fn step(&mut self, events: f64) {
        self.done += 1;
        self.events += events;
        let Some(since) = self.since else { return };
        let seconds = since.elapsed().as_secs_f64().max(1e-3);
        let left = seconds / self.done as f64 * (self.all - self.done) as f64;
        let full = 30 * self.done / self.all.max(1);
        let bar = "█".repeat(full) + &"·".repeat(30 - full);
        let (done, all, speed) = (self.done, self.all, self.events / seconds / 1e6);
        let line = format!("[{bar}] {done} of {all} points, {speed:.1} million events per second, {left:.0} s left   ");
        print::progress(&line, false);
    }

    fn end(&self) {
        if self.since.is_some() {
            print::progress("", true);
        }
    }
}
