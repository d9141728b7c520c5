//! Transitions between layouts: cards glide to their new places, and pointers bend along.

use crate::browser::canvas::{Canvas, Element};
use crate::browser::motion::{self, Motion};
use lockstep_scene::route::Route;
use lockstep_scene::shape::num;
use lockstep_scene::stage::link::head;
use lockstep_scene::{Point, StagePicture};
use std::cell::RefCell;
use std::fmt::Write;
use std::rc::Rc;

/// Milliseconds from the old places to the new ones.
const MS: f64 = 240.0;
/// Points on a pointer that bends.
const BENDS: usize = 14;

/// Cards and pointers in motion. Dropping it puts them where they belong.
pub struct Glide {
    moving: Rc<RefCell<CardMotion>>,
    _motion: Motion,
}

struct CardMotion {
    cards: Vec<(Element, Point, Point)>,
    pointers: Vec<PointerMotion>,
}

struct PointerMotion {
    way: Element,
    head: Element,
    from: Route,
    to: Route,
}

impl Drop for Glide {
    fn drop(&mut self) {
        if let Ok(moving) = self.moving.try_borrow() {
            moving.place(1.0);
        }
    }
}

/// Shows a picture and lets the cards that stood elsewhere glide; `None` if no card moves.
pub fn show(canvas: &mut Canvas, before: Option<&StagePicture>, stage: &StagePicture) -> Option<Glide> {
    let stood = before.map(|_| canvas.places("cards")).unwrap_or_default();
    canvas.show(&stage.scene.layers);
    let before = before.filter(|b| (b.scene.width, b.scene.height) == (stage.scene.width, stage.scene.height))?;
    // cards stand in the order of the nodes
    let cards: Vec<(Element, Point, Point)> = (stood.into_iter().zip(canvas.places("cards")))
        .filter(|((old, from, _), (new, to, _))| old == new && from != to)
        .map(|((_, from, _), (_, to, element))| (element, from, to))
        .collect();
    if cards.is_empty() {
        return None;
    }
    let bent = stage.routes.iter().filter_map(|(key, to)| {
        let (_, from) = before.routes.iter().find(|(old, from)| old == key && from != to)?;
        Some((key, from, to))
    });
    let pointer = |(key, from, to): (&String, &Route, &Route)| {
        let (way, head) = (canvas.element("links", key, "route")?, canvas.element("links", key, "head")?);
        Some(PointerMotion { way, head, from: from.clone(), to: to.clone() })
    };
    let moving = Rc::new(RefCell::new(CardMotion { cards, pointers: bent.filter_map(pointer).collect() }));
    moving.borrow().place(0.0);
    let each = {
        let moving = moving.clone();
        move |progress: f64| {
            let left = 1.0 - progress;
            moving.borrow().place(1.0 - left * left * left);
        }
    };
    Some(Glide { moving, _motion: motion::animate(MS, each, || {}) })
}

impl CardMotion {
    fn place(&self, part: f64) {
        for (card, from, to) in &self.cards {
            let at = from.toward(*to, part);
            motion::place(card, at.x, at.y);
        }
        for PointerMotion { way, head: tip, from, to } in &self.pointers {
            let (d, end) = if part >= 1.0 {
                (to.d.clone(), head(to.at(1.0), to.end))
            } else {
                let at = |i: usize| from.at(i as f64 / BENDS as f64).toward(to.at(i as f64 / BENDS as f64), part);
                let mut d = String::new();
                for (i, p) in (0..=BENDS).map(at).enumerate() {
                    let _ = write!(d, "{}{},{}", if i == 0 { "M" } else { "L" }, num(p.x), num(p.y));
                }
                (d, head(at(BENDS), at(BENDS - 1).direction(at(BENDS))))
            };
            let _ = way.set_attribute("d", &d);
            let _ = tip.set_attribute("d", &end);
        }
    }
}
