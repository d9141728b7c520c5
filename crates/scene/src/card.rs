//! The card of one node: its name, the token, the threads inside and the queue.

pub mod glyph;
mod mini;
pub(crate) mod note;
mod queue;

pub use glyph::{diamond, hexagon, hourglass};

use crate::explain::words;
use crate::geometry::{Point, Rect, point};
use crate::layout::{CardSize, NOTE};
use crate::shape::{Shape, ShapeKind, num};
use crate::stage::cells;
use lockstep_kernel::served::StuckRequest;
use lockstep_kernel::view::{NodeFrame, ThreadFrame, ThreadState};
use lockstep_kernel::{NodeId, Setup, ThreadId};
use queue::{QueueArea, inside_mark, marks, queue};
use std::collections::BTreeSet;

/// What all cards of a picture share.
#[derive(Clone, Copy)]
pub struct CardContext<'a> {
    /// Names.
    pub setup: &'a Setup,
    /// How much they show.
    pub size: CardSize,
    /// Whether they have a note line.
    pub noted: bool,
    /// The selected node.
    pub selected: Option<NodeId>,
    /// The node at which the last step happened.
    pub acting: Option<NodeId>,
    /// The quorum of the selected node.
    pub quorum: &'a [NodeId],
    /// The nodes of the causal chain.
    pub causes: &'a [NodeId],
    /// The ids of hidden layers.
    pub hidden: &'a BTreeSet<String>,
    /// The threads inside together.
    pub together: &'a [ThreadId],
    /// The requests that can no longer be served.
    pub stuck: &'a [StuckRequest],
    /// Whether there is a token to show.
    pub token: bool,
}

impl CardContext<'_> {
    fn is_together(&self, thread: ThreadId) -> bool {
        self.together.contains(&thread)
    }

    fn stuck(&self, thread: Option<ThreadId>) -> Option<&StuckRequest> {
        self.stuck.iter().find(|s| Some(s.thread) == thread)
    }

    /// Whether the node holds the token; what it held is gone when it crashes.
    fn holds_token(&self, node: &NodeFrame) -> bool {
        self.token && node.view.token && !node.crashed
    }

    fn shows(&self, layer: &str) -> bool {
        !self.hidden.contains(layer)
    }
}

/// Distances on a card, measured from its upper left corner.
struct CardMeasures {
    header: f64,
    pad: f64,
    name_y: f64,
    captions_y: Option<f64>,
    marks_y: f64,
    inside_x: f64,
    divider_x: f64,
    queue_x: f64,
    radius: f64,
    small_radius: f64,
    token: f64,
}

fn measures(size: CardSize) -> CardMeasures {
    match size {
        CardSize::Full => CardMeasures {
            header: 35.0,
            pad: 14.0,
            name_y: 24.0,
            captions_y: Some(54.0),
            marks_y: 78.0,
            inside_x: 34.0,
            divider_x: 71.0,
            queue_x: 83.0,
            radius: 13.0,
            small_radius: 8.5,
            token: 10.0,
        },
        CardSize::Compact => CardMeasures {
            header: 29.0,
            pad: 10.0,
            name_y: 20.0,
            captions_y: None,
            marks_y: 52.5,
            inside_x: 23.0,
            divider_x: 46.0,
            queue_x: 53.0,
            radius: 11.0,
            small_radius: 8.0,
            token: 8.0,
        },
        _ => CardMeasures {
            header: 26.0,
            pad: 8.0,
            name_y: 18.0,
            captions_y: None,
            marks_y: 49.0,
            inside_x: 16.0,
            divider_x: 29.0,
            queue_x: 31.0,
            radius: 8.5,
            small_radius: 7.2,
            token: 6.5,
        },
    }
}

/// The role of a node that is not a host: server, register, manager or proxy. `None` for hosts.
pub fn role<'a>(node: &'a NodeFrame, setup: &Setup) -> Option<&'a str> {
    let said =
        node.view.badges.iter().map(String::as_str).find(|b| ["server", "register", "manager", "proxy"].contains(b));
    said.or((node.id.index() >= setup.hosts()).then_some("proxy"))
}

/// Draws the card of one node.
pub fn draw(node: &NodeFrame, context: &CardContext<'_>, card: Rect) -> Shape {
    let inside: Vec<&ThreadFrame> = node.threads.iter().filter(|t| t.doing == ThreadState::Inside).collect();
    let role = role(node, context.setup);
    let mut shapes =
        vec![Shape::new("box", "card-box", ShapeKind::Rect { x: 0.0, y: 0.0, w: card.w, h: card.h, r: 8.0 })];
    let frame = role.map(|_| {
        let kind = ShapeKind::Rect { x: 3.0, y: 3.0, w: card.w - 6.0, h: card.h - 6.0, r: 5.5 };
        Shape::new("frame", "role-frame", kind)
    });
    shapes.push(Shape::group("role", "role", frame.into_iter().collect()));
    if context.size == CardSize::Mini {
        shapes.extend(mini::draw(node, context, card, &inside));
    } else {
        shapes.extend(contents(node, context, card, &inside));
    }
    let cross = || {
        let (r, b) = (card.w - 6.0, card.h - 6.0);
        Shape::path("cross", "crash", format!("M6,6L{},{}M{},6L6,{}", num(r), num(b), num(r), num(b)))
    };
    shapes.push(Shape::group("down", "down", node.crashed.then(cross).into_iter().collect()));

    let names = |list: &[&ThreadFrame]| list.iter().map(|t| t.name.as_str()).collect::<Vec<_>>().join(" ");
    let queue = node.view.queue.iter().filter(|_| !node.crashed);
    let queued: Vec<String> = queue.map(|w| words::waiter(context.setup, w)).collect();
    let stuck: Vec<&ThreadFrame> = node.threads.iter().filter(|t| context.stuck(Some(t.id)).is_some()).collect();
    let mut class = String::from("card");
    for (on, name) in [
        (context.selected == Some(node.id), " selected"),
        (context.acting == Some(node.id), " acting"),
        (node.crashed, " crashed"),
        (!inside.is_empty(), " busy"),
        (inside.iter().any(|t| context.is_together(t.id)) || !stuck.is_empty(), " violated"),
        (context.quorum.contains(&node.id), " in-quorum"),
        (context.causes.contains(&node.id), " cause"),
    ] {
        class.push_str(if on { name } else { "" });
    }
    let card = Shape::group(format!("node-{}", node.id.0), class, shapes)
        .at(point(card.x, card.y))
        .with("data-node", &node.name)
        .with("data-id", node.id.0.to_string())
        .with("data-role", role.unwrap_or(""))
        .with("data-token", context.holds_token(node).to_string())
        .with("data-inside", names(&inside))
        .with("data-queue", queued.join(" "));
    if stuck.is_empty() { card } else { card.with("data-stuck", names(&stuck)) }
}

/// The contents of a card that is large enough for marks.
fn contents(node: &NodeFrame, context: &CardContext<'_>, card: Rect, inside: &[&ThreadFrame]) -> Vec<Shape> {
    let (m, size) = (measures(context.size), context.size);
    // a server has no threads: its queue takes the whole card
    let users = context.setup.threads.get(node.id.index()).is_none_or(|t| *t > 0) || !node.threads.is_empty();
    let left = if users { m.queue_x } else { m.pad };
    let foot = if context.noted { card.h - NOTE } else { card.h };
    let mut shapes = vec![Shape::line("rule", "hairline", point(0.0, m.header), point(card.w, m.header))];
    shapes.extend(header(node, context, &m, card));
    let parts = if context.shows("cells") { cells::draw_held(node, card.w, m.header) } else { Vec::new() };
    shapes.push(Shape::group("parts", "parts", parts));
    if users {
        shapes.push(Shape::line(
            "divider",
            "hairline",
            point(m.divider_x, m.header + 9.0),
            point(m.divider_x, foot - 9.0),
        ));
    }
    if let Some(y) = m.captions_y {
        if users {
            shapes.push(Shape::text("caption-inside", "caption", point(m.pad, y), "inside"));
        }
        shapes.push(Shape::text("caption-queue", "caption", point(left, y), "queue"));
    }
    let slot = point(m.inside_x, m.marks_y);
    let mut marks_inside = Vec::new();
    if users {
        marks_inside.push(place(node, slot, m.radius));
    }
    for (i, thread) in inside.iter().enumerate().filter(|_| context.shows("inside")) {
        // several threads inside are a violation, or share the cells: all must be visible
        let (r, at) = match inside.len() {
            1 => (m.radius, slot),
            n => (m.radius * 0.6, slot.moved(0.0, (i as f64 - (n as f64 - 1.0) / 2.0) * (m.radius * 1.5))),
        };
        marks_inside.push(inside_mark(at, r, node, thread, context));
    }
    shapes.push(Shape::group("users", "users", marks_inside));
    let waiting = if context.shows("queue") { marks(node, context) } else { Vec::new() };
    let room = QueueArea { left, right: card.w - 3.0, y: m.marks_y, radius: m.radius, small: m.small_radius };
    let none = (waiting.is_empty() && size == CardSize::Full && context.shows("queue"))
        .then(|| Shape::text("empty", "caption faint", point(left, m.marks_y + 5.0), "empty"));
    shapes.push(Shape::group("waiting", "queue", queue(&room, &waiting)));
    shapes.push(Shape::group("none", "none", none.into_iter().collect()));
    if context.noted {
        let text = if context.shows("notes") && !node.crashed {
            note::line(node, context.setup, card.w - 2.0 * m.pad + 4.0)
        } else {
            String::new()
        };
        shapes.push(Shape::line("foot", "hairline", point(0.0, foot), point(card.w, foot)));
        shapes.push(Shape::text("note", "note", point(m.pad - 2.0, card.h - 5.0), text));
    }
    shapes
}

/// The empty place for the thread inside.
fn place(node: &NodeFrame, at: Point, r: f64) -> Shape {
    let_request(Shape::circle("slot", "slot", at, r), node)
}

/// Makes a shape stand for the first idle thread: a click lets that thread request.
fn let_request(shape: Shape, node: &NodeFrame) -> Shape {
    match node.threads.iter().find(|t| t.doing == ThreadState::Idle).filter(|_| !node.crashed) {
        Some(t) => shape.with("data-thread", t.id.0.to_string()).titled(format!("click to let {} request", t.name)),
        None => shape,
    }
}

/// The name, the role and the token; on larger cards also the number of idle threads.
fn header(node: &NodeFrame, context: &CardContext<'_>, m: &CardMeasures, card: Rect) -> Vec<Shape> {
    let full = context.size == CardSize::Full;
    let mut right = card.w - m.pad;
    let mut token = Vec::new();
    if context.holds_token(node) && context.shows("token") {
        let at = point(right - m.token, m.header / 2.0);
        token.push(diamond("diamond", "token", at, m.token).titled(format!("{} holds the token", node.name)));
        right = at.x - m.token - 7.0;
        if full {
            token.push(Shape::text("caption", "caption end", point(right, m.name_y - 1.0), "token"));
            right -= words::width("token", 13.0) + 10.0;
        }
    }
    let narrow = context.size == CardSize::Tiny && words::bold_width(&node.name, 15.0) > right - m.pad;
    let (class, letters) = match context.size {
        CardSize::Full => ("card-name large", 17.0),
        _ if narrow => ("card-name narrow", 11.0),
        _ => ("card-name", 15.0),
    };
    let most = (2..=24).rev().find(|k| words::bold_width(&words::cut(&node.name, *k), letters) <= right - m.pad);
    let name = words::cut(&node.name, most.unwrap_or(2));
    let mut next = m.pad + words::bold_width(&name, letters) + 8.0;
    let mut badges = Vec::new();
    let role = role(node, context.setup);
    let known = role.into_iter().chain(node.view.badges.iter().map(String::as_str).filter(|b| Some(*b) != role));
    // a node called "server" needs no badge that says so
    for (i, badge) in known.filter(|b| !node.name.eq_ignore_ascii_case(b)).enumerate() {
        let width = words::width(badge, 12.0) + 12.0;
        let reserved = if full { 0.0 } else { 78.0 };
        let phase = Some(badge) != role;
        if context.size == CardSize::Tiny || next + width + if phase { reserved } else { 0.0 } > right {
            continue;
        }
        let y = m.header / 2.0;
        let pill = ShapeKind::Rect { x: next, y: y - 9.0, w: width, h: 18.0, r: 9.0 };
        badges.push(Shape::group(
            format!("badge-{i}"),
            if phase { "badge" } else { "badge role-badge" },
            vec![
                Shape::new("pill", "pill", pill),
                Shape::text("text", "badge-text", point(next + width / 2.0, y + 4.2), badge),
            ],
        ));
        next += width + 6.0;
    }
    let idle = node.threads.iter().filter(|t| t.doing == ThreadState::Idle).count();
    let words = format!("{idle} idle");
    let at = m.captions_y.map_or(point(right, m.name_y - 1.0), |y| point(card.w - m.pad, y));
    let room = full || (context.size == CardSize::Compact && right - next > words::width(&words, 13.0));
    let label = (idle > 0 && room).then(|| let_request(Shape::text("text", "caption end", at, words), node));
    vec![
        Shape::text("name", class, point(m.pad, m.name_y), name),
        Shape::group("badges", "badges", badges),
        Shape::group("token", "token-place", token),
        Shape::group("idle", "idle", label.into_iter().collect()),
    ]
}
