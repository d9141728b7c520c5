//! The snippets of docs/snippets write native lines: each is compiled and run where its language is
//! installed; else the lines that it would print are checked.

use lockstep_trace::{LogFormat, LogInput, LogVerdict, ReadOptions, judge, read};
use std::path::{Path, PathBuf};
use std::process::Command;

fn snippet(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/snippets").join(name)
}

/// The output of a program; none if it is not installed or does not know the language.
fn run(command: &mut Command) -> Option<String> {
    let output = command.output().ok()?;
    output.status.success().then(|| String::from_utf8(output.stdout).unwrap())
}

fn is_installed(program: &str, version: &str) -> bool {
    Command::new(program).arg(version).output().is_ok_and(|output| output.status.success())
}

fn check(language: &str, out: &str) {
    let log = read(vec![LogInput::new(language, out)], &ReadOptions::default());
    assert_eq!(log.format, LogFormat::Native, "{language}: {out}");
    let judgement = judge(log).unwrap();
    assert!(judgement.consistent(), "{language}: {:?}", judgement.log.problems);
    assert_eq!((judgement.verdict, judgement.sections.list.len()), (LogVerdict::Excluded, 2), "{language}: {out}");
}

/// Lines that a snippet would print, from the calls in its text.
fn would_print(text: &str) -> String {
    let calls = ["log(\"", "Log(\"", "log_event(\""];
    let calls = text.lines().map(str::trim).filter(|line| calls.iter().any(|call| line.starts_with(call)));
    let line = |call: &str| {
        let parts: Vec<&str> = call.split('"').skip(1).step_by(2).collect();
        let mut line = serde_json::json!({ "node": parts[0], "event": parts[1] });
        for key in ["to", "from", "kind", "id"] {
            // "to": "2", to: "2", "to", "2", to="2", "id": 1
            let key = if call.contains("sender=") && key == "from" { "sender" } else { key };
            let marks = ["\": ", ": ", "\", ", "="].map(|mark| format!("{key}{mark}"));
            if let Some(value) = marks.iter().find_map(|mark| call.split(mark).nth(1)) {
                let value = value.trim_start_matches('"');
                let key = if key == "sender" { "from" } else { key };
                line[key] = value.split(['"', ',', ' ', '}', ')']).next().unwrap_or_default().into();
            }
        }
        line.to_string() + "\n"
    };
    calls.map(line).collect()
}

#[test]
fn the_lines_of_every_snippet_are_known_without_its_language() {
    for name in [
        "lockstep_log.py",
        "LockstepLog.java",
        "lockstep_log.cpp",
        "lockstep_log.rs",
        "lockstep_log.go",
        "lockstep_log.ts",
    ] {
        check(name, &would_print(&std::fs::read_to_string(snippet(name)).unwrap()));
    }
}

#[test]
fn every_snippet_writes_lines_that_are_judged() {
    let folder = std::env::temp_dir().join(format!("lockstep-snippets-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let out = |name: &str| folder.join(name);
    let mut ran = Vec::new();
    let mut settle = |language: &'static str, installed: bool, result: Option<String>, name: &str| {
        if installed {
            let printed = result.unwrap_or_else(|| panic!("{language}: the snippet does not compile or run"));
            check(language, &printed);
            ran.push(language);
        } else {
            check(language, &would_print(&std::fs::read_to_string(snippet(name)).unwrap()));
        }
    };
    let python = run(Command::new("python3").arg(snippet("lockstep_log.py")));
    settle("Python", is_installed("python3", "--version"), python, "lockstep_log.py");
    let java = is_installed("javac", "-version").then(|| {
        run(Command::new("javac").arg("-d").arg(&folder).arg(snippet("LockstepLog.java")))?;
        run(Command::new("java").arg("-cp").arg(&folder).arg("LockstepLog"))
    });
    settle("Java", java.is_some(), java.flatten(), "LockstepLog.java");
    let cpp = is_installed("g++", "--version").then(|| {
        run(Command::new("g++")
            .args(["-std=c++17", "-Wall", "-Werror", "-o"])
            .arg(out("cpp"))
            .arg(snippet("lockstep_log.cpp")))?;
        run(&mut Command::new(out("cpp")))
    });
    settle("C++", cpp.is_some(), cpp.flatten(), "lockstep_log.cpp");
    let rust = is_installed("rustc", "--version").then(|| {
        run(Command::new("rustc").args(["--edition", "2021", "-o"]).arg(out("rust")).arg(snippet("lockstep_log.rs")))?;
        run(&mut Command::new(out("rust")))
    });
    settle("Rust", rust.is_some(), rust.flatten(), "lockstep_log.rs");
    let go = is_installed("go", "version").then(|| run(Command::new("go").arg("run").arg(snippet("lockstep_log.go"))));
    settle("Go", go.is_some(), go.flatten(), "lockstep_log.go");
    // Node runs TypeScript from version 22.6 on, with or without a flag
    let script = snippet("lockstep_log.ts");
    let node = run(Command::new("node").arg("--experimental-strip-types").arg(&script))
        .or_else(|| run(Command::new("node").arg(&script)));
    settle("TypeScript", node.is_some(), node, "lockstep_log.ts");
    std::fs::remove_dir_all(folder).unwrap();
    assert!(ran.contains(&"Rust"), "{ran:?}");
    println!("run: {ran:?}");
}
