//! `lockstep run`: timed simulations and their measures.

use crate::answer::{BadInput, CommandOutput, count, json, pairs, violations};
use crate::{input, print};
use lockstep_kernel::run::RunMeasures;
use lockstep_lab::{Job, ReadyJob, Summary, prepare, validate};
use lockstep_spec::args::SystemArgs;
use lockstep_spec::toml::{self as spec_toml, PlaceIndex};
use lockstep_spec::{FIELDS, Use, exact};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};

/// The largest configuration file that is read.
const MOST_CONFIG_BYTES: usize = 256 * 1024;

/// Options of `run`.
#[derive(clap::Args)]
pub struct Args {
    #[command(flatten)]
    system: SystemArgs<{ Use::Measure as usize }>,
    /// A TOML file with these options, underscores for hyphens; options given here override it
    #[arg(long, value_name = "FILE")]
    config: Option<PathBuf>,
    /// Print one JSON document
    #[arg(long)]
    json: bool,
}

pub fn answer(args: &Args) -> anyhow::Result<CommandOutput> {
    let job = job(args, false)?;
    let prepared = match (prepare(&job), &args.config) {
        (Ok(prepared), _) => prepared,
        (Err(problems), None) => return Err(BadInput(problems).into()),
        (Err(problems), Some(_)) => {
            // problems repeat numbers as the file has them
            let again = validate(&self::job(args, true)?);
            return Err(BadInput(exact::reworded_sentences(problems, again)).into());
        }
    };
    let summary = prepared.run_with(|made| replications(&prepared, made.start, made.end));
    let mut complaints: Vec<String> = violations(summary.violations).into_iter().collect();
    complaints.extend(prepared.standstill(&summary));
    let out = if args.json { json(&summary)? } else { human(&prepared, &job, &summary) };
    Ok(CommandOutput { out, complaints })
}

/// The options over the configuration file over the defaults; numbers of the file exactly as they
/// were written, if that is wanted.
fn job(args: &Args, exact: bool) -> Result<Job, BadInput> {
    let mut job = args.config.as_deref().map_or_else(|| Ok(Job::default()), |path| config(path, exact))?;
    let given = &args.system.0;
    if given.rate.is_some() || given.think.is_some() {
        (job.spec.rate, job.spec.think) = (None, None);
    }
    for field in FIELDS {
        if let Some(text) = (field.get)(given) {
            *(field.slot)(&mut job.spec) = Some(text.clone());
        }
    }
    job.spec.given.extend(given.given.clone());
    Ok(job)
}

fn config(path: &Path, exact: bool) -> Result<Job, BadInput> {
    let text = input::read_text(path, MOST_CONFIG_BYTES)?;
    let wrong = |at: usize, why: &str| {
        let (name, place) = (path.display(), PlaceIndex::new(&text).at(at));
        BadInput::one(format!("`{name}`, {place}: {}.", why.trim().replace('\n', ", ")))
    };
    let table = toml::de::DeTable::parse(&text).map_err(|e| wrong(e.span().map_or(0, |s| s.start), e.message()))?;
    let read =
        toml::from_str(&text).or_else(|error: toml::de::Error| exact::too_large(&text, error.message()).ok_or(error));
    let job = read.map_err(|error| {
        // a field that does not exist has no position of its own: it is found by its name
        let named = table.get_ref().keys().find(|key| error.message().starts_with(&format!("{}:", key.get_ref())));
        let at = named.map(|key| key.span()).or(error.span()).map_or(0, |span| span.start);
        wrong(at, error.message())
    })?;
    let exactly = || spec_toml::read(table.get_ref(), Use::Measure, true).0;
    Ok(if exact { Job { spec: exactly(), ..job } } else { job })
}

/// Some replications, on all cores; in the order of their seeds, whichever was done first.
fn replications(prepared: &ReadyJob, from: u32, total: u32) -> Vec<RunMeasures> {
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    let workers = cores.min((total - from) as usize).max(1);
    let (next, done) = (AtomicU32::new(from), AtomicU32::new(from));
    let watched = total > 1 && print::watched();
    let work = || {
        let mut mine = Vec::new();
        loop {
            let replication = next.fetch_add(1, Ordering::Relaxed);
            if replication >= total {
                return mine;
            }
            mine.push((replication, prepared.measure(replication)));
            let done = 1 + done.fetch_add(1, Ordering::Relaxed);
            if watched {
                print::progress(&format!("{done} of {total} replications"), done == total);
            }
        }
    };
    let mut all: Vec<(u32, RunMeasures)> = std::thread::scope(|scope| {
        let workers: Vec<_> = (0..workers).map(|_| scope.spawn(work)).collect();
        workers.into_iter().flat_map(|w| w.join().unwrap_or_default()).collect()
    });
    all.sort_by_key(|(replication, _)| *replication);
    all.into_iter().map(|(_, measured)| measured).collect()
}

fn human(prepared: &ReadyJob, job: &Job, s: &Summary) -> String {
    let params: Vec<String> = s.params.iter().map(|(name, value)| format!("{name}={value}")).collect();
    let load = match (&job.spec.think, s.rate) {
        (Some(think), _) => format!("think {think}"),
        (None, rate) => format!("rate {}", rate.unwrap_or_default()),
    };
    let per_entry = |x: f64| x / s.entries.max(1.0);
    let kinds: Vec<String> =
        s.messages_by_kind.iter().map(|(name, n)| format!("{name} {:.4}", per_entry(*n))).collect();
    let least = s.entries_per_node.iter().copied().fold(f64::INFINITY, f64::min);
    let most = s.entries_per_node.iter().copied().fold(0.0, f64::max);
    let system = [
        format!("{} × {}", count(s.nodes, "node"), count(s.threads, "thread")),
        job.spec.topology.clone().unwrap_or("binary-tree".into()),
        prepared.job.setup.network.name().into(),
        load,
    ];
    let algorithm = format!("{} ({}) {}", prepared.algorithm.title, s.algorithm, params.join(" "));
    let w = &s.waiting;
    let rows = vec![
        ("algorithm", algorithm.trim_end().into()),
        ("system", system.join(", ")),
        ("runs", format!("{} × {} entries, seed {}", s.replications, s.entries, s.seed)),
        ("messages per entry", format!("{:.4} ± {:.4}", s.messages_per_entry.mean, s.messages_per_entry.half_width)),
        ("  by kind", kinds.join(", ")),
        ("  local, global", format!("{:.4}, {:.4}", per_entry(s.local_messages), per_entry(s.global_messages))),
        ("waiting", format!("{:.4} ± {:.4}, sd {:.4}", w.mean, w.half_width, w.sd)),
        ("  p50, p95, p99, max", format!("{:.4}, {:.4}, {:.4}, {:.4}", w.p50, w.p95, w.p99, w.max)),
        ("request path", format!("{:.4} hops", s.path_length.mean)),
        ("without message", format!("{:.1} % of the entries", 100.0 * per_entry(s.entries_without_message))),
        ("overtaken at most", s.bypass_max.map_or("not watched".into(), |n| format!("{n} times"))),
        ("entries per node", format!("{least} to {most}")),
        ("events", format!("{}", s.events)),
        ("virtual time", format!("{:.3}", s.virtual_time)),
    ];
    pairs(rows) + "Intervals are 95 %.\n"
}
