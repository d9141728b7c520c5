//! The note line of a card: clocks, replies and other important variables of algorithms without
//! pointers.
//!
//! This crate does not know the algorithms. An algorithm lists its variables by importance, so the
//! line takes the first ones that fit. It leaves out truth values, which marks show, and empty
//! values.

use crate::explain::words;
use crate::layout::LayoutInput;
use lockstep_kernel::view::{NodeFrame, Var, VarValue};
use lockstep_kernel::{Setup, sort};

/// A second variable of at most this many letters is the time of a request.
const CLOCK: usize = 9;
/// The width of one letter in pixels.
pub const LETTER: f64 = 7.3;

/// Whether the cards of a system have a note line. This does not depend on the state, so cards keep
/// their size.
pub fn has_line(input: &LayoutInput<'_>) -> bool {
    let mut hosts = input.frame.nodes.iter().take(input.setup.hosts());
    // where pointers are drawn, the line shows what they cannot: queues and counts of clusters
    let pointer = |v: &Var| match &v.value {
        VarValue::Node(_) => true,
        VarValue::Text(text) => text == "none",
    };
    let several = input.setup.clusters.iter().any(|c| *c != input.setup.clusters[0]);
    (!input.has_tree() || several)
        && input.setup.cells <= 1
        && hosts.any(|n| n.view.vars.iter().any(|v| is_informative(&v.value) && !(input.has_tree() && pointer(v))))
}

fn is_informative(value: &VarValue) -> bool {
    !matches!(value, VarValue::Text(text) if matches!(text.as_str(), "true" | "false"))
}

/// The variables that may appear on the line, as name and value.
fn pairs(node: &NodeFrame, setup: &Setup) -> Vec<(String, String)> {
    // a pointer is drawn already
    let drawn = |v: &&Var| node.view.links.iter().any(|l| l.kind == v.name && v.value == VarValue::Node(l.to));
    let vars = node.view.vars.iter().filter(|v| is_informative(&v.value) && !drawn(v));
    vars.map(|v| (v.name.clone(), v.value.text(|n| setup.name(n).into()))).collect()
}

/// The gap between two variables. SVG collapses two plain spaces, so the first does not break.
const GAP: &str = "\u{a0} ";

/// The size of a set, for lines too short for its members: `|R| 5`.
fn counted(name: &str, value: &str) -> Option<String> {
    let members = value.strip_prefix('{')?.strip_suffix('}')?;
    Some(format!("|{name}| {}", members.split(',').count()))
}

/// A shorter name for a narrow line: `R_Q` for `R_Queue`.
fn abbreviated(name: &str) -> Option<String> {
    let (first, rest) = name.split_once('_')?;
    Some(format!("{first}_{}", rest.chars().next()?))
}

/// The line of a node in `width` pixels. The first variable has priority, then counts of replies,
/// then the others; they are written in the algorithm's order.
pub fn line(node: &NodeFrame, setup: &Setup, width: f64) -> String {
    let most = (width / LETTER) as usize;
    let telling = pairs(node, setup).into_iter().filter(|(_, v)| !matches!(v.as_str(), "none" | "{}" | "[]"));
    // lists and fractions stay readable without spaces
    let parts: Vec<(String, String)> =
        telling.map(|(name, v)| (name, v.replace(", ", ",").replace(" of ", "/"))).collect();
    let length_of = |i: usize| parts[i].0.chars().count() + parts[i].1.chars().count();
    // the clock and the time of the own request come first, then replies, then the others; in
    // clusters, where there are pointers instead of clocks, queues come first
    let pointers = parts.iter().any(|(name, _)| name.contains('_'));
    let late = |i: usize| match i {
        _ if pointers => u8::from(!parts[i].1.contains('[')),
        0 => 0,
        1 if length_of(1) <= CLOCK => 0,
        _ if parts[i].1.contains(['/', '{', '[']) => 1,
        _ => 2,
    };
    let (mut taken, mut free) = (vec![None; parts.len()], most + GAP.chars().count());
    for i in sort::positions(parts.len(), &|a, b| late(a).cmp(&late(b))) {
        let (name, value) = &parts[i];
        let short = abbreviated(name).map(|name| format!("{name} {value}"));
        let forms = [Some(format!("{name} {value}")), counted(name, value), short];
        let length = |part: &String| part.chars().count() + GAP.chars().count();
        if let Some(part) = forms.into_iter().flatten().find(|p| length(p) <= free) {
            free -= length(&part);
            taken[i] = Some(part);
        }
    }
    let taken: Vec<String> = taken.into_iter().flatten().collect();
    match (taken.is_empty(), parts.first()) {
        (true, Some((name, value))) => words::cut(&format!("{name} {value}"), most),
        _ => taken.join(GAP),
    }
}
