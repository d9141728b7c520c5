//! What the browser remembers for the reader: the theme, answers given, scenarios opened; and for a tab, what was on the stage. It may refuse; then the page simply forgets.

use super::json;
use crate::state::{Left, State, Theme};

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

fn session() -> Option<web_sys::Storage> {
    web_sys::window()?.session_storage().ok()?
}

const LEFT: &str = "lockstep.left";

/// Remembers for this tab what is on the stage when the page is left at this address.
pub fn leave(here: &str, left: &Left) {
    if let Some(session) = session() {
        let _ = session.set_item(LEFT, &format!("{here}\n{}", left.text()));
    }
}

/// What was on the stage when the page was left at this address.
pub fn left(here: &str) -> Option<Left> {
    let text = session()?.get_item(LEFT).ok()??;
    let (at, left) = text.split_once('\n')?;
    Left::read(left).filter(|_| at == here)
}

/// Brings back what was remembered.
pub fn recall(state: &mut State) {
    state.theme = Theme::named(&get("theme").unwrap_or_default());
    state.answers = get("answers").and_then(|text| json::read(&text)).unwrap_or_default();
    state.solved = get("puzzles").and_then(|text| json::read(&text)).unwrap_or_default();
    state.opened = get("opened").and_then(|text| json::read(&text)).unwrap_or_default();
    state.strip = get("strip").as_deref() != Some("folded");
    let speed = get("speed").and_then(|s| s.parse().ok());
    state.speed = speed.filter(|s| *s < crate::state::SPEEDS.len()).unwrap_or(state.speed);
}

/// Remembers it.
pub fn remember(state: &State) {
    set("theme", state.theme.name());
    set("answers", &json::write(&state.answers).unwrap_or_default());
    set("puzzles", &json::write(&state.solved).unwrap_or_default());
    set("opened", &json::write(&state.opened).unwrap_or_default());
    set("strip", if state.strip { "open" } else { "folded" });
    set("speed", &state.speed.to_string());
}
