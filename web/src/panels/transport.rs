//! The controls at the bottom: to the start, back, Step, play, speed, and the line of all steps.

use crate::browser::keys::ignoring;
use crate::browser::{page, size};
use crate::panels::icons;
use crate::run::Shown;
use crate::state::{Action, SPEEDS};
use lockstep_kernel::ids::units;
use lockstep_kernel::{Event, Frame};
use lockstep_scene::explain::words;
use std::fmt::Write;
use std::rc::Rc;
use wasm_bindgen::JsCast;
use web_sys::{HtmlInputElement, HtmlSelectElement};
use yew::prelude::*;

/// What the controls need.
#[derive(Properties, PartialEq)]
pub struct TransportProps {
    /// The moment.
    pub shown: Rc<Shown>,
    /// Whether it plays.
    pub playing: bool,
    /// One of [`SPEEDS`].
    pub speed: usize,
    /// Whether the page is shown to a room.
    pub presenting: bool,
    /// Whether the page is a guest in another one.
    pub embedded: bool,
    /// Makes something happen.
    pub act: Callback<Action>,
}

/// More ticks than this cannot be told apart.
const MOST_TICKS: usize = 240;

/// The kinds of ticks, each with its top and its foot: one line for all of a kind.
const TICKS: [(&str, u8, u8); 5] =
    [("release", 12, 22), ("request", 9, 25), ("grant", 9, 25), ("fault", 9, 25), ("violation", 9, 25)];

fn tick(frame: &Frame) -> Option<&'static str> {
    let last = frame.last.as_ref()?;
    if frame.invariants.iter().any(|h| h.broken.is_some()) {
        return Some("violation");
    }
    if last.event.is_fault() {
        return Some("fault");
    }
    if !last.granted.is_empty() {
        return Some("grant");
    }
    match last.event {
        Event::Request(_) | Event::Lock(..) => Some("request"),
        Event::Release(_) | Event::Cancel(_) => Some("release"),
        _ => None,
    }
}

/// The stops whose names can be written without touching each other: the one passed last before all others.
fn readable(marks: &[(usize, f64)], half: impl Fn(usize) -> f64, first: Option<usize>, width: f64) -> Vec<usize> {
    let mut kept: Vec<(usize, f64, f64)> = Vec::new();
    let order = marks.iter().filter(|(i, _)| Some(*i) == first).chain(marks.iter().filter(|(i, _)| Some(*i) != first));
    for (i, x) in order {
        let half = half(*i);
        let fits = kept.iter().all(|(_, other, wide)| (x - other).abs() >= half + wide);
        // names at the ends may reach over them a little
        if fits && *x - half > -24.0 && x + half < width + 24.0 {
            kept.push((*i, *x, half));
        }
    }
    kept.into_iter().map(|(i, ..)| i).collect()
}

/// The controls.
#[component]
pub fn Transport(props: &TransportProps) -> Html {
    let shown = &props.shown;
    let scrub = use_node_ref();
    let width = use_state(|| 700.0_f64);
    {
        let (scrub, width) = (scrub.clone(), width.setter());
        use_effect_with((), move |()| {
            let watch = scrub.cast().map(|element| size::watch(element, move |(w, _)| width.set(w)));
            move || drop(watch)
        });
    }
    let act = |action: Action| {
        let act = props.act.clone();
        ignoring::<MouseEvent>(move || act.emit(action.clone()))
    };
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
    let (first, last) = (shown.cursor == 0, shown.line.len() - 1);
    let play = if props.playing {
        ("Pause", icons::PAUSE)
    } else if shown.origin.is_figure() {
        ("Play to the next stop", icons::PLAY)
    } else {
        ("Play", icons::PLAY)
    };
    let on_speed = {
        let act = props.act.clone();
        Callback::from(move |event: yew::Event| {
            let select = event.target().and_then(|t| t.dyn_into::<HtmlSelectElement>().ok());
            if let Some(speed) = select.and_then(|s| s.value().parse().ok()) {
                act.emit(Action::Speed(speed));
            }
        })
    };
    let on_seek = {
        let act = props.act.clone();
        Callback::from(move |event: InputEvent| {
            let input = event.target().and_then(|t| t.dyn_into::<HtmlInputElement>().ok());
            if let Some(index) = input.and_then(|i| i.value().parse().ok()) {
                act.emit(Action::Seek(index));
            }
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
        .filter_map(|(i, index)| Some((i, *width * (*index)? as f64 / last.max(1) as f64)))
        .collect();
    let readable = readable(&marks, |i| words::width(&name(i), 12.5) / 2.0 + 4.0, shown.last_stop(), *width);
    let stops = shown.stops.iter().enumerate().filter(|(i, _)| readable.contains(i)).filter_map(|(i, index)| {
        let index = (*index)?;
        let class = classes!("stop-mark", (shown.cursor == index).then_some("on"));
        let go = { let act = props.act.clone(); move |_: MouseEvent| act.emit(Action::Stop(i)) };
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
                <button type="button" class="tool spare" title="Present to a room (f)" aria-label="Present" aria-pressed={props.presenting.to_string()}
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
