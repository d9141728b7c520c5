//! What the browser stores for the reader (preferences), and for a tab (the stage, for a reload).
//! A browser that refuses stores nothing; the page works without it, and says so where something is
//! lost.

use super::json;
use lockstep_session::{Preferences, ReloadSnapshot, SPEEDS, Theme};

fn local() -> Option<web_sys::Storage> {
    web_sys::window()?.local_storage().ok()?
}

/// What is stored under a name.
pub fn get(key: &str) -> Option<String> {
    local()?.get_item(&format!("lockstep.{key}")).ok()?
}

/// Stores something under a name; whether the browser does.
pub fn set(key: &str, value: &str) -> bool {
    local().is_some_and(|storage| storage.set_item(&format!("lockstep.{key}"), value).is_ok())
}

fn tab() -> Option<web_sys::Storage> {
    web_sys::window()?.session_storage().ok()?
}

const LEFT: &str = "lockstep.left";

/// Stores the stage for a reload of this tab at this address.
pub fn keep(here: &str, snapshot: &ReloadSnapshot) {
    if let Some(tab) = tab() {
        let kept = tab.set_item(LEFT, &format!("{here}\n{}", snapshot.text()));
        if kept.is_err() {
            // there is no room: the address opens the run too, an older stage would be wrong
            let _ = tab.remove_item(LEFT);
        }
    }
}

/// The stage as it was left at this address.
pub fn kept(here: &str) -> Option<ReloadSnapshot> {
    let text = tab()?.get_item(LEFT).ok()??;
    let (at, snapshot) = text.split_once('\n')?;
    ReloadSnapshot::read(snapshot).filter(|_| at == here)
}

/// The preferences of the reader.
pub fn preferences() -> Preferences {
    let first = Preferences::default();
    let speed = get("speed").and_then(|s| s.parse().ok()).filter(|s| *s < SPEEDS.len());
    Preferences {
        theme: Theme::named(&get("theme").unwrap_or_default()),
        answers: get("answers").and_then(|text| json::read(&text)).unwrap_or_default(),
        solved: get("puzzles").and_then(|text| json::read(&text)).unwrap_or_default(),
        opened: get("opened").and_then(|text| json::read(&text)).unwrap_or_default(),
        diagram: get("strip").as_deref() != Some("folded"),
        speed: speed.unwrap_or(first.speed),
    }
}

/// Stores the preferences; whether the browser stores all of them.
pub fn persist(preferences: &Preferences) -> bool {
    let stored = [
        set("theme", preferences.theme.name()),
        set("answers", &json::write(&preferences.answers).unwrap_or_default()),
        set("puzzles", &json::write(&preferences.solved).unwrap_or_default()),
        set("opened", &json::write(&preferences.opened).unwrap_or_default()),
        set("strip", if preferences.diagram { "open" } else { "folded" }),
        set("speed", &preferences.speed.to_string()),
    ];
    !stored.contains(&false)
}
