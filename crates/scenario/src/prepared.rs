//! A scenario that was read and played ahead of time. The page opens with one, so that its first
//! load contains no reader of files and scripts (docs/download-size.md).

use crate::{Card, Played, Scenario, Stop};
use lockstep_kernel::timing::Timing;
use lockstep_kernel::{Entry, Event, Setup};
use lockstep_spec::Model;
use serde::{Deserialize, Serialize};

/// A scenario with the events of its script. The expectations of its stops were checked and are
/// left out.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Prepared {
    id: String,
    title: String,
    about: String,
    setup: Setup,
    timing: Timing,
    events: Vec<Event>,
    /// The stops, each after so many events.
    stops: Vec<(usize, Stop)>,
    opens_at: Option<usize>,
}

impl Prepared {
    /// Plays a scenario; what does not hold in it is a sentence.
    pub fn of(scenario: &Scenario) -> Result<Prepared, String> {
        let Played { player, stops, failures, .. } = scenario.play();
        if let Some(failure) = failures.first() {
            return Err(failure.to_string());
        }
        let line = player.timeline();
        let steps = |step| line.iter().position(|past| past.id == step).unwrap_or(0);
        let Scenario { id, title, about, model, stops: told, opens_at, .. } = scenario.clone();
        let Model { setup, timing, .. } = model;
        let events = line.iter().filter_map(|past| past.event).collect();
        let stops = stops.into_iter().map(steps).zip(told).collect();
        Ok(Prepared { id, title, about, setup, timing, events, stops, opens_at })
    }

    /// The scenario, and its run at the stop where it opens.
    pub fn play(self, algorithm: &'static Entry) -> (Scenario, Played) {
        let Prepared { id, title, about, setup, timing, events, stops, opens_at } = self;
        let mut player = (algorithm.drive.boot)(setup.clone(), &timing);
        let mut taken = vec![player.cursor()];
        taken.extend(events.into_iter().map_while(|event| player.pick(event)));
        let (steps, stops): (Vec<usize>, Vec<Stop>) = stops.into_iter().unzip();
        let reached: Vec<_> = steps.into_iter().filter_map(|step| taken.get(step).copied()).collect();
        player.seek(opens_at.and_then(|stop| reached.get(stop)).copied().unwrap_or(0));
        let card = Card::default();
        let model = Model { algorithm, setup, timing };
        let scenario = Scenario { id, title, about, card, model, stops, opens_at };
        (scenario, Played { player, stops: reached, failures: Vec::new(), refused: None })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{LIBRARY, parse};

    #[test]
    fn every_scenario_is_the_same_when_it_was_prepared() {
        for (id, text) in LIBRARY {
            let scenario = parse(id, text).unwrap();
            let written = serde_json::to_string(&Prepared::of(&scenario).unwrap()).unwrap();
            let (again, played) = serde_json::from_str::<Prepared>(&written).unwrap().play(scenario.algorithm);
            let expected = scenario.play();
            assert_eq!(played.player.fingerprint(), expected.player.fingerprint(), "{id}");
            assert_eq!((played.stops, played.player.timeline()), (expected.stops, expected.player.timeline()), "{id}");
            assert_eq!((&again.setup, &again.timing), (&scenario.setup, &scenario.timing), "{id}");
            let told = |scenario: &Scenario| {
                let stops = scenario.stops.iter().map(|stop| (stop.say.clone(), stop.question.clone()));
                (scenario.title.clone(), stops.collect::<Vec<_>>())
            };
            assert_eq!(told(&again), told(&scenario), "{id}");
        }
    }

    #[test]
    fn what_does_not_hold_is_not_prepared() {
        let text = LIBRARY[0].1.replacen("messages = 0", "messages = 7", 1);
        let why = Prepared::of(&parse("x", &text).unwrap()).unwrap_err();
        assert!(why.contains("messages"), "{why}");
    }
}
