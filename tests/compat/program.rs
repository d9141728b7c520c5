//! The program as the recordings see it: a text goes in, plain JSON comes out.
//!
//! Every call into the other crates is in this file, so that a renamed type or function changes one
//! line here and no recording.

use lockstep_check::{Check, find_puzzle, prepare, worst};
use lockstep_kernel::explore::RequestMeasure;
use lockstep_kernel::history::Player;
use lockstep_lab::study::{self, StudySize};
use lockstep_lab::{Experiment, GridPoint, Job, record};
use lockstep_scenario::link::{Address, Link, tree};
use lockstep_scenario::{Given, LIBRARY, Scenario, parse, save, trace};
use serde_json::{Value, json};
use std::collections::BTreeMap;

/// What the program says of a text, or why it refuses it.
pub type ProgramOutput = Result<Value, String>;

fn digest(player: &dyn Player) -> String {
    format!("{:016x}", player.fingerprint())
}

fn to_end(player: &mut dyn Player) -> usize {
    let line = player.timeline();
    player.seek(line.last().map_or(0, |step| step.id));
    line.len() - 1
}

/// An address of the page, or the text of a link alone.
pub fn link(text: &str) -> ProgramOutput {
    let address = Address::of(text);
    let link = Link::decode(&address.run).map_err(|why| why.join(" "))?;
    let mut player = link.open()?;
    let cursor = digest(&*player);
    let rewritten = Link::of(link.algorithm, &*player, &link.timing).encode();
    let steps = to_end(&mut *player);
    let again = link.encode();
    // where the algorithm adds nodes between others, the run does not know the original pointers
    let rewritten = (rewritten != again).then_some(rewritten);
    Ok(json!({
        "cursor": cursor,
        "end": digest(&*player),
        "steps": steps,
        "link": again,
        "rewritten": rewritten,
        "layout": address.layout,
        "puzzle": address.puzzle,
    }))
}

/// A run with its branches: the link of its system, and the tree of choices.
pub fn branches(system: &str, choices: &str) -> ProgramOutput {
    let link = Link::decode(system).map_err(|why| why.join(" "))?;
    let mut player = link.open()?;
    tree::regrow(&mut *player, choices);
    let (cursor, moments) = (digest(&*player), player.len());
    let rewritten = tree::write(&*player);
    let steps = to_end(&mut *player);
    Ok(json!({ "cursor": cursor, "end": digest(&*player), "steps": steps, "moments": moments, "tree": rewritten }))
}

/// The steps after which a link solves a puzzle.
pub fn puzzle(id: &str, solution: &str) -> ProgramOutput {
    let puzzle = find_puzzle(id)?;
    let player = Link::decode(solution).map_err(|why| why.join(" "))?.open()?;
    Ok(json!({ "par": puzzle.par, "link": puzzle.link(), "solved": puzzle.solved(&*player) }))
}

/// A scenario of the library by its id.
pub fn library(id: &str) -> ProgramOutput {
    let (_, text) = LIBRARY.iter().find(|(known, _)| *known == id).ok_or("there is no such scenario")?;
    scenario(text)
}

/// The text of a scenario file.
pub fn scenario(text: &str) -> ProgramOutput {
    let scenario = read(text)?;
    let (stops, cursor, end, link) = play(&scenario)?;
    let player = scenario.play().player;
    let saved = save("a run", scenario.algorithm, &*player, &scenario.timing)?;
    let again = read(&saved).map_err(|why| format!("what is saved cannot be read again: {why}\n{saved}"))?;
    let (_, saved_cursor, saved_end, _) = play(&again)?;
    if (&saved_cursor, &saved_end) != (&cursor, &end) {
        return Err(format!("what is saved leads elsewhere: {saved_cursor} and {saved_end}"));
    }
    let names: Vec<&str> = scenario.stops.iter().map(|stop| stop.name.as_str()).collect();
    Ok(json!({
        "algorithm": scenario.algorithm.id,
        "names": names,
        "stops": stops,
        "cursor": cursor,
        "end": end,
        "link": link,
        "answers": scenario.stops.iter().filter_map(|s| s.question.as_ref()).map(|q| q.answers.len()).sum::<usize>(),
        "minutes": scenario.card.minutes,
        "figures": scenario.card.figures,
    }))
}

fn read(text: &str) -> Result<Scenario, String> {
    parse("recorded", text).map_err(|problems| problems.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n"))
}

/// The digests at every stop, at the cursor and at the end, and the link.
fn play(scenario: &Scenario) -> Result<(Vec<String>, String, String, String), String> {
    let mut played = scenario.play();
    if let Some(failure) = played.failures.first() {
        return Err(format!("an expectation fails: {failure}"));
    }
    let player = &mut *played.player;
    let cursor = digest(player);
    let link = Link::of(scenario.algorithm, player, &scenario.timing).encode();
    let stops = played.stops.iter().map(|stop| {
        player.seek(*stop);
        digest(player)
    });
    let stops = stops.collect();
    to_end(player);
    Ok((stops, cursor, digest(player), link))
}

/// What a reader drops, pastes or opens: an address, or the text of a scenario.
pub fn given(text: &str) -> ProgramOutput {
    Ok(match Given::of(text)? {
        Given::Address(address) => json!({ "address": address }),
        Given::Scenario(text) => json!({ "scenario": text }),
    })
}

/// The run of a link as the page saves it: "Every step".
pub fn every_step(text: &str) -> ProgramOutput {
    let link = Link::decode(text).map_err(|why| why.join(" "))?;
    let mut player = link.open()?;
    let mut frames = Vec::new();
    for step in player.timeline() {
        player.seek(step.id);
        frames.push(player.frame());
    }
    serde_json::from_str(&trace::json(link.algorithm.id, text, &frames)).map_err(|why| why.to_string())
}

/// A job as JSON: a job file, or the message to a worker.
pub fn job(text: &str) -> ProgramOutput {
    measure(&serde_json::from_str(text).map_err(|why| why.to_string())?)
}

/// A job as TOML: the file of `run --config`.
pub fn config(text: &str) -> ProgramOutput {
    measure(&toml::from_str(text).map_err(|why| why.to_string())?)
}

fn measure(job: &Job) -> ProgramOutput {
    let again: Job =
        serde_json::from_str(&serde_json::to_string(job).unwrap_or_default()).map_err(|why| why.to_string())?;
    if again.key() != job.key() {
        return Err("the job written as JSON has another key".into());
    }
    let record = record(job).map_err(|why| why.join(" "))?;
    Ok(json!({ "key": job.key(), "record": record }))
}

/// A check as JSON.
pub fn check_json(text: &str) -> ProgramOutput {
    explore(&serde_json::from_str(text).map_err(|why| why.to_string())?)
}

/// A check as options of the command line.
pub fn check_options(algorithm: &str, options: &str) -> ProgramOutput {
    explore(&Check::read(algorithm, options)?)
}

/// A check as the page's address names it.
pub fn check_address(text: &str) -> ProgramOutput {
    explore(&Check::of_address(text)?)
}

fn explore(check: &Check) -> ProgramOutput {
    let report = prepare(check).map_err(|why| why.join(" "))?.start().finish();
    let violation = report.violation.map(|v| {
        let steps = v.steps.len();
        json!({ "invariant": v.invariant, "steps": steps, "cycle": v.cycle, "unavoidable": v.unavoidable })
    });
    Ok(json!({
        "verdict": report.verdict,
        "states": report.states,
        "transitions": report.transitions,
        "depth": report.depth,
        "terminal": report.terminal,
        "invariants": report.invariants,
        "violation": violation,
        "link": report.link,
        "alike": report.alike,
        "stopped": report.stopped,
        "options": check.options(),
        "address": check.address(),
    }))
}

/// The worst case of a check.
pub fn worst_case(address: &str, of: &str) -> ProgramOutput {
    let measure = RequestMeasure::named(of).ok_or("there is no such measure")?;
    let found = worst(&Check::of_address(address)?, measure).map_err(|why| why.join(" "))?.finish();
    Ok(json!({
        "value": found.value,
        "exact": found.exact,
        "states": found.states,
        "steps": found.steps.len(),
        "link": found.link,
    }))
}

/// An experiment as TOML or JSON.
pub fn experiment(text: &str) -> ProgramOutput {
    let experiment = Experiment::read(text).map_err(|why| why.join(" "))?;
    for written in [experiment.toml(), experiment.brief().to_string()] {
        let again = Experiment::read(&written).map_err(|why| format!("{}\n{written}", why.join(" ")))?;
        if again.points() != experiment.points() {
            return Err(format!("what is written has other points: {written}"));
        }
    }
    Ok(json!({
        "name": experiment.name,
        "points": labels(&experiment.points().map_err(|why| why.join(" "))?),
        "brief": experiment.brief(),
    }))
}

/// The points of a study: what each is called, and its key.
pub fn study(id: &str, size: &str, seed: u64, switches: &BTreeMap<String, String>) -> ProgramOutput {
    let study = study::find(id)?;
    let size = [StudySize::Full, StudySize::Quick, StudySize::Tiny]
        .into_iter()
        .find(|s| s.name() == size)
        .ok_or("no such size")?;
    let settings = study.settings(size, seed, switches).map_err(|why| why.join(" "))?;
    Ok(json!(labels(&study.points(&settings).map_err(|why| why.join(" "))?)))
}

fn labels(points: &[GridPoint]) -> Vec<String> {
    let place = |point: &GridPoint| {
        let at: Vec<String> = point.at.iter().map(|(axis, label)| format!("{axis}={label}")).collect();
        format!("{} {} {}", point.key, point.experiment, at.join(" "))
    };
    points.iter().map(place).collect()
}
