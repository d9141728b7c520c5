//! Bars of the space-time diagram: who waits, who is inside, who is down.

use super::Plan;
use crate::shape::{Kind, Shape};
use crate::words;
use lockstep_kernel::view::Doing;
use lockstep_kernel::{Setup, Waiter};
use std::collections::BTreeMap;

/// Whose bar: the row, and a name that is unique there. Insiders come first.
type Who = (usize, String);

/// How someone's bars look, and the intervals of steps that they cover.
type Spans = (&'static str, Vec<(usize, usize)>);

fn spans(plan: &Plan<'_>, setup: &Setup) -> BTreeMap<Who, Spans> {
    let mut who: BTreeMap<Who, Spans> = BTreeMap::new();
    for i in plan.shown.clone() {
        for node in &plan.frames[i].nodes {
            let home = plan.nodes.get(node.id.index()).copied().unwrap_or(0);
            let mut add = |row: usize, name: String, class: &'static str| {
                let (_, intervals) = who.entry((row, name)).or_insert((class, Vec::new()));
                match intervals.last_mut() {
                    Some((_, end)) if *end == i => *end = i + 1,
                    _ => intervals.push((i, i + 1)),
                }
            };
            if node.crashed {
                add(home, format!("#{}", node.name), "bar-crashed");
            }
            for t in &node.threads {
                let row = plan.threads.get(&t.id).copied().unwrap_or(home);
                match t.doing {
                    Doing::Inside => add(row, format!("!{}", t.name), "bar-inside"),
                    Doing::Waiting => add(row, t.name.clone(), "bar-waiting"),
                    Doing::Idle => {}
                }
            }
            for w in node.view.queue.iter() {
                match w {
                    Waiter::User(_) => {}
                    Waiter::Alien(_) => add(home, words::waiter(setup, w), "bar-alien"),
                    Waiter::Remote(_) => add(home, words::waiter(setup, w), "bar-remote"),
                }
            }
        }
    }
    who
}

/// All bars that are shown.
pub fn draw(plan: &Plan<'_>, setup: &Setup) -> Vec<Shape> {
    let last = plan.shown.end.saturating_sub(1);
    let mut all: Vec<(usize, usize, usize, String, &'static str)> = Vec::new();
    for ((row, name), (class, intervals)) in spans(plan, setup) {
        all.extend(intervals.into_iter().map(|(from, to)| (from, to.min(last), row, name.clone(), class)));
    }
    all.sort();
    let lane = plan.lane;
    let (pitch, thin) = if lane > 20.0 { (4.2, 3.0) } else { (3.4, 2.4) };
    let most = ((lane * 0.58 - thin) / pitch + 1.0) as usize;
    let mut rows: BTreeMap<usize, Vec<usize>> = BTreeMap::new(); // by lane: where each row of bars is free again
    let mut shapes = Vec::new();
    for (from, to, row, name, class) in all.into_iter().filter(|s| s.0 < s.1) {
        let y = plan.row_y(row);
        let (top, h) = match class {
            "bar-inside" => (y - lane * 0.17, lane * 0.34),
            "bar-crashed" => (y - lane * 0.27, lane * 0.54),
            _ if plan.threads.values().any(|r| *r == row) => (y - thin / 2.0, thin),
            _ => {
                let free = rows.entry(row).or_default();
                let place = free.iter().position(|end| *end <= from).unwrap_or(free.len());
                if place == free.len() {
                    free.push(0);
                }
                free[place] = to + 1;
                (y + lane * 0.24 + (place.min(most - 1) as f64) * pitch, thin)
            }
        };
        let kind =
            Kind::Rect { x: plan.x(from), y: top, w: (plan.x(to) - plan.x(from)).max(3.0), h, r: h.min(3.0) / 2.0 };
        let bar = Shape::new(format!("{row}-{name}-{from}"), class, kind);
        shapes.push(bar.with("data-bar", name.trim_start_matches(['!', '#'])));
    }
    shapes
}
