//! The behaviour of the page, without a page.

use super::*;
use crate::run::Whereabouts;

/// The page as it opens, with the library.
pub fn state() -> State {
    let mut state = State::new(Run::of_library(FIRST, 0).unwrap());
    state.opener = Some(crate::run::OPENER);
    state
}

#[test]
fn the_page_opens_paused_at_the_second_stop() {
    let mut s = state();
    assert!(!s.playing);
    let shown = s.shown();
    assert_eq!(shown.stop(), Some(1));
    assert_eq!(s.selected(&shown), NodeId(0), "p1 received REQ(p2)");
}

#[test]
fn back_and_step_are_inverse() {
    let mut s = state();
    let before = s.run.fingerprint();
    s.apply(Action::Back);
    assert_eq!(s.shown().cursor, 6);
    s.apply(Action::Step);
    assert_eq!((s.shown().cursor, s.run.fingerprint()), (7, before));
}

#[test]
fn playing_stops_at_the_next_stop() {
    let mut s = state();
    s.apply(Action::Toggle);
    while s.playing {
        s.apply(Action::Tick);
    }
    assert_eq!(s.shown().stop(), Some(2));
}

#[test]
fn a_step_by_hand_pauses() {
    let mut s = state();
    s.apply(Action::Toggle);
    s.apply(Action::Step);
    assert!(!s.playing);
    assert_eq!(s.shown().cursor, 8);
}

#[test]
fn a_branch_leads_back_to_the_figure() {
    let mut s = state();
    let shown = s.shown();
    let other = shown.picks.iter().map(|p| p.event).find(|e| Some(*e) != shown.next && !e.is_fault()).unwrap();
    s.apply(Action::Pick(other));
    let Whereabouts::Branch(moment) = s.shown().whereabouts else { panic!("no branch") };
    s.apply(Action::Return(moment));
    assert_eq!(s.shown().whereabouts, Whereabouts::OnLine);
    s.apply(Action::Stop(5));
    assert_eq!(s.shown().stop(), Some(5));
}

#[test]
fn answers_are_kept_by_scenario_and_stop() {
    let mut s = state();
    s.apply(Action::Answer(1, 2));
    assert_eq!(s.answers.get("alien-figure-1/1b"), Some(&2));
}

#[test]
fn what_cannot_be_opened_leaves_everything_as_it_was() {
    let mut s = state();
    s.apply(Action::Open("hierarchical-figure-9".into()));
    assert!(s.notice.as_ref().is_some_and(|n| n.contains("the nearest is hierarchical-figure-")));
    s.apply(Action::Follow("rubbish".into()));
    assert!(s.notice.as_ref().is_some_and(|n| n.starts_with("This link cannot be opened.")));
    assert_eq!(s.shown().stop(), Some(1));
}

#[test]
fn the_free_tree_plays_and_takes_another_variant() {
    let mut s = state();
    s.apply(Action::Open("alien-free-tree".into()));
    s.apply(Action::Toggle);
    for _ in 0..40 {
        s.apply(Action::Tick);
    }
    assert!(s.playing);
    assert_eq!(s.shown().cursor, 40);
    s.apply(Action::Param("variant".into(), "v1".into()));
    assert_eq!((s.shown().cursor, s.playing), (0, false));
}

#[test]
fn undo_leads_back_step_by_step_and_run_by_run() {
    let mut s = state();
    let at = |s: &mut State| (s.run.serial(), s.run.moment(), s.place);
    let mut been = vec![at(&mut s)];
    for action in [
        Action::Step,
        Action::Step,
        Action::Stop(4),
        Action::Visit(Place::Figures, String::new()),
        Action::Open("suzuki-kasami".into()),
        Action::Back,
        Action::Param("variant".into(), "v1".into()),
    ] {
        s.apply(action);
        if been.last() != Some(&at(&mut s)) {
            been.push(at(&mut s));
        }
    }
    assert!(been.len() >= 7);
    for before in been.iter().rev().skip(1) {
        s.apply(Action::Undo);
        assert_eq!(at(&mut s), *before);
    }
    s.apply(Action::Undo);
    assert_eq!(s.notice.as_deref(), Some("There is nothing to undo."));
    // and forwards again, there and back
    for after in &been[1..] {
        s.apply(Action::Redo);
        assert_eq!(at(&mut s), *after);
    }
    s.apply(Action::Redo);
    assert_eq!(s.notice.as_deref(), Some("There is nothing to redo."));
    s.apply(Action::Undo);
    assert_eq!(at(&mut s), been[been.len() - 2]);
    s.apply(Action::Visit(Place::Figures, String::new()));
    s.apply(Action::Redo);
    assert_eq!(s.notice.as_deref(), Some("There is nothing to redo."), "something new was done");
}

#[test]
fn a_stretch_of_playing_is_undone_at_once_and_so_is_the_layout() {
    let mut s = state();
    let begin = s.run.moment();
    s.apply(Action::Toggle);
    while s.playing {
        s.apply(Action::Tick);
    }
    s.apply(Action::Arrange(Arrangement::Ring));
    s.apply(Action::Layer("token".into()));
    s.apply(Action::Undo);
    assert!(s.hidden.is_empty() && s.arrange == Arrangement::Ring);
    s.apply(Action::Undo);
    assert_eq!(s.arrange, Arrangement::Auto);
    s.apply(Action::Undo);
    assert_eq!(s.run.moment(), begin);
}

#[test]
fn a_moved_delivery_is_a_branch_and_the_line_before_is_kept() {
    let mut s = state();
    s.apply(Action::End);
    let shown = s.shown();
    let deliveries = shown.line.iter().enumerate().filter_map(|(i, p)| match p.event {
        Some(Event::Deliver(id)) => Some((id, i)),
        _ => None,
    });
    let places = deliveries.flat_map(|(id, i)| [(id, i, i - 1), (id, i, i + 1)]);
    // most steps of a figure wait for the one before; somewhere two of them have nothing to do with each other
    let moved = places.into_iter().find(|(id, _, to)| {
        s.apply(Action::Move(*id, *to));
        s.notice.is_none()
    });
    let (id, from, to) = moved.expect("something can arrive earlier or later");
    let after = s.shown();
    assert_eq!((after.cursor, after.line[to].event), (to, Some(Event::Deliver(id))));
    let first = from.min(to) - 1;
    assert_eq!(after.line[first].id, shown.line[first].id);
    assert!(after.branches.len() > 1);
    s.apply(Action::Goto(shown.moment));
    assert_eq!(s.shown().frame, shown.frame, "nothing is lost");
    s.apply(Action::Seek(from));
    s.apply(Action::Nudge(to < from));
    assert_eq!((s.shown().frame.clone(), &s.notice), (after.frame.clone(), &None), "a key does the same");
    s.apply(Action::Start);
    s.apply(Action::Nudge(true));
    assert!(s.notice.as_ref().is_some_and(|n| n.contains("No message arrived")));
    s.apply(Action::Goto(shown.moment));
    s.apply(Action::Move(id, 0));
    assert!(s.notice.as_ref().is_some_and(|n| n.contains("cannot arrive there")));
}

#[test]
fn frames_share_the_nodes_that_did_not_change() {
    let mut s = state();
    s.apply(Action::Open("alien-free-tree".into()));
    for _ in 0..100 {
        s.apply(Action::Step);
    }
    let frames = &s.shown().frames;
    let all: usize = frames.iter().map(|f| f.nodes.len()).sum();
    let kept: BTreeSet<_> = frames.iter().flat_map(|f| f.nodes.iter().map(Rc::as_ptr)).collect();
    assert!(frames.len() > 100 && kept.len() * 4 < all, "{} of {all}", kept.len());
    let mut fresh = s.run.frame();
    fresh.share(&frames[0]);
    assert_eq!(&fresh, frames.last().unwrap().as_ref(), "sharing changes nothing that one sees");
}
