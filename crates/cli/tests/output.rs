//! What reaches the terminal: full disks, closed pipes, control characters, long lists, numbers.

use lockstep_text::harmful;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

fn lockstep(args: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_lockstep"));
    command.args(args);
    command
}

fn run(args: &[&str]) -> (i32, String, String) {
    let Output { status, stdout, stderr } = lockstep(args).output().unwrap();
    (status.code().unwrap(), String::from_utf8(stdout).unwrap(), String::from_utf8(stderr).unwrap())
}

fn file(name: &str, content: &[u8]) -> PathBuf {
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    std::fs::write(&path, content).unwrap();
    path
}

/// Commands of every kind: tables, JSON, a picture, help.
const PRINTING: &[&[&str]] = &[
    &["list"],
    &["list", "--json"],
    &["check", "alien", "--max-states", "50"],
    &["replay", "alien-figure-1", "--trace"],
    &["draw", "alien-figure-1"],
    &["schema"],
    &["--help"],
    &["--version"],
];

#[cfg(target_os = "linux")]
#[test]
fn a_full_disk_is_an_error_with_a_sentence() {
    for args in PRINTING {
        let full = std::fs::File::options().write(true).open("/dev/full").unwrap();
        let Output { status, stderr, .. } = lockstep(args).stdout(full).output().unwrap();
        let said = String::from_utf8(stderr).unwrap();
        assert_eq!(status.code(), Some(2), "{args:?}: {said}");
        assert!(said.starts_with("The output cannot be written: ") && said.lines().count() == 1, "{args:?}: {said}");
    }
    // where standard error is full too, nothing panics
    let full = || std::fs::File::options().write(true).open("/dev/full").unwrap();
    let status = lockstep(&["run", "nobody"]).stdout(full()).stderr(full()).status().unwrap();
    assert_eq!(status.code(), Some(2));
}

#[cfg(unix)]
#[test]
fn a_closed_pipe_is_quiet() {
    for args in PRINTING {
        let (reader, writer) = std::io::pipe().unwrap();
        drop(reader);
        let Output { status, stderr, .. } = lockstep(args).stdout(Stdio::from(writer)).output().unwrap();
        assert_eq!((status.code(), String::from_utf8(stderr).unwrap().as_str()), (Some(2), ""), "{args:?}");
    }
}

#[test]
fn only_one_file_prints() {
    let mut folders = vec![Path::new(env!("CARGO_MANIFEST_DIR")).join("src")];
    let mut seen = 0;
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
                continue;
            }
            let text = std::fs::read_to_string(&path).unwrap();
            let prints = ["print!(", "println!(", "stdout()", "stderr()"].iter().any(|call| text.contains(call));
            assert_eq!(prints, path.ends_with("print.rs"), "{} prints; expected `print` to do it", path.display());
            seen += 1;
        }
    }
    assert!(seen > 12);
}

/// NUL, ESC, DEL, a C1 control character, a bidirectional override and an isolate.
const NASTY: &str = "\u{1b}[31m\u{7}\u{7f}\u{9b}2J\u{202e}\u{2066}";

#[test]
fn control_characters_never_reach_the_terminal() {
    let toml = |text: &str| text.chars().map(|c| format!("\\U{:08x}", c as u32)).collect::<String>();
    let nul = toml("\0") + &toml(NASTY);
    let scenario = format!(
        "title = \"{nul}\"\nabout = \"{nul}\"\nalgorithm = \"raymond\"\nnodes = [\"a{nul}\", \"b\"]\ntopology = \"star\"\n\
         [[stop]]\nname = \"1{nul}\"\ntitle = \"{nul}\"\nsay = \"{nul}\"\nscript = [\"b asks\"]\n"
    );
    let scenario = file("nasty.toml", scenario.as_bytes());
    let named = file(&format!("nasty{NASTY}.toml"), NASTY.as_bytes());
    let log = format!(
        "{{\"node\":\"a{0}\",\"event\":\"enter\"}}\n{{\"node\":\"a{0}\",\"event\":\"{0}\"}}\n{{{1}\n",
        "\\u001b\\u202e\\u0000\\u009b", NASTY
    );
    let log = file(&format!("nasty{NASTY}.jsonl"), log.as_bytes());
    let rules = file("nasty.pattern", format!("enter: {NASTY}{{x}}\n{NASTY}: {{node}}\n").as_bytes());
    let experiment = format!("name = \"{nul}\"\ntitle = \"{nul}\"\n[base]\nalgorithm = \"{nul}\"\n");
    let experiment = file("nasty-experiment.toml", experiment.as_bytes());
    let config = file("nasty-config.toml", format!("algorithm = \"alien\"\n\"{nul}\" = 3\n").as_bytes());
    let [scenario, named, log, rules, experiment, config] =
        [&scenario, &named, &log, &rules, &experiment, &config].map(|path| path.to_str().unwrap());
    let link = format!("v=1&a=raymond&n=2&{NASTY}=1&names={NASTY}&variant={NASTY}");
    let escaped = "v=1&a=raymond&n=2&names=a%1B%00.b%E2%80%AE&top=star";
    let worst = format!("--worst={NASTY}");
    let cases: &[&[&str]] = &[
        &["replay", scenario],
        &["replay", scenario, "--trace"],
        &["replay", scenario, "--json"],
        &["replay", scenario, "--states"],
        &["replay", scenario, "--shiviz"],
        &["replay", scenario, "--log"],
        &["replay", scenario, "--save", NASTY],
        &["replay", scenario, "--puzzle", NASTY],
        &["draw", scenario],
        &["draw", scenario, "--diagram"],
        &["draw", scenario, "--at", NASTY],
        &["draw", scenario, "--layout", NASTY],
        &["replay", named],
        &["replay", NASTY],
        &["replay", &link],
        &["replay", escaped],
        &["replay", escaped, "--json"],
        &["judge", log],
        &["judge", log, "--json"],
        &["judge", log, "--csv"],
        &["judge", log, "--rules", rules],
        &["judge", log, "--skew", NASTY],
        &["judge", log, "--algorithm", NASTY],
        &["study", experiment],
        &["study", NASTY],
        &["study", "alien", "--set", NASTY],
        &["study", "--merge", named],
        &["run", "--config", config],
        &["run", NASTY],
        &["run", "alien", "--param", NASTY],
        &["run", "alien", "--nodes", NASTY],
        &["check", "alien", &worst],
        &["lines", NASTY],
        &[NASTY],
        &["run", NASTY, "--", NASTY],
    ];
    for args in cases {
        let (code, out, err) = run(args);
        let found: Vec<char> = out.chars().chain(err.chars()).filter(|c| harmful(*c)).collect();
        assert!(found.is_empty(), "{args:?}: {found:?} in {out:?}{err:?}");
        assert!(code <= 3 && !err.contains("panicked"), "{args:?}: {err}");
        if code == 0 && args.contains(&"--json") {
            assert!(serde_json::from_str::<serde_json::Value>(&out).is_ok(), "{args:?}: {out}");
        }
    }
}

#[test]
fn twelve_problems_are_shown_unless_all_are_wanted() {
    let many: String = (0..400).map(|n| format!("field{n:03} = {n}\n")).collect();
    let path = file("many.toml", (many + "title = \"\"\nabout = \"\"\nalgorithm = \"alien\"\nnodes = 3\n").as_bytes());
    let path = path.to_str().unwrap();
    let (code, _, err) = run(&["replay", path]);
    let lines: Vec<&str> = err.lines().collect();
    assert_eq!((code, lines.len(), lines[12]), (2, 13, "… and 388 more; --all-problems shows them."), "{err}");
    let (code, _, err) = run(&["replay", path, "--all-problems"]);
    assert_eq!((code, err.lines().count()), (2, 400));
    let lines = |n: usize| format!("{{\"node\":\"a\",\"event\":\"unknown{n}\"}}\n");
    let log = "{\"node\":\"a\",\"event\":\"enter\"}\n".to_owned() + &(0..40).map(lines).collect::<String>();
    let log = file("many.jsonl", log.as_bytes());
    let log = log.to_str().unwrap();
    let problems = |text: &str| text.lines().filter(|line| line.contains("unknown")).count();
    let (_, out, _) = run(&["judge", log]);
    assert_eq!(problems(&out), 12, "{out}");
    // the section that does not end is a problem too
    assert!(out.contains("… and 29 more; --all-problems shows them."), "{out}");
    assert_eq!(problems(&run(&["--all-problems", "judge", log]).1), 40);
    let document: serde_json::Value = serde_json::from_str(&run(&["judge", log, "--json"]).1).unwrap();
    assert_eq!(document["problems"].as_array().unwrap().len(), 41);
}

#[test]
fn numbers_are_repeated_as_they_were_given() {
    let big = "123456789012345678901234567890";
    let config = |name: &str, field: &str, given: &str| {
        file(&format!("{name}.toml"), format!("algorithm = 'alien'\n{field} = {given}\n").as_bytes())
    };
    let experiment = |name: &str, text: String| file(name, text.as_bytes());
    let scenario = |name: &str, field: &str, given: &str| {
        let nodes = if field == "nodes" { "" } else { "nodes = 3\n" };
        let text = format!("title = ''\nabout = ''\nalgorithm = 'alien'\n{nodes}{field} = {given}\n");
        file(&format!("{name}.toml"), text.as_bytes())
    };
    for (n, (field, given)) in
        [("nodes", "1e3"), ("rate", "-3.0"), ("rate", "1e999"), ("nodes", big), ("nodes", "1.50"), ("seed", "-7")]
            .into_iter()
            .enumerate()
    {
        let says = format!("{field}: {given} is not allowed");
        let option = format!("--{field}={given}");
        let short = if field == "nodes" { format!("n={given}") } else { format!("n=3&{field}={given}") };
        let load = if field == "rate" { format!("n=3&load=rate:{given}") } else { short };
        let json = format!("{{\"name\":\"x\",\"base\":{{\"algorithm\":\"alien\",\"{field}\":{given}}}}}");
        let varied = format!(
            "{{\"name\":\"x\",\"base\":{{\"algorithm\":\"alien\"}},\"vary\":[{{\"name\":\"{field}\",\"values\":[{given}]}}]}}"
        );
        let toml = format!("name = 'x'\n[base]\nalgorithm = 'alien'\n{field} = {given}\n");
        let files = [
            config(&format!("given-config-{n}"), field, given),
            scenario(&format!("given-scenario-{n}"), field, given),
            experiment(&format!("given-{n}.json"), json),
            experiment(&format!("given-vary-{n}.json"), varied),
            experiment(&format!("given-experiment-{n}.toml"), toml),
        ];
        let paths = files.each_ref().map(|path| path.to_str().unwrap());
        let link = format!("v=1&a=alien&{load}");
        let cases: [&[&str]; 7] = [
            &["run", "--config", paths[0]],
            &["replay", paths[1]],
            &["study", paths[2]],
            &["study", paths[3]],
            &["study", paths[4]],
            &["run", "alien", &option],
            &["replay", &link],
        ];
        for args in cases {
            let (code, _, err) = run(args);
            assert!(code == 2 && err.contains(&says), "{args:?}: expected {says}: {err}");
        }
        let job: String = format!("{{\"algorithm\":\"alien\",\"{field}\":{given}}}");
        assert!(lockstep_lab::run_json(&job).contains(&says), "{job}: {}", lockstep_lab::run_json(&job));
    }
    let saved = file("given-format.json", b"{\"format\": 1e3, \"link\": \"v=1\"}");
    let (_, _, err) = run(&["replay", saved.to_str().unwrap()]);
    assert!(err.contains("saved in format 1e3; expected 1."), "{err}");
    let (_, _, err) = run(&["judge", saved.to_str().unwrap(), "--skew", "-3.0"]);
    assert!(err.contains("skew: -3.0 is not allowed; expected 0 or more seconds."), "{err}");
}
