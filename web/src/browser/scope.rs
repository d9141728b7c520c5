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
pub async fn work(id: f64, task: String, files: JsValue) {
    crate::worker::work(id, task, SentFiles(files)).await;
}

/// Files that came with a task.
pub struct SentFiles(JsValue);

impl SentFiles {
    /// Their names and contents. A file that cannot be read is empty.
    pub async fn read(self) -> Vec<(String, Vec<u8>)> {
        let mut all = Vec::new();
        let Ok(list) = self.0.dyn_into::<js_sys::Array>() else { return all };
        for pair in list.iter().filter_map(|pair| pair.dyn_into::<js_sys::Array>().ok()) {
            let name = pair.get(0).as_string().unwrap_or_default();
            let Ok(file) = pair.get(1).dyn_into::<web_sys::Blob>() else { continue };
            let content = wasm_bindgen_futures::JsFuture::from(file.array_buffer()).await;
            let bytes = content.map(|buffer| js_sys::Uint8Array::new(&buffer).to_vec()).unwrap_or_default();
            all.push((name, bytes));
        }
        all
    }
}
