//! The state as a table, for those who do not see the picture.

use crate::run::Shown;
use lockstep_kernel::view::{NodeFrame, ThreadState};
use lockstep_scene::explain::words;
use std::rc::Rc;
use yew::prelude::*;

/// Of more nodes than this only those are listed at which something is the case, and no more than that.
const MANY: usize = 64;

/// What the table needs.
#[derive(Properties, PartialEq)]
pub struct TableProps {
    /// The moment.
    pub shown: Rc<Shown>,
}

/// The table; it is heard, not seen.
#[component]
pub fn StateTable(props: &TableProps) -> Html {
    let (frame, setup) = (&props.shown.frame, &props.shown.origin.setup);
    let idle = |n: &NodeFrame| {
        !n.view.token && !n.crashed && n.view.queue.is_empty() && n.threads.iter().all(|t| t.doing == ThreadState::Idle)
    };
    let row = |node: &NodeFrame| {
        let doing = |what: ThreadState| {
            let names: Vec<String> = node.threads.iter().filter(|t| t.doing == what).map(|t| t.name.clone()).collect();
            if names.is_empty() { "nobody".into() } else { names.join(", ") }
        };
        let queue: Vec<String> = node.view.queue.iter().map(|w| words::waiter(setup, w)).collect();
        let links = node.view.links.iter().filter(|l| l.to != node.id);
        let links: Vec<String> = links.map(|l| format!("{} {}", l.kind, setup.name(l.to))).collect();
        let or = |list: Vec<String>, none: &str| if list.is_empty() { none.to_owned() } else { list.join(", ") };
        let name = if node.crashed { format!("{}, down", node.name) } else { node.name.clone() };
        let token = if node.view.token { "yes" } else { "no" };
        let cells = [
            name,
            token.into(),
            doing(ThreadState::Inside),
            doing(ThreadState::Waiting),
            or(queue, "empty"),
            or(links, "none"),
        ];
        html! { <Row key={node.id.0} node={node.name.clone()} {cells} /> }
    };
    let many = frame.nodes.len() > MANY;
    let listed = |n: &&NodeFrame| !many || !idle(n);
    let nodes = || frame.nodes.iter().map(|n| &**n).filter(listed);
    let rest = nodes().count().saturating_sub(MANY);
    let rest = match (many, rest) {
        (false, _) => String::new(),
        (true, 0) => ", without the idle nodes".into(),
        (true, rest) => format!(", without the idle nodes and {rest} more that wait"),
    };
    // who has the token or is inside comes first
    let matters =
        |n: &&NodeFrame| n.view.token || n.crashed || n.threads.iter().any(|t| t.doing == ThreadState::Inside);
    let (first, others): (Vec<&NodeFrame>, Vec<&NodeFrame>) = nodes().partition(|n| many && matters(n));
    let rows = first.into_iter().chain(others).take(MANY).map(row);
    html! {
        <div class="hidden">
            <table class="state-table">
                <caption>{ format!("State at step {}{rest}", frame.step) }</caption>
                <thead><tr><th scope="col">{ "Node" }</th><th scope="col">{ "Token" }</th><th scope="col">{ "Inside" }</th>
                    <th scope="col">{ "Waiting" }</th><th scope="col">{ "Queue" }</th><th scope="col">{ "Pointers" }</th></tr></thead>
                <tbody>{ for rows }</tbody>
            </table>
        </div>
    }
}

#[derive(Properties, PartialEq)]
struct RowProps {
    node: String,
    cells: [String; 6],
}

/// A row; most of them stay as they are from step to step.
#[component]
fn Row(props: &RowProps) -> Html {
    let [name, rest @ ..] = &props.cells;
    html! {
        <tr data-row={props.node.clone()}>
            <th scope="row">{ name }</th>
            { for rest.iter().enumerate().map(|(i, cell)| html! { <td key={i}>{ cell }</td> }) }
        </tr>
    }
}
