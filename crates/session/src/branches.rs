//! The branches of a run: the tree of all steps, folded to the stretches between two choices.

use lockstep_kernel::history::{Player, StepId};

/// A stretch of steps without a second choice.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Branch {
    /// Its first moment: the choice that it begins with.
    pub first: StepId,
    /// Steps from the beginning to its first and to its last moment.
    pub steps: (u32, u32),
    /// What was chosen.
    pub title: String,
    /// How many other choices lie between it and the first timeline.
    pub level: usize,
    /// Whether it belongs to the figure.
    pub figure: bool,
    /// Whether the cursor is in it.
    pub here: bool,
}

/// Folds the tree of a run: each branch is followed by the branches that leave it, in the order in
/// which they were made.
pub fn branches(player: &dyn Player, figure: &[StepId]) -> Vec<Branch> {
    let known = |m: usize| player.step_info(m as StepId);
    let parent: Vec<usize> = (0..player.len()).map_while(known).map(|k| k.parent as usize).collect();
    let mut children = vec![0usize; parent.len()];
    parent.iter().skip(1).for_each(|p| children[*p] += 1);
    // moments are numbered in the order in which they were reached: a parent comes first
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

#[cfg(test)]
mod tests {
    use crate::run::StageRun;

    #[test]
    fn a_second_choice_is_a_branch_and_the_same_one_again_is_not() {
        let mut run = StageRun::of_library("alien-figure-1", 1).unwrap();
        let shown = run.view();
        assert_eq!(shown.branches.len(), 1);
        assert!(shown.branches[0].here && shown.branches[0].figure);
        let other = shown.picks.iter().map(|p| p.event).find(|e| Some(*e) != shown.next).unwrap();
        assert!(run.pick(other));
        let split = run.view().branches;
        let rows: Vec<(u32, usize, bool)> = split.iter().map(|b| (b.steps.0, b.level, b.here)).collect();
        assert_eq!(rows, [(0, 0, false), (8, 0, false), (8, 1, true)]);
        run.seek(shown.moment);
        assert!(run.pick(other));
        assert_eq!(run.view().branches, split);
    }
}
