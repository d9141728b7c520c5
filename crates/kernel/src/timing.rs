//! Timing: message delays, critical-section times, think times and request rates.

use crate::random::{Stream, Ziggurat, ziggurat};
use crate::{Cells, NodeId, Setup, ThreadId, Time, ids::ticks, sort};
use serde::{Deserialize, Serialize};
use std::fmt;
use std::str::FromStr;

/// A distribution of durations in time units. Written `const:0.01`, `uniform:0:0.1`, `exp:0.5`
/// (mean).
#[derive(Clone, Copy, PartialEq, Debug, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub enum Duration {
    /// Always the same.
    Const(f64),
    /// Uniform between two bounds.
    Uniform(f64, f64),
    /// Exponential with this mean.
    Exp(f64),
}

impl Duration {
    /// The mean in time units.
    pub fn mean(self) -> f64 {
        match self {
            Duration::Const(x) | Duration::Exp(x) => x,
            Duration::Uniform(a, b) => (a + b) / 2.0,
        }
    }
}

impl fmt::Display for Duration {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Duration::Const(x) => write!(f, "const:{x}"),
            Duration::Uniform(a, b) => write!(f, "uniform:{a}:{b}"),
            Duration::Exp(x) => write!(f, "exp:{x}"),
        }
    }
}

impl From<Duration> for String {
    fn from(d: Duration) -> String {
        d.to_string()
    }
}

impl TryFrom<String> for Duration {
    type Error = String;
    fn try_from(s: String) -> Result<Self, String> {
        s.parse()
    }
}

/// The longest duration that is accepted: a hundred million time units.
pub const LONGEST: f64 = 1e8;

impl FromStr for Duration {
    type Err = String;
    fn from_str(s: &str) -> Result<Self, String> {
        let form = "const:0.01, uniform:0:0.1 or exp:0.5";
        let number = |t: &str| {
            let parsed = t.parse::<f64>().ok().filter(|x| (0.0..=LONGEST).contains(x));
            parsed.ok_or_else(|| {
                format!("`{s}` is not allowed; expected {form}, with numbers from 0 to {LONGEST:e} instead of `{t}`")
            })
        };
        let parts: Vec<&str> = s.split(':').collect();
        match parts.as_slice() {
            ["const", x] => Ok(Duration::Const(number(x)?)),
            ["exp", x] => Ok(Duration::Exp(number(x)?)),
            ["uniform", a, b] => {
                let (a, b) = (number(a)?, number(b)?);
                if a <= b {
                    Ok(Duration::Uniform(a, b))
                } else {
                    Err(format!("`{s}` is not allowed; expected the smaller bound first, as in uniform:0:0.1"))
                }
            }
            _ => Err(format!("`{s}` is not allowed; expected {form}")),
        }
    }
}

/// A [`Duration`] in ticks, ready to be drawn from.
#[derive(Clone, Copy)]
pub enum Sampler {
    /// Always the same.
    Const(Time),
    /// From, and the width as ticks.
    Uniform(Time, Time),
    /// The mean in ticks, and the table to draw with.
    Exp(f64, &'static Ziggurat),
}

impl Sampler {
    /// Exponential with this mean in ticks.
    pub fn exponential(mean: f64) -> Self {
        Sampler::Exp(mean, ziggurat())
    }
}

impl From<Duration> for Sampler {
    fn from(d: Duration) -> Self {
        match d {
            Duration::Const(x) => Sampler::Const(ticks(x)),
            Duration::Uniform(a, b) => Sampler::Uniform(ticks(a), ticks(b) - ticks(a)),
            Duration::Exp(x) => Sampler::exponential(ticks(x) as f64),
        }
    }
}

impl Sampler {
    /// The next duration of a stream.
    #[inline(always)]
    pub fn next(self, stream: &mut Stream) -> Time {
        match self {
            Sampler::Const(x) => x,
            Sampler::Uniform(from, width) => from + scale(width, stream.bits()),
            Sampler::Exp(mean, table) => (stream.exponential(table) * mean) as Time,
        }
    }
}

/// `width · bits / 2³²` without overflow for any width below 2⁶³.
#[inline]
fn scale(width: Time, bits: u32) -> Time {
    let bits = u64::from(bits);
    (width >> 32) * bits + (((width & 0xffff_ffff) * bits) >> 32)
}

/// Message delays.
#[derive(Clone, Copy, PartialEq, Debug, Serialize, Deserialize)]
pub struct Delays {
    /// Within a cluster.
    pub local: Duration,
    /// Between clusters.
    pub global: Duration,
}

impl Delays {
    /// The same everywhere.
    pub fn everywhere(d: Duration) -> Self {
        Delays { local: d, global: d }
    }
}

/// When threads request.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Load {
    /// Only when the user picks the event.
    ByHand,
    /// Requests arrive at each node at this rate per time unit, for a random idle thread; arrivals
    /// pause while no thread of the node is idle and resume at the end of a critical section (the
    /// rule of Meza, Pérez and Eterovic 2005).
    Poisson(f64),
    /// Each thread thinks, requests, enters and leaves, this often.
    Closed {
        /// Think time before the first request; with `const:0` all threads request at once.
        first: Duration,
        /// Think time.
        think: Duration,
        /// Requests of each thread.
        requests: u32,
    },
    /// Threads request at given times (in time units), or as soon as they are idle again.
    Script(Vec<(f64, ThreadId)>),
}

impl Load {
    /// The same think time before every request.
    pub fn closed(think: Duration, requests: u32) -> Self {
        Load::Closed { first: think, think, requests }
    }
}

/// Timing of a divided resource: which cells are requested, and how long their data travel.
#[derive(Clone, Copy, PartialEq, Debug, Serialize, Deserialize)]
pub struct RangeTiming {
    /// The share of the resource that each request covers, more than 0 and at most 1.
    pub share: f64,
    /// Ranges begin at a multiple of their length, not anywhere.
    pub aligned: bool,
    /// Time units that the data of one cell add to a message's delay (bytes of a cell / bandwidth).
    pub per_cell: f64,
    /// A node is busy with a message that it sends until it is delivered; events at the node wait
    /// meanwhile, in the order of arrival.
    pub blocking: bool,
}

impl Default for RangeTiming {
    fn default() -> Self {
        RangeTiming { share: 1.0, aligned: false, per_cell: 0.0, blocking: false }
    }
}

/// The cells of future requests: drawn ahead, one request for each thread, so that both timed
/// drivers agree.
#[derive(Clone)]
pub struct CellRequests {
    cells: u16,
    length: u16,
    aligned: bool,
    streams: Vec<Stream>,
    next: Vec<Cells>,
}

impl CellRequests {
    /// For every thread of a system.
    pub fn new(timing: &Timing, setup: &Setup) -> Self {
        let cells = setup.cells.max(1);
        let length = (libm::round(timing.ranged.share * f64::from(cells)) as u16).clamp(1, cells);
        let threads = setup.all_threads() as u32;
        let streams: Vec<Stream> =
            (0..threads).map(|i| Stream::new(timing.seed, crate::random::Purpose::Cells, i)).collect();
        let mut wants = CellRequests { cells, length, aligned: timing.ranged.aligned, streams, next: Vec::new() };
        wants.next = (0..threads).map(|i| wants.draw(ThreadId(i))).collect();
        wants
    }

    /// The cells of a thread's next request.
    pub fn next(&self, thread: ThreadId) -> Cells {
        self.next[thread.index()]
    }

    /// A thread has requested: draws its next cells.
    pub fn advance(&mut self, thread: ThreadId) {
        self.next[thread.index()] = self.draw(thread);
    }

    fn draw(&mut self, thread: ThreadId) -> Cells {
        let stream = &mut self.streams[thread.index()];
        let lo = if self.length == self.cells {
            0
        } else if self.aligned {
            stream.below(u32::from(self.cells / self.length)) as u16 * self.length
        } else {
            stream.below(u32::from(self.cells - self.length) + 1) as u16
        };
        Cells { lo, hi: lo + self.length }
    }
}

/// The timing of a system: request rates, durations and the seed.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Timing {
    /// When threads request.
    pub load: Load,
    /// Critical-section time.
    pub section: Duration,
    /// Message delays.
    pub delays: Delays,
    /// The seed of all random streams.
    pub seed: u64,
    /// For divided resources.
    #[serde(default)]
    pub ranged: RangeTiming,
}

impl Timing {
    /// The model of Meza, Pérez and Eterovic 2005 at request rate λ: critical-section time 0.01,
    /// message delays 0.1·U(0,1).
    pub fn paper(rate: f64, seed: u64) -> Self {
        Timing {
            load: Load::Poisson(rate),
            section: Duration::Const(0.01),
            delays: Delays::everywhere(Duration::Uniform(0.0, 0.1)),
            seed,
            ranged: RangeTiming::default(),
        }
    }
}

/// After this many time units a thread of a script retries if it was refused. Where a refusal costs
/// no message, a retry at every tick would drown everything else.
const SCRIPT_RETRY: f64 = 0.1;

/// The times of requests, drawn in the same way by the stage's clock and the batch simulator.
#[derive(Clone)]
pub struct Arrivals {
    kind: ArrivalProcess,
    streams: Vec<Stream>,
}

#[derive(Clone)]
enum ArrivalProcess {
    ByHand,
    PerNode { between: Sampler },
    PerThread { first: Sampler, think: Sampler, requests: u32, left: Vec<u32> },
    Script { times: Vec<Vec<Time>> },
}

impl Arrivals {
    /// The arrivals of a load.
    pub fn new(timing: &Timing, setup: &Setup) -> Self {
        use crate::random::Purpose::Arrival;
        let streams = |n: usize| (0..n as u32).map(|i| Stream::new(timing.seed, Arrival, i)).collect();
        let threads = setup.all_threads();
        match &timing.load {
            Load::ByHand => Arrivals { kind: ArrivalProcess::ByHand, streams: Vec::new() },
            Load::Poisson(rate) => Arrivals {
                kind: ArrivalProcess::PerNode { between: Sampler::exponential(crate::TICKS_PER_UNIT as f64 / rate) },
                streams: streams(setup.nodes()),
            },
            Load::Closed { first, think, requests } => Arrivals {
                kind: ArrivalProcess::PerThread {
                    first: (*first).into(),
                    think: (*think).into(),
                    requests: *requests,
                    left: vec![*requests; threads],
                },
                streams: streams(threads),
            },
            Load::Script(list) => {
                let mut times = vec![Vec::new(); threads];
                for (t, thread) in list {
                    times[thread.index()].push(ticks(*t));
                }
                for of_thread in &mut times {
                    sort::by(of_thread, |a, b| b.cmp(a));
                }
                Arrivals { kind: ArrivalProcess::Script { times }, streams: Vec::new() }
            }
        }
    }

    /// Whether nodes, not threads, have arrivals.
    #[inline]
    pub fn per_node(&self) -> bool {
        matches!(self.kind, ArrivalProcess::PerNode { .. })
    }

    /// The next arrival at a node that has an idle thread.
    #[inline]
    pub fn at_node(&mut self, node: NodeId, now: Time) -> Option<Time> {
        match self.kind {
            ArrivalProcess::PerNode { between } => Some(now + between.next(&mut self.streams[node.index()])),
            _ => None,
        }
    }

    /// The next try of a refused thread: like its next request, but not counted as one.
    pub fn again(&mut self, thread: ThreadId, now: Time) -> Option<Time> {
        match &self.kind {
            ArrivalProcess::ByHand | ArrivalProcess::PerNode { .. } => None,
            ArrivalProcess::PerThread { think, .. } => Some(now + think.next(&mut self.streams[thread.index()])),
            ArrivalProcess::Script { .. } => Some(now + ticks(SCRIPT_RETRY)),
        }
    }

    /// The largest possible number of entries; none if there is no limit.
    pub fn most_entries(&self) -> Option<u64> {
        match &self.kind {
            ArrivalProcess::ByHand => Some(0),
            ArrivalProcess::PerNode { .. } => None,
            ArrivalProcess::PerThread { left, .. } => Some(left.iter().map(|n| u64::from(*n)).sum()),
            ArrivalProcess::Script { times } => Some(times.iter().map(|t| t.len() as u64).sum()),
        }
    }

    /// The next request of a thread that has become idle.
    pub fn of_thread(&mut self, thread: ThreadId, now: Time) -> Option<Time> {
        let i = thread.index();
        match &mut self.kind {
            ArrivalProcess::ByHand | ArrivalProcess::PerNode { .. } => None,
            ArrivalProcess::PerThread { first, think, requests, left } => {
                let thinks = if left[i] == *requests { first } else { think };
                left[i] = left[i].checked_sub(1)?;
                Some(now + thinks.next(&mut self.streams[i]))
            }
            ArrivalProcess::Script { times } => times[i].pop().map(|t| t.max(now)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Topology;

    #[test]
    fn only_the_first_request_is_thought_about_for_another_time() {
        let setup = Setup::new(2, 1, Topology::Star);
        let of = |load: Load| {
            let mut arrivals = Arrivals::new(&Timing { load, ..Timing::paper(1.0, 1) }, &setup);
            [0; 4].map(|now| arrivals.of_thread(ThreadId(1), now))
        };
        let (first, think) = (Duration::Const(0.0), Duration::Const(0.5));
        let later = Some(ticks(0.5));
        assert_eq!(of(Load::Closed { first, think, requests: 3 }), [Some(0), later, later, None]);
        assert_eq!(of(Load::closed(think, 3)), [later, later, later, None]);
    }
}
