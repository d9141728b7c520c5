//! Drawings of many nodes: dots whose shapes show the state, one path for all pointers of a kind,
//! and small marks for messages.
//!
//! Nothing here compares pairs of nodes or avoids anything, so the cost grows linearly with the
//! number of nodes.

use crate::card::glyph::diamond;
use crate::explain::{trouble, words};
use crate::geometry::{Point, Rect, between, point};
use crate::layout::Layout;
use crate::route::Route;
use crate::shape::{PathBundle, PathBundles, Shape, ShapeKind, num};
use crate::stage::StageInput;
use crate::stage::link;
use crate::stage::message::{self, Track};
use lockstep_kernel::view::{FlightFrame, NodeFrame, ThreadState};
use lockstep_kernel::{Frame, NodeId, Role, ThreadId, sort};
use std::fmt::Write;
use std::rc::Rc;

/// The class of a node's state; the most important one wins.
fn state(node: &NodeFrame, token: bool) -> &'static str {
    if node.crashed {
        "crashed"
    } else if node.threads.iter().any(|t| t.doing == ThreadState::Inside) {
        "inside"
    } else if node.view.token && token {
        "token"
    } else if node.threads.iter().any(|t| t.doing == ThreadState::Waiting) || !node.view.queue.is_empty() {
        "waiting"
    } else {
        "idle"
    }
}

fn circle(d: &mut String, r: f64) {
    let _ = write!(d, "M{r},0A{r},{r} 0 1 1 -{r},0A{r},{r} 0 1 1 {r},0", r = num(r));
}

/// What all dots of a picture share.
struct CrowdFacts {
    /// Whether there is a token to show.
    token: bool,
    /// The threads inside together, and those that can no longer be served.
    violated: Vec<ThreadId>,
}

impl CrowdFacts {
    fn of(frame: &Frame) -> CrowdFacts {
        let mut violated = trouble::inside_together(frame);
        violated.extend(frame.stuck.iter().map(|s| s.thread));
        CrowdFacts { token: trouble::has_token(frame), violated }
    }
}

/// A dot. Those of the few nodes that are inside, hold the token or wait are larger than their
/// place.
fn dot(node: &NodeFrame, place: Rect, input: &StageInput<'_>, seen: &CrowdFacts) -> Shape {
    let (state, r) = (state(node, seen.token), place.w / 2.0 - 0.5);
    let key = node.id.0.to_string();
    let big = r.max(3.2);
    let shape = match state {
        "inside" => {
            let mut d = String::new();
            circle(&mut d, big + 3.4);
            circle(&mut d, big + 1.7);
            circle(&mut d, big);
            Shape::path(key, "spot inside", d)
        }
        "token" => diamond(&key, "spot token", Point::default(), big + 2.0),
        "crashed" => {
            let k = num(big);
            Shape::path(key, "spot crashed", format!("M-{k},-{k}L{k},{k}M-{k},{k}L{k},-{k}"))
        }
        "waiting" => Shape::circle(key, "spot waiting", Point::default(), r.max(2.4)),
        _ => Shape::circle(key, "spot idle", Point::default(), (r * 0.8).max(1.6)),
    };
    let mut shape = shape
        .at(place.centre())
        .with("data-node", &node.name)
        .with("data-id", node.id.0.to_string())
        .with("data-state", state);
    let acting = input.frame.last.as_ref().is_some_and(|l| l.node == node.id);
    for (on, class) in [
        (input.selected == Some(node.id), " selected"),
        (acting, " acting"),
        (input.causes.is_some_and(|b| b.nodes.contains(&node.id)), " cause"),
        (node.id.index() >= input.setup.hosts(), " role"),
        (node.threads.iter().any(|t| seen.violated.contains(&t.id)), " violated"),
    ] {
        if on {
            shape.class.push_str(class);
        }
    }
    shape
}

fn centre(layout: &Layout, node: NodeId) -> Point {
    layout.cards.get(node.index()).copied().unwrap_or_default().centre()
}

/// All pointers of a kind as one path.
fn links(input: &StageInput<'_>, layout: &Layout, kinds: &[String]) -> Vec<Shape> {
    let mut bundles = PathBundles::default();
    for (from, to, kind) in link::shown(input) {
        let (a, b) = (centre(layout, from), centre(layout, to));
        bundles.add(kind, &format!("M{},{}L{},{}", num(a.x), num(a.y), num(b.x), num(b.y)));
    }
    let shape = |PathBundle { kind, d, count }| {
        let stroke = kinds.iter().position(|k| *k == kind).unwrap_or(0).min(3);
        Shape::path(format!("links-{kind}"), &format!("links-crowd stroke-{stroke}"), d)
            .with("data-links", kind)
            .with("data-count", count.to_string())
    };
    bundles.sorted().into_iter().map(shape).collect()
}

/// The most messages that are drawn: 255 nodes may send 64,770 before one arrives.
pub const MOST_MARKS: usize = 1_000;

/// The messages that are drawn, by sending order: the token, and those that arrive first.
fn drawn(frame: &Frame) -> Vec<&FlightFrame> {
    let mut flights: Vec<&FlightFrame> = frame.flights.iter().collect();
    if flights.len() > MOST_MARKS {
        sort::by_key(&mut flights, |f| (f.role != Role::Token, f.due, f.id));
        flights.truncate(MOST_MARKS);
        sort::by_key(&mut flights, |f| f.id);
    }
    flights
}

/// How messages move among dots: on straight lines, those between the same two nodes side by side.
pub fn tracks(frame: &Frame, layout: &Layout) -> Vec<Track> {
    let flights = drawn(frame);
    let moving = (flights.iter().zip(message::lanes(&flights)))
        .filter(|(f, _)| f.from != f.to && f.from.index().max(f.to.index()) < layout.cards.len());
    moving
        .map(|(f, lane)| {
            let (a, b) = (centre(layout, f.from), centre(layout, f.to));
            let (dir, aside) = (a.direction(b), 3.0 + 7.0 * lane as f64);
            let (dx, dy) = (dir.y * aside, -dir.x * aside);
            let inset = (6.0 / a.distance(b).max(20.0)).min(0.3);
            let route = Route::line(a.moved(dx, dy), b.moved(dx, dy));
            let within = layout.field().grown(-4.0);
            Track { id: f.id, route, sent: f.sent, due: f.due, inset: (inset, inset), aside: Point::default(), within }
        })
        .collect()
}

fn marks(input: &StageInput<'_>, layout: &Layout, tracks: &[Track]) -> Vec<Shape> {
    let now = input.frame.now as f64;
    let mut at = tracks.iter();
    let token = trouble::has_token(input.frame);
    // no larger than the dots
    let r = (layout.cards.first().map_or(3.0, |c| c.w * 0.42)).clamp(1.8, 3.2);
    let mark = |f: &FlightFrame| {
        let place = match at.as_slice().first() {
            Some(track) if track.id == f.id => {
                at.next();
                track.place(now)
            }
            _ => centre(layout, f.to).moved(6.0, 6.0),
        };
        let cause = if input.causes.is_some_and(|b| b.messages.contains(&f.id)) { " cause" } else { "" };
        let key = format!("flight-{}", f.id);
        let (kind, role) = match f.role {
            Role::Token if token => (diamond(&key, "", Point::default(), r + 2.0), "token-message"),
            Role::Token | Role::Reply => (Shape::circle(key, "", Point::default(), r), "reply"),
            Role::Local => (Shape::circle(key, "", Point::default(), r), "local"),
            Role::Request => (Shape::circle(key, "", Point::default(), r), "request"),
        };
        let mut shape = kind
            .at(place)
            .with("data-flight", &f.label)
            .with("data-flight-id", f.id.to_string())
            .with("data-from", input.setup.name(f.from))
            .with("data-to", input.setup.name(f.to));
        shape.class = format!("speck {role}{cause}");
        shape
    };
    drawn(input.frame).into_iter().map(mark).collect()
}

/// The names of the nodes that are inside or hold the token, and how many messages are not drawn.
fn names(input: &StageInput<'_>, layout: &Layout, seen: &CrowdFacts) -> Vec<Shape> {
    let matters =
        |n: &&Rc<NodeFrame>| matches!(state(n, seen.token), "inside" | "token") && input.selected != Some(n.id);
    let name = |n: &Rc<NodeFrame>| {
        let c = centre(layout, n.id);
        let end = c.x > layout.width - 70.0;
        let at = point(if end { c.x - 10.0 } else { c.x + 10.0 }, between(14.0, c.y + 5.0, layout.height - 4.0));
        let class = if end { "spot-name end" } else { "spot-name" };
        Shape::text(format!("name-{}", n.id.0), class, at, words::cut(&n.name, 10))
    };
    let hidden = input.frame.flights.len().saturating_sub(MOST_MARKS);
    let more = (hidden > 0).then(|| {
        let at = point(10.0, layout.height - 8.0);
        Shape::text("more", "spot-name", at, format!("and {} that arrive later", words::count(hidden, "message")))
    });
    input.frame.nodes.iter().filter(matters).take(6).map(name).chain(more).collect()
}

/// The contents of a card, for the selected node.
fn callout(input: &StageInput<'_>, layout: &Layout) -> Option<Shape> {
    let node = input.frame.nodes.get(input.selected?.index())?;
    let of = |what: ThreadState| node.threads.iter().filter(move |t| t.doing == what).map(|t| t.name.clone());
    let mut lines = Vec::new();
    let inside: Vec<String> = of(ThreadState::Inside).collect();
    if !inside.is_empty() {
        lines.push(format!("inside: {}", words::list(&inside)));
    }
    let queue: Vec<String> = node.view.queue.iter().map(|w| words::waiter(input.setup, w)).collect();
    let waiting: Vec<String> = if queue.is_empty() { of(ThreadState::Waiting).collect() } else { queue };
    if !waiting.is_empty() {
        let more = waiting.len().saturating_sub(4);
        let first = waiting[..waiting.len().min(4)].join(", ");
        lines.push(if more > 0 { format!("queue: {first} +{more}") } else { format!("queue: {first}") });
    }
    let target = node.view.link(input.tree_link).filter(|to| *to != node.id);
    lines.extend(target.map(|to| format!("{}: {}", input.tree_link, input.setup.name(to))));
    if lines.is_empty() {
        lines.push("idle".into());
    }
    let token = if node.view.token && !node.crashed && trouble::has_token(input.frame) { " · token" } else { "" };
    let title = format!("{}{token}{}", words::cut(&node.name, 16), if node.crashed { " · down" } else { "" });
    let wide = lines.iter().map(|l| words::width(l, 13.0)).fold(words::bold_width(&title, 15.0), f64::max);
    let (w, h) = (wide + 20.0, 28.0 + 17.0 * lines.len() as f64);
    let c = centre(layout, node.id);
    let x = if c.x + 14.0 + w < layout.width - 4.0 { c.x + 14.0 } else { (c.x - 14.0 - w).max(4.0) };
    let y = between(4.0, c.y - h / 2.0, (layout.height - h - 4.0).max(4.0));
    let mut shapes = vec![
        Shape::new("box", "callout-box", ShapeKind::Rect { x: 0.0, y: 0.0, w, h, r: 7.0 }),
        Shape::text("title", "card-name", point(10.0, 20.0), title),
    ];
    for (i, line) in lines.into_iter().enumerate() {
        shapes.push(Shape::text(format!("line-{i}"), "caption", point(10.0, 38.0 + 17.0 * i as f64), line));
    }
    Some(Shape::group("callout", "callout", shapes).at(point(x.round(), y.round())).with("data-callout", &node.name))
}

/// Draws the layers of a picture with dots.
pub fn draw(input: &StageInput<'_>, layout: &Layout, tracks: &[Track], kinds: &[String]) -> Vec<Shape> {
    let shows = |layer: &str| !input.hidden.contains(layer);
    let seen = CrowdFacts::of(input.frame);
    let dots = input.frame.nodes.iter().zip(&layout.cards).map(|(n, place)| dot(n, *place, input, &seen));
    let marks = if shows("messages") { marks(input, layout, tracks) } else { Vec::new() };
    vec![
        Shape::group("links", "links", links(input, layout, kinds)),
        Shape::group("cards", "spots", dots.collect()),
        Shape::group("flights", "flights", marks),
        Shape::group("labels", "labels", names(input, layout, &seen)),
        Shape::group("callouts", "callouts", callout(input, layout).into_iter().collect()),
    ]
}
