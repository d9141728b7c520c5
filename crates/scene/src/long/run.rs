//! The long diagram of a run on the stage, made of one light step for each event: no frames are
//! needed, so a run may be as long as its list of steps.

use super::{ArrowLook, LongArrow, LongDiagram, LongEvent, LongSection, LongStub, VIOLATION};
use lockstep_kernel::ids::units;
use lockstep_kernel::{Event, Frame, NodeId, Setup, ThreadId, Time};
use std::collections::{BTreeMap, BTreeSet};

/// A step of a run, as far as its diagram needs it.
#[derive(Clone, Copy, Debug)]
pub struct RunStep<'a> {
    /// In words.
    pub title: &'a str,
    /// The event; none for the beginning.
    pub event: Option<Event>,
    /// The node at which it happened.
    pub node: NodeId,
    /// Virtual time after it.
    pub now: Time,
    /// The messages that it sent.
    pub sent: &'a [u32],
    /// The threads that it let in.
    pub granted: &'a [ThreadId],
    /// Whether an invariant is violated after it.
    pub violated: bool,
}

impl<'a> From<&'a Frame> for RunStep<'a> {
    fn from(frame: &'a Frame) -> RunStep<'a> {
        let last = frame.last.as_ref();
        RunStep {
            title: last.map_or("the beginning", |last| &last.title),
            event: last.map(|last| last.event),
            node: last.map_or(NodeId(0), |last| last.node),
            now: frame.now,
            sent: last.map_or(&[], |last| &last.sent),
            granted: last.map_or(&[], |last| &last.granted),
            violated: frame.invariants.iter().any(|invariant| invariant.broken.is_some()),
        }
    }
}

/// The diagram of a run. Its events are numbered as the steps are; a step is marked by what it does
/// last: it lets a thread in, or else by its event.
pub fn diagram<'a>(setup: &Setup, steps: impl IntoIterator<Item = RunStep<'a>>) -> LongDiagram {
    let nodes = (0..setup.nodes() as u32).map(|node| setup.name(NodeId(node)).to_owned()).collect();
    let mut run = RunLists::default();
    steps.into_iter().for_each(|step| run.add(&step));
    run.finish(nodes)
}

/// What is known of a run so far.
#[derive(Default)]
struct RunLists {
    words: Vec<String>,
    /// The number of each word.
    known: BTreeMap<String, u32>,
    titles: Vec<String>,
    events: Vec<LongEvent>,
    arrows: Vec<LongArrow>,
    sections: Vec<LongSection>,
    /// The step that sent each message in flight. A copy is sent where its original was.
    sent: BTreeMap<u32, u32>,
    /// Messages that were dropped or that reached a node that was down, by the step that sent them.
    lost: Vec<LongStub>,
    /// The nodes that are down.
    down: BTreeSet<NodeId>,
    /// The section in which each thread is.
    inside: BTreeMap<ThreadId, usize>,
    violated: bool,
}

impl RunLists {
    fn add(&mut self, step: &RunStep<'_>) {
        let at = self.events.len() as u32;
        match step.event {
            Some(Event::Drop(id)) => self.lose(id, step.node),
            Some(Event::Deliver(id)) if self.down.contains(&step.node) => self.lose(id, step.node),
            Some(Event::Deliver(id)) => {
                let sent = self.sent.remove(&id);
                let arrow = |from| LongArrow { from, to: at, look: ArrowLook::Exact };
                // a step that a node schedules for itself is no message between nodes
                let apart = sent.filter(|from| self.events[*from as usize].node != step.node.0);
                self.arrows.extend(apart.map(arrow));
            }
            Some(Event::Release(thread)) => self.leave(thread, at),
            Some(Event::Restart(node)) => drop(self.down.remove(&node)),
            Some(Event::Crash(node)) => {
                self.down.insert(node);
                let of_node = |(_, section): &(&ThreadId, &usize)| self.sections[**section].node == node.0;
                let threads: Vec<ThreadId> = self.inside.iter().filter(of_node).map(|(thread, _)| *thread).collect();
                threads.into_iter().for_each(|thread| self.leave(thread, at));
            }
            _ => {}
        }
        let from = match step.event {
            Some(Event::Duplicate(id)) => self.sent.get(&id).copied().unwrap_or(at),
            _ => at,
        };
        self.sent.extend(step.sent.iter().map(|id| (*id, from)));
        for thread in step.granted {
            self.inside.insert(*thread, self.sections.len());
            self.sections.push(LongSection { node: step.node.0, enter: at, end: None });
        }
        let word = self.word(step);
        let begins = step.violated && !self.violated;
        self.violated = step.violated;
        self.events.push(LongEvent {
            node: step.node.0,
            mark: if begins { VIOLATION } else { mark(step) },
            word,
            rank: at,
            time: Some(units(step.now)),
        });
        self.titles.push(step.title.to_owned());
    }

    /// What stands beside the event: the message that arrives, or what the step does.
    fn word(&mut self, step: &RunStep<'_>) -> u32 {
        let delivered = step.title.strip_prefix("deliver ").and_then(|rest| rest.rsplit_once(' '));
        let word = match (mark(step), delivered) {
            ("recv", Some((message, _))) => message,
            ("fault", _) => step.title,
            ("note", _) => "",
            (mark, _) => mark,
        };
        let next = self.words.len() as u32;
        let number = *self.known.entry(word.to_owned()).or_insert(next);
        if number == next {
            self.words.push(word.to_owned());
        }
        number
    }

    fn lose(&mut self, id: u32, to: NodeId) {
        let sent = self.sent.remove(&id);
        self.lost.extend(sent.map(|event| LongStub { event, peer: Some(to.0), sent: true }));
    }

    fn leave(&mut self, thread: ThreadId, at: u32) {
        if let Some(section) = self.inside.remove(&thread) {
            self.sections[section].end = Some(at);
        }
    }

    fn finish(self, nodes: Vec<String>) -> LongDiagram {
        let in_flight = self.sent.values().map(|event| LongStub { event: *event, peer: None, sent: true });
        let stubs = self.lost.iter().copied().chain(in_flight).collect();
        LongDiagram::new(nodes, self.words, self.events, self.arrows, stubs, self.sections).with_titles(self.titles)
    }
}

fn mark(step: &RunStep<'_>) -> &'static str {
    match step.event {
        _ if !step.granted.is_empty() => "enter",
        Some(Event::Request(_) | Event::Lock(..)) => "request",
        Some(Event::Release(_) | Event::Cancel(_)) => "exit",
        Some(Event::Deliver(_)) => "recv",
        Some(_) => "fault",
        None => "note",
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::long::{DiagramMarks, LongAxis, camera};
    use crate::shape::Shape;
    use lockstep_kernel::Topology;

    fn of_class(shapes: &[Shape], class: &str) -> usize {
        let mut count = 0;
        shapes.iter().for_each(|shape| shape.walk(&mut |shape| count += usize::from(shape.class == class)));
        count
    }

    fn setup() -> Setup {
        Setup { names: ["p", "q"].map(str::to_owned).to_vec(), ..Setup::new(2, 1, Topology::Chain) }
    }

    fn step<'a>(title: &'a str, event: Event, node: u32, sent: &'a [u32], granted: &'a [ThreadId]) -> RunStep<'a> {
        RunStep { title, event: Some(event), node: NodeId(node), now: 0, sent, granted, violated: false }
    }

    #[test]
    fn a_run_has_messages_sections_and_violations() {
        let threads = [ThreadId(0), ThreadId(1)];
        let [p, q] = threads;
        let begin = RunStep {
            title: "the beginning",
            event: None,
            node: NodeId(0),
            now: 0,
            sent: &[],
            granted: &[],
            violated: false,
        };
        let violated = |step| RunStep { violated: true, ..step };
        let steps = [
            begin,
            step("p asks", Event::Request(p), 0, &[7, 8], &[]),
            step("deliver REQ p→q", Event::Deliver(7), 1, &[9], &[]),
            step("lose REQ p→q", Event::Drop(8), 1, &[], &[]),
            step("double OK q→p", Event::Duplicate(9), 1, &[10], &[]),
            step("deliver OK q→p", Event::Deliver(10), 0, &[], &threads[..1]),
            violated(step("q asks", Event::Request(q), 1, &[], &threads[1..])),
            violated(step("p leaves", Event::Release(p), 0, &[11, 12], &[])),
            step("q crashes", Event::Crash(NodeId(1)), 1, &[], &[]),
            step("deliver OK p→q", Event::Deliver(11), 1, &[], &[]),
            step("q restarts", Event::Restart(NodeId(1)), 1, &[], &[]),
            step("deliver OK p→q", Event::Deliver(12), 1, &[], &[]),
        ];
        let run = diagram(&setup(), steps);
        assert_eq!(run.nodes, ["p", "q"]);
        let arrows: Vec<(u32, u32)> = run.arrows.iter().map(|arrow| (arrow.from, arrow.to)).collect();
        assert_eq!(arrows, [(1, 2), (2, 5), (7, 11)], "a copy comes from the send of its original");
        let sections: Vec<(u32, u32, Option<u32>)> =
            run.sections.iter().map(|section| (section.node, section.enter, section.end)).collect();
        assert_eq!(sections, [(0, 5, Some(7)), (1, 6, Some(8))]);
        let stubs: Vec<(u32, Option<u32>)> = run.stubs.iter().map(|stub| (stub.event, stub.peer)).collect();
        assert_eq!(
            stubs,
            [(1, Some(1)), (7, Some(1)), (2, None)],
            "one dropped, one at a node that is down, one in flight"
        );
        let marks: Vec<&str> = run.events.iter().map(|event| event.mark).collect();
        assert_eq!(
            marks[..9],
            ["note", "request", "recv", "fault", "fault", "enter", "violation", "exit", "fault"],
            "{marks:?}"
        );
        assert_eq!((run.word(2), run.word(5), run.title(5).as_str()), ("REQ", "enter", "deliver OK q→p"));
        assert_eq!(run.find("ok"), [4, 5, 9, 11]);
    }

    #[test]
    fn a_run_of_50_000_steps_is_drawn_without_frames() {
        let titles: Vec<String> = (0..50_000).map(|at| format!("deliver M{at} p→q")).collect();
        let sent: Vec<[u32; 1]> = (0..50_000u32).map(|at| [at + 1]).collect();
        let steps = (0..50_000usize).map(|at| RunStep {
            now: at as u64 * 1_000,
            ..step(&titles[at], Event::Deliver(at as u32), at as u32 % 2, &sent[at], &[])
        });
        let mut run = diagram(&setup(), steps);
        assert_eq!((run.len(), run.arrows.len()), (50_000, 49_999));
        run.along(LongAxis::Time, None);
        let window = camera::whole(&run, 1_000.0, 72.0);
        let picture = run.draw(&window, &DiagramMarks::default());
        let mut shapes = 0;
        picture.layers.iter().for_each(|shape| shape.walk(&mut |_| shapes += 1));
        assert!(shapes < 100, "{shapes} shapes");
        assert_eq!(picture.undrawn.messages, 50_000, "with the one in flight");
        let close = run.draw(&camera::centred(&run, &window, 25_000), &DiagramMarks::default());
        assert!(of_class(&close.layers, "sent") > 10);
    }
}
