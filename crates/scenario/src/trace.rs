//! A run for other programs: every step as JSON, a log for ShiViz with a vector clock for each
//! event, and native log lines as `lockstep judge` reads them.

use lockstep_kernel::ids::units;
use lockstep_kernel::view::{FlightFrame, NodeFrame, ThreadFrame, ThreadState};
use lockstep_kernel::{Event, Frame, Network, NodeId, Setup, ThreadId};
use serde_json::{Value, json};
use std::borrow::Borrow;
use std::collections::BTreeMap;

/// How many events of each node an event knows of.
type Clock = BTreeMap<String, u64>;

/// The version of the JSON: the first that there is.
pub const FORMAT: u32 = 1;

/// A whole run as JSON: every step with its time, its words, and what was sent and granted.
pub fn json<F: Borrow<Frame>>(algorithm: &str, link: &str, frames: &[F]) -> String {
    let steps = frames.iter().filter_map(|f| f.borrow().last.as_ref().map(|last| (f.borrow(), last)));
    let steps: Vec<serde_json::Value> = steps
        .map(|(frame, last)| {
            let broken: Vec<&str> =
                frame.invariants.iter().filter(|i| i.broken.is_some()).map(|i| i.name.as_str()).collect();
            serde_json::json!({
                "step": frame.step,
                "time": units(frame.now),
                "event": last.event,
                "title": last.title,
                "sentence": last.sentence,
                "node": frame.nodes[last.node.index()].name,
                "sent": last.sent,
                "granted": last.granted,
                "violated": broken,
                "variables": variables(frame),
            })
        })
        .collect();
    let run = serde_json::json!({ "format": FORMAT, "algorithm": algorithm, "link": link, "steps": steps });
    format!("{run:#}\n")
}

/// The variables of each node, by name; nodes among them are shown by their names.
fn variables(frame: &Frame) -> serde_json::Value {
    let name = |n: NodeId| frame.nodes.get(n.index()).map_or_else(String::new, |n| n.name.clone());
    let of = |node: &NodeFrame| {
        let vars = node.view.vars.iter().map(|v| (v.name.clone(), v.value.text(name).into()));
        serde_json::Value::Object(vars.collect())
    };
    let nodes = frame.nodes.iter().map(|n| (n.name.clone(), of(n)));
    serde_json::Value::Object(nodes.collect())
}

/// The trace table of a run, as the notes write theirs: a row for each step with the clock of each
/// node and the action.
pub struct TraceTable {
    /// What stands in the columns of the nodes: the clock, or the state where there is none.
    pub what: &'static str,
    /// The names of the nodes.
    pub nodes: Vec<String>,
    /// The rows.
    pub rows: Vec<TraceRow>,
}

/// A row of the trace table.
pub struct TraceRow {
    /// The step.
    pub step: u32,
    /// Virtual time.
    pub time: f64,
    /// For each node its clock, or its state where the algorithm has no clock.
    pub nodes: Vec<String>,
    /// The node that acts, by position.
    pub acting: usize,
    /// What happens.
    pub action: String,
}

/// The trace table of some frames.
pub fn table<F: Borrow<Frame>>(frames: &[F]) -> TraceTable {
    let clock = |n: &NodeFrame| n.view.vars.iter().find(|v| v.name == "T").map(|v| v.value.text(|_| String::new()));
    let first = frames.first().map(Borrow::borrow);
    let clocks = first.is_some_and(|f| f.nodes.iter().any(|n| clock(n).is_some()));
    let state = |n: &NodeFrame| {
        let any = |doing| n.threads.iter().any(|t| t.doing == doing);
        let state = match () {
            () if n.crashed => "down",
            () if any(ThreadState::Inside) => "inside",
            () if any(ThreadState::Waiting) => "waiting",
            () => "",
        };
        state.to_owned()
    };
    let row = |frame: &Frame| {
        let last = frame.last.as_ref()?;
        let nodes = frame.nodes.iter().map(|n| if clocks { clock(n).unwrap_or_default() } else { state(n) });
        let (step, time) = (frame.step, units(frame.now));
        Some(TraceRow { step, time, nodes: nodes.collect(), acting: last.node.index(), action: last.title.clone() })
    };
    TraceTable {
        what: if clocks { "clock" } else { "state" },
        nodes: first.map_or_else(Vec::new, |f| f.nodes.iter().map(|n| n.name.clone()).collect()),
        rows: frames.iter().filter_map(|f| row(f.borrow())).collect(),
    }
}

/// The trace table as comma-separated values.
pub fn csv<F: Borrow<Frame>>(frames: &[F]) -> String {
    let table = table(frames);
    let nodes = table.nodes.iter().map(|n| format!("{} of {n}", table.what));
    let head = ["step".to_owned(), "time".to_owned()].into_iter().chain(nodes);
    let head: Vec<String> = head.chain(["node".to_owned(), "action".to_owned()]).collect();
    let row = |row: &TraceRow| {
        let numbers = [row.step.to_string(), row.time.to_string()];
        let cells = numbers.into_iter().chain(row.nodes.iter().cloned());
        cells.chain([table.nodes[row.acting].clone(), row.action.clone()]).collect()
    };
    let rows: Vec<Vec<String>> = std::iter::once(head).chain(table.rows.iter().map(row)).collect();
    lockstep_text::csv(&rows, "\n")
}

/// The log of a whole run for ShiViz: two lines for each event, `host {vector clock}` and the event
/// in words.
pub fn shiviz<F: Borrow<Frame>>(frames: &[F]) -> String {
    let mut text = String::new();
    let mut clocks = Vec::new();
    let mut sent: BTreeMap<u32, Clock> = BTreeMap::new();
    for frame in frames.iter().map(Borrow::borrow) {
        clocks.resize(frame.nodes.len(), Clock::new());
        let Some(last) = &frame.last else { continue };
        let clock = &mut clocks[last.node.index()];
        match last.event {
            // what the network does happens at no node
            Event::Drop(_) | Event::Hold(_) | Event::Resume(_) => continue,
            Event::Duplicate(id) => {
                if let Some(original) = sent.get(&id).cloned() {
                    sent.extend(last.sent.iter().map(|copy| (*copy, original.clone())));
                }
                continue;
            }
            Event::Deliver(id) => {
                for (node, count) in sent.remove(&id).unwrap_or_default() {
                    let known = clock.entry(node).or_default();
                    *known = (*known).max(count);
                }
            }
            _ => {}
        }
        let host = &frame.nodes[last.node.index()].name;
        *clock.entry(host.clone()).or_default() += 1;
        sent.extend(last.sent.iter().map(|id| (*id, clock.clone())));
        let counts: Vec<String> = clock.iter().map(|(node, count)| format!("\"{node}\":{count}")).collect();
        text += &format!("{host} {{{}}}\n{}\n", counts.join(","), last.title);
    }
    text
}

/// A whole run as native log lines: a header with the system and the link, then one line for each
/// event of a node, with its virtual time as seconds. Steps that a node schedules for itself are
/// notes.
pub fn native<F: Borrow<Frame>>(algorithm: &str, link: &str, setup: &Setup, frames: &[F]) -> String {
    let Some(first) = frames.first().map(Borrow::borrow) else { return String::new() };
    let names: Vec<&str> = first.nodes.iter().map(|node| node.name.as_str()).collect();
    let header = json!({
        "lockstep": "log",
        "version": 1,
        "nodes": names,
        "fifo": setup.network == Network::Fifo,
        "order": "observed",
        "complete": true,
        "algorithm": algorithm,
        "link": link,
    });
    // a thread that migrates makes two of a node that had one: then every line names its thread
    let several = |frame: &F| frame.borrow().nodes.iter().any(|node| node.threads.len() > 1);
    let threads = frames.iter().any(several);
    let mut lines = NativeLines { lines: vec![header], threads, flights: BTreeMap::new(), sent: BTreeMap::new() };
    let mut before = first;
    lines.sends(first, first.flights.iter().map(|flight| flight.id));
    lines.stamp(1, first);
    for frame in frames.iter().skip(1).map(Borrow::borrow) {
        let from = lines.lines.len();
        lines.step(before, frame);
        lines.stamp(from, frame);
        before = frame;
    }
    lines.lines.iter().map(|line| format!("{line}\n")).collect()
}

/// The lines of a run so far.
struct NativeLines {
    lines: Vec<Value>,
    /// Whether lines name the thread.
    threads: bool,
    /// Messages that were sent; a copy is the message that it copies.
    flights: BTreeMap<u32, FlightFrame>,
    /// The line of each send.
    sent: BTreeMap<u32, usize>,
}

impl NativeLines {
    /// Gives the lines from here on the time of a frame.
    fn stamp(&mut self, from: usize, frame: &Frame) {
        self.lines[from..].iter_mut().for_each(|line| line["time"] = json!(units(frame.now)));
    }

    fn step(&mut self, before: &Frame, frame: &Frame) {
        let Some(last) = &frame.last else { return };
        let node = &frame.nodes[last.node.index()].name;
        match last.event {
            Event::Request(thread) | Event::Lock(thread, _) => self.user(frame, "request", thread, frame),
            Event::Cancel(thread) => self.user(frame, "cancel", thread, before),
            Event::Release(thread) => self.user(frame, "exit", thread, before),
            Event::Crash(_) => self.lines.push(json!({ "node": node, "event": "crash" })),
            Event::Restart(_) => self.lines.push(json!({ "node": node, "event": "recover" })),
            Event::Deliver(id) => {
                let Some(flight) = self.flights.get(&id) else { return };
                let down = before.nodes[last.node.index()].crashed;
                let line = match flight.from == flight.to {
                    true => json!({ "node": node, "event": "note", "text": flight.label }),
                    false => message(frame, flight, "recv", "from", flight.from),
                };
                if down {
                    self.lose(id);
                } else {
                    self.lines.push(line);
                }
            }
            Event::Drop(id) => self.lose(id),
            Event::Duplicate(id) => {
                let copied = self.flights.get(&id).cloned();
                self.flights.extend(last.sent.iter().filter_map(|copy| Some((*copy, copied.clone()?))));
                return;
            }
            Event::Hold(_) | Event::Resume(_) | Event::Migrate(..) => {}
        }
        self.sends(frame, last.sent.iter().copied());
        // a thread that is inside is granted again where a message was duplicated
        let inside = |id: ThreadId| threads(before).any(|then| then.id == id && then.doing == ThreadState::Inside);
        for thread in last.granted.iter().filter(|thread| !inside(**thread)) {
            self.user(frame, "enter", *thread, frame);
        }
        // a thread that no longer waits and did not enter was refused
        for thread in threads(before).filter(|thread| thread.doing == ThreadState::Waiting) {
            let idle = threads(frame).any(|now| now.id == thread.id && now.doing == ThreadState::Idle);
            let asked = matches!(last.event, Event::Cancel(of) | Event::Release(of) if of == thread.id);
            if idle && !asked && !matches!(last.event, Event::Crash(_)) && !last.granted.contains(&thread.id) {
                self.user(frame, "cancel", thread.id, before);
            }
        }
        if let Some(thread) = last.event.asks() {
            let idle = threads(frame).any(|now| now.id == thread && now.doing == ThreadState::Idle);
            if idle {
                self.user(frame, "cancel", thread, frame);
            }
        }
    }

    /// A line about a thread; its cells are those that it has in `then`.
    fn user(&mut self, frame: &Frame, event: &str, thread: ThreadId, then: &Frame) {
        let Some(node) = frame.nodes.iter().find(|node| node.threads.iter().any(|t| t.id == thread)) else { return };
        let mut line = json!({ "node": node.name, "event": event });
        let Some(known) = threads(then).find(|t| t.id == thread) else { return };
        if self.threads {
            line["thread"] = json!(known.name);
        }
        if let Some(cells) = known.cells {
            line["range"] = json!([cells.lo, cells.hi]);
        }
        self.lines.push(line);
    }

    fn sends(&mut self, frame: &Frame, ids: impl Iterator<Item = u32>) {
        for id in ids {
            let Some(flight) = frame.flights.iter().find(|flight| flight.id == id) else { continue };
            if flight.from != flight.to {
                self.sent.insert(id, self.lines.len());
                self.lines.push(message(frame, flight, "send", "to", flight.to));
            }
            self.flights.insert(id, flight.clone());
        }
    }

    fn lose(&mut self, id: u32) {
        let original = self.flights.get(&id).map_or(id, |flight| flight.id);
        // if a copy arrives, the message is not lost
        if original == id
            && let Some(line) = self.sent.get(&id)
        {
            self.lines[*line]["lost"] = json!(true);
        }
    }
}

fn threads(frame: &Frame) -> impl Iterator<Item = &ThreadFrame> {
    frame.nodes.iter().flat_map(|node| &node.threads)
}

/// A line about a message: its kind is the first word of its label, its stamp the number in it.
fn message(frame: &Frame, flight: &FlightFrame, event: &str, key: &str, other: NodeId) -> Value {
    let here = if event == "send" { flight.from } else { flight.to };
    let name = |node: NodeId| &frame.nodes[node.index()].name;
    let kind: String = flight.label.chars().take_while(|c| c.is_alphanumeric() || matches!(c, '-' | '_')).collect();
    let mut line = json!({
        "node": name(here),
        "event": event,
        key: name(other),
        "kind": kind.to_lowercase(),
        "id": flight.id.to_string(),
        "text": flight.label,
    });
    let inner = flight.label.split_once('(').and_then(|(_, rest)| rest.split_once(')')).map(|(inner, _)| inner);
    if let Some(stamp) = inner.and_then(|inner| inner.parse::<u64>().ok()) {
        line["stamp"] = json!(stamp);
    }
    line
}
