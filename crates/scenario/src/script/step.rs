//! A line of a script: one event, or several that time brings.

use super::{Reference, Who};
use crate::quoted;
use lockstep_kernel::history::Player;
use lockstep_kernel::{Event, Frame, Setup};

/// The most events that one line of a script may stand for.
pub const MOST_STEPS: usize = 10_000;

/// A line of a script.
#[derive(Clone, Debug)]
pub enum Step {
    /// One event.
    One(Reference),
    /// `deliver all`: every message and promised step in flight, and those that follow from them,
    /// in the order of sending.
    DeliverAll,
    /// `run until p3 enters`, `run until 4 entries`, `run 20 steps`, `run to the end`: events in
    /// the order of time.
    Run(Goal),
}

/// How far to run.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Goal {
    /// Until a thread enters.
    Enters(Who),
    /// Until so many sections have been entered since the beginning.
    Entries(u64),
    /// So many events.
    Steps(usize),
    /// Until nothing is due any more.
    End,
}

impl Step {
    /// Reads a line of a script; what it names must exist.
    pub fn read(text: &str, setup: &Setup) -> Result<Self, String> {
        let words: Vec<&str> = text.split_whitespace().collect();
        let number = |text: &str, most: u64| {
            let number = text.parse().ok().filter(|n| (1..=most).contains(n));
            number.ok_or_else(|| format!("{} is not allowed; expected 1 to {most}.", quoted(text)))
        };
        match words.as_slice() {
            ["deliver", "all"] => Ok(Step::DeliverAll),
            ["run", "to", "the", "end"] => Ok(Step::Run(Goal::End)),
            ["run", "until", who, "enters"] => Ok(Step::Run(Goal::Enters(Who::read(who, setup)?))),
            ["run", "until", n, "entries" | "entry"] => Ok(Step::Run(Goal::Entries(number(n, MOST_STEPS as u64)?))),
            ["run", n, "steps" | "step"] => Ok(Step::Run(Goal::Steps(number(n, MOST_STEPS as u64)? as usize))),
            ["run", ..] => Err(format!(
                "{} does not say how far; expected `run until p3 enters`, `run until 4 entries`, `run 20 steps` or `run to the end`.",
                quoted(text)
            )),
            _ => Reference::read(text, setup).map(Step::One),
        }
    }

    /// Does it; or says why that is not possible.
    pub fn follow(&self, player: &mut dyn Player) -> Result<(), String> {
        for taken in 0.. {
            if self.advance(player, taken)? {
                break;
            }
        }
        Ok(())
    }

    /// Makes at most one event happen, after so many of this line, and says whether the line ends
    /// here; or says why that is not possible.
    pub(crate) fn advance(&self, player: &mut dyn Player, taken: usize) -> Result<bool, String> {
        match self {
            Step::One(reference) => {
                let event = reference.find(player)?;
                player.pick(event);
                Ok(true)
            }
            Step::DeliverAll => deliver(player, taken),
            Step::Run(goal) => run(goal, player, taken),
        }
    }
}

fn deliver(player: &mut dyn Player, taken: usize) -> Result<bool, String> {
    if taken == MOST_STEPS {
        return Err(format!("After {MOST_STEPS} steps messages are still in flight; expected single deliveries."));
    }
    let of_delivery = |event| if let Event::Deliver(id) = event { Some(id) } else { None };
    let oldest = player.usual_events().into_iter().filter_map(of_delivery).min();
    Ok(oldest.is_none_or(|id| player.pick(Event::Deliver(id)).is_none()))
}

fn run(goal: &Goal, player: &mut dyn Player, taken: usize) -> Result<bool, String> {
    // a goal that holds already needs no step, except entering: that is something that happens
    if let Goal::Entries(n) = goal
        && player.counters().entries >= *n
    {
        return Ok(true);
    }
    if taken == if let Goal::Steps(n) = goal { *n } else { MOST_STEPS } {
        return match goal {
            Goal::Steps(_) => Ok(true),
            _ => Err(format!("That is not reached within {MOST_STEPS} steps; expected an earlier goal.")),
        };
    }
    let Some(event) = player.next() else {
        return match goal {
            Goal::End => Ok(true),
            _ => Err("No event is due any more; expected a goal that is reached, or `run to the end`.".into()),
        };
    };
    player.pick(event);
    let granted = player.last().is_some_and(|last| !last.granted.is_empty());
    Ok(matches!(goal, Goal::Enters(who) if granted && entered(*who, &player.frame())))
}

/// Whether the last step let a thread in.
fn entered(who: Who, frame: &Frame) -> bool {
    let granted = frame.last.iter().flat_map(|l| &l.granted);
    let at = |node| frame.nodes.iter().find(|n| n.id == node).map_or(&[][..], |n| &n.threads);
    granted.into_iter().any(|thread| match who {
        Who::Thread(meant) => meant == *thread,
        Who::At(node) => at(node).iter().any(|t| t.id == *thread),
    })
}
