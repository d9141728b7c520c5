//! A picture in the page: it keeps the shapes that it shows, compares them with the new ones, and
//! changes only the elements that differ.
//!
//! A picture has thousands of shapes, of which a step changes a few. Comparing shapes is cheap;
//! describing all of them as virtual elements at every step costs more than everything else.

use crate::stage::drawing::attributes;
use lockstep_kernel::sort;
use lockstep_scene::{Point, Shape, ShapeKind};
use std::rc::Rc;
use wasm_bindgen::JsCast;
pub use web_sys::Element;
use web_sys::{Document, Node};

const SVG: &str = "http://www.w3.org/2000/svg";

/// A picture that is equal only to itself: comparing shapes twice is not worth it.
pub struct SamePicture<T>(pub Rc<T>);

impl<T> PartialEq for SamePicture<T> {
    fn eq(&self, other: &Self) -> bool {
        Rc::ptr_eq(&self.0, &other.0)
    }
}

/// Moves an element of a picture, and with it everything in it.
pub fn translate(element: &yew::NodeRef, x: f64, y: f64) {
    if let Some(element) = element.cast::<Element>() {
        let _ = element.set_attribute("transform", &format!("translate({x:.1},{y:.1})"));
    }
}

/// Places an element and gives it a size, in whole pixels. The browser moves it without drawing it
/// again.
pub fn arrange(element: &yew::NodeRef, x: f64, y: f64, width: f64, height: f64) {
    if let Some(element) = element.cast::<Element>() {
        let style = format!("width:{width:.0}px;height:{height:.0}px;transform:translate({x:.0}px,{y:.0}px)");
        let _ = element.set_attribute("style", &style);
    }
}

/// Writes the text of an element that has nothing else in it.
pub fn say(element: &yew::NodeRef, text: &str) {
    element.cast::<Element>().into_iter().for_each(|element| element.set_text_content(Some(text)));
}

/// A picture inside an element of its own, which nothing else may fill.
pub struct Canvas {
    root: Element,
    drawn: Vec<CanvasShape>,
}

/// A shape in the page. Its children, if it is a group, are `inside`, not in the shape.
struct CanvasShape {
    shape: Shape,
    element: Element,
    title: Option<Element>,
    text: Option<Node>,
    inside: Vec<CanvasShape>,
}

impl Canvas {
    /// An empty picture.
    pub fn new(root: Element) -> Canvas {
        Canvas { root, drawn: Vec::new() }
    }

    /// Shows these shapes, from back to front. An element stays while there is a shape of its key.
    pub fn show(&mut self, shapes: &[Shape]) {
        if let Some(document) = self.root.owner_document() {
            fill(&document, &self.root, None, &mut self.drawn, shapes);
        }
    }

    /// Where the shapes of a layer stand, with their keys and elements.
    pub fn places(&self, layer: &str) -> Vec<(String, Point, Element)> {
        let layer = self.drawn.iter().find(|d| d.shape.key == layer);
        let found = layer.into_iter().flat_map(|l| &l.inside);
        found.filter_map(|d| Some((d.shape.key.clone(), d.shape.at?, d.element.clone()))).collect()
    }

    /// The element of a shape in a layer, by the keys of both and of what lies inside it.
    pub fn element(&self, layer: &str, key: &str, inside: &str) -> Option<Element> {
        let layer = self.drawn.iter().find(|d| d.shape.key == layer)?;
        let shape = layer.inside.iter().find(|d| d.shape.key == key)?;
        Some(shape.inside.iter().find(|d| d.shape.key == inside)?.element.clone())
    }

    /// The elements of a layer by key, to be moved by the caller. The next [`Canvas::show`] puts
    /// each back to its place.
    pub fn lift(&mut self, layer: &str) -> Vec<(String, Element)> {
        let Some(layer) = self.drawn.iter_mut().find(|d| d.shape.key == layer) else { return Vec::new() };
        layer.inside.iter_mut().for_each(|d| d.shape.at = None);
        layer.inside.iter().map(|d| (d.shape.key.clone(), d.element.clone())).collect()
    }
}

/// Makes the children of an element the wanted ones. Usually they are the same in the same order.
fn fill(
    document: &Document,
    parent: &Element,
    title: Option<&Element>,
    drawn: &mut Vec<CanvasShape>,
    wanted: &[Shape],
) {
    if drawn.len() == wanted.len() && drawn.iter().zip(wanted).all(|(d, w)| d.shape.key == w.key) {
        drawn.iter_mut().zip(wanted).for_each(|(d, w)| d.become_like(document, w));
        return;
    }
    let by_key = sort::positions(drawn.len(), &|a, b| drawn[a].shape.key.cmp(&drawn[b].shape.key));
    let find = |key: &String| by_key.binary_search_by(|i| drawn[*i].shape.key.cmp(key)).ok().map(|at| by_key[at]);
    let found: Vec<Option<usize>> = wanted.iter().map(|w| find(&w.key)).collect();
    let mut old: Vec<Option<CanvasShape>> = drawn.drain(..).map(Some).collect();
    let kept: Vec<Option<CanvasShape>> = found.into_iter().map(|at| old[at?].take()).collect();
    old.iter().flatten().for_each(|d| d.element.remove());
    // the element that stands where the next child belongs
    let mut place: Option<Node> = match title {
        Some(title) => title.next_sibling(),
        None => parent.first_child(),
    };
    for (shape, kept) in wanted.iter().zip(kept) {
        let child = match kept {
            Some(mut old) => {
                old.become_like(document, shape);
                Some(old)
            }
            None => CanvasShape::new(document, shape),
        };
        let Some(child) = child else { continue };
        if place.as_ref().is_some_and(|p| p.is_same_node(Some(&child.element))) {
            place = child.element.next_sibling();
        } else {
            let _ = parent.insert_before(&child.element, place.as_ref());
        }
        drawn.push(child);
    }
}

/// The shape without its children, which are kept beside it.
fn alone(shape: &Shape) -> Shape {
    let Shape { key, class, at, data, title, kind } = shape;
    let kind = match kind {
        ShapeKind::Group(_) => ShapeKind::Group(Vec::new()),
        kind => kind.clone(),
    };
    Shape { key: key.clone(), class: class.clone(), at: *at, data: data.clone(), title: title.clone(), kind }
}

fn words(shape: &Shape) -> Option<&str> {
    if let ShapeKind::Text { text, .. } = &shape.kind { Some(text) } else { None }
}

fn same_alone(a: &Shape, b: &Shape) -> bool {
    let kinds = matches!((&a.kind, &b.kind), (ShapeKind::Group(_), ShapeKind::Group(_))) || a.kind == b.kind;
    kinds && a.at == b.at && a.class == b.class && a.title == b.title && a.data == b.data
}

impl CanvasShape {
    fn new(document: &Document, shape: &Shape) -> Option<CanvasShape> {
        let (name, attributes) = attributes(shape);
        let element = document.create_element_ns(Some(SVG), name).ok()?;
        for (name, value) in &attributes {
            let _ = element.set_attribute(name, value);
        }
        let mut drawn = CanvasShape { shape: alone(shape), element, title: None, text: None, inside: Vec::new() };
        drawn.say(document);
        if let ShapeKind::Group(children) = &shape.kind {
            fill(document, &drawn.element, drawn.title.as_ref(), &mut drawn.inside, children);
        }
        Some(drawn)
    }

    /// Changes whatever differs.
    fn become_like(&mut self, document: &Document, shape: &Shape) {
        if !same_alone(&self.shape, shape) {
            let ((name, old), (wanted, new)) = (attributes(&self.shape), attributes(shape));
            if name != wanted {
                // another kind of element: it takes this one's place
                if let Some(other) = CanvasShape::new(document, shape) {
                    let _ = self.element.replace_with_with_node_1(&other.element);
                    *self = other;
                }
                return;
            }
            for (name, value) in &new {
                if !old.iter().any(|(n, v)| n == name && v == value) {
                    let _ = self.element.set_attribute(name, value);
                }
            }
            for (name, _) in old.iter().filter(|(n, _)| !new.iter().any(|(m, _)| m == n)) {
                let _ = self.element.remove_attribute(name);
            }
            let same_words = (self.shape.title == shape.title) && (words(&self.shape) == words(shape));
            self.shape = alone(shape);
            if !same_words {
                self.say(document);
            }
        }
        if let ShapeKind::Group(children) = &shape.kind {
            fill(document, &self.element, self.title.as_ref(), &mut self.inside, children);
        }
    }

    /// Writes its title, which is seen on hover, and its text.
    fn say(&mut self, document: &Document) {
        match (&self.shape.title, &self.title) {
            (Some(words), Some(element)) => element.set_text_content(Some(words)),
            (Some(words), None) => {
                if let Ok(element) = document.create_element_ns(Some(SVG), "title") {
                    element.set_text_content(Some(words));
                    let _ = self.element.insert_before(&element, self.element.first_child().as_ref());
                    self.title = Some(element);
                }
            }
            (None, _) => self.title.take().into_iter().for_each(|element| element.remove()),
        }
        if let ShapeKind::Text { text, .. } = &self.shape.kind {
            match &self.text {
                Some(node) => node.set_node_value(Some(text)),
                None => {
                    let node: Node = document.create_text_node(text).unchecked_into();
                    let _ = self.element.append_child(&node);
                    self.text = Some(node);
                }
            }
        }
    }
}
