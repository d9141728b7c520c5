//! Taking back, and back again: what was seen before each change, and the runs that others replaced, with all of their branches.

use crate::run::Run;
use crate::state::Place;
use lockstep_kernel::history::StepId;
use lockstep_scene::Arrangement;
use std::collections::BTreeSet;

/// More changes than this nobody takes back one by one.
const MOST: usize = 400;

/// Replaced runs that are kept.
const MOST_RUNS: usize = 12;

/// What is seen at some time.
#[derive(Clone, PartialEq, Debug)]
pub struct Before {
    /// Which run.
    pub run: u32,
    /// Where in it.
    pub moment: StepId,
    /// The place of the page.
    pub place: Place,
    /// How the nodes are arranged.
    pub arrange: Arrangement,
    /// Layers that are switched off.
    pub hidden: BTreeSet<String>,
}

/// Everything that can be taken back.
#[derive(Default)]
pub struct Undo {
    past: Vec<(Before, Option<Run>)>,
    /// What was taken back, the last one last.
    future: Vec<(Before, Option<Run>)>,
    replaced: Option<Run>,
    flowing: bool,
}

impl Undo {
    /// A run that is being replaced: it belongs to the change that is about to be pushed.
    pub fn keep(&mut self, run: Run) {
        self.replaced = Some(run);
    }

    /// Remembers what was seen before a change. Of changes that flow into each other only the first one counts.
    pub fn push(&mut self, before: Before, flowing: bool) {
        let replaced = self.replaced.take();
        if flowing && self.flowing && replaced.is_none() {
            return;
        }
        self.flowing = flowing;
        self.future.clear();
        self.remember(before, replaced);
    }

    fn remember(&mut self, before: Before, replaced: Option<Run>) {
        self.past.push((before, replaced));
        let runs = |past: &[(Before, Option<Run>)]| past.iter().filter(|(_, run)| run.is_some()).count();
        while self.past.len() > MOST || runs(&self.past) > MOST_RUNS {
            self.past.remove(0);
        }
    }

    /// The next change begins anew.
    pub fn pause(&mut self) {
        self.flowing = false;
    }

    /// What was seen before the last change, with its run if that was replaced; or, forwards, after the one that was taken back last.
    pub fn pop(&mut self, forwards: bool) -> Option<(Before, Option<Run>)> {
        self.flowing = false;
        if forwards { self.future.pop() } else { self.past.pop() }
    }

    /// Remembers what was left by the last [`Undo::pop`], so that there is a way back to it.
    pub fn left(&mut self, forwards: bool, seen: Before, run: Option<Run>) {
        if forwards { self.remember(seen, run) } else { self.future.push((seen, run)) }
    }
}
