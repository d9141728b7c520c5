//! The address: a run or a scenario after the `#`, and copying it.

use lockstep_scenario::link::Address;
use lockstep_scene::Arrangement;
use wasm_bindgen::JsValue;
use yew::Callback;

/// What the address asks for.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Place {
    /// A scenario of the library.
    Scenario(String),
    /// A shared run.
    Link(String),
    /// A puzzle, at its beginning or where a link left it.
    Puzzle(String, Option<String>),
    /// Another place of the page, with what it is to show there.
    Elsewhere(crate::state::Place, String),
}

impl Place {
    /// Whether it takes the library to go there: another run. Other places bring theirs.
    pub fn needs_library(&self) -> bool {
        !matches!(self, Place::Elsewhere(..))
    }
}

/// Reads what stands after the `#`.
pub fn read(hash: &str) -> Option<Place> {
    let Address { run: text, puzzle, .. } = Address::of(hash);
    if let Some(id) = puzzle {
        return Some(Place::Puzzle(id, Some(text)));
    }
    let text = text.as_str();
    let (name, rest) = text.split_once('=').unwrap_or((text, ""));
    match crate::state::Place::named(name) {
        _ if text.is_empty() => None,
        Some(place) => Some(Place::Elsewhere(place, rest.into())),
        None if name == "puzzle" => Some(Place::Puzzle(rest.into(), None)),
        None if name == "s" => Some(Place::Scenario(rest.into())),
        None => Some(Place::Link(text.into())),
    }
}

/// The layout as the address names it; nothing for the automatic one.
pub fn named(arrange: Arrangement) -> String {
    let name = Arrangement::ALL.iter().find(|(_, a)| *a == arrange && *a != Arrangement::Auto);
    name.map_or(String::new(), |(name, _)| format!("&layout={name}"))
}

/// What stands after the `#` now, with it.
pub fn hash() -> String {
    web_sys::window().and_then(|w| w.location().hash().ok()).unwrap_or_default()
}

/// The layout that an address asks for.
pub fn layout(hash: &str) -> Arrangement {
    Address::of(hash).layout.and_then(|name| Arrangement::named(&name)).unwrap_or(Arrangement::Auto)
}

/// Names a scenario in the address, so that going back in the browser leads to the one before.
pub fn visit(id: &str, arrange: Arrangement) {
    push(&format!("#s={id}{}", named(arrange)));
}

/// Names a run in the address, so that going back in the browser leads to what was there before.
pub fn visit_run(link: &str) {
    push(&format!("#{link}"));
}

fn push(hash: &str) {
    if let Some(window) = web_sys::window()
        && let Ok(history) = window.history()
    {
        let _ = history.push_state_with_url(&JsValue::NULL, "", Some(hash));
    }
}

/// Names a puzzle in the address.
pub fn puzzle(id: &str) {
    push(&format!("#puzzle={id}"));
}

/// Names another place of the page in the address.
pub fn go(place: crate::state::Place, what: &str) {
    let name = place.name();
    push(&if what.is_empty() { format!("#{name}") } else { format!("#{name}={what}") });
}

/// Keeps the address true while the reader stays where they are: a reload loses nothing, and going back leads elsewhere.
pub fn keep(hash: &str) {
    if let Some(window) = web_sys::window()
        && let Ok(history) = window.history()
    {
        let _ = history.replace_state_with_url(&JsValue::NULL, "", Some(&format!("#{hash}")));
    }
}

/// The full address as it stands.
pub fn here() -> String {
    let location = web_sys::window().map(|w| w.location());
    location.and_then(|l| l.href().ok()).unwrap_or_default()
}

/// The full address of a shared run.
pub fn of_run(link: &str) -> String {
    format!("{}#{link}", here().split('#').next().unwrap_or_default())
}

/// Copies a text; says whether it worked.
pub fn copy(text: String, done: Callback<bool>) {
    let Some(window) = web_sys::window() else { return done.emit(false) };
    let clipboard = window.navigator().clipboard();
    if JsValue::from(&clipboard).is_undefined() {
        return done.emit(false); // only secure pages have one
    }
    yew::platform::spawn_local(async move {
        let copied = wasm_bindgen_futures::JsFuture::from(clipboard.write_text(&text)).await;
        done.emit(copied.is_ok());
    });
}

/// Calls back when the reader goes back or forward in the browser, or edits what stands after the `#`.
pub fn on_change(callback: Callback<String>) -> super::keys::Listener {
    super::keys::Listener::on_window("popstate", move |_| callback.emit(hash()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_is_a_scenario_a_run_or_nothing() {
        assert_eq!(read(""), None);
        assert_eq!(read("#"), None);
        assert_eq!(read("#s=alien-figure-2"), Some(Place::Scenario("alien-figure-2".into())));
        assert_eq!(read("#v=1&a=alien"), Some(Place::Link("v=1&a=alien".into())));
        assert_eq!(read("#v=1&a=alien&layout=ring"), read("#v=1&a=alien"));
        assert_eq!(read("#figures"), Some(Place::Elsewhere(crate::state::Place::Figures, String::new())));
        assert_eq!(read("#lab=alien"), Some(Place::Elsewhere(crate::state::Place::Lab, "alien".into())));
    }
}
