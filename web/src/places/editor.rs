//! The editor: scenarios of the reader's own, checked while they are written.

use crate::browser::{field, files, storage};
use crate::hooks::use_act;
use crate::panels::problems::ProblemList;
use lockstep_scenario::MOST_BYTES;
use lockstep_session::Action;
use lockstep_session::editor::{EXAMPLE, UNSTORED_DRAFT, problems, template};
use std::rc::Rc;
use yew::prelude::*;

/// What the place needs.
#[derive(Properties, PartialEq)]
pub struct EditorProps {
    /// What the address asks for: `this-run`, the id of a prepared scenario, or nothing.
    pub wanted: String,
    /// The run on the stage as a scenario, or why it cannot be one.
    pub this_run: Result<String, String>,
}

/// The place.
#[component]
pub fn Editor(props: &EditorProps) -> Html {
    let text = use_state(|| storage::get("draft").unwrap_or_else(|| EXAMPLE.into()));
    let notice = use_state(String::new);
    {
        let (text, notice) = (text.setter(), notice.setter());
        let given = template(&props.wanted, &props.this_run);
        use_effect_with(props.wanted.clone(), move |_| match given {
            Some(Ok(new)) => text.set(new),
            Some(Err(why)) => notice.set(why),
            None => {}
        });
    }
    let problems = use_memo((*text).clone(), |text| Rc::<[String]>::from(problems(text)));
    let set = {
        let (text, notice) = (text.setter(), notice.setter());
        Callback::from(move |new: String| {
            let stored = storage::set("draft", &new);
            text.set(new);
            notice.set(if stored { String::new() } else { UNSTORED_DRAFT.into() });
        })
    };
    let on_input = {
        let set = set.clone();
        Callback::from(move |event: InputEvent| field::value(&event).into_iter().for_each(|text| set.emit(text)))
    };
    let on_file = {
        let (set, notice) = (set.clone(), notice.setter());
        Callback::from(move |event: Event| {
            let Some(file) = field::file(&event) else { return };
            let (set, notice) = (set.clone(), notice.clone());
            files::read(
                &file,
                MOST_BYTES,
                Callback::from(move |read| match read {
                    Ok(text) => set.emit(text),
                    Err(why) => notice.set(why),
                }),
            );
        })
    };
    let open = {
        let text = (*text).clone();
        use_act().reform(move |_: MouseEvent| Action::Play(text.clone()))
    };
    let save = {
        let text = (*text).clone();
        move |_: MouseEvent| files::save("scenario.toml", "application/toml", &text)
    };
    let count = problems.len();
    let verdict = match count {
        0 => "No problems: all expectations hold.".to_owned(),
        1 => "One problem.".to_owned(),
        n => format!("{n} problems."),
    };
    html! {
        <main class="place write">
            <header>
                <h1>{ "Scenario" }</h1>
                <p>{ "A system, its events, and named stops with expectations and questions. It is checked while you write." }</p>
            </header>
            <div class="write-tools">
                <label class="button">{ "Open a file" }<input type="file" accept=".toml,text/plain" class="hidden" onchange={on_file} /></label>
                <button type="button" class="button" onclick={save}>{ "Save" }</button>
                <button type="button" class="primary" disabled={count > 0} onclick={open}>{ "Play" }</button>
            </div>
            <textarea class="editor" aria-label="Scenario" spellcheck="false" value={(*text).clone()} oninput={on_input} />
            <section class="problems" aria-label="Problems" aria-live="polite" tabindex="0">
                <h2>{ verdict }</h2>
                <p class="broken" hidden={notice.is_empty()}>{ (*notice).clone() }</p>
                <ProblemList list={(*problems).clone()} />
            </section>
        </main>
    }
}
