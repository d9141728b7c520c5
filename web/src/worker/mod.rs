//! What a worker does: it is the page's own program, started by `worker.js` where there is nothing
//! to show. A worker gets a [`Task`] and sends [`Answer`]s, both as JSON. The code that does tasks
//! is fetched with the first of them, and the engines of a paper's algorithms with the first task
//! that needs one.

pub mod pool;

use crate::browser::scope::{SentFiles, after_others, answer, now};
use crate::split::{self, SplitLoaderError};
use lockstep_algorithms::{PaperGroup, papers, seat};
use lockstep_check::{Check, CheckRun, CheckSlice, WorstCaseSearch, WorstCaseSlice, prepare_with, worst_of};
use lockstep_judge::{JudgeDesk, task::JudgeTask};
use lockstep_kernel::{Entry, explore::RequestMeasure};
use lockstep_lab::{Answer, FETCHING, Job, Pilots, StudyPart, Task, UNAVAILABLE, WORKING, study};
use lockstep_trace::LogInput;
use std::cell::{Cell, RefCell};
use std::collections::BTreeMap;
use std::pin::Pin;

/// Does a task. Where a part of the program cannot be fetched, the page gives the task to another
/// worker.
pub async fn work(id: f64, task: String, files: SentFiles) {
    if perform(id, task, files).await.is_err() {
        answer(id, UNAVAILABLE);
    }
}

async fn perform(id: f64, task: String, files: SentFiles) -> Result<(), SplitLoaderError> {
    if task.starts_with(JUDGE) {
        return fetched(id, split::judging()).await?(id, task, files).await;
    }
    let workshop = fetched(id, split::workshop()).await?;
    workshop(id, task).await
}

/// How the text of a [`Task::Judge`] begins: its code is apart from that of other tasks.
const JUDGE: &str = "{\"judge\":";

/// What a worker does with a task about logs, and the files that come with it.
pub type Judging = Result<fn(f64, String, SentFiles) -> Working, SplitLoaderError>;

/// See [`split::judging`].
pub fn judging() -> Judging {
    Ok(|id, task, files| {
        Box::pin(async move {
            let files = files.read().await;
            let files = files.into_iter().map(|(name, bytes)| LogInput::new(name, bytes)).collect();
            match Task::read(&task) {
                Ok(Task::Judge(task)) => match JudgeTask::read(&task) {
                    Ok(task) => {
                        let answer = DESK.with_borrow_mut(|desk| desk.perform(task, files));
                        say(id, Answer::Judged(answer.text()))
                    }
                    Err(why) => say(id, Answer::Problems(vec![why])),
                },
                Ok(_) => Ok(()),
                Err(problems) => say(id, Answer::Problems(problems)),
            }
        })
    })
}

/// Says that a task waits for something to be fetched, until it is there.
async fn fetched<T>(id: f64, part: impl Future<Output = T>) -> T {
    answer(id, FETCHING);
    let part = part.await;
    answer(id, WORKING);
    part
}

/// A task that is being done.
pub type Working = Pin<Box<dyn Future<Output = Result<(), SplitLoaderError>>>>;
/// What a worker does with the text of a task.
pub type Workshop = Result<fn(f64, String) -> Working, SplitLoaderError>;

/// See [`split::workshop`].
pub fn workshop() -> Workshop {
    Ok(|id, task| Box::pin(dispatch(id, task)))
}

async fn dispatch(id: f64, text: String) -> Result<(), SplitLoaderError> {
    let task = match Task::read(&text) {
        Ok(task) => task,
        Err(problems) => return say(id, Answer::Problems(problems)),
    };
    match task {
        Task::Job(task) => say(id, job(id, &task).await?),
        Task::Cost(pilots) => say(id, cost(id, &pilots).await?),
        Task::Observe(_) | Task::Prove(_) => fetched(id, split::studies()).await?(id, text).await,
        Task::Check(check) => begin(id, &check, None).await,
        Task::Worst { check, measure } => begin(id, &check, Some(measure)).await,
        Task::Widen(states, megabytes) => {
            SEARCH.with_borrow_mut(|search| search.iter_mut().for_each(|search| search.widen(states, megabytes)));
            explore(id);
            Ok(())
        }
        Task::Judge(_) => Ok(()), // not done here: see `perform`
        Task::Stop => {
            TURN.set(TURN.get() + 1);
            Ok(())
        }
    }
}

/// Sends an answer.
fn say(id: f64, said: Answer) -> Result<(), SplitLoaderError> {
    answer(id, &said.text());
    Ok(())
}

/// See [`split::studies`].
pub fn studies() -> Workshop {
    Ok(|id, task| {
        Box::pin(async move {
            match Task::read(&task) {
                Ok(Task::Observe(part)) => say(id, part.observe()),
                Ok(Task::Prove(part)) => say(id, prove(id, &part).await?),
                _ => Ok(()),
            }
        })
    })
}

/// The algorithms of one paper, with their engines.
pub type Algorithms = Result<&'static [Entry], SplitLoaderError>;

/// See [`split::alien_threads`].
pub fn alien_threads() -> Algorithms {
    Ok(papers::ALIEN_THREADS)
}
/// See [`split::lecture_notes`].
pub fn lecture_notes() -> Algorithms {
    Ok(papers::LECTURE_NOTES)
}
/// See [`split::hierarchical`].
pub fn hierarchical() -> Algorithms {
    Ok(papers::HIERARCHICAL)
}
/// See [`split::ranged_locks`].
pub fn ranged_locks() -> Algorithms {
    Ok(papers::RANGED_LOCKS)
}
/// See [`split::wait_free`].
pub fn wait_free() -> Algorithms {
    Ok(papers::WAIT_FREE)
}
/// See [`split::beyond`].
pub fn beyond() -> Algorithms {
    Ok(papers::BEYOND)
}

/// The algorithm of that name with its engine, or a sentence that lists what there is.
async fn find(id: f64, name: &str) -> Result<Result<&'static Entry, String>, SplitLoaderError> {
    let (text, number) = match seat(name) {
        Ok(seat) => seat,
        Err(why) => return Ok(Err(why)),
    };
    let algorithms = fetched(id, async {
        match text {
            PaperGroup::AlienThreads => split::alien_threads().await,
            PaperGroup::LectureNotes => split::lecture_notes().await,
            PaperGroup::Hierarchical => split::hierarchical().await,
            PaperGroup::RangedLocks => split::ranged_locks().await,
            PaperGroup::WaitFree => split::wait_free().await,
            PaperGroup::Beyond => split::beyond().await,
        }
    });
    Ok(Ok(&algorithms.await?[number]))
}

/// Runs a batch job.
async fn job(id: f64, job: &Job) -> Result<Answer, SplitLoaderError> {
    let algorithm = find(id, job.algorithm()).await?;
    Ok(lockstep_lab::prepare_with(algorithm, job).and_then(|prepared| prepared.record(job.key())).into())
}

/// Estimates what an experiment will cost, from short runs of some of its points.
async fn cost(id: f64, pilots: &Pilots) -> Result<Answer, SplitLoaderError> {
    let mut algorithms = BTreeMap::new();
    for name in pilots.algorithms() {
        algorithms.insert(name, find(id, name).await?);
    }
    Ok(Answer::Cost(pilots.cost(|name| algorithms[name].clone())))
}

/// Answers a study's question by exploring every order of events.
async fn prove(id: f64, part: &StudyPart) -> Result<Answer, SplitLoaderError> {
    Ok(match part.asked() {
        Ok(Some(asked)) => {
            let entry = find(id, asked.spec.algorithm.as_deref().unwrap_or_default()).await?;
            Answer::Proof(entry.ok().and_then(|entry| study::prove(&asked, entry)))
        }
        Ok(None) => Answer::Proof(None),
        Err(why) => Answer::Problems(vec![why]),
    })
}

/// An exploration that can be continued.
enum OpenExploration {
    Violation(Box<CheckRun>),
    Worst(Box<WorstCaseSearch>),
}

impl OpenExploration {
    /// Visits so many more states.
    fn advance(&mut self, states: usize) -> Answer {
        match self {
            OpenExploration::Violation(search) => match search.advance(states) {
                CheckSlice::Progress(progress) => Answer::Progress(progress),
                CheckSlice::Done(report) => Answer::Report(Box::new(report)),
            },
            OpenExploration::Worst(search) => match search.advance(states) {
                WorstCaseSlice::Progress(progress) => Answer::Progress(progress),
                WorstCaseSlice::Done(worst) => Answer::Worst(Box::new(worst)),
            },
        }
    }

    /// Continues up to a larger number of states, with so much memory.
    fn widen(&mut self, states: usize, megabytes: usize) {
        if let OpenExploration::Violation(search) = self {
            search.widen(states, megabytes);
        }
    }
}

thread_local! {
    static DESK: RefCell<JudgeDesk> = RefCell::default();
    static SEARCH: RefCell<Option<OpenExploration>> = const { RefCell::new(None) };
    /// Counts tasks: an exploration pauses when another task arrives.
    static TURN: Cell<u32> = const { Cell::new(0) };
}

/// Begins an exploration: for a violation, or for the worst case of a measure.
async fn begin(id: f64, check: &Check, measure: Option<RequestMeasure>) -> Result<(), SplitLoaderError> {
    let entry = find(id, check.algorithm()).await?;
    match prepare_with(entry, check) {
        Ok(prepared) => {
            SEARCH.set(Some(match measure {
                Some(measure) => OpenExploration::Worst(Box::new(worst_of(prepared, measure))),
                None => OpenExploration::Violation(Box::new(prepared.start())),
            }));
            explore(id);
            Ok(())
        }
        Err(problems) => say(id, Answer::Problems(problems)),
    }
}

/// Milliseconds between two looks for other tasks.
const SLICE: f64 = 60.0;

/// Explores in slices until there is a result or another task arrives.
fn explore(id: f64) {
    TURN.set(TURN.get() + 1);
    let mine = TURN.get();
    let mut states = 500;
    yew::platform::spawn_local(async move {
        while TURN.get() == mine {
            let before = now();
            let Some(said) = SEARCH.with_borrow_mut(|search| search.as_mut().map(|search| search.advance(states)))
            else {
                return;
            };
            answer(id, &said.text());
            if !said.is_interim() {
                return;
            }
            let took = now() - before;
            if took < SLICE / 2.0 {
                states *= 2;
            } else if took > SLICE * 2.0 {
                states = (states / 2).max(100);
            }
            after_others().await;
        }
    });
}
