//! Keys, and listeners in general.

use wasm_bindgen::prelude::*;
use web_sys::{Element, Event, HtmlElement, KeyboardEvent};
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

/// Where a key was pressed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Focus {
    /// On nothing in particular.
    Page,
    /// On a button, a link, a tab: Enter and space belong to it.
    Control,
    /// On a field or a slider: arrows belong to it too.
    Field,
}

/// Calls back for every key without Ctrl, Alt or Meta; a callback that returns true has used the key.
pub fn on_key(callback: impl Fn(&str, Focus) -> bool + 'static) -> Listener {
    Listener::on_window("keydown", move |event| {
        let Ok(event) = event.dyn_into::<KeyboardEvent>() else { return };
        if event.ctrl_key() || event.alt_key() || event.meta_key() {
            return;
        }
        let name = event.target().and_then(|t| t.dyn_into::<Element>().ok()).map(|e| e.tag_name().to_ascii_lowercase());
        let focus = match name.as_deref() {
            Some("input" | "select" | "textarea") => Focus::Field,
            Some("button" | "a" | "summary") => Focus::Control,
            _ => Focus::Page,
        };
        if callback(&event.key(), focus) {
            event.prevent_default();
        }
    })
}

/// The value of an attribute of the element that was clicked, or of the nearest one around it that has it.
pub fn clicked(event: &Event, attribute: &str) -> Option<String> {
    let element = event.target()?.dyn_into::<Element>().ok()?;
    element.closest(&format!("[{attribute}]")).ok()??.get_attribute(attribute)
}

/// Turns a function into a callback that swallows the event.
pub fn ignoring<E>(act: impl Fn() + 'static) -> Callback<E> {
    Callback::from(move |_| act())
}

/// Puts the focus on an element.
pub fn focus(element: &yew::NodeRef) {
    if let Some(element) = element.cast::<HtmlElement>() {
        let _ = element.focus();
    }
}

/// Puts the focus on the element of that id.
pub fn focus_id(id: &str) {
    let element = web_sys::window().and_then(|w| w.document()).and_then(|d| d.get_element_by_id(id));
    if let Some(element) = element.and_then(|e| e.dyn_into::<HtmlElement>().ok()) {
        let _ = element.focus();
    }
}
