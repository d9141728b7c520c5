//! What pointer, wheel and keys do to a long diagram. A picture follows once in a frame, however
//! many of them there were.

use super::{DiagramWindow, LongAxis, LongDiagram, ROW, camera};
use std::rc::Rc;

/// Pixels of one key press.
const STRIDE: f64 = 120.0;
/// Pixels after which a press is a drag.
const DRAG: f64 = 5.0;

/// What can be done to it.
#[derive(Clone, PartialEq, Debug)]
pub enum LongInput {
    /// Its size.
    Resize(f64, f64),
    /// The wheel: right, down, and where.
    Wheel(f64, f64, f64),
    /// A key: see [`LongControl::knows`].
    Key(String),
    /// The pointer is pressed here.
    Press(f64, f64),
    /// The pointer is here.
    Drag(f64, f64),
    /// The pointer is released on this section or event.
    Release(Option<u32>, Option<u32>),
    /// The overview is pressed at this pixel.
    Overview(f64),
    /// Another axis.
    Axis(LongAxis),
}

/// What was chosen by it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum LongChoice {
    /// An event.
    Event(u32),
    /// A section.
    Section(usize),
}

/// A long diagram and the window in which it is seen.
pub struct LongControl {
    /// The diagram along its own order.
    given: Rc<LongDiagram>,
    /// The diagram along the axis that is chosen.
    laid: Rc<LongDiagram>,
    axis: LongAxis,
    window: DiagramWindow,
    /// Where the pointer was pressed or last seen, and whether it drags.
    pressed: Option<(f64, f64, bool)>,
}

impl LongControl {
    /// The beginning of a diagram.
    pub fn new(given: Rc<LongDiagram>) -> LongControl {
        let window = camera::beginning(&given, 800.0, 300.0);
        LongControl { laid: given.clone(), given, axis: LongAxis::Order, window, pressed: None }
    }

    /// What is drawn.
    pub fn diagram(&self) -> &LongDiagram {
        &self.laid
    }

    /// The window.
    pub fn window(&self) -> DiagramWindow {
        self.window
    }

    /// The axis.
    pub fn axis(&self) -> LongAxis {
        self.axis
    }

    /// Whether the pointer moves the picture.
    pub fn is_dragged(&self) -> bool {
        self.pressed.is_some_and(|(.., dragged)| dragged)
    }

    /// The name of a key in [`LongInput::Key`], if it does something.
    pub fn knows(key: &str) -> Option<String> {
        let letter = key.to_lowercase();
        let known = ["w", "a", "s", "d", "0"].contains(&letter.as_str());
        let named = ["Home", "End", "ArrowLeft", "ArrowRight", "ArrowUp", "ArrowDown", "Enter"].contains(&key);
        known.then_some(letter).or_else(|| named.then(|| key.to_owned()))
    }

    /// Takes another diagram, or another order of the events of this one. `stays`: it is the same
    /// run, so the window stays where it is.
    pub fn replace(&mut self, given: Rc<LongDiagram>, rank: Option<&[u32]>, stays: bool) {
        self.given = given;
        self.lay(rank);
        let window = self.window;
        self.window = match stays {
            true => camera::clamped(&self.laid, window),
            false => camera::beginning(&self.laid, window.width, window.height),
        };
    }

    fn lay(&mut self, rank: Option<&[u32]>) {
        self.laid = match (self.axis, rank) {
            (LongAxis::Order, None) => self.given.clone(),
            (axis, rank) => {
                let mut diagram = (*self.given).clone();
                // another order has no times
                diagram.along(if rank.is_some() { LongAxis::Order } else { axis }, rank);
                Rc::new(diagram)
            }
        };
    }

    /// Puts an event in the middle.
    pub fn centre(&mut self, event: u32) {
        self.window = camera::centred(&self.laid, &self.window, event);
    }

    /// Moves the window to an event, unless it is seen.
    pub fn reveal(&mut self, event: u32) {
        self.window = camera::revealed(&self.laid, &self.window, event);
    }

    /// Does something; returns what that chooses. `chosen` is the event that was chosen before,
    /// `rank` another order of the events, if it is shown.
    pub fn apply(&mut self, input: LongInput, chosen: Option<u32>, rank: Option<&[u32]>) -> Option<LongChoice> {
        let (laid, window) = (self.laid.clone(), self.window);
        let laid = &*laid;
        self.window = match input {
            LongInput::Resize(width, height) if width >= 40.0 && height >= 40.0 => {
                camera::clamped(laid, DiagramWindow { width, height, ..window })
            }
            LongInput::Resize(..) => window,
            LongInput::Wheel(right, down, at) if down.abs() > right.abs() => {
                camera::zoomed(laid, &window, 1.0 + (-down / 400.0).clamp(-0.4, 0.6), at)
            }
            LongInput::Wheel(right, ..) => camera::panned(laid, &window, right, 0.0),
            LongInput::Key(key) => return self.key(&key, chosen),
            LongInput::Press(x, y) => {
                self.pressed = Some((x, y, false));
                window
            }
            LongInput::Drag(x, y) => match self.pressed {
                Some((x0, y0, dragged)) if dragged || (x - x0).abs() + (y - y0).abs() >= DRAG => {
                    self.pressed = Some((x, y, true));
                    camera::panned(laid, &window, x0 - x, y0 - y)
                }
                _ => window,
            },
            LongInput::Release(section, event) => {
                return match (self.pressed.take(), event, section) {
                    (None | Some((.., true)), ..) => None,
                    (_, Some(event), _) => Some(LongChoice::Event(event)),
                    (_, None, section) => section.map(|section| LongChoice::Section(section as usize)),
                };
            }
            LongInput::Overview(x) => {
                let (first, last) = laid.range();
                camera::at(laid, &window, first + (last - first) * x / window.width.max(1.0))
            }
            LongInput::Axis(axis) => {
                self.axis = axis;
                self.lay(rank);
                camera::beginning(&self.laid, window.width, window.height)
            }
        };
        None
    }

    fn key(&mut self, key: &str, chosen: Option<u32>) -> Option<LongChoice> {
        let (laid, window) = (self.laid.clone(), self.window);
        let middle = window.width / 2.0;
        let (first, last) = laid.range();
        self.window = match key {
            "a" => camera::panned(&laid, &window, -STRIDE, 0.0),
            "d" => camera::panned(&laid, &window, STRIDE, 0.0),
            "w" => camera::zoomed(&laid, &window, 1.4, middle),
            "s" => camera::zoomed(&laid, &window, 1.0 / 1.4, middle),
            "0" => camera::whole(&laid, window.width, window.height),
            "Home" => camera::at(&laid, &window, first),
            "End" => camera::at(&laid, &window, last),
            "ArrowUp" => camera::panned(&laid, &window, 0.0, -ROW),
            "ArrowDown" => camera::panned(&laid, &window, 0.0, ROW),
            "ArrowLeft" | "ArrowRight" => {
                let next = match chosen {
                    Some(event) => laid.neighbour(event, key == "ArrowRight"),
                    None => laid.nearest(window.left + middle / window.scale),
                }?;
                self.centre(next);
                return Some(LongChoice::Event(next));
            }
            _ => return chosen.and_then(|event| laid.section_of(event)).map(LongChoice::Section),
        };
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::long::tests::ring;

    fn control() -> LongControl {
        let mut control = LongControl::new(Rc::new(ring(4_000)));
        control.apply(LongInput::Resize(1_000.0, 300.0), None, None);
        control
    }

    #[test]
    fn a_drag_moves_and_a_click_chooses() {
        let mut control = control();
        control.centre(2_000);
        let before = control.window();
        let mut act = |input| control.apply(input, None, None);
        assert_eq!(act(LongInput::Drag(70.0, 40.0)), None, "nothing is pressed");
        act(LongInput::Press(100.0, 50.0));
        act(LongInput::Drag(102.0, 51.0));
        assert_eq!(act(LongInput::Release(Some(3), Some(9))), Some(LongChoice::Event(9)));
        act(LongInput::Press(100.0, 50.0));
        assert_eq!(act(LongInput::Release(Some(3), None)), Some(LongChoice::Section(3)));
        assert_eq!(control.window(), before, "a click moves nothing");
        control.apply(LongInput::Press(100.0, 50.0), None, None);
        for x in 0..50 {
            control.apply(LongInput::Drag(100.0 - f64::from(x), 50.0), None, None);
        }
        assert!(control.is_dragged());
        let moved = (control.window().left - before.left) * before.scale;
        assert!((moved - 49.0).abs() < 1e-6, "{moved} pixels");
        assert_eq!(control.apply(LongInput::Release(Some(3), Some(9)), None, None), None, "a drag chooses nothing");
        assert!(!control.is_dragged());
    }

    #[test]
    fn keys_move_zoom_and_choose() {
        let mut control = control();
        let start = control.window();
        let mut key = |key: &str, chosen| {
            let choice = control.apply(LongInput::Key(LongControl::knows(key).unwrap()), chosen, None);
            (choice, control.window())
        };
        let (_, right) = key("D", None);
        assert!(((right.left - start.left) * start.scale - STRIDE).abs() < 1e-6);
        assert!((key("a", None).1.left - start.left).abs() < 1e-9);
        assert!(key("s", None).1.scale < start.scale);
        assert!((key("W", None).1.scale / start.scale - 1.0).abs() < 1e-9);
        assert_eq!(key("ArrowRight", Some(4)).0, Some(LongChoice::Event(5)));
        assert_eq!(key("ArrowLeft", Some(4)).0, None, "the first event of its node");
        assert_eq!(key("Enter", Some(5)).0, Some(LongChoice::Section(1)));
        assert_eq!(key("Enter", None).0, None);
        let (_, end) = key("End", None);
        assert!(end.left + end.width / end.scale >= 3_999.0);
        assert!(key("Home", None).1.left <= 0.0);
        let whole = key("0", None).1;
        assert!(whole.scale < 0.3);
        assert_eq!(LongControl::knows("x"), None);
    }

    #[test]
    fn the_window_stays_when_a_run_goes_on_and_follows_its_cursor() {
        let mut control = control();
        control.centre(2_000);
        let before = control.window();
        control.replace(Rc::new(ring(4_400)), None, true);
        assert_eq!(control.window(), before);
        control.reveal(2_001);
        assert_eq!(control.window(), before, "the event is seen");
        control.reveal(4_399);
        let window = control.window();
        assert_eq!(window.scale, before.scale);
        let x = (4_399.0 - window.left) * window.scale;
        assert!((0.0..window.width).contains(&x), "event at {x}");
        control.replace(Rc::new(ring(400)), None, false);
        assert!(control.window().left <= 0.0, "another run is shown from its beginning");
        control.apply(LongInput::Axis(LongAxis::Time), None, None);
        assert_eq!((control.axis(), control.diagram().range()), (LongAxis::Time, (0.0, 199.5)));
        let reversed: Vec<u32> = (0..400).rev().collect();
        control.replace(Rc::new(ring(400)), Some(&reversed), true);
        assert_eq!(control.diagram().position(0), Some(399.0));
    }
}
