//! A picture as SVG text, for files, slides and print. The colours are those of the light page, on
//! white.

use crate::shape::{Scene, Shape, ShapeKind, num};
use std::fmt::Write;

/// The style sheet. Colours are variables of the page, with the light ones as fallback.
pub const STYLE: &str = include_str!("../scene.css");

/// The style sheet with every variable replaced by its fallback, for programs that do not support
/// variables.
pub fn plain_style() -> String {
    let mut out = String::new();
    let mut rest = STYLE;
    while let Some(start) = rest.find("var(") {
        out.push_str(&rest[..start]);
        rest = &rest[start + 4..];
        let end = rest.find(')').unwrap_or(rest.len());
        out.push_str(rest[..end].split_once(',').map_or("inherit", |(_, fallback)| fallback.trim()));
        rest = rest.get(end + 1..).unwrap_or("");
    }
    out + rest
}

fn escape(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            c => out.push(c),
        }
    }
    out
}

fn write_shape(shape: &Shape, out: &mut String) {
    let (name, geometry) = shape.element();
    let _ = write!(out, "<{name}");
    if !shape.class.is_empty() {
        let _ = write!(out, " class=\"{}\"", escape(&shape.class));
    }
    if let Some(at) = shape.at {
        let _ = write!(out, " transform=\"translate({},{})\"", num(at.x), num(at.y));
    }
    for (name, value) in geometry.iter().chain(&shape.data) {
        let _ = write!(out, " {name}=\"{}\"", escape(value));
    }
    out.push('>');
    if let Some(title) = &shape.title {
        let _ = write!(out, "<title>{}</title>", escape(title));
    }
    match &shape.kind {
        ShapeKind::Group(children) => children.iter().for_each(|c| write_shape(c, out)),
        ShapeKind::Text { text, .. } => out.push_str(&escape(text)),
        _ => {}
    }
    let _ = write!(out, "</{name}>");
}

/// Writes a picture as a self-contained SVG document.
pub fn to_svg(scene: &Scene) -> String {
    let (w, h) = (num(scene.width), num(scene.height));
    let mut out = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"scene\" viewBox=\"0 0 {w} {h}\" width=\"{w}\" height=\"{h}\" role=\"img\">"
    );
    let _ = write!(out, "<title>{}</title><desc>{}</desc>", escape(&scene.title), escape(&scene.about));
    let _ =
        write!(out, "<style>{}</style><rect class=\"paper\" width=\"{w}\" height=\"{h}\"/>", escape(&plain_style()));
    for layer in &scene.layers {
        write_shape(layer, &mut out);
    }
    out + "</svg>\n"
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_variable_is_left_in_the_plain_style() {
        let plain = plain_style();
        assert!(!plain.contains("var("), "{plain}");
        assert!(plain.contains("#0072B2"));
    }

    #[test]
    fn text_is_escaped() {
        let text = Shape::text("t", "a\"b", Default::default(), "1 < 2 & 3");
        let mut out = String::new();
        write_shape(&text, &mut out);
        assert_eq!(out, "<text class=\"a&quot;b\" x=\"0\" y=\"0\">1 &lt; 2 &amp; 3</text>");
    }
}
