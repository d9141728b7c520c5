//! One loop of animation frames that moves things directly and stops by itself.

use gloo_render::{AnimationFrame, request_animation_frame};
use gloo_timers::callback::Timeout;
use lockstep_scene::shape::num;
use std::cell::RefCell;
use std::rc::Rc;
use web_sys::Element;

/// A running animation; dropping it stops it.
pub struct Motion {
    inner: Rc<RefCell<Inner>>,
}

struct Inner {
    started: Option<f64>,
    ms: f64,
    each: Box<dyn FnMut(f64)>,
    done: Option<Box<dyn FnOnce()>>,
    frame: Option<AnimationFrame>,
}

impl Drop for Motion {
    fn drop(&mut self) {
        // in its own last frame the animation has already let go of everything
        if let Ok(mut inner) = self.inner.try_borrow_mut() {
            inner.done = None;
            inner.frame = None;
        }
    }
}

/// Calls `each` with 0 … 1 in every frame for so many milliseconds, then `done`.
pub fn animate(ms: f64, each: impl FnMut(f64) + 'static, done: impl FnOnce() + 'static) -> Motion {
    let inner = Inner { started: None, ms, each: Box::new(each), done: Some(Box::new(done)), frame: None };
    let inner = Rc::new(RefCell::new(inner));
    schedule(&inner);
    Motion { inner }
}

fn schedule(inner: &Rc<RefCell<Inner>>) {
    let again = Rc::downgrade(inner);
    let frame = request_animation_frame(move |now| {
        let Some(inner) = again.upgrade() else { return };
        let progress = {
            let mut inner = inner.borrow_mut();
            let started = *inner.started.get_or_insert(now);
            let progress = ((now - started) / inner.ms).clamp(0.0, 1.0);
            (inner.each)(progress);
            progress
        };
        if progress < 1.0 {
            schedule(&inner);
        } else if let Some(done) = { inner.borrow_mut().done.take() } {
            done();
        }
    });
    inner.borrow_mut().frame = Some(frame);
}

/// A pause; dropping it means that nothing comes after it.
pub struct Pause {
    _waits: Rc<RefCell<(Option<Timeout>, Option<AnimationFrame>)>>,
}

/// Calls back after so many milliseconds, when the browser is about to draw: a slow browser gets
/// fewer steps, not many steps in one picture.
pub fn after(ms: u32, then: impl FnOnce() + 'static) -> Pause {
    let waits = Rc::new(RefCell::new((None, None)));
    let again = Rc::downgrade(&waits);
    let timeout = Timeout::new(ms, move || {
        if let Some(waits) = again.upgrade() {
            waits.borrow_mut().1 = Some(request_animation_frame(move |_| then()));
        }
    });
    waits.borrow_mut().0 = Some(timeout);
    Pause { _waits: waits }
}

/// Moves an element of a drawing.
pub fn place(element: &Element, x: f64, y: f64) {
    let _ = element.set_attribute("transform", &format!("translate({},{})", num(x), num(y)));
}

/// Whether the reader prefers reduced motion.
pub fn reduced() -> bool {
    let query = web_sys::window().and_then(|w| w.match_media("(prefers-reduced-motion: reduce)").ok().flatten());
    query.is_some_and(|q| q.matches())
}
