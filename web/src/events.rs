//! You are the scheduler: everything that can happen next, ready to be picked. Faults are folded away below.

use crate::run::Shown;
use crate::state::Action;
use lockstep_kernel::history::Pick;
use lockstep_scene::words;
use std::rc::Rc;
use yew::prelude::*;

/// What the list needs.
#[derive(Properties, PartialEq)]
pub struct EventsProps {
    /// The moment.
    pub shown: Rc<Shown>,
    /// Makes something happen.
    pub act: Callback<Action>,
}

/// The list of possible events.
#[component]
pub fn EventsPanel(props: &EventsProps) -> Html {
    let shown = &props.shown;
    let item = |pick: &Pick| {
        let (act, event) = (props.act.clone(), pick.event);
        let next = shown.next == Some(event);
        let note = match (next, pick.due) {
            (true, _) if shown.is_replay() && shown.origin.is_figure() => "next in the figure".into(),
            (true, _) if shown.is_replay() => "chosen before".into(),
            (true, _) => "next by the clock".into(),
            (false, Some(due)) => words::due(due, shown.frame.now),
            (false, None) => String::new(),
        };
        html! {
            <li key={format!("{event:?}")}>
                <button type="button" class={classes!("pick", next.then_some("next"))} onclick={move |_| act.emit(Action::Pick(event))}>
                    <span>{ &pick.title }</span><small>{ note }</small>
                </button>
            </li>
        }
    };
    let (faults, usual): (Vec<&Pick>, Vec<&Pick>) = shown.picks.iter().partition(|p| p.event.is_fault());
    html! {
        <>
            <h2>{ "You are the scheduler" }</h2>
            <p class="hint">{ "Every one of these may happen next. Picking another than the one marked begins a branch; nothing is lost." }</p>
            <p class="empty" hidden={!usual.is_empty()}>{ "Nothing can happen: no message is under way and no thread can ask or leave." }</p>
            <ul class="picks">{ for usual.iter().map(|p| item(p)) }</ul>
            <details class="faults" hidden={faults.is_empty()}>
                <summary>{ format!("Faults and interventions ({})", faults.len()) }</summary>
                <p class="hint">{ "What the algorithm does not promise to survive." }</p>
                <ul class="picks">{ for faults.iter().map(|p| item(p)) }</ul>
            </details>
        </>
    }
}
