//! Messages, migrations and events of the space-time diagram.

use super::DiagramGeometry;
use crate::diagram::delivery::{Passage, find_passages};
use crate::explain::CausalChain;
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

/// Draws the visible messages and migrations.
pub fn draw(geometry: &DiagramGeometry<'_>, causes: Option<&CausalChain>) -> Vec<Shape> {
    let past = &geometry.frames[..geometry.shown.end];
    let mut shapes = Vec::new();
    let mut crowd = PathBundles::default();
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
            role_class(f.role),
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
                let shape = arrow(format!("sent-{id}"), &class, sent, geometry.at(end, f.to), lost);
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
