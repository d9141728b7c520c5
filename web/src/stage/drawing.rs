//! Shapes of `lockstep-scene` as elements: their attributes, and virtual elements for pictures that
//! are drawn once.

use lockstep_scene::shape::num;
use lockstep_scene::{Shape, ShapeKind};
use yew::prelude::*;
use yew::virtual_dom::{VNode, VTag, VText};

/// The name of a shape's element and all of its attributes.
pub fn attributes(shape: &Shape) -> (&'static str, Vec<(&'static str, String)>) {
    let (name, mut all) = shape.element();
    if !shape.class.is_empty() {
        all.push(("class", shape.class.clone()));
    }
    if let Some(at) = shape.at {
        all.push(("transform", format!("translate({},{})", num(at.x), num(at.y))));
    }
    all.extend(shape.data.iter().cloned());
    if shape.data.iter().any(|(name, _)| matches!(*name, "data-id" | "data-flight-id")) {
        let label = shape.title.clone().or_else(|| shape.data.first().map(|(_, value)| value.clone()));
        all.extend([("tabindex", "0".into()), ("role", "button".into()), ("aria-label", label.unwrap_or_default())]);
    }
    (name, all)
}

/// One shape with everything in it.
fn render(shape: &Shape) -> VNode {
    let (name, attributes) = attributes(shape);
    let mut tag = VTag::new(name);
    tag.key = Some(shape.key.clone().into());
    for (name, value) in attributes {
        tag.add_attribute(name, value);
    }
    if let Some(title) = &shape.title {
        let mut element = VTag::new("title");
        element.key = Some("title".into());
        element.add_child(VText::new(title.clone()).into());
        tag.add_child(element.into());
    }
    match &shape.kind {
        ShapeKind::Group(children) => tag.add_children(children.iter().map(render)),
        ShapeKind::Text { text, .. } => tag.add_child(VText::new(text.clone()).into()),
        _ => {}
    }
    tag.into()
}

/// The shape without what makes it a button.
fn at_rest(shape: &Shape) -> Shape {
    let mut shape = shape.clone();
    shape.data.retain(|(name, _)| !matches!(*name, "data-id" | "data-flight-id" | "data-thread"));
    if let ShapeKind::Group(children) = &mut shape.kind {
        *children = children.iter().map(at_rest).collect();
    }
    shape
}

/// All layers of a picture without buttons.
pub fn still(layers: &[Shape]) -> Html {
    html! { <g key="layers">{ for layers.iter().map(|l| render(&at_rest(l))) }</g> }
}
