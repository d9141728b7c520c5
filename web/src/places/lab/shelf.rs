//! Results that the browser stores, and the experiment on which the reader worked last.

use super::{LabMsg, LabPlace};
use crate::browser::storage;
use crate::panels::icons;
use lockstep_lab::{Experiment, ExperimentForm, Shelf};
use yew::prelude::*;

/// The stored results, to reopen or to delete.
pub fn list(ctx: &Context<LabPlace>, kept: &[Shelf]) -> Html {
    let item = |shelf: &Shelf| {
        let (opened, deleted, title) = (shelf.clone(), shelf.name.clone(), shelf.title());
        let open = ctx.link().callback(move |_: MouseEvent| LabMsg::Reopen(opened.clone()));
        let delete = ctx.link().callback(move |_: MouseEvent| LabMsg::Forget(deleted.clone()));
        let points = if shelf.points == 1 { "1 point".into() } else { format!("{} points", shelf.points) };
        html! {
            <li key={shelf.name.clone()}>
                <button type="button" onclick={open}>{ &title }<small>{ points }</small></button>
                <button type="button" class="forget" aria-label={format!("Delete {title}")} onclick={delete}>{ icons::icon(icons::CROSS) }</button>
            </li>
        }
    };
    html! {
        <section class="shelves-kept" hidden={kept.is_empty()}>
            <h2>{ "Stored in this browser" }</h2>
            <ul>{ for kept.iter().map(item) }</ul>
        </section>
    }
}

/// Keeps the experiment on which the reader works.
pub fn keep_experiment(own: &Experiment) {
    storage::set("experiment", &own.brief().to_string());
}

/// The experiment on which the reader worked last, or a first one.
pub fn last_experiment() -> Experiment {
    let last = storage::get("experiment").and_then(|text| Experiment::read(&text).ok());
    last.unwrap_or_else(|| ExperimentForm::first().experiment().unwrap_or_default())
}
