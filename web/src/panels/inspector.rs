//! The right rail: the inside of a node, what just ran, what holds, and what can happen next.

use crate::panels::branches::branches_panel;
use crate::panels::chooser::Chooser;
use crate::panels::events::events_panel;
use crate::panels::icons;
use crate::run::Shown;
use crate::state::{Action, Tab};
use lockstep_kernel::view::{NodeFrame, VarValue};
use lockstep_kernel::{Line, NodeId, sort};
use lockstep_scene::CausalChain;
use lockstep_scene::explain::words;
use std::rc::Rc;
use yew::prelude::*;

/// What the inspector needs.
#[derive(Properties, PartialEq)]
pub struct InspectorProps {
    /// The moment.
    pub shown: Rc<Shown>,
    /// The node that is looked at.
    pub selected: NodeId,
    /// Whether it stays when others act.
    pub pinned: bool,
    /// The open tab.
    pub tab: Tab,
    /// Whether the chain of causes is shown.
    pub why: bool,
    /// Makes something happen.
    pub act: Callback<Action>,
}

/// The tabs from left to right, with their ids.
const TABS: [(Tab, &str); 3] = [(Tab::Node, "tab-node"), (Tab::Events, "tab-events"), (Tab::Branches, "tab-branches")];

/// The inspector.
#[component]
pub fn Inspector(props: &InspectorProps) -> Html {
    let name = props.shown.origin.setup.name(props.selected).to_owned();
    let possible = props.shown.picks.iter().filter(|p| !p.event.is_fault()).count();
    let tab = |tab: Tab, id: &'static str, panel: &'static str, text: Html| {
        let on = props.tab == tab;
        let act = props.act.clone();
        let arrows = {
            let act = props.act.clone();
            Callback::from(move |event: KeyboardEvent| {
                if matches!(event.key().as_str(), "ArrowLeft" | "ArrowRight") {
                    event.prevent_default();
                    event.stop_propagation();
                    let by = if event.key() == "ArrowRight" { 1 } else { TABS.len() - 1 };
                    let here = TABS.iter().position(|(t, _)| *t == tab).unwrap_or(0);
                    let (other, id) = TABS[(here + by) % TABS.len()];
                    act.emit(Action::Tab(other));
                    crate::browser::keys::focus_id(id);
                }
            })
        };
        html! {
            <button key={id} type="button" role="tab" {id} aria-selected={on.to_string()} aria-controls={panel}
                tabindex={if on { "0" } else { "-1" }} onkeydown={arrows} onclick={move |_| act.emit(Action::Tab(tab))}>{ text }</button>
        }
    };
    html! {
        <aside class="inspector" aria-label="Inspector">
            <div class="tabs" role="tablist" aria-label="Inspector">
                { tab(Tab::Node, "tab-node", "panel-node", html! { { format!("Node {name}") } }) }
                { tab(Tab::Events, "tab-events", "panel-events", html! { <>{ "Events" }<span class="count">{ possible }</span></> }) }
                { tab(Tab::Branches, "tab-branches", "panel-branches", html! { <>{ "Branches" }<span class="count" hidden={props.shown.branches.len() < 2}>{ props.shown.branches.len() }</span></> }) }
            </div>
            <div id="panel-node" class="panel" role="tabpanel" aria-labelledby="tab-node" tabindex="0" hidden={props.tab != Tab::Node}>
                <Chooser origin={props.shown.origin.clone()} selected={props.selected} pinned={props.pinned} act={props.act.clone()} />
                { variables(props) }
                { listing(&props.shown) }
                { why(props) }
                { counters(&props.shown) }
                { invariants(&props.shown) }
            </div>
            <div id="panel-events" class="panel" role="tabpanel" aria-labelledby="tab-events" tabindex="0" hidden={props.tab != Tab::Events}>
                { if props.tab == Tab::Events { events_panel(&props.shown, &props.act) } else { Html::default() } }
            </div>
            <div id="panel-branches" class="panel" role="tabpanel" aria-labelledby="tab-branches" tabindex="0" hidden={props.tab != Tab::Branches}>
                { if props.tab == Tab::Branches { branches_panel(&props.shown, &props.act) } else { Html::default() } }
            </div>
        </aside>
    }
}

/// A name, the value before, and the value.
type Variable = (String, Option<String>, String);

/// If a node has more variables than this, those that did not change are folded into a few lines.
const MOST_ROWS: usize = 5;

/// Variables with old and new value, changed ones first.
fn variables(props: &InspectorProps) -> Html {
    let shown = &props.shown;
    let setup = &shown.origin.setup;
    let Some(node) = shown.frame.nodes.get(props.selected.index()) else {
        return html! { <section class="variables" /> };
    };
    let before: Option<&NodeFrame> =
        shown.before.as_ref().and_then(|f| f.nodes.get(props.selected.index())).map(|n| &**n);
    let text = |value: &VarValue| value.text(|n| setup.name(n).into());
    let queue = |n: &NodeFrame| {
        let names: Vec<String> = n.view.queue.iter().map(|w| words::waiter(setup, w)).collect();
        if names.is_empty() { "empty".into() } else { names.join("  ") }
    };
    let mut rows: Vec<Variable> = (node.view.vars.iter())
        .map(|var| {
            let old = before.and_then(|b| b.view.vars.iter().find(|v| v.name == var.name)).map(|v| text(&v.value));
            (var.name.clone(), old, text(&var.value))
        })
        .collect();
    rows.push(("queue".into(), before.map(queue), queue(node)));
    let same = |(_, old, new): &Variable| old.as_ref().is_none_or(|old| old == new);
    sort::by_key(&mut rows, same);
    let folded = if rows.len() > MOST_ROWS { rows.iter().position(same) } else { None };
    let folded = rows.split_off(folded.unwrap_or(rows.len()));
    let row = |(name, old, new): &Variable| {
        let changed = old.as_ref().filter(|old| *old != new);
        let long = name == "queue";
        html! {
            <tr key={name.clone()} class={classes!(changed.is_some().then_some("changed"), long.then_some("long"))}>
                <th scope="row">{ name }</th>
                <td>
                    <s hidden={changed.is_none()}>{ changed.cloned().unwrap_or_default() }</s>
                    <span class="arrow" hidden={changed.is_none()} aria-label="became">{ " → " }</span>
                    <span class="new">{ new }</span>
                </td>
            </tr>
        }
    };
    html! {
        <section class="variables">
            <h2>{ "Variables" }</h2>
            <table hidden={rows.is_empty()}><tbody>{ for rows.iter().map(row) }</tbody></table>
            <dl class="folded" hidden={folded.is_empty()} aria-label="Unchanged">
                { for folded.iter().map(|(name, _, now)| html! { <div key={name.clone()}><dt>{ name }</dt><dd>{ now }</dd></div> }) }
            </dl>
        </section>
    }
}

/// The blocks of the listing in which lines ran, with those lines lit.
fn listing(shown: &Shown) -> Html {
    let entry = shown.origin.entry;
    let ran = shown.frame.last.as_ref().map_or(&[][..], |l| &l.lines);
    let place = shown.frame.last.as_ref().map_or(String::new(), |l| format!(" at {}", shown.origin.setup.name(l.node)));
    let mut number = 0;
    let mut blocks = Vec::new();
    for (heading, lines) in entry.listing {
        let first = number + 1;
        number += lines.len();
        if !lines.iter().any(|l| ran.contains(&l.id)) {
            continue;
        }
        let line = |(i, line): (usize, &Line)| {
            let hot = ran.contains(&line.id);
            let indent = line.text.len() - line.text.trim_start().len();
            html! {
                <li key={i} class={classes!("line", hot.then_some("hot"))} aria-current={hot.then_some("true")}>
                    <span class="number">{ first + i }</span>
                    <span class="code" style={format!("padding-left:{indent}ch")}>{ line.text.trim_start() }</span>
                </li>
            }
        };
        blocks.push(html! {
            <div key={*heading} class="block">
                <h3>{ *heading }</h3>
                <ol>{ for lines.iter().enumerate().map(line) }</ol>
            </div>
        });
    }
    let nothing = blocks.is_empty();
    html! {
        <section class="listing">
            <h2>{ format!("What just ran{place}") }</h2>
            <p class="empty" hidden={!nothing}>{ "No line of the algorithm: press Step." }</p>
            <div class="blocks">{ for blocks }</div>
        </section>
    }
}

/// What led to the last step: from the message that arrived back to the user who asked or left.
fn why(props: &InspectorProps) -> Html {
    let shown = &props.shown;
    let chain = CausalChain::of(&shown.frames, shown.cursor).steps;
    let item = |index: &usize| {
        let (act, index) = (props.act.clone(), *index);
        let title = shown.frames[index].last.as_ref().map_or(String::new(), |l| l.title.clone());
        html! {
            <li key={index}><button type="button" onclick={move |_| act.emit(Action::Seek(index))}><small>{ index }</small>{ title }</button></li>
        }
    };
    let act = props.act.clone();
    html! {
        <section class="why" hidden={chain.len() < 2}>
            <h2>{ "Why" }
                <button type="button" class="follow" aria-pressed={props.why.to_string()} title="Show the chain in both pictures (w)"
                    onclick={move |_| act.emit(Action::Why)}>{ "show" }</button>
            </h2>
            <ol>{ for chain.iter().rev().map(item) }</ol>
        </section>
    }
}

fn invariants(shown: &Shown) -> Html {
    let since = |name: &str| {
        let broken =
            |f: &std::rc::Rc<lockstep_kernel::Frame>| f.invariants.iter().any(|i| i.name == name && i.broken.is_some());
        shown.frames[..=shown.cursor].iter().position(broken)
    };
    let item = |held: &lockstep_kernel::view::InvariantStatus| {
        let (class, sign, word) = match held.broken {
            None => ("holds", icons::CHECK, "holds"),
            Some(_) => ("violated", icons::CROSS, "violated"),
        };
        // the sign stays with the first word
        let (first, rest) = held.name.split_at(held.name.find(' ').unwrap_or(held.name.len()));
        html! {
            <li key={held.name.clone()} {class}>
                <b>{ icons::icon(sign) }{ first }</b><span>{ rest }<span class="hidden">{ format!(": {word}") }</span></span>
                <em hidden={held.broken.is_none()}>
                    { held.broken.clone().unwrap_or_default() }
                    { since(&held.name).filter(|_| held.broken.is_some()).map_or(String::new(), |step| format!(", since step {step}")) }
                </em>
            </li>
        }
    };
    html! {
        <section class="invariants">
            <h2>{ "In this state" }</h2>
            <ul>{ for shown.frame.invariants.iter().map(item) }</ul>
        </section>
    }
}

fn counters(shown: &Shown) -> Html {
    let counters = shown.frame.counters;
    let rows = [
        ("messages", counters.messages.to_string()),
        ("entries", counters.entries.to_string()),
        ("longest wait", words::time(counters.longest_wait)),
    ];
    html! {
        <section class="counters">
            <h2>{ "So far" }</h2>
            <dl>
                { for rows.into_iter().map(|(name, value)| html! { <div key={name}><dt>{ name }</dt><dd>{ value }</dd></div> }) }
            </dl>
        </section>
    }
}
