//! Workers: the core in other threads of the browser.

use js_sys::{Object, Reflect};
use wasm_bindgen::prelude::*;
use web_sys::{MessageEvent, WorkerOptions, WorkerType};

/// What a worker says.
#[derive(Clone, PartialEq, Debug)]
pub enum Said {
    /// An exploration goes on: its progress as JSON.
    Progress(f64, String),
    /// Whether a task waits for something that is fetched.
    Fetching(bool),
    /// The answer to the task of this number, as JSON.
    Answer(f64, String),
    /// The worker has died: out of memory, or killed.
    Died,
}

/// A worker; dropping it ends it.
pub struct Worker {
    worker: web_sys::Worker,
    _said: Closure<dyn FnMut(MessageEvent)>,
    _died: Closure<dyn FnMut(web_sys::Event)>,
}

impl Worker {
    /// Starts one; a sentence if the browser refuses.
    pub fn start(hear: impl Fn(Said) + Clone + 'static) -> Result<Worker, String> {
        let options = WorkerOptions::new();
        options.set_type(WorkerType::Module);
        let worker = web_sys::Worker::new_with_options("./worker.js", &options).map_err(|_| {
            "This browser does not start workers, so nothing can be computed in the background.".to_owned()
        })?;
        let text = |data: &JsValue, name: &str| Reflect::get(data, &name.into()).ok().and_then(|v| v.as_string());
        let heard = hear.clone();
        let said = Closure::<dyn FnMut(MessageEvent)>::new(move |event: MessageEvent| {
            let data = event.data();
            let id = Reflect::get(&data, &"id".into()).ok().and_then(|v| v.as_f64()).unwrap_or_default();
            if let Some(answer) = text(&data, "answer") {
                heard(Said::Answer(id, answer));
            } else if let Some(progress) = text(&data, "progress") {
                heard(Said::Progress(id, progress));
            } else if let Some(waits) = Reflect::get(&data, &"fetching".into()).ok().and_then(|v| v.as_bool()) {
                heard(Said::Fetching(waits));
            }
        });
        let died = Closure::<dyn FnMut(web_sys::Event)>::new(move |_| hear(Said::Died));
        worker.set_onmessage(Some(said.as_ref().unchecked_ref()));
        worker.set_onerror(Some(died.as_ref().unchecked_ref()));
        Ok(Worker { worker, _said: said, _died: died })
    }

    /// Asks it something: `job`, `check`, `widen`, `stop` or what else [`crate::worker`] knows, with its contents.
    pub fn ask(&self, id: f64, what: &str, contents: &str) {
        let message = Object::new();
        let _ = Reflect::set(&message, &"id".into(), &id.into());
        let _ = Reflect::set(&message, &"what".into(), &what.into());
        let _ = Reflect::set(&message, &"contents".into(), &contents.into());
        let _ = self.worker.post_message(&message);
    }
}

impl Drop for Worker {
    fn drop(&mut self) {
        self.worker.set_onmessage(None);
        self.worker.set_onerror(None);
        self.worker.terminate();
    }
}

/// How many workers are worth starting: all cores but one, and at least one.
pub fn how_many() -> usize {
    let cores = web_sys::window().map_or(2.0, |w| w.navigator().hardware_concurrency());
    (cores as usize).saturating_sub(1).clamp(1, 16)
}

/// Milliseconds since the page opened.
pub fn now() -> f64 {
    web_sys::window().and_then(|w| w.performance()).map_or(0.0, |p| p.now())
}
