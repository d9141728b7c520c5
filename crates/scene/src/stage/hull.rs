//! The outlines of clusters.

use crate::geometry::point;
use crate::layout::Layout;
use crate::shape::{Shape, ShapeKind};

/// A rounded outline with a label for each cluster.
pub fn draw(layout: &Layout) -> Vec<Shape> {
    let hull = |h: &crate::layout::Hull| {
        let b = h.bounds;
        let mut shapes = vec![Shape::new(
            "outline",
            "hull",
            ShapeKind::Rect { x: 0.0, y: 0.0, w: b.w, h: b.h, r: 14.0_f64.min(b.h / 4.0) },
        )];
        if b.h > 62.0 && b.w > 62.0 {
            shapes.push(Shape::text("name", "hull-name", point(14.0, 20.0), format!("cluster {}", h.cluster)));
        }
        Shape::group(format!("hull-{}", h.cluster), "cluster", shapes)
            .at(point(b.x, b.y))
            .with("data-cluster", h.cluster.to_string())
    };
    layout.hulls.iter().map(hull).collect()
}
