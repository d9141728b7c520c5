//! Rust source taken apart just enough for the rules: code without strings and comments, words with
//! their lines, and the blocks that they stand in.

/// A source text in which strings, character literals and comments are blank. Offsets and lines are
/// those of the original.
pub fn code(source: &str) -> String {
    let chars: Vec<char> = source.chars().collect();
    let mut out = String::with_capacity(source.len());
    let mut at = 0;
    while at < chars.len() {
        let end = skip(&chars, at);
        if end == at {
            out.push(chars[at]);
            at += 1;
        } else {
            out.extend(chars[at..end].iter().map(|c| if *c == '\n' { '\n' } else { ' ' }));
            at = end;
        }
    }
    out
}

/// The end of the comment, string or character literal that begins here, or `at`.
fn skip(chars: &[char], at: usize) -> usize {
    let next = |n: usize| chars.get(at + n).copied().unwrap_or(' ');
    let inside_word = at > 0 && (chars[at - 1].is_alphanumeric() || chars[at - 1] == '_');
    match (chars[at], next(1)) {
        ('/', '/') => at + chars[at..].iter().take_while(|c| **c != '\n').count(),
        ('/', '*') => block_comment(chars, at),
        ('"', _) => string(chars, at + 1),
        ('b', '"') if !inside_word => string(chars, at + 2),
        ('r', '"' | '#') if !inside_word => raw_string(chars, at, at + 1),
        ('b', 'r') if !inside_word && matches!(next(2), '"' | '#') => raw_string(chars, at, at + 2),
        ('\'', '\\') => at + 3 + chars[at + 3..].iter().take_while(|c| **c != '\'').count() + 1,
        ('\'', _) if next(2) == '\'' => at + 3,
        _ => at,
    }
}

fn block_comment(chars: &[char], start: usize) -> usize {
    let (mut depth, mut at) = (0, start);
    while at < chars.len() {
        match (chars[at], chars.get(at + 1)) {
            ('/', Some('*')) => (depth, at) = (depth + 1, at + 2),
            ('*', Some('/')) => (depth, at) = (depth - 1, at + 2),
            _ => at += 1,
        }
        if depth == 0 {
            break;
        }
    }
    at
}

fn string(chars: &[char], mut at: usize) -> usize {
    while at < chars.len() && chars[at] != '"' {
        at += if chars[at] == '\\' { 2 } else { 1 };
    }
    (at + 1).min(chars.len())
}

/// A raw string; `r#word` is none.
fn raw_string(chars: &[char], start: usize, hashes: usize) -> usize {
    let count = chars[hashes..].iter().take_while(|c| **c == '#').count();
    if chars.get(hashes + count) != Some(&'"') {
        return start;
    }
    let mut at = hashes + count + 1;
    while at < chars.len() {
        if chars[at] == '"' && chars[at + 1..].iter().take(count).filter(|c| **c == '#').count() == count {
            return at + 1 + count;
        }
        at += 1;
    }
    at
}

/// A word, or a single other character that is not blank.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Token<'a> {
    /// The word or character.
    pub text: &'a str,
    /// Its line, from 1.
    pub line: usize,
}

/// The tokens of [`code`].
pub fn tokens(code: &str) -> Vec<Token<'_>> {
    let mut tokens = Vec::new();
    for (number, line) in code.lines().enumerate() {
        let mut rest = line.trim_start();
        while let Some(first) = rest.chars().next() {
            let part_of_word = |c: char| c.is_alphanumeric() || c == '_';
            let end = match part_of_word(first) {
                true => rest.find(|c| !part_of_word(c)).unwrap_or(rest.len()),
                false => first.len_utf8(),
            };
            tokens.push(Token { text: &rest[..end], line: number + 1 });
            rest = rest[end..].trim_start();
        }
    }
    tokens
}

/// What a block belongs to, by the keyword that stands before its brace.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Block {
    /// `mod name {`
    Module,
    /// `impl … {` or `trait … {`
    Items,
    /// Everything else in braces.
    Other,
}

/// Calls `visit` with every token and the blocks around it, the outermost first.
pub fn walk<'a>(tokens: &[Token<'a>], mut visit: impl FnMut(usize, &[Block])) {
    let mut blocks = Vec::new();
    let mut coming = Block::Other;
    for (at, token) in tokens.iter().enumerate() {
        visit(at, &blocks);
        match token.text {
            "mod" => coming = Block::Module,
            // `-> impl Trait {` opens a function, not a list of items
            "impl" | "trait" if begins_item(tokens, at) => coming = Block::Items,
            ";" => coming = Block::Other,
            "{" => blocks.push(std::mem::replace(&mut coming, Block::Other)),
            "}" => drop(blocks.pop()),
            _ => {}
        }
    }
}

fn begins_item(tokens: &[Token<'_>], at: usize) -> bool {
    let before = at.checked_sub(1).map(|before| tokens[before].text);
    matches!(before, None | Some("}" | "{" | ";" | "]" | ")" | "pub" | "unsafe"))
        && (before != Some(")") || follows_visibility(tokens, at))
}

/// Whether `pub(…)` stands before this token.
fn follows_visibility(tokens: &[Token<'_>], at: usize) -> bool {
    let open = tokens[..at].iter().rposition(|token| token.text == "(");
    open.is_some_and(|open| open > 0 && tokens[open - 1].text == "pub")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn strings_and_comments_are_blank() {
        let source = "a // b\n/* c /* d */ e */ f(\"g \\\" h\", 'i', '\\'', r#\"j \" k\"#, b\"l\") r#type 'm: loop";
        let code = code(source);
        assert_eq!(code.len(), source.len());
        let words: Vec<_> = tokens(&code).iter().map(|token| token.text).filter(|text| text.len() > 1).collect();
        assert_eq!(words, ["type", "loop"]);
        assert!(code.starts_with("a     \n") && code.contains(" f("), "{code}");
    }

    #[test]
    fn blocks_know_what_they_belong_to() {
        let code = code("mod a { impl B for C { type D = u8; fn e() -> impl F { type G = u8; } } }");
        let tokens = tokens(&code);
        let mut found = Vec::new();
        walk(&tokens, |at, blocks| {
            if tokens[at].text == "type" {
                found.push(blocks.to_vec());
            }
        });
        let items = vec![Block::Module, Block::Items];
        assert_eq!(found, [items.clone(), [items, vec![Block::Other]].concat()]);
    }
}
