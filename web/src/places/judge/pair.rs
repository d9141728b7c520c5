//! Two sections: why they are ordered, or that nothing orders them.

use super::JudgeAct;
use lockstep_judge::JudgeAction;
use lockstep_judge::view::{ChainRow, LogView, PairView, SectionRow};
use std::rc::Rc;
use yew::prelude::*;

/// What it needs.
#[derive(Properties, PartialEq)]
pub struct PairProps {
    /// Makes something happen.
    pub act: JudgeAct,
    /// The log.
    pub log: Rc<LogView>,
    /// The sections that were chosen.
    pub chosen: Vec<usize>,
    /// What is known about them.
    pub pair: Option<Rc<PairView>>,
    /// Whether they may overlap.
    pub compatible: bool,
    /// Whether the other order is shown.
    pub other: bool,
}

/// Sections on one page of the list.
const PAGE: usize = 40;

/// Two sections.
#[component]
pub fn PairCard(props: &PairProps) -> Html {
    let PairProps { act, log, chosen, pair, compatible, other } = props;
    let page = use_state(|| 0usize);
    let row = |(at, row): (usize, &SectionRow)| {
        let at = at + *page * PAGE;
        let choose = act.reform(move |_: MouseEvent| JudgeAction::Section(at));
        html! {
            <li key={at}><button type="button" class="node-choice" aria-pressed={chosen.contains(&at).to_string()} onclick={choose}>
                { format!("{} · {}", row.name, row.enter) }</button></li>
        }
    };
    let step = |ChainRow { event, place, phrase, message }: &ChainRow| {
        let event = *event;
        let show = act.reform(move |_: MouseEvent| JudgeAction::Event(event));
        html! {
            <li key={event} class={message.then_some("by-message")}>
                <button type="button" class="plain" onclick={show}>{ phrase }<small>{ place }</small></button>
            </li>
        }
    };
    let say = match (chosen.len(), pair, compatible) {
        (2, Some(pair), _) => pair.sentence.clone(),
        (2, None, true) => "These two may be inside at once: they do not exclude each other.".to_owned(),
        (2, None, false) => "…".to_owned(),
        (1, ..) => "Choose a second section.".to_owned(),
        _ => "Choose two sections, here or in the diagram: what orders them?".to_owned(),
    };
    let pages = log.sections.len().div_ceil(PAGE);
    let turn = |to: usize| {
        let page = page.setter();
        move |_: MouseEvent| page.set(to)
    };
    let chain = pair.as_ref().map(|pair| pair.chain.clone()).unwrap_or_default();
    let possible = pair.as_ref().is_some_and(|pair| pair.other_rank.is_some());
    let switch = !*other;
    html! {
        <section class="judge-pair" aria-label="Two sections">
            <h2>{ "Two sections" }</h2>
            <p role="status">{ say }</p>
            <ol class="judge-chain">{ for chain.iter().map(step) }</ol>
            <div class="check-buttons">
                <button type="button" class="button" hidden={!possible} aria-pressed={other.to_string()}
                    onclick={act.reform(move |_: MouseEvent| JudgeAction::OtherOrder(switch))}>{ "Draw an order with both inside" }</button>
                <button type="button" class="button" hidden={chosen.is_empty()} onclick={act.reform(|_: MouseEvent| JudgeAction::NoPair)}>{ "Clear" }</button>
            </div>
            <details>
                <summary>{ format!("All {} sections", log.sections.len()) }</summary>
                <ul class="judge-sections">{ for log.sections.iter().skip(*page * PAGE).take(PAGE).enumerate().map(row) }</ul>
                <div class="judge-tools" hidden={pages < 2}>
                    <button type="button" class="button" disabled={*page == 0} onclick={turn(page.saturating_sub(1))}>{ "Earlier" }</button>
                    <span>{ format!("page {} of {pages}", *page + 1) }</span>
                    <button type="button" class="button" disabled={*page + 1 >= pages} onclick={turn(*page + 1)}>{ "Later" }</button>
                </div>
            </details>
        </section>
    }
}
