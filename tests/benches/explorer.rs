//! Our explorer against stateright's breadth-first search, one thread each, on Ricart–Agrawala with
//! three nodes and three requests each.
//!
//! Both explore the same worlds; they are timed in turns, and the medians are printed as JSON, with
//! the memory that ours keeps for each state.

#![allow(clippy::disallowed_methods, reason = "a benchmark measures wall-clock time")]

#[path = "../suite/helpers/model.rs"]
mod model;

use lockstep_algorithms::ricart_agrawala::RicartAgrawala;
use lockstep_kernel::explore::{Bounds, Exploration, Explorer, to_the_end};
use lockstep_kernel::{Setup, Topology};
use std::time::Instant;

const ROUNDS: usize = 5;
const REQUESTS: u32 = 3;
type Subject = RicartAgrawala<false>;

fn main() {
    let setup = Setup::new(3, 1, Topology::Full);
    let bounds = Bounds { requests: REQUESTS, ..Bounds::default() };
    let (mut ours, mut theirs) = (Vec::new(), Vec::new());
    let (mut states, mut bytes) = (0, 0);
    for _ in 0..ROUNDS {
        let clock = Instant::now();
        let mut explorer = Exploration::<Subject>::new(&setup, &bounds);
        states = to_the_end(&mut explorer).states;
        ours.push(clock.elapsed().as_secs_f64());
        bytes = explorer.progress().bytes;
        drop(explorer);
        let clock = Instant::now();
        let counted = model::stateright::<Subject>(&setup, REQUESTS).0;
        theirs.push(clock.elapsed().as_secs_f64());
        assert_eq!(counted, states, "the explorers do not do the same work");
    }
    let median = |times: &mut Vec<f64>| {
        times.sort_by(f64::total_cmp);
        times[times.len() / 2]
    };
    let (ours, theirs) = (median(&mut ours), median(&mut theirs));
    let speed = |time: f64| (states as f64 / time).round();
    println!(
        "{}",
        serde_json::json!({
            "states": states,
            "states_per_second": speed(ours),
            "stateright_states_per_second": speed(theirs),
            "ratio": ours / theirs,
            "bytes_per_state": (bytes as f64 / states as f64 * 10.0).round() / 10.0,
        })
    );
}
