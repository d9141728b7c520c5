//! Whatever a file or a link holds, the answer is sentences, never a panic.

use lockstep_scenario::link::Link;
use lockstep_scenario::{Given, LIBRARY, parse, trace};
use proptest::prelude::*;

/// Reads a text as everything that it may be; what can be read must not fail afterwards.
fn survive(text: &str) {
    match Given::of(text) {
        Ok(Given::Address(address)) => drop(Link::decode(&address).map(|link| link.open())),
        Ok(Given::Scenario(_)) => {}
        Err(why) => assert!(why.ends_with('.'), "{why}"),
    }
    match Link::decode(text) {
        Ok(link) => drop(link.open()),
        Err(problems) => assert!(!problems.is_empty()),
    }
    match parse("damaged", text) {
        Ok(scenario) => drop(scenario.play()),
        Err(problems) => assert!(!problems.is_empty()),
    }
}

/// A text with some letters replaced.
fn damaged(text: &str, at: usize, cut: usize, put: &str) -> String {
    let chars: Vec<char> = text.chars().collect();
    let at = at % (chars.len() + 1);
    let end = (at + cut).min(chars.len());
    chars[..at].iter().copied().chain(put.chars()).chain(chars[end..].iter().copied()).collect()
}

#[test]
fn deep_nesting_is_no_danger() {
    for (start, nested) in [("a = ", "[".repeat(100_000)), ("", "[a.".repeat(50_000)), ("", "{ a = ".repeat(20_000))] {
        assert!(parse("deep", &format!("{start}{nested}")).is_err());
    }
}

#[test]
fn every_truncation_of_the_library_is_survived() {
    for (_, text) in LIBRARY {
        (0..text.len()).step_by(7).filter(|i| text.is_char_boundary(*i)).for_each(|end| survive(&text[..end]));
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 200, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn garbage_never_panics(text in ".{0,300}", bytes in proptest::collection::vec(any::<u8>(), 0..400)) {
        survive(&text);
        survive(&String::from_utf8_lossy(&bytes));
    }

    #[test]
    fn a_damaged_run_never_panics(
        which in 0usize..LIBRARY.len(),
        at in 0usize..9_000,
        cut in 0usize..40,
        put in "[\\[\\]{}\"=.:,&*%@a-z0-9→ \\n]{0,6}",
    ) {
        let text = LIBRARY[which].1;
        let scenario = parse("x", text).unwrap();
        let player = scenario.play().player;
        let link = Link::of(scenario.algorithm, &*player, &scenario.timing).encode();
        let saved = trace::json(scenario.algorithm.id, &link, &[player.frame()]);
        [text, &link, &saved].into_iter().for_each(|text| survive(&damaged(text, at, cut, &put)));
    }
}
