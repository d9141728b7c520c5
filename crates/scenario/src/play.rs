//! Plays a scenario: follows its script, checks its stops.

use crate::script::Step;
use crate::{LocatedProblem, Scenario, Stop};
use lockstep_kernel::history::{Player, StepId};

/// A scenario that was followed to its end.
pub struct Played {
    /// The run, with the cursor at the stop where the page opens.
    pub player: Box<dyn Player>,
    /// The step of each stop; the last one reached where the script cannot be followed further.
    pub stops: Vec<StepId>,
    /// Expectations that do not hold, and the event that is not possible.
    pub failures: Vec<LocatedProblem>,
}

impl Scenario {
    /// The run at its beginning.
    pub fn boot(&self) -> Box<dyn Player> {
        (self.algorithm.drive.boot)(self.setup.clone(), &self.timing)
    }

    /// Follows the script to its end, checks the expectations of every stop and goes to the stop
    /// where the page opens.
    pub fn play(&self) -> Played {
        let mut player = self.boot();
        let mut stops = Vec::with_capacity(self.stops.len());
        let mut failures = Vec::new();
        let mut stuck = false;
        for stop in &self.stops {
            // once an event is not possible, later stops say nothing
            if !stuck {
                match follow(stop, &mut *player) {
                    Ok(()) => failures.extend(stop.expect.failures(&player.frame(), player.setup())),
                    Err(problem) => {
                        failures.push(problem);
                        stuck = true;
                    }
                }
            }
            stops.push(player.cursor());
        }
        let opens = self.opens_at.and_then(|i| stops.get(i)).copied();
        player.seek(opens.unwrap_or(0));
        Played { player, stops, failures }
    }
}

fn follow(stop: &Stop, player: &mut dyn Player) -> Result<(), LocatedProblem> {
    for (i, text) in stop.script.iter().enumerate() {
        let place = stop.places.get(i).copied().unwrap_or(stop.expect.place);
        let followed = Step::read(text, player.setup()).and_then(|step| step.follow(player));
        followed.map_err(|why| LocatedProblem { place, message: format!("`{text}`: {why}") })?;
    }
    Ok(())
}
