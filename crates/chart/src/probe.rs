//! The points under a cross-hair.

use crate::{ChartPoint, Picture};
use serde::{Deserialize, Serialize};

/// The points at one position of the x axis.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct CrossHair {
    /// The panel.
    pub panel: usize,
    /// The position of the nearest point.
    pub x: f64,
    /// The pixel of that position.
    pub pixel: f64,
    /// The points there, from the highest to the lowest.
    pub hits: Vec<Hit>,
}

/// A point of a series.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Hit {
    /// The series in its panel.
    pub series: usize,
    /// Its name.
    pub label: String,
    /// Its style.
    pub style: usize,
    /// The exact values.
    pub point: ChartPoint,
    /// Where it is drawn.
    pub at: (f64, f64),
}

impl CrossHair {
    /// The key of the measured point that is drawn nearest to this height.
    pub fn nearest_key(&self, pixel_y: f64) -> Option<&str> {
        let keyed = self.hits.iter().filter_map(|h| Some((h.point.key.as_deref()?, (h.at.1 - pixel_y).abs())));
        keyed.min_by(|a, b| a.1.total_cmp(&b.1)).map(|(key, _)| key)
    }
}

impl Picture {
    /// The points nearest to a pixel: all visible series have one at its x, or are left out.
    pub fn probe(&self, pixel_x: f64, pixel_y: f64) -> Option<CrossHair> {
        let inside = |i: &usize| {
            let f = &self.frames[*i];
            pixel_x >= f.x.start - 8.0
                && pixel_x <= f.x.end + 8.0
                && pixel_y >= f.y.end - 8.0
                && pixel_y <= f.y.start + 8.0
        };
        let panel = (0..self.frames.len()).find(inside)?;
        let xs = self.xs(panel);
        let distance = |x: &f64| self.frames[panel].x.place(*x).map_or(f64::INFINITY, |p| (p - pixel_x).abs());
        let x = xs.into_iter().min_by(|a, b| distance(a).total_cmp(&distance(b)))?;
        self.probe_at(panel, x)
    }

    /// The points at the next x of a panel, for keys: `steps` to the right, or to the left if
    /// negative.
    pub fn step(&self, panel: usize, x: f64, steps: isize) -> Option<CrossHair> {
        let xs = self.xs(panel);
        let here = xs.iter().position(|v| *v >= x).unwrap_or(xs.len().saturating_sub(1));
        let there = here.saturating_add_signed(steps).min(xs.len().saturating_sub(1));
        self.probe_at(panel, *xs.get(there)?)
    }

    /// Every x at which a visible series of a panel has a point.
    pub fn xs(&self, panel: usize) -> Vec<f64> {
        let series = self.panels.get(panel).map_or(&[][..], |p| &p.series);
        let mut xs: Vec<f64> = series.iter().filter(|s| !s.hidden).flat_map(|s| s.points.iter().map(|p| p.x)).collect();
        xs.sort_by(f64::total_cmp);
        xs.dedup();
        xs
    }

    fn probe_at(&self, panel: usize, x: f64) -> Option<CrossHair> {
        let frame = self.frames.get(panel)?;
        let mut hits = Vec::new();
        for (i, series) in self.panels[panel].series.iter().enumerate().filter(|(_, s)| !s.hidden) {
            if let Some(point) = series.points.iter().find(|p| p.x == x)
                && let Some(at) = frame.x.place(point.x).zip(frame.y.place(point.y))
            {
                hits.push(Hit {
                    series: i,
                    label: series.label.clone(),
                    style: series.style,
                    point: point.clone(),
                    at,
                });
            }
        }
        hits.sort_by(|a, b| a.at.1.total_cmp(&b.at.1));
        Some(CrossHair { panel, x, pixel: frame.x.place(x)?, hits })
    }
}
