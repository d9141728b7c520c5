//! The smallest card: a name above two marks. The left one shows the thread inside or the token,
//! the right one the waiting threads and the requests of other nodes.

use crate::card::CardContext;
use crate::card::glyph::{diamond, hexagon, hourglass};
use crate::card::queue::{QueueMark, inside_mark, marks};
use crate::explain::words;
use crate::geometry::{Rect, point};
use crate::shape::{Shape, ShapeKind};
use crate::stage::cells;
use lockstep_kernel::view::{NodeFrame, ThreadFrame};

/// Draws the contents of a card of the smallest size.
pub fn draw(node: &NodeFrame, context: &CardContext<'_>, card: Rect, inside: &[&ThreadFrame]) -> Vec<Shape> {
    let (left, y) = (12.5, 33.0);
    let most = if context.holds_token(node) && !inside.is_empty() { 27.0 } else { card.w - 10.0 };
    let short = words::bold_width(&node.name, 14.0) <= most;
    let letters = (1..=5).rev().find(|k| words::bold_width(&words::cut(&node.name, *k), 10.0) <= most).unwrap_or(1);
    let name = if short { node.name.clone() } else { words::cut(&node.name, letters) };
    let class = if !short { "card-name mini long" } else { "card-name mini" };
    let mut shapes = vec![Shape::text("name", class, point(6.0, 17.0), name)];
    shapes.push(Shape::group("parts", "parts", cells::draw_held(node, card.w, 21.5)));
    let shown = inside.iter().filter(|_| !context.hidden.contains("inside")).enumerate();
    let users = shown.map(|(i, t)| {
        let spread = (i as f64 - (inside.len() as f64 - 1.0) / 2.0) * 9.0;
        inside_mark(point(left, y + spread), if inside.len() > 1 { 3.0 } else { 5.5 }, node, t, context)
    });
    shapes.push(Shape::group("users", "users", users.collect()));
    // the thread inside implies the token: a small diamond is enough
    let token = context.holds_token(node) && !context.hidden.contains("token");
    let at = if inside.is_empty() { point(left, y) } else { point(card.w - 7.0, 11.5) };
    let place = token.then(|| diamond("diamond", "token", at, if inside.is_empty() { 6.5 } else { 4.5 }));
    shapes.push(Shape::group("token", "token-place", place.into_iter().collect()));
    let waiting = if context.hidden.contains("queue") { Vec::new() } else { marks(node, context) };
    shapes.push(Shape::group("waiting", "queue", queue(node, &waiting, card.w, y)));
    shapes
}

/// The node's own waiting threads as a ring, requests of others as a square. A number with a cross
/// is a count; a number alone is always a thread.
fn queue(node: &NodeFrame, waiting: &[QueueMark], width: f64, y: f64) -> Vec<Shape> {
    let (own, others): (Vec<&QueueMark>, Vec<&QueueMark>) = waiting.iter().partition(|m| m.thread.is_some());
    let both = !own.is_empty() && !others.is_empty();
    let mut shapes = Vec::new();
    for (list, key, at) in [(own, "own", y - 5.5), (others, "others", y + 5.5)] {
        let Some(first) = list.first() else { continue };
        let count = if list.len() > 1 { format!("×{}", list.len()) } else { String::new() };
        let (small, letters) = if list.len() > 9 { ("xs", 8.0) } else { ("s", 10.5) };
        let wide = words::bold_width(&count, letters);
        let (at, r) = if both { (at, 4.0) } else { (y, 5.0) };
        let (x, r) = match list.len() {
            1 => (width - 12.0, r),
            2..=9 => (width - wide - 3.0 - r, r),
            _ => (width - wide - 5.5, 3.0),
        };
        let names: Vec<String> = list.iter().map(|m| m.key.clone()).collect();
        let stuck = if list.iter().any(|m| m.stuck) { " stuck" } else { "" };
        let mut parts = vec![match first.class {
            "waiting" => hourglass("shape", "waiting-ring", point(x, at), r),
            "alien" => hexagon("shape", "alien-hexagon", point(x, at), r + 0.5),
            _ => {
                let kind = ShapeKind::Rect { x: x - r, y: at - r, w: 2.0 * r, h: 2.0 * r, r: 1.5 };
                Shape::new("shape", "remote-square", kind)
            }
        }];
        if list.len() > 1 {
            let class = format!("mark-label {small} {}", first.class);
            parts.push(Shape::text("count", &class, point(width - 1.5 - wide / 2.0, at + 3.5), count));
        }
        let title = if list.len() == 1 {
            first.title.clone()
        } else {
            format!("waiting at {}: {}", node.name, words::list(&names))
        };
        let group = Shape::group(key, format!("{}{stuck}", first.class), parts);
        shapes.push(group.with("data-more", names.join(" ")).titled(title));
    }
    shapes
}
