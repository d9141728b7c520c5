//! A second opinion: stateright's checker explores the same worlds and must find the same number of
//! states and the same verdict.

use crate::helpers::model::stateright;
use lockstep_algorithms::alien::Alien;
use lockstep_algorithms::ricart_agrawala::RicartAgrawala;
use lockstep_kernel::explore::{Bounds, Outcome, explore};
use lockstep_kernel::{Algorithm, LineId, Setup, Topology};

/// Both explorers on the same system: states and whether something is violated.
fn agree<A>(setup: &Setup, requests: u32) -> (usize, bool)
where
    A: Algorithm + Send + Sync,
    A::Node: Send + Sync,
    A::Msg: Send + Sync,
{
    let verdict = explore::<A>(setup, &Bounds { requests, ..Bounds::default() });
    let broken = matches!(verdict.outcome, Outcome::Violation(_));
    let (states, theirs) = stateright::<A>(setup, requests);
    assert_eq!(theirs, broken, "the verdicts differ");
    if !broken {
        assert_eq!(states, verdict.states, "the numbers of states differ");
    }
    (verdict.states, broken)
}

#[test]
fn stateright_finds_the_same_states_and_verdicts() {
    let alien = |variant| Setup::new(3, 1, Topology::Chain).with("variant", variant).with("piggyback", "true");
    assert_eq!(agree::<Alien>(&alien("v1"), 2), (919, false));
    assert_eq!(agree::<Alien>(&alien("v2"), 2), (1636, false));
    let mut broken = alien("v1");
    broken.without = Some(LineId(12));
    assert!(agree::<Alien>(&broken, 2).1, "both see that probOwner is not set");

    let ricart = Setup::new(3, 1, Topology::Full);
    for (requests, states) in [(1, 3_151), (2, 62_986), (3, 423_265)] {
        assert_eq!(agree::<RicartAgrawala<false>>(&ricart, requests), (states, false));
    }
}
