//! `lockstep replay`: plays a scenario or a link and reports violations and failed expectations.

use crate::answer::{BadInput, CommandOutput, count, json};
use crate::input;
use lockstep_check::find_puzzle;
use lockstep_kernel::history::Player;
use lockstep_kernel::ids::units;
use lockstep_kernel::timing::Timing;
use lockstep_kernel::view::ThreadState;
use lockstep_kernel::{Entry, Event, Frame, Setup};
use lockstep_scenario::given::MOST_GIVEN;
use lockstep_scenario::link::{Address, Link};
use lockstep_scenario::{Given, LIBRARY, Scenario, expectations, parse, save, trace};
use lockstep_spec::Model;
use serde_json::json;
use std::path::Path;

/// Options of `replay`.
#[derive(clap::Args)]
pub struct Args {
    /// A scenario file, a run saved by the page, the id of a prepared scenario, or a link
    #[arg(value_name = "FILE|LINK")]
    what: String,
    /// Print the events
    #[arg(long)]
    trace: bool,
    /// Print a log for ShiViz: every event with its vector clock
    #[arg(long, conflicts_with_all = ["trace", "json"])]
    shiviz: bool,
    /// Print native log lines, as `lockstep judge` reads them
    #[arg(long, conflicts_with_all = ["trace", "json", "shiviz"])]
    log: bool,
    /// Print the state at every stop as a scenario file would expect it
    #[arg(long, conflicts_with_all = ["trace", "json", "shiviz"])]
    states: bool,
    /// Print the run as a scenario file with this title
    #[arg(long, value_name = "TITLE", conflicts_with_all = ["trace", "json", "shiviz", "states"])]
    save: Option<String>,
    /// Say whether the run solves this puzzle; `lockstep puzzles` lists them
    #[arg(long, value_name = "ID", conflicts_with = "shiviz")]
    puzzle: Option<String>,
    /// Print one JSON document
    #[arg(long)]
    json: bool,
}

/// A run to be replayed: from a scenario, a link or a saved run.
pub struct Tape {
    pub algorithm: &'static Entry,
    pub setup: Setup,
    pub timing: Timing,
    pub events: Vec<Event>,
    title: String,
    /// Step, name and title.
    pub stops: Vec<(usize, String, String)>,
    /// The step at which the page opens.
    pub opens: usize,
    pub complaints: Vec<String>,
    /// Whether violated invariants are reported. A scenario states its own expectations instead.
    judged: bool,
}

impl Tape {
    /// The run of an address, a prepared scenario or a file.
    pub fn of(what: &str) -> Result<Tape, BadInput> {
        let run = Address::of(what).run;
        if is_link(&run) { link(&run) } else { load(what) }
    }

    /// Plays the tape and passes every state to `show`, the initial one included.
    pub fn play(&self, mut show: impl FnMut(&Frame)) -> Box<dyn Player> {
        let mut player = (self.algorithm.drive.boot)(self.setup.clone(), &self.timing);
        show(&player.frame());
        for event in &self.events {
            if player.pick(*event).is_none() {
                break;
            }
            show(&player.frame());
        }
        player
    }
}

pub fn answer(args: &Args) -> anyhow::Result<CommandOutput> {
    // an address of the page may name a puzzle too
    let address = Address::of(&args.what);
    let mut tape = Tape::of(&args.what)?;
    if let Some(id) = args.puzzle.as_ref().or(address.puzzle.as_ref()) {
        return puzzle(&tape, id, args.json);
    }
    if args.shiviz {
        let mut frames = Vec::new();
        tape.play(|frame| frames.push(frame.clone()));
        return Ok(CommandOutput { out: trace::shiviz(&frames), complaints: tape.complaints });
    }
    if args.log {
        let mut frames = Vec::new();
        let player = tape.play(|frame| frames.push(frame.clone()));
        let link = Link::of(tape.algorithm, &*player, &tape.timing).encode();
        let out = trace::native(tape.algorithm.id, &link, &tape.setup, &frames);
        return Ok(CommandOutput { out, complaints: tape.complaints });
    }
    if let Some(title) = &args.save {
        let player = tape.play(|_| {});
        let out = save(title, tape.algorithm, &*player, &tape.timing).map_err(BadInput::one)?;
        return Ok(CommandOutput { out, complaints: tape.complaints });
    }
    if args.states {
        return Ok(CommandOutput { out: states(&tape), complaints: tape.complaints });
    }
    let mut steps = Vec::new();
    let mut broken = Vec::new();
    let player = tape.play(|frame| {
        let title = frame.last.as_ref().map_or("initial state", |l| &l.title);
        steps.push((frame.now, title.to_owned()));
        if broken.is_empty() {
            let held = frame.invariants.iter().filter_map(|h| Some((h.name.clone(), h.broken.clone()?)));
            broken.extend(held.map(|(name, why)| (name, why, frame.step)));
        }
    });
    let end = player.frame();
    if tape.judged {
        let sentences =
            broken.iter().map(|(name, why, step)| format!("“{name}” is violated after step {step}: {why}."));
        tape.complaints.extend(sentences);
        tape.complaints.extend(stuck(&end));
    }
    let out = if args.json {
        let stops: Vec<_> = tape
            .stops
            .iter()
            .map(|(step, name, title)| json!({ "name": name, "title": title, "step": step }))
            .collect();
        let titles: Vec<&str> = steps.iter().skip(1).map(|(_, title)| title.as_str()).collect();
        json(&json!({
            "algorithm": tape.algorithm.id,
            "title": tape.title,
            "steps": titles,
            "stops": stops,
            "entries": end.counters.entries,
            "messages": end.counters.messages,
            "virtual_time": units(end.now),
            "fingerprint": format!("{:016x}", player.fingerprint()),
            "problems": tape.complaints,
        }))?
    } else {
        human(&tape, &steps, &end, args.trace || tape.judged)
    };
    Ok(CommandOutput { out, complaints: tape.complaints })
}

/// The state at every stop, or at the end if there are no stops.
fn states(tape: &Tape) -> String {
    let mut frames = Vec::new();
    let player = tape.play(|frame| frames.push(frame.clone()));
    let end = [(frames.len() - 1, "end".to_owned(), String::new())];
    let stops = if tape.stops.is_empty() { &end[..] } else { &tape.stops[..] };
    let state = |(step, name, _): &(usize, String, String)| {
        format!("# {name}\n[stop.expect]\n{}\n", expectations(&frames[*step], player.setup()))
    };
    stops.iter().map(state).collect()
}

/// Says whether the run solves a puzzle. Violations are not reported: the puzzle may ask for one.
fn puzzle(tape: &Tape, id: &str, as_json: bool) -> anyhow::Result<CommandOutput> {
    let puzzle = find_puzzle(id).map_err(BadInput::one)?;
    let (entry, ..) = puzzle.system().map_err(BadInput)?;
    let solved = if entry.id == tape.algorithm.id { puzzle.solved(&*tape.play(|_| ())) } else { None };
    let complaints = if solved.is_some() {
        Vec::new()
    } else {
        vec![format!(
            "The run does not solve `{id}`: {} To start over: lockstep replay '{}'",
            puzzle.task,
            puzzle.link().unwrap_or_default()
        )]
    };
    let out = match solved {
        _ if as_json => json(&json!({ "puzzle": id, "solved": solved.is_some(), "steps": solved, "par": puzzle.par }))?,
        Some(steps) => format!("{}: solved in {}; par is {}.\n", puzzle.title, count(steps, "step"), puzzle.par),
        None => String::new(),
    };
    Ok(CommandOutput { out, complaints })
}

fn human(tape: &Tape, steps: &[(u64, String)], end: &Frame, trace: bool) -> String {
    let mut text = format!("{}\n", tape.title);
    for (step, (now, title)) in steps.iter().enumerate() {
        if trace && step > 0 {
            text += &format!("{step:>6}  {:>9.3}  {title}\n", units(*now));
        }
        for (_, name, title) in tape.stops.iter().filter(|(at, ..)| *at == step) {
            text += &format!("{name:>6}  {title}\n");
        }
    }
    let counters = end.counters;
    let entries = count(counters.entries, "entry");
    text += &format!("{}, {entries}, {}", count(end.step, "step"), count(counters.messages, "message"));
    text += if tape.complaints.is_empty() { "; all expectations hold.\n" } else { ".\n" };
    text
}

/// Reports a deadlock: a thread waits, no thread is inside and no message is in flight.
fn stuck(frame: &Frame) -> Option<String> {
    let threads = || frame.nodes.iter().flat_map(|n| &n.threads);
    let moving = !frame.flights.is_empty() || threads().any(|t| t.doing == ThreadState::Inside);
    let waiting: Vec<&str> = threads().filter(|t| t.doing == ThreadState::Waiting).map(|t| t.name.as_str()).collect();
    let waits = if waiting.len() == 1 { "waits" } else { "wait" };
    let names = waiting.join(", ");
    (!moving && !waiting.is_empty())
        .then(|| format!("Deadlock: {names} {waits}, no thread is inside and no message is in flight."))
}

fn is_link(text: &str) -> bool {
    text.starts_with("v=") || text.contains("?v=")
}

/// The prepared scenario with this id.
fn prepared(id: &str) -> Option<Result<Tape, BadInput>> {
    LIBRARY.iter().find(|(known, _)| *known == id).map(|(id, text)| scenario(id, id, text))
}

/// The end of a message about an unknown name: the name and the prepared scenarios.
fn unknown_name(name: &str) -> String {
    let ids: Vec<&str> = LIBRARY.iter().map(|(id, _)| *id).collect();
    let short = lockstep_spec::quoted(name);
    format!("`{short}`; prepared scenarios are {}.", ids.join(", "))
}

fn load(what: &str) -> Result<Tape, BadInput> {
    let named = what
        .rsplit('#')
        .next()
        .and_then(|hash| hash.strip_prefix("s="))
        .map_or(what, |id| id.split('&').next().unwrap_or(id));
    if let Some(tape) = prepared(named) {
        return tape;
    }
    let path = Path::new(what);
    if !path.exists() {
        return Err(BadInput::one(format!("There is no file {}", unknown_name(what))));
    }
    let text = input::read_text(path, MOST_GIVEN)?;
    match Given::of(&text).map_err(|why| BadInput::one(format!("{what}: {why}")))? {
        Given::Address(address) => {
            let run = Address::of(&address).run;
            let id = run.strip_prefix("s=").unwrap_or(&run);
            let unknown = || Err(BadInput::one(format!("There is no scenario {}", unknown_name(id))));
            if is_link(&run) { link(&run) } else { prepared(id).unwrap_or_else(unknown) }
        }
        Given::Scenario(text) => {
            let id = path.file_stem().map_or_else(String::new, |s| s.to_string_lossy().into_owned());
            scenario(&id, what, &text)
        }
    }
}

fn link(text: &str) -> Result<Tape, BadInput> {
    let link = Link::decode(text).map_err(BadInput)?;
    let player = link.open().map_err(BadInput::one)?;
    let Link { model: Model { algorithm, setup, timing }, at: opens, .. } = link;
    let events = player.timeline().iter().filter_map(|past| past.event).collect();
    let title = format!("{} ({})", algorithm.title, algorithm.id);
    let (stops, complaints) = (Vec::new(), Vec::new());
    Ok(Tape { algorithm, setup, timing, events, title, stops, opens, complaints, judged: true })
}

fn scenario(id: &str, name: &str, text: &str) -> Result<Tape, BadInput> {
    let scenario =
        parse(id, text).map_err(|problems| BadInput(problems.iter().map(|p| format!("{name}: {p}")).collect()))?;
    let played = scenario.play();
    let timeline = played.player.timeline();
    let position = |step| timeline.iter().position(|past| past.id == step).unwrap_or(0);
    let stops = scenario.stops.iter().zip(&played.stops).map(|(s, m)| (position(*m), s.name.clone(), s.title.clone()));
    let stops: Vec<_> = stops.collect();
    let opens = scenario.opens_at.and_then(|stop| stops.get(stop)).map_or(0, |(step, ..)| *step);
    let events = timeline.iter().filter_map(|past| past.event).collect();
    let complaints = played.failures.iter().map(|p| format!("{name}: {p}")).collect();
    let Scenario { model: Model { algorithm, setup, timing }, title, .. } = scenario;
    Ok(Tape { algorithm, setup, timing, events, title, stops, opens, complaints, judged: false })
}
