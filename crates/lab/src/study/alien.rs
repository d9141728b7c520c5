//! Figures 3, 4 and 5 of Meza, Pérez and Eterovic 2005: messages and waiting over load, for one,
//! five and ten threads per node.

use super::data::{messages, theory, waiting};
use super::{Data, Metric, Settings, Study, StudyQuestion, Switch, alien_claims, asked, no_tables, observe, style};
use crate::{Experiment, GridAxis, Job};
use lockstep_chart::{Chart, ChartAxis, Panel};
use lockstep_spec::Spec;
use serde_json::json;
use std::collections::BTreeMap;

/// The study.
pub const STUDY: Study = Study {
    id: "alien",
    title: "Alien threads, Mueller and Raymond over load",
    source: "Meza, Pérez and Eterovic, Distributed Mutual Exclusion Algorithms for multithreaded systems, ISSADS 2005",
    about: "Messages per entry and waiting per entry over the request rate λ of each node, with 1, 5 and 10 threads per node, on 31 nodes in a \
            complete binary tree (Figures 3, 4 and 5).",
    notes: &[
        "The figures are missing from our copy of the paper, so only its statements about them can be tested.",
        "The algorithms are the repaired versions. As printed, the token is lost or two threads enter.",
        "Arrivals at a node are Poisson and pause while all its threads wait; a random idle thread requests. The critical-section time is 0.01, message delays are 0.1·U(0,1).",
        "The paper assumes a FIFO network, but its delays may reorder messages: here a message is delivered no earlier than the one sent before it. The switch `network` removes this.",
        "A request that travels with the token is not counted as a message. The paper does not say whether it is queued before the token leaves; here it is.",
        "Mueller's algorithm can be read in several ways. Readings a (each request is queued by itself) and c (one thread per visit of the token) reproduce the paper's results; b (all threads of a node at once) does not.",
        "Each point is ten independent runs of 10,000 entries: within one run of v2 under load the number of messages hardly varies, but it differs from run to run, so an interval from parts of one run covers the mean in one case of six.",
        "Light load is λ ≤ 0.1, high load λ ≥ 0.9; “almost the same” and “hardly” mean within 10 %.",
    ],
    switches: &[
        Switch {
            name: "piggyback",
            about: "whether the request for the token's return travels with the token",
            values: &["true", "false"],
        },
        Switch { name: "reading", about: "how Mueller's algorithm is read", values: &["a", "b", "c"] },
        Switch {
            name: "network",
            about: "whether the network keeps the order of messages",
            values: &["fifo", "unordered"],
        },
    ],
    experiments,
    questions,
    observe: watch,
    charts,
    tables: no_tables,
    claims: alien_claims::claims,
};

/// The lines of the charts: name, and style.
pub const SERIES: [(&str, &str); 4] =
    [("v1", "alien v1"), ("v2", "alien v2"), ("Mueller", "mueller"), ("Raymond", "raymond")];

/// The mean distance of two nodes of the complete binary tree of 31, drawn independently.
pub const DISTANCE: f64 = 4608.0 / 961.0;
/// v2 at λ → 0: Ramanujan's Q(31) − 1/31.
pub const V2_LIGHT: f64 = 6.630;

/// The harmonic number.
pub fn harmonic(n: u32) -> f64 {
    (1..=n).map(|k| 1.0 / f64::from(k)).sum()
}

fn series(settings: &Settings) -> GridAxis {
    let pb = settings.switch("piggyback");
    let reading = settings.switch("reading");
    GridAxis::cases(
        "algorithm",
        [
            ("v1".to_owned(), json!({"algorithm": "alien", "params": {"variant": "v1", "piggyback": pb}})),
            ("v2".to_owned(), json!({"algorithm": "alien", "params": {"variant": "v2", "piggyback": pb}})),
            ("Mueller".to_owned(), json!({"algorithm": "mueller", "params": {"reading": reading}})),
            ("Raymond".to_owned(), json!({"algorithm": "raymond"})),
        ],
    )
}

fn base(settings: &Settings) -> Job {
    // under load v2 settles into one of several patterns that outlast a run: parts of one run agree
    // with each other and not with the next run, so intervals need independent runs
    let (entries, replications) = settings.size.pick((10_000, 10), (1_250, 8), (1_500, 1));
    let spec = Spec::default().nodes(31).network(settings.switch("network"));
    spec.entries(entries).warmup(settings.size.pick(1_000, 400, 0)).replications(replications).bypass(false).into()
}

fn experiments(settings: &Settings) -> Vec<Experiment> {
    let rates: Vec<f64> = match settings.size.pick(1, 2, 4) {
        4 => vec![0.05, 0.1, 0.5, 0.95, 1.0],
        step => (1..=20).step_by(step).map(|i| f64::from(i) * 5.0 / 100.0).chain((step > 1).then_some(1.0)).collect(),
    };
    let grid = Experiment {
        name: "load".into(),
        title: "Messages and waiting over load".into(),
        base: base(settings),
        vary: vec![series(settings), GridAxis::of("threads", [1, 5, 10]), GridAxis::of("rate", rates)],
    };
    let limits = Experiment {
        name: "limits".into(),
        title: "The limits of light and of heavy load".into(),
        base: base(settings).with(|spec| spec.warmup(settings.size.pick(5_000, 2_000, 500))),
        vary: vec![series(settings), GridAxis::of("threads", [1, 10]), GridAxis::of("rate", [0.001, 100.0])],
    };
    // in Raymond's algorithm no request travels with the token
    let v1 = |pb: bool| json!({"algorithm": "alien", "params": {"variant": "v1", "piggyback": pb}});
    let v2 = |pb: bool| json!({"algorithm": "alien", "params": {"variant": "v2", "piggyback": pb}});
    let raymond = Experiment {
        name: "raymond".into(),
        title: "v1 with one thread per node, and Raymond".into(),
        base: base(settings),
        vary: vec![
            GridAxis::cases(
                "algorithm",
                [
                    ("Raymond".to_owned(), json!({"algorithm": "raymond"})),
                    ("with piggybacking".to_owned(), v1(true)),
                    ("without piggybacking".to_owned(), v1(false)),
                ],
            ),
            GridAxis::of("rate", [0.05, 0.25, 0.5, 0.75, 1.0]),
        ],
    };
    // requests that hardly ever meet, whatever the number of nodes
    let nodes: &[u32] = settings.size.pick(&[31, 63, 127, 255, 511], &[31, 127, 255, 511], &[31, 511]);
    let alone = |n: &u32| (n.to_string(), json!({"nodes": n, "rate": 0.02 / f64::from(*n)}));
    let size = Experiment {
        name: "size".into(),
        title: "Isolated requests over the number of nodes".into(),
        base: base(settings).with(|spec| {
            let spec = spec.entries(settings.size.pick(5_000, 2_500, 1_500));
            spec.warmup(settings.size.pick(5_000, 1_000, 1_000))
        }),
        vary: vec![
            GridAxis::cases("algorithm", [("v1".to_owned(), v1(true)), ("v2".to_owned(), v2(true))]),
            GridAxis::cases("n", nodes.iter().map(alone).collect::<Vec<_>>()),
        ],
    };
    vec![grid, limits, raymond, size]
}

pub fn questions(_: &Settings) -> Vec<StudyQuestion> {
    let question = |id, algorithm, params, nodes, requests, network| {
        StudyQuestion::new(id, asked(algorithm, params).nodes(nodes).requests(requests).network(network))
    };
    vec![
        question("printed v1", "alien-printed", &[("variant", "v1")], 2, "2", "fifo"),
        question("printed v2", "alien-printed", &[("variant", "v2")], 2, "2", "fifo"),
        question("lenient v1", "alien-printed", &[("variant", "v1"), ("reading", "lenient")], 3, "2", "fifo"),
        question("repaired v1", "alien", &[("variant", "v1")], 3, "2", "fifo"),
        question("repaired v2", "alien", &[("variant", "v2")], 3, "2", "fifo"),
        question("endless v1", "alien", &[("variant", "v1")], 3, "unlimited", "fifo"),
        question("endless v2", "alien", &[("variant", "v2")], 3, "unlimited", "fifo"),
        question("endless v2 unordered", "alien", &[("variant", "v2")], 3, "unlimited", "unordered"),
    ]
}

fn watch(settings: &Settings) -> BTreeMap<String, f64> {
    let mut seen = BTreeMap::new();
    for variant in ["v1", "v2"] {
        for (load, rate) in [("light", 0.05), ("high", 1.0)] {
            let job = base(settings).with(|spec| {
                let spec = spec.algorithm("alien").with("variant", variant);
                let spec = spec.with("piggyback", settings.switch("piggyback")).rate(rate).seed(settings.seed);
                spec.entries(settings.size.pick(50_000, 10_000, 1_000))
            });
            observe::alien(&job, &format!("{variant} {load}"), &mut seen);
        }
    }
    seen
}

fn charts(data: &Data) -> Vec<Chart> {
    vec![
        chart(data, "messages", "Messages per entry over load", "messages per entry", false, messages),
        chart(data, "waiting", "Waiting per entry over load", "waiting, time units", true, waiting),
    ]
}

fn chart(data: &Data, id: &str, title: &str, label: &str, log: bool, metric: Metric) -> Chart {
    let panel = |threads: &String| {
        let mut series: Vec<_> = SERIES
            .iter()
            .map(|(name, look)| {
                let at = [("algorithm", *name), ("threads", threads.as_str())];
                data.series("load", &at, "rate", name, style(look), metric)
            })
            .collect();
        if !log {
            let t: f64 = threads.parse().unwrap_or(1.0);
            // each entry's share of the token's round over 30 edges; a separate request doubles it
            let edges = if data.settings.switch("piggyback") == "false" { 120.0 } else { 60.0 };
            // v1 and v2 have this limit in common, so each has a part of the line in its own colour
            for (look, xs) in [("alien v1", [0.76, 0.88]), ("alien v2", [0.88, 1.0])] {
                series.push(theory("", style(look), &xs, |_| edges / (31.0 * t)));
            }
            if threads == "1" {
                for (look, level) in [("alien v1", 2.0 * DISTANCE), ("alien v2", V2_LIGHT), ("mueller", harmonic(30))] {
                    series.push(theory("", style(look), &[0.0, 0.12], |_| level));
                }
            }
        }
        let figure = match threads.as_str() {
            "1" => "Figure 3: ",
            "5" => "Figure 4: ",
            "10" => "Figure 5: ",
            _ => "",
        };
        Panel { title: format!("{figure}T = {threads}"), series }
    };
    let dashes = if log {
        ""
    } else {
        " Dashed: theoretical limits, for λ → 0 on the left and for λ → ∞ (v1 and v2) on the right."
    };
    Chart {
        id: id.into(),
        title: title.into(),
        description: format!(
            "{label} of four algorithms over the request rate, for 1, 5 and 10 threads at each of 31 nodes."
        ),
        note: data.runs("load") + dashes,
        x: ChartAxis {
            label: "λ, requests per time unit at each node".into(),
            from: Some(0.0),
            ..ChartAxis::default()
        },
        y: ChartAxis { label: label.into(), log, ..ChartAxis::default() },
        panels: data.labels("load", "threads").iter().map(panel).collect(),
    }
}
