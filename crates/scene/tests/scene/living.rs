//! The living tree: it follows the pointers, and only nodes with changed pointers move.

use crate::runs::{HALL, PHONE, RecordedRun, STAGE, run};
use lockstep_kernel::{NodeId, Setup, Topology};
use lockstep_scene::layout::{Layout, LayoutInput, tree};
use lockstep_scene::{Arrangement, CardSize, Room};

/// Each node's distance from its root, or `None` if the pointers form a cycle.
fn depths(parents: &[NodeId]) -> Option<Vec<usize>> {
    let depth = |i: usize| {
        let (mut at, mut steps) = (i, 0);
        while parents[at].index() != at {
            (at, steps) = (parents[at].index(), steps + 1);
            if steps > parents.len() {
                return None;
            }
        }
        Some(steps)
    };
    (0..parents.len()).map(depth).collect()
}

/// The pointers that the living tree follows.
fn parents(run: &RecordedRun, at: usize) -> Vec<NodeId> {
    let (frame, setup, tree_link) = (&run.frames[at], &run.setup, run.tree_link);
    LayoutInput { frame, setup, tree_link, arrange: Arrangement::Living, room: STAGE }.living_parents()
}

/// The descendants of each node in the living tree.
fn below(parents: &[NodeId]) -> Vec<Vec<(usize, NodeId)>> {
    let on = |k: usize, i: usize| {
        let mut at = i;
        (0..parents.len()).any(|_| {
            at = parents[at].index();
            at == k
        })
    };
    let hanging = |k: usize| (0..parents.len()).filter(|i| *i != k && on(k, *i)).map(|i| (i, parents[i])).collect();
    (0..parents.len()).map(hanging).collect()
}

/// Whether a card has more space on its level than it needs, so that no neighbour moves it.
fn unpushed(layout: &Layout, k: usize) -> bool {
    let card = layout.cards[k];
    let row = layout.cards.iter().enumerate().filter(|(i, c)| *i != k && c.y == card.y);
    row.into_iter().all(|(_, other)| (other.x - card.x).abs() > card.w + 12.0)
}

#[test]
fn only_what_changed_moves() {
    let (mut turned, mut columns, mut levels) = (0, 0, 0);
    for (id, n, room) in [("alien", 3, STAGE), ("alien", 7, STAGE), ("alien", 15, HALL), ("naimi-trehel", 7, STAGE)] {
        let setup = Setup::new(n, 2, Topology::BinaryTree);
        let run = run(id, if id == "alien" { setup.with("variant", "v2") } else { setup }, 160);
        for i in 1..run.frames.len() {
            let layout = |at: usize| run.draw(&run.input(at, room, Arrangement::Living)).layout;
            let (a, b) = (layout(i - 1), layout(i));
            let (before, after) = (parents(&run, i - 1), parents(&run, i));
            if before == after {
                assert_eq!(a, b, "{}: no pointer turned at step {i}", run.name);
                continue;
            }
            // if more levels are needed than are reserved, the whole tree moves
            let deep = |now: &[NodeId]| {
                let initial = tree::shape(&run.setup.parents);
                let highest = tree::living_levels(&initial, now).into_iter().min().unwrap_or(0);
                highest < 1 - initial.levels as i32
            };
            if depths(&before).is_none() || depths(&after).is_none() || deep(&before) || deep(&after) {
                continue;
            }
            turned += 1;
            let (was, is) = (below(&before), below(&after));
            for k in 0..n {
                if unpushed(&a, k) && unpushed(&b, k) {
                    columns += 1;
                    assert_eq!(a.cards[k].x, b.cards[k].x, "{} step {i}: node {k} leaves its column", run.name);
                }
                if was[k] == is[k] {
                    levels += 1;
                    assert_eq!(a.cards[k].y, b.cards[k].y, "{} step {i}: node {k} leaves its level", run.name);
                }
            }
        }
    }
    assert!(turned > 60 && columns > 200 && levels > 200, "{turned} turns, {columns} columns, {levels} levels");
}

#[test]
fn when_the_root_moves_along_an_edge_one_node_moves() {
    for (n, room) in [(7, STAGE), (15, STAGE), (31, HALL), (7, PHONE), (15, PHONE), (31, PHONE)] {
        let initial = Setup::new(n, 1, Topology::BinaryTree).parents;
        let mut now = initial.clone();
        let mut before = tree::living(&initial, &now, room, false);
        let mut hops = 0;
        // from the first root to every node and back, one edge at a time
        for target in (0..n).flat_map(|k| [k, 0]) {
            while now[target].index() != target {
                // the next node on the path from the root to the target reverses its pointer
                let mut next = target;
                while now[now[next].index()] != now[next] {
                    next = now[next].index();
                }
                let root = now[next].index();
                (now[root], now[next]) = (NodeId(next as u32), NodeId(next as u32));
                let after = tree::living(&initial, &now, room, false);
                let moved = before.cards.iter().zip(&after.cards).filter(|(a, b)| a != b).count();
                assert_eq!(moved, 1, "{n} nodes: {moved} of them move when the root goes from {root} to {next}");
                assert!((0..n).all(|k| now[k].index() == k || after.cards[k].y > after.cards[now[k].index()].y));
                assert!(after.cards.iter().enumerate().all(|(i, a)| after.cards[..i].iter().all(|b| !a.overlaps(*b))));
                before = after;
                hops += 1;
            }
        }
        assert!(hops > n, "{hops}");
    }
}

#[test]
fn a_living_chain_has_cards_to_read_and_one_of_them_moves() {
    let low = Room { width: 742.0, height: 300.0 };
    let initial = Setup::new(3, 1, Topology::Chain).parents;
    let pointers = [[0, 0, 1], [1, 1, 1], [1, 2, 2], [1, 1, 1], [0, 0, 1]].map(|now| now.map(NodeId));
    let chain = pointers.map(|now| tree::living(&initial, &now, low, false));
    assert!(chain.iter().all(|l| l.size < CardSize::Mini && l.size == chain[0].size), "{:?}", chain[0].size);
    for pair in chain.windows(2) {
        assert_eq!(pair[0].cards.iter().zip(&pair[1].cards).filter(|(a, b)| a != b).count(), 1);
    }
}

#[test]
fn children_stand_below_their_parents_in_the_order_of_the_initial_tree() {
    let run = run("naimi-trehel", Setup::new(7, 2, Topology::BinaryTree), 200);
    for i in 0..run.frames.len() {
        let layout = run.draw(&run.input(i, STAGE, Arrangement::Living)).layout;
        let parents = parents(&run, i);
        if depths(&parents).is_none() {
            continue;
        }
        for (k, parent) in parents.iter().enumerate().filter(|(k, p)| p.index() != *k) {
            assert!(layout.cards[k].y > layout.cards[parent.index()].y, "step {i}: {k} is not below its owner");
        }
        // in order: p4 p2 p5 p1 p6 p3 p7
        let order = [3, 1, 4, 0, 5, 2, 6];
        for (x, a) in order.iter().enumerate() {
            for b in &order[x + 1..] {
                let (a, b) = (layout.cards[*a], layout.cards[*b]);
                assert!(a.y != b.y || a.x < b.x, "step {i}: the order across changed");
            }
        }
    }
}
