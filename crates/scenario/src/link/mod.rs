//! A run as a short text that fits in an address: `v=1&a=alien&variant=v1&n=3&t=4.2.2&top=chain&…&c=0.2.5&at=2`.
//!
//! It holds the system, the durations, the seed, and every choice as a position among the possible events, so that a page, the command
//! line or another person's browser arrives at the same state. People can read it: `&` separates fields, `.` separates numbers.

mod address;
mod fields;
mod read;
pub mod tree;
mod write;

pub use address::Address;

use lockstep_kernel::history::Player;
use lockstep_kernel::timing::Timing;
use lockstep_kernel::{Entry, Event, NodeId, Setup};

/// The longest text that is read.
pub const MOST_BYTES: usize = 64 * 1024;
/// The most choices of a link.
pub const MOST_CHOICES: usize = 100_000;
/// The most work that opening a link may be: choices times what is listed at each step.
const MOST_WORK: usize = 2_000_000_000;

/// A run, as small as it can be.
#[derive(Clone)]
pub struct Link {
    /// The algorithm.
    pub algorithm: &'static Entry,
    /// The system, with every parameter set and without nodes that the algorithm adds by itself.
    pub setup: Setup,
    /// Load, durations, seed.
    pub timing: Timing,
    /// Every choice from the beginning, as [`Player::choice_of`] counts.
    pub choices: Vec<u32>,
    /// Steps from the beginning to the cursor.
    pub at: usize,
}

impl Link {
    /// The line of a player, with its cursor. The algorithm must be the player's.
    pub fn of(algorithm: &'static Entry, player: &dyn Player, timing: &Timing) -> Link {
        let line = player.timeline();
        // the history keeps each choice, so nothing is replayed; an event without one cannot be said in a link, which ends before it
        let choices: Vec<u32> = line.iter().skip(1).map_while(|step| step.choice).collect();
        let cursor = line.iter().position(|past| past.id == player.cursor());
        let at = cursor.unwrap_or(choices.len()).min(choices.len());
        Link { algorithm, setup: hosts(player.setup()), timing: timing.clone(), choices, at }
    }

    /// A run of these events, with the cursor at its end.
    pub fn from_events(
        algorithm: &'static Entry,
        setup: &Setup,
        timing: &Timing,
        events: &[Event],
    ) -> Result<Link, String> {
        let setup = hosts(setup);
        let choices = choices(algorithm, &setup, timing, events);
        let at = choices.len();
        if at < events.len() {
            return Err(format!("Step {} is not possible in this system.", at + 1));
        }
        Ok(Link { algorithm, setup, timing: timing.clone(), choices, at })
    }

    /// The run, with its cursor.
    pub fn open(&self) -> Result<Box<dyn Player>, String> {
        if self.choices.len().saturating_mul(self.setup.all_threads() * self.setup.nodes()) > MOST_WORK {
            return Err(
                "The link is too long for a system of this size; right would be fewer steps or fewer nodes.".into()
            );
        }
        let mut player = (self.algorithm.drive.boot)(self.setup.clone(), &self.timing);
        let mut cursor = player.cursor();
        for (step, choice) in self.choices.iter().enumerate() {
            let moment = player.event_at(*choice).and_then(|event| player.pick(event));
            let Some(moment) = moment else {
                let possible = player.enabled().len();
                return Err(format!(
                    "Step {} of the link chooses event {choice}, but only {possible} are possible there.",
                    step + 1
                ));
            };
            if step + 1 == self.at {
                cursor = moment;
            }
        }
        player.seek(cursor);
        Ok(player)
    }

    /// The link as text.
    pub fn encode(&self) -> String {
        write::encode(self)
    }

    /// Reads a link; everything that is wrong comes back, each as one sentence.
    pub fn decode(text: &str) -> Result<Link, Vec<String>> {
        read::decode(text)
    }
}

/// The system without the nodes that its algorithm adds by itself.
pub(crate) fn hosts(setup: &Setup) -> Setup {
    let mut hosts = setup.clone();
    let count = setup.hosts();
    // where the algorithm made a host point at a node of its own, the way goes on from there
    let beyond = |mut to: NodeId| {
        while to.index() >= count && setup.parents[to.index()] != to {
            to = setup.parents[to.index()];
        }
        to
    };
    hosts.parents.iter_mut().for_each(|to| *to = beyond(*to));
    hosts.names.truncate(count);
    hosts.threads.truncate(count);
    hosts.parents.truncate(count);
    hosts.clusters.truncate(count);
    hosts.added = 0;
    hosts
}

/// The choices that events are, up to the first that is not possible.
fn choices(algorithm: &Entry, setup: &Setup, timing: &Timing, events: &[Event]) -> Vec<u32> {
    let mut player = (algorithm.drive.boot)(setup.clone(), timing);
    let choice = |event: &Event| {
        let choice = player.choice_of(*event)?;
        player.pick(*event)?;
        Some(choice)
    };
    events.iter().map_while(choice).collect()
}

/// The names of the fields; every other name is a parameter of the algorithm.
pub const FIELDS: [&str; 22] = [
    "v",
    "a",
    "n",
    "t",
    "top",
    "names",
    "clusters",
    "cells",
    "placement",
    "net",
    "load",
    "section",
    "delay",
    "far",
    "range",
    "aligned",
    "per_cell",
    "blocking",
    "seed",
    "without",
    "c",
    "at",
];
