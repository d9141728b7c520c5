//! The rows of a form over the fields of a system, as `lockstep_spec` describes them. The stage,
//! the lab and the checker share it.

use crate::browser::field;
use lockstep_spec::FormField;
use yew::prelude::*;

/// What the rows need.
#[derive(Properties, PartialEq)]
pub struct FieldRowsProps {
    /// The name of the form, for the ids of its elements.
    pub form: &'static str,
    /// The rows.
    pub rows: Vec<FormField>,
    /// Whether nothing can be changed.
    #[prop_or_default]
    pub disabled: bool,
    /// Called with the name of a field and its new text.
    pub set: Callback<(String, String)>,
}

/// A row for each field: a list where there are values to choose from, else a text.
#[component]
pub fn FieldRows(props: &FieldRowsProps) -> Html {
    let disabled = props.disabled;
    let row = |row: &FormField| {
        let (set, name) = (props.set.clone(), row.name.clone());
        let onchange = Callback::from(move |event: Event| {
            field::value(&event).into_iter().for_each(|text| set.emit((name.clone(), text)));
        });
        let invalid = row.problem.as_ref().map(|_| "true");
        let id = format!("{}-{}", props.form, row.name);
        let [help, list] = ["help", "list"].map(|part| format!("{id}-{part}"));
        let now = if row.text.is_empty() { &row.default } else { &row.text };
        let options = row.choices.iter().map(|(value, label)| {
            html! { <option key={value.clone()} value={value.clone()} selected={!row.open && value == now}>{ label }</option> }
        });
        let input = if row.choices.is_empty() || row.open {
            let list = row.open.then(|| list.clone());
            html! { <input id={id.clone()} type="text" value={row.text.clone()} placeholder={row.default.clone()} {list} {disabled} aria-invalid={invalid} aria-describedby={help.clone()} {onchange} /> }
        } else {
            html! { <select id={id.clone()} {disabled} aria-invalid={invalid} aria-describedby={help.clone()} {onchange}>{ for options.clone() }</select> }
        };
        let unit = if row.unit.is_empty() { String::new() } else { format!(" In {}.", row.unit) };
        let limits = if row.limits.is_empty() { String::new() } else { format!(" {}", row.limits) };
        html! {
            <div key={row.name.clone()} class="field-row" data-field={row.name.clone()} title={format!("{}{unit}{limits}", row.help)}>
                <label for={id}>{ &row.title }</label>{ input }
                if row.open { <datalist id={list}>{ for options }</datalist> }
                <small id={help}>{ &row.help }</small>
                <em class="broken" role="alert" hidden={row.problem.is_none()}>{ row.problem_text() }</em>
            </div>
        }
    };
    html! { <div class="field-rows">{ for props.rows.iter().map(row) }</div> }
}
