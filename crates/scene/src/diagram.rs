//! The space-time diagram: a lane for each node and, where a node is opened, for each of its threads; arrows for messages, bars for waiting,
//! for being inside and for being down.
//!
//! Columns are steps or moments of virtual time. What lies ahead of the cursor stays empty, so that a reader can still predict it.

mod arrows;
mod bars;
mod delivery;

pub use delivery::DeliveryRange;

use crate::explain::CausalChain;
use crate::geometry::{Point, point};
use crate::shape::{Scene, Shape, ShapeKind};

use crate::explain::words;
use lockstep_kernel::{Event, Frame, NodeId, Setup, Time};
use std::borrow::Borrow;
use std::ops::Range;

/// Left edge of the first column, right of short names.
const LEFT: f64 = 44.0;
/// Longer names are cut.
const LETTERS: usize = 10;
const RIGHT: f64 = 44.0;
const TOP: f64 = 15.0;
/// What the page keeps free for its own buttons, in the upper right corner.
const CORNER: f64 = 24.0;
/// The height of the numbers under a time axis.
const TICKS: f64 = 15.0;
/// Steps that fit in one diagram.
pub const MOST: usize = 60;
/// Columns that a diagram may have: with one for each step all of them would move at every step.
const COLUMNS: [usize; 4] = [16, 26, 40, MOST];
/// A window moves on by this many steps at once.
const STRIDE: usize = 12;
/// More nodes than this do not all have a lane of their own.
const MOST_LANES: usize = 31;
/// So many of them have one: those that were the first to act in the window.
const BUSY_LANES: usize = 44;
/// The height of many lanes together: the stage above is what people look at.
const HIGH: f64 = 158.0;
/// The height of a name.
const NAME: f64 = 12.0;

/// A moment to name on the diagram.
#[derive(Clone, Copy, Debug)]
pub struct NamedStep<'a> {
    /// The position in the line.
    pub index: usize,
    /// Its short name.
    pub name: &'a str,
}

/// What a step from left to right means.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum DiagramAxis {
    /// One event: everything is seen, also where much happens at one instant.
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

/// What is to be drawn.
pub struct DiagramInput<'a, F> {
    /// The states of the whole line, the future included.
    pub line: &'a [F],
    /// The position of the cursor.
    pub cursor: usize,
    /// Names and network.
    pub setup: &'a Setup,
    /// Moments with names.
    pub stops: &'a [NamedStep<'a>],
    /// The width there is.
    pub width: f64,
    /// What left to right means.
    pub axis: DiagramAxis,
    /// Nodes whose threads have lanes.
    pub opened: &'a [NodeId],
    /// A delivery that is being moved.
    pub dragging: Option<DeliveryDrag>,
    /// A chain of causes to emphasise.
    pub causes: Option<&'a CausalChain>,
}

impl<'a, F: Borrow<Frame>> DiagramInput<'a, F> {
    /// A line of steps with its cursor; everything else as it is at first.
    pub fn new(line: &'a [F], cursor: usize, setup: &'a Setup, width: f64) -> Self {
        let axis = DiagramAxis::Events;
        DiagramInput { line, cursor, setup, stops: &[], width, axis, opened: &[], dragging: None, causes: None }
    }

    /// The position in the line under a place of the diagram: where a dragged delivery would go.
    pub fn position_at(&self, x: f64) -> usize {
        let plan = DiagramGeometry::of(self);
        let distance = |i: &usize| (plan.x(*i) - x).abs();
        plan.window.clone().min_by(|a, b| distance(a).total_cmp(&distance(b))).unwrap_or(0)
    }

    /// The walls of a message, in this line and on this network.
    pub fn delivery_range(&self, message: u32) -> Option<DeliveryRange> {
        DeliveryRange::of(self.line, self.setup.network, message)
    }
}

/// The height of a lane for so many of them.
pub fn lane_height(lanes: usize) -> f64 {
    match lanes {
        0..=4 => 27.0,
        5..=8 => 17.0,
        9..=12 => 13.0,
        many => HIGH / many as f64,
    }
}

/// Which steps of a line are shown when the cursor is at one of them. The window stays where it is for a while: what it shows stands still.
pub fn window(length: usize, cursor: usize) -> Range<usize> {
    let last = length.saturating_sub(MOST);
    let start = (cursor + 1 + MOST / 4).saturating_sub(MOST).min(last).next_multiple_of(STRIDE);
    start..(start + MOST).min(length)
}

/// The geometry of a diagram.
pub(crate) struct DiagramGeometry<'a> {
    frames: Vec<&'a Frame>,
    window: Range<usize>,
    /// The steps that have happened, as far as they are seen.
    shown: Range<usize>,
    left: f64,
    xs: Vec<f64>,
    lane: f64,
    nodes: Vec<usize>,
    /// By thread, where its node is opened.
    threads: Vec<Option<usize>>,
    names: Vec<(String, Option<NodeId>)>,
    height: f64,
    span: (Time, Time),
}

impl<'a> DiagramGeometry<'a> {
    fn of<F: Borrow<Frame>>(input: &DiagramInput<'a, F>) -> DiagramGeometry<'a> {
        let frames: Vec<&Frame> = input.line.iter().map(Borrow::borrow).collect();
        let cursor = input.cursor.min(frames.len().saturating_sub(1));
        let window = window(frames.len(), cursor);
        // of many nodes only the busy have lanes, and the last one has the longest name
        let n = input.setup.nodes();
        let named = if n > MOST_LANES { n - 1..n } else { 0..n };
        let names = named.map(|i| words::cut(input.setup.name(NodeId(i as u32)), LETTERS));
        let left = names.map(|name| words::width(&name, 12.0) + 18.0).fold(LEFT, f64::max).ceil();
        let room = input.width - left - RIGHT;
        let columns = COLUMNS.into_iter().find(|c| *c >= window.len() && window.start == 0).unwrap_or(MOST);
        let pitch = room / (columns - 1) as f64;
        let now = |i: usize| frames.get(i).map_or(0, |f| f.now);
        let span = (now(window.start), now(window.end.saturating_sub(1)));
        let xs = window.clone().map(|i| match input.axis {
            DiagramAxis::Events => left + (i - window.start) as f64 * pitch,
            DiagramAxis::Time if span.1 == span.0 => left,
            DiagramAxis::Time => left + room * (now(i) - span.0) as f64 / (span.1 - span.0) as f64,
        });
        let xs = xs.collect();
        let shown = window.start..(cursor + 1).min(window.end);
        let mut plan = DiagramGeometry {
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
        };
        plan.rows(input.setup, input.opened);
        // where lanes come with the nodes that act, there is room for all of them from the first step on
        let rows = if input.setup.nodes() > MOST_LANES { BUSY_LANES + 1 } else { plan.names.len() };
        plan.lane = lane_height(rows.max(plan.names.len()));
        let ticks = if input.axis == DiagramAxis::Time { TICKS } else { 0.0 };
        plan.height = TOP + plan.lane * rows.max(plan.names.len()) as f64 + 4.0 + ticks;
        plan
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
                // by home, so that a thread that migrates keeps its lane
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

    /// Of many nodes those that take part in what is shown, in the order in which they began to: a lane stays where it is.
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

    /// Half-way to the columns before and after.
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

/// Draws the line of frames up to the cursor; what comes later only takes its place.
pub fn draw<F: Borrow<Frame>>(input: &DiagramInput<'_, F>) -> Scene {
    let plan = DiagramGeometry::of(input);
    let (width, height) = (input.width, plan.height);
    let foot = height - if input.axis == DiagramAxis::Time { TICKS } else { 0.0 };
    // where lanes are narrow, not every one has room for its name
    let every = (NAME / plan.lane).ceil() as usize;
    let lanes = plan.names.iter().enumerate().flat_map(|(row, (name, node))| {
        let y = plan.row_y(row);
        let class = if name.starts_with('.') { "lane-name thread" } else { "lane-name" };
        let name = if row.is_multiple_of(every) { name.as_str() } else { "" };
        let text = Shape::text(format!("name-{row}"), class, point(10.0, y + 4.0), name);
        // only hosts have threads to open
        let opens = node.filter(|n| input.setup.threads.get(n.index()).is_some_and(|t| *t > 0));
        let text = match opens {
            Some(n) => {
                text.with("data-lane", n.0.to_string()).titled(format!("the threads of {}", input.setup.name(n)))
            }
            None => text,
        };
        let line = Shape::line(format!("lane-{row}"), "lane", point(plan.left - 8.0, y), point(width - RIGHT + 6.0, y));
        std::iter::once(line).chain((!name.is_empty()).then_some(text))
    });
    let mut end = 0.0;
    let mut names = Vec::new();
    for s in input.stops.iter().filter(|s| plan.window.contains(&s.index)) {
        let x = plan.x(s.index);
        names.push(Shape::line(format!("stop-{}", s.name), "stop-line", point(x, TOP - 3.0), point(x, foot - 3.0)));
        // two names at one place would be none
        let half = words::width(s.name, 11.0) / 2.0;
        let at = x.min(width - CORNER - half);
        if at - half >= end {
            names.push(Shape::text(format!("label-{}", s.name), "stop-name", point(at, 10.0), s.name));
            end = at + half + 3.0;
        }
    }
    let here = plan.x(plan.shown.end.saturating_sub(1));
    let hits = plan.window.clone().map(|i| {
        let (before, after) = plan.column(i);
        let kind = ShapeKind::Rect { x: before, y: 0.0, w: after - before, h: height, r: 0.0 };
        let past = plan.shown.contains(&i);
        let hit = Shape::new(format!("hit-{i}"), "hit", kind)
            .with("data-index", i.to_string())
            .with("data-step", plan.frames[i].step.to_string())
            .titled(title(plan.frames[i], past));
        match plan.frames[i].last.as_ref().map(|l| l.event) {
            Some(Event::Deliver(id)) if past => hit.with("data-sent", id.to_string()),
            _ => hit,
        }
    });
    let cursor = Shape::line("cursor", "cursor", point(here, TOP - 1.0), point(here, foot - 3.0));
    let layers = vec![
        Shape::group("lanes", "lanes", lanes.collect()),
        Shape::group("ticks", "ticks", if input.axis == DiagramAxis::Time { ticks(&plan, width) } else { Vec::new() }),
        Shape::group("stops", "stops", names),
        Shape::group("bars", "bars", bars::draw(&plan, input.setup)),
        Shape::group("walls", "walls", input.dragging.map_or(Vec::new(), |d| walls(input, &plan, d, foot))),
        Shape::group("sent", "sents", arrows::draw(&plan, input.causes)),
        Shape::group("dots", "dots", arrows::dots(&plan, input.causes)),
        Shape::group("now", "now", vec![cursor]),
        Shape::group("hits", "hits", hits.chain(arrows::tips(&plan)).collect()),
    ];
    let across =
        if input.axis == DiagramAxis::Time { "time from left to right" } else { "a column for each step up to now" };
    let about = format!(
        "A lane for each node and {across}: bars show who waits, who is inside and who is down, arrows are messages."
    );
    Scene { width, height, title: "Space-time diagram".into(), about, layers }
}

fn title(frame: &Frame, past: bool) -> String {
    match &frame.last {
        Some(last) if past => format!("step {}: {}", frame.step, last.title),
        _ => format!("step {}", frame.step),
    }
}

/// Round times under the lanes.
fn ticks(plan: &DiagramGeometry<'_>, width: f64) -> Vec<Shape> {
    let span = plan.span.1 - plan.span.0;
    let room = width - plan.left - RIGHT;
    let fits = |step: &u64| *step as f64 / span.max(1) as f64 * room >= 56.0;
    let Some(step) = (0..19u32).flat_map(|e| [1, 2, 5].map(|k| k * 10u64.pow(e))).find(fits) else { return Vec::new() };
    let first = plan.span.0.div_ceil(step);
    let tick = |k: u64| {
        let x = plan.left + room * (k * step - plan.span.0) as f64 / span.max(1) as f64;
        let base = plan.height - TICKS;
        [
            Shape::line(format!("tick-{k}"), "tick", point(x, base - 3.0), point(x, base + 1.0)),
            Shape::text(format!("time-{k}"), "stop-name", point(x, base + 12.0), words::time(k * step)),
        ]
    };
    (first..=plan.span.1 / step).flat_map(tick).collect()
}

/// Where the dragged delivery cannot go, and where it would.
fn walls<F: Borrow<Frame>>(
    input: &DiagramInput<'_, F>,
    plan: &DiagramGeometry<'_>,
    drag: DeliveryDrag,
    foot: f64,
) -> Vec<Shape> {
    let Some(walls) = input.delivery_range(drag.message) else { return Vec::new() };
    let closed = |i: &usize| !walls.allows(*i);
    let mut shapes = Vec::new();
    for i in plan.window.clone().filter(closed) {
        let (before, after) = plan.column(i);
        let kind = ShapeKind::Rect { x: before, y: TOP - 2.0, w: after - before, h: foot - TOP - 1.0, r: 0.0 };
        shapes.push(Shape::new(format!("closed-{i}"), "wall", kind).with("data-wall", i.to_string()));
    }
    let edge = |key: &str, x: f64| Shape::line(key, "wall-edge", point(x, TOP - 2.0), point(x, foot - 3.0));
    if plan.window.contains(&walls.earliest) {
        shapes.push(edge("earliest", plan.column(walls.earliest).0));
    }
    if plan.window.contains(&walls.latest) {
        shapes.push(edge("latest", plan.column(walls.latest).1));
    }
    let target = input.position_at(drag.x).clamp(walls.earliest.min(walls.latest), walls.latest);
    let way = plan.frames.iter().find_map(|f| f.flights.iter().find(|f| f.id == drag.message));
    if let Some(f) = way {
        let class = if walls.allows(target) { "sent dragged" } else { "sent dragged refused" };
        let arrow = arrows::arrow("dragged".into(), class, plan.at(walls.sent, f.from), plan.at(target, f.to), false);
        shapes.push(arrow.with("data-target", target.to_string()));
    }
    shapes
}
