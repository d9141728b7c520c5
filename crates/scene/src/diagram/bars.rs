//! Bars of the space-time diagram: waiting and inside threads, crashed nodes.

use super::DiagramGeometry;
use crate::explain::{trouble, words};
use crate::shape::{PathBundle, PathBundles, Shape, ShapeKind, num};
use lockstep_kernel::view::ThreadState;
use lockstep_kernel::{NodeId, Setup, ThreadId, Waiter, sort};

/// The meaning of a bar.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum BarKind {
    Inside(ThreadId),
    /// Inside together with another thread.
    Together(ThreadId),
    Crashed(NodeId),
    Waiting(ThreadId),
    /// Waits, and can no longer be served.
    Stuck(ThreadId),
    Alien(NodeId),
    Remote(NodeId),
}

impl BarKind {
    fn class(self) -> &'static str {
        match self {
            BarKind::Inside(_) => "bar-inside",
            BarKind::Together(_) => "bar-together",
            BarKind::Crashed(_) => "bar-crashed",
            BarKind::Waiting(_) => "bar-waiting",
            BarKind::Stuck(_) => "bar-stuck",
            BarKind::Alien(_) => "bar-alien",
            BarKind::Remote(_) => "bar-remote",
        }
    }

    fn name(self, setup: &Setup) -> String {
        match self {
            BarKind::Inside(thread) | BarKind::Together(thread) | BarKind::Waiting(thread) | BarKind::Stuck(thread) => {
                setup.thread_name(thread)
            }
            BarKind::Crashed(node) => setup.name(node).into(),
            BarKind::Alien(node) => words::waiter(setup, &Waiter::Alien(node)),
            BarKind::Remote(node) => words::waiter(setup, &Waiter::Remote(node)),
        }
    }

    /// Whether this is seen even in the step where it begins.
    fn is_trouble(self) -> bool {
        matches!(self, BarKind::Together(_) | BarKind::Stuck(_))
    }

    /// A name that is unique in its lane.
    fn key(self) -> String {
        match self {
            BarKind::Inside(t) => format!("inside-{}", t.0),
            BarKind::Together(t) => format!("together-{}", t.0),
            BarKind::Crashed(n) => format!("down-{}", n.0),
            BarKind::Stuck(t) => format!("stuck-{}", t.0),
            BarKind::Waiting(t) => format!("waits-{}", t.0),
            BarKind::Alien(n) => format!("alien-{}", n.0),
            BarKind::Remote(n) => format!("remote-{}", n.0),
        }
    }
}

/// The bars of a lane in their order, each with its intervals of steps.
type BarSpans = Vec<(BarKind, Vec<(usize, usize)>)>;

/// The bars of each lane.
fn spans(geometry: &DiagramGeometry<'_>) -> Vec<BarSpans> {
    let mut found = vec![BarSpans::new(); geometry.names.len()];
    for i in geometry.shown.clone() {
        let together = trouble::inside_together(geometry.frames[i]);
        // nodes that share a lane have no bars: they would overlap
        for (home, node) in
            geometry.owners().filter_map(|(row, id)| Some((row, geometry.frames[i].nodes.get(id.index())?)))
        {
            let mut add = |row: usize, bar: BarKind| {
                let bars = &mut found[row];
                let place = bars.binary_search_by(|(b, _)| b.cmp(&bar)).unwrap_or_else(|place| {
                    bars.insert(place, (bar, Vec::new()));
                    place
                });
                let intervals = &mut bars[place].1;
                match intervals.last_mut() {
                    Some((_, end)) if *end >= i => *end = i + 1,
                    _ => intervals.push((i, i + 1)),
                }
            };
            if node.crashed {
                add(home, BarKind::Crashed(node.id));
            }
            for t in &node.threads {
                let row = geometry.threads.get(t.id.index()).copied().flatten().unwrap_or(home);
                match t.doing {
                    ThreadState::Inside if together.contains(&t.id) => add(row, BarKind::Together(t.id)),
                    ThreadState::Inside => add(row, BarKind::Inside(t.id)),
                    ThreadState::Waiting if geometry.frames[i].stuck(t.id).is_some() => {
                        add(row, BarKind::Stuck(t.id));
                    }
                    ThreadState::Waiting => add(row, BarKind::Waiting(t.id)),
                    ThreadState::Idle => {}
                }
            }
            for w in node.view.queue.iter().filter(|_| !node.crashed) {
                match w {
                    Waiter::User(_) => {}
                    Waiter::Alien(n) => add(home, BarKind::Alien(*n)),
                    Waiter::Remote(n) => add(home, BarKind::Remote(*n)),
                }
            }
        }
    }
    found
}

/// Draws the visible bars.
pub fn draw(geometry: &DiagramGeometry<'_>, setup: &Setup) -> Vec<Shape> {
    let last = geometry.shown.end.saturating_sub(1);
    let mut all: Vec<(usize, usize, usize, BarKind)> = Vec::new();
    for (row, bars) in spans(geometry).into_iter().enumerate() {
        for (bar, intervals) in bars {
            all.extend(intervals.into_iter().map(|(from, to)| (from, to.min(last), row, bar)));
        }
    }
    sort::by(&mut all, Ord::cmp);
    let lane = geometry.lane;
    let (pitch, thin) = if lane > 20.0 { (4.2, 3.0) } else { (3.4, 2.4) };
    let most = (((lane * 0.58 - thin) / pitch + 1.0) as usize).max(1);
    // narrow lanes have many bars that grow at every step: one shape for all of a kind
    let together = lane < 13.0;
    let mut kinds = PathBundles::default();
    let mut rows = vec![Vec::new(); geometry.names.len()]; // by lane: the end of each row of bars
    let mut shapes = Vec::new();
    for (from, to, row, bar) in all.into_iter().filter(|s| s.0 < s.1 || s.3.is_trouble()) {
        let y = geometry.row_y(row);
        let (top, h) = match bar {
            BarKind::Inside(_) | BarKind::Together(_) => (y - (lane * 0.17).max(1.5), (lane * 0.34).max(3.0)),
            BarKind::Crashed(_) => (y - lane * 0.27, lane * 0.54),
            _ if geometry.names[row].1.is_none() => (y - thin / 2.0, thin), // the lane of a thread
            _ => {
                let free: &mut Vec<usize> = &mut rows[row];
                let place = free.iter().position(|end| *end <= from).unwrap_or(free.len());
                if place == free.len() {
                    free.push(0);
                }
                free[place] = to + 1;
                (y + lane * 0.24 + (place.min(most - 1) as f64) * pitch, thin)
            }
        };
        let least = if bar.is_trouble() { 8.0 } else { 3.0 };
        if together {
            let (x, wide) = (geometry.x(from), (geometry.x(to) - geometry.x(from)).max(least));
            let d = format!("M{},{}h{}v{}h-{}z", num(x), num(top), num(wide), num(h), num(wide));
            kinds.add(bar.class(), &d);
            continue;
        }
        let kind = ShapeKind::Rect {
            x: geometry.x(from),
            y: top,
            w: (geometry.x(to) - geometry.x(from)).max(least),
            h,
            r: h.min(3.0) / 2.0,
        };
        let shape = Shape::new(format!("{row}-{}-{from}", bar.key()), bar.class(), kind);
        shapes.push(shape.with("data-bar", bar.name(setup)));
    }
    let all = |PathBundle { kind, d, count }| Shape::path(&kind, &kind, d).with("data-bars", count.to_string());
    shapes.extend(kinds.sorted().into_iter().map(all));
    shapes
}
