//! The time that a picture takes. Run it by hand: `cargo test --release -p lockstep-scene --test
//! scene -- --ignored --nocapture speed`.

#![allow(clippy::disallowed_methods, reason = "this measures, so it needs a wall clock")]

use crate::runs::{RecordedRun, STAGE, run};
use lockstep_kernel::{NodeId, Setup, Topology};
use lockstep_scene::{Arrangement, StageInput, diagram, to_svg};
use std::time::Instant;

/// The median and the longest of some pictures, in milliseconds.
fn measured(count: usize, mut picture: impl FnMut(usize)) -> (f64, f64) {
    let mut times: Vec<f64> = (0..count)
        .map(|i| {
            let start = Instant::now();
            picture(i);
            start.elapsed().as_secs_f64() * 1000.0
        })
        .collect();
    times.sort_by(f64::total_cmp);
    (times[times.len() / 2], times[times.len() - 1])
}

fn stage(run: &RecordedRun, arrange: Arrangement) -> (f64, f64) {
    let first = run.frames.len() - 60;
    measured(60, |i| {
        let input = StageInput { selected: Some(NodeId(1)), ..run.input(first + i, STAGE, arrange) };
        std::hint::black_box(run.draw(&input));
    })
}

#[test]
#[ignore = "measures time: run it in release by hand"]
fn speed() {
    let tree = |n: usize| run("alien", Setup::new(n, 1, Topology::BinaryTree).with("variant", "v2"), 400.max(n));
    let full = |n: usize| run("ricart-agrawala", Setup::new(n, 1, Topology::Full), 200);
    let say = |what: &str, (median, longest): (f64, f64)| {
        println!("{what:<44} median {median:7.3} ms, longest {longest:7.3} ms")
    };
    for n in [7, 15, 31, 63] {
        let run = tree(n);
        say(&format!("{n} nodes, tree"), stage(&run, Arrangement::Auto));
        say(&format!("{n} nodes, living tree"), stage(&run, Arrangement::Living));
    }
    let busy = full(31);
    println!("31 nodes, everyone to everyone: {} messages in flight", busy.frames[busy.last()].flights.len());
    say("31 nodes, everyone to everyone", stage(&busy, Arrangement::Auto));
    for n in [255, 1023] {
        let run = tree(n);
        let found = stage(&run, Arrangement::Auto);
        say(&format!("{n} nodes, crowd"), found);
        say(&format!("{n} nodes, living crowd"), stage(&run, Arrangement::Living));
        assert!(found.0 < if n == 255 { 4.0 } else { 16.0 }, "{n} nodes take {} ms", found.0);
        let picture = run.draw(&run.input(run.last(), STAGE, Arrangement::Auto)).scene;
        say(&format!("{n} nodes, as SVG text"), measured(20, |_| drop(std::hint::black_box(to_svg(&picture)))));
    }
    let run = tree(31);
    let picture = measured(60, |i| {
        let input = diagram::DiagramInput::new(&run.frames, run.frames.len() - 60 + i, &run.setup, 700.0);
        std::hint::black_box(diagram::draw(&input));
    });
    say(&format!("diagram, 31 lanes, a timeline of {} steps", run.frames.len()), picture);
}
