//! `prepare`: judges a check and builds the systems that are explored.

use crate::{Check, CheckRun};
use lockstep_kernel::explore::{self, Bounds, symmetry};
use lockstep_kernel::world::UNLIMITED;
use lockstep_kernel::{Algorithm, Entry, NodeId, Setup};
use lockstep_spec::{Limits, Model, Resolver, grouped, sentences};

/// The memory that an exploration may take where addresses have 32 bits, in bytes. A program of
/// wasm has 4 GiB in all and ends without a word where it asks for more.
const MOST_OF_32_BITS: u64 = 3_000_000_000;

/// The bound of an exploration that is given so many megabytes, in bytes.
pub fn most_bytes(megabytes: usize) -> usize {
    let most = if size_of::<usize>() < 8 { MOST_OF_32_BITS } else { u64::MAX };
    usize::try_from((megabytes as u64).saturating_mul(1_000_000).min(most)).unwrap_or(usize::MAX)
}

/// A check that can begin.
pub struct ReadyCheck {
    /// The algorithm.
    pub entry: &'static Entry,
    /// The system, once for each placement of the cells that is asked for.
    pub setups: Vec<Setup>,
    /// How far to explore.
    pub bounds: Bounds,
    /// Memory at which to stop, in bytes.
    pub max_bytes: usize,
    /// For how many states one may stand, by symmetry.
    pub alike: usize,
}

impl ReadyCheck {
    /// The names of the invariants of every state and of the whole exploration.
    pub fn invariants(&self) -> Vec<&'static str> {
        let system = (self.entry.drive.system)(self.setups[0].clone());
        explore::invariants(&system, &self.bounds)
    }

    /// An exploration at its beginning.
    pub fn start(self) -> CheckRun {
        CheckRun::new(self)
    }
}

/// Judges a check; every problem is one sentence.
pub fn prepare(check: &Check) -> Result<ReadyCheck, Vec<String>> {
    prepare_with(lockstep_algorithms::find(check.algorithm()), check)
}

/// The same for an algorithm that was found elsewhere.
pub fn prepare_with(entry: Result<&'static Entry, String>, check: &Check) -> Result<ReadyCheck, Vec<String>> {
    let mut read = Resolver::with(entry, &check.spec, &Limits::EXPLORE);
    read.run();
    let requests = read.requests();
    let [cancels, crashes] = ["cancels", "crashes"].map(|name| read.whole(name) as u8);
    let [max_states, megabytes] = ["max_states", "max_megabytes"].map(|name| read.whole(name) as usize);
    let symmetric = read.flag("symmetry");
    if let Some(entry) = read.entry.filter(|entry| cancels > 0 && !entry.drive.cancels) {
        read.note("cancels", format!("a thread of `{}` cannot give up; expected 0.", entry.id));
    }
    let every = check.spec.placement.as_deref() == Some("every");
    if symmetric && every {
        read.note("symmetry", "not allowed with every placement; expected one of the two.");
    }
    let Model { algorithm: entry, setup, .. } = read.finish().map_err(sentences)?;
    let setups = if every { placements(&setup).map_err(|why| vec![why])? } else { vec![setup] };
    let bounds = Bounds { requests, cancels, crashes, max_states, symmetry: symmetric };
    let alike = if symmetric { alike(entry, &setups[0], &bounds).map_err(|why| vec![why])? } else { 1 };
    Ok(ReadyCheck { entry, setups, bounds, max_bytes: most_bytes(megabytes), alike })
}

/// How many states can differ only by the names of interchangeable nodes.
fn alike(entry: &Entry, setup: &Setup, bounds: &Bounds) -> Result<usize, String> {
    if bounds.requests == UNLIMITED {
        return Err("symmetry: not allowed with unlimited requests; expected a number of requests.".into());
    }
    let system = (entry.drive.system)(setup.clone());
    if !system.algorithm.anonymous() {
        let id = entry.id;
        return Err(format!("symmetry: `{id}` orders the names of nodes; expected symmetry to be left out."));
    }
    match symmetry::renamings(&system, &explore::first(&system, bounds)).len() {
        0 => {
            Err("symmetry: more than seven nodes are not allowed; expected at most seven interchangeable nodes.".into())
        }
        1 => Err("symmetry: no two nodes of this system are interchangeable; expected a star, or no symmetry.".into()),
        alike => Ok(alike),
    }
}

/// The setup with every placement of its cells.
fn placements(setup: &Setup) -> Result<Vec<Setup>, String> {
    let (hosts, most) = (setup.hosts(), Limits::EXPLORE.most("placements"));
    let count = hosts.checked_pow(u32::from(setup.cells)).filter(|n| *n as f64 <= most);
    let count = count.ok_or_else(|| {
        format!("placement: every has more than {} placements; expected fewer cells or nodes.", grouped(most))
    })?;
    let holder = |i: usize, cell: u16| NodeId((i / hosts.pow(u32::from(cell)) % hosts) as u32);
    let placed = |i: usize| Setup { placement: (0..setup.cells).map(|c| holder(i, c)).collect(), ..setup.clone() };
    Ok((0..count).map(placed).collect())
}
