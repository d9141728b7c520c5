//! Questions of our own: all algorithms together over load and size, the hub of v2, fairness.

use super::alien::{DISTANCE, V2_LIGHT, harmonic};
use super::claim::{ClaimTest, StudyClaim, alike, less, shown};
use super::data::{messages, plain, theory, waiting};
use super::{Data, Metric, Settings, Study, no_questions, no_tables, observe, style};
use crate::{Experiment, GridAxis, Job, Record};
use lockstep_chart::{Chart, ChartAxis, Panel};
use lockstep_spec::Spec;
use serde_json::{Value, json};
use std::collections::BTreeMap;

/// The study.
pub const STUDY: Study = Study {
    id: "beyond",
    title: "All algorithms side by side",
    source: "our own questions; formulas from the algorithms' papers",
    about: "Messages and waiting of every algorithm for one resource over load on 31 nodes; how both grow with the number of nodes at light and high \
            load; the share of v2's messages that one node receives; how often requests are overtaken.",
    notes: &[
        "The model is that of Meza, Pérez and Eterovic 2005 with one thread per node: complete binary tree, message delays 0.1·U(0,1), critical-section time 0.01.",
        "Light load is one request in ten time units from all nodes together; at high load all nodes request all the time.",
        "Maekawa uses the quorums of a projective plane where one exists, otherwise a grid.",
        "v2's light-load cost Ramanujan's Q(n) − 1/n is a conjecture, checked numerically.",
    ],
    switches: &[],
    experiments,
    questions: no_questions,
    observe: watch,
    charts,
    tables: no_tables,
    claims,
};

/// Name, look, and what it sets.
fn maekawa(quorums: &str) -> Value {
    json!({"algorithm": "maekawa", "params": {"quorums": quorums}})
}

fn lines() -> Vec<(&'static str, &'static str, Value)> {
    let plain = |id: &'static str| json!({ "algorithm": id });
    vec![
        ("alien v1", "alien v1", json!({"algorithm": "alien", "params": {"variant": "v1"}})),
        ("alien v2", "alien v2", json!({"algorithm": "alien", "params": {"variant": "v2"}})),
        ("Mueller", "mueller", plain("mueller")),
        ("Raymond", "raymond", plain("raymond")),
        ("Naimi–Tréhel", "naimi-trehel", plain("naimi-trehel")),
        ("Neilsen–Mizuno", "neilsen-mizuno", plain("neilsen-mizuno")),
        ("central server", "central-server", plain("central-server")),
        ("token ring", "token-ring", plain("token-ring")),
        ("Suzuki–Kasami", "suzuki-kasami", plain("suzuki-kasami")),
        ("Ricart–Agrawala", "ricart-agrawala", plain("ricart-agrawala")),
        ("Carvalho–Roucairol", "carvalho-roucairol", plain("carvalho-roucairol")),
        ("Lamport", "lamport", plain("lamport")),
        ("Maekawa", "maekawa", maekawa("plane")),
    ]
}

/// The messages of an isolated entry on n nodes, where a formula is known.
fn isolated(name: &str, n: f64) -> Option<f64> {
    let tree = n == 31.0;
    match name {
        "Raymond" | "alien v1" => tree.then_some(2.0 * DISTANCE),
        "alien v2" => tree.then_some(V2_LIGHT),
        "Mueller" | "Naimi–Tréhel" => Some(harmonic(n as u32 - 1)),
        "Neilsen–Mizuno" => tree.then_some(DISTANCE + (n - 1.0) / n),
        "central server" => Some(3.0),
        "Suzuki–Kasami" | "Carvalho–Roucairol" => Some(n - 1.0),
        "Ricart–Agrawala" => Some(2.0 * (n - 1.0)),
        "Lamport" => Some(3.0 * (n - 1.0)),
        "Maekawa" => tree.then_some(15.0),
        _ => None,
    }
}

fn experiments(settings: &Settings) -> Vec<Experiment> {
    let axis = |wanted: &dyn Fn(&str) -> bool| {
        let lines = lines().into_iter().filter(|line| wanted(line.0));
        GridAxis::cases("algorithm", lines.map(|(name, _, set)| (name.to_owned(), set)).collect::<Vec<_>>())
    };
    // independent runs: v2 differs from run to run more than within one
    let (entries, replications) = settings.size.pick((5_000, 10), (650, 8), (400, 1));
    let base = Spec::default().entries(entries).warmup(entries / 10).nodes(31);
    let base = Job::from(base.replications(replications));
    let rates = settings.size.pick(
        vec![0.01, 0.02, 0.05, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.8, 1.0, 2.0, 5.0, 10.0],
        vec![0.01, 0.1, 0.3, 0.5, 1.0, 10.0],
        vec![0.1, 1.0],
    );
    let sizes: &[u32] = settings.size.pick(&[7, 15, 31, 63, 127], &[7, 15, 31, 63], &[7, 31]);
    // there is a projective plane for 7 and 31 nodes, and for none of the other sizes
    let (planes, grids): (Vec<u32>, Vec<u32>) = sizes.iter().partition(|n| [7, 31].contains(*n));
    let case = |sizes: &[u32], rate: fn(f64) -> f64| {
        let set = |n: &u32| (n.to_string(), json!({"nodes": n, "rate": rate(f64::from(*n))}));
        GridAxis::cases("n", sizes.iter().map(set).collect::<Vec<_>>())
    };
    let grid = |name: &str, title: &str, lines: GridAxis, last: GridAxis| Experiment {
        name: name.into(),
        title: title.into(),
        base: base.clone(),
        vary: vec![lines, last],
    };
    let growth = |name: &str, title: &str, rate: fn(f64) -> f64| {
        let only = |quorums| GridAxis::cases("algorithm", [("Maekawa".to_owned(), maekawa(quorums))]);
        let others = axis(&|name| name != "Maekawa");
        let all = [(others, sizes), (only("plane"), &planes), (only("grid"), &grids)];
        let parts = all.into_iter().filter(|(_, sizes)| !sizes.is_empty());
        parts.map(|(lines, sizes)| grid(name, title, lines, case(sizes, rate))).collect::<Vec<_>>()
    };
    let load = grid("load", "All algorithms over load, 31 nodes", axis(&|_| true), GridAxis::of("rate", rates));
    let light = growth("light", "Growth with the number of nodes, light load", |n| 0.1 / n);
    let high = growth("high", "Growth with the number of nodes, high load", |_| 100.0);
    [vec![load], light, high].concat()
}

fn watch(settings: &Settings) -> BTreeMap<String, f64> {
    let mut seen = BTreeMap::new();
    for variant in ["v1", "v2"] {
        for (load, rate) in [("light", 0.01), ("high", 1.0)] {
            let spec = Spec::of("alien").with("variant", variant).nodes(31).rate(rate).seed(settings.seed);
            let job = Job::from(spec.entries(settings.size.pick(50_000, 10_000, 1_000)).bypass(false));
            observe::alien(&job, &format!("{variant} {load}"), &mut seen);
        }
    }
    seen
}

fn overtaken(r: &Record) -> crate::Mean {
    plain(f64::from(r.summary.bypass_max.unwrap_or(0)))
}

fn charts(data: &Data) -> Vec<Chart> {
    let chart = |id: &str,
                 title: &str,
                 experiments: &[(&str, &str)],
                 axis: &str,
                 x: &str,
                 label: &str,
                 metric: Metric,
                 dashed: bool| {
        let panel = |(experiment, words): &(&str, &str)| {
            let line = |(name, look, _): &(&'static str, &'static str, Value)| {
                data.series(experiment, &[("algorithm", name)], axis, name, style(look), metric)
            };
            let mut series: Vec<_> = lines().iter().map(line).collect();
            if dashed && *experiment == "light" {
                let ns: Vec<f64> = data.labels(experiment, axis).iter().filter_map(|n| n.parse().ok()).collect();
                for (name, look, _) in lines().iter().filter(|l| isolated(l.0, 7.0).is_some()) {
                    series.push(theory("", style(look), &ns, |n| isolated(name, n).unwrap_or(0.0)));
                }
            }
            Panel { title: (*words).into(), series }
        };
        Chart {
            id: id.into(),
            title: title.into(),
            description: format!("{label} of all algorithms."),
            note: data.runs(experiments[0].0),
            x: ChartAxis { label: x.into(), log: true, ..ChartAxis::default() },
            y: ChartAxis { label: label.into(), log: true, ..ChartAxis::default() },
            panels: experiments.iter().map(panel).collect(),
        }
    };
    let load = [("load", "")];
    let growth = [("light", "light load"), ("high", "high load")];
    let rate = "requests per time unit at each node";
    vec![
        chart(
            "messages",
            "Messages per entry over load, 31 nodes",
            &load,
            "rate",
            rate,
            "messages per entry",
            messages,
            false,
        ),
        chart(
            "waiting",
            "Waiting per entry over load, 31 nodes",
            &load,
            "rate",
            rate,
            "waiting, time units",
            waiting,
            false,
        ),
        chart(
            "growth",
            "Messages per entry over the number of nodes",
            &growth,
            "n",
            "nodes",
            "messages per entry",
            messages,
            true,
        ),
        chart(
            "fairness",
            "The most overtaken request",
            &growth,
            "n",
            "nodes",
            "later requests served before it",
            overtaken,
            false,
        ),
    ]
}

fn claims(data: &Data) -> Vec<StudyClaim> {
    let at = |experiment: &str, name: &str, n: &str| data.one(experiment, &[("algorithm", name), ("n", n)]);
    let sizes = data.labels("light", "n");
    let (first, last) = (sizes.first().cloned().unwrap_or_default(), sizes.last().cloned().unwrap_or_default());
    let mut limits = Vec::new();
    for (name, _, _) in lines() {
        for n in &sizes {
            let (Some(record), Some(formula)) = (at("light", name, n), n.parse().ok().and_then(|n| isolated(name, n)))
            else {
                continue;
            };
            limits.push(ClaimTest {
                group: name.into(),
                x: n.clone(),
                claimed: true,
                holds: alike(messages(record), plain(formula), 0.03),
            });
        }
    }
    let growth = |experiment: &str, name: &str| {
        let (a, b) = (messages(at(experiment, name, &first)?).mean, messages(at(experiment, name, &last)?).mean);
        let span = last.parse::<f64>().ok()? / first.parse::<f64>().ok()?;
        Some(libm::log(b / a) / libm::log(span))
    };
    let exponents: Vec<String> =
        lines().iter().filter_map(|(name, _, _)| Some(format!("{name} {:.2}", growth("light", name)?))).collect();
    let faster = growth("light", "alien v2").zip(growth("light", "alien v1")).zip(growth("light", "Naimi–Tréhel"));
    let hub = |key: &str| data.observed.get(&format!("{key} busiest node")).copied();
    let hubs = ["v1 light", "v2 light", "v1 high", "v2 high"];
    let shares: Vec<String> = hubs.iter().filter_map(|k| Some(format!("{k} load {:.1} %", 100.0 * hub(k)?))).collect();
    let fair: Vec<ClaimTest> = lines()
        .iter()
        .flat_map(|(name, _, _)| {
            sizes.iter().map(move |n| (*name, n)).map(|(name, n)| ClaimTest {
                group: name.into(),
                x: n.clone(),
                claimed: true,
                holds: at("high", name, n)
                    .zip(n.parse::<f64>().ok())
                    .map(|(r, n)| overtaken(r).mean <= 2.0 * (n - 1.0)),
            })
        })
        .collect();
    let server = |n: &str| {
        let one = messages(at("light", "central server", n)?);
        let others =
            lines().into_iter().filter(|l| l.0 != "central server" && l.0 != "Mueller" && l.0 != "Naimi–Tréhel");
        crate::study::claim::all(&others.map(|l| less(one, messages(at("light", l.0, n)?))).collect::<Vec<_>>())
    };
    let most = |(name, _, _): (&str, &str, Value)| Some(format!("{name} {}", overtaken(at("high", name, &last)?).mean));
    let overtakings = format!("{last} nodes: {}", lines().into_iter().filter_map(most).collect::<Vec<_>>().join(", "));
    let cost = |name: &str| Some(format!("{name} {}", shown(messages(at("light", name, &last)?))));
    let cheapest = ["central server", "Mueller", "Naimi–Tréhel", "Neilsen–Mizuno", "alien v2"];
    let cheapest = format!("{last} nodes: {}", cheapest.into_iter().filter_map(cost).collect::<Vec<_>>().join(", "));
    vec![
        StudyClaim::new("1", "theory", "Isolated requests cost what the formulas say.")
            .by("Messages per entry at light load within 3 % of the formula, for every n for which there is one.")
            .published("31 nodes: v1 and Raymond 9.590, v2 6.630, Naimi–Tréhel and Mueller 3.995, Neilsen–Mizuno 5.763, Maekawa 15, Suzuki–Kasami and Carvalho–Roucairol 30, Ricart–Agrawala 60, Lamport 90")
            .ours(lines().iter().filter_map(|(name, _, _)| Some(format!("{name} {}", shown(messages(at("light", name, "31")?))))).collect::<Vec<_>>().join(", "))
            .tested("n", &limits),
        StudyClaim::new("2", "theory", "v2 grows faster with n than v1 and Naimi–Tréhel, like √n where those grow like log n.")
            .by(&format!("The exponent of growth of light-load messages from {first} to {last} nodes: v2's is the largest of the three."))
            .ours(exponents.join(", "))
            .settled(faster.map(|((v2, v1), nt)| v2 > v1 && v2 > nt), &format!("{first} to {last} nodes")),
        StudyClaim::new("3", "our own", "v2 has a hub at high load: one node receives far more than its share of the messages.")
            .by("The busiest of 31 nodes receives at least a quarter of all messages; an equal share would be 3.2 %.")
            .ours(shares.join(", "))
            .tested("", &hubs.map(|k| ClaimTest { group: String::new(), x: format!("{k} load"), claimed: k == "v2 high", holds: hub(k).map(|s| s >= 0.25) })),
        StudyClaim::new("4", "our own", "At high load no request is overtaken more than 2(n − 1) times.")
            .by("The most overtaken request of all runs.")
            .published("2(n − 1)")
            .ours(overtakings)
            .tested_everywhere("n", &fair),
        StudyClaim::new("5", "our own", "At light load only Mueller and Naimi–Tréhel come close to the server's three messages.")
            .by("The server needs fewer messages than all other algorithms except those two.")
            .published("server 3")
            .ours(cheapest)
            .tested_everywhere("n", &sizes.iter().map(|n| ClaimTest { group: String::new(), x: n.clone(), claimed: true, holds: server(n) }).collect::<Vec<_>>()),
    ]
}
