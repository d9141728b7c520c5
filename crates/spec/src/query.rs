//! A system as the fields of a link: `v=1&a=alien&variant=v1&n=3&t=4.2.2&top=chain&…`.

use crate::fields::WRITERS;
use crate::{Field, FieldKind, Model, Spec, Use, quoted};
use lockstep_kernel::timing::Load;
use lockstep_kernel::{Setup, Topology};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;

/// The fields of a system, from the version on.
pub fn write(model: &Model) -> String {
    let mut text = format!("v=1&a={}", model.algorithm.id);
    for (name, value) in &model.setup.params.0 {
        let _ = write!(text, "&{name}={}", escape(value));
    }
    for (name, value) in WRITERS.iter().filter_map(|(name, value)| Some((name, value(model)?))) {
        let _ = write!(text, "&{name}={}", escape(&value));
    }
    text
}

/// Reads fields: those of a system as a spec, those that `own` names apart. Everything else is a
/// parameter.
pub fn read(text: &str, own: &[&str]) -> Result<(Spec, BTreeMap<String, String>), Vec<String>> {
    let (mut spec, mut rest, mut problems) = (Spec::default(), BTreeMap::new(), Vec::new());
    let mut seen = BTreeSet::new();
    for part in text.split('&').filter(|p| !p.is_empty()) {
        let (name, value) = part.split_once('=').unwrap_or((part, ""));
        if !seen.insert(name) {
            problems.push(format!("{}: given twice; expected once.", quoted(name)));
        }
        let Some(value) = unescape(value) else {
            problems.push(format!("{}: damaged; expected % and two digits for a special letter.", quoted(name)));
            continue;
        };
        match Field::find(name).filter(|f| f.default(Use::Play).is_some() && f.kind != FieldKind::Params) {
            _ if own.contains(&name) => drop(rest.insert(name.into(), value)),
            Some(field) => place(&mut spec, field, name, value),
            None => drop(spec.given.insert(name.into(), value)),
        }
    }
    if problems.is_empty() { Ok((spec, rest)) } else { Err(problems) }
}

/// Puts the value of a link's field where it belongs: some short names stand for several fields.
fn place(spec: &mut Spec, field: &Field, name: &str, value: String) {
    let numbers = || value.split('.').map(|n| format!("#{n}")).collect::<Vec<_>>().join(",");
    let text = match (name, field.kind) {
        ("top", _) if value.starts_with(|c: char| c.is_ascii_digit()) => {
            spec.parents = Some(value);
            return;
        }
        ("load", _) => return load(spec, value),
        ("placement", _) if value.starts_with(|c: char| c.is_ascii_digit()) => numbers(),
        // older links may say 0 for an undivided resource
        ("cells", _) if value == "0" => "1".into(),
        ("per_cell", _) => format!("1/{value}"),
        (_, FieldKind::Flag) if value == "1" => "true".into(),
        (_, FieldKind::Flag) if value == "0" => "false".into(),
        _ => value,
    };
    *(field.slot)(spec) = Some(text);
}

/// `by-hand`, `rate:0.5`, `think:20:exp:0.5:first:const:0` or `script:0@1.5,2@3`.
fn load(spec: &mut Spec, text: String) {
    match text.split_once(':') {
        Some(("rate", rate)) => spec.rate = Some(rate.into()),
        Some(("script", asks)) => spec.asks = Some(asks.into()),
        Some(("think", rest)) => {
            let (requests, think) = rest.split_once(':').unwrap_or((rest, ""));
            let (think, first) = think.split_once(":first:").map_or((think, None), |(t, f)| (t, Some(f)));
            spec.requests = Some(requests.into());
            spec.think = Some(think.into());
            spec.first = first.map(Into::into);
        }
        _ => spec.load = Some(text),
    }
}

impl Model {
    /// The spec that describes this system.
    pub fn spec(&self) -> Spec {
        read(&write(self), &["v"]).unwrap_or_default().0
    }

    /// One number where all are equal.
    pub(crate) fn threads(&self) -> Option<String> {
        let threads = &self.setup.threads;
        Some(match threads.first() {
            Some(first) if threads.len() > 1 && threads.iter().all(|t| t == first) => first.to_string(),
            _ => numbers(threads.iter().copied()),
        })
    }

    /// A name where there is one, else each node's parent, counted from 1.
    pub(crate) fn topology(&self) -> Option<String> {
        let parents = &self.setup.parents;
        let same = |t: Topology| Setup::new(self.setup.nodes(), 1, t).parents == *parents;
        let named = Topology::ALL.iter().find(|(_, t)| same(*t)).map(|(name, _)| (*name).to_owned());
        Some(named.unwrap_or_else(|| numbers(parents.iter().map(|p| p.0 + 1))))
    }

    pub(crate) fn names(&self) -> Option<String> {
        let usual = self.setup.names.iter().enumerate().all(|(i, name)| *name == format!("p{}", i + 1));
        (!usual).then(|| self.setup.names.join("."))
    }

    pub(crate) fn clusters(&self) -> Option<String> {
        let clusters = &self.setup.clusters;
        clusters.iter().any(|c| *c != 0).then(|| numbers(clusters.iter().copied()))
    }

    pub(crate) fn placement(&self) -> Option<String> {
        let placement = &self.setup.placement;
        (!placement.is_empty()).then(|| numbers(placement.iter().map(|p| p.0 + 1)))
    }

    pub(crate) fn delay_global(&self) -> Option<String> {
        let delays = &self.timing.delays;
        (delays.global != delays.local).then(|| delays.global.to_string())
    }

    pub(crate) fn load(&self) -> String {
        match &self.timing.load {
            Load::ByHand => "by-hand".into(),
            Load::Poisson(rate) => format!("rate:{rate}"),
            Load::Closed { first, think, requests } if first == think => format!("think:{requests}:{think}"),
            Load::Closed { first, think, requests } => format!("think:{requests}:{think}:first:{first}"),
            Load::Script(times) => {
                let times: Vec<String> = times.iter().map(|(t, thread)| format!("{}@{t}", thread.0)).collect();
                format!("script:{}", times.join(","))
            }
        }
    }
}

fn numbers(list: impl Iterator<Item = u32>) -> String {
    list.map(|n| n.to_string()).collect::<Vec<_>>().join(".")
}

/// Escapes what has no place in an address.
fn escape(value: &str) -> String {
    let mut text = String::with_capacity(value.len());
    for byte in value.bytes() {
        match byte {
            b'0'..=b'9' | b'a'..=b'z' | b'A'..=b'Z' => text.push(byte.into()),
            b'-' | b'_' | b'.' | b'~' | b':' | b'*' | b',' | b'@' => text.push(byte.into()),
            _ => drop(write!(text, "%{byte:02X}")),
        }
    }
    text
}

fn unescape(value: &str) -> Option<String> {
    let mut bytes = Vec::with_capacity(value.len());
    let mut rest = value.bytes();
    while let Some(byte) = rest.next() {
        bytes.push(match byte {
            b'%' => {
                let digits = [rest.next()?, rest.next()?];
                u8::from_str_radix(std::str::from_utf8(&digits).ok()?, 16).ok()?
            }
            byte => byte,
        });
    }
    String::from_utf8(bytes).ok()
}
