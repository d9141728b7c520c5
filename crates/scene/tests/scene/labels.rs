//! Labels stay within their areas, by an upper estimate of their width.

use crate::runs::{ARRANGEMENTS, HALL, PHONE, RecordedRun, STAGE, all, run};
use lockstep_kernel::{NodeId, Setup, Topology};
use lockstep_scene::explain::words::{bold_width, width};
use lockstep_scene::{Arrangement, Rect, Shape, ShapeKind, StageInput};

/// The horizontal extent of a text, by its class.
fn reach(shape: &Shape, x: f64, text: &str) -> (f64, f64) {
    let has = |class: &str| shape.class.split(' ').any(|c| c == class);
    let size = match () {
        () if has("card-name") && has("large") => 17.0,
        () if has("card-name") && has("long") => 10.0,
        () if has("card-name") && has("narrow") => 11.0,
        () if has("card-name") && has("mini") => 14.0,
        () if has("card-name") => 15.0,
        () if has("xs") => 8.0,
        () if has("s") => 10.5,
        () if has("m") || has("more") || has("badge-text") => 12.0,
        _ => 13.0,
    };
    let w = match () {
        () if has("note") => text.chars().count() as f64 * 7.25,
        () if has("card-name") || has("mark-label") || has("more") => bold_width(text, size),
        _ => width(text, size),
    };
    let middle = has("mark-label") || has("badge-text");
    if has("end") || has("more") {
        (x - w, x)
    } else if middle {
        (x - w / 2.0, x + w / 2.0)
    } else {
        (x, x + w)
    }
}

fn check(run: &RecordedRun, input: &StageInput<'_>, what: &str) {
    let stage = run.draw(input);
    for card in stage.scene.having("data-token") {
        let (w, h) = stage.layout.size.extent(stage.layout.noted);
        let own = Rect { x: 0.0, y: 0.0, w, h };
        card.walk(&mut |s| {
            if let ShapeKind::Text { x, y, text } = &s.kind {
                let (left, right) = reach(s, *x, text);
                let place = Rect { x: left, y: y - 9.0, w: right - left, h: 10.0 };
                assert!(own.holds(place), "{what}: `{text}` ({}) reaches {left:.1}–{right:.1} of {w}×{h}", s.class);
            }
        });
    }
    for label in stage.scene.having("data-label-of") {
        label.walk(&mut |s| {
            if let ShapeKind::Text { x, y, text } = &s.kind {
                let w = if s.class.contains("strong") { bold_width(text, 14.0) } else { width(text, 14.0) };
                let left = if s.class.contains("end") { x - w } else { *x };
                let place = Rect { x: left, y: y - 11.0, w, h: 13.0 };
                assert!(stage.layout.whole().holds(place), "{what}: the label `{text}` is cut off");
                let on = stage.layout.cards.iter().position(|c| c.overlaps(place));
                assert_eq!(on, None, "{what}: the label `{text}` lies on a card");
            }
        });
    }
}

#[test]
fn words_stay_in_their_cards() {
    for n in [3, 7, 15, 31] {
        for run in all(n, 60) {
            for room in [STAGE, PHONE, HALL] {
                for at in (0..run.frames.len()).step_by(if n < 31 { 13 } else { 29 }) {
                    check(
                        &run,
                        &run.input(at, room, Arrangement::Auto),
                        &format!("{} step {at} in {}", run.name, room.width),
                    );
                }
                // one frame in every arrangement: the cards are of all sizes
                for arrange in ARRANGEMENTS.into_iter().filter(|_| n < 31 || room == STAGE) {
                    check(
                        &run,
                        &run.input(run.last(), room, arrange),
                        &format!("{} {arrange:?} in {}", run.name, room.width),
                    );
                }
            }
        }
    }
}

#[test]
fn long_names_are_cut_not_spilled() {
    for n in [3, 7, 31, 100] {
        let mut setup = Setup::new(n, 2, Topology::BinaryTree);
        setup.names = (0..n).map(|i| format!("Warehouse-Managua-{i}")).collect();
        let run = run("naimi-trehel", setup, 40);
        for room in [STAGE, PHONE] {
            let input = run.input(run.last(), room, Arrangement::Auto);
            check(&run, &StageInput { selected: Some(NodeId(1)), ..input }, &run.name);
        }
    }
}

#[test]
fn messages_between_two_that_stand_side_by_side_have_labels() {
    let run = run("lamport", Setup::new(2, 1, Topology::Full), 60);
    let mut seen = 0;
    for at in 0..run.frames.len() {
        let between = run.frames[at].flights.iter().filter(|f| f.from != f.to).count();
        let labels = run.draw(&run.input(at, STAGE, Arrangement::Auto)).scene.having("data-label-of").len();
        if between == 1 {
            seen += 1;
            assert_eq!(labels, 1, "step {at}");
        }
    }
    assert!(seen > 10, "{seen}");
}
