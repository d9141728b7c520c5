//! How long functions may be.

use super::Breach;
use super::files::SourceFile;
use super::rust::{self, Token};

/// The most lines of a function, from `fn` to its closing brace.
pub const LINES: usize = 100;

/// Functions that are too long. Listings and tables are not counted: they are constants and
/// statics, and a function that is one (`table` in its name, or its lines are rows) stands in
/// `TABLES`.
pub fn long(files: &[SourceFile]) -> Vec<Breach> {
    let mut found = Vec::new();
    for file in files.iter().filter(|file| file.is("rs")) {
        let code = rust::code(&file.text);
        for Function { name, first, last } in functions(&rust::tokens(&code)) {
            let lines = last - first + 1;
            let table = TABLES.iter().any(|(path, table, _)| file.path == *path && name == *table);
            if lines > LINES && !table {
                let problem = format!("`{name}` has {lines} lines; expected at most {LINES}: split it");
                found.push(file.breach(first, problem));
            }
        }
    }
    found
}

/// Functions that are tables or listings: path, name, reason.
const TABLES: &[(&str, &str, &str)] = &[];

struct Function<'a> {
    name: &'a str,
    first: usize,
    last: usize,
}

/// Functions with a body, also those within others.
fn functions<'a>(tokens: &[Token<'a>]) -> Vec<Function<'a>> {
    let starts = tokens.windows(2).enumerate().filter(|(_, pair)| pair[0].text == "fn" && is_name(pair[1].text));
    starts
        .filter_map(|(at, pair)| {
            let last = body_end(&tokens[at + 2..])?;
            Some(Function { name: pair[1].text, first: pair[0].line, last })
        })
        .collect()
}

fn is_name(text: &str) -> bool {
    text.starts_with(|c: char| c.is_alphabetic() || c == '_')
}

/// The line of the brace that closes the body, if there is one before a semicolon.
fn body_end(tokens: &[Token<'_>]) -> Option<usize> {
    let (mut round, mut curly) = (0, 0);
    for token in tokens {
        match token.text {
            "(" | "[" => round += 1,
            ")" | "]" => round -= 1,
            "{" => curly += 1,
            "}" if curly == 1 && round == 0 => return Some(token.line),
            "}" => curly -= 1,
            ";" if curly == 0 && round == 0 => return None,
            _ => {}
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn functions_end_where_their_body_does() {
        let code = "trait A { fn b(); fn c() {} }\nfn d(e: [u8; 2]) -> F\n{\n  g(|| { })\n}\nconst H: fn(u8) = d;";
        let tokens = rust::tokens(code);
        let all: Vec<_> = functions(&tokens).iter().map(|f| (f.name, f.first, f.last)).collect();
        assert_eq!(all, [("c", 1, 1), ("d", 2, 5)]);
    }

    #[test]
    fn a_long_function_is_found() {
        let of = |lines: usize| SourceFile {
            path: "a.rs".to_owned(),
            text: format!("fn a() {{\n{}}}", "b(\"{\"); // {\n".repeat(lines - 2)),
        };
        assert_eq!(long(&[of(LINES)]), []);
        assert_eq!(long(&[of(LINES + 1)]).len(), 1);
    }
}
