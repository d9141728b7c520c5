//! One node: its name, the token, who is inside, who waits.

use crate::geometry::{Point, Rect, point};
use crate::layout::Size;
use crate::shape::{Shape, num};
use crate::words;
use lockstep_kernel::view::{Doing, NodeFrame, ThreadFrame};
use lockstep_kernel::{Setup, Waiter};

/// The measures of a card, all from its upper left corner.
struct Measures {
    header: f64,
    pad: f64,
    name_y: f64,
    captions_y: Option<f64>,
    marks_y: f64,
    inside_x: f64,
    divider_x: f64,
    queue_x: f64,
    radius: f64,
    pitch: f64,
    small_radius: f64,
    small_pitch: f64,
    token: f64,
}

fn measures(size: Size) -> Measures {
    match size {
        Size::Full => Measures {
            header: 35.0,
            pad: 14.0,
            name_y: 24.0,
            captions_y: Some(54.0),
            marks_y: 78.0,
            inside_x: 34.0,
            divider_x: 71.0,
            queue_x: 83.0,
            radius: 13.0,
            pitch: 31.0,
            small_radius: 8.5,
            small_pitch: 20.0,
            token: 10.0,
        },
        Size::Compact => Measures {
            header: 29.0,
            pad: 10.0,
            name_y: 20.0,
            captions_y: None,
            marks_y: 52.5,
            inside_x: 23.0,
            divider_x: 46.0,
            queue_x: 53.0,
            radius: 11.0,
            pitch: 26.0,
            small_radius: 8.0,
            small_pitch: 20.5,
            token: 8.0,
        },
        Size::Tiny => Measures {
            header: 26.0,
            pad: 8.0,
            name_y: 18.0,
            captions_y: None,
            marks_y: 49.0,
            inside_x: 16.0,
            divider_x: 30.0,
            queue_x: 33.0,
            radius: 8.5,
            pitch: 20.0,
            small_radius: 7.5,
            small_pitch: 16.4,
            token: 6.5,
        },
    }
}

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
    let (x, y, half, wide) = (at.x, at.y, s / 2.0, s * 0.866);
    let d = format!(
        "M{},{}L{},{}L{},{}L{},{}L{},{}L{},{}Z",
        num(x),
        num(y - s),
        num(x + wide),
        num(y - half),
        num(x + wide),
        num(y + half),
        num(x),
        num(y + s),
        num(x - wide),
        num(y + half),
        num(x - wide),
        num(y - half)
    );
    Shape::path(key, class, d)
}

/// A ring with a gap at its upper right: waiting.
pub fn hourglass(key: &str, class: &str, at: Point, r: f64) -> Shape {
    // the gap lies between 10 and 70 degrees
    let (x0, y0) = (at.x + r * 0.985, at.y - r * 0.174);
    let (x1, y1) = (at.x + r * 0.342, at.y - r * 0.94);
    Shape::path(key, class, format!("M{},{}A{r},{r} 0 1 1 {},{}", num(x0), num(y0), num(x1), num(y1), r = num(r)))
}

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

fn inside_mark(at: Point, r: f64, node: &NodeFrame, thread: &ThreadFrame) -> Shape {
    Shape::group(
        format!("inside-{}", thread.name),
        "inside",
        vec![
            Shape::circle("ring", "inside-ring", at, r + 3.0),
            Shape::circle("disc", "inside-disc", at, r - 1.0),
            label("on", at, r, &thread_label(node, thread)),
        ],
    )
    .with("data-inside-thread", thread.name.clone())
    .titled(format!("{} is in the critical section", thread.name))
}

/// Someone who waits, as a mark.
struct Mark {
    key: String,
    label: String,
    title: String,
    class: &'static str,
}

fn marks(node: &NodeFrame, setup: &Setup) -> Vec<Mark> {
    let user = |t: &ThreadFrame| Mark {
        key: t.name.clone(),
        label: thread_label(node, t),
        title: format!("{} waits at {}", t.name, node.name),
        class: "waiting",
    };
    let mut marks: Vec<Mark> = Vec::new();
    for waiter in &node.view.queue {
        let key = words::waiter(setup, waiter);
        marks.push(match waiter {
            Waiter::User(id) => match node.threads.iter().find(|t| t.id == *id) {
                Some(t) => user(t),
                None => {
                    Mark { label: key.clone(), title: format!("{key} waits at {}", node.name), key, class: "waiting" }
                }
            },
            Waiter::Alien(home) => Mark {
                key,
                label: setup.name(*home).into(),
                title: format!("the alien thread of {} waits at {}", setup.name(*home), node.name),
                class: "alien",
            },
            Waiter::Remote(from) => Mark {
                key,
                label: setup.name(*from).into(),
                title: format!("a request of {} waits at {}", setup.name(*from), node.name),
                class: "remote",
            },
        });
    }
    // algorithms without a queue of threads: whoever waits is shown all the same
    for t in node.threads.iter().filter(|t| t.doing == Doing::Waiting) {
        if !node.view.queue.contains(&Waiter::User(t.id)) {
            marks.push(user(t));
        }
    }
    marks
}

fn mark(m: &Mark, key: String, at: Point, r: f64) -> Shape {
    let outline = match m.class {
        "alien" => hexagon("shape", "alien-hexagon", at, r + 2.0),
        "remote" => {
            let kind = crate::Kind::Rect { x: at.x - r, y: at.y - r + 1.0, w: 2.0 * r, h: 2.0 * r - 2.0, r: 3.0 };
            Shape::new("shape", "remote-square", kind)
        }
        _ => hourglass("shape", "waiting-ring", at, r),
    };
    Shape::group(key, m.class, vec![outline, label(m.class, at, if m.label.len() > 2 { r - 2.0 } else { r }, &m.label)])
        .with("data-waiter", m.key.clone())
        .titled(m.title.clone())
}

/// The queue: large marks in one row, or small ones in two, or as many as fit and how many more there are.
fn queue(m: &Measures, width: f64, marks: &[Mark]) -> Vec<Shape> {
    let room = width - m.queue_x - 3.0;
    let fits = |pitch: f64| ((room / pitch) as usize).max(1);
    let mut shapes = Vec::new();
    // two equal entries (a doubled message may cause them) still need two keys
    let key = |i: usize| {
        let nth = marks[..i].iter().filter(|o| o.key == marks[i].key).count();
        format!("waiter-{}-{nth}", marks[i].key)
    };
    if marks.len() <= fits(m.pitch) {
        for (i, one) in marks.iter().enumerate() {
            let at = point(m.queue_x + m.radius + 2.0 + i as f64 * m.pitch, m.marks_y);
            shapes.push(mark(one, key(i), at, m.radius));
        }
        return shapes;
    }
    let columns = fits(m.small_pitch);
    let place = |i: usize| {
        let (column, row) = ((i % columns) as f64, (i / columns) as f64);
        let middle = if marks.len() <= columns { 0.0 } else { 0.5 };
        let y = m.marks_y + (row - middle) * (m.small_radius * 2.0 + 4.0);
        point(m.queue_x + m.small_radius + column * m.small_pitch, y)
    };
    let shown = if marks.len() <= 2 * columns { marks.len() } else { 2 * columns - 1 };
    for (i, one) in marks.iter().enumerate().take(shown) {
        shapes.push(mark(one, key(i), place(i), m.small_radius));
    }
    if shown < marks.len() {
        let rest: Vec<&str> = marks[shown..].iter().map(|m| m.key.as_str()).collect();
        let text = Shape::text("more", "more", place(shown).moved(0.0, 4.0), format!("+{}", rest.len()));
        shapes.push(text.with("data-more", rest.join(" ")).titled(format!("and {}", rest.join(", "))));
    }
    shapes
}

/// The card of one node.
pub fn draw(node: &NodeFrame, setup: &Setup, size: Size, card: Rect, selected: bool, acting: bool) -> Shape {
    let m = measures(size);
    let inside: Vec<&ThreadFrame> = node.threads.iter().filter(|t| t.doing == Doing::Inside).collect();
    let thinking = node.threads.iter().filter(|t| t.doing == Doing::Idle).count();
    let mut shapes = vec![
        Shape::new("box", "card-box", crate::Kind::Rect { x: 0.0, y: 0.0, w: card.w, h: card.h, r: 8.0 }),
        Shape::line("rule", "hairline", point(0.0, m.header), point(card.w, m.header)),
        Shape::line("divider", "hairline", point(m.divider_x, m.header + 9.0), point(m.divider_x, card.h - 9.0)),
        Shape::text(
            "name",
            if size == Size::Full { "card-name large" } else { "card-name" },
            point(m.pad, m.name_y),
            &node.name,
        ),
    ];
    shapes.push(Shape::group("token", "token-place", token(node, &m, size, card)));
    if let Some(y) = m.captions_y {
        shapes.push(Shape::text("caption-inside", "caption", point(m.pad, y), "inside"));
        shapes.push(Shape::text("caption-queue", "caption", point(m.queue_x, y), "queue"));
    }
    shapes.push(Shape::group("thinking", "thinking", thinking_text(thinking, node, &m, size, card)));
    let slot = point(m.inside_x, m.marks_y);
    let mut users = vec![Shape::circle("slot", "slot", slot, m.radius)];
    for (i, thread) in inside.iter().enumerate() {
        // more than one inside is a violation: both must be seen
        let (r, at) = match inside.len() {
            1 => (m.radius, slot),
            n => (m.radius * 0.6, slot.moved(0.0, (i as f64 - (n as f64 - 1.0) / 2.0) * (m.radius * 1.5))),
        };
        users.push(inside_mark(at, r, node, thread));
    }
    shapes.push(Shape::group("users", "users", users));
    let waiting = marks(node, setup);
    let empty = waiting.is_empty() && size == Size::Full;
    shapes.push(Shape::group("waiting", "queue", queue(&m, card.w, &waiting)));
    let none = if empty {
        vec![Shape::text("empty", "caption faint", point(m.queue_x, m.marks_y + 5.0), "empty")]
    } else {
        vec![]
    };
    shapes.push(Shape::group("none", "none", none));
    let cross = match node.crashed {
        true => vec![Shape::path(
            "cross",
            "crash",
            format!("M6,6L{},{}M{},6L6,{}", card.w - 6.0, card.h - 6.0, card.w - 6.0, card.h - 6.0),
        )],
        false => vec![],
    };
    shapes.push(Shape::group("down", "down", cross));

    let names = |list: &[&ThreadFrame]| list.iter().map(|t| t.name.as_str()).collect::<Vec<_>>().join(" ");
    let queued: Vec<String> = node.view.queue.iter().map(|w| words::waiter(setup, w)).collect();
    let mut class = String::from("card");
    for (on, name) in
        [(selected, " selected"), (acting, " acting"), (node.crashed, " crashed"), (!inside.is_empty(), " busy")]
    {
        class.push_str(if on { name } else { "" });
    }
    Shape::group(format!("node-{}", node.name), class, shapes)
        .at(point(card.x, card.y))
        .with("data-node", &node.name)
        .with("data-id", node.id.0.to_string())
        .with("data-token", node.view.token.to_string())
        .with("data-inside", names(&inside))
        .with("data-queue", queued.join(" "))
}

fn token(node: &NodeFrame, m: &Measures, size: Size, card: Rect) -> Vec<Shape> {
    if !node.view.token {
        return Vec::new();
    }
    let at = point(card.w - m.pad - m.token, m.header / 2.0);
    let mut shapes = vec![diamond("diamond", "token", at, m.token).titled(format!("{} has the token", node.name))];
    if size == Size::Full {
        shapes.push(Shape::text("caption", "caption end", point(at.x - m.token - 7.0, m.name_y - 1.0), "token"));
    }
    shapes
}

fn thinking_text(count: usize, node: &NodeFrame, m: &Measures, size: Size, card: Rect) -> Vec<Shape> {
    if count == 0 || size == Size::Tiny {
        return Vec::new();
    }
    let at = match m.captions_y {
        Some(y) => point(card.w - m.pad, y),
        None => point(card.w - m.pad - if node.view.token { 2.0 * m.token + 7.0 } else { 0.0 }, m.name_y - 1.0),
    };
    vec![Shape::text("text", "caption end", at, format!("{count} thinking"))]
}
