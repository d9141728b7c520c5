//! The form of a check: its system, field by field, and what to look for.

use crate::browser::field;
use lockstep_algorithms::ALL;
use lockstep_check::{Check as System, CheckGoal, InteractiveCheck};
use lockstep_kernel::explore::RequestMeasure;
use lockstep_kernel::{Network, Topology};
use lockstep_spec::{FieldForm, Use};
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

/// What was typed; nothing for the default.
fn given(text: String) -> Option<String> {
    Some(text.trim().to_owned()).filter(|text| !text.is_empty())
}

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
    let entry = lockstep_algorithms::find(system.algorithm()).ok();
    let params = entry.map_or(&[][..], |e| e.params).iter().map(|param| {
        let now = system.spec.given.get(param.name).map_or(param.values[0], String::as_str);
        let (system, change) = (system.clone(), props.change.clone());
        let on = Callback::from(move |event: yew::Event| {
            let mut next = system.clone();
            next.spec.given.insert(param.name.into(), value(&event));
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
    let text = |name: &str| system.text(name).to_owned();
    let stop = {
        let stop = props.stop.clone();
        move |_: MouseEvent| stop.emit(())
    };
    let line = |l: &lockstep_kernel::Line| {
        html! { <option key={l.id.0.to_string()} value={l.id.0.to_string()} selected={system.without() == Some(l.id.0)}>{ format!("without: {}", l.text.trim()) }</option> }
    };
    let (wrong, running) = (!props.run.possible, props.run.running);
    html! {
        <section class="check-form" aria-label="System">
            <label key="algorithm"><span>{ "algorithm" }</span>{ algorithms(system.algorithm(), true, set(|s, v| {
                let mut form = FieldForm::new(Use::Explore, s.spec.clone());
                let _ = form.set("algorithm", &v);
                s.spec = form.spec().clone();
            })) }</label>
            <div class="check-params">{ for params }</div>
            { field("nodes", "1 to 64; every node multiplies the number of states", system.spec.nodes.clone().unwrap_or_default(), set(|s, v| s.spec.nodes = given(v))) }
            { field("threads", "user threads of each node", text("threads"), set(|s, v| s.spec.threads = given(v))) }
            { field("requests", "requests of each node; unlimited also looks for starvation", text("requests"), set(|s, v| s.spec.requests = given(v))) }
            { choice("topology", "the initial tree or graph", &text("topology"), Topology::ALL.iter().map(|(n, _)| *n).collect(), set(|s, v| s.spec.topology = given(v))) }
            { field("clusters", "sizes of the clusters, 2+1+1; empty for one cluster", text("clusters"), set(|s, v| {
                s.spec.clusters = given(v);
                if s.spec.clusters.is_some() { s.spec.nodes = None }
            })) }
            { choice("network", "what the network may do to messages; lossy and duplicating: once", &text("network"), Network::ALL.iter().map(|(n, _)| *n).collect(), set(|s, v| s.spec.network = given(v))) }
            { choice("crashes", "how many nodes may crash; a crashed node loses its state and every message to it", &text("crashes"), vec!["0", "1"], set(|s, v| s.spec.crashes = given(v))) }
            { choice("symmetry", "on: states that differ only by the names of nodes with equal roles, such as the leaves of a star, count as one", if text("symmetry") == "true" { "on" } else { "off" }, vec!["off", "on"], set(|s, v| s.spec.symmetry = (v == "on").then(|| "true".into()))) }
            <div hidden={!ranges}>
                { field("cells", "cells of the resource, 1 to 16; every range is explored", text("cells"), set(|s, v| s.spec.cells = given(v))) }
                { field("placement", "which node holds each cell: p1,p1,p2, or every", text("placement"), set(|s, v| s.spec.placement = given(v))) }
            </div>
            <div hidden={!cancels}>{ field("cancels", "how often a waiting thread may cancel its request", text("cancels"), set(|s, v| s.spec.cancels = given(v))) }</div>
            <label key="without"><span>{ "listing" }</span>
                <select onchange={set(|s, v| s.spec.without = given(v))}>
                    <option key="whole" value="" selected={system.without().is_none()}>{ "complete" }</option>
                    { for entry.iter().flat_map(|e| e.lines()).map(line) }
                </select>
            </label>
            { field("maximum states", "the check stops there and can be continued", text("max_states"), set(|s, v| s.spec.max_states = given(v.replace(' ', "")))) }
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
