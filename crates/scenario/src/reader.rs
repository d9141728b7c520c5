//! Reads TOML tables field by field and remembers everything that is wrong, with its place.

use crate::{LocatedProblem, Place, quoted};
use lockstep_kernel::sort;
use lockstep_spec::{Field, Use};
use std::ops::Range;
use toml::Spanned;
use toml::de::{DeTable, DeValue};

/// A value with its place.
pub type Value<'i> = Spanned<DeValue<'i>>;

/// The problems found so far in one text.
pub struct Report<'i> {
    text: &'i str,
    problems: Vec<LocatedProblem>,
}

impl<'i> Report<'i> {
    pub fn new(text: &'i str) -> Self {
        Report { text, problems: Vec::new() }
    }

    /// Remembers a problem.
    pub fn add(&mut self, span: Range<usize>, message: impl Into<String>) {
        let place = self.place(span);
        self.problems.push(LocatedProblem::at(place, message.into()));
    }

    /// Where a span begins.
    pub fn place(&self, span: Range<usize>) -> Place {
        let before = self.text.get(..span.start).unwrap_or(self.text);
        let line_start = before.rfind('\n').map_or(0, |i| i + 1);
        Place { line: 1 + before.matches('\n').count(), column: 1 + before[line_start..].chars().count() }
    }

    /// Whether nothing is wrong so far.
    pub fn is_clean(&self) -> bool {
        self.problems.is_empty()
    }

    /// The problems in the order of the text.
    pub fn finish(mut self) -> Vec<LocatedProblem> {
        sort::by(&mut self.problems, Ord::cmp);
        self.problems.dedup();
        self.problems
    }

    /// A value as text.
    pub fn text(&mut self, what: &str, value: &Value<'_>) -> Option<String> {
        let text = value.get_ref().as_str().map(str::to_owned);
        if text.is_none() {
            self.add(value.span(), format!("{what} is {}; expected a string in quotation marks.", kind(value)));
        }
        text
    }

    /// A value as a whole number within a range.
    pub fn whole(&mut self, what: &str, value: &Value<'_>, range: Range<u64>) -> Option<u64> {
        let parsed = value.get_ref().as_integer().and_then(|i| u64::from_str_radix(i.as_str(), i.radix()).ok());
        let number = parsed.filter(|n| range.contains(n));
        if number.is_none() {
            let (from, to) = (range.start, range.end - 1);
            self.add(value.span(), format!("{what} is {}; expected a whole number from {from} to {to}.", shown(value)));
        }
        number
    }

    /// A value as a list.
    pub fn list<'v, 'd>(&mut self, what: &str, value: &'v Value<'d>) -> &'v [Value<'d>] {
        match value.get_ref() {
            DeValue::Array(list) => list,
            _ => {
                self.add(value.span(), format!("{what} is {}; expected a list in square brackets.", kind(value)));
                &[]
            }
        }
    }

    /// A list of strings.
    pub fn strings(&mut self, what: &str, value: &Value<'_>) -> Vec<(String, Place)> {
        let list = self.list(what, value);
        let mut strings = Vec::with_capacity(list.len());
        for item in list {
            let place = self.place(item.span());
            strings.extend(self.text(&format!("An entry of {what}"), item).map(|t| (t, place)));
        }
        strings
    }

    /// A value as a table.
    pub fn table<'v, 'd>(&mut self, what: &'static str, value: &'v Value<'d>) -> Option<Fields<'v, 'd>> {
        match value.get_ref() {
            DeValue::Table(table) => Some(Fields::new(what, table, value.span())),
            _ => {
                self.add(value.span(), format!("{what} is {}; expected a table.", kind(value)));
                None
            }
        }
    }
}

/// The fields of one table; those that nobody asks for are problems.
pub struct Fields<'v, 'd> {
    what: &'static str,
    table: &'v DeTable<'d>,
    span: Range<usize>,
    known: Vec<&'static str>,
}

impl<'v, 'd> Fields<'v, 'd> {
    pub fn new(what: &'static str, table: &'v DeTable<'d>, span: Range<usize>) -> Self {
        Fields { what, table, span, known: Vec::new() }
    }

    /// The field of that name, if it is there.
    pub fn get(&mut self, name: &'static str) -> Option<&'v Value<'d>> {
        if !self.known.contains(&name) {
            self.known.push(name);
        }
        self.table.iter().find(|(k, _)| k.get_ref() == name).map(|(_, v)| v)
    }

    /// An optional text.
    pub fn text(&mut self, report: &mut Report<'_>, name: &'static str) -> Option<(String, Range<usize>)> {
        let value = self.get(name)?;
        report.text(&format!("`{name}`"), value).map(|t| (t, value.span()))
    }

    /// A text that must be there; empty where it is missing.
    pub fn required_text(&mut self, report: &mut Report<'_>, name: &'static str) -> String {
        if self.get(name).is_none() {
            report.add(self.span.clone(), format!("{} has no `{name}`; expected `{name} = \"…\"`.", self.what));
        }
        self.text(report, name).map_or_else(String::new, |t| t.0)
    }

    /// Where the table begins.
    pub fn span(&self) -> Range<usize> {
        self.span.clone()
    }

    /// Every field, with the place of its name.
    pub fn all(&self) -> impl Iterator<Item = (&'v str, Range<usize>, &'v Value<'d>)> + use<'v, 'd> {
        self.table.iter().map(|(k, v)| (k.get_ref().as_ref(), k.span(), v))
    }

    /// Knows every field of a system.
    pub fn know_system(&mut self) {
        for field in Field::of(Use::Play) {
            self.known.push(field.name);
            self.known.extend(field.aliases.iter().filter(|alias| **alias != "param"));
        }
    }

    /// Complains about fields that do not exist.
    pub fn finish(self, report: &mut Report<'_>) {
        for (name, span, _) in self.all() {
            if !self.known.contains(&name) {
                let known = self.known.join(", ");
                report.add(span, format!("{} has no field {}; it has {known}.", self.what, quoted(name)));
            }
        }
    }
}

/// What a value is, in words.
pub fn kind(value: &Value<'_>) -> &'static str {
    match value.get_ref() {
        DeValue::String(_) => "a text",
        DeValue::Integer(_) => "a whole number",
        DeValue::Float(_) => "a number",
        DeValue::Boolean(_) => "true or false",
        DeValue::Datetime(_) => "a date",
        DeValue::Array(_) => "a list",
        DeValue::Table(_) => "a table",
    }
}

/// A simple value as it is compared with parameters and variables.
pub fn scalar(value: &Value<'_>) -> Option<String> {
    match value.get_ref() {
        DeValue::String(text) => Some(text.to_string()),
        DeValue::Integer(number) => Some(number.to_string()),
        DeValue::Float(number) => Some(number.to_string()),
        DeValue::Boolean(flag) => Some(flag.to_string()),
        _ => None,
    }
}

/// A value for a sentence.
pub fn shown(value: &Value<'_>) -> String {
    scalar(value).map_or_else(|| kind(value).to_owned(), |text| quoted(&text))
}
