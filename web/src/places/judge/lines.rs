//! The raw log: its lines, which lead to their events.

use super::JudgeAct;
use crate::browser::field;
use crate::browser::keys::reveal;
use lockstep_judge::JudgeAction;
use lockstep_judge::place::LINES;
use lockstep_judge::task::LogLine;
use lockstep_judge::view::LogView;
use std::rc::Rc;
use yew::prelude::*;

/// What it needs.
#[derive(Properties, PartialEq)]
pub struct LinesProps {
    /// Makes something happen.
    pub act: JudgeAct,
    /// The log.
    pub log: Rc<LogView>,
    /// The lines that are shown.
    pub lines: Rc<Vec<LogLine>>,
    /// Their file.
    pub file: usize,
    /// The first of them, counted from 0.
    pub from: usize,
    /// The line that was chosen, counted from 0.
    pub line: Option<usize>,
    /// The text that was looked for.
    pub wanted: String,
    /// The hit that is shown, how many are listed, and how many there are.
    pub hit: (usize, usize, usize),
}

/// The raw log.
#[component]
pub fn RawLog(props: &LinesProps) -> Html {
    let LinesProps { act, log, lines, file, from, line, wanted, hit } = props;
    let (file, from) = (*file, *from);
    use_effect_with((file, from, *line, lines.len()), |(_, _, line, _)| {
        if let Some(line) = line {
            reveal(&format!("judge-line-{line}"));
        }
    });
    let total = log.files.get(file).map_or(0, |(_, lines)| *lines);
    let turn = |from: usize| act.reform(move |_: MouseEvent| JudgeAction::Lines(file, from));
    let choose = {
        let act = act.clone();
        move |event: Event| field::parsed(&event).into_iter().for_each(|file| act.emit(JudgeAction::Lines(file, 0)))
    };
    let search = {
        let act = act.clone();
        move |event: Event| field::value(&event).into_iter().for_each(|text| act.emit(JudgeAction::Search(text)))
    };
    let step = |forwards: bool| act.reform(move |_: MouseEvent| JudgeAction::Hit(forwards));
    let row = |(at, row): (usize, &LogLine)| {
        let number = from + at;
        let show = act.reform(move |_: MouseEvent| JudgeAction::Line(file, number));
        let on = *line == Some(number);
        html! {
            <li key={number} id={format!("judge-line-{number}")} class={classes!(row.status.clone(), on.then_some("on"))}>
                <button type="button" aria-current={on.then_some("true")} onclick={show}><small>{ number + 1 }</small><code>{ &row.text }</code></button>
            </li>
        }
    };
    let found = match (wanted.is_empty(), hit.2) {
        (true, _) => String::new(),
        (false, 0) => "Not found.".to_owned(),
        (false, all) => format!("{} of {all}", hit.0 + 1),
    };
    html! {
        <section class="judge-log" aria-label="Log">
            <div class="judge-tools">
                <select aria-label="File" onchange={choose} hidden={log.files.len() < 2}>
                    { for log.files.iter().enumerate().map(|(at, (name, _))| html! { <option key={at} value={at.to_string()} selected={at == file}>{ name }</option> }) }
                </select>
                <input type="search" aria-label="Search the log" placeholder="Search" value={wanted.clone()} onchange={search} />
                <span role="status">{ found }</span>
                <button type="button" class="button" hidden={hit.1 < 2} onclick={step(false)}>{ "Previous" }</button>
                <button type="button" class="button" hidden={hit.1 < 2} onclick={step(true)}>{ "Next" }</button>
            </div>
            <p class="hint" hidden={log.not_understood == 0}>{ format!("{} lines were not understood; they are grey.", log.not_understood) }</p>
            <ol class="judge-lines" tabindex="0" aria-label="Lines of the log">{ for lines.iter().enumerate().map(row) }</ol>
            <div class="judge-tools" hidden={total <= LINES}>
                <button type="button" class="button" disabled={from == 0} onclick={turn(from.saturating_sub(LINES))}>{ "Earlier lines" }</button>
                <span>{ format!("{} to {} of {total}", from + 1, (from + lines.len()).min(total)) }</span>
                <button type="button" class="button" disabled={from + LINES >= total} onclick={turn(from + LINES)}>{ "Later lines" }</button>
            </div>
        </section>
    }
}
