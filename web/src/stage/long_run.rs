//! The whole run on the stage in one large diagram: click an event to go there, or search the steps
//! by their words.

use crate::browser::field;
use crate::browser::timers::Timeout;
use crate::hooks::use_act;
use crate::panels::long::LongDiagramView;
use lockstep_scene::long::control::LongChoice;
use lockstep_scene::long::{DiagramMarks, LongDiagram};
use lockstep_session::{Action, StepView, long_run};
use std::rc::Rc;
use yew::prelude::*;

/// What it needs.
#[derive(Properties, PartialEq)]
pub struct LongRunProps {
    /// The step.
    pub shown: Rc<StepView>,
}

/// The most pixels of its height: the stage above matters more.
const TALL: f64 = 190.0;

/// The diagram of what is shown, and its run. While a run is played it follows at intervals: making
/// that of a long run takes longer than a step.
#[hook]
fn use_diagram(shown: &Rc<StepView>) -> (u32, Rc<LongDiagram>) {
    let made = use_state(|| (shown.run, Rc::new(long_run::diagram(shown))));
    let latest = use_mut_ref(|| shown.clone());
    latest.replace(shown.clone());
    let pending = use_mut_ref(|| None::<Timeout>);
    // a timeline is known by its last step
    let key = (shown.run, shown.timeline.last().map(|step| step.id));
    let (first, set) = (use_mut_ref(|| true), made.setter());
    use_effect_with(key, move |_| {
        if first.replace(false) || pending.borrow().is_some() {
            return;
        }
        let wait = latest.borrow().timeline.len() as u32 / 100;
        let waiting = pending.clone();
        *pending.borrow_mut() = Some(Timeout::new(wait, move || {
            waiting.borrow_mut().take();
            let shown = latest.borrow();
            set.set((shown.run, Rc::new(long_run::diagram(&shown))));
        }));
    });
    (*made).clone()
}

/// The whole run.
#[component]
pub fn LongRun(props: &LongRunProps) -> Html {
    let act = use_act();
    let shown = &props.shown;
    let (drawn, diagram) = use_diagram(shown);
    let cursor = shown.cursor as u32;
    let marks = use_memo(cursor, |cursor| DiagramMarks { event: Some(*cursor), ..DiagramMarks::default() });
    let wanted = use_state(String::new);
    // the events that were found, and which of them is shown
    let found = use_state(|| None::<(usize, usize)>);
    let choose = {
        let diagram = diagram.clone();
        act.reform(move |choice| match choice {
            LongChoice::Event(event) => Action::Seek(event as usize),
            LongChoice::Section(section) => Action::Seek(diagram.entry_of(section).unwrap_or_default() as usize),
        })
    };
    let input = {
        let (wanted, found) = (wanted.clone(), found.clone());
        move |event: InputEvent| {
            wanted.set(field::value(&event).unwrap_or_default());
            found.set(None);
        }
    };
    let search = {
        let (wanted, found, diagram) = (wanted.clone(), found.clone(), diagram.clone());
        move |event: KeyboardEvent| {
            if event.key() != "Enter" {
                return;
            }
            let all = diagram.find(&wanted);
            // the next one after the cursor, and around the end
            let at = all.iter().position(|event| *event > cursor).unwrap_or(0);
            found.set(Some((at, all.len())));
            all.get(at).iter().for_each(|event| act.emit(Action::Seek(**event as usize)));
        }
    };
    let said = match *found {
        None => String::new(),
        Some((_, 0)) => "no step".to_owned(),
        Some((at, count)) => format!("{} of {count}", at + 1),
    };
    html! {
        <LongDiagramView act={choose} {diagram} {drawn} {marks} follows=true tall={TALL}>
            <input type="search" class="long-search" placeholder="Search the steps" aria-label="Search the steps" value={(*wanted).clone()} oninput={input} onkeydown={search} />
            <span role="status">{ said }</span>
        </LongDiagramView>
    }
}
