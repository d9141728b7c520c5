//! Damage for valid documents, by structure and by bytes, the same for the same seed.

/// A small generator of random numbers (splitmix64): every seed gives a run of its own.
#[derive(Clone, Debug)]
pub struct DamageRandom(u64);

impl DamageRandom {
    /// The generator of one case of one kind of document.
    pub fn of(kind: &str, case: u64) -> DamageRandom {
        let mix = |hash: u64, byte: u8| (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3);
        DamageRandom(kind.bytes().chain(case.to_le_bytes()).fold(0xcbf2_9ce4_8422_2325, mix))
    }

    /// The next number.
    pub fn draw(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    /// A number below this one; 0 if there is none.
    pub fn below(&mut self, end: usize) -> usize {
        (self.draw() % end.max(1) as u64) as usize
    }

    /// One of these.
    pub fn pick<'a, T>(&mut self, list: &'a [T]) -> &'a T {
        &list[self.below(list.len())]
    }
}

/// Values that a careless or hostile writer puts where another one belongs.
const ABSURD: &[&str] = &[
    "0",
    "-1",
    "-0",
    "1",
    "2",
    "3",
    "64",
    "65",
    "1023",
    "1024",
    "65535",
    "65536",
    "1e3",
    "-3.0",
    "1e-9",
    "1e308",
    "1e999",
    "NaN",
    "nan",
    "inf",
    "-inf",
    "9007199254740993",
    "4294967295",
    "4294967296",
    "18446744073709551615",
    "18446744073709551616",
    "-9223372036854775809",
    "123456789012345678901234567890",
    "0x10",
    "1_000",
    "1979-05-27",
    "true",
    "false",
    "null",
    "[]",
    "{}",
    "[[]]",
    "\"\"",
    "''",
    "p1",
    "p0",
    "p1.1",
    "p1.0",
    "#0",
    "#1",
    "#4294967296",
    "*",
    "every",
    "unlimited",
    "by-hand",
    "const:0",
    "const:1e300",
    "exp:-1",
    "exp:0",
    "uniform:5:1",
    "uniform:0:0",
    "rate:0",
    "think:0:const:0",
    "script:0@0",
    "1/0",
    "0/0",
    "1/16",
    "..",
    "[0,1)",
    "[5,2)",
    "0..65535",
    "\u{202e}",
    "\0",
    "\u{1b}[2J",
    "é",
    "🦀",
    "\u{fffd}",
    "%",
    "%zz",
    "%00",
    "%F0%9F",
    "&",
    "=",
    "#",
    "'",
    "\"",
    "\\",
    "\\u0000",
    "run 9999 steps",
    "run to the end",
    "run until p1 enters",
    "deliver all",
    "p1 asks",
    "p1 leaves",
    "p1 crashes",
    "alien",
    "raymond",
    "swq",
    "nobody",
    "enter",
    "exit",
    "send",
    "{node}",
    "{*}",
    "clusters:0x0",
    "clusters:99x99",
    "binary-tree",
    "ring",
    "lossy",
    "duplicating",
];

/// The largest document in bytes: parts that are repeated multiply.
const LARGEST: usize = 256 << 10;

/// A part of a document that has a value of its own: a run of letters, digits and their like.
fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'.' | b'-' | b'+') || byte >= 0x80
}

/// Where each word of a text is.
fn words(text: &str) -> Vec<(usize, usize)> {
    let (mut found, mut start) = (Vec::new(), None);
    for (at, byte) in text.bytes().chain([b' ']).enumerate() {
        match (is_word(byte), start) {
            (true, None) => start = Some(at),
            (false, Some(from)) => {
                found.push((from, at));
                start = None;
            }
            _ => {}
        }
    }
    found
}

/// The text with one to five parts replaced, doubled, swapped or removed; it often stays a
/// document.
pub fn structure(random: &mut DamageRandom, text: &str) -> String {
    let mut text = text.to_owned();
    for _ in 0..=random.below(5) {
        text = match random.below(9) {
            0..=2 => replaced(random, &text),
            3 => among(random, &text, "\n"),
            4 => {
                let separator = *random.pick(&["&", ",", "\n", ".", " ", "|", "}"]);
                among(random, &text, separator)
            }
            5 => swapped(random, &text),
            6 if random.below(8) == 0 => nested(random, &text),
            7 if random.below(8) == 0 => lengthened(random, &text),
            _ => numbered(random, &text),
        };
        let end = (0..=text.len().min(LARGEST)).rev().find(|end| text.is_char_boundary(*end));
        text.truncate(end.unwrap_or(0));
    }
    text
}

/// A word replaced by an absurd value, or by another word of the document.
fn replaced(random: &mut DamageRandom, text: &str) -> String {
    let words = words(text);
    if words.is_empty() {
        return random.pick(ABSURD).to_string();
    }
    let (from, to) = *random.pick(&words);
    let (other_from, other_to) = *random.pick(&words);
    let value = if random.below(3) == 0 { &text[other_from..other_to] } else { *random.pick(ABSURD) };
    format!("{}{value}{}", &text[..from], &text[to..])
}

/// A number replaced by one near it, ten times as large, or negative.
fn numbered(random: &mut DamageRandom, text: &str) -> String {
    let is_number = |(from, to): &(usize, usize)| text[*from..*to].parse::<f64>().is_ok();
    let numbers: Vec<(usize, usize)> = words(text).into_iter().filter(is_number).collect();
    if numbers.is_empty() {
        return replaced(random, text);
    }
    let (from, to) = *random.pick(&numbers);
    let number = &text[from..to];
    let value = match random.below(5) {
        0 => format!("{number}0"),
        1 => format!("-{number}"),
        2 => format!("{number}.5"),
        3 => format!("{}", random.below(40)),
        _ => format!("{number}e{}", random.below(12)),
    };
    format!("{}{value}{}", &text[..from], &text[to..])
}

/// Of the parts between separators one is doubled, removed, or exchanged for another.
fn among(random: &mut DamageRandom, text: &str, separator: &str) -> String {
    let mut parts: Vec<&str> = text.split(separator).collect();
    let (one, other) = (random.below(parts.len()), random.below(parts.len()));
    match random.below(4) {
        0 => parts.insert(other, parts[one]),
        1 => drop(parts.remove(one)),
        2 => parts.swap(one, other),
        _ => {
            let many = random.below(200);
            let part = parts[one];
            parts.splice(one..one, std::iter::repeat_n(part, many));
        }
    }
    parts.join(separator)
}

/// Two words exchanged.
fn swapped(random: &mut DamageRandom, text: &str) -> String {
    let words = words(text);
    if words.len() < 2 {
        return text.to_owned();
    }
    let (a, b) = (*random.pick(&words), *random.pick(&words));
    let ((from, to), (next, end)) = if a.0 < b.0 { (a, b) } else { (b, a) };
    if to > next {
        return text.to_owned();
    }
    [&text[..from], &text[next..end], &text[to..next], &text[from..to], &text[end..]].concat()
}

/// Deep nesting instead of a word.
fn nested(random: &mut DamageRandom, text: &str) -> String {
    let (open, close) =
        *random.pick(&[("[", "]"), ("{\"a\":", "}"), ("{ a = ", " }"), ("(", ")"), ("[a.", ""), ("a.", "")]);
    let depth = *random.pick(&[50, 127, 200, 5_000, 20_000]);
    let value = format!("{}1{}", open.repeat(depth), close.repeat(depth));
    let words = words(text);
    if words.is_empty() {
        return value;
    }
    let (from, to) = *random.pick(&words);
    format!("{}{value}{}", &text[..from], &text[to..])
}

/// A very long word.
fn lengthened(random: &mut DamageRandom, text: &str) -> String {
    let words = words(text);
    if words.is_empty() {
        return text.to_owned();
    }
    let (from, to) = *random.pick(&words);
    let part = *random.pick(&["a", "9", "0.", "p1,", "é", "🦀", "\\", "%41", " "]);
    format!("{}{}{}", &text[..from], part.repeat(*random.pick(&[100, 3_000, 40_000])), &text[to..])
}

/// One to eight bytes or short runs of bytes changed, whatever they mean.
pub fn bytes(random: &mut DamageRandom, document: &[u8]) -> Vec<u8> {
    let mut bytes = document.to_vec();
    for _ in 0..=random.below(8) {
        let at = random.below(bytes.len() + 1);
        let end = (at + random.below(60)).min(bytes.len());
        match random.below(6) {
            0 if at < bytes.len() => bytes[at] = random.draw() as u8,
            1 if at < bytes.len() => bytes[at] ^= 1 << random.below(8),
            2 => drop(bytes.drain(at..end)),
            3 => bytes.insert(at, *random.pick(b"{}[]\":,\n\r\t0-*/\\=&%#.\x00\x1b\x7f\xc3\xe2\xff")),
            4 => {
                let part = bytes[at..end].to_vec();
                let to = random.below(bytes.len() + 1);
                bytes.splice(to..to, part);
            }
            _ if random.below(4) == 0 => bytes.truncate(at),
            _ => bytes.insert(at, random.draw() as u8),
        }
    }
    bytes
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_seed_gives_the_same_damage_and_another_one_another() {
        let text = "title = \"é\"\nnodes = 3\nscript = [\"p1 asks\", 'p2 → p1']\n";
        let damage = |case| structure(&mut DamageRandom::of("test", case), text);
        let all: std::collections::BTreeSet<String> = (0..500).map(damage).collect();
        assert!(all.len() > 450 && damage(7) == damage(7));
        let damage = |case| bytes(&mut DamageRandom::of("test", case), text.as_bytes());
        let all: std::collections::BTreeSet<Vec<u8>> = (0..500).map(damage).collect();
        assert!(all.len() > 450 && damage(7) == damage(7));
        assert_eq!(words("a = é1, -3.5"), [(0, 1), (4, 7), (9, 13)]);
        for text in ["", " ", "&", "a", "\n\n"] {
            (0..200).for_each(|case| drop(structure(&mut DamageRandom::of("empty", case), text)));
            (0..200).for_each(|case| drop(bytes(&mut DamageRandom::of("empty", case), text.as_bytes())));
        }
    }
}
