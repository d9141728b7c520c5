//! `lockstep draw`: pictures of any step, and `replay` of runs that the page has saved.

use lockstep_scenario::link::Link;
use lockstep_scenario::{LIBRARY, parse, trace};
use std::path::PathBuf;
use std::process::{Command, Output};

fn lockstep(args: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_lockstep")).args(args).output().unwrap()
}

fn out(args: &[&str]) -> String {
    let output = lockstep(args);
    assert_eq!((output.status.code(), String::from_utf8_lossy(&output.stderr).as_ref()), (Some(0), ""), "{args:?}");
    String::from_utf8(output.stdout).unwrap()
}

fn refused(args: &[&str]) -> String {
    let output = lockstep(args);
    assert_eq!((output.status.code(), output.stdout.len()), (Some(2), 0), "{args:?}");
    String::from_utf8(output.stderr).unwrap()
}

fn file(name: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(name)
}

#[test]
fn every_prepared_scenario_is_drawn() {
    for (id, text) in LIBRARY {
        let stage = out(&["draw", id]);
        let nodes = parse(id, text).unwrap().boot().setup().nodes();
        assert_eq!(stage.matches("data-node=").count(), nodes, "{id}");
        assert!(out(&["draw", id, "--diagram"]).starts_with("<svg "), "{id}");
    }
}

#[test]
fn a_step_a_stop_and_a_layout_can_be_chosen() {
    let at = |at: &str| out(&["draw", "alien-figure-1", "--at", at]);
    assert_eq!(out(&["draw", "alien-figure-1"]), at("1b"), "what the page opens with");
    assert_eq!(at("7"), at("1b"));
    assert_ne!(at("1c"), at("1b"));
    let ring = out(&["draw", "alien-figure-1", "--layout", "ring"]);
    assert_ne!(ring, at("1b"));
    assert_eq!(out(&["draw", "#s=alien-figure-1&layout=ring"]), ring, "an address says it too");
    assert!(out(&["draw", "alien-figure-1", "--size", "400x300"]).contains("viewBox=\"0 0 400 300\""));
    let [by_event, by_time] =
        [&["--diagram"][..], &["--diagram", "--by-time"]].map(|how| out(&[&["draw", "alien-figure-1"], how].concat()));
    assert_ne!(by_event, by_time);
}

#[test]
fn a_png_has_the_size_of_its_drawing_and_something_in_it() {
    let path = file("stage.png");
    let said = out(&["draw", "alien-figure-1", "--size", "480x300", "--out", path.to_str().unwrap()]);
    assert!(said.contains("p1"), "{said}");
    let png = std::fs::read(&path).unwrap();
    let number = |at: usize| u32::from_be_bytes(png[at..at + 4].try_into().unwrap());
    assert_eq!((&png[1..4], number(16), number(20)), (&b"PNG"[..], 960, 600));
    assert!(png.len() > 10_000, "{} bytes are an empty picture", png.len());
}

#[test]
fn a_run_saved_by_the_page_is_replayed_and_drawn() {
    let scenario = parse("x", LIBRARY[0].1).unwrap();
    let player = scenario.play().player;
    let link = Link::of(scenario.algorithm, &*player, &scenario.timing).encode();
    let path = file("trace.json");
    std::fs::write(&path, trace::json("alien", &link, &[player.frame()])).unwrap();
    let path = path.to_str().unwrap();
    assert_eq!(out(&["replay", path, "--json"]), out(&["replay", &link, "--json"]));
    assert_eq!(out(&["draw", path]), out(&["draw", &link]));
}

#[test]
fn input_that_cannot_be_drawn_is_refused() {
    let cases: [(&[&str], &str); 7] = [
        (&["--at", "1z"], "at: `1z` is not allowed; expected a step from 0 to 21, or one of the stops 1a, 1b"),
        (&["--at", "22"], "at: `22` is not allowed"),
        (&["--layout", "heap"], "layout: `heap` is not allowed; expected one of auto, initial, living, ring, clusters"),
        (
            &["--size", "10x10"],
            "size: `10x10` is not allowed; expected WIDTHxHEIGHT such as 960x600, each from 200 to 4000",
        ),
        (&["--size", "wide"], "size: `wide` is not allowed"),
        (
            &["--out", "picture.gif"],
            "out: `picture.gif` is not allowed; expected a file name that ends in .svg or .png",
        ),
        (&["--out", "/nowhere/at/all.svg"], "cannot be written"),
    ];
    for (options, says) in cases {
        let why = refused(&[&["draw", "alien-figure-1"], options].concat());
        assert!(why.contains(says), "{options:?}: {why}");
    }
    let path = file("other.json");
    std::fs::write(&path, "{\"format\":1}").unwrap();
    assert!(refused(&["draw", path.to_str().unwrap()]).contains("JSON but not a run that was saved"));
    std::fs::write(&path, "s=nobody").unwrap();
    assert!(refused(&["draw", path.to_str().unwrap()]).contains("There is no scenario `nobody`"));
}
