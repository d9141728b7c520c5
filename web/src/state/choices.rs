//! What the reader can choose from: places, tabs, themes, what to wait for.

use lockstep_kernel::{Frame, ThreadId};

/// The places of the page. Each has an address.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Place {
    /// One run, step by step.
    Stage,
    /// Every figure of the texts, to choose from.
    Figures,
    /// Two runs side by side.
    Compare,
    /// Scenarios of one's own.
    Write,
    /// Batch experiments and charts.
    Lab,
    /// Every order of events.
    Check,
}

impl Place {
    /// Every place with its name in addresses and for people.
    pub const ALL: [(&'static str, &'static str, Place); 6] = [
        ("stage", "Stage", Place::Stage),
        ("figures", "Figures", Place::Figures),
        ("compare", "Compare", Place::Compare),
        ("lab", "Lab", Place::Lab),
        ("check", "Check", Place::Check),
        ("write", "Write", Place::Write),
    ];

    /// The place of that name.
    pub fn named(name: &str) -> Option<Place> {
        Self::ALL.iter().find(|(n, ..)| *n == name).map(|(.., p)| *p)
    }

    /// Its name in addresses.
    pub fn name(self) -> &'static str {
        Self::ALL.iter().find(|(.., p)| *p == self).map_or("stage", |(n, ..)| n)
    }
}

/// What to wait for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Until {
    /// Somebody enters.
    Grant,
    /// An invariant is violated.
    Violation,
    /// This thread enters.
    Enters(ThreadId),
}

impl Until {
    /// Whether it has happened in this frame.
    pub fn happened(self, frame: &Frame) -> bool {
        let granted = frame.last.as_ref().map_or(&[][..], |l| &l.granted);
        match self {
            Until::Grant => !granted.is_empty(),
            Until::Violation => frame.invariants.iter().any(|i| i.broken.is_some()),
            Until::Enters(thread) => granted.contains(&thread),
        }
    }
}

/// A tab of the inspector.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Tab {
    /// The inside of a node.
    Node,
    /// What can happen next.
    Events,
    /// Everything that was tried.
    Branches,
}

/// Light or dark.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Theme {
    /// As the system has it.
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
