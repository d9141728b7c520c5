//! The list of events that can happen next: the reader is the scheduler. Faults are folded.

use crate::hooks::PageAct;
use lockstep_kernel::history::EnabledEvent;
use lockstep_kernel::view::ThreadState;
use lockstep_scene::explain::why;
use lockstep_session::labels::event_note;
use lockstep_session::{Action, StepView, StopCondition};
use yew::prelude::*;

/// The most waiting threads that are listed.
const MOST_WAITS: usize = 12;

/// The list of possible events.
pub fn events_panel(shown: &StepView, act: &PageAct) -> Html {
    let item = |pick: &EnabledEvent| {
        let (act, event) = (act.clone(), pick.event);
        let next = shown.next == Some(event);
        html! {
            <li key={format!("{event:?}")}>
                <button type="button" class={classes!("pick", next.then_some("next"))} onclick={move |_| act.emit(Action::Pick(event))}>
                    <span>{ &pick.title }</span><small>{ event_note(shown, pick) }</small>
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
                <p><b>{ &thread.name }</b>{ " waits: " }{ why::explain_wait(frame, setup, node, thread) }{ "." }</p>
                <button type="button" title={format!("Run until {} enters", thread.name)}
                    onclick={move |_| act.emit(Action::Until(StopCondition::Entry(id)))}>{ "run until it enters" }</button>
            </li>
        }
    });
    let waits: Vec<Html> = waits.collect();
    let until = |title: &'static str, key: &'static str, until: StopCondition| {
        let act = act.clone();
        html! { <button type="button" title={format!("{title} ({key})")} onclick={move |_| act.emit(Action::Until(until))}>{ title }</button> }
    };
    let (faults, usual): (Vec<&EnabledEvent>, Vec<&EnabledEvent>) =
        shown.picks.iter().partition(|p| p.event.is_fault());
    html! {
        <>
            <h2>{ "You are the scheduler" }</h2>
            <p class="hint">{ "Any of these events can happen next. Choosing any event but the marked one starts a branch; nothing is lost." }</p>
            <p class="empty" hidden={!usual.is_empty()}>{ "No event is possible: no message is in flight and no thread can request or release." }</p>
            <ul class="picks">{ for usual.iter().map(|p| item(p)) }</ul>
            <div class="until" role="group" aria-label="Run until">
                <span>{ "Run until" }</span>
                { until("a thread enters", "g", StopCondition::AnyEntry) }
                { until("an invariant is violated", "v", StopCondition::Violation) }
            </div>
            <section class="waits" hidden={waits.is_empty()}>
                <h2>{ "Waiting threads" }</h2>
                <ul>{ for waits }</ul>
            </section>
            <details class="faults" hidden={faults.is_empty()}>
                <summary>{ format!("Faults and interventions ({})", faults.len() + shown.more_faults) }</summary>
                <p class="hint">{ "Events that the algorithm need not tolerate." }</p>
                <ul class="picks">{ for faults.iter().map(|p| item(p)) }</ul>
                <p class="hint" hidden={shown.more_faults == 0}>
                    { format!("{} more: open the menu of a node or a message (right click or long press) for its own events.", shown.more_faults) }
                </p>
            </details>
        </>
    }
}
