//! Simulations against values from theory. Values: the alien-threads paper's model at N = 31 (see
//! the notes in each test).

use lockstep_algorithms::find;
use lockstep_kernel::run::statistics::Interval;
use lockstep_kernel::run::{BatchJob, RunMeasures};
use lockstep_kernel::timing::Timing;
use lockstep_kernel::{Network, Setup, Topology};

/// A system of the paper's model and its load.
struct TheoryCase<'a> {
    id: &'a str,
    params: &'a [(&'a str, &'a str)],
    threads: u32,
    rate: f64,
    network: Network,
}

impl<'a> TheoryCase<'a> {
    fn new(id: &'a str, params: &'a [(&'a str, &'a str)], threads: u32, rate: f64) -> Self {
        TheoryCase { id, params, threads, rate, network: Network::Fifo }
    }

    /// Ten replications, each after a warm-up.
    fn runs(&self, entries: u64) -> Vec<RunMeasures> {
        let entry = find(self.id).unwrap();
        let mut setup = Setup::new(31, self.threads, Topology::BinaryTree).on(self.network);
        for (name, value) in self.params {
            setup = setup.with(name, value);
        }
        (1..=10)
            .map(|seed| {
                let job = BatchJob {
                    warmup: entries / 10,
                    ..BatchJob::new(setup.clone(), Timing::paper(self.rate, seed), entries)
                };
                let measured = entry.measure(&job);
                assert_eq!((measured.violations, measured.entries), (0, entries), "{}", self.id);
                measured
            })
            .collect()
    }
}

fn interval(runs: &[RunMeasures], value: impl Fn(&RunMeasures) -> f64) -> Interval {
    Interval::of(&runs.iter().map(value).collect::<Vec<_>>())
}

fn throughput(m: &RunMeasures) -> f64 {
    m.entries as f64 / m.virtual_time
}

/// The theory's value lies in the 95 % confidence interval of ten runs, and the interval is narrow.
/// Seeds are fixed, so the result never varies.
fn agrees(what: &str, got: Interval, expected: f64, relative_width: f64) {
    assert!(got.half_width < relative_width * expected, "{what}: {got:?} is too wide to say anything");
    assert!(got.contains(expected), "{what}: {got:?} instead of {expected}");
}

const V1: &[(&str, &str)] = &[("variant", "v1"), ("piggyback", "true")];
const V2: &[(&str, &str)] = &[("variant", "v2"), ("piggyback", "true")];

#[test]
fn messages_of_isolated_requests() {
    let harmonic: f64 = (1..=30).map(|i| 1.0 / f64::from(i)).sum();
    // twice the mean distance in the complete binary tree of 31 nodes; Ramanujan's Q(31) − 1/31
    let cases = [
        ("alien", V1, 2.0 * 4608.0 / 961.0),
        ("alien", V2, 6.630),
        ("mueller", &[], harmonic),
        ("naimi-trehel", &[], harmonic),
    ];
    for (id, params, expected) in cases {
        let runs = TheoryCase::new(id, params, 1, 1e-4).runs(40_000);
        agrees(&format!("{id} {params:?}"), interval(&runs, RunMeasures::messages_per_entry), expected, 0.005);
    }
    let raymond = TheoryCase::new("raymond", &[], 1, 1e-4).runs(40_000);
    agrees("raymond", interval(&raymond, RunMeasures::messages_per_entry), 2.0 * 4608.0 / 961.0, 0.005);
}

/// λ → ∞ with ten threads: the token walks around the tree, 60 messages for 310 entries; 50.8
/// entries per time unit.
#[test]
fn messages_and_throughput_at_saturation() {
    for params in [V1, V2] {
        let runs = TheoryCase::new("alien", params, 10, 100.0).runs(100_000);
        agrees("messages", interval(&runs, RunMeasures::messages_per_entry), 60.0 / 310.0, 0.001);
        agrees("throughput", interval(&runs, throughput), 310.0 / (60.0 * 0.05 + 3.1), 0.005);
    }
    // four messages for each edge of a tour, if each node is served about once in it: so at λ = 1,
    // not at λ = 100, where inner nodes are served on several visits of one tour and 2.75 messages
    // suffice
    let raymond = TheoryCase::new("raymond", &[], 1, 1.0).runs(50_000);
    let messages = interval(&raymond, RunMeasures::messages_per_entry);
    assert!((messages.mean - 4.0 * 30.0 / 31.0).abs() < 0.2, "about four messages under saturation: {messages:?}");
}

/// Mueller's knee: one token move (0.05) and one section (0.01) for each entry bound the throughput
/// at 1/0.06, so the load λ·31 that can be carried ends at λ = 0.538. Below it entries keep pace
/// with requests, above it they cannot.
///
/// One thread, because with several neighbours in the queue are often of one node and need no token
/// move (the ceiling of five threads is 18.2); an unordered network, because on a FIFO network a
/// token sometimes waits for the request before it, and a move takes longer than 0.05.
#[test]
fn muellers_throughput_is_bounded() {
    let knee = 1.0 / (31.0 * 0.06);
    let mueller = |threads, rate, network| {
        let case = TheoryCase { network, ..TheoryCase::new("mueller", &[("reading", "a")], threads, rate) };
        case.runs(60_000)
    };
    let far_above = |network| interval(&mueller(1, 40.0 * knee, network), |m| throughput(m) / 31.0);
    agrees("the knee", far_above(Network::Unordered), knee, 0.002);
    let fifo = far_above(Network::Fifo);
    assert!(fifo.mean + fifo.half_width < knee && fifo.mean > 0.99 * knee, "a little lower on FIFO links: {fifo:?}");
    let below = interval(&mueller(5, 0.8 * knee, Network::Unordered), |m| throughput(m) / 31.0);
    agrees("below the knee", below, 0.8 * knee, 0.005);
    let wait = |rate| interval(&mueller(5, rate, Network::Fifo), |m| m.waiting.mean).mean;
    assert!(wait(1.3 * knee) > 5.0 * wait(0.7 * knee), "waiting rises abruptly at the knee");
}

/// On a FIFO network version 2 passes a request on at most n − 2 times.
#[test]
fn v2_forwards_are_bounded_on_a_fifo_network() {
    for rate in [0.01, 0.1, 0.5] {
        for run in TheoryCase::new("alien", V2, 1, rate).runs(20_000) {
            assert!(run.paths.max <= 30, "rate {rate}: {:?}", run.paths);
        }
    }
}

/// Batch means of one long run and replications give the same estimate.
#[test]
fn batch_means_and_replications_agree() {
    let runs = TheoryCase::new("alien", V2, 1, 0.2).runs(60_000);
    let replications = interval(&runs, RunMeasures::messages_per_entry);
    let (messages, waiting) = lockstep_kernel::run::statistics::batch_means(&runs[0].batches);
    assert_eq!(runs[0].batches.len(), 32);
    assert!((messages.mean - replications.mean).abs() < messages.half_width + 2.0 * replications.half_width);
    assert!(waiting.half_width > 0.0 && (waiting.mean / runs[0].waiting.mean - 1.0).abs() < 1e-9);
}
