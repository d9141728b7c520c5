//! The entry of an algorithm in the table: its description and its drivers.

use crate::erased::Dyn;
use crate::explore::{Bounds, Exploration, ExplorationResult, Explorer, to_the_end};
use crate::history::{History, Player};
use crate::run::{self, BatchJob, RunMeasures};
use crate::timing::{Delays, Duration, Load, RangeTiming, Timing};
use crate::world::System;
use crate::{Algorithm, LineId, Message, Params, Setup, Topology};
use serde::Serialize;

/// A parameter with its values; the first is the default.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct Param {
    /// Its name.
    pub name: &'static str,
    /// What it means.
    pub about: &'static str,
    /// The values it can have.
    pub values: &'static [&'static str],
}

/// The assumptions of an algorithm.
#[derive(Clone, Copy, Debug, Default, Serialize)]
pub struct Needs {
    /// A FIFO network.
    pub fifo: bool,
    /// A parameter and the value of it with which it needs a FIFO network.
    pub fifo_with: Option<(&'static str, &'static str)>,
    /// An initial tree.
    pub tree: bool,
}

/// A line of an algorithm's listing, in our own words.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct Line {
    /// Its number.
    pub id: LineId,
    /// Its text; leading spaces indent it.
    pub text: &'static str,
    /// Whether the algorithm is incorrect without it: the conformance suite removes it and must
    /// find a violation.
    pub essential: bool,
}

/// Names the lines of a listing for its handlers: `lines! { JOIN, ASK }` defines two [`LineId`]s,
/// numbered from 1 in this order. Links name a line by its number, so a new line goes to the end;
/// after a line that is gone the numbers go on from a given one: `lines! { JOIN, LEAVE = 3 }`.
#[macro_export]
macro_rules! lines {
    (@from $id:expr;) => {};
    (@from $id:expr; $name:ident, $($rest:tt)*) => {
        const $name: $crate::LineId = $crate::LineId($id);
        $crate::lines!(@from $id + 1; $($rest)*);
    };
    (@from $id:expr; $name:ident = $given:literal, $($rest:tt)*) => {
        $crate::lines!(@from $given; $name, $($rest)*);
    };
    ($($names:tt)+) => {
        $crate::lines!(@from 1; $($names)+);
    };
}

/// A line without which the algorithm is still correct, or that introduces the next ones.
pub const fn line(id: LineId, text: &'static str) -> Line {
    Line { id, text, essential: false }
}

/// A line without which the algorithm is incorrect.
pub const fn essential(id: LineId, text: &'static str) -> Line {
    Line { id, text, essential: true }
}

/// One row of the table of all algorithms.
#[derive(Clone, Copy)]
pub struct Entry {
    /// Its name in scripts and links.
    pub id: &'static str,
    /// Its title on the page.
    pub title: &'static str,
    /// The year of its paper.
    pub year: u16,
    /// Its paper.
    pub source: &'static str,
    /// Whether this is an algorithm as printed, with its errors.
    pub printed: bool,
    /// Its parameters.
    pub params: &'static [Param],
    /// Its assumptions.
    pub needs: Needs,
    /// Claims of its paper, in our own words.
    pub claims: &'static [&'static str],
    /// The pointer along which requests travel, for the living tree.
    pub tree_link: &'static str,
    /// The listing, one block for each operation: a heading and its lines.
    pub listing: &'static [(&'static str, &'static [Line])],
    /// A system that shows how it works.
    pub sample: SampleSystem,
    /// The drivers.
    pub drive: Drive,
}

/// A small system under load that shows how an algorithm works; golden traces run on it. It is
/// chosen so that the traces of two parameter sets differ, if that is possible.
#[derive(Clone, Copy, Debug)]
pub struct SampleSystem {
    /// Number of nodes.
    pub nodes: usize,
    /// User threads of each node.
    pub threads: u32,
    /// The initial tree.
    pub topology: Topology,
    /// Number of clusters, of equal size.
    pub clusters: u32,
    /// Cells of the resource.
    pub cells: u16,
    /// Request rate of each node.
    pub rate: f64,
}

impl SampleSystem {
    /// Three nodes with two threads each, in a chain.
    pub const CHAIN: SampleSystem =
        SampleSystem { nodes: 3, threads: 2, topology: Topology::Chain, clusters: 1, cells: 1, rate: 1.0 };
    /// Six nodes in three clusters.
    pub const CLUSTERS: SampleSystem =
        SampleSystem { nodes: 6, threads: 1, topology: Topology::Star, clusters: 3, ..Self::CHAIN };
    /// Four nodes that lock ranges of four cells.
    pub const CELLS: SampleSystem = SampleSystem { nodes: 4, cells: 4, ..Self::CHAIN };

    /// The system with these parameters.
    pub fn setup(&self, params: Params) -> Setup {
        let mut setup = Setup::new(self.nodes, self.threads, self.topology).divided(self.cells);
        setup.clusters = (0..self.nodes as u32).map(|node| node * self.clusters / self.nodes as u32).collect();
        setup.params = params;
        setup
    }

    /// Delays, critical sections and the load. Messages between clusters take longer, and a request
    /// covers half of the cells.
    pub fn timing(&self, seed: u64) -> Timing {
        let local = Duration::Uniform(0.05, 0.3);
        let global = if self.clusters > 1 { Duration::Uniform(0.2, 0.6) } else { local };
        Timing {
            load: Load::Poisson(self.rate),
            section: Duration::Const(0.2),
            delays: Delays { local, global },
            seed,
            ranged: RangeTiming { share: 0.5, ..RangeTiming::default() },
        }
    }
}

/// The drivers of one algorithm.
#[derive(Clone, Copy)]
pub struct Drive {
    /// Whether threads lock ranges of cells.
    pub ranges: bool,
    /// Whether data of cells travel with its messages.
    pub carries_cells: bool,
    /// Whether a waiting thread may cancel.
    pub cancels: bool,
    /// The parameter that means nothing in a system, and what is expected.
    pub refuses: fn(&Setup) -> Option<(&'static str, String)>,
    /// Step by step, with time travel.
    pub boot: fn(Setup, &Timing) -> Box<dyn Player>,
    /// The system for searches that are compiled once for all algorithms.
    pub system: fn(Setup) -> System<Dyn>,
    /// The compiled engine; none where it is fetched separately (docs/download-size.md).
    pub engine: Option<Engine>,
}

/// The code that is compiled for one algorithm, so that no event costs an indirect call.
#[derive(Clone, Copy)]
pub struct Engine {
    /// A batch run.
    pub measure: fn(&BatchJob) -> RunMeasures,
    /// Every order of events.
    pub explore: fn(&Setup, &Bounds) -> Box<dyn Explorer>,
}

impl Drive {
    /// The drivers of `A`.
    pub const fn of<A: Algorithm>() -> Self {
        Drive {
            ranges: A::RANGES,
            carries_cells: A::Msg::CARRIES_CELLS,
            cancels: A::CANCELS,
            refuses: A::refuses,
            boot: |setup, timing| Box::new(History::of(System::<A>::new(setup).erased(), timing)),
            system: |setup| System::<A>::new(setup).erased(),
            engine: Some(Engine {
                measure: run::measure::<A>,
                explore: |setup, bounds| Box::new(Exploration::<A>::new(setup, bounds)),
            }),
        }
    }
}

impl Entry {
    /// The given parameters, checked and completed with the defaults; every problem is a sentence
    /// that says what is expected.
    pub fn complete(&self, given: &Params) -> Result<Params, Vec<String>> {
        let mut problems = Vec::new();
        for (name, value) in &given.0 {
            match self.params.iter().find(|p| p.name == name) {
                None if self.params.is_empty() => {
                    problems.push(format!("{name}: `{}` has no parameters; expected none.", self.id));
                }
                None => {
                    let names: Vec<&str> = self.params.iter().map(|p| p.name).collect();
                    problems.push(format!(
                        "{name}: `{}` has no such parameter; expected {}.",
                        self.id,
                        names.join(", ")
                    ));
                }
                Some(p) if !p.values.contains(&value.as_str()) => {
                    problems.push(format!("{name}: `{value}` is not allowed; expected {}.", p.values.join(", ")));
                }
                Some(_) => {}
            }
        }
        if !problems.is_empty() {
            return Err(problems);
        }
        let value = |p: &Param| given.0.get(p.name).cloned().unwrap_or_else(|| p.values[0].into());
        Ok(Params(self.params.iter().map(|p| (p.name.into(), value(p))).collect()))
    }

    /// Whether these parameters need a FIFO network.
    pub fn needs_fifo(&self, params: &Params) -> bool {
        self.needs.fifo || self.needs.fifo_with.is_some_and(|(name, value)| params.get(name) == value)
    }

    /// The algorithm with another engine, or with none.
    pub const fn with(self, engine: Option<Engine>) -> Entry {
        Entry { drive: Drive { engine, ..self.drive }, ..self }
    }

    /// A batch run.
    ///
    /// # Panics
    /// Without an engine.
    pub fn measure(&self, job: &BatchJob) -> RunMeasures {
        let Some(engine) = self.drive.engine else { panic!("the engine of {} is not loaded", self.id) };
        (engine.measure)(job)
    }

    /// An exploration at its beginning; without an engine it is the slow one that is compiled once
    /// for all algorithms.
    pub fn explorer(&self, setup: &Setup, bounds: &Bounds) -> Box<dyn Explorer> {
        match self.drive.engine {
            Some(engine) => (engine.explore)(setup, bounds),
            None => Box::new(Exploration::of((self.drive.system)(setup.clone()), bounds)),
        }
    }

    /// Explores every order of events.
    pub fn explore(&self, setup: &Setup, bounds: &Bounds) -> ExplorationResult {
        to_the_end(&mut *self.explorer(setup, bounds))
    }

    /// The lines of the listing.
    pub fn lines(&self) -> impl Iterator<Item = &'static Line> {
        self.listing.iter().flat_map(|(_, lines)| lines.iter())
    }
}
