//! Messages in flight: a mark on its own dotted way, at the place that its times say, and a label that touches nothing.

use crate::card::diamond;
use crate::geometry::{Point, Rect, point};
use crate::layout::{Layout, Size};
use crate::route::{self, Route};
use crate::shape::Shape;
use crate::stage::Input;
use crate::words;
use lockstep_kernel::view::FlightFrame;
use lockstep_kernel::{Frame, NodeId, Role, Setup, Time};
use std::collections::BTreeMap;

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
    /// How far it keeps from its way, because another message is there.
    pub aside: Point,
}

impl Track {
    /// Where the message is at a time, which may lie between two ticks.
    pub fn place(&self, now: f64) -> Point {
        let (sent, due) = (self.sent as f64, self.due as f64);
        let fraction = if due > sent { ((now - sent) / (due - sent)).clamp(0.0, 1.0) } else { 1.0 };
        // the mark touches the cards, it does not cover them
        let (start, end) = self.inset;
        self.route.at(start + fraction * (1.0 - start - end)).moved(self.aside.x, self.aside.y)
    }
}

/// The ways of all messages of a frame.
pub fn tracks(frame: &Frame, layout: &Layout) -> Vec<Track> {
    let known = frame
        .flights
        .iter()
        .filter(|f| f.from != f.to)
        .filter(|f| f.from.index().max(f.to.index()) < layout.cards.len());
    let mut lanes: BTreeMap<(NodeId, NodeId), usize> = BTreeMap::new();
    let mut tracks: Vec<Track> = known
        .map(|f| {
            let lane = lanes.entry((f.from, f.to)).or_default();
            let ahead = *lane;
            *lane += 1;
            let route = route::for_message(layout, f.from, f.to, ahead).route;
            let radius = if f.role == Role::Token { RADIUS + 3.5 } else { RADIUS + 1.5 };
            let inset = (
                clear(&route, layout.cards[f.from.index()], radius, false),
                clear(&route, layout.cards[f.to.index()], radius, true),
            );
            Track { id: f.id, route, sent: f.sent, due: f.due, inset, aside: Point::default() }
        })
        .collect();
    fan_out(&mut tracks, layout, frame.now as f64);
    tracks
}

/// Moves messages that would cover earlier ones aside, where that puts them on no card.
fn fan_out(tracks: &mut [Track], layout: &Layout, now: f64) {
    let whole = layout.whole().grown(-RADIUS);
    for i in 1..tracks.len() {
        let (before, rest) = tracks.split_at_mut(i);
        let track = &mut rest[0];
        let covers = |p: Point| before.iter().any(|o| o.place(now).distance(p) < 2.0 * RADIUS + 1.0);
        let at = track.place(now);
        if !covers(at) {
            continue;
        }
        let dir = track.route.heading(0.5);
        let asides = (1..=4).flat_map(|k| [f64::from(k), -f64::from(k)]).map(|k| k * (RADIUS + 1.5));
        let free = asides.map(|by| point(dir.y * by, -dir.x * by)).find(|aside| {
            let along = [0.0, 0.25, 0.5, 0.75, 1.0]
                .map(|f| track.sent as f64 + (track.due - track.sent.min(track.due)) as f64 * f);
            let clear = |p: Point| whole.contains(p) && !layout.cards.iter().any(|c| c.grown(RADIUS * 0.7).contains(p));
            !covers(at.moved(aside.x, aside.y))
                && along.iter().chain([&now]).all(|t| clear(track.place(*t).moved(aside.x, aside.y)))
        });
        track.aside = free.unwrap_or_default();
    }
}

/// The fraction of a way after which a mark keeps clear of the card at its beginning, or at its end.
fn clear(route: &Route, card: Rect, radius: f64, at_end: bool) -> f64 {
    let steps = (0..=20).map(|i| f64::from(i) * 0.02);
    let covered = |t: f64| card.grown(radius).contains(route.at(if at_end { 1.0 - t } else { t }));
    steps.into_iter().find(|t| !covered(*t)).unwrap_or(0.4)
}

fn mark(f: &FlightFrame, setup: &Setup, at: Point, cause: bool) -> Shape {
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
        format!("flight {class}{}{}", if f.held { " held" } else { "" }, if cause { " cause" } else { "" }),
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
#[derive(Default)]
pub struct Drawn {
    /// Dotted lines.
    pub ways: Vec<Shape>,
    /// Marks with tags.
    pub marks: Vec<Shape>,
    /// Full labels.
    pub labels: Vec<Shape>,
}

/// Draws the messages of a frame.
pub fn draw(input: &Input<'_>, layout: &Layout, tracks: &[Track], taken: &[Point]) -> Drawn {
    let Input { frame, setup, .. } = *input;
    let cause = |id: u32| input.because.is_some_and(|b| b.messages.contains(&id));
    let mut drawn = Drawn { ways: Vec::new(), marks: Vec::new(), labels: Vec::new() };
    let now = frame.now as f64;
    let places: Vec<Point> = tracks.iter().map(|t| t.place(now)).collect();
    let mut boxes: Vec<Rect> = places.iter().map(|p| around(*p)).collect();
    let mut locals: BTreeMap<NodeId, f64> = BTreeMap::new();
    for f in &frame.flights {
        let Some(i) = tracks.iter().position(|t| t.id == f.id) else {
            // a step that a node promised itself waits at the corner of its card
            let card = layout.cards.get(f.to.index()).copied().unwrap_or_default();
            let local = locals.entry(f.to).or_default();
            let at = point(card.x + card.w - 16.0 - *local, card.y + card.h + RADIUS);
            drawn.marks.push(mark(f, setup, at, cause(f.id)));
            *local += 2.0 * RADIUS + 4.0;
            continue;
        };
        let track = &tracks[i];
        let class = if cause(f.id) { "flight-way cause" } else { "flight-way" };
        drawn.ways.push(Shape::path(format!("way-{}", f.id), class, track.route.d.clone()));
        drawn.marks.push(mark(f, setup, places[i], cause(f.id)));
        if layout.size >= Size::Tiny {
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
