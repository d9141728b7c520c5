//! The lab: studies and experiments, run by workers while the charts grow, and claims with their
//! verdicts.

mod chart;
mod claims;
mod controls;
mod own;
mod shelf;
mod tables;

use crate::browser::keys::Listener;
use crate::browser::store::{self, StoredBatch};
use crate::browser::timers::{Interval, Timeout};
use crate::browser::worker::{Worker, WorkerEvent, how_many, now};
use crate::hooks::PageAct;
use crate::panels::problems::of_lines;
use crate::worker::pool::{EndedTask, Pool};
use chart::ChartView;
use claims::Claims;
use lockstep_chart::page_style;
use lockstep_lab::study::{self, Settings, Study, StudyReport, StudySize};
use lockstep_lab::{
    Answer, Campaign, CampaignSource, DOCUMENT, Experiment, GridBuilder, Shelf, StoreFault, Task, UNSTORED_EXPERIMENT,
    UnsavedResults, WorkerLoss,
};
use lockstep_session::replay::{ReplayedWait, replay};
use lockstep_session::{Action, PagePlace};
use shelf::{put, recall_shelves};
use std::collections::BTreeMap;
use std::rc::Rc;
use tables::TableView;
use yew::prelude::*;

/// What the place needs.
#[derive(Properties, PartialEq)]
pub struct LabProps {
    /// Whether the reader is here.
    pub here: bool,
    /// What the address asks for: a study's id, or an experiment.
    pub wanted: String,
}

/// What can happen in the lab.
pub enum LabMsg {
    /// Choose a study.
    Choose(&'static Study),
    /// Open the experiment on which the reader worked last, or a first one.
    OpenOwn,
    /// The experiment of one's own has changed, or has problems.
    Own(Result<Box<Experiment>, Vec<String>>),
    /// Open stored results.
    Reopen(Shelf),
    /// Choose the size of the study.
    Resize(StudySize),
    /// Choose an interpretation.
    Switch(&'static str, &'static str),
    /// Run, or continue.
    Run,
    /// Give out no more points.
    Pause,
    /// Stop; results are kept.
    Cancel,
    /// Something happened to a worker.
    Heard(u32, WorkerEvent),
    /// The estimated cost, or how the worker was lost that estimates it.
    Cost(Result<Answer, WorkerLoss>),
    /// Look for silent workers.
    Watch,
    /// Build more points of a large experiment.
    Build,
    /// Draw the results that have come in.
    Draw,
    /// Stored results of the campaign with this shelf.
    Recalled(String, StoredBatch),
    /// The names of all stored results, with the documents of experiments.
    Kept(StoredBatch),
    /// Delete stored results.
    Forget(String),
    /// They were deleted, or not.
    Forgotten(String, Result<(), StoreFault>),
    /// The browser has stored a result under this name, or not.
    Put(String, String, Result<(), StoreFault>),
    /// Try to store what could not be stored.
    StoreAgain,
    /// Save all records as a file, or those of another campaign that are not stored.
    SaveRecords(Option<Shelf>),
    /// Replay the run behind the record of this key.
    Replay(String),
    /// Choose where a replay pauses.
    PauseAt(ReplayedWait),
}

/// The lab.
pub struct LabPlace {
    act: PageAct,
    campaign: Campaign,
    /// Whether the form describes an experiment that can be run.
    valid: bool,
    size: StudySize,
    switches: BTreeMap<String, String>,
    /// Called by the form. It is always the same callback, so that the form is not drawn anew while
    /// the reader types.
    written: Callback<Result<Experiment, Vec<String>>>,
    /// The estimated cost as a sentence.
    cost: String,
    /// The worker that estimates it.
    estimating: Option<Worker>,
    report: Option<Rc<StudyReport>>,
    /// What the report is not computed from.
    gaps: Option<String>,
    pool: Option<Pool>,
    running: bool,
    started: f64,
    before: usize,
    events: f64,
    /// The points that are being built, and the timer of the next slice.
    building: Option<(GridBuilder, Timeout)>,
    drawing: Option<Timeout>,
    watching: Option<Interval>,
    kept: Vec<Shelf>,
    unsaved: UnsavedResults,
    /// Has the browser ask before the page is closed, while results are not stored.
    leaving: Option<Listener>,
    stop: ReplayedWait,
    notice: String,
}

impl Component for LabPlace {
    type Message = LabMsg;
    type Properties = LabProps;

    fn create(ctx: &Context<Self>) -> Self {
        let study = study::find(&ctx.props().wanted).unwrap_or(&study::ALL[0]);
        let size = StudySize::Quick;
        let settings = study.known_settings(size, &BTreeMap::new());
        let mut lab = LabPlace {
            act: ctx.link().context(Callback::noop()).map_or_else(Callback::noop, |(act, _)| act),
            campaign: Campaign::new(CampaignSource::Study(study, settings)).expect("a study has valid points"),
            valid: true,
            size,
            switches: BTreeMap::new(),
            written: ctx.link().callback(|made: Result<Experiment, Vec<String>>| LabMsg::Own(made.map(Box::new))),
            cost: String::new(),
            estimating: None,
            report: None,
            gaps: None,
            pool: None,
            running: false,
            started: 0.0,
            before: 0,
            events: 0.0,
            building: None,
            drawing: None,
            watching: None,
            kept: Vec::new(),
            unsaved: UnsavedResults::default(),
            leaving: None,
            stop: ReplayedWait::Longest,
            notice: String::new(),
        };
        lab.visit(ctx, &ctx.props().wanted.clone());
        lab
    }

    fn changed(&mut self, ctx: &Context<Self>, old: &LabProps) -> bool {
        let wanted = &ctx.props().wanted;
        if ctx.props().here && *wanted != old.wanted && !wanted.is_empty() && *wanted != self.source().address() {
            self.visit(ctx, &wanted.clone());
        }
        true
    }

    fn update(&mut self, ctx: &Context<Self>, msg: LabMsg) -> bool {
        match msg {
            LabMsg::Choose(study) => self.go(ctx, self.study_source(study)),
            LabMsg::OpenOwn => self.go(ctx, CampaignSource::Own(Box::new(shelf::last_experiment()))),
            LabMsg::Own(Ok(experiment)) => {
                let kept = shelf::keep_experiment(&experiment);
                self.go(ctx, CampaignSource::Own(experiment));
                if !kept {
                    self.notice = UNSTORED_EXPERIMENT.into();
                }
            }
            LabMsg::Own(Err(_)) => self.valid = false,
            LabMsg::Cost(Ok(answer)) if answer.is_interim() => return false,
            LabMsg::Cost(answer) => {
                self.estimating = None;
                self.cost = match answer {
                    Ok(Answer::Cost(cost)) => cost.sentence(how_many()),
                    Ok(Answer::Unavailable) => WorkerLoss::Unavailable.no_estimate().into(),
                    Ok(Answer::Problems(problems)) => problems.join(" "),
                    Ok(_) => String::new(),
                    Err(loss) => loss.no_estimate().into(),
                };
            }
            LabMsg::Reopen(kept) => match kept.source() {
                Some(source) => self.go(ctx, source),
                None => return false,
            },
            LabMsg::Resize(size) => {
                self.size = size;
                self.reopen_study(ctx);
            }
            LabMsg::Switch(name, value) => {
                self.switches.insert(name.into(), value.into());
                self.reopen_study(ctx);
            }
            LabMsg::Run => self.run(ctx),
            LabMsg::Pause => {
                self.running = false;
                self.pool.iter_mut().for_each(|p| p.pause(true));
            }
            LabMsg::Cancel => {
                self.end();
                self.draw();
                recall_shelves(ctx.link());
            }
            LabMsg::Heard(worker, event) => {
                let ended = self.pool.as_mut().and_then(|p| p.hear(worker, event));
                let changed = ended.is_some_and(|ended| self.take(ctx, ended));
                return self.halt(ctx) || changed;
            }
            LabMsg::Watch => {
                let given_up = self.pool.as_mut().and_then(Pool::watch);
                given_up.into_iter().for_each(|ended| {
                    self.take(ctx, ended);
                });
                self.halt(ctx);
            }
            LabMsg::Build => match self.building.take() {
                Some((builder, _)) => self.build(ctx, builder),
                None => return false,
            },
            LabMsg::Draw => {
                self.drawing = None;
                self.draw();
            }
            LabMsg::PauseAt(stop) => self.stop = stop,
            LabMsg::Recalled(..)
            | LabMsg::Kept(_)
            | LabMsg::Forget(_)
            | LabMsg::Forgotten(..)
            | LabMsg::Put(..)
            | LabMsg::StoreAgain
            | LabMsg::SaveRecords(_) => return self.update_storage(ctx, msg),
            LabMsg::Replay(key) => match self.campaign.point(&key).map(|point| replay(&point.job, self.stop)) {
                Some(Ok(link)) => self.act.emit(Action::Follow(link)),
                Some(Err(why)) => self.notice = why,
                None => return false,
            },
        }
        true
    }

    fn view(&self, ctx: &Context<Self>) -> Html {
        let link = ctx.link();
        let own = self.source().own();
        let studies = study::ALL.iter().map(|study| {
            let current = matches!(self.source(), CampaignSource::Study(s, _) if s.id == study.id).then_some("true");
            html! {
                <li key={study.id}><button type="button" class="study" aria-current={current} onclick={link.callback(move |_| LabMsg::Choose(study))}>
                    { study.title }
                </button></li>
            }
        });
        let origin = serde_json::to_string(self.campaign.header()).unwrap_or_default();
        let charts = self.report.iter().flat_map(|r| r.charts.iter()).map(|chart| {
            html! { <ChartView key={chart.id.clone()} chart={Rc::new(chart.clone())} origin={origin.clone()} replay={link.callback(LabMsg::Replay)} /> }
        });
        let tables = self.report.iter().flat_map(|r| r.tables.iter()).map(|table| {
            html! { <TableView key={table.id.clone()} table={Rc::new(table.clone())} /> }
        });
        let claims = self.report.as_ref().map_or(Vec::new(), |r| r.claims.clone());
        let gaps = self.gaps.as_ref().filter(|_| self.report.is_some());
        let nothing = self.campaign.done() == 0 && self.valid;
        html! {
            <main class="lab">
                <style>{ page_style() }</style>
                <nav class="lab-rail" aria-label="Studies">
                    <h1>{ "Lab" }</h1>
                    <ul>
                        { for studies }
                        <li key="own"><button type="button" class="study" aria-current={own.is_some().then_some("true")} onclick={link.callback(|_| LabMsg::OpenOwn)}>
                            { "Your own experiment" }
                        </button></li>
                    </ul>
                    { shelf::list(ctx, &self.kept) }
                </nav>
                <div class="lab-main">
                    { self.head(ctx) }
                    <section class="lab-run" aria-label="Run">
                        { self.sizes(ctx) }
                        { self.buttons(ctx) }
                        { self.progress() }
                    </section>
                    <div class="notice" role="status" hidden={self.notice.is_empty()}>{ of_lines(&self.notice) }</div>
                    { self.unsaved(ctx) }
                    <p class="empty" hidden={!nothing || self.running}>
                        { format!("Nothing has been run yet. {}", self.cost) }
                    </p>
                    <p class="gaps" role="status" hidden={gaps.is_none() || self.running}>{ gaps.cloned().unwrap_or_default() }</p>
                    { self.replay_stops(ctx) }
                    <div class="charts">{ for charts }</div>
                    <Claims {claims} preliminary={gaps.is_some()} follow={self.act.reform(Action::Follow)} />
                    // a list among siblings without keys would make them anew when it arrives
                    <div class="study-tables">{ for tables }</div>
                </div>
            </main>
        }
    }
}

/// Milliseconds for which points are built in one task of the browser.
const BUILD_SLICE: f64 = 12.0;

impl LabPlace {
    fn source(&self) -> &CampaignSource {
        self.campaign.source()
    }

    /// A study with the size and the switches that the reader chose.
    fn study_source(&self, study: &'static Study) -> CampaignSource {
        CampaignSource::Study(study, study.known_settings(self.size, &self.switches))
    }

    fn reopen_study(&mut self, ctx: &Context<Self>) {
        if let CampaignSource::Study(study, _) = self.source() {
            let source = self.study_source(study);
            self.open(ctx, source);
        }
    }

    /// Opens what an address names.
    fn visit(&mut self, ctx: &Context<Self>, wanted: &str) {
        let chosen = match (wanted, CampaignSource::own_of_address(wanted)) {
            ("", _) => Ok(self.source().clone()),
            ("own", _) => Ok(CampaignSource::Own(Box::new(shelf::last_experiment()))),
            (_, Some(own)) => own.map(|own| CampaignSource::Own(Box::new(own))),
            (id, None) => study::find(id).map(|study| self.study_source(study)).map_err(|why| vec![why]),
        };
        let (source, wrong) = match chosen {
            Ok(source) => (source, Vec::new()),
            Err(problems) => (self.source().clone(), problems),
        };
        self.open(ctx, source);
        if !wrong.is_empty() {
            self.notice = wrong.join("\n");
        }
    }

    /// Opens a campaign, and names it in the address.
    fn go(&mut self, ctx: &Context<Self>, source: CampaignSource) {
        self.open(ctx, source);
        self.act.emit(Action::Visit(PagePlace::Lab, self.source().address()));
    }

    fn open(&mut self, ctx: &Context<Self>, source: CampaignSource) {
        self.end();
        self.report = None;
        self.notice.clear();
        if let CampaignSource::Study(_, Settings { size, switches, .. }) = &source {
            self.size = *size;
            self.switches.extend(switches.clone());
        }
        self.building = None;
        let campaign = match &source {
            CampaignSource::Study(..) => Campaign::new(source),
            CampaignSource::Own(own) => {
                let builder = GridBuilder::new(own);
                self.campaign = Campaign::of_points(source, Vec::new());
                self.valid = false;
                self.cost.clear();
                return self.build(ctx, builder);
            }
        };
        self.begin(ctx, campaign);
    }

    /// Builds more points in the next task of the browser.
    fn build_later(&mut self, ctx: &Context<Self>, builder: GridBuilder) {
        let link = ctx.link().clone();
        let timer = Timeout::new(0, move || link.send_message(LabMsg::Build));
        self.building = Some((builder, timer));
    }

    /// Builds points for a moment; then goes on, or begins with all of them.
    fn build(&mut self, ctx: &Context<Self>, mut builder: GridBuilder) {
        let start = now();
        while now() - start < BUILD_SLICE {
            if builder.advance(1) {
                let source = self.source().clone();
                let campaign = builder.finish().map(|points| Campaign::of_points(source, points));
                return self.begin(ctx, campaign);
            }
        }
        self.build_later(ctx, builder);
    }

    /// Begins with a campaign: estimates its cost and recalls its results.
    fn begin(&mut self, ctx: &Context<Self>, campaign: Result<Campaign, Vec<String>>) {
        self.valid = campaign.is_ok();
        match campaign {
            Ok(campaign) => self.campaign = campaign,
            Err(problems) => self.notice = problems.join("\n"),
        }
        self.estimate(ctx);
        let name = self.source().shelf();
        let asked = name.clone();
        store::all(name, ctx.link().callback(move |records| LabMsg::Recalled(asked.clone(), records)));
        recall_shelves(ctx.link());
    }

    /// Has a worker estimate the cost.
    fn estimate(&mut self, ctx: &Context<Self>) {
        self.cost.clear();
        let estimated = ctx.link().callback(LabMsg::Cost);
        self.estimating = Worker::start(move |event| match event {
            WorkerEvent::Answered(_, answer) => estimated.emit(Ok(answer)),
            WorkerEvent::Died => estimated.emit(Err(WorkerLoss::Died)),
            WorkerEvent::Unavailable => estimated.emit(Err(WorkerLoss::Unavailable)),
            WorkerEvent::Ready => {}
        })
        .ok();
        if let Some(worker) = &self.estimating {
            worker.ask(0.0, &Task::Cost(self.campaign.pilots()));
        }
    }

    fn end(&mut self) {
        self.running = false;
        self.pool = None;
        self.watching = None;
    }

    fn run(&mut self, ctx: &Context<Self>) {
        self.notice.clear();
        self.estimating = None;
        if let Some(pool) = &mut self.pool {
            pool.pause(false);
            self.running = true;
            return;
        }
        let link = ctx.link().clone();
        match Pool::start(link.callback(|(worker, event)| LabMsg::Heard(worker, event))) {
            Ok(pool) => self.pool = Some(pool),
            Err(why) => return self.notice = why,
        }
        self.watching = Some(Interval::new(2_000, move || link.send_message(LabMsg::Watch)));
        self.running = true;
        self.started = now();
        self.before = self.campaign.done();
        self.events = 0.0;
        if let Some(own) = self.source().own() {
            let name = format!("{}{DOCUMENT}", self.source().shelf());
            put(ctx.link(), name, own.brief().to_string());
        }
        if let Some(pool) = &mut self.pool {
            pool.add(self.campaign.tasks());
        }
    }

    /// Takes what a worker has computed; whether the page changes at once.
    fn take(&mut self, ctx: &Context<Self>, (task, answer): EndedTask) -> bool {
        let answer = answer.unwrap_or_else(|| {
            let why = "Three workers died over it. The browser may lack memory.";
            Answer::Problems(vec![why.into()])
        });
        if let Answer::Record(record) = &answer {
            self.events += record.summary.events * f64::from(record.summary.replications);
        }
        match self.campaign.accept(&task, answer) {
            Ok(text) => {
                let name = format!("{}{}", self.source().shelf(), task.key());
                put(ctx.link(), name, text);
            }
            Err(problems) => self.campaign.leave_out(&task, problems.join(" ")),
        }
        if self.pool.as_ref().is_some_and(|p| !p.is_busy()) {
            self.end();
            recall_shelves(ctx.link());
        }
        if self.drawing.is_none() {
            let link = ctx.link().clone();
            self.drawing = Some(Timeout::new(250, move || link.send_message(LabMsg::Draw)));
        }
        false
    }

    /// Ends the run where workers keep dying or cannot be downloaded; whether it does.
    fn halt(&mut self, ctx: &Context<Self>) -> bool {
        let Some(why) = self.pool.as_ref().and_then(Pool::halted) else { return false };
        self.end();
        self.notice = why.sentence().into();
        recall_shelves(ctx.link());
        true
    }

    fn draw(&mut self) {
        self.report = (self.campaign.done() > 0).then(|| Rc::new(self.campaign.report()));
        self.gaps = self.campaign.gaps();
    }
}
