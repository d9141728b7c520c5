//! Places names beside lines so that none overlap.

use crate::ChartSeries;

/// A name and where its line ends.
pub struct Label<'a> {
    /// The series.
    pub series: &'a ChartSeries,
    /// Where the line ends.
    pub end: (f64, f64),
    /// The vertical centre of the name.
    pub y: f64,
}

/// The height of a name.
pub const HEIGHT: f64 = 18.0;

/// Moves names apart as little as possible: neighbours that would overlap become a block around the
/// mean of their positions.
pub fn apart(mut labels: Vec<Label<'_>>, top: f64, bottom: f64) -> Vec<Label<'_>> {
    labels.sort_by(|a, b| a.end.1.total_cmp(&b.end.1));
    // each block: the sum of wanted places of its first name, and how many names
    let mut blocks: Vec<(f64, usize)> = Vec::new();
    let first = |(sum, n): (f64, usize)| {
        let height = HEIGHT * (n - 1) as f64;
        (sum / n as f64).min(bottom - height).max(top)
    };
    for label in &labels {
        blocks.push((label.end.1, 1));
        while let [.., a, b] = blocks[..] {
            if first(a) + HEIGHT * a.1 as f64 <= first(b) {
                break;
            }
            let shifted = b.0 - HEIGHT * (a.1 * b.1) as f64;
            blocks.truncate(blocks.len() - 2);
            blocks.push((a.0 + shifted, a.1 + b.1));
        }
    }
    let places = blocks.into_iter().flat_map(|block| (0..block.1).map(move |i| first(block) + HEIGHT * i as f64));
    for (label, y) in labels.iter_mut().zip(places) {
        label.y = y;
    }
    labels
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_never_overlap_and_keep_their_order() {
        let series = ChartSeries::default();
        let at = |ys: &[f64]| {
            let labels = ys.iter().map(|y| Label { series: &series, end: (0.0, *y), y: *y }).collect();
            apart(labels, 0.0, 200.0).iter().map(|l| l.y).collect::<Vec<f64>>()
        };
        assert_eq!(at(&[10.0, 100.0]), [10.0, 100.0]);
        assert_eq!(at(&[100.0, 100.0]), [91.0, 109.0]);
        for ys in [vec![100.0; 5], vec![0.0, 1.0, 2.0], vec![199.0, 200.0, 198.0], vec![50.0, 60.0, 61.0, 90.0, 95.0]] {
            let placed = at(&ys);
            assert!(placed.windows(2).all(|w| w[1] - w[0] >= HEIGHT - 1e-9), "{placed:?}");
            assert!(placed[0] >= 0.0 && placed[placed.len() - 1] <= 200.0 + 1e-9, "{placed:?}");
        }
    }
}
