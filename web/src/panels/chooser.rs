//! Which node the inspector shows: the last to act, or one of the reader's choice.

use crate::run::Origin;
use crate::state::Action;
use lockstep_kernel::NodeId;
use std::rc::Rc;
use wasm_bindgen::JsCast;
use web_sys::HtmlSelectElement;
use yew::prelude::*;

/// More nodes than this are chosen from a list that unfolds.
const MOST_BUTTONS: usize = 15;

/// What the choice needs.
#[derive(Properties, PartialEq)]
pub struct ChooserProps {
    /// The names.
    pub origin: Rc<Origin>,
    /// The node that is looked at.
    pub selected: NodeId,
    /// Whether it stays when others act.
    pub pinned: bool,
    /// Makes something happen.
    pub act: Callback<Action>,
}

/// The choice of a node.
#[component]
pub fn Chooser(props: &ChooserProps) -> Html {
    let ChooserProps { origin, selected, pinned, act } = props;
    let follow = {
        let act = act.clone();
        move |_: MouseEvent| act.emit(Action::Select(None))
    };
    let nodes = if origin.setup.nodes() > MOST_BUTTONS {
        html! { <Unfolding key="list" origin={origin.clone()} selected={*selected} act={act.clone()} /> }
    } else {
        let button = |id: NodeId| {
            let name: AttrValue = origin.setup.name(id).to_owned().into();
            html! { <One key={id.0} {id} {name} on={*selected == id} act={act.clone()} /> }
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
    act: Callback<Action>,
}

/// The button of a node: at a step two of them change.
#[component]
fn One(props: &OneProps) -> Html {
    let (act, id) = (props.act.clone(), props.id);
    html! {
        <button type="button" class="node-choice" aria-pressed={props.on.to_string()}
            onclick={move |_| act.emit(Action::Select(Some(id)))}>{ &props.name }</button>
    }
}

#[derive(Properties, PartialEq)]
struct UnfoldingProps {
    origin: Rc<Origin>,
    selected: NodeId,
    act: Callback<Action>,
}

/// A list of many nodes. Its items are made once; what is chosen is said to the browser directly.
#[component]
fn Unfolding(props: &UnfoldingProps) -> Html {
    let select = use_node_ref();
    {
        let select = select.clone();
        use_effect_with((props.selected, props.origin.clone()), move |(selected, _)| {
            if let Some(select) = select.cast::<HtmlSelectElement>() {
                select.set_value(&selected.0.to_string());
            }
        });
    }
    let choose = {
        let act = props.act.clone();
        Callback::from(move |event: Event| {
            let select = event.target().and_then(|t| t.dyn_into::<HtmlSelectElement>().ok());
            let id = select.and_then(|s| s.value().parse().ok()).map(NodeId);
            act.emit(Action::Select(id));
        })
    };
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
