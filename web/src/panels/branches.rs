//! Everything that was tried: the tree of all steps, folded to the stretches between two choices.

use crate::run::Shown;
use crate::state::Action;
use lockstep_kernel::history::{Player, StepId};
use yew::prelude::*;

/// A stretch of steps without another choice.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Branch {
    /// Its first moment: the choice that it begins with.
    pub first: StepId,
    /// Steps from the beginning to its first and to its last moment.
    pub steps: (u32, u32),
    /// What was chosen.
    pub title: String,
    /// How many other choices lie between it and the first line.
    pub level: usize,
    /// Whether it belongs to the figure.
    pub figure: bool,
    /// Whether the cursor is in it.
    pub here: bool,
}

/// Folds the tree of a run: each stretch is followed by what was tried after it, the first choice first.
pub fn branches(player: &dyn Player, figure: &[StepId]) -> Vec<Branch> {
    let known = |m: usize| player.step_info(m as StepId);
    let parent: Vec<usize> = (0..player.len()).map_while(known).map(|k| k.parent as usize).collect();
    let mut children = vec![0usize; parent.len()];
    parent.iter().skip(1).for_each(|p| children[*p] += 1);
    // moments are numbered as they were reached, so that a parent comes first
    let mut stretch = vec![0usize; parent.len()];
    let mut seen = vec![0usize; parent.len()];
    let mut found: Vec<(Branch, usize)> = Vec::new();
    for m in 0..parent.len() {
        let Some(step) = known(m) else { break };
        let before = parent[m];
        let nth = seen[before];
        seen[before] += usize::from(m > 0);
        if m > 0 && children[before] < 2 {
            stretch[m] = stretch[before];
            found[stretch[m]].0.steps.1 = step.depth;
        } else {
            let level = if m == 0 { 0 } else { found[stretch[before]].0.level + usize::from(nth > 0) };
            let steps = (step.depth, step.depth);
            let figure = figure.contains(&(m as StepId));
            let branch = Branch { first: m as StepId, steps, title: step.title.into(), level, figure, here: false };
            let origin = if m == 0 { usize::MAX } else { stretch[before] };
            stretch[m] = found.len();
            found.push((branch, origin));
        }
    }
    if let Some(here) = stretch.get(player.cursor() as usize) {
        found[*here].0.here = true;
    }
    let (mut order, mut next) = (Vec::new(), vec![0]);
    while let Some(i) = next.pop() {
        order.push(i);
        next.extend((0..found.len()).rev().filter(|k| found[*k].1 == i));
    }
    order.into_iter().filter_map(|i| found.get(i).map(|(b, _)| b.clone())).collect()
}

/// The tree.
pub fn branches_panel(shown: &Shown, act: &Callback<Action>) -> Html {
    let all = &shown.branches;
    let item = |branch: &Branch| {
        let (act, first) = (act.clone(), branch.first);
        let (from, to) = branch.steps;
        let steps = if from == to { from.to_string() } else { format!("{from}–{to}") };
        html! {
            <li key={first} style={format!("padding-left:{}px", 14 * branch.level.min(12))}>
                <button type="button" class={classes!("branch-row", branch.here.then_some("here"), (branch.level > 0).then_some("other"))}
                    aria-current={branch.here.then_some("step")} onclick={move |_| act.emit(Action::Goto(first))}>
                    <small>{ steps }</small><span>{ &branch.title }</span><em hidden={!branch.figure}>{ "figure" }</em>
                </button>
            </li>
        }
    };
    let undo = {
        let act = act.clone();
        move |_: MouseEvent| act.emit(Action::Undo)
    };
    html! {
        <>
            <h2>{ "Everything that was tried" }</h2>
            <p class="hint">{ "Each row is a stretch of steps and begins with a choice. The same choice again is the same branch; nothing is lost." }</p>
            <ul class="tree">{ for all.iter().map(item) }</ul>
            <p class="hint" hidden={all.len() > 1}>{ "Only one line so far. Go back and pick another event, or drag an arrowhead of the space-time diagram." }</p>
            <div class="until"><button type="button" title="Ctrl+Z" onclick={undo}>{ "Undo" }</button></div>
        </>
    }
}

#[cfg(test)]
mod tests {
    use crate::run::Run;

    #[test]
    fn a_second_choice_splits_the_line_and_the_same_one_again_does_not() {
        let mut run = Run::of_library("alien-figure-1", 1).unwrap();
        let shown = run.shown();
        assert_eq!(shown.branches.len(), 1);
        assert!(shown.branches[0].here && shown.branches[0].figure);
        let other = shown.picks.iter().map(|p| p.event).find(|e| Some(*e) != shown.next).unwrap();
        assert!(run.pick(other));
        let split = run.shown().branches;
        let told: Vec<(u32, usize, bool)> = split.iter().map(|b| (b.steps.0, b.level, b.here)).collect();
        assert_eq!(told, [(0, 0, false), (8, 0, false), (8, 1, true)]);
        run.seek(shown.moment);
        assert!(run.pick(other));
        assert_eq!(run.shown().branches, split);
    }
}
