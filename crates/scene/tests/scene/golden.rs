//! Five small systems, shape by shape: every change of a picture must be intended.

use crate::runs::{STAGE, clustered, run};
use lockstep_kernel::{NodeId, Setup, Topology};
use lockstep_scene::{Arrangement, Shape, ShapeKind, StageInput};
use std::fmt::Write;

/// A picture as an indented list of shapes with their places and labels.
fn listed(shape: &Shape, depth: usize, out: &mut String) {
    let (name, geometry) = shape.element();
    let _ = write!(out, "{:depth$}{} {name}.{}", "", shape.key, shape.class.replace(' ', "."), depth = depth * 2);
    if let Some(at) = shape.at {
        let _ = write!(out, " at {},{}", lockstep_scene::shape::num(at.x), lockstep_scene::shape::num(at.y));
    }
    for (name, value) in geometry.iter().chain(&shape.data) {
        let _ = write!(out, " {name}={value}");
    }
    if let ShapeKind::Text { text, .. } = &shape.kind {
        let _ = write!(out, " “{text}”");
    }
    out.push('\n');
    if let ShapeKind::Group(children) = &shape.kind {
        children.iter().for_each(|c| listed(c, depth + 1, out));
    }
}

#[test]
fn five_small_systems() {
    let systems = [
        ("alien", Setup::new(3, 2, Topology::Chain).with("variant", "v2"), 12),
        ("swq", Setup::new(3, 1, Topology::Star).divided(6), 14),
        ("ricart-agrawala", Setup::new(3, 1, Topology::Full), 10),
        ("central-server", Setup::new(3, 1, Topology::Star), 8),
        ("proxy", clustered(2, 2), 16),
    ];
    for (id, setup, steps) in systems {
        let run = run(id, setup, steps);
        let input = StageInput { selected: Some(NodeId(1)), ..run.input(run.last(), STAGE, Arrangement::Auto) };
        let stage = run.draw(&input);
        let mut text = format!("{}\n", stage.scene.about);
        stage.scene.layers.iter().for_each(|l| listed(l, 0, &mut text));
        insta::assert_snapshot!(format!("picture-of-{id}"), text);
    }
}
