//! The trace table under the space-time diagram: the clock of each node and the action, step by
//! step.

use crate::hooks::use_act;
use lockstep_scenario::trace;
use lockstep_session::{Action, StepView};
use std::rc::Rc;
use yew::prelude::*;

/// What the table needs.
#[derive(Properties, PartialEq)]
pub struct TraceTableProps {
    /// The step.
    pub shown: Rc<StepView>,
}

/// Rows before the cursor that are shown; files hold all of them.
const MOST_ROWS: usize = 120;

/// The table up to the cursor, the last step first.
#[component]
pub fn TraceTable(props: &TraceTableProps) -> Html {
    let act = use_act();
    let shown = &props.shown;
    let from = (shown.cursor + 1).saturating_sub(MOST_ROWS);
    let table = trace::table(&shown.frames[from..=shown.cursor]);
    let row = |row: &trace::TraceRow| {
        let (act, index) = (act.clone(), row.step as usize);
        let go = move |_: MouseEvent| act.emit(Action::Seek(index));
        let cells = row.nodes.iter().enumerate().map(|(i, cell)| {
            html! { <td key={i} class={classes!((i == row.acting).then_some("acting"))}>{ cell }</td> }
        });
        html! {
            <tr key={row.step} data-trace={row.step.to_string()}>
                <th scope="row"><button type="button" onclick={go}>{ row.step }</button></th>
                { for cells }
                <td class="action">{ &row.action }</td>
            </tr>
        }
    };
    html! {
        <div class="trace-around" tabindex="0" role="region" aria-label="Trace table">
            <table class="trace-table">
                <thead><tr>
                    <th scope="col">{ "step" }</th>
                    { for table.nodes.iter().map(|n| html! { <th scope="col" key={n.clone()} title={format!("{} of {n}", table.what)}>{ n }</th> }) }
                    <th scope="col">{ "action" }</th>
                </tr></thead>
                <tbody>{ for table.rows.iter().rev().map(row) }</tbody>
            </table>
        </div>
    }
}
