//! The legend, whose items switch their layers, and the choice of a layout.

use crate::browser::field;
use crate::hooks::use_act;
use lockstep_scene::card::{diamond, hexagon, hourglass};
use lockstep_scene::geometry::point;
use lockstep_scene::{Arrangement, LegendLayer, LegendSample, Shape, ShapeKind};
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

fn rect(class: &str, x: f64, y: f64, w: f64, h: f64) -> Shape {
    Shape::new("r", class, ShapeKind::Rect { x, y, w, h, r: 3.0 })
}

fn sample(sample: LegendSample) -> Html {
    let c = point(10.0, 10.0);
    let arrow = |class: String| {
        Shape::group(
            "l",
            class,
            vec![Shape::path("w", "route", "M1,10L18,10"), Shape::path("h", "head", "M12,6L18,10L12,14")],
        )
    };
    let shapes = match sample {
        LegendSample::Token => vec![diamond("d", "token", c, 7.5)],
        LegendSample::Inside => {
            vec![Shape::circle("r", "inside-ring", c, 7.5), Shape::circle("d", "inside-disc", c, 4.5)]
        }
        LegendSample::Waiting => vec![hourglass("w", "waiting-ring", c, 7.0)],
        LegendSample::Alien => vec![hexagon("a", "alien-hexagon", c, 8.0)],
        LegendSample::Remote => vec![rect("remote-square", 4.0, 4.0, 12.0, 12.0)],
        LegendSample::Link(i) => vec![arrow(format!("link stroke-{i}"))],
        LegendSample::Ghost => vec![arrow("link ghost stroke-0".into())],
        LegendSample::Message => {
            let disc = Shape::new("disc", "disc", ShapeKind::Circle { x: 10.0, y: 10.0, r: 6.5 });
            vec![Shape::group("m", "flight request", vec![Shape::path("w", "flight-route", "M0,10L20,10"), disc])]
        }
        LegendSample::Hull => vec![rect("hull", 1.5, 3.0, 17.0, 14.0)],
        LegendSample::Cells => vec![rect("cell-box", 1.0, 6.0, 18.0, 8.0)],
        LegendSample::Note => vec![Shape::path("n", "note-lines", "M3,7H17M3,13H12")],
    };
    html! { <svg class="scene sample" viewBox="0 0 20 20" aria-hidden="true">{ crate::stage::drawing::still(&shapes) }</svg> }
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
