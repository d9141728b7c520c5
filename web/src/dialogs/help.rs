//! What the keys mean, and the sheet that says so.

use crate::browser::keys::Focus;
use crate::dialogs::sheet::Sheet;
use crate::state::{Action, Place, State, Tab, Until};
use yew::prelude::*;

const KEYS: [(&str, &str); 19] = [
    ("→  or  space", "one step"),
    ("←", "one step back"),
    ("Home", "to the start"),
    ("End", "to the end of the known line"),
    ("p", "play, pause"),
    ("1 … 9", "to a stop of the figure"),
    ("e", "what can happen next"),
    ("Shift ←, →", "what just arrived arrives earlier, later"),
    ("g", "go on until somebody enters"),
    ("v", "go on until something is violated"),
    ("w", "show what led to this step"),
    ("t", "everything that was tried"),
    ("Ctrl Z, Ctrl Y", "undo, redo"),
    ("f", "present to a room, or no more"),
    ("Page ↓, Page ↑", "when presenting: step, back"),
    ("b", "when presenting: a dark screen"),
    ("Shift F10", "the menu of a node or message that has the focus"),
    ("?", "this sheet"),
    ("Esc", "close it; pause"),
];

/// What a key means.
pub fn meaning(key: &str, focus: Focus, state: &State) -> Option<Action> {
    if key == "Escape" {
        if state.menu.is_some() {
            return Some(Action::Menu(None));
        }
        if state.export {
            return Some(Action::Export(false));
        }
        if state.blank {
            return Some(Action::Blank);
        }
        if state.presenting && !state.help && !state.playing {
            return Some(Action::Present);
        }
        return Some(if state.help { Action::Help(false) } else { Action::Pause });
    }
    if let ("Undo" | "Redo", Focus::Page | Focus::Control) = (key, focus) {
        return Some(if key == "Undo" { Action::Undo } else { Action::Redo });
    }
    if key == "?" && focus != Focus::Field {
        return Some(Action::Help(true));
    }
    if state.help || focus == Focus::Field || state.place != Place::Stage {
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
        "f" | "F" if !state.embedded => Some(Action::Present),
        // the keys of a remote control
        "PageDown" if state.presenting => Some(Action::Step),
        "PageUp" if state.presenting => Some(Action::Back),
        "b" | "B" | "." if state.presenting => Some(Action::Blank),
        "w" | "W" => Some(Action::Why),
        "g" | "G" => Some(Action::Until(Until::Grant)),
        "v" | "V" => Some(Action::Until(Until::Violation)),
        "e" | "E" => Some(Action::Tab(if state.tab == Tab::Events { Tab::Node } else { Tab::Events })),
        "t" | "T" => Some(Action::Tab(if state.tab == Tab::Branches { Tab::Node } else { Tab::Branches })),
        digit => {
            let number: usize = digit.parse().ok().filter(|n| (1..=9).contains(n))?;
            (number <= state.run.stops.len()).then(|| Action::Stop(number - 1))
        }
    }
}

/// What the sheet needs.
#[derive(Properties, PartialEq)]
pub struct HelpProps {
    /// Whether it is open.
    pub open: bool,
    /// Makes something happen.
    pub act: Callback<Action>,
}

/// The sheet of keys.
#[component]
pub fn Help(props: &HelpProps) -> Html {
    let shut = props.act.reform(|()| Action::Help(false));
    let row = |(key, what): &(&'static str, &'static str)| {
        html! { <div key={*key}><dt><kbd>{ *key }</kbd></dt><dd>{ *what }</dd></div> }
    };
    html! {
        <Sheet open={props.open} title="Keys" {shut}>
            <dl>{ for KEYS.iter().map(row) }</dl>
            <p>{ "Click a node to look inside it, a message to deliver it, a column of the space-time diagram to go there; the other mouse button or a long press opens a menu with everything that may happen there." }</p>
        </Sheet>
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_mean_what_the_sheet_says() {
        let mut state = crate::state::tests::state();
        let on = |key: &str, focus, state: &State| meaning(key, focus, state);
        assert_eq!(on("ArrowRight", Focus::Page, &state), Some(Action::Step));
        assert_eq!(on(" ", Focus::Control, &state), None, "space presses a button");
        assert_eq!(on("ArrowRight", Focus::Field, &state), None, "arrows move a slider");
        assert_eq!(on("Earlier", Focus::Page, &state), Some(Action::Nudge(true)));
        assert_eq!(on("6", Focus::Page, &state), Some(Action::Stop(5)));
        assert_eq!(on("7", Focus::Page, &state), None, "there are six stops");
        assert_eq!(on("Escape", Focus::Page, &state), Some(Action::Pause));
        assert_eq!(on("PageDown", Focus::Page, &state), None, "it scrolls");
        state.apply(Action::Present);
        assert_eq!(on("PageDown", Focus::Page, &state), Some(Action::Step));
        assert_eq!(on("b", Focus::Page, &state), Some(Action::Blank));
        assert_eq!(on("Escape", Focus::Page, &state), Some(Action::Present));
        state.apply(Action::Present);
        state.apply(Action::Help(true));
        assert_eq!(on("Escape", Focus::Field, &state), Some(Action::Help(false)));
        assert_eq!(on("ArrowRight", Focus::Page, &state), None, "the sheet is open");
    }
}
