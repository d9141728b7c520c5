//! The form for a system of the reader's own: any algorithm, any size.

use crate::hooks::use_act;
use crate::panels::form::FieldRows;
use lockstep_session::own::{self, FIRST_FIELDS};
use lockstep_session::{Action, Origin};
use lockstep_spec::FormField;
use std::rc::Rc;
use yew::prelude::*;

/// What the form needs.
#[derive(Properties, PartialEq)]
pub struct OwnProps {
    /// The run on the stage: the form begins with its system.
    pub origin: Rc<Origin>,
}

/// The form.
#[component]
pub fn OwnSystem(props: &OwnProps) -> Html {
    let form = use_state(|| own::form(&props.origin));
    let set = {
        let form = form.clone();
        Callback::from(move |(name, text): (String, String)| form.set(own::set(&form, &name, &text)))
    };
    let rows: Vec<FormField> = form.rows().into_iter().filter(|row| row.relevant).collect();
    let link = own::link(&form);
    // those of other fields stand beside them
    let problems = link.as_ref().err().map_or_else(Vec::new, |problems| own::other_problems(problems, &rows));
    let is_first = |row: &FormField| row.name.starts_with("params.") || FIRST_FIELDS.contains(&row.name.as_str());
    let (first, others): (Vec<FormField>, Vec<FormField>) = rows.into_iter().partition(is_first);
    let wrong = others.iter().any(|row| row.problem.is_some());
    let is_wrong = link.is_err();
    let open = {
        let act = use_act();
        Callback::from(move |event: SubmitEvent| {
            event.prevent_default();
            link.iter().for_each(|link| act.emit(Action::Own(link.clone())));
        })
    };
    html! {
        <form onsubmit={open}>
            <FieldRows form="own" rows={first} set={set.clone()} />
            <details open={wrong}>
                <summary>{ "More fields" }</summary>
                <FieldRows form="own" rows={others} {set} />
            </details>
            <p class="broken" hidden={problems.is_empty()}>{ problems.join(" ") }</p>
            <button type="submit" class="primary" disabled={is_wrong}>{ "Open on the stage" }</button>
        </form>
    }
}
