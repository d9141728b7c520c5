//! Dialogs as the browser's own `<dialog>`, which keeps the focus inside and restores it on
//! closing.

use crate::browser::keys;
use crate::panels::icons;
use yew::prelude::*;

/// A dialog that is open or not. Its element has to be a `<dialog>`.
#[hook]
pub fn use_dialog(open: bool) -> NodeRef {
    let dialog = use_node_ref();
    {
        let dialog = dialog.clone();
        use_effect_with(open, move |open| keys::show_dialog(&dialog, *open));
    }
    dialog
}

/// Whether a click was on the dialog itself, which is what surrounds its contents.
pub fn is_around(event: &MouseEvent, dialog: &NodeRef) -> bool {
    event.target().is_some_and(|target| dialog.get().is_some_and(|node| *node == target))
}

/// What a sheet needs.
#[derive(Properties, PartialEq)]
pub struct SheetProps {
    /// Whether it is open.
    pub open: bool,
    /// Its title.
    pub title: &'static str,
    /// Closes it.
    pub shut: Callback<()>,
    /// What stands in it.
    pub children: Html,
}

/// A sheet with a title and a cross.
#[component]
pub fn Sheet(props: &SheetProps) -> Html {
    let dialog = use_dialog(props.open);
    let cross = props.shut.reform(|_: MouseEvent| ());
    let around = {
        let (dialog, shut) = (dialog.clone(), props.shut.clone());
        move |event: MouseEvent| {
            if is_around(&event, &dialog) {
                shut.emit(());
            }
        }
    };
    // the browser closes it too: Escape, a phone's back button
    let closed = {
        let (open, shut) = (props.open, props.shut.clone());
        move |_: yew::Event| {
            if open {
                shut.emit(());
            }
        }
    };
    html! {
        <dialog class="sheet" ref={dialog} aria-label={props.title} onclick={around} onclose={closed}>
            <div class="sheet-inside">
                <div class="sheet-head">
                    <h2>{ props.title }</h2>
                    <button type="button" class="tool" aria-label="Close" onclick={cross}>{ icons::icon(icons::CROSS) }</button>
                </div>
                { props.children.clone() }
            </div>
        </dialog>
    }
}
