//! The state as a table, for readers who do not see the picture.

use lockstep_session::StepView;
use lockstep_session::inspect::state_rows;
use std::rc::Rc;
use yew::prelude::*;

/// What the table needs.
#[derive(Properties, PartialEq)]
pub struct TableProps {
    /// The step.
    pub shown: Rc<StepView>,
}

/// The table; screen readers read it.
#[component]
pub fn StateTable(props: &TableProps) -> Html {
    let (table, setup) = (state_rows(&props.shown), &props.shown.origin.setup);
    let rows = table.rows.into_iter().map(|(node, cells)| {
        html! { <Row key={node.0} node={setup.name(node).to_owned()} {cells} /> }
    });
    html! {
        <div class="hidden">
            <table class="state-table">
                <caption>{ table.caption }</caption>
                <thead><tr><th scope="col">{ "Node" }</th><th scope="col">{ "Token" }</th><th scope="col">{ "Inside" }</th>
                    <th scope="col">{ "Waiting" }</th><th scope="col">{ "Queue" }</th><th scope="col">{ "Pointers" }</th></tr></thead>
                <tbody>{ for rows }</tbody>
            </table>
        </div>
    }
}

#[derive(Properties, PartialEq)]
struct RowProps {
    node: String,
    cells: [String; 6],
}

/// A row; most of them stay as they are from step to step.
#[component]
fn Row(props: &RowProps) -> Html {
    let [name, rest @ ..] = &props.cells;
    html! {
        <tr data-row={props.node.clone()}>
            <th scope="row">{ name }</th>
            { for rest.iter().enumerate().map(|(i, cell)| html! { <td key={i}>{ cell }</td> }) }
        </tr>
    }
}
