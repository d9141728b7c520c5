//! Puzzles: reach a goal by picking events, in as few steps as possible.

use crate::hooks::use_act;
use crate::panels::icons;
use lockstep_check::{Puzzle, PuzzleLevel, puzzles};
use lockstep_scenario::library::GROUPS;
use lockstep_session::Action;
use std::collections::BTreeMap;
use yew::prelude::*;

/// What the list needs.
#[derive(Properties, PartialEq)]
pub struct PuzzlesProps {
    /// Puzzles solved, with the steps that it took.
    pub solved: BTreeMap<String, usize>,
}

fn level(level: PuzzleLevel) -> &'static str {
    match level {
        PuzzleLevel::Easy => "easy",
        PuzzleLevel::Medium => "medium",
        PuzzleLevel::Hard => "hard",
    }
}

/// The list.
#[component]
pub fn Puzzles(props: &PuzzlesProps) -> Html {
    let act = use_act();
    let all = use_memo((), |()| puzzles());
    let item = |puzzle: &Puzzle| {
        let (act, id) = (act.clone(), puzzle.id);
        let solved = props.solved.get(id).copied();
        let sign = solved.map(|steps| {
            if steps <= puzzle.par { format!("solved in {steps}: par") } else { format!("solved in {steps}") }
        });
        html! {
            <li key={id} class="puzzle-card">
                <h3>{ puzzle.title }</h3>
                <p>{ puzzle.task }</p>
                <p class="figure-facts"><span>{ level(puzzle.level) }</span><span>{ format!("par {}", puzzle.par) }</span>
                    <span class="seen" hidden={solved.is_none()}>{ icons::icon(icons::CHECK) }{ sign.unwrap_or_default() }</span></p>
                <button type="button" class="button" onclick={move |_| act.emit(Action::Puzzle(id.into()))}>{ "Play" }</button>
            </li>
        }
    };
    let groups = GROUPS.into_iter().map(|group| {
        let cards: Vec<Html> = all.iter().filter(|p| p.group == group).map(item).collect();
        html! {
            <section key={group.text} class="shelf" hidden={cards.is_empty()}><h2>{ group.title }</h2><ul class="cards-list">{ for cards }</ul></section>
        }
    });
    let done = all.iter().filter(|p| props.solved.contains_key(p.id)).count();
    html! { <div><p class="hint">{ format!("{done} of {} solved. Par is the smallest possible number of steps, found by exhaustive search.", all.len()) }</p>{ for groups }</div> }
}
