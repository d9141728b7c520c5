//! Where a log is put: files, a folder, an archive, a pasted text, or an example.

use super::JudgeAct;
use crate::browser::field;
use crate::browser::files::{self, GivenFile};
use lockstep_judge::JudgeAction;
use lockstep_judge::examples::EXAMPLE_LOGS;
use yew::prelude::*;

/// What it needs.
#[derive(Properties, PartialEq)]
pub struct GiveProps {
    /// Makes something happen.
    pub act: JudgeAct,
    /// Takes files.
    pub given: Callback<Vec<GivenFile>>,
    /// Whether rules of the reader are used.
    pub rules: bool,
}

const SNIPPETS: [(&str, &str, &str); 6] = [
    ("Go", "lockstep_log.go", include_str!("../../../../docs/snippets/lockstep_log.go")),
    ("Java", "LockstepLog.java", include_str!("../../../../docs/snippets/LockstepLog.java")),
    ("Python", "lockstep_log.py", include_str!("../../../../docs/snippets/lockstep_log.py")),
    ("C++", "lockstep_log.cpp", include_str!("../../../../docs/snippets/lockstep_log.cpp")),
    ("Rust", "lockstep_log.rs", include_str!("../../../../docs/snippets/lockstep_log.rs")),
    ("TypeScript", "lockstep_log.ts", include_str!("../../../../docs/snippets/lockstep_log.ts")),
];

/// Where a log is put.
#[component]
pub fn Give(props: &GiveProps) -> Html {
    let text = use_state(String::new);
    let chosen = {
        let given = props.given.clone();
        Callback::from(move |event: Event| given.emit(files::chosen(&event)))
    };
    let typed = {
        let text = text.setter();
        Callback::from(move |event: InputEvent| field::value(&event).into_iter().for_each(|new| text.set(new)))
    };
    let paste = {
        let text = (*text).clone();
        props.act.reform(move |_: MouseEvent| JudgeAction::Paste(text.clone()))
    };
    let examples = EXAMPLE_LOGS.iter().map(|example| {
        let open = props.act.reform(move |_: MouseEvent| JudgeAction::Example(example.id.into()));
        html! { <li key={example.id}><button type="button" class="plain" onclick={open}>{ example.title }</button></li> }
    });
    let snippets = SNIPPETS.iter().map(|(language, file, code)| {
        let save = move |_: MouseEvent| files::save(file, "text/plain", code);
        html! {
            <details key={*language}>
                <summary>{ *language }</summary>
                <button type="button" class="button" onclick={save}>{ format!("Save {file}") }</button>
                <pre tabindex="0" role="region" aria-label={format!("{language} snippet")}>{ *code }</pre>
            </details>
        }
    });
    html! {
        <div class="judge-give">
            <section class="judge-drop" aria-label="Files">
                <p><strong>{ "Drop log files, a folder or a zip archive here" }</strong>{ ": one log, or many for a table." }</p>
                <div class="check-buttons">
                    <label class="button">{ "Choose files" }<input type="file" multiple=true class="hidden" onchange={chosen.clone()} /></label>
                    <label class="button">{ "Choose a folder" }<input type="file" webkitdirectory=true class="hidden" onchange={chosen} /></label>
                </div>
                <label class="judge-label" for="judge-paste">{ "Or paste the lines of a log" }</label>
                <textarea id="judge-paste" class="editor" spellcheck="false" value={(*text).clone()} oninput={typed} />
                <button type="button" class="primary" onclick={paste}>{ "Judge the text" }</button>
                <p class="hint" hidden={!props.rules}>{ "Your rules of earlier logs are used where they match. " }
                    <button type="button" class="plain" onclick={props.act.reform(|_: MouseEvent| JudgeAction::ForgetOwn)}>{ "Forget them" }</button></p>
            </section>
            <section aria-label="Examples">
                <h2>{ "Examples" }</h2>
                <ul class="examples">{ for examples }</ul>
                <h2>{ "Write lines that need no rules" }</h2>
                <p class="hint">{ "Any format is read. With these few lines in your program nothing has to be taught:" }</p>
                { for snippets }
            </section>
        </div>
    }
}
