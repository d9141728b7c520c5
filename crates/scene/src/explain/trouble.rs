//! What is wrong in a state: threads inside together, and requests that can no longer be served.

use crate::explain::words;
use lockstep_kernel::view::{NodeFrame, ThreadFrame, ThreadState};
use lockstep_kernel::{Cells, Frame, ThreadId};

/// The threads that violate mutual exclusion: those inside that share a cell with another one.
pub fn inside_together(frame: &Frame) -> Vec<ThreadId> {
    let broken = |i: &lockstep_kernel::view::InvariantStatus| i.name == "mutual exclusion" && i.broken.is_some();
    if !frame.invariants.iter().any(broken) {
        return Vec::new();
    }
    let all = frame.nodes.iter().flat_map(|n| &n.threads);
    let inside: Vec<&ThreadFrame> = all.filter(|t| t.doing == ThreadState::Inside).collect();
    let cells = |t: &ThreadFrame| t.cells.unwrap_or(Cells::WHOLE);
    let clashes = |t: &&&ThreadFrame| inside.iter().any(|o| o.id != t.id && cells(o).overlaps(cells(t)));
    inside.iter().filter(clashes).map(|t| t.id).collect()
}

/// Whether the algorithm has a token. A server, register or manager grants entry instead.
pub fn has_token(frame: &Frame) -> bool {
    let grants = |n: &NodeFrame| n.view.badges.iter().any(|b| ["server", "register", "manager"].contains(&b.as_str()));
    !frame.nodes.iter().any(|n| grants(n))
}

/// The requests that can no longer be served, in words: "p2.1 (never, since step 4)".
pub fn stuck(frame: &Frame) -> Option<String> {
    let threads = || frame.nodes.iter().flat_map(|n| &n.threads);
    let named = |s: &lockstep_kernel::served::StuckRequest| {
        let name = threads().find(|t| t.id == s.thread).map_or("", |t| t.name.as_str());
        format!("{name} since step {}", s.since)
    };
    let all: Vec<String> = frame.stuck.iter().map(named).collect();
    (!all.is_empty()).then(|| words::list(&all))
}
