//! Messages, migrations and events of the space-time diagram.

use super::DiagramGeometry;
use crate::diagram::delivery::{Passage, find_passages};
use crate::explain::{CausalChain, trouble, words};
use crate::geometry::{Point, point};
use crate::shape::{PathBundle, PathBundles, Shape, num};
use crate::stage::message::MANY;
use lockstep_kernel::{Event, Frame, Role};

fn role_class(role: Role) -> &'static str {
    if role == Role::Token { " token-sent" } else { "" }
}

fn cause(on: bool) -> &'static str {
    if on { " cause" } else { "" }
}

/// An arrow from event to event; that of a dropped message ends in a cross.
pub fn arrow(key: String, class: &str, a: Point, b: Point, lost: bool) -> Shape {
    let dir = a.direction(b);
    let tip = b.moved(-dir.x * 4.0, -dir.y * 4.0);
    let base = tip.moved(-dir.x * 6.0, -dir.y * 6.0);
    let (w0, w1) = (base.moved(-dir.y * 3.2, dir.x * 3.2), base.moved(dir.y * 3.2, -dir.x * 3.2));
    let p = |q: Point| format!("{},{}", num(q.x), num(q.y));
    let d = if lost {
        let c = a.toward(b, 0.6);
        let corner = |x: f64, y: f64| p(c.moved(x, y));
        let cross = [corner(-3.5, -3.5), corner(3.5, 3.5), corner(-3.5, 3.5), corner(3.5, -3.5)];
        format!("M{}L{}M{}L{}M{}L{}", p(a), p(c), cross[0], cross[1], cross[2], cross[3])
    } else {
        format!("M{}L{}M{}L{}L{}", p(a), p(tip), p(w0), p(tip), p(w1))
    };
    Shape::path(key, class, d)
}

/// The least distance of an arrow from an event that it has nothing to do with: closer, it looks as
/// if that node forwarded the message.
const CLEAR: f64 = 6.5;

/// Where an arrow bends: the control point of a quadratic curve that keeps away from the events of
/// other nodes, or the middle of the straight line.
fn bend(a: Point, b: Point, events: &[Point]) -> Point {
    let near = |p: &&Point| {
        let (low, high) = (a.y.min(b.y) + 1.0, a.y.max(b.y) - 1.0);
        p.y > low && p.y < high && p.x > a.x.min(b.x) - CLEAR && p.x < a.x.max(b.x) + CLEAR
    };
    let near: Vec<&Point> = events.iter().filter(near).collect();
    let middle = a.toward(b, 0.5);
    if near.is_empty() {
        return middle;
    }
    let clearance = |knee: Point| {
        let at = |t: f64| a.toward(knee, t).toward(knee.toward(b, t), t);
        let distance = |p: &Point| (1..48).map(|k| at(f64::from(k) / 48.0).distance(*p)).fold(f64::INFINITY, f64::min);
        near.iter().map(|p| distance(p)).fold(f64::INFINITY, f64::min)
    };
    // the curve crosses the lanes between earlier or later than the straight line does
    let knees = [0.5, 0.38, 0.62, 0.26, 0.74, 0.14, 0.86, 0.02, 0.98, -0.12, 1.12];
    let knees = knees.map(|t| point(a.x + (b.x - a.x) * t, a.y + (b.y - a.y) * (1.0 - t)));
    let good = knees.into_iter().find(|knee| clearance(*knee) >= CLEAR);
    good.or_else(|| knees.into_iter().max_by(|x, y| clearance(*x).total_cmp(&clearance(*y)))).unwrap_or(middle)
}

/// The arrow of a delivered message, bent around the events of other nodes.
fn bent_arrow(key: String, class: &str, a: Point, b: Point, events: &[Point]) -> Shape {
    let knee = bend(a, b, events);
    if knee.distance(a.toward(b, 0.5)) < 0.01 {
        return arrow(key, class, a, b, false);
    }
    let dir = knee.direction(b);
    let tip = b.moved(-dir.x * 4.0, -dir.y * 4.0);
    let base = tip.moved(-dir.x * 6.0, -dir.y * 6.0);
    let (w0, w1) = (base.moved(-dir.y * 3.2, dir.x * 3.2), base.moved(dir.y * 3.2, -dir.x * 3.2));
    let p = |q: Point| format!("{},{}", num(q.x), num(q.y));
    let d = format!("M{}Q{} {}M{}L{}L{}", p(a), p(knee), p(tip), p(w0), p(tip), p(w1));
    Shape::path(key, class, d)
}

/// The value of a logical clock at each event, where the algorithm has clocks and there is room.
pub fn clocks(geometry: &DiagramGeometry<'_>) -> Vec<Shape> {
    let room = geometry.pitch();
    if geometry.lane < 13.0 {
        return Vec::new();
    }
    let clock = |i: usize| {
        let frame = geometry.frames[i];
        let node = frame.nodes.get(frame.last.as_ref()?.node.index())?;
        let var = node.view.vars.iter().find(|v| v.name == "T")?;
        let text = var.value.text(|_| String::new());
        let at = geometry.at(i, node.id).moved(0.0, -5.0);
        let fits = words::width(&text, 10.0) <= room + 6.0;
        let shape = || Shape::text(format!("clock-{i}"), "clock", at, &text).with("data-clock", i.to_string());
        fits.then(shape)
    };
    geometry.shown.clone().filter_map(clock).collect()
}

/// Draws the visible messages and migrations.
pub fn draw(geometry: &DiagramGeometry<'_>, causes: Option<&CausalChain>) -> Vec<Shape> {
    let past = &geometry.frames[..geometry.shown.end];
    let mut shapes = Vec::new();
    let mut crowd = PathBundles::default();
    let token = past.last().is_none_or(|frame| trouble::has_token(frame));
    // all events of the window, so that an arrow does not bend later
    let events: Vec<Point> = (geometry.window.clone())
        .filter_map(|i| Some(geometry.at(i, geometry.frames[i].last.as_ref()?.node)))
        .collect();
    // messages delivered before the first column are not visible
    let from = geometry.window.start.saturating_sub(1).min(past.len());
    let sent_at = |sent: usize, id: u32| match sent {
        0 => past[..from].iter().rposition(|f| f.last.as_ref().is_some_and(|l| l.sent.contains(&id))).unwrap_or(from),
        later => from + later,
    };
    for (id, passage) in find_passages(&past[from..]) {
        let passage = Passage { sent: sent_at(passage.sent, id), ended: passage.ended.map(|e| from + e), ..passage };
        let copied = past[passage.sent].last.as_ref().is_some_and(|l| matches!(l.event, Event::Duplicate(_)));
        let flight = past[passage.sent].flights.iter().find(|f| f.id == id);
        let Some(f) = flight.filter(|f| f.from != f.to) else { continue };
        let class = format!(
            "sent{}{}{}",
            if token { role_class(f.role) } else { "" },
            if copied { " copy" } else { "" },
            cause(causes.is_some_and(|b| b.messages.contains(&id)))
        );
        // a message sent before the first column enters from the left
        let sent = if passage.sent < geometry.window.start {
            geometry.at(geometry.window.start, f.from).moved(-8.0, 0.0)
        } else {
            geometry.at(passage.sent, f.from)
        };
        match passage.ended {
            Some(end) if end < geometry.window.start => {}
            Some(end) => {
                let lost = past[end].last.as_ref().is_some_and(|l| matches!(l.event, Event::Drop(_)));
                let class = if lost { format!("{class} lost") } else { class };
                let (key, to) = (format!("sent-{id}"), geometry.at(end, f.to));
                let shape =
                    if lost { arrow(key, &class, sent, to, true) } else { bent_arrow(key, &class, sent, to, &events) };
                shapes.push(shape.with("data-sent", id.to_string()));
            }
            None => {
                let Some(tip) = flying(geometry, id).filter(|t| t.x > sent.x) else { continue };
                let d = format!("M{},{}L{},{}", num(sent.x), num(sent.y), num(tip.x), num(tip.y));
                let class = class.replacen("sent", "sent flying", 1);
                if crowded(geometry) {
                    crowd.add(&class, &d);
                } else {
                    shapes.push(Shape::path(format!("flying-{id}"), &class, d).with("data-sent", id.to_string()));
                }
            }
        }
    }
    let together = |PathBundle { kind, d, count }| {
        Shape::path(format!("all {kind}"), &kind, d).with("data-flying", count.to_string())
    };
    shapes.extend(crowd.sorted().into_iter().map(together));
    shapes.extend(geometry.shown.clone().filter_map(|i| migration(geometry, i)));
    shapes
}

/// The current tip of the arrow of a message in flight.
fn flying(geometry: &DiagramGeometry<'_>, id: u32) -> Option<Point> {
    let end = geometry.shown.end.checked_sub(1)?;
    let frame: &Frame = geometry.frames[end];
    let f = frame.flights.iter().find(|f| f.id == id && f.from != f.to)?;
    let gone = frame.now.saturating_sub(f.sent) as f64;
    let part = if f.due > f.sent { (gone / (f.due - f.sent) as f64).clamp(0.15, 0.9) } else { 0.9 };
    let (y0, y1) = (geometry.y(f.from), geometry.y(f.to));
    Some(point(geometry.x(end), y0 + (y1 - y0) * part))
}

/// Whether there are too many messages in flight to grab a single one. They are drawn as one shape
/// then, because all of them move at every step.
fn crowded(geometry: &DiagramGeometry<'_>) -> bool {
    geometry.shown.end.checked_sub(1).is_some_and(|last| geometry.frames[last].flights.len() > MANY)
}

/// Handles to drag messages in flight. Delivered messages are dragged by their columns.
pub fn tips(geometry: &DiagramGeometry<'_>) -> Vec<Shape> {
    let Some(last) = geometry.shown.end.checked_sub(1).filter(|_| !crowded(geometry)) else { return Vec::new() };
    let tip = |f: &lockstep_kernel::view::FlightFrame| {
        let at = flying(geometry, f.id)?;
        Some(
            Shape::circle(format!("tip-{}", f.id), "hit tip", at, 8.0)
                .with("data-sent", f.id.to_string())
                .titled(&f.label),
        )
    };
    geometry.frames[last].flights.iter().filter_map(tip).collect()
}

fn migration(geometry: &DiagramGeometry<'_>, i: usize) -> Option<Shape> {
    let Event::Migrate(thread, to) = geometry.frames[i].last.as_ref()?.event else { return None };
    let before = geometry.frames.get(i.checked_sub(1)?)?;
    let from = before.nodes.iter().find(|n| n.threads.iter().any(|t| t.id == thread))?.id;
    let shape = arrow(format!("migrated-{i}"), "sent migrated", geometry.at(i, from), geometry.at(i, to), false);
    Some(shape.with("data-migrated", thread.0.to_string()))
}

/// A dot for each event, a square for each fault.
pub fn dots(geometry: &DiagramGeometry<'_>, causes: Option<&CausalChain>) -> Vec<Shape> {
    let now = geometry.shown.end.saturating_sub(1);
    let dot = |i: usize| {
        let last = geometry.frames[i].last.as_ref()?;
        let class = format!(
            "dot{}{}{}",
            if i == now { " now" } else { "" },
            if last.event.is_fault() { " fault" } else { "" },
            cause(causes.is_some_and(|b| b.steps.contains(&i)))
        );
        let (r, at) = (if i == now { 4.0 } else { 2.6 }, geometry.at(i, last.node));
        let shape = if last.event.is_fault() {
            let kind = crate::shape::ShapeKind::Rect { x: at.x - 3.2, y: at.y - 3.2, w: 6.4, h: 6.4, r: 0.5 };
            Shape::new(format!("dot-{i}"), class, kind)
        } else {
            Shape::circle(format!("dot-{i}"), &class, at, r)
        };
        Some(shape.with("data-event", i.to_string()))
    };
    geometry.shown.clone().filter_map(dot).collect()
}
