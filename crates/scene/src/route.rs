//! Routes from card to card that avoid all other cards.
//!
//! A route is one of a few hundred simple curves: the straight line, arcs to either side, and
//! curves from a side of one card to a side of the other. Length, bends and touched cards have a
//! cost; the cheapest curve wins. If every curve touches a card, a search on a grid finds a route
//! around it. The choice depends on the layout alone, so that a message does not jump while it is
//! in flight.

mod grid;

use crate::geometry::{Point, Rect, point};

use crate::layout::Layout;
use crate::shape::num;
use lockstep_kernel::{NodeId, sort};

/// A route from card to card.
#[derive(Clone, PartialEq, Debug)]
pub struct Route {
    /// Points along it, close together.
    pub points: Vec<Point>,
    /// Its path in SVG.
    pub d: String,
    /// Its length in pixels.
    pub length: f64,
    /// Its direction at the end, where an arrow head sits.
    pub end: Point,
}

/// The number of segments that approximate a curve.
const SAMPLES: usize = 28;
/// The least distance of a route from other cards.
const CLEARANCE: f64 = 6.0;
/// The preferred distance of a message's route from other cards: the radius of its mark.
const MARK: f64 = 11.0;

/// The price of a point of a route that lies close to a route that it should avoid.
const NEARBY: f64 = 24.0;
/// The distance of two pointers that run side by side.
const LANE: f64 = 13.0;
/// More pointers than this between two nodes do not occur.
const MOST_LANES: u32 = 64;
/// Keys of routes from this number on are those of pointers; the smaller ones are lanes of
/// messages.
const LINKS: u32 = 1 << 16;

/// A candidate for a route: a Bézier curve with its ends and control points.
#[derive(Clone, Copy)]
struct Curve {
    handles: [Point; 4],
    straight: bool,
}

impl Curve {
    fn cubic(a: Point, b: Point, c: Point, d: Point) -> Curve {
        Curve { handles: [a, b, c, d], straight: false }
    }

    fn straight(a: Point, d: Point) -> Curve {
        Curve { handles: [a, a.toward(d, 1.0 / 3.0), a.toward(d, 2.0 / 3.0), d], straight: true }
    }

    fn points(&self) -> Vec<Point> {
        let [a, b, c, d] = self.handles;
        let at = |t: f64| {
            let u = 1.0 - t;
            let (k0, k1, k2, k3) = (u * u * u, 3.0 * u * u * t, 3.0 * u * t * t, t * t * t);
            point(k0 * a.x + k1 * b.x + k2 * c.x + k3 * d.x, k0 * a.y + k1 * b.y + k2 * c.y + k3 * d.y)
        };
        (0..=SAMPLES).map(|i| at(i as f64 / SAMPLES as f64)).collect()
    }

    /// The route along this curve. Formatting its path is expensive, so only the chosen curve
    /// becomes a route.
    fn route(&self, points: Vec<Point>) -> Route {
        let [a, b, c, d] = self.handles;
        let p = |p: Point| format!("{},{}", num(p.x), num(p.y));
        let path =
            if self.straight { format!("M{}L{}", p(a), p(d)) } else { format!("M{}C{} {} {}", p(a), p(b), p(c), p(d)) };
        let length = length(&points);
        Route { points, d: path, length, end: c.direction(d) }
    }
}

fn length(points: &[Point]) -> f64 {
    points.windows(2).map(|w| w[0].distance(w[1])).sum()
}

impl Route {
    /// A straight route that avoids nothing.
    pub fn line(a: Point, d: Point) -> Route {
        let path = format!("M{},{}L{},{}", num(a.x), num(a.y), num(d.x), num(d.y));
        Route { points: vec![a, d], d: path, length: a.distance(d), end: a.direction(d) }
    }

    fn through(corners: &[Point]) -> Route {
        let (points, d) = grid::rounded(corners, 14.0);
        let length = length(&points);
        let end = corners[corners.len() - 2].direction(corners[corners.len() - 1]);
        Route { points, d, length, end }
    }

    /// The point at a fraction of its length.
    pub fn at(&self, fraction: f64) -> Point {
        let mut left = self.length * fraction.clamp(0.0, 1.0);
        for pair in self.points.windows(2) {
            let step = pair[0].distance(pair[1]);
            if left <= step && step > 0.0 {
                return pair[0].toward(pair[1], left / step);
            }
            left -= step;
        }
        self.points.last().copied().unwrap_or_default()
    }

    /// The direction at a fraction of its length.
    pub fn heading(&self, fraction: f64) -> Point {
        self.at(fraction - 0.02).direction(self.at(fraction + 0.02))
    }
}

/// A route, and whether it avoids every card.
#[derive(Clone)]
pub struct CheckedRoute {
    /// The route.
    pub route: Route,
    /// Whether it avoids every card and stays inside the drawing.
    pub clear: bool,
    shape: RouteShape,
}

/// What a route was made of, to make it again in the other direction.
#[derive(Clone)]
enum RouteShape {
    Curve(Curve),
    Corners(Vec<Point>),
    Line,
}

impl CheckedRoute {
    fn reversed(&self) -> CheckedRoute {
        let (first, last) = (self.route.points[0], self.route.at(1.0));
        let (route, shape) = match &self.shape {
            RouteShape::Curve(Curve { handles: [a, b, c, d], straight }) => {
                let back = Curve { handles: [*d, *c, *b, *a], straight: *straight };
                (back.route(self.route.points.iter().rev().copied().collect()), RouteShape::Curve(back))
            }
            RouteShape::Corners(corners) => {
                let back: Vec<Point> = corners.iter().rev().copied().collect();
                (Route::through(&back), RouteShape::Corners(back))
            }
            RouteShape::Line => (Route::line(last, first), RouteShape::Line),
        };
        CheckedRoute { route, clear: self.clear, shape }
    }
}

/// What a route depends on besides the layout: sender, receiver, and which of the routes between
/// them.
type RouteKey = (u32, u32, u32);

/// Finds routes in one layout. Routes are expensive and depend on the layout alone, so each is
/// found once and cached, in the order of the keys.
pub struct Router {
    layout: Layout,
    cache: Vec<(RouteKey, CheckedRoute)>,
}

impl Router {
    /// A router for the cards of a layout.
    pub fn new(layout: Layout) -> Router {
        Router { layout, cache: Vec::new() }
    }

    /// Where the cards stand.
    pub fn layout(&self) -> &Layout {
        &self.layout
    }

    fn cached(&self, key: RouteKey) -> Option<CheckedRoute> {
        self.cache.binary_search_by_key(&key, |(key, _)| *key).ok().map(|place| self.cache[place].1.clone())
    }

    fn store(&mut self, key: RouteKey, route: &CheckedRoute) {
        let place = self.cache.partition_point(|(other, _)| *other < key);
        self.cache.insert(place, (key, route.clone()));
    }

    /// The route of a pointer that is alone between its two nodes.
    pub fn find_for_link(&mut self, from: NodeId, to: NodeId) -> CheckedRoute {
        self.find_beside(from, to, 0, 1)
    }

    /// The route of a pointer that is one of several between the same two nodes, in either
    /// direction. They run side by side: `lane` counts them from the left, seen from the node with
    /// the lower number.
    pub fn find_beside(&mut self, from: NodeId, to: NodeId, lane: u32, lanes: u32) -> CheckedRoute {
        let key = (from.0, to.0, LINKS + lane + MOST_LANES * lanes);
        if let Some(route) = self.cached(key) {
            return route;
        }
        let route = if lanes > 1 && from > to {
            // both directions of a lane are the same curve
            self.find_beside(to, from, lane, lanes).reversed()
        } else {
            let mut avoid = Vec::new();
            for other in 0..lane {
                avoid.extend(self.find_beside(from, to, other, lanes).route.points);
            }
            choose_for_link(&self.layout, from, to, f64::from(lane) - f64::from(lanes - 1) / 2.0, &avoid)
        };
        self.store(key, &route);
        route
    }

    /// The route of a message: beside the straight line, which is left to pointers. Messages
    /// between the same two nodes take different lanes.
    pub fn find_for_message(&mut self, from: NodeId, to: NodeId, lane: usize) -> CheckedRoute {
        let key = (from.0, to.0, 2 + lane as u32);
        if let Some(route) = self.cached(key) {
            return route;
        }
        let mut avoid = Vec::new();
        if !self.layout.open && !straight_is_clear(&self.layout, from, to) {
            avoid = self.find_for_link(from, to).route.points;
            avoid.extend(self.find_for_link(to, from).route.points);
        }
        let route = choose_for_message(&self.layout, from, to, lane, &avoid);
        self.store(key, &route);
        route
    }
}

fn choose_for_link(layout: &Layout, from: NodeId, to: NodeId, lane: f64, avoid: &[Point]) -> CheckedRoute {
    let (a, b) = (layout.cards[from.index()], layout.cards[to.index()]);
    let shift = lane * LANE;
    let mut found = vec![(parallel(a, b, shift), 0.0)];
    arcs(a, b, &[40.0, -40.0, 70.0, -70.0, 110.0, -110.0, 150.0, -150.0], &mut found);
    sides(a, b, &[26.0, 50.0, 80.0, 120.0, 170.0], &mut found);
    let slide = lane * 0.16;
    cheapest(layout, from, to, Some(slide), CLEARANCE, avoid, found)
}

fn choose_for_message(layout: &Layout, from: NodeId, to: NodeId, lane: usize, avoid: &[Point]) -> CheckedRoute {
    let (a, b) = (layout.cards[from.index()], layout.cards[to.index()]);
    let by = 34.0 + 28.0 * lane as f64;
    if layout.open {
        // the two directions run beside each other, or bend towards the free centre of the ring
        let by = 5.0 + 9.0 * lane as f64;
        let (ca, cb, middle) = (a.centre(), b.centre(), layout.field().centre());
        let dir = ca.direction(cb);
        let knee = |by: f64| ca.toward(cb, 0.5).moved(dir.y * by, -dir.x * by);
        let inwards = if knee(1.0).distance(middle) <= knee(-1.0).distance(middle) { 1.0 } else { -1.0 };
        let mut found = vec![(parallel(a, b, by), 0.0)];
        arcs(a, b, &[16.0, 30.0, 46.0, 70.0, 100.0, 140.0].map(|by| by * inwards), &mut found);
        arcs(a, b, &[30.0, 60.0].map(|by| -by * inwards), &mut found);
        return cheapest(layout, from, to, None, MARK, avoid, found);
    }
    let (mut found, mut other) = (Vec::new(), Vec::new());
    arcs(a, b, &[by, by + 20.0, by + 44.0, by + 80.0, by + 120.0], &mut found);
    arcs(a, b, &[-by, -by - 20.0, -by - 44.0, -by - 80.0], &mut other);
    sides(a, b, &[38.0 + 18.0 * lane as f64, 66.0 + 18.0 * lane as f64, 110.0, 160.0, 200.0], &mut other);
    found.extend(other.into_iter().map(|(r, price)| (r, price + 60.0)));
    cheapest(layout, from, to, Some(0.24 + 0.08 * lane.min(2) as f64), MARK, avoid, found)
}

type PricedCurve = (Curve, f64);

/// The bounding rectangle of some points.
fn bounds(points: &[Point]) -> Rect {
    let (mut low, mut high) = (point(f64::INFINITY, f64::INFINITY), point(f64::NEG_INFINITY, f64::NEG_INFINITY));
    for p in points {
        low = point(low.x.min(p.x), low.y.min(p.y));
        high = point(high.x.max(p.x), high.y.max(p.y));
    }
    Rect { x: low.x, y: low.y, w: high.x - low.x, h: high.y - low.y }
}

/// The number of points of a route that lie on a card or outside the drawing.
fn faults(layout: &Layout, from: NodeId, to: NodeId, points: &[Point]) -> usize {
    within(layout, from, to, points, CLEARANCE)
}

/// The same with a different distance from other cards.
fn within(layout: &Layout, from: NodeId, to: NodeId, points: &[Point], clearance: f64) -> usize {
    let whole = layout.field().grown(-2.0);
    let inner = &points[1..points.len() - 1];
    // skip the cards that are far away
    let near = bounds(inner).grown(clearance + 1.0);
    let on_cards = layout.cards.iter().enumerate().filter(|(_, card)| card.overlaps(near)).map(|(i, card)| {
        let own = i == from.index() || i == to.index();
        let card = if own { card.grown(-1.0) } else { card.grown(clearance) };
        inner.iter().filter(|p| card.contains(**p)).count()
    });
    inner.iter().filter(|p| !whole.contains(**p)).count() + on_cards.sum::<usize>()
}

fn straight_is_clear(layout: &Layout, from: NodeId, to: NodeId) -> bool {
    let straight = parallel(layout.cards[from.index()], layout.cards[to.index()], 0.0);
    faults(layout, from, to, &straight.points()) == 0
}

/// The cheapest of some curves. If all of them touch a card and `slide` is given, a route on the
/// grid that leaves its card at `slide`. A distance of `wide` from other cards is preferred.
fn cheapest(
    layout: &Layout,
    from: NodeId,
    to: NodeId,
    slide: Option<f64>,
    wide: f64,
    avoid: &[Point],
    proposals: Vec<PricedCurve>,
) -> CheckedRoute {
    let mut priced: Vec<(f64, Curve, Vec<Point>)> = (proposals.into_iter())
        .map(|(curve, price)| {
            let points = curve.points();
            (price + length(&points), curve, points)
        })
        .collect();
    sort::by(&mut priced, |a, b| a.0.total_cmp(&b.0));
    let close = |points: &[Point]| points.iter().filter(|p| avoid.iter().any(|a| p.distance(*a) < 11.0)).count();
    let mut best: Option<(f64, Curve, Vec<Point>, bool)> = None;
    for (price, curve, points) in priced {
        // all others cost more even if they touch nothing
        if best.as_ref().is_some_and(|b| b.0 <= price) {
            break;
        }
        let faults = faults(layout, from, to, &points);
        let mut price = price + 4000.0 * faults as f64;
        if best.as_ref().is_none_or(|b| price < b.0) {
            if wide > CLEARANCE {
                price += 300.0 * (within(layout, from, to, &points, wide) - faults) as f64;
            }
            price += NEARBY * close(&points) as f64 + 45.0 * crossings(layout, from, to, &points) as f64;
        }
        if best.as_ref().is_none_or(|b| price < b.0) {
            best = Some((price, curve, points, faults == 0));
        }
    }
    let (a, b) = (layout.cards[from.index()], layout.cards[to.index()]);
    if let Some(slide) = slide
        && best.as_ref().is_none_or(|b| !b.3)
        && let Some(corners) = grid::corners(layout, a, b, slide, if wide > CLEARANCE { &[] } else { avoid })
    {
        let route = Route::through(&corners);
        let clear = faults(layout, from, to, &route.points) == 0;
        return CheckedRoute { route, clear, shape: RouteShape::Corners(corners) };
    }
    let line = || Route::line(a.centre(), b.centre());
    best.map_or_else(
        || CheckedRoute { route: line(), clear: false, shape: RouteShape::Line },
        |(_, curve, points, clear)| CheckedRoute { route: curve.route(points), clear, shape: RouteShape::Curve(curve) },
    )
}

/// The number of edges between other nodes that a route crosses.
fn crossings(layout: &Layout, from: NodeId, to: NodeId, points: &[Point]) -> usize {
    let side = |a: Point, b: Point, p: Point| (b.x - a.x) * (p.y - a.y) - (b.y - a.y) * (p.x - a.x) > 0.0;
    let near = bounds(points);
    let crossed = |(i, j): &&(usize, usize)| {
        let (a, b) = (layout.cards[*i].centre(), layout.cards[*j].centre());
        let cuts = |p: Point, q: Point| side(a, b, p) != side(a, b, q) && side(p, q, a) != side(p, q, b);
        let pair = (from.index().min(to.index()), from.index().max(to.index()));
        pair != ((*i).min(*j), (*i).max(*j))
            && bounds(&[a, b]).grown(0.1).overlaps(near)
            && points.windows(2).skip(2).any(|w| cuts(w[0], w[1]))
    };
    layout.edges.iter().filter(crossed).count()
}

fn parallel(a: Rect, b: Rect, shift: f64) -> Curve {
    let dir = a.centre().direction(b.centre());
    let (nx, ny) = (dir.y * shift, -dir.x * shift);
    let (start, end) = (a.border_toward(b.centre()), b.border_toward(a.centre()));
    Curve::straight(start.moved(nx, ny), end.moved(nx, ny))
}

/// Arcs that pass the middle of the straight line at these distances, on its left if positive.
fn arcs(a: Rect, b: Rect, by: &[f64], found: &mut Vec<PricedCurve>) {
    let (ca, cb) = (a.centre(), b.centre());
    let dir = ca.direction(cb);
    for &by in by {
        let knee = ca.toward(cb, 0.5).moved(dir.y * by * 1.5, -dir.x * by * 1.5);
        let (start, end) = (a.border_toward(knee), b.border_toward(knee));
        let middle = start.toward(end, 0.5);
        // pull the control points towards the knee, never back into a card
        let pull = |p: Point| p.toward(middle, 0.35).moved(dir.y * by * 0.45, -dir.x * by * 0.45);
        found.push((Curve::cubic(start, pull(start), pull(end), end), by.abs() * 0.8));
    }
}

/// Curves from a side of one card to a side of the other.
fn sides(a: Rect, b: Rect, reaches: &[f64], found: &mut Vec<PricedCurve>) {
    let out = [point(0.0, -1.0), point(1.0, 0.0), point(0.0, 1.0), point(-1.0, 0.0)];
    let gate = |r: Rect, o: Point, slide: f64| {
        let c = r.centre();
        point(c.x + o.x * r.w / 2.0 + o.y * slide * r.w, c.y + o.y * r.h / 2.0 + o.x * slide * r.h)
    };
    for oa in out {
        for ob in out {
            for slide in [0.0, -0.3, 0.3] {
                for &reach in reaches {
                    let (start, end) = (gate(a, oa, slide), gate(b, ob, slide));
                    // a long route needs a wide turn
                    let reach = reach + start.distance(end) * 0.12;
                    // between sides that face each other a longer reach would fold the curve
                    let ahead = (end.x - start.x) * oa.x + (end.y - start.y) * oa.y;
                    let facing = oa.x == -ob.x && oa.y == -ob.y && ahead > 0.0;
                    let reach = if facing { reach.min(ahead * 0.6) } else { reach };
                    let route = Curve::cubic(
                        start,
                        start.moved(oa.x * reach, oa.y * reach),
                        end.moved(ob.x * reach, ob.y * reach),
                        end,
                    );
                    found.push((route, 40.0 + reach * 0.4 + slide.abs() * 20.0));
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::layout::Room;
    use crate::layout::tree::layout;
    use lockstep_kernel::{Setup, Topology};

    fn layouts() -> Vec<(String, Layout)> {
        let mut all = Vec::new();
        for (w, h) in [(758.0, 460.0), (374.0, 440.0)] {
            for (n, t) in [(3, Topology::Chain), (7, Topology::BinaryTree), (15, Topology::BinaryTree)] {
                let parents = Setup::new(n, 1, t).parents;
                all.push((format!("{n} nodes in {w}×{h}"), layout(&parents, Room { width: w, height: h }, false)));
            }
        }
        all
    }

    #[test]
    fn every_pointer_that_can_be_finds_a_clear_route() {
        for (name, layout) in layouts() {
            let n = layout.cards.len() as u32;
            let mut router = Router::new(layout);
            for (from, to) in (0..n).flat_map(|i| (0..n).map(move |j| (i, j))).filter(|(i, j)| i != j) {
                for (lane, lanes) in [(0, 1), (0, 2), (1, 2), (2, 3), (3, 4)] {
                    let found = router.find_beside(NodeId(from), NodeId(to), lane, lanes);
                    assert!(found.clear, "{name}: the pointer {from} → {to} runs under a card");
                }
            }
        }
    }

    #[test]
    fn every_message_finds_a_clear_route_beside_the_pointer() {
        for (name, layout) in layouts() {
            let n = layout.cards.len() as u32;
            let mut router = Router::new(layout);
            for (from, to) in (0..n).flat_map(|i| (0..n).map(move |j| (i, j))).filter(|(i, j)| i != j) {
                let found = router.find_for_message(NodeId(from), NodeId(to), 0);
                assert!(found.clear, "{name}: the message {from} → {to} runs under a card");
            }
        }
    }

    #[test]
    fn a_place_is_found_by_length() {
        let straight = Curve::straight(point(0.0, 0.0), point(100.0, 0.0));
        let r = straight.route(straight.points());
        assert_eq!(r.at(0.25), point(25.0, 0.0));
        assert_eq!(r.at(-1.0), point(0.0, 0.0));
        assert_eq!(r.at(2.0), point(100.0, 0.0));
        assert_eq!(r.heading(0.5), point(1.0, 0.0));
    }
}
