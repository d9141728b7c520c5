//! The help sheet: keys and mouse.

use crate::dialogs::sheet::Sheet;
use crate::hooks::use_act;
use lockstep_session::Action;
use lockstep_session::keys::KEYS;
use yew::prelude::*;

/// What the sheet needs.
#[derive(Properties, PartialEq)]
pub struct HelpProps {
    /// Whether it is open.
    pub open: bool,
}

/// The help sheet.
#[component]
pub fn Help(props: &HelpProps) -> Html {
    let shut = use_act().reform(|()| Action::Help(false));
    let row = |(key, what): &(&'static str, &'static str)| {
        html! { <div key={*key}><dt><kbd>{ *key }</kbd></dt><dd>{ *what }</dd></div> }
    };
    html! {
        <Sheet open={props.open} title="Keys" {shut}>
            <dl>{ for KEYS.iter().map(row) }</dl>
            <p>{ "Click a node to inspect it, a message to deliver it, a thread to let it request or release, a column of the space-time diagram to go to that step. A right click or a long press opens the menu of a node or message." }</p>
        </Sheet>
    }
}
