//! `lockstep study`: listing, running, resuming, shards and what is refused.

use std::path::{Path, PathBuf};
use std::process::Command;

struct StudyOutput {
    code: i32,
    out: String,
    err: String,
}

fn lockstep(args: &[&str]) -> StudyOutput {
    let output = Command::new(env!("CARGO_BIN_EXE_lockstep")).args(args).output().unwrap();
    let text = |bytes: &[u8]| String::from_utf8(bytes.to_vec()).unwrap();
    StudyOutput { code: output.status.code().unwrap(), out: text(&output.stdout), err: text(&output.stderr) }
}

/// An empty folder of this test.
fn folder(name: &str) -> PathBuf {
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    let _ = std::fs::remove_dir_all(&path);
    path
}

fn text(path: &Path) -> &str {
    path.to_str().unwrap()
}

/// Every file of a folder with its bytes.
fn files(folder: &Path) -> Vec<(String, Vec<u8>)> {
    let mut all: Vec<_> = std::fs::read_dir(folder)
        .unwrap()
        .map(|e| e.unwrap().path())
        .map(|p| (p.file_name().unwrap().to_string_lossy().into_owned(), std::fs::read(&p).unwrap()))
        .collect();
    all.sort();
    all
}

#[test]
fn studies_are_listed() {
    let said = lockstep(&["study"]);
    assert_eq!(said.code, 0);
    for id in ["alien", "notes", "hierarchical", "ranged", "wait-free", "beyond"] {
        assert!(said.out.lines().any(|l| l.starts_with(id)), "{id}: {}", said.out);
    }
    let json: serde_json::Value = serde_json::from_str(&lockstep(&["study", "--json"]).out).unwrap();
    assert_eq!(json.as_array().unwrap().len(), 6);
}

#[test]
fn a_study_prints_its_claims_and_writes_its_files() {
    let out = folder("whole");
    let said = lockstep(&["study", "notes", "--tiny", "--out", text(&out)]);
    assert_eq!((said.code, said.err.as_str()), (0, ""));
    assert!(said.out.contains("Claims\n  1  server: 3 messages per entry."), "{}", said.out);
    let names: Vec<String> = files(&out).into_iter().map(|f| f.0).collect();
    for name in ["results.jsonl", "study.json", "points.csv", "claims.csv", "messages.svg", "messages.csv"] {
        assert!(names.iter().any(|n| n == name), "{name}: {names:?}");
    }
    let json = lockstep(&["study", "notes", "--tiny", "--json"]);
    let document: serde_json::Value = serde_json::from_str(&json.out).unwrap();
    assert_eq!((document["study"].as_str(), document["seed"].as_u64()), (Some("notes"), Some(1)));
    assert!(document["claims"].as_array().unwrap().iter().all(|c| c["verdict"].is_string()));
    assert_eq!(std::fs::read_to_string(out.join("study.json")).unwrap(), json.out);
}

#[test]
fn two_shards_together_are_the_whole_byte_for_byte() {
    let [whole, one, two, merged] = ["all", "shard-1", "shard-2", "merged"].map(folder);
    assert_eq!(lockstep(&["study", "notes", "--tiny", "--out", text(&whole)]).code, 0);
    for (shard, out) in [("1/2", &one), ("2/2", &two)] {
        let said = lockstep(&["study", "notes", "--tiny", "--shard", shard, "--threads", "1", "--out", text(out)]);
        assert_eq!(said.code, 0, "{}", said.err);
    }
    let half = lockstep(&["study", "--merge", text(&one)]);
    assert!(
        half.code == 2 && half.err.contains("points are missing; expected the records of all shards"),
        "{}",
        half.err
    );
    let said = lockstep(&["study", "--merge", text(&two), text(&one), "--out", text(&merged)]);
    assert_eq!(said.code, 0, "{}", said.err);
    assert_eq!(files(&merged), files(&whole));
}

/// A line without its checksum, as earlier versions wrote it.
fn earlier_line(line: &str) -> String {
    line.split_once(",\"checksum\"").map_or(line.to_owned(), |(body, _)| format!("{body}}}"))
}

#[test]
fn an_interrupted_study_goes_on() {
    let out = folder("interrupted");
    assert_eq!(lockstep(&["study", "wait-free", "--tiny", "--out", text(&out)]).code, 0);
    let whole = files(&out);
    let results = out.join("results.jsonl");
    let lines = std::fs::read_to_string(&results).unwrap();
    // cut off in the middle of a line, and one result that tells where it came from
    let kept: String =
        lines.lines().take(5).map(|l| l.to_owned() + "\n").collect::<String>() + &lines.lines().nth(5).unwrap()[..40];
    std::fs::write(&results, kept).unwrap();
    assert_eq!(lockstep(&["study", "wait-free", "--tiny", "--out", text(&out)]).code, 0);
    assert_eq!(files(&out), whole);
    let marked = lines.replacen("\"longest_path\":1", "\"longest_path\":77", 1);
    std::fs::write(&results, &marked).unwrap();
    let refused = lockstep(&["study", "wait-free", "--tiny", "--out", text(&out)]);
    let line = 1 + marked.lines().position(|line| line.contains("\"longest_path\":77")).unwrap();
    assert!(refused.code == 2 && refused.err.contains(&format!("line {line}: checksum: ")), "{}", refused.err);
    assert_eq!(std::fs::read_to_string(&results).unwrap(), marked, "a refused file is left as it is");
    // lines of earlier versions have no checksum
    let earlier: Vec<String> = marked.lines().map(earlier_line).collect();
    std::fs::write(&results, earlier.join("\n") + "\n").unwrap();
    assert_eq!(lockstep(&["study", "wait-free", "--tiny", "--out", text(&out)]).code, 0);
    let kept = std::fs::read_to_string(&results).unwrap();
    let kept: Vec<String> = kept.lines().map(earlier_line).collect();
    assert_eq!(kept, earlier, "what is there is not run again");
    let other = lockstep(&["study", "wait-free", "--quick", "--out", text(&out)]);
    assert!(other.code == 2 && other.err.contains("do not belong together"), "{}", other.err);
}

#[test]
fn an_experiment_of_ones_own() {
    let out = folder("own");
    std::fs::create_dir_all(&out).unwrap();
    let file = out.join("mine.toml");
    std::fs::write(
        &file,
        "[base]\nalgorithm = \"raymond\"\nnodes = 7\nentries = 100\n[[vary]]\nname = \"rate\"\nvalues = [0.1, 1.0]\n",
    )
    .unwrap();
    let results = out.join("results");
    let said = lockstep(&["study", text(&file), "--out", text(&results)]);
    assert_eq!(said.code, 0, "{}", said.err);
    let names: Vec<String> = files(&results).into_iter().map(|f| f.0).collect();
    let charts = ["own-messages.csv", "own-messages.svg", "own-waiting.csv", "own-waiting.svg"];
    assert_eq!(names, [&charts[..], &["points.csv", "results.jsonl", "study.json"]].concat());
    assert!(said.out.contains("0.1") && said.out.contains("1.0") && !said.out.contains("Claims"), "{}", said.out);
    std::fs::write(&file, "[base]\nalgorithm = \"raymond\"\n[[vary]]\nname = \"rate\"\nvalues = [0, 1]\n").unwrap();
    let refused = lockstep(&["study", text(&file)]);
    assert!(
        refused.code == 2 && refused.err.contains("At rate 0: rate: 0 is not allowed; expected"),
        "{}",
        refused.err
    );
}

#[test]
fn invalid_arguments_are_refused() {
    for (args, words) in [
        (&["study", "aliens"][..], "There is no study `aliens`"),
        (&["study", "alien", "--tiny", "--set", "reading=z"], "one of a, b, c"),
        (
            &["study", "alien", "--tiny", "--shard", "3/2", "--out", "x"],
            "shard: `3/2` is not allowed; expected 1/4 to 4/4",
        ),
        (&["study", "alien", "--tiny", "--shard", "1/2"], "--out"),
        (&["study", "--merge", "nowhere"], "cannot be read"),
        (&["study", "nowhere.toml"], "cannot be read"),
    ] {
        let said = lockstep(args);
        assert!(said.code == 2 && said.err.contains(words), "{args:?}: {}", said.err);
    }
}

#[test]
fn explorations_decide_what_runs_cannot() {
    for (study, id, region) in [
        ("alien", "24", "Supported: repaired v1, repaired v2, endless v1, endless v2."),
        ("ranged", "8", "Supported: repaired, prose guard; repaired, strict guard."),
        ("wait-free", "1", "Supported: as printed, an exit's ok of its own kind; repaired."),
    ] {
        let document: serde_json::Value =
            serde_json::from_str(&lockstep(&["study", study, "--tiny", "--json"]).out).unwrap();
        let claims = document["claims"].as_array().unwrap();
        let claim = claims.iter().find(|c| c["id"] == id).unwrap();
        // the claim is about the algorithm as printed; the repaired one stands beside it
        assert_eq!(claim["verdict"], "differs", "{study}");
        assert!(claim["link"].as_str().is_some_and(|link| !link.is_empty()), "{study}");
        let said = claim["region"].as_str().unwrap();
        assert!(said.starts_with("Contradicted: ") && said.contains(region), "{study}: {said}");
    }
}
