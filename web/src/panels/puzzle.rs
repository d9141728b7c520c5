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

/// A number of steps in words.
fn count(steps: usize) -> String {
    if steps == 1 { "1 step".into() } else { format!("{steps} steps") }
}

/// The puzzle on the stage: its goal, par, a hint, and whether it is solved.
#[component]
pub fn PuzzleCard(props: &PuzzleProps) -> Html {
    let (puzzle, solved) = &props.puzzle;
    let id = puzzle.id;
    let again = use_act().reform(move |_: MouseEvent| Action::Puzzle(id.into()));
    let won = solved.map(|steps| match steps.cmp(&puzzle.par) {
        std::cmp::Ordering::Greater => format!("Solved in {}. Par is {}.", count(steps), puzzle.par),
        _ => format!("Solved in {}: par. The address of this page proves it.", count(steps)),
    });
    html! {
        <section class="puzzle" aria-label="Puzzle">
            <h2>{ puzzle.title }</h2>
            <p>{ puzzle.task }</p>
            <p>{ format!("{} so far, par {}. Pick events: click messages and threads, or use the list under Events.", count(props.steps), puzzle.par) }</p>
            <p class="won" role="status">{ won.unwrap_or_default() }</p>
            <details><summary>{ "Hint" }</summary><p>{ puzzle.hint }</p></details>
            <button type="button" class="chip" onclick={again}>{ "Start again" }</button>
        </section>
    }
}
