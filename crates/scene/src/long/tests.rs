//! Tests of the diagram of a long run.

use super::*;
use crate::shape::ShapeKind;

/// A ring of 10 nodes: each receives, enters, leaves and sends on; 100,000 events in all.
pub(super) fn ring(events: u32) -> LongDiagram {
    let nodes: Vec<String> = (0..10).map(|node| format!("n{node}")).collect();
    let marks = ["recv", "enter", "exit", "send"];
    let event = |at: u32| LongEvent {
        node: at / 4 % 10,
        mark: marks[at as usize % 4],
        word: at % 4,
        rank: at,
        time: Some(f64::from(at) * 0.5),
    };
    let arrows =
        (0..events / 4 - 1).map(|turn| LongArrow { from: turn * 4 + 3, to: turn * 4 + 4, look: ArrowLook::Exact });
    let sections =
        (0..events / 4).map(|turn| LongSection { node: turn % 10, enter: turn * 4 + 1, end: Some(turn * 4 + 2) });
    let words = marks.iter().map(|mark| (*mark).to_owned()).collect();
    LongDiagram::new(nodes, words, (0..events).map(event).collect(), arrows.collect(), Vec::new(), sections.collect())
}

fn count(shapes: &[Shape]) -> usize {
    let mut count = 0;
    shapes.iter().for_each(|shape| shape.walk(&mut |_| count += 1));
    count
}

fn bytes(shapes: &[Shape]) -> usize {
    let mut bytes = 0;
    let mut add = |shape: &Shape| {
        if let ShapeKind::Path(d) = &shape.kind {
            bytes += d.len();
        }
    };
    shapes.iter().for_each(|shape| shape.walk(&mut add));
    bytes
}

#[test]
fn a_window_draws_a_bounded_number_of_shapes_at_every_zoom() {
    let diagram = ring(100_000);
    let mut window = camera::whole(&diagram, 1_000.0, 300.0);
    let (mut most, mut longest) = (0, 0);
    for _ in 0..60 {
        let shapes = diagram.draw(&window, &DiagramMarks::default()).layers;
        (most, longest) = (most.max(count(&shapes)), longest.max(bytes(&shapes)));
        window = camera::zoomed(&diagram, &window, 1.3, 500.0);
    }
    assert!(most < 3_000, "{most} shapes");
    assert!(longest < 400_000, "{longest} bytes of paths");
    let close = diagram.draw(&window, &DiagramMarks::default()).layers;
    let events: Vec<&Shape> = close.iter().filter(|layer| layer.key == "events").collect();
    assert!(count(&close) > 20 && events.len() == 1);
    assert_eq!(diagram.len(), 100_000);
}

#[test]
fn what_is_drawn_serves_small_movements() {
    let diagram = ring(100_000);
    let window = camera::beginning(&diagram, 1_000.0, 300.0);
    let window = camera::centred(&diagram, &window, 50_000);
    let moved = camera::panned(&diagram, &window, 300.0, 0.0);
    assert!(camera::serves(&diagram, &window, &moved));
    assert!(!camera::serves(&diagram, &window, &camera::panned(&diagram, &window, 500.0, 0.0)));
    assert!(!camera::serves(&diagram, &window, &camera::zoomed(&diagram, &window, 2.0, 0.0)));
    let tall = diagram_of_rows(100);
    let window = camera::centred(&tall, &camera::beginning(&tall, 1_000.0, 300.0), 50);
    let lower = camera::panned(&tall, &window, 0.0, 30.0);
    assert!(lower.top > window.top && camera::serves(&tall, &window, &lower));
    assert!(!camera::serves(&tall, &window, &camera::panned(&tall, &window, 0.0, 200.0)));
    // an event keeps its place while the tile is the same
    let window = camera::centred(&diagram, &camera::beginning(&diagram, 1_000.0, 300.0), 50_000);
    let moved = camera::panned(&diagram, &window, 300.0, 0.0);
    let place = |window: &DiagramWindow| {
        let shapes = diagram.draw(window, &DiagramMarks::default()).layers;
        let mut found = None;
        shapes.iter().for_each(|shape| {
            shape.walk(&mut |shape| {
                if shape.datum("data-event") == Some("50000") {
                    found = Some(shape.clone());
                }
            })
        });
        found
    };
    assert!(place(&window).is_some());
    assert_eq!(place(&window), place(&moved));
}

#[test]
fn the_camera_stays_in_the_run_and_keeps_what_is_under_the_pointer() {
    let diagram = ring(4_000);
    let whole = camera::whole(&diagram, 1_000.0, 200.0);
    assert_eq!(camera::panned(&diagram, &whole, -1e9, -1e9), camera::panned(&diagram, &whole, -2e9, -1e9));
    let close = camera::zoomed(&diagram, &whole, 8.0, 400.0);
    let under = |window: &DiagramWindow| window.left + 400.0 / window.scale;
    assert!((under(&whole) - under(&close)).abs() < 1e-6);
    let end = camera::panned(&diagram, &close, 1e9, 1e9);
    assert!(end.left + end.width / end.scale >= diagram.range().1);
    assert!(end.top <= diagram.height());
    let centred = camera::centred(&diagram, &whole, 2_000);
    let middle = centred.left + centred.width / 2.0 / centred.scale;
    assert!((middle - 2_000.0).abs() < 1e-6);
    assert!(camera::zoomed(&diagram, &whole, 1e-9, 0.0).scale > 0.0);
    assert!(camera::zoomed(&diagram, &whole, f64::INFINITY, 0.0).scale.is_finite());
}

#[test]
fn axes_are_order_time_or_another_order() {
    let mut diagram = ring(40);
    assert_eq!(diagram.position(7), Some(7.0));
    diagram.along(LongAxis::Time, None);
    assert_eq!((diagram.position(7), diagram.range()), (Some(3.5), (0.0, 19.5)));
    let reversed: Vec<u32> = (0..40).rev().collect();
    diagram.along(LongAxis::Order, Some(&reversed));
    assert_eq!(diagram.position(7), Some(32.0));
    assert_eq!(diagram.neighbour(3, true), Some(2));
    assert_eq!((diagram.section_of(5), diagram.section_of(4)), (Some(1), None));
    let empty = LongDiagram::new(Vec::new(), Vec::new(), Vec::new(), Vec::new(), Vec::new(), Vec::new());
    let window = camera::whole(&empty, 300.0, 100.0);
    assert!(count(&empty.draw(&window, &DiagramMarks::default()).layers) < 10);
    assert_eq!(empty.overview(100.0, 20.0).len(), 3);
}

#[test]
fn chains_pasts_and_chosen_sections_are_marked() {
    let diagram = ring(80);
    let window = camera::beginning(&diagram, 5_000.0, 300.0);
    let marks = DiagramMarks {
        event: Some(3),
        chain: vec![2, 3, 4, 5],
        sections: vec![0, 1],
        pasts: vec![vec![2; 10], vec![4; 10]],
    };
    let shapes = diagram.draw(&window, &marks).layers;
    let with = |class: &str| {
        let mut count = 0;
        shapes.iter().for_each(|shape| shape.walk(&mut |shape| count += usize::from(shape.class == class)));
        count
    };
    assert_eq!((with("chain"), with("long-section chosen"), with("chosen-event")), (3, 2, 1));
    assert_eq!((with("past past-0"), with("past past-1")), (10, 10));
}

#[test]
fn a_short_run_leaves_room_for_the_names_whatever_is_centred() {
    let diagram = ring(16);
    let first = |window: &DiagramWindow| (diagram.position(0).unwrap() - window.left) * window.scale;
    let window = camera::beginning(&diagram, 1_000.0, 300.0);
    for event in [0, 7, 15] {
        let centred = camera::centred(&diagram, &camera::whole(&diagram, 1_000.0, 300.0), event);
        assert!(first(&centred) >= 55.9, "{} pixels after event {event}", first(&centred));
    }
    assert!(first(&window) >= 55.9);
}

/// A diagram of so many nodes with one event each, and no messages.
fn diagram_of_rows(rows: u32) -> LongDiagram {
    let event = |at: u32| LongEvent { node: at, mark: "note", word: 0, rank: at, time: None };
    let nodes = (0..rows).map(|node| format!("n{node}")).collect();
    LongDiagram::new(nodes, vec!["note".into()], (0..rows).map(event).collect(), Vec::new(), Vec::new(), Vec::new())
}

/// The ring with dashed and red arrows from every fourth event to the one after it.
fn doubtful(events: u32, red: u32, dashed: u32) -> LongDiagram {
    let mut diagram = ring(events);
    let arrow = |at: u32, look| LongArrow { from: at * 4 + 3, to: at * 4 + 4, look };
    diagram.arrows = (0..red).map(|at| arrow(at, ArrowLook::Contradictory)).collect();
    diagram.arrows.extend((red..red + dashed).map(|at| arrow(at, ArrowLook::Candidate)));
    diagram.arrows.extend((red + dashed..events / 4 - 1).map(|at| arrow(at, ArrowLook::Exact)));
    diagram.along(LongAxis::Order, None);
    diagram
}

fn of_class(shapes: &[Shape], class: &str) -> usize {
    let mut count = 0;
    shapes.iter().for_each(|shape| shape.walk(&mut |shape| count += usize::from(shape.class == class)));
    count
}

#[test]
fn red_and_dashed_arrows_are_drawn_at_every_zoom_or_counted() {
    let diagram = doubtful(100_000, 300, 1_500);
    let mut window = camera::whole(&diagram, 1_000.0, 300.0);
    let picture = diagram.draw(&window, &DiagramMarks::default());
    let drawn = |class: &str, picture: &LongPicture| of_class(&picture.layers, class);
    assert_eq!((drawn("sent contradictory", &picture), drawn("sent candidate", &picture)), (300, 700));
    let undrawn = Undrawn { messages: 24_999 - 1_000, uncertain: 800, contradictory: 0, violations: 0 };
    assert_eq!(picture.undrawn, undrawn);
    assert_eq!(undrawn.sentence().unwrap(), "Zoom in to see 23999 more messages (800 uncertain).");
    let many = diagram_marks(&doubtful(100_000, 1_200, 10), &window);
    assert_eq!((many.undrawn.contradictory, many.undrawn.uncertain), (200, 10));
    // the overview shows where they are, however many there are
    let strips = diagram.overview(400.0, 28.0);
    let d = |at: usize| if let ShapeKind::Path(d) = &strips[at].kind { d.matches('M').count() } else { 0 };
    assert_eq!((strips.len(), d(0)), (3, 200));
    assert!(d(1) > 5 && d(2) > 1 && d(1) < 20, "{} dashed, {} red", d(1), d(2));
    // close enough, everything is drawn
    for _ in 0..60 {
        window = camera::zoomed(&diagram, &window, 1.3, 0.0);
    }
    let close = diagram.draw(&window, &DiagramMarks::default());
    assert_eq!((close.undrawn, close.undrawn.sentence()), (Undrawn::default(), None));
}

fn diagram_marks(diagram: &LongDiagram, window: &DiagramWindow) -> LongPicture {
    diagram.draw(window, &DiagramMarks::default())
}

#[test]
fn a_message_of_other_rows_is_neither_drawn_nor_counted() {
    let mut diagram = diagram_of_rows(100);
    let message = |from: u32, to: u32| LongArrow { from, to, look: ArrowLook::Exact };
    diagram.arrows = vec![message(0, 1), message(98, 99), message(1, 98)];
    diagram.along(LongAxis::Order, None);
    let window = camera::whole(&diagram, 1_000.0, 300.0);
    let picture = diagram.draw(&window, &DiagramMarks::default());
    assert_eq!((of_class(&picture.layers, "sent"), picture.undrawn), (2, Undrawn::default()));
}

#[test]
fn violations_and_chosen_sections_are_drawn_where_events_are_not() {
    let mut diagram = ring(100_000);
    for at in [1, 50_001, 50_005, 90_001] {
        diagram.events[at].mark = VIOLATION;
    }
    diagram.along(LongAxis::Order, None);
    let window = camera::whole(&diagram, 1_000.0, 300.0);
    let marks = DiagramMarks { sections: vec![3, 9_999], ..DiagramMarks::default() };
    let picture = diagram.draw(&window, &marks);
    assert_eq!(of_class(&picture.layers, "long-event violation"), 4, "of two nodes in one column both are drawn");
    assert_eq!(of_class(&picture.layers, "long-section chosen"), 2);
    assert_eq!(of_class(&picture.layers, "long-section merged"), 10, "one path for each row");
    assert_eq!(picture.undrawn.violations, 0);
}

#[test]
fn events_are_found_by_their_words() {
    let diagram = ring(400);
    assert_eq!(diagram.find("N3 ENTER")[..2], [13, 53]);
    assert_eq!((diagram.find("n3 enter").len(), diagram.find("  ").len(), diagram.find("nothing").len()), (10, 0, 0));
    let titled = ring(8).with_titles((0..8).map(|at| format!("step {at}")).collect());
    assert_eq!((titled.find("step 5"), titled.title(5)), (vec![5], "step 5".to_owned()));
}

#[test]
fn thousands_of_candidates_are_drawn_or_counted() {
    let nodes = ["a", "b"].map(str::to_owned).to_vec();
    let event = |at: u32| LongEvent { node: at % 2, mark: "send", word: 0, rank: at, time: None };
    let candidate =
        |at: u32| LongArrow { from: at / 20 * 2, to: (at / 20 + at % 20) * 2 + 1, look: ArrowLook::Candidate };
    let red = LongArrow { from: 5_999, to: 5_000, look: ArrowLook::Contradictory };
    let arrows = (0..59_000).map(candidate).chain([red]).collect();
    let words = vec!["send".to_owned()];
    let diagram = LongDiagram::new(nodes, words, (0..6_000).map(event).collect(), arrows, Vec::new(), Vec::new());
    let picture = diagram.draw(&camera::whole(&diagram, 1_000.0, 300.0), &DiagramMarks::default());
    let has = |key: &str| picture.layers.iter().any(|layer| layer.key == key && count(std::slice::from_ref(layer)) > 1);
    assert!(has("density") && has("arrows"));
}
