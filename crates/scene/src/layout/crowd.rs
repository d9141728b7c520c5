//! Places for many nodes, as dots: clusters in hulls, trees around their root, everything else in
//! rows.

use super::{Arrangement, CardSize, Hull, Layout, LayoutInput, MARGIN, Room, clusters, tree};
use crate::geometry::{Point, Rect, point};

/// Deeper trees do not fit around their root.
const DEEPEST: usize = 16;

/// The side of the square of a dot.
fn side(n: usize) -> f64 {
    match n {
        0..=160 => 9.0,
        161..=300 => 7.5,
        301..=600 => 6.0,
        _ => 4.5,
    }
}

/// Places the dots: clusters in hulls, trees around their root, everything else in rows of
/// alternating direction.
pub fn layout(input: &LayoutInput<'_>, arrange: Arrangement, room: Room) -> Layout {
    let n = input.frame.nodes.len();
    let whole = Rect { x: 0.0, y: 0.0, w: room.width, h: room.height }.grown(-MARGIN - 4.0);
    let mut hulls = Vec::new();
    let centres = if arrange == Arrangement::Clusters {
        let (centres, found) = in_hulls(input, whole, n);
        hulls = found;
        centres
    } else {
        let parents = if arrange == Arrangement::Living { input.living_parents() } else { input.parents() };
        let shape = tree::shape(&parents);
        let ring = arrange == Arrangement::Ring && input.middle().is_empty();
        if ring || shape.levels > DEEPEST { in_lines(n, whole) } else { around_root(&shape, whole, side(n)) }
    };
    let d = side(n);
    let dot = |c: Point| Rect { x: c.x - d / 2.0, y: c.y - d / 2.0, w: d, h: d };
    let mut layout = Layout::new(arrange, CardSize::Dot, room, centres.into_iter().map(dot).collect());
    layout.hulls = hulls;
    layout
}

/// A tree around its root: each level on an ellipse, in several rows if one is too short.
fn around_root(tree: &tree::TreeShape, area: Rect, d: f64) -> Vec<Point> {
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
        // rows extend inwards, at most halfway to the previous level
        let pitch =
            (d + 1.5).min(ry / last * 0.55 / (rows - 1.0).max(1.0)).max(if tree.levels == 2 { d + 1.0 } else { 0.0 });
        let inwards = row * pitch;
        let (sin, cos) = libm::sincos((tree.across[i] + 0.5) / tree.leaves as f64 * std::f64::consts::TAU);
        places[i] =
            point(c.x + (rx * fraction - inwards).max(0.0) * sin, c.y - (ry * fraction - inwards).max(0.0) * cos);
    }
    places
}

/// Rows of alternating direction, so that nodes with consecutive numbers are neighbours.
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

fn in_hulls(input: &LayoutInput<'_>, area: Rect, n: usize) -> (Vec<Point>, Vec<Hull>) {
    let members = clusters::members(input.setup, n);
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
