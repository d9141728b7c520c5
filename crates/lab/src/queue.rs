//! The tasks of several workers: which worker has which, which worker is lost, and which task is
//! given up.

use crate::{Answer, Task};
use std::collections::{BTreeMap, VecDeque};

/// A task over which this many workers were lost is given up.
const MOST_LOSSES: u32 = 3;
/// A worker that downloads something is considered lost after this many milliseconds.
const FETCHING: f64 = 90_000.0;
/// A worker may take this many times as long as the longest task so far.
const LONGER: f64 = 20.0;

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
        if self.paused || self.busy.contains_key(&worker) {
            return None;
        }
        let queued = self.waiting.pop_front()?;
        let begun = Assignment { queued, since: now, fetching: false };
        Some(&self.busy.entry(worker).or_insert(begun).queued.task)
    }

    /// Takes what a worker said: the task and its answer where that ends the task.
    pub fn hear(&mut self, worker: u32, answer: Answer, now: f64) -> Option<(Task, Answer)> {
        if answer.is_interim() {
            let assignment = self.busy.get_mut(&worker)?;
            assignment.since = now;
            assignment.fetching = answer == Answer::Fetching;
            return None;
        }
        let Assignment { queued, since, .. } = self.busy.remove(&worker)?;
        self.longest = self.longest.max(now - since);
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

    /// A worker is lost: its task waits again, or is given up and returned. It is also given up
    /// where no worker is left.
    pub fn lose(&mut self, worker: u32, workers_left: bool) -> Option<Task> {
        let Assignment { queued, .. } = self.busy.remove(&worker)?;
        let losses = queued.losses + 1;
        if losses >= MOST_LOSSES || !workers_left {
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
        queue.add([Task::Widen(1), Task::Widen(2)]);
        assert_eq!(queue.assign(1, 0.0), Some(&Task::Widen(1)));
        assert_eq!(queue.assign(1, 0.0), None, "it is busy");
        assert_eq!(queue.hear(1, Answer::Working, 1.0), None);
        assert_eq!(queue.hear(2, Answer::Proof(None), 1.0), None, "it has no task");
        assert_eq!(queue.hear(1, Answer::Proof(None), 2.0), Some((Task::Widen(1), Answer::Proof(None))));
        queue.paused = true;
        assert_eq!(queue.assign(1, 3.0), None);
        assert!(queue.is_busy());
        queue.paused = false;
        assert_eq!(queue.assign(1, 3.0), Some(&Task::Widen(2)));
        queue.hear(1, Answer::Proof(None), 4.0);
        assert!(!queue.is_busy());
    }

    #[test]
    fn a_lost_task_is_tried_again_and_given_up_after_three_workers() {
        let mut queue = TaskQueue::default();
        queue.add([Task::Stop]);
        for worker in 1..3 {
            queue.assign(worker, 0.0);
            assert_eq!(queue.lose(worker, true), None);
        }
        queue.assign(3, 0.0);
        assert_eq!(queue.lose(3, true), Some(Task::Stop));
        queue.add([Task::Stop]);
        queue.assign(4, 0.0);
        assert_eq!(queue.lose(4, false), Some(Task::Stop), "no worker is left");
    }

    #[test]
    fn a_silent_worker_is_found_but_a_download_may_take_longer() {
        let mut queue = TaskQueue::default();
        queue.add([Task::Stop, Task::Stop]);
        queue.assign(1, 0.0);
        queue.assign(2, 0.0);
        assert_eq!(queue.silent(7_000.0), None);
        assert_eq!(queue.silent(9_000.0), Some(1));
        queue.hear(1, Answer::Fetching, 0.0);
        queue.hear(2, Answer::Fetching, 0.0);
        assert_eq!(queue.silent(60_000.0), None);
        queue.hear(2, Answer::Working, 60_000.0);
        assert_eq!(queue.silent(69_000.0), Some(2));
    }
}
