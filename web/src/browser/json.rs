//! Plain data as text, read and written by the browser itself: it does it well, and nothing has to be fetched for it.

use serde::{Serialize, de::DeserializeOwned};

/// What a text says, if it says that.
pub fn read<T: DeserializeOwned>(text: &str) -> Option<T> {
    serde_wasm_bindgen::from_value(js_sys::JSON::parse(text).ok()?).ok()
}

/// The text that says it.
pub fn write<T: Serialize>(value: &T) -> Option<String> {
    let value = value.serialize(&serde_wasm_bindgen::Serializer::json_compatible()).ok()?;
    js_sys::JSON::stringify(&value).ok()?.as_string()
}
