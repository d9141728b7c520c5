//! Reads TOML values and notes everything that is wrong with them, each problem with its place.

use crate::{LocatedProblem, Place, quoted};
use lockstep_kernel::sort;
use lockstep_spec::toml::PlaceIndex;
use std::cell::RefCell;
use std::ops::Range;
use toml::Spanned;
use toml::de::{DeTable, DeValue};

/// The problems found so far in one text.
pub struct Report<'a> {
    places: PlaceIndex<'a>,
    problems: RefCell<Vec<LocatedProblem>>,
}

impl<'a> Report<'a> {
    pub fn new(text: &'a str) -> Self {
        Report { places: PlaceIndex::new(text), problems: RefCell::default() }
    }

    /// Notes a problem with a part of the text.
    pub fn add(&self, span: Range<usize>, message: impl Into<String>) {
        self.add_at(self.place(span), message);
    }

    fn add_at(&self, place: Place, message: impl Into<String>) {
        self.problems.borrow_mut().push(LocatedProblem { place, message: message.into() });
    }

    /// Where a span begins.
    pub fn place(&self, span: Range<usize>) -> Place {
        self.places.at(span.start)
    }

    /// The problems in the order of the text.
    pub fn finish(self) -> Vec<LocatedProblem> {
        let mut problems = self.problems.into_inner();
        sort::by(&mut problems, Ord::cmp);
        problems.dedup();
        problems
    }
}

/// A table of a file.
pub struct Table<'a> {
    pub table: &'a DeTable<'a>,
    pub span: Range<usize>,
    pub report: &'a Report<'a>,
}

impl<'a> Table<'a> {
    /// Notes every field that is not one of these.
    pub fn only(self, known: &[&str]) -> Self {
        for (key, _) in self.table.iter().filter(|(key, _)| !known.contains(&key.get_ref().as_ref())) {
            let (name, known) = (quoted(key.get_ref()), known.join(", "));
            self.report.add(key.span(), format!("{name} is not a field; expected one of {known}."));
        }
        self
    }

    /// Every field, with the place of its name.
    pub fn fields(&self) -> impl Iterator<Item = (FileValue<'a>, Place)> {
        let item = |name: &'a str, value| FileValue { name, value, report: self.report };
        self.table.iter().map(move |(key, value)| (item(key.get_ref(), value), self.report.place(key.span())))
    }

    /// The field of that name, if it is there.
    pub fn get(&self, name: &str) -> Option<FileValue<'a>> {
        self.fields().find(|(item, _)| item.name == name).map(|(item, _)| item)
    }

    /// A text that must be there; empty where it is missing.
    pub fn text(&self, name: &str) -> String {
        let item = self.get(name);
        if item.is_none() {
            self.report.add(self.span.clone(), format!("{name}: missing; expected `{name} = \"…\"`."));
        }
        item.and_then(|item| item.text()).unwrap_or_default().into()
    }

    /// The items of a list; none where it is missing.
    pub fn list(&self, name: &str) -> Vec<FileValue<'a>> {
        self.get(name).map_or_else(Vec::new, |item| item.list())
    }
}

/// A value of a file, with the name of the field that it belongs to.
#[derive(Clone, Copy)]
pub struct FileValue<'a> {
    pub name: &'a str,
    value: &'a Spanned<DeValue<'a>>,
    report: &'a Report<'a>,
}

impl<'a> FileValue<'a> {
    /// Notes a problem with this value.
    pub fn add(&self, message: impl Into<String>) {
        self.report.add(self.value.span(), message);
    }

    /// Notes a problem with its name, which stands there.
    pub fn add_at(&self, place: Place, message: impl Into<String>) {
        self.report.add_at(place, message);
    }

    /// Where it stands.
    pub fn place(&self) -> Place {
        self.report.place(self.value.span())
    }

    /// What is read from the value; a problem where that is nothing.
    pub fn read<T>(&self, expected: &str, read: impl FnOnce(&'a DeValue<'a>) -> Option<T>) -> Option<T> {
        let found = read(self.value.get_ref());
        if found.is_none() {
            let shown = match self.value.get_ref() {
                DeValue::Table(_) => "a table".into(),
                DeValue::Array(_) => "a list".into(),
                simple => scalar(simple).map_or("a date".into(), |text| lockstep_spec::quoted(&text)),
            };
            self.add(format!("{}: {shown} is not allowed; expected {expected}.", self.name));
        }
        found
    }

    /// A text.
    pub fn text(&self) -> Option<&'a str> {
        self.read("a string in quotation marks", DeValue::as_str)
    }

    /// What is read from a text; why it cannot be read is a problem.
    pub fn parse<T>(&self, read: impl FnOnce(&'a str) -> Result<T, String>) -> Option<T> {
        read(self.text()?).map_err(|why| self.add(why)).ok()
    }

    /// A whole number within a range.
    pub fn whole(&self, range: Range<u64>) -> Option<u64> {
        let expected = format!("a whole number from {} to {}", range.start, range.end - 1);
        self.read(&expected, |value| {
            let integer = value.as_integer()?;
            u64::from_str_radix(integer.as_str(), integer.radix()).ok().filter(|n| range.contains(n))
        })
    }

    /// The items of a list.
    pub fn list(&self) -> Vec<FileValue<'a>> {
        let list = self.read("a list in square brackets", DeValue::as_array);
        list.into_iter().flat_map(|list| list.iter()).map(|value| FileValue { value, ..*self }).collect()
    }

    /// The items of a list; a single value stands for a list of one.
    pub fn one_or_more(&self) -> Vec<FileValue<'a>> {
        if self.value.get_ref().is_array() { self.list() } else { vec![*self] }
    }

    /// A table.
    pub fn table(&self) -> Option<Table<'a>> {
        let table = self.read("a table", DeValue::as_table)?;
        Some(Table { table, span: self.value.span(), report: self.report })
    }
}

/// A simple value as it is compared with variables.
pub fn scalar(value: &DeValue<'_>) -> Option<String> {
    match value {
        DeValue::String(text) => Some(text.to_string()),
        DeValue::Integer(number) => Some(number.to_string()),
        DeValue::Float(number) => Some(number.to_string()),
        DeValue::Boolean(flag) => Some(flag.to_string()),
        _ => None,
    }
}
