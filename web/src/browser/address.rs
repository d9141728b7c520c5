//! The address bar, the browser's history, and the clipboard.

use super::keys::Listener;
use super::timers::Timeout;
use std::cell::RefCell;
use std::rc::Rc;
use wasm_bindgen::JsValue;
use yew::Callback;

/// Milliseconds between two replacements of the address: browsers ignore more than 200 in ten
/// seconds, and a key that is held down makes 30 steps a second.
const SPACING: u32 = 60;

/// What stands after the `#`, with it.
pub fn hash() -> String {
    web_sys::window().and_then(|w| w.location().hash().ok()).unwrap_or_default()
}

/// Adds an address to the browser's history.
pub fn push(hash: &str) {
    if let Some(history) = web_sys::window().and_then(|w| w.history().ok()) {
        let _ = history.push_state_with_url(&JsValue::NULL, "", Some(&format!("#{hash}")));
    }
}

fn replace(hash: &str) {
    if let Some(history) = web_sys::window().and_then(|w| w.history().ok()) {
        let _ = history.replace_state_with_url(&JsValue::NULL, "", Some(&format!("#{hash}")));
    }
}

/// Replaces the address: at once, or after [`SPACING`] if it was just replaced.
#[derive(Default)]
pub struct Replacement {
    inner: Rc<RefCell<Spacing>>,
}

#[derive(Default)]
struct Spacing {
    /// Whether the address was just replaced.
    pausing: bool,
    next: Option<String>,
    timer: Option<Timeout>,
}

impl Replacement {
    /// Replaces the address.
    pub fn replace(&self, hash: String) {
        let mut inner = self.inner.borrow_mut();
        if inner.pausing {
            inner.next = Some(hash);
            return;
        }
        replace(&hash);
        inner.pausing = true;
        let again = self.inner.clone();
        inner.timer = Some(Timeout::new(SPACING, move || {
            let mut inner = again.borrow_mut();
            inner.pausing = false;
            inner.next.take().into_iter().for_each(|hash| replace(&hash));
        }));
    }

    /// Forgets a replacement that is still to come: the address is another one now, or the
    /// browser is about to load it again and it must not change any more.
    pub fn cancel(&self) {
        self.inner.borrow_mut().next = None;
    }
}

/// The full address with this text after the `#`.
pub fn full(hash: &str) -> String {
    let here = web_sys::window().and_then(|w| w.location().href().ok()).unwrap_or_default();
    format!("{}#{hash}", here.split('#').next().unwrap_or_default())
}

/// Copies a text; calls back with it if the browser refuses.
pub fn copy(text: String, done: Callback<Result<(), String>>) {
    let Some(window) = web_sys::window() else { return done.emit(Err(text)) };
    let clipboard = window.navigator().clipboard();
    if JsValue::from(&clipboard).is_undefined() {
        return done.emit(Err(text)); // only secure pages have one
    }
    yew::platform::spawn_local(async move {
        let copied = wasm_bindgen_futures::JsFuture::from(clipboard.write_text(&text)).await;
        done.emit(copied.map(drop).map_err(|_| text));
    });
}

/// Calls back when the reader goes back or forward in the browser, or edits the address.
pub fn on_change(callback: Callback<String>) -> Listener {
    Listener::on_window("popstate", move |_| callback.emit(hash()))
}
