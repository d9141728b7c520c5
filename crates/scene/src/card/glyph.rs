//! Shapes with a meaning: token, alien thread, waiting thread. Each is recognisable without its
//! colour.

use crate::geometry::Point;
use crate::shape::{Shape, num};

/// A diamond around a point: the token.
pub fn diamond(key: &str, class: &str, at: Point, s: f64) -> Shape {
    let (x, y) = (at.x, at.y);
    let d = format!(
        "M{},{}L{},{}L{},{}L{},{}Z",
        num(x),
        num(y - s),
        num(x + s),
        num(y),
        num(x),
        num(y + s),
        num(x - s),
        num(y)
    );
    Shape::path(key, class, d)
}

/// A hexagon around a point: an alien thread.
pub fn hexagon(key: &str, class: &str, at: Point, s: f64) -> Shape {
    wide_hexagon(key, class, at, s, s * 0.866)
}

/// A hexagon of this half height and half width.
pub fn wide_hexagon(key: &str, class: &str, at: Point, s: f64, wide: f64) -> Shape {
    // the slope of the corners does not depend on the width
    let (x, y, half, top) = (at.x, at.y, s / 2.0, (wide - s * 0.866).max(0.0));
    let corners =
        [(top, -s), (wide, -half), (wide, half), (top, s), (-top, s), (-wide, half), (-wide, -half), (-top, -s)];
    let mut d = String::new();
    for (i, (dx, dy)) in corners.iter().enumerate() {
        d += &format!("{}{},{}", if i == 0 { "M" } else { "L" }, num(x + dx), num(y + dy));
    }
    Shape::path(key, class, d + "Z")
}

/// A ring with a gap at its upper right: waiting.
pub fn hourglass(key: &str, class: &str, at: Point, r: f64) -> Shape {
    // the gap lies between 10 and 70 degrees
    let (x0, y0) = (at.x + r * 0.985, at.y - r * 0.174);
    let (x1, y1) = (at.x + r * 0.342, at.y - r * 0.94);
    Shape::path(key, class, format!("M{},{}A{r},{r} 0 1 1 {},{}", num(x0), num(y0), num(x1), num(y1), r = num(r)))
}
