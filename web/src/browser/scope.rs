//! The global scope of a worker: it has no window and answers to the page.

use gloo_timers::future::TimeoutFuture;
use js_sys::{Object, Reflect};
use wasm_bindgen::{JsCast, JsValue};
use web_sys::DedicatedWorkerGlobalScope;

fn scope() -> DedicatedWorkerGlobalScope {
    js_sys::global().unchecked_into()
}

fn say(id: f64, what: &str, contents: JsValue) {
    let message = Object::new();
    let _ = Reflect::set(&message, &"id".into(), &id.into());
    let _ = Reflect::set(&message, &what.into(), &contents);
    let _ = scope().post_message(&message);
}

/// The answer to a task, as JSON.
pub fn answer(id: f64, text: &str) {
    say(id, "answer", text.into());
}

/// How far a task has come, as JSON.
pub fn progress(id: f64, text: &str) {
    say(id, "progress", text.into());
}

/// Whether a task waits for something that is fetched.
pub fn fetching(id: f64, waits: bool) {
    say(id, "fetching", waits.into());
}

/// Milliseconds since it started.
pub fn now() -> f64 {
    scope().performance().map_or(0.0, |p| p.now())
}

/// Waits until messages that arrived meanwhile are handled.
pub async fn after_others() {
    TimeoutFuture::new(0).await;
}
