//! What a worker does: it is the page's own program, started by `worker.js` where there is nothing to show. Tasks and answers are JSON texts. How tasks
//! are read, done and answered is fetched with the first of them, and the engines of a text's algorithms with the first task that needs one of them.

pub mod pool;

use crate::browser::scope::{after_others, answer, fetching, now, progress};
use crate::split::{self, SplitLoaderError};
use lockstep_algorithms::{Text, seat, texts};
use lockstep_check::{Check, CheckSlice, WorstCaseSearch, WorstCaseSlice, prepare_with, worst_of};
use lockstep_kernel::{Entry, explore::RequestMeasure};
use lockstep_lab::study::{self, Settings};
use lockstep_lab::{Job, Pilots};
use serde::{Deserialize, Serialize, de::DeserializeOwned};
use std::cell::{Cell, RefCell};
use std::collections::BTreeMap;
use std::pin::Pin;
use wasm_bindgen::prelude::*;

/// Does a task: `job`, `cost`, `observe`, `prove`; or `check` and `worst`, which begin an exploration, `widen`, which goes on with it, and `stop`.
#[wasm_bindgen]
pub async fn work(id: f64, what: String, contents: String) -> Result<(), JsError> {
    let explores = matches!(&*what, "check" | "worst");
    match perform(id, what, contents).await {
        Err(_) if explores => answer(id, NOT_HERE),
        Err(why) => return Err(JsError::new(&why.to_string())), // the page gives the task to another worker
        Ok(()) => {}
    }
    Ok(())
}

const NOT_HERE: &str = r#"{"problems":["What explores this algorithm did not arrive; right would be to try again."]}"#;

async fn perform(id: f64, what: String, contents: String) -> Result<(), SplitLoaderError> {
    let studies_it = matches!(&*what, "observe" | "prove");
    let workshop =
        fetched(id, async { if studies_it { split::studies().await } else { split::workshop().await } }).await?;
    workshop(id, what, contents).await
}

/// Says that a task waits for something to be fetched, until it is there.
async fn fetched<T>(id: f64, part: impl Future<Output = T>) -> T {
    fetching(id, true);
    let part = part.await;
    fetching(id, false);
    part
}

/// A task that is being done.
pub type Working = Pin<Box<dyn Future<Output = Result<(), SplitLoaderError>>>>;
/// What a worker does with a task.
pub type Workshop = Result<fn(f64, String, String) -> Working, SplitLoaderError>;

/// See [`split::workshop`].
pub fn workshop() -> Workshop {
    Ok(|id, what, contents| {
        Box::pin(async move {
            match &*what {
                "job" => answer(id, &job(id, &contents).await?),
                "cost" => answer(id, &cost(id, &contents).await?),
                "check" | "worst" => match begin(id, &what, &contents).await? {
                    Ok(search) => {
                        SEARCH.set(Some(search));
                        explore(id);
                    }
                    Err(problems) => answer(id, &json::<()>(Err(problems))),
                },
                "widen" => {
                    let states = contents.parse().unwrap_or_default();
                    SEARCH.with_borrow_mut(|search| search.iter_mut().for_each(|search| search.widen(states)));
                    explore(id);
                }
                _ => TURN.set(TURN.get() + 1),
            }
            Ok(())
        })
    })
}

/// See [`split::studies`].
pub fn studies() -> Workshop {
    Ok(|id, what, contents| {
        Box::pin(async move {
            answer(id, &if what == "observe" { observe(&contents) } else { prove(id, &contents).await? });
            Ok(())
        })
    })
}

type Found = Result<&'static Entry, String>;
/// The algorithms of one paper, with their engines.
pub type Algorithms = Result<&'static [Entry], SplitLoaderError>;

/// See [`split::alien_threads`].
pub fn alien_threads() -> Algorithms {
    Ok(texts::ALIEN_THREADS)
}
/// See [`split::lecture_notes`].
pub fn lecture_notes() -> Algorithms {
    Ok(texts::LECTURE_NOTES)
}
/// See [`split::hierarchical`].
pub fn hierarchical() -> Algorithms {
    Ok(texts::HIERARCHICAL)
}
/// See [`split::ranged_locks`].
pub fn ranged_locks() -> Algorithms {
    Ok(texts::RANGED_LOCKS)
}
/// See [`split::wait_free`].
pub fn wait_free() -> Algorithms {
    Ok(texts::WAIT_FREE)
}
/// See [`split::beyond`].
pub fn beyond() -> Algorithms {
    Ok(texts::BEYOND)
}

/// The algorithm of that name with its engine, or a sentence that lists what there is.
async fn find(id: f64, name: &str) -> Result<Found, SplitLoaderError> {
    let (text, number) = match seat(name) {
        Ok(seat) => seat,
        Err(why) => return Ok(Err(why)),
    };
    let algorithms = fetched(id, async {
        match text {
            Text::AlienThreads => split::alien_threads().await,
            Text::LectureNotes => split::lecture_notes().await,
            Text::Hierarchical => split::hierarchical().await,
            Text::RangedLocks => split::ranged_locks().await,
            Text::WaitFree => split::wait_free().await,
            Text::Beyond => split::beyond().await,
        }
    });
    Ok(Ok(&algorithms.await?[number]))
}

fn json<T: Serialize>(answer: Result<T, Vec<String>>) -> String {
    match answer {
        Ok(answer) => serde_json::to_string(&answer).unwrap_or_default(),
        Err(problems) => serde_json::json!({ "problems": problems }).to_string(),
    }
}

fn read<T: DeserializeOwned>(what: &str, text: &str) -> Result<T, Vec<String>> {
    serde_json::from_str(text).map_err(|why| vec![format!("The {what} cannot be read: {why}.")])
}

/// Runs a batch job: its record, or `{"problems":[…]}`.
async fn job(id: f64, job: &str) -> Result<String, SplitLoaderError> {
    Ok(json(match read::<Job>("job", job) {
        Ok(job) => {
            let algorithm = find(id, &job.algorithm).await?;
            lockstep_lab::prepare_with(algorithm, &job).and_then(|prepared| prepared.record(job.key()))
        }
        Err(problems) => Err(problems),
    }))
}

/// What an experiment will cost, from short runs of some of its points.
async fn cost(id: f64, pilots: &str) -> Result<String, SplitLoaderError> {
    let pilots = match read::<Pilots>("experiment", pilots) {
        Ok(pilots) => pilots,
        Err(problems) => return Ok(json::<()>(Err(problems))),
    };
    let mut algorithms = BTreeMap::new();
    for name in pilots.algorithms() {
        algorithms.insert(name, find(id, name).await?);
    }
    Ok(json(Ok(pilots.cost(|name| algorithms[name].clone()))))
}

/// A part of a study.
#[derive(Deserialize)]
struct Aside {
    study: String,
    settings: Settings,
    #[serde(default)]
    question: String,
}

/// What a study watches in single runs: names and numbers.
fn observe(aside: &str) -> String {
    let watched = read::<Aside>("study", aside).and_then(|Aside { study, settings, .. }| {
        let study = study::find(&study).map_err(|why| vec![why])?;
        Ok((study.observe)(&settings))
    });
    json(watched)
}

/// The answer to a study's question, by trying every order of events; `null` where that is too much.
async fn prove(id: f64, aside: &str) -> Result<String, SplitLoaderError> {
    let asked = read::<Aside>("study", aside).and_then(|Aside { study, settings, question }| {
        let study = study::find(&study).map_err(|why| vec![why])?;
        Ok((study.questions)(&settings).into_iter().find(|asked| asked.id == question))
    });
    let asked = match asked {
        Ok(asked) => asked,
        Err(problems) => return Ok(json::<()>(Err(problems))),
    };
    let proof = match asked {
        Some(asked) => find(id, asked.algorithm).await?.ok().and_then(|entry| study::prove(&asked, entry)),
        None => None,
    };
    Ok(json(Ok(proof)))
}

/// An exploration under way.
enum Search {
    Violation(Box<lockstep_check::CheckRun>),
    WorstCase(Box<WorstCaseSearch>),
}

impl Search {
    /// Looks at so many more states: how far it has come, or the answer.
    fn advance(&mut self, states: usize) -> Result<String, String> {
        match self {
            Search::Violation(search) => match search.advance(states) {
                CheckSlice::Progress(progress) => Ok(json(Ok(progress))),
                CheckSlice::Done(report) => Err(json(Ok(report))),
            },
            Search::WorstCase(search) => match search.advance(states) {
                WorstCaseSlice::Progress(progress) => Ok(json(Ok(progress))),
                WorstCaseSlice::Done(worst) => Err(json(Ok(worst))),
            },
        }
    }

    /// Goes on up to a larger number of states.
    fn widen(&mut self, states: usize) {
        if let Search::Violation(search) = self {
            search.widen(states, lockstep_check::MOST_MEGABYTES);
        }
    }
}

thread_local! {
    static SEARCH: RefCell<Option<Search>> = const { RefCell::new(None) };
    /// Counts what was asked: an exploration rests when something else is.
    static TURN: Cell<u32> = const { Cell::new(0) };
}

/// An exploration at its beginning: every order of events of a system, or `{"check":…,"measure":"forwards"}` for the worst case.
async fn begin(id: f64, what: &str, contents: &str) -> Result<Result<Search, Vec<String>>, SplitLoaderError> {
    #[derive(Deserialize)]
    struct Quest {
        check: Check,
        measure: RequestMeasure,
    }
    let quest = match what {
        "worst" => read::<Quest>("system", contents).map(|Quest { check, measure }| (check, Some(measure))),
        _ => read::<Check>("system", contents).map(|check| (check, None)),
    };
    let (check, measure) = match quest {
        Ok(quest) => quest,
        Err(problems) => return Ok(Err(problems)),
    };
    let entry = find(id, &check.algorithm).await?;
    Ok(prepare_with(entry, &check).map(|prepared| match measure {
        Some(measure) => Search::WorstCase(Box::new(worst_of(prepared, check.requests, measure))),
        None => Search::Violation(Box::new(prepared.start())),
    }))
}

/// Milliseconds between two looks at what else is asked.
const SLICE: f64 = 60.0;

/// Explores in slices until there is an answer or something else is asked.
fn explore(id: f64) {
    TURN.set(TURN.get() + 1);
    let mine = TURN.get();
    let mut states = 500;
    wasm_bindgen_futures::spawn_local(async move {
        while TURN.get() == mine {
            let before = now();
            match SEARCH.with_borrow_mut(|search| search.as_mut().map(|search| search.advance(states))) {
                Some(Ok(far)) => progress(id, &far),
                Some(Err(report)) => return answer(id, &report),
                None => return,
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
