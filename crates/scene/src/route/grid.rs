//! The fallback of [`crate::route`]: the shortest route with few turns on a grid of free cells,
//! with rounded corners.

use crate::geometry::{Point, Rect, point};
use crate::layout::Layout;
use crate::shape::num;
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// The side of a cell.
const CELL: f64 = 6.0;
/// The least distance of a free cell from a card.
const CLEARANCE: f64 = 6.5;
/// A turn costs as much as this many cells.
const TURN: u32 = 12;

/// A cell close to another route costs as much as this many others.
const NEAR: u32 = 9;

const OUT: [(i32, i32); 4] = [(0, -1), (1, 0), (0, 1), (-1, 0)];

struct RouteGrid {
    columns: i32,
    rows: i32,
    free: Vec<bool>,
}

impl RouteGrid {
    fn of(layout: &Layout) -> RouteGrid {
        let field = layout.field();
        let (columns, rows) = ((field.w / CELL) as i32, (field.h / CELL) as i32);
        let mut free = vec![true; (columns * rows) as usize];
        for card in &layout.cards {
            let c = card.grown(CLEARANCE);
            // the cells whose centre lies on the card
            let span = |low: f64, high: f64, count: i32| {
                let first = ((low / CELL - 0.5).floor() as i32 + 1).max(0);
                first..((high / CELL - 0.5).ceil() as i32).clamp(first, count.max(first))
            };
            for y in span(c.y, c.y + c.h, rows) {
                for x in span(c.x, c.x + c.w, columns) {
                    free[(y * columns + x) as usize] = false;
                }
            }
        }
        RouteGrid { columns, rows, free }
    }

    fn free(&self, x: i32, y: i32) -> Option<usize> {
        let inside = x >= 0 && y >= 0 && x < self.columns && y < self.rows;
        inside.then(|| (y * self.columns + x) as usize).filter(|i| self.free[*i])
    }
}

/// For each side of a card: its index, the first free cell in front of it, and the point where the
/// route leaves.
fn gates(grid: &RouteGrid, card: Rect, slide: f64) -> Vec<(usize, usize, Point)> {
    let c = card.centre();
    let mut found = Vec::new();
    for (side, (ox, oy)) in OUT.iter().enumerate() {
        let (ox, oy) = (f64::from(*ox), f64::from(*oy));
        let gate = point(c.x + ox * card.w / 2.0 + oy * slide * card.w, c.y + oy * card.h / 2.0 - ox * slide * card.h);
        let cell = (1..6).find_map(|k| {
            let p = gate.moved(ox * CELL * f64::from(k), oy * CELL * f64::from(k));
            grid.free((p.x / CELL).floor() as i32, (p.y / CELL).floor() as i32)
        });
        found.extend(cell.map(|cell| (side, cell, gate)));
    }
    found
}

/// The cells close to points that a route should avoid.
fn cells_near(grid: &RouteGrid, avoid: &[Point]) -> Vec<bool> {
    let mut near = vec![false; grid.free.len()];
    for p in avoid {
        let (x, y) = ((p.x / CELL).floor() as i32, (p.y / CELL).floor() as i32);
        for (dx, dy) in (-1..=1).flat_map(|dx| (-1..=1).map(move |dy| (dx, dy))) {
            if let Some(cell) = grid.free(x + dx, y + dy) {
                near[cell] = true;
            }
        }
    }
    near
}

/// The corners of the cheapest route from card to card; `None` if there is no route. Points to
/// avoid make it expensive, not impossible.
pub fn corners(layout: &Layout, from: Rect, to: Rect, slide: f64, avoid: &[Point]) -> Option<Vec<Point>> {
    let grid = RouteGrid::of(layout);
    let near = cells_near(&grid, avoid);
    let (starts, ends) = (gates(&grid, from, slide), gates(&grid, to, slide));
    let mut cost = vec![u32::MAX; grid.free.len() * 4];
    let mut came = vec![usize::MAX; grid.free.len() * 4];
    let mut heap = BinaryHeap::new();
    // a lower bound of the remaining cost (A*): the distance across plus the distance down
    let far = |cell: usize| {
        let (x, y) = (cell as i32 % grid.columns, cell as i32 / grid.columns);
        let off = |v: i32, low: f64, high: f64| ((low / CELL) as i32 - 1 - v).max(v - (high / CELL) as i32 - 1).max(0);
        (off(x, to.x, to.x + to.w) + off(y, to.y, to.y + to.h)) as u32
    };
    for (side, cell, _) in &starts {
        cost[cell * 4 + side] = 0;
        heap.push(Reverse((far(*cell), cell * 4 + side)));
    }
    let mut reached = None;
    while let Some(Reverse((hope, state))) = heap.pop() {
        let (cell, heading) = (state / 4, state % 4);
        let so_far = cost[state];
        if hope > so_far + far(cell) {
            continue;
        }
        if let Some((_, _, gate)) = ends.iter().find(|(side, end, _)| *end == cell && (side + 2) % 4 == heading) {
            reached = Some((state, *gate));
            break;
        }
        let (x, y) = (cell as i32 % grid.columns, cell as i32 / grid.columns);
        for turn in [0, 1, 3] {
            let next = (heading + turn) % 4;
            let (dx, dy) = OUT[next];
            let Some(neighbour) = grid.free(x + dx, y + dy) else { continue };
            let price = so_far + 1 + if turn == 0 { 0 } else { TURN } + if near[neighbour] { NEAR } else { 0 };
            let state_there = neighbour * 4 + next;
            if price < cost[state_there] {
                cost[state_there] = price;
                came[state_there] = state;
                heap.push(Reverse((price + far(neighbour), state_there)));
            }
        }
    }
    let (mut state, gate) = reached?;
    let middle = |cell: usize| {
        let (x, y) = (cell as i32 % grid.columns, cell as i32 / grid.columns);
        point((f64::from(x) + 0.5) * CELL, (f64::from(y) + 0.5) * CELL)
    };
    let mut route = vec![gate];
    let last = middle(state / 4);
    // the last segment runs straight into the gate
    route.push(if state % 2 == 0 { point(gate.x, last.y) } else { point(last.x, gate.y) });
    while came[state] != usize::MAX {
        route.push(middle(state / 4));
        state = came[state];
    }
    let first = middle(state / 4);
    route.push(first);
    let start = starts.iter().find(|(side, cell, _)| *cell == state / 4 && *side == state % 4)?.2;
    route.push(if state % 2 == 0 { point(start.x, first.y) } else { point(first.x, start.y) });
    route.push(start);
    route.reverse();
    Some(straightened(route))
}

/// Removes the points in the middle of straight segments.
fn straightened(route: Vec<Point>) -> Vec<Point> {
    let mut out: Vec<Point> = Vec::new();
    for p in route {
        while let [.., a, b] = out[..] {
            let level = (b.x - a.x) * (p.y - b.y) - (b.y - a.y) * (p.x - b.x);
            if level.abs() > 1.0 {
                break;
            }
            out.pop();
        }
        if out.last().is_none_or(|l| l.distance(p) > 0.5) {
            out.push(p);
        }
    }
    out
}

/// A route through corners, rounded: its points, close together, and its path in SVG.
pub fn rounded(corners: &[Point], radius: f64) -> (Vec<Point>, String) {
    let mut points = vec![corners[0]];
    let mut d = format!("M{},{}", num(corners[0].x), num(corners[0].y));
    for i in 1..corners.len() - 1 {
        let (a, b, c) = (corners[i - 1], corners[i], corners[i + 1]);
        let r = radius.min(a.distance(b) / 2.0).min(b.distance(c) / 2.0);
        let (u, v) = (b.direction(a), b.direction(c));
        let (p, q) = (b.moved(u.x * r, u.y * r), b.moved(v.x * r, v.y * r));
        d += &format!("L{},{}Q{},{} {},{}", num(p.x), num(p.y), num(b.x), num(b.y), num(q.x), num(q.y));
        stretch(&mut points, p);
        points.extend([0.25, 0.5, 0.75].map(|t| p.toward(b, t).toward(b.toward(q, t), t)));
        points.push(q);
    }
    let end = corners[corners.len() - 1];
    d += &format!("L{},{}", num(end.x), num(end.y));
    stretch(&mut points, end);
    (points, d)
}

fn stretch(points: &mut Vec<Point>, to: Point) {
    let from = points[points.len() - 1];
    let steps = (from.distance(to) / 10.0).ceil().max(1.0) as usize;
    points.extend((1..=steps).map(|i| from.toward(to, i as f64 / steps as f64)));
}
