//! Pointers from card to card, and ghosts of the pointers that have just changed.

use crate::geometry::Point;
use crate::route::{Route, Router};
use crate::shape::{Shape, ShapeKind, num};
use crate::stage::StageInput;
use lockstep_kernel::view::CellView;
use lockstep_kernel::{Frame, NodeId};

/// A pointer: from, to, kind.
pub type PointerEnds<'a> = (NodeId, NodeId, &'a str);

/// Pointers of which every node has many: they are drawn for the selected node only.
const ON_DEMAND: [&str; 2] = ["quorum", "permission"];

/// Whether pointers of this kind are drawn for the selected node only.
pub fn on_demand(kind: &str) -> bool {
    ON_DEMAND.contains(&kind)
}

/// Every pointer of a frame that leads to another node.
pub fn pointers(frame: &Frame) -> Vec<PointerEnds<'_>> {
    // a crashed node has forgotten its pointers
    let up = frame.nodes.iter().filter(|n| !n.crashed);
    let all = up.flat_map(|n| n.view.links.iter().map(|l| (n.id, l.to, l.kind.as_str())));
    all.filter(|(from, to, _)| from != to && to.index() < frame.nodes.len()).collect()
}

/// The pointers that are drawn: none of hidden layers, and those on demand only for the selected
/// node.
pub fn shown<'a>(input: &StageInput<'a>) -> impl Iterator<Item = PointerEnds<'a>> {
    let StageInput { frame, selected, hidden, .. } = *input;
    let off: Vec<String> = kinds(frame, "").into_iter().filter(|k| hidden.contains(&format!("links:{k}"))).collect();
    let visible = move |(from, _, kind): &PointerEnds<'_>| {
        (!on_demand(kind) || selected == Some(*from)) && !off.iter().any(|k| k == kind)
    };
    pointers(frame).into_iter().filter(visible)
}

/// The quorum of the selected node.
pub fn quorum(input: &StageInput<'_>) -> Vec<NodeId> {
    shown(input).filter(|(_, _, kind)| on_demand(kind)).map(|(_, to, _)| to).collect()
}

/// The kinds of pointers in a frame, the one along which requests travel first.
pub fn kinds(frame: &Frame, tree_link: &str) -> Vec<String> {
    let mut kinds: Vec<String> = Vec::new();
    for link in frame.nodes.iter().flat_map(|n| &n.view.links) {
        if !kinds.contains(&link.kind) {
            kinds.push(link.kind.clone());
        }
    }
    move_first(&mut kinds, tree_link);
    kinds
}

/// Puts the kind along which requests travel first.
pub fn move_first(kinds: &mut Vec<String>, tree_link: &str) {
    if let Some(at) = kinds.iter().position(|k| k == tree_link) {
        let kind = kinds.remove(at);
        kinds.insert(0, kind);
    }
}

/// The SVG path of an open arrow head with a tip and a direction.
pub fn head(tip: Point, dir: Point) -> String {
    let wing = |side: f64| {
        let base = tip.moved(-dir.x * 8.5, -dir.y * 8.5);
        Point { x: base.x - dir.y * side, y: base.y + dir.x * side }
    };
    let (a, b) = (wing(4.8), wing(-4.8));
    format!("M{},{}L{},{}L{},{}", num(a.x), num(a.y), num(tip.x), num(tip.y), num(b.x), num(b.y))
}

fn arrow(route: &Route, key: String, class: String) -> Shape {
    Shape::group(
        key,
        class,
        vec![
            Shape::path("route", "route", route.d.clone()),
            Shape::path("head", "head", head(route.at(1.0), route.end)),
        ],
    )
}

/// The lane of each pointer, and the number of lanes: alone between its two nodes it runs in the
/// middle; several run side by side, ordered by kind and direction, so that none covers another.
fn lanes(all: &[PointerEnds<'_>]) -> Vec<(u32, u32)> {
    let pair = |p: &PointerEnds<'_>| (p.0.min(p.1), p.0.max(p.1));
    let lane = |i: usize| {
        let same = |j: &usize| pair(&all[*j]) == pair(&all[i]);
        ((0..i).filter(same).count() as u32, (0..all.len()).filter(same).count() as u32)
    };
    (0..all.len()).map(lane).collect()
}

/// The cells that a pointer is for: "[0,4) [6,8)"; empty if the resource is not divided.
fn cells_of(frame: &Frame, (from, to, kind): PointerEnds<'_>) -> String {
    let points = |cell: CellView| match kind {
        "next" => cell.next == Some(to),
        _ => cell.owner == to,
    };
    let parts = frame.nodes[from.index()].cells.ranges(|cell| points(cell).then_some(()));
    parts.iter().map(|(part, ())| part.to_string()).collect::<Vec<_>>().join(" ")
}

/// Draws the pointers of a frame and returns their routes.
pub fn draw(input: &StageInput<'_>, router: &mut Router, kinds: &[String]) -> (Vec<Shape>, Vec<Route>) {
    let setup = input.setup;
    let mut all: Vec<PointerEnds<'_>> = Vec::new();
    for pointer in shown(input) {
        // one pointer for all cells of which the other node is the owner
        if !all.contains(&pointer) {
            all.push(pointer);
        }
    }
    let lanes = lanes(&all);
    let (mut shapes, mut routes) = (Vec::new(), Vec::new());
    for (&(from, to, kind), (lane, lanes)) in all.iter().zip(lanes) {
        let stroke = kinds.iter().position(|k| k == kind).unwrap_or(0).min(3);
        let key = format!("{kind}-{}-{}-0", from.0, to.0);
        let route = router.find_beside(from, to, lane, lanes).route;
        let fine = if on_demand(kind) { " fine" } else { "" };
        let cells = cells_of(input.frame, (from, to, kind));
        let of = if cells.is_empty() { String::new() } else { format!(" for cells {cells}") };
        let mut link = arrow(&route, key, format!("link stroke-{stroke}{fine}"))
            .with("data-link", kind)
            .with("data-from", setup.name(from))
            .with("data-to", setup.name(to))
            .titled(format!("{kind} of {} is {}{of}", setup.name(from), setup.name(to)));
        if !cells.is_empty() {
            link = link.with("data-cells", &cells);
            if let ShapeKind::Group(parts) = &mut link.kind {
                let at = route.at(0.4);
                parts.push(Shape::text("cells", "link-cells", at.moved(0.0, 4.0), cells));
            }
        }
        shapes.push(link);
        routes.push(route);
    }
    (shapes, routes)
}

/// Draws the pointers that the last step changed, where they were before.
pub fn ghosts(input: &StageInput<'_>, before: &Frame, router: &mut Router, kinds: &[String]) -> Vec<Shape> {
    let now = pointers(input.frame);
    let cards = router.layout().cards.len();
    let old = pointers(before).into_iter().filter(|p| !now.contains(p) && p.1.index() < cards);
    let visible = old.filter(|p| !on_demand(p.2) && !input.hidden.contains(&format!("links:{}", p.2)));
    let ghost = |(from, to, kind): PointerEnds<'_>| {
        let stroke = kinds.iter().position(|k| k == kind).unwrap_or(0).min(3);
        // the key contains the step, so that a ghost that returns fades again
        let key = format!("{kind}-{}-{}-{}", from.0, to.0, input.frame.step);
        let route = router.find_for_link(from, to).route;
        arrow(&route, key, format!("link ghost stroke-{stroke}")).with("data-ghost", kind)
    };
    let mut shapes: Vec<Shape> = visible.map(ghost).collect();
    shapes.dedup_by(|a, b| a.key == b.key);
    shapes
}
