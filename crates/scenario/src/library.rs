//! The prepared scenarios, and what a gallery says of each.

use crate::reader::{Report, Table};
use crate::script::{Reference, Step};
use crate::{Scenario, quoted};
use lockstep_kernel::Entry;
use toml::de::DeTable;

/// A group of scenarios: what belongs to one paper.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Group {
    /// The paper as files name it: `paper = "alien-threads"`.
    pub paper: &'static str,
    /// The same in older files, which number the papers: `text = "…"`.
    pub text: &'static str,
    /// Its name for people.
    pub title: &'static str,
    /// Who wrote it, and when.
    pub source: &'static str,
}

/// The groups in the order of the papers.
pub const GROUPS: [Group; 6] = [
    Group { paper: "alien-threads", text: "000", title: "Alien threads", source: "Meza, Pérez and Eterovic 2005" },
    Group { paper: "lecture-notes", text: "001", title: "Lecture notes", source: "Bryant 2012" },
    Group { paper: "clusters", text: "002", title: "Clusters", source: "Bertier, Arantes and Sens 2004" },
    Group { paper: "range-locks", text: "003", title: "Locks on ranges", source: "Quinson and Vernier 2009" },
    Group { paper: "wait-free", text: "004", title: "Wait-free", source: "Jung and Yeom 2006" },
    Group { paper: "beyond", text: "beyond", title: "Beyond the papers", source: "" },
];

/// What a gallery says of a scenario; everything may be missing in a file of one's own.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Card {
    /// One line: what one will see.
    pub see: String,
    /// How long it takes, in minutes.
    pub minutes: Option<u32>,
    /// The paper that it belongs to.
    pub group: Option<Group>,
    /// The figures of that paper that it plays: `Figure 1`.
    pub figures: Vec<String>,
}

impl Card {
    pub(crate) fn read(table: &Table<'_>) -> Card {
        let group = |name: &str| {
            let papers = GROUPS.map(|g| g.paper).join(", ");
            let unknown = || format!("paper: {} is not allowed; expected one of {papers}.", quoted(name));
            GROUPS.into_iter().find(|g| g.paper == name || g.text == name).ok_or_else(unknown)
        };
        Card {
            see: table.get("see").and_then(|see| see.text()).unwrap_or_default().into(),
            minutes: table.get("minutes").and_then(|minutes| minutes.whole(1..121)).map(|minutes| minutes as u32),
            group: table.get("paper").or_else(|| table.get("text")).and_then(|paper| paper.parse(group)),
            figures: table.list("figures").iter().filter_map(|figure| figure.text()).map(str::to_owned).collect(),
        }
    }
}

/// One scenario of the library, for a gallery: read without starting a system.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Item {
    /// Its name for links.
    pub id: &'static str,
    /// Its name for people.
    pub title: String,
    /// What a gallery says of it.
    pub card: Card,
    /// Its algorithm's name for scripts.
    pub algorithm: String,
    /// Whether it plays an algorithm as printed, with its errors.
    pub printed: bool,
}

impl Item {
    /// Every scenario of the library, in the order of the papers.
    pub fn all() -> Vec<Item> {
        LIBRARY.iter().map(|(id, text)| Item::read(id, text)).collect()
    }

    fn read(id: &'static str, text: &str) -> Item {
        let (table, _) = DeTable::parse_recoverable(text);
        let table = Table { table: table.get_ref(), span: 0..0, report: &Report::new(text) };
        let [title, algorithm] = ["title", "algorithm"].map(|name| table.text(name));
        let card = Card::read(&table);
        // the clocks of the notes are no fault: only an algorithm that is called so counts
        let printed = lockstep_algorithms::find(&algorithm).is_ok_and(|a| a.printed && a.title.contains("as printed"));
        Item { id, title, card, algorithm, printed }
    }
}

impl Scenario {
    /// The same nodes, requests and durations under another algorithm, which is given its default
    /// parameters. Only for scripts that say nothing of messages; of what is expected, only who
    /// enters how often stays.
    pub fn under(&self, algorithm: &'static Entry) -> Result<Scenario, String> {
        let mut other = self.clone();
        other.model.algorithm = algorithm;
        other.model.setup.params = algorithm.complete(&Default::default()).map_err(|problems| problems.join(" "))?;
        other.model.setup.without = None;
        other.title = format!("{}: {}", self.title, algorithm.title);
        for stop in &mut other.stops {
            for line in &stop.script {
                if let Step::One(Reference::Message(..)) = Step::read(line, &self.setup)? {
                    return Err(format!(
                        "{} names a message of `{}`; expected a script of requests, releases and runs only.",
                        quoted(line),
                        self.algorithm.id
                    ));
                }
            }
            stop.expect.facts.retain(|fact| fact.name == "entries" && fact.node.is_none());
            stop.expect.violated.clear();
        }
        Ok(other)
    }
}

macro_rules! library {
    ($($id:literal),* $(,)?) => {
        /// The prepared scenarios in the order of the papers: id and content.
        pub static LIBRARY: &[(&str, &str)] = &[$(($id, include_str!(concat!("../scenarios/", $id, ".toml")))),*];

        /// Their ids.
        pub static IDS: &[&str] = &[$($id),*];
    };
}

library! {
    // alien threads
    "alien-figure-1", "alien-figure-2", "alien-printed-figure-1", "alien-printed-two-inside",
    "alien-chase", "alien-star", "alien-free-tree",
    // lecture notes
    "notes-central-server", "notes-ricart-agrawala", "notes-lamport-deferral",
    "notes-lamport-without", "notes-token-ring",
    // clusters
    "hierarchical-figure-2", "hierarchical-printed-two-inside", "hierarchical-figure-4",
    "hierarchical-figures-7-8", "hierarchical-printed-f-waits", "hierarchical-printed-preemption",
    // locks on ranges
    "ranges-splitting", "ranges-overlap", "ranges-merging", "ranges-deadlock", "ranges-yield",
    "ranges-cancel",
    // wait-free
    "waitfree-tries", "waitfree-printed-turn", "waitfree-printed-two-inside", "waitfree-resets",
    // beyond
    "raymond-tree", "suzuki-kasami", "maekawa-relinquish", "maekawa-deadlock", "carvalho-roucairol",
    "neilsen-mizuno", "four-requests",
}
