//! The list of all branches of the run.

use crate::hooks::PageAct;
use lockstep_session::branches::Branch;
use lockstep_session::{Action, StepView};
use yew::prelude::*;

/// The branches.
pub fn branches_panel(shown: &StepView, act: &PageAct) -> Html {
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
    let undo = act.reform(|_: MouseEvent| Action::Undo);
    html! {
        <>
            <h2>{ "Branches of this run" }</h2>
            <p class="hint">{ "Each row is a stretch of steps that begins with a choice. Choosing the same event again continues the same branch; nothing is lost." }</p>
            <ul class="tree">{ for all.iter().map(item) }</ul>
            <p class="hint" hidden={all.len() > 1}>{ "There is one branch so far. Go back and choose another event, or drag an arrowhead in the space-time diagram." }</p>
            <div class="until"><button type="button" title="Ctrl+Z" onclick={undo}>{ "Undo" }</button></div>
        </>
    }
}
