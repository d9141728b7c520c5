//! Points and rectangles, in pixels of the stage.

/// A point.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub struct Point {
    /// From the left.
    pub x: f64,
    /// From the top.
    pub y: f64,
}

/// A point.
pub const fn point(x: f64, y: f64) -> Point {
    Point { x, y }
}

/// Clamps a number. If the bounds contradict each other, the upper one wins; the standard `clamp`
/// would panic.
pub fn between(low: f64, x: f64, high: f64) -> f64 {
    x.max(low).min(high)
}

impl Point {
    /// The distance to another point.
    pub fn distance(self, other: Point) -> f64 {
        let (dx, dy) = (self.x - other.x, self.y - other.y);
        (dx * dx + dy * dy).sqrt()
    }

    /// The point at a fraction of the distance to another.
    pub fn toward(self, other: Point, fraction: f64) -> Point {
        point(self.x + (other.x - self.x) * fraction, self.y + (other.y - self.y) * fraction)
    }

    /// The point moved by a distance.
    pub fn moved(self, dx: f64, dy: f64) -> Point {
        point(self.x + dx, self.y + dy)
    }

    /// The direction to another point, of length 1; (0, 0) if they are the same.
    pub fn direction(self, other: Point) -> Point {
        let length = self.distance(other);
        if length == 0.0 { point(0.0, 0.0) } else { point((other.x - self.x) / length, (other.y - self.y) / length) }
    }
}

/// A rectangle.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub struct Rect {
    /// Left.
    pub x: f64,
    /// Top.
    pub y: f64,
    /// Width.
    pub w: f64,
    /// Height.
    pub h: f64,
}

impl Rect {
    /// Its centre.
    pub fn centre(self) -> Point {
        point(self.x + self.w / 2.0, self.y + self.h / 2.0)
    }

    /// Larger by a margin on every side.
    pub fn grown(self, by: f64) -> Rect {
        Rect { x: self.x - by, y: self.y - by, w: self.w + 2.0 * by, h: self.h + 2.0 * by }
    }

    /// Whether a point lies in it.
    pub fn contains(self, p: Point) -> bool {
        p.x > self.x && p.x < self.x + self.w && p.y > self.y && p.y < self.y + self.h
    }

    /// Whether another rectangle lies in it.
    pub fn holds(self, other: Rect) -> bool {
        other.x >= self.x
            && other.y >= self.y
            && other.x + other.w <= self.x + self.w
            && other.y + other.h <= self.y + self.h
    }

    /// Whether two rectangles share an area.
    pub fn overlaps(self, other: Rect) -> bool {
        self.x < other.x + other.w
            && other.x < self.x + self.w
            && self.y < other.y + other.h
            && other.y < self.y + self.h
    }

    /// Where the line from its centre to a point outside crosses its border.
    pub fn border_toward(self, to: Point) -> Point {
        let c = self.centre();
        let (dx, dy) = (to.x - c.x, to.y - c.y);
        let fit = |d: f64, half: f64| if d == 0.0 { f64::INFINITY } else { half / d.abs() };
        let t = fit(dx, self.w / 2.0).min(fit(dy, self.h / 2.0));
        if t.is_finite() { c.toward(to, t) } else { c }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_border_is_where_the_way_leaves() {
        let r = Rect { x: 0.0, y: 0.0, w: 100.0, h: 40.0 };
        assert_eq!(r.border_toward(point(50.0, -100.0)), point(50.0, 0.0));
        assert_eq!(r.border_toward(point(250.0, 20.0)), point(100.0, 20.0));
        assert_eq!(r.border_toward(r.centre()), r.centre());
    }
}
