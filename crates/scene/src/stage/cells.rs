//! The bar of cells of a divided resource: the holder of each cell, the ranges of threads inside
//! and the ranges of waiting threads.
//!
//! Up to 16 cells are drawn one by one. More are drawn as runs of equal cells, so that a bar of
//! thousands stays readable.

use crate::explain::words;
use crate::geometry::{Rect, point};
use crate::layout::Room;
use crate::shape::{Shape, ShapeKind, num};
use lockstep_kernel::view::{CellView, NodeFrame, ThreadFrame, ThreadState};
use lockstep_kernel::{Cells, Frame, NodeId, Setup, sort};

/// Up to this many cells are drawn one by one.
pub const SINGLY: u16 = 16;
/// The space left of the bar, for the names of its rows.
const CAPTION: f64 = 58.0;
const INDEX: f64 = 15.0;
const HOLDER: f64 = 25.0;
const INSIDE: f64 = 17.0;
const WAITING: f64 = 16.0;

/// The number of rows for waiting ranges.
fn rows(room: Room) -> usize {
    match room.height {
        h if h < 340.0 => 1,
        h if h < 600.0 => 2,
        _ => 3,
    }
}

/// The height of the bar; 0 if the resource is not divided. It does not depend on the state, so
/// that nothing jumps.
pub fn reserved(setup: &Setup, room: Room) -> f64 {
    if setup.cells <= 1 { 0.0 } else { INDEX + HOLDER + 4.0 + INSIDE + WAITING * rows(room) as f64 + 10.0 }
}

/// Neighbouring cells with the same holders and queue.
#[derive(Clone, PartialEq, Debug)]
pub struct CellRun {
    /// Which cells.
    pub cells: Cells,
    /// The holders: none while the cells are in flight, several only in a violation.
    pub holders: Vec<NodeId>,
    /// The nodes that get some of them next, as their holder knows.
    pub next: Vec<NodeId>,
    /// The end of their queue: the node that considers itself the last.
    pub tail: Option<NodeId>,
}

/// The runs of a resource.
pub fn runs(frame: &Frame, cells: u16) -> Vec<CellRun> {
    // only what a node holds or what ends at it matters, and few nodes say so of the same cell
    let matters = |n: &NodeFrame, c: CellView| c.held || c.owner == n.id;
    let known = || frame.nodes.iter().flat_map(|n| n.cells.iter().map(move |(range, c)| (n, range, c)));
    let known = || known().filter(|(n, _, c)| matters(n, *c));
    let mut ends: Vec<u16> = known().flat_map(|(_, range, _)| [range.lo, range.hi]).chain([cells]).collect();
    sort::by(&mut ends, Ord::cmp);
    ends.dedup();
    ends.retain(|end| (1..=cells).contains(end));
    let mut runs: Vec<CellRun> = Vec::with_capacity(ends.len());
    for hi in &ends {
        let lo = runs.last().map_or(0, |run| run.cells.hi);
        runs.push(CellRun { cells: Cells { lo, hi: *hi }, holders: Vec::new(), next: Vec::new(), tail: None });
    }
    for (n, range, c) in known() {
        let first = runs.partition_point(|run| run.cells.hi <= range.lo);
        for run in runs[first..].iter_mut().take_while(|run| run.cells.lo < range.hi) {
            if c.held {
                if run.holders.is_empty() {
                    run.next.extend(c.next);
                }
                run.holders.push(n.id);
            }
            if c.owner == n.id {
                run.tail.get_or_insert(n.id);
            }
        }
    }
    runs.dedup_by(|run, last| {
        let same = run.holders == last.holders && run.tail == last.tail;
        if same {
            last.cells.hi = run.cells.hi;
            last.next.extend(run.next.iter().filter(|n| !last.next.contains(n)).collect::<Vec<_>>());
        }
        same
    });
    runs
}

/// The parts of the resource that a node holds.
pub fn held(node: &NodeFrame) -> Vec<Cells> {
    node.cells.ranges(|c| c.held.then_some(())).into_iter().map(|(part, ())| part).collect()
}

/// The cells that a node holds, as a thin band across its card.
pub fn draw_held(node: &NodeFrame, width: f64, y: f64) -> Vec<Shape> {
    let pitch = width / f64::from(node.cells.cells().max(1));
    let part = |c: Cells| {
        let (x, w) = (f64::from(c.lo) * pitch, f64::from(c.len()) * pitch);
        // leave a gap between two parts, and stay inside the round corners
        Shape::new(
            format!("part-{}", c.lo),
            "part",
            ShapeKind::Rect { x: x + 1.0, y: y - 2.0, w: w - 2.0, h: 4.0, r: 2.0 },
        )
        .with("data-held", c.to_string())
        .titled(format!("{} holds cells {c}", node.name))
    };
    held(node).into_iter().map(part).collect()
}

/// The horizontal scale of a bar.
#[derive(Clone, Copy)]
struct CellScale {
    left: f64,
    pitch: f64,
    cells: u16,
}

impl CellScale {
    fn x(self, cell: u16) -> f64 {
        self.left + f64::from(cell.min(self.cells)) * self.pitch
    }

    fn width(self, cells: Cells) -> f64 {
        self.x(cells.hi) - self.x(cells.lo)
    }

    fn middle(self, cells: Cells) -> f64 {
        (self.x(cells.lo) + self.x(cells.hi)) / 2.0
    }
}

/// Draws the bar of a frame.
pub fn draw(frame: &Frame, setup: &Setup, bar: Rect, room: Room, selected: Option<NodeId>) -> Vec<Shape> {
    let cells = setup.cells;
    let scale = CellScale { left: bar.x + CAPTION, pitch: (bar.w - CAPTION) / f64::from(cells), cells };
    let top = bar.y + INDEX;
    let inside_y = top + HOLDER + 4.0;
    let waiting_y = inside_y + INSIDE + 3.0;
    let caption = |key: &str, y: f64, text: &str| Shape::text(key, "caption", point(bar.x, y), text);
    let mut shapes = vec![caption("c-held", top + 17.0, "held by"), caption("c-inside", inside_y + 12.5, "inside")];
    shapes.extend(indices(scale, top - 4.0));
    let runs = runs(frame, cells);
    shapes.extend(runs.iter().map(|r| run(r, setup, scale, top, selected)));
    let all = || frame.nodes.iter().flat_map(|n| n.threads.iter().map(move |t| (n.id, t)));
    let chosen = |node: NodeId| if selected == Some(node) { " selected" } else { "" };
    let inside: Vec<(NodeId, &ThreadFrame)> = all().filter(|(_, t)| t.doing == ThreadState::Inside).collect();
    for (i, (node, t)) in inside.iter().enumerate() {
        let range = clamped(t, cells);
        // two threads on one cell are a violation: both must be visible
        let clash = inside.iter().enumerate().any(|(j, (_, o))| j != i && clamped(o, cells).overlaps(range));
        let before = inside[..i].iter().filter(|(_, o)| clamped(o, cells).overlaps(range)).count() as f64;
        let h = if clash { 6.5 } else { 14.0 };
        let (x, y) = (scale.x(range.lo) + 1.5, inside_y + (before * 7.5).min(9.0));
        let kind = ShapeKind::Rect { x, y, w: (scale.width(range) - 3.0).max(2.0), h, r: 3.0 };
        let mut parts = vec![Shape::new("bar", "bar-inside", kind)];
        if !clash && words::bold_width(&t.name, 12.0) < scale.width(range) - 6.0 {
            let at = point(scale.middle(range), inside_y + 11.3);
            parts.push(Shape::text("name", "cell-label on", at, &t.name));
        }
        shapes.push(
            Shape::group(
                format!("inside-{}", t.name),
                format!("cells-inside{}{}", chosen(*node), if clash { " together" } else { "" }),
                parts,
            )
            .with("data-cells-inside", &t.name)
            .with("data-range", range.to_string())
            .titled(format!("{} is inside, with cells {range}", t.name)),
        );
    }
    let mut waiting: Vec<(NodeId, &ThreadFrame)> = all().filter(|(_, t)| t.doing == ThreadState::Waiting).collect();
    sort::by_key(&mut waiting, |(_, t)| (t.since, t.id));
    let mut taken: Vec<Vec<Cells>> = vec![Vec::new(); rows(room)];
    let mut left_out = Vec::new();
    for (node, t) in waiting {
        let range = clamped(t, cells);
        let Some(row) = taken.iter().position(|r| r.iter().all(|c| !c.overlaps(range))) else {
            left_out.push(t.name.clone());
            continue;
        };
        taken[row].push(range);
        let y = waiting_y + WAITING * (row as f64 + 0.5);
        shapes.push(bracket(t, range, scale, y, chosen(node)));
    }
    let more = if left_out.is_empty() { "waiting".into() } else { format!("waiting +{}", left_out.len()) };
    let mut words = caption("c-waiting", waiting_y + 12.5, &more);
    if !left_out.is_empty() {
        words = words.with("data-more", left_out.join(" ")).titled(format!("and {}", words::list(&left_out)));
    }
    shapes.push(words);
    shapes
}

fn clamped(thread: &ThreadFrame, cells: u16) -> Cells {
    let range = thread.cells.unwrap_or(Cells::WHOLE);
    Cells { lo: range.lo.min(cells), hi: range.hi.min(cells) }
}

/// The numbers above the cells: all of them, or some round ones.
fn indices(scale: CellScale, y: f64) -> Vec<Shape> {
    let number = |at: f64, i: u16| Shape::text(format!("index-{i}"), "cell-index", point(at, y), i.to_string());
    if scale.cells <= SINGLY {
        return (0..scale.cells).map(|i| number(scale.x(i) + scale.pitch / 2.0, i)).collect();
    }
    let step = [5, 10, 20, 25, 50, 100, 200, 250, 500, 1000, 2000, 5000, 10000]
        .into_iter()
        .find(|s| *s as f64 * scale.pitch >= 48.0)
        .unwrap_or(20000);
    let last = scale.x(scale.cells) - 34.0;
    let round = (0..scale.cells).step_by(step).filter(|i| scale.x(*i) < last);
    let mut shapes: Vec<Shape> = round.map(|i| number(scale.x(i) + if i == 0 { 4.0 } else { 0.0 }, i)).collect();
    let end = point(scale.x(scale.cells), y);
    shapes.push(Shape::text("index-end", "cell-index end", end, scale.cells.to_string()));
    shapes
}

fn run(run: &CellRun, setup: &Setup, scale: CellScale, top: f64, selected: Option<NodeId>) -> Shape {
    let name = |n: NodeId| setup.name(n).to_owned();
    let names: Vec<String> = run.holders.iter().copied().map(name).collect();
    let (x, w) = (scale.x(run.cells.lo), scale.width(run.cells));
    let mut class = String::from("cell-run");
    for (on, word) in [
        (names.is_empty(), " moving"),
        (names.len() > 1, " doubled"),
        (selected.is_some_and(|s| run.holders.contains(&s)), " selected"),
    ] {
        class.push_str(if on { word } else { "" });
    }
    let kind = ShapeKind::Rect { x: x + 0.75, y: top, w: (w - 1.5).max(0.5), h: HOLDER, r: 3.0 };
    let mut parts = vec![Shape::new("box", "cell-box", kind)];
    if !names.is_empty() {
        let band = ShapeKind::Rect { x: x + 2.0, y: top + 1.5, w: (w - 4.0).max(0.5), h: 3.0, r: 1.5 };
        parts.push(Shape::new("band", "part", band));
    }
    if scale.cells <= SINGLY {
        let divider = |i: u16| {
            let x = scale.x(i);
            Shape::line(format!("divider-{i}"), "hairline", point(x, top + 5.0), point(x, top + HOLDER - 1.0))
        };
        parts.extend((run.cells.lo + 1..run.cells.hi).map(divider));
    }
    let held = if names.is_empty() { "in flight".into() } else { names.join(" ") };
    // the end of the queue, unless it is the holder or a server that stores the queue
    let known = run.tail.filter(|t| !names.is_empty() && !run.holders.contains(t) && t.index() < setup.hosts());
    let tail = known.map(|t| format!("{held} … {}", name(t)));
    let fitting = tail.into_iter().chain([held.clone()]).find(|t| words::bold_width(t, 13.0) < w - 4.0);
    if let Some(text) = fitting {
        parts.push(Shape::text("holder", "cell-label", point(x + w / 2.0, top + 18.0), text));
    }
    let mut title = if names.is_empty() {
        format!("cells {} are in flight", run.cells)
    } else {
        format!("{} {} cells {}", words::list(&names), if names.len() == 1 { "holds" } else { "hold" }, run.cells)
    };
    let next: Vec<String> = run.next.iter().copied().map(name).collect();
    if !next.is_empty() {
        title += &format!(", next {}", words::list(&next));
    }
    title += &run.tail.map_or(String::new(), |t| format!("; the queue ends at {}", name(t)));
    Shape::group(format!("run-{}", run.cells.lo), class, parts)
        .with("data-run", run.cells.to_string())
        .with("data-holder", names.join(" "))
        .titled(title)
}

/// A waiting range: a bracket with the thread's name if it fits.
fn bracket(thread: &ThreadFrame, range: Cells, scale: CellScale, y: f64, chosen: &str) -> Shape {
    let (a, b) = (scale.x(range.lo) + 3.0, (scale.x(range.hi) - 3.0).max(scale.x(range.lo) + 4.0));
    let ends = |x: f64| format!("M{},{}L{},{}", num(x), num(y - 5.0), num(x), num(y + 5.0));
    let line = |from: f64, to: f64| format!("M{},{}L{},{}", num(from), num(y), num(to), num(y));
    let width = words::bold_width(&thread.name, 12.0) + 6.0;
    let mut parts = Vec::new();
    if b - a > width {
        let (l, r) = ((a + b - width) / 2.0, (a + b + width) / 2.0);
        parts.push(Shape::path("line", "bracket", ends(a) + &line(a, l) + &line(r, b) + &ends(b)));
        let at = point((a + b) / 2.0, y + 4.2);
        parts.push(Shape::text("name", "cell-label waiting", at, &thread.name));
    } else {
        parts.push(Shape::path("line", "bracket", ends(a) + &line(a, b) + &ends(b)));
    }
    Shape::group(format!("wait-{}", thread.name), format!("cells-waiting{chosen}"), parts)
        .with("data-cells-waiting", &thread.name)
        .with("data-range", range.to_string())
        .titled(format!("{} waits for cells {range}", thread.name))
}
