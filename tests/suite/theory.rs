//! What must come out of simulations, from theory alone. Values: the alien-threads paper's model at N = 31 (see the notes in each test).

use lockstep_algorithms::find;
use lockstep_kernel::run::statistics::Interval;
use lockstep_kernel::run::{Job, Measured};
use lockstep_kernel::timing::Timing;
use lockstep_kernel::{Network, Setup, Topology};

fn runs(id: &str, params: &[(&str, &str)], threads: u32, rate: f64, entries: u64) -> Vec<Measured> {
    runs_on(Network::Fifo, id, params, threads, rate, entries)
}

fn runs_on(
    network: Network,
    id: &str,
    params: &[(&str, &str)],
    threads: u32,
    rate: f64,
    entries: u64,
) -> Vec<Measured> {
    let entry = find(id).unwrap();
    let mut setup = Setup::new(31, threads, Topology::BinaryTree).on(network);
    for (name, value) in params {
        setup = setup.with(name, value);
    }
    (1..=5)
        .map(|seed| {
            let job = Job { setup: setup.clone(), timing: Timing::paper(rate, seed), entries, bypass: false };
            let measured = (entry.drive.measure)(&job);
            assert_eq!(measured.violations, 0, "{id}");
            assert_eq!(measured.entries, entries, "{id}");
            measured
        })
        .collect()
}

fn interval(runs: &[Measured], value: impl Fn(&Measured) -> f64) -> Interval {
    Interval::of(&runs.iter().map(value).collect::<Vec<_>>())
}

/// The mean lies within *twice* the 95 % interval of five runs, and the interval is narrow enough to mean it. A test of the single interval
/// would fail by design in one case of twenty; the single interval is for people to look at.
fn agrees(what: &str, got: Interval, expected: f64, relative_width: f64) {
    assert!(got.half_width < relative_width * expected, "{what}: {got:?} is too wide to say anything");
    assert!(
        (got.mean - expected).abs() <= 2.0 * got.half_width + 1e-4 * expected,
        "{what}: {got:?} instead of {expected}"
    );
}

const V1: &[(&str, &str)] = &[("variant", "v1"), ("piggyback", "true")];
const V2: &[(&str, &str)] = &[("variant", "v2"), ("piggyback", "true")];

#[test]
fn isolated_requests() {
    let harmonic: f64 = (1..=30).map(|i| 1.0 / f64::from(i)).sum();
    // twice the mean distance in the complete binary tree of 31 nodes; Ramanujan's Q(31) − 1/31
    let cases = [
        ("alien", V1, 2.0 * 4608.0 / 961.0),
        ("alien", V2, 6.630),
        ("mueller", &[], harmonic),
        ("naimi-trehel", &[], harmonic),
    ];
    for (id, params, expected) in cases {
        let runs = runs(id, params, 1, 1e-4, 40_000);
        agrees(&format!("{id} {params:?}"), interval(&runs, Measured::messages_per_entry), expected, 0.01);
    }
    let raymond = runs("raymond", &[], 1, 1e-4, 40_000);
    agrees("raymond", interval(&raymond, Measured::messages_per_entry), 2.0 * 4608.0 / 961.0, 0.01);
}

/// Not a test of intervals: they are all but zero here, and what is left is the start-up, 30 requests in 100,000 entries (0.1939 instead of
/// 0.1935), because no warm-up is removed. Hence fixed tolerances.
///
/// λ → ∞ with ten threads: the token walks around the tree, 60 messages for 310 entries; 50.8 entries per time unit.
#[test]
fn saturation() {
    for params in [V1, V2] {
        let runs = runs("alien", params, 10, 100.0, 100_000);
        let messages = interval(&runs, Measured::messages_per_entry);
        assert!((messages.mean / (60.0 / 310.0) - 1.0).abs() < 0.003, "{params:?} {messages:?}");
        let throughput = interval(&runs, |m| m.entries as f64 / m.virtual_time);
        assert!((throughput.mean / (310.0 / (60.0 * 0.05 + 3.1)) - 1.0).abs() < 0.005, "{params:?} {throughput:?}");
    }
    // four messages for each edge of a tour, if each node is served about once in it: so at λ = 1, not at λ = 100, where inner nodes are
    // served on several visits of one tour and 2.75 messages suffice
    let raymond = runs("raymond", &[], 1, 1.0, 50_000);
    let messages = interval(&raymond, Measured::messages_per_entry);
    assert!((messages.mean - 4.0 * 30.0 / 31.0).abs() < 0.2, "about four messages under saturation: {messages:?}");
}

/// This holds exactly only for one thread and unordered links. On FIFO links one thread carries 16.57, as tokens wait behind requests; with five
/// threads neighbours in the queue are often of one node, need no token move, and the ceiling is 18.19.
///
/// Mueller's knee: one token move (0.05) and one section (0.01) for each entry bound the throughput at 1/0.06, so the load λ·31 that can be
/// carried without waiting ends at λ = 0.538. Below it entries keep pace with requests, above it they cannot.
#[test]
fn muellers_knee() {
    let knee = 1.0 / (31.0 * 0.06);
    let throughput = |threads, rate| {
        // unordered, because on a FIFO link the token now and then waits for the request before it
        let runs = runs_on(Network::Unordered, "mueller", &[("reading", "a")], threads, rate, 60_000);
        interval(&runs, |m| m.entries as f64 / m.virtual_time)
    };
    agrees("below the knee", throughput(5, 0.8 * knee), 0.8 * knee * 31.0, 0.02);
    agrees("far above the knee", throughput(1, 40.0 * knee), 1.0 / 0.06, 0.02);
    let wait = |rate: f64| interval(&runs("mueller", &[("reading", "a")], 5, rate, 60_000), |m| m.waiting.mean).mean;
    assert!(wait(1.3 * knee) > 5.0 * wait(0.7 * knee), "waiting rises abruptly at the knee");
}

/// On FIFO links version 2 passes a request on at most n − 2 times.
#[test]
fn v2_forwards_are_bounded_on_fifo_links() {
    for rate in [0.01, 0.1, 0.5] {
        for run in runs("alien", V2, 1, rate, 20_000) {
            assert!(run.paths.max <= 30, "rate {rate}: {:?}", run.paths);
        }
    }
}

/// One long run judged by batch means, and replications, estimate the same.
#[test]
fn batch_means_and_replications_agree() {
    let runs = runs("alien", V2, 1, 0.2, 60_000);
    let replications = interval(&runs, Measured::messages_per_entry);
    let (messages, waiting) = lockstep_kernel::run::statistics::batch_means(&runs[0].batches);
    assert_eq!(runs[0].batches.len(), 32);
    assert!((messages.mean - replications.mean).abs() < messages.half_width + 2.0 * replications.half_width);
    assert!(waiting.half_width > 0.0 && (waiting.mean / runs[0].waiting.mean - 1.0).abs() < 1e-9);
}
