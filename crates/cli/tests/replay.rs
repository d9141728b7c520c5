//! `lockstep replay` on the whole library, and what else it prints of a run.

use lockstep_scenario::{LIBRARY, parse};
use lockstep_tests::documents::assert_current;
use std::collections::BTreeMap;
use std::process::{Command, Output};

fn replay(args: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_lockstep")).arg("replay").args(args).output().unwrap()
}

fn text(output: &Output) -> String {
    assert_eq!((output.status.code(), String::from_utf8_lossy(&output.stderr).as_ref()), (Some(0), ""));
    String::from_utf8(output.stdout.clone()).unwrap()
}

#[test]
fn every_prepared_scenario_passes() {
    for (id, _) in LIBRARY {
        assert!(text(&replay(&[id])).ends_with("; all expectations hold.\n"), "{id}");
    }
}

/// The states that are printed are those that the file expects: put into it, they hold.
#[test]
fn the_printed_states_are_what_a_file_expects() {
    for (id, file) in LIBRARY {
        let stops = parse(id, file).unwrap().stops;
        let states = text(&replay(&[id, "--states"]));
        let blocks: Vec<&str> = states.split("[stop.expect]\n").skip(1).collect();
        assert_eq!(blocks.len(), stops.len().max(1), "{id}");
        for (stop, block) in stops.iter().zip(blocks) {
            let lines = block.split("\n\n").next().unwrap();
            assert!(lines.contains("in_flight = ["), "{id} {}: {lines}", stop.name);
            for invariant in &stop.expect.violated {
                assert!(lines.contains(&invariant.0), "{id} {}", stop.name);
            }
        }
    }
}

#[test]
fn a_run_is_printed_as_a_scenario_that_replays() {
    let saved = text(&replay(&["alien-figure-2", "--save", "As it was"]));
    let scenario = parse("saved", &saved).unwrap();
    assert_eq!(scenario.title, "As it was");
    let (again, once) = (scenario.play(), parse("x", LIBRARY[1].1).unwrap().play());
    assert!(again.failures.is_empty(), "{:#?}", again.failures);
    assert_eq!(again.player.timeline().len(), once.player.timeline().len());
}

#[test]
fn the_example_of_the_documentation_holds() {
    let page = include_str!("../../../docs/scenarios.md");
    let example = page.split("```toml\n").nth(1).and_then(|t| t.split("```").next()).unwrap();
    let scenario = parse("example", example).unwrap();
    assert_eq!((scenario.play().failures, scenario.stops.len()), (vec![], 1));
}

/// Links, with the fingerprint of the state that each leads to; tests/e2e/stage.spec.mjs opens the
/// same list in the page.
#[test]
fn links_arrive_at_the_states_at_which_the_page_arrives() {
    let file = concat!(env!("CARGO_MANIFEST_DIR"), "/../../tests/links.json");
    let links: BTreeMap<String, String> = serde_json::from_str(&std::fs::read_to_string(file).unwrap()).unwrap();
    assert!(links.len() > 6);
    let arrived = links.keys().map(|link| {
        // some run algorithms as printed: a violation is no failure here
        let output = replay(&[link, "--json"]);
        let document: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
        (link.clone(), document["fingerprint"].as_str().unwrap().to_owned())
    });
    let arrived: BTreeMap<String, String> = arrived.collect();
    assert_current("tests/links.json", &(serde_json::to_string_pretty(&arrived).unwrap() + "\n"));
}
