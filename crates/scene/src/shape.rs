//! The parts of a picture: keyed shapes with class names.

pub mod svg;

use crate::geometry::Point;
use lockstep_kernel::sort;

/// A shape. Its key is unique among its siblings and stable between steps, so that the page can
/// move it instead of drawing a new one.
#[derive(Clone, PartialEq, Debug)]
pub struct Shape {
    /// The key, unique among its siblings.
    pub key: String,
    /// Class names, for the style sheet.
    pub class: String,
    /// A translation.
    pub at: Option<Point>,
    /// Further attributes: data for tests and scripts.
    pub data: Vec<(&'static str, String)>,
    /// The tooltip.
    pub title: Option<String>,
    /// Its geometry or contents.
    pub kind: ShapeKind,
}

/// The kinds of shapes.
#[derive(Clone, PartialEq, Debug)]
pub enum ShapeKind {
    /// A group of shapes.
    Group(Vec<Shape>),
    /// A rectangle with round corners.
    Rect {
        /// Left.
        x: f64,
        /// Top.
        y: f64,
        /// Width.
        w: f64,
        /// Height.
        h: f64,
        /// Radius of the corners.
        r: f64,
    },
    /// A circle.
    Circle {
        /// The centre, from the left.
        x: f64,
        /// The centre, from the top.
        y: f64,
        /// Radius.
        r: f64,
    },
    /// A path in SVG's notation.
    Path(String),
    /// A line of text; its class says how it is anchored.
    Text {
        /// Anchor, from the left.
        x: f64,
        /// Baseline, from the top.
        y: f64,
        /// The text.
        text: String,
    },
}

/// All lines of a kind as one path: a shape for each would be too many.
pub(crate) struct PathBundle {
    /// The kind.
    pub(crate) kind: String,
    /// The path.
    pub(crate) d: String,
    /// The number of lines.
    pub(crate) count: usize,
}

/// Lines bundled by kind.
#[derive(Default)]
pub(crate) struct PathBundles(Vec<PathBundle>);

impl PathBundles {
    /// Adds a line of a kind.
    pub(crate) fn add(&mut self, kind: &str, d: &str) {
        match self.0.iter_mut().find(|b| b.kind == kind) {
            Some(bundle) => {
                bundle.d.push_str(d);
                bundle.count += 1;
            }
            None => self.0.push(PathBundle { kind: kind.into(), d: d.into(), count: 1 }),
        }
    }

    /// The bundles in the order of their kinds.
    pub(crate) fn sorted(mut self) -> Vec<PathBundle> {
        sort::by(&mut self.0, |a, b| a.kind.cmp(&b.kind));
        self.0
    }
}

/// Formats a number for SVG: a tenth of a pixel is enough.
pub fn num(x: f64) -> String {
    // pictures are full of numbers, and integers are formatted much faster
    let tenths = (x * 10.0).round() as i64;
    let (sign, whole, tenth) = (if tenths < 0 { "-" } else { "" }, tenths.abs() / 10, tenths.abs() % 10);
    if tenth == 0 { format!("{sign}{whole}") } else { format!("{sign}{whole}.{tenth}") }
}

impl Shape {
    /// A shape of a kind.
    pub fn new(key: impl Into<String>, class: impl Into<String>, kind: ShapeKind) -> Shape {
        Shape { key: key.into(), class: class.into(), at: None, data: Vec::new(), title: None, kind }
    }

    /// A group of shapes.
    pub fn group(key: impl Into<String>, class: impl Into<String>, children: Vec<Shape>) -> Shape {
        Shape::new(key, class, ShapeKind::Group(children))
    }

    /// A circle.
    pub fn circle(key: impl Into<String>, class: &str, at: Point, r: f64) -> Shape {
        Shape::new(key, class, ShapeKind::Circle { x: at.x, y: at.y, r })
    }

    /// A path.
    pub fn path(key: impl Into<String>, class: &str, d: impl Into<String>) -> Shape {
        Shape::new(key, class, ShapeKind::Path(d.into()))
    }

    /// A straight line.
    pub fn line(key: impl Into<String>, class: &str, from: Point, to: Point) -> Shape {
        Shape::path(key, class, format!("M{},{}L{},{}", num(from.x), num(from.y), num(to.x), num(to.y)))
    }

    /// A line of text.
    pub fn text(key: impl Into<String>, class: &str, at: Point, text: impl Into<String>) -> Shape {
        Shape::new(key, class, ShapeKind::Text { x: at.x, y: at.y, text: text.into() })
    }

    /// Translates the shape.
    pub fn at(mut self, at: Point) -> Shape {
        self.at = Some(at);
        self
    }

    /// Adds an attribute.
    pub fn with(mut self, name: &'static str, value: impl Into<String>) -> Shape {
        self.data.push((name, value.into()));
        self
    }

    /// Sets the tooltip.
    pub fn titled(mut self, title: impl Into<String>) -> Shape {
        self.title = Some(title.into());
        self
    }

    /// The name and the geometry of its SVG element; text and children are in `kind`.
    pub fn element(&self) -> (&'static str, Vec<(&'static str, String)>) {
        match &self.kind {
            ShapeKind::Group(_) => ("g", Vec::new()),
            ShapeKind::Rect { x, y, w, h, r } => {
                ("rect", vec![("x", num(*x)), ("y", num(*y)), ("width", num(*w)), ("height", num(*h)), ("rx", num(*r))])
            }
            ShapeKind::Circle { x, y, r } => ("circle", vec![("cx", num(*x)), ("cy", num(*y)), ("r", num(*r))]),
            ShapeKind::Path(d) => ("path", vec![("d", d.clone())]),
            ShapeKind::Text { x, y, .. } => ("text", vec![("x", num(*x)), ("y", num(*y))]),
        }
    }

    /// Visits every shape of the tree, this one first.
    pub fn walk<'a>(&'a self, visit: &mut dyn FnMut(&'a Shape)) {
        visit(self);
        if let ShapeKind::Group(children) = &self.kind {
            for child in children {
                child.walk(visit);
            }
        }
    }

    /// The value of an attribute.
    pub fn datum(&self, name: &str) -> Option<&str> {
        self.data.iter().find(|(n, _)| *n == name).map(|(_, v)| v.as_str())
    }
}

/// A whole picture.
#[derive(Clone, PartialEq, Debug)]
pub struct Scene {
    /// Width of the drawing.
    pub width: f64,
    /// Height of the drawing.
    pub height: f64,
    /// What it shows, in a few words.
    pub title: String,
    /// What it shows, in full: for readers who cannot see it.
    pub about: String,
    /// The layers, from back to front.
    pub layers: Vec<Shape>,
}

impl Scene {
    /// Every shape with a given attribute.
    pub fn having<'a>(&'a self, name: &str) -> Vec<&'a Shape> {
        let mut found = Vec::new();
        for layer in &self.layers {
            layer.walk(&mut |s| {
                if s.datum(name).is_some() {
                    found.push(s);
                }
            });
        }
        found
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_short() {
        assert_eq!(num(1.0), "1");
        assert_eq!(num(-0.04), "0");
        assert_eq!(num(2.349), "2.3");
        assert_eq!((num(-0.5), num(-12.0), num(1023.96)), ("-0.5".into(), "-12".into(), "1024".into()));
    }
}
