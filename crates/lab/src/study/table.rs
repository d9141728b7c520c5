//! A table of a paper beside ours: for each cell the published number, our mean and their ratio.

use super::Metric;
use super::data::{messages, plain, waiting};
use crate::{GridPoint, Mean, Record};
use serde::Serialize;

/// A published table, measured again.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct StudyTable {
    /// Its name in files.
    pub id: String,
    /// Its name for people.
    pub title: String,
    /// What its columns mean and how they were measured.
    pub note: String,
    /// The names of the columns that say which row it is.
    pub keys: Vec<String>,
    /// The names of the measures, with their units.
    pub measures: Vec<String>,
    /// The rows, in the paper's order.
    pub rows: Vec<StudyRow>,
}

/// A row of a [`StudyTable`].
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct StudyRow {
    /// Which row it is, a value for each key.
    pub keys: Vec<String>,
    /// A cell for each measure.
    pub cells: Vec<StudyCell>,
}

/// A published number beside ours.
#[derive(Clone, Copy, PartialEq, Debug, Default, Serialize)]
pub struct StudyCell {
    /// What the paper prints; none where its cell is empty.
    pub published: Option<f64>,
    /// What we measured; none before it is measured. A half width of 0 is a mean without interval.
    pub ours: Option<Mean>,
}

/// What a table is sorted by.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum SortColumn {
    /// A key, by its number where it is one.
    Key(usize),
    /// The published number of a measure.
    Published(usize),
    /// Our mean of a measure.
    Ours(usize),
    /// The ratio of the two.
    Ratio(usize),
}

impl StudyCell {
    /// Ours divided by the published number.
    pub fn ratio(&self) -> Option<f64> {
        self.published.zip(self.ours).filter(|(published, _)| *published != 0.0).map(|(p, o)| o.mean / p)
    }
}

impl StudyTable {
    /// Whether the paper prints any number of a measure.
    pub fn is_published(&self, measure: usize) -> bool {
        self.rows.iter().any(|row| row.cells.get(measure).is_some_and(|cell| cell.published.is_some()))
    }

    /// Whether it is a table of the paper.
    pub fn is_compared(&self) -> bool {
        (0..self.measures.len()).any(|measure| self.is_published(measure))
    }

    /// The positions of the rows in another order; rows without a value come last.
    pub fn order(&self, column: SortColumn, descending: bool) -> Vec<usize> {
        let number = |row: &StudyRow| match column {
            SortColumn::Key(i) => row.keys.get(i).and_then(|key| super::number(key)),
            SortColumn::Published(i) => row.cells.get(i)?.published,
            SortColumn::Ours(i) => row.cells.get(i)?.ours.map(|mean| mean.mean),
            SortColumn::Ratio(i) => row.cells.get(i)?.ratio(),
        };
        let word = |row: &StudyRow| match column {
            SortColumn::Key(i) => row.keys.get(i).cloned().unwrap_or_default(),
            _ => String::new(),
        };
        let mut order: Vec<usize> = (0..self.rows.len()).collect();
        lockstep_kernel::sort::by(&mut order, |a, b| {
            let (a, b) = (&self.rows[*a], &self.rows[*b]);
            let turned = |ordering: std::cmp::Ordering| if descending { ordering.reverse() } else { ordering };
            match (number(a), number(b)) {
                (Some(a), Some(b)) => turned(a.total_cmp(&b)),
                (a, b) if a.is_some() != b.is_some() => b.is_some().cmp(&a.is_some()),
                _ => turned(word(a).cmp(&word(b))),
            }
        });
        order
    }

    /// The header and the rows as cells: the keys, then for each measure the published number,
    /// ours, the half-width of our interval and the ratio.
    pub fn cells(&self) -> Vec<Vec<String>> {
        let heads = self.measures.iter().flat_map(|m| {
            [
                format!("{m}, published"),
                format!("{m}, ours"),
                format!("{m}, half-width of the 95 % interval"),
                format!("{m}, ratio"),
            ]
        });
        let mut rows = vec![self.keys.iter().cloned().chain(heads).collect::<Vec<_>>()];
        let text = |number: Option<f64>| number.map_or(String::new(), |n| n.to_string());
        for row in &self.rows {
            let cells = row.cells.iter().flat_map(|cell| {
                let width = cell.ours.map(|o| o.half_width).filter(|w| *w > 0.0);
                [text(cell.published), text(cell.ours.map(|o| o.mean)), text(width), text(cell.ratio())]
            });
            rows.push(row.keys.iter().cloned().chain(cells).collect());
        }
        rows
    }

    /// The table as comma-separated values.
    pub fn csv(&self) -> String {
        lockstep_text::csv(&self.cells(), "\r\n")
    }
}

/// The measures of every point: a mean hides how long the unlucky wait.
const WAITS: [(&str, Metric); 5] = [
    ("messages per entry", messages),
    ("waiting, mean", waiting),
    ("waiting, 95th percentile", |r| plain(r.summary.waiting.p95)),
    ("waiting, 99th percentile", |r| plain(r.summary.waiting.p99)),
    ("waiting, longest", |r| plain(r.summary.waiting.max)),
];

/// A table for each experiment: messages and waits of every point.
pub fn waits(measured: &[(&GridPoint, &Record)]) -> Vec<StudyTable> {
    let mut tables: Vec<StudyTable> = Vec::new();
    for (point, record) in measured {
        let keys: Vec<String> = point.at.iter().map(|(axis, _)| axis.clone()).collect();
        let id = format!("waits-{}", point.experiment.replace(' ', "-"));
        if tables.last().is_none_or(|table| table.id != id || table.keys != keys) {
            tables.push(StudyTable {
                id,
                title: format!("Messages and waits: {}", point.experiment),
                note: "Every point. Counts and quantiles are means over the replications; the longest wait is that of all of them.".into(),
                keys,
                measures: WAITS.map(|(name, _)| name.to_owned()).to_vec(),
                rows: Vec::new(),
            });
        }
        if let Some(table) = tables.last_mut() {
            let cells = WAITS.map(|(_, metric)| StudyCell { published: None, ours: Some(metric(record)) });
            let keys = point.at.iter().map(|(_, label)| label.clone()).collect();
            table.rows.push(StudyRow { keys, cells: cells.to_vec() });
        }
    }
    tables
}

/// A number for people: three digits after the point below 10, fewer above.
pub fn short(number: f64) -> String {
    match number.abs() {
        small if small < 10.0 => format!("{number:.3}"),
        middle if middle < 100.0 => format!("{number:.2}"),
        large if large < 1000.0 => format!("{number:.1}"),
        _ => format!("{number:.0}"),
    }
}

/// A mean for people, with half the width of its interval where it has one.
pub fn with_interval(mean: Mean) -> String {
    match mean.half_width {
        0.0 => short(mean.mean),
        half => format!("{} ± {}", short(mean.mean), short(half)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn table() -> StudyTable {
        let row = |name: &str, published: Option<f64>, ours: Option<f64>| StudyRow {
            keys: vec![name.into()],
            cells: vec![StudyCell { published, ours: ours.map(|mean| Mean { mean, half_width: 0.5 }) }],
        };
        StudyTable {
            id: "t".into(),
            title: String::new(),
            note: String::new(),
            keys: vec!["nodes".into()],
            measures: vec!["time, s".into()],
            rows: vec![row("10", Some(2.0), Some(3.0)), row("9", None, Some(1.0)), row("x", Some(4.0), None)],
        }
    }

    #[test]
    fn rows_are_sorted_by_any_column_and_empty_cells_come_last() {
        let table = table();
        assert_eq!(table.order(SortColumn::Key(0), false), [1, 0, 2], "numbers before words");
        assert_eq!(table.order(SortColumn::Key(0), true), [0, 1, 2]);
        assert_eq!(table.order(SortColumn::Published(0), true), [2, 0, 1]);
        assert_eq!(table.order(SortColumn::Ours(0), false), [1, 0, 2]);
        assert_eq!(table.order(SortColumn::Ratio(0), false), [0, 1, 2]);
    }

    #[test]
    fn a_table_is_written_with_all_its_numbers() {
        let cells = table().cells();
        assert_eq!(cells[0][..3], ["nodes", "time, s, published", "time, s, ours"]);
        assert_eq!(cells[1], ["10", "2", "3", "0.5", "1.5"]);
        assert_eq!(cells[2], ["9", "", "1", "0.5", ""]);
        assert_eq!(cells[3], ["x", "4", "", "", ""]);
        assert_eq!(with_interval(Mean { mean: 1.5, half_width: 0.25 }), "1.500 ± 0.250");
        assert_eq!(with_interval(Mean { mean: 150.0, half_width: 0.0 }), "150.0");
    }
}
