//! The page's side: what the place shows, what can happen there, and what the page does about it.

use crate::examples::example;
use crate::lesson::{Addressee, Lesson};
use crate::sketch::LogSketch;
use crate::task::{ClassRow, FileChoice, JudgeAnswer, JudgeOptions, JudgeTask, LineHit, LogLine};
use crate::teaching::decoded;
use crate::view::{LogView, PairView, ShapesView};
use lockstep_scene::long::LongDiagram;
use lockstep_trace::RuleSet;
use lockstep_trace::shape::TokenRole;
use lockstep_trace::text::MOST_BYTES;
use std::rc::Rc;

/// How many lines of the log the page asks for at once.
pub const LINES: usize = 200;
/// The most files that are read at once: an archive may have as many.
pub const MOST_FILES: usize = 10_000;
/// Milliseconds after which the reader hears that the worker has not answered yet.
pub const SILENCE: u32 = 30_000;
/// How often its program is fetched before the reader is asked to try again.
const MOST_DOWNLOADS: u32 = 3;
/// How many workers may die over one log.
const MOST_DEATHS: u32 = 2;

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

/// How the worker was lost.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum DeskLoss {
    /// Its program, or a part of it, could not be downloaded: the log has nothing to do with it.
    Unavailable,
    /// It died, most likely because it needs more memory than it gets.
    Died,
}

impl DeskLoss {
    fn sentence(self) -> String {
        match self {
            DeskLoss::Unavailable => format!(
                "The program that judges logs could not be downloaded in {MOST_DOWNLOADS} attempts. Check the \
                 connection, then try again."
            ),
            DeskLoss::Died => "The worker that judges died over this log: it needs more memory than the browser \
                               gives. Split the log by runs, or close other tabs and try again."
                .to_owned(),
        }
    }
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
    /// The worker is lost.
    Lost(DeskLoss),
    /// The worker has not answered for [`SILENCE`].
    Silent,
    /// Read the same log again with a new worker.
    Retry,
    /// Stop what the worker does.
    Stop,
    /// Take every file as a log of its own, or files beside each other as one log.
    Each(bool),
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
    /// Set an option of the rules; an empty value takes it away.
    Option(String, String),
    /// Go back to the rules of earlier logs.
    OwnRules,
    /// Forget the rules of earlier logs.
    ForgetOwn,
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
    /// Whether the worker has not answered for a long time.
    pub silent: bool,
    /// Whether the same log can be tried again.
    pub retry: bool,
    /// How logs are read and judged.
    pub options: JudgeOptions,
    /// The rules that the reader taught earlier, or that a link brought: logs are read by them.
    pub own: String,
    /// The rules that are being written.
    pub rules: String,
    /// Whether the reader changed them: else they are those that the log was read by.
    pub(crate) edited: bool,
    /// How the files are logs.
    pub choice: FileChoice,
    /// What is wrong with the rules.
    pub rule_problems: Vec<String>,
    /// The table of several logs.
    pub class: Vec<ClassRow>,
    /// Files that could not be read.
    pub class_problems: Vec<String>,
    /// How the table was made.
    class_options: JudgeOptions,
    /// The log of the table that is open, understood or not.
    open: Option<usize>,
    /// The log that is open.
    pub log: Option<Rc<LogView>>,
    /// How it was judged.
    log_options: JudgeOptions,
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
    /// How the log was given, to give it again to a new worker.
    given: Option<JudgeCommand>,
    /// Whether the worker has not taken it yet.
    reading: bool,
    /// How many workers were lost over it.
    losses: u32,
}

impl JudgeState {
    /// A place with rules from an earlier visit.
    pub fn new(rules: Option<String>) -> JudgeState {
        let own = rules.filter(|rules| RuleSet::parse(rules).is_ok()).unwrap_or_default();
        JudgeState { own, ..JudgeState::default() }
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
            Paste(text) => {
                let options = self.options_for_new();
                self.read(vec![("pasted.log".to_owned(), text)], false, options)
            }
            Example(id) => match example(&id) {
                Some(example) => {
                    let own = |(name, text): &(&str, &str)| ((*name).to_owned(), (*text).to_owned());
                    self.read(example.files.iter().map(own).collect(), false, JudgeOptions::default())
                }
                None => Vec::new(),
            },
            Visit(wanted) => self.visit(&wanted),
            Heard(answer) => {
                self.silent = false;
                self.hear(*answer)
            }
            Failed(why) => {
                self.forget();
                (self.problem, self.retry) = (Some(why), self.given.is_some());
                vec![JudgeCommand::Drop]
            }
            Lost(loss) => self.lost(loss),
            Silent => {
                self.silent = self.busy;
                Vec::new()
            }
            Retry => {
                self.losses = 0;
                self.give_again()
            }
            Stop => {
                self.forget();
                (self.problem, self.retry) = (Some("Stopped. Nothing was judged.".into()), self.given.is_some());
                vec![JudgeCommand::Drop]
            }
            Reset => {
                self.forget();
                vec![JudgeCommand::Drop]
            }
            Tab(tab) => self.tab(tab),
            Open(log) => {
                (self.busy, self.open, self.options.session) = (true, Some(log), 0);
                vec![JudgeCommand::Ask(JudgeTask::Open(log, self.options.clone()))]
            }
            Each(each) => {
                (self.options.each, self.options.session) = (Some(each), 0);
                (self.busy, self.problem) = (true, None);
                vec![JudgeCommand::Ask(JudgeTask::Regroup(self.options.clone()))]
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
        if files.len() > MOST_FILES {
            let given = files.len();
            self.problem = Some(format!("There are {given} files; expected at most {MOST_FILES}. Nothing was read."));
            return Vec::new();
        }
        if bytes > MOST_BYTES as f64 {
            let (given, most) = ((bytes / 1_048_576.0).ceil(), MOST_BYTES >> 20);
            self.problem = Some(format!("The files have {given} MB; expected at most {most} MB in all."));
            return Vec::new();
        }
        let options = self.options_for_new();
        self.read(Vec::new(), true, options)
    }

    /// How a new log is read: by the rules of the reader. What belongs to one log is not kept.
    fn options_for_new(&self) -> JudgeOptions {
        JudgeOptions { rules: self.own.clone(), ..JudgeOptions::default() }
    }

    /// Reads a log. The one that is open stays until the worker has the new one.
    fn read(&mut self, pasted: Vec<(String, String)>, files: bool, options: JudgeOptions) -> Vec<JudgeCommand> {
        // a worker that is busy need not finish, and one that is not there cannot
        let fresh = self.busy || (self.log.is_none() && self.class.is_empty());
        if fresh {
            self.forget();
        }
        (self.busy, self.reading, self.problem, self.retry, self.losses) = (true, true, None, false, 0);
        self.options = options.clone();
        let task = JudgeTask::Read { pasted, options };
        let ask = if files { JudgeCommand::AskWithFiles(task) } else { JudgeCommand::Ask(task) };
        self.given = Some(ask.clone());
        fresh.then_some(JudgeCommand::Restart).into_iter().chain([ask]).collect()
    }

    /// Gives the same log to a new worker.
    fn give_again(&mut self) -> Vec<JudgeCommand> {
        let Some(mut given) = self.given.clone() else { return Vec::new() };
        if let JudgeCommand::Ask(JudgeTask::Read { options, .. })
        | JudgeCommand::AskWithFiles(JudgeTask::Read { options, .. }) = &mut given
        {
            options.clone_from(&self.options);
        }
        let losses = self.losses;
        self.forget();
        (self.busy, self.reading, self.losses) = (true, true, losses);
        vec![JudgeCommand::Restart, given]
    }

    /// Forgets the log that was open, but not how it was given.
    fn forget(&mut self) {
        let JudgeState { options, own, drawn, given, .. } = std::mem::take(self);
        *self = JudgeState { options, own, drawn, given, ..JudgeState::default() };
    }

    fn lost(&mut self, loss: DeskLoss) -> Vec<JudgeCommand> {
        self.losses += 1;
        let most = match loss {
            DeskLoss::Unavailable => MOST_DOWNLOADS,
            DeskLoss::Died => MOST_DEATHS,
        };
        if self.losses < most && self.given.is_some() {
            let reading = self.reading;
            let commands = self.give_again();
            // the log comes back; what it died over does not
            self.problem = (loss == DeskLoss::Died && !reading).then(|| loss.sentence());
            return commands;
        }
        self.forget();
        (self.problem, self.retry) = (Some(loss.sentence()), self.given.is_some());
        vec![JudgeCommand::Drop]
    }

    fn tab(&mut self, tab: JudgeTab) -> Vec<JudgeCommand> {
        self.tab = tab;
        match tab {
            JudgeTab::Teach => vec![JudgeCommand::Ask(JudgeTask::Shapes)],
            JudgeTab::Class if !self.class.is_empty() && !same_class(&self.class_options, &self.options) => {
                self.table()
            }
            JudgeTab::Verdict if self.log.is_some() && self.log_options != self.options => self.again(),
            _ => Vec::new(),
        }
    }

    /// Makes the table again.
    fn table(&mut self) -> Vec<JudgeCommand> {
        (self.busy, self.problem) = (true, None);
        vec![JudgeCommand::Ask(JudgeTask::Table(self.options.clone()))]
    }

    /// Judges the open log again.
    fn again(&mut self) -> Vec<JudgeCommand> {
        (self.busy, self.problem) = (true, None);
        vec![JudgeCommand::Ask(JudgeTask::Again(self.options.clone()))]
    }

    fn visit(&mut self, wanted: &str) -> Vec<JudgeCommand> {
        if let Some(rules) = wanted.strip_prefix("rules:") {
            let rules = decoded(rules);
            return match RuleSet::parse(&rules) {
                Ok(_) => {
                    self.own = rules;
                    Vec::new()
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
            JudgeAnswer::Taken(choice, answer) => {
                // only now is the new log there, and the old one gone
                let problem = self.problem.take();
                self.forget();
                (self.choice, self.problem) = (choice, problem);
                return self.hear(*answer);
            }
            JudgeAnswer::Class(rows, problems) => {
                (self.busy, self.tab, self.losses) = (false, JudgeTab::Class, 0);
                (self.class, self.class_problems) = (rows, problems);
                self.class_options = self.options.clone();
            }
            JudgeAnswer::Log(view, sketch) => return self.opened(*view, *sketch),
            JudgeAnswer::NotUnderstood(why, shapes) => {
                (self.busy, self.tab, self.log) = (false, JudgeTab::Teach, None);
                self.problem = Some(format!("{why} Say what the lines mean: choose a shape."));
                self.shapes(shapes);
            }
            JudgeAnswer::Refused(why) => {
                (self.busy, self.reading, self.problem) = (false, false, Some(why));
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
        (self.busy, self.problem, self.losses) = (false, None, 0);
        self.log_options = self.options.clone();
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
        if self.edited {
            self.shapes = Rc::new(shapes);
            return self.mark_rules();
        }
        self.rules.clone_from(&shapes.rules);
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
                self.options.rules.clone_from(&self.rules);
                // guesses that nobody changed are no rules of the reader
                if self.edited {
                    self.own.clone_from(&self.rules);
                    stored = Some(JudgeCommand::Store(self.rules.clone()));
                }
            }
        }
        let class = self.tab == JudgeTab::Class || (self.open.is_none() && !self.class.is_empty());
        let ask = if class { self.table() } else { self.again() };
        stored.into_iter().chain(ask).collect()
    }
}

/// Whether a table is the same under these options: which run is shown matters to one log only.
fn same_class(a: &JudgeOptions, b: &JudgeOptions) -> bool {
    let without_session = |options: &JudgeOptions| JudgeOptions { session: 0, ..options.clone() };
    without_session(a) == without_session(b)
}
