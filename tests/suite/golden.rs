//! The first steps of every algorithm as text: a change in behaviour or in narration shows here.

use crate::helpers::systems::{parameters, word};
use lockstep_algorithms::ALL;
use lockstep_kernel::{Entry, Params};
use std::collections::BTreeSet;
use std::fmt::Write;

/// The steps of a trace; it becomes longer until the traces of all parameter sets differ.
const STEPS: [usize; 3] = [24, 40, 60];

/// The first steps of an algorithm on the sample system that its entry names.
fn trace(entry: &Entry, params: &Params, steps: usize) -> String {
    let mut text = String::new();
    let mut player = (entry.drive.boot)(entry.sample.setup(params.clone()), &entry.sample.timing(7));
    for _ in 0..steps {
        let Some(event) = player.next() else { break };
        player.pick(event).unwrap();
        let frame = player.frame();
        let last = frame.last.unwrap();
        let time = lockstep_kernel::ids::units(frame.now);
        writeln!(text, "{time:.3} {}: {}", last.title, last.sentence).unwrap();
        let broken: Vec<_> = frame.invariants.iter().filter_map(|i| i.broken.as_ref()).collect();
        assert!(entry.printed || broken.is_empty(), "{}: {broken:?}", entry.id);
    }
    text
}

/// The traces of all parameter sets, as short as they can be while as many as possible differ.
fn traces(entry: &Entry) -> Vec<(Params, String)> {
    let different = |traces: &[(Params, String)]| traces.iter().map(|(_, text)| text).collect::<BTreeSet<_>>().len();
    let mut best: Vec<(Params, String)> = Vec::new();
    for steps in STEPS {
        let all = parameters(entry);
        let traces: Vec<_> = all.into_iter().map(|p| (p.clone(), trace(entry, &p, steps))).collect();
        if different(&traces) > different(&best) {
            best = traces;
        }
    }
    best
}

/// One block for each parameter set; a trace that equals an earlier one is not repeated.
fn document(traces: &[(Params, String)]) -> String {
    let mut text = String::new();
    for (i, (params, trace)) in traces.iter().enumerate() {
        writeln!(text, "# {}", word(params)).unwrap();
        match traces[..i].iter().find(|(_, earlier)| earlier == trace) {
            Some((same, _)) => writeln!(text, "equal to the trace of {}", word(same)).unwrap(),
            None => text += trace,
        }
    }
    text
}

#[test]
fn first_events() {
    for entry in ALL {
        insta::assert_snapshot!(format!("first-events-{}", entry.id), document(&traces(entry)));
    }
}

/// The parameter sets whose traces equal an earlier one, which the snapshot says once.
const EQUAL: [(&str, usize); 3] =
    [("token-ring-printed", 1), ("preempt-printed", 4), ("preempt-aggregation-printed", 8)];

#[test]
fn traces_of_two_parameter_sets_differ_or_the_snapshot_says_once_that_they_are_equal() {
    let mut equal = Vec::new();
    for entry in ALL {
        let text = document(&traces(entry));
        let blocks: Vec<&str> = text.split("# ").skip(1).map(|block| block.split_once('\n').unwrap().1).collect();
        let told = |block: &&&str| block.starts_with("equal to the trace of ");
        let traces: Vec<_> = blocks.iter().filter(|block| !told(block)).collect();
        let different: BTreeSet<_> = traces.iter().collect();
        assert_eq!(different.len(), traces.len(), "{}: a trace is repeated", entry.id);
        assert_eq!(blocks.len(), parameters(entry).len(), "{}", entry.id);
        let same = blocks.iter().filter(told).count();
        if same > 0 {
            equal.push((entry.id, same));
        }
    }
    assert_eq!(equal, EQUAL);
}
