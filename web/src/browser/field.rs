//! What the reader enters in a field: the value of the input, list or text that an event is about.

use std::str::FromStr;
use wasm_bindgen::JsCast;
use web_sys::{Event, File, HtmlInputElement, HtmlSelectElement, HtmlTextAreaElement};

/// The value of the field.
pub fn value(event: &Event) -> Option<String> {
    let target = event.target()?;
    if let Some(select) = target.dyn_ref::<HtmlSelectElement>() {
        return Some(select.value());
    }
    if let Some(input) = target.dyn_ref::<HtmlInputElement>() {
        return Some(input.value());
    }
    target.dyn_ref::<HtmlTextAreaElement>().map(HtmlTextAreaElement::value)
}

/// The value of the field, read as a number or whatever is expected.
pub fn parsed<T: FromStr>(event: &Event) -> Option<T> {
    value(event)?.parse().ok()
}

/// The file that was chosen. The field is emptied, so that the same file can be chosen again.
pub fn file(event: &Event) -> Option<File> {
    let input = event.target()?.dyn_into::<HtmlInputElement>().ok()?;
    let file = input.files()?.get(0)?;
    input.set_value("");
    Some(file)
}

/// Chooses a value in a list.
pub fn choose(list: &yew::NodeRef, value: &str) {
    if let Some(select) = list.cast::<HtmlSelectElement>() {
        select.set_value(value);
    }
}
