//! Experiments of one's own: how they are written down, and the charts of their results.

use crate::study::{Metric, messages, number, style, waiting};
use crate::{Experiment, GridPoint, Job, Record};
use lockstep_chart::{Chart, ChartAxis, ChartSeries, Panel, Source};
use lockstep_kernel::sort;
use serde_json::{Map, Value, json};
use std::collections::{BTreeMap, BTreeSet};

impl Experiment {
    /// Only what differs from the defaults, so that it fits into an address.
    pub fn brief(&self) -> Value {
        let (given, default) = (json!(self.base), json!(Job::default()));
        let mut base = Map::new();
        if let Value::Object(given) = given {
            base.extend(given.into_iter().filter(|(name, value)| default.get(name) != Some(value)));
        }
        let mut fields = Map::new();
        for (name, text) in [("name", &self.name), ("title", &self.title)] {
            if !text.is_empty() {
                fields.insert(name.into(), json!(text));
            }
        }
        fields.insert("base".into(), Value::Object(base));
        fields.insert("vary".into(), json!(self.vary));
        Value::Object(fields)
    }

    /// The document as TOML, which [`Experiment::read`] reads again.
    pub fn toml(&self) -> String {
        let brief = self.brief();
        let mut text = String::new();
        for name in ["name", "title"] {
            if let Some(value) = brief.get(name) {
                text += &format!("{name} = {value}\n");
            }
        }
        text += "\n[base]\n";
        for (name, value) in brief["base"].as_object().into_iter().flatten().filter(|(_, v)| !v.is_null()) {
            text += &format!("{name} = {}\n", inline(value));
        }
        for axis in &self.vary {
            text += &format!("\n[[vary]]\nname = {}\n", json!(axis.name));
            if !axis.values.is_empty() {
                text += &format!("values = {}\n", inline(&json!(axis.values)));
            }
            if !axis.cases.is_empty() {
                let cases: Vec<String> = axis.cases.iter().map(|c| format!("  {},\n", inline(&json!(c)))).collect();
                text += &format!("cases = [\n{}]\n", cases.concat());
            }
        }
        text
    }
}

/// A value as TOML writes it on one line.
fn inline(value: &Value) -> String {
    let key = |name: &String| {
        let bare = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '-';
        if !name.is_empty() && name.chars().all(bare) { name.clone() } else { json!(name).to_string() }
    };
    match value {
        Value::Array(items) => format!("[{}]", items.iter().map(inline).collect::<Vec<_>>().join(", ")),
        Value::Object(map) => {
            let fields = map.iter().filter(|(_, v)| !v.is_null()).map(|(n, v)| format!("{} = {}", key(n), inline(v)));
            format!("{{ {} }}", fields.collect::<Vec<_>>().join(", "))
        }
        other => other.to_string(),
    }
}

/// A label as a position on the axis: a number, or the first number of a duration, `const:0.1`.
fn place(label: &str) -> Option<f64> {
    number(label).or_else(|| label.split_once(':').and_then(|(_, rest)| number(rest)))
}

/// Messages and waiting over the last numeric axis, one line for each combination of the other
/// axes.
pub fn charts(experiment: &Experiment, measured: &[(&GridPoint, &Record)]) -> Vec<Chart> {
    let numeric = |name: &str| measured.iter().all(|(p, _)| place(p.on(name)).is_some());
    let Some(x) = experiment.vary.iter().rev().map(|a| a.name.as_str()).find(|name| numeric(name)) else {
        return Vec::new();
    };
    if measured.is_empty() {
        return Vec::new();
    }
    let metrics: [(&str, &str, &str, Metric); 2] = [
        ("messages", "Messages per entry", "messages per entry", messages),
        ("waiting", "Waiting per entry", "time units", waiting),
    ];
    metrics
        .into_iter()
        .map(|(id, title, label, metric)| Chart {
            id: format!("own-{id}"),
            title: format!("{title} over {x}"),
            description: format!("{title} over {x}, one line for each combination of the other axes."),
            note: note(measured),
            x: ChartAxis { label: x.into(), log: spread(experiment, x), ..ChartAxis::default() },
            y: ChartAxis { label: label.into(), ..ChartAxis::default() },
            panels: vec![Panel { title: String::new(), series: lines(measured, x, metric) }],
        })
        .collect()
}

fn note(measured: &[(&GridPoint, &Record)]) -> String {
    let runs = measured.iter().map(|(_, r)| r.summary.replications).max().unwrap_or(1);
    let how = if runs == 1 { "32 batches of the run" } else { "independent runs" };
    let points = if measured.len() == 1 { "1 point".into() } else { format!("{} points", measured.len()) };
    format!("{points}; bands are 95 % confidence intervals of the mean from {how}.")
}

/// Whether the values span so much that a logarithmic axis shows them better.
fn spread(experiment: &Experiment, axis: &str) -> bool {
    let Some(axis) = experiment.vary.iter().find(|a| a.name == axis) else { return false };
    let numbers: Vec<f64> = axis.values.iter().filter_map(|v| place(&crate::experiment::label(v))).collect();
    let least = numbers.iter().copied().fold(f64::INFINITY, f64::min);
    least > 0.0 && numbers.iter().any(|n| *n >= 50.0 * least)
}

fn lines(measured: &[(&GridPoint, &Record)], x: &str, metric: Metric) -> Vec<ChartSeries> {
    let mut lines: Vec<ChartSeries> = Vec::new();
    let (mut known, mut taken) = (BTreeMap::<String, usize>::new(), BTreeSet::new());
    for (point, record) in measured {
        let others: Vec<&str> = point.at.iter().filter(|(name, _)| name != x).map(|(_, l)| l.as_str()).collect();
        let label = if others.is_empty() { point.job.algorithm().to_owned() } else { others.join(", ") };
        let (mean, at) = (metric(record), place(point.on(x)).unwrap_or_default());
        let here = lockstep_chart::ChartPoint {
            x: at,
            y: mean.mean,
            half_width: mean.half_width,
            key: Some(record.key.clone()),
        };
        match known.get(&label) {
            Some(line) => lines[*line].points.push(here),
            None => {
                // an algorithm keeps its hue; a second line of the same one takes the next that is
                // free
                let own = style(point.on("algorithm"));
                let own = if point.on("algorithm").is_empty() { style(point.job.algorithm()) } else { own };
                let style = std::iter::once(own).chain(0..24).find(|s| !taken.contains(s)).unwrap_or(own);
                taken.insert(style);
                known.insert(label.clone(), lines.len());
                lines.push(ChartSeries { label, style, source: Source::Measured, points: vec![here], hidden: false });
            }
        }
    }
    lines.iter_mut().for_each(|l| sort::by(&mut l.points, |a, b| a.x.total_cmp(&b.x)));
    lines
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{GridAxis, record};

    fn own() -> Experiment {
        Experiment {
            name: "mine".into(),
            title: "Two \"lines\"".into(),
            base: lockstep_spec::Spec::default().entries(200).nodes(7).bypass(false).into(),
            vary: vec![
                GridAxis::cases(
                    "algorithm",
                    [
                        ("alien v2".to_owned(), json!({"algorithm": "alien", "params": {"variant": "v2"}})),
                        ("raymond".to_owned(), json!({"algorithm": "raymond"})),
                    ],
                ),
                GridAxis::of("rate", [0.1, 10.0]),
            ],
        }
    }

    #[test]
    fn an_experiment_is_written_and_read_again() {
        let own = own();
        assert_eq!(Experiment::read(&own.toml()).unwrap(), own, "{}", own.toml());
        assert_eq!(Experiment::read(&own.brief().to_string()).unwrap(), own);
    }

    #[test]
    fn charts_have_a_line_for_each_algorithm_and_a_point_for_each_value() {
        let own = own();
        let measured: Vec<(GridPoint, Record)> =
            own.points().unwrap().into_iter().map(|p| (p.clone(), record(&p.job).unwrap())).collect();
        let measured: Vec<_> = measured.iter().map(|(p, r)| (p, r)).collect();
        let charts = charts(&own, &measured);
        assert_eq!(charts.len(), 2);
        assert!(charts[0].x.log);
        let series = &charts[0].panels[0].series;
        assert_eq!(series.iter().map(|s| s.label.as_str()).collect::<Vec<_>>(), ["alien v2", "raymond"]);
        assert_eq!(series[0].points.iter().map(|p| p.x).collect::<Vec<_>>(), [0.1, 10.0]);
        assert_eq!(series[0].points[0].y, measured[0].1.summary.messages_per_entry.mean);
    }
}
