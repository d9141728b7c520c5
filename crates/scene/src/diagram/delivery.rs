//! How far the delivery of a message can be moved in a timeline: never before the message is sent,
//! and in a FIFO network never past another message of its channel.
//!
//! These are the limits of the network. Whether the algorithm allows the steps after a moved
//! delivery is found by replaying them.

use lockstep_kernel::{Event, Frame, Network, NodeId};
use std::borrow::Borrow;
use std::ops::Range;

/// The positions to which the delivery of a message can be moved. A delivery *at* a position is the
/// step that leads to that frame of the timeline.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct DeliveryRange {
    /// The position where it is sent; 0 if it is in flight at the start.
    pub sent: usize,
    /// The position where it is delivered or dropped; `None` while it is in flight.
    pub ended: Option<usize>,
    /// The earliest position of its delivery.
    pub earliest: usize,
    /// The latest position; one past the end of the timeline for a message in flight.
    pub latest: usize,
    /// Positions in between at which it is held back.
    pub held: Vec<Range<usize>>,
}

impl DeliveryRange {
    /// Whether the message can be delivered at a position.
    pub fn allows(&self, position: usize) -> bool {
        (self.earliest..=self.latest).contains(&position) && !self.held.iter().any(|h| h.contains(&position))
    }

    /// The range of a message; `None` if it is not in the timeline.
    pub fn of<F: Borrow<Frame>>(timeline: &[F], network: Network, id: u32) -> Option<DeliveryRange> {
        let passages = find_passages(timeline);
        let me = &passages[find_place(&passages, id).ok()?].1;
        let mut range = DeliveryRange {
            sent: me.sent,
            ended: me.ended,
            earliest: me.sent + 1,
            latest: timeline.len() - usize::from(me.ended.is_some()),
            held: find_holds(timeline, id),
        };
        if network == Network::Fifo && me.from != me.to {
            for (other, passage) in passages.iter().filter(|(o, p)| *o != id && (p.from, p.to) == (me.from, me.to)) {
                if *other < id {
                    range.earliest = range.earliest.max(passage.ended.map_or(timeline.len(), |e| e + 1));
                } else if let Some(ended) = passage.ended {
                    // its position once our delivery is removed from the timeline
                    range.latest = range.latest.min(ended - usize::from(me.ended.is_some_and(|e| e < ended)));
                }
            }
        }
        Some(range)
    }
}

/// When a message is sent and delivered in a timeline.
pub(crate) struct Passage {
    pub(crate) from: NodeId,
    pub(crate) to: NodeId,
    pub(crate) sent: usize,
    pub(crate) ended: Option<usize>,
}

/// Where the passage of a message is in the list, or belongs.
fn find_place(passages: &[(u32, Passage)], id: u32) -> Result<usize, usize> {
    passages.binary_search_by_key(&id, |(id, _)| *id)
}

/// The passages of all messages of a timeline, in the order of sending.
pub(crate) fn find_passages<F: Borrow<Frame>>(timeline: &[F]) -> Vec<(u32, Passage)> {
    let mut passages: Vec<(u32, Passage)> = Vec::new();
    for (i, frame) in timeline.iter().map(Borrow::borrow).enumerate() {
        let new: &[u32] = frame.last.as_ref().map_or(&[], |l| &l.sent);
        for f in frame.flights.iter().filter(|f| i == 0 || new.contains(&f.id)) {
            if let Err(place) = find_place(&passages, f.id) {
                passages.insert(place, (f.id, Passage { from: f.from, to: f.to, sent: i, ended: None }));
            }
        }
        if let Some(Event::Deliver(id) | Event::Drop(id)) = frame.last.as_ref().map(|l| l.event)
            && let Ok(place) = find_place(&passages, id)
        {
            passages[place].1.ended.get_or_insert(i);
        }
    }
    passages
}

/// The positions at which a message is held back: from the step that holds it to the step that
/// resumes it.
fn find_holds<F: Borrow<Frame>>(timeline: &[F], id: u32) -> Vec<Range<usize>> {
    let mut found: Vec<Range<usize>> = Vec::new();
    let mut since = None;
    for (i, frame) in timeline.iter().enumerate() {
        match frame.borrow().last.as_ref().map(|l| l.event) {
            Some(Event::Hold(m)) if m == id => since = Some(i + 1),
            Some(Event::Resume(m)) if m == id => found.extend(since.take().map(|s| s..i + 1)),
            _ => {}
        }
    }
    found.extend(since.map(|s| s..timeline.len() + 1));
    found
}
