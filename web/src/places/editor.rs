//! Scenarios of one's own: a text that is checked while it is written, from a file, from the clipboard, or from what was just done on the stage.

use crate::browser::{files, storage};
use crate::state::Action;
use lockstep_scenario::{MOST_BYTES, parse};
use wasm_bindgen::JsCast;
use web_sys::{HtmlInputElement, HtmlTextAreaElement};
use yew::prelude::*;

/// What the place needs.
#[derive(Properties, PartialEq)]
pub struct WriteProps {
    /// What the address asks for: `this-run`, the id of a prepared scenario, or nothing.
    pub wanted: String,
    /// The run on the stage as a scenario's text, or why it cannot be one.
    pub this_run: Result<String, String>,
    /// Makes something happen.
    pub act: Callback<Action>,
}

/// A first text, so that nobody begins with an empty page.
const EXAMPLE: &str = include_str!("../../../crates/scenario/scenarios/neilsen-mizuno.toml");

/// What is wrong with a text: a place and a sentence for each problem.
pub fn problems(text: &str) -> Vec<String> {
    match parse("mine", text) {
        Err(problems) => problems.iter().map(ToString::to_string).collect(),
        Ok(scenario) => scenario.play().failures.iter().map(ToString::to_string).collect(),
    }
}

fn given(wanted: &str, props: &WriteProps) -> Option<Result<String, String>> {
    match wanted {
        "" => None,
        "this-run" => Some(props.this_run.clone()),
        id => lockstep_scenario::LIBRARY.iter().find(|(i, _)| *i == id).map(|(_, text)| Ok((*text).into())),
    }
}

/// The place.
#[component]
pub fn Write(props: &WriteProps) -> Html {
    let text = use_state(|| storage::get("draft").unwrap_or_else(|| EXAMPLE.into()));
    let notice = use_state(String::new);
    {
        let (text, notice) = (text.setter(), notice.setter());
        let given = given(&props.wanted, props);
        use_effect_with(props.wanted.clone(), move |_| match given {
            Some(Ok(new)) => text.set(new),
            Some(Err(why)) => notice.set(why),
            None => {}
        });
    }
    let problems = use_memo((*text).clone(), |text| problems(text));
    let set = {
        let (text, notice) = (text.setter(), notice.setter());
        Callback::from(move |new: String| {
            storage::set("draft", &new);
            text.set(new);
            notice.set(String::new());
        })
    };
    let on_input = {
        let set = set.clone();
        Callback::from(move |event: InputEvent| {
            if let Some(area) = event.target().and_then(|t| t.dyn_into::<HtmlTextAreaElement>().ok()) {
                set.emit(area.value());
            }
        })
    };
    let on_file = {
        let (set, notice) = (set.clone(), notice.setter());
        Callback::from(move |event: yew::Event| {
            let input = event.target().and_then(|t| t.dyn_into::<HtmlInputElement>().ok());
            let Some(file) = input.and_then(|i| i.files()).and_then(|f| f.get(0)) else { return };
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
        let (act, text) = (props.act.clone(), (*text).clone());
        move |_: MouseEvent| act.emit(Action::Play(text.clone()))
    };
    let save = {
        let text = (*text).clone();
        move |_: MouseEvent| files::save("scenario.toml", "application/toml", &text)
    };
    let count = problems.len();
    let verdict = match count {
        0 => "Everything is right: all expectations hold.".to_owned(),
        1 => "One problem.".to_owned(),
        n => format!("{n} problems."),
    };
    html! {
        <main class="place write">
            <header>
                <h1>{ "Scenario" }</h1>
                <p>{ "A system, what happens in it, named stops with what to expect there, a question. It is checked while you write." }</p>
            </header>
            <div class="write-tools">
                <label class="button">{ "Open a file" }<input type="file" accept=".toml,text/plain" class="hidden" onchange={on_file} /></label>
                <button type="button" class="button" onclick={save}>{ "Save" }</button>
                <button type="button" class="primary" disabled={count > 0} onclick={open}>{ "Play it" }</button>
            </div>
            <textarea class="editor" aria-label="Scenario" spellcheck="false" value={(*text).clone()} oninput={on_input} />
            <section class="problems" aria-label="Problems" aria-live="polite" tabindex="0">
                <h2>{ verdict }</h2>
                <p class="broken" hidden={notice.is_empty()}>{ (*notice).clone() }</p>
                <ol>{ for problems.iter().take(50).enumerate().map(|(i, p)| html! { <li key={i}>{ p }</li> }) }</ol>
            </section>
        </main>
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::run::Run;

    #[test]
    fn a_run_becomes_a_scenario_and_plays_again() {
        let mut run = Run::of_library("alien-figure-1", 0).unwrap();
        run.step();
        let text = run.save().unwrap();
        assert_eq!(problems(&text), Vec::<String>::new());
        assert_eq!(Run::of_text(&text, 1).unwrap().fingerprint(), run.fingerprint());
    }

    #[test]
    fn the_example_is_right_and_a_broken_one_says_where() {
        assert_eq!(problems(EXAMPLE), Vec::<String>::new());
        assert!(problems("title = 3")[0].starts_with("line 1"));
    }
}
