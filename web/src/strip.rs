//! The space-time diagram under the stage.

use crate::browser::{keys, size};
use crate::icons;
use crate::run::Shown;
use crate::state::Action;
use lockstep_scene::Because;
use lockstep_scene::lanes::{self, Mark};
use std::rc::Rc;
use yew::prelude::*;

/// What the diagram needs.
#[derive(Properties, PartialEq)]
pub struct StripProps {
    /// The moment.
    pub shown: Rc<Shown>,
    /// What led to the last step, if that is to be seen.
    pub because: Option<Rc<Because>>,
    /// Whether it is unfolded.
    pub open: bool,
    /// Makes something happen.
    pub act: Callback<Action>,
}

/// The diagram.
#[component]
pub fn Strip(props: &StripProps) -> Html {
    let around = use_node_ref();
    let width = use_state(|| 700.0_f64);
    {
        let (around, width) = (around.clone(), width.setter());
        use_effect_with((), move |()| {
            let watch = around.cast().map(|element| {
                size::watch(element, move |(w, _)| {
                    if w > 40.0 {
                        width.set(w);
                    }
                })
            });
            move || drop(watch)
        });
    }
    let shown = &props.shown;
    let stops: Vec<Mark<'_>> = (shown.stops.iter().enumerate())
        .filter_map(|(i, index)| {
            let name = shown.origin.scenario.as_ref()?.stops.get(i)?.name.as_str();
            Some(Mark { index: (*index)?, name })
        })
        .collect();
    let scene = lanes::draw(&lanes::Input {
        stops: &stops,
        because: props.because.as_deref(),
        ..lanes::Input::new(&shown.frames, shown.cursor, &shown.origin.setup, *width)
    });
    let on_click = {
        let act = props.act.clone();
        Callback::from(move |event: MouseEvent| {
            if let Some(index) = keys::clicked(&event, "data-index").and_then(|i| i.parse().ok()) {
                act.emit(Action::Seek(index));
            }
        })
    };
    let toggle = {
        let act = props.act.clone();
        move |_| act.emit(Action::Strip)
    };
    html! {
        <section class={classes!("strip", (!props.open).then_some("folded"))} aria-label="Space-time diagram">
            <button type="button" class="fold" aria-expanded={props.open.to_string()} onclick={toggle}
                title={if props.open { "Fold the space-time diagram" } else { "Unfold the space-time diagram" }}>
                { icons::icon(icons::CHEVRON) }<span>{ "Space-time diagram" }</span>
            </button>
            <div class="lanes-around" ref={around}>
                <svg class="scene" hidden={!props.open} role="img" aria-label={scene.about.clone()} width={scene.width.to_string()}
                    height={scene.height.to_string()} viewBox={format!("0 0 {} {}", scene.width, scene.height)} onclick={on_click}>
                    { crate::drawing::layers(&scene.layers) }
                </svg>
            </div>
        </section>
    }
}
