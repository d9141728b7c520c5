//! What is said of bad input: every problem at once, each with its place and what is expected.

use lockstep_scenario::link::Link;
use lockstep_scenario::{Given, LIBRARY, given, parse};
use serde::Deserialize;

/// The input in `refused.toml`.
#[derive(Deserialize)]
struct Refused {
    fields: Vec<String>,
    events: Vec<String>,
    links: Vec<String>,
    given: Vec<String>,
    figures: Vec<(String, String)>,
    scenarios: Vec<String>,
}

const HEAD: &str = "title='x'\nabout='x'\nalgorithm='";
const STOP: &str = "nodes=2\ncells=4\n[[stop]]\nname='a'\ntitle='x'\nsay='x'\nscript=['";

fn of_scenario(text: &str) -> Vec<String> {
    let failures = parse("x", text).map_or_else(|problems| problems, |scenario| scenario.play().failures);
    failures.iter().map(ToString::to_string).collect()
}

fn of_link(text: &str) -> Vec<String> {
    Link::decode(text).and_then(|link| link.open().map_err(|why| vec![why])).err().unwrap_or_default()
}

#[test]
fn bad_input_is_answered_with_sentences() {
    let refused: Refused = toml::from_str(include_str!("refused.toml")).unwrap();
    let figure = LIBRARY[0].1;
    let changed = |(old, new): (String, String)| {
        assert!(figure.contains(&old), "{old}");
        (format!("{old} → {new}"), of_scenario(&figure.replacen(&old, &new, 1)))
    };
    let with = |text: String, answers: &dyn Fn(&str) -> Vec<String>| (text.clone(), answers(&text));
    let cases = (refused.fields.into_iter().map(|t| with(t, &|t| of_scenario(&format!("{HEAD}alien'\n{t}")))))
        .chain(refused.events.into_iter().map(|t| with(t, &|t| of_scenario(&format!("{HEAD}swq'\n{STOP}{t}']")))))
        .chain(refused.links.into_iter().map(|t| with(t, &of_link)))
        .chain(refused.given.into_iter().map(|t| with(t, &|t| Vec::from_iter(Given::of(t).err()))))
        .chain(refused.figures.into_iter().map(changed))
        .chain(refused.scenarios.into_iter().map(|t| with(t, &of_scenario)));
    let mut answers = String::new();
    for (text, problems) in cases {
        assert!(!problems.is_empty() && problems.iter().all(|p| p.ends_with('.')), "{text}: {problems:#?}");
        answers += &format!("{}\n  {}\n\n", text.trim(), problems.join("\n  "));
    }
    insta::assert_snapshot!(answers);
}

#[test]
fn what_is_too_large_is_refused_before_it_is_read() {
    let long = "v=1&".repeat(20_000);
    assert_eq!(of_link(&long), ["The link has 79 KB; expected at most 64 KB."]);
    let long = "a".repeat(10 << 20);
    assert_eq!(of_scenario(&long), ["line 1, column 1: The file has 10240 KB; expected at most 256 KB."]);
    assert_eq!(Given::of(&long), Err(given::too_large()));
}
