//! The tasks of several workers: which worker has which, which worker is lost, and which task is
//! given up.

use crate::{Answer, Task};
use std::collections::{BTreeMap, BTreeSet, VecDeque};

/// A task over which this many workers were lost is given up.
const MOST_LOSSES: u32 = 3;
/// After this many tasks in a row were given up, no more are given out.
const MOST_GIVEN_UP: usize = 3;
/// After this many downloads in a row have failed for each worker, no more tasks are given out.
const MOST_DOWNLOADS: usize = 3;
/// A worker that downloads something is considered lost after this many milliseconds.
const FETCHING: f64 = 90_000.0;
/// A worker may take this many times as long as the longest task so far.
const LONGER: f64 = 20.0;

/// How a worker was lost.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum WorkerLoss {
    /// It died, or fell silent: perhaps over its task.
    Died,
    /// Its program, or a part of it, could not be downloaded: the task has nothing to do with it.
    Unavailable,
}

impl WorkerLoss {
    /// Why no more tasks are given out.
    pub fn sentence(self) -> &'static str {
        match self {
            WorkerLoss::Died => {
                "Workers keep dying, so the run was stopped. The browser may lack memory: close other tabs, then \
                 continue. Results so far are kept."
            }
            WorkerLoss::Unavailable => {
                "The program of the workers could not be downloaded in three attempts, so the run was stopped. Check \
                 the connection, then continue. Results so far are kept."
            }
        }
    }

    /// Why there is no estimate of the cost.
    pub fn no_estimate(self) -> &'static str {
        match self {
            WorkerLoss::Died => "The cost could not be estimated, because the worker died.",
            WorkerLoss::Unavailable => {
                "The cost could not be estimated, because the program of the workers could not be downloaded."
            }
        }
    }
}

struct QueuedTask {
    task: Task,
    /// How many workers were lost over it.
    losses: u32,
}

struct Assignment {
    queued: QueuedTask,
    /// When it began, or when its worker was last heard of.
    since: f64,
    fetching: bool,
}

/// Tasks that wait and tasks that workers are busy with. Workers have numbers; times are in
/// milliseconds.
#[derive(Default)]
pub struct TaskQueue {
    waiting: VecDeque<QueuedTask>,
    busy: BTreeMap<u32, Assignment>,
    longest: f64,
    /// Workers that have said something: their program has arrived.
    heard: BTreeSet<u32>,
    /// Downloads that have failed since the last result.
    missed: usize,
    /// Tasks that were given up since the last result.
    given_up: usize,
    /// Why no more tasks are given out.
    halted: Option<WorkerLoss>,
    /// Whether no more tasks are given out.
    pub paused: bool,
}

impl TaskQueue {
    /// Adds tasks at the end.
    pub fn add(&mut self, tasks: impl IntoIterator<Item = Task>) {
        self.waiting.extend(tasks.into_iter().map(|task| QueuedTask { task, losses: 0 }));
    }

    /// Whether anything is still to be done.
    pub fn is_busy(&self) -> bool {
        !self.waiting.is_empty() || !self.busy.is_empty()
    }

    /// Gives the next task to a worker, unless the worker is busy or the queue is paused.
    pub fn assign(&mut self, worker: u32, now: f64) -> Option<&Task> {
        if self.paused || self.halted.is_some() || self.busy.contains_key(&worker) {
            return None;
        }
        let queued = self.waiting.pop_front()?;
        let begun = Assignment { queued, since: now, fetching: !self.heard.contains(&worker) };
        Some(&self.busy.entry(worker).or_insert(begun).queued.task)
    }

    /// The program of a worker has arrived.
    pub fn ready(&mut self, worker: u32, now: f64) {
        self.heard.insert(worker);
        if let Some(assignment) = self.busy.get_mut(&worker) {
            (assignment.since, assignment.fetching) = (now, false);
        }
    }

    /// Why no more tasks are given out, if that is so: workers die over every task, or cannot be
    /// downloaded.
    pub fn halted(&self) -> Option<WorkerLoss> {
        self.halted
    }

    /// Takes what a worker said: the task and its answer where that ends the task.
    pub fn hear(&mut self, worker: u32, answer: Answer, now: f64) -> Option<(Task, Answer)> {
        self.heard.insert(worker);
        if answer.is_interim() {
            let assignment = self.busy.get_mut(&worker)?;
            assignment.since = now;
            assignment.fetching = answer == Answer::Fetching;
            return None;
        }
        let Assignment { queued, since, .. } = self.busy.remove(&worker)?;
        self.longest = self.longest.max(now - since);
        (self.missed, self.given_up) = (0, 0);
        Some((queued.task, answer))
    }

    /// A worker that has been silent for too long.
    pub fn silent(&self, now: f64) -> Option<u32> {
        let lost = |a: &Assignment| {
            let at_least = if a.fetching { FETCHING } else { 0.0 };
            now - a.since > a.queued.task.patience().max(LONGER * self.longest).max(at_least)
        };
        self.busy.iter().find(|(_, a)| lost(a)).map(|(worker, _)| *worker)
    }

    /// One of so many workers is lost: its task waits again, or is given up and returned.
    pub fn lose(&mut self, worker: u32, loss: WorkerLoss, workers: usize) -> Option<Task> {
        self.heard.remove(&worker);
        let lost = self.busy.remove(&worker);
        if loss == WorkerLoss::Unavailable {
            self.missed += 1;
            if self.missed >= MOST_DOWNLOADS * workers.max(1) {
                self.halted = Some(loss);
            }
            if let Some(assignment) = lost {
                self.waiting.push_front(assignment.queued);
            }
            return None;
        }
        let Assignment { queued, .. } = lost?;
        let losses = queued.losses + 1;
        if losses >= MOST_LOSSES {
            self.given_up += 1;
            if self.given_up >= MOST_GIVEN_UP {
                self.halted = Some(loss);
            }
            return Some(queued.task);
        }
        self.waiting.push_front(QueuedTask { losses, ..queued });
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tasks_are_given_out_in_order_and_answered() {
        let mut queue = TaskQueue::default();
        queue.add([Task::Widen(1, 1), Task::Widen(2, 1)]);
        assert_eq!(queue.assign(1, 0.0), Some(&Task::Widen(1, 1)));
        assert_eq!(queue.assign(1, 0.0), None, "it is busy");
        assert_eq!(queue.hear(1, Answer::Working, 1.0), None);
        assert_eq!(queue.hear(2, Answer::Proof(None), 1.0), None, "it has no task");
        assert_eq!(queue.hear(1, Answer::Proof(None), 2.0), Some((Task::Widen(1, 1), Answer::Proof(None))));
        queue.paused = true;
        assert_eq!(queue.assign(1, 3.0), None);
        assert!(queue.is_busy());
        queue.paused = false;
        assert_eq!(queue.assign(1, 3.0), Some(&Task::Widen(2, 1)));
        queue.hear(1, Answer::Proof(None), 4.0);
        assert!(!queue.is_busy());
    }

    #[test]
    fn a_lost_task_is_tried_again_and_given_up_after_three_workers() {
        let mut queue = TaskQueue::default();
        queue.add([Task::Stop]);
        for worker in 1..3 {
            queue.assign(worker, 0.0);
            assert_eq!(queue.lose(worker, WorkerLoss::Died, 1), None);
        }
        queue.assign(3, 0.0);
        assert_eq!(queue.lose(3, WorkerLoss::Died, 1), Some(Task::Stop));
        assert_eq!(queue.halted(), None, "another task may go well");
    }

    /// Loses every worker of the next task; the task.
    fn give_up(queue: &mut TaskQueue) -> Option<Task> {
        (1..=3).find_map(|worker| {
            queue.assign(worker, 0.0);
            queue.lose(worker, WorkerLoss::Died, 1)
        })
    }

    #[test]
    fn no_more_tasks_are_given_out_once_three_in_a_row_were_given_up() {
        let mut queue = TaskQueue::default();
        queue.add((0..9).map(|n| Task::Widen(n, 1)));
        assert_eq!((give_up(&mut queue), give_up(&mut queue)), (Some(Task::Widen(0, 1)), Some(Task::Widen(1, 1))));
        queue.assign(1, 0.0);
        assert!(queue.hear(1, Answer::Proof(None), 1.0).is_some(), "one goes well");
        assert!((0..3).all(|_| queue.halted().is_none() && give_up(&mut queue).is_some()));
        assert_eq!(queue.halted(), Some(WorkerLoss::Died));
        assert_eq!(queue.assign(1, 0.0), None);
        assert!(queue.is_busy(), "the others are not given up");
    }

    #[test]
    fn a_download_that_fails_is_no_loss_of_the_task_and_is_tried_three_times() {
        let mut queue = TaskQueue::default();
        queue.add([Task::Widen(1, 1), Task::Widen(2, 1)]);
        for attempt in 0..3 {
            assert_eq!(queue.halted(), None);
            for worker in [2 * attempt, 2 * attempt + 1] {
                assert!(queue.assign(worker, 0.0).is_some());
            }
            for worker in [2 * attempt, 2 * attempt + 1] {
                assert_eq!(queue.lose(worker, WorkerLoss::Unavailable, 2), None);
            }
        }
        assert_eq!(queue.halted(), Some(WorkerLoss::Unavailable));
        assert_eq!(queue.assign(9, 0.0), None);
        assert!(queue.is_busy(), "no task is given up");
    }

    #[test]
    fn a_silent_worker_is_found_but_a_download_may_take_longer() {
        let mut queue = TaskQueue::default();
        queue.add([Task::Stop, Task::Stop]);
        queue.assign(1, 0.0);
        queue.assign(2, 0.0);
        assert_eq!(queue.silent(60_000.0), None, "their program has not arrived");
        queue.ready(1, 0.0);
        queue.ready(2, 0.0);
        assert_eq!(queue.silent(7_000.0), None);
        assert_eq!(queue.silent(9_000.0), Some(1));
        queue.hear(1, Answer::Fetching, 0.0);
        queue.hear(2, Answer::Fetching, 0.0);
        assert_eq!(queue.silent(60_000.0), None);
        queue.hear(2, Answer::Working, 60_000.0);
        assert_eq!(queue.silent(69_000.0), Some(2));
    }
}
