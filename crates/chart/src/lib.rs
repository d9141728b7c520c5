//! Charts: series become a list of shapes (axes, marks, bands), and those SVG text, a table or CSV.
//!
//! * [`Chart`] is what is shown: panels of series over common axes.
//! * [`draw`] lays it out as a [`Picture`]: shapes with classes, and the plot area of each panel.
//! * [`Picture::svg`] is the same text in the page and in a file; [`STYLE`] gives classes their
//!   colours, light, dark and in print.
//! * [`Picture::probe`] returns what is under a cross-hair; [`Chart::table`] and [`Chart::csv`] are
//!   the chart as numbers.
//!
//! This crate knows nothing of what is charted: colours and markers follow from
//! [`ChartSeries::style`].

mod draw;
mod labels;
mod look;
mod probe;
mod scale;
mod style;
mod svg;
mod table;

pub use draw::{ChartShape, Picture, PlotArea, draw};
pub use look::{ChartLook, SeriesSwitch};
pub use probe::{CrossHair, Hit};
pub use scale::AxisScale;
pub use style::{Marker, STYLE, STYLES};
pub use svg::page_style;
pub use table::ChartTable;

use serde::{Deserialize, Serialize};

/// A chart: panels of series over common axes.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
pub struct Chart {
    /// A short name, for files.
    pub id: String,
    /// Above the picture.
    pub title: String,
    /// One sentence for readers who cannot see it.
    pub description: String,
    /// Below the picture: number of runs, level of the bands, sources of published points.
    pub note: String,
    /// Shared by all panels.
    pub x: ChartAxis,
    /// Shared by all panels.
    pub y: ChartAxis,
    /// Small multiples, side by side; one panel is a plain chart.
    pub panels: Vec<Panel>,
}

/// An axis.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
pub struct ChartAxis {
    /// What it measures, with its unit.
    pub label: String,
    /// Whether it is logarithmic.
    pub log: bool,
    /// Begins here; where the data begin if not given, but a linear y axis at 0.
    pub from: Option<f64>,
    /// Ends here; where the data end if not given.
    pub to: Option<f64>,
}

/// One of several small charts.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
pub struct Panel {
    /// What is special about it.
    pub title: String,
    /// What it shows.
    pub series: Vec<ChartSeries>,
}

/// Where the points of a series come from, which decides how they are drawn.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Source {
    /// Our runs: a line with marks and a band.
    #[default]
    Measured,
    /// Numbers of a paper: hollow marks, no line.
    Published,
    /// A formula: a dashed line without marks.
    Theory,
}

/// Points that belong together.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
pub struct ChartSeries {
    /// Its name beside the line.
    pub label: String,
    /// Hue and marker: an index of [`STYLES`].
    pub style: usize,
    /// Where its points come from.
    pub source: Source,
    /// In the order of x.
    pub points: Vec<ChartPoint>,
    /// Switched off by the reader: it keeps its place in the legend and in the axes.
    pub hidden: bool,
}

/// A point with half the width of its 95 % confidence interval.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
pub struct ChartPoint {
    /// Where.
    pub x: f64,
    /// How much.
    pub y: f64,
    /// Half the width of the interval; 0 where there is none.
    pub half_width: f64,
    /// The key of the record that it was measured in; none for a formula or a published number.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub key: Option<String>,
}

impl ChartPoint {
    /// A point without an interval.
    pub fn exact(x: f64, y: f64) -> Self {
        ChartPoint { x, y, ..ChartPoint::default() }
    }
}
