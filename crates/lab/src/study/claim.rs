//! Claims and their verdicts: tests at the points of a grid support a claim or contradict it.

use crate::Mean;
use serde::{Deserialize, Serialize};

/// A claim of a paper, put to the test.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct StudyClaim {
    /// Its number in the study.
    pub id: String,
    /// Where the paper says it.
    pub place: String,
    /// What it says, in our own words.
    pub statement: String,
    /// How it is decided.
    pub how: String,
    /// The paper's own number, where it gives one.
    pub published: String,
    /// Ours, with intervals.
    pub ours: String,
    /// The verdict.
    pub verdict: ClaimVerdict,
    /// The verdict as sentences: where the claim is supported and where it is contradicted.
    pub region: String,
    /// The switches of the study that may change the verdict.
    pub switches: Vec<String>,
    /// The counterexample that decides it, for the stage or `lockstep replay`.
    #[serde(default)]
    pub link: Option<String>,
}

/// What became of a claim.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ClaimVerdict {
    /// Supported wherever it is made.
    Agrees,
    /// Contradicted wherever it is made.
    Differs,
    /// Supported in some of the cases for which it is made.
    HoldsOnly,
    /// The intervals are too wide, or something has not been explored.
    Undecided,
}

impl ClaimVerdict {
    /// In words, for people.
    pub fn words(self) -> &'static str {
        match self {
            ClaimVerdict::Agrees => "supported",
            ClaimVerdict::Differs => "contradicted",
            ClaimVerdict::HoldsOnly => "supported only where …",
            ClaimVerdict::Undecided => "undecided",
        }
    }

    /// As `claims.csv` has always named it, for scripts.
    pub fn script(self) -> &'static str {
        match self {
            ClaimVerdict::Agrees => "agrees",
            ClaimVerdict::Differs => "differs",
            ClaimVerdict::HoldsOnly => "holds only for",
            ClaimVerdict::Undecided => "undecided",
        }
    }
}

/// How many claims have each verdict, as a sentence; verdicts that no claim has are left out.
pub fn tally(claims: &[StudyClaim]) -> String {
    let verdicts = [ClaimVerdict::Agrees, ClaimVerdict::Differs, ClaimVerdict::HoldsOnly, ClaimVerdict::Undecided];
    let count = |v: &ClaimVerdict| (claims.iter().filter(|c| c.verdict == *v).count(), v.words());
    let counts: Vec<_> = verdicts.iter().map(count).filter(|(n, _)| *n > 0).collect();
    let plural = if claims.len() == 1 { "claim" } else { "claims" };
    let parts: Vec<String> = counts.iter().map(|(n, words)| format!("{n} {words}")).collect();
    let text = format!("{} {plural}: {}", claims.len(), parts.join(", "));
    if text.ends_with('…') { text } else { text + "." }
}

/// One point at which a claim is looked at.
pub struct ClaimTest {
    /// Which line: `T = 5`.
    pub group: String,
    /// The place on it, as people write it.
    pub x: String,
    /// Whether the claim is made here at all.
    pub claimed: bool,
    /// Whether it holds; none where the confidence intervals overlap.
    pub holds: Option<bool>,
}

impl StudyClaim {
    /// A claim about which nothing is known yet.
    pub fn new(id: impl Into<String>, place: &str, statement: &str) -> Self {
        StudyClaim {
            id: id.into(),
            place: place.into(),
            statement: statement.into(),
            how: String::new(),
            published: String::new(),
            ours: String::new(),
            verdict: ClaimVerdict::Undecided,
            region: NOT_MEASURED.into(),
            switches: Vec::new(),
            link: None,
        }
    }

    /// The counterexample that decides it.
    pub fn link(mut self, link: Option<String>) -> Self {
        self.link = link;
        self
    }

    /// How it is decided.
    pub fn by(mut self, how: &str) -> Self {
        self.how = how.into();
        self
    }

    /// What the paper measured.
    pub fn published(mut self, number: impl Into<String>) -> Self {
        self.published = number.into();
        self
    }

    /// What we measured.
    pub fn ours(mut self, numbers: impl Into<String>) -> Self {
        self.ours = numbers.into();
        self
    }

    /// Which interpretations may change it.
    pub fn depends_on(mut self, switches: &[&str]) -> Self {
        self.switches = switches.iter().map(|s| (*s).to_owned()).collect();
        self
    }

    /// Decides it by tests; `axis` names what they lie on.
    pub fn tested(self, axis: &str, tests: &[ClaimTest]) -> Self {
        self.decided(axis, tests, false)
    }

    /// Decides a claim that the paper makes without exception (“under all loads”, “always”): one
    /// test that fails contradicts it.
    pub fn tested_everywhere(self, axis: &str, tests: &[ClaimTest]) -> Self {
        self.decided(axis, tests, true)
    }

    fn decided(mut self, axis: &str, tests: &[ClaimTest], everywhere: bool) -> Self {
        let claimed = |wanted: bool| tests.iter().filter(|t| t.claimed && t.holds == Some(wanted)).count();
        self.verdict = match (claimed(true), claimed(false)) {
            (0, 0) => ClaimVerdict::Undecided,
            (_, 0) if groups(tests).iter().all(|g| shown_in(tests, g)) => ClaimVerdict::Agrees,
            (0, _) => ClaimVerdict::Differs,
            (_, failed) if everywhere && failed > 0 => ClaimVerdict::Differs,
            _ => ClaimVerdict::HoldsOnly,
        };
        self.region = if tests.is_empty() { NOT_MEASURED.into() } else { finding(axis, tests, everywhere) };
        self
    }

    /// Decides it by one fact, which `words` names.
    pub fn settled(self, holds: Option<bool>, words: &str) -> Self {
        let test = ClaimTest { group: String::new(), x: String::new(), claimed: true, holds };
        let mut claim = self.tested("", &[test]);
        claim.region = format!("{}: {words}.", capitalised(claim.verdict.words()));
        claim
    }
}

/// What is said of a claim without measurements.
pub const NOT_MEASURED: &str = "Not measured yet.";

fn capitalised(text: &str) -> String {
    let mut letters = text.chars();
    letters.next().map_or(String::new(), |first| first.to_uppercase().chain(letters).collect())
}

/// Whether a claim that is made for a line holds at some point of it: undecided points alone are
/// not enough.
fn shown_in(tests: &[ClaimTest], group: &str) -> bool {
    let mut claimed = tests.iter().filter(|t| t.group == group && t.claimed).peekable();
    claimed.peek().is_none() || claimed.any(|t| t.holds == Some(true))
}

/// The verdict as sentences: contradicted first, then supported, then undecided; lines with the
/// same outcome are named together.
fn finding(axis: &str, tests: &[ClaimTest], everywhere: bool) -> String {
    if axis.is_empty() {
        return finding_by_name(tests);
    }
    let mut sentences: Vec<(GroupOutcome, Vec<&str>)> = Vec::new();
    let all = groups(tests);
    for name in &all {
        let here: Vec<&ClaimTest> = tests.iter().filter(|t| t.group == *name).collect();
        let Some(outcome) = outcome(axis, &here, everywhere) else { continue };
        match sentences.iter_mut().find(|(o, _)| *o == outcome) {
            Some((_, names)) => names.push(name),
            None => sentences.push((outcome, vec![name])),
        }
    }
    lockstep_kernel::sort::by(&mut sentences, |a, b| a.0.0.cmp(&b.0.0));
    let sentence = |((_, verb, place), names): (GroupOutcome, Vec<&str>)| {
        let names = if names.len() == all.len() { String::new() } else { together(&names, &all) };
        match (names.is_empty(), place.is_empty()) {
            (true, true) => format!("{verb}."),
            (true, false) => format!("{verb} {place}."),
            (false, true) => format!("{verb} for {names}."),
            (false, false) => format!("{verb} for {names}, {place}."),
        }
    };
    sentences.into_iter().map(sentence).collect::<Vec<_>>().join(" ")
}

/// Order, verb and place of what the tests of one line say.
type GroupOutcome = (u8, String, String);

/// What the tests of one line say; none where the claim is not made for it.
fn outcome(axis: &str, tests: &[&ClaimTest], everywhere: bool) -> Option<GroupOutcome> {
    let count = |wanted: Option<bool>| tests.iter().filter(|t| t.claimed && t.holds == wanted).count();
    let holding = || stretches(axis, tests, |t| t.holds == Some(true));
    let unbroken = tests.iter().all(|t| t.holds != Some(false));
    let place = if unbroken { every(axis, tests) } else { holding() };
    let only = |place: String| format!("only {place}");
    match (count(Some(true)), count(Some(false)), count(None)) {
        (0, 0, 0) => None,
        (0, 0, _) => Some((3, "Undecided".into(), "because confidence intervals overlap".into())),
        (0, _, _) if tests.iter().any(|t| t.holds == Some(true)) => {
            Some((0, "Contradicted".into(), format!("but true {}", holding())))
        }
        (0, ..) => Some((0, "Contradicted".into(), String::new())),
        (_, 0, _) => Some((1, "Supported".into(), place)),
        _ if everywhere => {
            let failing = stretches(axis, tests, |t| t.claimed && t.holds == Some(false));
            Some((0, "Contradicted".into(), format!("{failing}, but true {}", holding())))
        }
        _ => Some((2, "Supported".into(), only(place))),
    }
}

/// Names without an order: systems that were explored.
fn finding_by_name(tests: &[ClaimTest]) -> String {
    let names = |holds: Option<bool>, claimed: bool| {
        let these = tests.iter().filter(|t| t.holds == holds && (t.claimed || !claimed));
        let these: Vec<&str> = these.map(|t| t.x.as_str()).collect();
        these.join(if these.iter().any(|name| name.contains(", ")) { "; " } else { ", " })
    };
    let sentences = [
        ("Contradicted:", names(Some(false), true)),
        ("Supported:", names(Some(true), false)),
        ("Not explored yet:", names(None, true)),
    ];
    let said = sentences.into_iter().filter(|(_, names)| !names.is_empty());
    said.map(|(verb, names)| format!("{verb} {names}.")).collect::<Vec<_>>().join(" ")
}

fn groups(tests: &[ClaimTest]) -> Vec<&str> {
    let mut names: Vec<&str> = Vec::new();
    for test in tests {
        if !names.contains(&test.group.as_str()) {
            names.push(&test.group);
        }
    }
    names
}

/// Names of lines in one phrase. `T = 1` and `T = 5` become `T = 1 and 5`, or `every T` where these
/// are all; `SWQ, α = 1` is `SWQ` where it is so for every α, and `SWQ (α = 1)` otherwise.
fn together(names: &[&str], all: &[&str]) -> String {
    fn parts(name: &str) -> (&str, &str, &str) {
        let Some((head, value)) = name.rsplit_once(" = ") else { return (name, "", "") };
        let (label, variable) = head.rsplit_once(", ").unwrap_or(("", head));
        (label, variable, value)
    }
    let mut phrases: Vec<(&str, &str, Vec<&str>)> = Vec::new();
    for name in names {
        let (label, variable, value) = parts(name);
        match phrases.iter_mut().find(|(l, v, _)| (*l, *v) == (label, variable)) {
            Some((.., values)) => values.push(value),
            None => phrases.push((label, variable, vec![value])),
        }
    }
    let phrase = |(label, variable, values): (&str, &str, Vec<&str>)| {
        let complete = all.iter().filter(|n| parts(n).0 == label && parts(n).1 == variable).count() == values.len();
        match (label, variable, complete) {
            (label, "", _) => label.to_owned(),
            ("", variable, true) => format!("every {variable}"),
            ("", variable, false) => format!("{variable} = {}", listed(&values)),
            (label, _, true) => label.to_owned(),
            (label, variable, false) => format!("{label} ({variable} = {})", values.join(", ")),
        }
    };
    let phrases: Vec<String> = phrases.into_iter().map(phrase).collect();
    listed(&phrases.iter().map(String::as_str).collect::<Vec<_>>())
}

/// `a`, `a and b`, `a, b and c`.
fn listed(words: &[&str]) -> String {
    match words {
        [] => String::new(),
        [one] => (*one).to_owned(),
        [first @ .., last] => format!("{} and {last}", first.join(", ")),
    }
}

/// All points of a line in words.
fn every(axis: &str, tests: &[&ClaimTest]) -> String {
    match (axis, tests) {
        (_, [one]) => stretch(axis, &one.x, &one.x, false, false),
        ("n", _) => "for every number of nodes".into(),
        ("sections", _) => "for every critical-section time".into(),
        _ => format!("for every {axis}"),
    }
}

/// A stretch of a line in words, from its first to its last point; `open` where it reaches an end
/// of the line.
fn stretch(axis: &str, from: &str, to: &str, open_below: bool, open_above: bool) -> String {
    match (axis, from == to, open_below, open_above) {
        ("n", true, ..) => format!("with {from} nodes"),
        ("n", _, true, _) => format!("up to {to} nodes"),
        ("n", _, _, true) => format!("from {from} nodes"),
        ("n", ..) => format!("with {from} to {to} nodes"),
        ("sections", true, ..) => format!("for critical sections of {from}"),
        ("sections", _, true, _) => format!("for critical sections up to {to}"),
        ("sections", _, _, true) => format!("for critical sections from {from}"),
        ("sections", ..) => format!("for critical sections of {from} to {to}"),
        (_, true, ..) => format!("for {axis} = {from}"),
        (_, _, true, _) => format!("for {axis} ≤ {to}"),
        (_, _, _, true) => format!("for {axis} ≥ {from}"),
        _ => format!("for {from} ≤ {axis} ≤ {to}"),
    }
}

/// Where the tests of one line are as wanted.
fn stretches(axis: &str, tests: &[&ClaimTest], wanted: fn(&ClaimTest) -> bool) -> String {
    let mut runs: Vec<(usize, usize)> = Vec::new();
    for (i, _) in tests.iter().enumerate().filter(|(_, t)| wanted(t)) {
        match runs.last_mut() {
            // what lies between and is undecided does not break a stretch
            Some((_, end)) if tests[*end + 1..i].iter().all(|t| t.holds.is_none()) => *end = i,
            _ => runs.push((i, i)),
        }
    }
    let word =
        |(from, to): (usize, usize)| stretch(axis, &tests[from].x, &tests[to].x, from == 0, to + 1 == tests.len());
    let words: Vec<String> = runs.into_iter().map(word).collect();
    listed(&words.iter().map(String::as_str).collect::<Vec<_>>())
}

/// Whether one mean is less than another, by the 95 % interval of their difference; both are taken
/// as independent.
pub fn less(a: Mean, b: Mean) -> Option<bool> {
    let (difference, width) = (b.mean - a.mean, width(a, b));
    if difference > width {
        Some(true)
    } else if difference < -width || width == 0.0 {
        Some(false)
    } else {
        None
    }
}

/// Whether two means differ by at most this part of the larger.
pub fn alike(a: Mean, b: Mean, part: f64) -> Option<bool> {
    let (difference, width) = ((a.mean - b.mean).abs(), width(a, b));
    let limit = part * a.mean.abs().max(b.mean.abs());
    if difference + width <= limit {
        Some(true)
    } else if difference - width > limit {
        Some(false)
    } else {
        None
    }
}

/// So many times a mean.
pub fn scaled(m: Mean, times: f64) -> Mean {
    Mean { mean: times * m.mean, half_width: times * m.half_width }
}

fn width(a: Mean, b: Mean) -> f64 {
    libm::sqrt(a.half_width * a.half_width + b.half_width * b.half_width)
}

/// All of several tests: one that fails decides, then one that is undecided.
pub fn all(tests: &[Option<bool>]) -> Option<bool> {
    if tests.contains(&Some(false)) {
        Some(false)
    } else if tests.contains(&None) {
        None
    } else {
        Some(true)
    }
}

/// A mean with its interval, for people.
pub fn shown(m: Mean) -> String {
    let digits = |v: f64| {
        if v.abs() >= 100.0 {
            1
        } else if v.abs() >= 10.0 {
            2
        } else {
            3
        }
    };
    let d = digits(m.mean);
    if m.half_width > 0.0 { format!("{:.d$} ± {:.d$}", m.mean, m.half_width) } else { format!("{:.d$}", m.mean) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn test(group: &str, x: &str, holds: Option<bool>) -> ClaimTest {
        ClaimTest { group: group.into(), x: x.into(), claimed: true, holds }
    }

    fn verdict(tests: &[ClaimTest]) -> (ClaimVerdict, String) {
        let claim = StudyClaim::new("1", "", "").tested("λ", tests);
        (claim.verdict, claim.region)
    }

    #[test]
    fn verdicts_say_where() {
        let (yes, no) = (Some(true), Some(false));
        let line = |g: &str, holds: [Option<bool>; 4]| {
            ["0.1", "0.2", "0.3", "0.4"].iter().zip(holds).map(|(x, h)| test(g, x, h)).collect::<Vec<_>>()
        };
        let says = |tests: &[ClaimTest], wanted: ClaimVerdict, words: &str| {
            assert_eq!(verdict(tests), (wanted, words.to_owned()));
        };
        says(&line("", [yes, yes, None, yes]), ClaimVerdict::Agrees, "Supported for every λ.");
        says(&line("", [no; 4]), ClaimVerdict::Differs, "Contradicted.");
        says(&line("", [None; 4]), ClaimVerdict::Undecided, "Undecided because confidence intervals overlap.");
        says(&line("", [yes, yes, no, no]), ClaimVerdict::HoldsOnly, "Supported only for λ ≤ 0.2.");
        says(&line("", [no, no, yes, yes]), ClaimVerdict::HoldsOnly, "Supported only for λ ≥ 0.3.");
        says(&line("", [no, yes, yes, no]), ClaimVerdict::HoldsOnly, "Supported only for 0.2 ≤ λ ≤ 0.3.");
        says(&line("", [no, yes, no, yes]), ClaimVerdict::HoldsOnly, "Supported only for λ = 0.2 and for λ = 0.4.");
        let two = |a, b| line("T = 1", a).into_iter().chain(line("T = 5", b)).collect::<Vec<_>>();
        says(&two([yes; 4], [yes; 4]), ClaimVerdict::Agrees, "Supported for every λ.");
        let mixed = "Contradicted for T = 5. Supported for T = 1, for every λ.";
        says(&two([yes; 4], [no; 4]), ClaimVerdict::HoldsOnly, mixed);
        let open = "Supported for T = 1, for every λ. Undecided for T = 5, because confidence intervals overlap.";
        says(&two([yes; 4], [None; 4]), ClaimVerdict::HoldsOnly, open);
    }

    #[test]
    fn one_point_contradicts_a_claim_that_is_made_without_exception() {
        let line = |g: &str, holds: [Option<bool>; 4]| {
            ["0.1", "0.2", "0.3", "0.4"].iter().zip(holds).map(|(x, h)| test(g, x, h)).collect::<Vec<_>>()
        };
        let says = |tests: &[ClaimTest], wanted: ClaimVerdict, words: &str| {
            let claim = StudyClaim::new("1", "", "").tested_everywhere("λ", tests);
            assert_eq!((claim.verdict, claim.region.as_str()), (wanted, words));
        };
        let (yes, no) = (Some(true), Some(false));
        let mixed = "Contradicted for λ = 0.4, but true for λ ≤ 0.3.";
        says(&line("", [yes, yes, yes, no]), ClaimVerdict::Differs, mixed);
        says(&line("", [no; 4]), ClaimVerdict::Differs, "Contradicted.");
        says(&line("", [yes, None, yes, yes]), ClaimVerdict::Agrees, "Supported for every λ.");
        says(&line("", [None; 4]), ClaimVerdict::Undecided, "Undecided because confidence intervals overlap.");
        let two: Vec<ClaimTest> =
            line("T = 1", [yes, yes, no, no]).into_iter().chain(line("T = 5", [yes; 4])).collect();
        let words = "Contradicted for T = 1, for λ ≥ 0.3, but true for λ ≤ 0.2. Supported for T = 5, for every λ.";
        says(&two, ClaimVerdict::Differs, words);
    }

    #[test]
    fn lines_are_named_together() {
        let line = |group: &str, holds: [bool; 3]| {
            ["12", "22", "42"].iter().zip(holds).map(|(x, h)| test(group, x, Some(h))).collect::<Vec<_>>()
        };
        let tests: Vec<ClaimTest> = [
            line("SWQ (prose guard), α = 0.25", [false; 3]),
            line("SWQ (prose guard), α = 1", [false; 3]),
            line("SWQ (strict guard), α = 0.25", [false, true, true]),
            line("SWQ (strict guard), α = 1", [false; 3]),
        ]
        .into_iter()
        .flatten()
        .collect();
        let claim = StudyClaim::new("1", "", "").tested("n", &tests);
        assert_eq!(
            claim.region,
            "Contradicted for SWQ (prose guard) and SWQ (strict guard) (α = 1). \
             Supported for SWQ (strict guard) (α = 0.25), only from 22 nodes."
        );
    }

    #[test]
    fn a_claim_that_fails_where_it_is_made_says_where_it_is_true() {
        let mut tests: Vec<ClaimTest> = ["0.1", "0.5", "1.0"].iter().map(|x| test("", x, Some(true))).collect();
        tests[0].holds = Some(false);
        tests[1].claimed = false;
        tests[2].claimed = false;
        assert_eq!(verdict(&tests), (ClaimVerdict::Differs, "Contradicted but true for λ ≥ 0.5.".into()));
    }

    #[test]
    fn explored_systems_are_named() {
        let tests = [test("", "as printed", Some(false)), test("", "repaired", Some(true)), test("", "large", None)];
        let claim = StudyClaim::new("1", "", "").tested("", &tests);
        let words = "Contradicted: as printed. Supported: repaired. Not explored yet: large.";
        assert_eq!((claim.verdict, claim.region.as_str()), (ClaimVerdict::HoldsOnly, words));
        assert_eq!(tally(&[claim]), "1 claim: 1 supported only where …");
        let one = StudyClaim::new("2", "", "").settled(Some(true), "all 31 nodes");
        assert_eq!(one.region, "Supported: all 31 nodes.");
    }

    #[test]
    fn means_are_compared_by_their_intervals() {
        let m = |mean, half_width| Mean { mean, half_width };
        assert_eq!(less(m(1.0, 0.1), m(2.0, 0.1)), Some(true));
        assert_eq!(less(m(2.0, 0.1), m(1.0, 0.1)), Some(false));
        assert_eq!(less(m(1.0, 0.5), m(1.1, 0.5)), None);
        assert_eq!(less(m(1.0, 0.0), m(1.0, 0.0)), Some(false));
        assert_eq!(alike(m(1.0, 0.01), m(1.02, 0.01), 0.1), Some(true));
        assert_eq!(alike(m(1.0, 0.01), m(2.0, 0.01), 0.1), Some(false));
        assert_eq!(alike(m(1.0, 0.2), m(1.1, 0.2), 0.1), None);
        assert_eq!(all(&[Some(true), None]), None);
        assert_eq!(all(&[Some(false), None]), Some(false));
    }
}
