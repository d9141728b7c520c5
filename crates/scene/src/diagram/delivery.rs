//! How far the delivery of a message can be moved in a line of steps: never before it is sent, and on links that keep the order never past
//! another message of its channel.
//!
//! What happens after a moved delivery is for the run to say: these are the walls that the network sets, whatever the algorithm.

use lockstep_kernel::{Event, Frame, Network, NodeId};
use std::borrow::Borrow;
use std::ops::Range;

/// The walls of one message. Positions count the steps of the line; a delivery *at* a position is the step that leads to that frame.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct DeliveryRange {
    /// Where it is sent; 0 if it was there from the beginning.
    pub sent: usize,
    /// Where it is delivered or lost; nothing while it is in flight.
    pub ended: Option<usize>,
    /// The earliest position of its delivery.
    pub earliest: usize,
    /// The latest one; one past the end of the line for a message in flight.
    pub latest: usize,
    /// Positions between them at which it is held back.
    pub held: Vec<Range<usize>>,
}

impl DeliveryRange {
    /// Whether the message can be delivered at a position.
    pub fn allows(&self, position: usize) -> bool {
        (self.earliest..=self.latest).contains(&position) && !self.held.iter().any(|h| h.contains(&position))
    }

    /// The walls of a message; nothing if the line does not know it.
    pub fn of<F: Borrow<Frame>>(line: &[F], network: Network, id: u32) -> Option<DeliveryRange> {
        let known = passages(line);
        let me = &known[place(&known, id).ok()?].1;
        let mut walls = DeliveryRange {
            sent: me.sent,
            ended: me.ended,
            earliest: me.sent + 1,
            latest: line.len() - usize::from(me.ended.is_some()),
            held: held(line, id),
        };
        if network == Network::Fifo && me.from != me.to {
            for (other, passage) in known.iter().filter(|(o, p)| *o != id && (p.from, p.to) == (me.from, me.to)) {
                if *other < id {
                    walls.earliest = walls.earliest.max(passage.ended.map_or(line.len(), |e| e + 1));
                } else if let Some(ended) = passage.ended {
                    // where it stands once ours is taken out
                    walls.latest = walls.latest.min(ended - usize::from(me.ended.is_some_and(|e| e < ended)));
                }
            }
        }
        Some(walls)
    }
}

/// The way of a message through a line.
pub(crate) struct Passage {
    pub(crate) from: NodeId,
    pub(crate) to: NodeId,
    pub(crate) sent: usize,
    pub(crate) ended: Option<usize>,
}

/// Where the passage of a message is, or belongs, in their list.
fn place(known: &[(u32, Passage)], id: u32) -> Result<usize, usize> {
    known.binary_search_by_key(&id, |(id, _)| *id)
}

/// The ways of all messages through a line, in the order of sending.
pub(crate) fn passages<F: Borrow<Frame>>(line: &[F]) -> Vec<(u32, Passage)> {
    let mut known: Vec<(u32, Passage)> = Vec::new();
    for (i, frame) in line.iter().map(Borrow::borrow).enumerate() {
        let new: &[u32] = frame.last.as_ref().map_or(&[], |l| &l.sent);
        for f in frame.flights.iter().filter(|f| i == 0 || new.contains(&f.id)) {
            if let Err(place) = place(&known, f.id) {
                known.insert(place, (f.id, Passage { from: f.from, to: f.to, sent: i, ended: None }));
            }
        }
        if let Some(Event::Deliver(id) | Event::Drop(id)) = frame.last.as_ref().map(|l| l.event)
            && let Ok(place) = place(&known, id)
        {
            known[place].1.ended.get_or_insert(i);
        }
    }
    known
}

/// Positions at which a message is held back: after the step that holds it, up to the one that lets it go.
fn held<F: Borrow<Frame>>(line: &[F], id: u32) -> Vec<Range<usize>> {
    let mut found: Vec<Range<usize>> = Vec::new();
    let mut since = None;
    for (i, frame) in line.iter().enumerate() {
        match frame.borrow().last.as_ref().map(|l| l.event) {
            Some(Event::Hold(m)) if m == id => since = Some(i + 1),
            Some(Event::Resume(m)) if m == id => found.extend(since.take().map(|s| s..i + 1)),
            _ => {}
        }
    }
    found.extend(since.map(|s| s..line.len() + 1));
    found
}
