//! The threads inside and the queue of a node, as marks on its card.

use crate::card::CardContext;
use crate::card::glyph::{hourglass, wide_hexagon};
use crate::explain::words;
use crate::geometry::{Point, point};
use crate::shape::{Shape, ShapeKind, num};
use lockstep_kernel::view::{NodeFrame, ThreadFrame, ThreadState};
use lockstep_kernel::{Setup, ThreadId, Waiter};

fn label(class: &str, at: Point, r: f64, text: &str) -> Shape {
    let size = if r >= 13.0 {
        "l"
    } else if r >= 11.0 {
        "m"
    } else {
        "s"
    };
    let drop = if r >= 13.0 {
        4.6
    } else if r >= 11.0 {
        4.3
    } else {
        3.7
    };
    Shape::text("label", &format!("mark-label {size} {class}"), at.moved(0.0, drop), text)
}

/// The short name of a thread: its number at home, its full name elsewhere.
fn thread_label(node: &NodeFrame, thread: &ThreadFrame) -> String {
    let at_home = thread.name.strip_prefix(node.name.as_str()).is_some_and(|rest| rest.starts_with('.'));
    if at_home { thread.number.to_string() } else { thread.name.clone() }
}

pub(crate) fn inside_mark(
    at: Point,
    r: f64,
    node: &NodeFrame,
    thread: &ThreadFrame,
    context: &CardContext<'_>,
) -> Shape {
    let mut shapes =
        vec![Shape::circle("ring", "inside-ring", at, r + 3.0), Shape::circle("disc", "inside-disc", at, r - 1.0)];
    if r > 7.0 {
        shapes.push(label("on", at, r, &thread_label(node, thread)));
    }
    let (class, together) = match context.is_together(thread.id) {
        true => ("inside together", ", together with another thread"),
        false => ("inside", ""),
    };
    Shape::group(format!("inside-{}", thread.name), class, shapes)
        .with("data-inside-thread", thread.name.clone())
        .with("data-thread", thread.id.0.to_string())
        .titled(format!("{} is inside{together}; click to let it leave", thread.name))
}

/// An entry of the queue.
pub(crate) struct QueueMark {
    pub(crate) key: String,
    label: String,
    pub(crate) title: String,
    pub(crate) class: &'static str,
    /// The thread, if the entry is one of the node's own threads.
    pub(crate) thread: Option<ThreadId>,
    /// Whether this request can no longer be served.
    pub(crate) stuck: bool,
}

/// The entries of a node's queue. A crashed node has forgotten them.
pub(crate) fn marks(node: &NodeFrame, context: &CardContext<'_>) -> Vec<QueueMark> {
    if node.crashed {
        return Vec::new();
    }
    let mut marks = entries(node, context.setup);
    for mark in &mut marks {
        if let Some(stuck) = context.stuck(mark.thread) {
            mark.stuck = true;
            let how = if stuck.never { "can never enter" } else { "cannot enter by any delivery or release" };
            mark.title += &format!("; it {how}, since step {}", stuck.since);
        }
    }
    marks
}

fn entries(node: &NodeFrame, setup: &Setup) -> Vec<QueueMark> {
    let user = |t: &ThreadFrame| QueueMark {
        key: t.name.clone(),
        label: thread_label(node, t),
        title: format!("{} waits at {}", t.name, node.name),
        class: "waiting",
        thread: Some(t.id),
        stuck: false,
    };
    let mut marks: Vec<QueueMark> = Vec::new();
    for waiter in &node.view.queue {
        let key = words::waiter(setup, waiter);
        marks.push(match waiter {
            Waiter::User(id) => match node.threads.iter().find(|t| t.id == *id) {
                Some(t) => user(t),
                None => QueueMark {
                    label: key.clone(),
                    title: format!("{key} waits at {}", node.name),
                    key,
                    class: "waiting",
                    thread: Some(*id),
                    stuck: false,
                },
            },
            Waiter::Alien(home) => QueueMark {
                key,
                label: setup.name(*home).into(),
                title: format!("the alien thread of {} waits at {}", setup.name(*home), node.name),
                class: "alien",
                thread: None,
                stuck: false,
            },
            Waiter::Remote(from) => QueueMark {
                key,
                label: setup.name(*from).into(),
                title: format!("a request from {} waits at {}", setup.name(*from), node.name),
                class: "remote",
                thread: None,
                stuck: false,
            },
        });
    }
    // algorithms without a queue of threads: show the waiting threads all the same
    for t in node.threads.iter().filter(|t| t.doing == ThreadState::Waiting) {
        if !node.view.queue.contains(&Waiter::User(t.id)) {
            marks.push(user(t));
        }
    }
    marks
}

/// The font size of the label in a mark of radius `r`.
fn letters(r: f64) -> f64 {
    if r >= 13.0 {
        13.0
    } else if r >= 11.0 {
        12.0
    } else {
        10.5
    }
}

/// Half the width of a mark: a longer label makes it wider. Rings stay round; their labels are
/// short.
fn half(m: &QueueMark, r: f64) -> f64 {
    let text = words::bold_width(&m.label, letters(r)) / 2.0;
    match m.class {
        "alien" => ((r + 1.0) * 0.866).max(text + 3.5),
        "remote" => r.max(text + 2.5),
        _ => r.max(text + 2.0),
    }
}

fn mark(m: &QueueMark, key: String, at: Point, r: f64) -> Shape {
    let half = half(m, r);
    let outline = match m.class {
        "alien" => wide_hexagon("shape", "alien-hexagon", at, r + 1.0, half),
        "remote" => {
            let kind = ShapeKind::Rect { x: at.x - half, y: at.y - r + 0.5, w: 2.0 * half, h: 2.0 * r - 1.0, r: 3.0 };
            Shape::new("shape", "remote-square", kind)
        }
        _ if half > r + 0.5 => {
            let kind = ShapeKind::Rect { x: at.x - half, y: at.y - r, w: 2.0 * half, h: 2.0 * r, r };
            Shape::new("shape", "waiting-ring", kind)
        }
        _ => hourglass("shape", "waiting-ring", at, r),
    };
    let class = if m.stuck { format!("{} stuck", m.class) } else { m.class.into() };
    let mut shapes = vec![outline, label(m.class, at, r, &m.label)];
    if m.stuck {
        // colour alone must not carry it
        let (x, y) = (num(half * 0.9), num(r * 0.9));
        let d = format!("M-{x},{y}L{x},-{y}");
        shapes.push(Shape::path("never", "never", d).at(at));
    }
    let mark = Shape::group(key, class, shapes).with("data-waiter", m.key.clone()).titled(m.title.clone());
    match m.thread {
        Some(thread) => mark.with("data-thread", thread.0.to_string()),
        None => mark,
    }
}

/// The area of the queue on a card.
pub(crate) struct QueueArea {
    /// Left edge.
    pub(crate) left: f64,
    /// Right edge.
    pub(crate) right: f64,
    /// The middle of the row, or between two rows.
    pub(crate) y: f64,
    /// The radius of marks in one row.
    pub(crate) radius: f64,
    /// The radius of marks in two rows.
    pub(crate) small: f64,
}

impl QueueArea {
    /// The centres of as many marks as fit, row by row, with their row. `spare` pixels stay free at
    /// the end of the last row.
    fn flow(&self, marks: &[QueueMark], r: f64, rows: usize, spare: f64) -> Vec<(f64, usize)> {
        let gap = if r > 10.0 { 5.0 } else { 1.2 };
        let (mut x, mut row, mut places) = (self.left, 0, Vec::new());
        for m in marks {
            let half = half(m, r) + 0.9;
            let end = |row: usize| if row + 1 == rows { self.right - spare } else { self.right };
            if x + 2.0 * half > end(row) {
                (x, row) = (self.left, row + 1);
                if row >= rows || x + 2.0 * half > end(row) {
                    break;
                }
            }
            places.push((x + half, row));
            x += 2.0 * half + gap;
        }
        places
    }
}

/// Draws the queue: large marks in one row, else small marks in two rows, else as many as fit and
/// the number of the others.
pub(crate) fn queue(room: &QueueArea, marks: &[QueueMark]) -> Vec<Shape> {
    // equal entries (after a duplicated message) still need different keys
    let key = |i: usize| {
        let nth = marks[..i].iter().filter(|o| o.key == marks[i].key).count();
        format!("waiter-{}-{nth}", marks[i].key)
    };
    let large = room.flow(marks, room.radius, 1, 0.0);
    if large.len() == marks.len() {
        return large
            .iter()
            .enumerate()
            .map(|(i, (x, _))| mark(&marks[i], key(i), point(*x, room.y), room.radius))
            .collect();
    }
    let mut places = room.flow(marks, room.small, 2, 0.0);
    if places.len() < marks.len() {
        let most = format!("+{}", marks.len());
        places = room.flow(marks, room.small, 2, words::bold_width(&most, 12.0) + 2.0);
    }
    let rows = places.iter().map(|p| p.1 + 1).max().unwrap_or(1) as f64;
    let y = |row: usize| room.y + (row as f64 - (rows - 1.0) / 2.0) * (room.small * 2.0 + 4.0);
    let mut shapes: Vec<Shape> = places
        .iter()
        .enumerate()
        .map(|(i, (x, row))| mark(&marks[i], key(i), point(*x, y(*row)), room.small))
        .collect();
    if places.len() < marks.len() {
        let rest: Vec<&str> = marks[places.len()..].iter().map(|m| m.key.as_str()).collect();
        let at = point(room.right - 1.0, y(rows as usize - 1) + 4.0);
        let text = Shape::text("more", "more", at, format!("+{}", rest.len()));
        shapes.push(text.with("data-more", rest.join(" ")).titled(format!("and {}", rest.join(", "))));
    }
    shapes
}
