//! Compare.

use crate::state::Action;
use yew::prelude::*;

/// What the place needs.
#[derive(Properties, PartialEq)]
pub struct CompareProps {
    /// Whether the reader is here.
    pub here: bool,
    /// What the address asks for.
    pub wanted: String,
    /// Makes something happen.
    pub act: Callback<Action>,
}

/// The place.
#[component]
pub fn Compare(_: &CompareProps) -> Html {
    html! { <main class="place"><h1>{ "Compare" }</h1></main> }
}
