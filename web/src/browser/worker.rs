//! Workers: the core in other threads of the browser.

use super::files::GivenFile;
use super::timers::Timeout;
use js_sys::{Object, Reflect};
use lockstep_lab::{Answer, Task};
use std::cell::RefCell;
use std::rc::Rc;
use wasm_bindgen::prelude::*;
use web_sys::{MessageEvent, WorkerOptions, WorkerType};

/// What happens to a worker.
#[derive(Clone, PartialEq, Debug)]
pub enum WorkerEvent {
    /// Its program has arrived.
    Ready,
    /// It says something about the task of this number.
    Answered(f64, Answer),
    /// Its program did not arrive.
    Unavailable,
    /// It has died: out of memory, or killed.
    Died,
}

/// Milliseconds that the program of a worker may take to arrive.
const ARRIVAL: u32 = 60_000;

/// A worker; dropping it ends it.
pub struct Worker {
    worker: web_sys::Worker,
    _answered: Closure<dyn FnMut(MessageEvent)>,
    _died: Closure<dyn FnMut(web_sys::Event)>,
    _arrival: Rc<RefCell<Option<Timeout>>>,
}

impl Worker {
    /// Starts one; a sentence if the browser refuses.
    pub fn start(hear: impl Fn(WorkerEvent) + Clone + 'static) -> Result<Worker, String> {
        let options = WorkerOptions::new();
        options.set_type(WorkerType::Module);
        let worker = web_sys::Worker::new_with_options("./worker.js", &options).map_err(|_| {
            "This browser does not start workers, so nothing can be computed in the background.".to_owned()
        })?;
        // its timer runs until its program has arrived, or has not
        let late = hear.clone();
        let arrival = Rc::new(RefCell::new(Some(Timeout::new(ARRIVAL, move || late(WorkerEvent::Unavailable)))));
        let (heard, arriving) = (hear.clone(), arrival.clone());
        let answered = Closure::<dyn FnMut(MessageEvent)>::new(move |event: MessageEvent| {
            let field = |name: &str| Reflect::get(&event.data(), &name.into()).unwrap_or_default();
            if let Some(answer) = field("answer").as_string() {
                heard(WorkerEvent::Answered(field("id").as_f64().unwrap_or_default(), Answer::read(&answer)));
            } else if arriving.take().is_some() {
                heard(if field("ready").is_truthy() { WorkerEvent::Ready } else { WorkerEvent::Unavailable });
            }
        });
        let arriving = arrival.clone();
        let died = Closure::<dyn FnMut(web_sys::Event)>::new(move |_| {
            hear(if arriving.take().is_some() { WorkerEvent::Unavailable } else { WorkerEvent::Died });
        });
        worker.set_onmessage(Some(answered.as_ref().unchecked_ref()));
        worker.set_onerror(Some(died.as_ref().unchecked_ref()));
        Ok(Worker { worker, _answered: answered, _died: died, _arrival: arrival })
    }

    /// Gives it a task under a number, with which it answers.
    pub fn ask(&self, id: f64, task: &Task) {
        self.ask_about(id, task, &[]);
    }

    /// Gives it a task and files. It reads them itself: the page only passes them on.
    pub fn ask_about(&self, id: f64, task: &Task, files: &[GivenFile]) {
        let message = Object::new();
        if !files.is_empty() {
            let list = js_sys::Array::new();
            for GivenFile { name, file } in files {
                list.push(&js_sys::Array::of2(&name.into(), file));
            }
            let _ = Reflect::set(&message, &"files".into(), &list);
        }
        let _ = Reflect::set(&message, &"id".into(), &id.into());
        let _ = Reflect::set(&message, &"task".into(), &task.text().into());
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
