//! The papers as printed: each reading of a paper beside its repair.

use lockstep_check::{Check as System, PrintedRow, printed};
use yew::prelude::*;

/// What the table needs.
#[derive(Properties, PartialEq)]
pub struct PrintedProps {
    /// Called to run a check.
    pub check: Callback<System>,
}

/// The table.
#[component]
pub fn Printed(props: &PrintedProps) -> Html {
    let rows = use_memo((), |()| printed());
    let row = |(i, row): (usize, &PrintedRow)| {
        let run = |system: &System| {
            let (check, system) = (props.check.clone(), system.clone());
            move |_: MouseEvent| check.emit(system.clone())
        };
        html! {
            <li key={i} class="printed-row">
                <h2><span>{ row.source() }</span>{ row.title() }</h2>
                <p>{ &row.wrong }</p>
                <p class="repair"><b>{ "Repair: " }</b>{ &row.repair }</p>
                <div>
                    <button type="button" class="button" onclick={run(&row.check)}>{ "Check as printed" }</button>
                    <button type="button" class="button" onclick={run(&row.repaired)}>{ "Check the repair" }</button>
                </div>
            </li>
        }
    };
    html! { <ul class="printed-rows">{ for rows.iter().enumerate().map(row) }</ul> }
}
