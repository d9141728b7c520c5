//! What a log lacks: the line to add, and which pairs it would decide.

use crate::event::EventKind;
use crate::judge::{Judgement, LuckRule, PairOrder};
use crate::log::Log;
use crate::messages::PossibleEdge;
use crate::possible::PossibleOrder;
use crate::print::{LackedEvent, LinePrinter};
use crate::section::SectionEnd;
use hashbrown::{HashMap, HashSet};

/// A line that is missing.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct MissingLine {
    /// Why it matters, in one sentence.
    pub reason: String,
    /// The line to print, in the format of the log; words in angle brackets are to be filled in.
    pub print: String,
    /// The statement that prints it, by language.
    pub statements: Vec<(&'static str, String)>,
    /// The pairs that it could decide, by their positions in [`Judgement::pairs`].
    pub pairs: Vec<usize>,
    /// How many lines of this kind are missing, if that is known.
    pub count: usize,
}

/// The most missing lines that are listed.
const MOST_LISTED: usize = 200;
/// The most unproven pairs for which is computed what would decide them.
const MOST_DECIDED: usize = 200;
/// The most possible arrows that are looked at for all of these pairs.
const MOST_LOOKED_AT: usize = 20_000_000;

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
enum Gap {
    Send(Option<u32>, Option<u32>),
    Receive(u32, Option<u32>),
    Sender(u32, Option<u32>),
    Ids(Option<u32>),
    Exit,
    AnyMessage,
    Skew,
}

/// What the log lacks, the most useful line first, at most 200 lines.
pub(crate) fn missing(judgement: &Judgement) -> Vec<MissingLine> {
    let mut gaps: Vec<(Gap, usize)> = Vec::new();
    let mut at: HashMap<Gap, usize> = HashMap::new();
    let mut add = |gap: Gap| match at.get(&gap) {
        Some(position) => gaps[*position].1 += 1,
        None => {
            at.insert(gap, gaps.len());
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
    let affordable = MOST_LOOKED_AT / judgement.possible.steps().max(1);
    let enters = entering(judgement);
    for pair in unproven.iter().take(MOST_DECIDED.min(affordable.max(1))) {
        for gap in deciding(judgement, *pair, &enters) {
            decides.entry(gap).or_default().push(*pair);
        }
    }
    let decided = |gap: &Gap| decides.get(gap).map_or(0, Vec::len);
    gaps.sort_by_key(|(gap, _)| std::cmp::Reverse(decided(gap)));
    gaps.truncate(MOST_LISTED);
    let printer = LinePrinter::new(log);
    let line = |(gap, count): (Gap, usize)| {
        let printed = lacked(gap).map_or_else(|| printer.skew(), |lacked| printer.print(&lacked));
        MissingLine {
            reason: reason(log, gap),
            print: printed.line,
            statements: printed.statements,
            pairs: decides.remove(&gap).unwrap_or_default(),
            count,
        }
    };
    gaps.into_iter().map(line).collect()
}

/// Why a line matters.
fn reason(log: &Log, gap: Gap) -> String {
    let kind = |kind: Option<u32>| kind.map_or("message", |kind| log.words.word(kind));
    let name = |node: u32| log.node_name(node);
    match gap {
        Gap::Send(from, word) => {
            format!("No line says that {} sent a {} that was received.", from.map_or("a node", name), kind(word))
        }
        Gap::Receive(to, word) => {
            format!("No line says when {} received a {} that was sent to it.", name(to), kind(word))
        }
        Gap::Sender(to, word) => format!("{} does not say from whom it received a {}.", name(to), kind(word)),
        Gap::Ids(word) => format!("Several sends of a {} could be the one that was received.", kind(word)),
        Gap::Exit => "No line says when a section ends.".to_owned(),
        Gap::AnyMessage => "The log has no messages: nothing shows what kept the sections apart.".to_owned(),
        Gap::Skew => "Only wall clocks can decide, and the log does not say how exact they are.".to_owned(),
    }
}

/// The event that has no line; none for the skew of the clocks, which is no event.
fn lacked(gap: Gap) -> Option<LackedEvent> {
    let event = |kind, node, message| LackedEvent { kind, node, message, id: false };
    Some(match gap {
        Gap::Send(from, word) => event(EventKind::Send, from, word),
        Gap::Receive(to, word) | Gap::Sender(to, word) => event(EventKind::Recv, Some(to), word),
        Gap::Ids(word) => LackedEvent { id: true, ..event(EventKind::Send, None, word) },
        Gap::Exit => event(EventKind::Exit, None, None),
        Gap::AnyMessage => event(EventKind::Send, None, None),
        Gap::Skew => return None,
    })
}

/// For each node whether it enters.
fn entering(judgement: &Judgement) -> Vec<bool> {
    let mut enters = vec![false; judgement.log.nodes.len()];
    let entries = judgement.log.events.iter().filter(|event| event.kind == EventKind::Enter);
    entries.for_each(|event| enters[event.node as usize] = true);
    enters
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
fn deciding(judgement: &Judgement, pair: usize, enters: &[bool]) -> HashSet<Gap> {
    let pair = judgement.pairs[pair];
    let sections = [&judgement.sections.list[pair.first], &judgement.sections.list[pair.second]];
    let mut gaps = HashSet::new();
    if sections.iter().any(|section| section.end == SectionEnd::Unknown) {
        gaps.insert(Gap::Exit);
    }
    if judgement.luck == LuckRule::NoMessages {
        gaps.extend([Gap::AnyMessage, Gap::Skew]);
    }
    let order = &judgement.order;
    for (first, second) in [(sections[0], sections[1]), (sections[1], sections[0])] {
        let Some(exit) = first.end.event() else { continue };
        let reach = judgement.possible.reach(order, exit);
        if !PossibleOrder::reaches(&reach, order, second.enter) {
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
            // a message without a receive matters where it goes to the node that enters next, or to
            // one that only passes messages on
            let leads = match *edge {
                PossibleEdge::Arrives(_, to) => to == second.node || !enters[to as usize],
                _ => true,
            };
            if begins && ends && leads {
                gaps.insert(gap_of(judgement, *edge));
            }
        }
    }
    gaps
}
