//! The lab: studies and experiments, run by workers while the charts grow, and claims with their
//! verdicts.

mod chart;
mod claims;
mod controls;
mod own;
mod shelf;

use crate::browser::timers::{Interval, Timeout};
use crate::browser::worker::{Worker, WorkerEvent, how_many, now};
use crate::browser::{files, store};
use crate::worker::pool::{EndedTask, Pool};
use chart::ChartView;
use claims::Claims;
use lockstep_chart::page_style;
use lockstep_lab::study::{self, Settings, Study, StudyReport, StudySize};
use lockstep_lab::{Answer, Campaign, CampaignSource, DOCUMENT, Experiment, Shelf, Task};
use lockstep_session::replay::{ReplayedWait, replay};
use lockstep_session::{Action, PagePlace};
use std::collections::BTreeMap;
use std::rc::Rc;
use yew::prelude::*;

/// What the place needs.
#[derive(Properties, PartialEq)]
pub struct LabProps {
    /// Whether the reader is here.
    pub here: bool,
    /// What the address asks for: a study's id, or an experiment.
    pub wanted: String,
    /// Makes something happen.
    pub act: Callback<Action>,
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
    /// The estimated cost.
    Cost(Answer),
    /// Look for silent workers.
    Watch,
    /// Draw the results that have come in.
    Draw,
    /// Stored results of the campaign with this shelf.
    Recalled(String, Vec<(String, String)>),
    /// All stored results.
    Kept(Vec<Shelf>),
    /// Delete stored results.
    Forget(String),
    /// The browser cannot store more.
    Full,
    /// Save all records as a file.
    SaveRecords,
    /// Replay the run behind the record of this key.
    Replay(String),
    /// Choose where a replay pauses.
    PauseAt(ReplayedWait),
}

/// The lab.
pub struct LabPlace {
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
    pool: Option<Pool>,
    running: bool,
    started: f64,
    before: usize,
    events: f64,
    drawing: Option<Timeout>,
    watching: Option<Interval>,
    kept: Vec<Shelf>,
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
            campaign: Campaign::new(CampaignSource::Study(study, settings)).expect("a study has valid points"),
            valid: true,
            size,
            switches: BTreeMap::new(),
            written: ctx.link().callback(|made: Result<Experiment, Vec<String>>| LabMsg::Own(made.map(Box::new))),
            cost: String::new(),
            estimating: None,
            report: None,
            pool: None,
            running: false,
            started: 0.0,
            before: 0,
            events: 0.0,
            drawing: None,
            watching: None,
            kept: Vec::new(),
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
                shelf::keep_experiment(&experiment);
                self.go(ctx, CampaignSource::Own(experiment));
            }
            LabMsg::Own(Err(_)) => self.valid = false,
            LabMsg::Cost(answer) => {
                if answer.is_interim() {
                    return false;
                }
                self.estimating = None;
                if let Answer::Cost(cost) = answer {
                    self.cost = cost.sentence(how_many());
                }
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
                return ended.is_some_and(|ended| self.take(ctx, ended));
            }
            LabMsg::Watch => {
                let given_up = self.pool.as_mut().and_then(Pool::watch);
                given_up.into_iter().for_each(|ended| {
                    self.take(ctx, ended);
                });
            }
            LabMsg::Draw => {
                self.drawing = None;
                self.draw();
            }
            LabMsg::Recalled(name, records) => {
                if name != self.source().shelf() {
                    return false; // the reader has opened something else meanwhile
                }
                for (place, text) in &records {
                    self.campaign.recall(place.get(name.len()..).unwrap_or_default(), text);
                }
                self.draw();
            }
            LabMsg::PauseAt(stop) => self.stop = stop,
            LabMsg::Kept(kept) => self.kept = kept,
            LabMsg::Forget(name) => {
                if name == self.source().shelf() {
                    self.campaign.clear();
                    self.report = None;
                }
                let link = ctx.link().clone();
                store::forget(name, Callback::from(move |()| recall_shelves(&link)));
            }
            LabMsg::Full => self.notice = FULL.into(),
            LabMsg::SaveRecords => {
                let name = format!("lockstep-{}.jsonl", self.campaign.header().study);
                files::save(&name, "application/jsonl", &self.campaign.records_text());
            }
            LabMsg::Replay(key) => match self.campaign.point(&key).map(|point| replay(&point.job, self.stop)) {
                Some(Ok(link)) => ctx.props().act.emit(Action::Follow(link)),
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
        let claims = self.report.as_ref().map_or(Vec::new(), |r| r.claims.clone());
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
                    <p class="notice" role="status" hidden={self.notice.is_empty()}>{ &self.notice }</p>
                    <p class="empty" hidden={!nothing || self.running}>
                        { format!("Nothing has been run yet. {}", self.cost) }
                    </p>
                    { self.replay_stops(ctx) }
                    <div class="charts">{ for charts }</div>
                    <Claims {claims} />
                </div>
            </main>
        }
    }
}

/// What is said when the browser cannot store more.
const FULL: &str = "The browser cannot store more results, so new ones are lost when you close this page. Delete old \
                    results, or save the records as a file.";

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
            self.notice = wrong.join(" ");
        }
    }

    /// Opens a campaign, and names it in the address.
    fn go(&mut self, ctx: &Context<Self>, source: CampaignSource) {
        self.open(ctx, source);
        ctx.props().act.emit(Action::Visit(PagePlace::Lab, self.source().address()));
    }

    fn open(&mut self, ctx: &Context<Self>, source: CampaignSource) {
        self.end();
        self.report = None;
        self.notice.clear();
        if let CampaignSource::Study(_, Settings { size, switches, .. }) = &source {
            self.size = *size;
            self.switches.extend(switches.clone());
        }
        let campaign = Campaign::new(source);
        self.valid = campaign.is_ok();
        match campaign {
            Ok(campaign) => self.campaign = campaign,
            Err(problems) => self.notice = problems.join(" "),
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
        self.estimating = Worker::start(move |event| {
            if let WorkerEvent::Answered(_, answer) = event {
                estimated.emit(answer);
            }
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
            store::put(name, own.brief().to_string(), Callback::noop());
        }
        let tasks = self.campaign.tasks();
        self.pool.iter_mut().for_each(|pool| pool.add(tasks.clone()));
    }

    /// Takes what a worker has computed; whether the page changes at once.
    fn take(&mut self, ctx: &Context<Self>, (task, answer): EndedTask) -> bool {
        let Some(answer) = answer else {
            self.notice =
                "A point was given up because three workers died over it. The browser may lack memory.".into();
            return true;
        };
        if let Answer::Record(record) = &answer {
            self.events += record.summary.events * f64::from(record.summary.replications);
        }
        match self.campaign.accept(&task, answer) {
            Ok(text) => {
                let name = format!("{}{}", self.source().shelf(), task.key());
                store::put(name, text, ctx.link().callback(|()| LabMsg::Full));
            }
            Err(problems) => self.notice = format!("A point is left out. {}", problems.join(" ")),
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

    fn draw(&mut self) {
        self.report = (self.campaign.done() > 0).then(|| Rc::new(self.campaign.report()));
    }
}

/// Asks the browser for all stored results.
fn recall_shelves(link: &html::Scope<LabPlace>) {
    store::all(lockstep_lab::VERSION.into(), link.callback(|records| LabMsg::Kept(Shelf::all(records))));
}
