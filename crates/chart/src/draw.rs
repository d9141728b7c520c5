//! Lays a chart out as shapes.

use crate::labels::{self, Label};
use crate::scale::number;
use crate::{AxisScale, Chart, ChartPoint, ChartSeries, Panel, STYLES, Source};
use serde::{Deserialize, Serialize};

/// A shape with the classes that style it.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub enum ChartShape {
    /// A straight line.
    Line(String, [f64; 4]),
    /// A line through points.
    Path(String, Vec<(f64, f64)>),
    /// The area that points enclose.
    Area(String, Vec<(f64, f64)>),
    /// A mark of a style, its centre, and its tooltip.
    Mark(String, usize, (f64, f64), String),
    /// Text, its place, where it is anchored (`start`, `middle`, `end`), and whether it is turned
    /// upwards.
    Text(String, (f64, f64), &'static str, bool, String),
    /// A rectangle: x, y, width, height.
    Rect(String, [f64; 4]),
}

/// The plot area of a panel: where its data are drawn.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct PlotArea {
    /// The panel's title.
    pub title: String,
    /// Horizontally.
    pub x: AxisScale,
    /// Vertically; the first pixel is the lower one.
    pub y: AxisScale,
}

/// A chart laid out.
#[derive(Clone, PartialEq, Debug)]
pub struct Picture {
    /// The chart's title, for `<title>`.
    pub title: String,
    /// The chart's description, for `<desc>`.
    pub description: String,
    /// In pixels.
    pub width: f64,
    /// In pixels.
    pub height: f64,
    /// From back to front.
    pub shapes: Vec<ChartShape>,
    /// One for each panel.
    pub frames: Vec<PlotArea>,
    pub(crate) panels: Vec<Panel>,
}

/// More series than these get a legend instead of labels.
const MOST_LABELS: usize = 5;
/// Panels in one row.
const MOST_COLUMNS: usize = 3;
/// A panel that is narrower cannot be read.
const NARROWEST: f64 = 180.0;
/// The mean width of a letter at 13 px, with a margin because fonts differ.
const LETTER: f64 = 8.2;
/// How much wider bold letters are.
const BOLD: f64 = 1.15;
const LEFT: f64 = 64.0;
const RIGHT: f64 = 16.0;
const GAP: f64 = 28.0;
const PLOT_HEIGHT: f64 = 300.0;
const ROW: f64 = 20.0;
/// The longest leader from a single point to its name.
const LONGEST_LEADER: f64 = 40.0;

/// Lays a chart out in this width.
pub fn draw(chart: &Chart, width: f64) -> Picture {
    let labelled = named_series(chart);
    let legend = labelled.len() > MOST_LABELS;
    // labels stand right of the last panel of each row
    let longest = labelled.iter().map(|s| BOLD * text_width(&s.label)).fold(0.0, f64::max);
    let right = if legend || labelled.is_empty() { RIGHT } else { longest + 30.0 };
    // as many panels side by side as stay readable
    let fit = ((width - LEFT - right + GAP) / (NARROWEST + GAP)).max(1.0) as usize;
    let columns = chart.panels.len().clamp(1, MOST_COLUMNS).min(fit);
    let rows = chart.panels.len().div_ceil(columns).max(1);
    let plot_width = ((width - LEFT - right - GAP * (columns - 1) as f64) / columns as f64).max(40.0);
    let titled = chart.panels.iter().any(|p| !p.title.is_empty());
    let keys = if legend { key_rows(&labelled, width) } else { Vec::new() };
    let top = 40.0 + ROW * keys.len() as f64 + if legend { 6.0 } else { 0.0 };
    let head = if titled { 24.0 } else { 8.0 };
    let plot_height = if rows > 1 { PLOT_HEIGHT * 0.7 } else { PLOT_HEIGHT };
    let row_height = head + plot_height + 32.0;
    let notes = wrap(&chart.note, width - 32.0);
    let height = top + row_height * rows as f64 + 26.0 + 16.0 * notes.len() as f64 + 8.0;

    let mut picture = Picture {
        title: chart.title.clone(),
        description: chart.description.clone(),
        width,
        height,
        shapes: vec![ChartShape::Rect("ground".into(), [0.0, 0.0, width, height])],
        frames: Vec::new(),
        panels: chart.panels.clone(),
    };
    picture.text("title", (16.0, 26.0), "start", &chart.title);
    picture.keys(&keys);
    for (i, panel) in chart.panels.iter().enumerate() {
        let (column, row) = (i % columns, i / columns);
        let left = LEFT + column as f64 * (plot_width + GAP);
        let above = top + row as f64 * row_height + head;
        let points = || chart.panels.iter().flat_map(|p| &p.series).flat_map(|s| &s.points);
        let x = AxisScale::over(&chart.x, points().map(|p| p.x), false, left, left + plot_width);
        let ys = points().flat_map(|p| [p.y - p.half_width, p.y, p.y + p.half_width]);
        let y = AxisScale::over(&chart.y, ys, true, above + plot_height, above);
        let frame = PlotArea { title: panel.title.clone(), x, y };
        picture.axes(&frame, &x_ticks(chart, &x), column == 0);
        picture.text("panel-title", (left, above - 10.0), "start", &panel.title);
        panel.series.iter().filter(|s| !s.hidden).for_each(|s| picture.series(s, &frame));
        let last = column + 1 == columns || i + 1 == chart.panels.len();
        if !legend && last {
            picture.labels(panel, &labelled, &frame);
        }
        picture.frames.push(frame);
    }
    let below = top + row_height * rows as f64;
    picture.text("", (LEFT + (width - LEFT - right) / 2.0, below + 12.0), "middle", &chart.x.label);
    let middle = top + row_height * rows as f64 / 2.0;
    picture.shapes.push(ChartShape::Text(String::new(), (18.0, middle), "middle", true, chart.y.label.clone()));
    for (i, line) in notes.iter().enumerate() {
        picture.text("note", (16.0, below + 38.0 + 16.0 * i as f64), "start", line);
    }
    picture
}

/// The positions of the data where they are few and far enough apart, otherwise round numbers.
fn x_ticks(chart: &Chart, x: &AxisScale) -> Vec<f64> {
    let measured = chart.panels.iter().flat_map(|p| &p.series).filter(|s| s.source == Source::Measured);
    let mut places: Vec<f64> = measured.flat_map(|s| s.points.iter().map(|p| p.x)).collect();
    places.sort_by(f64::total_cmp);
    places.dedup();
    let apart = |pair: &[f64]| x.place(pair[0]).zip(x.place(pair[1])).is_some_and(|(a, b)| b - a >= 32.0);
    let whole = chart.x.from.is_none() && chart.x.to.is_none();
    if whole && (2..=7).contains(&places.len()) && places.windows(2).all(apart) {
        return places;
    }
    x.ticks(if x.end - x.start < 300.0 { 5 } else { 8 })
}

/// Every series that has a name, once, in the order of its first appearance.
fn named_series(chart: &Chart) -> Vec<&ChartSeries> {
    let mut named: Vec<&ChartSeries> = Vec::new();
    for series in chart.panels.iter().flat_map(|p| &p.series) {
        if !series.label.is_empty() && !named.iter().any(|s| s.label == series.label) {
            named.push(series);
        }
    }
    named
}

pub(crate) fn text_width(text: &str) -> f64 {
    LETTER * text.chars().count() as f64
}

fn key_rows<'a>(named: &[&'a ChartSeries], width: f64) -> Vec<Vec<(&'a ChartSeries, f64)>> {
    let (mut rows, mut x) = (vec![Vec::new()], 16.0);
    for series in named {
        let wide = 46.0 + text_width(&series.label);
        if x + wide > width - 16.0 && x > 16.0 {
            rows.push(Vec::new());
            x = 16.0;
        }
        if let Some(row) = rows.last_mut() {
            row.push((*series, x));
        }
        x += wide;
    }
    rows
}

fn wrap(text: &str, width: f64) -> Vec<String> {
    let most = (width / 6.1).max(20.0) as usize;
    let mut lines: Vec<String> = Vec::new();
    for word in text.split_whitespace() {
        match lines.last_mut() {
            Some(line) if line.chars().count() + 1 + word.chars().count() <= most => {
                line.push(' ');
                line.push_str(word);
            }
            _ => lines.push(word.into()),
        }
    }
    lines
}

/// The part of a line from one point to the next that lies between two heights.
fn clipped(a: (f64, f64), b: (f64, f64), top: f64, bottom: f64) -> Option<[(f64, f64); 2]> {
    let at = |y: f64| (a.0 + (b.0 - a.0) * (y - a.1) / (b.1 - a.1), y);
    let cut = |p: (f64, f64)| {
        if p.1 < top {
            at(top)
        } else if p.1 > bottom {
            at(bottom)
        } else {
            p
        }
    };
    let outside = (a.1 < top && b.1 < top) || (a.1 > bottom && b.1 > bottom);
    (!outside).then(|| [cut(a), cut(b)])
}

impl Picture {
    fn text(&mut self, class: &str, at: (f64, f64), anchor: &'static str, text: &str) {
        if !text.is_empty() {
            self.shapes.push(ChartShape::Text(class.into(), at, anchor, false, text.into()));
        }
    }

    fn keys(&mut self, rows: &[Vec<(&ChartSeries, f64)>]) {
        for (row, keys) in rows.iter().enumerate() {
            let y = 48.0 + ROW * row as f64;
            for (series, x) in keys {
                let off = if series.hidden { " off" } else { "" };
                let class = |kind: &str| format!("{kind} s{}{off}", series.style);
                match series.source {
                    Source::Measured => self.shapes.push(ChartShape::Line(class("line"), [*x, y, x + 24.0, y])),
                    Source::Theory => self.shapes.push(ChartShape::Line(class("theory"), [*x, y, x + 24.0, y])),
                    Source::Published => {}
                }
                if series.source != Source::Theory {
                    let kind = if series.source == Source::Published { "ghost" } else { "mark" };
                    self.shapes.push(ChartShape::Mark(class(kind), series.style, (x + 12.0, y), String::new()));
                }
                self.text(&format!("key{off}"), (x + 30.0, y + 4.5), "start", &series.label);
            }
        }
    }

    fn axes(&mut self, frame: &PlotArea, x_ticks: &[f64], numbered: bool) {
        let PlotArea { x, y, .. } = frame;
        for tick in y.ticks(5) {
            let Some(at) = y.place(tick) else { continue };
            self.shapes.push(ChartShape::Line("grid".into(), [x.start, at, x.end, at]));
            if numbered {
                self.text("tick", (x.start - 8.0, at + 4.0), "end", &number(tick));
            }
        }
        for tick in x_ticks {
            let Some(at) = x.place(*tick) else { continue };
            self.shapes.push(ChartShape::Line("axis".into(), [at, y.start, at, y.start + 5.0]));
            self.text("tick", (at, y.start + 19.0), "middle", &number(*tick));
        }
        self.shapes.push(ChartShape::Line("axis".into(), [x.start, y.start, x.end, y.start]));
    }

    fn series(&mut self, series: &ChartSeries, frame: &PlotArea) {
        let class = |kind: &str| format!("{kind} s{}", series.style);
        let place = |p: &ChartPoint, y: f64| frame.x.place(p.x).zip(frame.y.place(y));
        let (top, bottom) = (frame.y.end, frame.y.start);
        let within = |at: &(f64, f64)| {
            at.1 >= top - 0.5 && at.1 <= bottom + 0.5 && at.0 >= frame.x.start - 0.5 && at.0 <= frame.x.end + 0.5
        };
        if series.source == Source::Measured && series.points.len() > 1 {
            let edge = |sign: f64| {
                series.points.iter().filter_map(move |p| {
                    let (x, y) = place(p, p.y + sign * p.half_width).or(place(p, p.y))?;
                    Some((x, y.clamp(top, bottom)))
                })
            };
            let lower: Vec<_> = edge(-1.0).collect();
            let area: Vec<_> = edge(1.0).chain(lower.into_iter().rev()).collect();
            // on a logarithmic axis nothing is at zero
            if !area.is_empty() {
                self.shapes.push(ChartShape::Area(class("band"), area));
            }
        }
        let places: Vec<(f64, f64)> = series.points.iter().filter_map(|p| place(p, p.y)).collect();
        if series.source != Source::Published {
            let kind = if series.source == Source::Theory { "theory" } else { "line" };
            let mut run: Vec<(f64, f64)> = Vec::new();
            for pair in places.windows(2) {
                let Some([a, b]) = clipped(pair[0], pair[1], top, bottom) else { continue };
                if run.last() != Some(&a) {
                    self.path(class(kind), std::mem::take(&mut run));
                    run.push(a);
                }
                run.push(b);
            }
            self.path(class(kind), run);
        }
        if series.source != Source::Theory {
            for point in &series.points {
                let Some(at) = place(point, point.y).filter(within) else { continue };
                let interval =
                    if point.half_width > 0.0 { format!(" ± {}", number(point.half_width)) } else { String::new() };
                let says = format!("{}: {} at {}{interval}", series.label, number(point.y), number(point.x));
                if series.points.len() == 1
                    && let (Some((x, a)), Some((_, b))) =
                        (place(point, point.y - point.half_width), place(point, point.y + point.half_width))
                {
                    self.shapes
                        .push(ChartShape::Line(class("bar"), [x, a.clamp(top, bottom), x, b.clamp(top, bottom)]));
                }
                let kind = if series.source == Source::Published { "ghost" } else { "mark" };
                self.shapes.push(ChartShape::Mark(class(kind), series.style % STYLES.len(), at, says));
            }
        }
    }

    fn path(&mut self, class: String, points: Vec<(f64, f64)>) {
        if points.len() > 1 {
            self.shapes.push(ChartShape::Path(class, points));
        }
    }

    /// The names of the series at their right ends, moved apart, with leader lines.
    fn labels(&mut self, panel: &Panel, named: &[&ChartSeries], frame: &PlotArea) {
        let own = |series: &ChartSeries| panel.series.iter().find(|s| s.label == series.label);
        let end = |series: &ChartSeries| {
            let own = own(series)?;
            let last = own.points.iter().rev().find_map(|p| frame.x.place(p.x).zip(frame.y.place(p.y)))?;
            Some((last.0.min(frame.x.end), last.1.clamp(frame.y.end, frame.y.start)))
        };
        let labels = named.iter().filter_map(|s| end(s).map(|end| Label { series: s, end, y: end.1 })).collect();
        for label in labels::apart(labels, frame.y.end, frame.y.start) {
            let style = label.series.style;
            let off = if label.series.hidden { " off" } else { "" };
            let x = frame.x.end + 20.0;
            let (from, to) = (label.end, (x - 3.0, label.y));
            // a leader from a single point far away crosses the panel like a line of data: the mark
            // itself stands beside the name instead
            let single = own(label.series).is_some_and(|s| s.points.len() == 1);
            if single && frame.x.end - from.0 > LONGEST_LEADER {
                let kind = if label.series.source == Source::Published { "ghost" } else { "mark" };
                let class = format!("{kind} s{style}{off}");
                self.shapes.push(ChartShape::Mark(class, style % STYLES.len(), (x - 9.0, label.y), String::new()));
            } else {
                self.shapes.push(ChartShape::Path(
                    format!("leader s{style}{off}"),
                    vec![(from.0 + 6.0, from.1), (frame.x.end + 9.0, from.1), to],
                ));
            }
            self.text(&format!("label s{style}{off}"), (x, label.y + 4.5), "start", &label.series.label);
        }
    }
}
