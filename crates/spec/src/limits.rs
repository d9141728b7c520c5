//! `Limits`: how large each use may be, with the reason.

use crate::Use;

/// The numbers that one field, or several together, may have.
pub struct Bound {
    /// The field, or what several fields make together.
    pub of: &'static str,
    /// The least.
    pub least: f64,
    /// The most.
    pub most: f64,
    /// A word that is allowed too; empty if none.
    pub or: &'static str,
    /// Why.
    pub reason: &'static str,
}

impl Bound {
    /// The bounds in words: `1 to 1,023`.
    pub fn words(&self) -> String {
        let least = grouped(self.least);
        match (self.most == f64::INFINITY, self.or) {
            (true, _) => format!("at least {least}"),
            (false, "") => format!("{least} to {}", grouped(self.most)),
            (false, or) => format!("{least} to {} or {or}", grouped(self.most)),
        }
    }
}

/// How large a system of one use may be.
pub struct Limits {
    /// The use.
    pub of: Use,
    /// Every limit.
    pub bounds: &'static [Bound],
}

const fn b(of: &'static str, least: f64, most: f64, reason: &'static str) -> Bound {
    Bound { of, least, most, or: "", reason }
}

impl Limits {
    /// For scenarios and links, which are played step by step.
    pub const PLAY: Limits = Limits {
        of: Use::Play,
        bounds: &[
            b("nodes", 1.0, 1_023.0, "the stage draws every node"),
            b("threads", 0.0, 64.0, "the card of a node lists its threads"),
            b("threads × nodes", 1.0, 2e6, "every step lists each thread with each node it may migrate to"),
            b("cells", 1.0, 65_535.0, "a cell has 16 bits"),
            b("rate", 0.001, 1e6, "a step of the stage must not skip more time than a person can follow"),
            b("requests", 1.0, 1e6, "a run must end"),
            b("asks", 0.0, 1e4, "a file or link must stay readable"),
            b("duration", 0.0, 1e4, "a run of any length stays far from the end of the clock"),
            b("bandwidth", 1.0, f64::INFINITY, "the data of one cell travel at most one time unit"),
        ],
    };
    /// For jobs, which are simulated without a picture.
    pub const MEASURE: Limits = Limits {
        of: Use::Measure,
        bounds: &[
            b("nodes", 1.0, 1e6, "larger systems do not fit the memory of a browser's worker"),
            b("threads", 1.0, 1e4, "the measures keep a counter for each thread"),
            b("threads in all", 1.0, 4e6, "the measures keep a counter for each thread"),
            b("cells", 1.0, 65_535.0, "a cell has 16 bits"),
            b("rate", 1e-6, 1e6, "the clock has 10⁹ ticks per time unit"),
            b("requests", 1.0, 1e9, "a counter has 32 bits"),
            b("duration", 0.0, 1e8, "the clock ends at 1.8·10¹⁰ time units"),
            b("bandwidth", 1e-3, 1e12, "the clock has 10⁹ ticks per time unit"),
            b("warmup", 0.0, 1e10, "a run must end within days"),
            b("entries", 1.0, 1e10, "a run must end within days"),
            b("replications", 1.0, 1e3, "intervals hardly narrow beyond this"),
            b("within", 1e-4, 1.0, "narrower intervals need more replications than are allowed"),
            b("nodes × replications", 1.0, 5e7, "the entries of every node are kept until the end"),
            b("time units", 0.0, 1e9, "the clock ends at eighteen times as much"),
        ],
    };
    /// For checks, which try every order of events.
    pub const EXPLORE: Limits = Limits {
        of: Use::Explore,
        bounds: &[
            b("nodes", 1.0, 64.0, "every node multiplies the states"),
            b("threads", 1.0, 64.0, "every thread multiplies the states"),
            b("threads in all", 1.0, 64.0, "every thread multiplies the states"),
            b("cells", 1.0, 16.0, "every range of cells is requested"),
            b("placements", 1.0, 1e4, "every placement is an exploration of its own"),
            Bound { or: "unlimited", ..b("requests", 1.0, 1e3, "every request multiplies the states") },
            b("cancels", 0.0, 255.0, "a counter of the state has 8 bits"),
            b("crashes", 0.0, 1.0, "the papers' algorithms do not tolerate more"),
            b("max_states", 1.0, 1e9, "a state takes about 50 bytes"),
            b("max_megabytes", 1.0, 1e6, "a terabyte is more than any machine we know"),
        ],
    };

    /// The limits of a use.
    pub fn of(of: Use) -> &'static Limits {
        match of {
            Use::Play => &Limits::PLAY,
            Use::Measure => &Limits::MEASURE,
            Use::Explore => &Limits::EXPLORE,
        }
    }

    /// The bound of a field, if it has one.
    pub fn bound(&self, of: &str) -> Option<&'static Bound> {
        self.bounds.iter().find(|b| b.of == of)
    }

    /// The most of a field; no end where it has no bound.
    pub fn most(&self, of: &str) -> f64 {
        self.bound(of).map_or(f64::INFINITY, |b| b.most)
    }
}

/// A number with commas between thousands: `1,000,000`.
pub fn grouped(number: f64) -> String {
    let text = number.to_string();
    let (whole, rest) = text.split_once('.').map_or((text.as_str(), None), |(whole, rest)| (whole, Some(rest)));
    let mut groups = String::new();
    for (i, digit) in whole.chars().enumerate() {
        if i > 0 && (whole.len() - i) % 3 == 0 {
            groups.push(',');
        }
        groups.push(digit);
    }
    rest.map_or(groups.clone(), |rest| format!("{groups}.{rest}"))
}
