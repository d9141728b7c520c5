//! The page's side of teaching: lessons, rules, and what is saved.

use crate::lesson::{Lesson, with_rule};
use crate::place::{JudgeAction, JudgeCommand, JudgeFile, JudgeState};
use crate::settings::with_option;
use lockstep_trace::RuleSet;
use lockstep_trace::report::{COLUMNS, csv};
use std::rc::Rc;

/// The longest rules that go into an address.
const MOST_LINKED: usize = 6_000;

impl JudgeState {
    pub(crate) fn teach(&mut self, action: JudgeAction) -> Vec<JudgeCommand> {
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
                        self.change_rules();
                    }
                    Err(why) => self.lesson_problem = Some(why),
                }
            }
            JudgeAction::Forget(shape) => {
                if let Some(row) = self.shapes.rows.get(shape) {
                    self.rules = with_rule(&self.rules, &row.line, None);
                    self.change_rules();
                }
            }
            JudgeAction::Option(name, value) => {
                self.rules = with_option(&self.rules, &name, &value);
                self.change_rules();
            }
            JudgeAction::Rules(rules) => {
                self.rules = rules;
                self.change_rules();
            }
            JudgeAction::OwnRules => {
                self.rules.clone_from(&self.own);
                self.change_rules();
            }
            JudgeAction::ForgetOwn => {
                self.own.clear();
                return vec![JudgeCommand::Store(String::new())];
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

    /// The reader has changed the rules: those of the next log do not replace them.
    fn change_rules(&mut self) {
        self.edited = true;
        self.rule_problems = RuleSet::parse(&self.rules).err().unwrap_or_default();
        self.mark_rules();
    }

    /// Says for each shape which rule matches it now.
    pub(crate) fn mark_rules(&mut self) {
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

/// Reads what [`encoded`] wrote.
pub(crate) fn decoded(text: &str) -> String {
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
