//! `lockstep study`: a paper's study or an experiment of one's own on all cores, resumed, sharded
//! and merged.

mod output;
mod work;

use crate::answer::{BadInput, CommandOutput, table};
use crate::{input, print};
use lockstep_lab::study::{self, Study, StudySize};
use lockstep_lab::{Campaign, CampaignSource, Experiment, GridPoint, RESULTS, RecordStore, pilots};
use std::io::Write;
use std::path::{Path, PathBuf};

/// The largest experiment that is read, and the largest file of results.
const MOST_EXPERIMENT_BYTES: usize = 1024 * 1024;
const MOST_RESULT_BYTES: usize = 1024 * 1024 * 1024;

/// Options of `study`.
#[derive(clap::Args)]
pub struct Args {
    /// A study's id, or a TOML or JSON file with an experiment of your own; without it the studies
    /// are listed
    #[arg(value_name = "ID|FILE")]
    what: Option<String>,
    /// Run a reduced study: fewer points and shorter runs
    #[arg(long)]
    quick: bool,
    /// The smallest size, to test the program
    #[arg(long, hide = true, conflicts_with = "quick")]
    tiny: bool,
    /// Choose an interpretation of the paper, for example reading=c
    #[arg(long = "set", value_name = "NAME=VALUE")]
    switches: Vec<String>,
    /// Seed of the first replication
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Write records, CSV, JSON and SVG charts to this folder; points that it already has are not
    /// run again
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
    /// Reuse the records of this folder or file
    #[arg(long, value_name = "DIR|FILE")]
    resume: Vec<PathBuf>,
    /// Run only one part of the points: 1/4 is the first of four
    #[arg(long, value_name = "I/N", requires = "out")]
    shard: Option<String>,
    /// Merge the records of shards instead of running anything
    #[arg(long, value_name = "DIR|FILE", num_args = 1.., conflicts_with_all = ["shard", "resume"])]
    merge: Vec<PathBuf>,
    /// Worker threads [default: all cores]
    #[arg(long)]
    threads: Option<usize>,
    /// Print one JSON document
    #[arg(long)]
    json: bool,
}

pub fn answer(args: &Args) -> anyhow::Result<CommandOutput> {
    let mut merged = args.merge.iter().map(|path| records(path)).collect::<Result<Vec<_>, _>>()?.into_iter();
    let first = merged.next();
    let mut campaign = match (&args.what, &first) {
        (Some(what), _) => Campaign::new(source(args, what)?),
        (None, Some(store)) => Campaign::of_header(&store.header),
        (None, None) => return Ok(CommandOutput::fine(list(args.json)?)),
    }
    .map_err(BadInput)?;
    for store in first.into_iter().chain(merged) {
        campaign.merge(store).map_err(BadInput::one)?;
    }
    let file = args.out.as_deref().map(|dir| dir.join(RESULTS));
    for path in args.resume.iter().chain(file.iter().filter(|f| f.exists())) {
        campaign.merge(records(path)?).map_err(BadInput::one)?;
    }
    if let Some(shard) = &args.shard {
        let mine = campaign.shard(shard).map_err(BadInput::one)?;
        run(args, &mut campaign, &mine, file.as_deref())?;
        let text = format!("Shard {shard}: {} of {} points.\n", mine.len(), campaign.points().len());
        return Ok(CommandOutput::fine(text));
    }
    if args.merge.is_empty() {
        let all = campaign.points().to_vec();
        run(args, &mut campaign, &all, file.as_deref())?;
    }
    let (done, all) = (campaign.done(), campaign.points().len());
    if done < all {
        let missing = all - done;
        let words = format!("{missing} of {all} points are missing; expected the records of all shards.");
        return Err(BadInput::one(words).into());
    }
    output::answer(&mut campaign, args.out.as_deref(), args.json)
}

fn source(args: &Args, what: &str) -> Result<CampaignSource, BadInput> {
    let path = Path::new(what);
    if matches!(path.extension().and_then(|e| e.to_str()), Some("toml" | "json")) {
        if args.quick || args.tiny || !args.switches.is_empty() {
            return Err(BadInput::one(
                "--quick and --set are for studies; an experiment of your own sets its size in its file.",
            ));
        }
        let text = input::read_text(path, MOST_EXPERIMENT_BYTES)?;
        let mut own = Experiment::read(&text).map_err(BadInput)?;
        if own.name.is_empty() {
            own.name = path.file_stem().map_or("experiment".into(), |s| s.to_string_lossy().into_owned());
        }
        return Ok(CampaignSource::Own(Box::new(own)));
    }
    let study = study::find(what).map_err(|why| {
        BadInput::one(format!("{why} An experiment of your own is a file whose name ends in .toml or .json."))
    })?;
    let size = match (args.quick, args.tiny) {
        (true, _) => StudySize::Quick,
        (_, true) => StudySize::Tiny,
        _ => StudySize::Full,
    };
    let settings = study.settings(size, args.seed, &input::pairs(&args.switches)?).map_err(BadInput)?;
    Ok(CampaignSource::Study(study, settings))
}

fn records(path: &Path) -> Result<RecordStore, BadInput> {
    let file = if path.is_dir() { path.join(RESULTS) } else { path.to_owned() };
    let text = input::read_text(&file, MOST_RESULT_BYTES)?;
    RecordStore::read(&text).map_err(|why| BadInput::one(format!("`{}`: {why}", file.display())))
}

/// Runs those of the points that are missing; each record is written as soon as it is there.
fn run(args: &Args, campaign: &mut Campaign, mine: &[GridPoint], file: Option<&Path>) -> anyhow::Result<()> {
    let missing: Vec<GridPoint> = campaign.store().missing(mine).into_iter().cloned().collect();
    let cores =
        args.threads.unwrap_or_else(|| std::thread::available_parallelism().map_or(1, usize::from)).clamp(1, 1024);
    let cost = pilots(&missing).cost(lockstep_algorithms::find);
    if print::watched() || cost.seconds(cores) > 3_600.0 {
        print::say(&cost.sentence(cores));
    }
    let mut log = match file {
        Some(file) => Some(output::log(file, campaign)?),
        None => None,
    };
    let mut trouble = None;
    work::run(&missing, cores, |record| {
        if let Some(log) = &mut log
            && let Err(why) = log.write_all(record.line().as_bytes()).and_then(|()| log.flush())
        {
            trouble.get_or_insert(why);
        }
        campaign.add(record);
    });
    trouble.map_or(Ok(()), |why| Err(anyhow::anyhow!("The records cannot be written: {why}.")))
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
