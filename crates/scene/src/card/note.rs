//! The line of a card for clocks and replies: the few variables that say most where no pointers do.
//!
//! Chosen without knowing the algorithm: the text lists its variables in the order of their weight, so the first ones that fit are taken. Truth
//! values are left to the marks, and what is empty says nothing.

use crate::explain::words;
use crate::layout::LayoutInput;
use lockstep_kernel::view::{NodeFrame, VarValue};
use lockstep_kernel::{Setup, sort};

/// Pixels of one letter of the line.
pub const LETTER: f64 = 7.3;

/// Whether the cards of a system have such a line: its hosts have something to say. It does not depend on the state.
pub fn any(plan: &LayoutInput<'_>) -> bool {
    let hosts = plan.frame.nodes.iter().take(plan.setup.hosts());
    !plan.has_tree()
        && plan.setup.cells <= 1
        && hosts.into_iter().any(|n| n.view.vars.iter().any(|v| telling(&v.value)))
}

fn telling(value: &VarValue) -> bool {
    !matches!(value, VarValue::Text(text) if matches!(text.as_str(), "true" | "false"))
}

/// Variables worth a place, as they are written.
fn pairs(node: &NodeFrame, setup: &Setup) -> Vec<(String, String)> {
    let vars = node.view.vars.iter().filter(|v| telling(&v.value));
    vars.map(|v| (v.name.clone(), v.value.text(|n| setup.name(n).into()))).collect()
}

/// Between two variables: SVG would make one space of two plain ones.
const GAP: &str = "\u{a0} ";

/// A set or list by its size, where its members have no room: `|R| 5`.
fn counted(name: &str, value: &str) -> Option<String> {
    let members = value.strip_prefix('{')?.strip_suffix('}')?;
    Some(format!("|{name}| {}", members.split(',').count()))
}

/// The line of a node in so many pixels: the first variable, then how far its replies have come, then what else fits, in the order of the text.
pub fn line(node: &NodeFrame, setup: &Setup, width: f64) -> String {
    let most = (width / LETTER) as usize;
    let telling = pairs(node, setup).into_iter().filter(|(_, v)| !matches!(v.as_str(), "none" | "{}" | "[]"));
    // a list is as clear without its spaces, and so is a share
    let parts: Vec<(String, String)> =
        telling.map(|(name, v)| (name, v.replace(", ", ",").replace(" of ", "/"))).collect();
    let late = |i: usize| i > 0 && !parts[i].1.contains(['/', '{']);
    let (mut taken, mut free) = (vec![None; parts.len()], most + GAP.chars().count());
    for i in sort::positions(parts.len(), &|a, b| late(a).cmp(&late(b))) {
        let (name, value) = &parts[i];
        let ways = [Some(format!("{name} {value}")), counted(name, value)];
        let length = |part: &String| part.chars().count() + GAP.chars().count();
        if let Some(part) = ways.into_iter().flatten().find(|p| length(p) <= free) {
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
