//! The checker: every order of events of a small system, tried by a worker; why each line is there; the texts taken at their word; puzzles.

mod first;
mod form;
mod lines;
mod printed;
mod puzzles;
mod verdict;

use crate::browser::worker::{Said, Worker, now};
use first::First;
use form::Form;
use lines::Lines;
use lockstep_check::{Check as System, CheckReport, Progress, WorstCase};
use lockstep_session::{Action, PagePlace as Place};
use printed::Printed;
pub use puzzles::PuzzleCard;
use puzzles::Puzzles;
use std::collections::BTreeMap;
use verdict::{Counting, ReportView, WorstView};
use yew::prelude::*;

/// What the place needs.
#[derive(Properties, PartialEq)]
pub struct CheckProps {
    /// Whether the reader is here.
    pub here: bool,
    /// What the address asks for: a tab's name, or a system.
    pub wanted: String,
    /// Puzzles solved, with the steps that it took.
    pub solved: BTreeMap<String, usize>,
    /// Makes something happen.
    pub act: Callback<Action>,
}

/// What one can do here.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Tab {
    /// Every order of events.
    Explore,
    /// Why is this line there?
    Lines,
    /// The texts taken at their word.
    Printed,
    /// Something to reach.
    Puzzles,
}

const TABS: [(&str, &str, Tab); 4] = [
    ("explore", "Every order of events", Tab::Explore),
    ("lines", "Why is this line there?", Tab::Lines),
    ("printed", "As printed", Tab::Printed),
    ("puzzles", "Puzzles", Tab::Puzzles),
];

/// What the worker is asked to find.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Quest {
    /// A violation.
    Violation,
    /// The worst case of this measure, by its name.
    Worst(&'static str),
}

/// What can happen here.
pub enum Msg {
    /// Another tab.
    Open(Tab),
    /// Another system.
    Change(System),
    /// Begin.
    Begin(System, Quest),
    /// The worker said something.
    Heard(Said),
    /// Rest.
    Stop,
    /// Go on, perhaps with a larger bound.
    Widen,
}

/// The checker.
pub struct Check {
    tab: Tab,
    system: System,
    /// The worker, and the number of its task.
    worker: Option<Worker>,
    task: f64,
    running: bool,
    started: f64,
    spent: f64,
    progress: Option<Progress>,
    report: Option<CheckReport>,
    worst: Option<WorstCase>,
    problems: Vec<String>,
    possible: bool,
}

impl Component for Check {
    type Message = Msg;
    type Properties = CheckProps;

    fn create(ctx: &Context<Self>) -> Self {
        let mut check = Check {
            tab: Tab::Explore,
            system: bounded(System {
                algorithm: "alien".into(),
                params: lockstep_kernel::Params::default().with("variant", "v2"),
                nodes: Some(3),
                ..System::default()
            }),
            worker: None,
            task: 0.0,
            running: false,
            started: 0.0,
            spent: 0.0,
            progress: None,
            report: None,
            worst: None,
            problems: Vec::new(),
            possible: true,
        };
        check.visit(&ctx.props().wanted);
        check
    }

    fn changed(&mut self, ctx: &Context<Self>, old: &CheckProps) -> bool {
        let props = ctx.props();
        if props.here && props.wanted != old.wanted {
            self.visit(&props.wanted);
        }
        true
    }

    fn update(&mut self, ctx: &Context<Self>, msg: Msg) -> bool {
        match msg {
            Msg::Open(tab) => {
                self.tab = tab;
                let name = TABS.iter().find(|(.., t)| *t == tab).map_or("", |(name, ..)| name);
                ctx.props().act.emit(Action::Visit(Place::Check, name.into()));
            }
            Msg::Change(system) => self.change(system),
            Msg::Begin(system, quest) => self.begin(ctx, system, quest),
            Msg::Heard(said) => return self.hear(said),
            Msg::Stop => {
                if let Some(worker) = &self.worker {
                    worker.ask(self.task, "stop", "");
                }
                self.spent += now() - self.started;
                self.running = false;
            }
            Msg::Widen => {
                if let Some(worker) = &self.worker {
                    let bound = self
                        .report
                        .as_ref()
                        .map_or(self.system.max_states, |_| self.system.max_states.saturating_mul(10));
                    self.system.max_states = bound.min(200_000_000);
                    worker.ask(self.task, "widen", &self.system.max_states.to_string());
                    self.started = now();
                    self.running = true;
                    self.report = None;
                }
            }
        }
        true
    }

    fn view(&self, ctx: &Context<Self>) -> Html {
        let link = ctx.link();
        let act = &ctx.props().act;
        let tab = |(name, title, tab): &(&'static str, &'static str, Tab)| {
            let (tab, on) = (*tab, self.tab == *tab);
            html! {
                <button key={*name} type="button" role="tab" id={format!("check-{name}")} aria-selected={on.to_string()}
                    aria-controls={format!("checks-{name}")} onclick={link.callback(move |_| Msg::Open(tab))}>{ *title }</button>
            }
        };
        let begin = link.callback(|(system, quest)| Msg::Begin(system, quest));
        let try_it = {
            let link = link.clone();
            Callback::from(move |system: System| {
                link.send_message(Msg::Change(system.clone()));
                link.send_message(Msg::Begin(system, Quest::Violation));
            })
        };
        html! {
            <main class="place check">
                <h1>{ "Check" }</h1>
                <div class="check-tabs" role="tablist" aria-label="Checks">{ for TABS.iter().map(tab) }</div>
                <div id="checks-explore" role="tabpanel" aria-labelledby="check-explore" hidden={self.tab != Tab::Explore}>
                    <div class="check-explore">
                        <Form system={self.system.clone()} problems={self.problems.clone()} possible={self.possible} running={self.running}
                            change={link.callback(Msg::Change)} {begin} stop={link.callback(|()| Msg::Stop)} />
                        { self.outcome(ctx, try_it.clone()) }
                    </div>
                </div>
                <div id="checks-lines" role="tabpanel" aria-labelledby="check-lines" hidden={self.tab != Tab::Lines}>
                    if self.tab == Tab::Lines { <Lines check={try_it.clone()} /> }
                </div>
                <div id="checks-printed" role="tabpanel" aria-labelledby="check-printed" hidden={self.tab != Tab::Printed}>
                    if self.tab == Tab::Printed { <Printed check={try_it} /> }
                </div>
                <div id="checks-puzzles" role="tabpanel" aria-labelledby="check-puzzles" hidden={self.tab != Tab::Puzzles}>
                    if self.tab == Tab::Puzzles { <Puzzles solved={ctx.props().solved.clone()} act={act.clone()} /> }
                </div>
            </main>
        }
    }
}

/// What the page explores at most, unless somebody asks for more: a browser has less memory than the command line.
const BOUND: usize = 1_000_000;

/// A system with the page's bounds where it has none of its own.
fn bounded(system: System) -> System {
    let unsaid = system.max_states == System::default().max_states;
    System { max_states: if unsaid { BOUND } else { system.max_states }, max_megabytes: 1_000, ..system }
}

/// A system as one names it: without the page's own bounds.
fn named(system: &System) -> System {
    let usual = system.max_states == BOUND;
    System { max_states: if usual { System::default().max_states } else { system.max_states }, ..system.clone() }
}

impl Check {
    fn visit(&mut self, wanted: &str) {
        if let Some((.., tab)) = TABS.iter().find(|(name, ..)| *name == wanted) {
            self.tab = *tab;
        } else if !wanted.is_empty() && wanted != named(&self.system).address() {
            self.tab = Tab::Explore;
            match System::of_address(wanted) {
                Ok(system) => self.change(bounded(system)),
                Err(why) => self.problems = vec![why],
            }
        }
    }

    fn change(&mut self, system: System) {
        self.judge(&system);
        self.system = system;
    }

    fn judge(&mut self, system: &System) {
        self.problems = lockstep_check::prepare(system).err().unwrap_or_default();
        self.possible = self.problems.is_empty();
    }

    fn begin(&mut self, ctx: &Context<Self>, system: System, quest: Quest) {
        self.tab = Tab::Explore;
        self.judge(&system);
        (self.report, self.worst, self.progress) = (None, None, None);
        if !self.possible {
            return;
        }
        // a new worker: whatever the old one was busy with, it need not finish
        match Worker::start({
            let link = ctx.link().clone();
            move |said| link.send_message(Msg::Heard(said))
        }) {
            Ok(worker) => self.worker = Some(worker),
            Err(why) => return self.problems.push(why),
        }
        self.task += 1.0;
        let (what, contents) = match quest {
            Quest::Violation => ("check", serde_json::to_string(&system).unwrap_or_default()),
            Quest::Worst(measure) => ("worst", serde_json::json!({ "check": system, "measure": measure }).to_string()),
        };
        if let Some(worker) = &self.worker {
            worker.ask(self.task, what, &contents);
        }
        self.system = system;
        ctx.props().act.emit(Action::Visit(Place::Check, named(&self.system).address()));
        (self.started, self.spent, self.running) = (now(), 0.0, true);
    }

    fn hear(&mut self, said: Said) -> bool {
        match said {
            Said::Progress(task, text) if task == self.task => self.progress = serde_json::from_str(&text).ok(),
            Said::Answer(task, text) if task == self.task => {
                self.spent += now() - self.started;
                self.running = false;
                self.report = serde_json::from_str(&text).ok();
                self.worst = serde_json::from_str(&text).ok();
                if let Ok(refused) = serde_json::from_str::<BTreeMap<String, Vec<String>>>(&text) {
                    self.problems = refused.into_values().flatten().collect();
                }
            }
            Said::Died => {
                self.running = false;
                self.worker = None;
                let seen = self.progress.map_or(0, |p| p.states);
                self.problems = vec![format!(
                    "The worker has died after {seen} states, perhaps for want of memory; right would be a smaller system or bound."
                )];
            }
            _ => return false,
        }
        true
    }

    /// What is known so far.
    fn outcome(&self, ctx: &Context<Self>, check: Callback<System>) -> Html {
        let seconds = (self.spent + if self.running { now() - self.started } else { 0.0 }) / 1000.0;
        let paused = !self.running && self.worker.is_some() && self.report.is_none() && self.worst.is_none();
        let bound = self.report.as_ref().is_some_and(|r| r.stopped.is_some());
        let link = ctx.link();
        html! {
            <section class="outcome" aria-label="Outcome" aria-live="polite">
                <First system={self.system.clone()} hidden={self.worker.is_some() || self.report.is_some()} {check} />
                <Counting progress={self.progress} report={self.report.clone()} {seconds} running={self.running} />
                <div class="outcome-tools">
                    <button type="button" class="button" hidden={!(paused || bound)} onclick={link.callback(|_| Msg::Widen)}>
                        { if bound { "Go on, ten times as far" } else { "Go on" } }
                    </button>
                </div>
                <ReportView report={self.report.clone()} act={ctx.props().act.clone()} />
                <WorstView worst={self.worst.clone()} act={ctx.props().act.clone()} />
            </section>
        }
    }
}
