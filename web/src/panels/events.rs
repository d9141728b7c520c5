//! You are the scheduler: everything that can happen next, ready to be picked. Faults are folded away below.

use crate::run::Shown;
use crate::state::{Action, Until};
use lockstep_kernel::history::EnabledEvent;
use lockstep_kernel::view::ThreadState;
use lockstep_scene::explain::{why, words};
use yew::prelude::*;

/// More reasons than this nobody reads.
const MOST_WAITS: usize = 12;

/// The list of possible events.
pub fn events_panel(shown: &Shown, act: &Callback<Action>) -> Html {
    let item = |pick: &EnabledEvent| {
        let (act, event) = (act.clone(), pick.event);
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
    let (frame, setup) = (&shown.frame, &shown.origin.setup);
    let waits = frame.nodes.iter().flat_map(|n| n.threads.iter().map(move |t| (n, t)));
    let waits = waits.filter(|(_, t)| t.doing == ThreadState::Waiting).take(MOST_WAITS).map(|(node, thread)| {
        let (act, id) = (act.clone(), thread.id);
        html! {
            <li key={id.0} class="wait">
                <p><b>{ &thread.name }</b>{ " waits: " }{ why::waiting(frame, setup, node, thread) }{ "." }</p>
                <button type="button" title={format!("Go on until {} enters", thread.name)}
                    onclick={move |_| act.emit(Action::Until(Until::Enters(id)))}>{ "until it enters" }</button>
            </li>
        }
    });
    let waits: Vec<Html> = waits.collect();
    let until = |title: &'static str, key: &'static str, until: Until| {
        let act = act.clone();
        html! { <button type="button" title={format!("{title} ({key})")} onclick={move |_| act.emit(Action::Until(until))}>{ title }</button> }
    };
    let (faults, usual): (Vec<&EnabledEvent>, Vec<&EnabledEvent>) =
        shown.picks.iter().partition(|p| p.event.is_fault());
    html! {
        <>
            <h2>{ "You are the scheduler" }</h2>
            <p class="hint">{ "Every one of these may happen next. Picking another than the one marked begins a branch; nothing is lost." }</p>
            <p class="empty" hidden={!usual.is_empty()}>{ "Nothing can happen: no message is under way and no thread can ask or leave." }</p>
            <ul class="picks">{ for usual.iter().map(|p| item(p)) }</ul>
            <div class="until" role="group" aria-label="Go on until">
                <span>{ "Go on until" }</span>
                { until("somebody enters", "g", Until::Grant) }
                { until("something is violated", "v", Until::Violation) }
            </div>
            <section class="waits" hidden={waits.is_empty()}>
                <h2>{ "Who waits, and for what" }</h2>
                <ul>{ for waits }</ul>
            </section>
            <details class="faults" hidden={faults.is_empty()}>
                <summary>{ format!("Faults and interventions ({})", faults.len() + shown.more_faults) }</summary>
                <p class="hint">{ "What the algorithm does not promise to survive." }</p>
                <ul class="picks">{ for faults.iter().map(|p| item(p)) }</ul>
                <p class="hint" hidden={shown.more_faults == 0}>
                    { format!("{} more: the menu of a node or a message (right click, long press) has what concerns it.", shown.more_faults) }
                </p>
            </details>
        </>
    }
}
