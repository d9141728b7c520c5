//! An experiment of one's own: a form that explains itself, and the document behind it. Either changes the other.

use super::form::{FIELDS, Form, algorithms};
use lockstep_lab::Experiment;
use wasm_bindgen::JsCast;
use web_sys::{HtmlInputElement, HtmlSelectElement, HtmlTextAreaElement};
use yew::prelude::*;

/// What the form needs.
#[derive(Properties, PartialEq)]
pub struct OwnProps {
    /// The experiment from which it begins.
    pub experiment: Experiment,
    /// Whether something runs: then nothing can be changed.
    pub busy: bool,
    /// Called with every change that makes sense, and with problems otherwise.
    pub change: Callback<Result<Experiment, Vec<String>>>,
}

/// Texts that are longer are no experiments.
const MOST_BYTES: usize = 64 * 1024;

/// The form.
#[component]
pub fn OwnForm(props: &OwnProps) -> Html {
    let form = use_state(|| Form::of(&props.experiment));
    let text = use_state(|| props.experiment.toml());
    let problems = use_state(Vec::<String>::new);
    let given = use_mut_ref(|| props.experiment.clone());
    if *given.borrow() != props.experiment {
        // another experiment was opened, from the address or from the shelf
        given.replace(props.experiment.clone());
        form.set(Form::of(&props.experiment));
        text.set(props.experiment.toml());
        problems.set(Vec::new());
    }
    let put = {
        let (form, text, problems, change) = (form.setter(), text.setter(), problems.setter(), props.change.clone());
        let given = given.clone();
        Callback::from(move |new: Form| {
            let made = new.experiment();
            if let Ok(experiment) = &made {
                given.replace(experiment.clone());
                text.set(experiment.toml());
            }
            problems.set(made.as_ref().err().cloned().unwrap_or_default());
            form.set(Some(new));
            change.emit(made);
        })
    };
    let on_text = {
        let (form, text, problems, change) = (form.setter(), text.setter(), problems.setter(), props.change.clone());
        let given = given.clone();
        Callback::from(move |event: yew::Event| {
            let Some(area) = event.target().and_then(|t| t.dyn_into::<HtmlTextAreaElement>().ok()) else { return };
            let new = area.value();
            let read = if new.len() > MOST_BYTES {
                Err(vec![format!("The document has {} bytes; right would be at most {MOST_BYTES}.", new.len())])
            } else {
                Experiment::read(&new)
            };
            text.set(new);
            if let Ok(experiment) = &read {
                given.replace(experiment.clone());
                form.set(Form::of(experiment));
            }
            problems.set(read.as_ref().err().cloned().unwrap_or_default());
            change.emit(read);
        })
    };
    let shown = (*form).clone();
    let fields = shown.as_ref().map_or_else(Html::default, |shown| fields(shown, props.busy, &put));
    html! {
        <section class="own-lab" aria-label="Experiment">
            { fields }
            <p class="hint" hidden={shown.is_some()}>{ "This document says more than the form can show. Change it below." }</p>
            <ul class="own-problems" role="status" hidden={problems.is_empty()}>{ for problems.iter().take(8).enumerate().map(|(i, p)| html! { <li key={i}>{ p }</li> }) }</ul>
            <details class="own-document">
                <summary>{ "The document behind it (TOML), for " }<code>{ "lockstep study FILE.toml" }</code></summary>
                <textarea class="editor" aria-label="Experiment as TOML" spellcheck="false" disabled={props.busy} value={(*text).clone()} onchange={on_text} />
            </details>
        </section>
    }
}

fn fields(shown: &Form, busy: bool, put: &Callback<Form>) -> Html {
    let choices = algorithms().into_iter().map(|(label, _)| {
        let on = shown.algorithms.contains(&label);
        let (form, put, name) = (shown.clone(), put.clone(), label.clone());
        let toggle = move |_: MouseEvent| {
            let mut form = form.clone();
            if on { form.algorithms.retain(|l| *l != name) } else { form.algorithms.push(name.clone()) }
            put.emit(form);
        };
        html! { <button key={label.clone()} type="button" class="chip" disabled={busy} aria-pressed={on.to_string()} onclick={toggle}>{ label }</button> }
    });
    let vary = {
        let (form, put) = (shown.clone(), put.clone());
        Callback::from(move |event: yew::Event| {
            if let Some(select) = event.target().and_then(|t| t.dyn_into::<HtmlSelectElement>().ok()) {
                put.emit(Form { vary: select.value(), values: first_values(&select.value()).into(), ..form.clone() });
            }
        })
    };
    let values = {
        let (form, put) = (shown.clone(), put.clone());
        Callback::from(move |event: yew::Event| {
            if let Some(input) = event.target().and_then(|t| t.dyn_into::<HtmlInputElement>().ok()) {
                put.emit(Form { values: input.value(), ..form.clone() });
            }
        })
    };
    let options = FIELDS.iter().filter(|f| f.name != "seed").map(|f| {
        html! { <option key={f.name} value={f.name} selected={f.name == shown.vary}>{ f.title }</option> }
    });
    let inputs = FIELDS.iter().filter(|f| f.name != shown.vary).map(|f| {
        let (form, put, name) = (shown.clone(), put.clone(), f.name);
        let set = Callback::from(move |event: yew::Event| {
            if let Some(input) = event.target().and_then(|t| t.dyn_into::<HtmlInputElement>().ok()) {
                let mut form = form.clone();
                form.fields.insert(name, input.value());
                put.emit(form);
            }
        });
        let value = shown.fields.get(f.name).cloned().unwrap_or_default();
        let problem = shown.problem(f.name);
        let about = format!("own-{}", f.name);
        html! {
            <label key={f.name} class={classes!("own-field", problem.is_some().then_some("wrong"))}>
                <b>{ f.title }</b>
                <input type="text" {value} placeholder={placeholder(f.name)} disabled={busy} aria-invalid={problem.is_some().to_string()} aria-describedby={about.clone()} onchange={set} />
                <small id={about}>{ problem.unwrap_or_else(|| f.about.into()) }</small>
            </label>
        }
    });
    let wrong = shown.values_problem();
    let about = FIELDS.iter().find(|f| f.name == shown.vary).map_or("", |f| f.about);
    html! {
        <>
            <div key="algorithms" class="own-algorithms" role="group" aria-label="Algorithms">
                <b>{ "Algorithms" }</b><div class="own-chips">{ for choices }</div>
            </div>
            <div key="vary" class="own-vary">
                <label class="own-field"><b>{ "What varies" }</b><select disabled={busy} onchange={vary}>{ for options }</select><small>{ "The axis of the charts." }</small></label>
                <label class={classes!("own-field", wrong.is_some().then_some("wrong"))}>
                    <b>{ "Its values" }</b>
                    <input type="text" value={shown.values.clone()} disabled={busy} aria-invalid={wrong.is_some().to_string()} aria-describedby="own-values" onchange={values} />
                    <small id="own-values">{ wrong.unwrap_or_else(|| about.into()) }</small>
                </label>
            </div>
            <details key="fields" class="own-more" open=true>
                <summary>{ "What stays the same" }</summary>
                <div class="own-fields">{ for inputs }</div>
            </details>
        </>
    }
}

/// What an empty field means, where it has a meaning.
fn placeholder(name: &str) -> String {
    let default = serde_json::to_value(lockstep_lab::Job::default()).unwrap_or_default();
    match default.get(name) {
        Some(serde_json::Value::String(text)) => text.clone(),
        Some(serde_json::Value::Number(number)) => number.to_string(),
        _ => String::new(),
    }
}

/// Values to begin with, where another field is to vary.
fn first_values(name: &str) -> &'static str {
    match name {
        "rate" => "0.01 0.03 0.1 0.3 1 3 10",
        "nodes" => "3 7 15 31 63",
        "threads" => "1 2 5 10",
        "delay" | "delay_global" => "const:0.01 const:0.1 const:1",
        "section" => "const:0.001 const:0.01 const:0.1",
        "think" => "exp:0.5 exp:2 exp:8",
        "first" => "const:0 exp:2",
        "requests" => "10 20 40",
        "topology" => "binary-tree chain star",
        "network" => "fifo unordered",
        "cells" => "16 64 256",
        "range" => "1/16 1/8 1/4",
        "entries" => "1000 5000 20000",
        "warmup" => "0 100 1000",
        "replications" => "1 3 10",
        _ => "1",
    }
}
