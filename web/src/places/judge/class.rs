//! The table of several logs: one row each; and how files are logs.

use super::JudgeAct;
use super::more::Rows;
use super::verdict::{AlgorithmChoice, SkewField};
use lockstep_judge::JudgeAction;
use lockstep_judge::place::JudgeFile;
use lockstep_judge::task::{ClassRow, FileChoice, JudgeOptions};
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
    /// How they are judged.
    pub options: JudgeOptions,
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
            <div class="judge-tools">
                <AlgorithmChoice act={props.act.clone()} current={props.options.algorithm.clone().unwrap_or_default()} none="the algorithm that each log names" />
                <SkewField act={props.act.clone()} skew={props.options.skew} />
                <button type="button" class="button" onclick={save}>{ "Save as CSV" }</button>
            </div>
            <Rows class="problems-list" rows={props.problems.iter().map(|problem| html! { problem }).collect::<Vec<_>>()} />
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

/// What the switch needs.
#[derive(Properties, PartialEq)]
pub struct SwitchProps {
    /// Makes something happen.
    pub act: JudgeAct,
    /// How the files are logs.
    pub choice: FileChoice,
}

/// Whether files beside each other are one log, or each is one. It is there where that matters.
#[component]
pub fn FileSwitch(props: &SwitchProps) -> Html {
    let FileChoice { together, apart, each } = props.choice;
    let choose = |to: bool| props.act.reform(move |_: MouseEvent| JudgeAction::Each(to));
    let logs = |count: usize| if count == 1 { "one log".to_owned() } else { format!("{count} logs") };
    html! {
        <div class="judge-tools" role="group" aria-label="How the files are logs" hidden={together == apart}>
            <span>{ format!("{apart} files are") }</span>
            <button type="button" class="chip" aria-pressed={(!each).to_string()} onclick={choose(false)}>{ logs(together) }</button>
            <button type="button" class="chip" aria-pressed={each.to_string()} onclick={choose(true)}>{ format!("{}, one each", logs(apart)) }</button>
        </div>
    }
}
