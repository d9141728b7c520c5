//! Tables 1 and 2 of Quinson and Vernier 2009: waiting for locks on all or a sixteenth of a
//! resource.

use super::claim::{ClaimTest, StudyClaim, alike, less, scaled, shown};
use super::data::waiting;
use super::published::{self, PublishedTable};
use super::{Data, Settings, Study, StudyCell, StudyQuestion, StudyRow, StudyTable, Switch, asked, nothing, style};
use crate::{Experiment, GridAxis, Job, Mean};
use lockstep_chart::{Chart, ChartAxis, ChartPoint, ChartSeries, Panel, Source};
use lockstep_spec::Spec;
use serde_json::json;

/// The study.
pub const STUDY: Study = Study {
    id: "ranged",
    title: "Locks on parts of a resource",
    source: "Quinson and Vernier, Byte-Range Asynchronous Locking in Distributed Settings, PDP 2009",
    about: "Waiting for a lock over the number of nodes: resources of 64 kb, 640 kb and 6.25 Mb, locks on all of it or on a sixteenth, held for \
            α seconds, 25 locks per node (Tables 1 and 2).",
    notes: &[
        "Each node requests the next lock as soon as it releases the last. A message takes L plus its bytes divided by the bandwidth, and its sender is busy until it is delivered (`sends`).",
        "L = 0.1045 s and 95.7 kB/s are inferred: with them the Naimi–Tréhel rows fit within two per cent. The paper does not describe its platform.",
        "SWQ is shown with both guards: parked requests wait until all parts are found (prose), or until all tokens have arrived (strict). Only the strict guard is as slow on the full range as in the paper.",
        "The paper does not say whether the manager lets a later request overtake a waiting one: both orders are measured, central (switch `order`, by default fifo) and central greedy. Nor does it say whether ranges begin at multiples of their length (`ranges`).",
        "The resource has 1024 cells, so a sixteenth is 64 of them. Two ranges of k cells that begin anywhere overlap less often than two of continuous length, by one part in 2k: an eighth with 64 cells, less than one per cent with 1024. A test compares 1024 cells with 2048.",
        "The published tables have lost their layout; values that could not be assigned are left out.",
    ],
    switches: &[
        Switch { name: "order", about: "overlapping requests at the manager", values: &["fifo", "greedy"] },
        Switch { name: "ranges", about: "where ranges begin", values: &["random", "aligned"] },
        Switch { name: "sends", about: "whether a send keeps its node busy", values: &["blocking", "pipelined"] },
    ],
    experiments,
    questions,
    observe: nothing,
    charts,
    tables,
    claims,
};

const LATENCY: &str = "const:0.1045";
const BYTES_PER_SECOND: f64 = 95_700.0;
/// A sixteenth is 64 of them, which overlap as often as continuous ranges to within 1 %.
const CELLS: u64 = 1024;
const SIZES: [(&str, f64); 3] = [("64kb", 65_536.0), ("640kb", 655_360.0), ("6.25Mb", 6_553_600.0)];
const ALPHAS: [&str; 3] = ["0.25", "1", "5"];
const LINES: [(&str, &str, &str); 5] = [
    ("Naimi–Tréhel", "naimi-trehel-async", "NT"),
    ("central", "central-range", "central"),
    ("central greedy", "central-range greedy", "central"),
    ("SWQ prose", "swq", "SWQ"),
    ("SWQ strict", "swq strict", "SWQ"),
];

fn experiments(settings: &Settings) -> Vec<Experiment> {
    let lines = |full: bool| {
        let all = [
            ("Naimi–Tréhel".to_owned(), json!({"algorithm": "naimi-trehel-async"})),
            (
                "central".to_owned(),
                json!({"algorithm": "central-range", "params": {"order": settings.switch("order")}}),
            ),
            ("central greedy".to_owned(), json!({"algorithm": "central-range", "params": {"order": "greedy"}})),
            ("SWQ prose".to_owned(), json!({"algorithm": "swq", "params": {"guard": "prose"}})),
            ("SWQ strict".to_owned(), json!({"algorithm": "swq", "params": {"guard": "strict"}})),
        ];
        GridAxis::cases("algorithm", all.into_iter().filter(move |(name, _)| full || name != "Naimi–Tréhel"))
    };
    let sizes = |from: usize, to: usize| {
        let case = |(name, bytes): &(&str, f64)| {
            ((*name).to_owned(), json!({"bandwidth": CELLS as f64 * BYTES_PER_SECOND / bytes}))
        };
        GridAxis::cases("size", SIZES[from..to].iter().map(case).collect::<Vec<_>>())
    };
    let nodes: &[i64] = settings.size.pick(&[2, 12, 22, 42, 82, 162], &[2, 12, 22, 42], &[2, 6]);
    let spec = Spec::default().topology("star").think("const:0").requests(25).delay(LATENCY).cells(CELLS);
    let spec = spec.aligned(settings.switch("ranges") == "aligned").blocking(settings.switch("sends") == "blocking");
    let base = Job::from(spec.entries(1_000_000).replications(settings.size.pick(5, 3, 2)));
    let alpha = GridAxis::cases("α", ALPHAS.map(|a| (a.to_owned(), json!({"section": format!("const:{a}")}))));
    let grid = |name: &str, title: &str, range: &[&str], size: GridAxis, lines: GridAxis| Experiment {
        name: name.into(),
        title: title.into(),
        base: base.clone(),
        vary: vec![
            size,
            GridAxis::of("range", range.iter().copied()),
            alpha.clone(),
            lines,
            GridAxis::of("nodes", nodes.iter().copied()),
        ],
    };
    vec![
        grid("table 1", "Timings for 64 kb", &["1/16", "1"], sizes(0, 1), lines(true)),
        grid("table 2", "Timings for larger resources", &["1/16"], sizes(1, 3), lines(false)),
    ]
}

fn questions(_: &Settings) -> Vec<StudyQuestion> {
    let question = |id, algorithm, params| {
        StudyQuestion::new(id, asked(algorithm, params).nodes(2).requests(2).topology("star").cells(2))
    };
    vec![
        question("as printed, prose guard", "swq-printed", &[("reading", "s2")]),
        question("as printed, not in use", "swq-printed", &[("reading", "s4")]),
        question("repaired, prose guard", "swq", &[("guard", "prose")]),
        question("repaired, strict guard", "swq", &[("guard", "strict")]),
    ]
}

/// The experiment that has a size.
fn experiment(size: &str) -> &'static str {
    if size == "64kb" { "table 1" } else { "table 2" }
}

fn cell(table: &PublishedTable, size: &str, range: &str, alpha: &str, line: &str, nodes: &str) -> Option<f64> {
    let name = LINES.iter().find(|l| l.0 == line)?.2;
    let range = if name == "NT" { "both" } else { range };
    table
        .number(&[("size", size), ("range", range), ("alpha", alpha), ("algorithm", name), ("nodes", nodes)], "value_s")
}

fn charts(data: &Data) -> Vec<Chart> {
    let table = published::ranged();
    let chart = |id: &str, title: &str, panels: &[(&str, &str)]| {
        let panel = |(size, range): &(&str, &str)| {
            let at = |line: &'static str| [("size", *size), ("range", *range), ("α", "1"), ("algorithm", line)];
            let mut series = Vec::new();
            for (line, look, _) in LINES {
                let ours = data.series(experiment(size), &at(line), "nodes", line, style(look), waiting);
                let seen = |p: &ChartPoint| {
                    Some(ChartPoint::exact(p.x, cell(&table, size, range, "1", line, &p.x.to_string())?))
                };
                let theirs: Vec<ChartPoint> = ours.points.iter().filter_map(seen).collect();
                if !ours.points.is_empty() {
                    series.push(ours);
                }
                if !["SWQ prose", "central greedy"].contains(&line) {
                    series.push(ChartSeries {
                        label: String::new(),
                        style: style(look),
                        source: Source::Published,
                        points: theirs,
                        hidden: false,
                    });
                }
            }
            Panel { title: format!("{size}, {}", if *range == "1" { "all of it" } else { "a sixteenth" }), series }
        };
        Chart {
            id: id.into(),
            title: title.into(),
            description: format!("{title}, by algorithm, ours and published."),
            note: data.runs("table 1")
                + " Hollow marks: the paper's values; those of SWQ have the colour of the strict guard, those of the manager that of the first order.",
            x: ChartAxis { label: "nodes".into(), log: true, ..ChartAxis::default() },
            y: ChartAxis { label: "waiting, s".into(), log: true, ..ChartAxis::default() },
            panels: panels.iter().map(panel).collect(),
        }
    };
    vec![
        chart("table-1", "Waiting for a lock on 64 kb, α = 1 s", &[("64kb", "1/16"), ("64kb", "1")]),
        chart(
            "table-2",
            "Waiting for a lock on a sixteenth, α = 1 s",
            &[("64kb", "1/16"), ("640kb", "1/16"), ("6.25Mb", "1/16")],
        ),
    ]
}

/// Tables 1 and 2: every α, size and range.
fn tables(data: &Data) -> Vec<StudyTable> {
    let published = published::ranged();
    let table = |number: u8, title: &str, experiment: &str| {
        let rows = data.select(experiment, &[]).map(|(point, record)| {
            let keys = ["size", "range", "α", "algorithm", "nodes"].map(|axis| point.on(axis).to_owned());
            let [size, range, alpha, line, nodes] = &keys;
            let theirs = cell(&published, size, range, alpha, line, nodes);
            let cells = vec![StudyCell { published: theirs, ours: Some(waiting(record)) }];
            StudyRow { keys: keys.to_vec(), cells }
        });
        StudyTable {
            id: format!("published-{number}"),
            title: format!("Table {number}: {title}"),
            note: "Both guards of SWQ stand beside the paper's one SWQ, both orders of the manager beside its one, and Naimi–Tréhel, which knows no ranges, beside its one row. Published cells that could not be read are empty.".into(),
            keys: ["size", "range", "α", "algorithm", "nodes"].map(str::to_owned).to_vec(),
            measures: vec!["waiting, s".into()],
            rows: rows.collect(),
        }
    };
    vec![
        table(1, "waiting for locks on 64 kb", "table 1"),
        table(2, "waiting for locks on 640 kb and 6.25 Mb", "table 2"),
    ]
}

/// SWQ with its guard, as sentences name it.
fn guarded(line: &str) -> Option<&'static str> {
    match line {
        "SWQ prose" => Some("SWQ (prose guard)"),
        "SWQ strict" => Some("SWQ (strict guard)"),
        _ => None,
    }
}

/// Compares one line with others, for every α and number of nodes.
fn compared(
    data: &Data,
    size: &str,
    range: &str,
    a: &str,
    holds: impl Fn(Mean, &dyn Fn(&str) -> Option<Mean>) -> Option<bool>,
) -> Vec<ClaimTest> {
    let mut tests = Vec::new();
    for alpha in ALPHAS {
        for nodes in data.labels(experiment(size), "nodes") {
            let at = |line: &str| {
                data.one(
                    experiment(size),
                    &[("size", size), ("range", range), ("α", alpha), ("algorithm", line), ("nodes", &nodes)],
                )
                .map(waiting)
            };
            let holds = at(a).and_then(|mean| holds(mean, &at));
            let guard = guarded(a).map_or(String::new(), |name| format!("{name}, "));
            tests.push(ClaimTest { group: format!("{guard}α = {alpha}"), x: nodes, claimed: true, holds });
        }
    }
    tests
}

fn claims(data: &Data) -> Vec<StudyClaim> {
    let below = |size: &str, range: &str, a: &str, b: &'static str| {
        compared(data, size, range, a, move |mean, at| less(mean, at(b)?))
    };
    // the paper has one manager and does not name its order: a claim about it is tested with both
    let above = |size: &str, range: &str, a: &str| {
        let against = |(manager, order): (&'static str, &str)| {
            let tests = compared(data, size, range, a, move |mean, at| less(at(manager)?, mean));
            let named = |t: ClaimTest| ClaimTest {
                group: t.group.replacen(", α", &format!(" and the manager {order}, α"), 1),
                ..t
            };
            tests.into_iter().map(named).collect::<Vec<_>>()
        };
        let orders = [("central", data.settings.switch("order")), ("central greedy", "greedy")];
        orders.into_iter().flat_map(against).collect::<Vec<_>>()
    };
    let both = |of: &dyn Fn(&str) -> Vec<ClaimTest>| -> Vec<ClaimTest> {
        ["SWQ prose", "SWQ strict"].iter().flat_map(|a| of(a)).collect()
    };
    let most = data.labels("table 1", "nodes").pop().unwrap_or_default();
    let numbers = |size: &str, range: &str, lines: &[&str]| {
        let one = |l: &&str| {
            let at = [("size", size), ("range", range), ("α", "1"), ("algorithm", *l), ("nodes", most.as_str())];
            Some(format!("{l} {}", shown(waiting(data.one(experiment(size), &at)?))))
        };
        format!("α = 1, {most} nodes: {}", lines.iter().filter_map(one).collect::<Vec<_>>().join(", "))
    };
    let swq = ["central", "central greedy", "SWQ prose", "SWQ strict"];
    let faster = both(&|a| {
        compared(data, "6.25Mb", "1/16", a, |mean, at| {
            let central = at("central")?;
            less(scaled(mean, 2.5), central)
        })
    });
    let mut claims = vec![
        StudyClaim::new("1", "§5", "Full range: Naimi–Tréhel waits less than the central manager.")
            .by("At every α and number of nodes.")
            .published("284 s against 396 s (α = 1, 162 nodes)")
            .ours(numbers("64kb", "1", &["Naimi–Tréhel", "central"]))
            .depends_on(&["order", "sends"])
            .tested("n", &below("64kb", "1", "Naimi–Tréhel", "central")),
        StudyClaim::new("2", "§5", "Partial locks: the central manager waits less than Naimi–Tréhel.")
            .by("A sixteenth of 64 kb, at every α and number of nodes.")
            .published("33.3 s against 284 s (α = 1, 162 nodes)")
            .ours(numbers("64kb", "1/16", &["central", "Naimi–Tréhel"]))
            .depends_on(&["order", "ranges", "sends"])
            .tested("n", &below("64kb", "1/16", "central", "Naimi–Tréhel")),
        StudyClaim::new("3", "§5", "Full range: SWQ is always slower than Naimi–Tréhel.")
            .by("By more than 1 %, for both guards, at every α and number of nodes.")
            .published("2810 s against 284 s (α = 1, 162 nodes)")
            .ours(numbers("64kb", "1", &["Naimi–Tréhel", "SWQ prose", "SWQ strict"]))
            .tested_everywhere("n", &both(&|a| compared(data, "64kb", "1", a, |mean, at| less(scaled(at("Naimi–Tréhel")?, 1.01), mean)))),
        StudyClaim::new("4", "§5", "Partial locks: SWQ waits less than Naimi–Tréhel.")
            .by("A sixteenth of 64 kb, both guards, at every α and number of nodes.")
            .published("116 s against 284 s (α = 1, 162 nodes)")
            .ours(numbers("64kb", "1/16", &["Naimi–Tréhel", "SWQ prose", "SWQ strict"]))
            .depends_on(&["ranges", "sends"])
            .tested("n", &both(&|a| below("64kb", "1/16", a, "Naimi–Tréhel"))),
        StudyClaim::new("5", "§5", "64 kb: the central manager is always faster than SWQ.")
            .by("A sixteenth of 64 kb, both guards, and both orders of the manager.")
            .published("33.3 s against 116 s (α = 1, 162 nodes)")
            .ours(numbers("64kb", "1/16", &swq))
            .depends_on(&["order", "ranges", "sends"])
            .tested_everywhere("n", &both(&|a| above("64kb", "1/16", a))),
        StudyClaim::new("6", "§5", "640 kb: the central manager is still faster than SWQ, by about 30 % at α = 1 and 162 nodes.")
            .by("A sixteenth of 640 kb, both guards, and both orders of the manager. In the paper's own Table 2, SWQ is ahead for 12 to 82 nodes at α = 0.25 and 1.")
            .published("87.1 s against 121 s (α = 1, 162 nodes)")
            .ours(numbers("640kb", "1/16", &swq))
            .depends_on(&["order", "ranges", "sends"])
            .tested("n", &both(&|a| above("640kb", "1/16", a))),
        StudyClaim::new("7", "§5", "6.25 Mb: SWQ is about three times faster.")
            .by("A sixteenth of 6.25 Mb, both guards: at least 2.5 times. In the paper's own Table 2 that begins at 22 to 42 nodes.")
            .published("201 s against 619 s (α = 1, 162 nodes)")
            .ours(numbers("6.25Mb", "1/16", &swq))
            .depends_on(&["order", "ranges", "sends"])
            .tested("n", &faster),
        StudyClaim::new("8", "§4", "Split waiting queues are safe and free of deadlock.")
            .by("Every order of events of two nodes and two cells, two requests each, as printed, which the claim is about, and repaired. One counterexample contradicts the claim.")
            .explored(data, &questions(&data.settings), |id| id.starts_with("as printed")),
    ];
    claims.push(in_order(data));
    claims.push(unlucky(data));
    claims.push(
        StudyClaim::new("10", "§3", "Locks that are declared ahead overlap communication with computation.")
            .by("This needs work between declaring a lock and needing it; neither the paper's experiment nor this one has any.")
            .settled(None, "the experiment has nothing to overlap"),
    );
    claims.extend(["64kb", "640kb", "6.25Mb"].into_iter().flat_map(|size| cells(data, size)));
    claims
}

/// Whether waits are even: a mean hides a request that is served after hundreds of others.
fn unlucky(data: &Data) -> StudyClaim {
    let at = |line: &str, nodes: &str| {
        data.one("table 1", &[("range", "1/16"), ("α", "1"), ("algorithm", line), ("nodes", nodes)])
    };
    let nodes = data.labels("table 1", "nodes");
    let (mut tests, mut numbers) = (Vec::new(), Vec::new());
    for line in ["SWQ prose", "SWQ strict", "central", "central greedy"] {
        for n in &nodes {
            let even = |r: &crate::Record| r.summary.waiting.max <= 10.0 * r.summary.waiting.mean;
            tests.push(ClaimTest {
                group: guarded(line).unwrap_or(line).to_owned(),
                x: n.clone(),
                // the paper says it of its own algorithm; the manager stands beside it
                claimed: line.starts_with("SWQ"),
                holds: at(line, n).map(even),
            });
        }
        numbers.extend(nodes.last().and_then(|n| {
            let w = at(line, n)?.summary.waiting;
            let long = [w.mean, w.p95, w.p99, w.max].map(super::short);
            Some(format!(
                "{line}, {n} nodes: mean {}, 95 of 100 {}, 99 of 100 {}, worst {}",
                long[0], long[1], long[2], long[3]
            ))
        }));
    }
    StudyClaim::new("11", "§2, §3", "Requests are queued in FIFO mode, so none starves.")
        .by("A sixteenth of 64 kb, α = 1: the worst wait is at most ten times the mean. A run that ends cannot show that a request never starves, only how long the unlucky ones wait.")
        .ours(numbers.join("; "))
        .tested_everywhere("n", &tests)
}

/// First come, first served: on the full range all requests overlap.
fn in_order(data: &Data) -> StudyClaim {
    let overtaken = |line: &str, nodes: &str| {
        let at = [("range", "1"), ("α", "1"), ("algorithm", line), ("nodes", nodes)];
        data.one("table 1", &at).and_then(|r| r.summary.bypass_max)
    };
    let nodes = data.labels("table 1", "nodes");
    let (mut tests, mut numbers) = (Vec::new(), Vec::new());
    for line in ["SWQ prose", "SWQ strict"] {
        for n in &nodes {
            let holds = overtaken(line, n).map(|times| times == 0);
            let group = guarded(line).unwrap_or(line).to_owned();
            tests.push(ClaimTest { group, x: n.clone(), claimed: true, holds });
        }
        let most = nodes.last().and_then(|n| Some(format!("{line}, {n} nodes: {} times", overtaken(line, n)?)));
        numbers.extend(most);
    }
    StudyClaim::new("9", "§3", "Requests that overlap are served first come, first served.")
        .by("Full range, α = 1: no later request is served before an earlier one, counted from the request. A request in flight can be overtaken by one that is closer to the end of the queue.")
        .ours(format!("the most overtaken request, {}", numbers.join("; ")))
        .tested("n", &tests)
}

fn at_one(numbers: &[String]) -> String {
    if numbers.is_empty() { String::new() } else { format!("at α = 1: {}", numbers.join("; ")) }
}

/// The published values of one size beside the measured ones.
fn cells(data: &Data, size: &str) -> Vec<StudyClaim> {
    let table = published::ranged();
    let number = if size == "64kb" { 1 } else { 2 };
    let claim = |(line, _, _): &(&str, &str, &str)| {
        let (mut tests, mut measured, mut theirs_all) = (Vec::new(), Vec::new(), Vec::new());
        for (point, record) in data.select(experiment(size), &[("size", size), ("algorithm", line)]) {
            let (range, alpha, nodes) = (point.on("range"), point.on("α"), point.on("nodes"));
            let Some(theirs) = cell(&table, size, range, alpha, line, nodes) else { continue };
            let ours = waiting(record);
            let holds = alike(ours, Mean { mean: theirs, half_width: 0.0 }, 0.2);
            tests.push(ClaimTest {
                group: format!("range {range}, α = {alpha}"),
                x: nodes.into(),
                claimed: true,
                holds,
            });
            if alpha == "1" {
                let place = format!("range {range}, {nodes} nodes");
                measured.push(format!("{place}: {}", shown(ours)));
                theirs_all.push(format!("{place}: {theirs}"));
            }
        }
        let mut claim = StudyClaim::new(
            format!("T{number} {size} {line}"),
            &format!("Table {number}"),
            &format!("The table's timings of {line} for {size}."),
        )
        .by("Measured within 20 % of each published value.")
        .published(at_one(&theirs_all))
        .ours(at_one(&measured))
        .depends_on(&["order", "ranges", "sends"]);
        if !tests.is_empty() {
            claim = claim.tested("n", &tests);
        }
        claim
    };
    let here = |l: &&(&str, &str, &str)| size == "64kb" || l.0 != "Naimi–Tréhel";
    LINES.iter().filter(here).map(claim).collect()
}
