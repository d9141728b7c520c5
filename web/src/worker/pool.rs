//! The workers of the lab. A worker that dies or falls silent is replaced, and its task is given to
//! another. A worker whose program does not arrive is replaced a little later, a few times.

use crate::browser::worker::{Worker, WorkerEvent, how_many, now};
use lockstep_lab::{Answer, Task, TaskQueue, WorkerLoss};
use yew::Callback;

/// The workers of the lab and what they have to do.
pub struct Pool {
    workers: Vec<(u32, Worker)>,
    queue: TaskQueue,
    hear: Callback<(u32, WorkerEvent)>,
    /// The number of the last worker that was started.
    last: u32,
    /// How many workers there should be.
    wanted: usize,
}

/// A task that has ended: its answer, or none where it was given up.
pub type EndedTask = (Task, Option<Answer>);

impl Pool {
    /// As many workers as are worth it; they report to `hear` with their number.
    pub fn start(hear: Callback<(u32, WorkerEvent)>) -> Result<Pool, String> {
        let mut pool = Pool { workers: Vec::new(), queue: TaskQueue::default(), hear, last: 0, wanted: how_many() };
        for _ in 0..pool.wanted {
            let worker = pool.worker()?;
            pool.workers.push(worker);
        }
        Ok(pool)
    }

    fn worker(&mut self) -> Result<(u32, Worker), String> {
        self.last += 1;
        let (number, hear) = (self.last, self.hear.clone());
        Ok((number, Worker::start(move |event| hear.emit((number, event)))?))
    }

    /// How many workers there are.
    pub fn size(&self) -> usize {
        self.workers.len()
    }

    /// Whether anything is still to be done.
    pub fn is_busy(&self) -> bool {
        self.queue.is_busy()
    }

    /// Adds tasks.
    pub fn add(&mut self, tasks: impl IntoIterator<Item = Task>) {
        self.queue.add(tasks);
        self.feed();
    }

    /// Gives out no more tasks, or gives them out again.
    pub fn pause(&mut self, paused: bool) {
        self.queue.paused = paused;
        self.feed();
    }

    fn feed(&mut self) {
        for (number, worker) in &self.workers {
            if let Some(task) = self.queue.assign(*number, now()) {
                worker.ask(f64::from(*number), task);
            }
        }
    }

    /// Takes what a worker said; the task that it ends.
    pub fn hear(&mut self, number: u32, event: WorkerEvent) -> Option<EndedTask> {
        let ended = match event {
            WorkerEvent::Died => return self.replace(number),
            WorkerEvent::Answered(_, Answer::Unavailable) | WorkerEvent::Unavailable => {
                self.workers.retain(|(n, _)| *n != number);
                self.queue.lose(number, WorkerLoss::Unavailable, self.wanted);
                return None;
            }
            WorkerEvent::Ready => {
                self.queue.ready(number, now());
                None
            }
            WorkerEvent::Answered(_, answer) => self.queue.hear(number, answer, now()),
        };
        self.feed();
        ended.map(|(task, answer)| (task, Some(answer)))
    }

    /// Why no more tasks are given out, if that is so.
    pub fn halted(&self) -> Option<WorkerLoss> {
        self.queue.halted()
    }

    /// Starts the workers that could not be downloaded again, and replaces one that has fallen
    /// silent; the task that is given up.
    pub fn watch(&mut self) -> Option<EndedTask> {
        while self.workers.len() < self.wanted && self.halted().is_none() {
            match self.worker() {
                Ok(worker) => self.workers.push(worker),
                Err(_) => break,
            }
        }
        self.feed();
        let silent = self.queue.silent(now())?;
        self.replace(silent)
    }

    fn replace(&mut self, number: u32) -> Option<EndedTask> {
        let index = self.workers.iter().position(|(n, _)| *n == number)?;
        match self.worker() {
            Ok(worker) => self.workers[index] = worker,
            Err(_) => drop(self.workers.remove(index)),
        }
        let given_up = self.queue.lose(number, WorkerLoss::Died, self.wanted);
        self.feed();
        given_up.map(|task| (task, None))
    }
}
