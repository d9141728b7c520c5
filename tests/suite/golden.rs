//! The first steps of every algorithm in words: a change in behaviour or in narration shows here.

use crate::helpers::systems::{parameters, word};
use lockstep_algorithms::ALL;
use lockstep_kernel::timing::{Delays, Duration, Timing};
use lockstep_kernel::{Setup, Topology};
use std::fmt::Write;

#[test]
fn first_events() {
    for entry in ALL {
        let mut text = String::new();
        for params in parameters(entry) {
            writeln!(text, "# {}", word(&params)).unwrap();
            let mut setup = Setup::new(3, 2, Topology::Chain);
            setup.params = params;
            let delays = Delays::everywhere(Duration::Uniform(0.05, 0.3));
            let timing = Timing { delays, section: Duration::Const(0.2), ..Timing::paper(1.0, 7) };
            let mut player = (entry.drive.boot)(setup, &timing);
            for _ in 0..24 {
                let Some(event) = player.next() else { break };
                player.pick(event).unwrap();
                let frame = player.frame();
                let last = frame.last.unwrap();
                let time = lockstep_kernel::ids::units(frame.now);
                writeln!(text, "{time:.3} {}: {}", last.title, last.sentence).unwrap();
                let broken: Vec<_> = frame.invariants.iter().filter_map(|i| i.broken.as_ref()).collect();
                assert!(entry.printed || broken.is_empty(), "{}: {broken:?}", entry.id);
            }
        }
        insta::assert_snapshot!(format!("first-events-{}", entry.id), text);
    }
}
