//! The rows of a form over the fields of a system, as `lockstep_spec` describes them. The stage,
//! the lab and the checker share it.

use crate::browser::field;
use lockstep_spec::FormField;
use yew::prelude::*;

/// What the rows need.
#[derive(Properties, PartialEq)]
pub struct FieldRowsProps {
    /// The rows.
    pub rows: Vec<FormField>,
    /// Called with the name of a field and its new text.
    pub set: Callback<(String, String)>,
}

/// A row for each field: a list where there are values to choose from, else a text.
#[component]
pub fn FieldRows(props: &FieldRowsProps) -> Html {
    let row = |row: &FormField| {
        let (set, name) = (props.set.clone(), row.name.clone());
        let onchange = Callback::from(move |event: Event| {
            field::value(&event).into_iter().for_each(|text| set.emit((name.clone(), text)));
        });
        let invalid = row.problem.as_ref().map(|_| "true");
        let input = if row.choices.is_empty() {
            html! { <input type="text" value={row.text.clone()} placeholder={row.default.clone()} aria-invalid={invalid} {onchange} /> }
        } else {
            let now = if row.text.is_empty() { &row.default } else { &row.text };
            let option = |(value, label): &(String, String)| {
                html! { <option key={value.clone()} value={value.clone()} selected={value == now}>{ label }</option> }
            };
            html! { <select aria-invalid={invalid} {onchange}>{ for row.choices.iter().map(option) }</select> }
        };
        let unit = if row.unit.is_empty() { String::new() } else { format!(" ({})", row.unit) };
        html! {
            <label key={row.name.clone()} data-field={row.name.clone()} title={format!("{}{unit}", row.help)}>
                <span>{ &row.title }</span>{ input }
                <em class="broken" role="alert" hidden={row.problem.is_none()}>{ row.problem.clone().unwrap_or_default() }</em>
            </label>
        }
    };
    html! { <div class="field-rows">{ for props.rows.iter().map(row) }</div> }
}
