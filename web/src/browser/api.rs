//! `window.lockstep`: the core for scripts and tests.

use lockstep_session::Session;
use serde::Serialize;
use std::cell::RefCell;
use std::rc::Rc;
use wasm_bindgen::prelude::*;

/// Offers the core: `state()` at the cursor as plain data, `fingerprint()` of it.
pub fn offer(session: Rc<RefCell<Session>>) {
    let api = js_sys::Object::new();
    let at = session.clone();
    let frame = Closure::<dyn Fn() -> JsValue>::new(move || {
        let plain = serde_wasm_bindgen::Serializer::json_compatible();
        at.borrow().run.frame().serialize(&plain).unwrap_or(JsValue::NULL)
    });
    let fingerprint =
        Closure::<dyn Fn() -> String>::new(move || format!("{:016x}", session.borrow().run.fingerprint()));
    for (name, function) in [("state", frame.into_js_value()), ("fingerprint", fingerprint.into_js_value())] {
        let _ = js_sys::Reflect::set(&api, &name.into(), &function);
    }
    if let Some(window) = web_sys::window() {
        let _ = js_sys::Reflect::set(&window, &"lockstep".into(), &api);
    }
}
