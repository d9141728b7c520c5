//! Files as lines: encodings, colours of terminals, line ends, limits.

use std::borrow::Cow;

/// The most bytes of all files of a log together.
pub const MOST_BYTES: usize = 256 << 20;
/// The longest line that rules are tried on; a longer one counts as not understood.
pub const LONGEST_LINE: usize = 64 << 10;

/// A file as it was given: a name and bytes in any encoding.
#[derive(Clone, Debug)]
pub struct LogInput {
    /// Its name, for messages.
    pub name: String,
    /// What it contains.
    pub bytes: Vec<u8>,
}

impl LogInput {
    /// A file with this name and these contents.
    pub fn new(name: impl Into<String>, bytes: impl Into<Vec<u8>>) -> Self {
        LogInput { name: name.into(), bytes: bytes.into() }
    }
}

/// A file as text, with the places where its lines begin.
#[derive(Clone, Debug, Default)]
pub struct LogText {
    /// Its name.
    pub name: String,
    /// The whole text: UTF-8, without colours of a terminal.
    pub text: String,
    /// Where each line begins.
    starts: Vec<u32>,
    /// Whether bytes were replaced because they are no text.
    pub replaced: bool,
}

impl LogText {
    /// Decodes a file. UTF-8, UTF-16 with a byte order mark, and Windows-1252 where UTF-8 fails in
    /// a few places; anything else is kept with replacement characters.
    pub fn of(input: LogInput) -> LogText {
        let (text, replaced) = decode(input.bytes);
        let text = if text.contains('\u{1b}') { without_colours(&text) } else { text };
        let mut starts = vec![0];
        starts.extend(text.bytes().enumerate().filter(|(_, byte)| *byte == b'\n').map(|(at, _)| at as u32 + 1));
        if starts.last() == Some(&(text.len() as u32)) {
            starts.pop(); // after the last line end there is no further line
        }
        LogText { name: input.name, text, starts, replaced }
    }

    /// How many lines there are.
    pub fn len(&self) -> usize {
        self.starts.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.starts.is_empty()
    }

    /// A line, counted from 0, without its end.
    pub fn line(&self, number: usize) -> &str {
        let Some(start) = self.starts.get(number) else { return "" };
        let end = self.starts.get(number + 1).map_or(self.text.len(), |next| *next as usize - 1);
        let line = self.text.get(*start as usize..end).unwrap_or_default();
        let line = line.strip_suffix('\n').unwrap_or(line);
        line.strip_suffix('\r').unwrap_or(line)
    }

    /// Every line with its number, counted from 0.
    pub fn lines(&self) -> impl Iterator<Item = (usize, &str)> {
        (0..self.len()).map(|number| (number, self.line(number)))
    }
}

/// The text of these bytes, and whether some of them were no text.
fn decode(bytes: Vec<u8>) -> (String, bool) {
    let wide = |little: bool, bytes: &[u8]| {
        let units = bytes.chunks_exact(2).map(|pair| {
            let pair = [pair[0], pair[1]];
            if little { u16::from_le_bytes(pair) } else { u16::from_be_bytes(pair) }
        });
        let text: String = char::decode_utf16(units).map(|c| c.unwrap_or(char::REPLACEMENT_CHARACTER)).collect();
        let replaced = bytes.len() % 2 == 1 || text.contains(char::REPLACEMENT_CHARACTER);
        (text, replaced)
    };
    match bytes.as_slice() {
        [0xff, 0xfe, rest @ ..] => wide(true, rest),
        [0xfe, 0xff, rest @ ..] => wide(false, rest),
        _ => match String::from_utf8(bytes) {
            Ok(text) => (text.strip_prefix('\u{feff}').map(str::to_owned).unwrap_or(text), false),
            Err(error) => (lossy(error.as_bytes()), true),
        },
    }
}

/// Text with a replacement character for each byte that is no text; Latin letters are kept as such.
fn lossy(bytes: &[u8]) -> String {
    let mut text = String::with_capacity(bytes.len() + bytes.len() / 8);
    for chunk in bytes.utf8_chunks() {
        text.push_str(chunk.valid());
        // one byte from 0xa0 on is a letter of Latin-1, the usual second encoding of a log
        text.extend(chunk.invalid().iter().map(|byte| match byte {
            0xa0..=0xff => char::from(*byte),
            _ => char::REPLACEMENT_CHARACTER,
        }));
    }
    text
}

/// The text without the escape sequences that colour a terminal.
fn without_colours(text: &str) -> String {
    let mut plain = String::with_capacity(text.len());
    let mut chars = text.chars().peekable();
    while let Some(c) = chars.next() {
        if c != '\u{1b}' {
            plain.push(c);
        } else if chars.next_if_eq(&'[').is_some() {
            // parameters, then one letter; a sequence does not cross a line end
            while chars.next_if(|c| matches!(c, ' '..='?')).is_some() {}
            chars.next_if(|c| matches!(c, '@'..='~'));
        }
    }
    plain
}

/// A line without blanks at its ends, and a short form of it for a message.
pub fn excerpt(line: &str) -> Cow<'_, str> {
    let line = line.trim();
    if line.chars().count() <= 80 {
        return Cow::Borrowed(line);
    }
    let short: String = line.chars().take(80).collect();
    Cow::Owned(short + "…")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(bytes: &[u8]) -> Vec<String> {
        LogText::of(LogInput::new("a", bytes)).lines().map(|(_, line)| line.to_owned()).collect()
    }

    #[test]
    fn encodings_line_ends_and_colours_are_read() {
        assert_eq!(lines(b"a\r\nb\n\nc"), ["a", "b", "", "c"]);
        assert_eq!(lines(b"\xef\xbb\xbfa\n"), ["a"]);
        assert_eq!(lines(b"\xff\xfea\0\n\0b\0"), ["a", "b"]);
        assert_eq!(lines(b"\xfe\xff\0a\0\n\0b"), ["a", "b"]);
        assert_eq!(lines(b"\x1b[1;31mred\x1b[0m x\n"), ["red x"]);
        assert_eq!(lines(b"Gr\xfc\xdfe \x80"), ["Grüße \u{fffd}"]);
        assert_eq!(lines(b""), Vec::<String>::new());
        assert_eq!(lines(b"a\x1b[12"), ["a"]);
    }
}
