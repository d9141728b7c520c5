//! `lockstep judge` on the examples of tests/logs: documents, exit codes, tables.

use serde_json::Value;
use std::path::PathBuf;
use std::process::Command;

fn lockstep(args: &[&str]) -> (i32, String, String) {
    let output = Command::new(env!("CARGO_BIN_EXE_lockstep")).args(args).output().unwrap();
    let text = |bytes| String::from_utf8(bytes).unwrap();
    (output.status.code().unwrap_or(-1), text(output.stdout), text(output.stderr))
}

fn log(name: &str) -> String {
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../tests/logs").join(name);
    path.to_str().unwrap().to_owned()
}

#[test]
fn every_example_gives_the_expected_document_and_exit_code() {
    let text = std::fs::read_to_string(log("expected.json")).unwrap();
    let expected: serde_json::Map<String, Value> = serde_json::from_str(&text).unwrap();
    for (name, example) in &expected {
        let mut args = vec!["judge".to_owned(), "--json".to_owned()];
        args.extend(example["files"].as_array().unwrap().iter().map(|file| log(file.as_str().unwrap())));
        for (key, option) in [("pattern", "--rules"), ("conform", "--algorithm"), ("session", "--session")] {
            match &example[key] {
                Value::String(file) if key == "pattern" => args.extend([option.to_owned(), log(file)]),
                Value::String(value) => args.extend([option.to_owned(), value.clone()]),
                Value::Number(number) => args.extend([option.to_owned(), number.to_string()]),
                _ => {}
            }
        }
        let args: Vec<&str> = args.iter().map(String::as_str).collect();
        let (code, out, err) = lockstep(&args);
        let document: Value = serde_json::from_str(&out).unwrap_or_else(|why| panic!("{name}: {why} {err}"));
        for (key, value) in example["expect"].as_object().unwrap() {
            let found = key.split('.').fold(&document, |value, key| &value[key]);
            assert_eq!(found, value, "{name}: {key}");
        }
        let expected = match document["verdict"].as_str().unwrap() {
            "violated" | "luck" => 1,
            _ if document["conformance"]["ok"] == false => 1,
            "excluded" => 0,
            _ => 3,
        };
        assert_eq!(code, expected, "{name}");
    }
}

#[test]
fn people_read_the_verdict_its_reason_and_what_is_missing() {
    let (code, out, _) = lockstep(&["judge", &log("09-sends-missing.jsonl")]);
    assert_eq!(code, 3);
    assert!(out.starts_with("2 nodes, 2 entries, 1 message; unproven: the log does not say what orders 1"), "{out}");
    assert!(
        out.contains(r#"Print {"node":"1","event":"send","to":"<receiver>","kind":"release"} (decides 1 pair)"#),
        "{out}"
    );
    let (code, out, _) = lockstep(&["judge", &log("27-ricart-agrawala-replies-too-early.jsonl")]);
    assert_eq!(code, 1);
    assert!(out.contains("although its own request (1) comes first"), "{out}");
    let link = out.lines().find_map(|line| line.split('\'').nth(1)).unwrap_or_else(|| panic!("no link: {out}"));
    let (code, out, err) = lockstep(&["replay", link, "--trace"]);
    assert!(code <= 1 && out.contains("REQUEST"), "{out}{err}");
    let (code, out, _) = lockstep(&["judge", &log("14-wall-clocks-apart.jsonl"), "--skew", "0.3"]);
    assert!(code == 3 && out.contains("unproven"), "{out}");
}

#[test]
fn a_class_is_one_table() {
    let folder = std::env::temp_dir().join(format!("lockstep-judge-{}", std::process::id()));
    for (name, file) in [("ann", "01-ricart-agrawala.jsonl"), ("bob", "02-luck.jsonl")] {
        std::fs::create_dir_all(folder.join(name)).unwrap();
        std::fs::copy(log(file), folder.join(name).join(file)).unwrap();
    }
    let path = folder.to_str().unwrap();
    let (code, out, err) = lockstep(&["judge", path, "--csv"]);
    assert_eq!(code, 1, "{err}");
    let rows: Vec<&str> = out.lines().collect();
    let columns = "log,verdict,entries,messages per entry,theory,waiting,overtaken,first disallowed event,problems";
    assert_eq!(rows[0], columns);
    assert!(rows[1].ends_with("/ann,excluded,2,4,2(N − 1) = 4,0,0,none,0"), "{out}");
    assert!(rows[2].contains("/bob,luck,2,2,"), "{out}");
    let (_, out, _) = lockstep(&["judge", path]);
    assert!(out.lines().count() == 3 && out.contains("excluded"), "{out}");
    let (_, out, _) = lockstep(&["judge", path, "--json"]);
    let document: Value = serde_json::from_str(&out).unwrap();
    assert_eq!(document["logs"].as_array().unwrap().len(), 2);
    std::fs::remove_dir_all(folder).unwrap();
}

#[test]
fn a_log_that_cannot_be_judged_is_a_row_and_archives_are_folders() {
    let folder = std::env::temp_dir().join(format!("lockstep-judge-class-{}", std::process::id()));
    for (name, file) in [("ann", "01-ricart-agrawala.jsonl"), ("eve", "02-luck.jsonl")] {
        std::fs::create_dir_all(folder.join(name)).unwrap();
        std::fs::copy(log(file), folder.join(name).join(file)).unwrap();
    }
    std::fs::create_dir_all(folder.join("bob")).unwrap();
    std::fs::write(folder.join("bob/notes.txt"), "?").unwrap();
    std::fs::write(folder.join("cid.zip"), b"PK\x03\x04 damaged").unwrap();
    let path = folder.to_str().unwrap();
    let (code, out, err) = lockstep(&["judge", path, "--csv"]);
    assert_eq!((code, out.lines().count()), (2, 5), "{out}{err}");
    let verdict = |row: usize| {
        let cells: Vec<&str> = out.lines().nth(row).unwrap().split(',').collect();
        (cells[0].rsplit('/').next().unwrap().to_owned(), cells[1].to_owned())
    };
    assert_eq!(verdict(1), ("ann".into(), "excluded".into()), "{out}");
    assert!(verdict(2).0 == "bob" && verdict(2).1.contains("no line was understood"), "{out}");
    assert!(verdict(3).0 == "cid.zip" && verdict(3).1.contains("cid.zip: "), "{out}");
    assert_eq!(verdict(4), ("eve".into(), "luck".into()), "{out}");
    let (code, out, _) = lockstep(&["judge", path, "--json"]);
    let document: Value = serde_json::from_str(&out).unwrap();
    let logs = document["logs"].as_array().unwrap();
    assert_eq!((code, logs.len(), &logs[1]["verdict"]), (2, 4, &Value::Null));
    assert!(logs[1]["problems"][0].as_str().unwrap().contains("no line was understood"));
    assert!(logs[3]["log"].as_str().unwrap().ends_with("/eve"));
    // two whole logs beside each other are one log, which says so; --each takes them apart
    std::fs::copy(log("02-luck.jsonl"), folder.join("ann/02-luck.jsonl")).unwrap();
    let ann = folder.join("ann");
    let (_, out, _) = lockstep(&["judge", ann.to_str().unwrap()]);
    assert!(out.contains("--each judges it as a log of its own"), "{out}");
    let (code, out, _) = lockstep(&["judge", ann.to_str().unwrap(), "--each", "--csv"]);
    assert_eq!((code, out.lines().count()), (1, 3), "{out}");
    assert!(out.contains("ann/01-ricart-agrawala.jsonl,excluded") && out.contains("ann/02-luck.jsonl,luck"), "{out}");
    std::fs::remove_dir_all(folder).unwrap();
}

#[test]
fn bad_input_is_named() {
    for (args, expected) in [
        (vec!["judge", "/nowhere.log"], "cannot be read"),
        (vec!["judge", "X", "--algorithm", "nobody"], "There is no algorithm `nobody`"),
        (vec!["judge", "X", "--skew=-1"], "skew: -1 is not allowed"),
        (vec!["judge", "X", "--session", "0"], "session: 0 is not allowed; expected 1 or more"),
        (vec!["judge", "X", "--session", "9"], "session: 9 does not exist"),
        (vec!["judge", "X", "--rules", "X"], "is not known; expected request"),
    ] {
        let file = log("01-ricart-agrawala.jsonl");
        let args: Vec<&str> = args.iter().map(|arg| if *arg == "X" { file.as_str() } else { arg }).collect();
        let (code, out, err) = lockstep(&args);
        assert_eq!((code, out.as_str()), (2, ""), "{args:?} {err}");
        assert!(err.contains(expected), "{args:?}: {err}");
    }
}

#[test]
fn a_run_of_ours_is_exported_and_judged() {
    let (_, out, _) = lockstep(&["list", "--json"]);
    assert!(out.contains("ricart-agrawala"));
    let (code, out, err) = lockstep(&["replay", "v=1&a=ricart-agrawala&n=3&c=0.1.2", "--log"]);
    assert!(code <= 1, "{err}");
    assert!(out.starts_with("{\"algorithm\":\"ricart-agrawala\"") || out.contains("\"lockstep\":\"log\""), "{out}");
    let path = std::env::temp_dir().join(format!("lockstep-own-{}.jsonl", std::process::id()));
    std::fs::write(&path, &out).unwrap();
    let (code, out, err) = lockstep(&["judge", path.to_str().unwrap(), "--json"]);
    let document: Value = serde_json::from_str(&out).unwrap_or_else(|why| panic!("{why} {err}"));
    assert_eq!((code, &document["conformance"]["ok"]), (3, &true.into()), "{out}");
    std::fs::remove_file(path).unwrap();
}
