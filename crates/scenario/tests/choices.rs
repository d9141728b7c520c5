//! The choices that a history keeps are those that a replay computes.

use lockstep_algorithms::ALL;
use lockstep_kernel::history::{Player, StepId};
use lockstep_kernel::random::{Purpose, Stream};
use lockstep_kernel::timing::{RangeTiming, Timing};
use lockstep_kernel::{Entry, Setup, Topology};
use lockstep_scenario::link::{Link, tree};
use lockstep_scenario::{LIBRARY, parse};

/// Walks the tree of a player again, from the beginning, and compares every choice.
fn assert_kept(what: &str, player: &dyn Player, mut again: Box<dyn Player>) {
    let mut same: Vec<StepId> = vec![again.cursor()];
    for id in 1..player.len() as StepId {
        let step = player.step_info(id).unwrap();
        again.seek(same[step.parent as usize]);
        assert_eq!(step.choice, again.choice_of(step.event.unwrap()), "{what}, step {id}");
        same.push(again.pick(step.event.unwrap()).unwrap());
    }
    for step in player.timeline() {
        assert_eq!(step.choice, player.step_info(step.id).unwrap().choice, "{what}");
    }
}

/// Steps that time brings and steps at random, from random places of the tree.
fn wander(player: &mut dyn Player, steps: u32, seed: u64) {
    let mut stream = Stream::new(seed, Purpose::Pick, 0);
    for _ in 0..steps {
        if stream.below(8) == 0 {
            player.seek(stream.below(player.len() as u32));
        }
        let event = match player.next() {
            Some(event) if stream.below(2) == 0 => event,
            _ => {
                let enabled = player.enabled();
                let Some(event) = enabled.get(stream.below(enabled.len().max(1) as u32) as usize) else { continue };
                event.event
            }
        };
        player.pick(event).unwrap();
    }
}

fn system(entry: &Entry, cells: u16) -> (Setup, Timing) {
    let mut setup = Setup::new(4, 2, Topology::Chain).divided(if entry.drive.ranges { cells } else { 1 });
    setup.params = entry.complete(&setup.params).unwrap();
    (setup, Timing { ranged: RangeTiming { share: 0.3, ..RangeTiming::default() }, ..Timing::paper(1.0, 5) })
}

#[test]
fn every_scenario_keeps_its_choices() {
    for (id, text) in LIBRARY {
        let scenario = parse(id, text).unwrap();
        let mut player = scenario.play().player;
        assert_kept(id, &*player, scenario.boot());
        wander(&mut *player, 60, 3);
        assert_kept(id, &*player, scenario.boot());
    }
}

#[test]
fn every_algorithm_keeps_its_choices() {
    for (seed, entry) in (1..).zip(ALL) {
        let (setup, timing) = system(entry, 6);
        let mut player = (entry.drive.boot)(setup.clone(), &timing);
        wander(&mut *player, 120, seed);
        assert_kept(entry.id, &*player, (entry.drive.boot)(setup, &timing));
    }
}

#[test]
fn a_link_ends_before_a_range_that_is_not_listed() {
    for entry in ALL.iter().filter(|entry| entry.drive.ranges) {
        let (setup, timing) = system(entry, 40);
        let mut player = (entry.drive.boot)(setup.clone(), &timing);
        for _ in 0..40 {
            let Some(event) = player.next() else { break };
            player.pick(event).unwrap();
        }
        assert_kept(entry.id, &*player, (entry.drive.boot)(setup, &timing));
        let kept = player.timeline().iter().skip(1).take_while(|step| step.choice.is_some()).count();
        assert!(kept + 1 < player.len(), "{}: a range that is not listed", entry.id);
        let link = Link::of(entry, &*player, &timing);
        assert_eq!((link.choices.len(), link.at), (kept, kept), "{}", entry.id);
        let opened = Link::decode(&link.encode()).unwrap().open().unwrap();
        assert_eq!(opened.timeline(), player.timeline()[..=kept], "{}", entry.id);
        assert_eq!(tree::write(&*player).split(['.', '@']).filter(|text| !text.is_empty()).count(), kept + 2);
    }
}
