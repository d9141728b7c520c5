//! Jung and Yeom 2006: the messages of tries between two entries, WDME and polling.

use super::claim::{ClaimTest, StudyClaim, alike, less, scaled, shown};
use super::data::{messages, plain, refused_locally, refused_remotely};
use super::{Data, Settings, Study, StudyQuestion, Switch, asked, no_tables, nothing, style};
use crate::{Experiment, GridAxis, Job, Mean, Record};
use lockstep_chart::{Chart, ChartAxis, Panel};
use lockstep_spec::Spec;
use serde_json::json;

/// The study.
pub const STUDY: Study = Study {
    id: "wait-free",
    title: "Trying without waiting",
    source: "Jung and Yeom, A Practical Single-Register Wait-Free Mutual Exclusion Algorithm on Asynchronous Networks, Euro-Par 2006",
    about: "Messages between two entries and refused tries over the length of a critical section, for WDME and for plain polling of the \
            register, with 2, 8 and 32 processes that retry after 0.1 time units on average.",
    notes: &[
        "The paper has no measurements, and its theorem counts tries only. Here all messages count: tries, answers, exits and resets.",
        "WDME is the repaired version. As printed, the acknowledgement of an exit is mistaken for an entry, so “WDME as printed” is measured with a message of its own for it.",
        "A try is refused by the register, which costs two messages, or by the process's own front end, which costs none: the two are counted apart.",
        "Message delays are 0.1·U(0,1), so a round trip takes 0.1 on average; critical-section times are 0.01 to 10.",
        "Resets go to all processes as in the paper, or only to those that tried since the last reset (`resets`).",
    ],
    switches: &[Switch { name: "resets", about: "which processes are told of a release", values: &["all", "tried"] }],
    experiments,
    questions,
    observe: nothing,
    charts,
    tables: no_tables,
    claims,
};

const NODES: [&str; 3] = ["2", "8", "32"];

fn experiments(settings: &Settings) -> Vec<Experiment> {
    let sections = ["0.01", "0.03", "0.1", "0.3", "1", "3", "10"];
    vec![Experiment {
        name: "contention".into(),
        title: "Messages and refusals over the critical-section time".into(),
        base: Job::from(
            Spec::default()
                .topology("star")
                .think("exp:0.1")
                .requests(1_000_000)
                .entries(settings.size.pick(10_000, 1_500, 150))
                .warmup(settings.size.pick(500, 100, 10))
                .bypass(false),
        ),
        vary: vec![
            GridAxis::cases(
                "algorithm",
                [
                    ("WDME".to_owned(), json!({"algorithm": "wdme", "params": {"resets": settings.switch("resets")}})),
                    (
                        "WDME as printed".to_owned(),
                        json!({"algorithm": "wdme-printed", "params": {"reading": "own-kind"}}),
                    ),
                    ("polling".to_owned(), json!({"algorithm": "polling"})),
                ],
            ),
            GridAxis::of("nodes", [2, 8, 32]),
            GridAxis::cases("section", sections.map(|s| (s.to_owned(), json!({"section": format!("const:{s}")})))),
        ],
    }]
}

fn questions(_: &Settings) -> Vec<StudyQuestion> {
    let own_kind = [("reading", "own-kind")];
    let question = |id, algorithm, params: &[(&str, &str)], invariant| {
        let spec = asked(algorithm, params).nodes(2).requests(2).topology("star").network("unordered");
        StudyQuestion { id, spec, invariant }
    };
    let second = Some("no second try under one holder");
    vec![
        question("as printed", "wdme-printed", &[], None),
        question("as printed, an exit's ok of its own kind", "wdme-printed", &own_kind, Some("mutual exclusion")),
        question("repaired", "wdme", &[], None),
        question("Theorem 1 as printed", "wdme-printed", &[], second),
        question("Theorem 1 as printed, an exit's ok of its own kind", "wdme-printed", &own_kind, second),
        question("Theorem 1 repaired", "wdme", &[], Some("one try for each tenure")),
    ]
}

/// The questions about Theorem 1, or the others.
fn about(theorem: bool, settings: &Settings) -> Vec<StudyQuestion> {
    questions(settings).into_iter().filter(|q| q.id.starts_with("Theorem 1") == theorem).collect()
}

/// Tries of one process between two entries.
fn tries(r: &Record) -> Mean {
    let tries = r.summary.messages_by_kind.iter().find(|(k, _)| k == "try").map_or(0.0, |(_, n)| *n);
    plain(tries / r.summary.entries.max(1.0) / r.summary.nodes.max(1) as f64)
}

fn charts(data: &Data) -> Vec<Chart> {
    let chart = |id: &str, title: &str, label: &str, metric, polling: bool| {
        let panel = |n: &&str| {
            let line = |name: &str, look: &str| {
                data.series("contention", &[("algorithm", name), ("nodes", n)], "section", name, style(look), metric)
            };
            let all = [("WDME", "wdme"), ("WDME as printed", "wdme-printed"), ("polling", "polling")];
            let shown = all.iter().filter(|(name, _)| polling || *name != "polling");
            Panel { title: format!("n = {n}"), series: shown.map(|(name, look)| line(name, look)).collect() }
        };
        Chart {
            id: id.into(),
            title: title.into(),
            description: format!("{label} over the critical-section time, WDME repaired and as printed, and polling."),
            note: data.runs("contention"),
            x: ChartAxis { label: "critical-section time, time units".into(), log: true, ..ChartAxis::default() },
            y: ChartAxis { label: label.into(), log: true, ..ChartAxis::default() },
            panels: NODES.iter().map(panel).collect(),
        }
    };
    vec![
        chart("messages", "Messages between two entries", "messages per entry", messages as super::Metric, true),
        chart(
            "refusals",
            "Tries that the register refused between two entries",
            "refused by the register, per entry",
            refused_remotely,
            true,
        ),
        chart(
            "local-refusals",
            "Tries that cost no message between two entries",
            "refused by the own front end, per entry",
            refused_locally,
            false,
        ),
    ]
}

fn claims(data: &Data) -> Vec<StudyClaim> {
    let at = |name: &str, n: &str, section: &str| {
        data.one("contention", &[("algorithm", name), ("nodes", n), ("section", section)])
    };
    let sections = data.labels("contention", "section");
    let over = |holds: &dyn Fn(&str, &str) -> Option<bool>| -> Vec<ClaimTest> {
        let mut tests = Vec::new();
        for n in NODES {
            for s in &sections {
                tests.push(ClaimTest { group: format!("n = {n}"), x: s.clone(), claimed: true, holds: holds(n, s) });
            }
        }
        tests
    };
    let longest = sections.last().map_or("", String::as_str);
    let numbers = |metric: super::Metric, name: &str| {
        let one = |n: &&str| Some(format!("n = {n}: {}", shown(metric(at(name, n, longest)?))));
        format!(
            "{name} at a critical-section time of {longest}, {}",
            NODES.iter().filter_map(one).collect::<Vec<_>>().join("; ")
        )
    };
    // compared with a critical section three times shorter: a cost that grows with it has no bound
    let grows = |name: &str, n: &str, s: &str| {
        let i = sections.iter().position(|x| x == s)?;
        let before = messages(at(name, n, sections.get(i.checked_sub(1)?)?)?);
        let now = messages(at(name, n, s)?);
        less(scaled(before, 1.5), now)
    };
    let long = |s: &str| s.parse::<f64>().is_ok_and(|s| s >= 1.0);
    let unbounded: Vec<ClaimTest> =
        over(&|n, s| grows("polling", n, s)).into_iter().map(|t| ClaimTest { claimed: long(&t.x), ..t }).collect();
    let bounded: Vec<ClaimTest> = over(&|n, s| grows("WDME", n, s).map(|g| !g))
        .into_iter()
        .map(|t| ClaimTest { claimed: long(&t.x), ..t })
        .collect();
    let as_with_two = |n: &str, s: &str| alike(messages(at("WDME", n, s)?), messages(at("WDME", "2", s)?), 0.1);
    let constant: Vec<ClaimTest> = over(&as_with_two).into_iter().filter(|t| t.group != "n = 2").collect();
    let printed = |id: &str| id.contains("as printed");
    let theorem = StudyClaim::new("4", "Theorem 1", "Between two entries each process sends at most one try.")
        .by("Every order of events of two processes with two requests each: no try is sent by a process that failed under the present holder. The theorem is about the algorithm as printed; one counterexample contradicts it. Measured beside it: the mean tries of one process per entry, of the repaired algorithm.")
        .published("1 at most")
        .explored(data, &about(true, &data.settings), printed);
    let measured = numbers(tries, "WDME");
    let theorem = StudyClaim { ours: [theorem.ours.as_str(), &measured].join("; "), ..theorem };
    vec![
        StudyClaim::new("1", "§3.3", "Mutual exclusion holds, and no process waits.")
            .by("Every order of events of two processes with two requests each on an unordered network, as printed, which the claim is about, and repaired. One counterexample contradicts the claim.")
            .explored(data, &about(false, &data.settings), printed),
        StudyClaim::new("2", "§1", "Plain polling sends an unbounded number of messages.")
            .by("From a critical-section time of 1 on, tripling it raises the messages between two entries by more than half.")
            .ours(numbers(messages, "polling"))
            .tested("sections", &unbounded),
        StudyClaim::new("3", "§3.2", "WDME's messages between two entries are bounded for every critical-section time.")
            .by("From a critical-section time of 1 on, tripling it raises the messages between two entries by at most half.")
            .ours(numbers(messages, "WDME"))
            .tested_everywhere("sections", &bounded),
        theorem,
        StudyClaim::new("5", "Theorem 1", "The cost is O(1): it does not depend on the number of processes.")
            .by("All messages between two entries, resets included, with n processes are within 10 % of those with 2.")
            .published("O(1)")
            .ours(numbers(messages, "WDME"))
            .depends_on(&["resets"])
            .tested_everywhere("sections", &constant),
        StudyClaim::new("6", "§4", "WDME needs fewer messages than polling.")
            .by("All messages between two entries, at every critical-section time.")
            .ours(format!("{}; {}", numbers(messages, "WDME"), numbers(messages, "polling")))
            .depends_on(&["resets"])
            .tested("sections", &over(&|n, s| less(messages(at("WDME", n, s)?), messages(at("polling", n, s)?)))),
        StudyClaim::new("7", "§3.2", "A process that failed does not try at the register again before a reset.")
            .by("The register refuses fewer tries between two entries than with polling. Tries that the own front end refuses cost no message and do not count.")
            .ours(format!(
                "refused by the register, {}, {}; by the own front end, {}",
                numbers(refused_remotely, "WDME"),
                numbers(refused_remotely, "polling"),
                numbers(refused_locally, "WDME")
            ))
            .tested("sections", &over(&|n, s| less(refused_remotely(at("WDME", n, s)?), refused_remotely(at("polling", n, s)?)))),
    ]
}
