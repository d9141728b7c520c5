//! The page's side of reading a log that is open: sections, pairs, events, lines, searching.

use crate::place::{JudgeAction, JudgeCommand, JudgeState, LINES};
use crate::task::JudgeTask;
use std::rc::Rc;

impl JudgeState {
    pub(crate) fn look(&mut self, action: JudgeAction) -> Vec<JudgeCommand> {
        match action {
            JudgeAction::Section(section) => {
                match self.chosen.iter().position(|chosen| *chosen == section) {
                    Some(at) => drop(self.chosen.remove(at)),
                    None if self.chosen.len() == 2 => self.chosen = vec![section],
                    None => self.chosen.push(section),
                }
                self.explain()
            }
            JudgeAction::Pair(a, b) => {
                self.chosen = vec![a, b];
                self.explain()
            }
            JudgeAction::NoPair => {
                self.chosen.clear();
                self.explain()
            }
            JudgeAction::OtherOrder(on) => {
                self.other = on && self.pair.as_ref().is_some_and(|pair| pair.other_rank.is_some());
                let entry = self.chosen.first().and_then(|section| self.entry(*section));
                entry.map(JudgeCommand::Centre).into_iter().collect()
            }
            JudgeAction::Event(event) => {
                self.event = Some(event);
                let at = event as usize;
                let place = self.sketch.file.get(at).zip(self.sketch.line.get(at));
                let Some((file, line)) = place else { return Vec::new() };
                self.show_line(*file as usize, (*line as usize).saturating_sub(1))
            }
            JudgeAction::Line(file, line) => {
                (self.file, self.line) = (file, Some(line));
                let row = line.checked_sub(self.from).and_then(|at| self.lines.get(at));
                self.event = row.and_then(|row| row.event);
                self.event.map(JudgeCommand::Centre).into_iter().collect()
            }
            JudgeAction::Lines(file, from) => {
                (self.file, self.from, self.lines) = (file, from, Rc::default());
                vec![JudgeCommand::Ask(JudgeTask::Lines(file, from, LINES))]
            }
            JudgeAction::Search(text) => {
                (self.wanted, self.hits, self.hit_count, self.hit) = (text.clone(), Vec::new(), 0, 0);
                if text.is_empty() { Vec::new() } else { vec![JudgeCommand::Ask(JudgeTask::Search(text))] }
            }
            JudgeAction::Hit(forwards) if !self.hits.is_empty() => {
                let count = self.hits.len();
                self.hit = if forwards { (self.hit + 1) % count } else { (self.hit + count - 1) % count };
                self.show_hit()
            }
            _ => Vec::new(),
        }
    }

    fn explain(&mut self) -> Vec<JudgeCommand> {
        (self.pair, self.other, self.compatible) = (None, false, false);
        match self.chosen.as_slice() {
            [a, b] => vec![JudgeCommand::Ask(JudgeTask::Explain(*a, *b))],
            _ => Vec::new(),
        }
    }

    pub(crate) fn show_hit(&mut self) -> Vec<JudgeCommand> {
        let Some(hit) = self.hits.get(self.hit).copied() else { return Vec::new() };
        self.event = hit.event;
        let mut commands = self.show_line(hit.file, hit.line);
        commands.extend(hit.event.map(JudgeCommand::Centre));
        commands
    }

    /// Shows a line, counted from 0; asks for it if it is not there.
    fn show_line(&mut self, file: usize, line: usize) -> Vec<JudgeCommand> {
        self.line = Some(line);
        let there = file == self.file && line >= self.from && line < self.from + self.lines.len();
        if there {
            return Vec::new();
        }
        (self.file, self.from, self.lines) = (file, line.saturating_sub(LINES / 4), Rc::default());
        vec![JudgeCommand::Ask(JudgeTask::Lines(file, self.from, LINES))]
    }
}
