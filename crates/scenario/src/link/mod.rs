//! A run as a short text that fits in an address:
//! `v=1&a=alien&variant=v1&n=3&t=4.2.2&top=chain&…&c=0.2.5&at=2`.
//!
//! It holds the system and every choice as a position among the enabled events, so that a page, the
//! command line and another browser reach the same state. `from=ID` names the scenario of the run.

mod address;
pub mod tree;

pub use address::Address;

use crate::replay::{Allowance, Replay, go_to, refusal};
use lockstep_kernel::history::{Player, StepId};
use lockstep_kernel::timing::Timing;
use lockstep_kernel::{Entry, Event, NodeId, Setup};
use lockstep_spec::{Limits, Model, grouped, query, quoted, resolve};
use std::ops::Deref;

/// The longest text that is read.
pub const MOST_BYTES: usize = 64 * 1024;
/// The most choices of a link.
pub const MOST_CHOICES: usize = 100_000;

/// A run in a short form: a system, every choice, the cursor, and the scenario it began with.
#[derive(Clone)]
pub struct Link {
    /// The system, without nodes that the algorithm adds by itself.
    pub model: Model,
    /// Every choice from the beginning, as [`Player::choice_of`] counts.
    pub choices: Vec<u32>,
    /// Steps from the beginning to the cursor.
    pub at: usize,
    /// The id of the scenario that the run belongs to, if it belongs to one.
    pub scenario: Option<String>,
}

impl Deref for Link {
    type Target = Model;

    fn deref(&self) -> &Model {
        &self.model
    }
}

impl Link {
    /// The timeline of a player, with its cursor. The algorithm must be the player's.
    pub fn of(algorithm: &'static Entry, player: &dyn Player, timing: &Timing) -> Link {
        let timeline = player.timeline();
        // the history keeps each choice; an event without one has no place in a link, which ends
        // before it
        let choices: Vec<u32> = timeline.iter().skip(1).map_while(|step| step.choice).collect();
        let cursor = timeline.iter().position(|past| past.id == player.cursor());
        let at = cursor.unwrap_or(choices.len()).min(choices.len());
        let model = Model { algorithm, setup: hosts(player.setup()), timing: timing.clone() };
        Link { model, choices, at, scenario: None }
    }

    /// A run of these events, with the cursor at its end.
    pub fn from_events(
        algorithm: &'static Entry,
        setup: &Setup,
        timing: &Timing,
        events: &[Event],
    ) -> Result<Link, String> {
        let setup = hosts(setup);
        let mut player = (algorithm.drive.boot)(setup.clone(), timing);
        let choice = |event: &Event| {
            let choice = player.choice_of(*event)?;
            player.pick(*event).map(|_| choice)
        };
        let choices: Vec<u32> = events.iter().map_while(choice).collect();
        let at = choices.len();
        if at < events.len() {
            return Err(format!("Step {} is not possible in this system.", at + 1));
        }
        Ok(Link { model: Model { algorithm, setup, timing: timing.clone() }, choices, at, scenario: None })
    }

    /// The same link, as a run of a scenario.
    pub fn of_scenario(self, id: &str) -> Link {
        Link { scenario: Some(id.into()).filter(|id: &String| !id.is_empty()), ..self }
    }

    /// The run, with its cursor.
    pub fn open(&self) -> Result<Box<dyn Player>, String> {
        let mut player = self.boot();
        self.replay(Allowance::REPLAY).finish(&mut *player)?;
        Ok(player)
    }

    /// The run at its beginning.
    pub fn boot(&self) -> Box<dyn Player> {
        (self.algorithm.drive.boot)(self.setup.clone(), &self.timing)
    }

    /// The replay of the choices, which begins at the beginning of the run.
    pub fn replay(&self, allowance: Allowance) -> LinkReplay {
        LinkReplay { choices: self.choices.clone(), at: self.at, taken: 0, cursor: 0, allowance }
    }

    /// The link as text.
    pub fn encode(&self) -> String {
        let from = self.scenario.as_ref().map_or(String::new(), |id| format!("&from={id}"));
        format!("{}&c={}&at={}{from}", query::write(&self.model), encode_choices(&self.choices), self.at)
    }

    /// Reads a link; everything that is wrong comes back, each as one sentence.
    pub fn decode(text: &str) -> Result<Link, Vec<String>> {
        if text.len() > MOST_BYTES {
            let kilobytes = text.len().div_ceil(1024);
            return Err(vec![format!("The link has {kilobytes} KB; expected at most {} KB.", MOST_BYTES / 1024)]);
        }
        // an address may stand before it
        let text = text.trim().rsplit(['#', '?']).next().unwrap_or_default();
        let (spec, own) = query::read(text, &["v", "c", "at", "from"])?;
        match own.get("v").map(String::as_str) {
            Some("1") => {}
            Some(other) => return Err(vec![format!("v: {} is not allowed; expected 1.", quoted(other))]),
            None => return Err(vec![format!("{} is not a link; expected v=1&a=alien&n=3&….", quoted(text))]),
        }
        let model = resolve(&spec, &Limits::PLAY);
        let mut problems: Vec<String> = model.as_ref().err().into_iter().flatten().map(ToString::to_string).collect();
        let choices = decode_choices(own.get("c").map_or("", String::as_str)).unwrap_or_else(|why| {
            problems.push(why);
            Vec::new()
        });
        let at = own.get("at").map_or(Some(choices.len()), |at| at.parse().ok().filter(|at| *at <= choices.len()));
        if at.is_none() && problems.is_empty() {
            let given = quoted(&own["at"]);
            problems.push(format!("at: {given} is not allowed; expected 0 to {}.", choices.len()));
        }
        match (model, at) {
            (Ok(model), Some(at)) if problems.is_empty() => {
                Ok(Link { model, choices, at, scenario: own.get("from").cloned() })
            }
            _ => Err(problems),
        }
    }
}

/// The choices of a link, taken one after the other.
pub struct LinkReplay {
    choices: Vec<u32>,
    at: usize,
    taken: usize,
    cursor: StepId,
    allowance: Allowance,
}

impl Replay for LinkReplay {
    fn once(&mut self, player: &mut dyn Player) -> Result<bool, String> {
        let Some(choice) = self.choices.get(self.taken) else {
            go_to(player, self.cursor);
            return Ok(true);
        };
        if !self.allowance.has_room(player) {
            return Err(refusal("The link", &format!("{} of its {} steps", self.taken, self.choices.len())));
        }
        let step = self.taken + 1;
        let Some(reached) = player.choose(*choice) else {
            let enabled = player.enabled().len();
            return Err(format!("Step {step} of the link chooses event {choice}; expected one of {enabled} events."));
        };
        if step == self.at {
            self.cursor = reached;
        }
        self.taken = step;
        Ok(false)
    }

    fn progress(&self) -> f64 {
        self.taken as f64 / self.choices.len().max(1) as f64
    }
}

/// The system without the nodes that its algorithm adds by itself.
pub(crate) fn hosts(setup: &Setup) -> Setup {
    let mut hosts = setup.clone();
    let count = setup.hosts();
    // a host may point at a node that the algorithm added: follow the path to the next host
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

/// Choices in base 36; `0*5` is five times the first event.
fn encode_choices(choices: &[u32]) -> String {
    let parts = choices.chunk_by(|a, b| a == b).map(|run| match run.len() {
        1 => base36(run[0]),
        n => format!("{}*{n}", base36(run[0])),
    });
    parts.collect::<Vec<_>>().join(".")
}

fn base36(mut number: u32) -> String {
    let mut digits = Vec::new();
    loop {
        digits.extend(char::from_digit(number % 36, 36));
        number /= 36;
        if number == 0 {
            return digits.iter().rev().collect();
        }
    }
}

fn decode_choices(text: &str) -> Result<Vec<u32>, String> {
    let mut choices = Vec::new();
    for part in text.split('.').filter(|_| !text.is_empty()) {
        let (choice, times) = part.split_once('*').unwrap_or((part, "1"));
        let (Ok(choice), Ok(times)) = (u32::from_str_radix(choice, 36), times.parse::<usize>()) else {
            let given = quoted(part);
            return Err(format!("c: {given} is not allowed; expected numbers in base 36 as in 0.4.1*3.a."));
        };
        if times > MOST_CHOICES - choices.len() {
            let most = grouped(MOST_CHOICES as f64);
            return Err(format!("c: too many steps; expected at most {most}."));
        }
        choices.resize(choices.len() + times, choice);
    }
    Ok(choices)
}
