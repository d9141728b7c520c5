//! `lockstep replay`: plays a scenario or a link, and says what does not hold.

use crate::answer::{Answer, BadInput, count, json};
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
    /// Print the state at every stop as a scenario file would expect it
    #[arg(long, conflicts_with_all = ["trace", "json", "shiviz"])]
    states: bool,
    /// Print the run as a scenario file with this title
    #[arg(long, value_name = "TITLE", conflicts_with_all = ["trace", "json", "shiviz", "states"])]
    save: Option<String>,
    /// Say whether this is a solution of that puzzle, as `lockstep puzzles` lists them
    #[arg(long, value_name = "ID", conflicts_with = "shiviz")]
    puzzle: Option<String>,
    /// Print one JSON document
    #[arg(long)]
    json: bool,
}

/// A run to be replayed, wherever it came from.
pub struct Tape {
    pub algorithm: &'static Entry,
    pub setup: Setup,
    pub timing: Timing,
    pub events: Vec<Event>,
    title: String,
    /// Step, name and title.
    pub stops: Vec<(usize, String, String)>,
    /// The step that is seen first.
    pub opens: usize,
    pub complaints: Vec<String>,
    /// Whether a state that violates an invariant is worth a complaint: a scenario says itself what it expects.
    judged: bool,
}

impl Tape {
    /// What an address, the id of a prepared scenario or a file holds.
    pub fn of(what: &str) -> Result<Tape, BadInput> {
        let run = Address::of(what).run;
        if is_link(&run) { link(&run) } else { load(what) }
    }

    /// Plays the tape and shows every state, the beginning included.
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

pub fn answer(args: &Args) -> anyhow::Result<Answer> {
    // an address of the page may say more than the run
    let address = Address::of(&args.what);
    let mut tape = Tape::of(&args.what)?;
    if let Some(id) = args.puzzle.as_ref().or(address.puzzle.as_ref()) {
        return puzzle(&tape, id, args.json);
    }
    if args.shiviz {
        let mut frames = Vec::new();
        tape.play(|frame| frames.push(frame.clone()));
        return Ok(Answer { out: trace::shiviz(&frames), complaints: tape.complaints });
    }
    if let Some(title) = &args.save {
        let player = tape.play(|_| {});
        let out = save(title, tape.algorithm, &*player, &tape.timing).map_err(BadInput::one)?;
        return Ok(Answer { out, complaints: tape.complaints });
    }
    if args.states {
        return Ok(Answer { out: states(&tape), complaints: tape.complaints });
    }
    let mut steps = Vec::new();
    let mut broken = Vec::new();
    let player = tape.play(|frame| {
        let title = frame.last.as_ref().map_or("the beginning", |l| &l.title);
        steps.push((frame.now, title.to_owned()));
        if broken.is_empty() {
            let held = frame.invariants.iter().filter_map(|h| Some((h.name.clone(), h.broken.clone()?)));
            broken.extend(held.map(|(name, why)| (name, why, frame.step)));
        }
    });
    let end = player.frame();
    if tape.judged {
        let sentences =
            broken.iter().map(|(name, why, step)| format!("`{name}` is violated after step {step}: {why}."));
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
    Ok(Answer { out, complaints: tape.complaints })
}

/// The state at every stop, or at the end where there are none.
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

/// Whether the run solves a puzzle. What goes wrong in it is the puzzle's own affair.
fn puzzle(tape: &Tape, id: &str, as_json: bool) -> anyhow::Result<Answer> {
    let puzzle = find_puzzle(id).map_err(BadInput::one)?;
    let (entry, ..) = puzzle.system().map_err(BadInput)?;
    let solved = if entry.id == tape.algorithm.id { puzzle.solved(&*tape.play(|_| ())) } else { None };
    let complaints = if solved.is_some() {
        Vec::new()
    } else {
        vec![format!(
            "This is no solution of `{id}`: {} It begins with: lockstep replay '{}'",
            puzzle.task,
            puzzle.link().unwrap_or_default()
        )]
    };
    let out = match solved {
        _ if as_json => json(&json!({ "puzzle": id, "solved": solved.is_some(), "steps": solved, "par": puzzle.par }))?,
        Some(steps) => format!("{}: solved in {}; par is {}.\n", puzzle.title, count(steps, "step"), puzzle.par),
        None => String::new(),
    };
    Ok(Answer { out, complaints })
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
    let entries = if counters.entries == 1 { "1 entry".into() } else { format!("{} entries", counters.entries) };
    text += &format!("{}, {entries}, {}", count(end.step, "step"), count(counters.messages, "message"));
    text += if tape.complaints.is_empty() { "; everything holds.\n" } else { ".\n" };
    text
}

/// Somebody waits and nothing that is under way can change that.
fn stuck(frame: &Frame) -> Option<String> {
    let threads = || frame.nodes.iter().flat_map(|n| &n.threads);
    let moving = !frame.flights.is_empty() || threads().any(|t| t.doing == ThreadState::Inside);
    let waiting: Vec<&str> = threads().filter(|t| t.doing == ThreadState::Waiting).map(|t| t.name.as_str()).collect();
    let waits = if waiting.len() == 1 { "waits" } else { "wait" };
    let names = waiting.join(", ");
    (!moving && !waiting.is_empty())
        .then(|| format!("Nobody is inside, nothing is on its way, and {names} still {waits}."))
}

fn is_link(text: &str) -> bool {
    text.starts_with("v=") || text.contains("?v=")
}

/// The prepared scenario of that name.
fn prepared(id: &str) -> Option<Result<Tape, BadInput>> {
    LIBRARY.iter().find(|(known, _)| *known == id).map(|(id, text)| scenario(id, id, text))
}

/// The end of a sentence about a name that nothing has.
fn neither(name: &str) -> String {
    let ids: Vec<&str> = LIBRARY.iter().map(|(id, _)| *id).collect();
    let short: String = name.escape_default().take(80).collect();
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
        return Err(BadInput::one(format!("There is no file {}", neither(what))));
    }
    let text = input::read_text(path, MOST_GIVEN)?;
    match Given::of(&text).map_err(|why| BadInput::one(format!("{what}: {why}")))? {
        Given::Address(address) => {
            let run = Address::of(&address).run;
            let id = run.strip_prefix("s=").unwrap_or(&run);
            let unknown = || Err(BadInput::one(format!("There is no scenario {}", neither(id))));
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
    let Link { algorithm, setup, timing, at: opens, .. } = link;
    let events = player.timeline().iter().filter_map(|past| past.event).collect();
    let title = format!("{} ({})", algorithm.title, algorithm.id);
    let (stops, complaints) = (Vec::new(), Vec::new());
    Ok(Tape { algorithm, setup, timing, events, title, stops, opens, complaints, judged: true })
}

fn scenario(id: &str, name: &str, text: &str) -> Result<Tape, BadInput> {
    let scenario =
        parse(id, text).map_err(|problems| BadInput(problems.iter().map(|p| format!("{name}: {p}")).collect()))?;
    let played = scenario.play();
    let line = played.player.timeline();
    let step = |moment| line.iter().position(|past| past.id == moment).unwrap_or(0);
    let stops = scenario.stops.iter().zip(&played.stops).map(|(s, m)| (step(*m), s.name.clone(), s.title.clone()));
    let stops: Vec<_> = stops.collect();
    let opens = scenario.opens_at.and_then(|stop| stops.get(stop)).map_or(0, |(step, ..)| *step);
    let events = line.iter().filter_map(|past| past.event).collect();
    let complaints = played.failures.iter().map(|p| format!("{name}: {p}")).collect();
    let Scenario { algorithm, setup, timing, title, .. } = scenario;
    Ok(Tape { algorithm, setup, timing, events, title, stops, opens, complaints, judged: false })
}
