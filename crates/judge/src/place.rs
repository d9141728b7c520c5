//! The page's side: what the place shows, what can happen there, and what the page does about it.

use crate::examples::example;
use crate::lesson::{Addressee, Lesson, with_option, with_rule};
use crate::sketch::LogSketch;
use crate::task::{ClassRow, JudgeAnswer, JudgeOptions, JudgeTask, LineHit, LogLine};
use crate::view::{LogView, PairView, ShapesView};
use lockstep_scene::long::LongDiagram;
use lockstep_trace::RuleSet;
use lockstep_trace::report::{COLUMNS, csv};
use lockstep_trace::shape::TokenRole;
use lockstep_trace::text::MOST_BYTES;
use std::rc::Rc;

/// How many lines of the log the page asks for at once.
pub const LINES: usize = 200;
/// The longest rules that go into an address.
const MOST_LINKED: usize = 6_000;

/// What the place shows.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum JudgeTab {
    /// Where to put a log.
    #[default]
    Give,
    /// The table of several logs.
    Class,
    /// One log and its verdict.
    Verdict,
    /// The shapes of lines, to teach rules.
    Teach,
}

/// What can happen here.
#[derive(Clone, PartialEq, Debug)]
pub enum JudgeAction {
    /// Files were dropped or chosen: how many bytes they have. The page keeps them.
    Files(Vec<(String, f64)>),
    /// A text was pasted.
    Paste(String),
    /// Open an example.
    Example(String),
    /// What the address asks for: an example, or rules.
    Visit(String),
    /// The worker answered.
    Heard(Box<JudgeAnswer>),
    /// The worker cannot answer: why.
    Failed(String),
    /// Stop what the worker does.
    Stop,
    /// Begin with another log.
    Reset,
    /// Show another tab.
    Tab(JudgeTab),
    /// Open a log of the table.
    Open(usize),
    /// A section was clicked.
    Section(usize),
    /// Explain these two.
    Pair(usize, usize),
    /// Forget the pair.
    NoPair,
    /// Show the other order in which both are inside, or the log's own.
    OtherOrder(bool),
    /// An event was clicked.
    Event(u32),
    /// A line of the log was clicked, counted from 0.
    Line(usize, usize),
    /// Show this file from this line on.
    Lines(usize, usize),
    /// Look for a text.
    Search(String),
    /// Go to the next thing that was found, or to the one before.
    Hit(bool),
    /// Compare with an algorithm; empty: with none.
    Algorithm(String),
    /// Clocks are exact to this many seconds; empty: not known.
    Skew(String),
    /// Judge this run of the log.
    Session(usize),
    /// Teach a shape.
    Lesson(usize),
    /// Choose a word of its line.
    Word(usize),
    /// Give the word a role.
    Role(Option<TokenRole>),
    /// Add or remove a meaning.
    Meaning(String),
    /// The kind of the message.
    Kind(String),
    /// To whom it goes.
    To(Addressee),
    /// Keep the rule of the lesson.
    Keep,
    /// Drop the rule of a shape.
    Forget(usize),
    /// Turn an option of the rules on or off.
    Option(&'static str, bool),
    /// Take these rules.
    Rules(String),
    /// Judge with the rules.
    Judge,
    /// Save the rules, the table or the link.
    Save(JudgeFile),
}

/// What can be saved.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum JudgeFile {
    /// The rules as a file.
    Rules,
    /// The table of a class as CSV.
    Table,
    /// A link with the rules.
    Link,
}

/// What the page has to do.
#[derive(Clone, PartialEq, Debug)]
pub enum JudgeCommand {
    /// Start a new worker: the old one need not finish.
    Restart,
    /// End the worker.
    Drop,
    /// Ask the worker.
    Ask(JudgeTask),
    /// Ask the worker, with the files that were given last.
    AskWithFiles(JudgeTask),
    /// Show the diagram around an event.
    Centre(u32),
    /// Store the rules for the next visit.
    Store(String),
    /// Save a file: name, media type, content.
    Download(&'static str, &'static str, String),
    /// Copy the address of the place that shows this.
    CopyLink(String),
}

/// What the page knows of the logs.
#[derive(Default)]
pub struct JudgeState {
    /// What is shown.
    pub tab: JudgeTab,
    /// Whether the worker is busy with a log.
    pub busy: bool,
    /// Why the last log was not judged.
    pub problem: Option<String>,
    /// How logs are read and judged.
    pub options: JudgeOptions,
    /// The rules that are being written.
    pub rules: String,
    /// What is wrong with the rules.
    pub rule_problems: Vec<String>,
    /// The table of several logs.
    pub class: Vec<ClassRow>,
    /// Files that could not be read.
    pub class_problems: Vec<String>,
    /// The log that is open.
    pub log: Option<Rc<LogView>>,
    /// Its events.
    pub sketch: Rc<LogSketch>,
    /// Its diagram; equal only to itself.
    pub diagram: Rc<LongDiagram>,
    /// How many diagrams there were: a new one is drawn from its beginning.
    pub drawn: u32,
    /// The sections that were chosen, at most two.
    pub chosen: Vec<usize>,
    /// What is known about the two.
    pub pair: Option<Rc<PairView>>,
    /// Whether the two may overlap, so that there is nothing to explain.
    pub compatible: bool,
    /// Whether the other order is shown.
    pub other: bool,
    /// The event that was chosen.
    pub event: Option<u32>,
    /// The file whose lines are shown.
    pub file: usize,
    /// The first line that is shown, counted from 0.
    pub from: usize,
    /// The lines.
    pub lines: Rc<Vec<LogLine>>,
    /// The line that was chosen, counted from 0.
    pub line: Option<usize>,
    /// The text that was looked for.
    pub wanted: String,
    /// Where it was found.
    pub hits: Vec<LineHit>,
    /// How often it was found.
    pub hit_count: usize,
    /// The one that is shown.
    pub hit: usize,
    /// The shapes of the lines.
    pub shapes: Rc<ShapesView>,
    /// The lesson that is open.
    pub lesson: Option<Lesson>,
    /// What is wrong with it.
    pub lesson_problem: Option<String>,
}

impl JudgeState {
    /// A place with rules from an earlier visit.
    pub fn new(rules: Option<String>) -> JudgeState {
        let rules = rules.filter(|rules| RuleSet::parse(rules).is_ok()).unwrap_or_default();
        JudgeState { rules, ..JudgeState::default() }
    }

    /// Makes something happen. The page carries out the commands in their order.
    pub fn apply(&mut self, action: JudgeAction) -> Vec<JudgeCommand> {
        use JudgeAction::*;
        match action {
            Files(files) => self.files(&files),
            Paste(text) if text.trim().is_empty() => {
                self.problem = Some("The text is empty; expected the lines of a log.".into());
                Vec::new()
            }
            Paste(text) => self.read(vec![("pasted.log".to_owned(), text)]),
            Example(id) => match example(&id) {
                Some(example) => {
                    self.options = JudgeOptions::default();
                    let own = |(name, text): &(&str, &str)| ((*name).to_owned(), (*text).to_owned());
                    self.read(example.files.iter().map(own).collect())
                }
                None => Vec::new(),
            },
            Visit(wanted) => self.visit(&wanted),
            Heard(answer) => self.hear(*answer),
            Failed(why) => {
                (self.busy, self.problem) = (false, Some(why));
                vec![JudgeCommand::Drop]
            }
            Stop => {
                (self.busy, self.problem) = (false, Some("Stopped. Nothing was judged.".into()));
                if self.log.is_none() {
                    self.tab = JudgeTab::Give;
                }
                vec![JudgeCommand::Drop]
            }
            Reset => {
                let rules = std::mem::take(&mut self.rules);
                let drawn = self.drawn;
                *self = JudgeState { rules, drawn, ..JudgeState::default() };
                vec![JudgeCommand::Drop]
            }
            Tab(JudgeTab::Teach) => {
                self.tab = JudgeTab::Teach;
                vec![JudgeCommand::Ask(JudgeTask::Shapes)]
            }
            Tab(tab) => {
                self.tab = tab;
                Vec::new()
            }
            Open(log) => {
                self.busy = true;
                vec![JudgeCommand::Ask(JudgeTask::Open(log))]
            }
            action @ (Algorithm(_) | Skew(_) | Session(_) | Judge) => self.judge_again(action),
            action @ (Section(_) | Pair(..) | NoPair | OtherOrder(_) | Event(_) | Line(..) | Lines(..) | Search(_)
            | Hit(_)) => self.look(action),
            action => self.teach(action),
        }
    }

    fn files(&mut self, files: &[(String, f64)]) -> Vec<JudgeCommand> {
        let bytes: f64 = files.iter().map(|(_, size)| size).sum();
        if files.is_empty() {
            self.problem = Some("There are no files; expected logs.".into());
            return Vec::new();
        }
        if bytes > MOST_BYTES as f64 {
            let (given, most) = ((bytes / 1_048_576.0).ceil(), MOST_BYTES >> 20);
            self.problem = Some(format!("The files have {given} MB; expected at most {most} MB in all."));
            return Vec::new();
        }
        self.options.session = 0;
        self.begin();
        let task = JudgeTask::Read { pasted: Vec::new(), options: self.options.clone() };
        vec![JudgeCommand::Restart, JudgeCommand::AskWithFiles(task)]
    }

    fn read(&mut self, pasted: Vec<(String, String)>) -> Vec<JudgeCommand> {
        self.options.session = 0;
        self.begin();
        let task = JudgeTask::Read { pasted, options: self.options.clone() };
        vec![JudgeCommand::Restart, JudgeCommand::Ask(task)]
    }

    /// Forgets the log that was open.
    fn begin(&mut self) {
        let JudgeState { options, rules, drawn, .. } = std::mem::take(self);
        *self = JudgeState { options, rules, drawn, busy: true, ..JudgeState::default() };
    }

    fn visit(&mut self, wanted: &str) -> Vec<JudgeCommand> {
        if let Some(rules) = wanted.strip_prefix("rules:") {
            let rules = decoded(rules);
            return match RuleSet::parse(&rules) {
                Ok(_) => {
                    (self.rules, self.options.rules) = (rules.clone(), rules.clone());
                    vec![JudgeCommand::Store(rules)]
                }
                Err(problems) => {
                    self.problem = Some(format!("The rules of the link cannot be read: {}", problems.join(" ")));
                    Vec::new()
                }
            };
        }
        match wanted {
            "" => Vec::new(),
            id if example(id).is_some() => self.apply(JudgeAction::Example(id.to_owned())),
            other => {
                self.problem = Some(format!("judge: {other} is not known; expected an example or rules."));
                Vec::new()
            }
        }
    }

    fn hear(&mut self, answer: JudgeAnswer) -> Vec<JudgeCommand> {
        match answer {
            JudgeAnswer::Class(rows, problems) => {
                (self.busy, self.tab) = (false, JudgeTab::Class);
                (self.class, self.class_problems) = (rows, problems);
            }
            JudgeAnswer::Log(view, sketch) => return self.opened(*view, *sketch),
            JudgeAnswer::NotUnderstood(why, shapes) => {
                (self.busy, self.tab, self.log) = (false, JudgeTab::Teach, None);
                self.problem = Some(format!("{why} Say what the lines mean: choose a shape."));
                self.shapes(shapes);
            }
            JudgeAnswer::Refused(why) => {
                (self.busy, self.problem) = (false, Some(why));
                if self.log.is_none() {
                    self.tab = if self.class.is_empty() { JudgeTab::Give } else { JudgeTab::Class };
                }
            }
            JudgeAnswer::Pair(a, b, view) if self.chosen == [a, b] => {
                self.compatible = view.is_none();
                self.pair = view.map(|view| Rc::new(*view));
                let first = self.pair.as_ref().map(|pair| pair.first);
                return first.and_then(|section| self.entry(section)).map(JudgeCommand::Centre).into_iter().collect();
            }
            JudgeAnswer::Pair(..) => {}
            JudgeAnswer::Lines(file, from, rows) if (file, from) == (self.file, self.from) => {
                self.lines = Rc::new(rows);
            }
            JudgeAnswer::Lines(..) => {}
            JudgeAnswer::Hits(wanted, hits, count) if wanted == self.wanted => {
                (self.hits, self.hit_count, self.hit) = (hits, count, 0);
                return self.show_hit();
            }
            JudgeAnswer::Hits(..) => {}
            JudgeAnswer::Shapes(shapes) => self.shapes(shapes),
        }
        Vec::new()
    }

    fn opened(&mut self, view: LogView, sketch: LogSketch) -> Vec<JudgeCommand> {
        (self.busy, self.problem) = (false, None);
        self.tab = JudgeTab::Verdict;
        self.diagram = Rc::new(sketch.diagram());
        self.drawn += 1;
        self.sketch = Rc::new(sketch);
        (self.chosen, self.pair, self.other, self.event) = (Vec::new(), None, false, None);
        (self.file, self.from, self.line, self.compatible) = (0, 0, None, false);
        (self.wanted, self.hits, self.hit_count) = (String::new(), Vec::new(), 0);
        self.shapes = Rc::default();
        self.lesson = None;
        let first = view.pairs.first().map(|pair| (pair.first, pair.second));
        self.log = Some(Rc::new(view));
        let mut commands = vec![JudgeCommand::Ask(JudgeTask::Lines(0, 0, LINES))];
        // the first bad thing first
        if let Some((a, b)) = first {
            commands.extend(self.look(JudgeAction::Pair(a, b)));
        }
        commands
    }

    fn shapes(&mut self, shapes: ShapesView) {
        if self.rules.trim().is_empty() || self.options.rules.is_empty() {
            self.rules = shapes.rules.clone();
        }
        self.shapes = Rc::new(shapes);
    }

    /// The entry of a section.
    pub fn entry(&self, section: usize) -> Option<u32> {
        self.sketch.sections.get(section).map(|(_, enter, _)| *enter)
    }

    fn judge_again(&mut self, action: JudgeAction) -> Vec<JudgeCommand> {
        let mut stored = None;
        match action {
            JudgeAction::Algorithm(id) => self.options.algorithm = (!id.is_empty()).then_some(id),
            JudgeAction::Skew(text) if text.trim().is_empty() => self.options.skew = None,
            JudgeAction::Skew(text) => match text.trim().replace(',', ".").parse::<f64>() {
                Ok(skew) if skew.is_finite() && skew >= 0.0 => self.options.skew = Some(skew),
                _ => {
                    self.problem = Some(format!("skew: {text} is not allowed; expected 0 or more seconds."));
                    return Vec::new();
                }
            },
            JudgeAction::Session(number) => self.options.session = number,
            _ => {
                if let Err(problems) = RuleSet::parse(&self.rules) {
                    self.rule_problems = problems;
                    return Vec::new();
                }
                self.rule_problems.clear();
                self.options.rules = self.rules.clone();
                stored = Some(JudgeCommand::Store(self.rules.clone()));
            }
        }
        (self.busy, self.problem) = (true, None);
        let ask = JudgeCommand::Ask(JudgeTask::Again(self.options.clone()));
        stored.into_iter().chain([ask]).collect()
    }

    fn look(&mut self, action: JudgeAction) -> Vec<JudgeCommand> {
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

    fn show_hit(&mut self) -> Vec<JudgeCommand> {
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

    fn teach(&mut self, action: JudgeAction) -> Vec<JudgeCommand> {
        self.lesson_problem = None;
        match action {
            JudgeAction::Lesson(shape) => {
                let row = self.shapes.rows.get(shape).filter(|row| !row.line.is_empty());
                self.lesson = row.map(|row| Lesson::of(shape, row));
            }
            JudgeAction::Keep => {
                let Some(lesson) = &self.lesson else { return Vec::new() };
                match lesson.rule() {
                    Ok(rule) => {
                        self.rules = with_rule(&self.rules, &lesson.line, Some(&rule));
                        self.lesson = None;
                        self.mark_rules();
                    }
                    Err(why) => self.lesson_problem = Some(why),
                }
            }
            JudgeAction::Forget(shape) => {
                if let Some(row) = self.shapes.rows.get(shape) {
                    self.rules = with_rule(&self.rules, &row.line, None);
                    self.mark_rules();
                }
            }
            JudgeAction::Option(option, on) => self.rules = with_option(&self.rules, option, on),
            JudgeAction::Rules(rules) => {
                self.rule_problems = RuleSet::parse(&rules).err().unwrap_or_default();
                self.rules = rules;
                self.mark_rules();
            }
            JudgeAction::Save(saved) => return self.save(saved),
            action => {
                let Some(lesson) = &mut self.lesson else { return Vec::new() };
                match action {
                    JudgeAction::Word(word) => lesson.choose(word),
                    JudgeAction::Role(role) => lesson.role(role),
                    JudgeAction::Meaning(verb) => lesson.toggle(&verb),
                    JudgeAction::Kind(kind) => lesson.kind(&kind),
                    JudgeAction::To(to) => lesson.to(to),
                    _ => {}
                }
            }
        }
        Vec::new()
    }

    /// Says for each shape which rule matches it now.
    fn mark_rules(&mut self) {
        let set = RuleSet::parse(&self.rules).unwrap_or_default();
        let mut shapes = (*self.shapes).clone();
        for row in &mut shapes.rows {
            let lower = row.line.to_ascii_lowercase();
            let rule = set.rules.iter().find(|rule| rule.pattern.find(&row.line, &lower).is_some());
            row.rule = rule.map(ToString::to_string).unwrap_or_default();
            row.not_understood = if rule.is_some() { 0 } else { row.count };
        }
        self.shapes = Rc::new(shapes);
    }

    fn save(&mut self, saved: JudgeFile) -> Vec<JudgeCommand> {
        match saved {
            JudgeFile::Rules => vec![JudgeCommand::Download("lockstep.rules", "text/plain", self.rules.clone())],
            JudgeFile::Table => {
                let head = vec![COLUMNS.map(str::to_owned).to_vec()];
                let rows: Vec<Vec<String>> =
                    head.into_iter().chain(self.class.iter().map(|row| row.cells.clone())).collect();
                vec![JudgeCommand::Download("logs.csv", "text/csv", csv(&rows))]
            }
            JudgeFile::Link => {
                let encoded = encoded(&self.rules);
                if encoded.len() > MOST_LINKED {
                    self.problem = Some("The rules are too long for a link; save them as a file.".into());
                    return Vec::new();
                }
                vec![JudgeCommand::CopyLink(format!("rules:{encoded}"))]
            }
        }
    }
}

/// A text as an address can contain it.
fn encoded(text: &str) -> String {
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'.' | b'~');
    text.bytes().map(|byte| if plain(byte) { char::from(byte).to_string() } else { format!("%{byte:02X}") }).collect()
}

fn decoded(text: &str) -> String {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let [first, more @ ..] = rest {
        let hex = more.get(..2).and_then(|two| std::str::from_utf8(two).ok());
        match hex.and_then(|hex| u8::from_str_radix(hex, 16).ok()).filter(|_| *first == b'%') {
            Some(byte) => {
                bytes.push(byte);
                rest = &more[2..];
            }
            None => {
                bytes.push(*first);
                rest = more;
            }
        }
    }
    String::from_utf8_lossy(&bytes).into_owned()
}
