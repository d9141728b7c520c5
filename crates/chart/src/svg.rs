//! Shapes as SVG text.

use crate::style::{DARK, Marker};
use crate::{ChartShape, Picture, STYLE, STYLES};
use std::fmt::Write;

impl Picture {
    /// The SVG text, complete with its style sheet: ink on white, or following the reader's light
    /// or dark page.
    pub fn svg(&self, follow_page: bool) -> String {
        let mut text = String::new();
        let (w, h) = (self.width, self.height);
        let _ = write!(
            text,
            "<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"chart\" viewBox=\"0 0 {w} {h}\" width=\"{w}\" height=\"{h}\" role=\"img\">\n<title>{}</title>\n<desc>{}</desc>\n<style>\n{STYLE}{}</style>\n",
            escape(&self.title),
            escape(&self.description),
            self.hues(follow_page)
        );
        self.shapes.iter().for_each(|shape| draw(shape, &mut text));
        text + "</svg>\n"
    }

    /// The SVG text without a style sheet, for a page that has [`page_style`].
    pub fn bare(&self) -> String {
        let mut text = String::new();
        let (w, h) = (self.width, self.height);
        let _ = write!(
            text,
            "<svg class=\"chart\" viewBox=\"0 0 {w} {h}\" width=\"{w}\" height=\"{h}\" role=\"img\"><title>{}</title><desc>{}</desc>",
            escape(&self.title),
            escape(&self.description)
        );
        self.shapes.iter().for_each(|shape| draw(shape, &mut text));
        text + "</svg>"
    }

    /// The hues of the styles that are used.
    fn hues(&self, follow_page: bool) -> String {
        let mut used: Vec<usize> = self.panels.iter().flat_map(|p| &p.series).map(|s| s.style).collect();
        used.sort_unstable();
        used.dedup();
        let hue = |dark: bool| {
            used.iter().fold(String::new(), |mut css, style| {
                let (light, night, _) = STYLES[style % STYLES.len()];
                let _ = writeln!(css, ".chart .s{style}{{--hue:{}}}", if dark { night } else { light });
                css
            })
        };
        let dark = if follow_page {
            format!("@media screen and (prefers-color-scheme:dark){{\n{DARK}\n{}}}\n", hue(true))
        } else {
            String::new()
        };
        hue(false) + &dark
    }
}

/// The style sheet of all charts of a page that is light or dark as its reader likes.
pub fn page_style() -> String {
    let both = |light: &str, dark: &str| format!("light-dark({light},{dark})");
    let mut css = String::from(STYLE);
    let _ = writeln!(
        css,
        ".chart{{--ground:{};--ink:{};--muted:{};--hairline:{}}}",
        both("#fff", "#161D27"),
        both("#17202B", "#E7ECF3"),
        both("#55616F", "#9AA7B6"),
        both("#D5DCE4", "#2A3442")
    );
    for (style, (light, dark, _)) in STYLES.iter().enumerate() {
        let _ = writeln!(css, ".s{style}{{--hue:{}}}", both(light, dark));
    }
    css
}

/// At most two decimals, and none that are zero.
fn pixel(value: f64) -> String {
    let text = format!("{value:.2}");
    let text = text.trim_end_matches('0').trim_end_matches('.');
    if text == "-0" { "0".into() } else { text.into() }
}

fn escape(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}

fn class(name: &str) -> String {
    if name.is_empty() { String::new() } else { format!(" class=\"{name}\"") }
}

fn points(list: &[(f64, f64)]) -> String {
    list.iter().enumerate().fold(String::new(), |mut path, (i, (x, y))| {
        let _ = write!(path, "{}{} {}", if i == 0 { "M" } else { "L" }, pixel(*x), pixel(*y));
        path
    })
}

fn draw(shape: &ChartShape, text: &mut String) {
    let _ = match shape {
        ChartShape::Line(name, [x1, y1, x2, y2]) => writeln!(
            text,
            "<line{} x1=\"{}\" y1=\"{}\" x2=\"{}\" y2=\"{}\"/>",
            class(name),
            pixel(*x1),
            pixel(*y1),
            pixel(*x2),
            pixel(*y2)
        ),
        ChartShape::Path(name, list) => writeln!(text, "<path{} d=\"{}\"/>", class(name), points(list)),
        ChartShape::Area(name, list) => writeln!(text, "<path{} d=\"{}Z\"/>", class(name), points(list)),
        ChartShape::Mark(name, style, at, says) => {
            let (d, open) = mark(STYLES[style % STYLES.len()].2, *at);
            let name = if open && !name.starts_with("ghost") { format!("{name} open") } else { name.clone() };
            if says.is_empty() {
                writeln!(text, "<path{} d=\"{d}\"/>", class(&name))
            } else {
                writeln!(text, "<path{} d=\"{d}\"><title>{}</title></path>", class(&name), escape(says))
            }
        }
        ChartShape::Text(name, (x, y), anchor, turned, words) => {
            let (x, y) = (pixel(*x), pixel(*y));
            let turn = if *turned { format!(" transform=\"rotate(-90 {x} {y})\"") } else { String::new() };
            let anchor = if *anchor == "start" { String::new() } else { format!(" text-anchor=\"{anchor}\"") };
            writeln!(text, "<text{} x=\"{x}\" y=\"{y}\"{anchor}{turn}>{}</text>", class(name), escape(words))
        }
        ChartShape::Rect(name, [x, y, w, h]) => writeln!(
            text,
            "<rect{} x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\"/>",
            class(name),
            pixel(*x),
            pixel(*y),
            pixel(*w),
            pixel(*h)
        ),
    };
}

/// The path of a mark, and whether it is made of strokes.
fn mark(marker: Marker, (x, y): (f64, f64)) -> (String, bool) {
    let polygon = |corners: &[(f64, f64)]| {
        let corners: Vec<(f64, f64)> = corners.iter().map(|(dx, dy)| (x + dx, y + dy)).collect();
        points(&corners) + "Z"
    };
    let strokes = |a: [(f64, f64); 2], b: [(f64, f64); 2]| {
        let moved = |line: [(f64, f64); 2]| points(&line.map(|(dx, dy)| (x + dx, y + dy)));
        moved(a) + &moved(b)
    };
    let round =
        |r: f64| format!("M{} {}a{r} {r} 0 1 0 {} 0a{r} {r} 0 1 0 -{} 0Z", pixel(x - r), pixel(y), 2.0 * r, 2.0 * r);
    match marker {
        Marker::Circle => (round(3.75), false),
        Marker::Ring => (round(3.25), true),
        Marker::Square => (polygon(&[(-3.4, -3.4), (3.4, -3.4), (3.4, 3.4), (-3.4, 3.4)]), false),
        Marker::Triangle => (polygon(&[(0.0, -4.6), (4.3, 3.2), (-4.3, 3.2)]), false),
        Marker::Down => (polygon(&[(0.0, 4.6), (4.3, -3.2), (-4.3, -3.2)]), false),
        Marker::Diamond => (polygon(&[(0.0, -4.8), (4.8, 0.0), (0.0, 4.8), (-4.8, 0.0)]), false),
        Marker::Cross => (strokes([(-3.2, -3.2), (3.2, 3.2)], [(-3.2, 3.2), (3.2, -3.2)]), true),
        Marker::Plus => (strokes([(-4.2, 0.0), (4.2, 0.0)], [(0.0, -4.2), (0.0, 4.2)]), true),
    }
}
