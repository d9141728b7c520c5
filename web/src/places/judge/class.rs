//! The table of several logs: one row each.

use super::JudgeAct;
use lockstep_judge::JudgeAction;
use lockstep_judge::place::JudgeFile;
use lockstep_judge::task::ClassRow;
use lockstep_trace::report::COLUMNS;
use yew::prelude::*;

/// What the table needs.
#[derive(Properties, PartialEq)]
pub struct ClassProps {
    /// Makes something happen.
    pub act: JudgeAct,
    /// The rows.
    pub rows: Vec<ClassRow>,
    /// Files that could not be read.
    pub problems: Vec<String>,
}

/// The most rows that are drawn; the file has all of them.
const MOST_DRAWN: usize = 500;

/// The table.
#[component]
pub fn ClassTable(props: &ClassProps) -> Html {
    let row = |(at, row): (usize, &ClassRow)| {
        let open = props.act.reform(move |_: MouseEvent| JudgeAction::Open(at));
        let cell = |(column, text): (usize, &String)| match column {
            0 => {
                html! { <th key={column} scope="row"><button type="button" class="plain" onclick={open.clone()}>{ text }</button></th> }
            }
            1 => html! { <td key={column} class={classes!("judge-word", text.replace(' ', "-"))}>{ text }</td> },
            _ => html! { <td key={column}>{ text }</td> },
        };
        html! { <tr key={at}>{ for row.cells.iter().enumerate().map(cell) }</tr> }
    };
    let save = props.act.reform(|_: MouseEvent| JudgeAction::Save(JudgeFile::Table));
    let more = props.rows.len().saturating_sub(MOST_DRAWN);
    html! {
        <section aria-label="All logs">
            <div class="check-buttons"><button type="button" class="button" onclick={save}>{ "Save as CSV" }</button></div>
            <ul class="problems-list">{ for props.problems.iter().map(|p| html! { <li key={p.clone()}>{ p }</li> }) }</ul>
            <div class="judge-table" tabindex="0" role="region" aria-label="Table of all logs">
                <table>
                    <thead><tr>{ for COLUMNS.iter().map(|title| html! { <th key={*title} scope="col">{ *title }</th> }) }</tr></thead>
                    <tbody>{ for props.rows.iter().take(MOST_DRAWN).enumerate().map(row) }</tbody>
                </table>
            </div>
            <p class="hint" hidden={more == 0}>{ format!("{more} more are in the CSV file.") }</p>
        </section>
    }
}
