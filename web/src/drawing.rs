//! Shapes of `lockstep-scene` as virtual elements.

use lockstep_scene::shape::num;
use lockstep_scene::{Kind, Shape};
use yew::prelude::*;
use yew::virtual_dom::{VNode, VTag, VText};

/// One shape with everything in it. Its key lets the page move it instead of drawing it anew.
pub fn render(shape: &Shape) -> VNode {
    let (name, geometry) = shape.element();
    let mut tag = VTag::new(name);
    tag.key = Some(shape.key.clone().into());
    if !shape.class.is_empty() {
        tag.add_attribute("class", shape.class.clone());
    }
    if let Some(at) = shape.at {
        tag.add_attribute("transform", format!("translate({},{})", num(at.x), num(at.y)));
    }
    for (name, value) in geometry.into_iter().chain(shape.data.clone()) {
        tag.add_attribute(name, value);
    }
    if shape.data.iter().any(|(name, _)| matches!(*name, "data-id" | "data-flight-id")) {
        tag.add_attribute("tabindex", "0");
        tag.add_attribute("role", "button");
        let name = shape.title.clone().or_else(|| shape.data.first().map(|(_, value)| value.clone()));
        tag.add_attribute("aria-label", name.unwrap_or_default());
    }
    if let Some(title) = &shape.title {
        let mut element = VTag::new("title");
        element.key = Some("title".into());
        element.add_child(VText::new(title.clone()).into());
        tag.add_child(element.into());
    }
    match &shape.kind {
        Kind::Group(children) => tag.add_children(children.iter().map(render)),
        Kind::Text { text, .. } => tag.add_child(VText::new(text.clone()).into()),
        _ => {}
    }
    tag.into()
}

/// Takes away what makes a shape something to press.
fn at_rest(shape: &Shape) -> Shape {
    let mut shape = shape.clone();
    shape.data.retain(|(name, _)| !matches!(*name, "data-id" | "data-flight-id" | "data-thread"));
    if let Kind::Group(children) = &mut shape.kind {
        *children = children.iter().map(at_rest).collect();
    }
    shape
}

/// All layers of a picture that is only looked at: nothing in it can be pressed or has the focus.
pub fn still(layers: &[Shape]) -> Html {
    html! { <g key="layers">{ for layers.iter().map(|l| render(&at_rest(l))) }</g> }
}

/// All layers of a picture.
pub fn layers(layers: &[Shape]) -> Html {
    html! { <g key="layers">{ for layers.iter().map(render) }</g> }
}
