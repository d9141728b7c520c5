//! `Job`: a system and how it is measured, as documents and options write it.

use lockstep_spec::{Absent, Field, Spec, Use, documented};
use serde::de::Error;
use serde::ser::SerializeMap;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::{Map, Value};

/// One simulation with its replications. What is not given is the model of the alien-threads paper.
#[derive(Clone, Debug, Default)]
pub struct Job {
    /// The system, and how much of it is measured.
    pub spec: Spec,
    /// More replications, until an interval is narrow enough.
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

/// The first fields of a document in their order, and what stands for those that were not given. A
/// record is found by a digest of this document, so neither may change. Newer fields follow.
const KEYS: [(&str, Absent); 23] = [
    ("algorithm", Absent::Default),
    ("params", Absent::Default),
    ("nodes", Absent::Null),
    ("threads", Absent::Default),
    ("topology", Absent::Default),
    ("network", Absent::Default),
    ("rate", Absent::Null),
    ("think", Absent::Null),
    ("first", Absent::Skip),
    ("requests", Absent::Null),
    ("section", Absent::Default),
    ("delay", Absent::Default),
    ("delay_global", Absent::Null),
    ("cells", Absent::Default),
    ("range", Absent::Default),
    ("aligned", Absent::Default),
    ("bandwidth", Absent::Null),
    ("blocking", Absent::Default),
    ("warmup", Absent::Default),
    ("entries", Absent::Default),
    ("seed", Absent::Default),
    ("replications", Absent::Default),
    ("bypass", Absent::Default),
];

impl Job {
    /// The same with another spec.
    pub fn with(self, change: impl FnOnce(Spec) -> Spec) -> Job {
        Job { spec: change(self.spec), ..self }
    }

    /// The id of the algorithm; empty if none is given.
    pub fn algorithm(&self) -> &str {
        self.spec.algorithm.as_deref().unwrap_or_default()
    }

    /// A field that is a number, or its default; 0 where the text is no number.
    pub fn number(&self, name: &str) -> f64 {
        let text = Field::find(name).and_then(|field| self.spec.text(field, Use::Measure));
        text.and_then(|text| text.parse().ok()).unwrap_or_default()
    }

    /// The digest of the job's document: jobs with the same key have the same results (in the same
    /// version).
    pub fn key(&self) -> String {
        let text = serde_json::to_string(self).unwrap_or_default();
        // FNV-1a, 128 bits
        let mix = |hash: u128, byte: u8| (hash ^ u128::from(byte)).wrapping_mul(0x0100_0000_0000_0000_0000_013b);
        format!("{:032x}", text.bytes().fold(0x6c62_272e_07bb_0142_62b8_2175_6295_c58d, mix))
    }
}

impl From<Spec> for Job {
    fn from(spec: Spec) -> Job {
        Job { spec, until: None }
    }
}

/// Jobs are equal if their documents are: a default may be written or left out.
impl PartialEq for Job {
    fn eq(&self, other: &Job) -> bool {
        self.key() == other.key()
    }
}

impl Serialize for Job {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        for (name, absent) in documented(Use::Measure, &KEYS) {
            match self.spec.value(name, Use::Measure, absent) {
                Some(_) if name == "algorithm" => map.serialize_entry(name, self.algorithm())?,
                Some(value) => map.serialize_entry(name, &value)?,
                None => {}
            }
        }
        if let Some(until) = &self.until {
            map.serialize_entry("until", until)?;
        }
        map.end()
    }
}

impl<'de> Deserialize<'de> for Job {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Job, D::Error> {
        let mut document = Map::<String, Value>::deserialize(from)?;
        let spec = Spec::take(&mut document, Use::Measure);
        let until = document.remove("until").filter(|until| !until.is_null());
        let until = until.map(serde_json::from_value).transpose().map_err(D::Error::custom)?;
        match document.keys().next() {
            None => Ok(Job { spec, until }),
            Some(name) => {
                let known: Vec<_> = documented(Use::Measure, &KEYS).map(|(name, _)| name).collect();
                let known = known.join(", ");
                Err(D::Error::custom(format!("{name}: not a field of a job; expected {known}, until")))
            }
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
