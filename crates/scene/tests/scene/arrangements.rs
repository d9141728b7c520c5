//! Every arrangement: nothing overlaps, nothing is outside, and hulls contain exactly their
//! members.

use crate::runs::{ARRANGEMENTS, HALL, PHONE, RecordedRun, STAGE, all, clustered, keys_are_unique, run};
use lockstep_kernel::{Setup, Topology};
use lockstep_scene::layout::{self, Layout, LayoutInput, MOST_CARDS};
use lockstep_scene::{Arrangement, CardSize, Painter, PictureFeatures, Room, StageInput, StagePicture, to_svg};

fn check(run: &RecordedRun, room: Room, arrange: Arrangement) -> StagePicture {
    let input = run.input(run.last(), room, arrange);
    let stage = run.draw(&input);
    check_layout(run, room, arrange, &stage.layout);
    let what = format!("{} as {arrange:?} in {}×{}", run.name, room.width, room.height);
    keys_are_unique(&stage.scene, &what);
    assert_eq!(stage, Painter::new().draw_stage(&input), "{what}: a painter without a cache draws the same");
    stage
}

fn check_layout(run: &RecordedRun, room: Room, arrange: Arrangement, l: &Layout) {
    let what = format!("{} as {arrange:?} in {}×{}", run.name, room.width, room.height);
    assert_eq!(l.cards.len(), run.setup.nodes(), "{what}");
    assert_ne!(l.arrange, Arrangement::Auto, "{what}");
    for (i, a) in l.cards.iter().enumerate() {
        assert!(l.whole().holds(*a), "{what}: card {i} {a:?} leaves {}×{}", l.width, l.height);
        assert!(l.bar.is_none_or(|bar| !bar.overlaps(*a)), "{what}: card {i} lies on the bar of cells");
        for (j, b) in l.cards.iter().enumerate().skip(i + 1) {
            let round = l.size == CardSize::Dot && a.centre().distance(b.centre()) >= a.w;
            assert!(round || !a.overlaps(*b), "{what}: {i} and {j} overlap: {a:?} {b:?}");
        }
    }
    for hull in &l.hulls {
        assert!(l.whole().holds(hull.bounds), "{what}: cluster {} leaves the drawing", hull.cluster);
        for (i, card) in l.cards.iter().enumerate() {
            let member = run.setup.clusters[i] == hull.cluster;
            assert_eq!(hull.bounds.holds(*card), member, "{what}: node {i}, cluster {}", hull.cluster);
            assert!(member || !hull.bounds.overlaps(*card), "{what}: node {i} on the border of {}", hull.cluster);
        }
    }
}

#[test]
fn nothing_overlaps_and_all_is_inside() {
    for n in [3, 7, 15, 31] {
        for run in all(n, 24) {
            for room in [STAGE, PHONE, HALL] {
                for arrange in ARRANGEMENTS {
                    let StageInput { frame, setup, tree_link, .. } = run.input(run.last(), room, arrange);
                    let found = layout::arrange(&LayoutInput { frame, setup, tree_link, arrange, room });
                    check_layout(&run, room, arrange, &found);
                }
                if room == STAGE {
                    check(&run, room, Arrangement::Auto);
                }
            }
        }
    }
}

#[test]
fn a_crowd_neither_overlaps_nor_leaves() {
    for n in [65, 127, 255, 1023] {
        let tree = run("alien", Setup::new(n, 1, Topology::BinaryTree).with("variant", "v2"), 40);
        for arrange in [Arrangement::Auto, Arrangement::Living, Arrangement::Ring] {
            assert_eq!(check(&tree, STAGE, arrange).layout.size, CardSize::Dot);
        }
    }
    for (id, setup) in [
        ("central-server", Setup::new(1023, 1, Topology::Star)),
        ("token-ring", Setup::new(511, 1, Topology::Ring)),
        ("raymond", Setup::new(200, 1, Topology::Chain)),
        ("proxy", clustered(16, 16)),
        ("proxy", clustered(40, 5)),
    ] {
        check(&run(id, setup, 60), STAGE, Arrangement::Auto);
    }
}

#[test]
fn cards_up_to_a_number_then_dots() {
    let with = |n: usize| {
        let run = run("raymond", Setup::new(n, 1, Topology::BinaryTree), 10);
        check(&run, STAGE, Arrangement::Auto).layout.size
    };
    assert_eq!(with(3), CardSize::Full);
    assert_eq!(with(31), CardSize::Mini);
    assert_eq!(with(MOST_CARDS), CardSize::Mini);
    assert_eq!(with(MOST_CARDS + 1), CardSize::Dot);
}

#[test]
fn the_automatic_choice() {
    let chosen = |run: &RecordedRun| run.draw(&run.input(run.last(), STAGE, Arrangement::Auto)).layout.arrange;
    for run in all(9, 40) {
        let arrange = match run.name.split(' ').next().unwrap() {
            "proxy" | "preempt-aggregation" => Arrangement::Clusters,
            "alien" | "naimi-trehel" | "swq" => Arrangement::Initial,
            _ => Arrangement::Ring,
        };
        assert_eq!(chosen(&run), arrange, "{}", run.name);
    }
}

#[test]
fn it_never_changes_its_mind_during_a_run() {
    for run in all(7, 120) {
        let chosen: Vec<_> = (0..run.frames.len())
            .map(|i| {
                let layout = run.draw(&run.input(i, STAGE, Arrangement::Auto)).layout;
                (layout.arrange, layout.cards)
            })
            .collect();
        assert!(chosen.windows(2).all(|w| w[0] == w[1]), "{}: the cards move", run.name);
    }
}

#[test]
fn a_server_stands_in_the_middle() {
    let run = run("central-server", Setup::new(6, 1, Topology::Star), 20);
    let stage = run.draw(&run.input(run.last(), STAGE, Arrangement::Auto));
    let c = stage.layout.cards[6].centre();
    let whole = stage.layout.whole().centre();
    assert!((c.x - whole.x).abs() < 1.0 && (c.y - whole.y).abs() < 1.0, "{c:?}");
    let card = stage.scene.having("data-role").into_iter().find(|s| s.datum("data-node") == Some("server")).unwrap();
    assert_eq!(card.datum("data-role"), Some("server"));
    let tree = run.draw(&run.input(run.last(), STAGE, Arrangement::Initial)).layout;
    let (server, hosts) = tree.cards.split_last().unwrap();
    assert!(hosts.iter().all(|h| h.y > server.y), "and at the top of a tree");
}

#[test]
fn a_proxy_stands_in_its_cluster_and_says_what_it_is() {
    let run = run("proxy", clustered(3, 3).with("proxies", "extra"), 40);
    let stage = check(&run, STAGE, Arrangement::Auto);
    for (proxy, cluster) in [(9, 1), (10, 2)] {
        let first = stage.layout.cards[3 * cluster];
        assert!(stage.layout.cards[proxy].y < first.y, "above its hosts");
        let card = stage.scene.having("data-role").into_iter().find(|s| s.datum("data-id") == Some(&proxy.to_string()));
        assert_eq!(card.and_then(|c| c.datum("data-role")), Some("proxy"));
    }
}

#[test]
fn layers_can_be_switched_off_one_by_one() {
    let runs = [
        run("alien", Setup::new(7, 3, Topology::BinaryTree).with("variant", "v2"), 120),
        run("swq", Setup::new(5, 2, Topology::Star).divided(12), 120),
        run("proxy", clustered(3, 3), 200),
        run("maekawa", Setup::new(7, 1, Topology::Full), 200),
        run("alien", Setup::new(127, 2, Topology::BinaryTree).with("variant", "v2"), 300),
    ];
    let mut known = std::collections::BTreeSet::new();
    for run in &runs {
        let at = (0..=run.last()).rev().find(|i| {
            let stage = run.draw(&run.input(*i, STAGE, Arrangement::Auto));
            !stage.tracks.is_empty()
                && run.frames[*i]
                    .nodes
                    .iter()
                    .any(|n| n.threads.iter().any(|t| t.doing == lockstep_kernel::view::ThreadState::Inside))
        });
        let mut input = run.input(at.expect(&run.name), STAGE, Arrangement::Auto);
        input.selected = Some(lockstep_kernel::NodeId(0));
        let whole = run.draw(&input);
        for layer in &whole.legend {
            known.insert(layer.id.clone());
            let hidden = std::collections::BTreeSet::from([layer.id.clone()]);
            let part = run.draw(&StageInput { hidden: &hidden, ..input });
            assert_eq!(part.layout, whole.layout, "{}: without {} the cards move", run.name, layer.id);
            assert_eq!(part.legend, whole.legend, "{}: the switch of {} is gone", run.name, layer.id);
            let optional = layer.id == "ghosts"
                || layer.id == "token"
                || layer.id.starts_with("links:")
                || whole.layout.size == CardSize::Dot;
            assert!(
                optional || to_svg(&part.scene).len() < to_svg(&whole.scene).len(),
                "{}: {} does nothing",
                run.name,
                layer.id
            );
        }
    }
    for id in [
        "token",
        "inside",
        "queue",
        "messages",
        "ghosts",
        "clusters",
        "cells",
        "notes",
        "links:probOwner",
        "links:quorum",
    ] {
        assert!(known.contains(id), "no picture has the layer {id}");
    }
}

/// The legend found by a trial run of a smaller system names everything that a large one shows.
#[test]
fn the_legend_of_a_large_system_misses_nothing() {
    for run in all(100, 200) {
        let entry = lockstep_algorithms::find(run.name.split(' ').next().unwrap()).unwrap();
        let (mut hosts, count) = (run.setup.clone(), run.setup.hosts());
        hosts.names.truncate(count);
        hosts.threads.truncate(count);
        hosts.parents.truncate(count);
        hosts.clusters.truncate(count);
        hosts.added = 0;
        let tried = PictureFeatures::of_trial_run(entry, &hosts);
        for frame in &run.frames {
            let shown = PictureFeatures::of_frame(frame, run.tree_link);
            assert_eq!(tried.clone().union(shown), tried, "{} at step {}", run.name, frame.step);
        }
    }
}
