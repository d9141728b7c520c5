//! The form of an experiment of one's own and the document behind it. A change of one changes the
//! other.

use crate::browser::field;
use lockstep_lab::{EXPERIMENT_FIELDS, Experiment, ExperimentForm, comparable_algorithms, first_values, placeholder};
use lockstep_spec::Field;
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
    let problems = use_state(Vec::<String>::new);
    let given = use_mut_ref(|| props.experiment.clone());
    if *given.borrow() != props.experiment {
        // another experiment was opened, from the address or from stored results
        given.replace(props.experiment.clone());
        form.set(ExperimentForm::of(&props.experiment));
        text.set(props.experiment.toml());
        problems.set(Vec::new());
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
            problems.set(made.as_ref().err().cloned().unwrap_or_default());
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
                Experiment::read(&new)
            };
            text.set(new);
            if let Ok(experiment) = &read {
                given.replace(experiment.clone());
                form.set(ExperimentForm::of(experiment));
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
            <p class="hint" hidden={shown.is_some()}>{ "The form cannot show everything in this document. Edit the document below." }</p>
            <ul class="own-problems" role="status" hidden={problems.is_empty()}>{ for problems.iter().take(8).enumerate().map(|(i, p)| html! { <li key={i}>{ p }</li> }) }</ul>
            <details class="own-document">
                <summary>{ "The document behind the form (TOML), for " }<code>{ "lockstep study FILE.toml" }</code></summary>
                <textarea class="editor" aria-label="Experiment as TOML" spellcheck="false" disabled={props.busy} value={(*text).clone()} onchange={on_text} />
            </details>
        </section>
    }
}

/// The rows of the form, from the table of fields.
fn rows() -> impl Iterator<Item = &'static Field> {
    EXPERIMENT_FIELDS.iter().filter_map(|name| Field::find(name))
}

fn fields(shown: &ExperimentForm, busy: bool, put: &Callback<ExperimentForm>) -> Html {
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
            if let Some(vary) = field::value(&event) {
                put.emit(ExperimentForm { values: first_values(&vary).into(), vary, ..form.clone() });
            }
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
    let options = rows().filter(|f| f.name != "seed").map(|f| {
        html! { <option key={f.name} value={f.name} selected={f.name == shown.vary}>{ f.title }</option> }
    });
    let inputs = rows().filter(|f| f.name != shown.vary).map(|f| {
        let (form, put, name) = (shown.clone(), put.clone(), f.name);
        let set = Callback::from(move |event: yew::Event| {
            if let Some(text) = field::value(&event) {
                let mut form = form.clone();
                form.fields.insert(name, text);
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
                <small id={about}>{ problem.unwrap_or_else(|| f.help.into()) }</small>
            </label>
        }
    });
    let wrong = shown.values_problem();
    let about = rows().find(|f| f.name == shown.vary).map_or("", |f| f.help);
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
                <summary>{ "What all points share" }</summary>
                <div class="own-fields">{ for inputs }</div>
            </details>
        </>
    }
}
