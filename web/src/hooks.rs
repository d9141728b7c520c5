//! Hooks that several components share.

use crate::browser::canvas::Canvas;
use crate::browser::timers::Timeout;
use crate::browser::{keys, size};
use lockstep_session::Action;
use std::cell::RefCell;
use std::rc::Rc;
use yew::prelude::*;

/// How every part of the page makes something happen. [`crate::app::App`] provides it.
pub type PageAct = Callback<Action>;

/// The page's [`PageAct`].
#[hook]
pub fn use_act() -> PageAct {
    use_context::<PageAct>().unwrap_or_else(Callback::noop)
}

/// The size of an element, from `first` on; sizes below `least` are ignored (the element is
/// hidden).
#[hook]
pub fn use_size(first: (f64, f64), least: (f64, f64)) -> (NodeRef, (f64, f64)) {
    let element = use_node_ref();
    let found = use_state_eq(|| first);
    let (watched, set) = (element.clone(), found.setter());
    use_effect_with((), move |()| {
        let watch = watched.cast().map(|element| {
            size::watch(element, move |(width, height)| {
                if width >= least.0 && height >= least.1 {
                    set.set((width, height));
                }
            })
        });
        move || drop(watch)
    });
    (element, *found)
}

/// A picture that is changed directly, without virtual elements: see [`Canvas`].
#[derive(Clone)]
pub struct CanvasHandle {
    /// The empty group that it fills.
    pub layers: NodeRef,
    canvas: Rc<RefCell<Option<Canvas>>>,
}

impl CanvasHandle {
    /// Changes the picture, once its element is there.
    pub fn with<T>(&self, change: impl FnOnce(&mut Canvas) -> T) -> Option<T> {
        let mut canvas = self.canvas.borrow_mut();
        if canvas.is_none() {
            *canvas = self.layers.cast().map(Canvas::new);
        }
        canvas.as_mut().map(change)
    }
}

/// A picture of the component's own.
#[hook]
pub fn use_canvas() -> CanvasHandle {
    let (layers, canvas) = (use_node_ref(), use_mut_ref(|| None));
    CanvasHandle { layers, canvas }
}

/// The listeners of a pointer, and whether the click that follows belongs to them.
pub struct PointerListeners {
    /// The pointer goes down.
    pub down: Callback<PointerEvent>,
    /// It moves.
    pub motion: Callback<PointerEvent>,
    /// It goes up.
    pub up: Callback<PointerEvent>,
    /// The browser takes it away.
    pub cancel: Callback<PointerEvent>,
    swallows: Rc<RefCell<bool>>,
    press: Rc<RefCell<Option<(Timeout, f64, f64)>>>,
}

impl PointerListeners {
    /// Ends a long press: the browser has opened the menu already.
    pub fn cancel_press(&self) -> impl Fn() + use<> {
        let press = self.press.clone();
        move || drop(press.borrow_mut().take())
    }

    /// Whether a click only ends the gesture. Asking resets it.
    pub fn swallows_click(&self) -> impl Fn() -> bool + use<> {
        let swallows = self.swallows.clone();
        move || swallows.replace(false)
    }
}

/// Milliseconds after which a finger that stays opens the menu.
const LONG_PRESS: u32 = 500;

/// Pixels by which the finger of a long press may move.
const SHAKE: f64 = 12.0;

/// A finger that stays on something: `subject` tells on what, `open` is called with it and the
/// position in the window.
#[hook]
pub fn use_long_press<T: Copy + 'static>(
    subject: fn(&Event) -> Option<T>,
    open: Callback<(T, f64, f64)>,
) -> PointerListeners {
    let press = use_mut_ref(|| None::<(Timeout, f64, f64)>);
    let swallows = use_mut_ref(|| false);
    let down = {
        let (press, swallows) = (press.clone(), swallows.clone());
        Callback::from(move |event: PointerEvent| {
            *swallows.borrow_mut() = false;
            let touched = subject(&event).filter(|_| event.pointer_type() == "touch");
            let Some(subject) = touched else { return };
            let (x, y) = keys::place(&event);
            let (open, swallows) = (open.clone(), swallows.clone());
            let open = move || {
                *swallows.borrow_mut() = true;
                open.emit((subject, x, y));
            };
            *press.borrow_mut() = Some((Timeout::new(LONG_PRESS, open), x, y));
        })
    };
    let motion = {
        let press = press.clone();
        Callback::from(move |event: PointerEvent| {
            let (x, y) = (f64::from(event.client_x()), f64::from(event.client_y()));
            press.borrow_mut().take_if(|(_, x0, y0)| (x - *x0).abs() + (y - *y0).abs() > SHAKE);
        })
    };
    let up = {
        let press = press.clone();
        Callback::from(move |_: PointerEvent| drop(press.borrow_mut().take()))
    };
    PointerListeners { down, motion, cancel: up.clone(), up, swallows, press }
}

/// Pixels after which a press is a drag.
const DRAG: f64 = 6.0;

/// Dragging something horizontally inside an element: `subject` tells what was pressed, `drag` is
/// called with it and the position in the element, and at the end with whether it was dropped.
#[hook]
pub fn use_drag<T: Copy + 'static>(
    inside: NodeRef,
    subject: fn(&Event) -> Option<T>,
    drag: Callback<Result<(T, f64), bool>>,
) -> PointerListeners {
    // what is pressed, where, and whether it is dragged already
    let pressed = use_mut_ref(|| None::<(T, f64, bool)>);
    let swallows = use_mut_ref(|| false);
    let down = {
        let (pressed, swallows) = (pressed.clone(), swallows.clone());
        Callback::from(move |event: PointerEvent| {
            *pressed.borrow_mut() = subject(&event).map(|subject| (subject, f64::from(event.client_x()), false));
            *swallows.borrow_mut() = false;
        })
    };
    let motion = {
        let (pressed, drag) = (pressed.clone(), drag.clone());
        Callback::from(move |event: PointerEvent| {
            let moved = {
                let mut pressed = pressed.borrow_mut();
                let Some((subject, start, dragged)) = &mut *pressed else { return };
                if !*dragged && (f64::from(event.client_x()) - *start).abs() < DRAG {
                    return;
                }
                if !std::mem::replace(dragged, true) {
                    keys::capture(&inside, &event);
                }
                (*subject, keys::inside(&inside, &event).0)
            };
            drag.emit(Ok(moved));
        })
    };
    let end = |dropped: bool| {
        let (pressed, drag, swallows) = (pressed.clone(), drag.clone(), swallows.clone());
        Callback::from(move |_: PointerEvent| {
            let was = pressed.borrow_mut().take();
            if was.is_some_and(|(.., dragged)| dragged) {
                *swallows.borrow_mut() = dropped;
                drag.emit(Err(dropped));
            }
        })
    };
    PointerListeners {
        down,
        motion,
        up: end(true),
        cancel: end(false),
        swallows: swallows.clone(),
        press: Rc::default(),
    }
}
