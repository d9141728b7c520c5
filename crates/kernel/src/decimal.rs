//! Numbers as people write them.
//!
//! The standard library reads them with a table of powers that is ten kilobytes of the page and cannot be compressed: it has to be fast. Here a
//! number is read exactly as well, by long division.

/// Reads `3`, `0.25`, `.5` or `1e-3`, as the nearest number of the machine; nothing for what is no number, and for one of more than
/// 400 letters or of an exponent beyond 400.
pub fn read(text: &str) -> Option<f64> {
    let (sign, rest) = match text.strip_prefix('-') {
        Some(rest) => (-1.0, rest),
        None => (1.0, text.strip_prefix('+').unwrap_or(text)),
    };
    let (digits, exponent) = match rest.split_once(['e', 'E']) {
        Some((digits, exponent)) => (digits, exponent.parse::<i32>().ok()?),
        None => (rest, 0),
    };
    let (whole, part) = digits.split_once('.').unwrap_or((digits, ""));
    let none = whole.len() + part.len() == 0;
    if none || digits.len() > MOST || exponent.unsigned_abs() as usize > MOST {
        return None;
    }
    let exponent = exponent - part.len() as i32;
    let (more, less) = (exponent.max(0).unsigned_abs() as usize, exponent.min(0).unsigned_abs() as usize);
    // enough binary digits behind the point that 64 of them are left after the division; what is cut off only matters where it decides a tie
    let behind = 3 + less / 8;
    let mut number = vec![0; behind + (digits.len() + more) / 9 + 1];
    for digit in whole.bytes().chain(part.bytes()) {
        times_ten_and(&mut number[behind..], char::from(digit).to_digit(10)?);
    }
    (0..more).for_each(|_| times_ten_and(&mut number[behind..], 0));
    let cut = (0..less).fold(false, |cut, _| cut | by_ten(&mut number));
    Some(sign * nearest(&number, behind, cut))
}

/// Longer numbers are none.
const MOST: usize = 400;

/// Makes a number, lowest digits first, ten times as large and adds a digit.
fn times_ten_and(number: &mut [u32], mut carry: u32) {
    for limb in number {
        let product = u64::from(*limb) * 10 + u64::from(carry);
        (*limb, carry) = (product as u32, (product >> 32) as u32);
    }
}

/// Divides a number by ten, and says whether something was left.
fn by_ten(number: &mut [u32]) -> bool {
    let mut rest = 0;
    for limb in number.iter_mut().rev() {
        let dividend = rest << 32 | u64::from(*limb);
        (*limb, rest) = ((dividend / 10) as u32, dividend % 10);
    }
    rest > 0
}

/// The machine's number nearest to one with some limbs behind the point, of which something may be cut off.
fn nearest(number: &[u32], behind: usize, mut cut: bool) -> f64 {
    let Some(top) = number.iter().rposition(|limb| *limb > 0) else { return 0.0 };
    let (low, high) = number[..=top].split_at(top - 2);
    let high = high.iter().rev().fold(0, |high, limb| high << 32 | u128::from(*limb));
    let spare = 64 - high.leading_zeros();
    cut |= low.iter().any(|limb| *limb > 0) || high & ((1 << spare) - 1) > 0;
    libm::scalbn(
        ((high >> spare) as u64 | u64::from(cut)) as f64,
        spare as i32 + 32 * (low.len() as i32 - behind as i32),
    )
}

#[cfg(test)]
mod tests {
    use super::read;
    use crate::random::{Purpose, Stream};

    #[test]
    fn reads_as_the_standard_library_does() {
        let mut random = Stream::new(1, Purpose::Delay, 0);
        let mut texts: Vec<String> = [
            "0",
            "-0",
            "1",
            "+1",
            "5.",
            ".5",
            "0.1",
            "00.10",
            "1e-3",
            "1E8",
            "1e+2",
            "0.30000000000000004",
            "1e22",
            "1e23",
            "9007199254740993",
            "9007199254740992.5",
            "9007199254740993.00000000000000000000001",
            "1.7976931348623157e308",
            "2.2250738585072014e-308",
            "123456789012345678901234567890",
            "0.000000000000000000000000000123",
            "1e-300",
        ]
        .map(str::to_owned)
        .into();
        for _ in 0..20_000 {
            let digits: String = (0..1 + random.below(25)).map(|_| random.below(10).to_string()).collect();
            let point = random.below(digits.len() as u32 + 1) as usize;
            let exponent = random.below(120) as i32 - 60;
            texts.push(format!("{}.{}", &digits[..point], &digits[point..]));
            texts.push(format!("{digits}e{exponent}"));
            texts.push(f64::from_bits(u64::from(random.bits()) << 32 | u64::from(random.bits())).to_string());
        }
        let known = |text: &&String| text.len() < 300 && *text != "NaN";
        for text in texts.iter().filter(known) {
            let right: f64 = text.parse().unwrap();
            assert_eq!(read(text).map(f64::to_bits), Some(right.to_bits()), "{text}");
        }
    }

    #[test]
    fn refuses_what_is_no_number() {
        for text in ["", ".", "-", "e5", "1e", "1e5.0", "1,5", "1 ", "0x10", "1.2.3", "--1", "inf", "NaN", "¼", "1e401"]
        {
            assert_eq!(read(text), None, "{text}");
        }
        assert_eq!(read(&"1".repeat(401)), None);
    }
}
