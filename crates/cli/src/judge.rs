//! `lockstep judge`: judges logs of any implementation, one or a whole class.

use crate::answer::{BadInput, count, json, table};
use crate::input;
use lockstep_judge::submission::NotJudged;
use lockstep_judge::{JudgedLog, LogSubmission};
use lockstep_spec::quoted;
use lockstep_trace::report::{COLUMNS, csv, problems, row};
use lockstep_trace::text::MOST_BYTES;
use lockstep_trace::{LogFormat, LogInput, ReadOptions, RuleSet, zip};
use serde_json::{Value, json};
use std::path::{Path, PathBuf};

/// Options of `judge`.
#[derive(clap::Args)]
pub struct Args {
    /// Logs: files (together one log), folders and zip archives (each one log; several, or folders
    /// in a folder, make a table)
    #[arg(value_name = "FILE|DIR", required = true)]
    paths: Vec<PathBuf>,
    /// Rules for free text: see docs/logs.md
    #[arg(long, value_name = "FILE")]
    rules: Option<PathBuf>,
    /// Compare with this algorithm; without it, the one that the log names
    #[arg(long, value_name = "ID")]
    algorithm: Option<String>,
    /// Every clock is within this many seconds of true time
    #[arg(long, value_name = "SECONDS", allow_negative_numbers = true)]
    skew: Option<String>,
    /// Of several runs in a log, judge this one
    #[arg(long, value_name = "N")]
    session: Option<usize>,
    /// Take every file as a log of its own
    #[arg(long)]
    each: bool,
    /// Print the table of all logs as CSV
    #[arg(long, conflicts_with = "json")]
    csv: bool,
    /// Print one JSON document
    #[arg(long)]
    json: bool,
}

/// The output and the exit code.
pub fn answer(args: &Args, all_problems: bool) -> anyhow::Result<(String, u8)> {
    let skew = args.skew.as_deref().map(seconds).transpose()?;
    let session = args.session.unwrap_or(1);
    if session == 0 {
        return Err(BadInput::one("session: 0 is not allowed; expected 1 or more.").into());
    }
    if let Some(id) = &args.algorithm {
        lockstep_algorithms::find(id).map_err(BadInput::one)?;
    }
    let rules = args.rules.as_deref().map(rules).transpose()?;
    let options = ReadOptions { rules, session, skew };
    let submissions = submissions(args)?;
    let single = submissions.len() == 1 && !args.csv;
    let mut judged = Vec::new();
    for submission in submissions {
        judged.push(judge_one(submission, &options, args.algorithm.as_deref())?);
    }
    let code = judged.iter().map(JudgedLog::code).fold(0, worse);
    let out = match judged.as_slice() {
        [one] if single && args.json => json(&document(one))?,
        all if args.json => {
            let logs: Vec<Value> = all
                .iter()
                .map(|log| {
                    let mut value = document(log);
                    value["log"] = json!(log.name);
                    value
                })
                .collect();
            json(&json!({ "logs": logs }))?
        }
        [one] if single => human(one, all_problems),
        all => {
            let rows = all.iter().map(|log| row(&log.name, &log.judgement, log.conformance.as_ref()));
            let rows: Vec<Vec<String>> = std::iter::once(COLUMNS.map(str::to_owned).to_vec()).chain(rows).collect();
            if args.csv { csv(&rows) } else { table(&rows) }
        }
    };
    Ok((out, code))
}

fn seconds(text: &str) -> Result<f64, BadInput> {
    let seconds = text.trim().parse().ok().filter(|seconds: &f64| *seconds >= 0.0 && seconds.is_finite());
    let given = quoted(text);
    seconds.ok_or_else(|| BadInput::one(format!("skew: {given} is not allowed; expected 0 or more seconds.")))
}

fn rules(path: &Path) -> Result<RuleSet, BadInput> {
    let text = input::read_text(path, 1 << 20)?;
    RuleSet::parse(&text)
        .map_err(|problems| BadInput(problems.iter().map(|p| format!("{}: {p}", path.display())).collect()))
}

/// 1 is worse than 3, and 3 than 0.
fn worse(a: u8, b: u8) -> u8 {
    match (a, b) {
        (1, _) | (_, 1) => 1,
        (a, b) => a.max(b),
    }
}

fn judge_one(given: LogSubmission, options: &ReadOptions, algorithm: Option<&str>) -> Result<JudgedLog, BadInput> {
    JudgedLog::of(given, options, algorithm).map_err(|why| {
        BadInput::one(match why {
            NotJudged::NotUnderstood(why) => {
                format!("{why} Expected native JSON lines, a ShiViz log, or free text with --rules FILE.")
            }
            NotJudged::Refused(why) => why,
        })
    })
}

fn document(log: &JudgedLog) -> Value {
    let mut document = log.judgement.document(log.conformance.as_ref());
    if let Some(list) = document["problems"].as_array_mut() {
        list.extend(log.problems.iter().map(|problem| json!(problem)));
    }
    document
}

fn human(log: &JudgedLog, all_problems: bool) -> String {
    let judgement = &log.judgement;
    let mut text = format!("{}\n", judgement.sentence());
    let mut say = |line: String| text += &format!("  {line}\n");
    if judgement.log.format == LogFormat::Guessed {
        say("The rules were guessed from the words of the lines; teach your own with --rules.".to_owned());
    }
    if judgement.log.sessions > 1 {
        say(format!("The log has {}; --session N judges another one.", count(judgement.log.sessions, "run")));
    }
    let waiting = judgement.waiting();
    if !waiting.is_empty() {
        say(format!("Waiting when the log ends: {}.", waiting.join(", ")));
    }
    if let Some(number) = judgement.messages_per_entry() {
        let theory = log.conformance.as_ref().and_then(|c| c.theory.as_ref());
        say(format!("Messages per entry: {number}{}.", theory.map(|t| format!("; theory: {t}")).unwrap_or_default()));
    }
    if judgement.overtaken_at_most > 0 {
        say(format!("A request was overtaken {}.", count(judgement.overtaken_at_most, "time")));
    }
    if let Some(conformance) = &log.conformance {
        say(match (conformance.ok, &conformance.first, &conformance.unknown) {
            (Some(true), ..) => format!("Every event is allowed by {}.", conformance.algorithm),
            (_, Some(first), _) => format!("Not allowed by {}: {first}", conformance.algorithm),
            (.., Some(why)) => format!("Conformance cannot be said: {why}"),
            _ => String::new(),
        });
        if !conformance.allowed.is_empty() {
            say(format!("Allowed there: {}.", conformance.allowed.join(", ")));
        }
        if let Some(link) = &conformance.link {
            say(format!("What should have happened: lockstep replay '{link}'"));
        }
        conformance.stage().into_iter().for_each(&mut say);
    }
    judgement.skew.sentences().into_iter().for_each(&mut say);
    for line in judgement.missing.iter().take(5) {
        say(format!("Missing: {} Print {} (decides {}).", line.reason, line.print, count(line.pairs.len(), "pair")));
    }
    if judgement.log.lines_not_understood > 0 {
        say(format!("{} not understood.", count(judgement.log.lines_not_understood, "line")));
    }
    let problems: Vec<String> = problems(&judgement.log).into_iter().chain(log.problems.iter().cloned()).collect();
    let listed = lockstep_text::problems(&problems, all_problems);
    listed.shown.iter().for_each(|problem| say(problem.clone()));
    if let Some(rest) = listed.rest() {
        say(format!("… {rest}; --all-problems shows them."));
    }
    text
}

/// The logs that the paths name.
fn submissions(args: &Args) -> Result<Vec<LogSubmission>, BadInput> {
    let mut all = Vec::new();
    let mut together = LogSubmission::default();
    for path in &args.paths {
        let name = path.display().to_string();
        if path.is_dir() {
            folder(path, &name, &mut all)?;
            continue;
        }
        let bytes = bytes(path)?;
        if zip::is_zip(&bytes) {
            all.push(LogSubmission::of_zip(name, &bytes).map_err(BadInput::one)?);
        } else {
            let base = path.file_name().map_or(name.clone(), |base| base.to_string_lossy().into_owned());
            together.files.push(LogInput::new(base, bytes));
            together.name = if together.name.is_empty() { name } else { format!("{}, {name}", together.name) };
        }
    }
    if !together.files.is_empty() {
        all.insert(0, together);
    }
    if args.each {
        all = all
            .into_iter()
            .flat_map(|log| log.files)
            .map(|file| LogSubmission { name: file.name.clone(), files: vec![file], problems: Vec::new() })
            .collect();
    }
    if all.is_empty() {
        return Err(BadInput::one("There are no files; expected logs."));
    }
    Ok(all)
}

/// The logs of a folder: its own files are one log; each folder and each archive in it is another.
fn folder(path: &Path, name: &str, all: &mut Vec<LogSubmission>) -> Result<(), BadInput> {
    let cannot = |why: std::io::Error| BadInput::one(format!("`{}` cannot be read: {why}.", path.display()));
    let mut entries: Vec<PathBuf> = std::fs::read_dir(path)
        .map_err(cannot)?
        .map(|entry| entry.map(|e| e.path()))
        .collect::<Result<_, _>>()
        .map_err(cannot)?;
    entries.sort();
    let mut own = LogSubmission { name: name.to_owned(), ..LogSubmission::default() };
    for entry in entries {
        let base = entry.file_name().map_or_else(String::new, |base| base.to_string_lossy().into_owned());
        let inner = format!("{name}/{base}");
        if base.starts_with('.') {
            continue;
        }
        if entry.is_dir() {
            folder(&entry, &inner, all)?;
            continue;
        }
        let content = bytes(&entry)?;
        if zip::is_zip(&content) {
            all.push(LogSubmission::of_zip(inner, &content).map_err(BadInput::one)?);
        } else {
            own.files.push(LogInput::new(base, content));
        }
    }
    if !own.files.is_empty() {
        all.push(own);
    }
    Ok(())
}

fn bytes(path: &Path) -> Result<Vec<u8>, BadInput> {
    let cannot = |why: std::io::Error| BadInput::one(format!("`{}` cannot be read: {why}.", path.display()));
    let about = std::fs::metadata(path).map_err(cannot)?;
    if about.len() > MOST_BYTES as u64 {
        let most = MOST_BYTES >> 20;
        return Err(BadInput::one(format!("`{}` is too large; expected at most {most} MB.", path.display())));
    }
    std::fs::read(path).map_err(cannot)
}
