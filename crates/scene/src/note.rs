//! The line of a card for clocks and replies: the few variables that say most where no pointers do.
//!
//! Chosen without knowing the algorithm: the text lists its variables in the order of their weight, so the first ones that fit are taken. Truth
//! values and names of nodes are left to the marks and pointers, and what is empty says nothing.

use crate::layout::Plan;
use crate::words;
use lockstep_kernel::view::{NodeFrame, Value};

/// Pixels of one letter of the line.
pub const LETTER: f64 = 7.3;

/// Whether the cards of a system have such a line.
pub fn any(plan: &Plan<'_>) -> bool {
    !plan.has_tree() && plan.setup.cells <= 1 && plan.frame.nodes.iter().any(|n| !pairs(n).is_empty())
}

/// Variables worth a place, as they are written. What a node has to say may come and go; the line stays.
fn pairs(node: &NodeFrame) -> Vec<(String, String)> {
    let telling = node.view.vars.iter().filter_map(|v| match &v.value {
        Value::Text(text) if !matches!(text.as_str(), "true" | "false") => Some((v.name.clone(), text.clone())),
        _ => None,
    });
    telling.collect()
}

/// The line of a node in so many pixels.
pub fn line(node: &NodeFrame, width: f64) -> String {
    let most = (width / LETTER) as usize;
    let mut line = String::new();
    for (name, value) in pairs(node).into_iter().filter(|(_, v)| !matches!(v.as_str(), "none" | "{}" | "[]")) {
        // a list is as clear without its spaces
        let part = format!("{name} {}", value.replace(", ", ","));
        let gap = if line.is_empty() { "" } else { "  " };
        if line.chars().count() + gap.len() + part.chars().count() <= most {
            line = line + gap + &part;
        } else if line.is_empty() {
            return words::cut(&part, most);
        }
    }
    line
}
