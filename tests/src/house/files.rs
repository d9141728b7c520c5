//! The repository's files, and how long and wide they may be.

use super::Breach;
use super::rust;
use std::fs;
use std::path::Path;

/// A file of ours.
#[derive(Clone, Debug)]
pub struct SourceFile {
    /// Path from the root of the repository, with `/`.
    pub path: String,
    /// Its contents.
    pub text: String,
}

impl SourceFile {
    /// A breach in this file.
    pub fn breach(&self, line: usize, problem: impl Into<String>) -> Breach {
        Breach { file: self.path.clone(), line, problem: problem.into() }
    }

    /// Whether its name ends like this.
    pub fn is(&self, extension: &str) -> bool {
        self.path.rsplit('.').next() == Some(extension)
    }
}

/// Folders that hold nothing of ours.
const NOT_OURS: &[&str] = &["target", "node_modules", "dist", ".git"];
/// Files that people write, by the ends of their names.
const WRITTEN: &[&str] = &["rs", "md", "toml", "html", "css", "js", "mjs", "txt"];

/// Every file that people write, in the order of their paths.
pub fn all(root: &Path) -> Vec<SourceFile> {
    let mut files = Vec::new();
    collect(root, "", &mut files);
    files.sort_by(|a, b| a.path.cmp(&b.path));
    files
}

fn collect(folder: &Path, prefix: &str, files: &mut Vec<SourceFile>) {
    for entry in fs::read_dir(folder).unwrap().map(Result::unwrap) {
        let name = entry.file_name().into_string().unwrap();
        let path = format!("{prefix}{name}");
        if entry.path().is_dir() {
            if !NOT_OURS.contains(&name.as_str()) {
                collect(&entry.path(), &format!("{path}/"), files);
            }
        } else if WRITTEN.iter().any(|end| name.ends_with(&format!(".{end}"))) {
            let text = fs::read_to_string(entry.path()).unwrap();
            files.push(SourceFile { path, text });
        }
    }
}

/// The most lines of a Rust file.
pub const LINES: usize = 600;

/// Rust files that are too long, unfinished, or do not begin by saying what they define.
pub fn shape(files: &[SourceFile]) -> Vec<Breach> {
    let mut found = Vec::new();
    for file in files.iter().filter(|file| file.is("rs")) {
        let lines = file.text.lines().count();
        if lines > LINES {
            found.push(file.breach(LINES + 1, format!("{lines} lines; expected at most {LINES}: split it")));
        }
        if !file.text.starts_with("//!") {
            found.push(file.breach(1, "the first line is no `//!` that says what the file defines"));
        }
        let code = rust::code(&file.text);
        for (number, line) in code.lines().enumerate().filter(|(_, line)| line.contains("todo!(")) {
            found.push(file.breach(number + 1, format!("`{}` is not finished", line.trim())));
        }
    }
    found
}

/// The widest that comments and documents may be, in characters.
pub const COLUMNS: usize = 100;

/// Documents that may be wider, and why.
pub const WIDE: &[(&str, &str)] = &[
    ("docs/fields.md", "`cargo xtask bless` writes its table"),
    ("docs/lines.md", "`cargo xtask bless` writes its table"),
    ("docs/puzzles.md", "`cargo xtask bless` writes its table"),
    ("docs/verdicts.md", "`cargo xtask bless` writes its table"),
    ("docs/verified.md", "`cargo xtask bless` writes its table"),
];

/// Comments and documents that are too wide.
pub fn columns(files: &[SourceFile]) -> Vec<Breach> {
    let mut found = Vec::new();
    for file in files.iter().filter(|file| WIDE.iter().all(|(wide, _)| file.path != *wide)) {
        let mut inside = false; // a block comment
        let code = if file.is("rs") { rust::code(&file.text) } else { file.text.clone() };
        for (number, (line, code)) in file.text.lines().zip(code.lines()).enumerate() {
            let width = line.chars().count();
            let prose = is_prose(file, line.trim_start(), &mut inside);
            if width > COLUMNS && (prose || ends_with_comment(file, line, code)) {
                let problem = format!("{width} columns; expected at most {COLUMNS}: wrap it");
                found.push(file.breach(number + 1, problem));
            }
        }
    }
    found
}

/// Whether a line is a comment, or part of a document.
fn is_prose(file: &SourceFile, line: &str, inside: &mut bool) -> bool {
    let (open, close) = match file.path.rsplit('.').next() {
        // where a link leads cannot be wrapped
        Some("md") => return !line.starts_with("[") || !line.contains("]: "),
        Some("toml") => return line.starts_with('#'),
        Some("html") => ("<!--", "-->"),
        Some("rs" | "js" | "mjs" | "css") => ("/*", "*/"),
        _ => return false,
    };
    let comment = *inside || line.starts_with(open) || (line.starts_with("//") && !file.is("css") && !file.is("html"));
    if comment && !line.starts_with("//") {
        *inside = (*inside || line.starts_with(open)) && !line.contains(close);
    }
    comment
}

/// Whether a comment follows the code of a line; `code` is the line without comments and strings
/// in Rust, and the line itself elsewhere.
fn ends_with_comment(file: &SourceFile, line: &str, code: &str) -> bool {
    let mark = match file.path.rsplit('.').next() {
        Some("rs") => {
            let rest: String = line.chars().skip(code.trim_end().chars().count()).collect();
            return ["//", "/*"].iter().any(|mark| rest.trim_start().starts_with(mark));
        }
        Some("js" | "mjs") => " //",
        Some("css") => "/*",
        Some("html") => "<!--",
        Some("toml") => " #",
        _ => return false,
    };
    // an odd number of quotation marks before it: it stands in a string
    let in_string = |before: &str| ['"', '\'', '`'].iter().any(|quote| before.matches(*quote).count() % 2 == 1);
    line.match_indices(mark).any(|(at, _)| !in_string(&line[..at]))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn file(path: &str, text: String) -> [SourceFile; 1] {
        [SourceFile { path: path.to_owned(), text }]
    }

    #[test]
    fn wide_comments_and_documents_are_found_and_wide_code_is_not() {
        let wide = "x".repeat(COLUMNS);
        for (path, text) in [
            ("a.rs", format!("    /// {wide}")),
            ("a.md", wide.clone() + "x"),
            ("a.css", format!("/* short\n   {wide}\n*/")),
            ("a.toml", format!("# {wide}")),
            ("a.html", format!("<!-- {wide} -->")),
            ("a.rs", format!("let a = \"{wide}\"; // b")),
            ("a.rs", format!("let a = \"// b\"; // {wide}")),
            ("a.mjs", format!("const a = '// b'; // {wide}")),
            ("a.css", format!(".a {{ --b: {wide} }} /* c */")),
            ("a.toml", format!("a = \"#\" # {wide}")),
        ] {
            assert_eq!(columns(&file(path, text)).len(), 1, "{path}");
        }
        for (path, text) in [
            ("a.rs", format!("let a = \"{wide} // b\";")),
            ("a.mjs", format!("const a = '{wide} // b';")),
            ("a.toml", format!("a = \"{wide} # b\"")),
            ("a.md", wide.clone()),
            ("a.css", format!("/* short */\n.a {{ --b: {wide} }}")),
            ("docs/lines.md", format!("| {wide} |")),
        ] {
            assert_eq!(columns(&file(path, text)), [], "{path}");
        }
    }

    #[test]
    fn long_nameless_and_unfinished_files_are_found() {
        let long = format!("//! A.\n{}", "\n".repeat(LINES));
        assert_eq!(shape(&file("a.rs", long)).len(), 1);
        assert_eq!(shape(&file("a.rs", "//! A.\n\"todo!()\"; // todo!()".to_owned())), []);
        assert_eq!(shape(&file("a.rs", format!("fn a() {{ to{}!() }}", "do"))).len(), 2);
    }
}
