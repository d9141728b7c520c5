//! Wall time in a line: dates and times as loggers print them.

/// A wall time in seconds, and how exact it is.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct WallTime {
    /// Seconds since some day's midnight, or since 1970 if the line has a date.
    pub seconds: f64,
    /// The value of the last digit.
    pub resolution: f64,
}

/// How far into a line a time is looked for.
const REACH: usize = 200;

/// The first time `HH:MM:SS[.f]` in a line, with the date in front of it, if there is one.
pub fn find(line: &str) -> Option<WallTime> {
    let bytes = &line.as_bytes()[..line.len().min(REACH)];
    let mut from = 0;
    while let Some(colon) = bytes[from..].iter().position(|byte| *byte == b':').map(|at| from + at) {
        if colon >= 2
            && let Some(time) = clock(&bytes[colon - 2..])
            && !(colon > 2 && bytes[colon - 3].is_ascii_digit())
        {
            let days = date_before(&bytes[..colon - 2]).unwrap_or(0.0);
            return Some(WallTime { seconds: days * 86_400.0 + time.seconds, ..time });
        }
        from = colon + 1;
    }
    None
}

/// A time as a field: seconds, or `HH:MM:SS[.f]`.
pub fn parse(text: &str, unit: f64) -> Option<WallTime> {
    if let Ok(number) = text.parse::<f64>() {
        let decimals = text.split_once('.').map_or(0, |(_, decimals)| decimals.len());
        return number.is_finite().then(|| WallTime { seconds: number * unit, resolution: unit * tenth(decimals) });
    }
    find(text)
}

fn tenth(decimals: usize) -> f64 {
    (0..decimals.min(12)).fold(1.0, |value, _| value / 10.0)
}

fn two(bytes: &[u8]) -> Option<f64> {
    match bytes {
        [a, b, ..] if a.is_ascii_digit() && b.is_ascii_digit() => Some(f64::from((a - b'0') * 10 + (b - b'0'))),
        _ => None,
    }
}

/// `HH:MM:SS[.f]` at the beginning.
fn clock(bytes: &[u8]) -> Option<WallTime> {
    let (hours, minutes, seconds) = (two(bytes)?, two(bytes.get(3..)?)?, two(bytes.get(6..)?)?);
    if bytes.get(2) != Some(&b':') || bytes.get(5) != Some(&b':') || hours > 23.0 || minutes > 59.0 || seconds > 60.0 {
        return None;
    }
    let fraction = match bytes.get(8) {
        Some(b'.' | b',') => bytes[9..].iter().take(9).take_while(|byte| byte.is_ascii_digit()).count(),
        _ => 0,
    };
    let digits = bytes[9.min(bytes.len())..].iter().take(fraction);
    let part = digits.fold((0.0, 1.0), |(sum, unit), digit| (sum + f64::from(digit - b'0') * unit / 10.0, unit / 10.0));
    let whole = hours * 3_600.0 + minutes * 60.0 + seconds;
    Some(WallTime { seconds: whole + part.0, resolution: tenth(fraction) })
}

/// Days since 1970 of a date `YYYY-MM-DD` at the end, followed by a blank or `T`.
fn date_before(bytes: &[u8]) -> Option<f64> {
    let bytes = bytes.strip_suffix(b" ").or_else(|| bytes.strip_suffix(b"T")).unwrap_or(bytes);
    let date = &bytes[bytes.len().checked_sub(10)?..];
    let (century, rest) = (two(date)?, two(&date[2..])?);
    let (month, day) = (two(&date[5..])?, two(&date[8..])?);
    if !matches!(date[4], b'-' | b'/' | b'.') || date[7] != date[4] || !(1.0..=12.0).contains(&month) {
        return None;
    }
    // days from civil: years begin in March, so that the leap day is the last of a year
    let year = (century * 100.0 + rest) as i64 - i64::from(month <= 2.0);
    let month = (month as i64 + 9) % 12;
    let days = 365 * year + year / 4 - year / 100 + year / 400 + (153 * month + 2) / 5 + day as i64 - 1;
    Some((days - 719_468) as f64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_found_with_their_resolution() {
        let found = |line| find(line).map(|time| (time.seconds, time.resolution));
        assert_eq!(found("1970/01/02 00:00:01 a"), Some((86_401.0, 1.0)));
        assert_eq!(found("[2026-03-04T09:15:20.25Z] x"), Some((1_772_615_720.25, 0.01)));
        assert_eq!(found("08:00:07 n7000 wants"), Some((28_807.0, 1.0)));
        assert_eq!(found("INFO 08:00:07,5 a"), Some((28_807.5, 0.1)));
        assert_eq!(found("node 1: 25:00:00"), None);
        assert_eq!(found("a::b :"), None);
        assert_eq!(parse("1500", 0.001), Some(WallTime { seconds: 1.5, resolution: 0.001 }));
        assert_eq!(parse("x", 1.0), None);
    }
}
