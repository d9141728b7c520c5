//! What stands beside the form before anything was checked: what will be looked for, and where one could begin.

use lockstep_check::{Check, prepare};
use yew::prelude::*;

/// Systems worth a first look: what one will see, the algorithm and the options of `lockstep check`.
const EXAMPLES: [(&str, &str, &str); 5] = [
    ("Nothing goes wrong: alien threads, four nodes in a star", "alien", "--nodes 4 --topology star"),
    (
        "Messages may overtake each other: a request of version 2 starves",
        "alien",
        "--param variant=v2 --network unordered --requests unlimited",
    ),
    (
        "One message is lost: Ricart and Agrawala are one answer short",
        "ricart-agrawala",
        "--nodes 2 --topology full --requests 1 --network lossy",
    ),
    (
        "The server of the lecture notes as printed: two are inside",
        "central-server-printed",
        "--nodes 2 --topology full --requests 1",
    ),
    (
        "Two locks want each other's cells: split waiting queues yield",
        "swq",
        "--nodes 2 --cells 2 --requests 1 --placement p1,p2",
    ),
];

/// What it needs.
#[derive(Properties, PartialEq)]
pub struct FirstProps {
    /// The system of the form.
    pub system: Check,
    /// Whether something else stands there.
    pub hidden: bool,
    /// Checks a system.
    pub check: Callback<Check>,
}

/// What to expect.
#[component]
pub fn First(props: &FirstProps) -> Html {
    let sought = prepare(&props.system).map_or_else(|_| Vec::new(), |prepared| prepared.invariants());
    let example = |(title, algorithm, options): &(&'static str, &'static str, &'static str)| {
        let Check { max_states, max_megabytes, .. } = props.system;
        let system = Check::read(algorithm, options).map(|read| Check { max_states, max_megabytes, ..read });
        let check = props.check.clone();
        let begin = move |_: MouseEvent| {
            if let Ok(system) = &system {
                check.emit(system.clone());
            }
        };
        html! { <li key={*title}><button type="button" class="plain" onclick={begin}>{ *title }</button></li> }
    };
    html! {
        <div class="check-first" hidden={props.hidden}>
            <h2>{ "Every order of events, tried one by one" }</h2>
            <p>{ "Requests, releases and messages can happen in many orders. A worker tries them all, breadth first, and looks at every state that can be reached. What it finds first is a shortest way to go wrong, ready to be played on the stage. Finding nothing in a small system proves nothing for a larger one." }</p>
            <h2>{ "What is looked for" }</h2>
            <ul class="sought">{ for sought.iter().map(|name| html! { <li key={*name}>{ *name }</li> }) }</ul>
            <h2>{ "Begin with" }</h2>
            <ul class="examples">{ for EXAMPLES.iter().map(example) }</ul>
        </div>
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use lockstep_check::CheckVerdict;

    #[test]
    fn every_example_shows_what_it_says() {
        let shown = EXAMPLES.map(|(title, algorithm, options)| {
            let report = prepare(&Check::read(algorithm, options).unwrap()).unwrap().start().finish();
            (title, report.verdict, report.violation.map_or(String::new(), |v| v.invariant))
        });
        let wrong = |i: usize| (shown[i].1, shown[i].2.as_str());
        assert_eq!(wrong(0), (CheckVerdict::Ok, ""));
        assert_eq!(wrong(1), (CheckVerdict::Violation, "no request starves"));
        assert_eq!(wrong(2), (CheckVerdict::Violation, "one answer to each request"));
        assert_eq!(wrong(3), (CheckVerdict::Violation, "mutual exclusion"));
        assert_eq!(wrong(4), (CheckVerdict::Ok, ""));
    }
}
