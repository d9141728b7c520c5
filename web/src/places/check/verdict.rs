//! The verdict of a check, and its counterexample to play on the stage.

use crate::hooks::use_act;
use lockstep_check::{CheckReport, Progress, WorstCase, sentence, words};
use lockstep_session::Action;
use lockstep_spec::grouped;
use yew::prelude::*;

/// What the counters need.
#[derive(Properties, PartialEq)]
pub struct CountingProps {
    /// How far it has come.
    pub progress: Option<Progress>,
    /// What it found, at the end.
    pub report: Option<CheckReport>,
    /// How long it took.
    pub seconds: f64,
    /// Whether it goes on.
    pub running: bool,
}

/// States, depth, frontier, speed.
#[component]
pub fn Counting(props: &CountingProps) -> Html {
    let states = props.report.as_ref().map(|r| r.states).or(props.progress.map(|p| p.states)).unwrap_or(0);
    let depth = props.report.as_ref().map(|r| r.depth).or(props.progress.map(|p| p.depth)).unwrap_or(0);
    let frontier = if props.report.is_some() { 0 } else { props.progress.map_or(0, |p| p.frontier) };
    let speed = if props.seconds > 0.05 { grouped((states as f64 / props.seconds).round()) } else { "–".into() };
    let rows = [
        ("states", grouped(states as f64)),
        ("depth", depth.to_string()),
        ("frontier", grouped(frontier as f64)),
        ("states per second", speed),
    ];
    html! {
        <dl class={classes!("counting", props.running.then_some("running"))} hidden={states == 0}>
            { for rows.into_iter().map(|(name, value)| html! { <div key={name}><dd>{ value }</dd><dt>{ name }</dt></div> }) }
        </dl>
    }
}

/// What the report needs.
#[derive(Properties, PartialEq)]
pub struct ReportProps {
    /// What was found.
    pub report: Option<CheckReport>,
}

/// The verdict and its counterexample.
#[component]
pub fn ReportView(props: &ReportProps) -> Html {
    let act = use_act();
    let Some(report) = &props.report else { return html! { <div class="report" hidden=true></div> } };
    let violation = report.violation.as_ref();
    let steps = violation.map_or(&[][..], |v| &v.steps);
    let cycle = violation.map_or(0, |v| v.cycle);
    let from = steps.len() - cycle.min(steps.len());
    let unavoidable = violation.and_then(|v| v.unavoidable);
    let open = {
        let (act, link) = (act, report.link.clone());
        move |_: MouseEvent| link.iter().for_each(|link| act.emit(Action::Counterexample(link.clone(), cycle)))
    };
    let step = |(i, step): (usize, &String)| {
        let class = classes!(
            (cycle > 0 && i >= from).then_some("cycle"),
            (unavoidable == Some(i + 1)).then_some("unavoidable")
        );
        html! { <li key={i} {class}>{ step }</li> }
    };
    html! {
        <div class="report">
            <h2 class={classes!(violation.map(|_| "violated"))}>{ sentence(&words(report)) }</h2>
            <p class="hint">{ format!("Invariants checked in every state: {}.", report.invariants.join(", ")) }</p>
            <div hidden={violation.is_none()}>
                <button type="button" class="primary" hidden={report.link.is_none()} onclick={open}>{ if cycle > 0 { "Loop it on the stage" } else { "Play it on the stage" } }</button>
                <p class="hint" hidden={cycle == 0}>{ format!("The last {cycle} steps can repeat without end.") }</p>
                <p class="hint" hidden={unavoidable.is_none()}>{ format!("From step {} on, the violation cannot be avoided.", unavoidable.unwrap_or(0)) }</p>
                <ol class="counterexample">{ for steps.iter().enumerate().map(step) }</ol>
            </div>
        </div>
    }
}

/// What the worst case needs.
#[derive(Properties, PartialEq)]
pub struct WorstProps {
    /// What was found.
    pub worst: Option<WorstCase>,
}

/// The worst case and its schedule.
#[component]
pub fn WorstView(props: &WorstProps) -> Html {
    let act = use_act();
    let Some(worst) = &props.worst else { return html! { <div class="report" hidden=true></div> } };
    let open = {
        let (act, link) = (act, worst.link.clone());
        move |_: MouseEvent| link.iter().for_each(|link| act.emit(Action::Counterexample(link.clone(), 0)))
    };
    html! {
        <div class="report">
            <h2>{ sentence(&worst.words()) }</h2>
            <button type="button" class="primary" hidden={worst.link.is_none()} onclick={open}>{ "Play it on the stage" }</button>
            <ol class="counterexample">{ for worst.steps.iter().enumerate().map(|(i, s)| html! { <li key={i}>{ s }</li> }) }</ol>
        </div>
    }
}
