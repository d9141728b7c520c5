//! A system of one's own: any algorithm, any size. The form writes a link and opens it, so what a link may not say a form cannot ask for, and
//! the sentence that comes back is the same.

use crate::browser::field;
use crate::hooks::use_act;
use lockstep_algorithms::ALL;
use lockstep_kernel::{Network, Topology};
use lockstep_session::{Action, Origin};
use std::collections::BTreeMap;
use std::rc::Rc;
use yew::prelude::*;

/// What the form needs.
#[derive(Properties)]
pub struct OwnProps {
    /// The system on the stage: the form begins with it.
    pub origin: Rc<Origin>,
}

impl PartialEq for OwnProps {
    fn eq(&self, other: &Self) -> bool {
        Rc::ptr_eq(&self.origin, &other.origin)
    }
}

/// The fields of a link that the form sets, by name.
pub type Wish = BTreeMap<&'static str, String>;

/// The link of a wish: empty fields are left to their defaults.
pub fn link(wish: &Wish, params: &BTreeMap<String, String>) -> String {
    let mut text = String::from("v=1");
    let fields = wish.iter().map(|(name, value)| (*name, value)).chain(params.iter().map(|(n, v)| (n.as_str(), v)));
    for (name, value) in fields.filter(|(_, value)| !value.is_empty()) {
        text.push_str(&format!("&{name}={}", value.replace(' ', "")));
    }
    text
}

/// What the form shows first: the algorithm on the stage, in a size that is pleasant to watch.
fn first(origin: &Origin) -> Wish {
    let id = origin.entry.id;
    let ring = id.starts_with("token-ring");
    BTreeMap::from([
        ("a", id.to_owned()),
        ("n", origin.setup.hosts().to_string()),
        ("t", origin.setup.threads.iter().max().copied().unwrap_or(1).max(1).to_string()),
        ("top", if ring { "ring" } else { "binary-tree" }.into()),
        ("net", origin.setup.network.name().into()),
        ("load", "rate:0.5".into()),
        ("delay", "uniform:0.1:0.5".into()),
        ("section", "const:0.3".into()),
        ("seed", "1".into()),
    ])
}

/// The form.
#[component]
pub fn OwnSystem(props: &OwnProps) -> Html {
    let act = use_act();
    let wish = use_state(|| first(&props.origin));
    let params = use_state(BTreeMap::<String, String>::new);
    let set = |name: &'static str| {
        let (wish, params) = (wish.clone(), params.setter());
        Callback::from(move |event: Event| {
            let value = field::value(&event);
            let mut next = (*wish).clone();
            if name == "a" {
                params.set(BTreeMap::new());
                let ranges =
                    value.as_deref().and_then(|id| lockstep_algorithms::find(id).ok()).is_some_and(|e| e.drive.ranges);
                next.insert("cells", if ranges { "8".into() } else { String::new() });
                next.insert("range", if ranges { "0.4".into() } else { String::new() });
            }
            next.insert(name, value.unwrap_or_default());
            wish.set(next);
        })
    };
    let choice = |name: &'static str, title: &str, options: Vec<(String, String)>| {
        let now = wish.get(name).cloned().unwrap_or_default();
        let options = options.into_iter().map(|(value, text)| {
            html! { <option key={value.clone()} value={value.clone()} selected={value == now}>{ text }</option> }
        });
        html! { <label key={name}><span>{ title }</span><select onchange={set(name)}>{ for options }</select></label> }
    };
    let field = |name: &'static str, title: &str, about: &str| {
        let value = wish.get(name).cloned().unwrap_or_default();
        html! {
            <label key={name} title={about.to_owned()}><span>{ title }</span><input type="text" {value} onchange={set(name)} /></label>
        }
    };
    let plain = |names: Vec<&str>| names.into_iter().map(|n| (n.to_owned(), n.to_owned())).collect::<Vec<_>>();
    let algorithms = ALL.iter().map(|e| {
        let printed = if e.printed { ", as printed" } else { "" };
        (e.id.to_owned(), format!("{}{printed}", e.title.trim_end_matches(", as printed")))
    });
    let entry = lockstep_algorithms::find(&wish["a"]).ok();
    let parameters = entry.map_or(&[][..], |e| e.params).iter().map(|param| {
        let now = params.get(param.name).cloned().unwrap_or_else(|| param.values[0].into());
        let params = params.clone();
        let choose = Callback::from(move |event: Event| {
            if let Some(value) = field::value(&event) {
                let mut next = (*params).clone();
                next.insert(param.name.into(), value);
                params.set(next);
            }
        });
        let options = param.values.iter().map(|v| html! { <option key={*v} value={*v} selected={*v == now}>{ *v }</option> });
        html! {
            <label key={param.name} title={param.about}><span>{ param.name }</span><select onchange={choose}>{ for options }</select></label>
        }
    });
    let loads = [
        ("by-hand", "by hand: you decide who asks"),
        ("rate:0.1", "now and then"),
        ("rate:0.5", "often"),
        ("rate:5", "all the time"),
    ];
    let ranges = entry.is_some_and(|e| e.drive.ranges);
    let open = {
        let text = link(&wish, &params);
        act.reform(move |event: SubmitEvent| {
            event.prevent_default();
            Action::Own(text.clone())
        })
    };
    html! {
        <form onsubmit={open}>
            { choice("a", "Algorithm", algorithms.collect()) }
            <div class="own-params">{ for parameters }</div>
            { field("n", "Nodes", "1 to 1023") }
            { field("t", "Threads at each", "1 to 64") }
            { choice("top", "Pointers", plain(Topology::ALL.iter().map(|(n, _)| *n).collect())) }
            { choice("net", "Links", plain(Network::ALL.iter().map(|(n, _)| *n).collect())) }
            { choice("load", "Requests", loads.iter().map(|(v, t)| ((*v).into(), (*t).into())).collect()) }
            { field("delay", "Messages take", "const:0.1, uniform:0:0.5 or exp:0.2, in time units") }
            { field("section", "Inside for", "const:0.1, uniform:0:0.5 or exp:0.2, in time units") }
            { field("clusters", "Clusters", "the cluster of each node: 0.0.0.1.1.1") }
            <div hidden={!ranges}>{ field("cells", "Cells", "of the resource: 1 to 65535") }{ field("range", "Each asks for", "a part of the resource: 0.25") }</div>
            { field("seed", "Seed", "the same seed is the same run") }
            <button type="submit" class="primary">{ "Open on the stage" }</button>
        </form>
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use lockstep_session::StageRun as Run;

    #[test]
    fn every_algorithm_opens_with_what_the_form_begins_with() {
        for entry in ALL {
            let run = Run::of_library("alien-free-tree", 0).unwrap();
            let mut wish = first(&run.origin);
            wish.insert("a", entry.id.into());
            if entry.drive.ranges {
                wish.insert("cells", "8".into());
                wish.insert("range", "0.4".into());
            }
            if entry.needs.fifo {
                wish.insert("net", "fifo".into());
            }
            let mut run =
                Run::of_link(&link(&wish, &BTreeMap::new()), 1).unwrap_or_else(|why| panic!("{}: {why}", entry.id));
            for _ in 0..20 {
                assert!(run.step(), "{}: something is due", entry.id);
            }
        }
    }
}
