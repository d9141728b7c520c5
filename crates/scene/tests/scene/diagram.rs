//! The space-time diagram: delivery ranges, faults, lanes and the time axis.

use crate::runs::{RecordedRun, all, keys_are_unique, player, run};
use lockstep_kernel::history::Player;
use lockstep_kernel::{Event, Frame, Network, NodeId, Setup, Topology};
use lockstep_scene::diagram::{DeliveryDrag, DeliveryRange, DiagramAxis, DiagramInput, draw, window};
use lockstep_scene::{CausalChain, Rect, Scene, ShapeKind};

fn alien(n: usize) -> Setup {
    Setup::new(n, 2, Topology::BinaryTree).with("variant", "v2")
}

fn inside(scene: &Scene, what: &str) {
    keys_are_unique(scene, what);
    let whole = Rect { x: -1.0, y: -1.0, w: scene.width + 2.0, h: scene.height + 2.0 };
    for layer in scene.layers.iter().filter(|l| l.key != "hits") {
        layer.walk(&mut |s| match &s.kind {
            ShapeKind::Rect { x, y, w, h, .. } => {
                assert!(whole.holds(Rect { x: *x, y: *y, w: *w, h: *h }), "{what}: {} leaves the diagram", s.key);
            }
            ShapeKind::Circle { x, y, r } => {
                let circle = Rect { x: x - r, y: y - r, w: 2.0 * r, h: 2.0 * r };
                assert!(whole.holds(circle), "{what}: {} leaves the diagram", s.key);
            }
            _ => {}
        });
    }
}

#[test]
fn nothing_leaves_the_diagram_on_either_axis() {
    let opened = [NodeId(0), NodeId(2)];
    for n in [3, 7, 31] {
        for run in all(n, 90) {
            for axis in [DiagramAxis::Events, DiagramAxis::Time] {
                for cursor in [0, 5, 40, run.last()] {
                    let input = DiagramInput {
                        axis,
                        opened: &opened,
                        ..DiagramInput::new(&run.frames, cursor, &run.setup, 700.0)
                    };
                    inside(&draw(&input), &format!("{} {axis:?} at {cursor}", run.name));
                }
            }
        }
    }
    let crowd = run("alien", alien(300), 90);
    let scene = draw(&DiagramInput::new(&crowd.frames, 80, &crowd.setup, 700.0));
    inside(&scene, "a crowd");
    assert!(scene.height < 500.0, "of many nodes only those that take part have lanes");
}

#[test]
fn a_column_for_each_step_and_a_lane_for_each_thread_of_an_opened_node() {
    let run = run("alien", alien(3), 30);
    let names = |scene: &Scene| {
        let mut names = Vec::new();
        scene.layers[0].walk(&mut |s| {
            if let ShapeKind::Text { text, .. } = &s.kind {
                names.push(text.clone());
            }
        });
        names
    };
    let plain = DiagramInput::new(&run.frames, 20, &run.setup, 700.0);
    assert_eq!(names(&draw(&plain)), ["p1", "p2", "p3"]);
    let opened = [NodeId(1)];
    let open = DiagramInput { opened: &opened, ..DiagramInput::new(&run.frames, 20, &run.setup, 700.0) };
    assert_eq!(names(&draw(&open)), ["p1", "p2", ".1", ".2", "p3"]);
    for (i, hit) in draw(&plain).having("data-index").iter().enumerate() {
        assert_eq!(hit.datum("data-index"), Some(i.to_string().as_str()));
        assert_eq!(hit.datum("data-step"), Some(i.to_string().as_str()));
        let delivered = match run.frames[i].last.as_ref().map(|l| l.event) {
            Some(Event::Deliver(id)) if i <= 20 => Some(id.to_string()),
            _ => None,
        };
        assert_eq!(hit.datum("data-sent").map(str::to_owned), delivered, "the column of a delivery moves its message");
    }
}

#[test]
fn columns_of_the_time_axis_are_in_proportion() {
    let run = run("raymond", Setup::new(3, 1, Topology::Chain), 40);
    let input = DiagramInput { axis: DiagramAxis::Time, ..DiagramInput::new(&run.frames, 40, &run.setup, 700.0) };
    let scene = draw(&input);
    let x = |i: usize| {
        let dots = scene.having("data-event");
        let dot = dots.into_iter().find(|d| d.datum("data-event") == Some(i.to_string().as_str())).unwrap();
        if let ShapeKind::Circle { x, .. } = dot.kind { x } else { f64::NAN }
    };
    let time = |i: usize| run.frames[i].now as f64;
    let ratio = (x(30) - x(10)) / (x(20) - x(10));
    assert!((ratio - (time(30) - time(10)) / (time(20) - time(10))).abs() < 1e-6, "{ratio}");
    assert!(
        !scene
            .layers
            .iter()
            .find(|l| l.key == "ticks")
            .map(|l| matches!(&l.kind, ShapeKind::Group(g) if g.is_empty()))
            .unwrap()
    );
}

/// Replays the run with the delivery at another position; `None` if the run does not allow it.
fn moved(setup: &Setup, run: &RecordedRun, from: usize, to: usize) -> bool {
    let events: Vec<Event> = run.frames[1..].iter().map(|f| f.last.as_ref().unwrap().event).collect();
    let mut order = events.clone();
    let event = order.remove(from - 1);
    order.insert(to - 1, event);
    let (mut player, _) = player("alien", setup.clone());
    // up to and including the moved delivery: the events after it may differ
    order[..to].iter().all(|e| player.pick(*e).is_some())
}

#[test]
fn the_run_refuses_a_delivery_outside_its_range() {
    let (mut inner, mut refused) = (0, 0);
    for network in [Network::Fifo, Network::Unordered] {
        let setup = alien(3).on(network);
        let run = run("alien", setup.clone(), 60);
        for d in 1..run.frames.len() {
            let Some(Event::Deliver(id)) = run.frames[d].last.as_ref().map(|l| l.event) else { continue };
            let range = DeliveryRange::of(&run.frames, network, id).unwrap();
            assert_eq!(range.ended, Some(d));
            assert!(range.allows(d), "where it is, it may be");
            for to in range.earliest..d {
                inner += 1;
                assert!(
                    moved(&setup, &run, d, to),
                    "{network:?}: message {id} can be delivered at {to} instead of {d}"
                );
            }
            if range.earliest > 1 {
                refused += 1;
                let to = range.earliest - 1;
                assert!(!moved(&setup, &run, d, to), "{network:?}: message {id} cannot be delivered at {to}");
            }
        }
    }
    assert!(inner > 20 && refused > 20, "{inner} moves, {refused} refused");
}

#[test]
fn on_ordered_links_a_message_stays_between_its_neighbours() {
    let setup = Setup::new(3, 3, Topology::Chain).with("variant", "v2");
    let run = run("alien", setup, 200);
    let sent = |id: u32| DeliveryRange::of(&run.frames, Network::Fifo, id).unwrap();
    let channel =
        |id: u32| run.frames.iter().find_map(|f| f.flights.iter().find(|f| f.id == id)).map(|f| (f.from, f.to));
    let ids: Vec<u32> = run.frames.iter().flat_map(|f| f.last.iter().flat_map(|l| l.sent.clone())).collect();
    let mut pairs = 0;
    for (i, a) in ids.iter().enumerate() {
        let Some(b) = ids[i + 1..].iter().find(|b| channel(**b) == channel(*a)) else { continue };
        let (wa, wb) = (sent(*a), sent(*b));
        if let (Some(ea), Some(eb)) = (wa.ended, wb.ended) {
            pairs += 1;
            assert_eq!(wa.latest, eb - 1);
            assert!(wb.earliest > ea);
            assert!(DeliveryRange::of(&run.frames, Network::Unordered, *a).unwrap().latest == run.last());
        }
    }
    assert!(pairs > 5, "only {pairs} pairs on one channel");
    assert_eq!(DeliveryRange::of(&run.frames, Network::Fifo, 99_999), None);
}

/// Takes the first enabled event of a kind.
fn force(player: &mut dyn Player, frames: &mut Vec<Frame>, wanted: impl Fn(Event) -> bool) -> Event {
    for _ in 0..200 {
        if let Some(pick) = player.enabled().into_iter().find(|p| wanted(p.event)) {
            player.pick(pick.event).unwrap();
            frames.push(player.frame());
            return pick.event;
        }
        let next = player.next().unwrap();
        player.pick(next).unwrap();
        frames.push(player.frame());
    }
    panic!("it never became possible");
}

#[test]
fn faults_are_seen() {
    let (mut player, _) = player("alien", alien(3));
    let mut frames = vec![player.frame()];
    let Event::Duplicate(_) = force(&mut *player, &mut frames, |e| matches!(e, Event::Duplicate(_))) else { panic!() };
    let Event::Drop(lost) = force(&mut *player, &mut frames, |e| matches!(e, Event::Drop(_))) else { panic!() };
    let Event::Hold(held) = force(&mut *player, &mut frames, |e| matches!(e, Event::Hold(_))) else { panic!() };
    let hold = frames.len() - 1;
    force(&mut *player, &mut frames, |e| matches!(e, Event::Migrate(..)));
    force(&mut *player, &mut frames, |e| e == Event::Resume(held));
    let resume = frames.len() - 1;
    force(&mut *player, &mut frames, |e| e == Event::Crash(NodeId(1)));
    for _ in 0..3 {
        force(&mut *player, &mut frames, |e| matches!(e, Event::Deliver(_)));
    }
    force(&mut *player, &mut frames, |e| e == Event::Restart(NodeId(1)));
    let setup = player.setup().clone();
    let scene = draw(&DiagramInput::new(&frames, frames.len() - 1, &setup, 700.0));
    inside(&scene, "faults");
    let with = |class: &str| {
        let mut count = 0;
        scene.layers.iter().for_each(|l| l.walk(&mut |s| count += usize::from(s.class.split(' ').any(|c| c == class))));
        count
    };
    assert_eq!(with("copy"), 1, "the second of a doubled message");
    assert_eq!(with("lost"), 1, "the lost one");
    assert_eq!(with("migrated"), 1, "the thread that moved");
    assert_eq!(with("bar-crashed"), 1, "the time that p2 was down");
    assert_eq!(with("fault"), 7, "each fault has its mark");
    let range = DeliveryRange::of(&frames, setup.network, held).unwrap();
    assert!((hold + 1..=resume).all(|i| !range.allows(i)), "what is held cannot be delivered");
    assert!(DeliveryRange::of(&frames, setup.network, lost).unwrap().ended.is_some());
}

#[test]
fn a_dragged_delivery_shows_its_range_and_its_target() {
    let run = run("alien", alien(3), 60);
    let last = run.last();
    let delivered = |i: &usize| match run.frames[*i].last.as_ref().map(|l| l.event) {
        Some(Event::Deliver(id)) => {
            DeliveryRange::of(&run.frames, Network::Fifo, id).is_some_and(|w| w.earliest + 1 < *i)
        }
        _ => false,
    };
    let d = (10..last).find(delivered).unwrap();
    let Some(Event::Deliver(message)) = run.frames[d].last.as_ref().map(|l| l.event) else { panic!() };
    let range = DeliveryRange::of(&run.frames, Network::Fifo, message).unwrap();
    let target = |x: f64| {
        let input = DiagramInput {
            dragging: Some(DeliveryDrag { message, x }),
            ..DiagramInput::new(&run.frames, last, &run.setup, 700.0)
        };
        let scene = draw(&input);
        let closed = scene.having("data-closed").len();
        let target = scene.having("data-target")[0].datum("data-target").unwrap().parse::<usize>().unwrap();
        (target, closed)
    };
    let shown = window(run.frames.len(), last);
    let closed = shown.filter(|i| !range.allows(*i)).count();
    assert_eq!(target(0.0), (range.earliest, closed), "no earlier than the range");
    assert_eq!(target(700.0).0, range.latest);
    let causes = CausalChain::of(&run.frames, d);
    let scene =
        draw(&DiagramInput { causes: Some(&causes), ..DiagramInput::new(&run.frames, last, &run.setup, 700.0) });
    let marked = |key: &str| {
        let layer = scene.layers.iter().find(|l| l.key == key).unwrap();
        let mut count = 0;
        layer.walk(&mut |s| count += usize::from(s.class.contains("cause")));
        count
    };
    assert_eq!(marked("dots"), causes.steps.len());
    assert_eq!(marked("sent"), causes.messages.len());
}
