//! The worker's side: it keeps the files that were given and the log that is open.

use crate::sketch::LogSketch;
use crate::submission::{JudgedLog, LogSubmission, NotJudged, submissions};
use crate::task::{ClassRow, JudgeAnswer, JudgeOptions, JudgeTask, LineHit, LogLine, MOST_HITS};
use crate::view::{LogView, PairView, ShapesView, shown};
use lockstep_trace::log::LineStatus;
use lockstep_trace::report::{COLUMNS, row};
use lockstep_trace::{Log, LogInput, ReadOptions, RuleSet, read};

/// The most lines that are sent at once.
const MOST_LINES: usize = 2_000;

/// The files that were given, and the log that is open.
#[derive(Default)]
pub struct JudgeDesk {
    logs: Vec<LogSubmission>,
    problems: Vec<String>,
    options: JudgeOptions,
    open: usize,
    judged: Option<JudgedLog>,
    /// The log as it was read, where it could not be judged.
    unjudged: Option<Log>,
}

impl JudgeDesk {
    /// Does what the page asks. `files` come with [`JudgeTask::Read`].
    pub fn perform(&mut self, task: JudgeTask, files: Vec<LogInput>) -> JudgeAnswer {
        match task {
            JudgeTask::Read { pasted, options } => {
                let pasted = pasted.into_iter().map(|(name, text)| LogInput::new(name, text));
                let files = pasted.chain(files).collect();
                match submissions(files) {
                    Ok((logs, problems)) => (self.logs, self.problems) = (logs, problems),
                    Err(why) => return JudgeAnswer::Refused(why),
                }
                self.options = options;
                self.first()
            }
            JudgeTask::Again(options) => {
                self.options = options;
                match self.judged.is_none() && self.unjudged.is_none() {
                    true => self.first(),
                    false => self.open(self.open),
                }
            }
            JudgeTask::Open(log) => self.open(log),
            JudgeTask::Explain(a, b) => {
                let view = self.judged.as_ref().and_then(|judged| PairView::of(&judged.judgement, a, b));
                JudgeAnswer::Pair(a, b, view.map(Box::new))
            }
            JudgeTask::Lines(file, from, count) => {
                JudgeAnswer::Lines(file, from, self.lines(file, from, count.min(MOST_LINES)))
            }
            JudgeTask::Search(text) => self.search(text),
            JudgeTask::Shapes => {
                JudgeAnswer::Shapes(self.log().map(|log| ShapesView::of(log, &self.options.rules)).unwrap_or_default())
            }
        }
    }

    fn log(&self) -> Option<&Log> {
        self.judged.as_ref().map(|judged| &judged.judgement.log).or(self.unjudged.as_ref())
    }

    /// Opens the only log, or makes the table of several.
    fn first(&mut self) -> JudgeAnswer {
        (self.judged, self.unjudged) = (None, None);
        match self.logs.len() {
            0 => JudgeAnswer::Refused(self.problems.join(" ")),
            1 => self.open(0),
            _ => self.table(),
        }
    }

    fn read_options(&self) -> Result<ReadOptions, String> {
        let JudgeOptions { rules, skew, session, .. } = &self.options;
        let rules = match rules.trim().is_empty() {
            true => None,
            false => Some(RuleSet::parse(rules).map_err(|problems| format!("Rules: {}", problems.join(" ")))?),
        };
        if let Some(skew) = skew.filter(|skew| !(skew.is_finite() && *skew >= 0.0)) {
            return Err(format!("skew: {skew} is not allowed; expected 0 or more seconds."));
        }
        Ok(ReadOptions { rules, session: (*session).max(1), skew: *skew })
    }

    fn table(&mut self) -> JudgeAnswer {
        let options = match self.read_options() {
            Ok(options) => options,
            Err(why) => return JudgeAnswer::Refused(why),
        };
        let rows =
            self.logs.iter().map(|log| match JudgedLog::of(log.clone(), &options, self.options.algorithm.as_deref()) {
                Ok(judged) => {
                    ClassRow { cells: row(&judged.name, &judged.judgement, judged.conformance.as_ref()), judged: true }
                }
                Err(NotJudged::NotUnderstood(why) | NotJudged::Refused(why)) => {
                    let mut cells = vec![String::new(); COLUMNS.len()];
                    (cells[0], cells[1]) = (log.name.clone(), why);
                    ClassRow { cells, judged: false }
                }
            });
        JudgeAnswer::Class(rows.collect(), self.problems.clone())
    }

    fn open(&mut self, number: usize) -> JudgeAnswer {
        (self.judged, self.unjudged, self.open) = (None, None, number);
        let Some(log) = self.logs.get(number) else {
            return JudgeAnswer::Refused(format!("log: {number} does not exist; expected 0 to {}.", self.logs.len()));
        };
        let options = match self.read_options() {
            Ok(options) => options,
            Err(why) => return JudgeAnswer::Refused(why),
        };
        let mut given = log.clone();
        if self.logs.len() == 1 {
            given.problems.extend(self.problems.iter().cloned());
        }
        match JudgedLog::of(given, &options, self.options.algorithm.as_deref()) {
            Ok(judged) => {
                let view = LogView::of(&judged, &self.options.rules);
                let sketch = LogSketch::of(&judged.judgement);
                self.judged = Some(judged);
                JudgeAnswer::Log(Box::new(view), Box::new(sketch))
            }
            Err(NotJudged::NotUnderstood(why)) => {
                let read = read(self.logs[number].files.clone(), &options);
                let shapes = ShapesView::of(&read, &self.options.rules);
                self.unjudged = Some(read);
                JudgeAnswer::NotUnderstood(why, shapes)
            }
            Err(NotJudged::Refused(why)) => JudgeAnswer::Refused(why),
        }
    }

    /// The first event of a line, counted from 1.
    fn event_at(log: &Log, file: usize, line: usize) -> Option<u32> {
        let key = (file as u32, line as u32);
        let at = log.events.partition_point(|event| (event.file, event.line) < key);
        log.events.get(at).filter(|event| (event.file, event.line) == key).map(|_| at as u32)
    }

    fn lines(&self, file: usize, from: usize, count: usize) -> Vec<LogLine> {
        let Some((log, text)) = self.log().and_then(|log| Some((log, log.files.get(file)?))) else {
            return Vec::new();
        };
        let status = |line: usize| match log.lines.get(file).and_then(|lines| lines.get(line)) {
            Some(LineStatus::Understood) => "understood",
            Some(LineStatus::NotUnderstood) => "not-understood",
            Some(LineStatus::Wrong) => "wrong",
            Some(LineStatus::Skipped) | None => "skipped",
        };
        (from..from.saturating_add(count).min(text.len()))
            .map(|line| LogLine {
                text: shown(text.line(line)),
                status: status(line).to_owned(),
                event: Self::event_at(log, file, line + 1),
            })
            .collect()
    }

    fn search(&self, text: String) -> JudgeAnswer {
        let Some(log) = self.log() else { return JudgeAnswer::Hits(text, Vec::new(), 0) };
        let wanted = text.to_lowercase();
        let (mut hits, mut count) = (Vec::new(), 0);
        for (file, content) in log.files.iter().enumerate() {
            for (line, line_text) in content.lines() {
                if wanted.is_empty() || !line_text.to_lowercase().contains(&wanted) {
                    continue;
                }
                count += 1;
                if hits.len() < MOST_HITS {
                    hits.push(LineHit { file, line, event: Self::event_at(log, file, line + 1) });
                }
            }
        }
        JudgeAnswer::Hits(text, hits, count)
    }
}
