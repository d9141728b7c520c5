//! Why a step happened: the chain of steps and messages that led to it. The stage and the diagram
//! highlight it.

use lockstep_kernel::{Event, Frame, NodeId};
use std::borrow::Borrow;

/// The steps and messages that led to a step.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct CausalChain {
    /// Positions in the timeline, the last step first.
    pub steps: Vec<usize>,
    /// The messages between them.
    pub messages: Vec<u32>,
    /// The nodes at which they happened.
    pub nodes: Vec<NodeId>,
}

impl CausalChain {
    /// The chain that ends at a position of a timeline. A message was delivered because it
    /// was sent; it was sent because another message was delivered there; and so on, back to a
    /// request or release.
    pub fn of<F: Borrow<Frame>>(timeline: &[F], at: usize) -> CausalChain {
        let mut chain = CausalChain::default();
        let mut at = Some(at.min(timeline.len().saturating_sub(1)));
        while let Some(i) = at {
            let Some(last) = timeline.get(i).and_then(|f| f.borrow().last.as_ref()) else { break };
            chain.steps.push(i);
            if !chain.nodes.contains(&last.node) {
                chain.nodes.push(last.node);
            }
            let (Event::Deliver(id) | Event::Drop(id) | Event::Duplicate(id)) = last.event else { break };
            chain.messages.push(id);
            at = timeline[..i].iter().rposition(|f| f.borrow().last.as_ref().is_some_and(|l| l.sent.contains(&id)));
        }
        chain
    }
}
