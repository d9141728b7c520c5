//! Slices, limits and unavoidable violations; worst cases known from theory; random walks, which
//! must stay within the explored states.

use crate::reports::{all, run};
use lockstep_check::{Check, CheckReport, CheckSlice, CheckVerdict, StopReason, prepare, words, worst};
use lockstep_kernel::Entry;
use lockstep_kernel::explore::{Outcome, RequestMeasure, to_the_end, walk};
use lockstep_kernel::random::{Purpose, Stream};

fn read(algorithm: &str, options: &str) -> Check {
    Check::read(algorithm, options).unwrap()
}

fn sliced(check: &Check, slice: usize) -> CheckReport {
    let mut checking = prepare(check).unwrap().start();
    let mut seen = 0;
    loop {
        match checking.advance(slice) {
            CheckSlice::Progress(progress) => {
                assert!(progress.states >= seen, "states are never forgotten");
                seen = progress.states;
            }
            CheckSlice::Done(report) => return report,
        }
    }
}

#[test]
fn slices_give_the_same_verdict_as_one_run() {
    for (id, options) in [
        ("alien", "--param variant=v2"),
        ("alien", "--without 12"),
        ("alien", "--param variant=v2 --requests unlimited --network unordered"),
        ("swq", "--nodes 2 --requests 1 --topology star --cells 2 --placement every"),
        ("alien-printed", "--nodes 2"),
        ("naimi-trehel", "--crashes 1 --requests 1"),
    ] {
        let check = read(id, options);
        let whole = run(&check);
        for slice in [1, 7, 1_000] {
            assert_eq!(sliced(&check, slice), whole, "{} in slices of {slice}", check.command());
        }
    }
}

#[test]
fn a_bound_can_be_widened() {
    let check = read("alien", "--param variant=v2");
    let whole = run(&check);
    assert_eq!((whole.verdict, whole.states), (CheckVerdict::Ok, 1_636));
    let mut checking = prepare(&check.clone().with(|s| s.max_states(100))).unwrap().start();
    let bounded = checking.finish();
    assert_eq!((bounded.verdict, bounded.stopped), (CheckVerdict::Bound, Some(StopReason::States)));
    assert!(words(&bounded).ends_with("states remain"), "{}", words(&bounded));
    checking.widen(1_000_000, 100);
    assert_eq!(checking.finish(), whole);
    assert_eq!(words(&whole), "no violation in 1,636 states: all reachable states of this system");
}

#[test]
fn memory_has_a_bound_too() {
    let check = read("alien", "--nodes 4 --requests 3").with(|s| s.max_megabytes(1));
    let mut checking = prepare(&check).unwrap().start();
    let report = checking.finish();
    assert_eq!((report.verdict, report.stopped), (CheckVerdict::Bound, Some(StopReason::Memory)));
    assert!(words(&report).contains("the memory limit is reached"), "{}", words(&report));
    assert!(report.states > 1_000 && !report.invariants.is_empty());
    checking.widen(20_000_000, 1_000);
    let whole = run(&check.with(|s| s.max_megabytes(1_000)));
    assert_eq!((checking.finish(), whole.verdict), (whole, CheckVerdict::Ok));
}

#[test]
fn placements_are_summed_also_after_a_bound() {
    let every = read("swq", "--nodes 2 --requests 1 --topology star --cells 2 --placement every");
    let whole = run(&every);
    let mut checking = prepare(&every.with(|s| s.max_states(whole.states / 5))).unwrap().start();
    assert_eq!(checking.finish().verdict, CheckVerdict::Bound);
    checking.widen(1_000_000, 1_000);
    assert_eq!(checking.finish(), whole);
}

/// The step from which a violation is unavoidable, which may be long before it shows.
#[test]
fn the_step_from_which_a_violation_is_unavoidable() {
    let unavoidable = |check: Check| {
        let violation = run(&check).violation.unwrap_or_else(|| panic!("{}", check.command()));
        (violation.steps.len(), violation.unavoidable)
    };
    // each request parks another: the fourth step closes the cycle
    let parked = "--nodes 2 --requests 1 --topology star --cells 2 --placement p1,p2";
    let (steps, at) = unavoidable(read("swq-printed", parked));
    assert_eq!(steps, 4);
    assert!(at.is_some_and(|at| (1..=4).contains(&at)), "{at:?}");
    // a lost token: the violation shows only after twelve steps
    let (steps, at) = unavoidable(read("alien-printed", "--nodes 2"));
    assert_eq!(steps, 12);
    assert!(at.is_some_and(|at| at < 12), "{at:?}");
    // with unlimited requests, no state serves all requests
    let starving = read("alien", "--param variant=v2 --requests unlimited --network unordered");
    assert_eq!(run(&starving).violation.unwrap().unavoidable, None);
}

#[test]
fn one_crash_is_explored_and_the_node_may_restart() {
    let report = run(&read("alien", "--nodes 2 --requests 1 --crashes 1"));
    let violation = report.violation.expect("a token may be lost with its node");
    assert!(violation.steps.iter().any(|s| s.ends_with("crashes")), "{violation:?}");
    // the manager alone: a crash of an idle client is harmless, and restarting is possible
    assert!(report.link.is_some());
}

#[test]
fn bad_checks_are_refused_with_reasons() {
    let problems = |check: &Check| prepare(check).err().unwrap_or_default();
    let wrong = read("nobody", "").with(|s| s.nodes(0).crashes(2).requests(0));
    assert_eq!(problems(&wrong).len(), 4, "{:?}", problems(&wrong));
    let large = read("alien", "").with(|s| s.max_megabytes(0).cells(99));
    assert_eq!(problems(&large).len(), 2, "{:?}", problems(&large));
    // a number of cells within the limits is refused too where no range is locked
    let ranges = problems(&read("alien", "--cells 9"));
    assert!(ranges.len() == 1 && ranges[0].contains("range"), "{ranges:?}");
    assert!(Check::read("alien", "--nodes").is_err() && Check::read("alien", "--colour red").is_err());
}

#[test]
fn options_can_be_read_again() {
    let options = "--param variant=v2 --nodes 4 --threads 2 --requests unlimited --topology star --network lossy --without 3 --max-states 99";
    assert_eq!(read("alien", options).options(), options);
    let json = serde_json::to_string(&read("alien", options)).unwrap();
    assert_eq!(serde_json::from_str::<Check>(&json).unwrap(), read("alien", options));
    assert!(serde_json::from_str::<Check>(r#"{"algorithm":"alien","colour":"red"}"#).is_err());
    let many: Check = serde_json::from_str(r#"{"algorithm":"alien","requests":"many"}"#).unwrap();
    let problems = prepare(&many).err().unwrap_or_default();
    assert!(problems.len() == 1 && problems[0].starts_with("requests: many"), "{problems:?}");
}

fn worst_of(id: &str, options: &str, measure: RequestMeasure) -> Option<u32> {
    let found = worst(&read(id, options), measure).unwrap().finish();
    assert!(found.exact, "{id} {options}: {}", found.words());
    assert!(found.value.is_none_or(|v| v == 0) || found.link.is_some());
    found.value
}

/// Alien threads, v2: at most n − 2 forwards on FIFO links for any number of requests, and
/// (n − 1)(B + 1) − 1 on unordered links.
#[test]
fn forwards_are_bounded_by_fifo() {
    let forwards =
        |options: &str| worst_of("alien", &format!("--param variant=v2 {options}"), RequestMeasure::Forwards);
    for requests in 1..=3 {
        assert_eq!(forwards(&format!("--nodes 3 --requests {requests}")), Some(1));
        let unordered = forwards(&format!("--nodes 3 --requests {requests} --network unordered"));
        assert_eq!(unordered, Some(2 * (requests + 1) - 1));
    }
    assert_eq!(forwards("--nodes 4 --requests 1"), Some(2));
    assert_eq!(forwards("--nodes 3 --requests unlimited"), Some(1));
    if std::env::var_os("LOCKSTEP_DEEP").is_some() {
        assert_eq!(forwards("--nodes 4 --requests 2"), Some(2));
        assert_eq!(forwards("--nodes 4 --requests 1 --network unordered"), Some(5));
    }
}

#[test]
fn overtaking_is_bounded() {
    let bypass = |id: &str, options: &str| worst_of(id, options, RequestMeasure::Bypass);
    // a queue at a server: requests in flight are not in it yet
    assert_eq!(bypass("central-server", "--nodes 2 --requests 1"), Some(1));
    assert_eq!(
        bypass("ricart-agrawala", "--nodes 2 --requests 3"),
        Some(2),
        "twice by the same other, as its essay says"
    );
    assert_eq!(bypass("ricart-agrawala-printed", "--param clocks=zero --nodes 2 --requests 3"), Some(1), "once");
    let endless = worst(&read("central-server", "--param order=id --requests unlimited"), RequestMeasure::Bypass);
    let endless = endless.unwrap().finish();
    assert!(!endless.exact && endless.words().contains("other orders may give more"), "{}", endless.words());
}

#[test]
fn the_most_messages_and_the_latest_grant() {
    let messages = worst(&read("alien", "--nodes 2 --requests 1"), RequestMeasure::Messages).unwrap().finish();
    // the request of p2, the token, and the request that p1 sends after the token
    assert!(messages.exact && messages.value == Some(3), "{:?}", messages);
    let steps = worst(&read("alien", "--nodes 2 --requests 1"), RequestMeasure::Steps).unwrap().finish();
    assert!(steps.exact && steps.value >= Some(3), "{}", steps.words());
    let little = read("alien", "--nodes 4").with(|s| s.max_megabytes(1));
    assert!(!worst(&little, RequestMeasure::Steps).unwrap().finish().exact, "memory is a bound here too");
    // schedules can be replayed and have the stated length
    let link = lockstep_scenario::link::Link::decode(&steps.link.clone().unwrap()).unwrap();
    assert_eq!(link.choices.len(), steps.steps.len());
}

/// Small systems of every kind that an algorithm supports.
fn small(entry: &Entry, stream: &mut Stream) -> Check {
    let mut pick = |from: &[&str]| from[stream.below(from.len() as u32) as usize].to_owned();
    let mut check = Check::default().with(|s| s.algorithm(entry.id).max_states(20_000));
    for param in entry.params {
        check.spec.given.insert(param.name.into(), pick(param.values));
    }
    let plane = check.spec.given.get("quorums").is_some_and(|quorums| quorums == "plane");
    check.spec.nodes = Some(pick(if plane { &["3"] } else { &["2", "2", "3"] }));
    check.spec.threads = Some(pick(&["1", "1", "2"]));
    check.spec.requests = Some(pick(&["1", "1", "2"]));
    check.spec.topology = Some(pick(&["chain", "star", "binary-tree", "ring", "full"]));
    check.spec.network = Some(pick(&["fifo", "unordered", "lossy", "duplicating"]));
    check.spec.crashes = Some(pick(&["0", "0", "0", "1"]));
    if entry.drive.ranges {
        check.spec.cells = Some(pick(&["1", "2"]));
    }
    if entry.drive.cancels {
        check.spec.cancels = Some(pick(&["0", "1"]));
    }
    check
}

/// No random walk reaches a state outside the explored ones. If a violation ended the exploration,
/// walks are as long as its depth.
#[test]
fn no_walk_leaves_what_was_explored() {
    let deep = std::env::var_os("LOCKSTEP_DEEP").is_some();
    let (systems, walks) = if deep { (50, 10_000) } else { (15, 300) };
    for entry in all() {
        let mut stream = Stream::new(7, Purpose::Pick, 0);
        let mut whole = 0;
        for _ in 0..20 * systems {
            let check = small(entry, &mut stream);
            let prepared = prepare(&check).unwrap();
            let mut explorer = entry.explorer(&prepared.setups[0], &prepared.bounds);
            let verdict = to_the_end(&mut *explorer);
            let steps = match verdict.outcome {
                Outcome::Ok => 300,
                Outcome::Violation(v) if v.steps.len() == verdict.depth && v.cycle == 0 => verdict.depth,
                _ => continue,
            };
            whole += 1;
            let system = (entry.drive.system)(prepared.setups[0].clone());
            for _ in 0..walks {
                let mut lost = 0;
                let mut visit = |state| lost += usize::from(!explorer.saw(state));
                walk(&system, &prepared.bounds, steps, &mut |count| stream.below(count), &mut visit);
                assert_eq!(lost, 0, "{}: a walk reaches what was not explored", check.command());
            }
            if whole == systems {
                break;
            }
        }
        assert_eq!(whole, systems, "{}: too few small systems", entry.id);
    }
}

#[test]
fn symmetric_states_are_explored_once_and_counted() {
    let star = Check::default().with(|s| s.algorithm("alien").nodes(4).topology("star"));
    let whole = run(&star);
    let reduced = run(&star.clone().with(|s| s.symmetry(true)));
    assert_eq!((whole.alike, reduced.alike), (1, 6));
    assert_eq!((whole.verdict, reduced.verdict), (CheckVerdict::Ok, CheckVerdict::Ok));
    assert!(
        reduced.states * 6 >= whole.states && reduced.states * 5 < whole.states,
        "{} of {}",
        reduced.states,
        whole.states
    );
    assert!(words(&reduced).contains("each for up to 6"), "{}", words(&reduced));
    let refused = |check: Check| prepare(&check.with(|s| s.symmetry(true))).err().unwrap().join(" ");
    assert!(refused(star.clone().with(|s| s.topology("chain"))).contains("no two nodes"));
    assert!(refused(star.clone().with(|s| s.algorithm("lamport"))).contains("names of nodes"));
    assert!(refused(star.clone().with(|s| s.nodes(9))).contains("at most seven"));
    assert!(refused(star.with(|s| s.requests("unlimited"))).contains("unlimited requests"));
}
