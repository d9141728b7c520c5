//! The checker: every order of events of a small system; what each line is for; algorithms as
//! printed; puzzles.

mod first;
mod form;
mod lines;
mod printed;
mod puzzles;
mod verdict;

use crate::browser::page;
use crate::browser::timers::Interval;
use crate::browser::worker::{Worker, WorkerEvent, now};
use crate::hooks::PageAct;
use first::First;
use form::CheckForm;
use lines::Lines;
use lockstep_check::{Check as System, CheckGoal, InteractiveCheck};
use lockstep_lab::{Answer, Task};
use lockstep_session::{Action, PagePlace};
use printed::Printed;
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
}

/// What one can do here.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum CheckTab {
    /// Every order of events.
    Explore,
    /// Why is this line there?
    Lines,
    /// The papers' algorithms as printed.
    Printed,
    /// Goals to reach.
    Puzzles,
}

const TABS: [(&str, &str, CheckTab); 4] = [
    ("explore", "Every order of events", CheckTab::Explore),
    ("lines", "Why is this line there?", CheckTab::Lines),
    ("printed", "As printed", CheckTab::Printed),
    ("puzzles", "Puzzles", CheckTab::Puzzles),
];

/// What can happen here.
pub enum CheckMsg {
    /// Open another tab.
    Open(CheckTab),
    /// Take another system.
    Change(System),
    /// Set a field of the system.
    Set(String, String),
    /// Begin a check.
    Begin(System, CheckGoal),
    /// Something happened to the worker.
    Heard(WorkerEvent),
    /// Pause.
    Stop,
    /// Continue, perhaps with a larger bound.
    Widen,
    /// Look whether the worker is silent.
    Watch,
}

/// Milliseconds between two looks at whether the worker is silent.
const WATCH: u32 = 5_000;

/// The checker.
pub struct CheckPlace {
    act: PageAct,
    tab: CheckTab,
    run: InteractiveCheck,
    worker: Option<Worker>,
    /// The number of the worker's task: answers to an earlier one do not count.
    task: f64,
    watching: Option<Interval>,
}

impl Component for CheckPlace {
    type Message = CheckMsg;
    type Properties = CheckProps;

    fn create(ctx: &Context<Self>) -> Self {
        let act = ctx.link().context(Callback::noop()).map_or_else(Callback::noop, |(act, _)| act);
        let mut place = CheckPlace {
            act,
            tab: CheckTab::Explore,
            run: InteractiveCheck::default(),
            worker: None,
            task: 0.0,
            watching: None,
        };
        place.run.fit(page::gigabytes());
        place.visit(&ctx.props().wanted);
        place
    }

    fn changed(&mut self, ctx: &Context<Self>, old: &CheckProps) -> bool {
        let props = ctx.props();
        if props.here && props.wanted != old.wanted {
            self.visit(&props.wanted);
        }
        true
    }

    fn update(&mut self, ctx: &Context<Self>, msg: CheckMsg) -> bool {
        match msg {
            CheckMsg::Open(tab) => {
                self.tab = tab;
                let name = TABS.iter().find(|(.., t)| *t == tab).map_or("", |(name, ..)| name);
                self.act.emit(Action::Visit(PagePlace::Check, name.into()));
            }
            CheckMsg::Change(system) => self.run.change(system),
            CheckMsg::Set(name, text) => self.run.set(&name, &text),
            CheckMsg::Begin(system, goal) => self.begin(ctx, system, goal),
            CheckMsg::Heard(event) => return self.hear(event),
            CheckMsg::Stop => {
                self.ask(&Task::Stop);
                self.run.pause(now());
            }
            CheckMsg::Widen if self.worker.is_some() => {
                let (states, megabytes) = self.run.widen(now());
                self.ask(&Task::Widen(states, megabytes));
            }
            CheckMsg::Watch if self.run.watch(now()) => self.worker = None,
            CheckMsg::Widen | CheckMsg::Watch => return false,
        }
        true
    }

    fn view(&self, ctx: &Context<Self>) -> Html {
        let link = ctx.link();
        let tab = |(name, title, tab): &(&'static str, &'static str, CheckTab)| {
            let (tab, on) = (*tab, self.tab == *tab);
            html! {
                <button key={*name} type="button" role="tab" id={format!("check-{name}")} aria-selected={on.to_string()}
                    aria-controls={format!("checks-{name}")} onclick={link.callback(move |_| CheckMsg::Open(tab))}>{ *title }</button>
            }
        };
        let begin = link.callback(|(system, goal)| CheckMsg::Begin(system, goal));
        let try_it = {
            let link = link.clone();
            Callback::from(move |system: System| {
                link.send_message(CheckMsg::Change(system.clone()));
                link.send_message(CheckMsg::Begin(system, CheckGoal::Violation));
            })
        };
        html! {
            <main class="place check">
                <h1>{ "Check" }</h1>
                <div class="check-tabs" role="tablist" aria-label="Checks">{ for TABS.iter().map(tab) }</div>
                <div id="checks-explore" role="tabpanel" aria-labelledby="check-explore" hidden={self.tab != CheckTab::Explore}>
                    <div class="check-explore">
                        <CheckForm run={self.run.clone()} set={link.callback(|(name, text)| CheckMsg::Set(name, text))} {begin} stop={link.callback(|()| CheckMsg::Stop)} />
                        { self.outcome(ctx, try_it.clone()) }
                    </div>
                </div>
                <div id="checks-lines" role="tabpanel" aria-labelledby="check-lines" hidden={self.tab != CheckTab::Lines}>
                    if self.tab == CheckTab::Lines { <Lines check={try_it.clone()} /> }
                </div>
                <div id="checks-printed" role="tabpanel" aria-labelledby="check-printed" hidden={self.tab != CheckTab::Printed}>
                    if self.tab == CheckTab::Printed { <Printed check={try_it} /> }
                </div>
                <div id="checks-puzzles" role="tabpanel" aria-labelledby="check-puzzles" hidden={self.tab != CheckTab::Puzzles}>
                    if self.tab == CheckTab::Puzzles { <Puzzles solved={ctx.props().solved.clone()} /> }
                </div>
            </main>
        }
    }
}

impl CheckPlace {
    /// Opens what an address names: a tab or a system.
    fn visit(&mut self, wanted: &str) {
        if let Some((.., tab)) = TABS.iter().find(|(name, ..)| *name == wanted) {
            self.tab = *tab;
        } else if !wanted.is_empty() {
            self.tab = CheckTab::Explore;
            self.run.visit(wanted);
        }
    }

    fn ask(&self, task: &Task) {
        self.worker.iter().for_each(|worker| worker.ask(self.task, task));
    }

    fn begin(&mut self, ctx: &Context<Self>, system: System, goal: CheckGoal) {
        self.tab = CheckTab::Explore;
        if !self.run.begin(system, now()) {
            return;
        }
        // a new worker: the old one need not finish its work first
        let heard = ctx.link().callback(CheckMsg::Heard);
        match Worker::start(move |event| heard.emit(event)) {
            Ok(worker) => self.worker = Some(worker),
            Err(why) => return self.run.refuse(vec![why], now()),
        }
        let link = ctx.link().clone();
        self.watching = Some(Interval::new(WATCH, move || link.send_message(CheckMsg::Watch)));
        self.task += 1.0;
        let check = Box::new(self.run.system.clone());
        self.ask(&match goal {
            CheckGoal::Violation => Task::Check(check),
            CheckGoal::Worst(measure) => Task::Worst { check, measure },
        });
        self.act.emit(Action::Visit(PagePlace::Check, self.run.address()));
    }

    fn hear(&mut self, event: WorkerEvent) -> bool {
        if let WorkerEvent::Answered(_, answer) = &event {
            self.run.hear(*answer == Answer::Fetching, now());
        }
        match event {
            WorkerEvent::Answered(task, answer) if task == self.task => match answer {
                Answer::Progress(progress) => self.run.progress = Some(progress),
                Answer::Report(report) => self.run.finish(Some(*report), None, now()),
                Answer::Worst(worst) => self.run.finish(None, Some(*worst), now()),
                Answer::Problems(problems) => self.run.refuse(problems, now()),
                Answer::Unavailable => self.run.unavailable(now()),
                _ => return false,
            },
            WorkerEvent::Unavailable => {
                self.worker = None;
                self.run.unavailable(now());
            }
            WorkerEvent::Died => {
                self.worker = None;
                self.run.die(now());
            }
            WorkerEvent::Ready | WorkerEvent::Answered(..) => return false,
        }
        true
    }

    /// The results so far.
    fn outcome(&self, ctx: &Context<Self>, check: Callback<System>) -> Html {
        let (run, link) = (&self.run, ctx.link());
        html! {
            <section class="outcome" aria-label="Outcome" aria-live="polite">
                <First system={run.system.clone()} hidden={run.is_begun() || run.report.is_some()} {check} />
                <Counting progress={run.progress} report={run.report.clone()} seconds={run.seconds(now())} running={run.running} />
                <div class="outcome-tools">
                    <button type="button" class="button" hidden={!run.can_continue()} onclick={link.callback(|_| CheckMsg::Widen)}>
                        { if run.is_bounded() { "Continue to ten times as many states" } else { "Continue" } }
                    </button>
                </div>
                <ReportView report={run.report.clone()} />
                <WorstView worst={run.worst.clone()} />
            </section>
        }
    }
}
