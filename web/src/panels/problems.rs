//! A list of problems: the first ones, how many there are beside them, and a way to see those.

use lockstep_spec::problems;
use std::rc::Rc;
use yew::prelude::*;

/// What the list needs.
#[derive(Properties, PartialEq)]
pub struct ProblemListProps {
    /// The problems, one sentence each.
    pub list: Rc<[String]>,
}

/// The list.
#[component]
pub fn ProblemList(props: &ProblemListProps) -> Html {
    // the list that the reader wants to see whole: the next one is cut again
    let opened = use_state(Rc::<[String]>::default);
    let all = *opened == props.list;
    let cut = problems(&props.list, false);
    let toggle = {
        let (opened, list) = (opened.setter(), props.list.clone());
        move |_: MouseEvent| opened.set(if all { Rc::default() } else { list.clone() })
    };
    let label = if all { "show fewer".to_owned() } else { cut.rest().unwrap_or_default() };
    let shown = problems(&props.list, all).shown.iter().enumerate();
    html! {
        <div class="problem-list">
            <ul>{ for shown.map(|(i, problem)| html! { <li key={i}>{ problem }</li> }) }</ul>
            <button type="button" class="button" hidden={cut.more == 0} aria-expanded={all.to_string()} onclick={toggle}>{ label }</button>
        </div>
    }
}

/// A notice with a problem in each line.
pub fn of_lines(notice: &str) -> Html {
    html! { <ProblemList list={notice.lines().map(str::to_owned).collect::<Rc<[String]>>()} /> }
}
