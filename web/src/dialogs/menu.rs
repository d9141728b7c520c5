//! The menu of a thing on the stage: everything that may happen to this message or at this node, faults included.
//!
//! It opens with the other mouse button, by a long press, or by the context-menu key or Shift+F10 on a thing that has the focus.

use crate::browser::keys;
use crate::dialogs::sheet::{is_around, use_dialog};
use crate::run::Shown;
use crate::state::Action;
use lockstep_kernel::history::EnabledEvent;
use lockstep_kernel::{Event, Frame, NodeId};
use lockstep_scene::explain::why;
use std::rc::Rc;
use yew::prelude::*;

/// What a menu is about.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Thing {
    /// A message in flight, by its id.
    Message(u32),
    /// A node.
    Node(NodeId),
}

/// An open menu: its thing, and where.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Open {
    /// What it is about.
    pub thing: Thing,
    /// Pixels from the left of the window.
    pub x: f64,
    /// Pixels from the top of the window.
    pub y: f64,
}

/// What the menu needs.
#[derive(Properties, PartialEq)]
pub struct MenuProps {
    /// The moment.
    pub shown: Rc<Shown>,
    /// Which menu, if one is open.
    pub open: Option<Open>,
    /// Makes something happen.
    pub act: Callback<Action>,
}

/// Whether an event concerns a thing.
pub fn concerns(event: Event, thing: Thing, frame: &Frame) -> bool {
    let here = |thread| match thing {
        Thing::Node(node) => frame.nodes.get(node.index()).is_some_and(|n| n.threads.iter().any(|t| t.id == thread)),
        Thing::Message(_) => false,
    };
    match event {
        Event::Request(t) | Event::Lock(t, _) | Event::Cancel(t) | Event::Release(t) | Event::Migrate(t, _) => here(t),
        Event::Deliver(m) | Event::Drop(m) | Event::Duplicate(m) | Event::Hold(m) | Event::Resume(m) => {
            thing == Thing::Message(m) || matches!(event, Event::Deliver(_)) && arrives(m, thing, frame)
        }
        Event::Crash(n) | Event::Restart(n) => thing == Thing::Node(n),
    }
}

fn arrives(message: u32, thing: Thing, frame: &Frame) -> bool {
    frame.flights.iter().any(|f| f.id == message && thing == Thing::Node(f.to))
}

/// More choices than this nobody reads in a menu.
const MOST: usize = 60;

/// The menu.
#[component]
pub fn Menu(props: &MenuProps) -> Html {
    let list = use_node_ref();
    let dialog = use_dialog(props.open.is_some());
    let shut = props.act.reform(|()| Action::Menu(None));
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
    // pressed, not clicked: the finger of a long press is still to be lifted
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
    let place = props
        .open
        .map(|Open { x, y, .. }| format!("left:clamp(8px, {x}px, 100vw - 300px);top:clamp(8px, {y}px, 100vh - 320px)"));
    html! {
        <dialog class="menu" ref={dialog} style={place} aria-labelledby="menu-title" onkeydown={on_key} onpointerdown={around} onclose={closed}
            oncontextmenu={|e: MouseEvent| e.prevent_default()}>
            <div class="menu-inside">{ props.open.map_or_else(Html::default, |open| contents(props, open.thing, list)) }</div>
        </dialog>
    }
}

fn contents(props: &MenuProps, thing: Thing, list: NodeRef) -> Html {
    let (frame, setup) = (&props.shown.frame, &props.shown.origin.setup);
    let picks: Vec<&EnabledEvent> = props.shown.picks.iter().filter(|p| concerns(p.event, thing, frame)).collect();
    let more = picks.len().saturating_sub(MOST);
    let title = match thing {
        Thing::Node(node) => setup.name(node).to_owned(),
        Thing::Message(id) => frame.flights.iter().find(|f| f.id == id).map_or(String::new(), |f| f.label.clone()),
    };
    let stuck = if let Thing::Message(id) = thing { why::stuck(frame, setup, id) } else { None };
    let waits: Vec<String> = match thing {
        Thing::Node(node) => (frame.nodes[node.index()].threads.iter())
            .filter(|t| t.doing == lockstep_kernel::view::ThreadState::Waiting)
            .map(|t| format!("{} waits: {}.", t.name, why::waiting(frame, setup, &frame.nodes[node.index()], t)))
            .collect(),
        Thing::Message(_) => Vec::new(),
    };
    let item = |pick: &EnabledEvent| {
        let (act, event) = (props.act.clone(), pick.event);
        html! {
            <li key={format!("{event:?}")} role="none">
                <button type="button" role="menuitem" class={classes!(event.is_fault().then_some("fault"))}
                    onclick={move |_| act.emit(Action::Pick(event))}>{ &pick.title }</button>
            </li>
        }
    };
    html! {
        <>
            <h2 id="menu-title">{ title }</h2>
            <p class="hint" hidden={stuck.is_none()}>{ stuck.unwrap_or_default() }</p>
            <div class="waits">{ for waits.iter().map(|w| html! { <p key={w.clone()} class="hint">{ w }</p> }) }</div>
            <ul role="menu" aria-labelledby="menu-title" ref={list}>{ for picks.iter().take(MOST).map(|p| item(p)) }</ul>
            <p class="hint" hidden={more == 0}>{ format!("and {more} more") }</p>
        </>
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::run::Run;

    #[test]
    fn a_menu_has_what_concerns_its_thing() {
        let mut run = Run::of_library("alien-figure-1", 0).unwrap();
        run.seek_index(4);
        let shown = run.shown_with(Some(&mut |_| true));
        let flight = shown.frame.flights[0].clone();
        let of = |thing| {
            shown.picks.iter().filter(|p| concerns(p.event, thing, &shown.frame)).map(|p| p.event).collect::<Vec<_>>()
        };
        let message = of(Thing::Message(flight.id));
        assert!(message.contains(&Event::Deliver(flight.id)) && message.contains(&Event::Drop(flight.id)));
        assert!(message.iter().all(|e| !matches!(e, Event::Request(_) | Event::Crash(_))));
        let node = of(Thing::Node(flight.to));
        assert!(node.contains(&Event::Deliver(flight.id)) && node.contains(&Event::Crash(flight.to)));
        assert!(!node.contains(&Event::Drop(flight.id)), "what happens to a message is in its own menu");
    }
}
