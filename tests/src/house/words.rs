//! Words that the glossary in ARCHITECTURE.md replaces by plain ones.

use super::Breach;
use super::files::SourceFile;

/// What must not stand anywhere, word by word, and what to say instead. They are put together here
/// so that a search for them finds nothing.
const PHRASES: &[(&[&str], &str)] = &[
    (&["right", concat!("wou", "ld"), "be"], "say what is expected"),
    (&["for", concat!("ev", "er")], "say how long, or what never ends"),
    (&[concat!("who", "ever")], "name the actor"),
    (&["how", concat!("mani", "eth")], "say which one"),
    (&[concat!("de", "ar")], "expensive"),
    (&[concat!("de", "arer")], "more expensive"),
    (&[concat!("mid", "dling")], "say medium, or give the number"),
    (&[concat!("te", "xts")], "papers; or strings, labels, messages"),
];

/// Lines that may contain one of them, and why: file, line, reason.
const ALLOWED: &[(&str, &str, &str)] = &[
    (
        "web/src/browser/store.rs",
        concat!("const STORE: &str = \"te", "xts\";"),
        "the name of a store in every browser that has used the page",
    ),
    ("tests/e2e/faults.spec.mjs", concat!("const STORE = 'te", "xts';"), "the same name, in its test"),
];

/// Files that may number the papers, and why.
const NUMBERED: &[(&str, &str)] = &[
    ("crates/scenario/src/library.rs", "older scenario files name their paper by its number"),
    ("crates/scenario/tests/bad_input.rs", "tests that older scenario files stay readable"),
];

/// Forbidden words, in whatever case, also across line ends and in names of the code.
pub fn forbidden(files: &[SourceFile]) -> Vec<Breach> {
    files.iter().flat_map(in_file).collect()
}

fn in_file(file: &SourceFile) -> Vec<Breach> {
    let words = words(&file.text);
    let mut found = Vec::new();
    let numbered = NUMBERED.iter().any(|(path, _)| file.path == *path);
    let mut report = |number: usize, said: &str, instead: &str| {
        let line = file.text.lines().nth(number - 1).unwrap_or_default();
        if !ALLOWED.iter().any(|(path, allowed, _)| file.path == *path && line.trim() == *allowed) {
            found.push(file.breach(number, format!("“{said}”: {instead}")));
        }
    };
    for (at, word) in words.iter().enumerate() {
        for (phrase, instead) in PHRASES {
            let here = words[at..].iter().map(|word| word.text.as_str());
            if words.len() >= at + phrase.len() && here.zip(*phrase).all(|(word, part)| word == *part) {
                report(word.line, &phrase.join(" "), instead);
            }
        }
        if word.alone && !numbered && is_number_of_a_paper(&word.text) {
            report(word.line, &word.text, "cite the paper by author and year");
        }
    }
    found
}

/// Papers were once called by numbers of three digits.
fn is_number_of_a_paper(word: &str) -> bool {
    word.len() == 3 && word.starts_with("00") && word.ends_with(['0', '1', '2', '3', '4'])
}

struct WordAt {
    text: String,
    line: usize,
    /// Whether it is no part of a longer number, of a colour or of an escape.
    alone: bool,
}

/// Runs of letters or of digits, in lower case. `camelCase` is one word, `snake_case` two.
fn words(text: &str) -> Vec<WordAt> {
    let mut words: Vec<WordAt> = Vec::new();
    let (mut line, mut before) = (1, ' ');
    let mut chars = text.chars().peekable();
    while let Some(first) = chars.next() {
        if !first.is_alphanumeric() {
            line += usize::from(first == '\n');
            before = first;
            continue;
        }
        let mut word = first.to_lowercase().collect::<String>();
        while let Some(next) = chars.next_if(|next| next.is_alphanumeric()) {
            word.extend(next.to_lowercase());
        }
        let after = chars.peek().copied().unwrap_or(' ');
        let alone = !"_,.:#\u{202f}{+-".contains(before) && after != '_' && after != '%';
        words.push(WordAt { text: word, line, alone });
        before = 'a';
    }
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(text: &str) -> Vec<usize> {
        let file = SourceFile { path: "a.rs".to_owned(), text: text.to_owned() };
        in_file(&file).iter().map(|breach| breach.line).collect()
    }

    #[test]
    fn forbidden_words_are_found_in_prose_and_code() {
        let said = |words: &[&str]| words.concat();
        assert_eq!(found(&said(&["nodes: 0; rig", "ht would be 1"])), [1]);
        assert_eq!(found(&said(&["/// It waits for", "\n    /// ever."])), [1]);
        assert_eq!(found(&said(&["fn a() {\n    wait_f", "or_ever()"])), [2]);
        assert_eq!(found(&said(&["Who", "ever is first"])), [1]);
        assert_eq!(found(&said(&["the h", "ow-manieth step"])), [1]);
        assert_eq!(found("It waits for every node. A text. Forever. Deary me."), []);
    }

    #[test]
    fn numbers_of_papers_are_told_from_numbers() {
        for paper in ["text 00", "(00", "`00", "\"00", "'00"] {
            assert_eq!(found(&format!("{paper}3 of them")), [1], "{paper}");
        }
        assert_eq!(found("1_000, 1,000, 0.001, #000, 10000, 12:00:00.004, 000ff0, 2004, 0o004"), []);
    }
}
