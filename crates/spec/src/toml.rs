//! A system as TOML: read with the position of every field, written for people.

use crate::{Field, FieldKind, Model, Spec, Use};
use ::toml::de::{DeTable, DeValue};
use lockstep_kernel::timing::Load;
use serde_json::Value;
use std::collections::BTreeMap;
use std::fmt::{self, Write};
use std::ops::Range;

/// A place in a text, both counted from 1.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Default)]
pub struct Place {
    /// Line.
    pub line: usize,
    /// Column, in characters.
    pub column: usize,
}

/// The places of one text. A file with thousands of problems asks for thousands of places, so none
/// may cost a walk through the text.
pub struct PlaceIndex<'a> {
    bytes: &'a [u8],
    /// Where each line begins.
    lines: Vec<usize>,
    /// How many characters begin before every [`Self::APART`] bytes.
    characters: Vec<usize>,
}

impl<'a> PlaceIndex<'a> {
    const APART: usize = 1 << 10;

    /// Walks through the text once.
    pub fn new(text: &'a str) -> Self {
        let bytes = text.as_bytes();
        let ends = bytes.iter().enumerate().filter(|(_, byte)| **byte == b'\n').map(|(at, _)| at + 1);
        let lines = std::iter::once(0).chain(ends).collect();
        let mut characters = vec![0];
        for part in bytes.chunks(Self::APART) {
            characters.push(characters.last().map_or(0, |before| before + begun(part)));
        }
        PlaceIndex { bytes, lines, characters }
    }

    /// The place of a byte.
    pub fn at(&self, byte: usize) -> Place {
        let byte = byte.min(self.bytes.len());
        let line = self.lines.partition_point(|start| *start <= byte);
        let start = self.lines.get(line.saturating_sub(1)).copied().unwrap_or(0);
        Place { line, column: 1 + self.before(byte) - self.before(start) }
    }

    fn before(&self, byte: usize) -> usize {
        let part = byte / Self::APART;
        self.characters[part] + begun(&self.bytes[part * Self::APART..byte])
    }
}

/// How many characters begin in these bytes of UTF-8.
fn begun(bytes: &[u8]) -> usize {
    bytes.iter().filter(|byte| **byte & 0xc0 != 0x80).count()
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "line {}, column {}", self.line, self.column)
    }
}

/// Reads the fields of a use, and where the value of each stands. Numbers are those of the kernel,
/// or exactly as they were written.
pub fn read(table: &DeTable<'_>, of: Use, exact: bool) -> (Spec, BTreeMap<String, Range<usize>>) {
    let (mut spec, mut spans) = (Spec::default(), BTreeMap::new());
    for (key, item) in table.iter() {
        let name = key.get_ref().as_ref();
        let Some(field) = Field::of(of).find(|f| f.name == name || f.aliases.contains(&name)) else { continue };
        spans.insert(field.name.into(), item.span());
        if let (FieldKind::Params, DeValue::Table(params)) = (field.kind, item.get_ref()) {
            spans.extend(params.iter().map(|(name, value)| (format!("params.{}", name.get_ref()), value.span())));
        }
        spec.put(field, name, &value(item.get_ref(), exact));
    }
    (spec, spans)
}

/// A value of TOML as one of JSON. Commas and bars within the items of a list would divide them: no
/// item may have one. Floating-point numbers are strings where they must stay as they were written.
pub fn value(value: &DeValue<'_>, exact: bool) -> Value {
    let item = |of: &DeValue<'_>| match self::value(of, exact) {
        Value::String(text) => Value::String(text.replace([',', '|'], " ")),
        other => other,
    };
    match value {
        DeValue::String(text) => Value::from(text.as_ref()),
        DeValue::Integer(n) => {
            let parsed = u64::from_str_radix(n.as_str(), n.radix()).map(Value::from);
            parsed.unwrap_or_else(|_| Value::from(n.to_string()))
        }
        DeValue::Float(n) if exact => Value::from(n.as_str()),
        DeValue::Float(n) => {
            let finite = n.as_str().parse().ok().and_then(serde_json::Number::from_f64);
            finite.map_or_else(|| Value::from(n.as_str()), Value::Number)
        }
        DeValue::Boolean(flag) => Value::from(*flag),
        DeValue::Datetime(date) => Value::from(date.to_string()),
        DeValue::Array(list) => list.iter().map(|v| item(v.get_ref())).collect(),
        DeValue::Table(map) => map.iter().map(|(k, v)| (k.get_ref().to_string(), item(v.get_ref()))).collect(),
    }
}

/// The fields of a system as lines of a file, without the defaults of playing.
pub fn write(model: &Model) -> String {
    let (spec, setup) = (model.spec(), &model.setup);
    let list = |items: Vec<String>| format!("[{}]", items.join(", "));
    let mut text = String::new();
    for field in Field::of(Use::Play).filter(|f| !["topology", "bandwidth"].contains(&f.name)) {
        let Some(given) = (field.get)(&spec) else { continue };
        let value = match (field.name, field.kind) {
            ("parents", _) => {
                let pairs = setup.ids().map(|i| (i, setup.parents[i.index()])).filter(|(i, to)| i != to);
                let pairs = pairs.map(|(i, to)| format!("{} = {}", key(setup.name(i)), quote(setup.name(to))));
                format!("{{ {} }}", pairs.collect::<Vec<_>>().join(", "))
            }
            ("clusters", _) => {
                let last = setup.clusters.iter().max().copied().unwrap_or(0);
                let of = |c: u32| setup.ids().filter(move |i| setup.clusters[i.index()] == c);
                list((0..=last).map(|c| list(of(c).map(|i| quote(setup.name(i))).collect())).collect())
            }
            ("placement", _) => list(setup.placement.iter().map(|n| quote(setup.name(*n))).collect()),
            ("asks", _) => match &model.timing.load {
                Load::Script(times) => {
                    list(times.iter().map(|(t, who)| quote(&format!("{} at {t}", setup.thread_name(*who)))).collect())
                }
                _ => continue,
            },
            ("threads", _) if given.contains('.') => list(setup.threads.iter().map(u32::to_string).collect()),
            ("threads", _) if given == "0" => list(vec!["0".into()]),
            (_, FieldKind::List) => list(given.split('.').map(quote).collect()),
            (_, FieldKind::Whole | FieldKind::PerNode | FieldKind::Flag | FieldKind::Number) => given.clone(),
            ("without", _) => given.clone(),
            _ => quote(given),
        };
        let _ = writeln!(text, "{} = {value}", field.name);
        if field.kind == FieldKind::Algorithm {
            let params = setup.params.0.iter().map(|(n, v)| format!("{} = {}", key(n), quote(v)));
            let _ = writeln!(text, "params = {{ {} }}", params.collect::<Vec<_>>().join(", "));
        }
        if field.name == "threads"
            && let Some(topology) = &spec.topology
        {
            let _ = writeln!(text, "topology = {}", quote(topology));
        }
    }
    if model.timing.ranged.per_cell != 0.0 {
        let _ = writeln!(text, "per_cell = {:?}", model.timing.ranged.per_cell);
    }
    text
}

/// A name as a key of a table.
pub fn key(name: &str) -> String {
    let bare = !name.is_empty() && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
    if bare { name.into() } else { quote(name) }
}

/// A text in quotation marks.
pub fn quote(text: &str) -> String {
    let mut quoted = String::with_capacity(text.len() + 2);
    quoted.push('"');
    for c in text.chars() {
        match c {
            '"' | '\\' => quoted.extend(['\\', c]),
            '\n' => quoted.push_str("\\n"),
            '\t' => quoted.push_str("\\t"),
            c if c.is_control() => drop(write!(quoted, "\\u{:04X}", c as u32)),
            c => quoted.push(c),
        }
    }
    quoted + "\""
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_index_gives_the_place_of_every_byte() {
        let counted = |text: &str, byte: usize| {
            let before = &text[..byte];
            let column = 1 + before.chars().rev().take_while(|c| *c != '\n').count();
            Place { line: 1 + before.matches('\n').count(), column }
        };
        let text = "é = 1\n\nnames = [\"→\", \"🦀\"]\n".repeat(200) + "the end";
        let index = PlaceIndex::new(&text);
        for byte in (0..=text.len()).filter(|byte| text.is_char_boundary(*byte)) {
            assert_eq!(index.at(byte), counted(&text, byte), "{byte}");
        }
        assert_eq!(PlaceIndex::new("").at(0), Place { line: 1, column: 1 });
    }
}
