//! Figures 9, 10, 11 and Table 1 of Bertier, Arantes and Sens 2004: nine hosts in three clusters,
//! six algorithms, thresholds 0 to 3.

use super::claim::{ClaimTest, StudyClaim, all, less, shown};
use super::data::{plain, waiting};
use super::published::{self, PublishedTable};
use super::{
    Data, Metric, Settings, Study, StudyCell, StudyQuestion, StudyRow, StudyTable, Switch, asked, nothing, number,
    style,
};
use crate::{Experiment, GridAxis, Job, Mean, Record};
use lockstep_chart::{Chart, ChartAxis, ChartPoint, ChartSeries, Panel, Source};
use lockstep_spec::Spec;
use serde_json::json;

/// The study.
pub const STUDY: Study = Study {
    id: "hierarchical",
    title: "Mutual exclusion in clusters",
    source: "Bertier, Arantes and Sens, Hierarchical token based mutual exclusion algorithms, INRIA RR-5177, 2004",
    about: "Obtaining time and messages within and between clusters: three clusters of three hosts, 20 requests each, critical-section time α, \
            mean think time β, preemption threshold ε (Figures 9, 10 and 11, Table 1).",
    notes: &[
        "The algorithms are the repaired versions. As printed, two nodes enter after four steps.",
        "The paper gives a delay of 300 ms between clusters. Used one way, it misses the three classical rows of Table 1 by 30 %; 600 ms fits them to a few per cent and is the default here. The switch `global` offers both.",
        "The paper calls β a mean. A constant does not fit; here the think time is uniform on 0 to 2β, or exponential (`think`). The paper does not say whether the first requests come at independent times or all at once (`first`).",
        "The message delay within a cluster is 0.5 ms (the paper: below 1 ms). The proxy of a cluster is its first host.",
        "The central server is a process of its own in the first cluster; in the paper it is one of the hosts, whose own requests cost nothing. Broadcast is Ricart–Agrawala.",
        "Preempt as the paper measured it sets owner for a request from another cluster, too (`owner`).",
        "Path length counts the messages that carry a request towards the token (Request and Queue); the mean is per request, so mean times requests is the total, as in Table 1.",
        "In six rows the paper's message totals are smaller than request path plus one token per entry; no reading reproduces the PreemptAggregation rows.",
    ],
    switches: &[
        Switch { name: "global", about: "message delay between clusters, in seconds", values: &["0.6", "0.3"] },
        Switch { name: "think", about: "distribution of the think time", values: &["uniform", "exp"] },
        Switch {
            name: "first",
            about: "when hosts request for the first time",
            values: &["independent", "simultaneous"],
        },
        Switch {
            name: "owner",
            about: "Preempt: whether a request from another cluster sets owner",
            values: &["as-measured", "repaired"],
        },
    ],
    experiments,
    questions,
    observe: nothing,
    charts,
    tables,
    claims,
};

const CLASSICAL: [&str; 3] = ["Naimi–Tréhel", "Centralized", "Broadcast"];
/// Down to a load at which requests hardly ever meet.
const RATIOS: [&str; 8] = ["1/32", "1/16", "1/8", "0.25", "0.5", "1", "2", "4"];
const THRESHOLDS: [&str; 4] = ["0", "1", "2", "3"];

/// Our names: style, and algorithm and threshold in the published table.
fn lines() -> Vec<(String, &'static str, &'static str, String)> {
    let mut lines = vec![
        ("Naimi–Tréhel".to_owned(), "naimi-trehel", "Naimi-Trehel", String::new()),
        ("Centralized".to_owned(), "central-server", "Centralized", String::new()),
        ("Broadcast".to_owned(), "ricart-agrawala", "Broadcast", String::new()),
        ("Proxy".to_owned(), "proxy", "Proxy", String::new()),
    ];
    for (name, id) in [("Preempt", "preempt"), ("PreemptAggregation", "preempt-aggregation")] {
        lines.extend((0..4).map(|e| (format!("{name} ε = {e}"), id, name, e.to_string())));
    }
    lines
}

fn experiments(settings: &Settings) -> Vec<Experiment> {
    let owner = settings.switch("owner");
    let case = |(label, id, _, threshold): (String, &str, &str, String)| {
        let set = match id {
            "preempt" => json!({"algorithm": id, "params": {"threshold": threshold, "owner": owner}}),
            "preempt-aggregation" => json!({"algorithm": id, "params": {"threshold": threshold}}),
            _ => json!({"algorithm": id}),
        };
        (label, set)
    };
    let think = |beta: f64| match settings.switch("think") {
        "exp" => format!("exp:{beta}"),
        _ => format!("uniform:0:{}", 2.0 * beta),
    };
    // α stays 500 ms; 1 is the experiment of Table 1
    let ratio = |label: &str| {
        let beta = 0.5 / number(label).unwrap_or(1.0);
        (label.to_owned(), json!({"think": think(beta)}))
    };
    vec![Experiment {
        name: "ratio".into(),
        title: "Obtaining time and messages over α/β".into(),
        base: Job::from(Spec {
            first: (settings.switch("first") == "simultaneous").then(|| "const:0".into()),
            ..Spec::default()
                .topology("clusters:3x3")
                .section("const:0.5")
                .delay("const:0.0005")
                .delay_global(format!("const:{}", settings.switch("global")))
                .requests(20)
                .entries(180)
                .replications(settings.size.pick(400, 60, 4))
        }),
        vary: vec![
            GridAxis::cases("algorithm", lines().into_iter().map(case)),
            GridAxis::cases("α/β", RATIOS.map(ratio)),
        ],
    }]
}

fn questions(_: &Settings) -> Vec<StudyQuestion> {
    let printed = |params| asked("preempt-aggregation-printed", params);
    let repaired = || asked("preempt-aggregation", &[]);
    let question = |id, spec: Spec| StudyQuestion::new(id, spec.network("fifo"));
    // one host alone in its cluster: the smallest system in which the other cluster can keep the
    // token
    let uneven = |spec: Spec| spec.clusters("3+1").requests("unlimited");
    let even = |spec: Spec| spec.topology("clusters:2x2");
    vec![
        question("as printed", even(printed(&[])).requests(1)),
        question(TOKEN_REPAIRED, even(printed(&[("repair", "queues")])).requests("unlimited")),
        question(STARVES, uneven(printed(&[("repair", "queues"), ("threshold", "1")]))),
        question("repaired", even(repaired()).requests(2)),
        question("repaired, requests without end", even(repaired()).requests("unlimited")),
        question(
            "repaired, ε = 1, three hosts and one, requests without end",
            uneven(repaired().with("threshold", "1")),
        ),
    ]
}

const TOKEN_REPAIRED: &str = "as printed, token repaired, requests without end";
const STARVES: &str = "as printed, token repaired, ε = 1, three hosts and one, requests without end";

fn local(r: &Record) -> Mean {
    plain(r.summary.local_messages)
}

fn global(r: &Record) -> Mean {
    plain(r.summary.global_messages)
}

fn charts(data: &Data) -> Vec<Chart> {
    let table = published::hierarchical();
    let note = data.runs("ratio") + " Hollow marks: Table 1 of the paper.";
    let aggregation = ("PreemptAggregation", "preempt-aggregation", "PreemptAggregation");
    let classical = [
        ("Naimi–Tréhel", "naimi-trehel", "Naimi-Trehel"),
        ("Centralized", "central-server", "Centralized"),
        ("Broadcast", "ricart-agrawala", "Broadcast"),
        aggregation,
    ];
    let own = [("Proxy", "proxy", "Proxy"), ("Preempt", "preempt", "Preempt"), aggregation];
    let figure = |id: &str, title: &str, names: &[FigureLine]| {
        Chart {
        id: id.into(),
        title: title.into(),
        description: "Seconds from request to entry over the ratio of critical-section time to think time, a panel for each threshold.".into(),
        note: note.clone(),
        x: ChartAxis { label: "α/β".into(), log: true, ..ChartAxis::default() },
        y: ChartAxis { label: "obtaining time, s".into(), ..ChartAxis::default() },
        panels: THRESHOLDS.iter().map(|e| obtaining(data, &table, e, names)).collect(),
    }
    };
    vec![
        figure("obtaining", "Figure 9: obtaining time, PreemptAggregation and the classical algorithms", &classical),
        figure("obtaining-clusters", "Figure 10: obtaining time, the algorithms for clusters", &own),
        threshold_chart(data, &table, note),
    ]
}

/// Name, style, and name in the published table.
type FigureLine = (&'static str, &'static str, &'static str);

/// The threshold of an algorithm, empty where it has none, and its line in the grid.
fn line_at(name: &str, threshold: &str) -> (String, String) {
    match name {
        "Preempt" | "PreemptAggregation" => (threshold.to_owned(), format!("{name} ε = {threshold}")),
        other => (String::new(), other.to_owned()),
    }
}

/// Obtaining times at one threshold.
fn obtaining(data: &Data, table: &PublishedTable, threshold: &str, names: &[FigureLine]) -> Panel {
    let mut series = Vec::new();
    for (name, look, _) in names {
        let (_, line) = line_at(name, threshold);
        series.push(data.series("ratio", &[("algorithm", &line)], "α/β", name, style(look), waiting));
    }
    for (name, look, published) in names {
        let (epsilon, _) = line_at(name, threshold);
        let cell = table.number(&[("algorithm", published), ("epsilon", &epsilon)], "obtaining_time_mean_s");
        let points = cell.map(|y| ChartPoint::exact(1.0, y)).into_iter().collect();
        series.push(ChartSeries {
            label: String::new(),
            style: style(look),
            source: Source::Published,
            points,
            hidden: false,
        });
    }
    Panel { title: format!("ε = {threshold}"), series }
}

/// Figure 11. Algorithms without a threshold are the same at each.
fn threshold_chart(data: &Data, table: &PublishedTable, note: String) -> Chart {
    let lines = [
        ("Naimi–Tréhel", "naimi-trehel", "Naimi-Trehel"),
        ("Centralized", "central-server", "Centralized"),
        ("Broadcast", "ricart-agrawala", "Broadcast"),
        ("Proxy", "proxy", "Proxy"),
        ("Preempt", "preempt", "Preempt"),
        ("PreemptAggregation", "preempt-aggregation", "PreemptAggregation"),
    ];
    let panel = |title: &str, metric: Metric, column: &str| {
        let mut series = Vec::new();
        for (name, look, published) in lines {
            let (mut ours, mut theirs) = (Vec::new(), Vec::new());
            for (x, e) in (0u8..).zip(THRESHOLDS) {
                let (epsilon, line) = line_at(name, e);
                let at = [("algorithm", line.as_str()), ("α/β", "1")];
                ours.extend(data.one("ratio", &at).map(|r| ChartPoint {
                    key: Some(r.key.clone()),
                    ..ChartPoint::exact(f64::from(x), metric(r).mean)
                }));
                let place = [("algorithm", published), ("epsilon", epsilon.as_str())];
                theirs.extend(table.number(&place, column).map(|y| ChartPoint::exact(f64::from(x), y)));
            }
            let line = |label: String, source, points| ChartSeries {
                label,
                style: style(look),
                source,
                points,
                hidden: false,
            };
            series.push(line(name.into(), Source::Measured, ours));
            series.push(line(String::new(), Source::Published, theirs));
        }
        Panel { title: title.into(), series }
    };
    Chart {
        id: "threshold".into(),
        title: "Figure 11: messages within and between clusters over the threshold, α = β = 500 ms".into(),
        description: "Messages of 180 entries over the preemption threshold, six algorithms, ours and published."
            .into(),
        note,
        x: ChartAxis { label: "preemption threshold ε".into(), ..ChartAxis::default() },
        y: ChartAxis { label: "messages of 180 entries".into(), log: true, ..ChartAxis::default() },
        panels: vec![
            panel("within clusters", local, "local_messages"),
            panel("between clusters", global, "global_messages"),
        ],
    }
}

/// The columns of Table 1: name, published column, ours.
const COLUMNS: [(&str, &str, Metric); 7] = [
    ("obtaining time, s", "obtaining_time_mean_s", waiting),
    ("standard deviation, s", "obtaining_time_sd_s", |r| plain(r.summary.waiting.sd)),
    ("path length, mean", "path_mean", |r| plain(r.summary.path_length.mean)),
    ("path length, total", "path_total", |r| plain(r.summary.path_length.total)),
    ("local messages", "local_messages", local),
    ("global messages", "global_messages", global),
    ("local per global", "local_per_global_as_printed", |r| plain(local(r).mean / global(r).mean)),
];

fn tables(data: &Data) -> Vec<StudyTable> {
    let table = published::hierarchical();
    let row = |(line, id, name, epsilon): (String, &str, &str, String)| {
        let record = data.one("ratio", &[("algorithm", &line), ("α/β", "1")]);
        // permission-based algorithms have no path, neither here nor in the paper
        let has_path = !matches!(id, "central-server" | "ricart-agrawala");
        let cell = |(_, column, metric): &(&str, &str, Metric)| StudyCell {
            published: table.number(&[("algorithm", name), ("epsilon", &epsilon)], column),
            ours: record.map(metric).filter(|mean| mean.mean.is_finite() && (has_path || !column.starts_with("path"))),
        };
        let shown = line.split(" ε").next().unwrap_or_default().to_owned();
        StudyRow { keys: vec![shown, epsilon.clone()], cells: COLUMNS.iter().map(cell).collect() }
    };
    vec![StudyTable {
        id: "published-1".into(),
        title: "Table 1: α = β = 500 ms".into(),
        note: "A row for each algorithm and threshold. Messages and paths are means over the replications, of 180 requests. Path length counts Request and Queue messages; its mean is per request.".into(),
        keys: vec!["algorithm".into(), "ε".into()],
        measures: COLUMNS.map(|(name, ..)| name.to_owned()).to_vec(),
        rows: lines().into_iter().map(row).collect(),
    }]
}

fn claims(data: &Data) -> Vec<StudyClaim> {
    let at = |name: &str, ratio: &str| data.one("ratio", &[("algorithm", name), ("α/β", ratio)]);
    let wait = |name: &str, ratio: &str| at(name, ratio).map(waiting);
    let names: Vec<String> = lines().into_iter().map(|l| l.0).collect();
    let over = |group: &str, holds: &dyn Fn(&str) -> Option<bool>| -> Vec<ClaimTest> {
        RATIOS
            .iter()
            .map(|r| ClaimTest { group: group.into(), x: (*r).into(), claimed: true, holds: holds(r) })
            .collect()
    };
    let steps = |name: &str, ratio: &str, metric: Metric, rising: bool| {
        let of = |e: usize| at(&format!("{name} ε = {e}"), ratio).map(metric);
        let step = |e: usize| {
            let (a, b) = (of(e)?, of(e + 1)?);
            if rising { less(a, b) } else { less(b, a) }
        };
        all(&[step(0), step(1), step(2)])
    };
    let preempting = ["Preempt", "PreemptAggregation"];
    let falls: Vec<ClaimTest> = names
        .iter()
        .flat_map(|n| {
            RATIOS.windows(2).map(move |w| (n, w[0], w[1])).map(|(n, less_ratio, more_ratio)| ClaimTest {
                group: n.clone(),
                x: format!("{less_ratio}–{more_ratio}"),
                claimed: true,
                holds: wait(n, less_ratio).zip(wait(n, more_ratio)).and_then(|(a, b)| less(a, b)),
            })
        })
        .collect();
    let threshold: Vec<ClaimTest> = preempting.iter().flat_map(|n| over(n, &|r| steps(n, r, waiting, false))).collect();
    let shift: Vec<ClaimTest> = preempting
        .iter()
        .flat_map(|n| over(n, &|r| all(&[steps(n, r, local, true), steps(n, r, global, false)])))
        .collect();
    let beats = over("", &|r| {
        let hierarchical = names.iter().filter(|n| !CLASSICAL.contains(&n.as_str()));
        let pairs = hierarchical.flat_map(|h| CLASSICAL.map(|c| (h, c)));
        all(&pairs.map(|(h, c)| less(wait(h, r)?, wait(c, r)?)).collect::<Vec<_>>())
    });
    let best: Vec<ClaimTest> = (0..4)
        .flat_map(|e| {
            let own = format!("PreemptAggregation ε = {e}");
            let rivals: Vec<String> = ["Proxy".to_owned(), format!("Preempt ε = {e}")]
                .into_iter()
                .chain(CLASSICAL.map(str::to_owned))
                .collect();
            over(&format!("ε = {e}"), &|r| {
                all(&rivals.iter().map(|n| less(wait(&own, r)?, wait(n, r)?)).collect::<Vec<_>>())
            })
        })
        .collect();
    let fewer = saving(data);
    let mut claims = vec![
        StudyClaim::new("1", "§4.2", "Obtaining time falls as α/β falls, for all algorithms.")
            .by("From each ratio to the next smaller one, α = 500 ms.")
            .ours(numbers(data, &["Naimi–Tréhel", "Proxy", "PreemptAggregation ε = 3"]))
            .depends_on(&["global", "think"])
            .tested_everywhere("α/β", &falls),
        StudyClaim::new("2", "§4.2", "With preemption, obtaining time falls as ε rises.")
            .by("At each step from ε = 0 to 3.")
            .published(published_at(&["PreemptAggregation ε = 0", "PreemptAggregation ε = 3", "Preempt ε = 0", "Preempt ε = 3"], &["obtaining_time_mean_s"]))
            .ours(numbers(data, &["PreemptAggregation ε = 0", "PreemptAggregation ε = 3", "Preempt ε = 0", "Preempt ε = 3"]))
            .depends_on(&["global", "think", "owner"])
            .tested("α/β", &threshold),
        StudyClaim::new("3", "§4.2", "Preemption raises messages within clusters and lowers those between them.")
            .by("Means of both kinds at each step from ε = 0 to 3, without confidence intervals.")
            .published(published_at(&["Preempt ε = 0", "Preempt ε = 3", "PreemptAggregation ε = 0", "PreemptAggregation ε = 3"], &["local_messages", "global_messages"]))
            .ours(["Preempt ε = 0", "Preempt ε = 3", "PreemptAggregation ε = 0", "PreemptAggregation ε = 3"].map(|n| at(n, "1").map_or(String::new(), |r| format!("{n} {:.0} and {:.0}", local(r).mean, global(r).mean))).join(", "))
            .depends_on(&["owner"])
            .tested("α/β", &shift),
        StudyClaim::new("4", "§4.2", "All algorithms of Figure 10 beat all classical ones of Figure 9.")
            .by("Obtaining time of Proxy, Preempt and PreemptAggregation (ε = 0 to 3) below Naimi–Tréhel, Centralized and Broadcast.")
            .published(published_at(&["Proxy", "Preempt ε = 0", "Naimi–Tréhel", "Centralized", "Broadcast"], &["obtaining_time_mean_s"]))
            .ours(numbers(data, &["Proxy", "Preempt ε = 0", "Naimi–Tréhel", "Centralized", "Broadcast"]) + "; " + &at_low_load(data))
            .depends_on(&["global", "owner"])
            .tested_everywhere("α/β", &beats),
        StudyClaim::new("5", "§4.2", "Proxies lower the number of messages between clusters.")
            .by("Global messages of Proxy below those of Naimi–Tréhel.")
            .published("299 against 393")
            .ours(["Proxy", "Naimi–Tréhel"].map(|n| at(n, "1").map_or(String::new(), |r| format!("{n} {:.0}", global(r).mean))).join(", "))
            .tested("α/β", &over("", &|r| less(global(at("Proxy", r)?), global(at("Naimi–Tréhel", r)?)))),
        StudyClaim::new("6", "§4.2", "PreemptAggregation is the best.")
            .by("Its obtaining time below that of Preempt with the same ε and of all others.")
            .published(against("obtaining_time_mean_s", "s", &["Preempt", "Proxy"]))
            .ours(numbers(data, &["PreemptAggregation ε = 1", "Preempt ε = 1", "Proxy"]))
            .depends_on(&["owner"])
            .tested_everywhere("α/β", &best),
        StudyClaim::new("7", "§4.2", "Aggregation saves messages.")
            .by("All messages of PreemptAggregation, and those between clusters, below those of Preempt with the same ε.")
            .ours(["PreemptAggregation ε = 1", "Preempt ε = 1"].map(|n| at(n, "1").map_or(String::new(), |r| format!("{n} {} messages per entry, {:.0} between clusters", shown(super::data::messages(r)), global(r).mean))).join(", "))
            .published(against("global_messages", "global messages", &["Preempt"]))
            .depends_on(&["owner"])
            .tested("α/β", &fewer),
        starving(data),
    ];
    claims.extend(table_claims(data));
    claims
}

/// Whether aggregation saves messages: the paper says “messages” and shows those between clusters.
fn saving(data: &Data) -> Vec<ClaimTest> {
    let kinds: [(&str, Metric); 2] = [("all messages", super::data::messages), ("messages between clusters", global)];
    let mut tests = Vec::new();
    for (what, metric) in kinds {
        for e in THRESHOLDS {
            for ratio in RATIOS {
                let of = |name: &str| {
                    data.one("ratio", &[("algorithm", &format!("{name} ε = {e}")), ("α/β", ratio)]).map(metric)
                };
                let holds = of("PreemptAggregation").zip(of("Preempt")).and_then(|(a, b)| less(a, b));
                let group = format!("{what}, ε = {e}");
                tests.push(ClaimTest { group, x: ratio.into(), claimed: true, holds });
            }
        }
    }
    tests
}

/// Obtaining times where requests hardly ever meet.
fn at_low_load(data: &Data) -> String {
    let names = ["Proxy", "PreemptAggregation ε = 0", "Naimi–Tréhel", "Centralized", "Broadcast"];
    let wait =
        |n: &&str| Some(format!("{n} {}", shown(waiting(data.one("ratio", &[("algorithm", n), ("α/β", RATIOS[0])])?))));
    format!("at α/β = {}: {}", RATIOS[0], names.iter().filter_map(wait).collect::<Vec<_>>().join(", "))
}

fn numbers(data: &Data, names: &[&str]) -> String {
    let one = |n: &&str| Some(format!("{n} {}", shown(waiting(data.one("ratio", &[("algorithm", n), ("α/β", "1")])?))));
    format!("at α/β = 1: {}", names.iter().filter_map(one).collect::<Vec<_>>().join(", "))
}

/// What Table 1 of the paper (α/β = 1) says of these lines.
fn published_at(names: &[&str], columns: &[&str]) -> String {
    let table = published::hierarchical();
    let line = |(name, _, published, epsilon): (String, &str, &str, String)| {
        let at = [("algorithm", published), ("epsilon", epsilon.as_str())];
        let cells: Option<Vec<String>> =
            columns.iter().map(|column| Some(table.number(&at, column)?.to_string())).collect();
        Some(format!("{name} {}", cells?.join(" and ")))
    };
    let wanted = lines().into_iter().filter(|l| names.contains(&l.0.as_str()));
    format!("at α/β = 1: {}", wanted.filter_map(line).collect::<Vec<_>>().join(", "))
}

/// Where the paper's own Table 1 contradicts its claim that PreemptAggregation is below the others.
fn against(column: &str, unit: &str, rivals: &[&str]) -> String {
    let table = published::hierarchical();
    let number = |name: &str, threshold: &str| {
        let (epsilon, _) = line_at(name, threshold);
        table.number(&[("algorithm", name), ("epsilon", &epsilon)], column)
    };
    let at = |e: &str| {
        let own = number("PreemptAggregation", e)?;
        let above: Vec<String> = rivals
            .iter()
            .filter_map(|name| Some((name, number(name, e)?)))
            .filter(|(_, theirs)| own > *theirs)
            .map(|(name, theirs)| format!("{theirs} of {name}"))
            .collect();
        (!above.is_empty()).then(|| format!("ε = {e}: {own} {unit} against {}", above.join(" and ")))
    };
    let found: Vec<String> = THRESHOLDS.iter().filter_map(|e| at(e)).collect();
    format!("The paper's own Table 1 contradicts it at {}.", found.join("; "))
}

fn starving(data: &Data) -> StudyClaim {
    // the paper speaks of its own algorithm; the repaired one is shown beside it
    let mut claim = StudyClaim::new("8", "§3.2", "The threshold bounds preemption, so no request starves, and no other invariant is violated.")
        .by("Every order of events of two clusters of two hosts, and of three hosts and one, on a FIFO network; with unlimited requests, also every fair cycle. One counterexample contradicts the claim.")
        .explored(data, &questions(&data.settings), |id| !id.starts_with("repaired"));
    let starved = data.proofs.get(STARVES).and_then(|proof| proof.link.clone());
    claim.link = starved.or(claim.link);
    claim
}

/// The published table beside ours, cell by cell.
fn table_claims(data: &Data) -> Vec<StudyClaim> {
    let table = published::hierarchical();
    let columns: [(&str, &str, Metric, f64); 3] = [
        ("obtaining times", "obtaining_time_mean_s", waiting, 0.05),
        ("messages within clusters", "local_messages", local, 0.1),
        ("messages between clusters", "global_messages", global, 0.1),
    ];
    let claim = |(i, (what, column, metric, part)): (usize, (&str, &str, Metric, f64))| {
        let (mut tests, mut theirs, mut ours) = (Vec::new(), Vec::new(), Vec::new());
        for (name, _, published, epsilon) in lines() {
            let cell = table.number(&[("algorithm", published), ("epsilon", &epsilon)], column);
            let mine = data.one("ratio", &[("algorithm", &name), ("α/β", "1")]).map(metric);
            if let (Some(cell), Some(mine)) = (cell, mine) {
                let holds = Some((mine.mean / cell - 1.0).abs() <= part);
                theirs.push(format!("{name} {cell}"));
                ours.push(format!("{name} {}", shown(mine)));
                tests.push(ClaimTest { group: String::new(), x: name, claimed: true, holds });
            }
        }
        StudyClaim::new(format!("T1.{}", i + 1), "Table 1", &format!("The table's {what}, α = β = 500 ms."))
            .by(&format!("Measured within {} % of each published value.", part * 100.0))
            .published(theirs.join(", "))
            .ours(ours.join(", "))
            .depends_on(&["global", "think", "owner"])
            .tested("", &tests)
    };
    columns.into_iter().enumerate().map(claim).collect()
}
