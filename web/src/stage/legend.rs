//! The legend, whose items switch their layers, and the choice of a layout.

use crate::browser::field;
use crate::hooks::use_act;
use lockstep_scene::{Arrangement, LegendLayer, LegendSample};
use lockstep_session::Action;
use std::collections::BTreeSet;
use yew::prelude::*;

/// What the legend needs.
#[derive(Properties, PartialEq)]
pub struct LegendProps {
    /// What the picture shows.
    pub layers: Vec<LegendLayer>,
    /// Layers that are switched off.
    pub hidden: BTreeSet<String>,
    /// The layout of the nodes.
    pub arrange: Arrangement,
}

fn sample(sample: LegendSample) -> Html {
    html! { <svg class="scene sample" viewBox="0 0 20 20" aria-hidden="true">{ crate::stage::drawing::still(&sample.shapes()) }</svg> }
}

/// The labels of the layouts.
fn arrangement(arrange: Arrangement) -> &'static str {
    match arrange {
        Arrangement::Auto => "layout: automatic",
        Arrangement::Initial => "layout: initial tree",
        Arrangement::Living => "layout: living tree",
        Arrangement::Ring => "layout: ring",
        Arrangement::Clusters => "layout: clusters",
    }
}

/// The legend.
#[component]
pub fn Legend(props: &LegendProps) -> Html {
    let act = use_act();
    let item = |(i, layer): (usize, &LegendLayer)| {
        let on = !props.hidden.contains(&layer.id);
        let (act, id) = (act.clone(), layer.id.clone());
        html! {
            <li key={i} class={classes!((!layer.present).then_some("absent"))}>
                <button type="button" aria-pressed={on.to_string()} title={format!("{} {}", if on { "Hide" } else { "Show" }, layer.name)}
                    onclick={move |_| act.emit(Action::Layer(id.clone()))}>
                    { sample(layer.sample) }<span>{ &layer.name }</span>
                </button>
            </li>
        }
    };
    let choose = {
        let act = act.clone();
        Callback::from(move |event: Event| {
            if let Some(arrange) = field::value(&event).and_then(|name| Arrangement::named(&name)) {
                act.emit(Action::Arrange(arrange));
            }
        })
    };
    let options = Arrangement::ALL.iter().map(|(name, arrange)| {
        html! { <option key={*name} value={*name} selected={*arrange == props.arrange}>{ arrangement(*arrange) }</option> }
    });
    html! {
        <div class="legend-line">
            <ul class="legend" aria-label="Legend">{ for props.layers.iter().enumerate().map(item) }</ul>
            <select class="arrange" aria-label="Layout" onchange={choose}>{ for options }</select>
        </div>
    }
}
