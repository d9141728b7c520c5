//! The bar at the top: name, places, link, theme, keys.

use crate::panels::icons;
use crate::state::{Action, Place, Theme};
use yew::prelude::*;

/// What the bar needs.
#[derive(Properties, PartialEq)]
pub struct TopProps {
    /// Where the reader is.
    pub place: Place,
    /// Light or dark.
    pub theme: Theme,
    /// Makes something happen.
    pub act: Callback<Action>,
    /// Copies the link of what is seen.
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
    let place = |(name, title, place): (&'static str, &'static str, Place)| {
        let act = props.act.clone();
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
            <nav class="places" aria-label="Places">{ for Place::ALL.into_iter().map(place) }</nav>
            <div class="top-tools">
                <button type="button" onclick={copy}>
                    { icons::icon(if props.copied { icons::CHECK } else { icons::LINK }) }
                    <span>{ if props.copied { "Copied" } else { "Copy link" } }</span>
                </button>
                <button type="button" hidden={props.place != Place::Stage} title="Save pictures and files of this run, open others" onclick={act(Action::Export(true))}>{ icons::icon(icons::SAVE) }<span>{ "Files" }</span></button>
                <button type="button" title={format!("Theme: {theme}")} aria-label={format!("Theme: {theme}")} onclick={act(Action::Theme(props.theme.next()))}>
                    { icons::icon(sign) }
                </button>
                <button type="button" title="Keys (?)" onclick={act(Action::Help(true))}>{ icons::icon(icons::KEYS) }<span>{ "Keys" }</span></button>
            </div>
        </header>
    }
}
