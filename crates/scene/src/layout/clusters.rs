//! The arrangement in clusters: a hull for each, with its proxies at the top and its hosts below.

use crate::geometry::{Rect, between};
use crate::layout::{Arrangement, CardSize, Hull, Layout, MARGIN, Room, fit_largest_cards};
use lockstep_kernel::Setup;

/// The height of a hull's label.
pub const LABEL: f64 = 24.0;

/// Distances in and between hulls.
struct ClusterSpacing {
    pad: f64,
    across: f64,
    along: f64,
    hulls: f64,
}

fn spaces(size: CardSize) -> ClusterSpacing {
    match size {
        CardSize::Full => ClusterSpacing { pad: 16.0, across: 36.0, along: 40.0, hulls: 44.0 },
        CardSize::Compact => ClusterSpacing { pad: 14.0, across: 30.0, along: 32.0, hulls: 38.0 },
        CardSize::Tiny => ClusterSpacing { pad: 12.0, across: 22.0, along: 30.0, hulls: 34.0 },
        CardSize::Mini => ClusterSpacing { pad: 9.0, across: 12.0, along: 18.0, hulls: 20.0 },
        CardSize::Dot => ClusterSpacing { pad: 8.0, across: 6.0, along: 6.0, hulls: 12.0 },
    }
}

/// The number, proxies and hosts of each cluster, in the order of their numbers.
pub fn members(setup: &Setup, n: usize) -> Vec<(u32, Vec<usize>, Vec<usize>)> {
    let mut all: Vec<(u32, Vec<usize>, Vec<usize>)> = Vec::new();
    for i in 0..n {
        let cluster = setup.clusters.get(i).copied().unwrap_or(0);
        let at = all.binary_search_by_key(&cluster, |c| c.0).unwrap_or_else(|at| {
            all.insert(at, (cluster, Vec::new(), Vec::new()));
            at
        });
        if i < setup.hosts() { all[at].2.push(i) } else { all[at].1.push(i) }
    }
    all
}

/// Places the hulls in rows and the cards in them.
pub fn layout(setup: &Setup, n: usize, room: Room, noted: bool) -> Layout {
    let members = members(setup, n);
    let most = members.iter().map(|(_, _, hosts)| hosts.len()).max().unwrap_or(1).max(1);
    fit_largest_cards(Arrangement::Clusters, room, |size, room| {
        let shapes = (1..=members.len()).flat_map(|columns| (1..=most).map(move |inner| (columns, inner)));
        // of all grids that fit, the one that leaves the most even space
        let fits = shapes.filter_map(|(columns, inner)| {
            let (w, h) = need(&members, size, noted, columns, inner);
            let (spare_w, spare_h) = (room.width - w, room.height - h);
            (spare_w >= 0.0 && spare_h >= 0.0).then(|| (spare_w.min(spare_h), columns, inner))
        });
        let best = fits.max_by(|a, b| a.0.total_cmp(&b.0))?;
        Some(place(&members, n, size, noted, (best.1, best.2), room))
    })
}

type ClusterMembers = (u32, Vec<usize>, Vec<usize>);

/// The rows of cards in each hull: its proxies, if it has any, above its hosts.
fn rows(members: &[ClusterMembers], inner: usize) -> Vec<Vec<Vec<usize>>> {
    let of = |(_, proxies, hosts): &ClusterMembers| {
        let top = (!proxies.is_empty()).then(|| proxies.clone());
        top.into_iter().chain(hosts.chunks(inner).map(<[usize]>::to_vec)).collect()
    };
    members.iter().map(of).collect()
}

/// The length of the longest row and the largest number of rows of any hull.
fn most(rows: &[Vec<Vec<usize>>]) -> (usize, usize) {
    let wide = rows.iter().flatten().map(Vec::len).max().unwrap_or(1);
    (wide, rows.iter().map(Vec::len).max().unwrap_or(1))
}

fn extent(count: usize, card: f64, gap: f64) -> f64 {
    count as f64 * (card + gap) - gap
}

/// The width and height of every hull with the least distances. All hulls are equal.
fn hull(members: &[ClusterMembers], size: CardSize, noted: bool, inner: usize) -> (f64, f64) {
    let ((w, h), s) = (size.extent(noted), spaces(size));
    let (wide, tall) = most(&rows(members, inner));
    (extent(wide, w, s.across) + 2.0 * s.pad, extent(tall, h, s.along) + 2.0 * s.pad + LABEL)
}

fn need(members: &[ClusterMembers], size: CardSize, noted: bool, columns: usize, inner: usize) -> (f64, f64) {
    let ((w, h), s) = (hull(members, size, noted, inner), spaces(size));
    let lines = members.len().div_ceil(columns);
    (extent(columns, w, s.hulls) + 2.0 * MARGIN, extent(lines, h, s.hulls) + 2.0 * MARGIN)
}

fn place(
    members: &[ClusterMembers],
    n: usize,
    size: CardSize,
    noted: bool,
    (columns, inner): (usize, usize),
    room: Room,
) -> (Vec<Rect>, Vec<Hull>) {
    let ((w, h), s) = (size.extent(noted), spaces(size));
    let (least_w, least_h) = hull(members, size, noted, inner);
    let lines = members.len().div_ceil(columns);
    let (need_w, need_h) = need(members, size, noted, columns, inner);
    // spare space goes into the hulls up to a limit, then around them
    let rows = rows(members, inner);
    let (wide, tall) = most(&rows);
    let more = |have: f64, need: f64, hulls: usize, cards: usize, most: f64| {
        between(0.0, (have - need) / (hulls as f64 * (cards as f64 + 0.6)), most)
    };
    let more_x = more(room.width, need_w, columns, wide, 46.0);
    let more_y = more(room.height, need_h, lines, tall, 40.0);
    let (across, along) = (s.across + more_x, s.along + more_y);
    let hull_w = least_w + (wide as f64 - 1.0) * more_x + more_x;
    let hull_h = least_h + (tall as f64 - 1.0) * more_y + more_y;
    let start_y = (room.height - extent(lines, hull_h, s.hulls)) / 2.0;
    let (mut cards, mut hulls) = (vec![Rect::default(); n], Vec::new());
    for (k, member) in members.iter().enumerate() {
        let (column, line) = (k % columns, k / columns);
        let in_line = (members.len() - line * columns).min(columns);
        let start_x = (room.width - extent(in_line, hull_w, s.hulls)) / 2.0;
        let x = (start_x + column as f64 * (hull_w + s.hulls)).round();
        let y = (start_y + line as f64 * (hull_h + s.hulls)).round();
        hulls.push(Hull { cluster: member.0, bounds: Rect { x, y, w: hull_w.floor(), h: hull_h.floor() } });
        let body = hull_h - LABEL - extent(tall, h, along);
        for (j, row) in rows[k].iter().enumerate() {
            let left = x + (hull_w - extent(row.len(), w, across)) / 2.0;
            let top = y + LABEL + body / 2.0 + j as f64 * (h + along);
            for (i, node) in row.iter().enumerate() {
                cards[*node] = Rect { x: (left + i as f64 * (w + across)).round(), y: top.round(), w, h };
            }
        }
    }
    (cards, hulls)
}
