//! Workers and what they have to do. A worker that dies or is not heard of again is replaced, and its task is given to another.

use crate::browser::worker::{Said, Worker, how_many, now};
use std::collections::VecDeque;
use yew::Callback;

/// Something to compute.
#[derive(Clone, PartialEq, Debug)]
pub struct Task {
    /// What kind: `job`, `observe` or `prove`.
    pub what: &'static str,
    /// The key of its result.
    pub key: String,
    /// What `worker.js` is given.
    pub contents: String,
    /// How often a worker was lost over it.
    pub losses: u32,
    /// How long it may take before anybody worries, in milliseconds.
    pub patience: f64,
}

impl Task {
    /// A task that nobody has begun.
    pub fn new(what: &'static str, key: String, contents: String) -> Task {
        Task { what, key, contents, losses: 0, patience: SILENCE }
    }
}

/// A task over which this many workers were lost is given up.
const MOST_LOSSES: u32 = 3;
/// A worker that is silent for this long, in milliseconds, and for much longer than all others needed, is lost.
const SILENCE: f64 = 8_000.0;
/// The same while it waits for the network.
const FETCHING: f64 = 90_000.0;

struct Slot {
    worker: Worker,
    /// What it does, since when.
    busy: Option<(Task, f64)>,
    /// Whether what it takes is on its way.
    fetching: bool,
    serial: f64,
}

/// The workers of the lab.
pub struct Pool {
    slots: Vec<Slot>,
    waiting: VecDeque<Task>,
    hear: Callback<(f64, Said)>,
    longest: f64,
    serial: f64,
    /// Whether no more tasks are given out.
    pub paused: bool,
}

impl Pool {
    /// As many workers as are worth it; they report to `hear` with their number.
    pub fn start(hear: Callback<(f64, Said)>) -> Result<Pool, String> {
        let mut pool =
            Pool { slots: Vec::new(), waiting: VecDeque::new(), hear, longest: 0.0, serial: 0.0, paused: false };
        for _ in 0..how_many() {
            let slot = pool.slot()?;
            pool.slots.push(slot);
        }
        Ok(pool)
    }

    fn slot(&mut self) -> Result<Slot, String> {
        self.serial += 1.0;
        let (serial, hear) = (self.serial, self.hear.clone());
        let worker = Worker::start(move |said| hear.emit((serial, said)))?;
        Ok(Slot { worker, busy: None, fetching: false, serial })
    }

    /// How many workers there are.
    pub fn size(&self) -> usize {
        self.slots.len()
    }

    /// Whether anything is still to be done.
    pub fn is_busy(&self) -> bool {
        !self.waiting.is_empty() || self.slots.iter().any(|s| s.busy.is_some())
    }

    /// Adds tasks.
    pub fn add(&mut self, tasks: impl IntoIterator<Item = Task>) {
        self.waiting.extend(tasks);
        self.feed();
    }

    /// Gives tasks to idle workers.
    pub fn feed(&mut self) {
        for slot in &mut self.slots {
            if self.paused || slot.busy.is_some() {
                continue;
            }
            let Some(task) = self.waiting.pop_front() else { break };
            slot.worker.ask(slot.serial, task.what, &task.contents);
            slot.busy = Some((task, now()));
        }
    }

    /// What a worker said: the finished task and its answer, or a task that was given up.
    pub fn heard(&mut self, serial: f64, said: Said) -> Option<(Task, Option<String>)> {
        let index = self.slots.iter().position(|s| s.serial == serial)?;
        match said {
            Said::Answer(_, answer) => {
                let (task, since) = self.slots[index].busy.take()?;
                self.longest = self.longest.max(now() - since);
                self.feed();
                Some((task, Some(answer)))
            }
            Said::Died => self.replace(index),
            Said::Fetching(waits) => {
                let slot = &mut self.slots[index];
                slot.fetching = waits;
                slot.busy.iter_mut().for_each(|(_, since)| *since = now());
                None
            }
            Said::Progress(..) => None,
        }
    }

    /// Looks for workers that have fallen silent; a task that was given up.
    pub fn watch(&mut self) -> Option<(Task, Option<String>)> {
        let longest = 20.0 * self.longest;
        let lost = |slot: &Slot| {
            let at_least = if slot.fetching { FETCHING } else { 0.0 };
            slot.busy.as_ref().is_some_and(|(task, since)| now() - since > task.patience.max(longest).max(at_least))
        };
        let index = self.slots.iter().position(lost)?;
        self.replace(index)
    }

    fn replace(&mut self, index: usize) -> Option<(Task, Option<String>)> {
        let task = self.slots[index].busy.take().map(|(task, _)| Task { losses: task.losses + 1, ..task });
        match self.slot() {
            Ok(slot) => self.slots[index] = slot,
            Err(_) => drop(self.slots.remove(index)),
        }
        let given_up = match task {
            Some(task) if task.losses >= MOST_LOSSES || self.slots.is_empty() => Some((task, None)),
            Some(task) => {
                self.waiting.push_front(task);
                None
            }
            None => None,
        };
        self.feed();
        given_up
    }
}
