//! The space-time diagram of a long run: whatever its length, only what is in the window is drawn,
//! and never more than a bounded number of shapes.
//!
//! A [`LongDiagram`] has events, messages and sections. [`LongDiagram::draw`] gives the shapes of a
//! [`DiagramWindow`]: every event if they are few, else for each node how dense its events are.

pub mod camera;
pub mod span;

use crate::geometry::point;
use crate::shape::{Shape, ShapeKind, num};
use span::SpanIndex;

/// The height of the row of a node.
pub const ROW: f64 = 30.0;
/// The most events that are drawn one by one.
pub const MOST_DETAIL: usize = 700;
/// The most messages that are drawn; further ones are left out.
pub const MOST_ARROWS: usize = 1_000;
/// The most sections that are drawn.
pub const MOST_SECTIONS: usize = 600;
/// The most events with words beside them.
const MOST_WORDS: usize = 60;
/// Coordinates begin anew after so many pixels: the browser's are not exact far from zero.
pub const TILE: f64 = 32_768.0;

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
    arrow_spans: SpanIndex,
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
        self.arrow_spans = SpanIndex::of(self.arrows.iter().map(|arrow| {
            let (a, b) = (place(arrow.from), place(arrow.to));
            (a.min(b), a.max(b))
        }));
        let end = self.range.1;
        self.section_spans =
            SpanIndex::of(self.sections.iter().map(|section| (place(section.enter), section.end.map_or(end, place))));
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

    /// The shapes of a window. Their coordinates count from [`LongDiagram::origin`]; one window
    /// more is drawn on either side, so that a small movement needs no new shapes.
    pub fn draw(&self, window: &DiagramWindow, marks: &DiagramMarks) -> Vec<Shape> {
        let margin = window.width / window.scale.max(1e-12);
        let (from, to) = (window.left - margin, window.left + 2.0 * margin);
        let origin = self.origin(window);
        let frame = WindowFrame { from, to, origin, window: *window, diagram: self };
        let first = self.by_x.partition_point(|event| self.x[*event as usize] < from);
        let after = self.by_x.partition_point(|event| self.x[*event as usize] <= to);
        let (top, bottom) = frame.rows();
        let mut layers = vec![frame.lanes(top, bottom)];
        layers.extend(frame.pasts(&marks.pasts, top, bottom));
        layers.push(frame.sections(&marks.sections, top, bottom));
        if after - first > MOST_DETAIL {
            layers.push(frame.density(top, bottom));
            layers.push(frame.chain(&marks.chain));
        } else {
            layers.push(frame.arrows());
            layers.push(frame.stubs(top, bottom));
            layers.push(frame.chain(&marks.chain));
            layers.push(frame.events(&self.by_x[first..after], marks, top, bottom));
        }
        layers.extend(frame.chosen(marks.event));
        layers
    }

    /// The names of the nodes that are seen, at the left edge.
    pub fn names(&self, window: &DiagramWindow) -> Vec<Shape> {
        let frame = WindowFrame { from: 0.0, to: 0.0, origin: 0.0, window: *window, diagram: self };
        let (top, bottom) = frame.rows();
        let name = |row: usize| {
            let y = row as f64 * ROW + ROW / 2.0 - 6.0 - window.top;
            let text: String = self.nodes[row].chars().take(16).collect();
            Shape::text(format!("name-{row}"), "lane-name", point(4.0, y), text).titled(self.nodes[row].clone())
        };
        (top..bottom).map(name).collect()
    }

    /// The whole run in a strip of this size: how dense its events are.
    pub fn overview(&self, width: f64, height: f64) -> Vec<Shape> {
        let columns = (width / 2.0).max(1.0) as usize;
        let scale = columns as f64 / (self.range.1 - self.range.0);
        let mut counts = vec![0usize; columns];
        for event in &self.by_x {
            let at = ((self.x[*event as usize] - self.range.0) * scale) as usize;
            counts[at.min(columns - 1)] += 1;
        }
        let most = counts.iter().copied().max().unwrap_or(1).max(1) as f64;
        let mut path = String::new();
        for (at, count) in counts.iter().enumerate().filter(|(_, count)| **count > 0) {
            let high = (height * (*count as f64 / most)).max(2.0);
            path += &format!("M{},{}v-{}h2v{}z", num(at as f64 * 2.0), num(height), num(high), num(high));
        }
        vec![Shape::path("density", "density", path)]
    }
}

/// A window while it is drawn.
struct WindowFrame<'a> {
    from: f64,
    to: f64,
    origin: f64,
    window: DiagramWindow,
    diagram: &'a LongDiagram,
}

impl WindowFrame<'_> {
    fn x(&self, position: f64) -> f64 {
        (position - self.diagram.range.0) * self.window.scale - self.origin
    }

    /// A position, or the edge of what is drawn if it is further away.
    fn clipped(&self, position: f64) -> f64 {
        self.x(position.max(self.from).min(self.to))
    }

    fn y(&self, node: u32) -> f64 {
        f64::from(node) * ROW + ROW / 2.0 + 4.0
    }

    /// The rows that are seen: the first, and the one after the last.
    fn rows(&self) -> (usize, usize) {
        let top = (self.window.top / ROW).floor().max(0.0) as usize;
        let bottom = ((self.window.top + self.window.height) / ROW).ceil().max(0.0) as usize;
        let count = self.diagram.nodes.len();
        (top.min(count), bottom.min(count))
    }

    fn lanes(&self, top: usize, bottom: usize) -> Shape {
        let (left, right) = (self.clipped(self.from), self.clipped(self.to));
        let lane = |row: usize| {
            let y = self.y(row as u32);
            Shape::line(format!("lane-{row}"), "lane", point(left, y), point(right, y))
        };
        Shape::group("lanes", "lanes", (top..bottom).map(lane).collect())
    }

    fn pasts(&self, pasts: &[Vec<u32>], top: usize, bottom: usize) -> Vec<Shape> {
        let past = |(number, counts): (usize, &Vec<u32>)| {
            let row = |row: usize| {
                let count = *counts.get(row)? as usize;
                let last = *self.diagram.lines_of_node[row].get(count.checked_sub(1)?)?;
                let (left, right) = (self.clipped(self.diagram.range.0), self.clipped(self.diagram.x[last as usize]));
                let y = self.y(row as u32) - 10.0 + number as f64 * 10.0;
                let kind = ShapeKind::Rect { x: left - 4.0, y, w: (right - left + 8.0).max(0.0), h: 10.0, r: 3.0 };
                Some(Shape::new(format!("past-{number}-{row}"), format!("past past-{number}"), kind))
            };
            Shape::group(format!("past-{number}"), "past-rows", (top..bottom).filter_map(row).collect())
        };
        pasts.iter().enumerate().map(past).collect()
    }

    fn sections(&self, chosen: &[usize], top: usize, bottom: usize) -> Shape {
        let seen = |section: &LongSection| (top..bottom).contains(&(section.node as usize));
        let mut shapes = Vec::new();
        let mut right_of_row: Vec<f64> = vec![f64::NEG_INFINITY; self.diagram.nodes.len()];
        let sections = &self.diagram.sections;
        self.diagram.section_spans.meet(self.from, self.to, &mut |at| {
            let section = &sections[at];
            if !seen(section) {
                return true;
            }
            let enter = self.diagram.x[section.enter as usize];
            let end = section.end.map_or(self.diagram.range.1, |end| self.diagram.x[end as usize]);
            let (left, right) = (self.clipped(enter), self.clipped(end));
            let is_chosen = chosen.contains(&at);
            // sections that are drawn within the same pixel are drawn once
            let row = &mut right_of_row[section.node as usize];
            if right < *row + 1.0 && !is_chosen {
                return true;
            }
            *row = right;
            let kind = ShapeKind::Rect {
                x: left - 3.0,
                y: self.y(section.node) - 7.0,
                w: right - left + 6.0,
                h: 14.0,
                r: 4.0,
            };
            let class = match (is_chosen, section.end) {
                (true, _) => "long-section chosen",
                (false, None) => "long-section open",
                (false, _) => "long-section",
            };
            shapes.push(Shape::new(format!("section-{at}"), class, kind).with("data-section", at.to_string()));
            shapes.len() < MOST_SECTIONS
        });
        Shape::group("sections", "sections", shapes)
    }

    fn arrows(&self) -> Shape {
        let mut shapes = Vec::new();
        self.diagram.arrow_spans.meet(self.from, self.to, &mut |at| {
            let arrow = &self.diagram.arrows[at];
            shapes.push(self.arrow(&format!("arrow-{at}"), arrow.look.class(), arrow.from, arrow.to));
            shapes.len() < MOST_ARROWS
        });
        Shape::group("arrows", "arrows", shapes)
    }

    fn arrow(&self, key: &str, class: &str, from: u32, to: u32) -> Shape {
        let place = |event: u32| {
            let y = self.y(self.diagram.events[event as usize].node);
            point(self.x(self.diagram.x[event as usize]), y)
        };
        let (a, b) = (place(from), place(to));
        let along = a.direction(b);
        let tip = point(b.x - along.x * 4.0, b.y - along.y * 4.0);
        let wing = |side: f64| {
            point(tip.x - along.x * 6.0 - along.y * 3.5 * side, tip.y - along.y * 6.0 + along.x * 3.5 * side)
        };
        let (left, right) = (wing(1.0), wing(-1.0));
        let d = format!(
            "M{},{}L{},{}M{},{}L{},{}L{},{}",
            num(a.x),
            num(a.y),
            num(tip.x),
            num(tip.y),
            num(left.x),
            num(left.y),
            num(tip.x),
            num(tip.y),
            num(right.x),
            num(right.y)
        );
        Shape::path(key.to_owned(), class, d)
    }

    fn stubs(&self, top: usize, bottom: usize) -> Shape {
        let stubs = &self.diagram.stubs;
        let position = |at: &u32| self.diagram.x[stubs[*at as usize].event as usize];
        let first = self.diagram.stubs_by_x.partition_point(|at| position(at) < self.from);
        let seen = self.diagram.stubs_by_x[first..].iter().take_while(|at| position(at) <= self.to);
        let stub = |at: &u32| {
            let stub = &stubs[*at as usize];
            let node = self.diagram.events[stub.event as usize].node;
            if !(top..bottom).contains(&(node as usize)) {
                return None;
            }
            let from = point(self.x(self.diagram.x[stub.event as usize]), self.y(node));
            let down = if stub.peer.is_some_and(|peer| peer < node) { -1.0 } else { 1.0 };
            let to = point(from.x + if stub.sent { 12.0 } else { -12.0 }, from.y + 12.0 * down);
            Some(Shape::line(format!("stub-{at}"), "sent stub", from, to))
        };
        Shape::group("stubs", "stubs", seen.filter_map(stub).take(MOST_ARROWS).collect())
    }

    fn events(&self, events: &[u32], marks: &DiagramMarks, top: usize, bottom: usize) -> Shape {
        let words = events.len() <= MOST_WORDS;
        let mut shapes = Vec::new();
        for event in events {
            let of = &self.diagram.events[*event as usize];
            if !(top..bottom).contains(&(of.node as usize)) {
                continue;
            }
            let at = point(self.x(self.diagram.x[*event as usize]), self.y(of.node));
            let word = self.diagram.words.get(of.word as usize).map_or("", String::as_str);
            let class = match marks.chain.contains(event) {
                true => format!("long-event {} linked", of.mark),
                false => format!("long-event {}", of.mark),
            };
            let name = &self.diagram.nodes[of.node as usize];
            let circle = Shape::circle(format!("event-{event}"), &class, at, 4.5)
                .with("data-event", event.to_string())
                .titled(format!("{name} {word}"));
            shapes.push(circle);
            if words {
                shapes.push(Shape::text(format!("word-{event}"), "event-word", point(at.x, at.y - 9.0), word));
            }
        }
        Shape::group("events", "events", shapes)
    }

    /// For each row one path: a bar wherever there are events, the higher the more there are.
    fn density(&self, top: usize, bottom: usize) -> Shape {
        let columns = (3.0 * self.window.width / 3.0).max(1.0) as usize;
        let width = (self.to - self.from) / columns as f64;
        let step = width * self.window.scale;
        let row = |row: usize| {
            let list = &self.diagram.of_node[row];
            let at = |position: f64| list.partition_point(|event| self.diagram.x[*event as usize] < position);
            let mut path = String::new();
            let (mut first, last) = (at(self.from), at(self.to));
            // from one event to the next column that has one: at most one search for each column
            while first < last {
                let column = ((self.diagram.x[list[first] as usize] - self.from) / width).floor();
                let end = self.from + (column + 1.0) * width;
                let after = at(end).max(first + 1);
                let high = 2.0 + 4.0 * ((after - first) as f64).min(8.0).sqrt();
                let (x, y) = (self.x(self.from + column * width), self.y(row as u32) - high / 2.0);
                path += &format!("M{},{}h{}v{}h-{}z", num(x), num(y), num(step), num(high), num(step));
                first = after;
            }
            Shape::path(format!("density-{row}"), "density", path)
        };
        Shape::group("density", "density-rows", (top..bottom).map(row).collect())
    }

    fn chain(&self, chain: &[u32]) -> Shape {
        let valid = |event: &u32| (*event as usize) < self.diagram.events.len();
        let steps: Vec<u32> = chain.iter().copied().filter(valid).collect();
        let link = |(at, pair): (usize, &[u32])| {
            let (a, b) = (self.diagram.x[pair[0] as usize], self.diagram.x[pair[1] as usize]);
            let seen = a.min(b) <= self.to && a.max(b) >= self.from;
            seen.then(|| self.arrow(&format!("chain-{at}"), "chain", pair[0], pair[1]))
        };
        Shape::group("chain", "chain-links", steps.windows(2).enumerate().filter_map(link).take(MOST_ARROWS).collect())
    }

    fn chosen(&self, event: Option<u32>) -> Option<Shape> {
        let event = event.filter(|event| (*event as usize) < self.diagram.events.len())?;
        let x = self.x(self.diagram.x[event as usize]);
        let y = self.y(self.diagram.events[event as usize].node);
        Some(Shape::circle("chosen", "chosen-event", point(x, y), 9.0))
    }
}

#[cfg(test)]
mod tests;
