//! The timeline of the transport: the ticks of its steps and the names of its stops.

use lockstep_kernel::{Event, Frame};

/// More ticks than this cannot be told apart.
pub const MOST_TICKS: usize = 240;

/// The kinds of ticks, each with its top and its foot in pixels.
pub const TICKS: [(&str, u8, u8); 5] =
    [("release", 12, 22), ("request", 9, 25), ("grant", 9, 25), ("fault", 9, 25), ("violation", 9, 25)];

/// The kind of tick for a step.
pub fn tick(frame: &Frame) -> Option<&'static str> {
    let last = frame.last.as_ref()?;
    if frame.invariants.iter().any(|h| h.broken.is_some()) {
        return Some("violation");
    }
    if last.event.is_fault() {
        return Some("fault");
    }
    if !last.granted.is_empty() {
        return Some("grant");
    }
    match last.event {
        Event::Request(_) | Event::Lock(..) => Some("request"),
        Event::Release(_) | Event::Cancel(_) => Some("release"),
        _ => None,
    }
}

/// The stops whose names fit side by side. `marks` are stops with their position, `half` is half of
/// a name's width, and the stop `first` has precedence.
pub fn readable(marks: &[(usize, f64)], half: impl Fn(usize) -> f64, first: Option<usize>, width: f64) -> Vec<usize> {
    let mut kept: Vec<(usize, f64, f64)> = Vec::new();
    let order = marks.iter().filter(|(i, _)| Some(*i) == first).chain(marks.iter().filter(|(i, _)| Some(*i) != first));
    for (i, x) in order {
        let half = half(*i);
        let fits = kept.iter().all(|(_, other, wide)| (x - other).abs() >= half + wide);
        // names at the ends may protrude a little
        if fits && *x - half > -24.0 && x + half < width + 24.0 {
            kept.push((*i, *x, half));
        }
    }
    kept.into_iter().map(|(i, ..)| i).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::run::StageRun;

    #[test]
    fn steps_have_ticks_by_what_happens() {
        let mut run = StageRun::of_library("alien-figure-1", 0).unwrap();
        let shown = run.view();
        let ticks: Vec<_> = shown.frames.iter().filter_map(|f| tick(f)).collect();
        assert!(["request", "release", "grant"].iter().all(|kind| ticks.contains(kind)), "{ticks:?}");
        assert_eq!(tick(&shown.frames[0]), None, "nothing has happened at the start");
    }

    #[test]
    fn names_that_would_overlap_are_left_out_but_not_the_current_one() {
        let marks = [(0, 10.0), (1, 20.0), (2, 60.0)];
        assert_eq!(readable(&marks, |_| 8.0, None, 100.0), [0, 2]);
        assert_eq!(readable(&marks, |_| 8.0, Some(1), 100.0), [1, 2]);
        assert_eq!(readable(&[(0, 200.0)], |_| 8.0, None, 100.0), [0; 0], "outside");
    }
}
