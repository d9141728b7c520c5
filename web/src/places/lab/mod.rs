//! The lab: the texts' studies, run by workers while the charts grow; their claims, put to the test.

mod chart;
mod claims;
mod controls;
mod form;
mod own;
mod shelf;

use crate::browser::worker::{Said, Worker, how_many, now};
use crate::browser::{files, store};
use crate::worker::pool::{Pool, Task};
use chart::ChartView;
use claims::Claims;
use gloo_timers::callback::{Interval, Timeout};
use lockstep_chart::page_style;
use lockstep_lab::study::{self, Data, Proof, Settings, Study, StudyReport, StudySize};
use lockstep_lab::{Cost, Experiment, GridPoint, Header, Record, RecordStore, own_charts, pilots};
use lockstep_session::replay::{ReplayedWait as Wait, replay};
use lockstep_session::{Action, PagePlace as Place};
use own::OwnForm;
use shelf::Shelf;
use std::collections::BTreeMap;
use std::rc::Rc;
use yew::prelude::*;

/// What a worker says instead of a result.
fn problems(answer: &str) -> String {
    #[derive(serde::Deserialize)]
    struct Problems {
        problems: Vec<String>,
    }
    serde_json::from_str::<Problems>(answer).map_or_else(|_| answer.into(), |p| p.problems.join(" "))
}

/// What the place needs.
#[derive(Properties, PartialEq)]
pub struct LabProps {
    /// Whether the reader is here.
    pub here: bool,
    /// What the address asks for: a study's id.
    pub wanted: String,
    /// Makes something happen.
    pub act: Callback<Action>,
}

/// What can happen in the lab.
pub enum Msg {
    /// Choose a study.
    Choose(&'static Study),
    /// An experiment of one's own: the one that was left, or a first one.
    OpenOwn,
    /// The experiment of one's own has changed, or makes no sense.
    Own(Result<Box<Experiment>, Vec<String>>),
    /// Open what is kept in the browser.
    Reopen(Shelf),
    /// How much to run.
    Resize(StudySize),
    /// Choose an interpretation.
    Switch(&'static str, &'static str),
    /// Run, or go on.
    Run,
    /// Give out no more points.
    Pause,
    /// Stop; what is there stays.
    Cancel,
    /// A worker said something.
    Heard(f64, Said),
    /// What it would cost.
    Cost(String),
    /// Look after the workers.
    Watch,
    /// Draw what has come in.
    Draw,
    /// Results of earlier days.
    Recalled(String, Vec<(String, String)>),
    /// What is kept in the browser.
    Kept(Vec<Shelf>),
    /// Forget results.
    Forget(String),
    /// The browser has no room.
    Full,
    /// Save all records.
    SaveRecords,
    /// Replay a run of the point at x and y.
    Replay(f64, f64),
    /// At which wait a replay pauses.
    PauseAt(Wait),
}

/// The lab.
pub struct Lab {
    study: &'static Study,
    settings: Settings,
    /// The experiment of one's own, where that is what is shown instead of the study.
    own: Option<Experiment>,
    /// Whether it makes sense at the moment.
    sound: bool,
    /// Hears of it. Always the same, so that its form is drawn anew only when it has changed, not while somebody types.
    written: Callback<Result<Experiment, Vec<String>>>,
    points: Rc<Vec<GridPoint>>,
    /// What it would cost, in a sentence.
    cost: String,
    /// The worker that finds it out.
    guessing: Option<Worker>,
    records: BTreeMap<String, Record>,
    observed: Option<BTreeMap<String, f64>>,
    proofs: BTreeMap<String, Option<Proof>>,
    report: Option<Rc<StudyReport>>,
    pool: Option<Pool>,
    running: bool,
    started: f64,
    before: usize,
    events: f64,
    drawing: Option<Timeout>,
    watching: Option<Interval>,
    kept: Vec<Shelf>,
    /// At which wait a replay pauses.
    wait: Wait,
    notice: String,
}

fn settings(study: &Study, size: StudySize, switches: &BTreeMap<String, String>) -> Settings {
    let known = switches.iter().filter(|(n, _)| study.switches.iter().any(|s| s.name == n.as_str()));
    let given = known.map(|(n, v)| (n.clone(), v.clone())).collect();
    study.settings(size, 1, &given).unwrap_or(Settings { size, seed: 1, switches: BTreeMap::new() })
}

impl Component for Lab {
    type Message = Msg;
    type Properties = LabProps;

    fn create(ctx: &Context<Self>) -> Self {
        let study = study::find(&ctx.props().wanted).unwrap_or(&study::ALL[0]);
        let mut lab = Lab {
            study,
            settings: settings(study, StudySize::Quick, &BTreeMap::new()),
            own: None,
            sound: true,
            written: ctx.link().callback(|made: Result<Experiment, Vec<String>>| Msg::Own(made.map(Box::new))),
            points: Rc::default(),
            cost: String::new(),
            guessing: None,
            records: BTreeMap::new(),
            observed: None,
            proofs: BTreeMap::new(),
            report: None,
            pool: None,
            running: false,
            started: 0.0,
            before: 0,
            events: 0.0,
            drawing: None,
            watching: None,
            kept: Vec::new(),
            wait: Wait::Longest,
            notice: String::new(),
        };
        if ctx.props().wanted.is_empty() {
            lab.open(ctx);
        } else {
            lab.visit(ctx, &ctx.props().wanted.clone());
        }
        lab
    }

    fn changed(&mut self, ctx: &Context<Self>, old: &LabProps) -> bool {
        let wanted = &ctx.props().wanted;
        if ctx.props().here && *wanted != old.wanted && !wanted.is_empty() && *wanted != self.address() {
            self.visit(ctx, &wanted.clone());
        }
        true
    }

    fn update(&mut self, ctx: &Context<Self>, msg: Msg) -> bool {
        match msg {
            Msg::Choose(study) => {
                self.choose(study, self.settings.size, &self.settings.switches.clone());
                self.go(ctx);
            }
            Msg::OpenOwn => {
                self.own = Some(shelf::left_over());
                self.go(ctx);
            }
            Msg::Own(Ok(experiment)) => {
                shelf::leave(&experiment);
                self.own = Some(*experiment);
                self.go(ctx);
            }
            Msg::Own(Err(_)) => self.sound = false,
            Msg::Cost(answer) => {
                self.guessing = None;
                let guess = serde_json::from_str::<Cost>(&answer);
                self.cost = guess.map(|cost| cost.sentence(how_many())).unwrap_or_default();
            }
            Msg::Reopen(kept) => {
                match kept.what() {
                    Some(shelf::What::Own(experiment)) => self.own = Some(*experiment),
                    Some(shelf::What::Study(study, size, switches)) => self.choose(study, size, &switches),
                    None => return false,
                }
                self.go(ctx);
            }
            Msg::Resize(size) => {
                self.settings = settings(self.study, size, &self.settings.switches);
                self.open(ctx);
            }
            Msg::Switch(name, value) => {
                let mut switches = self.settings.switches.clone();
                switches.insert(name.into(), value.into());
                self.settings = settings(self.study, self.settings.size, &switches);
                self.open(ctx);
            }
            Msg::Run => self.run(ctx),
            Msg::Pause => {
                self.running = false;
                self.pool.iter_mut().for_each(|p| p.paused = true);
            }
            Msg::Cancel => {
                self.stop();
                self.draw();
                recall_list(ctx.link());
            }
            Msg::Heard(serial, said) => {
                let done = self.pool.as_mut().and_then(|p| p.heard(serial, said));
                return done.is_some_and(|(task, answer)| self.take(ctx, task, answer));
            }
            Msg::Watch => {
                let lost = self.pool.as_mut().and_then(Pool::watch);
                if let Some((task, answer)) = lost {
                    self.take(ctx, task, answer);
                }
            }
            Msg::Draw => {
                self.drawing = None;
                self.draw();
            }
            Msg::Recalled(name, texts) => {
                if name != self.shelf() {
                    return false; // the reader was quicker
                }
                for (place, text) in &texts {
                    self.learn(place.get(name.len()..).unwrap_or_default(), text);
                }
                self.draw();
            }
            Msg::PauseAt(wait) => self.wait = wait,
            Msg::Kept(kept) => self.kept = kept,
            Msg::Forget(name) => {
                if name == self.shelf() {
                    self.records.clear();
                    self.observed = None;
                    self.proofs.clear();
                    self.report = None;
                }
                let link = ctx.link().clone();
                store::forget(name, Callback::from(move |()| recall_list(&link)));
            }
            Msg::Full => self.notice = "The browser has no room for more results: they last as long as this page. Forget old ones, or save them as a file.".into(),
            Msg::SaveRecords => {
                let mut stock = RecordStore::new(self.header());
                self.records.values().for_each(|r| stock.add(r.clone()));
                files::save(&format!("lockstep-{}.jsonl", stock.header.study), "application/jsonl", &stock.text(&self.points));
            }
            Msg::Replay(x, y) => match self.run_at(y) {
                Some(point) => match replay(&point.job, self.wait) {
                    Ok(link) => ctx.props().act.emit(Action::Follow(link)),
                    Err(why) => self.notice = why,
                },
                None => self.notice = format!("The point at {x} is not the mean of one experiment, so there is no run to replay."),
            },
        }
        true
    }

    fn view(&self, ctx: &Context<Self>) -> Html {
        let link = ctx.link();
        let studies = study::ALL.iter().map(|study| {
            let current = (study.id == self.study.id && self.own.is_none()).then_some("true");
            html! {
                <li key={study.id}><button type="button" class="study" aria-current={current} onclick={link.callback(move |_| Msg::Choose(study))}>
                    { study.title }
                </button></li>
            }
        });
        let sizes = [(StudySize::Quick, "quick"), (StudySize::Full, "full size")].map(|(size, name)| {
            let on = self.settings.size == size;
            html! { <button key={name} type="button" class="chip" aria-pressed={on.to_string()} onclick={link.callback(move |_| Msg::Resize(size))}>{ name }</button> }
        });
        let switches = self.study.switches.iter().map(|switch| {
            let values = switch.values.iter().map(|value| {
                let on = self.settings.switch(switch.name) == *value;
                let choose = link.callback(move |_| Msg::Switch(switch.name, value));
                html! { <button key={*value} type="button" class="chip" aria-pressed={on.to_string()} onclick={choose}>{ *value }</button> }
            });
            html! {
                <div key={switch.name} class="switch"><p><b>{ switch.name }</b>{ " " }{ switch.about }</p><div class="choice">{ for values }</div></div>
            }
        });
        let origin = serde_json::to_string(&self.header()).unwrap_or_default();
        let charts = self.report.iter().flat_map(|r| r.charts.iter()).map(|chart| {
            let replay = link.callback(|(x, y)| Msg::Replay(x, y));
            html! { <ChartView key={chart.id.clone()} chart={Rc::new(chart.clone())} origin={origin.clone()} {replay} /> }
        });
        let claims = self.report.as_ref().map_or(Vec::new(), |r| r.claims.clone());
        let nothing = self.records.is_empty() && self.sound;
        let busy = self.pool.is_some();
        let own = self.own.as_ref().map_or_else(Html::default, |experiment| {
            html! { <OwnForm experiment={experiment.clone()} {busy} change={self.written.clone()} /> }
        });
        html! {
            <main class="lab">
                <style>{ page_style() }</style>
                <nav class="lab-rail" aria-label="Studies">
                    <h1>{ "Lab" }</h1>
                    <ul>
                        { for studies }
                        <li key="own"><button type="button" class="study" aria-current={self.own.is_some().then_some("true")} onclick={link.callback(|_| Msg::OpenOwn)}>
                            { "An experiment of your own" }
                        </button></li>
                    </ul>
                    { shelf::list(ctx, &self.kept) }
                </nav>
                <div class="lab-main">
                    <header class="lab-head" hidden={self.own.is_some()}>
                        <h2>{ self.study.title }</h2>
                        <p class="source">{ self.study.source }</p>
                        <p>{ self.study.about }</p>
                        <details class="assumed" hidden={self.study.notes.is_empty()}>
                            <summary>{ "What is assumed" }</summary>
                            <ul>{ for self.study.notes.iter().enumerate().map(|(i, note)| html! { <li key={i}>{ *note }</li> }) }</ul>
                        </details>
                        <div class="switches">{ for switches }</div>
                    </header>
                    <header class="lab-head" hidden={self.own.is_none()}>
                        <h2>{ "An experiment of your own" }</h2>
                        <p>{ "Choose what to compare and what varies. Every algorithm meets the same requests, drawn from the same seed." }</p>
                        { own }
                    </header>
                    <section class="lab-run" aria-label="Run">
                        <div class="choice" role="group" aria-label="Size" hidden={self.own.is_some()}>{ for sizes }</div>
                        { self.buttons(ctx) }
                        { self.progress() }
                    </section>
                    <p class="notice" role="status" hidden={self.notice.is_empty()}>{ &self.notice }</p>
                    <p class="empty" hidden={!nothing || self.running}>
                        { format!("Nothing has been run yet. {}", self.cost) }
                    </p>
                    { self.waits(ctx) }
                    <div class="charts">{ for charts }</div>
                    <Claims {claims} />
                </div>
            </main>
        }
    }
}

impl Lab {
    /// The name under which results are kept.
    fn shelf(&self) -> String {
        shelf::name(self.own.as_ref(), self.study, &self.settings)
    }

    /// What results are filed under.
    fn header(&self) -> Header {
        let header = self.study.header(&self.settings);
        match &self.own {
            Some(own) => Header {
                study: own.name.clone(),
                size: "own".into(),
                seed: own.base.seed,
                switches: BTreeMap::new(),
                ..header
            },
            None => header,
        }
    }

    /// How the address names what is shown.
    fn address(&self) -> String {
        self.own.as_ref().map_or_else(|| self.study.id.into(), shelf::address)
    }

    /// Opens what an address names.
    fn visit(&mut self, ctx: &Context<Self>, wanted: &str) {
        let mut wrong = String::new();
        match (shelf::read(wanted), study::find(wanted)) {
            (Some(Ok(own)), _) => self.own = Some(own),
            (Some(Err(problems)), _) => wrong = problems.join(" "),
            (None, Ok(study)) => self.choose(study, self.settings.size, &self.settings.switches.clone()),
            (None, Err(why)) => wrong = why,
        }
        self.open(ctx);
        if !wrong.is_empty() {
            self.notice = wrong;
        }
    }

    fn choose(&mut self, study: &'static Study, size: StudySize, switches: &BTreeMap<String, String>) {
        self.own = None;
        self.study = study;
        self.settings = settings(study, size, switches);
    }

    /// Opens what was chosen, and says so in the address.
    fn go(&mut self, ctx: &Context<Self>) {
        self.open(ctx);
        ctx.props().act.emit(Action::Visit(Place::Lab, self.address()));
    }

    fn open(&mut self, ctx: &Context<Self>) {
        self.stop();
        self.records.clear();
        self.observed = None;
        self.proofs.clear();
        self.report = None;
        self.notice.clear();
        let points = match &self.own {
            Some(own) => own.points(),
            None => self.study.points(&self.settings),
        };
        self.sound = points.is_ok();
        match points {
            Ok(points) => self.points = Rc::new(points),
            Err(problems) => self.notice = problems.join(" "),
        }
        self.guess(ctx);
        let name = self.shelf();
        let asked = name.clone();
        store::all(name, ctx.link().callback(move |texts| Msg::Recalled(asked.clone(), texts)));
        recall_list(ctx.link());
    }

    /// Has a worker find out what it would cost.
    fn guess(&mut self, ctx: &Context<Self>) {
        self.cost.clear();
        let learned = ctx.link().callback(Msg::Cost);
        self.guessing = Worker::start(move |said| {
            if let Said::Answer(_, answer) = said {
                learned.emit(answer);
            }
        })
        .ok();
        if let Some(worker) = &self.guessing {
            let pilots = serde_json::to_string(&pilots(&self.points)).unwrap_or_default();
            worker.ask(0.0, "cost", &pilots);
        }
    }

    fn stop(&mut self) {
        self.running = false;
        self.pool = None;
        self.watching = None;
    }

    /// What has to be done beside the points: single runs to watch, questions to explore.
    fn asides(&self) -> Vec<Task> {
        let mut tasks = Vec::new();
        if self.own.is_some() {
            return tasks;
        }
        let (study, settings) = (self.study.id, &self.settings);
        if self.observed.is_none() {
            let contents = serde_json::json!({ "study": study, "settings": settings }).to_string();
            tasks.push(Task { patience: 60_000.0, ..Task::new("observe", "observe".into(), contents) });
        }
        for question in (self.study.questions)(settings).iter().filter(|q| !self.proofs.contains_key(q.id)) {
            let contents = serde_json::json!({ "study": study, "settings": settings, "question": question.id });
            let task = Task::new("prove", format!("prove {}", question.id), contents.to_string());
            tasks.push(Task { patience: 600_000.0, ..task });
        }
        tasks
    }

    /// Takes a result that was computed now or on an earlier day; whether it is one.
    fn learn(&mut self, key: &str, text: &str) -> bool {
        if key == "observe" {
            self.observed = serde_json::from_str(text).ok();
            return self.observed.is_some();
        }
        if let Some(question) = key.strip_prefix("prove ") {
            let proof = serde_json::from_str(text).ok();
            return proof.map(|proof| self.proofs.insert(question.into(), proof)).is_some();
        }
        let record = serde_json::from_str::<Record>(text).ok();
        record.map(|r| self.records.insert(r.key.clone(), r)).is_some()
    }

    fn run(&mut self, ctx: &Context<Self>) {
        self.notice.clear();
        self.guessing = None;
        if let Some(pool) = &mut self.pool {
            pool.paused = false;
            pool.feed();
            self.running = true;
            return;
        }
        let link = ctx.link().clone();
        match Pool::start(link.callback(|(serial, said)| Msg::Heard(serial, said))) {
            Ok(pool) => self.pool = Some(pool),
            Err(why) => return self.notice = why,
        }
        self.watching = Some(Interval::new(2_000, move || link.send_message(Msg::Watch)));
        self.running = true;
        self.started = now();
        self.before = self.done();
        self.events = 0.0;
        let mut given = std::collections::BTreeSet::new();
        let jobs = self.points.iter().filter(|p| !self.records.contains_key(&p.key) && given.insert(p.key.clone()));
        let mut tasks: Vec<Task> = jobs
            .map(|p| {
                let task = Task::new("job", p.key.clone(), serde_json::to_string(&p.job).unwrap_or_default());
                // a slow machine runs five entries in a millisecond
                let entries = (p.job.entries + p.job.warmup) as f64;
                let runs = f64::from(p.job.until.map_or(p.job.replications, |u| u.most));
                Task { patience: task.patience + entries * runs / 5.0, ..task }
            })
            .collect();
        tasks.extend(self.asides());
        if let Some(own) = &self.own {
            let document = (format!("{}experiment", self.shelf()), own.brief().to_string());
            store::put(document.0, document.1, Callback::noop());
        }
        if let Some(pool) = &mut self.pool {
            pool.add(tasks);
        }
    }

    /// Takes what a worker has computed; whether the page changes.
    fn take(&mut self, ctx: &Context<Self>, task: Task, answer: Option<String>) -> bool {
        let Some(answer) = answer else {
            self.notice =
                "A point was given up: its workers were lost again and again, perhaps for want of memory.".into();
            return true;
        };
        if self.learn(&task.key, &answer) {
            if let Some(record) = self.records.get(&task.key) {
                self.events += record.summary.events * f64::from(record.summary.replications);
            }
            let name = format!("{}{}", self.shelf(), task.key);
            store::put(name, answer, ctx.link().callback(|()| Msg::Full));
        } else {
            self.notice = format!("A point is left out. {}", problems(&answer));
        }
        if self.pool.as_ref().is_some_and(|p| !p.is_busy()) {
            self.stop();
            recall_list(ctx.link());
        }
        if self.drawing.is_none() {
            let link = ctx.link().clone();
            self.drawing = Some(Timeout::new(250, move || link.send_message(Msg::Draw)));
        }
        false
    }

    fn done(&self) -> usize {
        self.points.iter().filter(|p| self.records.contains_key(&p.key)).count()
    }

    fn draw(&mut self) {
        if self.records.is_empty() {
            self.report = None;
            return;
        }
        let measured = self.points.iter().filter_map(|p| Some((p.clone(), self.records.get(&p.key)?.clone())));
        let measured: Vec<(GridPoint, Record)> = measured.collect();
        if let Some(own) = &self.own {
            self.report = Some(Rc::new(StudyReport { charts: own_charts(own, &measured), claims: Vec::new() }));
            return;
        }
        let data = Data {
            settings: self.settings.clone(),
            measured,
            proofs: self.proofs.iter().filter_map(|(q, p)| Some((q.clone(), p.clone()?))).collect(),
            observed: self.observed.clone().unwrap_or_default(),
        };
        self.report = Some(Rc::new(self.study.report(&data)));
    }

    /// The point whose mean stands at this height of a chart.
    fn run_at(&self, y: f64) -> Option<&GridPoint> {
        let is = |r: &Record| r.summary.messages_per_entry.mean == y || r.summary.waiting.mean == y;
        self.points.iter().find(|p| self.records.get(&p.key).is_some_and(is))
    }
}

/// Asks the browser what it keeps.
fn recall_list(link: &html::Scope<Lab>) {
    store::all(lockstep_lab::VERSION.into(), link.callback(|texts| Msg::Kept(shelf::all(texts))));
}
