//! The space-time diagram of a log as plain lists, small enough to be sent to the page.

use lockstep_scene::long::{ArrowLook, LongArrow, LongDiagram, LongEvent, LongSection, LongStub};
use lockstep_trace::messages::Certainty;
use lockstep_trace::section::SectionEnd;
use lockstep_trace::{EventKind, Judgement};
use serde::{Deserialize, Serialize};

/// The diagram of a log. Events are numbered as in the log; there is one entry of each list for
/// each of them.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
pub struct LogSketch {
    /// The names of the nodes.
    pub nodes: Vec<String>,
    /// The words that `word` counts: what each event does, and the kind of its message.
    pub words: Vec<String>,
    /// The node of each event.
    pub node: Vec<u32>,
    /// What each event does, by its position in [`EventKind::ALL`].
    pub kind: Vec<u8>,
    /// The words of each event.
    pub word: Vec<u32>,
    /// The place of each event in an order that agrees with happens-before.
    pub rank: Vec<u32>,
    /// Wall time, if the log has it.
    pub time: Vec<Option<f64>>,
    /// The file of each event.
    pub file: Vec<u32>,
    /// The line of each event, counted from 1.
    pub line: Vec<u32>,
    /// Messages: send, receive, and how certain ([`ArrowLook`]).
    pub arrows: Vec<(u32, u32, u8)>,
    /// Ends without the other end: the event, the other node if it is known, whether it was sent.
    pub stubs: Vec<(u32, Option<u32>, bool)>,
    /// Sections: node, entry, end.
    pub sections: Vec<(u32, u32, Option<u32>)>,
}

impl LogSketch {
    /// The diagram of a judgement.
    pub fn of(judgement: &Judgement) -> LogSketch {
        let log = &judgement.log;
        let mut sketch = LogSketch {
            nodes: (0..log.nodes.len() as u32).map(|node| log.node_name(node).to_owned()).collect(),
            rank: judgement.order.rank.clone(),
            ..LogSketch::default()
        };
        let timed = log.events.iter().any(|event| event.time.is_some());
        let mut known: Vec<((u8, Option<u32>), u32)> = Vec::new();
        for event in &log.events {
            let kind = EventKind::ALL.iter().position(|(_, kind)| *kind == event.kind).unwrap_or_default() as u8;
            let key = (kind, event.message);
            let word = match known.iter().find(|(other, _)| *other == key) {
                Some((_, word)) => *word,
                None => {
                    let message = event.message.map(|word| format!(" {}", log.words.word(word))).unwrap_or_default();
                    sketch.words.push(format!("{}{message}", event.kind.name()));
                    // logs have few kinds of messages; beyond some hundred they share one word
                    if known.len() < 300 {
                        known.push((key, sketch.words.len() as u32 - 1));
                    }
                    sketch.words.len() as u32 - 1
                }
            };
            sketch.node.push(event.node);
            sketch.kind.push(kind);
            sketch.word.push(word);
            sketch.file.push(event.file);
            sketch.line.push(event.line);
            if timed {
                sketch.time.push(event.time);
            }
        }
        sketch.arrows = arrows(judgement);
        let messages = &judgement.messages;
        sketch
            .stubs
            .extend(messages.strays.iter().map(|receive| (*receive, log.events[*receive as usize].from, false)));
        sketch.stubs.extend(messages.unreceived.iter().map(|(send, to)| (*send, Some(*to), true)));
        sketch.sections = judgement
            .sections
            .list
            .iter()
            .map(|section| {
                let end = match section.end {
                    SectionEnd::Unknown => Some(section.enter),
                    end => end.event(),
                };
                (section.node, section.enter, end)
            })
            .collect();
        sketch
    }

    /// What the page draws.
    pub fn diagram(&self) -> LongDiagram {
        let events = (0..self.node.len()).map(|at| LongEvent {
            node: self.node[at],
            mark: EventKind::ALL.get(usize::from(self.kind[at])).map_or("note", |(name, _)| name),
            word: self.word[at],
            rank: self.rank[at],
            time: self.time.get(at).copied().flatten(),
        });
        let arrows = self.arrows.iter().map(|(from, to, look)| LongArrow {
            from: *from,
            to: *to,
            look: ArrowLook::ALL[usize::from(*look).min(ArrowLook::ALL.len() - 1)],
        });
        let stubs = self.stubs.iter().map(|(event, peer, sent)| LongStub { event: *event, peer: *peer, sent: *sent });
        let sections =
            self.sections.iter().map(|(node, enter, end)| LongSection { node: *node, enter: *enter, end: *end });
        LongDiagram::new(
            self.nodes.clone(),
            self.words.clone(),
            events.collect(),
            arrows.collect(),
            stubs.collect(),
            sections.collect(),
        )
    }
}

fn arrows(judgement: &Judgement) -> Vec<(u32, u32, u8)> {
    let look = |look: ArrowLook| look as u8;
    let mut red = judgement.order.contradictory.clone();
    red.sort_unstable();
    let messages = &judgement.messages;
    let certain =
        messages.arrows.iter().filter(|arrow| red.binary_search(&(arrow.send, arrow.receive)).is_err()).map(|arrow| {
            let sure = match arrow.certainty {
                Certainty::Exact => ArrowLook::Exact,
                Certainty::AtLeast => ArrowLook::AtLeast,
            };
            (arrow.send, arrow.receive, look(sure))
        });
    let vectors = judgement.log.vector_arrows.iter().map(|(to, from)| (*from, *to, look(ArrowLook::Exact)));
    let ambiguous = messages
        .ambiguous
        .iter()
        .flat_map(|(receive, sends)| sends.iter().map(|send| (*send, *receive, look(ArrowLook::Candidate))));
    let contradictory = red.iter().map(|(from, to)| (*from, *to, look(ArrowLook::Contradictory)));
    certain.chain(vectors).chain(ambiguous).chain(contradictory).collect()
}
