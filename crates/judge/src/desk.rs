//! The worker's side: it keeps the files that were given and the log that is open.

use crate::sketch::LogSketch;
use crate::submission::{JudgedLog, LogSubmission, NotJudged, class_cells, submissions};
use crate::task::{ClassRow, FileChoice, JudgeAnswer, JudgeOptions, JudgeTask, LineHit, LogLine, MOST_HITS};
use crate::view::{LogView, PairView, ShapesView, shown};
use lockstep_trace::log::LineStatus;
use lockstep_trace::text::MOST_BYTES;
use lockstep_trace::{Log, LogFormat, LogInput, ReadOptions, RuleSet, read};

/// The most lines that are sent at once.
const MOST_LINES: usize = 2_000;

/// The files that were given, and the log that is open.
#[derive(Default)]
pub struct JudgeDesk {
    given: Vec<LogSubmission>,
    /// Which of them each log is, or which file of which.
    logs: Vec<(usize, Option<usize>)>,
    options: JudgeOptions,
    open: usize,
    judged: Option<JudgedLog>,
    /// The log as it was read, where it could not be judged.
    unjudged: Option<Log>,
    /// The rules that the open log was read by; empty if they were guessed.
    rules: String,
}

impl JudgeDesk {
    /// Does what the page asks. `files` come with [`JudgeTask::Read`].
    pub fn perform(&mut self, task: JudgeTask, files: Vec<LogInput>) -> JudgeAnswer {
        match task {
            JudgeTask::Read { pasted, options } => {
                let pasted = pasted.into_iter().map(|(name, text)| LogInput::new(name, text));
                match submissions(pasted.chain(files).collect(), MOST_BYTES) {
                    Ok(given) => self.given = given,
                    Err(why) => return JudgeAnswer::Refused(why),
                }
                if self.given.iter().all(|log| log.files.is_empty()) {
                    let problems: Vec<String> = self.given.drain(..).flat_map(|log| log.problems).collect();
                    return JudgeAnswer::Refused(problems.join(" "));
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
            JudgeTask::Regroup(options) => {
                self.options = options;
                self.first()
            }
            JudgeTask::Table(options) => {
                self.options = JudgeOptions { session: 0, ..options };
                self.table()
            }
            JudgeTask::Open(log, options) => {
                self.options = options;
                self.open(log)
            }
            JudgeTask::Explain(a, b) => {
                let view = self.judged.as_ref().and_then(|judged| PairView::of(&judged.judgement, a, b));
                JudgeAnswer::Pair(a, b, view.map(Box::new))
            }
            JudgeTask::Lines(file, from, count) => {
                JudgeAnswer::Lines(file, from, self.lines(file, from, count.min(MOST_LINES)))
            }
            JudgeTask::Search(text) => self.search(text),
            JudgeTask::Shapes => self.shapes(),
        }
    }

    fn log(&self) -> Option<&Log> {
        self.judged.as_ref().map(|judged| &judged.judgement.log).or(self.unjudged.as_ref())
    }

    /// Opens the only log, or makes the table of several.
    fn first(&mut self) -> JudgeAnswer {
        (self.judged, self.unjudged) = (None, None);
        let options = match self.read_options() {
            Ok(options) => options,
            Err(why) => return JudgeAnswer::Refused(why),
        };
        let apart = self.given.iter().map(|log| log.files.len().max(1)).sum();
        let several = || self.given.iter().any(|log| log.seems_several(&options));
        let each = self.options.each.unwrap_or_else(several);
        let choice = FileChoice { together: self.given.len(), apart, each };
        self.logs = match each {
            false => (0..self.given.len()).map(|log| (log, None)).collect(),
            true => {
                let files =
                    |(at, log): (usize, &LogSubmission)| (0..log.files.len().max(1)).map(move |f| (at, Some(f)));
                self.given.iter().enumerate().flat_map(files).collect()
            }
        };
        let answer = if self.logs.len() == 1 { self.open(0) } else { self.table() };
        JudgeAnswer::Taken(choice, Box::new(answer))
    }

    /// A log with its files.
    fn submission(&self, number: usize) -> Option<LogSubmission> {
        let (log, file) = self.logs.get(number)?;
        let log = self.given.get(*log)?;
        Some(file.map_or_else(|| log.clone(), |file| log.file(file)))
    }

    /// Judges a log. Rules that say nothing about it are left out: they may be those of another
    /// course. Says which rules it was read by.
    fn judge(&self, log: LogSubmission, options: &ReadOptions) -> (Result<JudgedLog, NotJudged>, String) {
        let algorithm = self.options.algorithm.as_deref();
        let judged = JudgedLog::of(log.clone(), options, algorithm);
        let idle = matches!(&judged, Ok(judged) if judged.judgement.log.events.is_empty());
        if options.rules.is_none() || !idle {
            return (judged, self.options.rules.clone());
        }
        (JudgedLog::of(log, &ReadOptions { rules: None, ..options.clone() }, algorithm), String::new())
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
        let mut problems = Vec::new();
        let rows = (0..self.logs.len()).filter_map(|number| self.submission(number)).map(|log| {
            let name = log.name.clone();
            if !log.files.is_empty() {
                problems.extend(log.problems.iter().map(|problem| format!("{name}: {problem}")));
            }
            let judged = self.judge(log, &options).0;
            ClassRow { cells: class_cells(&name, &judged), judged: judged.is_ok() }
        });
        let rows = rows.collect();
        JudgeAnswer::Class(rows, problems)
    }

    fn open(&mut self, number: usize) -> JudgeAnswer {
        (self.judged, self.unjudged, self.open) = (None, None, number);
        let Some(log) = self.submission(number) else {
            return JudgeAnswer::Refused(format!("log: {number} does not exist; expected 0 to {}.", self.logs.len()));
        };
        let options = match self.read_options() {
            Ok(options) => options,
            Err(why) => return JudgeAnswer::Refused(why),
        };
        let (judged, rules) = self.judge(log, &options);
        self.rules = rules;
        match judged {
            Ok(judged) => {
                let view = LogView::of(&judged, &self.rules);
                let sketch = LogSketch::of(&judged.judgement);
                self.judged = Some(judged);
                JudgeAnswer::Log(Box::new(view), Box::new(sketch))
            }
            Err(NotJudged::NotUnderstood(why)) => {
                self.read_only(number, &options);
                let shapes = self.log().map(|log| ShapesView::of(log, &self.rules)).unwrap_or_default();
                JudgeAnswer::NotUnderstood(why, shapes)
            }
            Err(NotJudged::Refused(why)) => JudgeAnswer::Refused(why),
        }
    }

    /// Reads a log without judging it.
    fn read_only(&mut self, number: usize, options: &ReadOptions) {
        let files = self.submission(number).map(|log| log.files).unwrap_or_default();
        (self.open, self.unjudged) = (number, Some(read(files, options)));
    }

    /// The shapes of the open log; of a class in which none is open, those of the first log that
    /// can be taught.
    fn shapes(&mut self) -> JudgeAnswer {
        if let (None, Ok(options)) = (self.log(), self.read_options()) {
            for number in 0..self.logs.len() {
                self.read_only(number, &options);
                if self.log().is_some_and(|log| log.format != LogFormat::Native && !log.files.is_empty()) {
                    break;
                }
            }
            self.rules.clone_from(&self.options.rules);
        }
        JudgeAnswer::Shapes(self.log().map(|log| ShapesView::of(log, &self.rules)).unwrap_or_default())
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
