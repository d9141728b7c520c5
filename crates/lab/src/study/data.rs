//! The measurements of a study, and how to select them.

use super::{Proof, Settings};
use crate::{GridPoint, Mean, Record};
use lockstep_chart::{ChartPoint, ChartSeries, Source};
use std::collections::BTreeMap;

/// What a study measured.
#[derive(Clone, PartialEq, Debug)]
pub struct Data {
    /// How it was run.
    pub settings: Settings,
    /// Points and what they measured, in order.
    pub measured: Vec<(GridPoint, Record)>,
    /// Results of explorations, by the question's id.
    pub proofs: BTreeMap<String, Proof>,
    /// Measures of single runs.
    pub observed: BTreeMap<String, f64>,
}

/// A measure of a record.
pub type Metric = fn(&Record) -> Mean;

/// Messages for each entry.
pub fn messages(r: &Record) -> Mean {
    r.summary.messages_per_entry
}

/// Waiting of one entry.
pub fn waiting(r: &Record) -> Mean {
    Mean { mean: r.summary.waiting.mean, half_width: r.summary.waiting.half_width }
}

/// Tries that the register refused, for each entry: each is answered by a `fail`.
pub fn refused_remotely(r: &Record) -> Mean {
    let fails = r.summary.messages_by_kind.iter().find(|(kind, _)| kind == "fail").map_or(0.0, |(_, n)| *n);
    plain(fails / r.summary.entries.max(1.0))
}

/// Tries that a process's own front end refused, for each entry: they cost no message.
pub fn refused_locally(r: &Record) -> Mean {
    plain((r.summary.refused / r.summary.entries.max(1.0) - refused_remotely(r).mean).max(0.0))
}

/// A number without an interval.
pub fn plain(mean: f64) -> Mean {
    Mean { mean, half_width: 0.0 }
}

/// A value on an axis and what was measured there.
#[derive(Clone, Debug)]
pub struct AxisSample<'a> {
    /// As a number; its position where the label is no number.
    pub x: f64,
    /// Its label in the grid.
    pub label: String,
    /// What was measured.
    pub record: &'a Record,
}

impl Data {
    /// The records of an experiment at these places.
    pub fn select<'a>(
        &'a self,
        experiment: &'a str,
        at: &'a [(&str, &str)],
    ) -> impl Iterator<Item = (&'a GridPoint, &'a Record)> {
        let here =
            move |p: &GridPoint| p.experiment == experiment && at.iter().all(|(axis, label)| p.on(axis) == *label);
        self.measured.iter().filter(move |(p, _)| here(p)).map(|(p, r)| (p, r))
    }

    /// The record of the one point at these places.
    pub fn one(&self, experiment: &str, at: &[(&str, &str)]) -> Option<&Record> {
        self.measured
            .iter()
            .find(|(p, _)| p.experiment == experiment && at.iter().all(|(axis, label)| p.on(axis) == *label))
            .map(|(_, r)| r)
    }

    /// Along one axis, in its order.
    pub fn along<'a>(&'a self, experiment: &'a str, at: &'a [(&str, &str)], axis: &str) -> Vec<AxisSample<'a>> {
        let sample = |(i, (point, record)): (usize, (&'a GridPoint, &'a Record))| {
            let label = point.on(axis).to_owned();
            AxisSample { x: number(&label).unwrap_or(i as f64), label, record }
        };
        let mut samples: Vec<_> = self.select(experiment, at).enumerate().map(sample).collect();
        // a line may be measured by several grids
        samples.sort_by(|a, b| a.x.total_cmp(&b.x));
        samples
    }

    /// The labels of an axis, in order.
    pub fn labels(&self, experiment: &str, axis: &str) -> Vec<String> {
        let mut labels: Vec<String> = Vec::new();
        for (point, _) in self.measured.iter().filter(|(p, _)| p.experiment == experiment) {
            if !labels.iter().any(|l| l == point.on(axis)) {
                labels.push(point.on(axis).to_owned());
            }
        }
        labels
    }

    /// A line of a chart.
    pub fn series(
        &self,
        experiment: &str,
        at: &[(&str, &str)],
        axis: &str,
        label: &str,
        style: usize,
        metric: Metric,
    ) -> ChartSeries {
        let point = |s: AxisSample| {
            let m = metric(s.record);
            ChartPoint { x: s.x, y: m.mean, half_width: m.half_width, key: Some(s.record.key.clone()) }
        };
        let points = self.along(experiment, at, axis).into_iter().map(point).collect();
        ChartSeries { label: label.into(), style, source: Source::Measured, points, hidden: false }
    }

    /// The number of runs, for the note of a chart.
    pub fn runs(&self, experiment: &str) -> String {
        let records: Vec<&Record> = self.select(experiment, &[]).map(|(_, r)| r).collect();
        let Some(first) = records.first().map(|r| &r.summary) else { return "No runs yet.".into() };
        let runs = first.replications;
        let entries = if records.iter().all(|r| r.summary.entries == first.entries) {
            format!(" of {} entries", first.entries)
        } else {
            String::new()
        };
        let (plural, how) = if runs == 1 { ("", "32 batches of the run") } else { ("s", "independent runs") };
        format!(
            "{runs} run{plural}{entries} per point, seed {}; bands are 95 % confidence intervals of the mean from {how}.",
            first.seed
        )
    }
}

/// A label as a number: `0.5`, `1/16`, or its first word.
pub fn number(label: &str) -> Option<f64> {
    let first = label.split_whitespace().next()?;
    match first.split_once('/') {
        Some((a, b)) => Some(a.parse::<f64>().ok()? / b.parse::<f64>().ok()?),
        None => first.parse().ok(),
    }
}

/// A formula as a dashed line through these places.
pub fn theory(label: &str, style: usize, xs: &[f64], of: impl Fn(f64) -> f64) -> ChartSeries {
    let points = xs.iter().map(|x| ChartPoint::exact(*x, of(*x))).collect();
    ChartSeries { label: label.into(), style, source: Source::Theory, points, hidden: false }
}
