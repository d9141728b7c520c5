//! A job in words and numbers.

use serde::{Deserialize, Deserializer, Serialize};
use std::collections::BTreeMap;

/// One simulation with its replications. The default is the model of the alien-threads paper, for an algorithm that must be named.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Job {
    /// The algorithm's id.
    pub algorithm: String,
    /// Its parameters; missing ones have their defaults.
    #[serde(deserialize_with = "scalars")]
    pub params: BTreeMap<String, String>,
    /// Nodes; where the topology says it, this may be left out.
    pub nodes: Option<u64>,
    /// User threads of each node.
    pub threads: u64,
    /// Initial pointers: `binary-tree`, `chain`, `star`, `ring`, `full`, `clusters:3x3`.
    pub topology: String,
    /// `fifo` or `unordered`.
    pub network: String,
    /// Requests per time unit at each node; 0.5 where neither this nor `think` is given.
    pub rate: Option<f64>,
    /// Thinking time of threads that ask again and again.
    pub think: Option<String>,
    /// Thinking time before a thread's first request; like any other if not given, and all ask at once with `const:0`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub first: Option<String>,
    /// Requests of each thread that thinks; 20 if not given.
    pub requests: Option<u64>,
    /// How long a critical section lasts.
    pub section: String,
    /// How long messages travel.
    pub delay: String,
    /// How long messages travel between clusters; as within one if not given.
    pub delay_global: Option<String>,
    /// Cells of a divided resource, for range locks.
    pub cells: u64,
    /// The part of the resource that each request asks for: `1/16`.
    #[serde(deserialize_with = "scalar")]
    pub range: String,
    /// Requests begin at a multiple of their length, not anywhere.
    pub aligned: bool,
    /// Cells whose data travel in one time unit; without limit if not given.
    pub bandwidth: Option<f64>,
    /// A node is busy with a message that it sends until that has arrived.
    pub blocking: bool,
    /// Critical sections of each replication before measuring begins.
    pub warmup: u64,
    /// Critical sections that each replication measures.
    pub entries: u64,
    /// The seed of the first replication; the next one has the next seed.
    pub seed: u64,
    /// How many independent runs.
    pub replications: u32,
    /// Watch who overtakes whom.
    pub bypass: bool,
    /// More replications than that, until an interval is narrow enough.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub until: Option<StopRule>,
}

/// Replications are added until an interval is narrow enough, or there are too many.
#[derive(Clone, Copy, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct StopRule {
    /// Of which measure.
    pub of: StopMeasure,
    /// Half of the 95 % interval at most this part of the mean.
    pub within: f64,
    /// Never more replications than these.
    pub most: u32,
}

/// What intervals are made of.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum StopMeasure {
    /// Messages per entry.
    Messages,
    /// Waiting of one entry.
    Waiting,
}

impl Job {
    /// The digest of everything that the job says: jobs with the same key have the same results (in the same version).
    pub fn key(&self) -> String {
        let text = serde_json::to_string(self).unwrap_or_default();
        // FNV-1a, 128 bits
        let mix = |hash: u128, byte: u8| (hash ^ u128::from(byte)).wrapping_mul(0x0100_0000_0000_0000_0000_013b);
        format!("{:032x}", text.bytes().fold(0x6c62_272e_07bb_0142_62b8_2175_6295_c58d, mix))
    }
}

impl Default for Job {
    fn default() -> Self {
        Job {
            algorithm: String::new(),
            params: BTreeMap::new(),
            nodes: None,
            threads: 1,
            topology: "binary-tree".into(),
            network: "fifo".into(),
            rate: None,
            think: None,
            first: None,
            requests: None,
            section: "const:0.01".into(),
            delay: "uniform:0:0.1".into(),
            delay_global: None,
            cells: 1,
            range: "1".into(),
            aligned: false,
            bandwidth: None,
            blocking: false,
            warmup: 0,
            entries: 100_000,
            seed: 1,
            replications: 1,
            bypass: true,
            until: None,
        }
    }
}

/// What may be written as a text, a number, true or false.
#[derive(Deserialize)]
#[serde(untagged)]
pub enum Scalar {
    Flag(bool),
    Whole(i64),
    Number(f64),
    Text(String),
}

impl From<Scalar> for String {
    fn from(scalar: Scalar) -> String {
        scalar.text()
    }
}

impl From<Scalar> for f64 {
    fn from(scalar: Scalar) -> f64 {
        match scalar {
            Scalar::Whole(number) => number as f64,
            Scalar::Number(number) => number,
            Scalar::Flag(_) | Scalar::Text(_) => 0.0,
        }
    }
}

impl Scalar {
    fn text(self) -> String {
        match self {
            Scalar::Flag(flag) => flag.to_string(),
            Scalar::Whole(number) => number.to_string(),
            Scalar::Number(number) => number.to_string(),
            Scalar::Text(text) => text,
        }
    }
}

fn scalar<'de, D: Deserializer<'de>>(from: D) -> Result<String, D::Error> {
    Scalar::deserialize(from).map(Scalar::text)
}

fn scalars<'de, D: Deserializer<'de>>(from: D) -> Result<BTreeMap<String, String>, D::Error> {
    let map = BTreeMap::<String, Scalar>::deserialize(from)?;
    Ok(map.into_iter().map(|(name, value)| (name, value.text())).collect())
}
