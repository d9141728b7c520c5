//! Keys, and listeners in general.

use lockstep_session::keys::Focus;
use wasm_bindgen::prelude::*;
use web_sys::{Element, Event, HtmlDialogElement, HtmlElement, KeyboardEvent};
use yew::Callback;

/// A listener on the window; dropping it takes it off.
pub struct Listener {
    kind: &'static str,
    closure: Closure<dyn FnMut(Event)>,
}

impl Listener {
    /// Calls back on every event of a kind.
    pub fn on_window(kind: &'static str, callback: impl FnMut(Event) + 'static) -> Listener {
        let closure = Closure::new(callback);
        if let Some(window) = web_sys::window() {
            let _ = window.add_event_listener_with_callback(kind, closure.as_ref().unchecked_ref());
        }
        Listener { kind, closure }
    }
}

impl Drop for Listener {
    fn drop(&mut self) {
        if let Some(window) = web_sys::window() {
            let _ = window.remove_event_listener_with_callback(self.kind, self.closure.as_ref().unchecked_ref());
        }
    }
}

/// A listener for the wheel over an element, which then does not scroll the page.
pub struct WheelListener {
    element: Element,
    closure: Closure<dyn FnMut(web_sys::WheelEvent)>,
}

impl WheelListener {
    /// Calls back with pixels to the right, pixels down, and where the pointer is from the left.
    pub fn on(element: Element, callback: impl Fn(f64, f64, f64) + 'static) -> WheelListener {
        let inside = element.clone();
        let closure = Closure::<dyn FnMut(web_sys::WheelEvent)>::new(move |event: web_sys::WheelEvent| {
            event.prevent_default();
            let unit = if event.delta_mode() == 1 { 16.0 } else { 1.0 };
            let (mut right, mut down) = (event.delta_x() * unit, event.delta_y() * unit);
            if event.shift_key() {
                (right, down) = (right + down, 0.0);
            }
            callback(right, down, f64::from(event.client_x()) - inside.get_bounding_client_rect().left());
        });
        let options = web_sys::AddEventListenerOptions::new();
        options.set_passive(false);
        let function = closure.as_ref().unchecked_ref();
        let _ = element.add_event_listener_with_callback_and_add_event_listener_options("wheel", function, &options);
        WheelListener { element, closure }
    }
}

impl Drop for WheelListener {
    fn drop(&mut self) {
        let _ = self.element.remove_event_listener_with_callback("wheel", self.closure.as_ref().unchecked_ref());
    }
}

/// Where an event happens.
pub fn focus(event: &Event) -> Focus {
    let element = event.target().and_then(|t| t.dyn_into::<Element>().ok());
    let slides = element.as_ref().is_some_and(|e| e.get_attribute("type").as_deref() == Some("range"));
    let name = element.map(|e| e.tag_name().to_ascii_lowercase());
    match name.as_deref() {
        Some("input") if slides => Focus::Slider,
        Some("input" | "select" | "textarea") => Focus::Field,
        Some("button" | "a" | "summary") => Focus::Control,
        _ => Focus::Page,
    }
}

/// Calls back for every key without Ctrl, Alt or Meta, for Ctrl+Z as `Undo`, for Ctrl+Y or
/// Ctrl+Shift+Z as `Redo`, and for Shift with an arrow as `Earlier` or `Later`. A callback that
/// returns true has used the key.
pub fn on_key(callback: impl Fn(&str, Focus) -> bool + 'static) -> Listener {
    Listener::on_window("keydown", move |event| {
        let Ok(event) = event.dyn_into::<KeyboardEvent>() else { return };
        let with_ctrl = event.ctrl_key() || event.meta_key();
        let key = match event.key().as_str() {
            "ArrowLeft" if event.shift_key() && !with_ctrl => "Earlier".into(),
            "ArrowRight" if event.shift_key() && !with_ctrl => "Later".into(),
            "z" if with_ctrl && !event.shift_key() => "Undo".into(),
            "y" | "z" | "Z" if with_ctrl => "Redo".into(),
            _ if with_ctrl || event.alt_key() => return,
            key => key.to_owned(),
        };
        if callback(&key, focus(&event)) {
            event.prevent_default();
        }
    })
}

/// The value of an attribute of the element that was clicked, or of the closest one around it that
/// has the attribute.
pub fn clicked(event: &Event, attribute: &str) -> Option<String> {
    let element = event.target()?.dyn_into::<Element>().ok()?;
    element.closest(&format!("[{attribute}]")).ok()??.get_attribute(attribute)
}

/// Where a menu should open: at the pointer, or at the element if a key asked for it.
pub fn place(event: &web_sys::MouseEvent) -> (f64, f64) {
    if event.client_x() != 0 || event.client_y() != 0 {
        return (f64::from(event.client_x()), f64::from(event.client_y()));
    }
    let rect = event.target().and_then(|t| t.dyn_into::<Element>().ok()).map(|e| e.get_bounding_client_rect());
    rect.map_or((100.0, 100.0), |r| (r.left() + r.width() / 2.0, r.bottom()))
}

/// Where a pointer is inside an element, in its pixels. (The page listens at its root, so the
/// event does not know the element.)
pub fn inside(element: &yew::NodeRef, event: &web_sys::MouseEvent) -> (f64, f64) {
    let rect = element.cast::<Element>().map(|e| e.get_bounding_client_rect());
    let (left, top) = rect.map_or((0.0, 0.0), |r| (r.left(), r.top()));
    (f64::from(event.client_x()) - left, f64::from(event.client_y()) - top)
}

/// Turns a function into a callback that swallows the event.
pub fn ignoring<E>(act: impl Fn() + 'static) -> Callback<E> {
    Callback::from(move |_| act())
}

/// Opens a dialog above everything else, or closes it: then the focus is where it was.
pub fn show_dialog(dialog: &yew::NodeRef, open: bool) {
    let Some(dialog) = dialog.cast::<HtmlDialogElement>() else { return };
    match open {
        true if !dialog.open() => drop(dialog.show_modal()),
        true => {}
        false => dialog.close(),
    }
}

fn buttons(inside: &yew::NodeRef) -> Vec<HtmlElement> {
    let list = inside.cast::<Element>().and_then(|e| e.query_selector_all("button").ok());
    let Some(list) = list else { return Vec::new() };
    (0..list.length()).filter_map(|i| list.item(i)?.dyn_into().ok()).collect()
}

/// Moves the focus from one button inside an element to another one, around the ends.
pub fn focus_neighbour(inside: &yew::NodeRef, by: isize) {
    let all = buttons(inside);
    let active = web_sys::window().and_then(|w| w.document()).and_then(|d| d.active_element());
    let here = active.and_then(|a| all.iter().position(|b| b.is_same_node(Some(&a)))).unwrap_or(0);
    if let Some(next) = all.get((here as isize + by).rem_euclid(all.len().max(1) as isize) as usize) {
        let _ = next.focus();
    }
}

/// Puts the focus on the element of that id.
pub fn focus_id(id: &str) {
    let element = web_sys::window().and_then(|w| w.document()).and_then(|d| d.get_element_by_id(id));
    if let Some(element) = element.and_then(|e| e.dyn_into::<HtmlElement>().ok()) {
        let _ = element.focus();
    }
}

/// Scrolls the element of that id into view, inside what scrolls around it.
pub fn reveal(id: &str) {
    let element = web_sys::window().and_then(|w| w.document()).and_then(|d| d.get_element_by_id(id));
    let around = element.as_ref().and_then(|element| element.parent_element());
    if let (Some(element), Some(around)) = (element, around) {
        let (inner, outer) = (element.get_bounding_client_rect(), around.get_bounding_client_rect());
        let middle = inner.top() - outer.top() - outer.height() / 2.0;
        around.set_scroll_top(around.scroll_top() + middle as i32);
    }
}

/// The number in an attribute of the element that was clicked.
pub fn clicked_number(event: &Event, attribute: &str) -> Option<u32> {
    clicked(event, attribute)?.parse().ok()
}

/// Lets an element receive all events of a pointer.
pub fn capture(element: &yew::NodeRef, event: &web_sys::PointerEvent) {
    if let Some(element) = element.cast::<Element>() {
        let _ = element.set_pointer_capture(event.pointer_id());
    }
}
