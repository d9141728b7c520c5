//! The judge: logs of the reader's own implementation, and what they prove. What the place knows
//! and does is in `lockstep-judge`; here it is drawn, and its commands are carried out.

mod class;
mod give;
mod lines;
mod more;
mod pair;
mod teach;
mod verdict;

use crate::browser::address;
use crate::browser::files::{self, GivenFile};
use crate::browser::storage;
use crate::browser::timers::Timeout;
use crate::browser::worker::{Worker, WorkerEvent};
use crate::hooks::PageAct;
use class::{ClassTable, FileSwitch};
use give::Give;
use lockstep_judge::place::{DeskLoss, SILENCE};
use lockstep_judge::task::JudgeAnswer;
use lockstep_judge::{JudgeAction, JudgeCommand, JudgeState, JudgeTab};
use lockstep_lab::{Answer, Task};
use lockstep_session::{Action, PagePlace};
use teach::Teach;
use verdict::Verdict;
use yew::prelude::*;

/// What the place needs.
#[derive(Properties, PartialEq)]
pub struct JudgeProps {
    /// Whether the reader is here.
    pub here: bool,
    /// What the address asks for: an example, or rules.
    pub wanted: String,
}

/// How a part of the place makes something happen.
pub type JudgeAct = Callback<JudgeAction>;

/// What can happen to the component.
pub enum JudgeMsg {
    /// An action.
    Act(JudgeAction),
    /// Files were given.
    Given(Vec<GivenFile>),
    /// Something happened to the worker.
    Heard(WorkerEvent),
}

/// The place.
pub struct JudgePlace {
    page: PageAct,
    act: JudgeAct,
    given: Callback<Vec<GivenFile>>,
    state: JudgeState,
    worker: Option<Worker>,
    /// The number of the worker: answers of an earlier one do not count.
    task: f64,
    /// The files that were given last: a worker that is lost over them gets them again.
    files: Vec<GivenFile>,
    /// Runs while the worker is busy.
    silence: Option<Timeout>,
    /// The event that the diagram shows, and how often it was asked to.
    centre: (u32, u32),
}

impl Component for JudgePlace {
    type Message = JudgeMsg;
    type Properties = JudgeProps;

    fn create(ctx: &Context<Self>) -> Self {
        let page = ctx.link().context(Callback::noop()).map_or_else(Callback::noop, |(act, _)| act);
        let mut place = JudgePlace {
            page,
            act: ctx.link().callback(JudgeMsg::Act),
            given: ctx.link().callback(JudgeMsg::Given),
            state: JudgeState::new(storage::get("rules")),
            worker: None,
            task: 0.0,
            files: Vec::new(),
            silence: None,
            centre: (0, 0),
        };
        place.apply(ctx, JudgeAction::Visit(ctx.props().wanted.clone()));
        place
    }

    fn changed(&mut self, ctx: &Context<Self>, old: &JudgeProps) -> bool {
        let props = ctx.props();
        if props.here && props.wanted != old.wanted && !props.wanted.is_empty() {
            self.apply(ctx, JudgeAction::Visit(props.wanted.clone()));
        }
        true
    }

    fn update(&mut self, ctx: &Context<Self>, msg: JudgeMsg) -> bool {
        match msg {
            JudgeMsg::Act(action) => self.apply(ctx, action),
            JudgeMsg::Given(files) => {
                let sizes = files.iter().map(|file| (file.name.clone(), file.size())).collect();
                self.files = files;
                self.apply(ctx, JudgeAction::Files(sizes));
            }
            JudgeMsg::Heard(event) => return self.hear(ctx, event),
        }
        true
    }

    fn view(&self, _: &Context<Self>) -> Html {
        let (state, act) = (&self.state, self.act.clone());
        let drop_files = {
            let given = self.given.clone();
            move |event: DragEvent| files::dropped(&event, given.clone())
        };
        let tab = |tab: JudgeTab, title: &'static str, shown: bool| {
            let on = state.tab == tab;
            let go = act.reform(move |_: MouseEvent| JudgeAction::Tab(tab));
            html! { <button key={title} type="button" aria-pressed={on.to_string()} hidden={!shown} onclick={go}>{ title }</button> }
        };
        let again = act.reform(|_: MouseEvent| JudgeAction::Retry);
        let teachable = state.log.as_ref().is_none_or(|log| log.teachable);
        let any = state.log.is_some() || !state.class.is_empty() || state.tab == JudgeTab::Teach;
        html! {
            <main class="place judge" ondrop={drop_files}>
                <h1>{ "Judge" }</h1>
                <p class="hint">{ "The log of your own lock: did the critical sections exclude each other, and why? Nothing leaves your browser." }</p>
                <div class="check-tabs" role="group" aria-label="Judge" hidden={!any}>
                    { tab(JudgeTab::Give, "Another log", true) }
                    { tab(JudgeTab::Class, "All logs", !state.class.is_empty()) }
                    { tab(JudgeTab::Verdict, "Verdict", state.log.is_some()) }
                    { tab(JudgeTab::Teach, "Teach the lines", teachable) }
                </div>
                <p class="judge-busy" role="status" hidden={!state.busy}>{ if state.silent { SILENT } else { "Reading and judging… " } }
                    <button type="button" class="button" onclick={act.reform(|_: MouseEvent| JudgeAction::Stop)}>{ "Stop" }</button>{ " " }
                    <button type="button" class="button" hidden={!state.silent} onclick={again.clone()}>{ "Start again" }</button></p>
                <p class="broken judge-problem" role="alert" hidden={state.problem.is_none()}>{ state.problem.clone().unwrap_or_default() }{ " " }
                    <button type="button" class="button" hidden={!state.retry} onclick={again}>{ "Try again" }</button></p>
                <FileSwitch act={act.clone()} choice={state.choice} />
                <div hidden={state.tab != JudgeTab::Give}>
                    <Give act={act.clone()} given={self.given.clone()} rules={!state.own.is_empty()} />
                </div>
                <div hidden={state.tab != JudgeTab::Class}>
                    <ClassTable act={act.clone()} rows={state.class.clone()} problems={state.class_problems.clone()} options={state.options.clone()} />
                </div>
                <div hidden={state.tab != JudgeTab::Verdict}>{ self.verdict() }</div>
                <div hidden={state.tab != JudgeTab::Teach}>
                    <Teach act={act} shapes={state.shapes.clone()} lesson={state.lesson.clone()} problem={state.lesson_problem.clone()}
                        rules={state.rules.clone()} problems={state.rule_problems.clone()} own={state.own.clone()} />
                </div>
            </main>
        }
    }
}

const SILENT: &str = "Still judging: a large log takes long. ";

impl JudgePlace {
    fn verdict(&self) -> Html {
        let state = &self.state;
        let Some(log) = state.log.clone() else { return Html::default() };
        html! {
            <Verdict act={self.act.clone()} {log} sketch={state.sketch.clone()} diagram={state.diagram.clone()} drawn={state.drawn}
                chosen={state.chosen.clone()} pair={state.pair.clone()} compatible={state.compatible} other={state.other}
                event={state.event} centre={self.centre} lines={state.lines.clone()} file={state.file} from={state.from} line={state.line}
                wanted={state.wanted.clone()} hit={(state.hit, state.hits.len(), state.hit_count)} options={state.options.clone()} />
        }
    }

    fn apply(&mut self, ctx: &Context<Self>, action: JudgeAction) {
        let commands = self.state.apply(action);
        for command in commands {
            self.carry_out(ctx, command);
        }
        if !self.state.busy {
            self.silence = None;
        } else if self.silence.is_none() {
            let silent = self.act.reform(|()| JudgeAction::Silent);
            self.silence = Some(Timeout::new(SILENCE, move || silent.emit(())));
        }
    }

    fn carry_out(&mut self, ctx: &Context<Self>, command: JudgeCommand) {
        match command {
            JudgeCommand::Restart => {
                let heard = ctx.link().callback(JudgeMsg::Heard);
                self.task += 1.0;
                self.silence = None;
                match Worker::start(move |event| heard.emit(event)) {
                    Ok(worker) => self.worker = Some(worker),
                    Err(why) => self.apply(ctx, JudgeAction::Failed(why)),
                }
            }
            JudgeCommand::Drop => self.worker = None,
            JudgeCommand::Ask(task) => self.ask(&Task::Judge(task.text()), &[]),
            JudgeCommand::AskWithFiles(task) => {
                self.ask(&Task::Judge(task.text()), &self.files);
            }
            JudgeCommand::Centre(event) => self.centre = (event, self.centre.1 + 1),
            JudgeCommand::Store(rules) => {
                if !storage::set("rules", &rules) {
                    self.page.emit(Action::Unstored);
                }
            }
            JudgeCommand::Download(name, kind, text) => files::save(name, kind, &text),
            JudgeCommand::CopyLink(what) => {
                let link = address::full(&format!("{}={what}", PagePlace::Judge.name()));
                address::copy(link, self.page.reform(Action::Copied));
            }
        }
    }

    fn ask(&self, task: &Task, files: &[GivenFile]) {
        self.worker.iter().for_each(|worker| worker.ask_about(self.task, task, files));
    }

    fn hear(&mut self, ctx: &Context<Self>, event: WorkerEvent) -> bool {
        let action = match event {
            WorkerEvent::Answered(task, answer) if task == self.task => match answer {
                Answer::Judged(answer) => match JudgeAnswer::read(&answer) {
                    Ok(answer) => JudgeAction::Heard(Box::new(answer)),
                    Err(why) => JudgeAction::Failed(why),
                },
                Answer::Problems(problems) => JudgeAction::Failed(problems.join(" ")),
                Answer::Unavailable => JudgeAction::Lost(DeskLoss::Unavailable),
                _ => return false,
            },
            WorkerEvent::Unavailable => JudgeAction::Lost(DeskLoss::Unavailable),
            WorkerEvent::Died => JudgeAction::Lost(DeskLoss::Died),
            WorkerEvent::Ready | WorkerEvent::Answered(..) => return false,
        };
        self.apply(ctx, action);
        true
    }
}
