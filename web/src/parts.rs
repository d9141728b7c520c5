//! The parts of the page that are fetched when they are first wanted: every place but the stage, and the library, which is everything that it takes to
//! open another run than the first one. `cargo xtask split` cuts the program along these functions; whatever only they use goes with them. The lab is a
//! part of its own, because it is larger than all other places together.

use crate::dialogs::export::{Export, ExportProps};
use crate::dialogs::own::{OwnProps, OwnSystem};
use crate::places::check::Check;
use crate::places::compare::Compare;
use crate::places::editor::Write;
use crate::places::figures::Figures;
use crate::places::lab::Lab;
use crate::run::{OPENER, Opener};
use crate::split::{self, SplitLoaderError};
use crate::state::{Action, Place, State};
use std::collections::BTreeMap;
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

/// What it takes to open other runs, and what else is not needed for looking at one.
#[derive(Clone, Copy)]
pub struct Library {
    /// Opens them.
    pub opener: Opener,
    /// The form for a system of one's own.
    pub own: fn(OwnProps) -> Html,
    /// The sheet of files.
    pub export: fn(ExportProps) -> Html,
}

/// The library, or no library.
pub type Arrived = Result<Library, SplitLoaderError>;

/// There is only one.
impl PartialEq for Library {
    fn eq(&self, _: &Self) -> bool {
        true
    }
}

/// See [`split::library`].
pub fn library() -> Arrived {
    Ok(Library {
        opener: OPENER,
        own: |OwnProps { origin, act }| html! { <OwnSystem {origin} {act} /> },
        export: |ExportProps { open, shown, link, arrange, given, act }| {
            html! { <Export {open} {shown} {link} {arrange} {given} {act} /> }
        },
    })
}

/// How a place looks.
pub type View = fn(Visit<'_>) -> Html;

/// How a place looks, or why that is not known.
pub type Looks = Result<View, SplitLoaderError>;

/// See [`split::figures`].
pub fn figures() -> Looks {
    Ok(
        |Visit { state, act, .. }| html! { <Figures answers={state.answers.clone()} opened={state.opened.clone()} {act} /> },
    )
}

/// See [`split::compare`].
pub fn compare() -> Looks {
    Ok(|Visit { here, wanted, act, .. }| html! { <Compare {here} {wanted} {act} /> })
}

/// See [`split::write`].
pub fn write() -> Looks {
    Ok(|Visit { wanted, state, act, .. }| {
        let this_run = if wanted == "this-run" { state.run.save() } else { Ok(String::new()) };
        html! { <Write {wanted} {this_run} {act} /> }
    })
}

/// See [`split::lab`].
pub fn lab() -> Looks {
    Ok(|Visit { here, wanted, act, .. }| html! { <Lab {here} {wanted} {act} /> })
}

/// See [`split::check`].
pub fn check() -> Looks {
    Ok(|Visit { here, wanted, state, act }| html! { <Check {here} {wanted} solved={state.solved.clone()} {act} /> })
}

/// Fetches what a place looks like, and the library with it: every place leads to other runs.
async fn fetch(place: Place) -> Fetched {
    yew::platform::spawn_local(async { drop(split::library().await) }); // both at once
    let view = match place {
        Place::Stage => Ok((|_| Html::default()) as View),
        Place::Figures => split::figures().await,
        Place::Compare => split::compare().await,
        Place::Write => split::write().await,
        Place::Lab => split::lab().await,
        Place::Check => split::check().await,
    }?;
    Ok((split::library().await?, view))
}

/// A place that was fetched, or could not be.
pub type Fetched = Result<(Library, View), SplitLoaderError>;

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
            Some(Some(Ok((_, view)))) => view(visit),
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
