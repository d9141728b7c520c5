//! The form of a check: its system, field by field, and what to look for.

use crate::panels::form::FieldRows;
use crate::panels::problems::ProblemList;
use lockstep_check::{Check as System, CheckGoal, InteractiveCheck};
use lockstep_kernel::explore::RequestMeasure;
use std::rc::Rc;
use yew::prelude::*;

/// What the form needs.
#[derive(Properties, PartialEq)]
pub struct CheckFormProps {
    /// The check.
    pub run: InteractiveCheck,
    /// Called with the name of a field and its new text.
    pub set: Callback<(String, String)>,
    /// Called to begin a check.
    pub begin: Callback<(System, CheckGoal)>,
    /// Called to pause.
    pub stop: Callback<()>,
}

const WORST: [(RequestMeasure, &str); 4] = [
    (RequestMeasure::Forwards, "longest forwarding chain"),
    (RequestMeasure::Messages, "most messages for one entry"),
    (RequestMeasure::Steps, "longest wait, in steps"),
    (RequestMeasure::Bypass, "most often overtaken"),
];

/// The form.
#[component]
pub fn CheckForm(props: &CheckFormProps) -> Html {
    let begin = |goal: CheckGoal| {
        let (system, begin) = (props.run.system.clone(), props.begin.clone());
        move |_: MouseEvent| begin.emit((system.clone(), goal))
    };
    let stop = {
        let stop = props.stop.clone();
        move |_: MouseEvent| stop.emit(())
    };
    let problems: Rc<[String]> = props.run.other_problems().into();
    let (wrong, running) = (!props.run.possible, props.run.running);
    html! {
        <section class="check-form" aria-label="System">
            <FieldRows form="check" rows={props.run.rows()} set={props.set.clone()} />
            <div role="alert"><ProblemList list={problems} /></div>
            <div class="check-buttons">
                <button type="button" class="primary" hidden={running} disabled={wrong} onclick={begin(CheckGoal::Violation)}>{ "Check" }</button>
                <button type="button" class="button" hidden={!running} onclick={stop}>{ "Stop" }</button>
            </div>
            <p class="command" hidden={wrong}>{ "On the command line: " }<code>{ props.run.command() }</code></p>
            <details class="worst-choice">
                <summary>{ "Search for the worst case instead" }</summary>
                <div>{ for WORST.iter().map(|(measure, name)| html! {
                    <button key={*name} type="button" class="button" disabled={wrong || running} onclick={begin(CheckGoal::Worst(*measure))}>{ *name }</button>
                }) }</div>
            </details>
        </section>
    }
}
