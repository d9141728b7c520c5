//! The legend: always there, and each item fades its layer.

use crate::state::Action;
use lockstep_scene::card::{diamond, hexagon, hourglass};
use lockstep_scene::geometry::point;
use lockstep_scene::{Kind, Shape};
use std::collections::BTreeSet;
use yew::prelude::*;

/// What the legend needs.
#[derive(Properties, PartialEq)]
pub struct LegendProps {
    /// The kinds of pointers on the stage.
    pub kinds: Vec<String>,
    /// Whether aliens may appear.
    pub aliens: bool,
    /// Faded layers.
    pub hidden: BTreeSet<&'static str>,
    /// Makes something happen.
    pub act: Callback<Action>,
}

fn sample(shapes: Vec<Shape>) -> Html {
    html! { <svg class="scene sample" viewBox="0 0 20 20" aria-hidden="true">{ crate::drawing::layers(&shapes) }</svg> }
}

fn items(kinds: &[String], aliens: bool) -> Vec<(&'static str, String, Html)> {
    let c = point(10.0, 10.0);
    let mut items = vec![
        ("token", "token".into(), sample(vec![diamond("d", "token", c, 7.5)])),
        (
            "inside",
            "inside".into(),
            sample(vec![Shape::circle("r", "inside-ring", c, 7.5), Shape::circle("d", "inside-disc", c, 4.5)]),
        ),
        ("waiting", "waiting".into(), sample(vec![hourglass("w", "waiting-ring", c, 7.0)])),
    ];
    if aliens {
        items.push(("alien", "alien, for its home".into(), sample(vec![hexagon("a", "alien-hexagon", c, 8.0)])));
    }
    for (i, kind) in kinds.iter().enumerate().take(4) {
        let layer = ["link-0", "link-1", "link-2", "link-3"][i];
        let arrow = Shape::group(
            "l",
            format!("link stroke-{i}"),
            vec![Shape::path("w", "way", "M1,10L18,10"), Shape::path("h", "head", "M12,6L18,10L12,14")],
        );
        items.push((layer, kind.clone(), sample(vec![arrow])));
    }
    let disc = Shape::new("disc", "disc", Kind::Circle { x: 10.0, y: 10.0, r: 6.5 });
    let message = Shape::group("m", "flight request", vec![Shape::path("w", "flight-way", "M0,10L20,10"), disc]);
    items.push(("flight", "message".into(), sample(vec![message])));
    items
}

/// The legend.
#[component]
pub fn Legend(props: &LegendProps) -> Html {
    let item = |(layer, name, sample): (&'static str, String, Html)| {
        let on = !props.hidden.contains(layer);
        let act = props.act.clone();
        html! {
            <li key={layer}>
                <button type="button" aria-pressed={on.to_string()} title={format!("{} {name}", if on { "Fade" } else { "Show" })}
                    onclick={move |_| act.emit(Action::Layer(layer))}>
                    { sample }<span>{ name }</span>
                </button>
            </li>
        }
    };
    html! { <ul class="legend" aria-label="Legend">{ for items(&props.kinds, props.aliens).into_iter().map(item) }</ul> }
}
