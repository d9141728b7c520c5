//! Overtaking: for each request, how many later requests were served before it.

use crate::{Setup, ThreadId};

/// Counts overtaking. Its cost for an entry grows with the number of older requests that wait.
pub struct Bypass {
    /// The waiting threads in the order of their requests, and how often each was overtaken.
    waiting: Vec<(ThreadId, u32)>,
    most: u32,
}

impl Bypass {
    /// Above this many threads counting would slow a run down noticeably.
    pub const MOST_THREADS: usize = 4096;

    /// For a run on this setup.
    pub fn new(setup: &Setup) -> Self {
        Bypass { waiting: Vec::with_capacity(setup.all_threads()), most: 0 }
    }

    /// The most overtaken request, among those served and those that still wait.
    pub fn most(&self) -> u32 {
        self.waiting.iter().map(|(_, n)| *n).fold(self.most, u32::max)
    }

    /// Resets the counts of served requests.
    pub fn warm(&mut self) {
        self.most = 0;
    }

    /// A thread begins to wait.
    pub fn requested(&mut self, thread: ThreadId) {
        self.waiting.push((thread, 0));
    }

    /// A waiting thread is let in: every older request was overtaken once more.
    pub fn granted(&mut self, thread: ThreadId) {
        if let Some(place) = self.waiting.iter().position(|(t, _)| *t == thread) {
            let (_, overtaken) = self.waiting.remove(place);
            self.most = self.most.max(overtaken);
            for (_, count) in &mut self.waiting[..place] {
                *count += 1;
            }
        }
    }

    /// A waiting thread is refused.
    pub fn refused(&mut self, thread: ThreadId) {
        self.waiting.retain(|(t, _)| *t != thread);
    }
}
