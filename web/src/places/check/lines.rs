//! What each listing line and each assumption is for: the violation without it, ready to be
//! checked.

use crate::browser::field;
use lockstep_algorithms::ALL;
use lockstep_check::{Check as System, LineRow, RemovalEffect, lines, switches};
use yew::prelude::*;

/// What the list needs.
#[derive(Properties, PartialEq)]
pub struct LinesProps {
    /// Called to run a check.
    pub check: Callback<System>,
}

/// The list.
#[component]
pub fn Lines(props: &LinesProps) -> Html {
    let id = use_state(|| String::from("alien"));
    let entry = lockstep_algorithms::find(&id).ok();
    let rows = use_memo((*id).clone(), |id| {
        lockstep_algorithms::find(id).map_or((Vec::new(), Vec::new()), |entry| (lines(entry), switches(entry)))
    });
    let choose = {
        let id = id.setter();
        Callback::from(move |event: yew::Event| field::value(&event).into_iter().for_each(|chosen| id.set(chosen)))
    };
    let algorithms = ALL.iter().filter(|e| !e.printed).map(|e| {
        html! { <option key={e.id} value={e.id} selected={e.id == *id}>{ e.title }</option> }
    });
    let row = |(i, row): (usize, &LineRow)| {
        let (check, system) = (props.check.clone(), row.check.clone());
        let violated = matches!(row.shown, RemovalEffect::Violation { .. });
        let same = matches!(row.shown, RemovalEffect::Same { .. });
        html! {
            <tr key={i} class={classes!((!row.essential && !violated).then_some("spare"))}>
                <th scope="row"><code>{ &row.text }</code></th>
                <td>{ row.shown.words() }</td>
                <td><button type="button" class="button" hidden={same} onclick={move |_| check.emit(system.clone())}>{ "Try without" }</button></td>
            </tr>
        }
    };
    html! {
        <div class="lines-table">
            <div class="lines-head"><select aria-label="Algorithm" onchange={choose}>{ for algorithms }</select>
                <p class="hint">{ "Each line is removed in turn. The smallest system that shows a difference is explored completely, and its shortest counterexample is listed." }</p></div>
            <table>
                <thead><tr><th scope="col">{ "Without this line" }</th><th scope="col">{ "result" }</th><th scope="col"><span class="hidden">{ "try" }</span></th></tr></thead>
                <tbody>{ for rows.0.iter().enumerate().map(row) }</tbody>
            </table>
            <table hidden={rows.1.is_empty()}>
                <thead><tr><th scope="col">{ "Without this assumption" }</th><th scope="col">{ "result" }</th><th scope="col"><span class="hidden">{ "try" }</span></th></tr></thead>
                <tbody>{ for rows.1.iter().enumerate().map(row) }</tbody>
            </table>
            <p class="hint">{ entry.map_or("", |e| e.source) }</p>
        </div>
    }
}
