//! Plays a scenario: follows its script, checks its stops.

use crate::replay::{Allowance, Replay, go_to, refusal};
use crate::script::{Goal, MOST_STEPS, Step};
use crate::{LocatedProblem, Scenario};
use lockstep_kernel::history::{Player, StepId};

/// A scenario that was followed to its end.
pub struct Played {
    /// The run, with the cursor at the stop where the page opens.
    pub player: Box<dyn Player>,
    /// The step of each stop; the last one reached where the script cannot be followed further.
    pub stops: Vec<StepId>,
    /// Expectations that do not hold, and the event that is not possible.
    pub failures: Vec<LocatedProblem>,
    /// Why the script was not followed to its end, if it takes too long; a failure says so too.
    pub refused: Option<String>,
}

impl Scenario {
    /// The run at its beginning.
    pub fn boot(&self) -> Box<dyn Player> {
        (self.algorithm.drive.boot)(self.setup.clone(), &self.timing)
    }

    /// Follows the script to its end, checks the expectations of every stop and goes to the stop
    /// where the page opens.
    pub fn play(&self) -> Played {
        self.play_within(Allowance::REPLAY)
    }

    /// The same with another bound for what that may cost.
    pub fn play_within(&self, allowance: Allowance) -> Played {
        let (mut player, mut script) = (self.boot(), self.script(allowance));
        let _ = script.finish(&mut *player); // what is not possible is a failure of the scenario
        let ScriptReplay { stops, failures, refused, .. } = script;
        Played { player, stops, failures, refused }
    }

    /// The replay of the script, which begins at the beginning of the run.
    pub fn script(&self, allowance: Allowance) -> ScriptReplay {
        let (scenario, stops, failures) = (self.clone(), Vec::new(), Vec::new());
        ScriptReplay { scenario, line: 0, taken: 0, step: None, stops, failures, refused: None, allowance }
    }
}

/// A script that is followed, one event after the other.
pub struct ScriptReplay {
    /// The scenario.
    pub scenario: Scenario,
    /// The line of the stop ahead that is followed, and the events that it has made happen.
    line: usize,
    taken: usize,
    step: Option<Step>,
    /// The moments of the stops that were reached.
    pub stops: Vec<StepId>,
    /// Expectations that do not hold, and the event that is not possible.
    pub failures: Vec<LocatedProblem>,
    refused: Option<String>,
    allowance: Allowance,
}

impl Replay for ScriptReplay {
    fn once(&mut self, player: &mut dyn Player) -> Result<bool, String> {
        let Some(stop) = self.scenario.stops.get(self.stops.len()) else {
            let opens = self.scenario.opens_at.and_then(|i| self.stops.get(i)).copied();
            go_to(player, opens.unwrap_or(0));
            return Ok(true);
        };
        let Some(text) = stop.script.get(self.line) else {
            self.failures.extend(stop.expect.failures(&player.frame(), player.setup()));
            self.stops.push(player.cursor());
            self.line = 0;
            return Ok(false);
        };
        let followed = if !self.allowance.has_room(player) {
            self.refused = Some(refusal("The script", &format!("{} steps", player.len() - 1)));
            Err(self.refused.clone().unwrap_or_default())
        } else {
            let step = self.step.take().map_or_else(|| Step::read(text, player.setup()), Ok);
            step.and_then(|step| Ok((step.advance(player, self.taken)?, step)))
        };
        match followed {
            Ok((false, step)) => (self.step, self.taken) = (Some(step), self.taken + 1),
            Ok((true, _)) => (self.line, self.taken) = (self.line + 1, 0),
            // later stops say nothing
            Err(why) => {
                let place = stop.places.get(self.line).copied().unwrap_or(stop.expect.place);
                self.failures.push(LocatedProblem { place, message: format!("`{text}`: {why}") });
                self.stops.resize(self.scenario.stops.len(), player.cursor());
            }
        }
        Ok(false)
    }

    fn progress(&self) -> f64 {
        let lines = self.scenario.stops.get(self.stops.len()).map_or(1, |stop| stop.script.len().max(1));
        let most = if let Some(Step::Run(Goal::Steps(most))) = self.step { most } else { MOST_STEPS };
        let in_stop = (self.line as f64 + self.taken as f64 / most as f64) / lines as f64;
        (self.stops.len() as f64 + in_stop) / self.scenario.stops.len().max(1) as f64
    }
}
