//! `printable`: text without characters that a terminal or a reader would obey instead of show.

use std::borrow::Cow;
use std::fmt::Write;

/// Whether a character does something instead of being shown: control characters other than line
/// ends and tabs, and characters that change the direction or the bounds of the text around them.
pub fn harmful(c: char) -> bool {
    match c {
        '\n' | '\t' => false,
        '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{feff}' => true,
        '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}' | '\u{fff9}'..='\u{fffb}' => true,
        '\u{e0000}'..='\u{e007f}' => true,
        c => c.is_control(),
    }
}

/// The text with every harmful character written as JSON and TOML write it in strings: `\u001b`.
/// So a document of either stays the same document. The line ends of CSV are kept.
pub fn printable(text: &str) -> Cow<'_, str> {
    if !text.contains(harmful) {
        return Cow::Borrowed(text);
    }
    let mut shown = String::with_capacity(text.len() + 16);
    let mut rest = text.chars().peekable();
    while let Some(c) = rest.next() {
        if harmful(c) && !(c == '\r' && rest.peek() == Some(&'\n')) {
            for unit in c.encode_utf16(&mut [0; 2]) {
                let _ = write!(shown, "\\u{unit:04x}");
            }
        } else {
            shown.push(c);
        }
    }
    Cow::Owned(shown)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_terminal_obeys_is_shown_instead() {
        assert_eq!(printable("Größe → 3\tµs\r\n"), "Größe → 3\tµs\r\n");
        assert_eq!(printable("\u{1b}[31mred\u{7}\0\r"), "\\u001b[31mred\\u0007\\u0000\\u000d");
        assert_eq!(printable("a\u{202e}b\u{2066}c\u{85}"), "a\\u202eb\\u2066c\\u0085");
        assert_eq!(printable("\u{e0041}"), "\\udb40\\udc41");
        assert!((0..0x11_0000).filter_map(char::from_u32).all(|c| !printable(&c.to_string()).contains(harmful)));
    }
}
