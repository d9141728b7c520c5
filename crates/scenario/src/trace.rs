//! A run for other programs: every step as JSON, and a log for ShiViz with a vector clock for each
//! event.

use lockstep_kernel::ids::units;
use lockstep_kernel::{Event, Frame};
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
            })
        })
        .collect();
    let run = serde_json::json!({ "format": FORMAT, "algorithm": algorithm, "link": link, "steps": steps });
    format!("{run:#}\n")
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
            Event::Request(_)
            | Event::Lock(..)
            | Event::Cancel(_)
            | Event::Release(_)
            | Event::Crash(_)
            | Event::Restart(_)
            | Event::Migrate(..) => {}
        }
        let host = &frame.nodes[last.node.index()].name;
        *clock.entry(host.clone()).or_default() += 1;
        sent.extend(last.sent.iter().map(|id| (*id, clock.clone())));
        let counts: Vec<String> = clock.iter().map(|(node, count)| format!("\"{node}\":{count}")).collect();
        text += &format!("{host} {{{}}}\n{}\n", counts.join(","), last.title);
    }
    text
}
