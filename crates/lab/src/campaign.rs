//! A campaign: a paper's study or an experiment of one's own, and what has been measured for it.
//!
//! Page and command line run campaigns alike: [`Campaign::tasks`] is what is still to be computed,
//! [`Campaign::accept`] takes a result, [`Campaign::report`] makes charts and verdicts of all
//! results.

use crate::study::{self, Data, Proof, Settings, Study, StudyReport, StudySize, prove};
use crate::{
    Answer, Experiment, GridPoint, Header, Pilots, Record, RecordStore, StudyPart, Task, VERSION, own_charts, pilots,
};
use lockstep_kernel::Entry;
use std::collections::{BTreeMap, BTreeSet};

/// What a campaign runs.
#[derive(Clone)]
pub enum CampaignSource {
    /// A paper's study with its settings.
    Study(&'static Study, Settings),
    /// An experiment of one's own.
    Own(Box<Experiment>),
}

/// A study or an experiment of one's own, with its results.
#[derive(Clone)]
pub struct Campaign {
    source: CampaignSource,
    points: Vec<GridPoint>,
    /// The points of each key: the first, and how many.
    places: BTreeMap<String, (usize, usize)>,
    /// How many points are measured.
    done: usize,
    store: RecordStore,
    observed: Option<BTreeMap<String, f64>>,
    /// By question; none where a system is too large to explore.
    proofs: BTreeMap<String, Option<Proof>>,
    /// Tasks that have no result, by their keys, and why.
    left_out: BTreeMap<String, String>,
}

/// How fast a campaign is running.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Pace {
    /// Seconds since it was started.
    pub seconds: f64,
    /// Points that have been measured since.
    pub points: usize,
    /// Events that have been simulated since.
    pub events: f64,
    /// Workers.
    pub workers: usize,
}

impl Campaign {
    /// A campaign without results, or every problem of its points.
    pub fn new(source: CampaignSource) -> Result<Self, Vec<String>> {
        let points = match &source {
            CampaignSource::Study(study, settings) => study.points(settings),
            CampaignSource::Own(own) => own.points(),
        }?;
        Ok(Campaign::of_points(source, points))
    }

    /// A campaign without results, whose points were built already.
    pub fn of_points(source: CampaignSource, points: Vec<GridPoint>) -> Self {
        let store = RecordStore::new(source.header());
        let mut places: BTreeMap<String, (usize, usize)> = BTreeMap::new();
        for (place, point) in points.iter().enumerate() {
            places.entry(point.key.clone()).or_insert((place, 0)).1 += 1;
        }
        let (done, observed, proofs, left_out) = (0, None, BTreeMap::new(), BTreeMap::new());
        Campaign { source, points, places, done, store, observed, proofs, left_out }
    }

    /// The study that stored results belong to. Those of an experiment of one's own need its file.
    pub fn of_header(header: &Header) -> Result<Self, Vec<String>> {
        if header.size == "own" {
            return Err(vec![format!(
                "These are results of the experiment `{}`; expected `lockstep study FILE --merge …` with its file.",
                header.study
            )]);
        }
        let study = study::find(&header.study).map_err(|why| vec![why])?;
        let settings = study.settings(StudySize::named(&header.size), header.seed, &header.switches)?;
        Campaign::new(CampaignSource::Study(study, settings))
    }

    /// What it runs.
    pub fn source(&self) -> &CampaignSource {
        &self.source
    }

    /// All points, in order.
    pub fn points(&self) -> &[GridPoint] {
        &self.points
    }

    /// The point of a record.
    pub fn point(&self, key: &str) -> Option<&GridPoint> {
        self.places.get(key).map(|(first, _)| &self.points[*first])
    }

    /// What its results are filed under.
    pub fn header(&self) -> &Header {
        &self.store.header
    }

    /// The records and the file that holds them.
    pub fn store(&self) -> &RecordStore {
        &self.store
    }

    /// Takes the records of a file of the same campaign.
    pub fn merge(&mut self, other: RecordStore) -> Result<(), String> {
        let merged = self.store.merge(other);
        let measured = self.places.iter().filter(|(key, _)| self.store.records.contains_key(*key));
        self.done = measured.map(|(_, (_, points))| points).sum();
        merged
    }

    /// Points that are measured, with their records, in order.
    pub fn measured(&self) -> impl Iterator<Item = (&GridPoint, &Record)> {
        self.points.iter().filter_map(|p| Some((p, self.store.records.get(&p.key)?)))
    }

    /// How many points are measured.
    pub fn done(&self) -> usize {
        self.done
    }

    /// The points that are not measured, each job once.
    pub fn missing(&self) -> Vec<&GridPoint> {
        let mut seen = BTreeSet::new();
        let missing = self.store.missing(&self.points);
        missing.into_iter().filter(|p| seen.insert(p.key.as_str())).collect()
    }

    /// The points of a shard: every n-th from the i-th on, for `i/n`.
    pub fn shard(&self, shard: &str) -> Result<Vec<GridPoint>, String> {
        let wrong = || format!("shard: `{}` is not allowed; expected 1/4 to 4/4.", shard.escape_default());
        let (i, n) = shard.split_once('/').ok_or_else(wrong)?;
        let (i, n): (usize, usize) = i.parse().ok().zip(n.parse().ok()).ok_or_else(wrong)?;
        if i == 0 || i > n {
            return Err(wrong());
        }
        Ok(self.points.iter().skip(i - 1).step_by(n).cloned().collect())
    }

    /// What has to be tried to estimate the cost of the missing points, counted as the progress
    /// counts them: points that share a job are several.
    pub fn pilots(&self) -> Pilots {
        pilots(&self.store.missing(&self.points))
    }

    /// What a study needs beside its points: single runs to watch, questions to explore.
    pub fn side_tasks(&self) -> Vec<Task> {
        let CampaignSource::Study(study, settings) = &self.source else { return Vec::new() };
        let part = |question: &str| StudyPart {
            study: study.id.into(),
            settings: settings.clone(),
            question: question.into(),
        };
        let observe = self.observed.is_none().then(|| Task::Observe(part("")));
        let questions = (study.questions)(settings);
        let open = questions.iter().filter(|q| !self.proofs.contains_key(q.id));
        observe.into_iter().chain(open.map(|q| Task::Prove(part(q.id)))).collect()
    }

    /// Everything that is still to be computed.
    pub fn tasks(&self) -> Vec<Task> {
        let jobs = self.missing().into_iter().map(|p| Task::Job(Box::new(p.job.clone())));
        jobs.chain(self.side_tasks()).collect()
    }

    /// Whether there is nothing left to compute.
    pub fn is_complete(&self) -> bool {
        self.done == self.points.len() && self.side_tasks().is_empty()
    }

    /// Takes a worker's answer to one of the [`Campaign::tasks`]: the text to store under the
    /// task's key, or problems.
    pub fn accept(&mut self, task: &Task, answer: Answer) -> Result<String, Vec<String>> {
        let text = |value: serde_json::Result<String>| value.unwrap_or_default();
        self.left_out.remove(&task.key());
        match (task, answer) {
            (Task::Job(_), Answer::Record(record)) => {
                let line = text(serde_json::to_string(&record));
                self.add(*record);
                Ok(line)
            }
            (Task::Observe(_), Answer::Observations(seen)) => {
                let line = text(serde_json::to_string(&seen));
                self.observed = Some(seen);
                Ok(line)
            }
            (Task::Prove(part), Answer::Proof(proof)) => {
                let line = text(serde_json::to_string(&proof));
                self.proofs.insert(part.question.clone(), proof);
                Ok(line)
            }
            (_, Answer::Problems(problems)) => Err(problems),
            (_, other) => Err(vec![format!("This is not the answer to that task: {}", other.text())]),
        }
    }

    /// A task has no result, for this reason.
    pub fn leave_out(&mut self, task: &Task, why: String) {
        self.left_out.insert(task.key(), why);
    }

    /// What its charts and verdicts are not computed from: nothing once it is complete.
    pub fn gaps(&self) -> Option<String> {
        let (done, all, systems) = (self.done(), self.points.len(), self.side_tasks().len());
        let plural = |n: usize, one: &str, many: &str| if n == 1 { format!("1 {one}") } else { format!("{n} {many}") };
        let mut gaps = Vec::new();
        if done < all {
            gaps.push(format!("only {done} of {all} points are measured"));
        }
        if systems > 0 {
            gaps.push(format!("{} not explored yet", plural(systems, "small system is", "small systems are")));
        }
        let why = self
            .left_out
            .values()
            .next()
            .map(|why| format!(" {} left out: {why}", plural(self.left_out.len(), "task was", "tasks were")));
        (!gaps.is_empty()).then(|| format!("Preliminary: {}.{}", gaps.join(", and "), why.unwrap_or_default()))
    }

    /// Takes a result that was stored under a key; whether it is one.
    pub fn recall(&mut self, key: &str, text: &str) -> bool {
        if key == "observe" {
            self.observed = serde_json::from_str(text).ok();
            return self.observed.is_some();
        }
        if let Some(question) = key.strip_prefix("prove ") {
            let proof = serde_json::from_str(text).ok();
            return proof.map(|proof| self.proofs.insert(question.into(), proof)).is_some();
        }
        serde_json::from_str(text).map(|record| self.add(record)).is_ok()
    }

    /// Adds the record of a point.
    pub fn add(&mut self, record: Record) {
        if !self.store.records.contains_key(&record.key) {
            self.done += self.places.get(&record.key).map_or(0, |(_, points)| *points);
        }
        self.store.add(record);
    }

    /// Forgets all results.
    pub fn clear(&mut self) {
        self.store.records.clear();
        self.done = 0;
        self.observed = None;
        self.proofs.clear();
        self.left_out.clear();
    }

    /// Does the [`Campaign::side_tasks`] here and now.
    pub fn settle(&mut self, find: impl Fn(&str) -> Result<&'static Entry, String>) {
        let CampaignSource::Study(study, settings) = &self.source else { return };
        self.observed.get_or_insert_with(|| (study.observe)(settings));
        for question in (study.questions)(settings) {
            let explored = || {
                find(question.spec.algorithm.as_deref().unwrap_or_default())
                    .ok()
                    .and_then(|entry| prove(&question, entry))
            };
            self.proofs.entry(question.id.into()).or_insert_with(explored);
        }
    }

    /// Charts and verdicts of what is there.
    pub fn report(&self) -> StudyReport {
        match &self.source {
            CampaignSource::Own(own) => {
                let measured: Vec<_> = self.measured().collect();
                StudyReport { charts: own_charts(own, &measured), tables: study::waits(&measured), claims: Vec::new() }
            }
            CampaignSource::Study(study, settings) => study.report(&Data {
                settings: settings.clone(),
                measured: self.measured().map(|(p, r)| (p.clone(), r.clone())).collect(),
                proofs: self.proofs.iter().filter_map(|(q, p)| Some((q.clone(), p.clone()?))).collect(),
                observed: self.observed.clone().unwrap_or_default(),
            }),
        }
    }

    /// How far it has come; with its pace while it runs.
    pub fn progress(&self, pace: Option<Pace>) -> String {
        let (done, all) = (self.done(), self.points.len());
        let Some(pace) = pace else { return format!("{done} of {all} points") };
        let left = self.side_tasks().len();
        if done == all && left > 0 {
            let systems = if left == 1 { "1 small system".into() } else { format!("{left} small systems") };
            return format!("{done} of {all} points; for the claims, {systems} left to explore");
        }
        if pace.points == 0 {
            return format!("{done} of {all} points");
        }
        let seconds = pace.seconds.max(0.001);
        let to_go = seconds / pace.points as f64 * (all - done) as f64;
        let workers = if pace.workers == 1 { "1 worker".into() } else { format!("{} workers", pace.workers) };
        format!(
            "{done} of {all} points, {:.1} million events per second on {workers}, about {to_go:.0} s left",
            pace.events / seconds / 1e6
        )
    }
}

impl CampaignSource {
    /// What its results are filed under.
    pub fn header(&self) -> Header {
        match self {
            CampaignSource::Study(study, settings) => study.header(settings),
            CampaignSource::Own(own) => Header {
                version: VERSION.into(),
                study: own.name.clone(),
                size: "own".into(),
                seed: own.base.number("seed") as u64,
                switches: BTreeMap::new(),
            },
        }
    }

    /// Its name for people.
    pub fn title(&self) -> &str {
        match self {
            CampaignSource::Study(study, _) => study.title,
            CampaignSource::Own(own) if own.title.is_empty() => &own.name,
            CampaignSource::Own(own) => &own.title,
        }
    }

    /// The experiment of one's own, if it is one.
    pub fn own(&self) -> Option<&Experiment> {
        match self {
            CampaignSource::Study(..) => None,
            CampaignSource::Own(own) => Some(own),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record;

    fn campaign(id: &str) -> Campaign {
        let study = study::find(id).unwrap();
        let settings = study.settings(StudySize::Tiny, 1, &BTreeMap::new()).unwrap();
        Campaign::new(CampaignSource::Study(study, settings)).unwrap()
    }

    #[test]
    fn the_cost_counts_the_points_that_the_progress_counts() {
        let settings = study::find("alien").unwrap().settings(StudySize::Quick, 1, &BTreeMap::new()).unwrap();
        let campaign = Campaign::new(CampaignSource::Study(study::find("alien").unwrap(), settings)).unwrap();
        assert!(campaign.missing().len() < campaign.points().len(), "some points share a job");
        let cost = campaign.pilots().cost(lockstep_algorithms::find);
        assert_eq!(cost.points, campaign.points().len());
    }

    #[test]
    fn every_point_of_a_result_counts_and_no_result_counts_twice() {
        let settings = study::find("alien").unwrap().settings(StudySize::Quick, 1, &BTreeMap::new()).unwrap();
        let empty = Campaign::new(CampaignSource::Study(study::find("alien").unwrap(), settings)).unwrap();
        let made = record(&crate::Job::default().with(|s| s.algorithm("raymond").entries(10))).unwrap();
        let (mut first, mut second) = (empty.clone(), empty.clone());
        first.add(made.clone());
        assert_eq!(first.done(), 0, "it belongs to no point");
        for (i, point) in empty.points().iter().enumerate() {
            let of_point = Record { key: point.key.clone(), ..made.clone() };
            if i % 2 == 0 { &mut first } else { &mut second }.add(of_point);
            assert_eq!((first.done(), second.done()), (first.measured().count(), second.measured().count()));
            assert_eq!(first.point(&point.key).map(|p| &p.key), Some(&point.key));
        }
        first.merge(second.store().clone()).unwrap();
        assert_eq!(first.done(), empty.points().len());
        first.clear();
        assert_eq!(first.done(), 0);
    }

    #[test]
    fn tasks_become_results_and_results_are_recalled() {
        let (mut first, mut second) = (campaign("wait-free"), campaign("wait-free"));
        let tasks = first.tasks();
        assert_eq!(tasks.len(), first.points().len() + 1 + 6, "points, runs to watch, questions");
        for task in &tasks {
            let answer = match task {
                Task::Job(job) => Answer::from(record(job)),
                Task::Observe(part) => part.observe(),
                Task::Prove(part) => {
                    let asked = part.asked().unwrap().unwrap();
                    Answer::Proof(prove(
                        &asked,
                        lockstep_algorithms::find(asked.spec.algorithm.as_deref().unwrap_or_default()).unwrap(),
                    ))
                }
                other => panic!("{other:?}"),
            };
            let text = first.accept(task, answer).unwrap();
            assert!(second.recall(&task.key(), &text));
        }
        assert!(first.is_complete() && second.is_complete() && first.tasks().is_empty());
        assert_eq!(first.report(), second.report());
        assert_eq!(first.progress(None), format!("{0} of {0} points", first.points().len()));
        // the command line does the same in one go
        let mut native = campaign("wait-free");
        first.store().records.values().for_each(|r| native.add(r.clone()));
        native.settle(lockstep_algorithms::find);
        assert_eq!(native.report(), first.report());
        first.clear();
        assert_eq!((first.done(), first.tasks().len()), (0, tasks.len()));
    }

    #[test]
    fn a_point_of_a_chart_names_its_record() {
        let mut campaign = campaign("notes");
        let records: Vec<Record> = campaign.missing().iter().map(|p| record(&p.job).unwrap()).collect();
        records.into_iter().for_each(|r| campaign.add(r));
        let report = campaign.report();
        let series = report.charts.iter().flat_map(|c| &c.panels).flat_map(|p| &p.series);
        let (measured, others): (Vec<_>, Vec<_>) = series.partition(|s| s.source == lockstep_chart::Source::Measured);
        let keys = measured.iter().flat_map(|s| &s.points).map(|p| p.key.as_deref().expect("a record's key"));
        assert!(keys.into_iter().all(|key| campaign.point(key).is_some()));
        assert!(others.iter().flat_map(|s| &s.points).all(|p| p.key.is_none()));
    }

    #[test]
    fn a_wrong_answer_is_not_accepted() {
        let mut campaign = campaign("notes");
        let task = campaign.tasks().remove(0);
        assert!(campaign.accept(&task, Answer::Proof(None)).is_err());
        assert_eq!(campaign.accept(&task, Answer::Problems(vec!["no".into()])), Err(vec!["no".into()]));
        assert_eq!(campaign.done(), 0);
    }

    #[test]
    fn what_verdicts_are_not_computed_from_is_said() {
        let mut campaign = campaign("wait-free");
        let (all, tasks) = (campaign.points().len(), campaign.tasks());
        campaign.settle(lockstep_algorithms::find);
        assert_eq!(campaign.gaps().unwrap(), format!("Preliminary: only 0 of {all} points are measured."));
        for task in &tasks[1..all] {
            let Task::Job(job) = task else { panic!("{task:?}") };
            campaign.accept(task, Answer::from(record(job))).unwrap();
        }
        campaign.leave_out(&tasks[0], "Three workers died over it.".into());
        assert_eq!(
            campaign.gaps().unwrap(),
            format!(
                "Preliminary: only {} of {all} points are measured. 1 task was left out: Three workers died over it.",
                all - 1
            )
        );
        let Task::Job(job) = &tasks[0] else { panic!() };
        campaign.accept(&tasks[0], Answer::from(record(job))).unwrap();
        assert_eq!(campaign.gaps(), None);
        let mut unexplored = self::campaign("wait-free");
        campaign.store().records.values().for_each(|r| unexplored.add(r.clone()));
        assert_eq!(unexplored.gaps().unwrap(), "Preliminary: 7 small systems are not explored yet.");
    }

    #[test]
    fn progress_says_how_long_it_takes() {
        let mut campaign = campaign("notes");
        let all = campaign.points().len();
        let first = record(&campaign.points()[0].job).unwrap();
        campaign.add(first);
        let pace = Pace { seconds: 2.0, points: 1, events: 4e6, workers: 1 };
        let words =
            format!("1 of {all} points, 2.0 million events per second on 1 worker, about {} s left", 2 * (all - 1));
        assert_eq!(campaign.progress(Some(pace)), words);
        assert_eq!(campaign.progress(Some(Pace { points: 0, ..pace })), format!("1 of {all} points"));
    }
}
