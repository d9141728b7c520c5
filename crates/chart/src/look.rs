//! How a reader looks at a chart: switched series, logarithmic axes, and the cross-hair's place.

use crate::{Chart, CrossHair, Hit, Picture, Source};

/// What a reader has switched; nothing until then.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct ChartLook {
    /// The series that are switched off, by their labels.
    pub hidden: Vec<String>,
    log_x: Option<bool>,
    log_y: Option<bool>,
}

/// The switch of a series.
#[derive(Clone, PartialEq, Debug)]
pub struct SeriesSwitch {
    /// The label of the series.
    pub label: String,
    /// Its style.
    pub style: usize,
    /// Whether it is shown.
    pub on: bool,
}

impl ChartLook {
    /// Whether each axis is logarithmic: x and y.
    pub fn log(&self, chart: &Chart) -> [bool; 2] {
        [self.log_x.unwrap_or(chart.x.log), self.log_y.unwrap_or(chart.y.log)]
    }

    /// Switches the x axis, or the y axis, between linear and logarithmic.
    pub fn toggle_log(&mut self, chart: &Chart, y: bool) {
        let [log_x, log_y] = self.log(chart);
        if y { self.log_y = Some(!log_y) } else { self.log_x = Some(!log_x) }
    }

    /// Switches a series.
    pub fn toggle(&mut self, label: &str) {
        match self.hidden.iter().position(|hidden| hidden == label) {
            Some(at) => drop(self.hidden.remove(at)),
            None => self.hidden.push(label.into()),
        }
    }

    /// A switch for each measured series, once where several panels have it.
    pub fn switches(&self, chart: &Chart) -> Vec<SeriesSwitch> {
        let mut switches: Vec<SeriesSwitch> = Vec::new();
        for series in chart.panels.iter().flat_map(|p| &p.series).filter(|s| s.source == Source::Measured) {
            if switches.iter().all(|switch| switch.label != series.label) {
                let on = !self.hidden.contains(&series.label);
                switches.push(SeriesSwitch { label: series.label.clone(), style: series.style, on });
            }
        }
        switches
    }

    /// The chart as it is looked at.
    pub fn applied(&self, chart: &Chart) -> Chart {
        let mut chart = chart.clone();
        [chart.x.log, chart.y.log] = self.log(&chart);
        if chart.y.log {
            chart.y.from = None;
        }
        for series in chart.panels.iter_mut().flat_map(|p| &mut p.series) {
            series.hidden = self.hidden.contains(&series.label);
        }
        chart
    }
}

impl Hit {
    /// The value, with half the width of its interval where it has one.
    pub fn value(&self) -> String {
        let (y, half) = (self.point.y, self.point.half_width);
        if half > 0.0 { format!("{y:.4} ± {half:.4}") } else { format!("{y:.4}") }
    }
}

impl Picture {
    /// The cross-hair that follows a key, from none or from where it was; `None` if the key moves
    /// nothing.
    pub fn after_key(&self, key: &str, here: Option<&CrossHair>) -> Option<Option<CrossHair>> {
        let by = match key {
            "ArrowRight" => 1,
            "ArrowLeft" => -1,
            "Escape" => return Some(None),
            _ => return None,
        };
        Some(match here {
            Some(here) => self.step(here.panel, here.x, by),
            None => self.xs(0).first().and_then(|x| self.step(0, *x, 0)),
        })
    }

    /// The style of the cross-hair.
    pub fn cross_style(&self, here: &CrossHair) -> String {
        let frame = &self.frames[here.panel];
        format!("left:{}px;top:{}px;height:{}px", here.pixel, frame.y.end, frame.y.start - frame.y.end)
    }

    /// The style of the values beside the cross-hair: on the side that has more room.
    pub fn tip_style(&self, here: &CrossHair, width: f64) -> String {
        let side = if here.pixel > width / 2.0 {
            format!("right:{}px", width - here.pixel + 12.0)
        } else {
            format!("left:{}px", here.pixel + 12.0)
        };
        format!("{side};top:{}px", self.frames[here.panel].y.end + 4.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{ChartPoint, ChartSeries, Panel, draw};

    fn chart() -> Chart {
        let series = |label: &str, source| ChartSeries {
            label: label.into(),
            source,
            points: vec![ChartPoint::exact(1.0, 2.0), ChartPoint { half_width: 0.5, ..ChartPoint::exact(10.0, 3.0) }],
            ..ChartSeries::default()
        };
        let all = vec![series("a", Source::Measured), series("b", Source::Measured), series("b", Source::Theory)];
        let panel = |title: &str| Panel { title: title.into(), series: all.clone() };
        Chart { panels: vec![panel("one"), panel("two")], ..Chart::default() }
    }

    #[test]
    fn every_measured_series_has_one_switch() {
        let (chart, mut look) = (chart(), ChartLook::default());
        let on = |look: &ChartLook| look.switches(&chart).into_iter().map(|s| (s.label, s.on)).collect::<Vec<_>>();
        assert_eq!(on(&look), [("a".into(), true), ("b".into(), true)]);
        look.toggle("b");
        assert_eq!(on(&look), [("a".into(), true), ("b".into(), false)]);
        let hidden = look.applied(&chart).panels.iter().flat_map(|p| &p.series).filter(|s| s.hidden).count();
        assert_eq!(hidden, 4, "measured and theory in both panels");
        look.toggle("b");
        assert_eq!(look, ChartLook::default());
        assert_eq!(look.applied(&chart), chart);
    }

    #[test]
    fn each_axis_is_switched_by_itself() {
        let (mut chart, mut look) = (chart(), ChartLook::default());
        chart.x.log = true;
        chart.y.from = Some(0.0);
        assert_eq!(look.log(&chart), [true, false]);
        look.toggle_log(&chart, true);
        assert_eq!(look.log(&chart), [true, true]);
        assert_eq!(look.applied(&chart).y.from, None, "a logarithmic axis has no zero");
        look.toggle_log(&chart, false);
        assert_eq!(look.log(&chart), [false, true]);
    }

    #[test]
    fn the_cross_hair_follows_keys_and_its_values_stay_inside() {
        let picture = draw(&chart(), 800.0);
        let first = picture.after_key("ArrowRight", None).unwrap().unwrap();
        let second = picture.after_key("ArrowRight", Some(&first)).unwrap().unwrap();
        assert_eq!((first.x, second.x), (1.0, 10.0));
        assert_eq!(picture.after_key("Escape", Some(&second)), Some(None));
        assert_eq!(picture.after_key("a", Some(&second)), None);
        assert!(picture.cross_style(&first).starts_with(&format!("left:{}px;", first.pixel)));
        let at = |pixel| picture.tip_style(&CrossHair { pixel, ..first.clone() }, 800.0);
        assert!(at(100.0).starts_with("left:112px") && at(700.0).starts_with("right:112px"));
        assert_eq!(first.hits[0].value(), "2.0000");
        assert!(second.hits.iter().any(|hit| hit.value() == "3.0000 ± 0.5000"));
    }
}
