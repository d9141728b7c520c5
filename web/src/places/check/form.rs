//! The form of a check: its system, field by field, and what to look for.

use crate::browser::field;
use lockstep_algorithms::ALL;
use lockstep_check::{Check as System, CheckGoal, InteractiveCheck, Requests};
use lockstep_kernel::explore::RequestMeasure;
use lockstep_kernel::{Network, Topology};
use yew::prelude::*;

/// What the form needs.
#[derive(Properties, PartialEq)]
pub struct CheckFormProps {
    /// The check.
    pub run: InteractiveCheck,
    /// Called with every change.
    pub change: Callback<System>,
    /// Called to begin a check.
    pub begin: Callback<(System, CheckGoal)>,
    /// Called to pause.
    pub stop: Callback<()>,
}

/// The text of the field or the choice that changed.
pub fn value(event: &yew::Event) -> String {
    field::value(event).unwrap_or_default()
}

/// A choice of an algorithm.
pub fn algorithms(now: &str, printed: bool, change: Callback<yew::Event>) -> Html {
    let options = ALL.iter().filter(|e| printed || !e.printed).map(|e| {
        let mark = if e.printed && !e.title.contains("printed") { ", as printed" } else { "" };
        html! { <option key={e.id} value={e.id} selected={e.id == now}>{ e.title }{ mark }</option> }
    });
    html! { <select aria-label="Algorithm" onchange={change}>{ for options }</select> }
}

const WORST: [(RequestMeasure, &str); 4] = [
    (RequestMeasure::Forwards, "longest forwarding chain"),
    (RequestMeasure::Messages, "most messages for one entry"),
    (RequestMeasure::Steps, "longest wait, in steps"),
    (RequestMeasure::Bypass, "most often overtaken"),
];

/// The form.
#[component]
pub fn CheckForm(props: &CheckFormProps) -> Html {
    let system = &props.run.system;
    let set = |with: fn(&mut System, String)| {
        let (system, change) = (system.clone(), props.change.clone());
        Callback::from(move |event: yew::Event| {
            let mut next = system.clone();
            with(&mut next, value(&event));
            change.emit(next);
        })
    };
    let field = |name: &'static str, about: &'static str, now: String, on: Callback<yew::Event>| {
        html! { <label key={name} title={about}><span>{ name }</span><input type="text" value={now} onchange={on} /></label> }
    };
    let choice = |name: &'static str,
                  about: &'static str,
                  now: &str,
                  values: Vec<&'static str>,
                  on: Callback<yew::Event>| {
        let options =
            values.into_iter().map(|v| html! { <option key={v} value={v} selected={v == now}>{ v }</option> });
        html! { <label key={name} title={about}><span>{ name }</span><select onchange={on}>{ for options }</select></label> }
    };
    let entry = lockstep_algorithms::find(&system.algorithm).ok();
    let params = entry.map_or(&[][..], |e| e.params).iter().map(|param| {
        let now = system.params.0.get(param.name).map_or(param.values[0], String::as_str);
        let (system, change) = (system.clone(), props.change.clone());
        let on = Callback::from(move |event: yew::Event| {
            let mut next = system.clone();
            next.params = next.params.with(param.name, &value(&event));
            change.emit(next);
        });
        let options = param.values.iter().map(|v| html! { <option key={*v} value={*v} selected={*v == now}>{ *v }</option> });
        html! { <label key={param.name} title={param.about}><span>{ param.name }</span><select onchange={on}>{ for options }</select></label> }
    });
    let ranges = entry.is_some_and(|e| e.drive.ranges);
    let cancels = entry.is_some_and(|e| e.drive.cancels);
    let begin = |goal: CheckGoal| {
        let (system, begin) = (system.clone(), props.begin.clone());
        move |_: MouseEvent| begin.emit((system.clone(), goal))
    };
    let requests = match system.requests {
        Requests::Limited(n) => n.to_string(),
        Requests::Unlimited => "unlimited".into(),
    };
    let stop = {
        let stop = props.stop.clone();
        move |_: MouseEvent| stop.emit(())
    };
    let line = |l: &lockstep_kernel::Line| {
        html! { <option key={l.id.0.to_string()} value={l.id.0.to_string()} selected={system.without == Some(l.id.0)}>{ format!("without: {}", l.text.trim()) }</option> }
    };
    let (wrong, running) = (!props.run.possible, props.run.running);
    html! {
        <section class="check-form" aria-label="System">
            <label key="algorithm"><span>{ "algorithm" }</span>{ algorithms(&system.algorithm, true, set(|s, v| {
                s.algorithm = v;
                s.params = Default::default();
                s.without = None;
                s.symmetry = false;
                s.cells = 1;
                s.cancels = 0;
                s.placement = None;
            })) }</label>
            <div class="check-params">{ for params }</div>
            { field("nodes", "1 to 64; every node multiplies the number of states", system.nodes.map_or(String::new(), |n| n.to_string()), set(|s, v| s.nodes = v.trim().parse().ok())) }
            { field("threads", "user threads of each node", system.threads.to_string(), set(|s, v| s.threads = v.trim().parse().unwrap_or(0))) }
            { field("requests", "requests of each node; unlimited also looks for starvation", requests, set(|s, v| if let Ok(r) = v.trim().parse() { s.requests = r })) }
            { choice("topology", "the initial tree or graph", &system.topology, Topology::ALL.iter().map(|(n, _)| *n).collect(), set(|s, v| s.topology = v)) }
            { field("clusters", "sizes of the clusters, 2+1+1; empty for one cluster", system.clusters.clone().unwrap_or_default(), set(|s, v| {
                s.clusters = Some(v.trim().to_owned()).filter(|v| !v.is_empty());
                if s.clusters.is_some() { s.nodes = None }
            })) }
            { choice("network", "what the network may do to messages; lossy and duplicating: once", &system.network, Network::ALL.iter().map(|(n, _)| *n).collect(), set(|s, v| s.network = v)) }
            { choice("crashes", "how many nodes may crash; a crashed node loses its state and every message to it", &system.crashes.to_string(), vec!["0", "1"], set(|s, v| s.crashes = v.parse().unwrap_or(0))) }
            { choice("symmetry", "on: states that differ only by the names of nodes with equal roles, such as the leaves of a star, count as one", if system.symmetry { "on" } else { "off" }, vec!["off", "on"], set(|s, v| s.symmetry = v == "on")) }
            <div hidden={!ranges}>
                { field("cells", "cells of the resource, 1 to 16; every range is explored", system.cells.to_string(), set(|s, v| s.cells = v.trim().parse().unwrap_or(0))) }
                { field("placement", "which node holds each cell: p1,p1,p2, or every", system.placement.clone().unwrap_or_default(), set(|s, v| s.placement = Some(v.trim().to_owned()).filter(|v| !v.is_empty()))) }
            </div>
            <div hidden={!cancels}>{ field("cancels", "how often a waiting thread may cancel its request", system.cancels.to_string(), set(|s, v| s.cancels = v.trim().parse().unwrap_or(0))) }</div>
            <label key="without"><span>{ "listing" }</span>
                <select onchange={set(|s, v| s.without = v.parse().ok())}>
                    <option key="whole" value="" selected={system.without.is_none()}>{ "complete" }</option>
                    { for entry.iter().flat_map(|e| e.lines()).map(line) }
                </select>
            </label>
            { field("maximum states", "the check stops there and can be continued", system.max_states.to_string(), set(|s, v| s.max_states = v.trim().replace(' ', "").parse().unwrap_or(0))) }
            <div role="alert"><ul class="problems-list">{ for props.run.problems.iter().map(|p| html! { <li key={p.clone()}>{ p }</li> }) }</ul></div>
            <div class="check-buttons">
                <button type="button" class="primary" hidden={running} disabled={wrong} onclick={begin(CheckGoal::Violation)}>{ "Check" }</button>
                <button type="button" class="button" hidden={!running} onclick={stop}>{ "Stop" }</button>
            </div>
            <p class="command" hidden={wrong}>{ "On the command line: " }<code>{ props.run.named().command() }</code></p>
            <details class="worst-choice">
                <summary>{ "Search for the worst case instead" }</summary>
                <div>{ for WORST.iter().map(|(measure, name)| html! {
                    <button key={*name} type="button" class="button" disabled={wrong || running} onclick={begin(CheckGoal::Worst(*measure))}>{ *name }</button>
                }) }</div>
            </details>
        </section>
    }
}
