//! What the keys mean, and how the help sheet describes them.

use crate::action::Action;
use crate::choices::{InspectorTab, PagePlace, StopCondition};
use crate::session::Session;

/// Where a key was pressed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Focus {
    /// On nothing in particular.
    Page,
    /// On a button, a link, a tab: Enter and space belong to it.
    Control,
    /// On a slider: arrows and the keys that jump belong to it.
    Slider,
    /// On a field: every key belongs to it.
    Field,
}

/// Every key with its meaning.
pub const KEYS: [(&str, &str); 19] = [
    ("→  or  space", "one step"),
    ("←", "one step back"),
    ("Home", "to the start of the timeline"),
    ("End", "to the end of the timeline"),
    ("p", "play, pause"),
    ("1 … 9", "to a stop of the figure"),
    ("e", "list the events that can happen next"),
    ("Shift ←, →", "deliver the message of this step earlier, later"),
    ("g", "run until a thread enters"),
    ("v", "run until an invariant is violated"),
    ("w", "show the causes of this step"),
    ("t", "list the branches"),
    ("Ctrl Z, Ctrl Y", "undo, redo"),
    ("f", "presentation view on, off"),
    ("Page ↓, Page ↑", "when presenting: step, back"),
    ("b", "when presenting: darken the screen"),
    ("Shift F10", "open the menu of the focused node or message"),
    ("?", "open this help"),
    ("Esc", "close; pause"),
];

/// What a key means.
pub fn meaning(key: &str, focus: Focus, session: &Session) -> Option<Action> {
    if key == "Escape" {
        if session.menu.is_some() {
            return Some(Action::Menu(None));
        }
        if session.export {
            return Some(Action::Export(false));
        }
        if session.blank {
            return Some(Action::Blank);
        }
        if session.presenting && !session.help && !session.playing {
            return Some(Action::Present);
        }
        return Some(if session.help { Action::Help(false) } else { Action::Pause });
    }
    if matches!(key, "Undo" | "Redo") && focus != Focus::Field {
        return Some(if key == "Undo" { Action::Undo } else { Action::Redo });
    }
    if key == "?" && focus != Focus::Field {
        return Some(Action::Help(true));
    }
    if session.help || focus == Focus::Field || session.place != PagePlace::Stage {
        return None;
    }
    if focus == Focus::Slider && matches!(key, "ArrowRight" | "ArrowLeft" | "Home" | "End" | "PageUp" | "PageDown") {
        return None;
    }
    match key {
        "ArrowRight" => Some(Action::Step),
        " " if focus == Focus::Page => Some(Action::Step),
        "ArrowLeft" => Some(Action::Back),
        "Earlier" | "Later" => Some(Action::Nudge(key == "Earlier")),
        "Home" => Some(Action::Start),
        "End" => Some(Action::End),
        "p" | "P" => Some(Action::Toggle),
        "f" | "F" if !session.embedded => Some(Action::Present),
        // the keys of a remote control
        "PageDown" if session.presenting => Some(Action::Step),
        "PageUp" if session.presenting => Some(Action::Back),
        "b" | "B" | "." if session.presenting => Some(Action::Blank),
        "w" | "W" => Some(Action::Why),
        "g" | "G" => Some(Action::Until(StopCondition::AnyEntry)),
        "v" | "V" => Some(Action::Until(StopCondition::Violation)),
        "e" | "E" => Some(Action::Tab(if session.tab == InspectorTab::Events {
            InspectorTab::Node
        } else {
            InspectorTab::Events
        })),
        "t" | "T" => Some(Action::Tab(if session.tab == InspectorTab::Branches {
            InspectorTab::Node
        } else {
            InspectorTab::Branches
        })),
        digit => {
            let number: usize = digit.parse().ok().filter(|n| (1..=9).contains(n))?;
            (number <= session.run.stops.len()).then(|| Action::Stop(number - 1))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_mean_what_the_sheet_says() {
        let mut session = crate::tests::session();
        let on = |key: &str, focus, session: &Session| meaning(key, focus, session);
        assert_eq!(on("ArrowRight", Focus::Page, &session), Some(Action::Step));
        assert_eq!(on(" ", Focus::Control, &session), None, "space presses a button");
        assert_eq!(on("ArrowRight", Focus::Field, &session), None, "arrows move in a field");
        assert_eq!(on("ArrowRight", Focus::Slider, &session), None, "arrows move a slider");
        assert_eq!(on("3", Focus::Slider, &session), Some(Action::Stop(2)), "a slider has no use for digits");
        assert_eq!(on("3", Focus::Field, &session), None, "a field has");
        assert_eq!(on("Earlier", Focus::Page, &session), Some(Action::Nudge(true)));
        assert_eq!(on("6", Focus::Page, &session), Some(Action::Stop(5)));
        assert_eq!(on("7", Focus::Page, &session), None, "there are six stops");
        assert_eq!(on("Escape", Focus::Page, &session), Some(Action::Pause));
        assert_eq!(on("PageDown", Focus::Page, &session), None, "it scrolls");
        session.apply(Action::Present);
        assert_eq!(on("PageDown", Focus::Page, &session), Some(Action::Step));
        assert_eq!(on("b", Focus::Page, &session), Some(Action::Blank));
        assert_eq!(on("Escape", Focus::Page, &session), Some(Action::Present));
        session.apply(Action::Present);
        session.apply(Action::Help(true));
        assert_eq!(on("Escape", Focus::Field, &session), Some(Action::Help(false)));
        assert_eq!(on("ArrowRight", Focus::Page, &session), None, "the sheet is open");
    }
}
