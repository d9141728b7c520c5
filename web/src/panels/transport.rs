//! The controls at the bottom: start, back, Step, play, speed, and the timeline.

use crate::browser::{field, page};
use crate::hooks::{use_act, use_size};
use crate::panels::icons;
use lockstep_kernel::ids::units;
use lockstep_scene::explain::words;
use lockstep_session::timeline::{MOST_TICKS, TICKS, readable, tick};
use lockstep_session::{Action, SPEEDS, StepView};
use std::fmt::Write;
use std::rc::Rc;
use yew::prelude::*;

/// What the controls need.
#[derive(Properties, PartialEq)]
pub struct TransportProps {
    /// The step.
    pub shown: Rc<StepView>,
    /// Whether it plays.
    pub playing: bool,
    /// One of [`SPEEDS`].
    pub speed: usize,
    /// Whether the presentation view is on.
    pub presenting: bool,
    /// Whether the page is embedded in another one.
    pub embedded: bool,
}

/// The controls.
#[component]
pub fn Transport(props: &TransportProps) -> Html {
    let shown = &props.shown;
    let page = use_act();
    let (scrub, (width, _)) = use_size((700.0, 0.0), (0.0, 0.0));
    let act = |action: Action| page.reform(move |_: MouseEvent| action.clone());
    let tool = |class: &'static str,
                title: String,
                name: &'static str,
                sign,
                disabled,
                pressed: Option<bool>,
                action| {
        let pressed = pressed.map(|on| on.to_string());
        html! { <button type="button" {class} {title} aria-label={name} {disabled} aria-pressed={pressed} onclick={act(action)}>{ icons::icon(sign) }</button> }
    };
    let (first, last) = (shown.cursor == 0, shown.timeline.len() - 1);
    let play = if props.playing {
        ("Pause", icons::PAUSE)
    } else if shown.origin.is_figure() {
        ("Play to the next stop", icons::PLAY)
    } else {
        ("Play", icons::PLAY)
    };
    let on_speed = {
        let act = page.clone();
        Callback::from(move |event: Event| {
            field::parsed(&event).into_iter().for_each(|speed| act.emit(Action::Speed(speed)));
        })
    };
    let on_seek = {
        let act = page.clone();
        Callback::from(move |event: InputEvent| {
            field::parsed(&event).into_iter().for_each(|index| act.emit(Action::Seek(index)));
        })
    };
    let percent = |i: usize| format!("left:{:.3}%", 100.0 * i as f64 / last.max(1) as f64);
    let mut ticks = TICKS.map(|(class, top, foot)| (class, top, foot, String::new()));
    for (i, frame) in shown.frames.iter().enumerate().filter(|_| last <= MOST_TICKS) {
        if let Some((_, top, foot, d)) = tick(frame).and_then(|class| ticks.iter_mut().find(|t| t.0 == class)) {
            let _ = write!(d, "M{i},{top}V{foot}");
        }
    }
    let ticks =
        ticks.into_iter().map(|(class, _, _, d)| html! { <path key={class} class={classes!("tick", class)} {d} /> });
    let name = |i: usize| {
        shown.origin.scenario.as_ref().and_then(|s| s.stops.get(i)).map_or(String::new(), |s| s.name.clone())
    };
    let marks: Vec<(usize, f64)> = (shown.stops.iter().enumerate())
        .filter_map(|(i, index)| Some((i, width * (*index)? as f64 / last.max(1) as f64)))
        .collect();
    let readable = readable(&marks, |i| words::width(&name(i), 12.5) / 2.0 + 4.0, shown.last_stop(), width);
    let stops = shown.stops.iter().enumerate().filter(|(i, _)| readable.contains(i)).filter_map(|(i, index)| {
        let index = (*index)?;
        let class = classes!("stop-mark", (shown.cursor == index).then_some("on"));
        let go = act(Action::Stop(i));
        Some(html! { <button key={i} type="button" {class} style={percent(index)} tabindex="-1" onclick={go}>{ name(i) }</button> })
    });
    let at_stop = shown.stop().map_or(String::new(), |i| format!(", stop {}", name(i)));
    let valuetext = format!("step {} of {last}{at_stop}", shown.cursor);
    let options = SPEEDS.iter().enumerate().map(|(i, (_, name))| {
        html! { <option key={i} value={i.to_string()} selected={i == props.speed}>{ *name }</option> }
    });
    html! {
        <footer class="transport">
            <div class="buttons">
                { tool("tool", "To the start (Home)".into(), "To the start", icons::START, first, None, Action::Start) }
                { tool("tool", "Back (←)".into(), "Back", icons::BACK, first, None, Action::Back) }
                <button type="button" class="primary" title="Step (→)" disabled={shown.next.is_none()} onclick={act(Action::Step)}>{ "Step" }</button>
                { tool("tool", format!("{} (p)", play.0), play.0, play.1, false, Some(props.playing), Action::Toggle) }
                <select class="speed" aria-label="Speed" title="Speed" onchange={on_speed}>{ for options }</select>
                { tool("tool spare", "Undo (Ctrl+Z)".into(), "Undo", icons::UNDO, false, None, Action::Undo) }
                { tool("tool spare", "Redo (Ctrl+Y)".into(), "Redo", icons::REDO, false, None, Action::Redo) }
                <button type="button" class="tool spare" title="Presentation view (f)" aria-label="Present" aria-pressed={props.presenting.to_string()}
                    hidden={props.embedded} onclick={act(Action::Present)}>{ icons::icon(icons::PRESENT) }</button>
                <a class="tool" hidden={!props.embedded} href={if props.embedded { page::unembedded() } else { String::new() }} target="_blank" rel="noopener"
                    title="Open in Lockstep" aria-label="Open in Lockstep">{ icons::icon(icons::PRESENT) }</a>
            </div>
            <div class="scrub" ref={scrub}>
                <div class="rail-line"></div>
                <div class="rail-done" style={format!("width:{:.3}%", 100.0 * shown.cursor as f64 / last.max(1) as f64)}></div>
                <svg class="ticks" aria-hidden="true" viewBox={format!("0 0 {} 44", last.max(1))} preserveAspectRatio="none">{ for ticks }</svg>
                <input type="range" aria-label="Steps" aria-valuetext={valuetext} min="0" max={last.to_string()} step="1"
                    value={shown.cursor.to_string()} oninput={on_seek} disabled={last == 0} />
                <div class="stop-marks">{ for stops }</div>
            </div>
            <p class="readout">
                <span class="step-count">{ format!("step {}", shown.cursor) }</span>
                <span class="time">{ format!("t = {:.3}", units(shown.frame.now)) }</span>
            </p>
        </footer>
    }
}
