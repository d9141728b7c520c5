//! What is drawn of a long diagram in one window, and the count of what is left out.

use super::{
    DiagramMarks, DiagramWindow, LongDiagram, LongSection, MARGIN, MOST_ARROWS, MOST_DETAIL, MOST_SECTIONS,
    MOST_URGENT, MOST_WORDS, ROW,
};
use crate::diagram::arrow;
use crate::geometry::{Point, point};
use crate::shape::{Shape, ShapeKind, num};
use std::ops::Range;

/// The shapes of a window.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct LongPicture {
    /// The shapes, from back to front.
    pub layers: Vec<Shape>,
    /// What is left out.
    pub undrawn: Undrawn,
}

/// What is left out of the picture of a window, because there is too much of it.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Undrawn {
    /// Messages of any kind.
    pub messages: usize,
    /// Those of them that are uncertain.
    pub uncertain: usize,
    /// Those of them that contradict the order of the lines.
    pub contradictory: usize,
    /// Events that break an invariant.
    pub violations: usize,
}

impl Undrawn {
    /// In words; none if everything is drawn.
    pub fn sentence(&self) -> Option<String> {
        let count = |count: usize, what: &str| {
            let plural = if count == 1 { "" } else { "s" };
            (count > 0).then(|| format!("{count} more {what}{plural}"))
        };
        let kinds = [(self.uncertain, "uncertain"), (self.contradictory, "contradictory")];
        let kinds: Vec<String> =
            kinds.into_iter().filter(|(count, _)| *count > 0).map(|(count, kind)| format!("{count} {kind}")).collect();
        let messages = count(self.messages, "message").map(|messages| match kinds.is_empty() {
            true => messages,
            false => format!("{messages} ({})", kinds.join(", ")),
        });
        let all: Vec<String> = messages.into_iter().chain(count(self.violations, "violation")).collect();
        (!all.is_empty()).then(|| format!("Zoom in to see {}.", all.join(" and ")))
    }

    fn add(&mut self, layer: usize, count: usize) {
        self.messages += count;
        match layer {
            0 => self.contradictory += count,
            1 => self.uncertain += count,
            _ => {}
        }
    }
}

/// A window while it is drawn.
pub(super) struct WindowFrame<'a> {
    from: f64,
    to: f64,
    origin: f64,
    window: DiagramWindow,
    diagram: &'a LongDiagram,
}

impl WindowFrame<'_> {
    pub(super) fn of<'a>(diagram: &'a LongDiagram, window: &DiagramWindow) -> WindowFrame<'a> {
        let wide = window.width / window.scale.max(1e-12);
        let (from, to) = (window.left - MARGIN * wide, window.left + (1.0 + MARGIN) * wide);
        WindowFrame { from, to, origin: diagram.origin(window), window: *window, diagram }
    }

    pub(super) fn draw(&self, marks: &DiagramMarks) -> LongPicture {
        let mut undrawn = Undrawn::default();
        let mut layers = vec![self.lanes()];
        layers.extend(self.pasts(&marks.pasts));
        match self.few_events() {
            Some(events) => {
                layers.push(self.sections(&marks.sections));
                layers.push(self.arrows(&mut undrawn, 0..3));
                layers.push(self.stubs());
                layers.push(self.chain(&marks.chain));
                layers.push(self.events(&events, marks));
            }
            None => {
                layers.push(self.merged_sections());
                layers.push(self.density());
                layers.push(self.chosen_sections(&marks.sections));
                layers.push(self.arrows(&mut undrawn, 0..2));
                layers.push(self.chain(&marks.chain));
                layers.push(self.violations(&mut undrawn));
                undrawn.add(2, self.diagram.arrow_spans[2].count(self.from, self.to) + self.stubs_seen().len());
            }
        }
        layers.extend(self.chosen(marks.event));
        LongPicture { layers, undrawn }
    }

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

    /// Where an event stands.
    fn place(&self, event: u32) -> Point {
        point(self.x(self.diagram.x[event as usize]), self.y(self.diagram.events[event as usize].node))
    }

    fn sees(&self, position: f64) -> bool {
        position >= self.from && position <= self.to
    }

    /// The rows that are drawn.
    pub(super) fn rows(&self) -> Range<usize> {
        let (top, height) = (self.window.top, self.window.height);
        let row = |y: f64| (y / ROW).max(0.0);
        let first = row(top - MARGIN * height).floor() as usize;
        let after = row(top + (1.0 + MARGIN) * height).ceil() as usize;
        let count = self.diagram.nodes.len();
        first.min(count)..after.min(count)
    }

    /// The events of a row that are drawn, by their position.
    fn of_row(&self, row: usize) -> &[u32] {
        let list = &self.diagram.of_node[row];
        let first = list.partition_point(|event| self.diagram.x[*event as usize] < self.from);
        let after = list.partition_point(|event| self.diagram.x[*event as usize] <= self.to);
        &list[first..after.max(first)]
    }

    /// The events that are drawn, unless there are too many.
    fn few_events(&self) -> Option<Vec<u32>> {
        let mut events = Vec::new();
        for row in self.rows() {
            let of_row = self.of_row(row);
            if events.len() + of_row.len() > MOST_DETAIL {
                return None;
            }
            events.extend_from_slice(of_row);
        }
        // in their own order, most elements of the page stay where they are
        events.sort_unstable();
        Some(events)
    }

    fn lanes(&self) -> Shape {
        let (left, right) = (self.clipped(self.from), self.clipped(self.to));
        let lane = |row: usize| {
            let y = self.y(row as u32);
            Shape::line(format!("lane-{row}"), "lane", point(left, y), point(right, y))
        };
        Shape::group("lanes", "lanes", self.rows().map(lane).collect())
    }

    fn pasts(&self, pasts: &[Vec<u32>]) -> Vec<Shape> {
        let past = |(number, counts): (usize, &Vec<u32>)| {
            let row = |row: usize| {
                let count = *counts.get(row)? as usize;
                let last = *self.diagram.lines_of_node[row].get(count.checked_sub(1)?)?;
                let (left, right) = (self.clipped(self.diagram.range.0), self.clipped(self.diagram.x[last as usize]));
                let y = self.y(row as u32) - 10.0 + number as f64 * 10.0;
                let kind = ShapeKind::Rect { x: left - 4.0, y, w: (right - left + 8.0).max(0.0), h: 10.0, r: 3.0 };
                Some(Shape::new(format!("past-{number}-{row}"), format!("past past-{number}"), kind))
            };
            Shape::group(format!("past-{number}"), "past-rows", self.rows().filter_map(row).collect())
        };
        pasts.iter().enumerate().map(past).collect()
    }

    /// Where a section begins and ends in pixels.
    fn span(&self, section: &LongSection) -> (f64, f64) {
        let place = |event: u32| self.diagram.x[event as usize];
        let (a, b) = (place(section.enter), section.end.map_or(self.diagram.range.1, place));
        (self.clipped(a.min(b)), self.clipped(a.max(b)))
    }

    fn section(&self, at: usize, is_chosen: bool) -> Shape {
        let section = &self.diagram.sections[at];
        let (left, right) = self.span(section);
        let y = self.y(section.node) - 7.0;
        let kind = ShapeKind::Rect { x: left - 3.0, y, w: right - left + 6.0, h: 14.0, r: 4.0 };
        let class = match (is_chosen, section.end) {
            (true, _) => "long-section chosen",
            (false, None) => "long-section open",
            (false, _) => "long-section",
        };
        Shape::new(format!("section-{at}"), class, kind).with("data-section", at.to_string())
    }

    fn sections(&self, chosen: &[usize]) -> Shape {
        let rows = self.rows();
        let mut shapes = Vec::new();
        self.diagram.section_spans.meet(self.from, self.to, &mut |at| {
            if rows.contains(&(self.diagram.sections[at].node as usize)) {
                shapes.push(self.section(at, chosen.contains(&at)));
            }
            shapes.len() < MOST_SECTIONS
        });
        Shape::group("sections", "sections", shapes)
    }

    fn chosen_sections(&self, chosen: &[usize]) -> Shape {
        let sections = &self.diagram.sections;
        let valid = chosen.iter().copied().filter(|at| *at < sections.len());
        let seen = valid.filter(|at| self.rows().contains(&(sections[*at].node as usize)));
        Shape::group("sections", "sections", seen.take(MOST_SECTIONS).map(|at| self.section(at, true)).collect())
    }

    /// For each row one path: sections that are closer than a column are one bar.
    fn merged_sections(&self) -> Shape {
        let rows = self.rows();
        // the bar that is open in each row, and the path before it
        let mut bars: Vec<(Option<(f64, f64)>, String)> = vec![(None, String::new()); rows.len()];
        let write = |(left, right): (f64, f64), row: usize, path: &mut String| {
            let (x, y, w) = (num(left), num(self.y(row as u32) - 7.0), num((right - left).max(1.0)));
            *path += &format!("M{x},{y}h{w}v14h-{w}z");
        };
        self.diagram.section_spans.meet(self.from, self.to, &mut |at| {
            let section = &self.diagram.sections[at];
            let row = section.node as usize;
            if rows.contains(&row) {
                let (left, right) = self.span(section);
                let (open, path) = &mut bars[row - rows.start];
                *open = match *open {
                    Some((begun, end)) if left <= end + COLUMN => Some((begun, right.max(end))),
                    before => {
                        before.into_iter().for_each(|bar| write(bar, row, path));
                        Some((left, right))
                    }
                };
            }
            true
        });
        let paths = bars.into_iter().zip(rows).map(|((open, mut path), row)| {
            open.into_iter().for_each(|bar| write(bar, row, &mut path));
            Shape::path(format!("inside-{row}"), "long-section merged", path)
        });
        Shape::group("inside", "sections", paths.collect())
    }

    /// The messages of some layers, the most important first.
    fn arrows(&self, undrawn: &mut Undrawn, layers: Range<usize>) -> Shape {
        let rows = self.rows();
        let mut shapes = Vec::new();
        for layer in layers {
            self.diagram.arrow_spans[layer].meet(self.from, self.to, &mut |at| {
                let of = &self.diagram.arrows[at];
                let [a, b] = [of.from, of.to].map(|event| self.diagram.events[event as usize].node as usize);
                if a.max(b) < rows.start || a.min(b) >= rows.end {
                    return true;
                }
                if shapes.len() < MOST_ARROWS {
                    shapes.push(self.arrow(&format!("arrow-{at}"), of.look.class(), of.from, of.to));
                } else {
                    undrawn.add(layer, 1);
                }
                true
            });
        }
        // the most important on top
        shapes.reverse();
        Shape::group("arrows", "arrows", shapes)
    }

    fn arrow(&self, key: &str, class: &str, from: u32, to: u32) -> Shape {
        arrow(key.to_owned(), class, self.place(from), self.place(to), false)
    }

    /// The ends without another end that are drawn, by their position.
    fn stubs_seen(&self) -> &[u32] {
        let LongDiagram { stubs, stubs_by_x, x, .. } = self.diagram;
        let position = |at: &u32| x[stubs[*at as usize].event as usize];
        let first = stubs_by_x.partition_point(|at| position(at) < self.from);
        let after = stubs_by_x.partition_point(|at| position(at) <= self.to);
        &stubs_by_x[first..after.max(first)]
    }

    fn stubs(&self) -> Shape {
        let stub = |at: &u32| {
            let stub = &self.diagram.stubs[*at as usize];
            let node = self.diagram.events[stub.event as usize].node;
            if !self.rows().contains(&(node as usize)) {
                return None;
            }
            let from = self.place(stub.event);
            let down = if stub.peer.is_some_and(|peer| peer < node) { -1.0 } else { 1.0 };
            let to = from.moved(if stub.sent { 12.0 } else { -12.0 }, 12.0 * down);
            Some(Shape::line(format!("stub-{at}"), "sent stub", from, to))
        };
        Shape::group("stubs", "stubs", self.stubs_seen().iter().filter_map(stub).collect())
    }

    fn event(&self, event: u32, linked: bool) -> Shape {
        let of = &self.diagram.events[event as usize];
        let class = format!("long-event {}{}", of.mark, if linked { " linked" } else { "" });
        Shape::circle(format!("event-{event}"), &class, self.place(event), 4.5)
            .with("data-event", event.to_string())
            .titled(self.diagram.title(event))
    }

    fn events(&self, events: &[u32], marks: &DiagramMarks) -> Shape {
        let words = events.len() <= MOST_WORDS;
        let mut shapes = Vec::new();
        for event in events {
            shapes.push(self.event(*event, marks.chain.contains(event)));
            if words {
                let at = self.place(*event).moved(0.0, -9.0);
                shapes.push(Shape::text(format!("word-{event}"), "event-word", at, self.diagram.word(*event)));
            }
        }
        Shape::group("events", "events", shapes)
    }

    /// The violations, once for each column and row.
    fn violations(&self, undrawn: &mut Undrawn) -> Shape {
        let diagram = self.diagram;
        let rows = self.rows();
        let first = diagram.urgent.partition_point(|event| diagram.x[*event as usize] < self.from);
        let seen = diagram.urgent[first..].iter().take_while(|event| diagram.x[**event as usize] <= self.to);
        let mut shapes = Vec::new();
        let mut last = vec![f64::NEG_INFINITY; rows.len()];
        for event in seen.filter(|event| rows.contains(&(diagram.events[**event as usize].node as usize))) {
            let last = &mut last[diagram.events[*event as usize].node as usize - rows.start];
            let x = self.place(*event).x;
            if x < *last + COLUMN {
                continue;
            }
            *last = x;
            match shapes.len() < MOST_URGENT {
                true => shapes.push(self.event(*event, false)),
                false => undrawn.violations += 1,
            }
        }
        Shape::group("events", "events", shapes)
    }

    /// For each row one path: a bar wherever there are events, the higher the more there are.
    fn density(&self) -> Shape {
        let width = COLUMN / self.window.scale;
        // columns stand where they stood before the window was moved
        let start = (self.from / width).floor() * width;
        let row = |row: usize| {
            let events = self.of_row(row);
            let x = |at: usize| self.diagram.x[events[at] as usize];
            let mut path = String::new();
            let mut first = 0;
            // from one event to the next column that has one: at most one search for each column
            while first < events.len() {
                let column = start + ((x(first) - start) / width).floor() * width;
                let in_column =
                    events[first..].partition_point(|event| self.diagram.x[*event as usize] < column + width);
                let count = in_column.max(1);
                let high = 2.0 + 4.0 * (count as f64).min(8.0).sqrt();
                let (left, top) = (self.x(column), self.y(row as u32) - high / 2.0);
                path += &format!("M{},{}h{COLUMN}v{}h-{COLUMN}z", num(left), num(top), num(high));
                first += count;
            }
            Shape::path(format!("density-{row}"), "density", path)
        };
        Shape::group("density", "density-rows", self.rows().map(row).collect())
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
        // an element far away would make the picture larger
        self.sees(self.diagram.x[event as usize])
            .then(|| Shape::circle("chosen", "chosen-event", self.place(event), 9.0))
    }
}

/// The width of a column in pixels, where events are not drawn one by one.
const COLUMN: f64 = 3.0;
