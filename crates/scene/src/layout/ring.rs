//! The arrangement on a ring: hosts on an ellipse in the order of their numbers, clockwise from the
//! top; servers and registers at the centre.
//!
//! Two hosts stand side by side. No host stands straight above the centre if the cards can be
//! larger that way.

use crate::geometry::{Point, Rect, point};
use crate::layout::{Arrangement, CardSize, Layout, Room, are_apart, fit_largest_cards};

/// The space around the ring: a message between neighbours may pass there.
const OUTSIDE: f64 = 12.0;
/// The number of points that approximate the curve.
const SAMPLES: usize = 480;

/// The least distance between two cards: an arrow and a mark must be visible between them.
fn gap(size: CardSize) -> f64 {
    match size {
        CardSize::Full => 34.0,
        CardSize::Compact => 28.0,
        CardSize::Tiny => 22.0,
        CardSize::Mini | CardSize::Dot => 13.0,
    }
}

/// Places the cards; those of `middle` stand at the centre.
pub fn layout(n: usize, middle: std::ops::Range<usize>, room: Room, noted: bool) -> Layout {
    let hosts = n - middle.len();
    // an ellipse if all fit on it, else a curve closer to the border of the room
    let curves = [2.0, 3.0, 5.0].map(curve);
    let turns: &[bool] = match hosts {
        2 if room.width > room.height => &[true, false],
        _ if middle.is_empty() => &[false],
        _ => &[false, true],
    };
    let mut layout = fit_largest_cards(Arrangement::Ring, room, |size, room| {
        turns.iter().flat_map(|turned| curves.iter().map(move |curve| (*turned, curve))).find_map(|(turned, curve)| {
            let mut cards = on_curve(hosts, size.extent(noted), gap(size), curve, turned, room);
            let inner = in_middle(middle.len(), size.extent(noted), gap(size), room);
            // every host talks to the centre: messages must be visible in between
            let clear = inner.iter().all(|m| cards.iter().all(|c| !c.overlaps(m.grown(1.8 * gap(size)))));
            cards.extend(inner);
            (clear && are_apart(&cards, gap(size) * 0.9, room)).then_some((cards, Vec::new()))
        })
    });
    layout.edges = (0..hosts).map(|i| (i, (i + 1) % hosts)).filter(|(a, b)| a != b).collect();
    layout
}

/// A superellipse of radius 1, clockwise from the top.
fn curve(bulge: f64) -> Vec<Point> {
    let power = |v: f64| v.signum() * libm::pow(v.abs(), 2.0 / bulge);
    let at = |k: usize| {
        let (sin, cos) = libm::sincos(k as f64 / SAMPLES as f64 * std::f64::consts::TAU);
        point(power(sin), -power(cos))
    };
    (0..=SAMPLES).map(at).collect()
}

fn around(centre: Point, (w, h): (f64, f64)) -> Rect {
    Rect { x: (centre.x - w / 2.0).round(), y: (centre.y - h / 2.0).round(), w, h }
}

/// Cards at equal distances on a curve, in units of cards: neighbours at distance 1 do not overlap.
/// The first stands at the top, or half a distance before it.
fn on_curve(n: usize, (w, h): (f64, f64), gap: f64, curve: &[Point], turned: bool, room: Room) -> Vec<Rect> {
    let c = room.centre();
    if n == 1 {
        return vec![around(point(c.x, OUTSIDE + h / 2.0), (w, h))];
    }
    let (rx, ry) = (c.x - OUTSIDE - w / 2.0, c.y - OUTSIDE - h / 2.0);
    let at = |p: Point| point(c.x + rx * p.x, c.y + ry * p.y);
    let cards = |a: Point, b: Point| ((a.x - b.x).abs() / (w + gap)).max((a.y - b.y).abs() / (h + gap));
    let lengths: Vec<f64> = curve.windows(2).map(|p| cards(at(p[0]), at(p[1]))).collect();
    let step = lengths.iter().sum::<f64>() / n as f64;
    let before = if turned { 0.5 } else { 0.0 };
    let (mut gone, mut places) = (0.0, if turned { Vec::new() } else { vec![at(curve[0])] });
    for (k, length) in lengths.iter().enumerate() {
        let next = step * (places.len() as f64 + before);
        if places.len() < n && gone + length >= next {
            places.push(at(curve[k]).toward(at(curve[k + 1]), (next - gone) / length.max(1e-9)));
        }
        gone += length;
    }
    places.resize(n, at(curve[0]));
    places.rotate_right(usize::from(turned));
    // few nodes do not reach the borders of the room: stretch the ring, which only moves cards
    // apart
    let span = |of: fn(&Point) -> f64| {
        let all = || places.iter().map(of);
        (all().fold(f64::INFINITY, f64::min), all().fold(f64::NEG_INFINITY, f64::max))
    };
    let stretched = |v: f64, (low, high): (f64, f64), c: f64, r: f64| {
        if high - low < 1.0 { c } else { c - r + (v - low) / (high - low) * 2.0 * r }
    };
    let (xs, ys) = (span(|p| p.x), span(|p| p.y));
    let most = rx.min(1.7 * (ry + h));
    places.iter().map(|p| around(point(stretched(p.x, xs, c.x, most), stretched(p.y, ys, c.y, ry)), (w, h))).collect()
}

fn in_middle(n: usize, (w, h): (f64, f64), gap: f64, room: Room) -> Vec<Rect> {
    let c = room.centre();
    let start = c.x - (n as f64 - 1.0) * (w + gap) / 2.0;
    (0..n).map(|i| around(point(start + i as f64 * (w + gap), c.y), (w, h))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const STAGE: Room = Room { width: 742.0, height: 340.0 };

    #[test]
    fn two_stand_side_by_side_where_the_room_is_wide() {
        let wide = layout(3, 2..3, STAGE, true).cards;
        assert!(wide[0].y == wide[1].y && wide[0].x < wide[2].x && wide[2].x < wide[1].x, "{wide:?}");
        let narrow = layout(3, 2..3, Room { width: 340.0, height: 420.0 }, true).cards;
        assert!(narrow[0].x == narrow[1].x && narrow[0].y < narrow[1].y, "{narrow:?}");
    }

    #[test]
    fn around_a_middle_nobody_stands_above_it_if_that_makes_cards_larger() {
        let six = layout(7, 6..7, STAGE, true);
        assert!(six.size < CardSize::Mini && six.cards[..6].iter().all(|c| c.x != six.cards[6].x), "{six:?}");
        let ring = layout(6, 6..6, STAGE, false).cards;
        assert!(ring.iter().all(|c| c.y >= ring[0].y), "a ring begins at the top");
    }
}
