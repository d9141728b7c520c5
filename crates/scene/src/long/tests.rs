//! Tests of the diagram of a long run.

use super::*;

/// A ring of 10 nodes: each receives, enters, leaves and sends on; 100,000 events in all.
fn ring(events: u32) -> LongDiagram {
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
        let shapes = diagram.draw(&window, &DiagramMarks::default());
        (most, longest) = (most.max(count(&shapes)), longest.max(bytes(&shapes)));
        window = camera::zoomed(&diagram, &window, 1.3, 500.0);
    }
    assert!(most < 3_000, "{most} shapes");
    assert!(longest < 400_000, "{longest} bytes of paths");
    let close = diagram.draw(&window, &DiagramMarks::default());
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
    assert!(!camera::serves(&diagram, &window, &camera::panned(&diagram, &window, 1_500.0, 0.0)));
    assert!(!camera::serves(&diagram, &window, &camera::zoomed(&diagram, &window, 2.0, 0.0)));
    // an event keeps its place while the tile is the same
    let place = |window: &DiagramWindow| {
        let shapes = diagram.draw(window, &DiagramMarks::default());
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
    assert!(count(&empty.draw(&window, &DiagramMarks::default())) < 10);
    assert_eq!(empty.overview(100.0, 20.0).len(), 1);
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
    let shapes = diagram.draw(&window, &marks);
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
