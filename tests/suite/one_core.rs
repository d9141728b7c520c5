//! The stage and the lab run the same core: the clock of the stage and the batch simulator make the
//! same run, event by event.

use lockstep_algorithms::alien::{self, Alien};
use lockstep_algorithms::mueller::Mueller;
use lockstep_algorithms::raymond::{self, Raymond};
use lockstep_kernel::clock::TimedWorld;
use lockstep_kernel::history::{History, Player};
use lockstep_kernel::run::{BatchJob, Observer, simulate};
use lockstep_kernel::timing::{Delays, Duration, Load, Timing};
use lockstep_kernel::world::{Faults, System};
use lockstep_kernel::{Algorithm, Effect, Event, Message, Network, NodeId, Setup, ThreadId, Time, Topology};

#[derive(Debug, Default, PartialEq)]
struct Trace {
    sent: Vec<(Time, NodeId, NodeId, usize)>,
    granted: Vec<(Time, ThreadId)>,
    released: Vec<(Time, ThreadId)>,
}

impl<M: Message> Observer<M> for Trace {
    fn granted(&mut self, now: Time, _: NodeId, thread: ThreadId, _: Time) {
        self.granted.push((now, thread));
    }
    fn released(&mut self, now: Time, _: NodeId, thread: ThreadId) {
        self.released.push((now, thread));
    }
    fn sent(&mut self, now: Time, from: NodeId, to: NodeId, msg: &M, _: bool) {
        self.sent.push((now, from, to, msg.kind()));
    }
}

fn batch<A: Algorithm>(job: &BatchJob) -> Trace {
    simulate::<A, _>(job, Trace::default()).1
}

fn by_the_clock<A: Algorithm>(job: &BatchJob) -> Trace {
    let system = System::<A>::new(job.setup.clone());
    let mut timed = TimedWorld::start(&system, &job.timing, Faults::default());
    let mut trace = Trace::default();
    while let Some(event) = timed.next(&system) {
        let step = timed.step(&system, event);
        if let Event::Release(thread) = event {
            trace.released.push((timed.now, thread));
            if trace.released.len() as u64 == job.entries {
                break;
            }
        }
        for effect in &step.effects.list {
            match effect {
                Effect::Send(to, msg) => trace.sent.push((timed.now, step.happened.node, *to, msg.kind())),
                Effect::Grant(thread) => trace.granted.push((timed.now, *thread)),
                Effect::Later(_) | Effect::Refuse(_) => {}
            }
        }
    }
    trace
}

fn timings() -> Vec<Timing> {
    let fixed = Delays::everywhere(Duration::Const(0.1));
    let clusters = Delays { local: Duration::Exp(0.05), global: Duration::Uniform(0.2, 0.4) };
    let script = (0..21).map(|i| (f64::from(i % 5) * 0.1, ThreadId(i * 8 % 21))).collect();
    vec![
        Timing::paper(0.3, 1),
        Timing { delays: clusters, section: Duration::Exp(0.05), ..Timing::paper(2.0, 2) },
        Timing { delays: fixed, ..Timing::paper(20.0, 3) },
        Timing { load: Load::closed(Duration::Exp(0.5), 9), ..Timing::paper(1.0, 4) },
        Timing { load: Load::closed(Duration::Const(0.2), 5), delays: fixed, ..Timing::paper(1.0, 5) },
        Timing { load: Load::Script(script), ..Timing::paper(1.0, 6) },
        Timing {
            load: Load::Closed { first: Duration::Const(0.0), think: Duration::Exp(0.5), requests: 4 },
            ..Timing::paper(1.0, 7)
        },
    ]
}

fn same_run<A: Algorithm>(params: &[(&str, &str)]) {
    for network in [Network::Fifo, Network::Unordered] {
        for timing in timings() {
            let mut setup = Setup::new(7, 3, Topology::BinaryTree).on(network);
            setup.clusters = vec![0, 0, 1, 0, 1, 2, 2];
            for (name, value) in params {
                setup = setup.with(name, value);
            }
            let job = BatchJob::new(setup, timing, 150);
            let (a, b) = (batch::<A>(&job), by_the_clock::<A>(&job));
            assert!(a.granted.len() >= 20, "something happens");
            assert!(a == b, "{:?} {network:?}", job.timing);
        }
    }
}

#[test]
fn stage_and_batch_make_the_same_run() {
    same_run::<Alien>(&[("variant", "v1"), ("piggyback", "false")]);
    same_run::<Alien>(&[("variant", "v2"), ("piggyback", "true")]);
    same_run::<Mueller>(&[("reading", "a")]);
    same_run::<Raymond>(&[]);
}

/// Version 1 without piggybacking and with one thread for each node is Raymond's algorithm, message
/// for message.
#[test]
fn alien_v1_with_one_thread_is_raymond() {
    for seed in 1..=5 {
        for rate in [0.01, 0.2, 1.0, 50.0] {
            for network in [Network::Fifo, Network::Unordered] {
                let setup = Setup::new(31, 1, Topology::BinaryTree)
                    .on(network)
                    .with("variant", "v1")
                    .with("piggyback", "false");
                let job = BatchJob::new(setup, Timing::paper(rate, seed), 3_000);
                let (alien, raymond) = (batch::<Alien>(&job), batch::<Raymond>(&job));
                assert!(alien.sent.len() > 1_000);
                assert!(alien == raymond, "seed {seed}, rate {rate}, {network:?}");
            }
        }
    }
    assert_ne!(alien::ENTRY.id, raymond::ENTRY.id);
}

#[test]
fn the_same_job_twice_is_the_same_and_another_seed_is_not() {
    let setup = Setup::new(15, 2, Topology::BinaryTree).with("variant", "v2").with("piggyback", "true");
    let job = |seed| BatchJob { bypass: true, ..BatchJob::new(setup.clone(), Timing::paper(0.5, seed), 2_000) };
    let measure = |seed| alien::ENTRY.measure(&job(seed));
    assert_eq!(measure(1), measure(1));
    assert_ne!(measure(1), measure(2));
}

/// Two algorithms under one seed meet the same first requests, whatever messages they send.
#[test]
fn one_seed_is_one_workload() {
    let job = BatchJob::new(Setup::new(31, 1, Topology::BinaryTree), Timing::paper(1e-6, 9), 200);
    let threads = |trace: Trace| trace.granted.into_iter().map(|(_, t)| t).collect::<Vec<_>>();
    assert_eq!(threads(batch::<Alien>(&job)), threads(batch::<Mueller>(&job)));
}

#[test]
fn time_travel_comes_back_to_the_same_state() {
    let setup = Setup::new(7, 2, Topology::BinaryTree).with("variant", "v2").with("piggyback", "true");
    let mut history = History::<Alien>::new(setup, &Timing::paper(2.0, 1));
    let mut seen = vec![(history.frame(), history.fingerprint())];
    for _ in 0..200 {
        let event = history.next().unwrap();
        history.pick(event).unwrap();
        seen.push((history.frame(), history.fingerprint()));
    }
    for moment in (0..=200).rev().chain([31, 32, 33, 64, 199, 0, 150]) {
        history.seek(moment);
        assert_eq!((history.frame(), history.fingerprint()), seen[moment as usize], "moment {moment}");
    }
}

#[test]
fn branches_are_kept_and_the_same_choice_is_the_same_branch() {
    let setup = Setup::new(3, 1, Topology::Chain).with("piggyback", "true");
    let timing = Timing { load: Load::ByHand, ..Timing::paper(1.0, 1) };
    let mut history = History::<Alien>::new(setup, &timing);
    let ask = |t| Event::Request(ThreadId(t));
    let first = history.pick(ask(0)).unwrap();
    let second = history.pick(ask(1)).unwrap();
    history.seek(first);
    let other = history.pick(ask(2)).unwrap();
    assert_ne!(second, other);
    history.seek(first);
    assert_eq!(history.pick(ask(1)), Some(second), "the same choice is the same branch");
    assert_eq!(history.len(), 4);
    assert_eq!(history.timeline().iter().map(|p| p.id).collect::<Vec<_>>(), [0, first, second]);
    assert_eq!(history.timeline()[2].siblings, [other]);
    assert_eq!(history.pick(ask(1)), None, "a waiting thread cannot ask");
}

/// The one explorer of all algorithms, which the page carries, sees what the typed ones see.
#[test]
fn the_small_explorer_agrees_with_the_typed_ones() {
    use lockstep_kernel::explore::{Bounds, Exploration, explore, to_the_end};
    use lockstep_kernel::world::System;
    fn agree<A: Algorithm>(setup: &Setup) {
        let bounds = Bounds { requests: 1, ..Bounds::default() };
        let small = to_the_end(&mut Exploration::of(System::<A>::new(setup.clone()).erased(), &bounds));
        assert_eq!(small, explore::<A>(setup, &bounds));
    }
    let chain = Setup::new(3, 2, Topology::Chain);
    agree::<Alien>(&chain.clone().with("variant", "v2").with("piggyback", "true"));
    agree::<Mueller>(&chain.clone().with("reading", "a"));
    agree::<lockstep_algorithms::ricart_agrawala::RicartAgrawala<false>>(&chain);
    agree::<lockstep_algorithms::token_ring::TokenRing>(&chain);
    agree::<lockstep_algorithms::swq::Swq>(&Setup::new(3, 1, Topology::Star).divided(2).with("guard", "prose"));
}
