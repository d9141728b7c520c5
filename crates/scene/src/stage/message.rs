//! Messages in flight: a mark on a dotted route, at the place given by the times of sending and
//! delivery, and a label that covers nothing.

use crate::card::glyph::diamond;
use crate::explain::{trouble, words};
use crate::geometry::{Point, Rect, between, point};
use crate::layout::{CardSize, Layout};
use crate::route::{Route, Router};
use crate::shape::Shape;
use crate::stage::StageInput;
use lockstep_kernel::view::FlightFrame;
use lockstep_kernel::{Frame, Role, Setup, Time, sort};
use std::borrow::Borrow;

/// With more messages than this, marks have no tags and no labels.
pub const MANY: usize = 40;

/// The radius of a mark: smaller for smaller cards, and a dot where there are many messages.
pub fn radius(size: CardSize, flights: usize) -> f64 {
    match size {
        _ if flights > MANY => 5.0,
        CardSize::Full | CardSize::Compact => 11.5,
        CardSize::Tiny | CardSize::Mini | CardSize::Dot => 10.0,
    }
}

/// How a message moves, for animations.
#[derive(Clone, PartialEq, Debug)]
pub struct Track {
    /// The message.
    pub id: u32,
    /// Its route.
    pub route: Route,
    /// When it was sent.
    pub sent: Time,
    /// When it arrives.
    pub due: Time,
    /// The fractions of the route, at both ends, on which the mark would cover a card.
    pub inset: (f64, f64),
    /// The offset from the route, if another message is there.
    pub aside: Point,
    /// Where its centre may be, so that a mark at the border of the drawing is fully visible.
    pub within: Rect,
}

impl Track {
    /// The place of the message at a time, which may lie between two ticks.
    pub fn place(&self, now: f64) -> Point {
        let (sent, due) = (self.sent as f64, self.due as f64);
        let fraction = if due > sent { ((now - sent) / (due - sent)).clamp(0.0, 1.0) } else { 1.0 };
        // the mark touches the cards, it does not cover them
        let (start, end) = self.inset;
        let at = self.route.at(start + fraction * (1.0 - start - end)).moved(self.aside.x, self.aside.y);
        let w = self.within;
        point(between(w.x, at.x, w.x + w.w), between(w.y, at.y, w.y + w.h))
    }
}

/// For each message of a list, the number of earlier ones with the same sender and receiver.
pub fn lanes<F: Borrow<FlightFrame>>(flights: &[F]) -> Vec<usize> {
    let pair = |i: usize| (flights[i].borrow().from, flights[i].borrow().to);
    let order = sort::positions(flights.len(), &|a, b| pair(a).cmp(&pair(b)));
    let mut lanes = vec![0; order.len()];
    for two in order.windows(2).filter(|two| pair(two[0]) == pair(two[1])) {
        lanes[two[1]] = lanes[two[0]] + 1;
    }
    lanes
}

/// The tracks of all messages of a frame.
pub fn tracks(frame: &Frame, layout: &Layout, router: &mut Router) -> Vec<Track> {
    let known = frame
        .flights
        .iter()
        .zip(lanes(&frame.flights))
        .filter(|(f, _)| f.from != f.to)
        .filter(|(f, _)| f.from.index().max(f.to.index()) < layout.cards.len());
    let mark = radius(layout.size, frame.flights.len());
    let mut tracks: Vec<Track> = known
        .map(|(f, ahead)| {
            let route = router.find_for_message(f.from, f.to, ahead).route;
            let radius = if f.role == Role::Token { mark + 3.5 } else { mark + 1.5 };
            let inset = (
                clear(&route, layout.cards[f.from.index()], radius, false),
                clear(&route, layout.cards[f.to.index()], radius, true),
            );
            let within = layout.field().grown(-mark - 1.5);
            Track { id: f.id, route, sent: f.sent, due: f.due, inset, aside: Point::default(), within }
        })
        .collect();
    fan_out(&mut tracks, layout, frame.now as f64, mark);
    tracks
}

/// Moves messages aside that would cover earlier ones, unless they would cover a card then.
fn fan_out(tracks: &mut [Track], layout: &Layout, now: f64, r: f64) {
    let whole = layout.field().grown(-r);
    let mut places: Vec<Point> = tracks.iter().map(|t| t.place(now)).collect();
    for i in 1..tracks.len() {
        let track = &mut tracks[i];
        let covers = |p: Point| places[..i].iter().any(|o| o.distance(p) < 2.0 * r + 1.0);
        let at = places[i];
        if !covers(at) {
            continue;
        }
        let dir = track.route.heading(0.5);
        let asides = (1..=4).flat_map(|k| [f64::from(k), -f64::from(k)]).map(|k| k * (r + 1.5));
        let free = asides.map(|by| point(dir.y * by, -dir.x * by)).find(|aside| {
            let along = [0.0, 0.25, 0.5, 0.75, 1.0]
                .map(|f| track.sent as f64 + (track.due - track.sent.min(track.due)) as f64 * f);
            let clear = |p: Point| whole.contains(p) && !layout.cards.iter().any(|c| c.grown(r - 2.0).contains(p));
            !covers(at.moved(aside.x, aside.y))
                && along.iter().chain([&now]).all(|t| clear(track.place(*t).moved(aside.x, aside.y)))
        });
        track.aside = free.unwrap_or_default();
        places[i] = track.place(now);
    }
}

/// The fraction of a route after which a mark no longer covers the card at its start, or at its
/// end.
fn clear(route: &Route, card: Rect, radius: f64, at_end: bool) -> f64 {
    let steps = (0..=24).map(|i| f64::from(i) * 0.02);
    let covered = |t: f64| card.grown(radius).contains(route.at(if at_end { 1.0 - t } else { t }));
    steps.into_iter().find(|t| !covered(*t)).unwrap_or(0.48)
}

fn mark(f: &FlightFrame, setup: &Setup, at: Point, r: f64, cause: bool, token: bool) -> Shape {
    // without a token the message that lets a thread in is an answer
    let role = if f.role == Role::Token && !token { Role::Reply } else { f.role };
    let class = match role {
        Role::Token => "token-message",
        Role::Reply => "reply",
        Role::Local => "local",
        _ => "request",
    };
    let origin = Point::default();
    let shape = match role {
        Role::Token => diamond("shape", "token", origin, r + 2.5),
        _ => Shape::circle("shape", "disc", origin, r),
    };
    let class = format!("flight {class}{}{}", if f.held { " held" } else { "" }, if cause { " cause" } else { "" });
    let mut shapes = vec![shape];
    if r > 6.0 {
        let (class, drop) = match f.tag.chars().count() {
            0..=2 if r > 11.0 => ("mark-label m", 4.1),
            0..=2 => ("mark-label s", 3.7),
            _ => ("mark-label xs", 3.1),
        };
        shapes.push(Shape::text("tag", class, point(0.0, drop), words::cut(&f.tag, 3)));
    }
    Shape::group(format!("flight-{}", f.id), class, shapes)
        .at(at)
        .with("data-flight", &f.label)
        .with("data-flight-id", f.id.to_string())
        .with("data-from", setup.name(f.from))
        .with("data-to", setup.name(f.to))
        .titled(format!("{} from {} to {}", f.label, setup.name(f.from), setup.name(f.to)))
}

/// The shapes of the messages of a frame.
#[derive(Default)]
pub struct MessageShapes {
    /// The routes, as dotted lines.
    pub routes: Vec<Shape>,
    /// Marks with tags.
    pub marks: Vec<Shape>,
    /// Full labels.
    pub labels: Vec<Shape>,
}

/// Draws the messages of a frame.
pub fn draw(input: &StageInput<'_>, layout: &Layout, tracks: &[Track], taken: &[Point]) -> MessageShapes {
    let StageInput { frame, setup, .. } = *input;
    let cause = |id: u32| input.causes.is_some_and(|b| b.messages.contains(&id));
    let token = trouble::has_token(frame);
    let mut drawn = MessageShapes::default();
    let now = frame.now as f64;
    let r = radius(layout.size, frame.flights.len());
    let places: Vec<Point> = tracks.iter().map(|t| t.place(now)).collect();
    let mut boxes: Vec<Rect> = places.iter().map(|p| Rect { x: p.x - r, y: p.y - r, w: 2.0 * r, h: 2.0 * r }).collect();
    // a few labels may touch a line; many would be clutter
    let labelled = layout.size < CardSize::Tiny && tracks.len() <= MANY;
    let patience = if tracks.len() <= 3 { 6 } else { 1 };
    let mut taken = taken.to_vec();
    if patience == 1 && labelled {
        taken.extend(tracks.iter().flat_map(|t| &t.route.points));
    }
    let mut moving = tracks.iter().zip(places).peekable();
    for (f, ahead) in frame.flights.iter().zip(lanes(&frame.flights)) {
        let Some((track, at)) = moving.next_if(|(t, _)| t.id == f.id) else {
            // a message of a node to itself waits at the corner of its card
            let card = layout.cards.get(f.to.index()).copied().unwrap_or_default();
            let before = ahead as f64 * (2.0 * r + 4.0);
            let below = card.y + card.h + r;
            let fits = below + r + 1.5 <= layout.field().h;
            let at = point(card.x + card.w - 16.0 - before, if fits { below } else { card.y - r });
            drawn.marks.push(mark(f, setup, at, r, cause(f.id), token));
            continue;
        };
        if tracks.len() <= MANY || cause(f.id) {
            let class = if cause(f.id) { "flight-route cause" } else { "flight-route" };
            drawn.routes.push(Shape::path(format!("route-{}", f.id), class, track.route.d.clone()));
        }
        drawn.marks.push(mark(f, setup, at, r, cause(f.id), token));
        if !labelled || drawn.labels.len() >= 8 {
            continue;
        }
        let due = if f.held { "held back".into() } else { words::due(f.due, frame.now) };
        if let Some((at, end, bounds)) = label_place(layout, track, &f.label, &due, r, &boxes, &taken, patience) {
            boxes.push(bounds);
            let anchor = if end { "flight-label end" } else { "flight-label" };
            let lines = vec![
                Shape::text("label", &format!("{anchor} strong"), at, &f.label),
                Shape::text("due", anchor, at.moved(0.0, 16.0), due),
            ];
            let label = Shape::group(format!("label-{}", f.id), "label", lines);
            drawn.labels.push(label.with("data-label-of", f.id.to_string()));
        }
    }
    drawn
}

#[allow(clippy::too_many_arguments, reason = "each says something else about the place")]
/// A place beside the route where the two lines of a label cover no card, mark, other label or
/// pointer.
fn label_place(
    layout: &Layout,
    track: &Track,
    label: &str,
    due: &str,
    r: f64,
    boxes: &[Rect],
    taken: &[Point],
    patience: usize,
) -> Option<(Point, bool, Rect)> {
    let width = words::bold_width(label, 14.0).max(words::width(due, 14.0)) + 2.0;
    let whole = layout.field();
    let mut best: Option<(usize, (Point, bool, Rect))> = None;
    for fraction in [0.5, 0.36, 0.64, 0.22, 0.78] {
        for away in [r + 6.0, 26.0, 44.0] {
            let p = track.route.at(fraction);
            let dir = track.route.heading(fraction);
            // a label of a horizontal route stands above or below it
            let level = dir.y.abs() <= 0.3;
            let over = [p.y - away - 32.0, p.y + away].map(|y| (point(p.x - width / 2.0, y + 12.0), false));
            // left of the direction of travel first: pointers are on the right
            let left = level || dir.y < 0.0;
            let beside = [left, !left].map(|end| (point(if end { p.x - away } else { p.x + away }, p.y - 3.0), end));
            for (at, end) in over.into_iter().filter(|_| level).chain(beside) {
                let bounds = Rect { x: if end { at.x - width } else { at.x }, y: at.y - 12.0, w: width, h: 32.0 };
                let cards = layout.cards.iter().filter(|c| c.grown(1.0).overlaps(bounds)).count();
                let others = boxes.iter().filter(|b| b.grown(3.0).overlaps(bounds)).count();
                let lines = taken.iter().chain(&track.route.points).filter(|p| bounds.contains(**p)).count();
                let faults = if whole.holds(bounds) { 0 } else { 9 } + 9 * cards + 6 * others + lines;
                if faults == 0 {
                    return Some((at, end, bounds));
                }
                if faults < patience && best.as_ref().is_none_or(|(f, _)| faults < *f) {
                    best = Some((faults, (at, end, bounds)));
                }
            }
        }
    }
    best.map(|(_, place)| place)
}
