//! `lockstep judge`: judges logs of any implementation, one or a whole class.

use crate::answer::{BadInput, count, json, table};
use crate::input;
use lockstep_judge::submission::{NotJudged, class_cells, submissions};
use lockstep_judge::{JudgedLog, LogSubmission};
use lockstep_spec::quoted;
use lockstep_trace::report::{COLUMNS, csv, problems};
use lockstep_trace::text::MOST_BYTES;
use lockstep_trace::{LogFormat, LogInput, ReadOptions, RuleSet, zip};
use serde_json::{Value, json};
use std::path::{Path, PathBuf};
use std::sync::Mutex;

/// Options of `judge`.
#[derive(clap::Args)]
pub struct Args {
    /// Logs: files (together one log), folders and zip archives (each one log; several, also in
    /// each other, make a table)
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
    let given = given(args)?;
    if let ([_], false) = (given.as_slice(), args.csv) {
        let several = !args.json && given[0].seems_several(&options);
        let one = given.into_iter().map(|log| JudgedLog::of(log, &options, args.algorithm.as_deref())).next();
        let log = one.unwrap_or_else(|| Err(NotJudged::Refused(NOTHING.to_owned()))).map_err(refusal)?;
        let out = if args.json { json(&document(&log))? } else { human(&log, all_problems, several) };
        return Ok((out, log.code()));
    }
    let class = judge_all(given, &options, args);
    let code = class.iter().map(|entry| entry.code).fold(0, worse);
    let out = if args.json {
        json(&json!({ "logs": class.into_iter().map(|entry| entry.document).collect::<Vec<_>>() }))?
    } else {
        let rows = class.into_iter().map(|entry| entry.cells);
        let rows: Vec<Vec<String>> = std::iter::once(COLUMNS.map(str::to_owned).to_vec()).chain(rows).collect();
        if args.csv { csv(&rows) } else { table(&rows) }
    };
    Ok((out, code))
}

const NOTHING: &str = "There are no files; expected logs.";

/// One log of a class.
struct ClassEntry {
    cells: Vec<String>,
    document: Value,
    code: u8,
}

/// Judges every log of a class, on all cores. A log that cannot be judged has a row that says why.
fn judge_all(given: Vec<LogSubmission>, options: &ReadOptions, args: &Args) -> Vec<ClassEntry> {
    let entry = |log: LogSubmission| {
        let name = log.name.clone();
        let judged = JudgedLog::of(log, options, args.algorithm.as_deref());
        let mut document = match &judged {
            Ok(log) if args.json => document(log),
            Ok(_) => Value::Null,
            Err(why) => json!({ "verdict": null, "problems": [why.sentence()] }),
        };
        if args.json {
            document["log"] = json!(name);
        }
        ClassEntry { cells: class_cells(&name, &judged), document, code: judged.as_ref().map_or(2, JudgedLog::code) }
    };
    let cores = std::thread::available_parallelism().map_or(1, usize::from).clamp(1, given.len().max(1));
    let waiting = Mutex::new(given.into_iter().enumerate());
    let next = || waiting.lock().ok().and_then(|mut waiting| waiting.next());
    let work = || {
        let mut mine = Vec::new();
        while let Some((at, log)) = next() {
            mine.push((at, entry(log)));
        }
        mine
    };
    let mut all: Vec<(usize, ClassEntry)> = std::thread::scope(|scope| {
        let workers: Vec<_> = (0..cores).map(|_| scope.spawn(work)).collect();
        let done = |worker: std::thread::ScopedJoinHandle<'_, _>| {
            worker.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))
        };
        workers.into_iter().flat_map(done).collect()
    });
    all.sort_by_key(|(at, _)| *at);
    all.into_iter().map(|(_, entry)| entry).collect()
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

/// Bad input is worse than a violation, which is worse than 3, and 3 than 0.
fn worse(a: u8, b: u8) -> u8 {
    let rank = |code: u8| [2, 1, 3, 0].iter().position(|known| *known == code);
    if rank(a) <= rank(b) { a } else { b }
}

fn refusal(why: NotJudged) -> BadInput {
    BadInput::one(match why {
        NotJudged::NotUnderstood(why) => {
            format!("{why} Expected native JSON lines, a ShiViz log, or free text with --rules FILE.")
        }
        NotJudged::Refused(why) => why,
    })
}

fn document(log: &JudgedLog) -> Value {
    let mut document = log.judgement.document(log.conformance.as_ref());
    if let Some(list) = document["problems"].as_array_mut() {
        list.extend(log.problems.iter().map(|problem| json!(problem)));
    }
    document
}

/// `several`: each of its files seems to be a whole log.
fn human(log: &JudgedLog, all_problems: bool, several: bool) -> String {
    let judgement = &log.judgement;
    let mut text = format!("{}\n", judgement.sentence());
    let mut say = |line: String| text += &format!("  {line}\n");
    if judgement.log.format == LogFormat::Guessed {
        say("The rules were guessed from the words of the lines; teach your own with --rules.".to_owned());
    }
    if several {
        say("Each file has entries of two nodes or more; --each judges it as a log of its own.".to_owned());
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

/// The logs that the paths name. Files that are named one by one are one log, wherever they lie.
fn given(args: &Args) -> Result<Vec<LogSubmission>, BadInput> {
    let (mut files, mut unread) = (Vec::new(), Vec::new());
    let mut loose: Vec<String> = Vec::new();
    for path in &args.paths {
        let name = path.display().to_string();
        if path.is_dir() {
            folder(path, name.trim_end_matches('/'), &mut files, &mut unread)?;
            continue;
        }
        let bytes = bytes(path)?;
        if zip::is_zip(&bytes) {
            files.push(LogInput::new(name, bytes));
        } else {
            let base = path.file_name().map_or(name.clone(), |base| base.to_string_lossy().into_owned());
            files.push(LogInput::new(base, bytes));
            loose.push(name);
        }
    }
    // how much a log may have is bounded where it is read
    let mut all = match files.is_empty() && !unread.is_empty() {
        true => Vec::new(),
        false => submissions(files, usize::MAX).map_err(BadInput::one)?,
    };
    all.extend(unread);
    all.iter_mut().filter(|log| log.folder.is_empty()).for_each(|log| log.name = loose.join(", "));
    all.sort_by_key(|log| !log.folder.is_empty());
    Ok(if args.each { all.into_iter().flat_map(LogSubmission::each).collect() } else { all })
}

/// The files of a folder and of the folders in it. One that cannot be read is a log without files.
fn folder(path: &Path, name: &str, files: &mut Vec<LogInput>, unread: &mut Vec<LogSubmission>) -> Result<(), BadInput> {
    let cannot = |why: std::io::Error| BadInput::one(format!("`{}` cannot be read: {why}.", path.display()));
    let mut entries: Vec<PathBuf> = std::fs::read_dir(path)
        .map_err(cannot)?
        .map(|entry| entry.map(|e| e.path()))
        .collect::<Result<_, _>>()
        .map_err(cannot)?;
    entries.sort();
    for entry in entries {
        let base = entry.file_name().map_or_else(String::new, |base| base.to_string_lossy().into_owned());
        let inner = format!("{name}/{base}");
        if base.starts_with('.') {
            continue;
        }
        if entry.is_dir() {
            folder(&entry, &inner, files, unread)?;
            continue;
        }
        match bytes(&entry) {
            Ok(bytes) => files.push(LogInput::new(inner, bytes)),
            Err(BadInput(problems)) => {
                unread.push(LogSubmission { name: inner.clone(), folder: inner, files: Vec::new(), problems });
            }
        }
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
