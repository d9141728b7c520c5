//! A log for ShiViz: two lines for each event, `host {vector clock}` and the event in words.

use crate::replay::Tape;
use lockstep_kernel::Event;
use std::collections::BTreeMap;

/// How many events of each node an event knows of.
type Clock = BTreeMap<String, u64>;

/// The log of a whole run.
pub fn log(tape: &Tape) -> String {
    let mut text = String::new();
    let mut clocks = Vec::new();
    let mut sent: BTreeMap<u32, Clock> = BTreeMap::new();
    tape.play(|frame| {
        clocks.resize(frame.nodes.len(), Clock::new());
        let Some(last) = &frame.last else { return };
        let clock = &mut clocks[last.node.index()];
        match last.event {
            // what the network does happens at no node
            Event::Drop(_) | Event::Hold(_) | Event::Resume(_) => return,
            Event::Duplicate(id) => {
                if let Some(original) = sent.get(&id).cloned() {
                    sent.extend(last.sent.iter().map(|copy| (*copy, original.clone())));
                }
                return;
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
    });
    text
}
