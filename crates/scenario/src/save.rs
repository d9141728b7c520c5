//! Makes a scenario file of a run: what was done, as a script, and the state that it led to.

use crate::expect::seen;
use crate::link::hosts;
use crate::parse::MOST_BYTES;
use crate::script::written;
use lockstep_kernel::history::Player;
use lockstep_kernel::timing::Timing;
use lockstep_kernel::view::{NodeFrame, ThreadState};
use lockstep_kernel::{Entry, Frame, Setup};
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
    let cursor = line.iter().position(|past| past.id == player.cursor()).unwrap_or(line.len());
    let setup = hosts(player.setup());
    let about = format!("A run of {}, saved as it was.", algorithm.title);
    let mut text = format!("title = {}\nabout = {}\n", quote(title), quote(&about));
    let model = Model { algorithm, setup: setup.clone(), timing: timing.clone() };
    text += &spec_toml::write(&model);
    text += "opens_at = \"here\"\n";
    let mut run = (algorithm.drive.boot)(setup, timing);
    let mut script = Vec::new();
    for (i, past) in line.iter().enumerate() {
        if let Some(event) = past.event {
            let words = written(event, &past.title, &*run).filter(|_| run.pick(event).is_some());
            script.push(words.ok_or_else(|| format!("Step {i} cannot be written as an event."))?);
        }
        if i == cursor || i + 1 == line.len() {
            let name = if i == cursor { "here" } else { "end" };
            stop(&mut text, name, &std::mem::take(&mut script), &run.frame(), run.setup());
        }
        // every line takes at least 8 bytes
        if text.len() + script.len() * 8 > MOST_BYTES {
            let (steps, most) = (line.len() - 1, MOST_BYTES / 1024);
            return Err(format!(
                "A run of {steps} steps is too long for a scenario; expected a file of at most {most} KB."
            ));
        }
    }
    Ok(text)
}

fn stop(text: &mut String, name: &str, script: &[String], frame: &Frame, setup: &Setup) {
    let (steps, entries) = (frame.step, frame.counters.entries);
    let _ = write!(
        text,
        "\n[[stop]]\nname = \"{name}\"\ntitle = \"step {steps}\"\nsay = \"Entries so far: {entries}. Say here what happened and why.\"\nscript = ["
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
        let _ = writeln!(text, "{} = {{ {} }}", key(&node.name), facts(node, frame, setup).join(", "));
    }
    for name in ["in_flight", "messages", "entries"] {
        let value = seen(frame, setup, None, name).unwrap_or_default();
        let _ = writeln!(text, "{name} = {}", if name == "in_flight" { list(&value) } else { simple(&value) });
    }
    let broken: Vec<String> = frame.invariants.iter().filter(|h| h.broken.is_some()).map(|h| h.name.clone()).collect();
    if !broken.is_empty() {
        let _ = writeln!(text, "violated = {}", if broken.len() == 1 { simple(&broken) } else { list(&broken) });
    }
    text
}

/// What is expected of a node: its variables, and then what is said in the same way of every node.
fn facts(node: &NodeFrame, frame: &Frame, setup: &Setup) -> Vec<String> {
    const LAST: [&str; 3] = ["token", "inside", "queue"];
    let vars = node.view.vars.iter().map(|v| v.name.as_str()).filter(|name| !LAST.contains(name));
    let fact = |name: &str| {
        let value = seen(frame, setup, Some(node.id), name)?;
        let value = match (name, value.len()) {
            ("inside", 0) if node.threads.is_empty() => return None,
            ("inside", 0) => quote("none"),
            ("inside", 2..) | ("queue", _) => list(&value),
            _ => simple(&value),
        };
        Some(format!("{} = {value}", key(name)))
    };
    vars.chain(LAST).filter_map(fact).collect()
}

fn list(names: &[String]) -> String {
    format!("[{}]", names.iter().map(|name| quote(name)).collect::<Vec<_>>().join(", "))
}

/// One value, without quotation marks where it needs none.
fn simple(value: &[String]) -> String {
    let value = value.join(", ");
    let number = value.parse::<u64>().is_ok_and(|n| n <= i64::MAX as u64 && n.to_string() == value);
    if number || value == "true" || value == "false" { value } else { quote(&value) }
}
