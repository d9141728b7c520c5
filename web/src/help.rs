//! The sheet of keys.

use crate::browser::keys;
use crate::icons;
use crate::state::Action;
use yew::prelude::*;

const KEYS: [(&str, &str); 18] = [
    ("→  or  space", "one step"),
    ("←", "one step back"),
    ("Home", "to the start"),
    ("End", "to the end of the known line"),
    ("p", "play, pause"),
    ("1 … 9", "to a stop of the figure"),
    ("e", "what can happen next"),
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
    let close = use_node_ref();
    {
        let close = close.clone();
        use_effect_with(props.open, move |open| {
            if *open {
                keys::focus(&close);
            }
        });
    }
    let shut = {
        let act = props.act.clone();
        move |_: MouseEvent| act.emit(Action::Help(false))
    };
    let row = |(key, what): &(&'static str, &'static str)| {
        html! { <div key={*key}><dt><kbd>{ *key }</kbd></dt><dd>{ *what }</dd></div> }
    };
    html! {
        <div class="sheet-around" hidden={!props.open} onclick={shut.clone()}>
            <section class="sheet" role="dialog" aria-modal="true" aria-labelledby="keys-title" onclick={|e: MouseEvent| e.stop_propagation()}>
                <div class="sheet-head">
                    <h2 id="keys-title">{ "Keys" }</h2>
                    <button type="button" class="tool" aria-label="Close" ref={close} onclick={shut}>{ icons::icon(icons::CROSS) }</button>
                </div>
                <dl>{ for KEYS.iter().map(row) }</dl>
                <p>{ "Click a node to look inside it, a message to deliver it, a column of the space-time diagram to go there; the other mouse button or a long press opens a menu with everything that may happen there." }</p>
            </section>
        </div>
    }
}
