//! One name, one type: outside of the algorithms no name of a type stands twice.

use super::Breach;
use super::files::SourceFile;
use super::rust::{self, Block, Token};
use std::collections::BTreeMap;

/// Where the table of exceptions stands, and under which heading.
pub const TABLE: (&str, &str) = ("ARCHITECTURE.md", "## Names that stand twice");

/// A type, or a name for one, where it is declared.
#[derive(Debug)]
struct Declaration<'a> {
    name: &'a str,
    line: usize,
}

/// Names that several types have, at each place after the first, unless the table gives a reason;
/// and rows of the table that nothing needs.
pub fn repeated(files: &[SourceFile]) -> Vec<Breach> {
    let mut all: BTreeMap<String, Vec<(&SourceFile, usize)>> = BTreeMap::new();
    let ours = |file: &&SourceFile| file.is("rs") && !file.path.starts_with("crates/algorithms/");
    for file in files.iter().filter(ours) {
        let code = rust::code(&file.text);
        for Declaration { name, line } in declarations(&rust::tokens(&code)) {
            all.entry(name.to_owned()).or_default().push((file, line));
        }
    }
    let excused = excused(files);
    let mut found = Vec::new();
    for (name, places) in all.iter().filter(|(_, places)| places.len() > 1) {
        if excused.iter().any(|(excused, _, _)| excused == name) {
            continue;
        }
        let first = format!("{}:{}", places[0].0.path, places[0].1);
        for (file, line) in &places[1..] {
            found.push(file.breach(*line, format!("`{name}` also stands in {first}: give it a name of its own")));
        }
    }
    for (name, line, reason) in &excused {
        let file = files.iter().find(|file| file.path == TABLE.0).unwrap();
        if all.get(name).is_none_or(|places| places.len() < 2) {
            found.push(file.breach(*line, format!("`{name}` stands once: take it out of the table")));
        }
        if reason.is_empty() {
            found.push(file.breach(*line, format!("`{name}` stands twice without a reason")));
        }
    }
    found
}

/// Rows `| `Name` | where | reason |` of the table: name, line, reason.
fn excused(files: &[SourceFile]) -> Vec<(String, usize, String)> {
    let Some(file) = files.iter().find(|file| file.path == TABLE.0) else { return Vec::new() };
    let lines = file.text.lines().enumerate().skip_while(|(_, line)| *line != TABLE.1).skip(1);
    let rows = lines.take_while(|(_, line)| !line.starts_with("## ")).filter(|(_, line)| line.starts_with("| `"));
    rows.filter_map(|(number, line)| {
        let cells: Vec<&str> = line.trim_matches('|').split('|').map(str::trim).collect();
        Some((cells.first()?.trim_matches('`').to_owned(), number + 1, (*cells.last()?).to_owned()))
    })
    .collect()
}

/// Types that count: no associated types, no properties of components, no arguments of clap.
fn declarations<'a>(tokens: &[Token<'a>]) -> Vec<Declaration<'a>> {
    let mut found = Vec::new();
    rust::walk(tokens, |at, blocks| {
        let text = |at: usize| tokens.get(at).map_or("", |token| token.text);
        let declares = match text(at) {
            "struct" | "enum" | "union" | "trait" => true,
            "type" => blocks.last() != Some(&Block::Items),
            _ => false,
        };
        let name = text(at + 1);
        let named = name.starts_with(|c: char| c.is_uppercase());
        if declares && named && !is_derived_by_a_framework(tokens, at) {
            found.push(Declaration { name, line: tokens[at].line });
        }
    });
    found
}

/// Whether `#[derive(…)]` before a type names the properties of a component or arguments of clap.
fn is_derived_by_a_framework(tokens: &[Token<'_>], at: usize) -> bool {
    let since = tokens[..at].iter().rposition(|token| matches!(token.text, ";" | "{" | "}")).map_or(0, |end| end + 1);
    let attributes = &tokens[since..at];
    attributes.iter().any(|token| matches!(token.text, "Properties" | "Args" | "Parser" | "Subcommand" | "ValueEnum"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn file(path: &str, text: &str) -> SourceFile {
        SourceFile { path: path.to_owned(), text: text.to_owned() }
    }

    #[test]
    fn a_name_that_stands_twice_is_found() {
        let first = file("crates/a/src/lib.rs", "pub struct Job;");
        for text in ["enum Job {}", "fn a() { struct Job<T>(T); }", "pub trait Job {}", "type Job = u8;"] {
            assert_eq!(repeated(&[first.clone(), file("web/src/b.rs", text)]).len(), 1, "{text}");
        }
        for text in [
            "impl A for B { type Job = u8; }",
            "trait A { type Job; }",
            "#[derive(Properties, PartialEq)] pub struct Job {}",
            "#[derive(clap::Args)]\nstruct Job {}",
            "// struct Job;",
        ] {
            assert_eq!(repeated(&[first.clone(), file("web/src/b.rs", text)]), [], "{text}");
        }
        assert_eq!(repeated(&[first.clone(), file("crates/algorithms/src/b.rs", "struct Job;")]), []);
    }

    #[test]
    fn the_table_gives_reasons_and_has_no_row_too_many() {
        let files = |table: &str, second: &str| {
            let text = format!("# A\n\n{}\n\n| name | where | reason |\n|---|---|---|\n{table}\n\n## B\n", TABLE.1);
            [file(TABLE.0, &text), file("a.rs", "struct Job;"), file("b.rs", second)]
        };
        assert_eq!(repeated(&files("| `Job` | a and b | because |", "struct Job;")), []);
        assert_eq!(repeated(&files("| `Job` | a and b | because |", "")).len(), 1);
        assert_eq!(repeated(&files("| `Job` | a and b | |", "struct Job;")).len(), 1);
        assert_eq!(repeated(&files("| `Other` | a and b | because |", "struct Job;")).len(), 2);
    }
}
