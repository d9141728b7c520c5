//! A list that may be long: the first rows, how many follow, and a way to see them.

use lockstep_text::problems;
use yew::prelude::*;

/// What the list needs.
#[derive(Properties, PartialEq)]
pub struct RowsProps {
    /// The rows.
    pub rows: Vec<Html>,
    /// Its class.
    #[prop_or_default]
    pub class: &'static str,
    /// How many rows there are beyond those that the page has.
    #[prop_or_default]
    pub beyond: usize,
}

/// The list.
#[component]
pub fn Rows(props: &RowsProps) -> Html {
    let all = use_state(|| false);
    let listed = problems(&props.rows, *all);
    let open = {
        let all = all.setter();
        move |_: MouseEvent| all.set(true)
    };
    let rest = listed.more + props.beyond;
    html! {
        <>
            <ul class={props.class}>{ for listed.shown.iter().enumerate().map(|(at, row)| html! { <li key={at}>{ row.clone() }</li> }) }</ul>
            <p class="hint" hidden={rest == 0}>{ format!("and {rest} more ") }
                <button type="button" class="plain" hidden={listed.more == 0} onclick={open}>{ "Show them" }</button></p>
        </>
    }
}
