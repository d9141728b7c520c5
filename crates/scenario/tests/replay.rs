//! Replaying: what it costs grows with the steps and with the messages in flight, and no faster; a
//! replay in slices leads to the same run; one that costs too much ends with a reason.

use lockstep_algorithms::ALL;
use lockstep_kernel::random::{Purpose, Stream};
use lockstep_kernel::timing::{Delays, Duration, Load, Timing};
use lockstep_kernel::{Event, Network, Setup, Topology};
use lockstep_scenario::link::{Link, tree};
use lockstep_scenario::parse;
use lockstep_scenario::replay::{Allowance, MOST_WORK, Replay};

fn link(text: &str) -> Link {
    Link::decode(text).unwrap_or_else(|why| panic!("{text}: {why:?}"))
}

/// The nanoseconds that this thread has computed, where the system tells; else the time.
#[allow(clippy::disallowed_methods, reason = "the growth of the time is what is tested")]
fn nanoseconds() -> u64 {
    static BEGUN: std::sync::OnceLock<std::time::Instant> = std::sync::OnceLock::new();
    let counted = std::fs::read_to_string("/proc/thread-self/schedstat").ok();
    let counted = counted.and_then(|text| text.split(' ').next()?.parse().ok());
    counted.unwrap_or_else(|| BEGUN.get_or_init(std::time::Instant::now).elapsed().as_nanos() as u64)
}

/// How many times as long the larger one of two links takes, each at its quickest.
fn growth(small: &str, large: &str) -> f64 {
    let time = |text: &str| {
        let link = link(text);
        let begun = nanoseconds();
        link.open().unwrap();
        nanoseconds() - begun
    };
    let quickest = |text: &str| (0..4).map(|_| time(text)).min().unwrap() as f64;
    quickest(large) / quickest(small)
}

#[test]
fn time_grows_with_the_steps() {
    let ring = |steps: u32| format!("v=1&a=token-ring&n=3&c=0*{steps}");
    let times = growth(&ring(20_000), &ring(40_000));
    assert!(times < 3.0, "twice as many steps take {times:.1} times as long");
}

#[test]
fn time_grows_with_the_messages_in_flight() {
    // each request sends 254 messages, which nobody delivers: with twice as many requests there are
    // twice as many messages in each of twice as many steps
    let requests = |count: u32| format!("v=1&a=lamport&n=255&c=0*{count}");
    let times = growth(&requests(40), &requests(80));
    assert!(times < 5.0, "twice as many requests take {times:.1} times as long");
}

#[test]
fn what_is_due_next_is_due_before_all_others() {
    let timing = Timing {
        load: Load::closed(Duration::Exp(0.5), 9),
        delays: Delays::everywhere(Duration::Uniform(0.0, 0.4)),
        ..Timing::paper(1.0, 7)
    };
    for entry in ALL.iter().copied() {
        for network in [Network::Fifo, Network::Unordered] {
            let mut setup = Setup::new(4, 2, Topology::Star).on(network);
            setup.params = entry.complete(&setup.params).unwrap();
            if (entry.drive.refuses)(&setup).is_some() {
                continue;
            }
            let mut player = (entry.drive.boot)(setup, &timing);
            let mut random = Stream::new(5, Purpose::Delay, 0);
            for step in 0..300 {
                let enabled = player.enabled();
                let first = enabled.iter().filter_map(|e| e.due).min();
                let next = player.next();
                let due = next.and_then(|next| enabled.iter().find(|e| e.event == next)).and_then(|e| e.due);
                assert_eq!(due, first, "{}, step {step}", entry.id);
                let any = enabled.get(random.below(enabled.len().max(1) as u32) as usize).map(|e| e.event);
                // a crash would soon end everything
                let any = any.filter(|event| step % 3 > 0 && (step % 60 == 1 || !matches!(event, Event::Crash(_))));
                let Some(event) = any.or(next) else { break };
                player.pick(event).unwrap();
            }
        }
    }
}

#[test]
fn a_replay_in_slices_leads_to_the_same_run() {
    let text = "v=1&a=raymond&n=7&rate=2&c=0*200.1.2.0*50&at=120";
    let (link, whole) = (link(text), link(text).open().unwrap());
    for work in [1, 1_000, 50_000] {
        let (mut player, mut replay, mut slices) = (link.boot(), link.replay(Allowance::REPLAY), 0);
        let mut progress = replay.progress();
        while !replay.advance(&mut *player, work).unwrap() {
            assert!(replay.progress() >= progress);
            progress = replay.progress();
            slices += 1;
        }
        assert!(slices * work < 2 * player.work().max(1_000), "{slices} slices");
        assert_eq!((player.timeline(), player.cursor()), (whole.timeline(), whole.cursor()));
        assert_eq!((player.fingerprint(), replay.progress()), (whole.fingerprint(), 1.0));
        // every branch too
        let (mut again, mut regrowth) = (link.boot(), tree::TreeReplay::of(&tree::write(&*player), Allowance::REPLAY));
        while !regrowth.advance(&mut *again, work).unwrap() {}
        assert_eq!((again.timeline(), again.cursor()), (whole.timeline(), whole.cursor()));
    }
}

#[test]
fn a_slice_ends_after_the_step_that_uses_it_up() {
    let link = link("v=1&a=lamport&n=63&c=0*200");
    let (mut player, mut replay) = (link.boot(), link.replay(Allowance::REPLAY));
    let mut longest = 0;
    loop {
        let before = player.work();
        let done = replay.advance(&mut *player, 5_000).unwrap();
        longest = longest.max(player.work() - before);
        if done {
            break;
        }
    }
    // one request sends 62 messages, beside at most 62 · 63 in flight
    assert!((5_000..16_000).contains(&longest), "{longest}");
}

#[test]
fn what_costs_too_much_is_refused_with_a_reason() {
    let why = link("v=1&a=lamport&n=1023&c=0*100000").open().err().unwrap();
    let expected = "in a system of this size, after";
    assert!(why.starts_with("The link takes too long") && why.contains(expected) && why.ends_with('.'), "{why}");
    let text = "title='x'\nabout='x'\nalgorithm='lamport'\nnodes=255\nseed=1\nrate=20\n[[stop]]\nname='a'\ntitle='x'\n\
                say='x'\nscript=['run 10000 steps','run 10000 steps','run 10000 steps']";
    let scenario = parse("x", text).unwrap_or_else(|why| panic!("{why:?}"));
    let played = scenario.play();
    assert_eq!((played.failures.len(), played.stops.len()), (1, 1), "{:?}", played.failures);
    assert!(played.failures[0].message.contains("takes too long to replay"), "{}", played.failures[0].message);
    assert!(played.player.work() < MOST_WORK + MOST_WORK / 100);
}

#[test]
fn frames_of_every_state_cost_more_than_the_replay() {
    let whole = link("v=1&a=token-ring&n=3&c=0*60000");
    assert!(whole.open().is_ok());
    let mut player = whole.boot();
    let why = whole.replay(Allowance::FRAMES).finish(&mut *player).unwrap_err();
    assert!(why.starts_with("The link takes too long"), "{why}");
    // the messages in flight count: the link has as many steps as nothing
    let requests = link("v=1&a=lamport&n=1023&c=0*100");
    assert!(requests.replay(Allowance::FRAMES).finish(&mut *requests.boot()).is_err());
    // a run as long as the page plays one
    let usual = link("v=1&a=raymond&n=31&rate=2&c=0*3000");
    assert_eq!(usual.replay(Allowance::FRAMES).finish(&mut *usual.boot()), Ok(()));
}
