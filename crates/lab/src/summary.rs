//! The summary of a job's replications: the document of `lockstep run --json`.

use crate::job::Scalar;
use crate::{ReadyJob, StopMeasure};
use lockstep_kernel::run::RunMeasures;
use lockstep_kernel::run::statistics::{Interval, batch_means};
use serde::de::{MapAccess, Visitor};
use serde::{Deserialize, Deserializer, Serialize, Serializer, ser::SerializeMap};
use std::fmt;

/// What a job measured. Counts are means over the replications, maxima are over all of them; times
/// are in time units.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Summary {
    /// The algorithm's id.
    pub algorithm: String,
    /// Its parameters, in its own order.
    #[serde(serialize_with = "params", deserialize_with = "named")]
    pub params: Vec<(String, String)>,
    /// Nodes.
    pub nodes: u64,
    /// User threads of each node.
    pub threads: u64,
    /// Requests per time unit at each node; none where threads think.
    pub rate: Option<f64>,
    /// The seed of the first replication.
    pub seed: u64,
    /// Independent runs.
    pub replications: u32,
    /// Critical sections of one replication.
    #[serde(serialize_with = "count")]
    pub entries: f64,
    /// Messages for each entry.
    pub messages_per_entry: Mean,
    /// From the request to the entry.
    pub waiting: WaitingSummary,
    /// Messages of each kind.
    #[serde(serialize_with = "counts_by_name", deserialize_with = "named")]
    pub messages_by_kind: Vec<(String, f64)>,
    /// Messages within a cluster.
    #[serde(serialize_with = "count")]
    pub local_messages: f64,
    /// Messages between clusters.
    #[serde(serialize_with = "count")]
    pub global_messages: f64,
    /// The length of request paths.
    pub path_length: PathLength,
    /// Requests that were refused.
    #[serde(serialize_with = "count")]
    pub refused: f64,
    /// Entries whose request sent no message.
    #[serde(serialize_with = "count")]
    pub entries_without_message: f64,
    /// The most later requests that were served before an earlier one; none where this was not
    /// measured.
    pub bypass_max: Option<u32>,
    /// Requests, releases and deliveries.
    #[serde(serialize_with = "count")]
    pub events: f64,
    /// How long a replication was.
    pub virtual_time: f64,
    /// Entries of each node.
    #[serde(serialize_with = "counts")]
    pub entries_per_node: Vec<f64>,
    /// How often two threads were inside or an impossible message was received, in all
    /// replications: 0 unless the algorithm is wrong.
    #[serde(skip)]
    pub violations: u64,
    /// The longest request path of all replications.
    #[serde(skip)]
    pub longest_path: u32,
}

/// A mean and half the width of its 95 % confidence interval.
pub type Mean = Interval;

/// Waiting times.
#[derive(Clone, Copy, PartialEq, Debug, Default, Serialize, Deserialize)]
pub struct WaitingSummary {
    /// Mean.
    pub mean: f64,
    /// Half the width of its 95 % confidence interval.
    pub half_width: f64,
    /// Standard deviation of single waits.
    pub sd: f64,
    /// Median.
    pub p50: f64,
    /// 95 in 100 wait at most this long.
    pub p95: f64,
    /// 99 in 100 wait at most this long.
    pub p99: f64,
    /// The longest of all replications.
    pub max: f64,
}

/// The length of request paths, as Bertier, Arantes and Sens 2004 count it: messages that carry a
/// request towards the token. Mean times entries is the total.
#[derive(Clone, Copy, PartialEq, Debug, Default, Serialize, Deserialize)]
pub struct PathLength {
    /// Hops for each entry; a request that needs no message has none.
    pub mean: f64,
    /// Hops of all requests of a replication, a mean over the replications.
    #[serde(serialize_with = "count")]
    pub total: f64,
    /// Paths of a replication: a request that an alien thread or a proxy sends anew begins another.
    #[serde(default, serialize_with = "count")]
    pub paths: f64,
}

impl ReadyJob {
    /// What to say of runs that ended before their last entry.
    pub fn standstill(&self, summary: &Summary) -> Option<String> {
        // a thread that thinks and is refused has used up a request: that is no standstill
        let refused = if self.rate.is_some() { 0.0 } else { summary.refused };
        let (asked, entries) = (self.job.entries as f64, summary.entries);
        (entries + refused < asked).then(|| {
            format!(
                "The run stopped after {entries} of {asked} entries: no event was left, or the events led to no entry."
            )
        })
    }

    /// The summary of the replications, in their order.
    pub fn summarise(&self, runs: &[RunMeasures]) -> Summary {
        let mean = |of: fn(&RunMeasures) -> f64| runs.iter().map(of).sum::<f64>() / runs.len().max(1) as f64;
        let (messages, waits) = intervals(runs);
        let entries: u64 = runs.iter().map(|m| m.entries).sum();
        let hops: u64 = runs.iter().map(|m| m.paths.total).sum();
        let kinds = runs.first().map_or(&[][..], |m| &m.messages_by_kind);
        let of_kind = |i: usize| mean_of(runs, |m| m.messages_by_kind.get(i).map_or(0, |k| k.1));
        let nodes = self.job.setup.nodes();
        Summary {
            algorithm: self.algorithm.id.to_owned(),
            params: (self.algorithm.params.iter())
                .map(|p| (p.name.to_owned(), self.job.setup.params.get(p.name).to_owned()))
                .collect(),
            nodes: nodes as u64,
            threads: self.threads,
            rate: self.rate,
            seed: self.job.timing.seed,
            replications: runs.len() as u32,
            entries: mean(|m| m.entries as f64),
            messages_per_entry: messages,
            waiting: WaitingSummary {
                mean: waits.mean,
                half_width: waits.half_width,
                sd: libm::sqrt(mean(|m| m.waiting.sd * m.waiting.sd)),
                p50: mean(|m| m.waiting.p50),
                p95: mean(|m| m.waiting.p95),
                p99: mean(|m| m.waiting.p99),
                max: runs.iter().map(|m| m.waiting.max).fold(0.0, f64::max),
            },
            messages_by_kind: kinds.iter().enumerate().map(|(i, (name, _))| (name.clone(), of_kind(i))).collect(),
            local_messages: mean(|m| m.local_messages as f64),
            global_messages: mean(|m| m.global_messages as f64),
            path_length: PathLength {
                mean: if entries == 0 { 0.0 } else { hops as f64 / entries as f64 },
                total: mean(|m| m.paths.total as f64),
                paths: mean(|m| m.paths.count as f64),
            },
            refused: mean(|m| m.refused as f64),
            entries_without_message: mean(|m| m.entries_without_message as f64),
            bypass_max: runs.iter().filter_map(|m| m.bypass_max).max(),
            events: mean(|m| m.events as f64),
            virtual_time: mean(|m| m.virtual_time),
            entries_per_node: (0..nodes)
                .map(|i| mean_of(runs, |m| m.entries_per_node.get(i).copied().unwrap_or(0)))
                .collect(),
            violations: runs.iter().map(|m| m.violations).sum(),
            longest_path: runs.iter().map(|m| m.paths.max).max().unwrap_or(0),
        }
    }

    /// How many more replications are needed after these.
    pub fn more(&self, runs: &[RunMeasures]) -> u32 {
        let made = runs.len() as u32;
        let Some(until) = self.until.filter(|_| made >= self.replications) else {
            return self.replications.saturating_sub(made);
        };
        let (messages, waiting) = intervals(runs);
        let interval = if until.of == StopMeasure::Messages { messages } else { waiting };
        // half as many again each time: the number depends on the results alone, not on the number
        // of cores
        let step = (made / 2).max(1).min(until.most.saturating_sub(made));
        if interval.half_width <= until.within * interval.mean { 0 } else { step }
    }
}

fn mean_of(runs: &[RunMeasures], of: impl Fn(&RunMeasures) -> u64) -> f64 {
    runs.iter().map(|m| of(m) as f64).sum::<f64>() / runs.len().max(1) as f64
}

/// Messages per entry and waiting: from independent replications, or from the batches of a single
/// one.
fn intervals(runs: &[RunMeasures]) -> (Interval, Interval) {
    if let [run] = runs {
        let (messages, waiting) = batch_means(&run.batches);
        // batches leave out what came after the last full one; the mean itself is of everything
        return (
            Interval { mean: run.messages_per_entry(), ..messages },
            Interval { mean: run.waiting.mean, ..waiting },
        );
    }
    let messages: Vec<f64> = runs.iter().map(RunMeasures::messages_per_entry).collect();
    let waiting: Vec<f64> = runs.iter().map(|m| m.waiting.mean).collect();
    (Interval::of(&messages), Interval::of(&waiting))
}

/// A mean of counts: a whole number where it is one.
fn count<S: Serializer>(value: &f64, to: S) -> Result<S::Ok, S::Error> {
    Count(*value).serialize(to)
}

fn counts<S: Serializer>(values: &[f64], to: S) -> Result<S::Ok, S::Error> {
    to.collect_seq(values.iter().map(|v| Count(*v)))
}

fn counts_by_name<S: Serializer>(values: &[(String, f64)], to: S) -> Result<S::Ok, S::Error> {
    to.collect_map(values.iter().map(|(name, v)| (name, Count(*v))))
}

struct Count(f64);

impl Serialize for Count {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        match self.0 {
            whole if (0.0..9e15).contains(&whole) && libm::trunc(whole) == whole => to.serialize_u64(whole as u64),
            mean => to.serialize_f64(mean),
        }
    }
}

/// `true`, `false` and numbers as JSON has them, everything else as text.
fn params<S: Serializer>(params: &[(String, String)], to: S) -> Result<S::Ok, S::Error> {
    let mut map = to.serialize_map(Some(params.len()))?;
    for (name, value) in params {
        match (value.parse::<bool>(), value.parse::<i64>(), value.parse::<f64>()) {
            (Ok(flag), ..) => map.serialize_entry(name, &flag)?,
            (_, Ok(number), _) => map.serialize_entry(name, &number)?,
            (_, _, Ok(number)) if number.is_finite() => map.serialize_entry(name, &number)?,
            _ => map.serialize_entry(name, value)?,
        }
    }
    map.end()
}

/// A map as pairs in its own order.
fn named<'de, D: Deserializer<'de>, T: From<Scalar>>(from: D) -> Result<Vec<(String, T)>, D::Error> {
    struct Pairs<T>(std::marker::PhantomData<T>);
    impl<'de, T: From<Scalar>> Visitor<'de> for Pairs<T> {
        type Value = Vec<(String, T)>;
        fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            f.write_str("a map")
        }
        fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
            let mut pairs = Vec::new();
            while let Some((name, value)) = map.next_entry::<String, Scalar>()? {
                pairs.push((name, value.into()));
            }
            Ok(pairs)
        }
    }
    from.deserialize_map(Pairs(std::marker::PhantomData))
}
