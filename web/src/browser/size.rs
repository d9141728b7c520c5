//! The size of an element, and every change of it.

use wasm_bindgen::prelude::*;
use web_sys::{Element, ResizeObserver};

/// Watches an element; dropping it ends that.
pub struct Watch {
    observer: Option<ResizeObserver>,
    _closure: Closure<dyn FnMut()>,
}

impl Drop for Watch {
    fn drop(&mut self) {
        if let Some(observer) = &self.observer {
            observer.disconnect();
        }
    }
}

/// The size of an element in whole pixels.
pub fn of(element: &Element) -> (f64, f64) {
    let rect = element.get_bounding_client_rect();
    (rect.width().floor(), rect.height().floor())
}

/// Calls back with the size of an element, now and whenever it changes.
pub fn watch(element: Element, callback: impl Fn((f64, f64)) + 'static) -> Watch {
    callback(of(&element));
    let watched = element.clone();
    let closure = Closure::new(move || callback(of(&watched)));
    let observer = ResizeObserver::new(closure.as_ref().unchecked_ref()).ok();
    if let Some(observer) = &observer {
        observer.observe(&element);
    }
    Watch { observer, _closure: closure }
}
