//! The page's own icons: 20 by 20, one stroke width, no fill.

use yew::prelude::*;

/// An icon by its strokes.
pub fn icon(d: &'static str) -> Html {
    html! { <svg class="icon" viewBox="0 0 20 20" aria-hidden="true" focusable="false"><path d={d} /></svg> }
}

/// To the beginning.
pub const START: &str = "M5 4v12M15 4.5v11L7.5 10z";
/// One step back.
pub const BACK: &str = "M13.5 4.5v11L5.5 10z";
/// Play.
pub const PLAY: &str = "M6.5 4.5v11l8-5.5z";
/// Pause.
pub const PAUSE: &str = "M7 4.5v11M13 4.5v11";
/// A link.
pub const LINK: &str = "M8.5 11.5a3 3 0 0 0 4.2 0l2.4-2.4a3 3 0 0 0-4.2-4.2l-.9.9M11.5 8.5a3 3 0 0 0-4.2 0l-2.4 2.4a3 3 0 0 0 4.2 4.2l.9-.9";
/// Light.
pub const SUN: &str = "M10 6.5a3.5 3.5 0 1 1 0 7 3.5 3.5 0 0 1 0-7M10 2v1.5M10 16.5V18M2 10h1.5M16.5 10H18M4.3 4.3l1.1 1.1M14.6 14.6l1.1 1.1M4.3 15.7l1.1-1.1M14.6 5.4l1.1-1.1";
/// Dark.
pub const MOON: &str = "M16 11.8A6.5 6.5 0 0 1 8.2 4a6.5 6.5 0 1 0 7.8 7.8z";
/// As the system has it.
pub const HALF: &str = "M10 3.5a6.5 6.5 0 1 1 0 13 6.5 6.5 0 0 1 0-13M10 3.5v13M10 7h4.8M10 10h6.5M10 13h4.8";
/// Keys.
pub const KEYS: &str = "M3 5.5h14v9H3zM6 8.5h.01M10 8.5h.01M14 8.5h.01M7 11.5h6";
/// Right.
pub const CHECK: &str = "M4.5 10.5l3.5 3.5 7.5-8";
/// Wrong, close.
pub const CROSS: &str = "M5.5 5.5l9 9M14.5 5.5l-9 9";
/// A branch.
pub const BRANCH: &str = "M6 4v12M6 12c0-4 8-1.500 8-6M14 4v2";
/// Folded and unfolded.
pub const CHEVRON: &str = "M5.500 8l4.500 4.500L14.500 8";
/// To a file.
pub const SAVE: &str = "M10 3.500v9M6.500 9l3.500 3.500L13.500 9M4 16h12";
/// Take back.
pub const UNDO: &str = "M4.5 8h8a3.5 3.5 0 0 1 0 7H8M7.500 4.500L4 8l3.500 3.500";
/// Made again.
pub const REDO: &str = "M15.500 8h-8a3.500 3.500 0 0 0 0 7h4.500M12.500 4.500L16 8l-3.500 3.500";
/// To a room full of people.
pub const PRESENT: &str = "M3.500 7.500v-4h4M12.500 3.500h4v4M16.500 12.500v4h-4M7.500 16.500h-4v-4";
/// Lanes under each other.
pub const LANES: &str = "M4 5.500h12M6.500 10H16M6.500 14.500H16";
