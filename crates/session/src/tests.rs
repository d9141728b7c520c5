//! The behaviour of the page, without a page.

use crate::*;
use lockstep_kernel::{Event, NodeId};
use lockstep_scene::Arrangement;
use std::collections::BTreeSet;
use std::rc::Rc;

/// The page as it opens, with the library.
pub fn session() -> Session {
    let mut session = Session::new(StageRun::of_library(FIRST, 0).unwrap());
    session.opener = Some(OPENER);
    session
}

#[test]
fn the_page_opens_paused_at_the_second_stop() {
    let mut s = session();
    assert!(!s.playing);
    let shown = s.view();
    assert_eq!(shown.stop(), Some(1));
    assert_eq!(s.selected(&shown), NodeId(0), "p1 received REQ(p2)");
}

#[test]
fn back_and_step_are_inverse() {
    let mut s = session();
    let before = s.run.fingerprint();
    s.apply(Action::Back);
    assert_eq!(s.view().cursor, 6);
    s.apply(Action::Step);
    assert_eq!((s.view().cursor, s.run.fingerprint()), (7, before));
}

#[test]
fn playing_stops_at_the_next_stop() {
    let mut s = session();
    s.apply(Action::Toggle);
    while s.playing {
        s.apply(Action::Tick);
    }
    assert_eq!(s.view().stop(), Some(2));
}

#[test]
fn a_step_by_hand_pauses() {
    let mut s = session();
    s.apply(Action::Toggle);
    s.apply(Action::Step);
    assert!(!s.playing);
    assert_eq!(s.view().cursor, 8);
}

#[test]
fn a_branch_leads_back_to_the_figure() {
    let mut s = session();
    let shown = s.view();
    let other = shown.picks.iter().map(|p| p.event).find(|e| Some(*e) != shown.next && !e.is_fault()).unwrap();
    s.apply(Action::Pick(other));
    let FigurePosition::Branch(moment) = s.view().position_in_figure else { panic!("no branch") };
    s.apply(Action::Return(moment));
    assert_eq!(s.view().position_in_figure, FigurePosition::OnTimeline);
    s.apply(Action::Stop(5));
    assert_eq!(s.view().stop(), Some(5));
}

#[test]
fn answers_are_kept_by_scenario_and_stop() {
    let mut s = session();
    s.apply(Action::Answer(1, 2));
    assert_eq!(s.preferences.answers.get("alien-figure-1/1b"), Some(&2));
}

#[test]
fn what_cannot_be_opened_leaves_everything_as_it_was() {
    let mut s = session();
    s.apply(Action::Open("hierarchical-figure-9".into()));
    assert!(s.notice.as_ref().is_some_and(|n| n.contains("The closest name is hierarchical-figure-")));
    s.apply(Action::Follow("rubbish".into()));
    assert!(s.notice.as_ref().is_some_and(|n| n.starts_with("This link cannot be opened.")));
    assert_eq!(s.view().stop(), Some(1));
}

#[test]
fn the_free_tree_plays_and_takes_another_variant() {
    let mut s = session();
    s.apply(Action::Open("alien-free-tree".into()));
    s.apply(Action::Toggle);
    for _ in 0..40 {
        s.apply(Action::Tick);
    }
    assert!(s.playing);
    assert_eq!(s.view().cursor, 40);
    s.apply(Action::Param("variant".into(), "v1".into()));
    assert_eq!((s.view().cursor, s.playing), (0, false));
}

#[test]
fn undo_leads_back_step_by_step_and_run_by_run() {
    let mut s = session();
    let at = |s: &mut Session| (s.run.serial(), s.run.moment(), s.place);
    let mut been = vec![at(&mut s)];
    for action in [
        Action::Step,
        Action::Step,
        Action::Stop(4),
        Action::Visit(PagePlace::Figures, String::new()),
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
    s.apply(Action::Visit(PagePlace::Figures, String::new()));
    s.apply(Action::Redo);
    assert_eq!(s.notice.as_deref(), Some("There is nothing to redo."), "something new was done");
}

#[test]
fn a_stretch_of_playing_is_undone_at_once_and_so_is_the_layout() {
    let mut s = session();
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
fn a_moved_delivery_is_a_branch_and_the_timeline_before_is_kept() {
    let mut s = session();
    s.apply(Action::End);
    let shown = s.view();
    let deliveries = shown.timeline.iter().enumerate().filter_map(|(i, p)| match p.event {
        Some(Event::Deliver(id)) => Some((id, i)),
        _ => None,
    });
    let places = deliveries.flat_map(|(id, i)| [(id, i, i - 1), (id, i, i + 1)]);
    // most steps of a figure depend on the one before; some two of them do not
    let moved = places.into_iter().find(|(id, _, to)| {
        s.apply(Action::Move(*id, *to));
        s.notice.is_none()
    });
    let (id, from, to) = moved.expect("something can arrive earlier or later");
    let after = s.view();
    assert_eq!((after.cursor, after.timeline[to].event), (to, Some(Event::Deliver(id))));
    let first = from.min(to) - 1;
    assert_eq!(after.timeline[first].id, shown.timeline[first].id);
    assert!(after.branches.len() > 1);
    s.apply(Action::Goto(shown.moment));
    assert_eq!(s.view().frame, shown.frame, "nothing is lost");
    s.apply(Action::Seek(from));
    s.apply(Action::Nudge(to < from));
    assert_eq!((s.view().frame.clone(), &s.notice), (after.frame.clone(), &None), "a key does the same");
    s.apply(Action::Start);
    s.apply(Action::Nudge(true));
    assert!(s.notice.as_ref().is_some_and(|n| n.contains("No message is delivered")));
    s.apply(Action::Goto(shown.moment));
    s.apply(Action::Move(id, 0));
    assert!(s.notice.as_ref().is_some_and(|n| n.contains("cannot be delivered there")));
}

#[test]
fn frames_share_the_nodes_that_did_not_change() {
    let mut s = session();
    s.apply(Action::Open("alien-free-tree".into()));
    for _ in 0..100 {
        s.apply(Action::Step);
    }
    let frames = &s.view().frames;
    let all: usize = frames.iter().map(|f| f.nodes.len()).sum();
    let kept: BTreeSet<_> = frames.iter().flat_map(|f| f.nodes.iter().map(Rc::as_ptr)).collect();
    assert!(frames.len() > 100 && kept.len() * 4 < all, "{} of {all}", kept.len());
    let mut fresh = s.run.judged_frame(None);
    fresh.share(&frames[0]);
    assert_eq!(&fresh, frames.last().unwrap().as_ref(), "sharing changes nothing that one sees");
}

/// Steps until a step is animated.
fn animated(s: &mut Session) -> (usize, Journey) {
    s.apply(Action::Open("alien-free-tree".into()));
    for _ in 0..20 {
        let before = s.run.steps();
        let commands = s.apply(Action::Step);
        if let [Command::Replace(address), Command::Animate(journey)] = &commands[..] {
            assert_eq!(*address, s.run_address());
            return (before, *journey);
        }
        assert!(matches!(&commands[..], [Command::Replace(_)]), "{commands:?}");
    }
    panic!("no step is animated");
}

#[test]
fn a_step_replaces_the_address_and_is_animated() {
    let mut s = session();
    let (before, journey) = animated(&mut s);
    assert!(journey.ms >= 200.0 && journey.ms <= 700.0);
    assert_eq!(s.shown.cursor, before, "the page shows the step before until the animation ends");
    assert_eq!(s.apply(Action::Landed(journey.serial + 1)), [], "another animation");
    assert_eq!(s.shown.cursor, before);
    assert_eq!(s.apply(Action::Landed(journey.serial)), []);
    assert_eq!(s.shown.cursor, before + 1);
    assert_eq!(s.apply(Action::Tab(InspectorTab::Events)), [], "the address stays");
}

#[test]
fn an_action_ends_the_animation_of_the_one_before() {
    let mut s = session();
    let (before, _) = animated(&mut s);
    assert!(matches!(s.apply(Action::Back)[..], [Command::Replace(_)]), "going back is not animated");
    assert_eq!((s.shown.cursor, s.ahead.is_none()), (before, true));
}

#[test]
fn a_scenario_a_puzzle_and_a_place_are_pushed_by_their_names() {
    let mut s = session();
    s.apply(Action::Arrange(Arrangement::Ring));
    let commands = s.apply(Action::Open("suzuki-kasami".into()));
    let [Command::Persist(kept), Command::Push(address)] = &commands[..] else { panic!("{commands:?}") };
    assert!(kept.opened.contains("suzuki-kasami"));
    assert_eq!(address, "s=suzuki-kasami&layout=ring");
    let lab = s.apply(Action::Visit(PagePlace::Lab, "alien".into()));
    assert_eq!(lab, [Command::Push("lab=alien".into()), Command::Fetch(Part::Place(PagePlace::Lab))]);
    let back = s.apply(Action::Visit(PagePlace::Stage, String::new()));
    assert_eq!(back, [Command::Push(s.run_address())]);
    let puzzle = lockstep_check::puzzles()[0].id;
    assert_eq!(s.apply(Action::Puzzle(puzzle.into())), [Command::Push(format!("puzzle={puzzle}"))]);
    assert_eq!(s.apply(Action::Under("raymond".into())), [Command::Push(s.run_address())]);
    assert_eq!(s.apply(Action::Open("nothing-of-that-name".into())), []);
    let undone = s.apply(Action::Undo);
    assert!(matches!(&undone[..], [Command::Push(_)]), "{undone:?}");
}

#[test]
fn going_back_in_the_browser_pushes_nothing_and_is_undone_at_once() {
    let mut s = session();
    let before = s.run.serial();
    assert_eq!(s.apply(Action::Navigate("#figures".into())), [Command::Fetch(Part::Place(PagePlace::Figures))]);
    s.apply(Action::Navigate("#s=suzuki-kasami&layout=ring".into()));
    assert_eq!((s.place, s.arrange), (PagePlace::Stage, Arrangement::Ring));
    assert!(!s.apply(Action::Navigate(String::new())).iter().any(|c| matches!(c, Command::Push(_))));
    assert_eq!(s.run.origin.scenario.as_ref().unwrap().id, FIRST, "an empty address is the first figure");
    (0..3).for_each(|_| drop(s.apply(Action::Undo)));
    assert_eq!((s.run.serial(), s.place), (before, PagePlace::Stage));
    s.apply(Action::Undo);
    assert_eq!(s.notice.as_deref(), Some("There is nothing to undo."));
}

/// A run under load, without stops.
const ENDLESS: &str = "v=1&a=raymond&n=7&t=1&top=binary-tree&load=rate:5&seed=1";

#[test]
fn playing_schedules_one_tick_after_the_other_and_writes_the_address_at_its_end() {
    let mut s = session();
    // a run without stops: at the highest speed one tick would reach the next stop
    s.run = crate::run::StageRun::of_link(ENDLESS, s.run.serial() + 1).unwrap();
    assert_eq!(s.apply(Action::Toggle), [Command::Play(Some(600))]);
    assert_eq!(s.apply(Action::Speed(9)).len(), 1, "persisted, not scheduled twice");
    let tick = s.apply(Action::Tick);
    assert_eq!(tick, [Command::Play(Some(15))], "at this speed nothing is animated and no address is written");
    let paused = s.apply(Action::Toggle);
    assert_eq!(paused, [Command::Replace(s.run_address()), Command::Play(None)]);
}

#[test]
fn sixty_four_times_as_fast_is_sixty_four_times_as_many_steps() {
    let mut s = session();
    s.run = crate::run::StageRun::of_link(ENDLESS, s.run.serial()).unwrap();
    s.apply(Action::Toggle);
    s.apply(Action::Speed(9));
    let before = s.run.steps();
    s.apply(Action::Tick);
    let (made, period) = (s.run.steps() - before, 15.0 + 50.0); // waiting, then drawing
    let (factor, per_beat) = (64.0, made as f64 * 600.0 / period);
    assert!((per_beat / factor - 1.0).abs() < 0.05, "{made} steps in {period} ms are {per_beat:.0} in a beat");
}

#[test]
fn what_needs_the_library_waits_for_it() {
    let mut s = session();
    s.opener = None;
    assert_eq!(s.apply(Action::Open("suzuki-kasami".into())), [Command::Fetch(Part::Library)]);
    assert_eq!(s.notice.as_deref(), Some(session::LOADING));
    assert_eq!(s.apply(Action::Open("raymond".into())), [], "the last wish counts");
    s.miss();
    assert_eq!(s.notice.as_deref(), Some(session::MISSING));
    assert_eq!(s.shown.stop(), Some(1), "nothing has changed");
    s.apply(Action::Under("raymond".into()));
    assert!(s.receive(OPENER).iter().any(|c| matches!(c, Command::Push(_))));
    assert_eq!((s.run.origin.entry.id, &s.notice), ("raymond", &None));
}

#[test]
fn the_page_opens_at_its_address_and_after_a_reload_as_it_was_left() {
    let mut s = session();
    s.apply(Action::Step);
    let Some(Command::Keep(snapshot)) = s.apply(Action::Leave).pop() else { panic!("no snapshot") };
    let mut again = session();
    assert!(again.needs_library("#figures", Some(&snapshot)));
    let commands = again.begin("#figures", Some(&snapshot), Some(OPENER));
    assert_eq!(commands, [Command::Fetch(Part::Place(PagePlace::Figures))]);
    assert_eq!(again.run_address(), s.run_address());
    let mut on_stage = session();
    let commands = on_stage.begin("", Some(&snapshot), Some(OPENER));
    assert_eq!(commands, [Command::Replace(s.run_address())]);
    on_stage.apply(Action::Undo);
    assert_eq!(on_stage.notice.as_deref(), Some("There is nothing to undo."));
    let mut fresh = session();
    let untouched = ReloadSnapshot::of(&fresh);
    assert!(!fresh.needs_library("", Some(&untouched)));
    assert_eq!(fresh.begin("", Some(&untouched), None), []);
    assert_eq!(fresh.notice, None);
    fresh.begin("#s=suzuki-kasami", None, None);
    assert_eq!(fresh.notice.as_deref(), Some(session::MISSING));
}

#[test]
fn what_is_handed_over_opens_or_says_why_not() {
    let mut s = session();
    let address = "v=1&a=raymond&n=7&t=1&top=chain&seed=1";
    let opened = s.apply(Action::Import(Ok(format!("https://example.org/#{address}"))));
    assert_eq!(opened, [Command::Push(address.into())]);
    assert_eq!(s.run.origin.title(), "A run with 7 nodes");
    assert_eq!(s.apply(Action::Import(Ok("{}".into()))), []);
    assert!(s.notice.is_some());
    assert_eq!(s.apply(Action::Import(Err("This file cannot be read as text.".into()))), []);
    assert_eq!(s.notice.as_deref(), Some("This file cannot be read as text."));
    assert_eq!(s.run.origin.entry.id, "raymond", "nothing has changed");
    s.opener = None;
    assert_eq!(s.apply(Action::Import(Err("This file has 9000 KB; expected at most 8192 KB.".into()))), []);
    assert!(s.notice.as_ref().is_some_and(|n| n.contains("9000 KB")), "said without the library");
    assert_eq!(s.apply(Action::Navigate("#lab".into())), [Command::Fetch(Part::Place(PagePlace::Lab))]);
}

#[test]
fn a_system_of_ones_own_is_no_link_that_cannot_be_opened() {
    let mut s = session();
    s.apply(Action::Own("v=1&a=raymond&n=0".into()));
    assert!(s.notice.as_ref().is_some_and(|n| !n.starts_with("This link")), "{:?}", s.notice);
}

#[test]
fn a_file_that_cannot_be_opened_has_a_line_for_each_problem() {
    let mut s = session();
    let steps: String = (0..400).map(|i| format!("\"p{i} flies\", ")).collect();
    let text = format!(
        "title = \"x\"\nabout = \"x\"\nalgorithm = \"raymond\"\nnodes = 3\n[[stop]]\nname = \"a\"\nscript = [{steps}]\n"
    );
    s.apply(Action::Import(Ok(text)));
    let notice = s.notice.clone().unwrap_or_default();
    assert!(notice.lines().count() >= 400, "{notice}");
    assert!(notice.lines().all(|line| line.starts_with("line ")), "{notice}");
    s.apply(Action::Follow("v=1&a=raymond&n=0&t=0".into()));
    let notice = s.notice.clone().unwrap_or_default();
    assert!(notice.starts_with("This link cannot be opened. ") && notice.lines().count() > 1, "{notice}");
}

#[test]
fn copying_is_confirmed_or_the_link_is_shown() {
    let mut s = session();
    assert_eq!(s.apply(Action::Copy), [Command::Copy(s.run_address())]);
    assert_eq!(s.apply(Action::Copied(Ok(()))), [Command::Confirm(2000)]);
    assert!(s.copied);
    assert_eq!(s.apply(Action::CopySeen), []);
    assert!(!s.copied);
    s.apply(Action::Visit(PagePlace::Figures, String::new()));
    assert_eq!(s.apply(Action::Copy), [Command::Copy("figures".into())]);
    s.apply(Action::Copied(Err("https://example.org/#figures".into())));
    assert!(s.notice.as_ref().is_some_and(|n| n.ends_with("The link is https://example.org/#figures")));
}

#[test]
fn preferences_that_are_not_stored_are_said_once() {
    let mut s = session();
    let refused = |s: &mut Session| {
        let commands = s.apply(Action::Speed(3));
        assert!(commands.iter().any(|command| matches!(command, Command::Persist(_))), "{commands:?}");
        s.apply(Action::Unstored);
        s.notice.take()
    };
    assert_eq!([refused(&mut s), refused(&mut s)], [Some(session::UNSTORED.into()), None]);
    let mut embedded = session();
    embedded.embedded = true;
    assert_eq!(refused(&mut embedded), None);
}

#[test]
fn a_solved_puzzle_is_stored_with_its_fewest_steps() {
    let mut s = session();
    let puzzle = &lockstep_check::puzzles()[0];
    s.apply(Action::Puzzle(puzzle.id.into()));
    let solved = (0..200).find_map(|_| {
        let commands = s.apply(Action::Step);
        commands.into_iter().find_map(|c| if let Command::Persist(kept) = c { Some(kept) } else { None })
    });
    if let Some(kept) = solved {
        assert_eq!(kept.solved.get(puzzle.id), s.puzzle.as_ref().unwrap().1.as_ref());
    }
}

#[test]
fn what_would_freeze_the_page_is_refused_and_changes_nothing() {
    let mut s = session();
    let before = s.run.fingerprint();
    let script = "title='x'\nabout='x'\nalgorithm='lamport'\nnodes=255\nseed=1\nrate=20\n[[stop]]\nname='a'\n\
                  title='x'\nsay='x'\nscript=['run 2000 steps']";
    for action in [
        Action::Follow("v=1&a=token-ring&n=5&c=0*100000".into()),
        Action::Follow("v=1&a=lamport&n=1023&c=0*100".into()),
        Action::Navigate("#v=1&a=lamport&n=1023&c=0*100".into()),
        Action::Import(Ok(script.into())),
        Action::Play(script.into()),
    ] {
        s.apply(action.clone());
        let notice = s.notice.clone().unwrap_or_default();
        assert!(notice.contains("takes too long to replay"), "{action:?}: {notice}");
        assert_eq!((s.run.fingerprint(), s.run.steps()), (before, 7), "{action:?}");
    }
    assert!(editor::problems(script)[0].contains("takes too long to replay"));
    // a tree too: here it is the same step again and again
    let mut run = StageRun::of_link("v=1&a=lamport&n=1023", 1).unwrap();
    let tree = format!("{}@0.0", vec!["0"; 200].join("."));
    assert!(run.regrow(&tree).unwrap_err().contains("takes too long to replay"));
}
