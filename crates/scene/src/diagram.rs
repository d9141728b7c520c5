//! The space-time diagram: a lane for each node and, where a node is expanded, for each of its
//! threads. Arrows are messages; bars show threads that wait or are inside, and nodes that are
//! down.
//!
//! A column is a step or a point of virtual time. The diagram is empty after the cursor, so that a
//! reader can predict what happens next.

mod arrows;
mod bars;
mod delivery;

pub(crate) use arrows::arrow;
pub use delivery::DeliveryRange;

use crate::explain::{CausalChain, words};
use crate::geometry::{Point, point};
use crate::shape::{Scene, Shape, ShapeKind};
use lockstep_kernel::{Event, Frame, NodeId, Setup, Time};
use std::borrow::Borrow;
use std::ops::Range;

/// Left edge of the first column, right of short names.
const LEFT: f64 = 44.0;
/// Longer names are truncated.
const LETTERS: usize = 10;
const RIGHT: f64 = 44.0;
const TOP: f64 = 15.0;
/// Space for the page's buttons in the upper right corner.
const CORNER: f64 = 24.0;
/// The height of the numbers under a time axis.
const TICKS: f64 = 15.0;
/// Steps that fit in one diagram.
pub const MOST: usize = 60;
/// Possible numbers of columns. If the number followed every step, all columns would move at every
/// step.
const COLUMNS: [usize; 4] = [16, 26, 40, MOST];
/// The window advances by this many steps at a time.
const STRIDE: usize = 12;
/// With more nodes than this, only some have a lane of their own.
const MOST_LANES: usize = 31;
/// The number of lanes then: for the nodes that act first in the window.
const BUSY_LANES: usize = 44;
/// The total height of many lanes. It is small because the stage above matters more.
const HIGH: f64 = 158.0;
/// The height of a name.
const NAME: f64 = 12.0;

/// A step that is labelled on the diagram.
#[derive(Clone, Copy, Debug)]
pub struct NamedStep<'a> {
    /// The position in the timeline.
    pub index: usize,
    /// Its short name.
    pub name: &'a str,
}

/// The meaning of the horizontal axis.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum DiagramAxis {
    /// A column for each event, so that simultaneous events are still distinct.
    #[default]
    Events,
    /// Virtual time.
    Time,
}

/// A delivery that is being moved.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct DeliveryDrag {
    /// The message.
    pub message: u32,
    /// Where the pointer is, in pixels of the diagram.
    pub x: f64,
}

/// The input of a picture.
pub struct DiagramInput<'a, F> {
    /// The states of the whole timeline, including those after the cursor.
    pub timeline: &'a [F],
    /// The position of the cursor.
    pub cursor: usize,
    /// Names and network.
    pub setup: &'a Setup,
    /// The labelled steps.
    pub stops: &'a [NamedStep<'a>],
    /// The available width.
    pub width: f64,
    /// The meaning of the horizontal axis.
    pub axis: DiagramAxis,
    /// The expanded nodes, whose threads have lanes.
    pub opened: &'a [NodeId],
    /// A delivery that is being moved.
    pub dragging: Option<DeliveryDrag>,
    /// A causal chain to highlight.
    pub causes: Option<&'a CausalChain>,
    /// The scale that several diagrams share.
    pub scale: Option<SharedScale>,
    /// Whether every step is shown, however many there are.
    pub whole: bool,
}

/// Origin and scale of diagrams that are compared.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct SharedScale {
    left: f64,
    columns: usize,
    span: (Time, Time),
}

impl SharedScale {
    /// The scale that fits all of these diagrams.
    pub fn of<F: Borrow<Frame>>(inputs: &[&DiagramInput<'_, F>]) -> Option<SharedScale> {
        let each = inputs.iter().map(|input| DiagramGeometry::of(input).scale());
        each.reduce(|a, b| SharedScale {
            left: a.left.max(b.left),
            columns: a.columns.max(b.columns),
            span: (a.span.0.min(b.span.0), a.span.1.max(b.span.1)),
        })
    }
}

impl<'a, F: Borrow<Frame>> DiagramInput<'a, F> {
    /// A timeline with its cursor; everything else has its default.
    pub fn new(timeline: &'a [F], cursor: usize, setup: &'a Setup, width: f64) -> Self {
        let (axis, stops, opened) = (DiagramAxis::Events, &[], &[]);
        let (dragging, causes, scale, whole) = (None, None, None, false);
        DiagramInput { timeline, cursor, setup, stops, width, axis, opened, dragging, causes, scale, whole }
    }

    /// The position in the timeline nearest to `x`: where a dragged delivery would go.
    pub fn position_at(&self, x: f64) -> usize {
        let geometry = DiagramGeometry::of(self);
        let distance = |i: &usize| (geometry.x(*i) - x).abs();
        geometry.window.clone().min_by(|a, b| distance(a).total_cmp(&distance(b))).unwrap_or(0)
    }

    /// Where the delivery of a message can be moved in this timeline and network.
    pub fn delivery_range(&self, message: u32) -> Option<DeliveryRange> {
        DeliveryRange::of(self.timeline, self.setup.network, message)
    }
}

/// The height of each of `lanes` lanes.
pub fn lane_height(lanes: usize) -> f64 {
    match lanes {
        0..=4 => 27.0,
        5..=8 => 17.0,
        9..=12 => 13.0,
        many => HIGH / many as f64,
    }
}

/// The steps of a timeline that are shown for a position of the cursor. The window moves in
/// strides, so that the diagram stands still between them.
pub fn window(length: usize, cursor: usize) -> Range<usize> {
    let last = length.saturating_sub(MOST);
    let start = (cursor + 1 + MOST / 4).saturating_sub(MOST).min(last).next_multiple_of(STRIDE);
    start..(start + MOST).min(length)
}

/// The geometry of a diagram.
pub(crate) struct DiagramGeometry<'a> {
    frames: Vec<&'a Frame>,
    window: Range<usize>,
    /// The visible steps up to the cursor.
    shown: Range<usize>,
    left: f64,
    xs: Vec<f64>,
    lane: f64,
    nodes: Vec<usize>,
    /// The row of each thread, if its node is expanded.
    threads: Vec<Option<usize>>,
    names: Vec<(String, Option<NodeId>)>,
    height: f64,
    span: (Time, Time),
    columns: usize,
}

impl<'a> DiagramGeometry<'a> {
    fn scale(&self) -> SharedScale {
        SharedScale { left: self.left, columns: self.columns, span: self.span }
    }

    fn of<F: Borrow<Frame>>(input: &DiagramInput<'a, F>) -> DiagramGeometry<'a> {
        let frames: Vec<&Frame> = input.timeline.iter().map(Borrow::borrow).collect();
        let cursor = input.cursor.min(frames.len().saturating_sub(1));
        let window = if input.whole { 0..frames.len() } else { window(frames.len(), cursor) };
        // with many nodes only the busy ones have lanes; the last node has the longest name
        let n = input.setup.nodes();
        let named = if n > MOST_LANES { n - 1..n } else { 0..n };
        let names = named.map(|i| words::cut(input.setup.name(NodeId(i as u32)), LETTERS));
        let left = names.map(|name| words::width(&name, 12.0) + 18.0).fold(LEFT, f64::max).ceil();
        let left = input.scale.map_or(left, |s| s.left.max(left));
        let room = input.width - left - RIGHT;
        let columns =
            COLUMNS.into_iter().find(|c| *c >= window.len() && window.start == 0).unwrap_or(MOST.max(window.len()));
        let columns = input.scale.map_or(columns, |s| s.columns.max(columns));
        let pitch = room / (columns - 1) as f64;
        let now = |i: usize| frames.get(i).map_or(0, |f| f.now);
        let span = (now(window.start), now(window.end.saturating_sub(1)));
        let span = input.scale.map_or(span, |s| (s.span.0.min(span.0), s.span.1.max(span.1)));
        let xs = window.clone().map(|i| match input.axis {
            DiagramAxis::Events => left + (i - window.start) as f64 * pitch,
            DiagramAxis::Time if span.1 == span.0 => left,
            DiagramAxis::Time => left + room * (now(i) - span.0) as f64 / (span.1 - span.0) as f64,
        });
        let xs = xs.collect();
        let shown = window.start..(cursor + 1).min(window.end);
        let mut geometry = DiagramGeometry {
            left,
            xs,
            shown,
            window,
            frames,
            lane: 0.0,
            nodes: Vec::new(),
            threads: Vec::new(),
            names: Vec::new(),
            height: 0.0,
            span,
            columns,
        };
        geometry.rows(input.setup, input.opened);
        // lanes appear as nodes begin to act: reserve their space from the first step
        let rows = if input.setup.nodes() > MOST_LANES { BUSY_LANES + 1 } else { geometry.names.len() };
        geometry.lane = lane_height(rows.max(geometry.names.len()));
        let ticks = if input.axis == DiagramAxis::Time { TICKS } else { 0.0 };
        geometry.height = TOP + geometry.lane * rows.max(geometry.names.len()) as f64 + 4.0 + ticks;
        geometry
    }

    fn rows(&mut self, setup: &Setup, opened: &[NodeId]) {
        let n = setup.nodes();
        let busy = if n > MOST_LANES { self.busy(n) } else { (0..n).collect() };
        let others = busy.len() < n;
        self.nodes = vec![usize::MAX; n];
        self.threads = vec![None; setup.threads.iter().map(|k| *k as usize).sum()];
        for i in busy {
            let node = NodeId(i as u32);
            self.nodes[i] = self.names.len();
            self.names.push((words::cut(setup.name(node), LETTERS), Some(node)));
            if opened.contains(&node) {
                // threads stand at their home, so a thread that migrates keeps its lane
                for k in 0..setup.threads.get(i).copied().unwrap_or(0) {
                    self.threads[setup.first_thread(node).index() + k as usize] = Some(self.names.len());
                    self.names.push((format!(".{}", k + 1), None));
                }
            }
        }
        if others {
            let rest = self.names.len();
            let count = self.nodes.iter().filter(|r| **r == usize::MAX).count();
            self.nodes.iter_mut().filter(|r| **r == usize::MAX).for_each(|r| *r = rest);
            self.names.push((format!("+{count}"), None));
        }
    }

    /// The nodes that take part in the visible steps, in the order of their first step, so that a
    /// lane never moves.
    fn busy(&self, n: usize) -> Vec<usize> {
        let mut busy: Vec<usize> = Vec::new();
        for i in self.shown.clone() {
            let frame = self.frames[i];
            let acting = frame.last.as_ref().map(|l| l.node);
            let token = frame.nodes.iter().find(|n| n.view.token).map(|n| n.id);
            for node in acting.into_iter().chain(token).map(|node| node.index()).filter(|node| *node < n) {
                if busy.len() < BUSY_LANES && !busy.contains(&node) {
                    busy.push(node);
                }
            }
        }
        busy
    }

    /// The nodes that have a lane of their own, with its row.
    fn owners(&self) -> impl Iterator<Item = (usize, NodeId)> + '_ {
        self.names.iter().enumerate().filter_map(|(row, (_, node))| Some((row, (*node)?)))
    }

    fn x(&self, i: usize) -> f64 {
        let last = self.xs.last().copied().unwrap_or(self.left);
        i.checked_sub(self.window.start).and_then(|k| self.xs.get(k).copied()).unwrap_or(last)
    }

    fn row_y(&self, row: usize) -> f64 {
        TOP + self.lane * (row as f64 + 0.35)
    }

    fn y(&self, node: NodeId) -> f64 {
        self.row_y(self.nodes.get(node.index()).copied().unwrap_or(0))
    }

    fn at(&self, i: usize, node: NodeId) -> Point {
        point(self.x(i), self.y(node))
    }

    /// The borders of a column, halfway to its neighbours.
    fn column(&self, i: usize) -> (f64, f64) {
        let x = self.x(i);
        let before = if i > self.window.start { (self.x(i - 1) + x) / 2.0 } else { x - self.pitch() / 2.0 };
        let after = if i + 1 < self.window.end { (self.x(i + 1) + x) / 2.0 } else { x + self.pitch() / 2.0 };
        (before, after.max(before + 1.0))
    }

    fn pitch(&self) -> f64 {
        let wide = self.x(self.window.end.saturating_sub(1)) - self.left;
        (wide / self.window.len().saturating_sub(1).max(1) as f64).clamp(4.0, 44.0)
    }
}

/// Draws the timeline up to the cursor; later steps only reserve their columns.
pub fn draw<F: Borrow<Frame>>(input: &DiagramInput<'_, F>) -> Scene {
    let geometry = DiagramGeometry::of(input);
    let (width, height) = (input.width, geometry.height);
    let foot = height - if input.axis == DiagramAxis::Time { TICKS } else { 0.0 };
    // narrow lanes: only every n-th has space for its name
    let every = (NAME / geometry.lane).ceil() as usize;
    let lanes = geometry.names.iter().enumerate().flat_map(|(row, (name, node))| {
        let y = geometry.row_y(row);
        let class = if name.starts_with('.') { "lane-name thread" } else { "lane-name" };
        let name = if row.is_multiple_of(every) { name.as_str() } else { "" };
        let text = Shape::text(format!("name-{row}"), class, point(10.0, y + 4.0), name);
        // only hosts have threads to show
        let host = node.filter(|n| input.setup.threads.get(n.index()).is_some_and(|t| *t > 0));
        let text = match host {
            Some(n) => text.with("data-lane", n.0.to_string()).titled(format!("threads of {}", input.setup.name(n))),
            None => text,
        };
        let line =
            Shape::line(format!("lane-{row}"), "lane", point(geometry.left - 8.0, y), point(width - RIGHT + 6.0, y));
        std::iter::once(line).chain((!name.is_empty()).then_some(text))
    });
    let mut end = 0.0;
    let mut names = Vec::new();
    for s in input.stops.iter().filter(|s| geometry.window.contains(&s.index)) {
        let x = geometry.x(s.index);
        names.push(Shape::line(format!("stop-{}", s.name), "stop-line", point(x, TOP - 3.0), point(x, foot - 3.0)));
        // overlapping names would be unreadable
        let half = words::width(s.name, 11.0) / 2.0;
        let at = x.min(width - CORNER - half);
        if at - half >= end {
            names.push(Shape::text(format!("label-{}", s.name), "stop-name", point(at, 10.0), s.name));
            end = at + half + 3.0;
        }
    }
    let here = geometry.x(geometry.shown.end.saturating_sub(1));
    let hits = geometry.window.clone().map(|i| {
        let (before, after) = geometry.column(i);
        let kind = ShapeKind::Rect { x: before, y: 0.0, w: after - before, h: height, r: 0.0 };
        let past = geometry.shown.contains(&i);
        let hit = Shape::new(format!("hit-{i}"), "hit", kind)
            .with("data-index", i.to_string())
            .with("data-step", geometry.frames[i].step.to_string())
            .titled(title(geometry.frames[i], past));
        match geometry.frames[i].last.as_ref().map(|l| l.event) {
            Some(Event::Deliver(id)) if past => hit.with("data-sent", id.to_string()),
            _ => hit,
        }
    });
    let cursor = Shape::line("cursor", "cursor", point(here, TOP - 1.0), point(here, foot - 3.0));
    let layers = vec![
        Shape::group("lanes", "lanes", lanes.collect()),
        Shape::group(
            "ticks",
            "ticks",
            if input.axis == DiagramAxis::Time { ticks(&geometry, width) } else { Vec::new() },
        ),
        Shape::group("stops", "stops", names),
        Shape::group("bars", "bars", bars::draw(&geometry, input.setup)),
        Shape::group(
            "delivery-range",
            "delivery-range",
            input.dragging.map_or(Vec::new(), |d| draw_range(input, &geometry, d, foot)),
        ),
        Shape::group("sent", "sents", arrows::draw(&geometry, input.causes)),
        Shape::group("dots", "dots", arrows::dots(&geometry, input.causes)),
        Shape::group("clocks", "clocks", arrows::clocks(&geometry)),
        Shape::group("now", "now", vec![cursor]),
        Shape::group("hits", "hits", hits.chain(arrows::tips(&geometry)).collect()),
    ];
    let across =
        if input.axis == DiagramAxis::Time { "virtual time from left to right" } else { "one column for each step" };
    let about = format!(
        "One lane for each node, {across}. Bars show waiting threads, threads inside and nodes that are down; arrows are messages."
    );
    Scene { width, height, title: "Space-time diagram".into(), about, layers }
}

fn title(frame: &Frame, past: bool) -> String {
    match &frame.last {
        Some(last) if past => format!("Step {}: {}", frame.step, last.title),
        _ => format!("Step {}", frame.step),
    }
}

/// Round numbers of the time axis under the lanes.
fn ticks(geometry: &DiagramGeometry<'_>, width: f64) -> Vec<Shape> {
    let span = geometry.span.1 - geometry.span.0;
    let room = width - geometry.left - RIGHT;
    let fits = |step: &u64| *step as f64 / span.max(1) as f64 * room >= 56.0;
    let Some(step) = (0..19u32).flat_map(|e| [1, 2, 5].map(|k| k * 10u64.pow(e))).find(fits) else { return Vec::new() };
    let first = geometry.span.0.div_ceil(step);
    let tick = |k: u64| {
        let x = geometry.left + room * (k * step - geometry.span.0) as f64 / span.max(1) as f64;
        let base = geometry.height - TICKS;
        [
            Shape::line(format!("tick-{k}"), "tick", point(x, base - 3.0), point(x, base + 1.0)),
            Shape::text(format!("time-{k}"), "stop-name", point(x, base + 12.0), words::time(k * step)),
        ]
    };
    (first..=geometry.span.1 / step).flat_map(tick).collect()
}

/// Shades the columns where the dragged delivery cannot go and shows its target.
fn draw_range<F: Borrow<Frame>>(
    input: &DiagramInput<'_, F>,
    geometry: &DiagramGeometry<'_>,
    drag: DeliveryDrag,
    foot: f64,
) -> Vec<Shape> {
    let Some(range) = input.delivery_range(drag.message) else { return Vec::new() };
    let closed = |i: &usize| !range.allows(*i);
    let mut shapes = Vec::new();
    for i in geometry.window.clone().filter(closed) {
        let (before, after) = geometry.column(i);
        let kind = ShapeKind::Rect { x: before, y: TOP - 2.0, w: after - before, h: foot - TOP - 1.0, r: 0.0 };
        shapes.push(Shape::new(format!("closed-{i}"), "closed", kind).with("data-closed", i.to_string()));
    }
    let edge = |key: &str, x: f64| Shape::line(key, "range-edge", point(x, TOP - 2.0), point(x, foot - 3.0));
    if geometry.window.contains(&range.earliest) {
        shapes.push(edge("earliest", geometry.column(range.earliest).0));
    }
    if geometry.window.contains(&range.latest) {
        shapes.push(edge("latest", geometry.column(range.latest).1));
    }
    let target = input.position_at(drag.x).clamp(range.earliest.min(range.latest), range.latest);
    let message = geometry.frames.iter().find_map(|f| f.flights.iter().find(|f| f.id == drag.message));
    if let Some(f) = message {
        let class = if range.allows(target) { "sent dragged" } else { "sent dragged refused" };
        let arrow =
            arrows::arrow("dragged".into(), class, geometry.at(range.sent, f.from), geometry.at(target, f.to), false);
        shapes.push(arrow.with("data-target", target.to_string()));
    }
    shapes
}
