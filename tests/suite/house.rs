//! The rules of the house. A failing rule lists each place and says what to do. How the rules read
//! the files is in `tests/src/house`.

use lockstep_tests::house::{Breach, files, functions, licences, list, modules, types, words};
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::process::Command;

/// What the command line and the page may use.
const EVERYTHING: &[&str] = &[
    "lockstep-kernel",
    "lockstep-algorithms",
    "lockstep-spec",
    "lockstep-scenario",
    "lockstep-lab",
    "lockstep-check",
    "lockstep-chart",
    "lockstep-scene",
    "lockstep-session",
    "lockstep-trace",
    "lockstep-follow",
    "lockstep-text",
    "lockstep-judge",
];

/// Which of our crates each crate may use.
const MAY_USE: &[(&str, &[&str])] = &[
    ("lockstep-text", &[]),
    ("lockstep-kernel", &[]),
    ("lockstep-algorithms", &["lockstep-kernel"]),
    ("lockstep-scene", &["lockstep-kernel"]),
    ("lockstep-chart", &["lockstep-text"]),
    ("lockstep-trace", &["lockstep-text"]),
    ("lockstep-follow", &["lockstep-kernel", "lockstep-algorithms", "lockstep-scenario", "lockstep-trace"]),
    ("lockstep-judge", &["lockstep-trace", "lockstep-follow", "lockstep-scene"]),
    ("lockstep-spec", &["lockstep-kernel", "lockstep-algorithms", "lockstep-text"]),
    ("lockstep-scenario", &["lockstep-kernel", "lockstep-algorithms", "lockstep-spec", "lockstep-text"]),
    (
        "lockstep-lab",
        &[
            "lockstep-kernel",
            "lockstep-algorithms",
            "lockstep-spec",
            "lockstep-scenario",
            "lockstep-chart",
            "lockstep-check",
            "lockstep-text",
        ],
    ),
    ("lockstep-check", &["lockstep-kernel", "lockstep-algorithms", "lockstep-spec", "lockstep-scenario"]),
    (
        "lockstep-session",
        &[
            "lockstep-kernel",
            "lockstep-algorithms",
            "lockstep-spec",
            "lockstep-scenario",
            "lockstep-scene",
            "lockstep-lab",
            "lockstep-check",
        ],
    ),
    ("lockstep", EVERYTHING),
    ("lockstep-web", EVERYTHING),
    (
        "lockstep-probe",
        &[
            "lockstep-kernel",
            "lockstep-algorithms",
            "lockstep-spec",
            "lockstep-lab",
            "lockstep-check",
            "lockstep-trace",
            "lockstep-follow",
        ],
    ),
    ("xtask", &[]),
];

/// The browser and Yew.
const NO_PAGE: &[&str] = &["web-sys", "js-sys", "wasm-bindgen", "yew"];

/// What the core must not depend on, and why.
const MUST_NOT: &[(&str, &[&str], &str)] = &[
    (
        "lockstep-kernel",
        &["web-sys", "js-sys", "wasm-bindgen", "yew", "getrandom"],
        "the core knows no browser and no entropy: move it to web/",
    ),
    (
        "lockstep-algorithms",
        &["rand", "rand_pcg", "web-sys", "wasm-bindgen"],
        "algorithms draw no random numbers: let a workload or a delay do it",
    ),
    ("lockstep-scene", NO_PAGE, "pictures are plain data: let web/ render them"),
    (
        "lockstep-session",
        &["web-sys", "js-sys", "wasm-bindgen", "yew", "gloo-timers", "gloo-render"],
        "the session knows no browser: return a Command and let web/ carry it out",
    ),
    ("lockstep-spec", NO_PAGE, "a description of a system is plain data: let web/ show it"),
    ("lockstep-scenario", NO_PAGE, "scenarios and links are plain data: let web/ read the files"),
    ("lockstep-text", NO_PAGE, "strings are plain data: let web/ show them"),
    ("lockstep-follow", NO_PAGE, "it only runs handlers along a log: let web/ show what it finds"),
    ("lockstep-chart", NO_PAGE, "charts are plain data: let web/ render them"),
    ("lockstep-judge", NO_PAGE, "the place is tested natively: let web/ draw it"),
    ("lockstep-trace", NO_PAGE, "reading logs is pure: let web/ read the files"),
    ("lockstep-lab", NO_PAGE, "the lab is pure: let web/ or the command line call it"),
    ("lockstep-check", NO_PAGE, "the checker is pure: let web/ or the command line call it"),
];

/// The crates that may know a browser, or files and processes.
const BROWSER_OR_TOOL: &[&str] = &["lockstep-web", "lockstep", "lockstep-probe", "lockstep-tests", "xtask"];

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap().to_owned()
}

/// What Cargo knows of our crates and their dependencies.
fn metadata(arguments: &[&str]) -> Value {
    let mut cargo = Command::new(env!("CARGO"));
    cargo.args(["metadata", "--format-version", "1"]).args(arguments).current_dir(root());
    let output = cargo.output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    serde_json::from_slice(&output.stdout).unwrap()
}

/// Our crates and what each depends on, tests aside.
fn packages() -> BTreeMap<String, Vec<String>> {
    let metadata = metadata(&["--offline", "--no-deps"]);
    let dependencies = |p: &Value| -> Vec<String> {
        let all = p["dependencies"].as_array().unwrap().iter();
        all.filter(|d| d["kind"].is_null()).map(|d| d["name"].as_str().unwrap().to_owned()).collect()
    };
    let packages = metadata["packages"].as_array().unwrap().iter();
    packages.map(|p| (p["name"].as_str().unwrap().to_owned(), dependencies(p))).collect()
}

#[test]
fn crates_use_only_what_they_may() {
    let packages = packages();
    for (name, dependencies) in &packages {
        let Some((_, allowed)) = MAY_USE.iter().find(|(n, _)| n == name) else {
            assert_eq!(name, "lockstep-tests", "the crate {name} is new: say in tests/suite/house.rs what it may use");
            continue;
        };
        for dependency in dependencies.iter().filter(|d| packages.contains_key(*d)) {
            assert!(
                allowed.contains(&dependency.as_str()),
                "{name} must not use {dependency}: move what it needs to a crate below both (see ARCHITECTURE.md)"
            );
        }
    }
    let known = |name: &str| MUST_NOT.iter().any(|(known, ..)| *known == name);
    for name in packages.keys().filter(|name| !BROWSER_OR_TOOL.contains(&name.as_str())) {
        assert!(known(name), "the crate {name} is pure: say in MUST_NOT what it must not use");
    }
    for (name, forbidden, why) in MUST_NOT {
        for dependency in &packages[*name] {
            assert!(!forbidden.contains(&dependency.as_str()), "{name} must not depend on {dependency}: {why}");
        }
    }
}

/// What deny.toml allows: licences for all crates, licences for one crate, registries.
struct Allowed {
    licences: Vec<String>,
    exceptions: Vec<(String, String)>,
    registries: Vec<String>,
}

fn allowed() -> Allowed {
    let text = std::fs::read_to_string(root().join("deny.toml")).unwrap();
    let deny: toml::Table = text.parse().unwrap();
    let words = |value: &toml::Value| -> Vec<String> {
        value.as_array().unwrap().iter().map(|word| word.as_str().unwrap().to_owned()).collect()
    };
    let exceptions = deny["licenses"]["exceptions"].as_array().unwrap().iter();
    let of_crate = |exception: &toml::Value| {
        let name = exception["crate"].as_str().unwrap().to_owned();
        words(&exception["allow"]).into_iter().map(move |licence| (name.clone(), licence)).collect::<Vec<_>>()
    };
    Allowed {
        licences: words(&deny["licenses"]["allow"]),
        exceptions: exceptions.flat_map(of_crate).collect(),
        registries: words(&deny["sources"]["allow-registry"]),
    }
}

#[test]
fn dependencies_are_licensed_and_come_from_the_registry() {
    let allowed = allowed();
    let metadata = metadata(&["--locked"]);
    let packages = metadata["packages"].as_array().unwrap();
    assert!(packages.len() > 100, "only {} packages were found", packages.len());
    for package in packages.iter().filter(|package| package["source"].is_string()) {
        let name = package["name"].as_str().unwrap();
        let licence = package["license"].as_str().unwrap_or_default();
        let of_crate = allowed.exceptions.iter().filter(|(of, _)| of == name).map(|(_, licence)| licence);
        let licences: Vec<&str> = allowed.licences.iter().chain(of_crate).map(String::as_str).collect();
        assert!(licences::is_allowed(licence, &licences), "{name}: deny.toml does not allow the licence {licence:?}");
        let source = package["source"].as_str().unwrap();
        assert!(
            allowed.registries.iter().any(|registry| source == format!("registry+{registry}")),
            "{name}: deny.toml does not allow the source {source}"
        );
    }
    for (name, _) in &allowed.exceptions {
        let used = packages.iter().any(|package| package["name"] == **name);
        assert!(used, "{name}: no longer a dependency; take its exception out of deny.toml");
    }
}

/// Fails with every place that breaks a rule.
fn assert_none(breaches: &[Breach]) {
    assert!(breaches.is_empty(), "{} places break this rule:\n{}", breaches.len(), list(breaches));
}

#[test]
fn every_file_says_what_it_defines_and_is_not_too_long() {
    let files = files::all(&root());
    assert!(files.len() > 300, "only {} files were found", files.len());
    assert_none(&files::shape(&files));
}

#[test]
fn an_algorithm_uses_no_other() {
    assert_none(&modules::algorithms_that_use_others(&files::all(&root())));
}

#[test]
fn only_the_browser_folder_calls_the_browser() {
    assert_none(&modules::calls_into_the_browser(&files::all(&root())));
}

#[test]
fn comments_and_documents_are_at_most_100_columns_wide() {
    assert_none(&files::columns(&files::all(&root())));
}

#[test]
fn words_that_the_glossary_replaces_are_not_used() {
    assert_none(&words::forbidden(&files::all(&root())));
}

#[test]
fn no_function_is_too_long() {
    assert_none(&functions::long(&files::all(&root())));
}

#[test]
fn one_name_is_one_type() {
    assert_none(&types::repeated(&files::all(&root())));
}

#[test]
fn only_setup_installs_anything() {
    assert_none(&modules::installations(&files::all(&root())));
}

/// The names of classes that follow this text.
fn classes<'a>(style: &'a str, before: &'a str) -> impl Iterator<Item = &'a str> {
    style.split(before).skip(1).map(|rest| rest.split(|c: char| !(c.is_alphanumeric() || c == '-')).next().unwrap())
}

#[test]
fn styles_of_the_page_leave_pictures_alone() {
    let read = |path: &str| std::fs::read_to_string(root().join(path)).unwrap();
    let (scene, chart) = (read("crates/scene/src/scene.css"), read("crates/chart/src/style.rs"));
    let drawn: BTreeSet<&str> = classes(&scene, ".scene .").chain(classes(&chart, ".chart .")).collect();
    assert!(drawn.contains("tick") && drawn.contains("token"), "{drawn:?}");
    for style in ["style", "figures", "compare", "lab", "check", "judge"].map(|name| format!("web/{name}.css")) {
        let text = read(&style);
        let selectors = text.lines().filter_map(|line| line.split_once('{')).flat_map(|(all, _)| all.split(','));
        for selector in selectors {
            let first = classes(selector.trim(), ".").next().filter(|_| selector.trim().starts_with('.'));
            assert!(
                !first.is_some_and(|class| drawn.contains(class)),
                "{style}: `{}` also meets what pictures call so; name what it stands in first",
                selector.trim()
            );
        }
    }
}
