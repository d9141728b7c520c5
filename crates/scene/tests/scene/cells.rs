//! The bar of cells shows what the state contains.

use crate::runs::{PHONE, RecordedRun, STAGE, run};
use lockstep_kernel::view::ThreadState;
use lockstep_kernel::{Setup, Topology};
use lockstep_scene::Arrangement;

fn runs() -> Vec<RecordedRun> {
    let mut all = Vec::new();
    for cells in [2, 16, 17, 100] {
        for id in ["swq", "swq-pr", "central-range", "naimi-trehel-async"] {
            all.push(run(id, Setup::new(4, 2, Topology::Star).divided(cells), 40));
        }
    }
    all
}

/// The two numbers of `[lo,hi)`.
fn range(text: &str) -> (u16, u16) {
    let (lo, hi) = text.trim_matches(['[', ')']).split_once(',').unwrap();
    (lo.parse().unwrap(), hi.parse().unwrap())
}

#[test]
fn every_cell_appears_once_with_its_holder() {
    let mut moved = 0;
    for run in runs() {
        for (at, frame) in run.frames.iter().enumerate() {
            let scene = run.draw(&run.input(at, STAGE, Arrangement::Auto)).scene;
            let mut next = 0;
            for shape in scene.having("data-run") {
                let (lo, hi) = range(shape.datum("data-run").unwrap());
                assert_eq!(lo, next, "{}: cells are missing or doubled", run.name);
                next = hi;
                for cell in lo..hi {
                    let holders: Vec<&str> = (frame.nodes.iter())
                        .filter(|n| n.cells.iter().any(|(run, c)| c.held && (run.lo..run.hi).contains(&cell)))
                        .map(|n| n.name.as_str())
                        .collect();
                    assert_eq!(shape.datum("data-holder"), Some(holders.join(" ").as_str()), "{} step {at}", run.name);
                    moved += usize::from(holders.is_empty());
                }
            }
            assert_eq!(next, run.setup.cells, "{}", run.name);
        }
    }
    assert!(moved > 60, "cells are in flight at times");
}

#[test]
fn every_range_appears_once() {
    for run in runs() {
        for (at, frame) in run.frames.iter().enumerate() {
            let scene = run.draw(&run.input(at, STAGE, Arrangement::Auto)).scene;
            for (doing, attribute) in
                [(ThreadState::Inside, "data-cells-inside"), (ThreadState::Waiting, "data-cells-waiting")]
            {
                let mut shown: Vec<String> =
                    scene.having(attribute).iter().map(|s| s.datum(attribute).unwrap().to_owned()).collect();
                if doing == ThreadState::Waiting {
                    let bar = scene.layers.iter().find(|l| l.key == "cells").unwrap();
                    bar.walk(&mut |s| {
                        shown.extend(s.datum("data-more").iter().flat_map(|m| m.split(' ').map(str::to_owned)))
                    });
                }
                shown.sort();
                let mut all: Vec<String> = (frame.nodes.iter().flat_map(|n| &n.threads))
                    .filter(|t| t.doing == doing)
                    .map(|t| t.name.clone())
                    .collect();
                all.sort();
                assert_eq!(shown, all, "{} step {at} {doing:?}", run.name);
            }
        }
    }
}

#[test]
fn the_bar_keeps_its_place_and_nothing_leaves_it() {
    for run in runs() {
        for room in [STAGE, PHONE] {
            let bars: Vec<_> =
                (0..run.frames.len()).map(|i| run.draw(&run.input(i, room, Arrangement::Auto)).layout.bar).collect();
            assert!(bars.windows(2).all(|w| w[0] == w[1]), "{}", run.name);
            let stage = run.draw(&run.input(run.last(), room, Arrangement::Auto));
            let bar = stage.layout.bar.unwrap();
            assert!(stage.layout.whole().holds(bar));
            for track in &stage.tracks {
                let on = track.route.points.iter().any(|p| bar.contains(*p));
                assert!(!on, "{}: a message flies over the bar", run.name);
            }
            let layer = stage.scene.layers.iter().find(|l| l.key == "cells").unwrap();
            layer.walk(&mut |s| {
                if let lockstep_scene::ShapeKind::Rect { x, y, w, h, .. } = s.kind {
                    let part = lockstep_scene::Rect { x, y, w, h };
                    assert!(bar.holds(part), "{}: {} {part:?} leaves {bar:?}", run.name, s.key);
                }
            });
        }
    }
}

#[test]
fn a_card_shows_what_its_node_holds() {
    for run in runs() {
        let stage = run.draw(&run.input(run.last(), STAGE, Arrangement::Auto));
        for node in &run.frames[run.last()].nodes {
            let card = stage.scene.having("data-node").into_iter().find(|s| s.datum("data-node") == Some(&node.name));
            let mut held = 0;
            card.unwrap().walk(&mut |s| {
                held += s.datum("data-held").map_or(0, |r| usize::from(range(r).1 - range(r).0));
            });
            assert_eq!(
                held,
                node.cells.iter().filter(|(_, c)| c.held).map(|(run, _)| usize::from(run.len())).sum::<usize>(),
                "{} {}",
                run.name,
                node.name
            );
        }
    }
}
