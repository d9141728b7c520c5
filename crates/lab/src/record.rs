//! Records: the stored results of points, for resuming, for shards and for the page.

use crate::shelf::digest;
use crate::{GridPoint, Job, ReadyJob, Summary, prepare};
use lockstep_spec::quoted;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// Records of different versions are not mixed, because their results may differ.
pub const VERSION: &str = env!("CARGO_PKG_VERSION");

/// What one job measured.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Record {
    /// The digest of the job.
    pub key: String,
    /// Its answer.
    pub summary: Summary,
    /// How often two threads were inside or an impossible message was received: 0 unless the
    /// algorithm is wrong.
    pub violations: u64,
    /// The longest request path.
    pub longest_path: u32,
    /// The job with all its parameters; none in records of earlier versions.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub job: Option<Job>,
}

/// Runs a job; its record has the job and its key.
pub fn record(job: &Job) -> Result<Record, Vec<String>> {
    let record = prepare(job)?.record(job.key())?;
    Ok(Record { job: Some(job.clone()), ..record })
}

impl ReadyJob {
    /// Runs the job; its record has this key. A run that came to a standstill has no record.
    pub fn record(&self, key: String) -> Result<Record, Vec<String>> {
        let summary = self.run();
        if let Some(why) = self.standstill(&summary) {
            return Err(vec![why]);
        }
        Ok(Record { key, violations: summary.violations, longest_path: summary.longest_path, summary, job: None })
    }
}

/// The campaign that records belong to: the first line of their file.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Header {
    /// The version that made them.
    pub version: String,
    /// The study's id, or the experiment's name.
    pub study: String,
    /// `full`, `quick` or `tiny`.
    pub size: String,
    /// The first seed.
    pub seed: u64,
    /// The interpretations that were chosen.
    pub switches: BTreeMap<String, String>,
}

/// Records by their keys. In a file each is one line of JSON, after the header, and every line has
/// a checksum. Lines are appended while a study runs, the files of shards can be merged, and the
/// point of an incomplete line is run again.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct RecordStore {
    /// What the records belong to.
    pub header: Header,
    /// The records.
    pub records: BTreeMap<String, Record>,
}

impl RecordStore {
    /// A store without records.
    pub fn new(header: Header) -> Self {
        RecordStore { header, records: BTreeMap::new() }
    }

    /// Reads a file of records; an incomplete last line is ignored. Either every line has a
    /// checksum or, in a file of an earlier version, none has: a changed line whose checksum was
    /// deleted is refused like one whose checksum is wrong.
    pub fn read(text: &str) -> Result<Self, String> {
        let mut lines = text.lines();
        let first = lines.next().unwrap_or_default();
        let (bare, sealed) = match seal(first) {
            Some((body, _)) => (format!("{body}}}"), true),
            None => (first.to_owned(), false),
        };
        let header: Header = serde_json::from_str(&bare)
            .map_err(|why| format!("line 1: expected the header of a file of records: {why}."))?;
        check(first, sealed).map_err(|why| format!("line 1: {why}"))?;
        let mut stock = RecordStore::new(header);
        let lines: Vec<&str> = lines.collect();
        for (i, line) in lines.iter().enumerate() {
            match serde_json::from_str::<Record>(line) {
                Ok(record) => {
                    check(line, sealed).map_err(|why| format!("line {}: {why}", i + 2))?;
                    stock.add(record);
                }
                Err(_) if i + 1 == lines.len() && !is_whole(line) => {}
                Err(why) => return Err(format!("line {}: expected a record: {why}.", i + 2)),
            }
        }
        Ok(stock)
    }

    /// Adds a record.
    pub fn add(&mut self, record: Record) {
        self.records.insert(record.key.clone(), record);
    }

    /// Adds the records of another file of the same study.
    pub fn merge(&mut self, other: RecordStore) -> Result<(), String> {
        if self.header != other.header {
            let of = |h: &Header| {
                format!("{} {} of version {}, seed {}, {:?}", h.study, h.size, h.version, h.seed, h.switches)
            };
            return Err(format!(
                "These records do not belong together: {} and {}; expected shards of one study.",
                of(&self.header),
                of(&other.header)
            ));
        }
        self.records.extend(other.records);
        Ok(())
    }

    /// The points that still have to be run.
    pub fn missing<'a>(&self, points: &'a [GridPoint]) -> Vec<&'a GridPoint> {
        points.iter().filter(|p| !self.records.contains_key(&p.key)).collect()
    }

    /// The first line of the file.
    pub fn first_line(&self) -> String {
        line(&self.header)
    }

    /// The whole file, in the order of the points.
    pub fn text(&self, points: &[GridPoint]) -> String {
        let mut text = self.first_line();
        let mut done = std::collections::BTreeSet::new();
        for record in points.iter().filter_map(|p| self.records.get(&p.key)) {
            if done.insert(&record.key) {
                text += &record.line();
            }
        }
        text
    }
}

/// What stands before the checksum of a line. It is the last field, so that it can be computed from
/// the text before it.
const CHECKSUM: &str = ",\"checksum\":\"";

impl Record {
    /// Its line of the file.
    pub fn line(&self) -> String {
        line(self)
    }
}

/// A line of the file, with the checksum of everything before it.
fn line(content: &impl Serialize) -> String {
    let text = serde_json::to_string(content).unwrap_or_default();
    let body = text.strip_suffix('}').unwrap_or(&text);
    format!("{body}{CHECKSUM}{}\"}}\n", digest(body))
}

/// What a checksum at the end of a line is of, and the checksum.
fn seal(line: &str) -> Option<(&str, &str)> {
    let (body, sum) = line.trim_end().rsplit_once(CHECKSUM)?;
    Some((body, sum.strip_suffix("\"}")?))
}

/// Whether a line has its end: one that was cut off has not, and its point is run again.
fn is_whole(line: &str) -> bool {
    seal(line).is_some()
}

/// Whether a line is as it was written, in a file whose first line has a checksum or has none.
fn check(line: &str, sealed: bool) -> Result<(), String> {
    let Some((body, sum)) = seal(line) else {
        let here = match (line.contains("\"checksum\""), sealed) {
            (true, _) => "not at the end; expected the line as it was written",
            (false, true) => "missing, but line 1 has one; expected a checksum in every line, or in none",
            (false, false) => return Ok(()),
        };
        return Err(format!("checksum: {here}."));
    };
    if !sealed {
        let expected = "expected a checksum in every line, or in none";
        return Err(format!("checksum: {} is here, but line 1 has none; {expected}.", quoted(sum)));
    }
    let expected = digest(body);
    if sum == expected {
        return Ok(());
    }
    Err(format!(
        "checksum: {} does not belong to this line; expected {expected}. The line was changed after it was written; \
         delete the line of a record to run its point again.",
        quoted(sum)
    ))
}
