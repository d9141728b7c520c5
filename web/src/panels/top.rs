//! The bar at the top: name, places, link, theme, keys.

use crate::hooks::use_act;
use crate::panels::icons;
use lockstep_session::{Action, PagePlace, Theme};
use yew::prelude::*;

/// What the bar needs.
#[derive(Properties, PartialEq)]
pub struct TopProps {
    /// Where the reader is.
    pub place: PagePlace,
    /// Light or dark.
    pub theme: Theme,
    /// Whether the link was just copied.
    pub copied: bool,
}

/// The bar at the top.
#[component]
pub fn Top(props: &TopProps) -> Html {
    let page = use_act();
    let act = |action: Action| page.reform(move |_: MouseEvent| action.clone());
    let (sign, theme) = match props.theme {
        Theme::Auto => (icons::HALF, "the system's"),
        Theme::Light => (icons::SUN, "light"),
        Theme::Dark => (icons::MOON, "dark"),
    };
    let place = |(name, title, place): (&'static str, &'static str, PagePlace)| {
        let act = page.clone();
        let go = move |event: MouseEvent| {
            event.prevent_default();
            act.emit(Action::Visit(place, String::new()));
        };
        let current = (props.place == place).then_some("page");
        html! { <a key={name} href={format!("#{name}")} aria-current={current} onclick={go}>{ title }</a> }
    };
    html! {
        <header class="top">
            <p class="wordmark">
                <svg viewBox="0 0 20 20" aria-hidden="true"><path d="M7 4l6 6-6 6-6-6z" /><path d="M13 4l6 6-6 6-6-6z" /></svg>
                { "Lockstep" }
            </p>
            <nav class="places" aria-label="Places">{ for PagePlace::ALL.into_iter().map(place) }</nav>
            <div class="top-tools">
                <button type="button" onclick={act(Action::Copy)}>
                    { icons::icon(if props.copied { icons::CHECK } else { icons::LINK }) }
                    <span>{ if props.copied { "Copied" } else { "Copy link" } }</span>
                </button>
                <button type="button" hidden={props.place != PagePlace::Stage} title="Save pictures and files of this run, or open a run" onclick={act(Action::Export(true))}>{ icons::icon(icons::SAVE) }<span>{ "Files" }</span></button>
                <button type="button" title={format!("Theme: {theme}")} aria-label={format!("Theme: {theme}")} onclick={act(Action::Theme(props.theme.next()))}>
                    { icons::icon(sign) }
                </button>
                <button type="button" title="Keys (?)" onclick={act(Action::Help(true))}>{ icons::icon(icons::KEYS) }<span>{ "Keys" }</span></button>
            </div>
        </header>
    }
}
