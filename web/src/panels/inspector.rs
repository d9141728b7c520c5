//! The inspector: the variables of a node, the listing lines that ran, the invariants, and the
//! tabs for events and branches.

use crate::hooks::{PageAct, use_act};
use crate::panels::branches::branches_panel;
use crate::panels::chooser::Chooser;
use crate::panels::events::events_panel;
use crate::panels::icons;
use lockstep_kernel::NodeId;
use lockstep_kernel::view::InvariantStatus;
use lockstep_scene::CausalChain;
use lockstep_scene::explain::words;
use lockstep_session::inspect::{self, VariableRow, violated_since};
use lockstep_session::{Action, InspectorTab, StepView};
use std::rc::Rc;
use yew::prelude::*;

/// What the inspector needs.
#[derive(Properties, PartialEq)]
pub struct InspectorProps {
    /// The step.
    pub shown: Rc<StepView>,
    /// The node that is shown.
    pub selected: NodeId,
    /// Whether it stays when other nodes act.
    pub pinned: bool,
    /// The open tab.
    pub tab: InspectorTab,
    /// Whether the causes are marked.
    pub why: bool,
}

/// The tabs from left to right, with their ids.
const TABS: [(InspectorTab, &str); 3] =
    [(InspectorTab::Node, "tab-node"), (InspectorTab::Events, "tab-events"), (InspectorTab::Branches, "tab-branches")];

/// The inspector.
#[component]
pub fn Inspector(props: &InspectorProps) -> Html {
    let act = use_act();
    let name = props.shown.origin.setup.name(props.selected).to_owned();
    let possible = props.shown.picks.iter().filter(|p| !p.event.is_fault()).count();
    let tab = |tab: InspectorTab, id: &'static str, panel: &'static str, text: Html| {
        let on = props.tab == tab;
        let arrows = {
            let act = act.clone();
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
        let act = act.clone();
        html! {
            <button key={id} type="button" role="tab" {id} aria-selected={on.to_string()} aria-controls={panel}
                tabindex={if on { "0" } else { "-1" }} onkeydown={arrows} onclick={move |_| act.emit(Action::Tab(tab))}>{ text }</button>
        }
    };
    html! {
        <aside class="inspector" aria-label="Inspector">
            <div class="tabs" role="tablist" aria-label="Inspector">
                { tab(InspectorTab::Node, "tab-node", "panel-node", html! { { format!("Node {name}") } }) }
                { tab(InspectorTab::Events, "tab-events", "panel-events", html! { <>{ "Events" }<span class="count">{ possible }</span></> }) }
                { tab(InspectorTab::Branches, "tab-branches", "panel-branches", html! { <>{ "Branches" }<span class="count" hidden={props.shown.branches.len() < 2}>{ props.shown.branches.len() }</span></> }) }
            </div>
            <div id="panel-node" class="panel" role="tabpanel" aria-labelledby="tab-node" tabindex="0" hidden={props.tab != InspectorTab::Node}>
                <Chooser origin={props.shown.origin.clone()} selected={props.selected} pinned={props.pinned} />
                { variables(props) }
                { listing(&props.shown) }
                { why(props, &act) }
                { counters(&props.shown) }
                { invariants(&props.shown) }
            </div>
            <div id="panel-events" class="panel" role="tabpanel" aria-labelledby="tab-events" tabindex="0" hidden={props.tab != InspectorTab::Events}>
                { if props.tab == InspectorTab::Events { events_panel(&props.shown, &act) } else { Html::default() } }
            </div>
            <div id="panel-branches" class="panel" role="tabpanel" aria-labelledby="tab-branches" tabindex="0" hidden={props.tab != InspectorTab::Branches}>
                { if props.tab == InspectorTab::Branches { branches_panel(&props.shown, &act) } else { Html::default() } }
            </div>
        </aside>
    }
}

/// Variables with old and new value, changed ones first.
fn variables(props: &InspectorProps) -> Html {
    let (rows, folded) = inspect::variables(&props.shown, props.selected);
    let row = |VariableRow { name, before, value }: &VariableRow| {
        let class = classes!(before.is_some().then_some("changed"), (name == "queue").then_some("long"));
        html! {
            <tr key={name.clone()} {class}>
                <th scope="row">{ name }</th>
                <td>
                    <s hidden={before.is_none()}>{ before.clone().unwrap_or_default() }</s>
                    <span class="arrow" hidden={before.is_none()} aria-label="became">{ " → " }</span>
                    <span class="new">{ value }</span>
                </td>
            </tr>
        }
    };
    html! {
        <section class="variables">
            <h2>{ "Variables" }</h2>
            <table hidden={rows.is_empty()}><tbody>{ for rows.iter().map(row) }</tbody></table>
            <dl class="folded" hidden={folded.is_empty()} aria-label="Unchanged">
                { for folded.iter().map(|row| html! { <div key={row.name.clone()}><dt>{ &row.name }</dt><dd>{ &row.value }</dd></div> }) }
            </dl>
        </section>
    }
}

/// The blocks of the listing in which lines ran, with those lines highlighted.
fn listing(shown: &StepView) -> Html {
    let last = shown.frame.last.as_ref();
    let place = last.map_or(String::new(), |l| format!(" at {}", shown.origin.setup.name(l.node)));
    let blocks = inspect::listing(shown);
    let items = blocks.iter().map(|block| {
        let lines = block.lines.iter().map(|(number, line, ran)| {
            let code = line.text.trim_start();
            html! {
                <li key={*number} class={classes!("line", ran.then_some("hot"))} aria-current={ran.then_some("true")}>
                    <span class="number">{ *number }</span>
                    <span class="code" style={format!("padding-left:{}ch", line.text.len() - code.len())}>{ code }</span>
                </li>
            }
        });
        html! { <div key={block.heading} class="block"><h3>{ block.heading }</h3><ol>{ for lines }</ol></div> }
    });
    let nothing = match last {
        Some(_) => "This step ran no line of the listing.",
        None => "Nothing has run yet.",
    };
    html! {
        <section class="listing">
            <h2>{ format!("What just ran{place}") }</h2>
            <p class="empty" hidden={!blocks.is_empty()}>{ nothing }</p>
            <div class="blocks">{ for items }</div>
        </section>
    }
}

/// The causes of this step: from the delivery back to the request or release of a thread.
fn why(props: &InspectorProps, act: &PageAct) -> Html {
    let shown = &props.shown;
    let chain = CausalChain::of(&shown.frames, shown.cursor).steps;
    let item = |index: &usize| {
        let (act, index) = (act.clone(), *index);
        let title = shown.frames[index].last.as_ref().map_or(String::new(), |l| l.title.clone());
        html! {
            <li key={index}><button type="button" onclick={move |_| act.emit(Action::Seek(index))}><small>{ index }</small>{ title }</button></li>
        }
    };
    let toggle = act.reform(|_: MouseEvent| Action::Why);
    html! {
        <section class="why" hidden={chain.len() < 2}>
            <h2>{ "Why" }
                <button type="button" class="follow" aria-pressed={props.why.to_string()} title="Mark these steps in the picture and in the diagram (w)"
                    onclick={toggle}>{ "show" }</button>
            </h2>
            <ol>{ for chain.iter().rev().map(item) }</ol>
        </section>
    }
}

fn invariants(shown: &StepView) -> Html {
    let item = |held: &InvariantStatus| {
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
                    { violated_since(shown, &held.name).map_or(String::new(), |step| format!(", since step {step}")) }
                </em>
            </li>
        }
    };
    html! {
        <section class="invariants">
            <h2>{ "Invariants" }</h2>
            <ul>{ for shown.frame.invariants.iter().map(item) }</ul>
        </section>
    }
}

fn counters(shown: &StepView) -> Html {
    let counters = shown.frame.counters;
    let rows = [
        ("messages", counters.messages.to_string()),
        ("entries", counters.entries.to_string()),
        ("longest wait", words::time(counters.longest_wait)),
    ];
    html! {
        <section class="counters">
            <h2>{ "Counters" }</h2>
            <dl>
                { for rows.into_iter().map(|(name, value)| html! { <div key={name}><dt>{ name }</dt><dd>{ value }</dd></div> }) }
            </dl>
        </section>
    }
}
