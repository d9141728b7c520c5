//! The text of a link as fields: `name=value&name=value`.

use crate::quoted;
use std::collections::BTreeMap;

/// The fields of a link, and what is wrong with them.
pub struct Fields {
    pub fields: BTreeMap<String, String>,
    pub problems: Vec<String>,
}

impl Fields {
    pub fn of(text: &str) -> Self {
        let mut all = Fields { fields: BTreeMap::new(), problems: Vec::new() };
        for part in text.split('&').filter(|p| !p.is_empty()) {
            let (name, value) = part.split_once('=').unwrap_or((part, ""));
            let Some(value) = unescape(value) else {
                all.wrong(format!(
                    "The field {} is damaged; right would be % and two digits for a special letter.",
                    quoted(name)
                ));
                continue;
            };
            if all.fields.insert(name.into(), value).is_some() {
                all.wrong(format!("The field {} is there twice; right would be once.", quoted(name)));
            }
        }
        all
    }

    pub fn wrong(&mut self, why: String) {
        // one bad text must not become a thousand sentences
        if self.problems.len() < 20 {
            self.problems.push(why);
        }
    }

    pub fn get(&self, name: &str) -> Option<&str> {
        self.fields.get(name).map(String::as_str)
    }

    pub fn number(&mut self, name: &str, default: u64, most: u64) -> u64 {
        let Some(text) = self.get(name) else { return default };
        match text.parse::<u64>() {
            Ok(n) if n <= most => n,
            _ => {
                let why = format!("`{name}` is {}; right would be a whole number up to {most}.", quoted(text));
                self.wrong(why);
                default
            }
        }
    }

    /// Numbers separated by dots.
    pub fn numbers(&mut self, name: &str, most: u32) -> Option<Vec<u32>> {
        let text = self.get(name)?.to_owned();
        let list: Option<Vec<u32>> = text.split('.').map(|n| n.parse().ok().filter(|n| *n <= most)).collect();
        if list.is_none() {
            self.wrong(format!(
                "`{name}` is {}; right would be numbers up to {most} with dots between them.",
                quoted(&text)
            ));
        }
        list
    }

    pub fn for_each_node<T>(&mut self, name: &str, nodes: usize, list: Vec<T>) -> Option<Vec<T>> {
        if list.len() != nodes {
            self.wrong(format!("`{name}` lists {} of {nodes} nodes; right would be one for each.", list.len()));
            return None;
        }
        Some(list)
    }
}

fn unescape(value: &str) -> Option<String> {
    let mut bytes = Vec::with_capacity(value.len());
    let mut rest = value.bytes();
    while let Some(byte) = rest.next() {
        if byte != b'%' {
            bytes.push(byte);
            continue;
        }
        let digits = [rest.next()?, rest.next()?];
        let digits = std::str::from_utf8(&digits).ok()?;
        bytes.push(u8::from_str_radix(digits, 16).ok()?);
    }
    String::from_utf8(bytes).ok()
}
