//! The space-time diagram: a lane for each node, a column for each step, arrows for messages, bars for waiting and for being inside.
//!
//! Columns are steps, not times: every event is seen, also where many happen at one instant. What lies ahead of the cursor stays empty, so that
//! a reader can still predict it.

use crate::geometry::point;
use crate::shape::{Kind, Scene, Shape, num};
use crate::words;
use lockstep_kernel::view::Doing;
use lockstep_kernel::{Event, Frame, Role, Setup, Waiter};
use std::borrow::Borrow;
use std::collections::BTreeMap;

/// Left edge of the first column, right of the names.
const LEFT: f64 = 44.0;
const RIGHT: f64 = 32.0;
const TOP: f64 = 15.0;
/// Steps that fit in one diagram.
pub const MOST: usize = 60;
/// A diagram is never stretched more than for this many steps.
const LEAST: usize = 16;

/// A moment to name on the diagram.
pub struct Mark<'a> {
    /// The position in the line.
    pub index: usize,
    /// Its short name.
    pub name: &'a str,
}

/// The height of a lane for so many nodes.
pub fn lane_height(nodes: usize) -> f64 {
    match nodes {
        0..=4 => 27.0,
        5..=8 => 17.0,
        _ => 13.0,
    }
}

/// The height of the diagram for so many nodes.
pub fn height(nodes: usize) -> f64 {
    TOP + lane_height(nodes) * nodes as f64 + 4.0
}

/// Which steps of a line are shown when the cursor is at one of them.
pub fn window(length: usize, cursor: usize) -> std::ops::Range<usize> {
    if length <= MOST {
        return 0..length;
    }
    let start = (cursor + 1 + MOST / 4).saturating_sub(MOST).min(length - MOST);
    start..start + MOST
}

/// Draws the line of frames up to `cursor`; what comes later only takes its place.
pub fn draw<F: Borrow<Frame>>(line: &[F], cursor: usize, setup: &Setup, stops: &[Mark<'_>], width: f64) -> Scene {
    let window = window(line.len(), cursor);
    let columns = window.len().max(LEAST) - 1;
    let pitch = (width - LEFT - RIGHT) / columns as f64;
    let x = |i: usize| LEFT + (i as f64 - window.start as f64) * pitch;
    let lane = lane_height(setup.nodes());
    let y = |node: usize| TOP + lane * (node as f64 + 0.35);
    let height = height(setup.nodes());
    let shown = window.start..(cursor + 1).min(window.end);
    let frames: Vec<&Frame> = line.iter().map(Borrow::borrow).collect();

    let lanes = setup.ids().flat_map(|n| {
        let y = y(n.index());
        [
            Shape::line(format!("lane-{}", n.0), "lane", point(LEFT - 8.0, y), point(width - RIGHT + 6.0, y)),
            Shape::text(format!("name-{}", n.0), "lane-name", point(10.0, y + 4.0), setup.name(n)),
        ]
    });
    let names = stops.iter().filter(|s| window.contains(&s.index)).flat_map(|s| {
        let x = x(s.index);
        [
            Shape::line(format!("stop-{}", s.name), "stop-line", point(x, TOP - 3.0), point(x, height - 3.0)),
            Shape::text(format!("label-{}", s.name), "stop-name", point(x, 10.0), s.name),
        ]
    });
    let here = x(cursor);
    let hits = window.clone().map(|i| {
        let kind = Kind::Rect { x: x(i) - pitch / 2.0, y: 0.0, w: pitch, h: height, r: 0.0 };
        Shape::new(format!("hit-{i}"), "hit", kind)
            .with("data-index", i.to_string())
            .titled(title(frames[i], i <= cursor))
    });
    let layers = vec![
        Shape::group("lanes", "lanes", lanes.collect()),
        Shape::group("stops", "stops", names.collect()),
        Shape::group("bars", "bars", bars(&frames, shown.clone(), setup, &x, &y, lane)),
        Shape::group("sent", "sents", arrows(&frames, shown.clone(), &x, &y)),
        Shape::group("dots", "dots", dots(&frames, shown, cursor, &x, &y)),
        Shape::group(
            "now",
            "now",
            vec![Shape::line("cursor", "cursor", point(here, TOP - 1.0), point(here, height - 3.0))],
        ),
        Shape::group("hits", "hits", hits.collect()),
    ];
    let about = "A lane for each node and a column for each step up to now: bars show who waits and who is inside, arrows are messages.";
    Scene { width, height, title: "Space-time diagram".into(), about: about.into(), layers }
}

fn title(frame: &Frame, past: bool) -> String {
    match &frame.last {
        Some(last) if past => format!("step {}: {}", frame.step, last.title),
        _ => format!("step {}", frame.step),
    }
}

type Across<'a> = &'a dyn Fn(usize) -> f64;

/// How someone's bars look, and the intervals of steps that they cover.
type Spans = (&'static str, Vec<(usize, usize)>);

fn bars(
    frames: &[&Frame],
    shown: std::ops::Range<usize>,
    setup: &Setup,
    x: Across<'_>,
    y: Across<'_>,
    lane: f64,
) -> Vec<Shape> {
    let mut who: BTreeMap<(usize, String), Spans> = BTreeMap::new(); // by node and name
    for i in shown.clone() {
        for node in &frames[i].nodes {
            let mut add = |name: String, class: &'static str| {
                let (_, intervals) = who.entry((node.id.index(), name)).or_insert((class, Vec::new()));
                match intervals.last_mut() {
                    Some((_, end)) if *end == i => *end = i + 1,
                    _ => intervals.push((i, i + 1)),
                }
            };
            for t in node.threads.iter().filter(|t| t.doing == Doing::Inside) {
                add(format!("!{}", t.name), "bar-inside");
            }
            for t in node.threads.iter().filter(|t| t.doing == Doing::Waiting) {
                add(t.name.clone(), "bar-waiting");
            }
            for w in node.view.queue.iter().filter(|w| !matches!(w, Waiter::User(_))) {
                add(words::waiter(setup, w), "bar-alien");
            }
        }
    }
    let last = shown.end.saturating_sub(1);
    let mut shapes = Vec::new();
    let mut rows: BTreeMap<usize, Vec<usize>> = BTreeMap::new(); // by node: where each row is free again
    let mut spans: Vec<(usize, usize, usize, String, &'static str)> = Vec::new();
    for ((node, name), (class, intervals)) in who {
        spans.extend(intervals.into_iter().map(|(from, to)| (from, to.min(last), node, name.clone(), class)));
    }
    spans.sort();
    let (pitch, thin) = if lane > 20.0 { (4.2, 3.0) } else { (3.4, 2.4) };
    let most = ((lane * 0.58 - thin) / pitch + 1.0) as usize;
    for (from, to, node, name, class) in spans.into_iter().filter(|s| s.0 < s.1) {
        let (top, h) = if class == "bar-inside" {
            (y(node) - lane * 0.17, lane * 0.34)
        } else {
            let free = rows.entry(node).or_default();
            let row = free.iter().position(|end| *end <= from).unwrap_or(free.len());
            if row == free.len() {
                free.push(0);
            }
            free[row] = to + 1;
            (y(node) + lane * 0.24 + (row.min(most - 1) as f64) * pitch, thin)
        };
        let kind = Kind::Rect { x: x(from), y: top, w: (x(to) - x(from)).max(3.0), h, r: h.min(3.0) / 2.0 };
        shapes.push(Shape::new(format!("{node}-{name}-{from}"), class, kind));
    }
    shapes
}

fn arrows(frames: &[&Frame], shown: std::ops::Range<usize>, x: Across<'_>, y: Across<'_>) -> Vec<Shape> {
    let mut shapes = Vec::new();
    let mut flying = BTreeMap::new();
    for i in shown.clone() {
        let frame = frames[i];
        let Some(last) = &frame.last else { continue };
        for f in frame.flights.iter().filter(|f| f.from != f.to && last.sent.contains(&f.id)) {
            flying.insert(f.id, (i, f.from.index(), f.to.index(), f.role));
        }
        let (Event::Deliver(id) | Event::Drop(id)) = last.event else { continue };
        if let Some((sent, from, to, role)) = flying.remove(&id) {
            let lost = matches!(last.event, Event::Drop(_));
            shapes.push(arrow(id, role, (x(sent), y(from)), (x(i), y(to)), lost));
        }
    }
    let end = shown.end.saturating_sub(1);
    for f in frames.get(end).map_or(&[][..], |f| &f.flights) {
        let Some((sent, from, to, role)) = flying.get(&f.id).copied().filter(|f| f.0 < end) else { continue };
        let now = frames[end].now;
        let part = if f.due > f.sent {
            ((now.saturating_sub(f.sent)) as f64 / (f.due - f.sent) as f64).clamp(0.0, 0.9)
        } else {
            0.9
        };
        let (x0, y0) = (x(sent), y(from));
        let y1 = y0 + (y(to) - y0) * part.max(0.15);
        let d = format!("M{},{}L{},{}", num(x0), num(y0), num(x(end)), num(y1));
        shapes.push(Shape::path(format!("flying-{}", f.id), &format!("sent flying{}", token(role)), d));
    }
    shapes
}

fn token(role: Role) -> &'static str {
    if role == Role::Token { " token-sent" } else { "" }
}

fn arrow(id: u32, role: Role, from: (f64, f64), to: (f64, f64), lost: bool) -> Shape {
    let (a, b) = (point(from.0, from.1), point(to.0, to.1));
    let dir = a.direction(b);
    let tip = b.moved(-dir.x * 4.0, -dir.y * 4.0);
    let base = tip.moved(-dir.x * 6.0, -dir.y * 6.0);
    let (w0, w1) = (base.moved(-dir.y * 3.2, dir.x * 3.2), base.moved(dir.y * 3.2, -dir.x * 3.2));
    let p = |q: crate::Point| format!("{},{}", num(q.x), num(q.y));
    let d = if lost {
        let c = a.toward(b, 0.6);
        format!(
            "M{}L{}M{}L{}M{}L{}",
            p(a),
            p(c),
            p(c.moved(-3.5, -3.5)),
            p(c.moved(3.5, 3.5)),
            p(c.moved(-3.5, 3.5)),
            p(c.moved(3.5, -3.5))
        )
    } else {
        format!("M{}L{}M{}L{}L{}", p(a), p(tip), p(w0), p(tip), p(w1))
    };
    Shape::path(format!("sent-{id}"), &format!("sent{}", token(role)), d).with("data-sent", id.to_string())
}

fn dots(frames: &[&Frame], shown: std::ops::Range<usize>, cursor: usize, x: Across<'_>, y: Across<'_>) -> Vec<Shape> {
    let dot = |i: usize| {
        let last = frames[i].last.as_ref()?;
        let class = if i == cursor { "dot now" } else { "dot" };
        let r = if i == cursor { 4.0 } else { 2.6 };
        Some(
            Shape::circle(format!("dot-{i}"), class, point(x(i), y(last.node.index())), r)
                .with("data-event", i.to_string()),
        )
    };
    shown.filter_map(dot).collect()
}
