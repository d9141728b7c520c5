//! Locks without waiting: WDME, repaired and as printed, and polling. Explored, played, and
//! measured against each other.

use crate::helpers::systems::{deep, outcome, small};
use lockstep_algorithms::polling::{self, Polling};
use lockstep_algorithms::printed::wdme::{self as printed, Printed};
use lockstep_algorithms::wdme::{self, Msg, Wdme};
use lockstep_kernel::algorithm::Call;
use lockstep_kernel::clock::TimedWorld;
use lockstep_kernel::explore::{Bounds, ExplorationResult, Outcome, explore};
use lockstep_kernel::history::Player;
use lockstep_kernel::invariant::{Invariant, mutual_exclusion};
use lockstep_kernel::run::{BatchJob, Observer, RunMeasures, measure, simulate};
use lockstep_kernel::timing::{Delays, Duration, Load, Timing};
use lockstep_kernel::view::ObservedStep;
use lockstep_kernel::world::{Faults, System, UNLIMITED};
use lockstep_kernel::{
    Algorithm, Effect, Entry, Event, Message, Network, NodeId, NodeView, Out, Setup, ThreadId, Time, Topology, Var,
};

const FIFO: Network = Network::Fifo;
const UNORDERED: Network = Network::Unordered;

fn setup(nodes: usize, network: Network, params: &[(&str, &str)]) -> Setup {
    let setup = Setup::new(nodes, 1, Topology::Star).on(network);
    params.iter().fold(setup, |setup, (name, value)| setup.with(name, value))
}

/// Safe, no process is locked out permanently, and one try for each tenure: the flags of the paper
/// that we leave out are not necessary.
#[test]
fn the_repaired_version_has_no_violation_in_any_order() {
    let mut systems = vec![
        ("all", FIFO, 2, 1, 92),
        ("all", FIFO, 2, 2, 617),
        ("all", FIFO, 2, 3, 2_160),
        ("all", UNORDERED, 2, 1, 124),
        ("all", UNORDERED, 2, 2, 2_403),
        ("all", UNORDERED, 2, 3, 35_764),
        ("all", FIFO, 3, 1, 2_336),
        ("all", UNORDERED, 3, 1, 9_494),
        ("all", FIFO, 3, 2, 83_516),
        ("all", FIFO, 4, 1, 103_088),
        ("tried", FIFO, 3, 2, 71_930),
        ("tried", UNORDERED, 3, 2, 88_835),
        ("tried", UNORDERED, 4, 1, 89_136),
    ];
    if deep() {
        systems.push(("all", UNORDERED, 4, 1, 3_755_320));
    }
    for (resets, network, nodes, requests, states) in systems {
        let system = small(nodes, 1, requests, Topology::Star);
        let verdict = system.explore(&wdme::ENTRY, &setup(nodes, network, &[("resets", resets)]));
        let name = format!("{resets} {network:?} {nodes} × {requests}");
        assert_eq!((verdict.outcome, verdict.states), (Outcome::Ok, states), "{name}");
    }
}

/// Polling has finitely many states even if requests never end. A thread that is always refused
/// does not wait, so no thread starves.
#[test]
fn polling_has_no_violation_in_any_order() {
    for (network, threads, states) in [(FIFO, 1, 134), (UNORDERED, 1, 162), (FIFO, 2, 12_213), (UNORDERED, 2, 8_019)] {
        let mut setup = setup(3, network, &[]);
        setup.threads = vec![threads; 3];
        let verdict = small(3, threads, UNLIMITED, Topology::Star).explore(&polling::ENTRY, &setup);
        assert_eq!((verdict.outcome, verdict.states), (Outcome::Ok, states), "{network:?} {threads}");
    }
}

#[test]
fn every_process_must_be_barred_the_winner_too() {
    for (text, expected) in [
        ("bar := r", "one try for each tenure after 5 steps"),
        ("bar is set and known ≤ bar: fail, no message", "one try for each tenure after 5 steps"),
        ("known := the larger of known and r", "every request can still be served after 0 steps"),
        ("releases := releases + 1", "every request can still be served after 0 steps"),
    ] {
        let mut setup = setup(2, UNORDERED, &[("resets", "all")]);
        setup.without = wdme::ENTRY.lines().find(|l| l.text == text).map(|l| l.id);
        assert!(setup.without.is_some(), "{text}");
        assert_eq!(outcome(&small(2, 1, 2, Topology::Star).explore(&wdme::ENTRY, &setup)), expected, "{text}");
    }
    // only where a process has two threads
    let mut setup = setup(2, FIFO, &[("resets", "all")]);
    setup.threads = vec![2; 2];
    setup.without = wdme::ENTRY.lines().find(|l| l.text.starts_with("another thread of mine")).map(|l| l.id);
    let verdict = small(2, 2, 2, Topology::Star).explore(&wdme::ENTRY, &setup);
    assert_eq!(outcome(&verdict), "one try for each tenure after 3 steps");
}

fn explore_printed(nodes: usize, requests: u32, network: Network, reading: &str, turn: &str) -> ExplorationResult {
    let setup = setup(nodes, network, &[("reading", reading), ("turn", turn)]);
    printed::ENTRY.explore(&setup, &Bounds { requests, ..Bounds::default() })
}

#[test]
fn shortest_counterexamples_of_wdme_as_printed() {
    let (both, again, stuck) =
        ("mutual exclusion", "no second try under one holder", "every request can still be served");
    // nodes, requests, reading, turn; on a FIFO network, and on an unordered one
    for (nodes, requests, reading, turn, fifo, unordered) in [
        (2, 2, "literal", "kept", Some((both, 12)), Some((both, 11))),
        (3, 2, "literal", "kept", Some((both, 12)), Some((both, 11))),
        (2, 2, "literal", "cleared", Some((both, 12)), Some((both, 11))),
        (2, 2, "literal", "dropped", Some((both, 12)), Some((both, 11))),
        (2, 2, "own-kind", "kept", Some((again, 13)), Some((again, 12))),
        (3, 1, "own-kind", "kept", Some((again, 12)), Some((again, 12))),
        (2, 2, "awaited", "kept", Some((again, 13)), Some((again, 13))),
        (3, 1, "awaited", "kept", Some((again, 12)), Some((again, 12))),
        (2, 2, "own-kind", "cleared", Some((again, 13)), Some((again, 13))),
        (3, 1, "own-kind", "cleared", Some((again, 12)), Some((again, 12))),
        (2, 2, "awaited", "cleared", Some((again, 14)), Some((again, 13))),
        (3, 1, "awaited", "cleared", Some((again, 12)), Some((again, 12))),
        (2, 1, "own-kind", "dropped", None, Some((stuck, 8))),
        (2, 1, "awaited", "dropped", None, Some((stuck, 8))),
        (2, 2, "own-kind", "dropped", None, Some((again, 13))),
        (3, 1, "awaited", "dropped", None, Some((again, 12))),
        (2, 1, "literal", "kept", None, None),
    ] {
        for (network, expected) in [(FIFO, fifo), (UNORDERED, unordered)] {
            let found = match explore_printed(nodes, requests, network, reading, turn).outcome {
                Outcome::Ok => None,
                Outcome::Violation(v) => Some((v.invariant, v.steps.len())),
                Outcome::Bound => panic!("a bound was reached"),
            };
            assert_eq!(found, expected, "{nodes} nodes, {requests} requests, {reading}, {turn}, {network:?}");
        }
    }
}

/// Without the flag `turn` and on a FIFO network even the theorem holds: the flag is needed only on
/// other networks.
#[test]
fn without_the_flag_on_a_fifo_network_wdme_as_printed_is_correct() {
    for (reading, states) in [("awaited", 54_650), ("own-kind", 88_604)] {
        let verdict = explore_printed(3, 2, FIFO, reading, "dropped");
        assert_eq!((verdict.outcome, verdict.states), (Outcome::Ok, states), "{reading}");
    }
}

/// The algorithm as printed, judged by mutual exclusion alone.
struct SafetyOnly(Printed);

impl Algorithm for SafetyOnly {
    type Node = printed::Node;
    type Msg = printed::Msg;

    fn arrange(setup: &mut Setup) {
        Printed::arrange(setup);
    }
    fn new(setup: &Setup) -> Self {
        SafetyOnly(Printed::new(setup))
    }
    fn start(&self, me: NodeId, setup: &Setup) -> Self::Node {
        self.0.start(me, setup)
    }
    fn on_call(&self, node: &mut Self::Node, call: Call, out: &mut impl Out<Self::Msg>) {
        self.0.on_call(node, call, out);
    }
    fn on_message(&self, node: &mut Self::Node, from: NodeId, msg: Self::Msg, out: &mut impl Out<Self::Msg>) {
        self.0.on_message(node, from, msg, out);
    }
    fn view(&self, node: &Self::Node, setup: &Setup) -> NodeView {
        self.0.view(node, setup)
    }
    fn invariants() -> Vec<Invariant<Self>> {
        vec![mutual_exclusion()]
    }
    fn narrate(&self, _: &ObservedStep<'_, Self>) -> String {
        String::new()
    }
}

/// Safety needs only an exit that waits for its acknowledgement, or an acknowledgement of its own
/// kind; no process is locked out either.
#[test]
fn two_readings_are_safe() {
    for reading in ["awaited", "own-kind"] {
        for turn in ["kept", "cleared"] {
            for network in [FIFO, UNORDERED] {
                for (nodes, requests) in [(2, 1), (2, 2), (2, 3), (3, 1)] {
                    let setup = setup(nodes, network, &[("reading", reading), ("turn", turn)]);
                    let verdict = explore::<SafetyOnly>(&setup, &Bounds { requests, ..Bounds::default() });
                    assert_eq!(verdict.outcome, Outcome::Ok, "{nodes} × {requests} {reading} {turn} {network:?}");
                }
            }
        }
    }
}

fn by_hand(entry: &Entry, setup: Setup) -> Box<dyn Player> {
    (entry.drive.boot)(setup, &Timing { load: Load::ByHand, ..Timing::paper(1.0, 1) })
}

/// Plays events by their titles and returns the narration.
fn play(player: &mut dyn Player, script: &str) -> Vec<String> {
    let mut step = |title: &str| {
        let picks = player.enabled();
        let pick = picks.iter().find(|p| p.title == title);
        let event = pick.unwrap_or_else(|| panic!("{title} is not among {picks:#?}")).event;
        player.pick(event);
        player.frame().last.expect("a step").sentence
    };
    script.split(';').map(|t| t.trim().to_owned()).map(|t| t.replace("→r", "→register")).map(|t| step(&t)).collect()
}

fn var(player: &dyn Player, node: usize, name: &str) -> Var {
    player.frame().nodes[node].view.vars.iter().find(|v| v.name == name).expect(name).clone()
}

/// A try, a fail, two tries that fail without a message, a reset, a success; then under a second
/// holder.
#[test]
fn a_second_useless_try_as_printed_and_repaired() {
    let first = "p1.1 asks; deliver TRY p1→r; p2.1 asks; deliver TRY p2→r";
    let mut repaired = by_hand(&wdme::ENTRY, setup(2, FIFO, &[("resets", "all")]));
    play(&mut *repaired, first);
    let told = play(
        &mut *repaired,
        "deliver OK(0) register→p1; deliver FAIL(0) register→p2; p2.1 asks; p2.1 asks; p1.1 leaves; deliver EXIT p1→r;
         deliver RESET(1) register→p2",
    );
    assert!(told[2].contains("no message is sent") && told[2] == told[3], "{told:#?}");
    assert!(told[6].contains("its next try may be sent"), "{told:#?}");
    assert_eq!((var(&*repaired, 1, "bar"), var(&*repaired, 1, "known")), (Var::new("bar", 0), Var::new("known", 1)));
    assert_eq!(repaired.frame().counters.messages, 7);
    play(&mut *repaired, "deliver RESET(1) register→p1; p1.1 asks; deliver TRY p1→r; p2.1 asks; deliver TRY p2→r");
    let told = play(&mut *repaired, "deliver OK(1) register→p1; deliver FAIL(1) register→p2; p2.1 asks");
    assert!(told[2].contains("judged after release 1"), "{told:#?}");
    assert_eq!(repaired.frame().counters.messages, 11);

    let mut text = by_hand(&printed::ENTRY, setup(2, FIFO, &[("reading", "own-kind"), ("turn", "kept")]));
    play(&mut *text, first);
    play(
        &mut *text,
        "deliver OK register→p1; deliver FAIL register→p2; p2.1 asks; p2.1 asks; p1.1 leaves; deliver EXIT p1→r;
         deliver RESET register→p2",
    );
    assert_eq!(text.frame().counters.messages, 8, "the acknowledgement besides");
    play(
        &mut *text,
        "deliver RESET register→p1; deliver DONE register→p1; p1.1 asks; deliver TRY p1→r; p2.1 asks; deliver TRY p2→r",
    );
    let told = play(&mut *text, "deliver OK register→p1; deliver FAIL register→p2; p2.1 asks; deliver TRY p2→r");
    assert!(told[1].contains("is never cleared"), "{told:#?}");
    assert!(told[3].contains("a useless message"), "{told:#?}");
    assert_eq!(text.frame().counters.messages, 14);
}

#[test]
fn narrations_of_wdme_as_printed_name_the_fault() {
    let Outcome::Violation(found) = explore_printed(2, 2, UNORDERED, "literal", "kept").outcome else { panic!() };
    let mut player = by_hand(&printed::ENTRY, setup(2, UNORDERED, &[("reading", "literal"), ("turn", "kept")]));
    let mut sentence = |event| player.pick(event).and_then(|_| player.frame().last).expect("a step").sentence;
    let told: Vec<String> = found.events.iter().map(|e| sentence(*e)).collect();
    assert!(told.iter().filter(|s| s.contains("even that of an exit")).count() == 3, "{told:#?}");
}

/// Between two tries of a process no other needs to enter or leave (the holder left before the
/// first was judged): 10 steps.
#[test]
fn the_theorem_does_not_hold_for_entries() {
    let mut player = by_hand(&wdme::ENTRY, setup(2, UNORDERED, &[("resets", "all")]));
    play(&mut *player, "p1.1 asks; deliver TRY p1→r; deliver OK(0) register→p1; p1.1 leaves; p2.1 asks");
    let entries = player.frame().counters.entries;
    let rest =
        "deliver TRY p2→r; deliver EXIT p1→r; deliver RESET(1) register→p2; deliver FAIL(0) register→p2; p2.1 asks";
    play(&mut *player, rest);
    assert_eq!(player.frame().counters.entries, entries, "two tries of p2 and no entry between");
    assert!(player.frame().flights.iter().any(|f| f.label == "TRY"));
    assert!(player.frame().invariants.iter().all(|i| i.broken.is_none()));
}

/// Watches the register: which processes were judged since the last release.
struct Tenures {
    judged: Vec<bool>,
    tries: u64,
    exits: u64,
    resets: u64,
}

impl Observer<Msg> for Tenures {
    fn sent(&mut self, _: Time, from: NodeId, to: NodeId, msg: &Msg, _: bool) {
        match msg {
            Msg::Try => {
                assert!(!self.judged[from.index()], "a second try under one holder");
                self.tries += 1;
            }
            Msg::Ok(_) | Msg::Fail(_) => assert!(!std::mem::replace(&mut self.judged[to.index()], true)),
            Msg::Exit => self.exits += 1,
            Msg::Reset(_) => {
                self.judged.fill(false);
                self.resets += 1;
            }
        }
    }
    fn violated(&mut self, _: Time) {
        panic!("a violation");
    }
}

/// Delays of half a time unit, so that times are in round trips.
fn closed(section: f64, retry: f64, seed: u64) -> Timing {
    Timing {
        load: Load::closed(Duration::Exp(retry), u32::MAX),
        section: Duration::Const(section),
        delays: Delays::everywhere(Duration::Const(0.5)),
        ..Timing::paper(1.0, seed)
    }
}

#[test]
fn one_try_for_each_tenure_and_n_resets_for_each_exit() {
    let nodes = 12;
    for network in [FIFO, UNORDERED] {
        for (section, retry) in [(0.0, 0.1), (1.0, 0.5), (10.0, 0.5), (1.0, 20.0)] {
            let delays = Delays::everywhere(Duration::Exp(0.5));
            let timing = Timing { delays, ..closed(section, retry, 3) };
            let setup = setup(nodes, network, &[("resets", "all")]);
            let job = BatchJob::new(setup, timing, 3_000);
            let watch = Tenures { judged: vec![false; nodes], tries: 0, exits: 0, resets: 0 };
            let (_, seen) = simulate::<Wdme, _>(&job, watch);
            assert_eq!(seen.resets % nodes as u64, 0);
            assert!(seen.exits - seen.resets / nodes as u64 <= 1, "one exit may be under way");
            assert!(seen.tries >= seen.exits && seen.tries <= (seen.exits + 2) * nodes as u64, "{}", seen.tries);
        }
    }
}

fn measured<A: Algorithm>(nodes: usize, resets: &str, section: f64, retry: f64) -> RunMeasures {
    let setup = setup(nodes, FIFO, &[("resets", resets)]);
    let measured = measure::<A>(&BatchJob { bypass: true, ..BatchJob::new(setup, closed(section, retry, 1), 1_500) });
    assert_eq!((measured.violations, measured.entries), (0, 1_500));
    measured
}

fn sent(measured: &RunMeasures, kind: &str) -> u64 {
    measured.messages_by_kind.iter().find(|(name, _)| name == kind).expect(kind).1
}

/// An entry without contention costs n + 3 messages, 4 with resets for those who tried, 3 with
/// polling.
#[test]
fn messages_of_entries_without_contention() {
    let (all, tried) = (measured::<Wdme>(8, "all", 0.01, 1e5), measured::<Wdme>(8, "tried", 0.01, 1e5));
    let polled = measured::<Polling>(8, "all", 0.01, 1e5);
    for (what, measured, expected) in [("all", all, 11.0), ("tried", tried, 4.0), ("polling", polled, 3.0)] {
        let messages = measured.messages_per_entry();
        assert!((messages - expected).abs() < 0.02, "{what}: {messages}");
    }
}

/// Polling pays for every retry, WDME for n resets and one try for each process: 3n + 1 messages if
/// all processes try. WDME is cheaper when a section is longer than about one and a half retry
/// times and half a round trip, whatever n is.
#[test]
fn wdme_is_cheaper_where_sections_are_long() {
    for nodes in [4, 8, 16] {
        for (retry, below, above) in [(0.2, 0.5, 1.2), (1.0, 1.5, 2.5), (5.0, 6.0, 9.0)] {
            let per_entry = |section| {
                let (wdme, polling) =
                    (measured::<Wdme>(nodes, "all", section, retry), measured::<Polling>(nodes, "all", section, retry));
                (wdme.messages_per_entry(), polling.messages_per_entry())
            };
            let (wdme, polling) = per_entry(below);
            assert!(wdme > polling, "{nodes} nodes, retry {retry}, section {below}: {wdme} and {polling}");
            let (wdme, polling) = per_entry(above);
            assert!(wdme < polling, "{nodes} nodes, retry {retry}, section {above}: {wdme} and {polling}");
        }
        let most = measured::<Wdme>(nodes, "all", 50.0, 0.2).messages_per_entry();
        assert!((most - (3 * nodes + 1) as f64).abs() < 0.05, "{most}");
    }
}

/// A try that is refused at once follows an earlier one, sends nothing, and counts neither as an
/// entry without a message nor as a waiting request.
#[test]
fn refusals_are_counted() {
    let polled = measured::<Polling>(6, "all", 2.0, 0.5);
    assert!(polled.refused.abs_diff(sent(&polled, "fail")) <= 6, "every fail turns somebody away");
    let wdme = measured::<Wdme>(6, "all", 20.0, 0.5);
    assert!(wdme.refused > 5 * sent(&wdme, "fail"), "most tries fail without a message");
    assert_eq!((wdme.entries_without_message, wdme.bypass_max), (0, Some(0)));

    #[derive(Default)]
    struct Order {
        waits: Option<ThreadId>,
        refused: u64,
    }
    impl Observer<Msg> for Order {
        fn requested(&mut self, _: Time, _: NodeId, thread: ThreadId, quiet: bool) {
            assert!(!quiet);
            self.waits = Some(thread);
        }
        fn refused(&mut self, _: Time, _: NodeId, thread: ThreadId) {
            assert_eq!(self.waits.take(), Some(thread), "with one thread: asked, then turned away");
            self.refused += 1;
        }
        fn granted(&mut self, _: Time, _: NodeId, thread: ThreadId, _: Time) {
            assert_eq!(self.waits.take(), Some(thread));
        }
    }
    let job = BatchJob::new(setup(1, FIFO, &[]), closed(0.1, 0.1, 1), 100);
    assert!(simulate::<Wdme, _>(&job, Order::default()).1.refused > 100, "barred until its own reset comes");
}

#[derive(Debug, Default, PartialEq)]
struct RefusalTrace {
    sent: Vec<(Time, NodeId, NodeId, usize)>,
    granted: Vec<(Time, ThreadId)>,
    refused: Vec<(Time, ThreadId)>,
    released: Vec<(Time, ThreadId)>,
}

impl<M: Message> Observer<M> for RefusalTrace {
    fn granted(&mut self, now: Time, _: NodeId, thread: ThreadId, _: Time) {
        self.granted.push((now, thread));
    }
    fn refused(&mut self, now: Time, _: NodeId, thread: ThreadId) {
        self.refused.push((now, thread));
    }
    fn released(&mut self, now: Time, _: NodeId, thread: ThreadId) {
        self.released.push((now, thread));
    }
    fn sent(&mut self, now: Time, from: NodeId, to: NodeId, msg: &M, _: bool) {
        self.sent.push((now, from, to, msg.kind()));
    }
}

fn by_the_clock<A: Algorithm>(job: &BatchJob) -> RefusalTrace {
    let system = System::<A>::new(job.setup.clone());
    let mut timed = TimedWorld::start(&system, &job.timing, Faults::default());
    let mut trace = RefusalTrace::default();
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
                Effect::Refuse(thread) => trace.refused.push((timed.now, *thread)),
                Effect::Later(_) => {}
            }
        }
    }
    trace
}

fn same_run<A: Algorithm>() {
    let fixed = Delays::everywhere(Duration::Const(0.1));
    let script = (0..15).map(|i| (f64::from(i % 5) * 0.1, ThreadId(i * 8 % 15))).collect();
    let timings = [
        (100, Timing::paper(0.3, 1)),
        (100, Timing { delays: fixed, ..Timing::paper(20.0, 3) }),
        (100, Timing { load: Load::closed(Duration::Exp(0.5), 9), ..Timing::paper(1.0, 4) }),
        (
            75,
            Timing {
                load: Load::closed(Duration::Const(0.2), 5),
                delays: fixed,
                section: Duration::Const(0.3),
                ..Timing::paper(1.0, 5)
            },
        ),
        (15, Timing { load: Load::Script(script), section: Duration::Const(0.25), ..Timing::paper(1.0, 6) }),
    ];
    for network in [FIFO, UNORDERED] {
        for (entries, timing) in &timings {
            let mut setup = setup(5, network, &[("resets", "all")]);
            setup.threads = vec![3; 5];
            let job = BatchJob::new(setup, timing.clone(), *entries);
            let (batch, clock) = (simulate::<A, _>(&job, RefusalTrace::default()).1, by_the_clock::<A>(&job));
            assert!(batch.released.len() as u64 == *entries && !batch.refused.is_empty(), "something happens");
            assert!(batch == clock, "{:?} {network:?}", job.timing);
        }
    }
}

#[test]
fn stage_and_batch_make_the_same_run_of_refusals() {
    same_run::<Wdme>();
    same_run::<Polling>();
    same_run::<Printed>();
}
