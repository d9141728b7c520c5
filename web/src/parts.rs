//! The parts of the page that are fetched when they are first wanted: every place but the stage. `cargo xtask split` cuts the program along these
//! functions; whatever only they use goes with them. The lab is a part of its own, because it is larger than all other places together.

use crate::check::Check;
use crate::compare::Compare;
use crate::figures::Figures;
use crate::lab::Lab;
use crate::state::{Action, Place, State};
use crate::write::Write;
use std::collections::BTreeMap;
use wasm_split_helpers::{SplitLoaderError, wasm_split};
use yew::prelude::*;

/// What a place is told.
pub struct Visit<'a> {
    /// Whether the reader is there.
    pub here: bool,
    /// What the reader wants to see there.
    pub wanted: String,
    /// What the page knows.
    pub state: &'a State,
    /// Makes something happen.
    pub act: Callback<Action>,
}

/// How a place looks.
pub type View = fn(Visit<'_>) -> Html;

#[wasm_split(places, fallible)]
fn figures() -> Fetched {
    Ok(
        |Visit { state, act, .. }| html! { <Figures answers={state.answers.clone()} opened={state.opened.clone()} {act} /> },
    )
}

#[wasm_split(places, fallible)]
fn compare() -> Fetched {
    Ok(|Visit { here, wanted, act, .. }| html! { <Compare {here} {wanted} {act} /> })
}

#[wasm_split(places, fallible)]
fn write() -> Fetched {
    Ok(|Visit { wanted, state, act, .. }| {
        let this_run = if wanted == "this-run" { state.run.save() } else { Ok(String::new()) };
        html! { <Write {wanted} {this_run} {act} /> }
    })
}

#[wasm_split(lab, fallible)]
fn lab() -> Fetched {
    Ok(|Visit { here, wanted, act, .. }| html! { <Lab {here} {wanted} {act} /> })
}

#[wasm_split(places, fallible)]
fn check() -> Fetched {
    Ok(|Visit { here, wanted, state, act }| html! { <Check {here} {wanted} solved={state.solved.clone()} {act} /> })
}

/// Fetches what a place looks like.
async fn fetch(place: Place) -> Fetched {
    match place {
        Place::Stage => Ok(|_| Html::default()),
        Place::Figures => figures().await,
        Place::Compare => compare().await,
        Place::Write => write().await,
        Place::Lab => lab().await,
        Place::Check => check().await,
    }
}

/// A place that was fetched, or could not be.
pub type Fetched = Result<View, SplitLoaderError>;

/// What has come in so far; nothing yet for what is under way.
#[derive(Default)]
pub struct Parts(BTreeMap<&'static str, Option<Fetched>>);

impl Parts {
    /// Asks for a place, once.
    pub fn want(&mut self, place: Place, done: Callback<(Place, Fetched)>) {
        if self.0.contains_key(place.name()) {
            return;
        }
        self.0.insert(place.name(), None);
        yew::platform::spawn_local(async move { done.emit((place, fetch(place).await)) });
    }

    /// What did not arrive may be asked for again.
    pub fn forgive(&mut self, place: Place) {
        self.0.retain(|name, part| *name != place.name() || !matches!(part, Some(Err(_))));
    }

    /// It has come in, or it has not.
    pub fn came(&mut self, place: Place, view: Fetched) {
        self.0.insert(place.name(), Some(view));
    }

    /// The place as it looks, or a sentence.
    pub fn show(&self, place: Place, visit: Visit<'_>) -> Html {
        match self.0.get(place.name()) {
            Some(Some(Ok(view))) => view(visit),
            Some(Some(Err(_))) => {
                let (again, wanted) = (visit.act, visit.wanted);
                let again = move |_: MouseEvent| again.emit(Action::Visit(place, wanted.clone()));
                html! {
                    <main class="loading" role="alert">
                        <p>{ "This part of the page did not arrive. What is on the stage is untouched. If a newer page was published in the meantime, reload this one." }</p>
                        <button type="button" class="button" onclick={again}>{ "Try again" }</button>
                    </main>
                }
            }
            _ => html! { <main class="loading" role="status">{ "Loading…" }</main> },
        }
    }
}
