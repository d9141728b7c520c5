//! The four schemes of Bryant's lecture notes (2012): messages and waiting over the number of
//! processes and load.

use super::claim::{ClaimTest, StudyClaim, alike, less, shown};
use super::data::{messages, plain, theory, waiting};
use super::{Data, Metric, Settings, Study, StudyQuestion, asked, no_tables, nothing, style};
use crate::{Experiment, GridAxis, Job};
use lockstep_chart::{Chart, ChartAxis, Panel};
use lockstep_spec::Spec;
use serde_json::json;

/// The study.
pub const STUDY: Study = Study {
    id: "notes",
    title: "The lecture notes' four schemes",
    source: "Bryant, notes on distributed mutual exclusion, CMU 15-440, 2012",
    about: "Messages and waiting per entry of the central server, Ricart–Agrawala, Lamport and the token ring, over the number n of processes and \
            over load.",
    notes: &[
        "The notes give formulas and no measurements. The server is a process of its own; message delays are 0.1·U(0,1), the critical-section time is 0.01.",
        "Server and ring are the repaired versions. As printed, two processes enter.",
        "Light load is 0.1 requests per time unit from all processes together, so requests rarely overlap; at high load all processes request all the time.",
    ],
    switches: &[],
    experiments,
    questions,
    observe: nothing,
    charts,
    tables: no_tables,
    claims,
};

const LINES: [(&str, &str); 4] = [
    ("server", "central-server"),
    ("Ricart–Agrawala", "ricart-agrawala"),
    ("Lamport", "lamport"),
    ("ring", "token-ring"),
];

fn experiments(settings: &Settings) -> Vec<Experiment> {
    let lines = || GridAxis::cases("algorithm", LINES.map(|(name, id)| (name.to_owned(), json!({ "algorithm": id }))));
    let entries = settings.size.pick(20_000, 3_000, 300);
    let base = Job::from(Spec::default().topology("ring").entries(entries).warmup(entries / 20));
    let sizes: &[u32] = settings.size.pick(&[2, 4, 8, 16, 32, 64], &[2, 4, 8, 16, 32], &[2, 4, 8]);
    let light = sizes.iter().map(|n| (n.to_string(), json!({"nodes": n, "rate": 0.1 / f64::from(*n)})));
    let high = sizes.iter().map(|n| (n.to_string(), json!({"nodes": n, "rate": 100.0})));
    let grid = |name: &str, title: &str, base: Job, axis: GridAxis| Experiment {
        name: name.into(),
        title: title.into(),
        base,
        vary: vec![lines(), axis],
    };
    let rates = GridAxis::of(
        "rate",
        settings.size.pick(
            vec![0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1.0, 2.0, 5.0, 10.0],
            vec![0.01, 0.1, 0.5, 1.0, 10.0],
            vec![0.1, 10.0],
        ),
    );
    vec![
        grid("light", "Over n at light load", base.clone(), GridAxis::cases("n", light)),
        grid("high", "Over n at high load", base.clone(), GridAxis::cases("n", high)),
        grid("load", "Over load, ten processes", base.with(|spec| spec.nodes(10)), rates),
    ]
}

fn questions(_: &Settings) -> Vec<StudyQuestion> {
    let question = |id, algorithm, nodes| {
        let spec = asked(algorithm, &[]).nodes(nodes).requests(2).topology("ring").network("unordered");
        StudyQuestion::new(id, spec)
    };
    vec![
        question("server as printed", "central-server-printed", 2),
        question("server repaired", "central-server", 3),
        question("Ricart–Agrawala", "ricart-agrawala", 3),
        question("Lamport", "lamport", 2),
        question("ring as printed", "token-ring-printed", 2),
        question("ring repaired", "token-ring", 3),
    ]
}

/// The messages of an entry according to the notes.
fn formula(name: &str, n: f64) -> Option<f64> {
    match name {
        "server" => Some(3.0),
        "Ricart–Agrawala" => Some(2.0 * (n - 1.0)),
        "Lamport" => Some(3.0 * (n - 1.0)),
        _ => None,
    }
}

fn charts(data: &Data) -> Vec<Chart> {
    let ns: Vec<f64> = data.labels("light", "n").iter().filter_map(|n| n.parse().ok()).collect();
    let over_n = |id: &str, title: &str, label: &str, metric: Metric, dashed: bool| {
        let panel = |(experiment, words): (&str, &str)| {
            let line = |(name, look): &(&str, &str)| {
                data.series(experiment, &[("algorithm", name)], "n", name, style(look), metric)
            };
            let mut series: Vec<_> = LINES.iter().map(line).collect();
            if dashed {
                for (name, look) in LINES.iter().filter(|l| formula(l.0, 2.0).is_some()) {
                    series.push(theory("", style(look), &ns, |n| formula(name, n).unwrap_or(0.0)));
                }
            }
            Panel { title: words.into(), series }
        };
        Chart {
            id: id.into(),
            title: title.into(),
            description: format!("{label} of the four schemes over the number of processes."),
            note: data.runs("light")
                + if dashed { " Dashed: 3, 2(n − 1) and 3(n − 1), as in the notes." } else { "" },
            x: ChartAxis { label: "processes n".into(), log: true, ..ChartAxis::default() },
            y: ChartAxis { label: label.into(), log: true, ..ChartAxis::default() },
            panels: [("light", "light load"), ("high", "high load")].map(panel).to_vec(),
        }
    };
    let over_load = {
        let panel = |(title, metric): (&str, Metric)| Panel {
            title: title.into(),
            series: LINES
                .iter()
                .map(|(name, look)| data.series("load", &[("algorithm", name)], "rate", name, style(look), metric))
                .collect(),
        };
        Chart {
            id: "load".into(),
            title: "Ten processes over load".into(),
            description: "Messages per entry and waiting of the four schemes over the request rate.".into(),
            note: data.runs("load"),
            x: ChartAxis { label: "requests per time unit of each process".into(), log: true, ..ChartAxis::default() },
            y: ChartAxis { label: "messages; time units".into(), log: true, ..ChartAxis::default() },
            panels: [("messages per entry", messages as Metric), ("waiting", waiting)].map(panel).to_vec(),
        }
    };
    vec![
        over_n("messages", "Messages per entry over n", "messages per entry", messages, true),
        over_n("waiting", "Waiting per entry over n", "waiting, time units", waiting, false),
        over_load,
    ]
}

fn claims(data: &Data) -> Vec<StudyClaim> {
    let at = |experiment: &str, name: &str, n: &str| data.one(experiment, &[("algorithm", name), ("n", n)]);
    let loads = [("light", "light load"), ("high", "high load")];
    let over = |holds: &dyn Fn(&str, &str) -> Option<bool>| -> Vec<ClaimTest> {
        let test = |(experiment, words): (&'static str, &str)| {
            let words = words.to_owned();
            data.labels(experiment, "n").into_iter().map(move |n| (experiment, words.clone(), n)).collect::<Vec<_>>()
        };
        loads
            .into_iter()
            .flat_map(test)
            .map(|(experiment, group, n)| ClaimTest { group, claimed: true, holds: holds(experiment, &n), x: n })
            .collect()
    };
    let numbers = |name: &str, metric: Metric| {
        let one = |(experiment, words): (&str, &str)| {
            let most = data.labels(experiment, "n").pop()?;
            Some(format!("{words}, n = {most}: {}", shown(metric(at(experiment, name, &most)?))))
        };
        loads.into_iter().filter_map(one).collect::<Vec<_>>().join("; ")
    };
    let exact = |id: &str, name: &'static str, words: &str| {
        StudyClaim::new(id, "performance", &format!("{name}: {words} messages per entry."))
            .by("The mean over all entries within 0.5 %; a run may begin and end in the middle of an entry.")
            .published(words)
            .ours(numbers(name, messages))
            .tested("n", &over(&|e, n| alike(messages(at(e, name, n)?), plain(formula(name, n.parse().ok()?)?), 0.005)))
    };
    let fairness = |id: &str, name: &'static str, statement: &str, how: &str, most: fn(f64) -> f64| {
        StudyClaim::new(id, "correctness", statement)
            .by(how)
            .ours(numbers(name, |r| plain(f64::from(r.summary.bypass_max.unwrap_or(0)))))
            .tested_everywhere(
                "n",
                &over(&|e, n| Some(f64::from(at(e, name, n)?.summary.bypass_max?) <= most(n.parse().ok()?))),
            )
    };
    let low = ["server", "ring"];
    vec![
        exact("1", "server", "3"),
        exact("2", "Ricart–Agrawala", "2(n − 1)"),
        exact("3", "Lamport", "3(n − 1)"),
        StudyClaim::new("4", "performance", "Ring: each entry takes between 0 and n − 1 messages.")
            .by("The mean number of messages per entry is at most n − 1. Only the distance to the token has this bound; an idle token keeps circulating.")
            .published("0 to n − 1")
            .ours(numbers("ring", messages))
            .tested_everywhere("n", &over(&|e, n| Some(messages(at(e, "ring", n)?).mean <= n.parse::<f64>().ok()? - 1.0 + 0.01))),
        StudyClaim::new("5", "performance", "The server is a bottleneck.")
            .by("Waiting at high load is longer than with Ricart–Agrawala: between two entries the server needs two messages in a row, Ricart–Agrawala one.")
            .ours(format!("server {}; Ricart–Agrawala {}", numbers("server", waiting), numbers("Ricart–Agrawala", waiting)))
            .tested("n", &over(&|e, n| less(waiting(at(e, "Ricart–Agrawala", n)?), waiting(at(e, "server", n)?))).into_iter().map(|t| ClaimTest { claimed: t.group == "high load", ..t }).collect::<Vec<_>>()),
        fairness("6", "server", "Server: requests are served in the order of arrival, within n entries.", "At most n later requests are served before an earlier one, counted from the request, not from its arrival at the server: others may be served while it is in flight.", |n| n),
        fairness("7", "ring", "Ring: the token circulates at most once before a request is served.", "At most n − 1 later requests are served before an earlier one.", |n| n - 1.0),
        fairness("8", "Ricart–Agrawala", "Ricart–Agrawala: no request starves.", "At most 2(n − 1) later requests are served before an earlier one, in all runs.", |n| 2.0 * (n - 1.0)),
        StudyClaim::new("9", "final observations", "Server and ring need far fewer messages than the other two.")
            .by("Less than half of Ricart–Agrawala's messages, both loads.")
            .ours(format!("ring {}; server {}", numbers("ring", messages), numbers("server", messages)))
            .tested("n", &low.iter().flat_map(|name| {
                over(&|e, n| {
                    let half = messages(at(e, "Ricart–Agrawala", n)?).mean / 2.0;
                    less(messages(at(e, name, n)?), plain(half))
                }).into_iter().map(|t| ClaimTest { group: format!("{name}, {}", t.group), ..t }).collect::<Vec<_>>()
            }).collect::<Vec<_>>()),
        StudyClaim::new("10", "correctness", "All four are safe, and every request is granted.")
            .by("Every order of events of two or three processes with two requests each on an unordered network; the claim is about the schemes as printed. One counterexample contradicts it.")
            .explored(data, &questions(&data.settings), |id| !id.contains("repaired")),
    ]
}
