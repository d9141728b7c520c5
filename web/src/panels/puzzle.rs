//! The card of the puzzle on the stage. It comes with the library, as puzzles do.

use crate::hooks::use_act;
use lockstep_session::{Action, StagePuzzle};
use yew::prelude::*;

/// What the card of a puzzle needs.
#[derive(Properties, PartialEq)]
pub struct PuzzleProps {
    /// The puzzle and the steps in which it is solved at the cursor.
    pub puzzle: (StagePuzzle, Option<usize>),
    /// Steps so far.
    pub steps: usize,
}

/// The puzzle on the stage: its goal, par, a hint, and whether it is solved.
#[component]
pub fn PuzzleCard(props: &PuzzleProps) -> Html {
    let (puzzle, solved) = &props.puzzle;
    let id = puzzle.id;
    let again = use_act().reform(move |_: MouseEvent| Action::Puzzle(id.into()));
    html! {
        <section class="puzzle" aria-label="Puzzle">
            <h2>{ puzzle.title }</h2>
            <p>{ puzzle.task }</p>
            <p>{ puzzle.progress(props.steps) }{ " Pick events: click messages and threads, or use the list under Events." }</p>
            <p class="won" role="status">{ puzzle.outcome(*solved) }</p>
            <details><summary>{ "Hint" }</summary><p>{ puzzle.hint }</p></details>
            <button type="button" class="chip" onclick={again}>{ "Start again" }</button>
        </section>
    }
}
