//! What is shown before the first check: what a check does, what it looks for, and examples to
//! start with.

use lockstep_check::{Check, CheckExample, EXAMPLES, prepare};
use yew::prelude::*;

/// What it needs.
#[derive(Properties, PartialEq)]
pub struct FirstProps {
    /// The system of the form.
    pub system: Check,
    /// Whether a check was begun.
    pub hidden: bool,
    /// Checks a system.
    pub check: Callback<Check>,
}

/// What is shown before the first check.
#[component]
pub fn First(props: &FirstProps) -> Html {
    let sought = prepare(&props.system).map_or_else(|_| Vec::new(), |prepared| prepared.invariants());
    let example = |example: &CheckExample| {
        let (system, check) = (example.system(&props.system), props.check.clone());
        let begin = move |_: MouseEvent| system.iter().for_each(|system| check.emit(system.clone()));
        html! { <li key={example.title}><button type="button" class="plain" onclick={begin}>{ example.title }</button></li> }
    };
    html! {
        <div class="check-first" hidden={props.hidden}>
            <h2>{ "Every order of events" }</h2>
            <p>{ "The checker explores every order of events, breadth first. The first violation it finds is a shortest counterexample, which you can play on the stage. A small system without a violation proves nothing about larger ones." }</p>
            <h2>{ "Invariants" }</h2>
            <ul class="sought">{ for sought.iter().map(|name| html! { <li key={*name}>{ *name }</li> }) }</ul>
            <h2>{ "Examples" }</h2>
            <ul class="examples">{ for EXAMPLES.iter().map(example) }</ul>
        </div>
    }
}
