//! The lab: the texts' studies, run by workers while the charts grow; their claims, put to the test.

mod chart;
mod claims;
mod pool;

use crate::browser::worker::{Said, how_many, now};
use crate::browser::{files, store};
use crate::icons;
use crate::state::{Action, Place};
use chart::ChartView;
use claims::Claims;
use gloo_timers::callback::{Interval, Timeout};
use lockstep_chart::page_style;
use lockstep_lab::study::{self, Data, Proof, Report, Settings, Size, Study};
use lockstep_lab::{Point, Record, Stock, cost};
use pool::{Pool, Task};
use std::collections::BTreeMap;
use std::rc::Rc;
use yew::prelude::*;

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
    /// How much to run.
    Size(Size),
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
    /// Look after the workers.
    Watch,
    /// Draw what has come in.
    Draw,
    /// Results of earlier days.
    Recalled(String, Vec<(String, String)>),
    /// What is kept in the browser.
    Kept(Vec<(String, usize)>),
    /// Forget results.
    Forget(String),
    /// The browser has no room.
    Full,
    /// Save all records.
    SaveRecords,
    /// Replay a run of the point at x and y.
    Replay(f64, f64),
}

/// The lab.
pub struct Lab {
    study: &'static Study,
    settings: Settings,
    points: Rc<Vec<Point>>,
    records: BTreeMap<String, Record>,
    observed: Option<BTreeMap<String, f64>>,
    report: Option<Rc<Report>>,
    pool: Option<Pool>,
    running: bool,
    started: f64,
    before: usize,
    events: f64,
    drawing: Option<Timeout>,
    watching: Option<Interval>,
    kept: Vec<(String, usize)>,
    notice: String,
}

/// The name under which the records of a study are kept.
fn shelf(study: &Study, settings: &Settings) -> String {
    let switches: Vec<String> = settings.switches.iter().map(|(n, v)| format!("{n}={v}")).collect();
    format!("{}|{}|{}|{}|{}|", lockstep_lab::VERSION, study.id, settings.size.name(), settings.seed, switches.join(","))
}

fn settings(study: &Study, size: Size, switches: &BTreeMap<String, String>) -> Settings {
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
            settings: settings(study, Size::Quick, &BTreeMap::new()),
            points: Rc::default(),
            records: BTreeMap::new(),
            observed: None,
            report: None,
            pool: None,
            running: false,
            started: 0.0,
            before: 0,
            events: 0.0,
            drawing: None,
            watching: None,
            kept: Vec::new(),
            notice: String::new(),
        };
        lab.open(ctx);
        lab
    }

    fn changed(&mut self, ctx: &Context<Self>, old: &LabProps) -> bool {
        let wanted = &ctx.props().wanted;
        if ctx.props().here && *wanted != old.wanted && !wanted.is_empty() {
            match study::find(wanted) {
                Ok(study) if study.id != self.study.id => ctx.link().send_message(Msg::Choose(study)),
                Ok(_) => {}
                Err(why) => self.notice = why,
            }
        }
        true
    }

    fn update(&mut self, ctx: &Context<Self>, msg: Msg) -> bool {
        match msg {
            Msg::Choose(study) => {
                self.study = study;
                self.settings = settings(study, self.settings.size, &self.settings.switches);
                ctx.props().act.emit(Action::Visit(Place::Lab, study.id.into()));
                self.open(ctx);
            }
            Msg::Size(size) => {
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
                self.running = false;
                self.pool = None;
                self.watching = None;
                self.draw();
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
            Msg::Recalled(shelf_name, texts) => {
                if shelf_name != shelf(self.study, &self.settings) {
                    return false; // the reader was quicker
                }
                let known = texts.iter().filter_map(|(_, text)| serde_json::from_str::<Record>(text).ok());
                self.records.extend(known.map(|r| (r.key.clone(), r)));
                self.draw();
            }
            Msg::Kept(kept) => self.kept = kept,
            Msg::Forget(name) => {
                if name == shelf(self.study, &self.settings) {
                    self.records.clear();
                    self.report = None;
                }
                let link = ctx.link().clone();
                store::forget(name, Callback::from(move |()| recall_list(&link)));
            }
            Msg::Full => self.notice = "The browser has no room for more results: they last as long as this page. Forget old ones, or save them as a file.".into(),
            Msg::SaveRecords => {
                let mut stock = Stock::new(self.study.header(&self.settings));
                self.records.values().for_each(|r| stock.add(r.clone()));
                files::save(&format!("lockstep-{}.jsonl", self.study.id), "application/jsonl", &stock.text(&self.points));
            }
            Msg::Replay(x, y) => match self.run_at(y) {
                Some(point) => ctx.props().act.emit(Action::Replay(Box::new(point.job.clone()))),
                None => self.notice = format!("The point at {x} is not the mean of one experiment, so there is no run to replay."),
            },
        }
        true
    }

    fn view(&self, ctx: &Context<Self>) -> Html {
        let link = ctx.link();
        let studies = study::ALL.iter().map(|study| {
            let current = (study.id == self.study.id).then_some("true");
            html! {
                <li key={study.id}><button type="button" class="study" aria-current={current} onclick={link.callback(move |_| Msg::Choose(study))}>
                    { study.title }
                </button></li>
            }
        });
        let sizes = [(Size::Quick, "quick"), (Size::Full, "full size")].map(|(size, name)| {
            let on = self.settings.size == size;
            html! { <button key={name} type="button" class="chip" aria-pressed={on.to_string()} onclick={link.callback(move |_| Msg::Size(size))}>{ name }</button> }
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
        let origin = serde_json::to_string(&self.study.header(&self.settings)).unwrap_or_default();
        let charts = self.report.iter().flat_map(|r| r.charts.iter()).map(|chart| {
            let replay = link.callback(|(x, y)| Msg::Replay(x, y));
            html! { <ChartView key={chart.id.clone()} chart={Rc::new(chart.clone())} origin={origin.clone()} {replay} /> }
        });
        let claims = self.report.as_ref().map_or(Vec::new(), |r| r.claims.clone());
        let nothing = self.records.is_empty();
        html! {
            <main class="lab">
                <style>{ page_style() }</style>
                <nav class="lab-rail" aria-label="Studies">
                    <h1>{ "Lab" }</h1>
                    <ul>{ for studies }</ul>
                    { self.shelves(ctx) }
                </nav>
                <div class="lab-main">
                    <header class="lab-head">
                        <h2>{ self.study.title }</h2>
                        <p class="source">{ self.study.source }</p>
                        <p>{ self.study.about }</p>
                        <details class="assumed" hidden={self.study.notes.is_empty()}>
                            <summary>{ "What is assumed" }</summary>
                            <ul>{ for self.study.notes.iter().enumerate().map(|(i, note)| html! { <li key={i}>{ *note }</li> }) }</ul>
                        </details>
                        <div class="switches">{ for switches }</div>
                    </header>
                    <section class="lab-run" aria-label="Run">
                        <div class="choice" role="group" aria-label="Size">{ for sizes }</div>
                        { self.buttons(ctx) }
                        { self.progress() }
                    </section>
                    <p class="notice" role="status" hidden={self.notice.is_empty()}>{ &self.notice }</p>
                    <p class="empty" hidden={!nothing || self.running}>
                        { format!("Nothing has been run yet. {}", cost(&self.points).sentence(how_many())) }
                    </p>
                    <div class="charts">{ for charts }</div>
                    <Claims {claims} />
                </div>
            </main>
        }
    }
}

impl Lab {
    fn open(&mut self, ctx: &Context<Self>) {
        self.pool = None;
        self.watching = None;
        self.running = false;
        self.records.clear();
        self.observed = None;
        self.report = None;
        self.notice.clear();
        match self.study.points(&self.settings) {
            Ok(points) => self.points = Rc::new(points),
            Err(problems) => self.notice = problems.join(" "),
        }
        let name = shelf(self.study, &self.settings);
        let asked = name.clone();
        store::all(name, ctx.link().callback(move |texts| Msg::Recalled(asked.clone(), texts)));
        recall_list(ctx.link());
    }

    fn run(&mut self, ctx: &Context<Self>) {
        self.notice.clear();
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
            .map(|p| Task {
                what: "job",
                key: p.key.clone(),
                contents: serde_json::to_string(&p.job).unwrap_or_default(),
                losses: 0,
            })
            .collect();
        if self.observed.is_none() {
            let contents = serde_json::json!({ "study": self.study.id, "settings": self.settings }).to_string();
            tasks.push(Task { what: "observe", key: "observe".into(), contents, losses: 0 });
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
        match task.what {
            "observe" => self.observed = serde_json::from_str(&answer).ok(),
            _ => match serde_json::from_str::<Record>(&answer) {
                Ok(record) => {
                    self.events += record.summary.events * f64::from(record.summary.replications);
                    let name = format!("{}{}", shelf(self.study, &self.settings), record.key);
                    store::put(name, answer, ctx.link().callback(|()| Msg::Full));
                    self.records.insert(record.key.clone(), record);
                }
                Err(_) => self.notice = format!("A point could not be run: {answer}"),
            },
        }
        if self.pool.as_ref().is_some_and(|p| !p.is_busy()) {
            self.running = false;
            self.pool = None;
            self.watching = None;
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
        let data = Data {
            settings: self.settings.clone(),
            measured: measured.collect(),
            proofs: BTreeMap::<String, Proof>::new(),
            observed: self.observed.clone().unwrap_or_default(),
        };
        self.report = Some(Rc::new(self.study.report(&data)));
    }

    /// The point whose mean stands at this height of a chart.
    fn run_at(&self, y: f64) -> Option<&Point> {
        let is = |r: &Record| r.summary.messages_per_entry.mean == y || r.summary.waiting.mean == y;
        self.points.iter().find(|p| self.records.get(&p.key).is_some_and(is))
    }

    fn buttons(&self, ctx: &Context<Self>) -> Html {
        let link = ctx.link();
        let (done, all) = (self.done(), self.points.len());
        let paused = self.pool.is_some() && !self.running;
        let run = if paused {
            "Resume"
        } else if done == 0 {
            "Run"
        } else {
            "Go on"
        };
        html! {
            <div class="lab-buttons">
                <button type="button" class="primary" hidden={self.running || done == all} onclick={link.callback(|_| Msg::Run)}>{ run }</button>
                <button type="button" class="button" hidden={!self.running} onclick={link.callback(|_| Msg::Pause)}>{ "Pause" }</button>
                <button type="button" class="button" hidden={self.pool.is_none()} onclick={link.callback(|_| Msg::Cancel)}>{ "Cancel" }</button>
                <button type="button" class="button" hidden={done == 0} onclick={link.callback(|_| Msg::SaveRecords)}>{ "Save records" }</button>
            </div>
        }
    }

    fn progress(&self) -> Html {
        let (done, all) = (self.done(), self.points.len());
        let seconds = ((now() - self.started) / 1000.0).max(0.001);
        let fresh = done.saturating_sub(self.before);
        let text = if self.running && fresh > 0 {
            let left = seconds / fresh as f64 * (all - done) as f64;
            let workers = self.pool.as_ref().map_or(0, Pool::size);
            format!(
                "{done} of {all} points, {:.1} million events a second on {workers} {}, about {left:.0} s left",
                self.events / seconds / 1e6,
                if workers == 1 { "worker" } else { "workers" }
            )
        } else {
            format!("{done} of {all} points")
        };
        html! {
            <div class="lab-progress">
                <progress max={all.to_string()} value={done.to_string()} aria-label="Points done"></progress>
                <span>{ text }</span>
            </div>
        }
    }

    /// What is kept in this browser.
    fn shelves(&self, ctx: &Context<Self>) -> Html {
        let item = |(name, count): &(String, usize)| {
            let parts: Vec<&str> = name.split('|').collect();
            let (study, size) = (parts.get(1).copied().unwrap_or(""), parts.get(2).copied().unwrap_or(""));
            let opened = study::find(study).ok();
            let size = if size == "full" { Size::Full } else { Size::Quick };
            let link = ctx.link();
            let open = link.batch_callback(move |_: MouseEvent| match opened {
                Some(study) => vec![Msg::Size(size), Msg::Choose(study)],
                None => Vec::new(),
            });
            let forgotten = name.clone();
            let forget = link.callback(move |_: MouseEvent| Msg::Forget(forgotten.clone()));
            html! {
                <li key={name.clone()}>
                    <button type="button" onclick={open}>{ format!("{study}, {}", size.name()) }<small>{ format!("{count} points") }</small></button>
                    <button type="button" class="forget" aria-label={format!("Forget {study}, {}", size.name())} onclick={forget}>{ icons::icon(icons::CROSS) }</button>
                </li>
            }
        };
        html! {
            <section class="shelves-kept" hidden={self.kept.is_empty()}>
                <h2>{ "Kept in this browser" }</h2>
                <ul>{ for self.kept.iter().map(item) }</ul>
            </section>
        }
    }
}

/// Asks the browser what it keeps.
fn recall_list(link: &html::Scope<Lab>) {
    let link = link.clone();
    let count = move |texts: Vec<(String, String)>| {
        let mut shelves = BTreeMap::<String, usize>::new();
        for (name, _) in texts {
            if let Some((shelf, _)) = name.rsplit_once('|') {
                *shelves.entry(format!("{shelf}|")).or_default() += 1;
            }
        }
        link.send_message(Msg::Kept(shelves.into_iter().collect()));
    };
    store::all(lockstep_lab::VERSION.into(), Callback::from(count));
}
