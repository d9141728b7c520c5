//! The form of an experiment of one's own and the document behind it. A change of one changes the
//! other.

use crate::browser::field;
use crate::panels::form::FieldRows;
use crate::panels::problems::ProblemList;
use lockstep_lab::{Experiment, ExperimentForm, comparable_algorithms};
use lockstep_spec::FormField;
use std::rc::Rc;
use yew::prelude::*;

/// What the form needs.
#[derive(Properties, PartialEq)]
pub struct OwnFormProps {
    /// The experiment to edit.
    pub experiment: Experiment,
    /// Whether the experiment runs, so that it cannot be changed.
    pub busy: bool,
    /// Called with every valid change, and with problems otherwise.
    pub change: Callback<Result<Experiment, Vec<String>>>,
}

/// Longer documents are refused.
const MOST_BYTES: usize = 64 * 1024;

/// The form.
#[component]
pub fn OwnForm(props: &OwnFormProps) -> Html {
    let form = use_state(|| ExperimentForm::of(&props.experiment));
    let text = use_state(|| props.experiment.toml());
    let problems = use_state(Rc::<[String]>::default);
    let given = use_mut_ref(|| props.experiment.clone());
    if *given.borrow() != props.experiment {
        // another experiment was opened, from the address or from stored results
        given.replace(props.experiment.clone());
        form.set(ExperimentForm::of(&props.experiment));
        text.set(props.experiment.toml());
        problems.set(Rc::default());
    }
    let put = {
        let (form, text, problems, change) = (form.setter(), text.setter(), problems.setter(), props.change.clone());
        let given = given.clone();
        Callback::from(move |new: ExperimentForm| {
            let made = new.experiment();
            if let Ok(experiment) = &made {
                given.replace(experiment.clone());
                text.set(experiment.toml());
            }
            problems.set(made.as_ref().err().cloned().unwrap_or_default().into());
            form.set(Some(new));
            change.emit(made);
        })
    };
    let on_text = {
        let (form, text, problems, change) = (form.setter(), text.setter(), problems.setter(), props.change.clone());
        let given = given.clone();
        Callback::from(move |event: yew::Event| {
            let Some(new) = field::value(&event) else { return };
            let read = if new.len() > MOST_BYTES {
                Err(vec![format!("The document has {} bytes; expected at most {MOST_BYTES}.", new.len())])
            } else {
                Experiment::parse(&new).and_then(|experiment| experiment.check().map(|()| experiment))
            };
            text.set(new);
            if let Ok(experiment) = &read {
                given.replace(experiment.clone());
                form.set(ExperimentForm::of(experiment));
            }
            problems.set(read.as_ref().err().cloned().unwrap_or_default().into());
            change.emit(read);
        })
    };
    let shown = (*form).clone();
    let rows = use_memo(shown.clone(), |shown| shown.as_ref().map_or_else(Vec::new, ExperimentForm::rows));
    let fields = shown.as_ref().map_or_else(Html::default, |shown| fields(shown, &rows, props.busy, &put));
    html! {
        <section class="own-lab" aria-label="Experiment">
            { fields }
            <p class="hint" hidden={shown.is_some()}>{ "The form cannot show everything in this document. Edit the document below." }</p>
            <div class="own-problems" role="status" hidden={problems.is_empty()}><ProblemList list={(*problems).clone()} /></div>
            <details class="own-document">
                <summary>{ "The document behind the form (TOML), for " }<code>{ "lockstep study FILE.toml" }</code></summary>
                <textarea class="editor" aria-label="Experiment as TOML" spellcheck="false" disabled={props.busy} value={(*text).clone()} onchange={on_text} />
            </details>
        </section>
    }
}

fn fields(shown: &ExperimentForm, rows: &[FormField], busy: bool, put: &Callback<ExperimentForm>) -> Html {
    let choices = comparable_algorithms().into_iter().map(|(label, _)| {
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
            field::value(&event).into_iter().for_each(|name| put.emit(form.varying(&name)));
        })
    };
    let values = {
        let (form, put) = (shown.clone(), put.clone());
        Callback::from(move |event: yew::Event| {
            if let Some(values) = field::value(&event) {
                put.emit(ExperimentForm { values, ..form.clone() });
            }
        })
    };
    let set = {
        let (form, put) = (shown.clone(), put.clone());
        Callback::from(move |(name, text): (String, String)| put.emit(form.set(&name, &text)))
    };
    let (varied, shared): (Vec<&FormField>, Vec<&FormField>) = rows.iter().partition(|row| row.name == shown.vary);
    let options = rows.iter().filter(|row| row.name != "seed").map(|row| {
        html! { <option key={row.name.clone()} value={row.name.clone()} selected={row.name == shown.vary}>{ &row.title }</option> }
    });
    let wrong = shown.values_problem();
    let about = varied.first().map_or_else(String::new, |row| row.help.clone());
    html! {
        <>
            <div key="algorithms" class="own-algorithms" role="group" aria-label="Algorithms">
                <b>{ "Algorithms" }</b><div class="own-chips">{ for choices }</div>
            </div>
            <div key="vary" class="own-vary">
                <div class="field-row"><label for="lab-vary">{ "What varies" }</label><select id="lab-vary" disabled={busy} onchange={vary}>{ for options }</select><small>{ "The axis of the charts." }</small></div>
                <div class="field-row" data-values="">
                    <label for="lab-values">{ "Its values" }</label>
                    <input id="lab-values" type="text" value={shown.values.clone()} disabled={busy} aria-invalid={wrong.as_ref().map(|_| "true")} aria-describedby="lab-values-help" onchange={values} />
                    <small id="lab-values-help">{ about }</small>
                    <em class="broken" role="alert" hidden={wrong.is_none()}>{ wrong.unwrap_or_default() }</em>
                </div>
            </div>
            <details key="fields" class="own-more" open=true>
                <summary>{ "What all points share" }</summary>
                <FieldRows form="lab" rows={shared.into_iter().cloned().collect::<Vec<_>>()} disabled={busy} {set} />
            </details>
        </>
    }
}
