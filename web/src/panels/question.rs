//! The question of a stop, with the verdict on the answer and its reason.

use crate::hooks::PageAct;
use crate::panels::icons;
use lockstep_session::{Action, Origin, Session};
use std::collections::BTreeMap;
use yew::prelude::*;

/// The question of the last stop passed, and what was answered.
pub fn question(origin: &Origin, stop: Option<usize>, answers: &BTreeMap<String, usize>, act: &PageAct) -> Html {
    let asked = stop.and_then(|i| Some((i, origin.scenario.as_ref()?.stops.get(i)?.question.as_ref()?)));
    let Some((stop, question)) = asked else {
        return html! { <section class="question" hidden=true></section> };
    };
    let given = answers.get(&Session::answer_key(origin, stop)).copied();
    let answer = |(i, answer): (usize, &lockstep_scenario::QuizAnswer)| {
        let chosen = given == Some(i);
        let act = act.clone();
        let mark = match (chosen, answer.right) {
            (true, true) => icons::icon(icons::CHECK),
            (true, false) => icons::icon(icons::CROSS),
            _ => {
                html! { <svg class="icon" viewBox="0 0 20 20" aria-hidden="true"><circle cx="10" cy="10" r="5.5" /></svg> }
            }
        };
        let class = classes!("answer", chosen.then_some(if answer.right { "right" } else { "wrong" }));
        html! {
            <li key={i}>
                <button type="button" {class} aria-pressed={chosen.to_string()} onclick={move |_| act.emit(Action::Answer(stop, i))}>
                    { mark }<span>{ &answer.text }</span>
                </button>
            </li>
        }
    };
    let verdict = given.and_then(|i| question.answers.get(i));
    html! {
        <section class="question" aria-label="Question">
            <h3>{ &question.text }</h3>
            <ul>{ for question.answers.iter().enumerate().map(answer) }</ul>
            <p class="because" role="status">
                { verdict.map_or(String::new(), |a| format!("{} {}", if a.right { "Yes." } else { "Not quite." }, a.because)) }
            </p>
        </section>
    }
}
