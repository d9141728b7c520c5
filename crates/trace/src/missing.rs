//! What a log lacks: the line to add, and which pairs it would decide.

use crate::event::EventKind;
use crate::judge::{Judgement, LuckRule, PairOrder};
use crate::messages::PossibleEdge;
use crate::section::SectionEnd;
use hashbrown::HashMap;

/// A line that is missing.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct MissingLine {
    /// Why it matters, in one sentence.
    pub reason: String,
    /// The line to print, in the native format; words in angle brackets are to be filled in.
    pub print: String,
    /// The pairs that it could decide, by their positions in [`Judgement::pairs`].
    pub pairs: Vec<usize>,
    /// How many lines of this kind are missing, if that is known.
    pub count: usize,
}

/// The most unproven pairs for which is computed what would decide them.
const MOST_DECIDED: usize = 200;

#[derive(Clone, PartialEq, Eq, Hash, Debug)]
enum Gap {
    Send(Option<u32>, Option<u32>),
    Receive(u32, Option<u32>),
    Sender(u32, Option<u32>),
    Ids(Option<u32>),
    Exit,
    AnyMessage,
    Skew,
}

/// What the log lacks, the most useful line first.
pub fn missing(judgement: &Judgement) -> Vec<MissingLine> {
    let mut gaps: Vec<(Gap, usize)> = Vec::new();
    let mut at: HashMap<Gap, usize> = HashMap::new();
    let mut add = |gap: Gap| match at.get(&gap) {
        Some(position) => gaps[*position].1 += 1,
        None => {
            at.insert(gap.clone(), gaps.len());
            gaps.push((gap, 1));
        }
    };
    let log = &judgement.log;
    for edge in &judgement.messages.possible {
        add(gap_of(judgement, *edge));
    }
    if judgement.sections.list.iter().any(|section| section.end == SectionEnd::Unknown) {
        add(Gap::Exit);
    }
    let unproven: Vec<usize> =
        (0..judgement.pairs.len()).filter(|at| judgement.pairs[*at].order == PairOrder::Unproven).collect();
    if judgement.luck == LuckRule::NoMessages && !unproven.is_empty() {
        add(Gap::AnyMessage);
        if log.header.skew.is_none() && log.events.iter().any(|event| event.time.is_some()) {
            add(Gap::Skew);
        }
    }
    let mut decides: HashMap<Gap, Vec<usize>> = HashMap::new();
    for pair in unproven.iter().take(MOST_DECIDED) {
        for gap in deciding(judgement, *pair) {
            decides.entry(gap).or_default().push(*pair);
        }
    }
    let kind = |kind: Option<u32>| kind.map_or("<kind>", |kind| log.words.word(kind));
    let name = |node: u32| log.node_name(node);
    let line = |gap: &Gap| match gap {
        Gap::Send(from, word) => {
            let from = from.map_or("<node>", |from| name(from));
            let reason = format!("No line says that {from} sent a {} that was received.", kind(*word));
            (reason, format!(r#"{{"node":"{from}","event":"send","to":"<receiver>","kind":"{}"}}"#, kind(*word)))
        }
        Gap::Receive(to, word) => {
            let reason = format!("No line says when {} received a {} that was sent to it.", name(*to), kind(*word));
            (reason, format!(r#"{{"node":"{}","event":"recv","from":"<sender>","kind":"{}"}}"#, name(*to), kind(*word)))
        }
        Gap::Sender(to, word) => {
            let reason = format!("{} does not say from whom it received a {}.", name(*to), kind(*word));
            (reason, format!(r#"{{"node":"{}","event":"recv","from":"<sender>","kind":"{}"}}"#, name(*to), kind(*word)))
        }
        Gap::Ids(word) => {
            let reason = format!("Several sends of a {} could be the one that was received.", kind(*word));
            (
                reason,
                format!(r#"{{"node":"<node>","event":"send","to":"<receiver>","kind":"{}","id":"<id>"}}"#, kind(*word)),
            )
        }
        Gap::Exit => {
            let reason = "No line says when a section ends.".to_owned();
            (reason, r#"{"node":"<node>","event":"exit"}"#.to_owned())
        }
        Gap::AnyMessage => {
            let reason = "The log has no messages: nothing shows what kept the sections apart.".to_owned();
            (reason, r#"{"node":"<node>","event":"send","to":"<receiver>","kind":"<kind>"}"#.to_owned())
        }
        Gap::Skew => {
            let reason = "Only wall clocks can decide, and the log does not say how exact they are.".to_owned();
            (reason, r#"{"lockstep":"log","skew":<seconds>}"#.to_owned())
        }
    };
    let mut found: Vec<MissingLine> = gaps
        .iter()
        .map(|(gap, count)| {
            let (reason, print) = line(gap);
            MissingLine { reason, print, pairs: decides.remove(gap).unwrap_or_default(), count: *count }
        })
        .collect();
    found.sort_by_key(|missing| std::cmp::Reverse(missing.pairs.len()));
    found
}

fn gap_of(judgement: &Judgement, edge: PossibleEdge) -> Gap {
    let event = |at: u32| &judgement.log.events[at as usize];
    match edge {
        PossibleEdge::Message((_, receive)) if event(receive).from.is_none() => {
            Gap::Sender(event(receive).node, event(receive).message)
        }
        PossibleEdge::Message((send, _)) => Gap::Ids(event(send).message),
        PossibleEdge::Arrives(send, to) => Gap::Receive(to, event(send).message),
        PossibleEdge::Sent(from, receive) => Gap::Send(Some(from), event(receive).message),
        PossibleEdge::SentByAny(receive) => Gap::Send(None, event(receive).message),
    }
}

/// What would have to be known to decide an unproven pair.
fn deciding(judgement: &Judgement, pair: usize) -> Vec<Gap> {
    let pair = judgement.pairs[pair];
    let sections = [&judgement.sections.list[pair.first], &judgement.sections.list[pair.second]];
    let mut gaps = Vec::new();
    if sections.iter().any(|section| section.end == SectionEnd::Unknown) {
        gaps.push(Gap::Exit);
    }
    if judgement.luck == LuckRule::NoMessages {
        gaps.extend([Gap::AnyMessage, Gap::Skew]);
    }
    let order = &judgement.order;
    for (first, second) in [(sections[0], sections[1]), (sections[1], sections[0])] {
        let Some(exit) = first.end.event() else { continue };
        let reach = judgement.possible.reach(order, exit);
        let node = second.node as usize;
        if order.local.place[second.enter as usize] < reach[node] {
            continue;
        }
        // possible arrows that begin where the exit leads and end in the past of the entry
        for edge in &judgement.messages.possible {
            let (from, to) = match *edge {
                PossibleEdge::Message((from, to)) => (Some(from), Some(to)),
                PossibleEdge::Arrives(send, _) => (Some(send), None),
                PossibleEdge::Sent(_, receive) | PossibleEdge::SentByAny(receive) => (None, Some(receive)),
            };
            let begins = from.is_none_or(|from| from == exit || order.before(exit, from));
            let ends = to.is_none_or(|to| to == second.enter || order.before(to, second.enter));
            if begins && ends && edge_leads(judgement, *edge, second.node) {
                gaps.push(gap_of(judgement, *edge));
            }
        }
    }
    gaps.sort_by_key(|gap| format!("{gap:?}"));
    gaps.dedup();
    gaps
}

/// Whether a message without a receive goes to the node that matters.
fn edge_leads(judgement: &Judgement, edge: PossibleEdge, node: u32) -> bool {
    match edge {
        PossibleEdge::Arrives(_, to) => {
            let enters = |at: &u32| judgement.log.events[*at as usize].kind == EventKind::Enter;
            to == node || !judgement.order.local.of_node[to as usize].iter().any(enters)
        }
        _ => true,
    }
}
