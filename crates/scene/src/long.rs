//! The space-time diagram of a long run: whatever its length, only what is in the window is drawn,
//! and never more than a bounded number of shapes.
//!
//! A [`LongDiagram`] has events, messages and sections. [`LongDiagram::draw`] gives the shapes of a
//! [`DiagramWindow`]: every event if they are few, else for each node how dense its events are.
//! Violations and uncertain messages are drawn in both cases; what is left out is counted.
//!
//! * [`run`] makes the diagram of a run on the stage.
//! * [`control`] says what pointer, wheel and keys do; [`camera`] moves a window.

pub mod camera;
pub mod control;
mod picture;
pub mod run;
pub mod span;

use crate::geometry::point;
use crate::shape::{Shape, num};
use picture::WindowFrame;
pub use picture::{LongPicture, Undrawn};
use span::SpanIndex;

/// The height of the row of a node.
pub const ROW: f64 = 30.0;
/// The most events that are drawn one by one.
pub const MOST_DETAIL: usize = 500;
/// The most messages that are drawn; further ones are counted.
pub const MOST_ARROWS: usize = 1_000;
/// The most sections that are drawn one by one.
pub const MOST_SECTIONS: usize = 600;
/// The most violations that are drawn where events are not drawn one by one.
pub const MOST_URGENT: usize = 300;
/// The most events with words beside them.
const MOST_WORDS: usize = 60;
/// Coordinates begin anew after so many pixels: the browser's are not exact far from zero.
pub const TILE: f64 = 32_768.0;
/// What is drawn on each side of a window, in windows: a small movement then needs no new shapes.
pub const MARGIN: f64 = 0.5;
/// The mark of an event that breaks an invariant: it is drawn at every zoom.
pub const VIOLATION: &str = "violation";

/// How certain a message is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ArrowLook {
    /// The receive belongs to the send.
    Exact,
    /// The receive comes after the send.
    AtLeast,
    /// The receive may belong to the send.
    Candidate,
    /// The message contradicts the order of the lines.
    Contradictory,
}

impl ArrowLook {
    /// All of them.
    pub const ALL: [ArrowLook; 4] =
        [ArrowLook::Exact, ArrowLook::AtLeast, ArrowLook::Candidate, ArrowLook::Contradictory];

    /// The messages that are drawn first: 0 contradicts, 1 is uncertain, 2 is certain.
    fn layer(self) -> usize {
        match self {
            ArrowLook::Contradictory => 0,
            ArrowLook::Candidate => 1,
            ArrowLook::Exact | ArrowLook::AtLeast => 2,
        }
    }

    fn class(self) -> &'static str {
        match self {
            ArrowLook::Exact => "sent",
            ArrowLook::AtLeast => "sent at-least",
            ArrowLook::Candidate => "sent candidate",
            ArrowLook::Contradictory => "sent contradictory",
        }
    }
}

/// An event.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct LongEvent {
    /// Its node.
    pub node: u32,
    /// What it does: a class name.
    pub mark: &'static str,
    /// Its words, by their position.
    pub word: u32,
    /// Its place in the order of events.
    pub rank: u32,
    /// Its time, if it is known.
    pub time: Option<f64>,
}

/// A message.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct LongArrow {
    /// The event that sends it.
    pub from: u32,
    /// The event that receives it.
    pub to: u32,
    /// How certain it is.
    pub look: ArrowLook,
}

/// An end of a message without the other end.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct LongStub {
    /// The event.
    pub event: u32,
    /// The other node, if it is known.
    pub peer: Option<u32>,
    /// Whether the event sends; else it receives.
    pub sent: bool,
}

/// A critical section.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct LongSection {
    /// Its node.
    pub node: u32,
    /// The entry.
    pub enter: u32,
    /// The end; none: the run ends inside.
    pub end: Option<u32>,
}

/// What is along the axis.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum LongAxis {
    /// One event after the other.
    #[default]
    Order,
    /// Time.
    Time,
}

/// The part of a diagram that is seen.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub struct DiagramWindow {
    /// What is at the left edge, in units of the axis.
    pub left: f64,
    /// Pixels for each unit.
    pub scale: f64,
    /// The pixels that are scrolled down.
    pub top: f64,
    /// The width in pixels.
    pub width: f64,
    /// The height in pixels.
    pub height: f64,
}

/// What is marked.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct DiagramMarks {
    /// The event that is chosen.
    pub event: Option<u32>,
    /// Events of a chain of messages, in order.
    pub chain: Vec<u32>,
    /// Sections that are chosen.
    pub sections: Vec<usize>,
    /// Two pasts: for each node, how many of its events belong to it.
    pub pasts: Vec<Vec<u32>>,
}

/// The diagram of a long run.
#[derive(Clone, Debug, Default)]
pub struct LongDiagram {
    /// The names of the nodes.
    pub nodes: Vec<String>,
    words: Vec<String>,
    /// For each event a longer text; none if words and node say it all.
    titles: Vec<String>,
    events: Vec<LongEvent>,
    arrows: Vec<LongArrow>,
    stubs: Vec<LongStub>,
    sections: Vec<LongSection>,
    /// For each event its position on the axis.
    x: Vec<f64>,
    /// The events by their position.
    by_x: Vec<u32>,
    /// For each node its events by their position.
    of_node: Vec<Vec<u32>>,
    /// For each node its events in the order of the log.
    lines_of_node: Vec<Vec<u32>>,
    /// The messages of each [`ArrowLook::layer`].
    arrow_spans: [SpanIndex; 3],
    /// The violations by their position.
    urgent: Vec<u32>,
    section_spans: SpanIndex,
    stubs_by_x: Vec<u32>,
    /// Where the axis begins and ends.
    range: (f64, f64),
    /// Whether the axis is time.
    along_time: bool,
}

impl LongDiagram {
    /// A diagram, along the order of its events.
    pub fn new(
        nodes: Vec<String>,
        words: Vec<String>,
        events: Vec<LongEvent>,
        arrows: Vec<LongArrow>,
        stubs: Vec<LongStub>,
        sections: Vec<LongSection>,
    ) -> LongDiagram {
        let mut lines_of_node = vec![Vec::new(); nodes.len()];
        for (at, event) in events.iter().enumerate() {
            lines_of_node[event.node as usize].push(at as u32);
        }
        let mut diagram =
            LongDiagram { nodes, words, events, arrows, stubs, sections, lines_of_node, ..LongDiagram::default() };
        diagram.along(LongAxis::Order, None);
        diagram
    }

    /// The same with a longer text for each event.
    pub fn with_titles(self, titles: Vec<String>) -> LongDiagram {
        LongDiagram { titles, ..self }
    }

    fn word(&self, event: u32) -> &str {
        self.words.get(self.events[event as usize].word as usize).map_or("", String::as_str)
    }

    /// An event in words.
    pub fn title(&self, event: u32) -> String {
        let node = |event: &LongEvent| &self.nodes[event.node as usize];
        let named = || self.events.get(event as usize).map(|of| format!("{} {}", node(of), self.word(event)));
        self.titles.get(event as usize).cloned().or_else(named).unwrap_or_default()
    }

    /// The events whose words contain a text, by their position; upper case does not matter.
    pub fn find(&self, text: &str) -> Vec<u32> {
        let wanted = text.trim().to_lowercase();
        let found = |event: &u32| !wanted.is_empty() && self.title(*event).to_lowercase().contains(&wanted);
        self.by_x.iter().copied().filter(found).collect()
    }

    /// Whether events have times.
    pub fn has_times(&self) -> bool {
        self.events.iter().any(|event| event.time.is_some())
    }

    /// How many events there are.
    pub fn len(&self) -> usize {
        self.events.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.events.is_empty()
    }

    /// Where the axis begins and ends.
    pub fn range(&self) -> (f64, f64) {
        self.range
    }

    /// The height of all rows.
    pub fn height(&self) -> f64 {
        self.nodes.len() as f64 * ROW
    }

    /// The position of an event on the axis.
    pub fn position(&self, event: u32) -> Option<f64> {
        self.x.get(event as usize).copied()
    }

    /// The node of an event.
    pub fn node(&self, event: u32) -> Option<u32> {
        self.events.get(event as usize).map(|event| event.node)
    }

    /// The next event of the same node on the axis, or the one before.
    pub fn neighbour(&self, event: u32, forwards: bool) -> Option<u32> {
        let list = self.of_node.get(self.node(event)? as usize)?;
        let at = list.iter().position(|other| *other == event)?;
        list.get(if forwards { at + 1 } else { at.checked_sub(1)? }).copied()
    }

    /// The first section that an event begins or ends.
    pub fn section_of(&self, event: u32) -> Option<usize> {
        self.sections.iter().position(|section| section.enter == event || section.end == Some(event))
    }

    /// The event that begins a section.
    pub fn entry_of(&self, section: usize) -> Option<u32> {
        self.sections.get(section).map(|section| section.enter)
    }

    /// The event nearest to a position.
    pub fn nearest(&self, position: f64) -> Option<u32> {
        let at = self.by_x.partition_point(|event| self.x[*event as usize] < position);
        self.by_x.get(at).or(self.by_x.last()).copied()
    }

    /// Lays the events along an axis. `rank`: another order of the events than their own.
    pub fn along(&mut self, axis: LongAxis, rank: Option<&[u32]>) {
        self.along_time = axis == LongAxis::Time && self.has_times();
        self.x = match (axis, rank) {
            (LongAxis::Time, _) if self.has_times() => self.times(),
            (_, Some(rank)) if rank.len() == self.events.len() => rank.iter().map(|rank| f64::from(*rank)).collect(),
            _ => self.events.iter().map(|event| f64::from(event.rank)).collect(),
        };
        let x = &self.x;
        let by_x = |list: &mut Vec<u32>| list.sort_by(|a, b| x[*a as usize].total_cmp(&x[*b as usize]));
        self.by_x = (0..self.events.len() as u32).collect();
        by_x(&mut self.by_x);
        self.of_node = vec![Vec::new(); self.nodes.len()];
        for event in &self.by_x {
            self.of_node[self.events[*event as usize].node as usize].push(*event);
        }
        self.stubs_by_x = (0..self.stubs.len() as u32).collect();
        self.stubs_by_x.sort_by(|a, b| {
            x[self.stubs[*a as usize].event as usize].total_cmp(&x[self.stubs[*b as usize].event as usize])
        });
        let first = self.by_x.first().map_or(0.0, |event| x[*event as usize]);
        let last = self.by_x.last().map_or(1.0, |event| x[*event as usize]);
        self.range = (first, if last > first { last } else { first + 1.0 });
        let place = |event: u32| x[event as usize];
        let arrows = &self.arrows;
        self.arrow_spans = [0, 1, 2].map(|layer| {
            let of_layer = arrows.iter().enumerate().filter(|(_, arrow)| arrow.look.layer() == layer);
            SpanIndex::of(of_layer.map(|(at, arrow)| {
                let (a, b) = (place(arrow.from), place(arrow.to));
                (at as u32, a.min(b), a.max(b))
            }))
        });
        let violates = |event: &u32| self.events[*event as usize].mark == VIOLATION;
        self.urgent = self.by_x.iter().copied().filter(violates).collect();
        let end = self.range.1;
        self.section_spans = SpanIndex::of(self.sections.iter().enumerate().map(|(at, section)| {
            let (a, b) = (place(section.enter), section.end.map_or(end, place));
            (at as u32, a.min(b), a.max(b))
        }));
    }

    /// Times; an event without one has that of the event before it at its node.
    fn times(&self) -> Vec<f64> {
        let least = self.events.iter().filter_map(|event| event.time).fold(f64::INFINITY, f64::min);
        let mut last = vec![0.0; self.nodes.len()];
        self.events
            .iter()
            .map(|event| {
                let last = &mut last[event.node as usize];
                if let Some(time) = event.time {
                    *last = time - least;
                }
                *last
            })
            .collect()
    }

    /// Where the shapes of a window begin: pixels from the start of the axis.
    pub fn origin(&self, window: &DiagramWindow) -> f64 {
        let left = (window.left - self.range.0) * window.scale;
        (left / TILE).floor() * TILE
    }

    /// The shapes of a window and of [`MARGIN`] windows on each side of it. Their coordinates count
    /// from [`LongDiagram::origin`] and from the first row.
    pub fn draw(&self, window: &DiagramWindow, marks: &DiagramMarks) -> LongPicture {
        WindowFrame::of(self, window).draw(marks)
    }

    /// The names of the nodes that are seen, at the left edge; their heights count from the first
    /// row.
    pub fn names(&self, window: &DiagramWindow) -> Vec<Shape> {
        let name = |row: usize| {
            let text: String = self.nodes[row].chars().take(16).collect();
            let at = point(4.0, row as f64 * ROW + ROW / 2.0 - 6.0);
            Shape::text(format!("name-{row}"), "lane-name", at, text).titled(self.nodes[row].clone())
        };
        WindowFrame::of(self, window).rows().map(name).collect()
    }

    /// The whole run in a strip of this size: how dense its events are, and a line for each place
    /// with a violation or an uncertain message.
    pub fn overview(&self, width: f64, height: f64) -> Vec<Shape> {
        let columns = (width / 2.0).max(1.0) as usize;
        let scale = columns as f64 / (self.range.1 - self.range.0);
        let column = |event: &u32| (((self.x[*event as usize] - self.range.0) * scale) as usize).min(columns - 1);
        let counts = |events: &mut dyn Iterator<Item = u32>| {
            let mut counts = vec![0usize; columns];
            events.for_each(|event| counts[column(&event)] += 1);
            counts
        };
        let ends = |look: ArrowLook| self.arrows.iter().filter(move |arrow| arrow.look == look).map(|arrow| arrow.to);
        let all = counts(&mut self.by_x.iter().copied());
        let most = all.iter().copied().max().unwrap_or(1).max(1) as f64;
        let bars = |key: &str, class: &str, counts: &[usize], high: &dyn Fn(usize) -> f64| {
            let mut path = String::new();
            for (at, count) in counts.iter().enumerate().filter(|(_, count)| **count > 0) {
                let high = high(*count);
                path += &format!("M{},{}v-{}h2v{}z", num(at as f64 * 2.0), num(height), num(high), num(high));
            }
            Shape::path(key.to_owned(), class, path)
        };
        let red = &mut self.urgent.iter().copied().chain(ends(ArrowLook::Contradictory));
        vec![
            bars("density", "density", &all, &|count| (height * (count as f64 / most)).max(2.0)),
            bars("uncertain", "density uncertain", &counts(&mut ends(ArrowLook::Candidate)), &|_| height / 3.0),
            bars("violations", "density violations", &counts(red), &|_| height),
        ]
    }
}

#[cfg(test)]
mod tests;
