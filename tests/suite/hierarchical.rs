//! The algorithms for clusters: explored on clusters, their figures, and the shortest
//! counterexamples of the algorithms as printed.

use crate::helpers::systems::{deep, outcome, word};
use lockstep_algorithms::find;
use lockstep_algorithms::preempt_aggregation::{Msg, Preempt, PreemptAggregation};
use lockstep_algorithms::printed::hierarchical::{Msg as PrintedMsg, Printed};
use lockstep_kernel::explore::{Bounds, ExplorationResult, NO_STARVATION, Outcome};
use lockstep_kernel::history::Player;
use lockstep_kernel::timing::{Load, Timing};
use lockstep_kernel::view::{NodeFrame, ThreadState, Waiter};
use lockstep_kernel::world::{Faults, System, UNLIMITED, World};
use lockstep_kernel::{Algorithm, Effect, Effects, Network, NodeId, Setup, ThreadId, Topology};
use std::collections::{BTreeMap, HashMap};
use std::fmt::Write;

/// Clusters of these sizes, one thread for each host.
fn clusters(sizes: &[usize]) -> Setup {
    let mut setup = Setup::new(sizes.iter().sum(), 1, Topology::Star);
    setup.clusters = sizes.iter().zip(0..).flat_map(|(size, cluster)| std::iter::repeat_n(cluster, *size)).collect();
    setup
}

fn explore(id: &str, setup: &Setup, requests: u32) -> ExplorationResult {
    find(id).unwrap().explore(setup, &Bounds { requests, ..Bounds::default() })
}

/// A system to explore: clusters and requests of each host.
type Systems = &'static [(&'static [usize], u32)];

const SMALL: Systems = &[(&[2, 1], 2), (&[1, 1, 1], 2), (&[2, 1, 1], 1), (&[2, 2], 1)];
const LARGER: Systems = &[(&[2, 1, 1], 2)];
const DEEP: Systems =
    &[(&[2, 2], 2), (&[3, 2], 1), (&[3, 3], 1), (&[1, 1, 1], 3), (&[3, 1, 1], 1), (&[2, 2, 1], 1), (&[1, 1, 1, 1], 2)];

/// Explores each of these systems and returns its state count.
fn all_orders(id: &str, params: &[(&str, &str)], systems: Systems, table: &mut String) {
    for network in [Network::Fifo, Network::Unordered] {
        for (sizes, requests) in systems {
            let mut setup = clusters(sizes).on(network);
            for (name, value) in params {
                setup = setup.with(name, value);
            }
            let verdict = explore(id, &setup, *requests);
            let sizes: Vec<String> = sizes.iter().map(usize::to_string).collect();
            let (sizes, params, network) = (sizes.join("+"), word(&setup.params), network.name());
            let name = format!("{id} | {params} | {network} | {sizes}, {requests} requests");
            assert_eq!(verdict.outcome, Outcome::Ok, "{name}");
            writeln!(table, "{name} | {} states | {} transitions", verdict.states, verdict.transitions).unwrap();
        }
    }
}

#[test]
fn all_orders_of_small_clusters_keep_every_invariant() {
    let mut table = String::new();
    for proxies in ["host", "extra"] {
        all_orders("proxy", &[("proxies", proxies)], SMALL, &mut table);
        for threshold in ["0", "1", "2"] {
            let params = [("proxies", proxies), ("threshold", threshold)];
            all_orders("preempt-aggregation", &params, SMALL, &mut table);
            for owner in ["repaired", "as-measured"] {
                all_orders("preempt", &[params[0], params[1], ("owner", owner)], SMALL, &mut table);
            }
        }
    }
    insta::assert_snapshot!("hierarchical-states", table);
}

#[test]
fn all_orders_of_three_clusters_with_two_requests_each() {
    let mut table = String::new();
    let host = ("proxies", "host");
    all_orders("proxy", &[host], LARGER, &mut table);
    for threshold in ["0", "1", "2"] {
        all_orders("preempt-aggregation", &[host, ("threshold", threshold)], LARGER, &mut table);
    }
    all_orders("preempt", &[host, ("threshold", "1"), ("owner", "repaired")], LARGER, &mut table);
    all_orders("preempt", &[host, ("threshold", "1"), ("owner", "as-measured")], LARGER, &mut table);
    insta::assert_snapshot!("hierarchical-states-larger", table);
}

#[test]
fn all_orders_of_larger_clusters() {
    if !deep() {
        return;
    }
    let mut table = String::new();
    for proxies in ["host", "extra"] {
        all_orders("proxy", &[("proxies", proxies)], DEEP, &mut table);
        for threshold in ["0", "1", "2"] {
            let params = [("proxies", proxies), ("threshold", threshold)];
            all_orders("preempt-aggregation", &params, DEEP, &mut table);
            for owner in ["repaired", "as-measured"] {
                all_orders("preempt", &[params[0], params[1], ("owner", owner)], DEEP, &mut table);
            }
        }
    }
    print!("{table}");
}

/// Further threads of a host wait there, and it sends another request for them.
#[test]
fn several_threads_at_each_host() {
    for id in ["proxy", "preempt", "preempt-aggregation"] {
        let mut setup = clusters(&[2, 1]).with("threshold", "1");
        setup.threads = vec![2; 3];
        for network in [Network::Fifo, Network::Unordered] {
            assert_eq!(explore(id, &setup.clone().on(network), 2).outcome, Outcome::Ok, "{id} {network:?}");
        }
    }
}

/// Whether a request may starve while others are served, when requests never end.
fn starves(id: &str, setup: &Setup) -> bool {
    match explore(id, setup, UNLIMITED).outcome {
        Outcome::Ok => false,
        Outcome::Violation(v) => {
            assert_eq!(v.invariant, NO_STARVATION, "{id}");
            true
        }
        Outcome::Bound => panic!("{id} is too large"),
    }
}

/// On a FIFO network no thread starves, under any threshold. Otherwise a remote request may chase
/// the token from one local node to the other.
#[test]
fn no_thread_starves_on_a_fifo_network() {
    for threshold in ["0", "1", "2"] {
        for id in ["preempt", "preempt-aggregation"] {
            let on = |sizes, network| clusters(sizes).on(network).with("threshold", threshold);
            for sizes in [&[2, 1][..], &[1, 1, 1], &[2, 2], &[3, 1]] {
                assert!(!starves(id, &on(sizes, Network::Fifo)), "{id} {threshold} {sizes:?}");
            }
            assert!(starves(id, &on(&[2, 1], Network::Unordered)), "{id} {threshold}");
        }
    }
}

/// The most local entries, over all orders, while a remote request already has its place in a queue
/// that the token will pass.
fn bypass<A: Algorithm>(setup: Setup, requests: u32, carries: Carries<A>) -> u32 {
    let system = System::<A>::new(setup);
    let victim = ThreadId(system.setup.all_threads() as u32 - 1);
    let mut world = World::start(&system, requests, Faults::default());
    world.left[system.setup.home(victim).index()] = 1;
    Overtaking { system: &system, victim, carries, seen: HashMap::new() }.worst(&world)
}

/// Whether a message is the token, and the queue that it carries.
type Carries<A> = fn(&<A as Algorithm>::Msg) -> (bool, &[NodeId]);

fn carries(msg: &Msg) -> (bool, &[NodeId]) {
    match msg {
        Msg::Request(_) => (false, &[]),
        Msg::Token(queue, _) => (true, queue),
        Msg::Queue(queue, _) => (false, queue),
    }
}

fn carries_printed(msg: &PrintedMsg) -> (bool, &[NodeId]) {
    match msg {
        PrintedMsg::Request(_) => (false, &[]),
        PrintedMsg::Token(queue, _) => (true, queue),
        PrintedMsg::Queue(queue, _) => (false, queue),
    }
}

struct Overtaking<'a, A: Algorithm> {
    system: &'a System<A>,
    victim: ThreadId,
    carries: Carries<A>,
    seen: HashMap<u64, u32>,
}

impl<A: Algorithm> Overtaking<'_, A> {
    /// The most local entries from here on.
    fn worst(&mut self, world: &World<A>) -> u32 {
        let key = world.fingerprint();
        if let Some(known) = self.seen.get(&key) {
            return *known;
        }
        let placed = world.threads[self.victim.index()].doing == ThreadState::Waiting && self.is_placed(world);
        let (mut enabled, mut effects, mut most) = (Vec::new(), Effects::new(None), 0);
        world.enabled(self.system, &mut enabled);
        for event in enabled {
            let mut then = world.clone();
            then.apply(self.system, event, &mut effects);
            if !effects.list.contains(&Effect::Grant(self.victim)) {
                let enters = effects.list.iter().any(|e| matches!(e, Effect::Grant(_)));
                most = most.max(u32::from(placed && enters) + self.worst(&then));
            }
        }
        self.seen.insert(key, most);
        most
    }

    /// Follows the token: to its holder, the successors of the holder, and so on.
    fn is_placed(&self, world: &World<A>) -> bool {
        let setup = &self.system.setup;
        let views: Vec<_> = world.nodes.iter().map(|n| self.system.algorithm.view(n, setup)).collect();
        let mut reached: Vec<NodeId> = setup.ids().filter(|n| views[n.index()].token).collect();
        for flight in &world.flights {
            if let (true, queue) = (self.carries)(&flight.msg) {
                reached.extend(queue.iter().chain([&flight.to]));
            }
        }
        let mut seen = 0;
        while let Some(at) = reached.get(seen).copied() {
            let successors = views[at.index()].queue.iter().filter_map(|w| match w {
                Waiter::Remote(node) => Some(node),
                _ => None,
            });
            let coming = world.flights.iter().filter(|f| f.to == at).flat_map(|f| (self.carries)(&f.msg).1);
            let found: Vec<NodeId> = successors.chain(coming).copied().filter(|n| !reached.contains(n)).collect();
            reached.extend(found);
            seen += 1;
        }
        reached.contains(&setup.home(self.victim))
    }
}

/// H5: as printed the threshold bounds nothing; repaired it does, on a FIFO network.
#[test]
fn how_often_a_remote_request_is_overtaken() {
    let repaired = |sizes: &[usize], threshold: &str, network, requests| {
        let setup = clusters(sizes).on(network).with("threshold", threshold);
        let with = bypass::<PreemptAggregation>(setup.clone(), requests, carries);
        assert_eq!(bypass::<Preempt>(setup, requests, carries), with, "aggregation makes no difference here");
        with
    };
    let printed = |requests| {
        let setup = clusters(&[3, 1]).with("threshold", "1").with("repair", "owner");
        bypass::<Printed>(setup, requests, carries_printed)
    };
    use Network::{Fifo, Unordered};
    let each = |bypass: &dyn Fn(u32) -> u32| [bypass(1), bypass(2), bypass(3)];
    assert_eq!(each(&|r| repaired(&[2, 1], "0", Fifo, r)), [1, 1, 1]);
    assert_eq!(each(&|r| repaired(&[2, 1], "1", Fifo, r)), [1, 2, 2]);
    assert_eq!(each(&|r| repaired(&[2, 1], "2", Fifo, r)), [1, 3, 3]);
    assert_eq!(each(&|r| repaired(&[2, 1], "1", Unordered, r)), [2, 4, 6], "no bound without FIFO");
    assert_eq!(each(&|r| repaired(&[3, 1], "1", Fifo, r)), [2, 5, 5]);
    assert_eq!(each(&printed), [2, 5, 8]);
    if deep() {
        assert_eq!((repaired(&[3, 1], "1", Fifo, 4), printed(4)), (5, 11));
    }
}

/// A node in the notation of the figures' tables: owner/next/R_Queue/nb_preempt, T with the token,
/// w waiting, CS inside.
fn cell(node: &NodeFrame, names: &[String]) -> String {
    let link = |kind| node.view.link(kind).map_or("-", |to: NodeId| &names[to.index()]);
    let var = |name, none: &str| {
        let var = node.view.vars.iter().find(|v| v.name == name);
        var.map_or(none.into(), |v| v.value.text(|n| names[n.index()].clone()))
    };
    let mut cell = format!("{}/{}/{}/{}", link("owner"), link("next"), var("R_Queue", "[]"), var("nb_preempt", "0"));
    if node.view.token {
        cell += " T";
    }
    match node.threads.first().map(|t| t.doing) {
        Some(ThreadState::Waiting) => cell += " w",
        Some(ThreadState::Inside) => cell += " CS",
        _ => {}
    }
    cell
}

/// Plays a table: after each step exactly the nodes in its row have changed as it says, and its
/// message is in flight.
fn replay(id: &str, setup: Setup, table: &str) -> Box<dyn Player> {
    let timing = Timing { load: Load::ByHand, ..Timing::paper(1.0, 1) };
    let mut player = (find(id).unwrap().drive.boot)(setup, &timing);
    let names = player.setup().names.clone();
    let mut expected = BTreeMap::new();
    for row in table.lines() {
        let [figure, title, changes, flights] = row.split('|').map(str::trim).collect::<Vec<_>>()[..] else {
            panic!("{row}");
        };
        if title != "the beginning" {
            let picks = player.enabled();
            let pick = picks.iter().find(|p| p.title == title);
            let event = pick.unwrap_or_else(|| panic!("{figure}: {title} is not among {picks:#?}")).event;
            player.pick(event);
        }
        for change in changes.split(", ").filter(|c| !c.is_empty()) {
            let (name, cell) = change.split_once(' ').unwrap();
            expected.insert(name, cell.to_owned());
        }
        let frame = player.frame();
        let cells: BTreeMap<&str, String> = frame.nodes.iter().map(|n| (n.name.as_str(), cell(n, &names))).collect();
        assert_eq!(cells, expected, "{figure}: {title}");
        let name = |n: NodeId| &names[n.index()];
        let flying: Vec<String> =
            frame.flights.iter().map(|f| format!("{} {}→{}", f.label, name(f.from), name(f.to))).collect();
        assert_eq!(flying.join(", "), flights, "{figure}: {title}");
        assert!(frame.invariants.iter().all(|i| i.broken.is_none()), "{figure}: {title}");
    }
    player
}

fn named(sizes: &[usize], names: &[&str]) -> Setup {
    let mut setup = clusters(sizes).with("proxies", "extra").with("threshold", "2");
    setup.names = names.iter().map(|n| (*n).into()).collect();
    setup
}

const FIGURE_2: &str = "\
2a | the beginning | A -/-/[]/0 T, B A/-/[]/0, C A/-/[]/0, D A/-/[]/0 |
2a | A.1 asks | A -/-/[]/0 T CS |
2b | B.1 asks | B -/-/[]/0 w | Request(B) B→A
2b | deliver Request(B) B→A | A B/B/[]/0 T CS |
2c | C.1 asks | C -/-/[]/0 w | Request(C) C→A
2c | deliver Request(C) C→A | A C/B/[]/0 T CS | Request(C) A→B
2c | deliver Request(C) A→B | B C/C/[]/0 w |
(after) | A.1 leaves | A C/-/[]/0 | Token A→B
(after) | deliver Token A→B | B C/C/[]/0 T CS |
(after) | B.1 leaves | B C/-/[]/0 | Token B→C
(after) | deliver Token B→C | C -/-/[]/0 T CS |";

const FIGURE_4: &str = "\
4a | the beginning | A -/-/[]/0 T, B A/-/[]/0, C A/-/[]/0, D P1/-/[]/0, E P1/-/[]/0, P1 A/-/[]/0 |
4a | A.1 asks | A -/-/[]/0 T CS |
4b | B.1 asks | B -/-/[]/0 w | Request(B) B→A
4b | deliver Request(B) B→A | A B/B/[]/0 T CS |
4c | D.1 asks | D -/-/[]/0 w | Request(D) D→P1
4c | deliver Request(D) D→P1 | P1 D/-/[]/0 | Request(D) P1→A
4c | deliver Request(D) P1→A | A D/B/[]/0 T CS | Request(D) A→B
4c | deliver Request(D) A→B | B D/D/[]/0 w |
4c | E.1 asks | E -/-/[]/0 w | Request(E) E→P1
4c | deliver Request(E) E→P1 | P1 E/-/[]/0 | Request(E) P1→D
4c | deliver Request(E) P1→D | D E/E/[]/0 w |
(after) | A.1 leaves | A D/-/[]/0 | Token A→B
(after) | deliver Token A→B | B D/D/[]/0 T CS |
(after) | B.1 leaves | B D/-/[]/0 | Token B→D
(after) | deliver Token B→D | D E/E/[]/0 T CS |
(after) | D.1 leaves | D E/-/[]/0 | Token D→E
(after) | deliver Token D→E | E -/-/[]/0 T CS |";

const FIGURES_7_AND_8: &str = "\
4b | the beginning | A -/-/[]/0 T, B A/-/[]/0, C A/-/[]/0, D P1/-/[]/0, E P1/-/[]/0, P1 A/-/[]/0, F P2/-/[]/0, G P2/-/[]/0, P2 A/-/[]/0 |
4b | A.1 asks | A -/-/[]/0 T CS |
4b | B.1 asks | B -/-/[]/0 w | Request(B) B→A
4b | deliver Request(B) B→A | A B/B/[]/0 T CS |
7a | D.1 asks | D -/-/[]/0 w | Request(D) D→P1
7a | deliver Request(D) D→P1 | P1 D/-/[]/0 | Request(D) P1→A
7a | deliver Request(D) P1→A | | Request(D) A→B
7a | deliver Request(D) A→B | B -/D/[]/0 w |
7a | F.1 asks | F -/-/[]/0 w | Request(F) F→P2
7a | deliver Request(F) F→P2 | P2 F/-/[]/0 | Request(F) P2→A
7a | deliver Request(F) P2→A | | Request(F) A→B
7a | deliver Request(F) A→B | B -/D/[F]/0 w |
7b | E.1 asks | E -/-/[]/0 w | Request(E) E→P1
7b | deliver Request(E) E→P1 | P1 E/-/[]/0 | Request(E) P1→D
7b | deliver Request(E) P1→D | D E/E/[]/0 w |
7b | C.1 asks | C -/-/[]/0 w | Request(C) C→A
7b | deliver Request(C) C→A | A C/B/[]/0 T CS | Request(C) A→B
7b | deliver Request(C) A→B | B C/C/[]/1 w | Queue([D,F],1) B→C
7b | deliver Queue([D,F],1) B→C | C -/D/[F]/1 w |
8a | A.1 leaves | A C/-/[]/0 | Token([],0) A→B
8a | deliver Token([],0) A→B | B C/C/[]/1 T CS |
8a | B.1 leaves | B C/-/[]/1 | Token([],1) B→C
8a | deliver Token([],1) B→C | C -/D/[F]/1 T CS |
8b | C.1 leaves | C F/-/[]/0 | Token([F],0) C→D
8b | deliver Token([F],0) C→D | D E/E/[]/0 T CS | Queue([F],0) D→E
8b/c | deliver Queue([F],0) D→E | E -/F/[]/0 w |
8c | D.1 leaves | D E/-/[]/0 | Token([],0) D→E
8c | deliver Token([],0) D→E | E -/F/[]/0 T CS |
(after) | E.1 leaves | E F/-/[]/0 | Token([],0) E→F
(after) | deliver Token([],0) E→F | F -/-/[]/0 T CS |";

#[test]
fn figures_replay_row_by_row() {
    for id in ["naimi-trehel", "naimi-trehel-printed"] {
        replay(id, named(&[4], &["A", "B", "C", "D"]), FIGURE_2);
    }
    for id in ["proxy", "proxy-printed"] {
        replay(id, named(&[3, 2], &["A", "B", "C", "D", "E"]), FIGURE_4);
    }
    replay("preempt-aggregation", named(&[3, 2, 2], &["A", "B", "C", "D", "E", "F", "G"]), FIGURES_7_AND_8);
}

#[test]
fn shortest_counterexamples_of_the_algorithms_as_printed() {
    let found = |id: &str, repair: &str, threshold: &str, network: Network, sizes: &[usize], requests: u32| {
        let setup = clusters(sizes).on(network).with("repair", repair).with("threshold", threshold);
        outcome(&explore(id, &setup, requests))
    };
    use Network::{Fifo, Unordered};
    let (both, waits) = ("mutual exclusion after", "every request can still be served after");
    // H1: an idle holder that sends the token away still considers itself the holder
    for id in ["naimi-trehel-printed", "proxy-printed", "preempt-printed", "preempt-aggregation-printed"] {
        assert_eq!(found(id, "none", "1", Fifo, &[1, 1], 1), format!("{both} 4 steps"), "{id}");
    }
    for id in ["preempt-printed", "preempt-aggregation-printed"] {
        // H2: a new root forgets the queue that it is sent
        assert_eq!(found(id, "owner", "1", Fifo, &[2, 1, 1], 1), format!("{waits} 16 steps"), "{id}");
        // H3 without FIFO: the token overtakes the queue
        assert_eq!(found(id, "owner", "1", Unordered, &[2, 1], 1), format!("{waits} 9 steps"), "{id}");
    }
    let id = "preempt-aggregation-printed";
    assert_eq!(found(id, "far", "1", Fifo, &[2, 1, 1], 1), format!("{waits} 13 steps"));
    // two clusters of two nodes are too small to show it
    assert_eq!(found(id, "owner", "1", Fifo, &[2, 2], 2), "ok");
    // H3 with FIFO: the queue arrives after the token has gone
    assert_eq!(found(id, "owner", "0", Fifo, &[3, 2], 1), format!("{waits} 21 steps"));
    // H4: a far request that is queued becomes owner, and again when the token leaves
    assert_eq!(found(id, "queues", "0", Fifo, &[2, 1, 1], 2), format!("{both} 19 steps"));
}

/// Plays a counterexample and returns the narration of its steps.
fn told(id: &str, setup: Setup, requests: u32) -> Vec<String> {
    let Outcome::Violation(violation) = explore(id, &setup, requests).outcome else { panic!("a violation") };
    let mut player = (find(id).unwrap().drive.boot)(setup, &Timing { load: Load::ByHand, ..Timing::paper(1.0, 1) });
    let mut sentence = |event| player.pick(event).and_then(|_| player.frame().last).expect("a step").sentence;
    violation.events.iter().map(|e| sentence(*e)).collect()
}

#[test]
fn narrations_of_the_algorithms_as_printed_name_the_fault() {
    let id = "preempt-aggregation-printed";
    let setup = |sizes, repair, threshold| clusters(sizes).with("repair", repair).with("threshold", threshold);
    let says = |told: Vec<String>, what: &str| assert!(told.iter().any(|s| s.contains(what)), "{what}: {told:#?}");
    says(told("naimi-trehel-printed", clusters(&[2]), 1), "WITHOUT the token");
    says(told(id, setup(&[2, 1, 1], "far", "1"), 1), "LOST");
    says(told(id, setup(&[3, 2], "owner", "0"), 1), "it will never send the token there");
    says(told(id, setup(&[2, 1, 1], "queues", "0"), 2), "WITHOUT the token");
}

/// A line of Preempt that is necessary only with three clusters: without it a queue is kept.
#[test]
fn preempt_keeps_a_queue_without_one_line() {
    let line = find("preempt").unwrap().lines().find(|l| l.text.contains("what is left")).unwrap();
    let mut setup = clusters(&[2, 1, 1]).with("threshold", "2");
    setup.without = Some(line.id);
    assert_eq!(outcome(&explore("preempt", &setup, 1)), "without aggregation no queue is kept after 11 steps");
}

/// The narration of Figures 7 and 8.
#[test]
fn narrations_of_figures_7_and_8() {
    let setup = named(&[3, 2, 2], &["A", "B", "C", "D", "E", "F", "G"]);
    let mut player = replay("preempt-aggregation", setup, FIGURES_7_AND_8);
    let mut text = String::new();
    for past in player.timeline().iter().skip(1) {
        player.seek(past.id);
        let last = player.frame().last.unwrap();
        writeln!(text, "{}: {}", last.title, last.sentence).unwrap();
    }
    insta::assert_snapshot!("figures-7-and-8-in-words", text);
}
