//! The document as a whole.

use lockstep_session::Theme;

/// Shows a theme.
pub fn show_theme(theme: Theme) {
    let root = web_sys::window().and_then(|w| w.document()).and_then(|d| d.document_element());
    if let Some(root) = root {
        let _ = match theme {
            Theme::Auto => root.remove_attribute("data-theme"),
            other => root.set_attribute("data-theme", other.name()),
        };
    }
}

/// Shows a sentence instead of the page, when it cannot start.
pub fn say_instead_of_the_page(sentence: &str) {
    let body = web_sys::window().and_then(|w| w.document()).and_then(|d| d.body());
    if let Some(body) = body {
        body.set_text_content(Some(sentence));
    }
}

/// Whether the page is embedded in another one: `?embed`.
pub fn embedded() -> bool {
    let search = web_sys::window().and_then(|w| w.location().search().ok()).unwrap_or_default();
    search.trim_start_matches('?').split('&').any(|part| part == "embed" || part.starts_with("embed="))
}

/// The address of the page, not embedded.
pub fn unembedded() -> String {
    let part = |get: fn(&web_sys::Location) -> Result<String, wasm_bindgen::JsValue>| {
        web_sys::window().and_then(|w| get(&w.location()).ok()).unwrap_or_default()
    };
    format!("{}{}", part(web_sys::Location::pathname), part(web_sys::Location::hash))
}

/// Whether there is a window; a worker has none.
pub fn has_window() -> bool {
    web_sys::window().is_some()
}

/// The memory of the machine in gigabytes, where the browser tells; it never tells more than 8.
pub fn gigabytes() -> Option<f64> {
    let navigator = web_sys::window()?.navigator();
    js_sys::Reflect::get(&navigator, &"deviceMemory".into()).ok()?.as_f64()
}
