//! The library of scenarios: every file replays as it says, every figure and every planned scenario
//! is there, and every stop has an explanation.

use lockstep_algorithms::{ALL, find};
use lockstep_kernel::Event;
use lockstep_scenario::expect::Fact;
use lockstep_scenario::library::GROUPS;
use lockstep_scenario::{Item, LIBRARY, Scenario, parse};

/// Scenarios that must be there: paper, figure or a word of the title, id, and the names of the
/// stops where a figure has parts.
const PROMISED: &[(&str, &str, &str, &str)] = &[
    ("alien-threads", "Figure 1", "alien-figure-1", "1a 1b 1c 1d 1e 1f"),
    ("alien-threads", "Figure 2", "alien-figure-2", "2a 2b 2c 2d 2e 2f"),
    ("alien-threads", "Figure 1", "alien-printed-figure-1", "1a 1c 1d 1e"),
    ("alien-threads", "", "alien-printed-two-inside", ""),
    ("alien-threads", "", "alien-chase", ""),
    ("alien-threads", "", "alien-star", ""),
    (
        "lecture-notes",
        "worked example",
        "notes-ricart-agrawala",
        "row 1, rows 2-5, rows 6-8, rows 9-10, rows 11-12, rows 13-16, rows 17-18, rows 19-21, rows 22-24",
    ),
    ("lecture-notes", "", "notes-central-server", ""),
    ("lecture-notes", "", "notes-lamport-deferral", ""),
    ("lecture-notes", "", "notes-lamport-without", ""),
    ("lecture-notes", "", "notes-token-ring", ""),
    ("clusters", "Figure 2", "hierarchical-figure-2", "2a 2b 2c after"),
    ("clusters", "Figure 4", "hierarchical-figure-4", "4a 4b 4c after"),
    ("clusters", "Figure 7", "hierarchical-figures-7-8", "4b 7a 7b 8a 8b 8c after"),
    ("clusters", "Figure 8", "hierarchical-figures-7-8", "4b 7a 7b 8a 8b 8c after"),
    ("clusters", "", "hierarchical-printed-two-inside", ""),
    ("clusters", "Figure 7", "hierarchical-printed-f-waits", ""),
    ("clusters", "", "hierarchical-printed-preemption", ""),
    ("range-locks", "", "ranges-splitting", ""),
    ("range-locks", "", "ranges-overlap", ""),
    ("range-locks", "", "ranges-merging", ""),
    ("range-locks", "", "ranges-deadlock", ""),
    ("range-locks", "", "ranges-yield", ""),
    ("range-locks", "", "ranges-cancel", ""),
    ("wait-free", "", "waitfree-tries", "success fail silent reset third"),
    ("wait-free", "", "waitfree-printed-turn", ""),
    ("wait-free", "", "waitfree-resets", ""),
    ("beyond", "", "raymond-tree", ""),
    ("beyond", "", "suzuki-kasami", ""),
    ("beyond", "", "maekawa-relinquish", ""),
    ("beyond", "", "carvalho-roucairol", ""),
    ("beyond", "", "neilsen-mizuno", ""),
    ("beyond", "", "four-requests", "1 2 3 4"),
];

/// Free play: without prepared steps there is nothing to expect or to ask.
const FREE: &[&str] = &["alien-free-tree"];

fn scenarios() -> Vec<Scenario> {
    let read = |(id, text): &(&str, &str)| parse(id, text).unwrap_or_else(|p| panic!("{id}: {p:#?}"));
    LIBRARY.iter().map(read).collect()
}

fn scenario(id: &str) -> Scenario {
    scenarios().into_iter().find(|s| s.id == id).unwrap_or_else(|| panic!("there is no scenario {id}"))
}

#[test]
fn every_file_of_the_folder_is_in_the_library() {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../crates/scenario/scenarios");
    let mut files: Vec<String> =
        std::fs::read_dir(folder).unwrap().map(|e| e.unwrap().file_name().into_string().unwrap()).collect();
    let mut library: Vec<String> = LIBRARY.iter().map(|(id, _)| format!("{id}.toml")).collect();
    files.sort();
    library.sort();
    assert_eq!(files, library);
}

#[test]
fn every_scenario_replays_with_all_its_expectations() {
    for scenario in scenarios() {
        let played = scenario.play();
        assert!(played.failures.is_empty(), "{}: {:#?}", scenario.id, played.failures);
    }
}

#[test]
fn every_figure_and_every_planned_scenario_is_there() {
    let items = Item::all();
    for (paper, figure, id, stops) in PROMISED {
        let item = items.iter().find(|i| i.id == *id).unwrap_or_else(|| panic!("{paper} {figure}: {id} is missing"));
        let group = item.card.group.unwrap_or_else(|| panic!("{id} belongs to no paper"));
        assert_eq!(group.paper, *paper, "{id}");
        assert!(figure.is_empty() || item.card.figures.iter().any(|f| f == figure), "{id}: {figure}");
        if !stops.is_empty() {
            let separator = if stops.contains(", ") { ", " } else { " " };
            let names: Vec<String> = scenario(id).stops.into_iter().map(|s| s.name).collect();
            assert_eq!(names.join(separator), *stops, "{id}");
        }
    }
}

#[test]
fn every_scenario_has_what_the_gallery_shows() {
    let items = Item::all();
    let mut groups = Vec::new();
    for (item, scenario) in items.iter().zip(scenarios()) {
        let card = &item.card;
        assert_eq!((item.id, &item.title, card), (scenario.id.as_str(), &scenario.title, &scenario.card));
        // only what differs from the repaired version is called “as printed”
        let printed = scenario.algorithm.printed && scenario.algorithm.title.contains("as printed");
        assert_eq!((item.algorithm.as_str(), item.printed), (scenario.algorithm.id, printed));
        assert!(
            (10..=100).contains(&card.see.chars().count()) && card.see.ends_with(['.', '?']),
            "{}: {}",
            item.id,
            card.see
        );
        assert!(card.minutes.is_some_and(|m| m <= 10), "{}", item.id);
        groups.push(GROUPS.iter().position(|g| Some(*g) == card.group).unwrap_or_else(|| panic!("{}", item.id)));
    }
    assert!(groups.is_sorted(), "in the order of the papers");
    let mut titles: Vec<&String> = items.iter().map(|i| &i.title).collect();
    titles.sort();
    titles.dedup();
    assert_eq!(titles.len(), items.len(), "every title is different");
}

#[test]
fn every_stop_says_and_expects_something_and_every_scenario_asks() {
    for scenario in scenarios().iter().filter(|s| !FREE.contains(&s.id.as_str())) {
        let id = &scenario.id;
        assert!(scenario.stops.len() >= 2 && scenario.opens_at.is_some(), "{id}");
        for stop in &scenario.stops {
            let name = format!("{id} {}", stop.name);
            assert!(!stop.title.trim().is_empty() && stop.say.split_whitespace().count() >= 3, "{name}");
            let expect = &stop.expect;
            let nodes: Vec<u32> = expect.facts.iter().filter_map(|fact| Some(fact.node?.0)).collect();
            let all = scenario.boot().setup().nodes() as u32;
            assert!((0..all).all(|n| nodes.contains(&n)), "{name}: something is expected of every node");
            for of_system in ["in_flight", "messages", "entries"] {
                let said = |fact: &Fact| fact.node.is_none() && fact.name == of_system;
                assert!(expect.facts.iter().any(said), "{name}: {of_system}");
            }
            // a violation is intended: in an algorithm as printed, or without a line
            assert!(
                expect.violated.is_empty() || scenario.algorithm.printed || scenario.setup.without.is_some(),
                "{name}"
            );
        }
        let questions: Vec<_> = scenario.stops.iter().filter_map(|s| s.question.as_ref()).collect();
        assert!(!questions.is_empty(), "{id} has no question");
        for question in questions {
            assert!(question.answers.len() >= 2, "{id}: {}", question.text);
            assert!(
                question.answers.iter().all(|a| a.because.ends_with('.')),
                "{id}: every answer says why: {}",
                question.text
            );
        }
    }
}

/// A scenario that shows a fault must contain it.
#[test]
fn scenarios_that_show_a_fault_contain_it() {
    let broken = |id: &str| {
        let scenario = scenario(id);
        let stops = scenario.stops.iter().flat_map(|s| &s.expect.violated);
        stops.map(|(name, _)| name.clone()).collect::<Vec<_>>().join(", ")
    };
    assert_eq!(broken("alien-printed-figure-1"), "one token");
    for id in [
        "alien-printed-two-inside",
        "hierarchical-printed-two-inside",
        "notes-lamport-without",
        "waitfree-printed-two-inside",
    ] {
        assert_eq!(broken(id), "mutual exclusion", "{id}");
    }
    assert_eq!(broken("waitfree-printed-turn"), "no second try under one holder");
    // stuck: no message in flight, no thread inside, a thread waits
    for (id, waits) in [
        ("hierarchical-printed-f-waits", "F.1"),
        ("ranges-deadlock", "p1.1 p2.1"),
        ("maekawa-deadlock", "p1.1 p2.1 p3.1"),
        ("alien-printed-figure-1", "p1.4 p2.1 p2.2"),
    ] {
        let mut player = scenario(id).play().player;
        player.seek(player.timeline().last().unwrap().id);
        let frame = player.frame();
        let threads = || frame.nodes.iter().flat_map(|n| &n.threads);
        use lockstep_kernel::view::ThreadState;
        assert!(frame.flights.is_empty() && threads().all(|t| t.doing != ThreadState::Inside), "{id}");
        let waiting: Vec<&str> =
            threads().filter(|t| t.doing == ThreadState::Waiting).map(|t| t.name.as_str()).collect();
        assert_eq!(waiting.join(" "), waits, "{id}");
        let moves = |e: Event| matches!(e, Event::Deliver(_) | Event::Release(_));
        assert!(!player.enabled().iter().any(|p| moves(p.event)), "{id}");
    }
}

/// The request of p1 chases the token: a round later the state is the same.
#[test]
fn the_chase_returns_to_the_same_state() {
    let played = scenario("alien-chase").play();
    let mut player = played.player;
    let prints: Vec<u64> = played
        .stops
        .iter()
        .map(|m| {
            player.seek(*m);
            player.fingerprint()
        })
        .collect();
    assert_eq!(prints[0], prints[2]);
    assert_ne!(prints[0], prints[1]);
}

/// A changed number, queue, pointer or message of any stop fails, and only there.
#[test]
fn a_changed_expectation_fails() {
    for (id, text) in LIBRARY.iter().filter(|(id, _)| !FREE.contains(id)) {
        for (stop, at) in text.match_indices("[stop.expect]").map(|(i, _)| i).enumerate() {
            let (before, rest) = text.split_at(at);
            let (changed, what) = match stop % 3 {
                0 => (rest.replacen("entries = ", "entries = 7", 1), "entries: "),
                1 => (rest.replacen("in_flight = [", "in_flight = [\"NOTHING p1→p1\", ", 1), "in_flight: "),
                _ => (rest.replacen("messages = ", "messages = 7", 1), "messages: "),
            };
            let name = scenario(id).boot().setup().names[0].clone();
            let changed = format!("{before}{}", changed.replacen("p1→p1", &format!("{name}→{name}"), 1));
            let failures = parse(id, &changed).unwrap_or_else(|p| panic!("{id}: {p:#?}")).play().failures;
            assert_eq!(failures.len(), 1, "{id}, stop {stop}: {failures:#?}");
            assert!(failures[0].message.contains(what), "{id}: {}", failures[0]);
            let line = before.matches('\n').count() + 1;
            assert!(failures[0].place.line > line, "{id}: {} comes after line {line}", failures[0]);
        }
    }
}

/// One script for all: the order of entries, and the messages until the fourth.
#[test]
fn the_same_four_requests_under_every_algorithm() {
    let template = scenario("four-requests");
    let mut table = String::new();
    for entry in ALL {
        let scenario = template.under(entry).unwrap();
        assert_eq!((scenario.timing.clone(), scenario.setup.names.len()), (template.timing.clone(), 4), "{}", entry.id);
        let played = scenario.play();
        let mut player = played.player;
        let (mut order, mut broken) = (Vec::new(), None);
        for past in player.timeline() {
            player.seek(past.id);
            let frame = player.frame();
            let granted = frame.last.iter().flat_map(|l| &l.granted);
            order.extend(granted.map(|t| player.setup().name(player.setup().home(*t)).to_owned()));
            broken = broken.or_else(|| frame.invariants.iter().find(|i| i.broken.is_some()).map(|i| i.name.clone()));
        }
        let (messages, end) = (player.frame().counters.messages, broken.unwrap_or_default());
        if !entry.printed {
            assert!(played.failures.is_empty(), "{}: {:#?}", entry.id, played.failures);
            assert_eq!((order.len(), end.as_str()), (4, ""), "{}", entry.id);
        }
        table += format!("{:28} {:12} {messages:3} messages  {end}", entry.id, order.join(" ")).trim_end();
        table += "\n";
    }
    insta::assert_snapshot!("four-requests", table);
}

#[test]
fn only_a_script_without_messages_fits_another_algorithm() {
    let raymond = find("raymond").unwrap();
    let why = scenario("alien-figure-1").under(raymond).err().unwrap();
    assert!(why.contains("names a message of `alien`"), "{why}");
}
