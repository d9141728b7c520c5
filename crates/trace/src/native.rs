//! The reader of native JSON lines.

use crate::event::{Destinations, EventKind, LogEvent};
use crate::log::{LineStatus, Log, LogFormat};
use crate::text::{LogText, excerpt};
use serde::de::{self, Deserializer, MapAccess, SeqAccess, Visitor};
use std::borrow::Cow;
use std::fmt;

/// A string, or a number or truth value taken as a string.
#[derive(Clone, Debug, PartialEq)]
struct JsonWord<'a>(Cow<'a, str>);

/// One name or a list of names.
#[derive(Clone, Debug, PartialEq)]
struct JsonWords<'a>(Vec<JsonWord<'a>>);

/// An object from names to counts.
#[derive(Clone, Debug, PartialEq)]
struct JsonVector<'a>(Vec<(JsonWord<'a>, u64)>);

/// A line: a header or an event. Unknown keys are left in the line.
#[derive(serde::Deserialize, Debug, Default)]
struct JsonLine<'a> {
    #[serde(borrow)]
    lockstep: Option<JsonWord<'a>>,
    nodes: Option<JsonWords<'a>>,
    fifo: Option<bool>,
    order: Option<JsonWord<'a>>,
    complete: Option<bool>,
    skew: Option<f64>,
    algorithm: Option<JsonWord<'a>>,
    link: Option<JsonWord<'a>>,
    version: Option<JsonWord<'a>>,
    node: Option<JsonWord<'a>>,
    event: Option<JsonWord<'a>>,
    to: Option<JsonWords<'a>>,
    from: Option<JsonWord<'a>>,
    kind: Option<JsonWord<'a>>,
    id: Option<JsonWord<'a>>,
    stamp: Option<JsonWord<'a>>,
    lock: Option<JsonWord<'a>>,
    range: Option<(i64, i64)>,
    mode: Option<JsonWord<'a>>,
    thread: Option<JsonWord<'a>>,
    lamport: Option<i64>,
    vector: Option<JsonVector<'a>>,
    time: Option<f64>,
    client: Option<JsonWord<'a>>,
    ttl: Option<f64>,
    token: Option<i64>,
    lost: Option<bool>,
}

impl<'de: 'a, 'a> de::Deserialize<'de> for JsonWord<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct WordVisitor;
        impl<'de> Visitor<'de> for WordVisitor {
            type Value = JsonWord<'de>;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a name")
            }
            fn visit_borrowed_str<E: de::Error>(self, text: &'de str) -> Result<Self::Value, E> {
                Ok(JsonWord(Cow::Borrowed(text)))
            }
            fn visit_str<E: de::Error>(self, text: &str) -> Result<Self::Value, E> {
                Ok(JsonWord(Cow::Owned(text.to_owned())))
            }
            fn visit_u64<E: de::Error>(self, number: u64) -> Result<Self::Value, E> {
                Ok(JsonWord(Cow::Owned(number.to_string())))
            }
            fn visit_i64<E: de::Error>(self, number: i64) -> Result<Self::Value, E> {
                Ok(JsonWord(Cow::Owned(number.to_string())))
            }
            fn visit_f64<E: de::Error>(self, number: f64) -> Result<Self::Value, E> {
                Ok(JsonWord(Cow::Owned(number.to_string())))
            }
            fn visit_bool<E: de::Error>(self, value: bool) -> Result<Self::Value, E> {
                Ok(JsonWord(Cow::Owned(value.to_string())))
            }
        }
        deserializer.deserialize_any(WordVisitor)
    }
}

impl<'de: 'a, 'a> de::Deserialize<'de> for JsonWords<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct WordsVisitor;
        impl<'de> Visitor<'de> for WordsVisitor {
            type Value = JsonWords<'de>;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a name or a list of names")
            }
            fn visit_borrowed_str<E: de::Error>(self, text: &'de str) -> Result<Self::Value, E> {
                Ok(JsonWords(vec![JsonWord(Cow::Borrowed(text))]))
            }
            fn visit_str<E: de::Error>(self, text: &str) -> Result<Self::Value, E> {
                Ok(JsonWords(vec![JsonWord(Cow::Owned(text.to_owned()))]))
            }
            fn visit_u64<E: de::Error>(self, number: u64) -> Result<Self::Value, E> {
                Ok(JsonWords(vec![JsonWord(Cow::Owned(number.to_string()))]))
            }
            fn visit_i64<E: de::Error>(self, number: i64) -> Result<Self::Value, E> {
                Ok(JsonWords(vec![JsonWord(Cow::Owned(number.to_string()))]))
            }
            fn visit_seq<S: SeqAccess<'de>>(self, mut seq: S) -> Result<Self::Value, S::Error> {
                let mut words = Vec::new();
                while let Some(word) = seq.next_element()? {
                    words.push(word);
                }
                Ok(JsonWords(words))
            }
        }
        deserializer.deserialize_any(WordsVisitor)
    }
}

impl<'de: 'a, 'a> de::Deserialize<'de> for JsonVector<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct VectorVisitor;
        impl<'de> Visitor<'de> for VectorVisitor {
            type Value = JsonVector<'de>;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object from nodes to counts")
            }
            fn visit_map<M: MapAccess<'de>>(self, mut map: M) -> Result<Self::Value, M::Error> {
                let mut counts = Vec::new();
                while let Some(entry) = map.next_entry()? {
                    counts.push(entry);
                }
                Ok(JsonVector(counts))
            }
        }
        deserializer.deserialize_map(VectorVisitor)
    }
}

/// A vector clock as text: `{"n1":3, "n2":1}`.
pub(crate) fn vector_of(text: &str) -> Option<Vec<(String, u64)>> {
    let vector: JsonVector<'_> = serde_json::from_str(text).ok()?;
    Some(vector.0.into_iter().map(|(name, count)| (name.0.into_owned(), count)).collect())
}

/// Whether a line is an object of the native format.
pub(crate) fn is_native(line: &str) -> bool {
    let line = line.trim_start();
    line.starts_with('{')
        && (line.contains("\"lockstep\"") || (line.contains("\"node\"") && line.contains("\"event\"")))
}

/// Whether a line is an event of the native format.
pub(crate) fn is_event(line: &str) -> bool {
    let json = is_native(line).then(|| serde_json::from_str::<JsonLine<'_>>(line.trim()).ok()).flatten();
    json.and_then(|json| EventKind::named(&json.event?.0)).is_some()
}

/// Reads native lines.
pub(crate) fn read(files: Vec<LogText>) -> Log {
    let mut log = Log::new(LogFormat::Native, Vec::new());
    log.lines = files.iter().map(|file| vec![LineStatus::Skipped; file.len()]).collect();
    for (number, file) in files.iter().enumerate() {
        for (line, text) in file.lines() {
            let text = text.trim();
            if !(text.is_empty() || text.starts_with('#') || text.starts_with("//")) {
                read_line(&mut log, number as u32, line as u32 + 1, text);
            }
        }
    }
    log.files = files;
    log
}

fn read_line(log: &mut Log, file: u32, line: u32, text: &str) {
    // what a list of objects has around its elements
    let text = text.strip_suffix(',').unwrap_or(text);
    if matches!(text, "[" | "]") {
        return;
    }
    match serde_json::from_str::<JsonLine<'_>>(text) {
        Ok(json) if json.lockstep.is_some() => read_header(log, file, line, &json),
        Ok(json) => read_event(log, file, line, &json),
        Err(error) => {
            let why = error.to_string();
            let why = why.split(" at line").next().unwrap_or_default();
            log.complain(file, line, format!("`{}` is not an event: {why}; expected one JSON object.", excerpt(text)));
        }
    }
}

fn read_header(log: &mut Log, file: u32, line: u32, json: &JsonLine<'_>) {
    log.mark(file, line, LineStatus::Understood);
    if let Some(version) = json.version.as_ref().filter(|version| version.0 != "1") {
        log.complain(file, line, format!("version: {} is not known; expected 1.", version.0));
    }
    for node in json.nodes.iter().flat_map(|nodes| &nodes.0) {
        log.node(&node.0);
    }
    let header = &mut log.header;
    header.ranked |= json.nodes.is_some();
    header.fifo = json.fifo.unwrap_or(header.fifo);
    header.complete = json.complete.or(header.complete);
    header.skew = json.skew.filter(|skew| *skew >= 0.0).or(header.skew);
    let text = |word: &Option<JsonWord<'_>>| word.as_ref().map(|word| word.0.clone().into_owned());
    header.algorithm = text(&json.algorithm).or(header.algorithm.take());
    header.link = text(&json.link).or(header.link.take());
    match json.order.as_ref().map(|order| &*order.0) {
        Some("observed") => header.observed = true,
        None => {}
        Some(order) => {
            let message = format!("order: `{}` is not allowed; expected \"observed\".", excerpt(order));
            log.complain(file, line, message);
        }
    }
}

fn read_event(log: &mut Log, file: u32, line: u32, json: &JsonLine<'_>) {
    let Some(node) = json.node.as_ref().filter(|node| !node.0.is_empty()) else {
        return log.complain(file, line, "node: missing; expected the name of the node.");
    };
    let Some(event) = &json.event else {
        return log.complain(file, line, format!("event: missing; expected {}.", kinds()));
    };
    let Some(kind) = EventKind::named(&event.0) else {
        let message = format!("event: `{}` is not known; expected {}.", excerpt(&event.0), kinds());
        return log.complain(file, line, message);
    };
    let mut read = LogEvent::new(kind, log.node(&node.0), file, line);
    let word = |log: &mut Log, word: &Option<JsonWord<'_>>| word.as_ref().map(|word| log.words.id(&word.0));
    read.thread = word(log, &json.thread);
    read.id = word(log, &json.id);
    read.stamp = word(log, &json.stamp);
    read.lock = word(log, &json.lock);
    read.client = word(log, &json.client);
    read.message = json.kind.as_ref().map(|kind| log.message_kind(&kind.0));
    read.reads = json.mode.as_ref().is_some_and(|mode| mode.0 == "read");
    read.range = json.range;
    (read.lamport, read.time, read.ttl, read.token) = (json.lamport, json.time, json.ttl, json.token);
    read.lost = json.lost == Some(true);
    if let Some(mode) = json.mode.as_ref().filter(|mode| !matches!(&*mode.0, "read" | "write")) {
        log.complain(file, line, format!("mode: `{}` is not allowed; expected read or write.", excerpt(&mode.0)));
    }
    if let Some((lo, hi)) = json.range.filter(|(lo, hi)| lo >= hi) {
        let message = format!("range: [{lo},{hi}) has no cells; expected the first and the one after the last.");
        return log.complain(file, line, message);
    }
    if let Some(vector) = &json.vector {
        read.vector = Some(vector.0.iter().map(|(name, count)| (log.node(&name.0), *count)).collect());
    }
    match kind {
        EventKind::Send => match &json.to {
            Some(to) if !to.0.is_empty() => read.to = destinations(log, to),
            _ => return log.complain(file, line, "to: missing; expected a node, a list of nodes or \"*\"."),
        },
        EventKind::Recv => read.from = json.from.as_ref().map(|from| log.node(&from.0)),
        _ if kind.is_of_server() && read.client.is_none() => {
            return log.complain(file, line, format!("client: missing; expected whom the {} concerns.", kind.name()));
        }
        _ => {}
    }
    log.mark(file, line, LineStatus::Understood);
    log.events.push(read);
}

fn destinations(log: &mut Log, to: &JsonWords<'_>) -> Destinations {
    match to.0.as_slice() {
        [one] if one.0 == "*" => Destinations::All,
        [one] => Destinations::One(log.node(&one.0)),
        many => {
            let mut nodes: Vec<u32> = many.iter().map(|name| log.node(&name.0)).collect();
            nodes.sort_unstable();
            nodes.dedup();
            Destinations::Many(nodes.into())
        }
    }
}

fn kinds() -> String {
    let names: Vec<&str> = EventKind::ALL.iter().map(|(name, _)| *name).collect();
    names.join(", ")
}
