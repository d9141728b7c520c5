//! Means with 95 % confidence intervals.

use super::Batch;
use serde::{Deserialize, Serialize};

/// A mean and half the width of its 95 % confidence interval.
#[derive(Clone, Copy, PartialEq, Debug, Default, Serialize, Deserialize)]
pub struct Interval {
    /// The mean.
    pub mean: f64,
    /// Half of the interval's width; 0 when there is nothing to estimate it from.
    pub half_width: f64,
}

impl Interval {
    /// The interval of independent samples: replications, or the batches of one long run.
    pub fn of(samples: &[f64]) -> Self {
        let n = samples.len() as f64;
        if samples.is_empty() {
            return Interval::default();
        }
        let mean = samples.iter().sum::<f64>() / n;
        if samples.len() < 2 {
            return Interval { mean, half_width: 0.0 };
        }
        let variance = samples.iter().map(|x| (x - mean) * (x - mean)).sum::<f64>() / (n - 1.0);
        Interval { mean, half_width: t_975(samples.len() - 1) * libm::sqrt(variance / n) }
    }

    /// Whether a value lies in the interval.
    pub fn contains(&self, value: f64) -> bool {
        (value - self.mean).abs() <= self.half_width
    }
}

/// Messages per entry and mean waiting of one long run, by the method of batch means.
pub fn batch_means(batches: &[Batch]) -> (Interval, Interval) {
    let entries = |b: &Batch| b.entries.max(1) as f64;
    let messages: Vec<f64> = batches.iter().map(|b| b.messages as f64 / entries(b)).collect();
    let waiting: Vec<f64> = batches.iter().map(|b| b.waiting / entries(b)).collect();
    (Interval::of(&messages), Interval::of(&waiting))
}

/// The 97.5 % quantile of Student's t: exact to three digits for few degrees of freedom, then by
/// Cornish and Fisher's expansion.
fn t_975(freedom: usize) -> f64 {
    const TABLE: [f64; 10] = [12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262, 2.228];
    if let Some(t) = freedom.checked_sub(1).and_then(|i| TABLE.get(i)) {
        return *t;
    }
    let (z, v) = (1.959_964, freedom.max(1) as f64);
    let z3 = z * z * z;
    let (z5, z7) = (z3 * z * z, z3 * z3 * z);
    z + (z3 + z) / (4.0 * v)
        + (5.0 * z5 + 16.0 * z3 + 3.0 * z) / (96.0 * v * v)
        + (3.0 * z7 + 19.0 * z5 + 17.0 * z3 - 15.0 * z) / (384.0 * v * v * v)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quantiles_of_t() {
        for (freedom, t) in [(1, 12.706), (4, 2.776), (10, 2.228), (11, 2.201), (20, 2.086), (31, 2.040), (120, 1.980)]
        {
            assert!((t_975(freedom) - t).abs() < 0.001, "{freedom}: {}", t_975(freedom));
        }
    }

    #[test]
    fn an_interval_of_known_samples() {
        let i = Interval::of(&[1.0, 2.0, 3.0, 4.0, 5.0]);
        assert!((i.mean - 3.0).abs() < 1e-12 && (i.half_width - 1.963).abs() < 0.001, "{i:?}");
        assert!(i.contains(4.5) && !i.contains(5.0));
    }
}
