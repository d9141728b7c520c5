//! The chart as a table and as CSV.

use crate::{Chart, Source};
use lockstep_text::csv;
use serde::{Deserialize, Serialize};

/// A table with one row for each point.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct ChartTable {
    /// The columns' names.
    pub columns: Vec<String>,
    /// The rows; numbers in full precision.
    pub rows: Vec<Vec<String>>,
}

impl Chart {
    /// Every point: panel, series, source, x, y and half the width of its 95 % interval.
    pub fn table(&self) -> ChartTable {
        let columns = ["panel", "series", "source", &self.x.label, &self.y.label, "half-width of the 95 % interval"];
        let mut rows = Vec::new();
        for panel in &self.panels {
            for series in &panel.series {
                let source = match series.source {
                    Source::Measured => "measured",
                    Source::Published => "published",
                    Source::Theory => "theory",
                };
                for p in &series.points {
                    let interval =
                        if series.source == Source::Measured { p.half_width.to_string() } else { String::new() };
                    let numbers = [p.x.to_string(), p.y.to_string(), interval];
                    rows.push(
                        [panel.title.clone(), series.label.clone(), source.into()].into_iter().chain(numbers).collect(),
                    );
                }
            }
        }
        ChartTable { columns: columns.map(str::to_owned).to_vec(), rows }
    }

    /// The table as CSV (RFC 4180).
    pub fn csv(&self) -> String {
        let table = self.table();
        let head = csv(&[table.columns], "\r\n");
        head + &csv(&table.rows, "\r\n")
    }
}
