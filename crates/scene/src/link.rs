//! Pointers from card to card, and the ghosts of those that have just turned.

use crate::geometry::Point;
use crate::layout::Layout;
use crate::route::{self, Route};
use crate::shape::{Shape, num};
use lockstep_kernel::{Frame, NodeId, Setup};

/// A pointer: from, to, kind.
pub type Pointer<'a> = (NodeId, NodeId, &'a str);

/// Every pointer of a frame that leads to another node.
pub fn pointers(frame: &Frame) -> Vec<Pointer<'_>> {
    let all = frame.nodes.iter().flat_map(|n| n.view.links.iter().map(|l| (n.id, l.to, l.kind.as_str())));
    all.filter(|(from, to, _)| from != to && to.index() < frame.nodes.len()).collect()
}

/// The kinds of pointers in a frame, the one along which requests travel first.
pub fn kinds(frame: &Frame, tree_link: &str) -> Vec<String> {
    let mut kinds: Vec<String> = Vec::new();
    for link in frame.nodes.iter().flat_map(|n| &n.view.links) {
        if !kinds.contains(&link.kind) {
            kinds.push(link.kind.clone());
        }
    }
    kinds.sort_by_key(|k| k != tree_link);
    kinds
}

/// An open arrow head at the end of a way.
fn head(route: &Route) -> String {
    let (tip, dir) = (route.at(1.0), route.end);
    let wing = |side: f64| {
        let base = tip.moved(-dir.x * 8.5, -dir.y * 8.5);
        Point { x: base.x - dir.y * side, y: base.y + dir.x * side }
    };
    let (a, b) = (wing(4.8), wing(-4.8));
    format!("M{},{}L{},{}L{},{}", num(a.x), num(a.y), num(tip.x), num(tip.y), num(b.x), num(b.y))
}

fn arrow(route: &Route, key: String, class: String) -> Shape {
    Shape::group(key, class, vec![Shape::path("way", "way", route.d.clone()), Shape::path("head", "head", head(route))])
}

/// The pointers of a frame, and all points on their ways.
pub fn draw(frame: &Frame, setup: &Setup, layout: &Layout, tree_link: &str) -> (Vec<Shape>, Vec<Point>) {
    let kinds = kinds(frame, tree_link);
    let all = pointers(frame);
    let (mut shapes, mut points) = (Vec::new(), Vec::new());
    for (i, &(from, to, kind)) in all.iter().enumerate() {
        let stroke = kinds.iter().position(|k| k == kind).unwrap_or(0).min(3);
        let nth = all[..i].iter().filter(|p| **p == all[i]).count();
        let beside = all.iter().any(|p| (p.0, p.1) == (to, from)) || all[..i].iter().any(|p| (p.0, p.1) == (from, to));
        let key = format!("{kind}-{}-{}-{nth}", from.0, to.0);
        let route = route::for_link(layout, from, to, beside).route;
        points.extend_from_slice(&route.points);
        shapes.push(
            arrow(&route, key, format!("link stroke-{stroke}"))
                .with("data-link", kind)
                .with("data-from", setup.name(from))
                .with("data-to", setup.name(to))
                .titled(format!("{kind} of {} is {}", setup.name(from), setup.name(to))),
        );
    }
    (shapes, points)
}

/// The pointers that the last step turned, where they were before.
pub fn ghosts(frame: &Frame, before: &Frame, layout: &Layout, tree_link: &str) -> Vec<Shape> {
    let kinds = kinds(frame, tree_link);
    let now = pointers(frame);
    let gone = pointers(before).into_iter().filter(|p| !now.contains(p) && p.1.index() < layout.cards.len());
    gone.map(|(from, to, kind)| {
        let stroke = kinds.iter().position(|k| k == kind).unwrap_or(0).min(3);
        // the key names the step: a ghost that returns fades anew
        let key = format!("{kind}-{}-{}-{}", from.0, to.0, frame.step);
        let route = route::for_link(layout, from, to, false).route;
        arrow(&route, key, format!("link ghost stroke-{stroke}")).with("data-ghost", kind)
    })
    .collect()
}
