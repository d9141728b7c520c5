//! What the inspector and the narration show of a step: variables, the listing, invariants, the
//! state as a table.

use crate::run::StepView;
use lockstep_kernel::view::{NodeFrame, ThreadFrame, ThreadState, VarValue};
use lockstep_kernel::{Line, NodeId, sort};
use lockstep_scene::explain::{trouble, words};

/// A variable of a node.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct VariableRow {
    /// Its name.
    pub name: String,
    /// Its value one step before, if it was another one.
    pub before: Option<String>,
    /// Its value.
    pub value: String,
}

/// If a node has more variables than this, those that did not change are folded.
const MOST_ROWS: usize = 5;

/// The variables of a node, changed ones first; the second list is folded.
pub fn variables(shown: &StepView, node: NodeId) -> (Vec<VariableRow>, Vec<VariableRow>) {
    let setup = &shown.origin.setup;
    // a crashed node has forgotten its variables
    let up = shown.frame.nodes.get(node.index()).filter(|n| !n.crashed);
    let Some(now) = up else { return Default::default() };
    let before = shown.before.as_ref().and_then(|f| f.nodes.get(node.index()));
    let text = |value: &VarValue| value.text(|n| setup.name(n).into());
    let queue = |n: &NodeFrame| {
        let names: Vec<String> = n.view.queue.iter().map(|w| words::waiter(setup, w)).collect();
        if names.is_empty() { "empty".into() } else { names.join("  ") }
    };
    let row = |name: String, before: Option<String>, value: String| {
        let before = before.filter(|before| *before != value);
        VariableRow { name, before, value }
    };
    let old = |name: &str| before.and_then(|b| b.view.vars.iter().find(|v| v.name == name)).map(|v| text(&v.value));
    let variables = now.view.vars.iter().map(|v| row(v.name.clone(), old(&v.name), text(&v.value)));
    let mut rows: Vec<VariableRow> = variables.collect();
    rows.push(row("queue".into(), before.map(|b| queue(b)), queue(now)));
    let same = |row: &VariableRow| row.before.is_none();
    sort::by_key(&mut rows, same);
    let first = if rows.len() > MOST_ROWS { rows.iter().position(same) } else { None };
    let folded = rows.split_off(first.unwrap_or(rows.len()));
    (rows, folded)
}

/// A block of the listing.
pub struct ListingBlock {
    /// Its heading.
    pub heading: &'static str,
    /// Its lines with their numbers, and whether they ran in this step.
    pub lines: Vec<(usize, &'static Line, bool)>,
}

/// The blocks of the listing in which lines ran.
pub fn listing(shown: &StepView) -> Vec<ListingBlock> {
    let ran = shown.frame.last.as_ref().map_or(&[][..], |l| &l.lines);
    let mut number = 0;
    let blocks = shown.origin.entry.listing.iter().map(|(heading, lines)| {
        let lines = lines.iter().map(|line| {
            number += 1;
            (number, line, ran.contains(&line.id))
        });
        ListingBlock { heading, lines: lines.collect() }
    });
    blocks.filter(|block| block.lines.iter().any(|(.., ran)| *ran)).collect()
}

/// The first step since which an invariant is violated without interruption.
pub fn violated_since(shown: &StepView, invariant: &str) -> Option<usize> {
    let broken = |i: usize| shown.frames[i].invariants.iter().any(|s| s.name == invariant && s.broken.is_some());
    (0..=shown.cursor).find(|i| broken(*i)).filter(|_| broken(shown.cursor))
}

/// What happened in this step; at the start, what the scenario is about.
pub fn narration(shown: &StepView) -> String {
    match &shown.frame.last {
        Some(last) => last.sentence.clone(),
        None => {
            let about = shown.origin.scenario.as_ref().filter(|_| !shown.origin.is_figure()).map(|s| s.about.clone());
            about.unwrap_or_else(|| "The initial state: nothing has happened yet.".into())
        }
    }
}

/// Of more nodes than this the table lists only those that are not idle, and no more than this.
const MANY: usize = 64;

/// The state as a table, for readers who do not see the picture.
pub struct StateRows {
    /// Its caption.
    pub caption: String,
    /// Each node: name, token, inside, waiting, queue, pointers.
    pub rows: Vec<(NodeId, [String; 6])>,
}

/// The table of a step. With many nodes, those that hold the token or are inside come first.
pub fn state_rows(shown: &StepView) -> StateRows {
    let (frame, setup) = (&shown.frame, &shown.origin.setup);
    let row = |node: &NodeFrame| {
        let or = |list: Vec<String>, none: &str| if list.is_empty() { none.to_owned() } else { list.join(", ") };
        let doing = |what: ThreadState| {
            let threads = node.threads.iter().filter(|t| t.doing == what);
            or(threads.map(|t| t.name.clone()).collect(), "none")
        };
        let waiting = |node: &NodeFrame| {
            let stuck =
                |t: &ThreadFrame| frame.stuck(t.id).map(|s| format!(" (cannot be served since step {})", s.since));
            let threads = node.threads.iter().filter(|t| t.doing == ThreadState::Waiting);
            or(threads.map(|t| format!("{}{}", t.name, stuck(t).unwrap_or_default())).collect(), "none")
        };
        let queue = node.view.queue.iter().filter(|_| !node.crashed).map(|w| words::waiter(setup, w)).collect();
        let links = node.view.links.iter().filter(|l| l.to != node.id && !node.crashed);
        let links = links.map(|l| format!("{} {}", l.kind, setup.name(l.to))).collect();
        let name = if node.crashed { format!("{}, crashed", node.name) } else { node.name.clone() };
        let token = node.view.token && !node.crashed && trouble::has_token(frame);
        let token = if token { "yes" } else { "no" };
        let cells =
            [name, token.into(), doing(ThreadState::Inside), waiting(node), or(queue, "empty"), or(links, "none")];
        (node.id, cells)
    };
    let is_idle = |n: &NodeFrame| {
        !n.view.token && !n.crashed && n.view.queue.is_empty() && n.threads.iter().all(|t| t.doing == ThreadState::Idle)
    };
    let many = frame.nodes.len() > MANY;
    let nodes = || frame.nodes.iter().map(|n| &**n).filter(|n| !many || !is_idle(n));
    let rest = match (many, nodes().count().saturating_sub(MANY)) {
        (false, _) => String::new(),
        (true, 0) => ", without the idle nodes".into(),
        (true, rest) => format!(", without the idle nodes and {rest} more that wait"),
    };
    let matters =
        |n: &&NodeFrame| n.view.token || n.crashed || n.threads.iter().any(|t| t.doing == ThreadState::Inside);
    let (first, others): (Vec<&NodeFrame>, Vec<&NodeFrame>) = nodes().partition(|n| many && matters(n));
    let rows = first.into_iter().chain(others).take(MANY).map(row).collect();
    StateRows { caption: format!("State at step {}{rest}", frame.step), rows }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::run::StageRun;

    #[test]
    fn changed_variables_come_first_with_their_old_values() {
        let mut run = StageRun::of_library("alien-figure-1", 0).unwrap();
        for _ in 0..6 {
            let shown = run.view();
            let node = shown.frame.last.as_ref().unwrap().node;
            let (rows, folded) = variables(&shown, node);
            let changed = rows.iter().take_while(|r| r.before.is_some()).count();
            assert!(rows[changed..].iter().chain(&folded).all(|r| r.before.is_none()));
            assert!(rows.iter().chain(&folded).any(|r| r.name == "queue"));
            assert!(run.step());
        }
    }

    #[test]
    fn the_listing_shows_the_blocks_that_ran_with_their_numbers() {
        let mut run = StageRun::of_library("alien-figure-1", 0).unwrap();
        let blocks = listing(&run.view());
        assert!(!blocks.is_empty());
        for block in &blocks {
            assert!(block.lines.windows(2).all(|pair| pair[0].0 + 1 == pair[1].0));
        }
        run.seek_index(0);
        assert!(listing(&run.view()).is_empty());
        assert_eq!(narration(&run.view()), "The initial state: nothing has happened yet.");
    }

    #[test]
    fn the_table_of_a_large_system_leaves_idle_nodes_out() {
        let mut few = StageRun::of_library("alien-figure-1", 0).unwrap();
        assert_eq!(state_rows(&few.view()).rows.len(), few.view().frame.nodes.len());
        let mut many = StageRun::of_link("v=1&a=raymond&n=127&t=1&top=binary-tree&load=rate:5&seed=1", 1).unwrap();
        (0..40).for_each(|_| assert!(many.step()));
        let table = state_rows(&many.view());
        assert!(table.rows.len() <= MANY && table.caption.contains("without the idle nodes"), "{}", table.caption);
        assert_eq!(table.rows[0].1[1], "yes", "the token holder comes first");
    }
}
