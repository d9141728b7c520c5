//! The classics: Suzuki–Kasami, Maekawa, Carvalho–Roucairol, Neilsen–Mizuno. All orders of small
//! systems with exact state counts, the failures that their papers warn of with exact lengths,
//! messages against theory, and short runs step by step (Raymond and Naimi–Tréhel too).

use crate::helpers::systems::{deep, outcome, small};
use lockstep_algorithms::maekawa::quorums;
use lockstep_algorithms::{carvalho_roucairol, find, maekawa, neilsen_mizuno, suzuki_kasami};
use lockstep_kernel::explore::{Bounds, Outcome};
use lockstep_kernel::history::Player;
use lockstep_kernel::run::statistics::Interval;
use lockstep_kernel::run::{BatchJob, RunMeasures};
use lockstep_kernel::timing::{Load, Timing};
use lockstep_kernel::{Entry, Network, Setup, Topology, Topology::*};

/// The state counts of a system with one thread for each node and no violation, on FIFO and on
/// unordered networks.
fn states(entry: &Entry, nodes: usize, requests: u32, topology: Topology, params: &[(&str, &str)]) -> [usize; 2] {
    [Network::Fifo, Network::Unordered].map(|network| {
        let mut setup = Setup::new(nodes, 1, topology).on(network);
        for (name, value) in params {
            setup = setup.with(name, value);
        }
        let verdict = small(nodes, 1, requests, topology).explore(entry, &setup);
        assert_eq!(verdict.outcome, Outcome::Ok, "{} {nodes} × {requests} {network:?}", entry.id);
        verdict.states
    })
}

/// The largest state count is exactly that of an independent explorer.
#[test]
fn all_orders_of_suzuki_kasami() {
    let count = |nodes, requests| states(&suzuki_kasami::ENTRY, nodes, requests, Full, &[]);
    assert_eq!(count(3, 1), [589, 727]);
    assert_eq!(count(3, 2), [15_110, 62_103]);
    assert_eq!(count(4, 1), [81_039, 126_799]);
    if deep() {
        assert_eq!(count(3, 3), [195_565, 3_657_560]);
    }
}

#[test]
fn all_orders_of_carvalho_roucairol() {
    let count = |nodes, requests| states(&carvalho_roucairol::ENTRY, nodes, requests, Full, &[]);
    assert_eq!(count(3, 1), [417, 537]);
    assert_eq!(count(3, 2), [7_214, 9_941]);
    assert_eq!(count(3, 3), [65_084, 91_063]);
    assert_eq!(count(4, 1), [32_321, 65_297]);
}

#[test]
fn all_orders_of_neilsen_mizuno() {
    let count = |nodes, requests, topology| states(&neilsen_mizuno::ENTRY, nodes, requests, topology, &[]);
    for (requests, line, star) in [
        (1, [1_371, 1_390], [1_262, 1_352]),
        (2, [20_391, 21_206], [20_404, 21_136]),
        (3, [104_131, 109_574], [105_230, 109_868]),
    ] {
        assert_eq!(count(4, requests, Chain), line, "line, {requests} requests");
        assert_eq!(count(4, requests, Star), star, "star, {requests} requests");
        count(2, requests, Chain);
        count(3, requests, Star);
    }
}

#[test]
fn all_orders_of_maekawa() {
    let count = |nodes, requests, quorums| states(&maekawa::ENTRY, nodes, requests, Full, &[("quorums", quorums)]);
    assert_eq!(count(3, 1, "plane"), [457, 549], "triangle");
    assert_eq!(count(3, 2, "plane"), [9_976, 75_239], "triangle");
    assert_eq!(count(3, 1, "grid"), [1_086, 2_036], "a square with a hole");
    assert_eq!([Network::Fifo, Network::Unordered].map(fano), [6_214, 6_957]);
    if deep() {
        assert_eq!(count(4, 1, "grid"), [309_841, 1_026_371], "square");
        assert_eq!(count(3, 2, "grid"), [25_019, 667_590], "a square with a hole");
    }
}

/// The Fano plane with three requesters.
fn fano(network: Network) -> usize {
    let mut setup = Setup::new(7, 1, Full).on(network).with("quorums", "plane");
    setup.threads = vec![1, 1, 1, 0, 0, 0, 0];
    let verdict = small(7, 1, 1, Full).explore(&maekawa::ENTRY, &setup);
    assert_eq!(verdict.outcome, Outcome::Ok);
    verdict.states
}

#[test]
fn any_two_quorums_intersect() {
    for n in 1..=40 {
        for plane in [false, true] {
            let all = quorums(n, plane);
            for (i, a) in all.iter().enumerate() {
                assert!(a.iter().any(|m| m.index() == i), "{n}: a quorum holds its own node");
                for b in &all[i + 1..] {
                    let common = a.iter().filter(|m| b.contains(m)).count();
                    let line = plane && [3, 7, 13, 21, 31].contains(&n);
                    assert!(if line { common == 1 } else { common >= 1 }, "{n}: {a:?} and {b:?}");
                }
            }
        }
    }
    assert_eq!(quorums(31, true)[0].len(), 6);
    assert_eq!(quorums(31, false)[0].len(), 11);
}

#[test]
fn one_node_alone_needs_no_message() {
    for entry in [suzuki_kasami::ENTRY, carvalho_roucairol::ENTRY, neilsen_mizuno::ENTRY, maekawa::ENTRY] {
        let job = BatchJob::new(Setup::new(1, 3, Full), Timing::paper(10.0, 1), 500);
        let measured = entry.measure(&job);
        assert_eq!((measured.entries, measured.messages(), measured.violations), (500, 0, 0), "{}", entry.id);
    }
}

fn without(text: &str, nodes: usize, quorums: &str) -> String {
    let line = maekawa::ENTRY.lines().find(|l| l.text.trim() == text).expect(text);
    let mut setup = Setup::new(nodes, 1, Full).with("quorums", quorums);
    setup.without = Some(line.id);
    let verdict = maekawa::ENTRY.explore(&setup, &Bounds { requests: 1, ..Bounds::default() });
    outcome(&verdict)
}

/// Votes that are never recalled deadlock a triangle; the rules of 1985 still deadlock a square,
/// and nothing smaller.
#[test]
fn maekawa_deadlocks_without_its_corrections() {
    let stuck = |steps| format!("every request can still be served after {steps} steps");
    assert_eq!(without("and see to it that the older wins:", 3, "plane"), stuck(6));
    let sanders = "once; one that it overtakes has FAILED";
    assert_eq!(without(sanders, 3, "plane"), "ok");
    assert_eq!(without(sanders, 4, "grid"), stuck(19));
}

fn runs(id: &str, topology: Topology, params: &[(&str, &str)], rate: f64, entries: u64) -> Vec<RunMeasures> {
    let mut setup = Setup::new(31, 1, topology);
    for (name, value) in params {
        setup = setup.with(name, value);
    }
    let entry = find(id).unwrap();
    let run = |seed| {
        let measured = entry.measure(&BatchJob::new(setup.clone(), Timing::paper(rate, seed), entries));
        assert_eq!((measured.violations, measured.entries), (0, entries), "{id}");
        measured
    };
    (1..=5).map(run).collect()
}

fn agrees(what: &str, runs: &[RunMeasures], value: impl Fn(&RunMeasures) -> f64, expected: f64) {
    let got = Interval::of(&runs.iter().map(value).collect::<Vec<_>>());
    assert!(got.half_width < 0.02 * expected, "{what}: {got:?} is too wide to say anything");
    let near = (got.mean - expected).abs() <= 2.0 * got.half_width + 2e-3 * expected;
    assert!(near, "{what}: {got:?} instead of {expected}");
}

/// Requests that do not overlap, 31 nodes. (The sources of the numbers: n − 1 for a requester that
/// is as likely the last one as any other; for saved permissions the depth in a move-to-front list,
/// uniform on 0…n − 1; for pointers the mean distance to the last requester.)
#[test]
fn messages_of_requests_that_do_not_overlap() {
    let n = 31.0;
    let plane: &[(&str, &str)] = &[("quorums", "plane")];
    let distance = 4608.0 / 961.0;
    for (id, topology, params, messages, wait) in [
        ("suzuki-kasami", Full, &[][..], n - 1.0, 0.1 * (n - 1.0) / n),
        ("carvalho-roucairol", Full, &[], n - 1.0, 0.157_23),
        ("maekawa", Full, plane, 15.0, 0.147_72),
        ("neilsen-mizuno", Star, &[], 3.0 - 5.0 / n + 2.0 / (n * n), 0.142_04),
        ("neilsen-mizuno", BinaryTree, &[], distance + (n - 1.0) / n, 0.288_14),
        ("raymond", Star, &[], 4.0 * (n - 1.0) * (n - 1.0) / (n * n), 0.187_30),
    ] {
        let runs = runs(id, topology, params, 1e-4, 20_000);
        agrees(&format!("{id} {topology:?}, messages"), &runs, RunMeasures::messages_per_entry, messages);
        agrees(&format!("{id} {topology:?}, wait"), &runs, |m| m.waiting.mean, wait);
    }
}

/// Under any load: 0 or n, at most 2(n − 1), between 3(K − 1) and 5(K − 1), at most three on a
/// star.
#[test]
fn messages_under_load_stay_within_their_bounds() {
    for rate in [0.05, 0.5, 10.0] {
        for (id, topology, params, least, most) in [
            ("suzuki-kasami", Full, &[][..], 0.0, 31.0),
            ("carvalho-roucairol", Full, &[], 0.0, 60.0),
            ("maekawa", Full, &[("quorums", "plane")], 15.0, 25.0),
            ("neilsen-mizuno", Star, &[], 0.0, 3.0),
        ] {
            for run in runs(id, topology, params, rate, 4_000) {
                let messages = run.messages_per_entry();
                // messages of requests that were not served yet when the run ended
                assert!((0.99 * least..=1.01 * most).contains(&messages), "{id} at rate {rate}: {messages}");
            }
        }
    }
}

/// Messages so far, entries so far, the threads inside.
type Stand = (u64, u64, String);

/// Plays events, given line by line; the state after each line.
fn story(id: &str, setup: Setup, script: &[&str]) -> (Vec<Stand>, Box<dyn Player>) {
    let timing = Timing { load: Load::ByHand, ..Timing::paper(1.0, 1) };
    let mut player = (find(id).unwrap().drive.boot)(setup, &timing);
    let mut told = Vec::new();
    for line in script {
        for title in line.split(';').map(str::trim) {
            let picks = player.enabled();
            let pick = picks.iter().find(|p| p.title == title);
            let event = pick.unwrap_or_else(|| panic!("{title} is not among {picks:#?}")).event;
            player.pick(event);
        }
        let frame = player.frame();
        assert!(frame.invariants.iter().all(|i| i.broken.is_none()), "{id}: {line}");
        let threads = frame.nodes.iter().flat_map(|n| &n.threads);
        let inside = threads.filter(|t| t.doing == lockstep_kernel::view::ThreadState::Inside).map(|t| t.name.clone());
        told.push((frame.counters.messages, frame.counters.entries, inside.collect::<Vec<_>>().join(" ")));
    }
    (told, player)
}

fn at(messages: u64, entries: u64, inside: &str) -> Stand {
    (messages, entries, inside.into())
}

fn var(player: &dyn Player, node: usize, name: &str) -> String {
    let frame = player.frame();
    let var = frame.nodes[node].view.vars.iter().find(|v| v.name == name).expect(name);
    var.value.text(|node| player.setup().name(node).into())
}

/// The holder enters without a message, two requests queue in the token, and an outdated request is
/// ignored: 0 + 3 + 3 messages.
#[test]
fn suzuki_kasami_step_by_step() {
    let script = [
        "p1.1 asks",
        "p2.1 asks; deliver REQUEST(1) p2→p1; p3.1 asks; deliver REQUEST(1) p3→p1",
        "p1.1 leaves; deliver PRIVILEGE(then p3) p1→p2",
        "p2.1 leaves; deliver PRIVILEGE p2→p3",
        "p3.1 leaves; deliver REQUEST(1) p2→p3",
    ];
    let (told, player) = story("suzuki-kasami", Setup::new(3, 1, Full).on(Network::Unordered), &script);
    assert_eq!(told, [at(0, 1, "p1.1"), at(4, 1, "p1.1"), at(5, 2, "p2.1"), at(6, 3, "p3.1"), at(6, 3, "")]);
    assert!(player.frame().last.unwrap().sentence.contains("was served"));
    assert_eq!((var(&*player, 2, "RN"), var(&*player, 2, "LN")), ("[0 1 1]".into(), "[0 1 1]".into()));
}

/// Three nodes, each with its own vote and waiting for the next node's: p3 fails at p1 and
/// relinquishes.
#[test]
fn maekawa_step_by_step() {
    let script = [
        "p1.1 asks; p2.1 asks; p3.1 asks",
        "deliver REQUEST(1) p1→p2; deliver REQUEST(1) p2→p3; deliver REQUEST(1) p3→p1",
        "deliver FAILED p1→p3; deliver LOCKED p3→p2",
        "p2.1 leaves; deliver LOCKED p2→p1",
        "deliver RELEASE p2→p3; p1.1 leaves; deliver LOCKED p1→p3",
        "p3.1 leaves; deliver RELEASE p1→p2; deliver RELEASE p3→p1",
    ];
    let setup = Setup::new(3, 1, Full).with("quorums", "plane");
    let (told, _) = story("maekawa", setup.clone(), &script);
    let expected = [at(3, 0, ""), at(4, 0, ""), at(5, 1, "p2.1"), at(7, 2, "p1.1"), at(9, 3, "p3.1"), at(10, 3, "")];
    assert_eq!(told, expected);

    let line = maekawa::ENTRY.lines().find(|l| l.text.contains("the older wins")).unwrap();
    let (told, player) = story("maekawa", Setup { without: Some(line.id), ..setup }, &script[..2]);
    assert_eq!(told.last(), Some(&at(3, 0, "")));
    assert!(player.frame().flights.is_empty(), "no message is in flight: a deadlock");
}

/// Raymond on a tree of seven: p2 sends one request for two nodes; then the privilege goes down, up
/// and down again.
#[test]
fn raymond_step_by_step() {
    let script = [
        "p4.1 asks; deliver REQUEST p4→p2; p5.1 asks; deliver REQUEST p5→p2; deliver REQUEST p2→p1",
        "p7.1 asks; deliver REQUEST p7→p3; deliver PRIVILEGE p1→p2; deliver REQUEST p3→p1; deliver PRIVILEGE p2→p4",
        "deliver REQUEST p2→p4; p4.1 leaves; deliver PRIVILEGE p4→p2; deliver PRIVILEGE p2→p5",
        "deliver REQUEST p1→p2; deliver REQUEST p2→p5; p5.1 leaves; deliver PRIVILEGE p5→p2; deliver PRIVILEGE p2→p1",
        "deliver PRIVILEGE p1→p3; deliver PRIVILEGE p3→p7",
    ];
    let (told, player) = story("raymond", Setup::new(7, 1, BinaryTree), &script);
    let entered: Vec<&str> = told.iter().map(|t| t.2.as_str()).collect();
    assert_eq!(entered, ["", "p4.1", "p5.1", "", "p7.1"]);
    assert_eq!(var(&*player, 0, "HOLDER"), "p3");
}

/// Neilsen and Mizuno on a star of four: the queue is the chain of FOLLOW.
#[test]
fn neilsen_mizuno_step_by_step() {
    let script = [
        "p2.1 asks; deliver REQUEST(p2) p2→p1; deliver PRIVILEGE p1→p2",
        "p3.1 asks; deliver REQUEST(p3) p3→p1; deliver REQUEST(p3) p1→p2",
        "p4.1 asks; deliver REQUEST(p4) p4→p1; deliver REQUEST(p4) p1→p3",
    ];
    let (told, mut player) = story("neilsen-mizuno", Setup::new(4, 1, Star), &script);
    assert_eq!(told, [at(2, 1, "p2.1"), at(4, 1, "p2.1"), at(6, 1, "p2.1")]);
    assert_eq!((var(&*player, 1, "FOLLOW"), var(&*player, 2, "FOLLOW")), ("p3".into(), "p4".into()));
    for title in ["p2.1 leaves", "deliver PRIVILEGE p2→p3", "p3.1 leaves", "deliver PRIVILEGE p3→p4", "p4.1 leaves"]
    {
        let pick = player.enabled().into_iter().find(|p| p.title == title).expect(title);
        player.pick(pick.event);
    }
    assert_eq!((player.frame().counters.messages, player.frame().counters.entries), (8, 3));
    assert_eq!(var(&*player, 3, "HOLDING"), "true");
}

/// Naimi and Tréhel on the same star: 2 + 3 + 3 messages.
#[test]
fn naimi_trehel_step_by_step() {
    let script = [
        "p2.1 asks; deliver Request(p2) p2→p1; deliver Token p1→p2",
        "p3.1 asks; deliver Request(p3) p3→p1; deliver Request(p3) p1→p2",
        "p4.1 asks; deliver Request(p4) p4→p1; deliver Request(p4) p1→p3",
        "p2.1 leaves; deliver Token p2→p3; p3.1 leaves; deliver Token p3→p4",
    ];
    let (told, player) = story("naimi-trehel", Setup::new(4, 1, Star), &script);
    assert_eq!(told, [at(2, 1, "p2.1"), at(4, 1, "p2.1"), at(6, 1, "p2.1"), at(8, 3, "p4.1")]);
    assert_eq!(var(&*player, 0, "owner"), "p4");
}

/// Carvalho and Roucairol: 4 messages, then none for the same node again, 4 for another, 2 for the
/// first.
#[test]
fn carvalho_roucairol_step_by_step() {
    let ask = "deliver REPLY p1→p3; deliver REPLY p2→p3";
    let script = [
        &format!("p3.1 asks; deliver REQUEST(1) p3→p1; deliver REQUEST(1) p3→p2; {ask}"),
        "p3.1 leaves; p3.1 asks",
        "p3.1 leaves; p2.1 asks; deliver REQUEST(2) p2→p1; deliver REQUEST(2) p2→p3",
        "deliver REPLY p1→p2; deliver REPLY p3→p2",
        "p2.1 leaves; p3.1 asks; deliver REQUEST(3) p3→p2; deliver REPLY p2→p3",
    ];
    let (told, _) = story("carvalho-roucairol", Setup::new(3, 1, Full), &script);
    let expected = [at(4, 1, "p3.1"), at(4, 2, "p3.1"), at(8, 2, ""), at(8, 3, "p2.1"), at(10, 4, "p3.1")];
    assert_eq!(told, expected);
}
