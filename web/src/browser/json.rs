//! Plain data as JSON, read and written by the browser itself: nothing has to be downloaded for it.

use serde::{Serialize, de::DeserializeOwned};

/// Reads a text.
pub fn read<T: DeserializeOwned>(text: &str) -> Option<T> {
    serde_wasm_bindgen::from_value(js_sys::JSON::parse(text).ok()?).ok()
}

/// Writes a value as text.
pub fn write<T: Serialize>(value: &T) -> Option<String> {
    let value = value.serialize(&serde_wasm_bindgen::Serializer::json_compatible()).ok()?;
    js_sys::JSON::stringify(&value).ok()?.as_string()
}
