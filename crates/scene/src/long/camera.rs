//! Moving about in a long diagram: panning, zooming, going to an event.

use super::{DiagramWindow, LongDiagram, MARGIN};
use crate::geometry::{Point, Rect, between, point};
use std::ops::Range;

/// Pixels for each event when the whole run is not shown: an event and its words have room.
const ROOMY: f64 = 56.0;
/// The most pixels for each event of the order axis.
const CLOSEST: f64 = 160.0;

/// Pixels left of the first event: the names of the nodes stand there.
const BEFORE: f64 = 56.0;
/// Pixels right of the last event.
const AFTER: f64 = 32.0;

/// Everything in the window; a short run is not stretched.
pub fn whole(diagram: &LongDiagram, width: f64, height: f64) -> DiagramWindow {
    let (first, last) = diagram.range();
    let room = (width - BEFORE - AFTER).max(40.0);
    let scale = (room / (last - first)).min(closest(diagram));
    clamped(diagram, DiagramWindow { left: first - BEFORE / scale, scale, top: 0.0, width, height })
}

/// The beginning of the run, with room for each event.
pub fn beginning(diagram: &LongDiagram, width: f64, height: f64) -> DiagramWindow {
    let whole = whole(diagram, width, height);
    let (first, last) = diagram.range();
    let each = (last - first) / (diagram.len().max(2) - 1) as f64;
    let scale = whole.scale.max((ROOMY / each).min(closest(diagram)));
    clamped(diagram, DiagramWindow { left: first - BEFORE / scale, scale, ..whole })
}

fn closest(diagram: &LongDiagram) -> f64 {
    let (first, last) = diagram.range();
    // times may lie close together: a window then shows a few events, not less
    CLOSEST * (diagram.len().max(2) - 1) as f64 / (last - first) * if diagram.along_time { 50.0 } else { 1.0 }
}

/// A window that shows something.
pub fn clamped(diagram: &LongDiagram, mut window: DiagramWindow) -> DiagramWindow {
    let (first, last) = diagram.range();
    let least = (window.width - BEFORE - AFTER).max(40.0) / (last - first);
    window.scale = between(least.min(closest(diagram)), window.scale, closest(diagram));
    let span = window.width / window.scale;
    let least = first - BEFORE / window.scale;
    window.left = between(least, window.left, (last + AFTER / window.scale - span).max(least));
    window.top = between(0.0, window.top, (diagram.height() + 12.0 - window.height).max(0.0));
    window
}

/// Moved by so many pixels.
pub fn panned(diagram: &LongDiagram, window: &DiagramWindow, right: f64, down: f64) -> DiagramWindow {
    let moved = DiagramWindow { left: window.left + right / window.scale, top: window.top + down, ..*window };
    clamped(diagram, moved)
}

/// Larger by a factor; what is at this pixel stays there.
pub fn zoomed(diagram: &LongDiagram, window: &DiagramWindow, factor: f64, at: f64) -> DiagramWindow {
    let fixed = window.left + at / window.scale;
    let scaled = clamped(diagram, DiagramWindow { scale: window.scale * factor, ..*window });
    clamped(diagram, DiagramWindow { left: fixed - at / scaled.scale, ..scaled })
}

/// With an event in the middle, close enough to see it.
pub fn centred(diagram: &LongDiagram, window: &DiagramWindow, event: u32) -> DiagramWindow {
    let (Some(position), Some(node)) = (diagram.position(event), diagram.node(event)) else { return *window };
    let (first, last) = diagram.range();
    let each = (last - first) / (diagram.len().max(2) - 1) as f64;
    let scale = window.scale.max(20.0 / each);
    let y = f64::from(node) * super::ROW;
    let visible = y >= window.top && y + super::ROW <= window.top + window.height;
    let top = if visible { window.top } else { y - window.height / 2.0 };
    let scaled = clamped(diagram, DiagramWindow { scale, top, ..*window });
    clamped(diagram, DiagramWindow { left: position - scaled.width / 2.0 / scaled.scale, ..scaled })
}

/// With this position of the axis in the middle.
pub fn at(diagram: &LongDiagram, window: &DiagramWindow, position: f64) -> DiagramWindow {
    clamped(diagram, DiagramWindow { left: position - window.width / 2.0 / window.scale, ..*window })
}

/// With an event in the window: moved only if the event is not seen.
pub fn revealed(diagram: &LongDiagram, window: &DiagramWindow, event: u32) -> DiagramWindow {
    let (Some(position), Some(node)) = (diagram.position(event), diagram.node(event)) else { return *window };
    let x = (position - window.left) * window.scale;
    let y = f64::from(node) * super::ROW - window.top;
    let across = if (BEFORE..=window.width - AFTER).contains(&x) { 0.0 } else { x - window.width / 2.0 };
    let down = if (0.0..=window.height - super::ROW).contains(&y) { 0.0 } else { y - window.height / 2.0 };
    panned(diagram, window, across, down)
}

/// Whether the shapes that were drawn for one window serve for another: it has the same scale and
/// tile, and lies in what was drawn.
pub fn serves(diagram: &LongDiagram, drawn: &DiagramWindow, window: &DiagramWindow) -> bool {
    let within = |moved: f64, size: f64| moved.abs() <= size * MARGIN * 0.9;
    drawn.scale == window.scale
        && drawn.width == window.width
        && drawn.height == window.height
        && diagram.origin(drawn) == diagram.origin(window)
        && within((window.left - drawn.left) * window.scale, window.width)
        && within(window.top - drawn.top, window.height)
}

/// Where the picture that was drawn for one window begins in pixels, as its shapes count them, and
/// its size.
pub fn sheet(diagram: &LongDiagram, drawn: &DiagramWindow) -> Rect {
    let left = (drawn.left - diagram.range().0) * drawn.scale - diagram.origin(drawn);
    let grown = 1.0 + 2.0 * MARGIN;
    let (x, y) = (left - MARGIN * drawn.width, drawn.top - MARGIN * drawn.height);
    Rect { x, y, w: drawn.width * grown, h: drawn.height * grown }
}

/// How far the picture that was drawn for one window is moved to serve for another.
pub fn shift(drawn: &DiagramWindow, window: &DiagramWindow) -> Point {
    let right = (window.left - drawn.left) * window.scale + MARGIN * drawn.width;
    point(-right, drawn.top - window.top - MARGIN * drawn.height)
}

/// The part of the overview that a window shows, in pixels.
pub fn seen(diagram: &LongDiagram, window: &DiagramWindow) -> Range<f64> {
    let (first, last) = diagram.range();
    let scale = window.width / (last - first);
    let left = (window.left - first) * scale;
    left..left + window.width / window.scale * scale
}
