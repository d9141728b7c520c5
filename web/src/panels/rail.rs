//! The left rail: the algorithm, the figure and its stops, the question, the puzzle, other runs.

use crate::dialogs::own::OwnProps;
use crate::hooks::{PageAct, use_act};
use crate::panels::icons;
use crate::panels::puzzle::PuzzleProps;
use crate::panels::question::question;
use crate::parts::Library;
use lockstep_kernel::Network;
use lockstep_scenario::IDS;
use lockstep_session::labels::value_name;
use lockstep_session::{Action, Origin, PagePlace, StagePuzzle};
use std::collections::BTreeMap;
use std::rc::Rc;
use yew::prelude::*;

/// What the rail needs.
#[derive(Properties, PartialEq)]
pub struct RailProps {
    /// The system and its scenario.
    pub origin: Rc<Origin>,
    /// The stop at the cursor.
    pub here: Option<usize>,
    /// The last stop at or before the cursor.
    pub passed: Option<usize>,
    /// Steps taken in the puzzle.
    pub steps: usize,
    /// Answers given.
    pub answers: BTreeMap<String, usize>,
    /// The puzzle on the stage.
    pub puzzle: Option<(StagePuzzle, Option<usize>)>,
    /// The library, if it was downloaded.
    pub library: Option<Library>,
}

fn chips(origin: &Origin, act: &PageAct) -> Html {
    let params = origin.entry.params.iter().map(|param| {
        let current = origin.setup.params.get(param.name);
        if origin.is_figure() || origin.scenario.is_none() {
            return html! { <li key={param.name}><span class="chip" title={param.about}>{ value_name(param, current) }</span></li> };
        }
        let choices = param.values.iter().map(|value| {
            let (name, text, act) = (param.name, *value, act.clone());
            let choose = move |_: MouseEvent| act.emit(Action::Param(name.into(), text.into()));
            let on = *value == current;
            html! {
                <button key={*value} type="button" class="chip" aria-pressed={on.to_string()} title={param.about} onclick={choose}>
                    { value_name(param, value) }
                </button>
            }
        });
        html! { <li key={param.name} class="choice">{ for choices }</li> }
    });
    let network = match origin.setup.network {
        Network::Fifo => "FIFO network",
        Network::Unordered => "unordered network",
        Network::Lossy => "lossy network",
        Network::Duplicating => "duplicating network",
    };
    html! {
        <ul class="chips" aria-label="Variant">
            { for params }
            <li key="network"><span class="chip">{ network }</span></li>
        </ul>
    }
}

fn stops(props: &RailProps, act: &PageAct) -> Html {
    let RailProps { origin, here, passed, .. } = props;
    let (here, passed) = (*here, *passed);
    let all = origin.scenario.as_ref().map_or(&[][..], |s| &s.stops);
    let item = |(i, stop): (usize, &lockstep_scenario::Stop)| {
        let act = act.clone();
        let class = classes!(
            "stop",
            (here == Some(i)).then_some("on"),
            (here.is_none() && passed == Some(i)).then_some("passed")
        );
        let current = (here == Some(i)).then_some("step");
        html! {
            <li key={i}>
                <button type="button" {class} aria-current={current} title={stop.title.clone()} onclick={move |_| act.emit(Action::Stop(i))}>
                    <b>{ &stop.name }</b><span>{ &stop.title }</span>
                </button>
            </li>
        }
    };
    html! { <ol class="stops" hidden={all.is_empty()}>{ for all.iter().enumerate().map(item) }</ol> }
}

/// The left rail.
#[component]
pub fn Rail(props: &RailProps) -> Html {
    let act = use_act();
    let origin = &props.origin;
    let here = origin.scenario.as_ref().map_or("", |s| s.id.as_str());
    let position = IDS.iter().position(|id| *id == here);
    let neighbour = |step: isize, title: &'static str, sign: &'static str| {
        let id = position.and_then(|i| i.checked_add_signed(step)).and_then(|i| IDS.get(i)).copied();
        let act = act.clone();
        let go = move |_: MouseEvent| id.into_iter().for_each(|id| act.emit(Action::Open(id.into())));
        html! { <button key={title} type="button" class="start" disabled={id.is_none()} onclick={go}>{ icons::icon(sign) }<span>{ title }</span></button> }
    };
    let gallery = act.reform(|event: MouseEvent| {
        event.prevent_default();
        Action::Visit(PagePlace::Figures, String::new())
    });
    let fetch = act.reform(|_: MouseEvent| Action::Library);
    let own = match props.library {
        Some(library) => (library.own)(OwnProps { origin: origin.clone() }),
        None => html! { <p role="status">{ "Loading…" }</p> },
    };
    let puzzle = props
        .library
        .zip(props.puzzle.clone())
        .map_or_else(Html::default, |(library, puzzle)| (library.puzzle)(PuzzleProps { puzzle, steps: props.steps }));
    let about = origin.scenario.as_ref().filter(|_| !origin.is_figure()).map(|s| s.about.clone());
    html! {
        <nav class="rail" aria-label="Algorithm and figure">
            <header>
                <h1>{ origin.entry.title }</h1>
                <p class="source">{ origin.entry.source }</p>
                { chips(origin, &act) }
            </header>
            <section class="figure">
                <h2>{ origin.title() }</h2>
                { stops(props, &act) }
                <p class="about" hidden={about.is_none()}>{ about.unwrap_or_default() }</p>
            </section>
            <div class="puzzle-place">{ puzzle }</div>
            { question(origin, props.passed, &props.answers, &act) }
            <section class="others">
                <div class="neighbours">
                    { neighbour(-1, "Previous", icons::BACK) }
                    <a href="#figures" class="start" onclick={gallery}>{ "All figures" }</a>
                    { neighbour(1, "Next", icons::PLAY) }
                </div>
            </section>
            <details class="own">
                <summary onclick={fetch}>{ "A system of your own" }</summary>
                { own }
            </details>
        </nav>
    }
}
