//! The menu of a node or a message: the events that concern it, faults included.
//!
//! It opens with a right click, a long press, or the context-menu key (Shift+F10) on a node or
//! message that has the focus.

use crate::browser::keys;
use crate::dialogs::sheet::{is_around, use_dialog};
use crate::hooks::{PageAct, use_act};
use lockstep_kernel::history::EnabledEvent;
use lockstep_session::menu::{MenuContents, OpenMenu};
use lockstep_session::{Action, StepView};
use std::rc::Rc;
use yew::prelude::*;

/// What the menu needs.
#[derive(Properties, PartialEq)]
pub struct MenuProps {
    /// The step.
    pub shown: Rc<StepView>,
    /// Which menu, if one is open.
    pub open: Option<OpenMenu>,
}

/// The menu.
#[component]
pub fn Menu(props: &MenuProps) -> Html {
    let list = use_node_ref();
    let dialog = use_dialog(props.open.is_some());
    let act = use_act();
    let shut = act.reform(|()| Action::Menu(None));
    let on_key = {
        let (shut, list) = (shut.clone(), list.clone());
        Callback::from(move |event: KeyboardEvent| {
            event.stop_propagation();
            match event.key().as_str() {
                "Escape" | "Tab" => shut.emit(()),
                "ArrowDown" => keys::focus_neighbour(&list, 1),
                "ArrowUp" => keys::focus_neighbour(&list, -1),
                _ => return,
            }
            event.prevent_default();
        })
    };
    // on pressing, not on clicking: the finger of a long press is still down
    let around = {
        let (shut, dialog) = (shut.clone(), dialog.clone());
        move |event: PointerEvent| {
            if is_around(&event, &dialog) {
                shut.emit(());
            }
        }
    };
    let closed = {
        let open = props.open.is_some();
        move |_: yew::Event| {
            if open {
                shut.emit(());
            }
        }
    };
    let place = props.open.map(|OpenMenu { x, y, .. }| {
        format!("left:clamp(8px, {x}px, 100vw - 300px);top:clamp(8px, {y}px, 100vh - 320px)")
    });
    html! {
        <dialog class="menu" ref={dialog} style={place} aria-labelledby="menu-title" onkeydown={on_key} onpointerdown={around} onclose={closed}
            oncontextmenu={|e: MouseEvent| e.prevent_default()}>
            <div class="menu-inside">{ props.open.map_or_else(Html::default, |open| contents(&MenuContents::of(&props.shown, open.subject), list, &act)) }</div>
        </dialog>
    }
}

fn contents(menu: &MenuContents<'_>, list: NodeRef, act: &PageAct) -> Html {
    let item = |pick: &EnabledEvent| {
        let (act, event) = (act.clone(), pick.event);
        html! {
            <li key={format!("{event:?}")} role="none">
                <button type="button" role="menuitem" class={classes!(event.is_fault().then_some("fault"))}
                    onclick={move |_| act.emit(Action::Pick(event))}>{ &pick.title }</button>
            </li>
        }
    };
    html! {
        <>
            <h2 id="menu-title">{ &menu.title }</h2>
            <div class="waits">{ for menu.hints.iter().map(|hint| html! { <p key={hint.clone()} class="hint">{ hint }</p> }) }</div>
            <ul role="menu" aria-labelledby="menu-title" ref={list}>{ for menu.picks.iter().map(|p| item(p)) }</ul>
            <p class="hint" hidden={menu.more == 0}>{ format!("and {} more", menu.more) }</p>
        </>
    }
}
