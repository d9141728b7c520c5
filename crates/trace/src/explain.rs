//! Explanations for two sections: the messages that order them, or another order of the same events
//! in which both are inside.

use crate::judge::{Judgement, PairOrder};
use crate::order::Adjacency;
use crate::possible::PossibleOrder;

/// How one step of a chain leads to the next.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ChainLink {
    /// The first event of the chain.
    Start,
    /// The same node, later.
    SameNode,
    /// A message.
    Message,
}

/// An event of a chain.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ChainStep {
    /// The event, by its position in the log.
    pub event: u32,
    /// How the chain arrives here.
    pub link: ChainLink,
}

/// Why two sections are ordered or not.
#[derive(Clone, Debug)]
pub struct PairExplanation {
    /// What the log proves.
    pub order: PairOrder,
    /// The section that comes first, if they are ordered; else the one that was named first.
    pub first: usize,
    /// The other one.
    pub second: usize,
    /// If they are ordered: from the exit of the first to the entry of the second.
    pub chain: Vec<ChainStep>,
    /// For each node, how many of its events come before the entry of the first section.
    pub past_of_first: Vec<u32>,
    /// The same for the second section.
    pub past_of_second: Vec<u32>,
    /// All events in another order that agrees with the log, if there is one in which both are
    /// inside.
    pub other_order: Option<Vec<u32>>,
    /// In that order, both are inside after this many events.
    pub both_inside_after: usize,
}

/// Explains a pair of sections; none if the two may overlap.
pub fn explain(judgement: &Judgement, a: usize, b: usize) -> Option<PairExplanation> {
    let order = judgement.pair(a, b)?;
    let list = &judgement.sections.list;
    let leads = |a: usize, b: usize| {
        let exit = list[a].end.event()?;
        judgement.order.before(exit, list[b].enter).then_some(exit)
    };
    let (first, second) = if leads(b, a).is_some() { (b, a) } else { (a, b) };
    let chain = leads(first, second).map(|exit| chain(judgement, exit, list[second].enter)).unwrap_or_default();
    let past = |section: usize| -> Vec<u32> {
        (0..judgement.log.nodes.len() as u32).map(|node| judgement.order.knows(list[section].enter, node)).collect()
    };
    let (other_order, both_inside_after) = match order {
        PairOrder::Ordered | PairOrder::ByClock => (None, 0),
        _ => other_order(judgement, first, second).map_or((None, 0), |(order, after)| (Some(order), after)),
    };
    Some(PairExplanation {
        order,
        first,
        second,
        chain,
        past_of_first: past(first),
        past_of_second: past(second),
        other_order,
        both_inside_after,
    })
}

/// The events by which one event happens before another: both of them, and the ends of each message
/// between them.
pub fn chain(judgement: &Judgement, from: u32, to: u32) -> Vec<ChainStep> {
    let order = &judgement.order;
    if !order.before(from, to) {
        return Vec::new();
    }
    let incoming = Adjacency::of(judgement.log.events.len(), order.edges.iter().map(|(from, to)| (*to, *from)));
    let (node, place) = (order.local.node[from as usize], order.local.place[from as usize]);
    let knows = |event: u32| event == from || order.knows(event, node) >= place;
    let mut steps = Vec::new();
    let mut at = to;
    while order.local.node[at as usize] != node {
        let own = &order.local.of_node[order.local.node[at as usize] as usize];
        // the first event of this node that knows of the beginning has it from a message
        let receive = own[own.partition_point(|event| !knows(*event)).min(own.len() - 1)];
        let Some(send) = incoming.of_vertex(receive).iter().copied().find(|send| knows(*send)) else { break };
        if receive != at {
            steps.push(ChainStep { event: at, link: ChainLink::SameNode });
        }
        steps.push(ChainStep { event: receive, link: ChainLink::Message });
        at = send;
    }
    if at != from {
        steps.push(ChainStep { event: at, link: ChainLink::SameNode });
    }
    steps.push(ChainStep { event: from, link: ChainLink::Start });
    steps.reverse();
    steps
}

/// Another order of all events in which both sections are inside at once, and after how many events
/// they are.
fn other_order(judgement: &Judgement, a: usize, b: usize) -> Option<(Vec<u32>, usize)> {
    let list = &judgement.sections.list;
    let order = &judgement.order;
    let reach = |section: usize| {
        let exit = list[section].end.event();
        exit.map(|exit| judgement.possible.reach(order, exit))
    };
    // what may depend on one of the exits comes later; the rest agrees with the log without it
    let reached: Vec<Vec<u32>> = [a, b].into_iter().filter_map(reach).collect();
    let later = |event: &u32| reached.iter().any(|reach| PossibleOrder::reaches(reach, order, *event));
    if later(&list[a].enter) || later(&list[b].enter) {
        return None;
    }
    let (second, first): (Vec<u32>, Vec<u32>) = order.ranked.iter().partition(|event| later(event));
    let both = first.len();
    Some((first.into_iter().chain(second).collect(), both))
}
