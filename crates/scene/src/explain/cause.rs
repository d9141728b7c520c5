//! Why a step happened: the chain of steps and messages that led to it, for highlighting in both pictures.

use lockstep_kernel::{Event, Frame, NodeId};
use std::borrow::Borrow;

/// A chain of causes.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct CausalChain {
    /// Positions in the line of frames, the last step first.
    pub steps: Vec<usize>,
    /// The messages between them.
    pub messages: Vec<u32>,
    /// The nodes at which they happened.
    pub nodes: Vec<NodeId>,
}

impl CausalChain {
    /// The chain that ends at a position of a line: a message was delivered because it was sent, which happened because of the message delivered
    /// there, and so on back to a user who asked or left.
    pub fn of<F: Borrow<Frame>>(line: &[F], at: usize) -> CausalChain {
        let mut because = CausalChain::default();
        let mut at = Some(at.min(line.len().saturating_sub(1)));
        while let Some(i) = at {
            let Some(last) = line.get(i).and_then(|f| f.borrow().last.as_ref()) else { break };
            because.steps.push(i);
            if !because.nodes.contains(&last.node) {
                because.nodes.push(last.node);
            }
            let (Event::Deliver(id) | Event::Drop(id) | Event::Duplicate(id)) = last.event else { break };
            because.messages.push(id);
            at = line[..i].iter().rposition(|f| f.borrow().last.as_ref().is_some_and(|l| l.sent.contains(&id)));
        }
        because
    }
}
