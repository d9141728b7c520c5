//! The parts of the page that are downloaded when they are first needed: every place but the stage,
//! and the library, which opens other runs than the first one.
//!
//! [`crate::split`] says how they are downloaded.

use crate::browser::style;
use crate::dialogs::export::{Export, ExportProps};
use crate::dialogs::own::{OwnProps, OwnSystem};
use crate::hooks::PageAct;
use crate::panels::problems::of_lines;
use crate::panels::puzzle::{PuzzleCard, PuzzleProps};
use crate::panels::trace::{TraceTable, TraceTableProps};
use crate::places::check::CheckPlace;
use crate::places::compare::Compare;
use crate::places::editor::Editor;
use crate::places::figures::Figures;
use crate::places::judge::JudgePlace;
use crate::places::lab::LabPlace;
use crate::split::{self, SplitLoaderError};
use crate::stage::long_run::{LongRun, LongRunProps};
use lockstep_session::{Action, OPENER, Opener, PagePlace, Session};
use std::collections::BTreeMap;
use yew::prelude::*;

/// What a place shows.
pub struct PlaceInput<'a> {
    /// Whether the reader is there.
    pub here: bool,
    /// What the address asks for.
    pub wanted: String,
    /// The session.
    pub session: &'a Session,
}

/// What opens other runs, and what else the first run does not need.
#[derive(Clone, Copy)]
pub struct Library {
    /// Opens runs.
    pub opener: Opener,
    /// The form for a system of the reader's own.
    pub own: fn(OwnProps) -> Html,
    /// The card of a puzzle.
    pub puzzle: fn(PuzzleProps) -> Html,
    /// The trace table under the diagram.
    pub trace: fn(TraceTableProps) -> Html,
    /// The whole run in the diagram.
    pub long: fn(LongRunProps) -> Html,
    /// The sheet of files.
    pub export: fn(ExportProps) -> Html,
    /// A notice with a problem in each line.
    pub problems: fn(&str) -> Html,
}

/// The library, or why it could not be downloaded.
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
        own: |OwnProps { origin }| html! { <OwnSystem {origin} /> },
        puzzle: |PuzzleProps { puzzle, steps }| html! { <PuzzleCard {puzzle} {steps} /> },
        trace: |TraceTableProps { shown }| html! { <TraceTable {shown} /> },
        long: |LongRunProps { shown }| html! { <LongRun {shown} /> },
        export: |ExportProps { open, shown, link, arrange, given }| {
            html! { <Export {open} {shown} {link} {arrange} {given} /> }
        },
        problems: of_lines,
    })
}

/// A notice: a sentence, or a list of problems, which only the library finds.
pub fn notice(text: &str, library: Option<Library>) -> Html {
    match library {
        Some(library) if text.contains('\n') => (library.problems)(text),
        _ => html! { { text } },
    }
}

/// Draws a place.
pub type View = fn(PlaceInput<'_>) -> Html;

/// Draws a place, or says why it could not be downloaded.
pub type Looks = Result<View, SplitLoaderError>;

/// See [`split::figures`].
pub fn figures() -> Looks {
    Ok(
        |PlaceInput { session, .. }| html! { <Figures answers={session.preferences.answers.clone()} opened={session.preferences.opened.clone()} /> },
    )
}

/// See [`split::compare`].
pub fn compare() -> Looks {
    Ok(|PlaceInput { here, wanted, .. }| html! { <Compare {here} {wanted} /> })
}

/// See [`split::write`].
pub fn write() -> Looks {
    Ok(|PlaceInput { wanted, session, .. }| {
        let this_run = if wanted == "this-run" { session.run.save() } else { Ok(String::new()) };
        html! { <Editor {wanted} {this_run} /> }
    })
}

/// See [`split::lab`].
pub fn lab() -> Looks {
    Ok(|PlaceInput { here, wanted, .. }| html! { <LabPlace {here} {wanted} /> })
}

/// See [`split::check`].
pub fn check() -> Looks {
    Ok(
        |PlaceInput { here, wanted, session }| html! { <CheckPlace {here} {wanted} solved={session.preferences.solved.clone()} /> },
    )
}

/// See [`split::judge`].
pub fn judge() -> Looks {
    Ok(|PlaceInput { here, wanted, .. }| html! { <JudgePlace {here} {wanted} /> })
}

/// Downloads a place, and the library with it: every place leads to other runs.
async fn fetch(place: PagePlace) -> Fetched {
    yew::platform::spawn_local(async { drop(split::library().await) }); // both at once
    let view = match place {
        PagePlace::Stage => Ok((|_| Html::default()) as View),
        PagePlace::Figures => split::figures().await,
        PagePlace::Compare => split::compare().await,
        PagePlace::Write => split::write().await,
        PagePlace::Lab => split::lab().await,
        PagePlace::Check => split::check().await,
        PagePlace::Judge => {
            style::fetch("judge.css");
            split::judge().await
        }
    }?;
    Ok((split::library().await?, view))
}

/// A place that was downloaded, or could not be.
pub type Fetched = Result<(Library, View), SplitLoaderError>;

/// What was downloaded so far; `None` while it is under way.
#[derive(Default)]
pub struct Parts(BTreeMap<&'static str, Option<Fetched>>);

impl Parts {
    /// Downloads a place, unless it is there or under way. What failed is tried again.
    pub fn fetch(&mut self, place: PagePlace, done: Callback<(PagePlace, Fetched)>) {
        if matches!(self.0.get(place.name()), None | Some(Some(Err(_)))) {
            self.0.insert(place.name(), None);
            yew::platform::spawn_local(async move { done.emit((place, fetch(place).await)) });
        }
    }

    /// The download of a place has ended.
    pub fn receive(&mut self, place: PagePlace, view: Fetched) {
        self.0.insert(place.name(), Some(view));
    }

    /// The place, or a sentence instead.
    pub fn show(&self, place: PagePlace, input: PlaceInput<'_>, act: &PageAct) -> Html {
        match self.0.get(place.name()) {
            Some(Some(Ok((_, view)))) => view(input),
            Some(Some(Err(_))) => {
                let (act, wanted) = (act.clone(), input.wanted);
                let again = move |_: MouseEvent| act.emit(Action::Visit(place, wanted.clone()));
                html! {
                    <main class="loading" role="alert">
                        <p>{ "This part of the page could not be downloaded. The run on the stage is unchanged. If a newer version was published in the meantime, reload the page." }</p>
                        <button type="button" class="button" onclick={again}>{ "Try again" }</button>
                    </main>
                }
            }
            _ => html! { <main class="loading" role="status">{ "Loading…" }</main> },
        }
    }
}
