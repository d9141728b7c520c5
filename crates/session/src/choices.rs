//! What the reader chooses from: places, tabs, themes, speeds, stop conditions, preferences.

use lockstep_kernel::{Frame, ThreadId};
use std::collections::{BTreeMap, BTreeSet};

/// The places of the page. Each has an address.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum PagePlace {
    /// One run, step by step.
    Stage,
    /// Every figure of the papers.
    Figures,
    /// Two runs side by side.
    Compare,
    /// The editor for scenarios.
    Write,
    /// Batch experiments and charts.
    Lab,
    /// The checker: every order of events.
    Check,
    /// The judge: logs of other implementations.
    Judge,
}

impl PagePlace {
    /// Every place with its name in addresses and its title.
    pub const ALL: [(&'static str, &'static str, PagePlace); 7] = [
        ("stage", "Stage", PagePlace::Stage),
        ("figures", "Figures", PagePlace::Figures),
        ("compare", "Compare", PagePlace::Compare),
        ("lab", "Lab", PagePlace::Lab),
        ("check", "Check", PagePlace::Check),
        ("judge", "Judge", PagePlace::Judge),
        ("write", "Write", PagePlace::Write),
    ];

    /// The place of that name.
    pub fn named(name: &str) -> Option<PagePlace> {
        Self::ALL.iter().find(|(n, ..)| *n == name).map(|(.., p)| *p)
    }

    /// Its name in addresses.
    pub fn name(self) -> &'static str {
        Self::ALL.iter().find(|(.., p)| *p == self).map_or("stage", |(n, ..)| n)
    }
}

/// What ends a "run until".
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum StopCondition {
    /// A thread enters.
    AnyEntry,
    /// An invariant is violated.
    Violation,
    /// This thread enters.
    Entry(ThreadId),
}

impl StopCondition {
    /// Whether it holds in this frame.
    pub fn holds(self, frame: &Frame) -> bool {
        let granted = frame.last.as_ref().map_or(&[][..], |l| &l.granted);
        match self {
            StopCondition::AnyEntry => !granted.is_empty(),
            StopCondition::Violation => frame.invariants.iter().any(|i| i.broken.is_some()),
            StopCondition::Entry(thread) => granted.contains(&thread),
        }
    }
}

/// A tab of the inspector.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum InspectorTab {
    /// The variables of a node.
    Node,
    /// What can happen next.
    Events,
    /// Every branch of the run.
    Branches,
}

/// Light or dark.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Theme {
    /// The theme of the system.
    #[default]
    Auto,
    /// Light.
    Light,
    /// Dark.
    Dark,
}

impl Theme {
    /// Every theme with its name.
    pub const ALL: [(&'static str, Theme); 3] = [("auto", Theme::Auto), ("light", Theme::Light), ("dark", Theme::Dark)];

    /// Its name.
    pub fn name(self) -> &'static str {
        Self::ALL.iter().find(|(_, t)| *t == self).map_or("auto", |(n, _)| n)
    }

    /// The theme of that name.
    pub fn named(name: &str) -> Theme {
        Self::ALL.iter().find(|(n, _)| *n == name).map_or(Theme::Auto, |(_, t)| *t)
    }

    /// The one after it.
    pub fn next(self) -> Theme {
        match self {
            Theme::Auto => Theme::Light,
            Theme::Light => Theme::Dark,
            Theme::Dark => Theme::Auto,
        }
    }
}

/// The speeds of playing, as factors with their labels.
pub const SPEEDS: [(f64, &str); 10] = [
    (0.125, "⅛×"),
    (0.25, "¼×"),
    (0.5, "½×"),
    (1.0, "1×"),
    (2.0, "2×"),
    (4.0, "4×"),
    (8.0, "8×"),
    (16.0, "16×"),
    (32.0, "32×"),
    (64.0, "64×"),
];

/// What the browser stores for the reader.
#[derive(Clone, PartialEq, Debug)]
pub struct Preferences {
    /// Light or dark.
    pub theme: Theme,
    /// Answers given, by scenario and stop (`alien-figure-1/1b`).
    pub answers: BTreeMap<String, usize>,
    /// Puzzles solved, with the fewest steps that the reader needed.
    pub solved: BTreeMap<String, usize>,
    /// Scenarios opened, by id.
    pub opened: BTreeSet<String>,
    /// Whether the space-time diagram is open.
    pub diagram: bool,
    /// One of [`SPEEDS`].
    pub speed: usize,
}

impl Default for Preferences {
    fn default() -> Self {
        let (answers, solved, opened) = Default::default();
        Preferences { theme: Theme::Auto, answers, solved, opened, diagram: true, speed: 3 }
    }
}

impl Preferences {
    /// The factor of the speed.
    pub fn factor(&self) -> f64 {
        SPEEDS[self.speed.min(SPEEDS.len() - 1)].0
    }
}
