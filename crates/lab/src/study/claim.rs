//! Claims and their verdicts: a claim is decided by tests at the points of a grid, and holds where they do.

use crate::Mean;
use serde::{Deserialize, Serialize};

/// A claim of a text, put to the test.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct StudyClaim {
    /// Its number in the study.
    pub id: String,
    /// Where the text says it.
    pub place: String,
    /// What it says, in our own words.
    pub statement: String,
    /// How it is decided.
    pub how: String,
    /// The text's own number, where it gives one.
    pub published: String,
    /// Ours, with intervals.
    pub ours: String,
    /// The verdict.
    pub verdict: ClaimVerdict,
    /// Where it holds, or why nothing can be said.
    pub region: String,
    /// The switches of the study that may change the verdict.
    pub switches: Vec<String>,
}

/// What became of a claim.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ClaimVerdict {
    /// It holds wherever it is made.
    Agrees,
    /// It holds nowhere.
    Differs,
    /// It holds in some of the cases for which it is made.
    HoldsOnly,
    /// The intervals are too wide, or something has not been explored.
    Undecided,
}

impl ClaimVerdict {
    /// In words.
    pub fn words(self) -> &'static str {
        match self {
            ClaimVerdict::Agrees => "agrees",
            ClaimVerdict::Differs => "differs",
            ClaimVerdict::HoldsOnly => "holds only for",
            ClaimVerdict::Undecided => "undecided",
        }
    }
}

/// One point at which a claim is looked at.
pub struct ClaimTest {
    /// Which line: `T = 5`.
    pub group: String,
    /// The place on it, as people write it.
    pub x: String,
    /// Whether the claim is made here at all.
    pub claimed: bool,
    /// Whether it holds; none where the intervals do not say.
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
            region: "not measured".into(),
            switches: Vec::new(),
        }
    }

    /// How it is decided.
    pub fn by(mut self, how: &str) -> Self {
        self.how = how.into();
        self
    }

    /// What the text measured.
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
    pub fn tested(mut self, axis: &str, tests: &[ClaimTest]) -> Self {
        let claimed = |wanted: bool| tests.iter().filter(|t| t.claimed && t.holds == Some(wanted)).count();
        self.verdict = match (claimed(true), claimed(false)) {
            (0, 0) => ClaimVerdict::Undecided,
            (_, 0) if groups(tests).iter().all(|g| shown_in(tests, g)) => ClaimVerdict::Agrees,
            (0, _) => ClaimVerdict::Differs,
            _ => ClaimVerdict::HoldsOnly,
        };
        self.region = if tests.is_empty() { "not measured".into() } else { region(axis, tests) };
        self
    }

    /// Decides it by one fact.
    pub fn settled(self, holds: Option<bool>, words: &str) -> Self {
        let test = ClaimTest { group: String::new(), x: String::new(), claimed: true, holds };
        let mut claim = self.tested("", &[test]);
        claim.region = words.into();
        claim
    }
}

/// Whether a claim that is made for a line holds at some point of it: undecided points alone are not enough.
fn shown_in(tests: &[ClaimTest], group: &str) -> bool {
    let mut claimed = tests.iter().filter(|t| t.group == group && t.claimed).peekable();
    claimed.peek().is_none() || claimed.any(|t| t.holds == Some(true))
}

/// Where tests hold, in words: lines that hold alike are named together.
fn region(axis: &str, tests: &[ClaimTest]) -> String {
    let mut alike: Vec<(Vec<&str>, String)> = Vec::new();
    for name in groups(tests) {
        let here: Vec<&ClaimTest> = tests.iter().filter(|t| t.group == name).collect();
        let words = stretches(axis, &here);
        match alike.iter_mut().find(|(_, w)| *w == words) {
            Some((names, _)) => names.push(name),
            None => alike.push((vec![name], words)),
        }
    }
    let word = |(names, words): (Vec<&str>, String)| match names[..] {
        [""] => words,
        _ => format!("{}: {words}", together(&names)),
    };
    alike.into_iter().map(word).collect::<Vec<_>>().join("; ")
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

/// `T = 1` and `T = 5` become `T = 1, 5`.
fn together(names: &[&str]) -> String {
    let (mut words, mut last) = (String::new(), "");
    for name in names {
        let (head, tail) = name.split_once(" = ").unwrap_or(("", name));
        match (words.is_empty(), !head.is_empty() && head == last) {
            (true, _) => words += name,
            (false, true) => words += &format!(", {tail}"),
            (false, false) => words += &format!(" and {name}"),
        }
        last = head;
    }
    words
}

/// Where the tests of one line hold.
fn stretches(axis: &str, tests: &[&ClaimTest]) -> String {
    let yes = tests.iter().filter(|t| t.holds == Some(true)).count();
    let no = tests.iter().filter(|t| t.holds == Some(false)).count();
    if axis.is_empty() && yes > 0 {
        // names have no order
        let holding = tests.iter().filter(|t| t.holds == Some(true)).map(|t| t.x.as_str());
        return holding.collect::<Vec<_>>().join("; ");
    }
    if no == 0 && yes > 0 {
        return if tests.len() == 1 { format!("{axis} {}", tests[0].x).trim().into() } else { format!("all {axis}") };
    }
    if yes == 0 {
        return if no > 0 { "nowhere".into() } else { "undecided".into() };
    }
    let mut runs: Vec<(usize, usize)> = Vec::new();
    for (i, _) in tests.iter().enumerate().filter(|(_, t)| t.holds == Some(true)) {
        match runs.last_mut() {
            // what lies between and is undecided does not break a stretch
            Some((_, end)) if tests[*end + 1..i].iter().all(|t| t.holds.is_none()) => *end = i,
            _ => runs.push((i, i)),
        }
    }
    let word = |(from, to): (usize, usize)| match (from, to + 1 == tests.len()) {
        (a, _) if a == to => tests[a].x.clone(),
        (0, false) => format!("up to {}", tests[to].x),
        (a, true) => format!("from {} on", tests[a].x),
        (a, false) => format!("{} to {}", tests[a].x, tests[to].x),
    };
    format!("{axis} {}", runs.into_iter().map(word).collect::<Vec<_>>().join(", "))
}

/// Whether one mean is less than another: by the 95 % interval of their difference, both taken as independent.
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
        assert_eq!(verdict(&line("", [yes, yes, None, yes])), (ClaimVerdict::Agrees, "all λ".into()));
        assert_eq!(verdict(&line("", [no; 4])), (ClaimVerdict::Differs, "nowhere".into()));
        assert_eq!(verdict(&line("", [None; 4])), (ClaimVerdict::Undecided, "undecided".into()));
        assert_eq!(verdict(&line("", [yes, yes, no, no])), (ClaimVerdict::HoldsOnly, "λ up to 0.2".into()));
        assert_eq!(verdict(&line("", [no, no, yes, yes])), (ClaimVerdict::HoldsOnly, "λ from 0.3 on".into()));
        assert_eq!(verdict(&line("", [no, yes, yes, no])), (ClaimVerdict::HoldsOnly, "λ 0.2 to 0.3".into()));
        let both: Vec<ClaimTest> = line("T = 1", [yes; 4]).into_iter().chain(line("T = 5", [yes; 4])).collect();
        assert_eq!(verdict(&both), (ClaimVerdict::Agrees, "T = 1, 5: all λ".into()));
        let mixed: Vec<ClaimTest> = line("T = 1", [yes; 4]).into_iter().chain(line("T = 5", [no; 4])).collect();
        let open: Vec<ClaimTest> = line("T = 1", [yes; 4]).into_iter().chain(line("T = 5", [None; 4])).collect();
        assert_eq!(verdict(&open), (ClaimVerdict::HoldsOnly, "T = 1: all λ; T = 5: undecided".into()));
        assert_eq!(verdict(&mixed), (ClaimVerdict::HoldsOnly, "T = 1: all λ; T = 5: nowhere".into()));
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
