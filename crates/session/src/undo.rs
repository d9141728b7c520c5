//! Undo and redo: what was seen before each change, and the runs that were replaced, with all of
//! their branches.

use crate::choices::PagePlace;
use crate::run::StageRun;
use lockstep_kernel::history::StepId;
use lockstep_scene::Arrangement;
use std::collections::BTreeSet;

/// The most changes that are kept.
const MOST_CHANGES: usize = 400;

/// The most replaced runs that are kept: a run holds all of its frames.
const MOST_RUNS: usize = 12;

/// What is seen at some time.
#[derive(Clone, PartialEq, Debug)]
pub struct UndoPoint {
    /// The number of the run.
    pub run: u32,
    /// The cursor.
    pub moment: StepId,
    /// The place of the page.
    pub place: PagePlace,
    /// The layout of the nodes.
    pub arrange: Arrangement,
    /// Faded layers.
    pub hidden: BTreeSet<String>,
}

/// Everything that can be undone or redone.
#[derive(Default)]
pub struct UndoHistory {
    past: Vec<(UndoPoint, Option<StageRun>)>,
    /// What was undone, the last one last.
    future: Vec<(UndoPoint, Option<StageRun>)>,
    replaced: Option<StageRun>,
    flowing: bool,
}

impl UndoHistory {
    /// Keeps a run that is being replaced for the change that is about to be pushed.
    pub fn keep(&mut self, run: StageRun) {
        self.replaced = Some(run);
    }

    /// Records what was seen before a change. Consecutive `flowing` changes count as one.
    pub fn push(&mut self, before: UndoPoint, flowing: bool) {
        let replaced = self.replaced.take();
        if flowing && self.flowing && replaced.is_none() {
            return;
        }
        self.flowing = flowing;
        self.future.clear();
        self.record(before, replaced);
    }

    fn record(&mut self, before: UndoPoint, replaced: Option<StageRun>) {
        self.past.push((before, replaced));
        let runs = |past: &[(UndoPoint, Option<StageRun>)]| past.iter().filter(|(_, run)| run.is_some()).count();
        while self.past.len() > MOST_CHANGES || runs(&self.past) > MOST_RUNS {
            self.past.remove(0);
        }
    }

    /// Ends a series of flowing changes.
    pub fn pause(&mut self) {
        self.flowing = false;
    }

    /// What was seen before the last change, with its run if that was replaced; with `forwards`,
    /// what was seen after the change that was undone last.
    pub fn pop(&mut self, forwards: bool) -> Option<(UndoPoint, Option<StageRun>)> {
        self.flowing = false;
        if forwards { self.future.pop() } else { self.past.pop() }
    }

    /// Records what the last [`UndoHistory::pop`] left, for the opposite direction.
    pub fn leave(&mut self, forwards: bool, seen: UndoPoint, run: Option<StageRun>) {
        if forwards { self.record(seen, run) } else { self.future.push((seen, run)) }
    }
}
