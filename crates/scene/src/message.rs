//! Messages in flight: a mark on its own dotted way, at the place that its times say, and a label that touches nothing.

use crate::card::diamond;
use crate::geometry::{Point, Rect, point};
use crate::layout::{Layout, Size};
use crate::route::{self, Route};
use crate::shape::Shape;
use crate::words;
use lockstep_kernel::view::FlightFrame;
use lockstep_kernel::{Frame, Role, Setup, Time};

/// The radius of a mark.
pub const RADIUS: f64 = 11.5;

/// How a message moves, for whoever animates it.
#[derive(Clone, PartialEq, Debug)]
pub struct Track {
    /// The message.
    pub id: u32,
    /// Its way.
    pub route: Route,
    /// When it was sent.
    pub sent: Time,
    /// When it arrives.
    pub due: Time,
    /// The parts of its way, at both ends, on which the mark would cover a card.
    pub inset: (f64, f64),
}

impl Track {
    /// Where the message is at a time, which may lie between two ticks.
    pub fn place(&self, now: f64) -> Point {
        let (sent, due) = (self.sent as f64, self.due as f64);
        let fraction = if due > sent { ((now - sent) / (due - sent)).clamp(0.0, 1.0) } else { 1.0 };
        // the mark touches the cards, it does not cover them
        let (start, end) = self.inset;
        self.route.at(start + fraction * (1.0 - start - end))
    }
}

/// The ways of all messages of a frame.
pub fn tracks(frame: &Frame, layout: &Layout) -> Vec<Track> {
    let known = frame
        .flights
        .iter()
        .filter(|f| f.from != f.to)
        .filter(|f| f.from.index().max(f.to.index()) < layout.cards.len());
    known
        .map(|f| {
            let ahead = frame.flights.iter().filter(|o| o.id < f.id && (o.from, o.to) == (f.from, f.to)).count();
            let route = route::for_message(layout, f.from, f.to, ahead).route;
            let radius = if f.role == Role::Token { RADIUS + 3.5 } else { RADIUS + 1.5 };
            let inset = (
                clear(&route, layout.cards[f.from.index()], radius, false),
                clear(&route, layout.cards[f.to.index()], radius, true),
            );
            Track { id: f.id, route, sent: f.sent, due: f.due, inset }
        })
        .collect()
}

/// The fraction of a way after which a mark keeps clear of the card at its beginning, or at its end.
fn clear(route: &Route, card: Rect, radius: f64, at_end: bool) -> f64 {
    let steps = (0..=20).map(|i| f64::from(i) * 0.02);
    let covered = |t: f64| card.grown(radius).contains(route.at(if at_end { 1.0 - t } else { t }));
    steps.into_iter().find(|t| !covered(*t)).unwrap_or(0.4)
}

fn mark(f: &FlightFrame, setup: &Setup, at: Point) -> Shape {
    let class = match f.role {
        Role::Token => "token-message",
        Role::Reply => "reply",
        Role::Local => "local",
        _ => "request",
    };
    let origin = Point::default();
    let shape = match f.role {
        Role::Token => diamond("shape", "token", origin, RADIUS + 2.5),
        _ => Shape::circle("shape", "disc", origin, RADIUS),
    };
    let size = if f.tag.chars().count() > 2 { "s" } else { "m" };
    Shape::group(
        format!("flight-{}", f.id),
        format!("flight {class}{}", if f.held { " held" } else { "" }),
        vec![shape, Shape::text("tag", &format!("mark-label {size}"), point(0.0, 4.1), &f.tag)],
    )
    .at(at)
    .with("data-flight", &f.label)
    .with("data-flight-id", f.id.to_string())
    .with("data-from", setup.name(f.from))
    .with("data-to", setup.name(f.to))
    .titled(format!("{} from {} to {}", f.label, setup.name(f.from), setup.name(f.to)))
}

/// What the messages of a frame look like: their ways, the marks, the labels.
pub struct Drawn {
    /// Dotted lines.
    pub ways: Vec<Shape>,
    /// Marks with tags.
    pub marks: Vec<Shape>,
    /// Full labels.
    pub labels: Vec<Shape>,
}

/// Draws the messages of a frame.
pub fn draw(frame: &Frame, setup: &Setup, layout: &Layout, tracks: &[Track], taken: &[Point]) -> Drawn {
    let mut drawn = Drawn { ways: Vec::new(), marks: Vec::new(), labels: Vec::new() };
    let now = frame.now as f64;
    let places: Vec<Point> = tracks.iter().map(|t| t.place(now)).collect();
    let mut boxes: Vec<Rect> = places.iter().map(|p| around(*p)).collect();
    let mut local = 0.0;
    for f in &frame.flights {
        let Some(i) = tracks.iter().position(|t| t.id == f.id) else {
            // a step that a node promised itself waits at the corner of its card
            let card = layout.cards.get(f.to.index()).copied().unwrap_or_default();
            drawn.marks.push(mark(f, setup, point(card.x + card.w - 16.0 - local, card.y + card.h + RADIUS)));
            local += 2.0 * RADIUS + 4.0;
            continue;
        };
        let track = &tracks[i];
        drawn.ways.push(Shape::path(format!("way-{}", f.id), "flight-way", track.route.d.clone()));
        drawn.marks.push(mark(f, setup, places[i]));
        if layout.size == Size::Tiny {
            continue;
        }
        let due = if f.held { "held back".into() } else { words::due(f.due, frame.now) };
        if let Some((at, end, bounds)) = label_place(layout, track, &f.label, &due, &boxes, taken) {
            boxes.push(bounds);
            let anchor = if end { "flight-label end" } else { "flight-label" };
            let lines = vec![
                Shape::text("label", &format!("{anchor} strong"), at, &f.label),
                Shape::text("due", anchor, at.moved(0.0, 16.0), due),
            ];
            drawn
                .labels
                .push(Shape::group(format!("label-{}", f.id), "label", lines).with("data-label-of", f.id.to_string()));
        }
    }
    drawn
}

fn around(p: Point) -> Rect {
    Rect { x: p.x - RADIUS, y: p.y - RADIUS, w: 2.0 * RADIUS, h: 2.0 * RADIUS }
}

/// A place beside the way where the two lines of a label cover no card, no mark, no other label and no pointer.
fn label_place(
    layout: &Layout,
    track: &Track,
    label: &str,
    due: &str,
    boxes: &[Rect],
    taken: &[Point],
) -> Option<(Point, bool, Rect)> {
    let width = words::width(label, 14.0).max(words::width(due, 14.0)) + 4.0;
    let whole = Rect { x: 0.0, y: 0.0, w: layout.width, h: layout.height };
    let mut best: Option<(usize, (Point, bool, Rect))> = None;
    for fraction in [0.5, 0.36, 0.64, 0.22, 0.78] {
        for away in [RADIUS + 6.0, 26.0, 44.0] {
            let p = track.route.at(fraction);
            let dir = track.route.heading(fraction);
            // left of the direction of travel first: pointers are on the right
            let left = if dir.y.abs() > 0.3 { dir.y < 0.0 } else { true };
            for end in [left, !left] {
                let at = point(if end { p.x - away } else { p.x + away }, p.y - 3.0);
                let bounds = Rect { x: if end { at.x - width } else { at.x }, y: at.y - 12.0, w: width, h: 32.0 };
                let cards = layout.cards.iter().filter(|c| c.grown(1.0).overlaps(bounds)).count();
                let others = boxes.iter().filter(|b| b.overlaps(bounds)).count();
                let lines = taken.iter().chain(&track.route.points).filter(|p| bounds.contains(**p)).count();
                let faults = if whole.holds(bounds) { 0 } else { 9 } + 9 * cards + 6 * others + lines;
                if faults == 0 {
                    return Some((at, end, bounds));
                }
                if faults < 6 && best.as_ref().is_none_or(|(f, _)| faults < *f) {
                    best = Some((faults, (at, end, bounds)));
                }
            }
        }
    }
    best.map(|(_, place)| place)
}
