//! The smallest card: a name above two marks. The left one shows the thread inside or the token,
//! the right one the number of waiting threads.

use crate::card::CardContext;
use crate::card::glyph::{diamond, hourglass};
use crate::card::queue::{inside_mark, marks};
use crate::explain::words;
use crate::geometry::{Rect, point};
use crate::shape::Shape;
use crate::stage::cells;
use lockstep_kernel::view::{NodeFrame, ThreadFrame};

/// Draws the contents of a card of the smallest size.
pub fn draw(node: &NodeFrame, context: &CardContext<'_>, card: Rect, inside: &[&ThreadFrame]) -> Vec<Shape> {
    let (left, right, y) = (12.5, card.w - 12.0, 33.0);
    let most = if node.view.token && !inside.is_empty() { 27.0 } else { card.w - 10.0 };
    let short = words::bold_width(&node.name, 14.0) <= most;
    let letters = (1..=5).rev().find(|k| words::bold_width(&words::cut(&node.name, *k), 10.0) <= most).unwrap_or(1);
    let name = if short { node.name.clone() } else { words::cut(&node.name, letters) };
    let class = if !short { "card-name mini long" } else { "card-name mini" };
    let mut shapes = vec![Shape::text("name", class, point(6.0, 17.0), name)];
    shapes.push(Shape::group("parts", "parts", cells::draw_held(node, card.w, 21.5)));
    let shown = inside.iter().filter(|_| !context.hidden.contains("inside")).enumerate();
    let users = shown.map(|(i, t)| {
        let spread = (i as f64 - (inside.len() as f64 - 1.0) / 2.0) * 9.0;
        inside_mark(point(left, y + spread), if inside.len() > 1 { 3.0 } else { 5.5 }, node, t)
    });
    shapes.push(Shape::group("users", "users", users.collect()));
    // the thread inside implies the token: a small diamond is enough
    let token = node.view.token && !context.hidden.contains("token");
    let at = if inside.is_empty() { point(left, y) } else { point(card.w - 7.0, 11.5) };
    let place = token.then(|| diamond("diamond", "token", at, if inside.is_empty() { 6.5 } else { 4.5 }));
    shapes.push(Shape::group("token", "token-place", place.into_iter().collect()));
    let waiting = if context.hidden.contains("queue") { Vec::new() } else { marks(node, context.setup) };
    let mut queue = Vec::new();
    if !waiting.is_empty() {
        let names: Vec<String> = waiting.iter().map(|m| m.key.clone()).collect();
        queue.push(hourglass("ring", "waiting-ring", point(right, y), 7.5));
        queue.push(
            Shape::text("count", "mark-label s waiting", point(right, y + 3.7), names.len().to_string())
                .with("data-more", names.join(" "))
                .titled(format!("waiting at {}: {}", node.name, words::list(&names))),
        );
    }
    shapes.push(Shape::group("waiting", "queue", queue));
    shapes
}
