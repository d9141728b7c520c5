//! Maps data to pixels and chooses ticks.

use crate::ChartAxis;
use serde::{Deserialize, Serialize};

/// From data to pixels.
#[derive(Clone, Copy, PartialEq, Debug, Serialize, Deserialize)]
pub struct AxisScale {
    /// Whether it is logarithmic.
    pub log: bool,
    /// The data at the beginning.
    pub from: f64,
    /// The data at the end.
    pub to: f64,
    /// The pixel at the beginning.
    pub start: f64,
    /// The pixel at the end.
    pub end: f64,
}

impl AxisScale {
    /// A scale over these values, widened to round numbers; `zero` if a linear one begins at 0.
    pub(crate) fn over(axis: &ChartAxis, values: impl Iterator<Item = f64>, zero: bool, start: f64, end: f64) -> Self {
        let usable = |v: &f64| v.is_finite() && (!axis.log || *v > 0.0);
        let (low, high) =
            values.filter(usable).fold((f64::INFINITY, f64::NEG_INFINITY), |(l, h), v| (l.min(v), h.max(v)));
        let (low, high) = if low <= high { (low, high) } else { (if axis.log { 1.0 } else { 0.0 }, 1.0) };
        let given = |v: Option<f64>| v.filter(usable);
        let mut scale = AxisScale { log: axis.log, from: low, to: high, start, end };
        if axis.log {
            (scale.from, scale.to) = (given(axis.from).unwrap_or(low), given(axis.to).unwrap_or(high));
            if scale.to <= scale.from * 1.001 {
                (scale.from, scale.to) = (scale.from / 2.0, scale.from * 2.0);
            }
            if zero {
                // a margin, so that marks do not touch the frame
                let air = libm::pow(scale.to / scale.from, 0.04);
                (scale.from, scale.to) =
                    (given(axis.from).unwrap_or(scale.from / air), given(axis.to).unwrap_or(scale.to * air));
            }
        } else {
            if zero && scale.from > 0.0 {
                scale.from = 0.0;
            }
            if scale.to <= scale.from {
                (scale.from, scale.to) = (scale.from.min(0.0), scale.from.max(0.0));
            }
            if scale.to <= scale.from {
                scale.to = scale.from + 1.0;
            }
            (scale.from, scale.to) = (given(axis.from).unwrap_or(scale.from), given(axis.to).unwrap_or(scale.to));
            if zero && axis.to.is_none() {
                let step = step((scale.to - scale.from) / 10.0);
                scale.to = scale.from.max(libm::ceil(scale.to / step - 1e-9) * step);
            }
        }
        scale
    }

    /// The pixel of a value; none for a value without a logarithm on a logarithmic axis.
    pub fn place(&self, value: f64) -> Option<f64> {
        let part = if self.log {
            if value <= 0.0 {
                return None;
            }
            libm::log(value / self.from) / libm::log(self.to / self.from)
        } else {
            (value - self.from) / (self.to - self.from)
        };
        part.is_finite().then_some(self.start + part * (self.end - self.start))
    }

    /// The value at a pixel.
    pub fn value(&self, pixel: f64) -> f64 {
        let part = (pixel - self.start) / (self.end - self.start);
        if self.log {
            self.from * libm::pow(self.to / self.from, part)
        } else {
            self.from + part * (self.to - self.from)
        }
    }

    /// About this many round values.
    pub fn ticks(&self, about: usize) -> Vec<f64> {
        if !self.log {
            let step = step((self.to - self.from) / about.max(1) as f64);
            let first = libm::ceil(self.from / step - 1e-9) as i64;
            let last = libm::floor(self.to / step + 1e-9) as i64;
            return (first..=last.min(first + 100)).map(|i| i as f64 * step).collect();
        }
        let powers = libm::floor(libm::log10(self.from)) as i32..=libm::ceil(libm::log10(self.to)) as i32;
        let decades = libm::log10(self.to / self.from);
        let within = |v: &f64| *v >= self.from * 0.999_999 && *v <= self.to * 1.000_001;
        let all = |digits: &[f64], every: i32| -> Vec<f64> {
            (powers.clone().filter(|p| p.rem_euclid(every) == 0))
                .flat_map(|p| digits.iter().map(move |d| power(p) * d))
                .filter(within)
                .collect()
        };
        let choices = [
            all(&[1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0, 9.0], 1),
            all(&[1.0, 2.0, 5.0], 1),
            all(&[1.0, 3.0], 1),
            all(&[1.0], 1),
            all(&[1.0], 2),
            all(&[1.0], 3),
        ];
        let fits = |ticks: &&Vec<f64>| ticks.len() <= about.max(2) + 1;
        let chosen = choices.iter().find(fits).or(choices.last()).cloned().unwrap_or_default();
        // less than a third of a decade: round steps say more than digits
        if decades < 0.5 { AxisScale { log: false, ..*self }.ticks(about) } else { chosen }
    }
}

/// 10^p, exact for negative powers too.
fn power(p: i32) -> f64 {
    if p < 0 { 1.0 / libm::pow(10.0, f64::from(-p)) } else { libm::pow(10.0, f64::from(p)) }
}

/// The next 1, 2 or 5 times a power of ten.
fn step(rough: f64) -> f64 {
    let unit = power(libm::floor(libm::log10(rough.max(1e-300))) as i32);
    let digit = [1.0, 2.0, 5.0].into_iter().find(|d| rough <= d * unit * 1.000_001).unwrap_or(10.0);
    digit * unit
}

/// A number for people: at most four significant digits, no trailing zeros, a thin space between
/// thousands.
pub(crate) fn number(value: f64) -> String {
    if value == 0.0 {
        return "0".into();
    }
    let digits = 3 - libm::floor(libm::log10(value.abs())) as i32;
    let text = format!("{value:.*}", digits.clamp(0, 9) as usize);
    let text = if text.contains('.') { text.trim_end_matches('0').trim_end_matches('.') } else { &text };
    let (sign, text) = text.strip_prefix('-').map_or(("", text), |t| ("−", t));
    let (whole, part) = text.split_once('.').map_or((text, String::new()), |(w, p)| (w, format!(".{p}")));
    let mut grouped = String::new();
    for (i, digit) in whole.chars().enumerate() {
        if i > 0 && (whole.len() - i).is_multiple_of(3) && whole.len() > 4 {
            grouped.push('\u{2009}');
        }
        grouped.push(digit);
    }
    format!("{sign}{grouped}{part}")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn linear(from: f64, to: f64) -> AxisScale {
        AxisScale { log: false, from, to, start: 0.0, end: 100.0 }
    }

    #[test]
    fn ticks_are_round() {
        assert_eq!(linear(0.0, 1.0).ticks(5), [0.0, 0.2, 0.4, 0.6000000000000001, 0.8, 1.0]);
        assert_eq!(linear(0.0, 10.0).ticks(5), [0.0, 2.0, 4.0, 6.0, 8.0, 10.0]);
        let log = AxisScale { log: true, ..linear(0.01, 100.0) };
        assert_eq!(log.ticks(5), [0.01, 0.1, 1.0, 10.0, 100.0]);
        assert_eq!(AxisScale { log: true, ..linear(1.0, 10.0) }.ticks(5), [1.0, 2.0, 5.0, 10.0]);
    }

    #[test]
    fn there_and_back() {
        for scale in [linear(-3.0, 7.0), AxisScale { log: true, ..linear(0.01, 50.0) }] {
            for value in [0.02, 1.0, 6.5] {
                assert!((scale.value(scale.place(value).unwrap()) - value).abs() < 1e-12);
            }
        }
        assert_eq!(AxisScale { log: true, ..linear(1.0, 2.0) }.place(0.0), None);
    }

    #[test]
    fn numbers_are_for_people() {
        for (value, text) in [
            (0.0, "0"),
            (0.6000000000000001, "0.6"),
            (1234.0, "1234"),
            (12345.6, "12\u{2009}346"),
            (-0.05, "−0.05"),
            (3.99499, "3.995"),
        ] {
            assert_eq!(number(value), text);
        }
    }
}
