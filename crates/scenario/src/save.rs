//! Makes a scenario file of a run: what was done, as a script, and the state that it led to.

use crate::expect::waiter_name;
use crate::link::hosts;
use crate::parse::MOST_BYTES;
use crate::script::written;
use lockstep_kernel::history::Player;
use lockstep_kernel::timing::{Load, RangeTiming, Timing};
use lockstep_kernel::view::{NodeFrame, ThreadState};
use lockstep_kernel::{Entry, Event, Frame, Role, Setup, Topology};
use std::fmt::Write;

/// Above this many nodes only those are described where somebody waits or is inside, or the token is.
const DESCRIBED: usize = 24;

/// The line of a player as the text of a scenario file: it replays to the same states. It stops where the cursor is, and at its end. The
/// algorithm must be the player's.
pub fn save(title: &str, algorithm: &'static Entry, player: &dyn Player, timing: &Timing) -> Result<String, String> {
    if i64::try_from(timing.seed).is_err() {
        return Err(format!(
            "The seed {} is too large for a scenario; right would be a run whose seed is at most {}.",
            timing.seed,
            i64::MAX // whole numbers of TOML end here
        ));
    }
    let line = player.timeline();
    let events: Vec<Event> = line.iter().filter_map(|past| past.event).collect();
    let cursor = line.iter().position(|past| past.id == player.cursor()).unwrap_or(events.len());
    let setup = hosts(player.setup());
    let mut text = head(title, algorithm, &setup, timing);
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
        // every line takes more than that: it is too long for certain, and need not be played to its end
        if text.len() + script.len() * 8 > MOST_BYTES {
            break;
        }
    }
    let name = if cursor < events.len() { "end" } else { "here" };
    stop(&mut text, name, &script, &run.frame(), run.setup());
    if text.len() > MOST_BYTES {
        let (steps, most) = (events.len(), MOST_BYTES / 1024);
        return Err(format!(
            "A run of {steps} steps is too long for a scenario; right would be one whose text has at most {most} KB."
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

fn head(title: &str, algorithm: &Entry, setup: &Setup, timing: &Timing) -> String {
    let mut text = String::new();
    let mut field = |name: &str, value: String| {
        let _ = writeln!(text, "{name} = {value}");
    };
    field("title", quote(title));
    field("about", quote(&format!("A run of {}, saved as it was.", algorithm.title)));
    field("algorithm", quote(algorithm.id));
    let params: Vec<String> = setup.params.0.iter().map(|(n, v)| format!("{} = {}", key(n), quote(v))).collect();
    field("params", format!("{{ {} }}", params.join(", ")));
    if let Some(line) = setup.without {
        field("without", line.0.to_string());
    }
    field("nodes", setup.nodes().to_string());
    let list = |texts: Vec<String>| format!("[{}]", texts.join(", "));
    if !setup.names.iter().enumerate().all(|(i, name)| *name == format!("p{}", i + 1)) {
        field("names", list(setup.names.iter().map(|n| quote(n)).collect()));
    }
    match setup.threads.as_slice() {
        [first, rest @ ..] if *first > 0 && rest.iter().all(|t| t == first) => field("threads", first.to_string()),
        all => field("threads", list(all.iter().map(u32::to_string).collect())),
    }
    let like = |t: &&(&str, Topology)| Setup::new(setup.nodes(), 1, t.1).parents == setup.parents;
    match Topology::ALL.iter().find(like) {
        Some((name, _)) => field("topology", quote(name)),
        None => {
            let pointers = setup.ids().map(|i| (i, setup.parents[i.index()])).filter(|(i, to)| i != to);
            let pointers = pointers.map(|(i, to)| format!("{} = {}", key(setup.name(i)), quote(setup.name(to))));
            field("parents", format!("{{ {} }}", pointers.collect::<Vec<_>>().join(", ")));
        }
    }
    if setup.clusters.iter().any(|c| *c != 0) {
        let last = setup.clusters.iter().max().copied().unwrap_or(0);
        let members = |c: u32| {
            list(setup.ids().filter(|i| setup.clusters[i.index()] == c).map(|i| quote(setup.name(i))).collect())
        };
        field("clusters", list((0..=last).map(members).collect()));
    }
    if setup.cells != 1 {
        field("cells", setup.cells.to_string());
    }
    if !setup.placement.is_empty() {
        field("placement", list(setup.placement.iter().map(|n| quote(setup.name(*n))).collect()));
    }
    field("network", quote(setup.network.name()));
    match &timing.load {
        Load::ByHand => field("load", quote("by-hand")),
        Load::Poisson(rate) => field("rate", rate.to_string()),
        Load::Closed { first, think, requests } => {
            field("think", quote(&think.to_string()));
            if first != think {
                field("first", quote(&first.to_string()));
            }
            field("requests", requests.to_string());
        }
        Load::Script(times) => {
            let asks = times.iter().map(|(t, thread)| quote(&format!("{} at {t}", setup.thread_name(*thread))));
            field("asks", list(asks.collect()));
        }
    }
    field("section", quote(&timing.section.to_string()));
    field("delay", quote(&timing.delays.local.to_string()));
    if timing.delays.global != timing.delays.local {
        field("delay_global", quote(&timing.delays.global.to_string()));
    }
    let (ranged, usual) = (timing.ranged, RangeTiming::default());
    if ranged.share != usual.share {
        field("range", quote(&ranged.share.to_string()));
    }
    if ranged.per_cell != usual.per_cell {
        field("per_cell", format!("{:?}", ranged.per_cell));
    }
    for (name, set) in [("aligned", ranged.aligned), ("blocking", ranged.blocking)] {
        if set {
            field(name, "true".into());
        }
    }
    field("seed", timing.seed.to_string());
    field("opens_at", quote("here"));
    text
}

/// A name as a key of a table.
fn key(name: &str) -> String {
    let bare = !name.is_empty() && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
    if bare { name.into() } else { quote(name) }
}

/// A text in quotation marks.
fn quote(text: &str) -> String {
    let mut quoted = String::with_capacity(text.len() + 2);
    quoted.push('"');
    for c in text.chars() {
        match c {
            '"' | '\\' => quoted.extend(['\\', c]),
            '\n' => quoted.push_str("\\n"),
            '\t' => quoted.push_str("\\t"),
            c if c.is_control() => {
                let _ = write!(quoted, "\\u{:04X}", c as u32);
            }
            c => quoted.push(c),
        }
    }
    quoted.push('"');
    quoted
}
