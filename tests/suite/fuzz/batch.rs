//! Runs the cases of one kind: in one thread with a small stack, each measured.
//!
//! No case may take two seconds of a processor. Seconds of this machine are counted in a loop that
//! takes about one, and time in which another program ran does not count.

use lockstep_tests::damage::{DamageRandom, bytes, structure};
use std::panic::{AssertUnwindSafe, catch_unwind};

/// A worker of the page has a stack of 1 MB; natively frames are larger.
const STACK: usize = 2 << 20;
/// No case may take longer than so many times the median, beside the reference…
const TIMES_THE_MEDIAN: u64 = 1_000;
/// …nor longer than so many times the reference, which is about a second.
const TIMES_THE_REFERENCE: u64 = 2;

/// Damaged documents of one kind.
pub struct FuzzBatch {
    pub kind: &'static str,
    pub cases: u64,
}

/// A case that took long.
struct SlowCase {
    case: u64,
    nanoseconds: u64,
}

impl FuzzBatch {
    /// Damages the documents and reads each; `read` must neither panic nor take long.
    pub fn run(&self, documents: &[Vec<u8>], read: fn(&[u8])) {
        assert!(!documents.is_empty(), "{}: no documents", self.kind);
        let wanted = std::env::var("LOCKSTEP_CASE").ok();
        let only = match wanted.as_deref().map(|wanted| wanted.split_once(':').expect("expected KIND:NUMBER")) {
            Some((kind, case)) if kind == self.kind => Some(case.parse::<u64>().expect("expected KIND:NUMBER")),
            Some(_) => return,
            None => None,
        };
        std::thread::scope(|scope| {
            let work = || self.cases(documents, read, only);
            std::thread::Builder::new().stack_size(STACK).spawn_scoped(scope, work).unwrap().join().unwrap();
        });
    }

    fn cases(&self, documents: &[Vec<u8>], read: fn(&[u8]), only: Option<u64>) {
        let reference = processor(reference);
        let (mut times, mut slowest) = (Vec::new(), SlowCase { case: 0, nanoseconds: 0 });
        for case in only.map_or(0..self.cases, |case| case..case + 1) {
            let input = self.input(documents, case);
            let before = nanoseconds();
            let survived = catch_unwind(AssertUnwindSafe(|| read(&input)));
            let taken = nanoseconds() - before;
            assert!(survived.is_ok(), "{}", self.failed(case, "panicked", &input));
            times.push(taken);
            if taken > slowest.nanoseconds {
                slowest = SlowCase { case, nanoseconds: taken };
            }
        }
        times.sort_unstable();
        let median = times[times.len() / 2];
        let (kind, cases) = (self.kind, times.len());
        println!(
            "{kind}: {cases} cases, median {:.3} ms, slowest {:.1} ms (case {}), reference {:.0} ms",
            median as f64 / 1e6,
            slowest.nanoseconds as f64 / 1e6,
            slowest.case,
            reference as f64 / 1e6
        );
        let limit = (TIMES_THE_MEDIAN * median + reference).min(TIMES_THE_REFERENCE * reference);
        let input = self.input(documents, slowest.case);
        // a case never computes longer than it takes, so the slowest is the only suspect; a machine
        // that did something else meanwhile is not to blame
        let again = |_| processor(|| read(&input));
        let long = slowest.nanoseconds > limit && (0..3).map(again).all(|taken| taken > limit);
        assert!(only.is_some() || !long, "{}", self.failed(slowest.case, "took too long", &input));
    }

    /// The document of a case.
    fn input(&self, documents: &[Vec<u8>], case: u64) -> Vec<u8> {
        let mut random = DamageRandom::of(self.kind, case);
        let document = random.pick(documents);
        match std::str::from_utf8(document) {
            Ok(text) if case.is_multiple_of(2) => structure(&mut random, text).into_bytes(),
            _ => bytes(&mut random, document),
        }
    }

    fn failed(&self, case: u64, what: &str, input: &[u8]) -> String {
        let shown: String = input.escape_ascii().to_string().chars().take(4_000).collect();
        let kind = self.kind;
        format!("{kind}, case {case} {what}; LOCKSTEP_CASE='{kind}:{case}' runs it alone. Its input: {shown}")
    }
}

/// A fixed piece of work, against which a case is measured: about a second.
fn reference() {
    let mut random = DamageRandom::of("reference", 0);
    let sum = (0..500_000_000u64).fold(0u64, |sum, _| sum.wrapping_add(random.draw()));
    assert_ne!(std::hint::black_box(sum), 0);
}

/// The nanoseconds that this thread computes for some work; where the system does not count them,
/// those that pass.
fn processor(work: impl FnOnce()) -> u64 {
    let computed = || {
        let counts = std::fs::read_to_string("/proc/thread-self/schedstat").ok()?;
        counts.split(' ').next()?.parse::<u64>().ok()
    };
    let (before, began) = (computed(), nanoseconds());
    work();
    let passed = nanoseconds() - began;
    computed().zip(before).map_or(passed, |(after, before)| after - before)
}

/// The time since the first call.
#[allow(clippy::disallowed_methods, reason = "a case must not take long")]
fn nanoseconds() -> u64 {
    static BEGUN: std::sync::OnceLock<std::time::Instant> = std::sync::OnceLock::new();
    BEGUN.get_or_init(std::time::Instant::now).elapsed().as_nanos() as u64
}
