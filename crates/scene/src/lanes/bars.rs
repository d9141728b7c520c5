//! Bars of the space-time diagram: who waits, who is inside, who is down.

use super::Plan;
use crate::shape::{Bundle, Bundles, Kind, Shape, num};
use crate::words;
use lockstep_kernel::view::ThreadState;
use lockstep_kernel::{NodeId, Setup, ThreadId, Waiter, sort};

/// What a bar says of someone.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Bar {
    Inside(ThreadId),
    Crashed(NodeId),
    Waiting(ThreadId),
    Alien(NodeId),
    Remote(NodeId),
}

impl Bar {
    fn class(self) -> &'static str {
        match self {
            Bar::Inside(_) => "bar-inside",
            Bar::Crashed(_) => "bar-crashed",
            Bar::Waiting(_) => "bar-waiting",
            Bar::Alien(_) => "bar-alien",
            Bar::Remote(_) => "bar-remote",
        }
    }

    fn name(self, setup: &Setup) -> String {
        match self {
            Bar::Inside(thread) | Bar::Waiting(thread) => setup.thread_name(thread),
            Bar::Crashed(node) => setup.name(node).into(),
            Bar::Alien(node) => words::waiter(setup, &Waiter::Alien(node)),
            Bar::Remote(node) => words::waiter(setup, &Waiter::Remote(node)),
        }
    }

    /// A name that is unique in its lane.
    fn key(self) -> String {
        match self {
            Bar::Inside(t) => format!("inside-{}", t.0),
            Bar::Crashed(n) => format!("down-{}", n.0),
            Bar::Waiting(t) => format!("waits-{}", t.0),
            Bar::Alien(n) => format!("alien-{}", n.0),
            Bar::Remote(n) => format!("remote-{}", n.0),
        }
    }
}

/// The bars of a lane in their order, each with the intervals of steps that it covers.
type Spans = Vec<(Bar, Vec<(usize, usize)>)>;

/// The bars of each lane.
fn spans(plan: &Plan<'_>) -> Vec<Spans> {
    let mut found = vec![Spans::new(); plan.names.len()];
    for i in plan.shown.clone() {
        // the nodes that share a lane would cover each other's bars
        for (home, node) in plan.owners().filter_map(|(row, id)| Some((row, plan.frames[i].nodes.get(id.index())?))) {
            let mut add = |row: usize, bar: Bar| {
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
                add(home, Bar::Crashed(node.id));
            }
            for t in &node.threads {
                let row = plan.threads.get(t.id.index()).copied().flatten().unwrap_or(home);
                match t.doing {
                    ThreadState::Inside => add(row, Bar::Inside(t.id)),
                    ThreadState::Waiting => add(row, Bar::Waiting(t.id)),
                    ThreadState::Idle => {}
                }
            }
            for w in node.view.queue.iter() {
                match w {
                    Waiter::User(_) => {}
                    Waiter::Alien(n) => add(home, Bar::Alien(*n)),
                    Waiter::Remote(n) => add(home, Bar::Remote(*n)),
                }
            }
        }
    }
    found
}

/// All bars that are shown.
pub fn draw(plan: &Plan<'_>, setup: &Setup) -> Vec<Shape> {
    let last = plan.shown.end.saturating_sub(1);
    let mut all: Vec<(usize, usize, usize, Bar)> = Vec::new();
    for (row, bars) in spans(plan).into_iter().enumerate() {
        for (bar, intervals) in bars {
            all.extend(intervals.into_iter().map(|(from, to)| (from, to.min(last), row, bar)));
        }
    }
    sort::by(&mut all, Ord::cmp);
    let lane = plan.lane;
    let (pitch, thin) = if lane > 20.0 { (4.2, 3.0) } else { (3.4, 2.4) };
    let most = (((lane * 0.58 - thin) / pitch + 1.0) as usize).max(1);
    // narrow lanes have many bars, and most of them grow at every step: one shape for all of a kind
    let together = lane < 13.0;
    let mut kinds = Bundles::default();
    let mut rows = vec![Vec::new(); plan.names.len()]; // by lane: where each row of bars is free again
    let mut shapes = Vec::new();
    for (from, to, row, bar) in all.into_iter().filter(|s| s.0 < s.1) {
        let y = plan.row_y(row);
        let (top, h) = match bar {
            Bar::Inside(_) => (y - (lane * 0.17).max(1.5), (lane * 0.34).max(3.0)),
            Bar::Crashed(_) => (y - lane * 0.27, lane * 0.54),
            _ if plan.names[row].1.is_none() => (y - thin / 2.0, thin), // the lane of a thread
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
        if together {
            let (x, wide) = (plan.x(from), (plan.x(to) - plan.x(from)).max(3.0));
            let d = format!("M{},{}h{}v{}h-{}z", num(x), num(top), num(wide), num(h), num(wide));
            kinds.add(bar.class(), &d);
            continue;
        }
        let kind =
            Kind::Rect { x: plan.x(from), y: top, w: (plan.x(to) - plan.x(from)).max(3.0), h, r: h.min(3.0) / 2.0 };
        let shape = Shape::new(format!("{row}-{}-{from}", bar.key()), bar.class(), kind);
        shapes.push(shape.with("data-bar", bar.name(setup)));
    }
    let all = |Bundle { kind, d, count }| Shape::path(&kind, &kind, d).with("data-bars", count.to_string());
    shapes.extend(kinds.sorted().into_iter().map(all));
    shapes
}
