//! `lockstep study`: a text's study, or an experiment of one's own, on all cores; resumed, sharded and merged.

mod output;
mod work;

use crate::answer::{Answer, BadInput, table};
use crate::input;
use lockstep_lab::study::{self, Settings, Study, StudySize};
use lockstep_lab::{Experiment, GridPoint, Header, RecordStore, VERSION, pilots};
use std::io::{IsTerminal, Write};
use std::path::{Path, PathBuf};

/// The largest experiment that is read, and the largest file of results.
const MOST_EXPERIMENT_BYTES: usize = 1024 * 1024;
const MOST_RESULT_BYTES: usize = 1024 * 1024 * 1024;
/// The file of results in an output folder.
const RESULTS: &str = "results.jsonl";

/// Options of `study`.
#[derive(clap::Args)]
pub struct Args {
    /// A study's id, or a TOML or JSON file with an experiment; without it the studies are listed
    #[arg(value_name = "ID|FILE")]
    what: Option<String>,
    /// A reduced size
    #[arg(long)]
    quick: bool,
    /// The smallest size, to try the machinery
    #[arg(long, hide = true, conflicts_with = "quick")]
    tiny: bool,
    /// Choose an interpretation: reading=c
    #[arg(long = "set", value_name = "NAME=VALUE")]
    switches: Vec<String>,
    /// First seed
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Write results, CSV, JSON and SVG to this folder; what is there already is not run again
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
    /// Take results that are in this folder or file
    #[arg(long, value_name = "DIR|FILE")]
    resume: Vec<PathBuf>,
    /// Run only this part of the points: 1/4 is the first of four
    #[arg(long, value_name = "I/N", requires = "out")]
    shard: Option<String>,
    /// Put the results of shards together instead of running anything
    #[arg(long, value_name = "DIR|FILE", num_args = 1.., conflicts_with_all = ["shard", "resume"])]
    merge: Vec<PathBuf>,
    /// Worker threads [default: all cores]
    #[arg(long)]
    threads: Option<usize>,
    /// Print one JSON document
    #[arg(long)]
    json: bool,
}

/// What is run: a study with its settings, or somebody's own experiment.
pub enum Plan {
    /// A text's study.
    Study(&'static Study, Settings),
    /// An experiment of one's own.
    Own(Box<Experiment>),
}

pub fn answer(args: &Args) -> anyhow::Result<Answer> {
    let mut merged = args.merge.iter().map(|path| stock(path)).collect::<Result<Vec<_>, _>>()?.into_iter();
    let first = merged.next();
    let plan = match (&args.what, &first) {
        (Some(what), _) => plan(args, what)?,
        (None, Some(stock)) => of_header(&stock.header)?,
        (None, None) => return Ok(Answer::fine(list(args.json)?)),
    };
    let (points, header) = (points(&plan)?, header(&plan));
    let mut stock = RecordStore::new(header);
    for other in first.into_iter().chain(merged) {
        stock.merge(other).map_err(BadInput::one)?;
    }
    for path in &args.resume {
        stock.merge(self::stock(path)?).map_err(BadInput::one)?;
    }
    let file = args.out.as_deref().map(|dir| dir.join(RESULTS));
    if let Some(file) = file.as_deref().filter(|f| f.exists()) {
        stock.merge(self::stock(file)?).map_err(BadInput::one)?;
    }
    if let Some(shard) = &args.shard {
        let mine = part(&points, shard).map_err(BadInput::one)?;
        run(args, &mine, &points, &mut stock, file.as_deref())?;
        let text = format!("Shard {shard}: {} of {} points.\n", mine.len(), points.len());
        return Ok(Answer::fine(text));
    }
    if args.merge.is_empty() {
        run(args, &points, &points, &mut stock, file.as_deref())?;
    }
    let missing = stock.missing(&points).len();
    if missing > 0 {
        return Err(BadInput::one(format!(
            "{missing} of {} points are missing; right would be the results of all shards.",
            points.len()
        ))
        .into());
    }
    output::answer(&plan, &points, &stock, args.out.as_deref(), args.json)
}

fn plan(args: &Args, what: &str) -> Result<Plan, BadInput> {
    let path = Path::new(what);
    if matches!(path.extension().and_then(|e| e.to_str()), Some("toml" | "json")) {
        if args.quick || args.tiny || !args.switches.is_empty() {
            return Err(BadInput::one(
                "An experiment of your own has one size and no switches; right would be to change the file.",
            ));
        }
        let text = input::read_text(path, MOST_EXPERIMENT_BYTES)?;
        let mut own = Experiment::read(&text).map_err(BadInput)?;
        if own.name.is_empty() {
            own.name = path.file_stem().map_or("experiment".into(), |s| s.to_string_lossy().into_owned());
        }
        return Ok(Plan::Own(Box::new(own)));
    }
    let study = study::find(what).map_err(|why| {
        BadInput::one(format!("{} An experiment of your own is a file that ends in .toml or .json.", why))
    })?;
    let size = if args.quick {
        StudySize::Quick
    } else if args.tiny {
        StudySize::Tiny
    } else {
        StudySize::Full
    };
    let settings = study.settings(size, args.seed, &input::params(&args.switches)?.0).map_err(BadInput)?;
    Ok(Plan::Study(study, settings))
}

/// The study that results belong to.
fn of_header(header: &Header) -> Result<Plan, BadInput> {
    if header.size == "own" {
        let hint = "right would be `lockstep study FILE --merge …` with the file of the experiment";
        return Err(BadInput::one(format!("These are results of an experiment, `{}`; {hint}.", header.study)));
    }
    let study = study::find(&header.study).map_err(BadInput::one)?;
    let sizes = [StudySize::Full, StudySize::Quick, StudySize::Tiny];
    let size = sizes.into_iter().find(|s| s.name() == header.size).unwrap_or_default();
    study.settings(size, header.seed, &header.switches).map(|settings| Plan::Study(study, settings)).map_err(BadInput)
}

fn points(plan: &Plan) -> Result<Vec<GridPoint>, BadInput> {
    match plan {
        Plan::Study(study, settings) => study.points(settings),
        Plan::Own(own) => own.points(),
    }
    .map_err(BadInput)
}

fn header(plan: &Plan) -> Header {
    match plan {
        Plan::Study(study, settings) => study.header(settings),
        Plan::Own(own) => Header {
            version: VERSION.into(),
            study: own.name.clone(),
            size: "own".into(),
            seed: own.base.seed,
            switches: Default::default(),
        },
    }
}

fn stock(path: &Path) -> Result<RecordStore, BadInput> {
    let file = if path.is_dir() { path.join(RESULTS) } else { path.to_owned() };
    let text = input::read_text(&file, MOST_RESULT_BYTES)?;
    RecordStore::read(&text).map_err(|why| BadInput::one(format!("`{}`: {why}", file.display())))
}

/// Every n-th point from the i-th on.
fn part(points: &[GridPoint], shard: &str) -> Result<Vec<GridPoint>, String> {
    let wrong = || format!("`{}` is no shard; right would be 1/4 to 4/4.", shard.escape_default());
    let (i, n) = shard.split_once('/').ok_or_else(wrong)?;
    let (i, n): (usize, usize) = i.parse().ok().zip(n.parse().ok()).ok_or_else(wrong)?;
    if i == 0 || i > n {
        return Err(wrong());
    }
    Ok(points.iter().skip(i - 1).step_by(n).cloned().collect())
}

/// Runs the points that are missing; each result is written as soon as it is there.
fn run(
    args: &Args,
    mine: &[GridPoint],
    all: &[GridPoint],
    stock: &mut RecordStore,
    file: Option<&Path>,
) -> anyhow::Result<()> {
    let missing = stock.missing(mine);
    let cores =
        args.threads.unwrap_or_else(|| std::thread::available_parallelism().map_or(1, usize::from)).clamp(1, 1024);
    let guess = pilots(&missing.iter().map(|p| (*p).clone()).collect::<Vec<_>>()).cost(lockstep_algorithms::find);
    if std::io::stderr().is_terminal() || guess.seconds(cores) > 3_600.0 {
        let _ = writeln!(std::io::stderr(), "{}", guess.sentence(cores));
    }
    let mut log = match file {
        Some(file) => Some(output::log(file, stock, all)?),
        None => None,
    };
    let mut trouble = None;
    work::run(&missing, cores, |record| {
        if let Some(log) = &mut log
            && let Err(why) = log.write_all(record.line().as_bytes()).and_then(|()| log.flush())
        {
            trouble.get_or_insert(why);
        }
        stock.add(record);
    });
    trouble.map_or(Ok(()), |why| Err(anyhow::anyhow!("The results cannot be written: {why}.")))
}

fn list(as_json: bool) -> anyhow::Result<String> {
    if as_json {
        let all: Vec<_> = study::ALL
            .iter()
            .map(|s| {
                serde_json::json!({ "id": s.id, "title": s.title, "source": s.source, "about": s.about, "notes": s.notes, "switches": s.switches })
            })
            .collect();
        return crate::answer::json(&all);
    }
    let block = |s: &Study| {
        let mut rows = vec![vec![format!("{}  {}", s.id, s.title)], vec![format!("  {}", s.source)]];
        for switch in s.switches {
            let (default, others) = switch.values.split_first().unwrap_or((&"", &[]));
            let values = std::iter::once(format!("{default} (default)")).chain(others.iter().map(|v| (*v).to_owned()));
            rows.push(vec![
                format!("  --set {}=", switch.name),
                values.collect::<Vec<_>>().join(", "),
                switch.about.into(),
            ]);
        }
        table(&rows)
    };
    Ok(study::ALL.iter().map(block).collect::<Vec<_>>().join("\n"))
}
