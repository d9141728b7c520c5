//! Results that the browser stores, and the experiment on which the reader worked last.

use super::{LabMsg, LabPlace};
use crate::browser::keys::Listener;
use crate::browser::{files, storage, store};
use crate::panels::icons;
use lockstep_lab::{DOCUMENT, Experiment, ExperimentForm, Shelf};
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

/// Stores a result.
pub fn put(link: &html::Scope<LabPlace>, name: String, text: String) {
    store::put(name, text, link.callback(|(name, text, stored)| LabMsg::Put(name, text, stored)));
}

/// Asks the browser for all stored results.
pub fn recall_shelves(link: &html::Scope<LabPlace>) {
    store::names(lockstep_lab::VERSION.into(), DOCUMENT, link.callback(LabMsg::Kept));
}

impl LabPlace {
    /// What happens to stored results, and to those that could not be stored.
    pub(super) fn update_storage(&mut self, ctx: &Context<Self>, msg: LabMsg) -> bool {
        match msg {
            LabMsg::Recalled(name, records) => {
                if name != self.source().shelf() {
                    return false; // the reader has opened something else meanwhile
                }
                match records {
                    Err(fault) => self.notice = fault.unread(),
                    Ok(batch) if batch.is_empty() => self.draw(),
                    Ok(batch) => {
                        for (place, text) in &batch {
                            self.campaign.recall(place.get(name.len()..).unwrap_or_default(), text);
                        }
                        return false;
                    }
                }
            }
            LabMsg::Kept(Ok(records)) => self.kept = Shelf::all(records.iter().map(|(name, text)| (name, text))),
            LabMsg::Kept(Err(fault)) => self.notice = fault.unread(),
            LabMsg::Forget(name) => {
                let deleted = name.clone();
                store::forget(name, ctx.link().callback(move |done| LabMsg::Forgotten(deleted.clone(), done)));
                return false;
            }
            LabMsg::Forgotten(_, Err(fault)) => self.notice = fault.undeleted(),
            LabMsg::Forgotten(name, Ok(())) => {
                self.unsaved.forget(&name);
                if self.unsaved.is_empty() {
                    self.leaving = None;
                }
                if name == self.source().shelf() {
                    self.campaign.clear();
                    self.report = None;
                }
                recall_shelves(ctx.link());
                ctx.link().send_message(LabMsg::StoreAgain); // there may be room now
            }
            LabMsg::Put(name, _, Ok(())) => {
                let unsaved = !self.unsaved.is_empty();
                self.unsaved.remove(&name);
                if unsaved && self.unsaved.is_empty() {
                    self.leaving = None;
                    recall_shelves(ctx.link());
                }
                return unsaved;
            }
            LabMsg::Put(name, text, Err(fault)) => {
                self.unsaved.add(name, text, fault);
                self.leaving
                    .get_or_insert_with(|| Listener::on_window("beforeunload", |leaving| leaving.prevent_default()));
            }
            LabMsg::SaveRecords(shelf) => {
                let other = shelf.filter(|shelf| shelf.name != self.source().shelf());
                let (study, text) = match &other {
                    Some(shelf) => (shelf.header().study, self.unsaved.records_text(shelf)),
                    None => (self.campaign.header().study.clone(), self.campaign.records_text()),
                };
                files::save(&format!("lockstep-{study}.jsonl"), "application/jsonl", &text);
            }
            LabMsg::StoreAgain => {
                self.unsaved.all().for_each(|(name, text)| put(ctx.link(), name.clone(), text.clone()));
                return false;
            }
            _ => return false,
        }
        true
    }
}

/// Keeps the experiment on which the reader works; whether the browser stores it.
pub fn keep_experiment(own: &Experiment) -> bool {
    storage::set("experiment", &own.brief().to_string())
}

/// The experiment on which the reader worked last, or a first one.
pub fn last_experiment() -> Experiment {
    let last = storage::get("experiment").and_then(|text| Experiment::parse(&text).ok());
    last.unwrap_or_else(|| ExperimentForm::first().experiment().unwrap_or_default())
}
