//! Too many nodes for cards: dots whose shape says what a node does, one path for all pointers of a kind, small marks for messages.
//!
//! Nothing here looks at pairs of nodes or avoids anything, so a thousand nodes cost a thousand shapes.

use crate::geometry::{Point, Rect, between, point};
use crate::glyph::diamond;
use crate::layout::{Arrange, Hull, Layout, MARGIN, Plan, Room, Size};
use crate::message::{self, Track};
use crate::route::Route;
use crate::shape::{Bundle, Bundles, Kind, Shape, num};
use crate::stage::Input;
use crate::{clusters, link, tree, words};
use lockstep_kernel::view::{NodeFrame, ThreadState};
use lockstep_kernel::{Frame, NodeId, Role};
use std::fmt::Write;
use std::rc::Rc;

/// Deeper trees than this do not fit around one point.
const DEEPEST: usize = 16;

/// The side of a dot's place.
fn side(n: usize) -> f64 {
    match n {
        0..=160 => 9.0,
        161..=300 => 7.5,
        301..=600 => 6.0,
        _ => 4.5,
    }
}

/// Places the dots: clusters in hulls, trees around their root, everything else in lines that turn at their ends.
pub fn layout(plan: &Plan<'_>, arrange: Arrange, room: Room) -> Layout {
    let n = plan.frame.nodes.len();
    let whole = Rect { x: 0.0, y: 0.0, w: room.width, h: room.height }.grown(-MARGIN - 4.0);
    let mut hulls = Vec::new();
    let centres = if arrange == Arrange::Clusters {
        let (centres, found) = in_hulls(plan, whole, n);
        hulls = found;
        centres
    } else {
        let parents = if arrange == Arrange::Living { plan.living_parents() } else { plan.parents() };
        let shape = tree::shape(&parents);
        let ring = arrange == Arrange::Ring && plan.middle().is_empty();
        if ring || shape.levels > DEEPEST { in_lines(n, whole) } else { around_root(&shape, whole, side(n)) }
    };
    let d = side(n);
    let dot = |c: Point| Rect { x: c.x - d / 2.0, y: c.y - d / 2.0, w: d, h: d };
    let mut layout = Layout::new(arrange, Size::Dot, room, centres.into_iter().map(dot).collect());
    layout.hulls = hulls;
    layout
}

/// A tree around its root: each level on an ellipse, in several rows where one is too short for it.
fn around_root(tree: &tree::Tree, area: Rect, d: f64) -> Vec<Point> {
    let c = area.centre();
    let roots = tree.level.iter().filter(|l| **l == 0).count();
    let offset = if roots > 1 { 0.6 } else { 0.0 };
    let last = (tree.levels as f64 - 1.0 + offset).max(1.0);
    let mut counts = vec![0usize; tree.levels];
    tree.level.iter().for_each(|l| counts[*l] += 1);
    let mut seen = vec![0usize; tree.levels];
    let mut places = vec![c; tree.level.len()];
    let (rx, ry) = (area.w / 2.0, area.h / 2.0);
    for i in tree.leftmost_first() {
        let level = tree.level[i];
        let fraction = (level as f64 + offset) / last;
        // the shortest distance between neighbours is at the flat ends of the ellipse
        let apart = std::f64::consts::TAU * ry.min(rx) * fraction / counts[level] as f64;
        let rows = if apart > 0.0 { ((d + 1.5) / apart).ceil().clamp(1.0, 40.0) } else { 1.0 };
        let row = (seen[level] % rows as usize) as f64;
        seen[level] += 1;
        // rows reach inwards, at most half-way to the level before
        let pitch =
            (d + 1.5).min(ry / last * 0.55 / (rows - 1.0).max(1.0)).max(if tree.levels == 2 { d + 1.0 } else { 0.0 });
        let inwards = row * pitch;
        let (sin, cos) = libm::sincos((tree.across[i] + 0.5) / tree.leaves as f64 * std::f64::consts::TAU);
        places[i] =
            point(c.x + (rx * fraction - inwards).max(0.0) * sin, c.y - (ry * fraction - inwards).max(0.0) * cos);
    }
    places
}

/// Lines that turn at their ends, so that neighbours by number stay neighbours.
fn in_lines(n: usize, area: Rect) -> Vec<Point> {
    let pitch = (area.w * area.h / n.max(1) as f64).sqrt();
    let columns = ((area.w / pitch).ceil() as usize).max(1);
    let rows = n.div_ceil(columns).max(1);
    let (px, py) = (area.w / columns as f64, area.h / rows as f64);
    let at = |i: usize| {
        let (row, k) = (i / columns, i % columns);
        let column = if row.is_multiple_of(2) { k } else { columns - 1 - k };
        point(area.x + (column as f64 + 0.5) * px, area.y + (row as f64 + 0.5) * py)
    };
    (0..n).map(at).collect()
}

fn in_hulls(plan: &Plan<'_>, area: Rect, n: usize) -> (Vec<Point>, Vec<Hull>) {
    let members = clusters::members(plan.setup, n);
    let columns = (members.len() as f64 * area.w / area.h).sqrt().ceil().max(1.0) as usize;
    let columns = columns.min(members.len().max(1));
    let lines = members.len().div_ceil(columns).max(1);
    let (pw, ph) = (area.w / columns as f64, area.h / lines as f64);
    let label = if ph > 70.0 { clusters::LABEL } else { 4.0 };
    let (mut places, mut hulls) = (vec![Point::default(); n], Vec::new());
    for (k, (cluster, proxies, hosts)) in members.iter().enumerate() {
        let (x, y) = (area.x + (k % columns) as f64 * pw, area.y + (k / columns) as f64 * ph);
        let bounds = Rect { x: x + 4.0, y: y + 4.0, w: pw - 8.0, h: ph - 8.0 };
        let inner = Rect { x: bounds.x + 5.0, y: bounds.y + label, w: bounds.w - 10.0, h: bounds.h - label - 5.0 };
        let inside = in_lines(proxies.len() + hosts.len(), inner);
        proxies.iter().chain(hosts).zip(inside).for_each(|(node, place)| places[*node] = place);
        hulls.push(Hull { cluster: *cluster, bounds });
    }
    (places, hulls)
}

/// What a node does, as a class; the most important thing counts.
fn state(node: &NodeFrame) -> &'static str {
    if node.crashed {
        "crashed"
    } else if node.threads.iter().any(|t| t.doing == ThreadState::Inside) {
        "inside"
    } else if node.view.token {
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

/// A dot, larger than its place where its node takes part: those are few.
fn dot(node: &NodeFrame, place: Rect, input: &Input<'_>) -> Shape {
    let (state, r) = (state(node), place.w / 2.0 - 0.5);
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
        (input.because.is_some_and(|b| b.nodes.contains(&node.id)), " cause"),
        (node.id.index() >= input.setup.hosts(), " role"),
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
fn links(input: &Input<'_>, layout: &Layout, kinds: &[String]) -> Vec<Shape> {
    let mut ways = Bundles::default();
    for (from, to, kind) in link::shown(input) {
        let (a, b) = (centre(layout, from), centre(layout, to));
        ways.add(kind, &format!("M{},{}L{},{}", num(a.x), num(a.y), num(b.x), num(b.y)));
    }
    let shape = |Bundle { kind, d, count }| {
        let stroke = kinds.iter().position(|k| *k == kind).unwrap_or(0).min(3);
        Shape::path(format!("links-{kind}"), &format!("links-crowd stroke-{stroke}"), d)
            .with("data-links", kind)
            .with("data-count", count.to_string())
    };
    ways.sorted().into_iter().map(shape).collect()
}

/// How messages of a crowd move: straight on, those of one pair beside each other.
pub fn tracks(frame: &Frame, layout: &Layout) -> Vec<Track> {
    let moving = (frame.flights.iter().zip(message::lanes(frame)))
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

fn marks(input: &Input<'_>, layout: &Layout, tracks: &[Track]) -> Vec<Shape> {
    let now = input.frame.now as f64;
    let mut at = tracks.iter();
    // no larger than the dots between which they fly
    let r = (layout.cards.first().map_or(3.0, |c| c.w * 0.42)).clamp(1.8, 3.2);
    let mark = |f: &lockstep_kernel::view::FlightFrame| {
        let place = match at.as_slice().first() {
            Some(track) if track.id == f.id => {
                at.next();
                track.place(now)
            }
            _ => centre(layout, f.to).moved(6.0, 6.0),
        };
        let cause = if input.because.is_some_and(|b| b.messages.contains(&f.id)) { " cause" } else { "" };
        let key = format!("flight-{}", f.id);
        let (kind, role) = match f.role {
            Role::Token => (diamond(&key, "", Point::default(), r + 2.0), "token-message"),
            Role::Reply => (Shape::circle(key, "", Point::default(), r), "reply"),
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
    input.frame.flights.iter().map(mark).collect()
}

/// Names of the few nodes that matter: whoever is inside or has the token.
fn names(input: &Input<'_>, layout: &Layout) -> Vec<Shape> {
    let matters = |n: &&Rc<NodeFrame>| matches!(state(n), "inside" | "token") && input.selected != Some(n.id);
    let name = |n: &Rc<NodeFrame>| {
        let c = centre(layout, n.id);
        let end = c.x > layout.width - 70.0;
        let at = point(if end { c.x - 10.0 } else { c.x + 10.0 }, between(14.0, c.y + 5.0, layout.height - 4.0));
        let class = if end { "spot-name end" } else { "spot-name" };
        Shape::text(format!("name-{}", n.id.0), class, at, words::cut(&n.name, 10))
    };
    input.frame.nodes.iter().filter(matters).take(6).map(name).collect()
}

/// What a card would say of the node that is looked at.
fn callout(input: &Input<'_>, layout: &Layout) -> Option<Shape> {
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
    let token = if node.view.token { " · token" } else { "" };
    let title = format!("{}{token}{}", words::cut(&node.name, 16), if node.crashed { " · down" } else { "" });
    let wide = lines.iter().map(|l| words::width(l, 13.0)).fold(words::bold_width(&title, 15.0), f64::max);
    let (w, h) = (wide + 20.0, 28.0 + 17.0 * lines.len() as f64);
    let c = centre(layout, node.id);
    let x = if c.x + 14.0 + w < layout.width - 4.0 { c.x + 14.0 } else { (c.x - 14.0 - w).max(4.0) };
    let y = between(4.0, c.y - h / 2.0, (layout.height - h - 4.0).max(4.0));
    let mut shapes = vec![
        Shape::new("box", "callout-box", Kind::Rect { x: 0.0, y: 0.0, w, h, r: 7.0 }),
        Shape::text("title", "card-name", point(10.0, 20.0), title),
    ];
    for (i, line) in lines.into_iter().enumerate() {
        shapes.push(Shape::text(format!("line-{i}"), "caption", point(10.0, 38.0 + 17.0 * i as f64), line));
    }
    Some(Shape::group("callout", "callout", shapes).at(point(x.round(), y.round())).with("data-callout", &node.name))
}

/// The layers of a crowd.
pub fn draw(input: &Input<'_>, layout: &Layout, tracks: &[Track], kinds: &[String]) -> Vec<Shape> {
    let shows = |layer: &str| !input.hidden.contains(layer);
    let dots = input.frame.nodes.iter().zip(&layout.cards).map(|(n, place)| dot(n, *place, input));
    let marks = if shows("messages") { marks(input, layout, tracks) } else { Vec::new() };
    vec![
        Shape::group("links", "links", links(input, layout, kinds)),
        Shape::group("cards", "spots", dots.collect()),
        Shape::group("flights", "flights", marks),
        Shape::group("labels", "labels", names(input, layout)),
        Shape::group("callouts", "callouts", callout(input, layout).into_iter().collect()),
    ]
}
