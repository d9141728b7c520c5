//! Pointers on demand, causes, and messages that would cover each other.

use crate::runs::{STAGE, all, run};
use lockstep_kernel::{NodeId, Setup, Topology};
use lockstep_scene::stage::message::radius;
use lockstep_scene::{Arrangement, CausalChain, Rect, StageInput};

#[test]
fn a_quorum_is_drawn_for_the_node_that_is_looked_at_and_only_there() {
    let run = run("maekawa", Setup::new(7, 1, Topology::Full), 30);
    let input = run.input(run.last(), STAGE, Arrangement::Auto);
    let quorums = |selected: Option<NodeId>| {
        let scene = run.draw(&StageInput { selected, ..input }).scene;
        let links = scene.having("data-link");
        let of = links.iter().filter(|s| s.datum("data-link") == Some("quorum"));
        of.map(|s| s.datum("data-from").unwrap().to_owned()).collect::<Vec<_>>()
    };
    assert!(quorums(None).is_empty());
    let of_p3 = quorums(Some(NodeId(2)));
    assert!(of_p3.len() >= 2 && of_p3.iter().all(|from| from == "p3"), "{of_p3:?}");
}

#[test]
fn a_chain_of_causes_leads_back_to_a_user() {
    let run = run("alien", Setup::new(7, 2, Topology::BinaryTree).with("variant", "v2"), 80);
    let mut longest = 0;
    for at in 1..run.frames.len() {
        let causes = CausalChain::of(&run.frames, at);
        assert_eq!(causes.steps[0], at);
        assert_eq!(causes.messages.len(), causes.steps.len() - 1, "each step but the first is a delivery");
        let first = run.frames[*causes.steps.last().unwrap()].last.as_ref().unwrap();
        assert!(
            matches!(first.event, lockstep_kernel::Event::Request(_) | lockstep_kernel::Event::Release(_)),
            "step {at} begins with {:?}",
            first.event
        );
        longest = longest.max(causes.steps.len());
        let input = StageInput { causes: Some(&causes), ..run.input(at, STAGE, Arrangement::Auto) };
        let scene = run.draw(&input).scene;
        let marked = scene.having("data-node").into_iter().filter(|s| s.class.contains("cause")).count();
        assert_eq!(marked, causes.nodes.len());
    }
    assert!(longest >= 4, "the longest chain has only {longest} steps");
}

#[test]
fn messages_of_one_pair_do_not_cover_each_other() {
    // few messages: in a picture full of them some must touch
    let (mut seen, mut covered) = (0, 0);
    for run in all(5, 80) {
        for at in 0..run.frames.len() {
            let stage = run.draw(&run.input(at, STAGE, Arrangement::Auto));
            let now = run.frames[at].now as f64;
            let places: Vec<_> = stage.tracks.iter().map(|t| t.place(now)).collect();
            for (i, a) in places.iter().enumerate() {
                for b in &places[i + 1..] {
                    seen += 1;
                    covered += usize::from(a.distance(*b) < 8.0);
                }
            }
        }
    }
    assert!(seen > 1000, "only {seen} pairs");
    assert!(covered * 200 < seen, "{covered} of {seen} pairs cover each other");
}

#[test]
fn messages_stay_off_the_cards() {
    let (mut seen, mut on) = (0, Vec::new());
    for run in [3, 5, 7].into_iter().flat_map(|n| all(n, 60)) {
        for at in (0..run.frames.len()).step_by(5) {
            let stage = run.draw(&run.input(at, STAGE, Arrangement::Auto));
            let r = radius(stage.layout.size, run.frames[at].flights.len());
            let now = run.frames[at].now as f64;
            for track in &stage.tracks {
                seen += 1;
                let p = track.place(now);
                let mark = Rect { x: p.x - r, y: p.y - r, w: 2.0 * r, h: 2.0 * r };
                assert!(stage.layout.whole().holds(mark), "{} step {at}: a message is cut off", run.name);
                if stage.layout.cards.iter().any(|c| c.grown(-3.0).overlaps(mark)) {
                    on.push(format!("{} step {at}: {p:?} inset {:?} route {}", run.name, track.inset, track.route.d));
                }
            }
        }
    }
    assert!(
        seen > 300 && on.is_empty(),
        "{} of {seen} messages lie on a card: {:?}",
        on.len(),
        &on[..on.len().min(30)]
    );
}
