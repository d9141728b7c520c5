//! Lamport clocks and wall clocks: what follows from them, and what does not.

use crate::log::Log;
use crate::messages::{Arrow, Certainty, Messages};
use crate::order::CausalOrder;
use crate::section::Section;

/// Events at which Lamport clocks are wrong.
#[derive(Clone, Debug, Default)]
pub struct ClockFaults {
    /// The event and what is wrong there; at most 100 of them.
    pub list: Vec<(u32, String)>,
    /// How many there are.
    pub count: usize,
}

/// Checks the Lamport clocks: they never go back, and a receive is later than its send.
pub fn lamport_faults(log: &Log, order: &CausalOrder, messages: &Messages) -> ClockFaults {
    let mut faults = ClockFaults::default();
    let mut add = |event: u32, message: String| {
        faults.count += 1;
        if faults.list.len() < 100 {
            faults.list.push((event, message));
        }
    };
    for events in &order.local.of_node {
        let mut last: Option<(i64, u32)> = None;
        for at in events {
            let event = &log.events[*at as usize];
            let Some(clock) = event.lamport else { continue };
            // several events may share a tick, but a clock never goes back
            if let Some((before, _)) = last.filter(|(before, _)| clock < *before) {
                add(*at, format!("the clock of {} goes back from {before} to {clock}", log.node_name(event.node)));
            }
            last = Some((clock, *at));
        }
    }
    for Arrow { send, receive, certainty } in &messages.arrows {
        let (sent, received) = (&log.events[*send as usize], &log.events[*receive as usize]);
        if let (Some(a), Some(b), Certainty::Exact) = (sent.lamport, received.lamport, certainty)
            && b <= a
        {
            add(*receive, format!("{} receives at {b} what was sent at {a}", log.node_name(received.node)));
        }
    }
    faults
}

/// Whether Lamport clocks prove that neither section happened before the other.
pub fn lamport_refutes(log: &Log, a: &Section, b: &Section) -> bool {
    let clock = |event: Option<u32>| log.events[event? as usize].lamport;
    let (enter_a, exit_a) = (clock(Some(a.enter)), clock(a.end.event()));
    let (enter_b, exit_b) = (clock(Some(b.enter)), clock(b.end.event()));
    match (enter_a, exit_a, enter_b, exit_b) {
        (Some(enter_a), Some(exit_a), Some(enter_b), Some(exit_b)) => exit_a >= enter_b && exit_b >= enter_a,
        _ => false,
    }
}

/// A time and its resolution.
fn wall(log: &Log, event: u32) -> Option<(f64, f64)> {
    let event = &log.events[event as usize];
    Some((event.time?, event.resolution))
}

/// How long after the end of the first section the second one begins: certainly more than this, if
/// clocks agree. None if the wall time is not known or the end is not.
pub fn gap(log: &Log, first: &Section, second: &Section) -> Option<f64> {
    let ((exit, coarse), (enter, _)) = (wall(log, first.end.event()?)?, wall(log, second.enter)?);
    Some(enter - exit - coarse)
}

/// How long two sections overlap at least, if clocks agree; negative where they do not.
pub fn overlap(log: &Log, a: &Section, b: &Section) -> Option<f64> {
    let since = |first: &Section, second: &Section| {
        let ((enter, coarse), (exit, _)) = (wall(log, first.enter)?, wall(log, second.end.event()?)?);
        Some(exit - enter - coarse)
    };
    Some(since(a, b)?.min(since(b, a)?))
}

/// Clocks are wrong by at least this much: a message was received before it was sent.
pub fn least_skew(log: &Log, messages: &Messages) -> Option<f64> {
    let back = |arrow: &Arrow| {
        let ((sent, _), (received, coarse)) = (wall(log, arrow.send)?, wall(log, arrow.receive)?);
        Some((sent - received - coarse) / 2.0)
    };
    messages.arrows.iter().filter_map(back).filter(|skew| *skew > 0.0).reduce(f64::max)
}
