//! Messages: which receive belongs to which send, as far as the log says it.

use crate::event::{EventKind, WordId};
use crate::log::{Log, MOST_ENDS};
use crate::order::{CausalOrder, Edge};
use hashbrown::HashMap;

/// How often the counting of unknown senders is repeated, at most. Each round is sound by itself.
const ROUNDS: usize = 12;
/// More possible arrows than this are not searched: everything counts as possible then.
pub(crate) const MOST_POSSIBLE: usize = 8_000_000;

/// Messages to one node, of one kind, about one lock.
type ClassKey = (u32, Option<WordId>, Option<WordId>);

/// A message on its way to one receiver.
#[derive(Clone, Copy, Debug)]
struct SendEnd {
    event: u32,
    from: u32,
    matched: bool,
}

#[derive(Clone, Debug, Default)]
struct MessageClass {
    sends: Vec<SendEnd>,
    receives: Vec<u32>,
}

/// How sure a message is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Certainty {
    /// An id, a unique stamp, or the order of a channel says it.
    Exact,
    /// The receive comes after this send, but may belong to a later one.
    AtLeast,
}

/// A message from a send to a receive.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Arrow {
    /// The send, by its position in the log.
    pub send: u32,
    /// The receive.
    pub receive: u32,
    /// How sure it is.
    pub certainty: Certainty,
}

/// What could be, besides what is certain.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum PossibleEdge {
    /// The receive may belong to this send.
    Message(Edge),
    /// A message of this send to this node has no receive: it may have arrived at any time.
    Arrives(u32, u32),
    /// A message from this node has no send: it may have been sent at any time.
    Sent(u32, u32),
    /// The same from any node.
    SentByAny(u32),
}

/// The messages of a log.
#[derive(Clone, Debug, Default)]
pub struct Messages {
    /// Certain messages, for drawings and explanations.
    pub arrows: Vec<Arrow>,
    /// Receives that may belong to several sends, with these, at most 20 of each.
    pub ambiguous: Vec<(u32, Vec<u32>)>,
    /// Receives without a send. Where a class has too many receives, all of them are listed.
    pub strays: Vec<u32>,
    /// Sends without a receive, with the receiver. Where a class has too many sends, all are
    /// listed.
    pub unreceived: Vec<(u32, u32)>,
    /// Sends, counted once for each receiver.
    pub sends: usize,
    /// Receives.
    pub receives: usize,
    /// How many receives have no send.
    pub receives_without_send: usize,
    /// How many sends have no receive and are not said to be lost.
    pub sends_without_receive: usize,
    /// Receives of a message that was received already.
    pub duplicates: usize,
    /// Sends by kind.
    pub by_kind: Vec<(Option<WordId>, usize)>,
    pub(crate) possible: Vec<PossibleEdge>,
    /// Whether there are too many possible edges to list: then everything is possible.
    pub(crate) unlimited: bool,
}

impl Messages {
    /// Adds what could be.
    fn may(&mut self, edge: PossibleEdge) {
        if self.possible.len() < MOST_POSSIBLE {
            self.possible.push(edge);
        } else {
            self.unlimited = true;
        }
    }
}

/// Receives whose senders are unknown, in one class, with the sends that remain.
struct Counted {
    /// Receives that remain, in order, and whether their sender is unknown.
    receives: Vec<(u32, bool)>,
    /// For each sender its remaining sends, in order.
    sends: Vec<(u32, Vec<u32>)>,
}

/// Matches sends and receives and closes the order; an error says that there are too many.
pub fn match_messages(log: &Log, order: &mut CausalOrder) -> Result<Messages, String> {
    let mut messages = Messages::default();
    let mut classes = classes(log, &mut messages)?;
    let by_vectors = log.vectors;
    let mut counted = Vec::new();
    let mut keys: Vec<ClassKey> = classes.keys().copied().collect();
    keys.sort_unstable();
    let mut certain = Vec::new();
    for key in &keys {
        let Some(class) = classes.get_mut(key) else { continue };
        let (left, strays) = exact(log, class, &mut messages, &mut certain);
        if let Some(counts) = channels(log, key.0, class, &left, strays, &mut messages, &mut certain) {
            counted.push(counts);
        }
    }
    if by_vectors {
        // the clocks say everything; the messages are only counted and drawn
        messages.possible.clear();
        messages.unlimited = false;
        certain.clear();
        counted.clear();
    }
    certain.extend(log.vector_arrows.iter().map(|(to, from)| (*from, *to)));
    order.edges = certain;
    order.close(log)?;
    count_senders(log, order, &counted, &mut messages)?;
    for (from, to) in order.contradictory.clone() {
        messages.may(PossibleEdge::Message((from, to)));
    }
    Ok(messages)
}

fn classes(log: &Log, messages: &mut Messages) -> Result<HashMap<ClassKey, MessageClass>, String> {
    let nodes = log.nodes.len() as u32;
    let mut classes: HashMap<ClassKey, MessageClass> = HashMap::new();
    let mut kinds: HashMap<Option<WordId>, usize> = HashMap::new();
    for (at, event) in log.events.iter().enumerate() {
        match event.kind {
            EventKind::Send => {
                let ends = event.to.count(event.node, nodes);
                messages.sends += ends;
                if messages.sends > MOST_ENDS {
                    return Err(format!(
                        "The log sends more than {MOST_ENDS} messages, counted once for each receiver. Judge fewer nodes at a time."
                    ));
                }
                *kinds.entry(event.message).or_default() += ends;
                if !event.lost {
                    event.to.each(event.node, nodes, |to| {
                        let class = classes.entry((to, event.message, event.lock)).or_default();
                        class.sends.push(SendEnd { event: at as u32, from: event.node, matched: false });
                    });
                }
            }
            EventKind::Recv => {
                messages.receives += 1;
                classes.entry((event.node, event.message, event.lock)).or_default().receives.push(at as u32);
            }
            _ => {}
        }
    }
    let name = |kind: &Option<WordId>| kind.map_or("", |kind| log.words.word(kind));
    messages.by_kind = kinds.into_iter().collect();
    messages.by_kind.sort_by(|(a, _), (b, _)| name(a).cmp(name(b)));
    Ok(classes)
}

/// Why no send has a word.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum NoSend {
    /// It was never sent.
    Unsent,
    /// Several sends have it.
    Several,
}

/// The sends of a class by id or by stamp, of each sender and of all.
struct SentWords(HashMap<(WordId, Option<u32>), Result<usize, NoSend>>);

impl SentWords {
    fn of(sends: &[SendEnd], word: impl Fn(u32) -> Option<WordId>) -> SentWords {
        let mut index = HashMap::new();
        for (at, send) in sends.iter().enumerate() {
            let Some(word) = word(send.event) else { continue };
            for from in [None, Some(send.from)] {
                index.entry((word, from)).and_modify(|found| *found = Err(NoSend::Several)).or_insert(Ok(at));
            }
        }
        SentWords(index)
    }

    /// The only send with a word.
    fn only(&self, word: WordId, from: Option<u32>) -> Result<usize, NoSend> {
        self.0.get(&(word, from)).copied().unwrap_or(Err(NoSend::Unsent))
    }
}

/// Matches by id and by unique stamp. Returns the receives that are left, and how many have an id
/// or a stamp that was never sent.
fn exact(log: &Log, class: &mut MessageClass, messages: &mut Messages, certain: &mut Vec<Edge>) -> (Vec<u32>, usize) {
    let event = |at: u32| &log.events[at as usize];
    let with_id = class.sends.iter().any(|send| event(send.event).id.is_some());
    let with_stamp = class.sends.iter().any(|send| event(send.event).stamp.is_some());
    if !with_id && !with_stamp {
        return (class.receives.clone(), 0);
    }
    let ids = SentWords::of(&class.sends, |at| event(at).id);
    let stamps = SentWords::of(&class.sends, |at| event(at).stamp);
    let all_stamped = class.sends.iter().all(|send| event(send.event).stamp.is_some());
    // how often a stamp was received: from each sender, and in all
    let mut stamps_received: HashMap<(WordId, Option<u32>), usize> = HashMap::new();
    for receive in class.receives.iter().map(|at| event(*at)) {
        if let Some(stamp) = receive.stamp {
            *stamps_received.entry((stamp, None)).or_default() += 1;
            if receive.from.is_some() {
                *stamps_received.entry((stamp, receive.from)).or_default() += 1;
            }
        }
    }
    let (mut left, mut strays) = (Vec::new(), 0);
    for receive in class.receives.clone() {
        let of = event(receive);
        let by_id = of.id.filter(|_| with_id).map(|id| ids.only(id, of.from));
        let once = |stamp: WordId| stamps_received.get(&(stamp, of.from)) == Some(&1);
        let by_stamp = || match of.stamp.filter(|_| with_stamp) {
            Some(stamp) => match stamps.only(stamp, of.from) {
                Ok(at) if once(stamp) => Some(Ok(at)),
                Ok(_) => None,
                Err(NoSend::Unsent) if all_stamped => Some(Err(NoSend::Unsent)),
                Err(_) => None,
            },
            None => None,
        };
        match by_id.filter(|found| *found != Err(NoSend::Several)).or_else(by_stamp) {
            Some(Ok(at)) => {
                let send = &mut class.sends[at];
                messages.duplicates += usize::from(send.matched);
                send.matched = true;
                certain.push((send.event, receive));
                messages.arrows.push(Arrow { send: send.event, receive, certainty: Certainty::Exact });
            }
            Some(Err(_)) => {
                strays += 1;
                messages.strays.push(receive);
                let sent = of.from.map_or(PossibleEdge::SentByAny(receive), |from| PossibleEdge::Sent(from, receive));
                messages.may(sent);
            }
            None => left.push(receive),
        }
    }
    (left, strays)
}

/// Matches what is left by the order of sending and receiving on each channel.
fn channels(
    log: &Log,
    to: u32,
    class: &MessageClass,
    left: &[u32],
    strays: usize,
    messages: &mut Messages,
    certain: &mut Vec<Edge>,
) -> Option<Counted> {
    let mut sends: Vec<(u32, Vec<u32>)> = Vec::new();
    let mut ends: Vec<SendEnd> = class.sends.iter().copied().filter(|send| !send.matched).collect();
    ends.sort_by_key(|send| (send.from, send.event));
    for send in &ends {
        match sends.last_mut() {
            Some((from, list)) if *from == send.from => list.push(send.event),
            _ => sends.push((send.from, vec![send.event])),
        }
    }
    let mut from_known: HashMap<u32, Vec<u32>> = HashMap::new();
    let mut unknown = Vec::new();
    for receive in left {
        match log.events[*receive as usize].from {
            Some(from) => from_known.entry(from).or_default().push(*receive),
            None => unknown.push(*receive),
        }
    }
    messages.receives_without_send += strays;
    let total: usize = sends.iter().map(|(_, list)| list.len()).sum();
    let mut overfull = 0;
    let mut senders: Vec<u32> = sends.iter().map(|(from, _)| *from).chain(from_known.keys().copied()).collect();
    senders.sort_unstable();
    senders.dedup();
    for from in senders {
        let at = sends.binary_search_by_key(&from, |(node, _)| *node);
        let sent = at.map_or(&[][..], |at| &sends[at].1);
        let received = from_known.get(&from).map_or(&[][..], |list| list);
        if received.len() > sent.len() {
            overfull += received.len() - sent.len();
            messages.strays.extend(received);
            received.iter().for_each(|receive| messages.may(PossibleEdge::Sent(from, *receive)));
            continue;
        }
        let exact = log.header.fifo && unknown.is_empty() && received.len() == sent.len();
        let surplus = sent.len() - received.len();
        for (n, receive) in received.iter().enumerate() {
            certain.push((sent[n], *receive));
            let only = exact || sent.len() == 1;
            let certainty = if only { Certainty::Exact } else { Certainty::AtLeast };
            messages.arrows.push(Arrow { send: sent[n], receive: *receive, certainty });
            if !only {
                let latest = if log.header.fifo { n + surplus } else { sent.len() - 1 };
                let earliest = if log.header.fifo { n } else { 0 };
                messages.ambiguous.push((*receive, sent[earliest..=latest].iter().take(20).copied().collect()));
                messages.may(PossibleEdge::Message((sent[latest], *receive)));
            }
        }
        if surplus > 0 && unknown.is_empty() {
            arrives(log, to, sent, messages);
        }
    }
    messages.receives_without_send += overfull;
    let received: usize = left.len();
    let too_many = overfull > 0 || received > total;
    if !unknown.is_empty() && too_many {
        messages.receives_without_send += received.saturating_sub(total).saturating_sub(overfull);
        messages.strays.extend(&unknown);
        unknown.iter().for_each(|receive| messages.may(PossibleEdge::SentByAny(*receive)));
    }
    if overfull == 0 {
        messages.sends_without_receive += total.saturating_sub(received);
    }
    if unknown.is_empty() {
        return None;
    }
    if total > received || too_many {
        for (_, sent) in &sends {
            arrives(log, to, sent, messages);
        }
    }
    if too_many {
        return None;
    }
    let receives = left.iter().map(|at| (*at, log.events[*at as usize].from.is_none())).collect();
    Some(Counted { receives, sends })
}

/// Messages that may have arrived without a line.
fn arrives(log: &Log, to: u32, sent: &[u32], messages: &mut Messages) {
    messages.unreceived.extend(sent.iter().map(|send| (*send, to)));
    if log.header.complete != Some(true) {
        sent.iter().for_each(|send| messages.may(PossibleEdge::Arrives(*send, to)));
    }
}

/// Unknown senders: the n-th receive belongs to some send of every node whose share of the first n
/// messages cannot be covered by the others.
fn count_senders(
    log: &Log,
    order: &mut CausalOrder,
    counted: &[Counted],
    messages: &mut Messages,
) -> Result<(), String> {
    let pairs: usize = counted.iter().map(|class| class.receives.len() * class.sends.len()).sum();
    if pairs > MOST_POSSIBLE {
        messages.unlimited = true;
        return Ok(());
    }
    let mut best: HashMap<(u32, u32), usize> = HashMap::new();
    for _ in 0..ROUNDS {
        let mut new = Vec::new();
        for class in counted {
            for (n, (receive, unknown)) in class.receives.iter().enumerate() {
                if !unknown {
                    continue;
                }
                // of each sender, the sends that are not known to come after this receive
                let possible: Vec<usize> = class
                    .sends
                    .iter()
                    .map(|(_, list)| list.partition_point(|send| !order.before(*receive, *send)))
                    .collect();
                let all: usize = possible.iter().sum();
                for ((from, list), mine) in class.sends.iter().zip(&possible) {
                    let needed = (n + 1).saturating_sub(all - mine);
                    let known = best.entry((*receive, *from)).or_default();
                    if needed > *known && needed <= list.len() {
                        *known = needed;
                        new.push((list[needed - 1], *receive));
                    }
                }
            }
        }
        if new.is_empty() {
            break;
        }
        order.edges.extend(new);
        order.close(log)?;
    }
    let contradictory: hashbrown::HashSet<Edge> = order.contradictory.iter().copied().collect();
    for class in counted {
        for (receive, _) in class.receives.iter().filter(|(_, unknown)| *unknown) {
            let mut candidates = Vec::new();
            for (from, list) in &class.sends {
                let known = best.get(&(*receive, *from)).copied().unwrap_or(0);
                let last = list.partition_point(|send| !order.before(*receive, *send));
                if known > 0 && !contradictory.contains(&(list[known - 1], *receive)) {
                    let only = class.sends.len() == 1 && last == known;
                    let certainty = if only { Certainty::Exact } else { Certainty::AtLeast };
                    messages.arrows.push(Arrow { send: list[known - 1], receive: *receive, certainty });
                }
                candidates.extend(list[..last].iter().rev().take(20));
                if let Some(send) = last.checked_sub(1).map(|at| list[at]) {
                    messages.may(PossibleEdge::Message((send, *receive)));
                }
            }
            if candidates.len() > 1 {
                candidates.sort_unstable();
                candidates.truncate(20);
                messages.ambiguous.push((*receive, candidates));
            }
        }
    }
    Ok(())
}
