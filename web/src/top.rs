//! The bar at the top: name, places, link, theme, keys.

use crate::icons;
use crate::state::{Action, Theme};
use yew::prelude::*;

/// What the bar needs.
#[derive(Properties, PartialEq)]
pub struct TopProps {
    /// Light or dark.
    pub theme: Theme,
    /// Makes something happen.
    pub act: Callback<Action>,
    /// Copies the link of the run.
    pub copy: Callback<()>,
    /// Whether it was just copied.
    pub copied: bool,
}

/// The bar at the top.
#[component]
pub fn Top(props: &TopProps) -> Html {
    let act = |action: Action| {
        let act = props.act.clone();
        move |_: MouseEvent| act.emit(action.clone())
    };
    let copy = {
        let copy = props.copy.clone();
        move |_: MouseEvent| copy.emit(())
    };
    let (sign, theme) = match props.theme {
        Theme::Auto => (icons::HALF, "as the system"),
        Theme::Light => (icons::SUN, "light"),
        Theme::Dark => (icons::MOON, "dark"),
    };
    html! {
        <header class="top">
            <p class="wordmark">
                <svg viewBox="0 0 20 20" aria-hidden="true"><path d="M7 4l6 6-6 6-6-6z" /><path d="M13 4l6 6-6 6-6-6z" /></svg>
                { "Lockstep" }
            </p>
            <nav class="places" aria-label="Places"><a href="#s=alien-figure-1" aria-current="page">{ "Stage" }</a></nav>
            <div class="top-tools">
                <button type="button" onclick={copy}>
                    { icons::icon(if props.copied { icons::CHECK } else { icons::LINK }) }
                    <span>{ if props.copied { "Copied" } else { "Copy link" } }</span>
                </button>
                <button type="button" title={format!("Theme: {theme}")} aria-label={format!("Theme: {theme}")} onclick={act(Action::Theme(props.theme.next()))}>
                    { icons::icon(sign) }
                </button>
                <button type="button" title="Keys (?)" onclick={act(Action::Help(true))}>{ icons::icon(icons::KEYS) }<span>{ "Keys" }</span></button>
            </div>
        </header>
    }
}
