//! Makes a scenario file of a run: what was done, as a script, and the state that it led to.

use crate::expect::waiter_name;
use crate::link::hosts;
use crate::parse::MOST_BYTES;
use crate::script::written;
use lockstep_kernel::history::Player;
use lockstep_kernel::timing::Timing;
use lockstep_kernel::view::{NodeFrame, ThreadState};
use lockstep_kernel::{Entry, Event, Frame, Role, Setup};
use lockstep_spec::Model;
use lockstep_spec::toml::{self as spec_toml, key, quote};
use std::fmt::Write;

/// Above this many nodes only nodes with a waiting thread, a thread inside or the token are
/// described.
const DESCRIBED: usize = 24;

/// The timeline of a player as a scenario file, which replays to the same states. It has a stop at
/// the cursor and one at its end. The algorithm must be the player's.
pub fn save(title: &str, algorithm: &'static Entry, player: &dyn Player, timing: &Timing) -> Result<String, String> {
    if i64::try_from(timing.seed).is_err() {
        return Err(format!(
            "seed: {} is not allowed in a scenario; expected at most {}.",
            timing.seed,
            i64::MAX // whole numbers of TOML end here
        ));
    }
    let line = player.timeline();
    let events: Vec<Event> = line.iter().filter_map(|past| past.event).collect();
    let cursor = line.iter().position(|past| past.id == player.cursor()).unwrap_or(events.len());
    let setup = hosts(player.setup());
    let about = format!("A run of {}, saved as it was.", algorithm.title);
    let mut text = format!("title = {}\nabout = {}\n", quote(title), quote(&about));
    let model = Model { algorithm, setup: setup.clone(), timing: timing.clone() };
    text += &spec_toml::write(&model);
    text += "opens_at = \"here\"\n";
    let mut run = (algorithm.drive.boot)(setup, timing);
    let mut script = Vec::new();
    for (i, event) in events.iter().enumerate() {
        if i == cursor {
            stop(&mut text, "here", &script, &run.frame(), run.setup());
            script.clear();
        }
        let words = written(*event, &*run);
        let done = words.filter(|_| run.pick(*event).is_some());
        script.push(done.ok_or_else(|| format!("Step {} cannot be written as an event.", i + 1))?);
        // every line takes more than that, so the file is too long: stop here
        if text.len() + script.len() * 8 > MOST_BYTES {
            break;
        }
    }
    let name = if cursor < events.len() { "end" } else { "here" };
    stop(&mut text, name, &script, &run.frame(), run.setup());
    if text.len() > MOST_BYTES {
        let (steps, most) = (events.len(), MOST_BYTES / 1024);
        return Err(format!(
            "A run of {steps} steps is too long for a scenario; expected a file of at most {most} KB."
        ));
    }
    Ok(text)
}

fn stop(text: &mut String, name: &str, script: &[String], frame: &Frame, setup: &Setup) {
    let (steps, entries) = (frame.step, frame.counters.entries);
    let _ = write!(
        text,
        "\n[[stop]]\nname = \"{name}\"\ntitle = \"after {steps} steps\"\nsay = \"{entries} entries so far. Say here what happened and why.\"\nscript = ["
    );
    for event in script {
        let _ = write!(text, "\n  {},", quote(event));
    }
    text.push_str(if script.is_empty() { "]\n" } else { "\n]\n" });
    text.push_str("[stop.expect]\n");
    text.push_str(&expectations(frame, setup));
}

/// A state as the lines below `[stop.expect]`.
pub fn expectations(frame: &Frame, setup: &Setup) -> String {
    let mut text = String::new();
    let all = frame.nodes.len() <= DESCRIBED;
    let lively = |n: &NodeFrame| n.view.token || n.threads.iter().any(|t| t.doing != ThreadState::Idle);
    for node in frame.nodes.iter().filter(|n| all || lively(n)) {
        let _ = writeln!(text, "{} = {{ {} }}", key(&node.name), facts(node, setup).join(", "));
    }
    let flights = frame.flights.iter().filter(|f| f.role != Role::Local);
    let flights = flights.map(|f| quote(&format!("{} {}→{}", f.label, setup.name(f.from), setup.name(f.to))));
    let _ = writeln!(text, "in_flight = [{}]", flights.collect::<Vec<_>>().join(", "));
    let _ = writeln!(text, "messages = {}\nentries = {}", frame.counters.messages, frame.counters.entries);
    let broken: Vec<String> = frame.invariants.iter().filter(|h| h.broken.is_some()).map(|h| quote(&h.name)).collect();
    match broken.as_slice() {
        [] => {}
        [one] => {
            let _ = writeln!(text, "violated = {one}");
        }
        more => {
            let _ = writeln!(text, "violated = [{}]", more.join(", "));
        }
    }
    text
}

fn facts(node: &NodeFrame, setup: &Setup) -> Vec<String> {
    let mut facts = Vec::new();
    for var in &node.view.vars {
        // these three are said in their own way
        if !["token", "inside", "queue"].contains(&var.name.as_str()) {
            let value = var.value.text(|n| setup.name(n).into());
            let plain =
                value == "true" || value == "false" || value.parse::<u32>().is_ok_and(|n| n.to_string() == value);
            facts.push(format!("{} = {}", key(&var.name), if plain { value } else { quote(&value) }));
        }
    }
    facts.push(format!("token = {}", node.view.token));
    let user = |thread| quote(&waiter_name(&lockstep_kernel::view::Waiter::User(thread), node.id, setup));
    let inside: Vec<String> =
        node.threads.iter().filter(|t| t.doing == ThreadState::Inside).map(|t| user(t.id)).collect();
    match inside.as_slice() {
        [] if node.threads.is_empty() => {}
        [] => facts.push("inside = \"none\"".into()),
        [one] => facts.push(format!("inside = {one}")),
        more => facts.push(format!("inside = [{}]", more.join(", "))),
    }
    let queue: Vec<String> = node.view.queue.iter().map(|w| quote(&waiter_name(w, node.id, setup))).collect();
    facts.push(format!("queue = [{}]", queue.join(", ")));
    facts
}
