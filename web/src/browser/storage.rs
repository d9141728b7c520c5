//! What the browser remembers for the reader: the theme, answers given, scenarios opened. It may refuse; then the page simply forgets.

use crate::state::{State, Theme};
use js_sys::{Array, JSON, Object, Reflect};
use std::collections::{BTreeMap, BTreeSet};
use wasm_bindgen::{JsCast, JsValue};

fn local() -> Option<web_sys::Storage> {
    web_sys::window()?.local_storage().ok()?
}

/// What was remembered under a name.
pub fn get(key: &str) -> Option<String> {
    local()?.get_item(&format!("lockstep.{key}")).ok()?
}

/// Remembers something under a name.
pub fn set(key: &str, value: &str) {
    if let Some(storage) = local() {
        let _ = storage.set_item(&format!("lockstep.{key}"), value);
    }
}

// JSON is read and written by the browser, which has it anyway: the first load would carry a second one only for this

fn parsed(key: &str) -> JsValue {
    get(key).and_then(|text| JSON::parse(&text).ok()).unwrap_or(JsValue::NULL)
}

fn numbers(key: &str) -> BTreeMap<String, usize> {
    let mut all = BTreeMap::new();
    if let Some(object) = parsed(key).dyn_ref::<Object>() {
        for pair in Object::entries(object).iter() {
            let pair: Array = pair.unchecked_into();
            if let (Some(name), Some(number)) = (pair.get(0).as_string(), pair.get(1).as_f64()) {
                all.insert(name, number as usize);
            }
        }
    }
    all
}

fn names(key: &str) -> BTreeSet<String> {
    let mut all = BTreeSet::new();
    if let Some(list) = parsed(key).dyn_ref::<Array>() {
        all.extend(list.iter().filter_map(|name| name.as_string()));
    }
    all
}

fn set_json(key: &str, value: &JsValue) {
    if let Ok(text) = JSON::stringify(value) {
        set(key, &String::from(text));
    }
}

fn set_numbers(key: &str, numbers: &BTreeMap<String, usize>) {
    let object = Object::new();
    for (name, number) in numbers {
        let _ = Reflect::set(&object, &name.into(), &(*number as f64).into());
    }
    set_json(key, &object);
}

/// Brings back what was remembered.
pub fn recall(state: &mut State) {
    state.theme = Theme::named(&get("theme").unwrap_or_default());
    state.answers = numbers("answers");
    state.solved = numbers("puzzles");
    state.opened = names("opened");
    state.strip = get("strip").as_deref() != Some("folded");
    let speed = get("speed").and_then(|s| s.parse().ok());
    state.speed = speed.filter(|s| *s < crate::state::SPEEDS.len()).unwrap_or(state.speed);
}

/// Remembers it.
pub fn remember(state: &State) {
    set("theme", state.theme.name());
    set_numbers("answers", &state.answers);
    set_numbers("puzzles", &state.solved);
    set_json("opened", &state.opened.iter().map(JsValue::from).collect::<Array>());
    set("strip", if state.strip { "open" } else { "folded" });
    set("speed", &state.speed.to_string());
}
