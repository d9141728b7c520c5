//! The choice of the node that the inspector shows: the one that acted last, or a fixed one.

use crate::browser::field;
use crate::hooks::use_act;
use lockstep_kernel::NodeId;
use lockstep_session::{Action, Origin};
use std::rc::Rc;
use yew::prelude::*;

/// More nodes than this are chosen from a list that unfolds.
const MOST_BUTTONS: usize = 15;

/// What the choice needs.
#[derive(Properties, PartialEq)]
pub struct ChooserProps {
    /// The names.
    pub origin: Rc<Origin>,
    /// The node that is shown.
    pub selected: NodeId,
    /// Whether it stays when other nodes act.
    pub pinned: bool,
}

/// The choice of a node.
#[component]
pub fn Chooser(props: &ChooserProps) -> Html {
    let ChooserProps { origin, selected, pinned } = props;
    let follow = use_act().reform(|_: MouseEvent| Action::Select(None));
    let nodes = if origin.setup.nodes() > MOST_BUTTONS {
        html! { <Unfolding key="list" origin={origin.clone()} selected={*selected} /> }
    } else {
        let button = |id: NodeId| {
            let name: AttrValue = origin.setup.name(id).to_owned().into();
            html! { <One key={id.0} {id} {name} on={*selected == id} /> }
        };
        html! { <div key="buttons" class="node-choices" role="group" aria-label="Node">{ for origin.setup.ids().map(button) }</div> }
    };
    html! {
        <div class="chooser">
            { nodes }
            <button key="follow" type="button" class="follow" aria-pressed={(!pinned).to_string()} title="Always show the node that acted last"
                onclick={follow}>{ "follow" }</button>
        </div>
    }
}

#[derive(Properties, PartialEq)]
struct OneProps {
    id: NodeId,
    name: AttrValue,
    on: bool,
}

/// The button of a node: at a step two of them change.
#[component]
fn One(props: &OneProps) -> Html {
    let (act, id) = (use_act(), props.id);
    html! {
        <button type="button" class="node-choice" aria-pressed={props.on.to_string()}
            onclick={move |_| act.emit(Action::Select(Some(id)))}>{ &props.name }</button>
    }
}

#[derive(Properties, PartialEq)]
struct UnfoldingProps {
    origin: Rc<Origin>,
    selected: NodeId,
}

/// A list of many nodes. Its items are made once; the choice is set directly.
#[component]
fn Unfolding(props: &UnfoldingProps) -> Html {
    let select = use_node_ref();
    {
        let select = select.clone();
        use_effect_with((props.selected, props.origin.clone()), move |(selected, _)| {
            field::choose(&select, &selected.0.to_string());
        });
    }
    let choose = use_act().reform(|event: Event| Action::Select(field::parsed(&event).map(NodeId)));
    html! { <select ref={select} class="node-list" aria-label="Node" onchange={choose}><Names origin={props.origin.clone()} /></select> }
}

#[derive(Properties, PartialEq)]
struct NamesProps {
    origin: Rc<Origin>,
}

#[component]
fn Names(props: &NamesProps) -> Html {
    let setup = &props.origin.setup;
    html! { <>{ for setup.ids().map(|id| html! { <option key={id.0} value={id.0.to_string()}>{ setup.name(id) }</option> }) }</> }
}
