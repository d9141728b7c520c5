//! The scope of a worker: it has no window, only the page that it answers to.

use gloo_timers::future::TimeoutFuture;
use js_sys::{Object, Reflect};
use wasm_bindgen::prelude::*;
use web_sys::DedicatedWorkerGlobalScope;

fn scope() -> DedicatedWorkerGlobalScope {
    js_sys::global().unchecked_into()
}

/// Sends an answer to a task, as JSON.
pub fn answer(id: f64, text: &str) {
    let message = Object::new();
    let _ = Reflect::set(&message, &"id".into(), &id.into());
    let _ = Reflect::set(&message, &"answer".into(), &text.into());
    let _ = scope().post_message(&message);
}

/// Milliseconds since it started.
pub fn now() -> f64 {
    scope().performance().map_or(0.0, |p| p.now())
}

/// Waits until the messages that have arrived meanwhile are handled.
pub async fn after_others() {
    TimeoutFuture::new(0).await;
}

/// Does a task; `worker.js` calls it.
#[wasm_bindgen]
pub async fn work(id: f64, task: String) {
    crate::worker::work(id, task).await;
}
