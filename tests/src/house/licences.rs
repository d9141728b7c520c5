//! Licences of dependencies, as expressions of SPDX.

/// Whether a licence expression can be met with these licences: `A OR B` by one of them, `A AND B`
/// by both, in the precedence of SPDX. The old separator `/` means `OR`.
pub fn is_allowed(expression: &str, allowed: &[&str]) -> bool {
    let spaced = expression.replace('(', " ( ").replace(')', " ) ").replace('/', " OR ");
    let words: Vec<&str> = spaced.split_whitespace().collect();
    let mut rest = &words[..];
    let met = any(&mut rest, allowed);
    met == Some(true) && rest.is_empty()
}

/// `A OR B`, or nothing where the expression cannot be read.
fn any(words: &mut &[&str], allowed: &[&str]) -> Option<bool> {
    let mut met = all(words, allowed)?;
    while words.first() == Some(&"OR") {
        *words = &words[1..];
        met |= all(words, allowed)?;
    }
    Some(met)
}

/// `A AND B`
fn all(words: &mut &[&str], allowed: &[&str]) -> Option<bool> {
    let mut met = one(words, allowed)?;
    while words.first() == Some(&"AND") {
        *words = &words[1..];
        met &= one(words, allowed)?;
    }
    Some(met)
}

/// A licence, with an exception behind `WITH`, or an expression in parentheses.
fn one(words: &mut &[&str], allowed: &[&str]) -> Option<bool> {
    let (first, rest) = words.split_first()?;
    *words = rest;
    if *first == "(" {
        let met = any(words, allowed)?;
        let (close, rest) = words.split_first()?;
        *words = rest;
        return (*close == ")").then_some(met);
    }
    let mut licence = (*first).to_owned();
    if words.first() == Some(&"WITH") {
        licence = format!("{licence} WITH {}", words.get(1)?);
        *words = &words[2..];
    }
    Some(allowed.contains(&&*licence))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn expressions_are_met_or_not() {
        let allowed = ["MIT", "Apache-2.0", "Unicode-3.0"];
        for met in [
            "MIT",
            "GPL-3.0 OR MIT",
            "MIT/Apache-2.0",
            "Apache-2.0 / BSL-1.0",
            "(MIT OR Apache-2.0) AND Unicode-3.0",
            "Apache-2.0 WITH LLVM-exception OR Apache-2.0 OR MIT",
        ] {
            assert!(is_allowed(met, &allowed), "{met}");
        }
        for unmet in [
            "GPL-3.0",
            "MIT AND GPL-3.0",
            "Apache-2.0 WITH LLVM-exception",
            "(MIT OR GPL-3.0) AND GPL-3.0",
            "",
            "(MIT",
            "MIT MIT",
        ] {
            assert!(!is_allowed(unmet, &allowed), "{unmet}");
        }
    }
}
