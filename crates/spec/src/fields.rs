//! `FIELDS`: one row for each field of a system. A new field is a field of the kernel and a row
//! here.

use crate::resolve::{Model, Resolver};
use crate::{Bound, Limits};
use lockstep_kernel::{Network, Topology};
use std::collections::BTreeMap;

/// What a system is described for. Defaults and limits differ.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Use {
    /// Step by step on the stage: scenarios and links.
    Play,
    /// Timed simulation in the lab: jobs.
    Measure,
    /// Every order of events in the checker: checks.
    Explore,
}

impl Use {
    /// Every use with its name.
    pub const ALL: [(&'static str, Use); 3] =
        [("play", Use::Play), ("measure", Use::Measure), ("explore", Use::Explore)];
}

/// What the text of a field looks like.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum FieldKind {
    /// The id of an algorithm.
    Algorithm,
    /// Values of the algorithm's parameters by name.
    Params,
    /// A whole number.
    Whole,
    /// A number.
    Number,
    /// `true` or `false`.
    Flag,
    /// The name of a topology.
    Topology,
    /// The name of a network.
    Network,
    /// `const:0.01`, `uniform:0:0.1` or `exp:0.5`.
    Duration,
    /// `1/16`, or a number above 0 and up to 1.
    Share,
    /// A whole number for all nodes, or one for each.
    PerNode,
    /// Strings separated by commas; a list in a file.
    List,
    /// `child=parent` for each node; a table in a file.
    Pairs,
    /// A text of its own form, which the help describes.
    Text,
}

impl FieldKind {
    /// The kind in words.
    pub fn words(self) -> &'static str {
        match self {
            FieldKind::Algorithm => "algorithm",
            FieldKind::Params => "parameters",
            FieldKind::Whole => "whole number",
            FieldKind::Number => "number",
            FieldKind::Flag => "true or false",
            FieldKind::Topology | FieldKind::Network => "choice",
            FieldKind::Duration => "duration",
            FieldKind::Share => "share",
            FieldKind::PerNode => "whole number, or one for each node",
            FieldKind::List => "list",
            FieldKind::Pairs => "child = parent",
            FieldKind::Text => "text",
        }
    }

    /// The values to choose from, where there are few.
    pub fn choices(self) -> Vec<&'static str> {
        match self {
            FieldKind::Topology => Topology::ALL.iter().map(|(name, _)| *name).collect(),
            FieldKind::Network => Network::ALL.iter().map(|(name, _)| *name).collect(),
            FieldKind::Flag => vec!["false", "true"],
            _ => Vec::new(),
        }
    }
}

/// A row of the table.
pub struct Field {
    /// Its name in files, documents, forms and, with hyphens, on the command line.
    pub name: &'static str,
    /// Its short name in links.
    pub short: &'static str,
    /// Other names that are read.
    pub aliases: &'static [&'static str],
    /// Its name for people.
    pub title: &'static str,
    /// One sentence of help.
    pub help: &'static str,
    /// What its text looks like.
    pub kind: FieldKind,
    /// The unit of its number.
    pub unit: &'static str,
    /// The default for each use; empty where there is none, nothing where the use lacks the field.
    pub defaults: [Option<&'static str>; 3],
    /// The text in a spec.
    pub get: fn(&Spec) -> Option<&String>,
    /// The place of the text in a spec.
    pub slot: fn(&mut Spec) -> &mut Option<String>,
    pub(crate) apply: fn(&mut Resolver<'_>),
}

impl Field {
    /// The row of that name or alias, or with that short name in links.
    pub fn find(name: &str) -> Option<&'static Field> {
        let named = |f: &&Field| f.name == name || f.aliases.contains(&name);
        FIELDS.iter().find(named).or_else(|| FIELDS.iter().find(|f| f.short == name))
    }

    /// The rows that a use has.
    pub fn of(of: Use) -> impl Iterator<Item = &'static Field> {
        FIELDS.iter().filter(move |f| f.default(of).is_some())
    }

    /// The default for a use; nothing where the use lacks the field.
    pub fn default(&self, of: Use) -> Option<&'static str> {
        self.defaults[of as usize]
    }

    /// What its number, or the time of its duration, may be in a use that has it.
    pub fn bound(&self, of: Use) -> Option<&'static Bound> {
        let name = if self.kind == FieldKind::Duration { "duration" } else { self.name };
        self.default(of).and_then(|_| Limits::of(of).bound(name))
    }

    /// Its option on the command line, without the hyphens before it.
    pub fn option(&self) -> String {
        if self.kind == FieldKind::Params { "param".into() } else { self.name.replace('_', "-") }
    }
}

/// The short name of a field in links, and what a link says of it.
type Writer = (&'static str, fn(&Model) -> Option<String>);

macro_rules! fields {
    ($($name:ident $short:literal $aliases:tt $title:literal $kind:ident $unit:literal
       $help:literal [$play:expr, $measure:expr, $explore:expr] $apply:expr, $write:expr;)+) => {
        /// A system as it was written: the value of every field that was given, before it is
        /// judged.
        #[derive(Clone, PartialEq, Eq, Debug, Default)]
        pub struct Spec {
            $(#[doc = $help] pub $name: Option<String>,)+
            /// Values of the algorithm's parameters by name.
            pub given: BTreeMap<String, String>,
        }

        impl Spec {
            $(#[doc = concat!("The same with another `", stringify!($name), "`.")]
            pub fn $name(mut self, value: impl ToString) -> Self {
                self.$name = Some(value.to_string());
                self
            })+
        }

        /// Every field, in the order of links and documents.
        pub static FIELDS: &[Field] = &[$(Field {
            name: stringify!($name), short: $short, aliases: &$aliases, title: $title, help: $help,
            kind: FieldKind::$kind, unit: $unit, defaults: [$play, $measure, $explore],
            get: |spec| spec.$name.as_ref(), slot: |spec| &mut spec.$name, apply: $apply,
        },)+];

        /// How a link is written; apart from the table, so that the page's first load contains no
        /// reader.
        pub(crate) static WRITERS: &[Writer] = &[$(($short, $write),)+];
    };
}

fields! {
    algorithm "a" [] "Algorithm" Algorithm "" "The algorithm, as `lockstep list` names it."
        [Some(""), Some(""), Some("")] |_| {}, |_| None;
    params "" ["param"] "Parameters" Params "" "Parameters of the algorithm, as variant=v2; others keep their defaults."
        [Some(""), Some(""), Some("")] |r| r.params(), |_| None;
    nodes "n" [] "Nodes" Whole "" "Number of nodes; may be left out where the topology or the clusters give it."
        [Some(""), Some("31"), Some("3")] |r| r.nodes(), |m| Some(m.setup.nodes().to_string());
    threads "t" [] "Threads" PerNode "" "User threads of each node."
        [Some("1"), Some("1"), Some("1")] |r| r.threads(), Model::threads;
    topology "top" [] "Topology" Topology "" "Initial tree: chain, star, binary-tree, ring, full, or clusters:3x3 for three clusters of three."
        [Some("chain"), Some("binary-tree"), Some("chain")] |_| {}, Model::topology;
    names "names" [] "Names" List "" "Names of the nodes; p1, p2, … if left out."
        [Some(""), None, None] |r| r.names(), Model::names;
    parents "top" [] "Initial tree" Pairs "" "Probable owner of each node: child = \"parent\"; the node without one holds the token."
        [Some(""), None, None] |r| r.parents(), |_| None;
    clusters "clusters" [] "Clusters" Text "" "Sizes of clusters as 2+1+1 (a star), the nodes of each cluster, or each node's cluster as 0.0.1."
        [Some(""), None, Some("")] |r| r.clusters(), Model::clusters;
    cells "cells" [] "Cells" Whole "" "Cells of a divided resource, for range locks."
        [Some("1"), Some("1"), Some("1")] |r| r.setup.cells = r.whole("cells") as u16,
        |m| (m.setup.cells != 1).then(|| m.setup.cells.to_string());
    placement "placement" [] "Placement" List "" "Node that holds each cell at the start, as p1,p1,p3; the checker also takes `every`."
        [Some(""), None, Some("")] |r| r.placement(), Model::placement;
    network "net" [] "Network" Network "" "Network: fifo, unordered, lossy (one message may be lost) or duplicating (one may arrive twice)."
        [Some("fifo"), Some("fifo"), Some("fifo")] |r| r.network(), |m| Some(m.setup.network.name().into());
    load "load" [] "Requests" Text "" "`by-hand` if threads request only when told to; otherwise give rate, think or asks."
        [Some("by-hand"), None, None] |r| r.load(), |m| Some(m.load());
    rate "load" [] "Request rate" Number "requests per time unit" "Requests per time unit at each node, as a Poisson process; not with think."
        [Some(""), Some("0.5"), None] |_| {}, |_| None;
    think "load" [] "Think time" Duration "time units" "Think time between the requests of each thread, as exp:0.5; not with rate."
        [Some(""), Some(""), None] |_| {}, |_| None;
    first "load" [] "First think time" Duration "time units" "Think time before the first request, where it differs: with const:0 all request at once."
        [Some(""), Some(""), None] |_| {}, |_| None;
    requests "load" [] "Requests" Whole "" "How often each thread with a think time requests; in the checker, how often all threads of a node do together."
        [Some("20"), Some("20"), Some("2")] |_| {}, |_| None;
    asks "load" [] "Timed requests" List "" "Requests at given times, as \"p2 at 0.5\"."
        [Some(""), None, None] |_| {}, |_| None;
    section "section" [] "Critical-section time" Duration "time units" "Time that a thread spends inside the critical section."
        [Some("const:0.5"), Some("const:0.01"), None] |r| r.timing.section = r.duration("section"),
        |m| Some(m.timing.section.to_string());
    delay "delay" [] "Message delay" Duration "time units" "Delay of a message; within a cluster where delay_global is given."
        [Some("const:0.1"), Some("uniform:0:0.1"), None] |r| r.timing.delays.local = r.duration("delay"),
        |m| Some(m.timing.delays.local.to_string());
    delay_global "far" [] "Message delay between clusters" Duration "time units" "Delay of a message between clusters; as delay if left out."
        [Some(""), Some(""), None] |r| r.delay_global(), Model::delay_global;
    range "range" [] "Requested share" Share "" "Part of the resource that each request covers, as 1/16."
        [Some("1"), Some("1"), None] |r| r.range(),
        |m| (m.timing.ranged.share != 1.0).then(|| m.timing.ranged.share.to_string());
    bandwidth "per_cell" ["per_cell"] "Bandwidth" Number "cells per time unit" "Cells whose data travel in one time unit; unlimited if left out. per_cell is its inverse."
        [Some(""), Some(""), None] |r| r.bandwidth(),
        |m| (m.timing.ranged.per_cell != 0.0).then(|| m.timing.ranged.per_cell.to_string());
    aligned "aligned" [] "Aligned requests" Flag "" "Requested ranges begin at a multiple of their length."
        [Some("false"), Some("false"), None] |r| r.aligned(),
        |m| m.timing.ranged.aligned.then(|| "1".into());
    blocking "blocking" [] "Blocking sends" Flag "" "A node that sends a message is busy until the message arrives."
        [Some("false"), Some("false"), None] |r| r.timing.ranged.blocking = r.flag("blocking"),
        |m| m.timing.ranged.blocking.then(|| "1".into());
    seed "seed" [] "Seed" Whole "" "Seed of all random numbers; each further replication takes the next."
        [Some("1"), Some("1"), None] |r| r.timing.seed = r.whole("seed"), |m| Some(m.timing.seed.to_string());
    without "without" [] "Without a listing line" Text "" "Run without this line of the listing: its number, or the words that it begins with."
        [Some(""), None, Some("")] |r| r.without(), |m| m.setup.without.map(|line| line.0.to_string());
    warmup "" [] "Warm-up" Whole "entries" "Entries of each replication before measuring begins."
        [None, Some("0"), None] |_| {}, |_| None;
    entries "" [] "Entries" Whole "entries" "Entries that each replication measures."
        [None, Some("100000"), None] |_| {}, |_| None;
    replications "" [] "Replications" Whole "" "Independent runs, on all cores."
        [None, Some("1"), None] |_| {}, |_| None;
    bypass "" [] "Watch overtaking" Flag "" "Count how often each waiting thread is overtaken; this takes time."
        [None, Some("true"), None] |_| {}, |_| None;
    cancels "" [] "Cancellations" Whole "" "How often a waiting thread may give up, where the algorithm allows it."
        [None, None, Some("0")] |_| {}, |_| None;
    crashes "" [] "Crashes" Whole "" "Nodes that may crash; a crashed node may restart in its initial state."
        [None, None, Some("0")] |_| {}, |_| None;
    symmetry "" [] "Symmetry" Flag "" "Count states that differ only by the names of interchangeable nodes as one."
        [None, None, Some("false")] |_| {}, |_| None;
    max_states "" [] "Most states" Whole "states" "Stop beyond this many states."
        [None, None, Some("20000000")] |_| {}, |_| None;
    max_megabytes "" [] "Most memory" Whole "MB" "Stop when this much memory is in use."
        [None, None, Some("3000")] |_| {}, |_| None;
}
